\set ECHO none
-- Plain joins on distances by batches of searches: the plans, and the answers compared with the same join without them.
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION flipped(n bigint, bits int) RETURNS simhash LANGUAGE sql IMMUTABLE AS
    $$ SELECT (hashint8extended(n, 1) # CASE bits WHEN 0 THEN 0 ELSE (1::bigint << bits) - 1 END)::simhash $$;
CREATE TABLE page AS SELECT i AS id, CASE WHEN i % 50 > 0 THEN flipped(i % 9000, i % 4) END AS h, 'l' || i % 3 AS lang FROM generate_series(1, 10000) AS i;
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE asked AS SELECT i AS id, CASE WHEN i % 40 > 0 THEN flipped(i * 5, i % 3) END AS h, i % 6 - 1 AS radius, 'l' || i % 2 AS lang
    FROM generate_series(1, 3000) AS i;
ANALYZE page, asked;

EXPLAIN (COSTS OFF) SELECT asked.id, page.id FROM asked JOIN page ON page.h <@> asked.h <= 3;
EXPLAIN (COSTS OFF) SELECT a.id FROM asked a LEFT JOIN page p ON a.h <@> p.h <= a.radius AND p.lang = a.lang WHERE coalesce(p.id, 0) < 100;
EXPLAIN (COSTS OFF) SELECT id FROM asked a WHERE EXISTS (SELECT FROM page WHERE h ~= a.h AND lang <> 'l1');
EXPLAIN (COSTS OFF) SELECT id FROM asked a WHERE NOT EXISTS (SELECT FROM page WHERE h <@| simhash_ball(a.h, 2));
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, p.id FROM asked a JOIN page p ON p.h <@> a.h <= 3',
    'SELECT a.id, p.id FROM asked a JOIN page p ON a.h <@> p.h < 3 AND a.lang = p.lang',
    'SELECT a, p FROM asked a JOIN page p ON p.h <@> a.h <= a.radius',
    'SELECT a.id, p.ctid, p.tableoid, p.xmin FROM asked a JOIN page p ON p.h ~= a.h',
    'SELECT a.id, p.id FROM asked a JOIN page p ON p.h <@| simhash_ball(a.h, 2) WHERE p.lang = ''l1''',
    'SELECT a.id, p.id FROM asked a, page p WHERE p.h <@> a.h = 2',
    'SELECT a.id, p.id FROM page a JOIN page p ON p.h <@> a.h <= 3 AND a.id < p.id',
    'SELECT a.id, p.h FROM asked a LEFT JOIN page p ON p.h <@> a.h <= a.radius',
    'SELECT a.id, p, n.h, n.lang FROM asked a LEFT JOIN page p ON p.h <@> a.h <= 2 LEFT JOIN page n ON n.h <@> p.h <= 3 AND n.lang = p.lang',
    'SELECT a.id, p.id FROM asked a LEFT JOIN page p ON p.h <@> a.h <= 3 AND p.lang = a.lang WHERE p.id IS DISTINCT FROM 7',
    'SELECT a.id, p.id FROM page p RIGHT JOIN asked a ON p.h <@> a.h <= 3 AND a.radius > 1',
    'SELECT a.id, p.one FROM asked a LEFT JOIN (SELECT *, 1 AS one FROM page) p ON p.h <@> a.h <= 3',
    'SELECT a FROM asked a WHERE EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= 1 AND p.lang = a.lang)',
    'SELECT a FROM asked a WHERE NOT EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= 1 AND p.lang = a.lang)',
    'SELECT a.id FROM asked a WHERE a.id IN (SELECT id FROM page p WHERE p.h <@> a.h <= 3)',
    'SELECT a.id, p.id, q.id FROM asked a JOIN page p ON p.h <@> a.h <= 2 JOIN page q ON q.h <@> p.h <= 1',
    'SELECT a.id, n.id FROM asked a CROSS JOIN LATERAL (SELECT id FROM page p WHERE p.h <@> a.h <= 3) n'
]) AS query, compare(query) AS c;

-- With little memory there are more batches.
SET work_mem = '64kB';
SELECT * FROM compare('SELECT a.id, p.id FROM asked a LEFT JOIN page p ON p.h <@> a.h <= a.radius');
SELECT shown('SELECT a.id, p.id FROM asked a JOIN page p ON p.h <@> a.h <= 3 AND p.lang = a.lang');
RESET work_mem;

-- What parallel workers have counted is shown, too: all 2,925 queries.
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_leader_participation = off;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT line FROM shown('SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= 3 AND p.lang <> a.lang') AS line WHERE line ~ 'Queries|Removed';
COMMIT;

SET enable_nestloop = off;
-- The first rows come from the first batch, whose 32 queries are all that is asked.
SELECT line FROM shown('SELECT a.id, p.id FROM asked a JOIN page p ON p.h <@> a.h <= 3 LIMIT 5') AS line WHERE line ~ 'Queries|Custom';
SELECT count(*) FROM (SELECT a.id, p.id FROM asked a JOIN page p ON p.h <@> a.h <= 3 LIMIT 5) AS f;

-- Executed again for each row, with another parameter.
SELECT * FROM compare('SELECT r, (SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= r AND p.id % 2 = r % 2) FROM generate_series(-1, 4) AS r');
SELECT * FROM compare('SELECT r, (SELECT count(*) FROM (SELECT h FROM asked WHERE radius = r GROUP BY h) a JOIN page p ON p.h <@> a.h <= 2) FROM generate_series(-1, 4) AS r');

-- Where one match is enough, and many rows have one, later batches are searched for row by row, if that is soon over. Of the
-- second query's rows few have one, so they are searched for together.
SELECT line FROM shown('SELECT FROM asked a WHERE EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= 6)') AS line WHERE line ~ 'Queries';
SELECT line FROM shown('SELECT FROM asked a WHERE EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= 6 AND p.lang = ''l4'')') AS line WHERE line ~ 'Queries';
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a FROM asked a WHERE EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= 6)',
    'SELECT a FROM asked a WHERE EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= a.radius + 3 AND p.lang = a.lang)',
    'SELECT a FROM asked a WHERE NOT EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= 5 AND p.id <> a.id)',
    'SELECT r, (SELECT count(*) FROM asked a WHERE EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= r AND p.id % 7 > r)) FROM generate_series(3, 6) AS r'
]) AS query, compare(query) AS c;
RESET enable_nestloop;

-- A cursor that goes back, and one beyond its transaction.
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT count(*) OVER (), a.id FROM asked a JOIN page p ON p.h <@> a.h <= 3 WHERE a.id = ANY ('{1,2,3,4,6,7}') ORDER BY 2;
FETCH 2 FROM back;
FETCH BACKWARD 1 FROM back;
DECLARE held CURSOR WITH HOLD FOR SELECT a.id FROM asked a JOIN page p ON p.h <@> a.h <= 3;
MOVE 10 FROM held;
COMMIT;
MOVE ALL FROM held;
CLOSE held;

-- The snapshot is the query's: rows deleted afterwards are seen, and those inserted are not.
BEGIN;
DECLARE before CURSOR FOR SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= 3;
DELETE FROM page WHERE id % 2 = 0;
INSERT INTO page SELECT -i, flipped(i * 5, 0), 'new' FROM generate_series(1, 100) AS i;
FETCH before;
SELECT * FROM compare('SELECT a.id, p.id FROM asked a JOIN page p ON p.h <@> a.h <= 3');
ROLLBACK;

-- Rows that are inserted while the first batch reads its leaves split those that are left. Their right halves are read, too.
BEGIN;
CREATE TABLE grown AS SELECT i AS id, flipped(hashint8extended(i % 100, 1)::simhash, i, 2) AS h FROM generate_series(1, 20000) AS i;
CREATE INDEX ON grown USING simhash (h);
CREATE INDEX ON grown (id);
ANALYZE grown;
CREATE FUNCTION grow() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT FROM grown WHERE id = 0) THEN
        INSERT INTO grown SELECT 0, flipped(h, id + 1, 1) FROM grown;
        ANALYZE grown;
    END IF;
    RETURN true; END $$;
SET LOCAL enable_nestloop = off;
SELECT count(*), count(*) FILTER (WHERE id = 0) AS new FROM
    (SELECT g.id, grow() FROM (SELECT hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 400) AS i) a
     JOIN grown g ON g.h <@> a.h <= 6 OFFSET 0) AS f WHERE grow;
SELECT count(*) FILTER (WHERE id = 0) AS new FROM grown;
ROLLBACK;

-- Of several conditions the smallest ball decides whether a search may be approximate. Which one that is may differ from row
-- to row, so there is no join if any may be approximate.
CREATE TABLE ball AS SELECT id, h, simhash_ball(h, 3) AS b FROM asked WHERE h IS NOT NULL;
ANALYZE ball;
SET enable_nestloop = off;
SELECT condition, count(*) FILTER (WHERE line ~ 'Simhash Join') AS joins FROM unnest(ARRAY[
    'p.h <@> a.h <= 4', 'p.h <@| a.b', 'p.h <@> a.h <= 4 AND p.h <@> a.h <= a.id', 'p.h <@> a.h <= 4 AND p.h <@| a.b',
    'p.h <@> a.h <= 2 AND p.h <@| a.b'
]) WITH ORDINALITY AS c (condition, i), plan_of('SELECT FROM ball a JOIN page p ON ' || condition) AS line GROUP BY i, condition ORDER BY i;
RESET enable_nestloop;
DROP TABLE ball;

-- Changes by a join.
BEGIN;
CREATE TABLE other AS TABLE page;
UPDATE page p SET lang = 'near' FROM asked a WHERE p.h <@> a.h <= 2 AND a.id < 500;
SET LOCAL simhash.enable_join = off;
UPDATE other p SET lang = 'near' FROM asked a WHERE p.h <@> a.h <= 2 AND a.id < 500;
SET LOCAL simhash.enable_join = on;
SELECT count(*) FROM (TABLE page EXCEPT TABLE other) AS d;
DELETE FROM page p USING asked a WHERE p.h <@> a.h <= 1;
SET LOCAL simhash.enable_join = off;
DELETE FROM other p USING asked a WHERE p.h <@> a.h <= 1;
SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM other), (SELECT count(*) FROM (TABLE page EXCEPT TABLE other) AS d);
ROLLBACK;

-- The policy is tested before a cheap function that tells its arguments, and no other row reaches it.
CREATE FUNCTION tell(integer, text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN
    IF $2 <> 'l1' THEN RAISE NOTICE 'told of %', $2; END IF; RETURN true; END $$;
CREATE ROLE regress_join_reader;
GRANT SELECT ON page, asked TO regress_join_reader;
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON page USING (lang = 'l1');
SET ROLE regress_join_reader;
EXPLAIN (COSTS OFF) SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= 3 AND tell(p.id, p.lang);
SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= 3 AND tell(p.id, p.lang);
RESET ROLE;
ALTER TABLE page DISABLE ROW LEVEL SECURITY;

-- A partial index only where its condition holds, and nothing with a condition that has no columns.
CREATE TABLE part (id int, h simhash) PARTITION BY HASH (id);
CREATE TABLE part_0 PARTITION OF part FOR VALUES WITH (MODULUS 1, REMAINDER 0);
INSERT INTO part SELECT id, h FROM page;
CREATE INDEX ON part USING simhash (h);
DROP INDEX page_h;
CREATE INDEX page_some ON page USING simhash (h) WHERE lang = 'l1';
ANALYZE part;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, p.id FROM asked a JOIN part p ON p.h <@> a.h <= 3',
    'SELECT a.id, p.id FROM asked a JOIN part_0 p ON p.h <@> a.h <= 3',
    'SELECT a.id, p.id FROM asked a JOIN page p ON p.h <@> a.h <= 3 AND p.lang = ''l1''',
    'SELECT a.id, p.id FROM (SELECT * FROM asked WHERE id < 50) a JOIN page p ON p.h <@> a.h <= 3',
    'SELECT a.id, p.id FROM asked a JOIN part_0 p ON p.h <@> a.h <= 3 WHERE now() > ''2020-01-01'''
]) AS query, compare(query) AS c;

\echo '-- An index on two columns, of which the planner takes the first for the searched one.'
CREATE TABLE twice (id int, g bigint, p bigint);
INSERT INTO twice SELECT id, 1, h::bigint FROM page;
CREATE INDEX ON twice USING simhash (g, p);
ANALYZE twice;
SET enable_nestloop = off;
SET enable_seqscan = off;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, p.id FROM asked a JOIN twice p ON p.p <@> a.h::bigint <= 3',
    'SELECT a.id, p.id FROM asked a JOIN twice p ON p.g <@> a.h::bigint <= 3',
    'SELECT a.id, p.id FROM asked a JOIN twice p ON p.g = a.id AND p.p <@> a.h::bigint <= 3'
]) AS query, compare(query) AS c;
DROP TABLE twice;
RESET enable_nestloop;
RESET enable_seqscan;

-- No partition can be changed while a join is open, though it is searched later.
CREATE TABLE log (id int, h simhash) PARTITION BY RANGE (id);
CREATE TABLE log_0 PARTITION OF log FOR VALUES FROM (0) TO (5000);
CREATE TABLE log_1 PARTITION OF log FOR VALUES FROM (5000) TO (10000);
INSERT INTO log SELECT id % 10000, h FROM page;
CREATE INDEX log_h ON log USING simhash (h);
ANALYZE log;
BEGIN;
SET LOCAL enable_nestloop = off;
SET LOCAL enable_indexscan = off;
EXPLAIN (COSTS OFF) SELECT a.id FROM asked a JOIN log l ON l.h <@> a.h <= 3;
DECLARE opened CURSOR FOR SELECT a.id FROM asked a JOIN log l ON l.h <@> a.h <= 3;
MOVE 1 FROM opened;
SELECT statement, left(refused(statement), 5) FROM unnest('{TRUNCATE log_1,ALTER TABLE log_1 SET UNLOGGED,DROP TABLE log_1,DROP INDEX log_h,ALTER TABLE log DETACH PARTITION log_1}'::text[]) AS statement;
ROLLBACK;
DROP TABLE log;

-- The rows of a table with partitions, to be changed, are found in other ways.
CREATE TABLE target (id int, v int, h simhash) PARTITION BY RANGE (id);
CREATE TABLE target_0 PARTITION OF target FOR VALUES FROM (0) TO (1000);
CREATE TABLE target_1 PARTITION OF target FOR VALUES FROM (1000) TO (1000000);
INSERT INTO target SELECT id, 0, h FROM page;
CREATE INDEX ON target USING simhash (h);
ANALYZE target;
CREATE FUNCTION explained(statement text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE plan text; BEGIN
    EXECUTE 'EXPLAIN (VERBOSE, FORMAT JSON) ' || statement INTO plan;
    RETURN plan IS NOT NULL; END $$;
SET enable_nestloop = off;
SELECT statement, explained(statement) FROM unnest(ARRAY[
    'UPDATE target t SET v = p.id FROM asked a, part_0 p WHERE t.id = a.id AND p.h <@> a.h <= 3',
    'DELETE FROM target t USING asked a, part_0 p WHERE t.id = a.id AND p.h <@> a.h <= 3',
    'DELETE FROM target t USING part_0 p WHERE t.h <@> p.h <= 3',
    'UPDATE target t SET v = 1 FROM asked a WHERE t.h <@> a.h <= 3',
    'DELETE FROM target t WHERE NOT EXISTS (SELECT FROM part_0 p WHERE t.h <@> p.h <= 3)'
]) AS statement;
RESET enable_nestloop;
DROP TABLE target;
DROP FUNCTION explained;

-- A generic plan is made anew when its index has gone.
SET plan_cache_mode = force_generic_plan;
PREPARE nearest(int) AS SELECT count(*) FROM asked a JOIN part_0 p ON p.h <@> a.h <= $1;
EXPLAIN (COSTS OFF) EXECUTE nearest(2);
EXECUTE nearest(2);
EXECUTE nearest(NULL);
DROP INDEX part_h_idx;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) EXECUTE nearest(2);
DEALLOCATE nearest;
RESET plan_cache_mode;
RESET enable_mergejoin;

\echo '-- A batch has about as many rows as there is room for at once, also after one that was asked for in small parts: as rows of'
\echo '-- two radii are until there is room for both kinds.'
CREATE TABLE numbered AS SELECT i AS id, hashint8extended(i, 5)::simhash AS h, CASE WHEN i % 2 = 0 THEN 3 ELSE 8 END AS r FROM generate_series(1, 30000) AS i;
CREATE INDEX ON numbered USING simhash (h);
VACUUM ANALYZE numbered;
CREATE FUNCTION counted(what text, query text) RETURNS int LANGUAGE plpgsql SET enable_nestloop = off SET max_parallel_workers_per_gather = 0 AS $$
DECLARE plan json; BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT a.id FROM ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' -> what;
END $$;
SELECT counted('Batches', 'numbered a LEFT JOIN numbered b ON b.h <@> a.h <= a.r') <= 2 * counted('Batches', 'numbered a LEFT JOIN numbered b ON b.h <@> a.h <= 8') + 4 AS few;
\echo '-- Rows that have a match, and need but one, read no more of the hundreds of leaves with equal rows.'
CREATE TABLE popular AS SELECT i AS id, (CASE WHEN i % 100 = 0 THEN hashint8extended(i, 5) ELSE 255 END)::simhash AS h FROM generate_series(1, 200000) AS i;
CREATE INDEX ON popular USING simhash (h);
CREATE TABLE common AS SELECT i AS id, (CASE WHEN i % 8 = 0 THEN 255 ELSE hashint8extended(-i, 5) END)::simhash AS h FROM generate_series(1, 2000) AS i;
VACUUM ANALYZE popular, common;
SELECT r, counted('Leaves Read', format('common a WHERE NOT EXISTS (SELECT FROM popular b WHERE b.h <@> a.h <= %s)', r)) BETWEEN 1 AND most AS few
FROM (VALUES (3, 500), (8, 2500)) AS v (r, most);
DROP TABLE page, asked, part, numbered, popular, common;
DROP FUNCTION flipped(bigint, int), shown, tell, counted;
DROP ROLE regress_join_reader;
