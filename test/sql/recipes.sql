\set ECHO none
-- What doc/recipes.md and doc/migrating.md rely on, beyond the answers that they show: plans, and complete answers.
CREATE TABLE page (id bigint PRIMARY KEY, h simhash);
INSERT INTO page SELECT i, hashint8extended(i, 1)::simhash FROM generate_series(1, 2000) i;
CREATE INDEX page_h ON page USING simhash (h);
ANALYZE page;

\echo '-- Find for an array in one statement: by the index, and the planner expects about one row for each fingerprint.'
SELECT array_agg(h ORDER BY id) AS queries FROM page WHERE id IN (2, 3, 2000) \gset
PREPARE find(simhash[]) AS SELECT p.id FROM unnest($1) q(h) JOIN page p ON p.h <@> q.h <= 3;
CREATE FUNCTION planned_rows(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan; RETURN (plan->0->'Plan'->>'Plan Rows')::numeric; END $$;
EXPLAIN (COSTS OFF) EXECUTE find(:'queries');
SELECT planned_rows(format('EXECUTE find(%L)', :'queries')) BETWEEN 1 AND 30 AS sane;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE find(:'queries');
SELECT planned_rows('EXECUTE find(''{0123456789abcdef}'')') BETWEEN 1 AND 100 AS sane;
RESET plan_cache_mode;

\echo '-- The nearest, with all ties of the last; the nearest other row of each row.'
SELECT (SELECT count(*) FROM (SELECT FROM page ORDER BY h <@> 'ffffffffffffffff' FETCH FIRST 3 ROWS WITH TIES) t)
     = (SELECT count(*) FROM page WHERE (h <@> 'ffffffffffffffff')::int <=
           (SELECT (h <@> 'ffffffffffffffff')::int FROM page ORDER BY 1 OFFSET 2 LIMIT 1)) AS ties_complete;
EXPLAIN (COSTS OFF) SELECT o.id, n.id FROM page o CROSS JOIN LATERAL (SELECT id FROM page n WHERE n.id <> o.id ORDER BY n.h <@> o.h LIMIT 1) n
WHERE o.id IN (1, 2, 2000);

\echo '-- A bigint becomes a simhash, and back, without a rewrite of the table.'
CREATE TABLE image (id int, h bigint);
INSERT INTO image VALUES (1, 0), (2, 7), (3, -1), (4, 9223372036854775807), (5, -9223372036854775808);
SELECT pg_relation_filenode('image') AS file \gset
ALTER TABLE image ALTER h TYPE simhash USING h::simhash;
SELECT pg_relation_filenode('image') = :file AS not_rewritten;
SELECT id, h, h::bigint FROM image ORDER BY id;
ALTER TABLE image ALTER h TYPE bigint USING h::bigint;
SELECT pg_relation_filenode('image') = :file AS not_rewritten;

\echo '-- Or it remains a bigint, and an expression is indexed.'
CREATE TABLE old_image AS SELECT i AS id, hashint8extended(i, 1) AS h FROM generate_series(1, 2000) i;
INSERT INTO old_image SELECT 10000 + id, h # 5 FROM old_image WHERE id <= 2;
CREATE INDEX old_image_h ON old_image USING simhash ((h::simhash));
ANALYZE old_image;
EXPLAIN (COSTS OFF) SELECT id FROM old_image WHERE h::simhash <@> 42::bigint::simhash <= 4;
SELECT id FROM old_image WHERE h::simhash <@> (SELECT h FROM old_image WHERE id = 1)::simhash <= 4 ORDER BY id;

\echo '-- Four btrees on blocks of 16 bits find the same.'
SELECT h AS q FROM old_image WHERE id = 2 \gset
SELECT id FROM old_image WHERE (h & 65535 = :q & 65535 OR h >> 16 & 65535 = :q >> 16 & 65535 OR h >> 32 & 65535 = :q >> 32 & 65535
    OR h >> 48 & 65535 = :q >> 48 & 65535) AND length(replace((h # :q)::bit(64)::text, '0', '')) <= 3 ORDER BY id;
SELECT id FROM old_image WHERE h::simhash <@> (:q)::bigint::simhash <= 3 ORDER BY id;

DROP TABLE page, image, old_image;
DROP FUNCTION planned_rows;
