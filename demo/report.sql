-- What report.pl needs, as one JSON object. The groups: the largest ones, which the terminal shows, then those with most
-- confirmed near-duplicates of each kind in turn. Each leader is compared with up to three of the others, confirmed ones
-- first, of different distances if there are any. The variable shown is the number of groups, 0 for all.
\pset tuples_only on
\pset format unaligned
WITH size AS (
    SELECT m.leader, CASE WHEN min(p.kind) = max(p.kind) THEN min(p.kind) ELSE 'document' END AS kind, count(*) AS documents,
        count(n.id) AS confirmed, min(p.path) AS first_path
    FROM member m JOIN page p USING (id) LEFT JOIN confirmed n USING (id) GROUP BY m.leader HAVING count(*) > 1
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY kind ORDER BY confirmed DESC, documents DESC, leader) AS of_kind,
        row_number() OVER (ORDER BY documents DESC, first_path) <= 3
            OR confirmed > 0 AND row_number() OVER (ORDER BY confirmed DESC, leader) <= 6 AS large
    FROM size
), chosen AS (
    SELECT *, row_number() OVER (ORDER BY large DESC, CASE WHEN large THEN -documents ELSE of_kind END, confirmed DESC, documents DESC, leader) AS place
    FROM ranked ORDER BY place LIMIT nullif(:shown, 0)
), other AS (
    SELECT c.leader, p.id, p.path, p.h <@> l.h AS distance, m.jaccard, m.jaccard >= 0.8 AS sure,
        row_number() OVER (PARTITION BY c.leader, p.h <@> l.h ORDER BY m.jaccard DESC, p.id) AS of_distance
    FROM chosen c JOIN member m USING (leader) JOIN page p ON p.id = m.id JOIN page l ON l.id = c.leader
    WHERE p.id <> l.id
), ordered AS (
    SELECT *, row_number() OVER (PARTITION BY leader ORDER BY sure DESC, of_distance, distance DESC, id) AS place FROM other
)
SELECT json_build_object(
    'version', (SELECT extversion FROM pg_extension WHERE extname = 'simhash'), 'day', current_date,
    'radius', :radius, 'chance', :chance, 'compared', :most_text, 'documents', (SELECT count(h) FROM page),
    'pairs', (SELECT count(*) FROM pair), 'groups', (SELECT count(*) FROM size),
    'near_duplicates', (SELECT count(*) FROM member WHERE id <> leader), 'confirmed', (SELECT count(*) FROM confirmed),
    'distances', (SELECT json_agg(json_build_array(item::int, value) ORDER BY item::int)
                  FROM report WHERE topic = 'distance'),
    'unrelated', (SELECT json_agg(json_build_array(item::int, value) ORDER BY item::int)
                  FROM report WHERE topic = 'false matches'),
    'shown', (SELECT json_agg(json_build_object(
            'kind', c.kind, 'documents', c.documents, 'confirmed', c.confirmed, 'path', l.path, 'text', left(l.body, :most_text),
            'others', (SELECT json_agg(json_build_object('path', o.path, 'distance', o.distance,
                    'similarity', trunc(o.jaccard::numeric, 2),
                    'text', CASE WHEN o.place <= 3 THEN left(p.body, :most_text) END) ORDER BY o.place)
                FROM ordered o JOIN page p USING (id) WHERE o.leader = c.leader AND o.place <= 20))
        ORDER BY c.place)
        FROM chosen c JOIN page l ON l.id = c.leader));
