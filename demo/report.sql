-- What report.pl needs, as one JSON object. The groups: the largest ones, which the terminal shows, then those with most
-- near-copies of each kind in turn. Each leader is compared with up to three of the others, of different similarities.
-- The variable shown is the number of groups, 0 for all; the first 150 have their texts, more than the page can show.
\pset tuples_only on
\pset format unaligned
WITH size AS (
    SELECT m.leader, CASE WHEN min(p.kind) = max(p.kind) THEN min(p.kind) ELSE 'document' END AS kind, count(*) AS documents
    FROM member m JOIN page p USING (id) GROUP BY m.leader HAVING count(*) > 1
), chosen AS (
    SELECT *, row_number() OVER (ORDER BY largest > 6, CASE WHEN largest > 6 THEN of_kind ELSE largest END, documents DESC, leader) AS place
    FROM (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY documents DESC, leader) AS of_kind,
              row_number() OVER (ORDER BY documents DESC, leader) AS largest FROM size) AS ranked
    ORDER BY place LIMIT nullif(:shown, 0)
), other AS (
    SELECT c.leader, p.id, p.path, p.h <@> l.h AS distance, m.jaccard,
        row_number() OVER (PARTITION BY c.leader, trunc(10 * m.jaccard) ORDER BY m.jaccard, p.id) AS of_similarity
    FROM chosen c JOIN member m USING (leader) JOIN page p ON p.id = m.id JOIN page l ON l.id = c.leader
    WHERE p.id <> l.id
), ordered AS (
    SELECT *, row_number() OVER (PARTITION BY leader ORDER BY of_similarity, jaccard, id) AS place FROM other
)
SELECT json_build_object(
    'version', (SELECT extversion FROM pg_extension WHERE extname = 'simhash'), 'day', current_date,
    'least', :least, 'chance', :chance, 'compared', :most_text, 'documents', (SELECT count(*) FROM page),
    'pairs', (SELECT count(*) FROM pair), 'groups', (SELECT count(*) FROM size),
    'copies', (SELECT count(*) FROM member WHERE id <> leader),
    'near', (SELECT coalesce(sum(pairs), 0) FROM sample), 'false', (SELECT coalesce(sum(pairs * false_share), 0) FROM sample),
    'distances', (SELECT json_agg(json_build_array(item::int, value) ORDER BY item::int)
                  FROM report WHERE topic = 'distance'),
    'unrelated', (SELECT json_agg(json_build_array(item::int, value) ORDER BY item::int)
                  FROM report WHERE topic = 'false matches'),
    'shown', (SELECT json_agg(json_build_object(
            'kind', c.kind, 'documents', c.documents, 'path', l.path,
            'text', CASE WHEN c.place <= 150 THEN left(l.body, :most_text) END,
            'others', (SELECT json_agg(json_build_object('path', o.path, 'distance', o.distance,
                    'similarity', trunc(o.jaccard::numeric, 2),
                    'text', CASE WHEN o.place <= 3 AND c.place <= 150 THEN left(p.body, :most_text) END) ORDER BY o.place)
                FROM ordered o JOIN page p USING (id) WHERE o.leader = c.leader AND o.place <= 20))
        ORDER BY c.place)
        FROM chosen c JOIN page l ON l.id = c.leader));
