\set ECHO none
-- All pairs at once: plain joins by the pair engine, of one index and of two, return what a nested loop finds. joined_by
-- raises an error if the plan is another.
SET max_parallel_workers_per_gather = 0;
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common

-- More rows than fit in memory with the smallest work_mem.
CREATE TABLE uniform AS SELECT i AS id, '' AS note, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 2000) i;
CREATE TABLE near AS SELECT i AS id, '' AS note, flipped(hashint8extended(i % 1000, 2)::simhash, i, i % 8) AS h
    FROM generate_series(1, 7000) i;
-- half of the bits are dead, some are nearly always 0
CREATE TABLE skewed AS SELECT i AS id, '' AS note,
    (hashint8extended(i, 3) & hashint8extended(i, 4) & x'00ff0f0f00ff333f'::bit(64)::bigint)::simhash AS h FROM generate_series(1, 2000) i;
-- one fingerprint in many rows, and many rows near it; some rows have NULL
CREATE TABLE same WITH (fillfactor = 40) AS SELECT i AS id, '' AS note, CASE WHEN i % 17 = 0 THEN NULL WHEN i % 6 = 0 THEN '00000000ffffffff'::simhash
    ELSE flipped('00000000ffffffff', i, 2 + i % 23) END AS h FROM generate_series(1, 3000) i;
-- more rows than fit in memory that agree in a header of the index, which was built for other data
CREATE TABLE lump AS SELECT i AS id, '' AS note, hashint8extended(i, 5)::simhash AS h FROM generate_series(1, 2000) i;
CREATE INDEX uniform_h ON uniform USING simhash (h);
CREATE INDEX near_h ON near USING simhash (h) WITH (trees = 6);
CREATE INDEX near_one ON near USING simhash (h) WITH (trees = 1);
CREATE INDEX skewed_h ON skewed USING simhash (h);
CREATE INDEX same_h ON same USING simhash (h) WITH (trees = 5);
CREATE INDEX lump_h ON lump USING simhash (h);
INSERT INTO lump SELECT 2000 + i, '',
    (flipped(hashint8extended(i % 3000, 6)::simhash, i, i % 4)::bigint & x'7777777777777777'::bit(64)::bigint)::simhash
    FROM generate_series(1, 3500) i;

-- All pairs by a nested loop: the cast prevents the use of the index.
CREATE TABLE expected (of_table text, a int, b int, distance int);
CREATE FUNCTION expect_pairs(of_table text, radius int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM expected WHERE expected.of_table = expect_pairs.of_table;
    EXECUTE format('INSERT INTO expected SELECT %L, x.id, y.id, x.h <@> y.h FROM %I x JOIN %I y
        ON x.id < y.id AND (x.h <@> y.h)::int <= %s', of_table, of_table, of_table, radius);
END $$;
\echo '-- The number of pairs that a join misses, invents, repeats or returns in the wrong order.'
CREATE FUNCTION wrong_pairs(of_table text, radius int, by_index text DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE wrong bigint;
BEGIN
    EXECUTE format('WITH found AS MATERIALIZED (
            SELECT least(x.id, y.id) AS a, greatest(x.id, y.id) AS b, p.distance, p.a < p.b AS ordered
            FROM pairs_by(%L, %s) p LEFT JOIN %I x ON x.ctid = p.a LEFT JOIN %I y ON y.ctid = p.b),
        expected AS MATERIALIZED (SELECT a, b, distance, true FROM expected WHERE of_table = %L AND distance <= %s)
        SELECT count(*) FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE found)) d',
        coalesce(by_index, of_table || '_h'), radius, of_table, of_table, of_table, radius) INTO wrong;
    RETURN wrong;
END $$;
SELECT expect_pairs(t, r) FROM (VALUES ('uniform', 20), ('near', 20), ('skewed', 5), ('same', 5), ('lump', 8)) v(t, r) \g /dev/null
SELECT of_table, distance, count(*) FROM expected WHERE distance IN (0, 3, 5, 8, 20) GROUP BY 1, 2 ORDER BY 1, 2;

SELECT t, r, wrong_pairs(t, r) FROM unnest('{uniform,near,lump}'::text[]) t, unnest('{-1,0,1,3,5,8}'::int[]) r;
SELECT t, r, wrong_pairs(t, r) FROM unnest('{skewed,same}'::text[]) t, unnest('{0,3,5}'::int[]) r;
SELECT t, wrong_pairs(t, 20) FROM unnest('{uniform,near}'::text[]) t;

\echo '-- the same with little memory, through files'
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT t, r, wrong_pairs(t, r) FROM unnest('{uniform,near,lump}'::text[]) t, unnest('{0,1,3,4,8}'::int[]) r;
SELECT t, r, wrong_pairs(t, r) FROM unnest('{skewed,same}'::text[]) t, unnest('{0,3,5}'::int[]) r;
SELECT r, wrong_pairs('near', r, 'near_one') FROM unnest('{0,3,8,12,16}'::int[]) r;
SELECT r, wrong_pairs('uniform', r) FROM unnest('{10,12,16,20}'::int[]) r;
SET simhash.simd = 'scalar'; -- slower comparisons make finer cells
SELECT t, r, wrong_pairs(t, r) FROM unnest('{uniform,near,lump}'::text[]) t, unnest('{3,6,8}'::int[]) r;
SELECT r, wrong_pairs('near', r, 'near_one') FROM unnest('{8,12,16}'::int[]) r;
RESET simhash.simd;
RESET work_mem;

\echo '-- indexes of other designs: fewer tables, other distances'
CREATE INDEX near_far ON near USING simhash (h) WITH (design_radius = 7);
SELECT i, r, wrong_pairs('near', r, i) FROM unnest('{near_one,near_far}'::text[]) i, unnest('{0,3,7,8}'::int[]) r;

\echo '-- every kernel'
DO $$
DECLARE level text;
BEGIN
    FOREACH level IN ARRAY '{scalar,popcnt,avx2,avx512,neon}'::text[] LOOP
        BEGIN
            PERFORM set_config('simhash.simd', level, true);
        EXCEPTION WHEN invalid_parameter_value THEN
            CONTINUE; -- not available on this machine
        END;
        ASSERT wrong_pairs('near', 3) = 0 AND wrong_pairs('near', 8) = 0 AND wrong_pairs('same', 3) = 0, level;
    END LOOP;
END $$;

\echo '-- radii: none, and all'
CREATE TABLE few AS SELECT * FROM same WHERE id <= 150;
CREATE INDEX few_h ON few USING simhash (h);
SELECT r, count(a), count(DISTINCT (a, b)), max(distance) FROM unnest('{-1,-100,64,100,2147483647,-2147483648}'::int[]) r
    LEFT JOIN LATERAL pairs_by('few_h', r) ON true GROUP BY r ORDER BY r;
SELECT count(h) * (count(h) - 1) / 2 AS pairs FROM few;
SELECT r, count(*) FROM unnest('{-1,64}'::int[]) r, joined_by('few_h', 'few_h', r) GROUP BY r;
SELECT count(*) FROM pairs_by('few_h', NULL);

\echo '-- dense groups, whose rows are looked up before they are compared, with rows updated in place'
SELECT value AS rows FROM simhash_index_stats('same_h') WHERE name = 'rows';
UPDATE same SET note = 'x' WHERE id % 3 = 0;
SELECT value AS rows FROM simhash_index_stats('same_h') WHERE name = 'rows';
SET simhash.simd = 'scalar';
SELECT r, wrong_pairs('same', r) FROM unnest('{0,3}'::int[]) r;
RESET simhash.simd;

\echo '-- Cells of hundreds and thousands of rows that begin in a leaf in which others end, with the index''s tables and with'
\echo '-- partitions. The index was arranged for other rows.'
CREATE TABLE window_cells (id int, h simhash);
CREATE INDEX window_cells_h ON window_cells USING simhash (h);
CREATE INDEX window_cells_one ON window_cells USING simhash (h) WITH (trees = 1);
INSERT INTO window_cells SELECT i, ((((i / 3000 * 700 + (i % 3000 >= 400)::int)::bigint << 49) # (-1::bigint << 63))
    | (hashint8extended(i / 20, 8) & x'0001ffffffffffff'::bit(64)::bigint) # (1::bigint << (i % 47)::int))::simhash
    FROM generate_series(0, 119999) i;
INSERT INTO window_cells SELECT i, (hashint8extended(i / 2, 8) # (1::bigint << (i % 50)::int))::simhash FROM generate_series(1, 200000) i;
CREATE FUNCTION pairs_hash(by_index regclass) RETURNS text LANGUAGE sql AS
    $$ SELECT count(*) || ' ' || sum(hashtext(a::text || b::text)::bigint) FROM pairs_by(by_index, 3) $$;
SELECT pairs_hash('window_cells_h') = pairs_hash('window_cells_one') AS same;
SET work_mem = '256kB';
SELECT pairs_hash('window_cells_h') = pairs_hash('window_cells_one') AS same;
RESET work_mem;
DROP TABLE window_cells;
DROP FUNCTION pairs_hash;
\echo '-- Rows that are updated in place, moved or deleted, and rows of this transaction'
CREATE TABLE changing (LIKE near) WITH (fillfactor = 50, autovacuum_enabled = off);
INSERT INTO changing SELECT * FROM near WHERE id <= 1500;
CREATE INDEX changing_h ON changing USING simhash (h);
CREATE INDEX changing_id ON changing (id);
UPDATE changing SET note = note || 'x' WHERE id % 3 = 0;
UPDATE changing SET note = note || 'x' WHERE id % 6 = 0;
SELECT value < 1600 AS updated_in_place FROM simhash_index_stats('changing_h') WHERE name = 'rows';
UPDATE changing SET id = id + 10000 WHERE id % 5 = 0;
UPDATE changing SET h = flipped(h, id, 1) WHERE id % 7 = 0;
DELETE FROM changing WHERE id % 11 = 0;
SELECT expect_pairs('changing', 5);
SELECT r, wrong_pairs('changing', r) FROM unnest('{0,3,5}'::int[]) r;
BEGIN;
INSERT INTO changing SELECT 20000 + i, '', flipped(hashint8extended(i % 1000, 2)::simhash, i, 1) FROM generate_series(1, 200) i;
UPDATE changing SET note = 'mine' WHERE id % 2 = 0;
DELETE FROM changing WHERE id % 13 = 0;
SAVEPOINT s;
INSERT INTO changing SELECT 30000 + i, '', h FROM changing, generate_series(1, 3) i WHERE id % 10 = 0;
ROLLBACK TO s;
SELECT expect_pairs('changing', 5);
SELECT r, wrong_pairs('changing', r) FROM unnest('{0,3,5}'::int[]) r;
ROLLBACK;
SELECT r, wrong_pairs('changing', r) FROM unnest('{0,3,5}'::int[]) r;
VACUUM changing;
SELECT r, wrong_pairs('changing', r) FROM unnest('{0,3,5}'::int[]) r;
\echo '-- a query sees the rows that existed when it began'
CREATE FUNCTION insert_and_count() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changing SELECT 40000 + i, '', '0123456789abcdef' FROM generate_series(1, 10) i;
    RETURN (SELECT count(*) FROM changing x JOIN changing y ON x.h <@> y.h <= 0 AND x.id < y.id WHERE x.h::text = '0123456789abcdef');
END $$;
SELECT insert_and_count();
WITH inserted AS (INSERT INTO changing SELECT 50000 + i, '', '0123456789abcde0' FROM generate_series(1, 10) i RETURNING 1)
SELECT (SELECT count(*) FROM inserted) AS inserted, count(*) FROM changing x JOIN changing y ON x.h <@> y.h <= 0 AND x.id < y.id
    WHERE x.h::text = '0123456789abcde0';

\echo '-- many versions of a row count as one row'
CREATE TABLE versions (id int, h simhash) WITH (autovacuum_enabled = off);
CREATE INDEX ON versions (id);
CREATE INDEX versions_h ON versions USING simhash (h);
CREATE INDEX versions_one ON versions USING simhash (h) WITH (trees = 1);
INSERT INTO versions SELECT i, hashint8extended(i % 90, 7)::simhash FROM generate_series(1, 100) i;
DO $$ BEGIN FOR i IN 1..60 LOOP UPDATE versions SET id = id + 1; END LOOP; END $$;
SELECT r, (SELECT count(*) FROM pairs_by('versions_h', r)) AS by_tables, (SELECT count(*) FROM pairs_by('versions_one', r)) AS by_cells,
    (SELECT count(*) FROM versions x JOIN versions y ON x.id < y.id AND (x.h <@> y.h)::int <= r) AS expected FROM unnest('{0,3}'::int[]) r;

\echo '-- partial indexes contain some of the rows; indexes on expressions contain other values than the column'
CREATE INDEX near_part ON near USING simhash (h) WHERE id % 3 = 0;
CREATE INDEX near_expression ON near USING simhash ((h::bigint::simhash)) WHERE h IS NOT NULL;
SELECT count(*) FROM expected WHERE of_table = 'near' AND distance <= 5 AND a % 3 = 0 AND b % 3 = 0;
SELECT count(*) FROM pairs_by('near_part', 5);
SELECT wrong_pairs('near', 5, 'near_expression');

\echo '-- joins of two tables'
CREATE FUNCTION wrong_joins(a_index text, b_index text, a_table text, b_table text, radius int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE wrong bigint;
BEGIN
    EXECUTE format('WITH found AS MATERIALIZED (SELECT x.id, y.id, p.distance
            FROM joined_by(%L, %L, %s) p LEFT JOIN %I x ON x.ctid = p.a LEFT JOIN %I y ON y.ctid = p.b),
        expected AS MATERIALIZED (SELECT x.id, y.id, (x.h <@> y.h)::int FROM %I x JOIN %I y ON (x.h <@> y.h)::int <= %s)
        SELECT count(*) FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE found)) d',
        a_index, b_index, radius, a_table, b_table, a_table, b_table, radius) INTO wrong;
    RETURN wrong;
END $$;
CREATE TABLE query AS SELECT i AS id, flipped(hashint8extended(i, 2)::simhash, -i, i % 5) AS h FROM generate_series(1, 350) i;
CREATE INDEX query_h ON query USING simhash (h) WITH (trees = 1);
CREATE TABLE empty (id int, h simhash);
CREATE INDEX empty_h ON empty USING simhash (h);
SELECT r, wrong_joins('query_h', 'near_h', 'query', 'near', r), wrong_joins('near_h', 'query_h', 'near', 'query', r)
    FROM unnest('{-1,0,3,5,12}'::int[]) r;
SELECT wrong_joins('versions_h', 'versions_one', 'versions', 'versions', 3), wrong_joins('query_h', 'versions_h', 'query', 'versions', 30);
SET work_mem = '64kB';
SELECT wrong_joins('versions_h', 'versions_one', 'versions', 'versions', 3), wrong_joins('near_h', 'versions_h', 'near', 'versions', 20);
RESET work_mem;
SELECT wrong_joins('query_h', 'empty_h', 'query', 'empty', 64), wrong_joins('empty_h', 'near_h', 'empty', 'near', 64);
SELECT count(*) FROM pairs_by('empty_h', 64);
SET work_mem = '64kB';
SELECT r, wrong_joins('uniform_h', 'near_h', 'uniform', 'near', r), wrong_joins('same_h', 'few_h', 'same', 'few', r)
    FROM unnest('{3,8}'::int[]) r;
RESET work_mem;
\echo '-- a table joined with itself: like any join, every pair both ways and each row with itself'
SELECT wrong_joins('few_h', 'few_h', 'few', 'few', 3);
SELECT wrong_joins('query_h', 'query_h', 'query', 'query', 5);

\echo '-- a temporary table'
CREATE TEMP TABLE own AS SELECT * FROM query;
CREATE INDEX own_h ON own USING simhash (h);
SELECT (SELECT count(*) FROM joined_by('own_h', 'query_h', 0)) = (SELECT count(*) FROM query) AS own_temporary_table;
\echo '-- cancelled promptly: 50 billion pairs'
CREATE TABLE alike AS SELECT '0123456789abcdef'::simhash AS h FROM generate_series(1, 300000);
SET max_parallel_maintenance_workers = 0;
CREATE INDEX alike_h ON alike USING simhash (h);
RESET max_parallel_maintenance_workers;
SET statement_timeout = '200ms';
SELECT count(*) FROM alike x JOIN alike y ON x.h <@> y.h <= 3 AND x.ctid < y.ctid;
RESET statement_timeout;
DROP TABLE alike;

\echo '-- temp_file_limit holds'
SET temp_file_limit = '1MB';
DO $$ BEGIN
    PERFORM count(*) FROM (SELECT x.id, y.id FROM uniform x JOIN uniform y ON x.h <@> y.h <= 64 AND x.id < y.id ORDER BY 1, 2) p;
EXCEPTION WHEN configuration_limit_exceeded THEN RAISE NOTICE 'temp_file_limit';
END $$;

RESET temp_file_limit;

DROP TABLE uniform, near, skewed, same, lump, few, changing, versions, query, empty, expected;
DROP FUNCTION expect_pairs, wrong_pairs, wrong_joins, insert_and_count;
