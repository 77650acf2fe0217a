\set ECHO none
-- Joins by batches of searches that merge sorted queries with the leaves, as a sequential scan finds the rows.
SET max_parallel_workers_per_gather = 0;
SET enable_nestloop = off;
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common

CREATE FUNCTION uniform(n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT hashint8extended(n, 42) $$;

-- The rows within 5 bits of each query, by a sequential scan: once for each state of the rows, as it takes longest.
CREATE FUNCTION scan_rows() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS near;
    CREATE TABLE near AS
        SELECT q.id, d.ctid AS match, d.h <@> q.h AS distance FROM query q JOIN doc d ON (d.h <@> q.h)::int <= 5;
END $$;
-- Compares the matches of balls of a radius, which may depend on the query, with those rows.
CREATE FUNCTION compare_balls(radius text, first boolean DEFAULT false, OUT missing bigint, OUT wrong bigint, OUT twice bigint, OUT matches bigint)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TEMP TABLE want AS SELECT q.id AS number, match, distance FROM near q JOIN query USING (id) WHERE distance <= %s', radius);
    EXECUTE by_batches(format(CASE WHEN first THEN 'CREATE TEMP TABLE got AS SELECT q.id AS number FROM query q WHERE EXISTS (SELECT FROM doc d WHERE d.h <@| simhash_ball(q.h, %s))'
        ELSE 'CREATE TEMP TABLE got AS SELECT q.id AS number, d.ctid AS match, d.h <@> q.h AS distance FROM query q JOIN doc d ON d.h <@| simhash_ball(q.h, %s)' END, radius));
    IF first THEN
        ALTER TABLE want DROP match, DROP distance;
    END IF;
    IF first THEN
        SELECT count(*) INTO missing FROM (SELECT number FROM want EXCEPT SELECT number FROM got) x;
        SELECT count(*) - count(DISTINCT number) INTO twice FROM got;
    ELSE
        SELECT count(*) INTO missing FROM (TABLE want EXCEPT TABLE got) x;
        SELECT count(*) - count(DISTINCT (number, match)) INTO twice FROM got;
    END IF;
    SELECT count(*) INTO wrong FROM (TABLE got EXCEPT TABLE want) x;
    SELECT count(*) INTO matches FROM got;
    DROP TABLE want, got;
END $$;

-- uniform fingerprints with near-duplicates
CREATE TABLE doc (id bigint, h simhash);
INSERT INTO doc SELECT i, (uniform(i / 2) # flips(i, i % 2 * (1 + i % 4)))::simhash FROM generate_series(1, 6000) i;
\echo '-- many in few headers: runs of equal ones at both ends of the keys, and headers that take several leaves'
INSERT INTO doc SELECT 10000 + i, 0::bigint::simhash FROM generate_series(1, 1500) i;
INSERT INTO doc SELECT 20000 + i, (-1)::bigint::simhash FROM generate_series(1, 1500) i;
INSERT INTO doc SELECT 30000 + i, flips(i, i % 5)::simhash FROM generate_series(1, 1000) i;
INSERT INTO doc SELECT 40000 + i, (~flips(i, i % 5))::simhash FROM generate_series(1, 1000) i;
INSERT INTO doc SELECT 50000 + i, (uniform(i) & uniform(-i) & uniform(i + 1000000))::simhash FROM generate_series(1, 3000) i;
INSERT INTO doc SELECT 60000 + i, (uniform(i) & x'FFFFFFFFFFFF0000'::bigint | 4711)::simhash FROM generate_series(1, 3000) i;
INSERT INTO doc SELECT 70000 + i FROM generate_series(1, 50) i;
CREATE TABLE query AS SELECT id, h FROM doc WHERE h IS NOT NULL AND id % CASE WHEN id / 10000 IN (1, 2, 3, 4) THEN 235 ELSE 47 END = 1;

CREATE INDEX doc_h ON doc USING simhash (h);
SELECT scan_rows();
SELECT r, c.* FROM generate_series(0, 4) r, compare_balls(r::text) c;
SELECT r, c.* FROM generate_series(0, 3) r, compare_balls(r::text, true) c;
\echo '-- several radii: some are merged with others, some are not'
SELECT c.* FROM compare_balls('q.id % 6 - 1') c;
SELECT c.* FROM compare_balls('q.id % 6 - 1', true) c;
\echo '-- little memory: many rounds'
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
INSERT INTO query SELECT id, h FROM doc WHERE h IS NOT NULL AND id % 5 = 0 AND id % 47 <> 1 AND id NOT BETWEEN 10000 AND 50000;
SELECT scan_rows();
SELECT c.* FROM compare_balls('3') c;
SELECT c.* FROM compare_balls('q.id % 6 - 1') c;
SELECT c.* FROM compare_balls('q.id % 6 - 1', true) c;
DELETE FROM query WHERE id % 47 <> 1;
RESET work_mem;
RESET hash_mem_multiplier;

\echo '-- an index that grew from nothing by splits, so that headers take many leaves'
DROP INDEX doc_h;
CREATE TABLE rows AS TABLE doc;
TRUNCATE doc;
CREATE INDEX doc_h ON doc USING simhash (h) WITH (fillfactor = 50);
INSERT INTO doc TABLE rows;
SELECT scan_rows();
SELECT r, c.* FROM generate_series(0, 3) r, compare_balls(r::text) c;
DELETE FROM doc WHERE id % 7 = 0;
UPDATE doc SET id = id + 1 WHERE id % 10 = 0;
SELECT scan_rows();
SELECT c.* FROM compare_balls('3') c;
VACUUM doc;
SELECT c.* FROM compare_balls('3') c;
\echo '-- other designs: of one table and header bits that are no bytes, of tables that some radii skip, and of one leaf'
DROP INDEX doc_h;
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = 6);
SELECT r, c.* FROM generate_series(1, 3) r, compare_balls(r::text) c;
DROP INDEX doc_h;
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = 1);
SELECT r, c.* FROM generate_series(0, 1) r, compare_balls(r::text) c;
DROP INDEX doc_h;
DELETE FROM doc WHERE id % 100 <> 1;
SELECT scan_rows();
CREATE INDEX doc_h ON doc USING simhash (h);
SELECT c.* FROM compare_balls('3') c;

\echo '-- a cancelled match'
INSERT INTO doc SELECT i, 0::bigint::simhash FROM generate_series(1, 3000) i;
SET statement_timeout = '200ms';
SELECT count(*) FROM generate_series(1::bigint, 100000) i JOIN doc d ON d.h <@> (i & 7)::simhash <= 3;
RESET statement_timeout;
\echo '-- leaves that split while the queries wait'
CREATE FUNCTION grow(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO doc SELECT 1000000 + i, CASE WHEN i % 2 = 0 THEN uniform(i) ELSE flips(i, 1 + i % 8) END::simhash
        FROM generate_series(n * 100, n * 100 + 60) i;
    RETURN n;
END $$;
CREATE TABLE want AS SELECT q.id AS number, d.ctid AS match, d.h <@> q.h AS distance FROM query q JOIN doc d ON (d.h <@> q.h)::int <= 3;
CREATE TABLE got AS SELECT q.number, d.ctid AS match, d.h <@> q.h AS distance FROM (SELECT grow(id) AS number, h FROM query OFFSET 0) q JOIN doc d ON d.h <@> q.h <= 3;
SELECT (SELECT count(*) FROM (TABLE want EXCEPT ALL TABLE got) x) AS missing, (SELECT count(*) FROM (TABLE got EXCEPT ALL TABLE want) x) AS wrong;
DROP TABLE doc, query, rows, near, want, got;
DROP FUNCTION flips, uniform, scan_rows, compare_balls, grow;
