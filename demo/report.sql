-- What report.pl needs, as one JSON object. The groups: those with most near-copies of each kind in turn. Each leader is
-- compared with up to three of its members, near-copies first, of different distances if there are any.
\pset tuples_only on
\pset format unaligned
WITH size AS (
    SELECT m.leader, CASE WHEN min(p.kind) = max(p.kind) THEN min(p.kind) ELSE 'document' END AS kind, count(*) AS documents,
        count(n.id) AS copies
    FROM member m JOIN page p USING (id) LEFT JOIN near_copy n USING (id) GROUP BY m.leader HAVING count(*) > 1
), chosen AS (
    SELECT *, row_number() OVER (ORDER BY of_kind, copies DESC, documents DESC, leader) AS place FROM
        (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY copies DESC, documents DESC, leader) AS of_kind FROM size) ranked
    ORDER BY of_kind, copies DESC, documents DESC, leader LIMIT 40
), other AS (
    SELECT c.leader, p.id, p.path, p.h <@> l.h AS distance, m.jaccard, m.jaccard >= 0.8 AS copy,
        row_number() OVER (PARTITION BY c.leader, p.h <@> l.h ORDER BY m.jaccard DESC, p.id) AS of_distance
    FROM chosen c JOIN member m USING (leader) JOIN page p ON p.id = m.id JOIN page l ON l.id = c.leader
    WHERE p.id <> l.id
), ordered AS (
    SELECT *, row_number() OVER (PARTITION BY leader ORDER BY copy DESC, of_distance, distance DESC, id) AS place FROM other
)
SELECT json_build_object(
    'version', (SELECT extversion FROM pg_extension WHERE extname = 'simhash'), 'day', current_date,
    'radius', :radius, 'chance', :chance, 'compared', :most_text, 'documents', (SELECT count(h) FROM page),
    'pairs', (SELECT count(*) FROM pair), 'groups', (SELECT count(*) FROM size),
    'copies', (SELECT count(*) FROM near_copy),
    'distances', (SELECT json_agg(json_build_array(item::int, value) ORDER BY item::int)
                  FROM report WHERE topic = 'distance'),
    'unrelated', (SELECT json_agg(json_build_array(item::int, value) ORDER BY item::int)
                  FROM report WHERE topic = 'false matches'),
    'shown', (SELECT json_agg(json_build_object(
            'kind', c.kind, 'documents', c.documents, 'copies', c.copies, 'path', l.path, 'text', left(l.body, :most_text),
            'others', (SELECT json_agg(json_build_object('path', o.path, 'distance', o.distance,
                    'similarity', round(o.jaccard::numeric, 2),
                    'text', CASE WHEN o.place <= 3 THEN left(p.body, :most_text) END) ORDER BY o.place)
                FROM ordered o JOIN page p USING (id) WHERE o.leader = c.leader AND o.place <= 20))
        ORDER BY c.place)
        FROM chosen c JOIN page l ON l.id = c.leader));
