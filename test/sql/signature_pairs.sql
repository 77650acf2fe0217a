\set ECHO none
-- Pairs of signatures: plain joins by the pair engine return what nested loops find. joined_by raises an error if the plan
-- is another.
SET max_parallel_workers_per_gather = 0;
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
-- Row i of a kind of data; every 13th is NULL.
CREATE FUNCTION signature_of(kind text, i int, bits int) RETURNS varbit LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN i % 13 = 0 THEN NULL
        WHEN kind = 'uniform' THEN flipped_bits(random_bits(i / 3, bits), i, i % 3 * 5)
        WHEN kind = 'clustered' THEN flipped_bits(random_bits(i / 20, bits), i, i % 20 * bits / 100)
        WHEN kind = 'skewed' THEN flipped_bits(random_bits(i / 3, bits) & random_bits(-1 - i / 3, bits) & random_bits(1000000 + i / 3, bits) & random_bits(2000000 + i / 3, bits), i, i % 3 * 4)
        WHEN kind = 'half_dead' THEN random_bits(1, bits / 2) || flipped_bits(random_bits(i / 2, bits - bits / 2), i, i % 7)
        WHEN kind = 'repeated' THEN flipped_bits(random_bits(i % 5, bits), i, (i % 40 = 0)::int * (i / 40)) END $$;
-- A table with rows that were updated in place, moved and deleted.
CREATE PROCEDURE make_table(name text, kind text, bits int, row_count int, seed int DEFAULT 0) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (id int, note text, s bit(%s)) WITH (fillfactor = 60, autovacuum_enabled = off)', name, bits);
    EXECUTE format('INSERT INTO %I SELECT i, '''', signature_of(%L, i, %s) FROM generate_series(1 + %s, %s + %4$s) AS i',
        name, kind, bits, seed, row_count / 2);
    EXECUTE format('CREATE INDEX %I ON %I USING simhash (s)', name || '_s', name);
    EXECUTE format('INSERT INTO %I SELECT i, '''', signature_of(%L, i, %s) FROM generate_series(%s, %s) AS i',
        name, kind, bits, row_count / 2 + 1 + seed, row_count + seed);
    EXECUTE format('UPDATE %I SET note = ''in place'' WHERE id %% 5 = 0', name);
    EXECUTE format('UPDATE %I SET s = flipped_bits(s, id, 1)::bit(%s) WHERE id %% 11 = 0', name, bits);
    EXECUTE format('DELETE FROM %I WHERE id %% 17 = 0', name);
END $$;

CREATE TABLE expected (a int, b int, distance int);
-- The pairs of two tables up to a radius, by a nested loop: the cast prevents the use of the index.
CREATE FUNCTION expect_pairs(x text, y text, radius int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM expected;
    EXECUTE format('INSERT INTO expected SELECT * FROM (SELECT x.id, y.id, (x.s <@> y.s)::int AS d FROM %I x JOIN %I y ON %s) AS p WHERE d <= %s',
        x, y, CASE WHEN x = y THEN 'x.id < y.id' ELSE 'true' END, radius);
    ANALYZE expected;
END $$;
-- The number of pairs that a join misses, invents or repeats.
CREATE FUNCTION wrong_pairs(x text, y text, radius int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE wrong bigint;
BEGIN
    EXECUTE format('WITH found AS MATERIALIZED (SELECT CASE WHEN %L THEN least(x.id, y.id) ELSE x.id END AS a,
                CASE WHEN %1$L THEN greatest(x.id, y.id) ELSE y.id END AS b, p.distance, NOT %1$L OR p.a < p.b AS ordered
            FROM %s p LEFT JOIN %I x ON x.ctid = p.a LEFT JOIN %I y ON y.ctid = p.b),
        expected AS MATERIALIZED (SELECT a, b, distance, true FROM expected WHERE distance <= %s)
        SELECT count(*) FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE found)) d',
        x = y, CASE WHEN x = y THEN format('pairs_by(%L, %s)', x || '_s', radius)
        ELSE format('joined_by(%L, %L, %s)', x || '_s', y || '_s', radius) END, x, y, radius) INTO wrong;
    RETURN wrong;
END $$;
\echo '-- Returns the number of wrong answers for one table with much and with little memory and slow and fast comparisons.'
CREATE FUNCTION check_table(t text, radii int[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE wrong bigint := 0; r int; memory text; level text;
BEGIN
    PERFORM expect_pairs(t, t, (SELECT max(radius) FROM unnest(radii) AS radius));
    FOREACH memory IN ARRAY '{4MB,64kB}'::text[] LOOP
        PERFORM set_config('work_mem', memory, true);
        FOREACH level IN ARRAY array['scalar', current_setting('simhash.simd')] LOOP
            PERFORM set_config('simhash.simd', level, true);
            FOREACH r IN ARRAY radii LOOP
                wrong := wrong + wrong_pairs(t, t, r);
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN wrong;
END $$;

CREATE TABLE answer (kind text, bits int, pairs bigint, wrong bigint);
DO $$
DECLARE bits int; kind text; t text;
BEGIN
    FOREACH bits IN ARRAY '{65,256,1024}'::int[] LOOP
        FOREACH kind IN ARRAY '{uniform,clustered,skewed,half_dead,repeated}'::text[] LOOP
            t := kind || bits;
            CALL make_table(t, kind, bits, 240);
            INSERT INTO answer (kind, bits, wrong) VALUES (kind, bits, check_table(t, array[0, 3, bits / 8, 31, bits / 4]));
            UPDATE answer SET pairs = (SELECT count(*) FROM expected) WHERE answer.pairs IS NULL;
        END LOOP;
    END LOOP;
END $$;
SELECT * FROM answer ORDER BY bits, kind;

\echo '-- radii: none, and all'
SELECT r, count(a), count(DISTINCT (a, b)), bool_and(distance <= 256) FROM unnest('{-1,-100,256,300,2147483647,-2147483648}'::int[]) r
    LEFT JOIN LATERAL pairs_by('uniform256_s', r) ON true GROUP BY r ORDER BY r;
SELECT count(s) * (count(s) - 1) / 2 AS pairs FROM uniform256;
SELECT count(*) FROM pairs_by('uniform256_s', NULL);

\echo '-- all with all, in several blocks and tiles'
CREATE TABLE long AS SELECT i AS id, (SELECT string_agg(hashint8extended(i / 2 * 64 + j, i % 2)::bit(64)::text, '' ORDER BY j)
    FROM generate_series(1, 64) AS j)::bit(4096) AS s FROM generate_series(1, 800) AS i;
CREATE INDEX long_s ON long USING simhash (s);
SET work_mem = '64kB';
SELECT count(*), (SELECT count(*) FROM (SELECT a, b, distance FROM pairs_by('long_s', r) EXCEPT ALL
        SELECT x.ctid, y.ctid, (x.s <@> y.s)::int FROM long x JOIN long y ON x.ctid < y.ctid AND (x.s <@> y.s)::int <= r) AS d) AS wrong
    FROM unnest('{2040,4096}'::int[]) AS r, pairs_by('long_s', r) GROUP BY r ORDER BY r;
SELECT count(*), (SELECT count(*) FROM (SELECT a, b, distance FROM joined_by('long_s', 'long_s', r) EXCEPT ALL
        SELECT x.ctid, y.ctid, (x.s <@> y.s)::int FROM long x JOIN long y ON (x.s <@> y.s)::int <= r) AS d) AS wrong
    FROM unnest('{2040,4096}'::int[]) AS r, joined_by('long_s', 'long_s', r) GROUP BY r ORDER BY r;
SELECT count(*) FROM long x JOIN long y ON x.ctid < y.ctid AND (x.s <@> y.s)::int <= 2040;
RESET work_mem;
\echo '-- joins, with indexes of different designs; the smaller table on either side'
CALL make_table('left256', 'uniform', 256, 100, 200);
DROP INDEX left256_s;
CREATE INDEX left256_s ON left256 USING simhash (s) WITH (trees = 3);
CALL make_table('left65', 'repeated', 65, 900, 20);
CREATE FUNCTION check_join(x text, y text, radii int[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE wrong bigint := 0; r int;
BEGIN
    PERFORM expect_pairs(x, y, (SELECT max(radius) FROM unnest(radii) AS radius));
    FOREACH r IN ARRAY radii LOOP wrong := wrong + wrong_pairs(x, y, r); END LOOP;
    RETURN wrong;
END $$;
SELECT check_join('left256', 'uniform256', '{0,3,15,31,64,100}');
SELECT count(*) FROM expected;
SELECT check_join('uniform256', 'left256', '{0,3,15,31,64,100}');
SELECT count(*) FROM expected;
SELECT check_join('left65', 'repeated65', '{0,3,8,31}');
SELECT count(*) FROM expected;
SET work_mem = '64kB';
SELECT check_join('left256', 'uniform256', '{0,3,15,31,64,100}');
SELECT check_join('repeated65', 'left65', '{0,3,8,31}');
RESET work_mem;
SELECT count(*) FROM joined_by('left256_s', 'left256_s', 0) WHERE a = b;
SELECT count(s) FROM left256;
\set VERBOSITY terse
SELECT count(*) FROM left256 x JOIN left65 y ON x.s <@> y.s <= 3;
\set VERBOSITY default

\echo '-- a partial index, an index on an expression, and an empty one'
CREATE INDEX partial_s ON clustered256 USING simhash (s) WHERE id % 2 = 0;
CREATE INDEX inverse_s ON clustered256 USING simhash (((~s)::bit(256))) WITH (trees = 2);
SELECT (SELECT count(*) FROM pairs_by('partial_s', 40)) - (SELECT count(*) FROM clustered256 x JOIN clustered256 y
    ON x.id < y.id AND (x.s <@> y.s)::int <= 40 WHERE x.id % 2 = 0 AND y.id % 2 = 0) AS difference;
SELECT p.*, q.* FROM pairs_by('inverse_s', 40) p FULL JOIN pairs_by('clustered256_s', 40) q USING (a, b, distance)
    WHERE p.a IS NULL OR q.a IS NULL;
CREATE TABLE empty (s bit(100));
CREATE INDEX empty_s ON empty USING simhash (s);
SELECT count(*) FROM pairs_by('empty_s', 20);
INSERT INTO empty VALUES (NULL), (random_bits(1, 100)::bit(100)), (NULL);
SELECT count(*) FROM pairs_by('empty_s', 100);
INSERT INTO empty VALUES (random_bits(1, 100)::bit(100));
SELECT * FROM pairs_by('empty_s', 0);

\echo '-- rows of this transaction, and after VACUUM'
BEGIN;
INSERT INTO clustered256 SELECT 2000 + 10 * id + i, '', flipped_bits(s, i, i % 3)::bit(256) FROM clustered256, generate_series(1, 4) i WHERE id % 10 = 0;
SAVEPOINT s;
DELETE FROM clustered256 WHERE id % 4 = 0;
SELECT check_table('clustered256', '{0,3,20,31}');
ROLLBACK TO s;
SELECT check_table('clustered256', '{0,3,20,31}');
ROLLBACK;
VACUUM clustered256;
INSERT INTO clustered256 SELECT 3000 + i, '', signature_of('clustered', i, 256) FROM generate_series(1, 60) i;
SELECT check_table('clustered256', '{0,3,20,31}');

\echo '-- many versions of rows: they are looked up before they are compared'
CREATE TABLE versions (id int, s bit(128)) WITH (autovacuum_enabled = off);
INSERT INTO versions SELECT i, random_bits(i % 3, 128)::bit(128) FROM generate_series(1, 30) i;
CREATE INDEX versions_s ON versions USING simhash (s);
CREATE INDEX ON versions (id);
DO $$ BEGIN FOR i IN 1 .. 100 LOOP UPDATE versions SET id = id + 1000; END LOOP; END $$;
SELECT count(*), count(DISTINCT (a, b)) FROM pairs_by('versions_s', 3);
SELECT count(*), count(DISTINCT (a, b)) FROM pairs_by('versions_s', 40);
CREATE TABLE copies (s bit(128));
INSERT INTO copies SELECT CASE WHEN i % 10 = 0 THEN (hashint8extended(i, 1)::bit(64) || hashint8extended(i, 2)::bit(64))::bit(128)
    ELSE random_bits(1, 128)::bit(128) END FROM generate_series(1, 110000) i;
CREATE INDEX copies_s ON copies USING simhash (s);

DROP TABLE versions;
\echo '-- cancelling, in a pass and while all are compared with all'
SET statement_timeout = '100ms';
SELECT count(*) FROM copies x JOIN copies y ON x.s <@> y.s <= 20 AND x.ctid < y.ctid;
SELECT count(*) FROM copies x JOIN copies y ON x.s <@> y.s <= 128 AND x.ctid < y.ctid;
RESET statement_timeout;

DO $$
DECLARE t text;
BEGIN
    FOR t IN SELECT kind || bits FROM answer LOOP EXECUTE format('DROP TABLE %I', t); END LOOP;
END $$;
DROP TABLE answer, expected, long, left256, left65, empty, copies;
DROP PROCEDURE make_table;
DROP FUNCTION signature_of, expect_pairs, wrong_pairs, check_table, check_join;
