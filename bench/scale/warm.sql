-- Searches when everything that they need is in the cache: the same queries again and again. Variables: rounds,
-- round_seconds.
CREATE EXTENSION IF NOT EXISTS pg_prewarm;
SELECT pg_prewarm('page_h'), pg_prewarm('page_pkey') \g /dev/null

-- The index finds what a scan finds.
WITH asked AS MATERIALIZED (SELECT id, h FROM query WHERE query_set = 'all' ORDER BY id LIMIT 4),
found AS MATERIALIZED (SELECT a.id AS query, p.id FROM asked a JOIN page p ON p.h <@> a.h <= 7),
expected AS MATERIALIZED (SELECT a.id AS query, p.id FROM page p JOIN asked a ON (p.h <@> a.h)::int <= 7)
INSERT INTO wrong SELECT 'r = 7: ' || count(*) || ' rows' FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL
    (TABLE expected EXCEPT ALL TABLE found)) d HAVING count(*) > 0;

INSERT INTO method (part, label, variant, query_set, statement) SELECT 'warm', name, '', query_set, statement FROM search ORDER BY place;
CALL time_methods('warm', :rounds, :round_seconds);
SELECT note('warm', name, '', 'blocks', (SELECT avg(blocks) FROM each_search(name, 200))) FROM search \g /dev/null
