\set ECHO none
-- How many rows the planner expects from a distance condition. Estimates come from random samples, so only their
-- order of magnitude is tested; the tables are small enough for ANALYZE to read them whole.
SET simhash.enable_join = off;

\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common

-- all different; many equal; a tenth NULL
CREATE TABLE spread AS
    SELECT i AS id, ('x' || md5(i::text))::bit(64)::simhash AS h FROM generate_series(1, 10000) AS i;
CREATE TABLE skewed AS
    SELECT i AS id, CASE WHEN i % 10 = 0 THEN NULL
                         WHEN i % 10 <= 2 THEN '0123456789abcdef'::simhash
                         WHEN i % 10 = 3 THEN '0123456789abcdee'::simhash
                         ELSE ('x' || md5(i::text))::bit(64)::simhash END AS h
    FROM generate_series(1, 10000) AS i;
-- clusters of near-duplicates, none of which is common
CREATE TABLE clustered AS
    SELECT i AS id, (('x' || md5((i % 4)::text))::bit(64)::bigint # (i::bigint << 32))::simhash AS h
    FROM generate_series(1, 10000) AS i;

\echo '-- without statistics: a few rows, and never half of the table'
SELECT expected($$ SELECT FROM spread WHERE h <@> '0123456789abcdef' <= 3 $$, 1, 20),
       expected($$ SELECT FROM spread WHERE h <@> '0123456789abcdef' <= 64 $$, 9000, 15000),
       expected($$ SELECT FROM spread WHERE h ~= '0123456789abcdef' $$, 1, 20),
       expected($$ SELECT FROM spread WHERE h <@| '<0123456789abcdef,3>' $$, 1, 20),
       expected($$ SELECT FROM spread AS a, spread AS b WHERE a.h <@> b.h <= 3 $$, 10000, 200000);

ANALYZE spread, skewed, clustered;
\echo '-- every form of a condition has the same estimate'
SELECT c, expected('SELECT FROM skewed WHERE ' || c, 2900, 3100) FROM unnest(ARRAY[
    $$ h <@> '0123456789abcdef' <= 3 $$, $$ 3 >= '0123456789abcdef' <@> h $$, $$ h <@> '0123456789abcdef' < 4 $$,
    $$ NOT h <@> '0123456789abcdef' > 3 $$, $$ hamming_within(h, '0123456789abcdef', 3) $$, $$ h ~= '0123456789abcdef' $$,
    $$ '0123456789abcdef' ~= h $$, $$ h <@| '<0123456789abcdef,3>' $$, $$ h <@| simhash_ball('0123456789abcdef', 3) $$
]) AS c;
\echo '-- the radius matters'
SELECT r, expected(format($$ SELECT FROM skewed WHERE h <@> '0123456789abcdef' <= %s $$, r), low, high)
FROM (VALUES (-9223372036854775808, 1, 1), (-1, 1, 1), (0, 1990, 2100), (1, 2990, 3100), (10, 2990, 3200),
             (32, 5000, 7500), (64, 9000, 9000), (9223372036854775807, 9000, 9000)) AS v (r, low, high);
SELECT expected($$ SELECT FROM skewed WHERE h <@> '0123456789abcdef' > 3 $$, 6900, 7100),
       expected($$ SELECT FROM skewed WHERE h <@> '0123456789abcdef' <= NULL::int $$, 0, 1),
       expected($$ SELECT FROM skewed WHERE h <@> 'fedcba9876543210' <= 3 $$, 1, 100),
       expected($$ SELECT FROM spread WHERE h <@> '0123456789abcdef' <= 3 $$, 1, 20),
       expected($$ SELECT FROM spread WHERE h <@> '0123456789abcdef' <= 32 $$, 3000, 8000),
       expected($$ SELECT FROM spread WHERE h <@> '0123456789abcdef' >= 0 $$, 10000, 10000);
\echo '-- the histogram shows clusters'
SELECT expected(format('SELECT FROM clustered WHERE h <@> %L <= 14', ('x' || md5('1'))::bit(64)::simhash), 1500, 3500);

\echo '-- ten rows per value: the estimate includes them, and few more at a larger radius'
CREATE TABLE tens AS SELECT i AS id, ('x' || md5((i % 1000)::text))::bit(64)::simhash AS h FROM generate_series(1, 10000) AS i;
ANALYZE tens;
SELECT r, expected(format('SELECT FROM tens WHERE h <@> %L <= %s', ('x' || md5('7'))::bit(64)::simhash, r), 8, 20)
FROM unnest(ARRAY[0, 3, 8]) AS r;
\echo '-- a row of another table resembles that table''s rows'
CREATE FUNCTION expected_inside(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' -> 'Plans' -> 1 ->> 'Plan Rows';
END $$;
CREATE INDEX skewed_h ON skewed USING simhash (h);
SELECT expected_inside('SELECT FROM spread AS a JOIN skewed AS b ON a.h <@> b.h <= 3') BETWEEN 1 AND 10 AS few,
    expected_inside('SELECT FROM skewed AS a LEFT JOIN skewed AS b ON a.h <@> b.h <= 3') BETWEEN 800 AND 1000 AS many;
DROP INDEX skewed_h;
\echo '-- an unknown query may be any of the stored values; an unknown radius is 3'
SET plan_cache_mode = force_generic_plan;
PREPARE by_query (simhash) AS SELECT FROM skewed WHERE h <@> $1 <= 3;
PREPARE by_radius (int) AS SELECT FROM skewed WHERE h <@> '0123456789abcdef' <= $1;
PREPARE by_spread (simhash, int) AS SELECT FROM spread WHERE h <@> $1 <= $2;
SELECT expected($$ EXECUTE by_query('0123456789abcdef') $$, 1, 20),
       expected('EXECUTE by_radius(64)', 2900, 3100),
       expected($$ EXECUTE by_spread('0123456789abcdef', 64) $$, 1, 20);
DEALLOCATE ALL;
RESET plan_cache_mode;
SELECT expected('SELECT FROM skewed WHERE h <@> (SELECT h FROM spread LIMIT 1) <= 3', 1, 20);

\echo '-- a distance that is exactly the radius: what the radius adds to the one below'
CREATE TABLE graded AS SELECT i AS id, ('0123456789abcdef'::simhash::bigint # ((1::bigint << i % 10) - 1))::simhash AS h
    FROM generate_series(1, 10000) AS i;
ANALYZE graded;
SELECT c, expected('SELECT FROM graded WHERE ' || c, 900, 1100) FROM unnest(ARRAY[
    $$ h <@> '0123456789abcdef' = 0 $$, $$ h <@> '0123456789abcdef' = 1 $$, $$ h <@> '0123456789abcdef' = 5 $$,
    $$ 9 = h <@> '0123456789abcdef' $$, $$ simhash_internal_at(h, '0123456789abcdef', 5) $$,
    $$ simhash_internal_at('0123456789abcdef', h, 5) $$
]) AS c;
SELECT expected($$ SELECT FROM graded WHERE h <@> '0123456789abcdef' = -1 $$, 1, 1),
       expected($$ SELECT FROM graded WHERE h <@> '0123456789abcdef' IN (4, 5) $$, 1800, 2000),
       expected($$ SELECT FROM graded WHERE h <@> '0123456789abcdef' = (SELECT 5) $$, 300, 3000),
       expected($$ SELECT FROM graded AS a JOIN graded AS b ON a.h <@> b.h = 1 $$, 10000000, 30000000);
\echo '-- an index on the distance has statistics of it, which are used, and only once'
CREATE INDEX graded_distance ON graded ((h <@> '0123456789abcdef'));
ANALYZE graded;
SELECT expected($$ SELECT FROM graded WHERE h <@> '0123456789abcdef' = 5 $$, 900, 1100),
       expected($$ SELECT FROM graded WHERE h <@> '0123456789abcdef' <= 4 $$, 4900, 5100);
DROP TABLE graded;

\echo '-- new statistics count at once, also for a value asked about before'
CREATE TABLE changed (h simhash);
INSERT INTO changed SELECT ('x' || md5(i::text))::bit(64)::simhash FROM generate_series(1, 1000) AS i;
ANALYZE changed;
SELECT expected($$ SELECT FROM changed WHERE h <@> '0123456789abcdef' <= 3 $$, 1, 20);
UPDATE changed SET h = '0123456789abcdef';
ANALYZE changed;
SELECT expected($$ SELECT FROM changed WHERE h <@> '0123456789abcdef' <= 3 $$, 990, 1010),
       expected($$ SELECT FROM spread WHERE h <@> '0123456789abcdef' <= 3 $$, 1, 20),
       expected($$ SELECT FROM changed WHERE h <@> '0123456789abcdef' <= 3 $$, 990, 1010);
DROP TABLE changed;

\echo '-- joins'
CREATE TABLE few AS SELECT * FROM spread LIMIT 10;
ANALYZE few;
SELECT expected('SELECT FROM spread AS a JOIN spread AS b ON a.h <@> b.h <= 3', 10000, 200000),
       expected('SELECT FROM spread AS a JOIN spread AS b ON a.h ~= b.h', 10000, 200000),
       expected('SELECT FROM skewed AS a JOIN skewed AS b ON a.h <@> b.h <= 3', 8900000, 9300000),
       expected('SELECT FROM skewed AS a JOIN skewed AS b ON a.h <@> b.h <= 64', 81000000, 81000000),
       expected('SELECT FROM skewed AS a JOIN skewed AS b ON a.h <@> b.h < 0', 1, 1),
       expected($$ SELECT FROM skewed AS a JOIN skewed AS b ON a.h <@> '0123456789abcdef' <= b.id $$, 20000000, 40000000),
       expected('SELECT FROM spread AS a WHERE EXISTS (SELECT FROM spread AS b WHERE a.h <@> b.h <= 3)', 1000, 10000),
       -- few have a partner among few, and all among many
       expected('SELECT FROM spread AS a WHERE EXISTS (SELECT FROM few AS b WHERE a.h <@> b.h <= 28)', 5000, 10000),
       expected('SELECT FROM few AS a WHERE EXISTS (SELECT FROM spread AS b WHERE a.h <@> b.h <= 18)', 9, 10),
       expected('SELECT FROM spread AS a WHERE EXISTS (SELECT FROM few AS b WHERE a.h <@> b.h <= 18)', 1, 500),
       expected('SELECT FROM spread AS a WHERE EXISTS (SELECT FROM few AS b WHERE b.h <@> a.h <= 18)', 1, 500),
       expected('SELECT FROM spread AS a WHERE NOT EXISTS (SELECT FROM spread AS b WHERE a.h <@> b.h <= 3)', 1, 9000),
       expected('SELECT FROM spread AS a WHERE EXISTS (SELECT FROM spread AS b WHERE a.h <@> b.h <= -1)', 1, 1);

\echo '-- distances that remain comparisons, and stored distances'
SELECT expected($$ SELECT FROM skewed WHERE h <@> '0123456789abcdef' = 0 $$, 1990, 2100),
       expected($$ SELECT FROM skewed WHERE h <@> '0123456789abcdef' IN (0, 1) $$, 2500, 3200);
\echo '-- beside an index on the distance: a comparison is estimated from its statistics, other conditions as without it'
CREATE TABLE measured AS SELECT * FROM spread;
CREATE INDEX ON measured ((h <@> '0123456789abcdef'));
CREATE TABLE other AS SELECT 0 AS id UNION SELECT 1;
ANALYZE measured, other;
SELECT expected($$ SELECT FROM measured WHERE h <@> '0123456789abcdef' <= 30 $$, 3200, 3700),
       expected($$ SELECT FROM measured WHERE h <@> '0123456789abcdef' <= 30 OR id = 0 $$, 3200, 3700),
       expected($$ SELECT FROM measured WHERE (h <@> '0123456789abcdef' <= 30) IS TRUE $$, 3200, 3700),
       expected($$ SELECT FROM measured WHERE (h <@> '0123456789abcdef' <= 30) IS NOT FALSE $$, 3200, 3700),
       expected($$ SELECT FROM other JOIN measured ON other.id > 5 OR h <@> '0123456789abcdef' <= 30 $$, 6400, 7400),
       expected($$ SELECT FROM measured WHERE 30 > h <@> '0123456789abcdef' $$, 2300, 2800),
       expected($$ SELECT FROM measured WHERE h <@> '0123456789abcdef' = 32 $$, 900, 1100),
       expected($$ SELECT FROM measured WHERE h <@> '0123456789abcdef' <= (SELECT 20) $$, 1, 100),
       expected($$ SELECT FROM measured WHERE h <@> '0123456789abcdef' <= (random() * 0)::int + 20 $$, 1, 100),
       expected($$ SELECT FROM measured WHERE hamming_within(h, '0123456789abcdef', 20) $$, 1, 100),
       expected($$ SELECT FROM measured WHERE hamming_within(h, '0123456789abcdef', 20) AND h <@> '0123456789abcdef' > 5 $$, 1, 100),
       expected($$ SELECT FROM measured WHERE simhash_internal_at(h, '0123456789abcdef', 20) $$, 1, 100);
PREPARE within(int) AS SELECT FROM measured WHERE h <@> '0123456789abcdef' <= $1;
SET plan_cache_mode = force_generic_plan;
SELECT expected('EXECUTE within(20)', 1, 100);
RESET plan_cache_mode;
CREATE TABLE measured_numbers AS SELECT id, h::bigint AS h FROM spread;
ANALYZE measured_numbers;
CREATE INDEX ON measured_numbers ((h <@> 81985529216486895));
\echo '-- before the index has statistics, and with them'
SELECT expected($$ SELECT FROM measured_numbers WHERE h <@> 81985529216486895 <= 24 $$, 1, 500);
ANALYZE measured_numbers;
SELECT expected($$ SELECT FROM measured_numbers WHERE h <@> 81985529216486895 <= 30 $$, 3200, 3700);
CREATE TABLE halves (id int, h simhash) PARTITION BY LIST ((id % 2));
CREATE TABLE halves_0 PARTITION OF halves FOR VALUES IN (0);
CREATE TABLE halves_1 PARTITION OF halves FOR VALUES IN (1);
INSERT INTO halves SELECT * FROM spread;
CREATE INDEX ON halves_0 ((h <@> '0123456789abcdef'));
ANALYZE halves;
SELECT expected($$ SELECT FROM halves WHERE h <@> '0123456789abcdef' <= 20 $$, 1, 100);
CREATE INDEX ON halves ((h <@> '0123456789abcdef'));
ANALYZE halves;
SELECT expected($$ SELECT FROM halves WHERE h <@> '0123456789abcdef' <= 30 $$, 3200, 3700);
DROP TABLE measured, measured_numbers, halves, other;
CREATE TABLE stored AS SELECT (i % 65)::hamming_distance AS d, i % 65 AS i FROM generate_series(1, 6500) AS i;
ANALYZE stored;
SELECT expected('SELECT FROM stored WHERE d = 3', 90, 110), expected('SELECT FROM stored WHERE d <= 12', 1200, 1400),
       expected('SELECT FROM stored WHERE d IN (1, 2, 3)', 270, 330),
       expected('SELECT FROM stored WHERE d <> 3::bigint', 6300, 6500),
       expected('SELECT FROM stored AS a JOIN stored AS b ON a.d = b.i', 640000, 660000);

\echo '-- statistics of expressions, of partitioned tables, and of columns without SELECT'
CREATE TABLE numbers AS SELECT id, h::bigint AS b FROM skewed;
CREATE INDEX numbers_h ON numbers ((b::bit(64)::simhash));
CREATE TABLE parted (id int, h simhash) PARTITION BY LIST ((id % 2));
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
INSERT INTO parted SELECT * FROM skewed;
ANALYZE numbers, parted;
SELECT expected($$ SELECT FROM numbers WHERE b::bit(64)::simhash <@> '0123456789abcdef' <= 3 $$, 2900, 3100),
       expected($$ SELECT FROM numbers WHERE b::simhash <@> '0123456789abcdef' <= 3 $$, 2900, 3100),
       expected($$ SELECT FROM parted WHERE h <@> '0123456789abcdef' <= 3 $$, 2900, 3100);
CREATE ROLE regress_simhash_estimator;
CREATE VIEW seen AS SELECT * FROM skewed WHERE id > 0;
GRANT SELECT ON seen TO regress_simhash_estimator;
SET ROLE regress_simhash_estimator;
\echo '-- the functions are leakproof, so statistics may be used'
SELECT expected($$ SELECT FROM seen WHERE h <@> '0123456789abcdef' <= 3 $$, 2900, 3100);
RESET ROLE;

\echo '-- texts: rows near a common one'
CREATE TABLE texts AS SELECT i AS id, CASE WHEN i % 50 < 44 THEN 'The common text of so many of these rows is long enough' WHEN i % 50 < 49 THEN 'Another text, that one row in ten has'
    ELSE (SELECT string_agg(md5(i || ' ' || j), ' ') FROM generate_series(1, 5) AS j) END AS body FROM generate_series(1, 5000) AS i;
ANALYZE texts;
SELECT c, expected('SELECT FROM texts WHERE ' || c, low, high) FROM (VALUES
    ($$ body ~= 'The common text of so many of these rows is long enough' $$, 4300, 4500), ($$ 'another text that one row in ten has' ~= body $$, 450, 550),
    ($$ body ~= ANY ('{some text, "another text that one row in ten has"}') $$, 450, 550), ($$ body ~= 'something else' $$, 1, 50), ($$ body ~= '' $$, 1, 50),
    ($$ body <@| text_ball('The common text of so many of these rows is long', 0.8) $$, 4300, 4500),
    ($$ body <@| text_ball('The comon text of so many of these rows is long', 0.8, 'character') $$, 4300, 4500),
    ($$ body <@| text_ball('something else', 0.8, 'character') $$, 1, 50)) AS v (c, low, high);
SELECT expected('SELECT FROM texts WHERE body ~= (SELECT body FROM texts WHERE id = 49)', 1, 50);
\echo '-- To check copies again takes no time, so an index is used for many.'
DELETE FROM texts WHERE id % 50 >= 44;
CREATE INDEX texts_body ON texts USING simhash (body);
VACUUM ANALYZE texts;
EXPLAIN (COSTS OFF) SELECT id FROM texts WHERE body ~= 'The common text of so many of these rows is long enough';
\echo '-- A bit string so long that there is no room for as many of its length as there are values.'
CREATE TABLE counted AS SELECT (i::bit(32) || (-i)::bit(32))::bit varying AS v FROM generate_series(1, 1100) AS i;
ALTER TABLE counted ALTER v SET STATISTICS 1000;
ANALYZE counted;
DO $$ DECLARE line text; BEGIN
    FOR line IN EXPLAIN (COSTS OFF) SELECT FROM counted WHERE v <@> repeat('1', 9000000)::bit varying <= 3 LOOP END LOOP;
END $$;
DROP TABLE counted;

DROP VIEW seen;
DROP TABLE texts, spread, skewed, few, clustered, tens, stored, numbers, parted;
DROP FUNCTION expected, expected_inside;
DROP ROLE regress_simhash_estimator;
