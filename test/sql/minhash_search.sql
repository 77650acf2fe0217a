\set ECHO none
-- WHERE minhash_at_least(s, q, 0.8) uses an index on signatures. Every answer equals that of a sequential scan.
SET client_min_messages = warning;
\set VERBOSITY terse

CREATE FUNCTION hashed(seed int) RETURNS bit(256) LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || md5(seed::text) || md5('-' || seed))::bit(256) $$;
-- The same with about one bit in eight changed, or one in 64.
-- CREATE INDEX calls it without the search_path, from 17 on.
CREATE FUNCTION revised(seed int, revision int) RETURNS bit(256) LANGUAGE sql IMMUTABLE AS $$
    SELECT public.hashed(seed) # (public.hashed(-revision) & public.hashed(-revision - 1000000) & public.hashed(-revision - 2000000) &
        CASE WHEN revision % 2 = 0 THEN ~ public.hashed(0) | public.hashed(0)
             ELSE public.hashed(-revision - 3000000) & public.hashed(-revision - 4000000) & public.hashed(-revision - 5000000) END) $$;
-- Uniform rows, near-duplicates, 10,000 equal rows, and rows without a signature.
CREATE TABLE doc (id int, grp int, body text, s bit(256));
INSERT INTO doc SELECT i, i % 10, 'uniform', hashed(i) FROM generate_series(1, 3000) AS i;
INSERT INTO doc SELECT 10000 + i, i % 10, 'revision', revised(i / 20, i) FROM generate_series(1, 2000) AS i;
INSERT INTO doc SELECT 20000 + i, i % 10, 'equal', hashed(77777) FROM generate_series(1, 10000) AS i;
INSERT INTO doc SELECT 40000 + i, i % 10, 'nothing', NULL FROM generate_series(1, 50) AS i;
CREATE INDEX doc_s ON doc USING simhash (s);
ANALYZE doc;
CREATE TABLE query (id int, s bit(256), t float8);
INSERT INTO query VALUES (1, revised(5, 3), 0.7), (2, hashed(77), 0.8), (3, hashed(77777), 0.9), (4, hashed(-1), 0), (5, NULL, 0.5), (6, hashed(7), NULL),
    (7, revised(77777, 3), 0.9);
ANALYZE query;

-- PostgreSQL 18 may scan the only partition by a disabled index.
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
SET simhash.enable_join = off;
-- Whether a query reads an index on signatures, in order or not, how many rows it returns, and whether these are the
-- rows of a sequential scan.
CREATE FUNCTION index_use(query text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN bool_or(line ~ 'Order By: ') AND NOT bool_or(line ~ '->  Sort') THEN 'order'
        WHEN bool_or(line ~ 'Index( Only)? Scan using .*_s|Bitmap Index Scan on .*_s') THEN 'search' ELSE 'no' END
    FROM plan_of(query) AS line $$;
CREATE FUNCTION form(query text, OUT index text, OUT rows bigint, OUT same boolean) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM scan_by(true);
    index := index_use(query);
    EXECUTE 'CREATE TEMP TABLE by_index AS ' || query;
    DISCARD PLANS;
    PERFORM scan_by(false);
    EXECUTE 'CREATE TEMP TABLE by_scan AS ' || query;
    DISCARD PLANS;
    SELECT count(*) INTO rows FROM by_index;
    same := index_use(query) = 'no' AND
        NOT EXISTS ((TABLE by_index EXCEPT ALL TABLE by_scan) UNION ALL (TABLE by_scan EXCEPT ALL TABLE by_index));
    DROP TABLE by_index, by_scan;
END $$;
CREATE FUNCTION condition(condition text, OUT index text, OUT rows bigint, OUT same boolean) LANGUAGE sql AS $$
    SELECT * FROM form('SELECT id FROM doc WHERE ' || replace(condition, 'Q', 'revised(5, 3)')) $$;

\echo '-- what the plans show'
SELECT scan_by(true);
SELECT plan_of($$ SELECT id FROM doc WHERE minhash_at_least(s, hashed(77), 0.8) $$);
SELECT plan_of($$ SELECT d.id FROM query AS q JOIN doc AS d ON minhash_at_least(d.s, q.s, q.t) $$);
SELECT plan_of($$ SELECT d.id FROM query AS q JOIN doc AS d ON minhash_at_least(q.s, d.s, 0.8) $$);
SELECT plan_of($$ SELECT id FROM doc WHERE minhash_at_least(s, hashed(77), 0.5) ORDER BY s <@> hashed(77) LIMIT 3 $$);
SET enable_indexscan = off;
SET enable_bitmapscan = on;
SELECT plan_of($$ SELECT id FROM doc WHERE minhash_at_least(s, hashed(77), 0.8) OR minhash_at_least(s, hashed(78), 0.9) $$);
SELECT count(*) FROM doc WHERE minhash_at_least(s, revised(5, 3), 0.8) OR minhash_at_least(s, revised(6, 4), 0.8);
RESET enable_indexscan;
SET enable_seqscan = off;

\echo '-- conditions'
SELECT c, f.* FROM unnest(ARRAY[
    $$ minhash_at_least(s, Q, 0.8) $$,
    $$ minhash_at_least(Q, s, 0.8) $$,
    $$ minhash_at_least(s, Q, 0.8::real) $$,
    $$ minhash_at_least(s, Q, '0.8') $$,
    $$ minhash_at_least(s, Q, 1) $$,
    $$ minhash_at_least(s, Q, 0.8125) $$,
    $$ minhash_at_least(s, Q, 0) $$,
    $$ minhash_at_least(s, Q, -1) $$,
    $$ minhash_at_least(s, Q, 1.1) $$,
    $$ minhash_at_least(s, Q, 'NaN') $$,
    $$ minhash_at_least(s, Q, '-Infinity') $$,
    $$ minhash_at_least(s, Q, 0.4 + 0.4) $$,
    $$ minhash_at_least(s, Q, (SELECT 0.8)) $$,
    $$ minhash_at_least(s, (SELECT s FROM query WHERE id = 1), 0.8) $$,
    $$ minhash_at_least(s, Q, 0.8) AND s <@> Q <= 10 $$,
    $$ minhash_at_least(s, Q, 0.7) AND minhash_similarity(s, Q) < 0.9 $$,
    $$ minhash_at_least(s, Q, 0.6) AND minhash_at_least(s, revised(5, 4), 0.7) $$,
    $$ minhash_at_least(s, Q, 0.8) AND grp < 5 AND body LIKE 'rev%' $$,
    $$ minhash_at_least(s, Q, 0.8) AND s IS NOT NULL $$,
    $$ minhash_at_least(s, hashed(77777), 0.9) $$
]) AS c, condition(c) AS f;
\echo '-- conditions that are never true'
SELECT c, f.rows FROM unnest(ARRAY[
    $$ minhash_at_least(s, NULL, 0.8) $$, $$ minhash_at_least(s, Q, NULL) $$, $$ minhash_at_least(s, Q, (SELECT NULL::float8)) $$,
    $$ minhash_at_least(s, (SELECT NULL::bit(256)), 0.8) $$
]) AS c, condition(c) AS f;
\echo '-- conditions that cannot use an index but give the right answer'
SELECT c, f.* FROM unnest(ARRAY[
    $$ minhash_similarity(s, Q) >= 0.8 $$,
    $$ NOT minhash_at_least(s, Q, 0.8) $$,
    $$ minhash_at_least(s, Q, grp) $$,
    $$ minhash_at_least(s, s, 0.8) $$
]) AS c, condition(c) AS f;
SELECT scan_by(true);
SELECT count(*) FROM doc WHERE minhash_at_least(s, B'01', 0.8);
SELECT count(*) FROM doc WHERE minhash_at_least(s, B'01', 2);
SELECT scan_by(false);
SELECT count(*) FROM doc WHERE minhash_at_least(s, B'01', 2);

\echo '-- parameters, in a generic plan'
SET plan_cache_mode = force_generic_plan;
PREPARE near(bit, float8) AS SELECT count(*) FROM doc WHERE minhash_at_least(s, $1, $2);
PREPARE untyped AS SELECT count(*) FROM doc WHERE minhash_at_least(s, $1, $2);
SELECT scan_by(true);
SELECT plan_of('EXECUTE near(hashed(1), 0.8)');
SELECT plan_of('EXECUTE untyped(hashed(1), 0.8)');
EXECUTE near(revised(5, 3), 0.8);
EXECUTE untyped(revised(5, 3), 0.8);
EXECUTE near(revised(5, 3), 'NaN');
EXECUTE near(revised(5, 3), NULL);
EXECUTE near(NULL, 0.8);
EXECUTE near(B'01', 0.8);
RESET plan_cache_mode;

\echo '-- joins, sub-selects and views'
CREATE VIEW seen AS SELECT id, grp, s FROM doc WHERE body <> 'equal' AND minhash_at_least(s, hashed(77), 0.8);
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT q.id, d.id AS d FROM query AS q JOIN doc AS d ON minhash_at_least(d.s, q.s, q.t) AND q.id < 3 $$,
    $$ SELECT q.id, d.id AS d FROM query AS q LEFT JOIN doc AS d ON minhash_at_least(q.s, d.s, q.t) AND q.id < 3 $$,
    $$ SELECT q.id FROM query AS q WHERE EXISTS (SELECT FROM doc AS d WHERE minhash_at_least(d.s, q.s, 0.9)) $$,
    $$ SELECT q.id FROM query AS q WHERE NOT EXISTS (SELECT FROM doc AS d WHERE minhash_at_least(d.s, q.s, 0.9)) $$,
    $$ SELECT a.id, b.id AS b FROM doc AS a JOIN doc AS b ON minhash_at_least(a.s, b.s, 0.8) AND a.id < b.id AND a.id < 10100 AND b.id < 20000 $$,
    $$ SELECT q.id, (SELECT count(*) FROM doc AS d WHERE minhash_at_least(d.s, q.s, q.t)) FROM query AS q $$,
    $$ SELECT id FROM seen $$,
    $$ WITH near AS (SELECT id FROM doc WHERE minhash_at_least(s, hashed(77), 0.8)) SELECT * FROM near $$
]) AS q, form(q) AS f;
\echo '-- the distance gives the order of similarities'
SELECT count(*) FROM (SELECT minhash_similarity(s, revised(5, 3)) AS j, row_number() OVER () AS n FROM (SELECT s FROM doc ORDER BY s <@> revised(5, 3) LIMIT 300) AS x) AS a
JOIN (SELECT minhash_similarity(s, revised(5, 3)) AS j, row_number() OVER () AS n FROM (SELECT s FROM doc ORDER BY minhash_similarity(s, revised(5, 3)) DESC NULLS LAST LIMIT 300) AS x) AS b
USING (n, j);

\echo '-- partial and expression indexes'
CREATE TABLE other (id int, live boolean, w varbit, s bit(256));
INSERT INTO other SELECT id, id % 2 = 0, s, s FROM doc WHERE body <> 'equal';
CREATE INDEX other_s_live ON other USING simhash (s) WHERE live;
CREATE INDEX other_s_expression ON other USING simhash ((w::bit(256)));
CREATE INDEX other_s_near ON other (id) WHERE minhash_at_least(s, revised(5, 3), 0.7);
ANALYZE other;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM other WHERE live AND minhash_at_least(s, revised(5, 3), 0.6) $$,
    $$ SELECT id FROM other WHERE minhash_at_least(w::bit(256), revised(5, 3), 0.8) $$,
    $$ SELECT id FROM other WHERE minhash_at_least(s, revised(5, 3), 0.7) AND id > 0 $$
]) AS q, form(q) AS f;
SELECT * FROM form($$ SELECT id FROM other WHERE NOT live AND minhash_at_least(s, revised(5, 3), 0.6) $$);

\echo '-- a domain, which has the length that its column lacks'
CREATE DOMAIN signature_of_256 AS bit(256);
CREATE TABLE named (id int, s signature_of_256);
INSERT INTO named SELECT id, s FROM doc WHERE body <> 'equal';
CREATE INDEX named_s ON named USING simhash (s);
ANALYZE named;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM named WHERE minhash_at_least(s, revised(5, 3), 0.6) $$,
    $$ SELECT q.id, n.id AS n FROM query AS q JOIN named AS n ON minhash_at_least(n.s, q.s, 0.9) $$
]) AS q, form(q) AS f;

\echo '-- partitions'
CREATE TABLE parted (id int, grp int, s bit(256)) PARTITION BY LIST (grp);
CREATE TABLE parted_0_s PARTITION OF parted FOR VALUES IN (0, 1, 2, 3);
CREATE TABLE parted_1_s PARTITION OF parted FOR VALUES IN (4, 5, 6);
CREATE TABLE parted_2_s PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT id, grp, s FROM doc;
CREATE INDEX ON parted USING simhash (s);
ANALYZE parted;
SELECT scan_by(true);
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM parted WHERE minhash_at_least(s, revised(5, 3), 0.7) $$,
    $$ SELECT id FROM (SELECT id, s FROM parted UNION ALL SELECT id, s FROM doc) AS u WHERE minhash_at_least(s, revised(5, 3), 0.7) $$
]) AS q, form(q) AS f;

\echo '-- what the planner expects and chooses'
RESET enable_seqscan;
RESET enable_sort;
RESET enable_indexscan;
RESET enable_bitmapscan;
RESET enable_partition_pruning;
CREATE FUNCTION estimate(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan; RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows'; END $$;
SELECT c, estimate('SELECT FROM doc WHERE ' || c) BETWEEN low AND high AS expected FROM (VALUES
    ('minhash_at_least(s, hashed(77), 0.8)', 1, 50), ('minhash_at_least(s, hashed(77777), 0.8)', 9000, 11000),
    ('minhash_at_least(s, hashed(77), -1)', 14900, 15050), ('minhash_at_least(s, hashed(77), 1.1)', 1, 1),
    ('NOT minhash_at_least(s, hashed(77), 0.8)', 14000, 15050), ('NOT minhash_at_least(s, hashed(77777), 0.8)', 4000, 6000),
    ('minhash_at_least(s, hashed(77), (SELECT 0.8))', 1, 2000)
    ) AS v (c, low, high);
SELECT plan_of($$ SELECT id FROM doc WHERE minhash_at_least(s, hashed(77), 0.8) $$);
SELECT plan_of($$ SELECT id FROM doc WHERE minhash_at_least(s, hashed(77777), 0) $$);

\echo '-- Row-level security: comparisons raise errors about lengths, so they are evaluated after the policy. That of a distance'
\echo '-- is not, if the lengths are declared.'
CREATE ROLE regress_minhash_reader;
GRANT SELECT ON doc TO regress_minhash_reader;
ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON doc FOR SELECT TO regress_minhash_reader USING (grp = 3);
SET ROLE regress_minhash_reader;
SELECT scan_by(true);
SELECT plan_of($$ SELECT id FROM doc WHERE minhash_at_least(s, hashed(77), 0.8) $$);
SELECT plan_of($$ SELECT id FROM doc WHERE s <@> hashed(77) <= 25 $$);
SELECT count(*), bool_and(grp = 3) FROM doc WHERE minhash_at_least(s, revised(5, 3), 0.5);
RESET ROLE;
REVOKE SELECT ON doc FROM regress_minhash_reader;
GRANT SELECT (id) ON doc TO regress_minhash_reader;
SET ROLE regress_minhash_reader;
SELECT id FROM doc WHERE minhash_at_least(s, hashed(77), 0.8);
RESET ROLE;

DROP VIEW seen;
DROP TABLE doc, query, other, named, parted;
DROP DOMAIN signature_of_256;
DROP FUNCTION hashed, revised, index_use, form, condition, estimate;
DROP ROLE regress_minhash_reader;
