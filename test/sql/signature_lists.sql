\set ECHO none
-- Lists of near rows in an index on signatures: a search for the nearest rows with a recall reads some of them, and all
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
\echo '-- Row i: the center of a cluster with about an eighth of the bits flipped.'
CREATE FUNCTION near_bits(cluster int, i int) RETURNS bit(1024) LANGUAGE sql IMMUTABLE AS $$
    SELECT random_bits('center ' || cluster, 1024) # (random_bits('a ' || i, 1024) & random_bits('b ' || i, 1024) & random_bits('c ' || i, 1024)) $$;
CREATE TABLE listed (id int, s bit(1024));
INSERT INTO listed SELECT i, near_bits(i % 100, i) FROM generate_series(1, 18000) i;
INSERT INTO listed SELECT i, NULL FROM generate_series(18001, 18010) i;
CREATE INDEX listed_s ON listed USING simhash (s);
CREATE TABLE plain AS TABLE listed;
CREATE TABLE question AS SELECT i AS id, near_bits(i % 100, -i) AS s FROM generate_series(1, 40) i;
VACUUM ANALYZE listed;
SELECT rows, nulls, partial_entries, heap_rows FROM simhash_index_check('listed_s', true);
SELECT value AS reindex_pending FROM simhash_index_stats('listed_s') WHERE name = 'reindex_pending';

-- A plan, without the lines "Disabled: true", which EXPLAIN prints since PostgreSQL 18.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
-- The recall of the ten nearest rows for all questions.
CREATE TABLE truth AS
SELECT q.id, q.s, n.d AS tenth FROM question q,
    LATERAL (SELECT s <@> q.s AS d FROM plain WHERE s IS NOT NULL ORDER BY 1 OFFSET 9 LIMIT 1) n;
CREATE FUNCTION recall_of(asked float8) RETURNS numeric LANGUAGE sql AS $$
    SELECT round(avg(found) / 10, 3) FROM (
        SELECT count(*) FILTER (WHERE n.d <= t.tenth) AS found
        FROM truth t, LATERAL (SELECT s <@> t.s AS d FROM listed ORDER BY s <@> signature_nearest(t.s, asked, 10) LIMIT 10) n
        GROUP BY t.id) f $$;
\echo '-- PostgreSQL 17 and 19 have changed how EXPLAIN names a subquery and its result.'
SELECT regexp_replace(replace(plan_of, '$0', '(InitPlan 1).col1'), 'InitPlan \w+( \(returns .*)?', 'InitPlan 1') AS plan
FROM plan_of('SELECT id FROM listed ORDER BY s <@> (SELECT signature_nearest(s, 0.9, 10) FROM question WHERE id = 1) LIMIT 10');
SELECT asked, recall_of(asked) >= asked - 0.02 AS enough FROM unnest('{0.5,0.8,0.9,0.99,1}'::float8[]) asked;
CREATE FUNCTION cost_of(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' -> 'Startup Cost';
END $$;
SELECT cost_of(format(near, 0.9)) < cost_of(format(near, 1)) AS "costs less than an exact search"
FROM format('SELECT id FROM listed ORDER BY s <@> signature_nearest(%L, %%s, 10) LIMIT 10', near_bits(1, 0)) near;
\echo '-- It reads lists only, no more for a lower recall.'
SELECT array_agg(DISTINCT part) AS parts, bool_and(recall > 0) AS recall
FROM question q, simhash_index_trace('listed_s', signature_nearest(q.s, 0.9, 10)) WHERE q.id <= 5;
SELECT count(*) FILTER (WHERE asked = 0.5) <= count(*) FILTER (WHERE asked = 0.9) AS fewer
FROM question q, unnest('{0.5,0.9}'::float8[]) asked, simhash_index_trace('listed_s', signature_nearest(q.s, asked, 10));

\echo '-- More rows than there is memory for are searched exactly.'
SELECT count(*) FROM (SELECT id FROM listed ORDER BY s <@> signature_nearest((SELECT s FROM question WHERE id = 1), 0.9, 2000000000) LIMIT 5) AS few;
\echo '-- Exact answers'
SELECT count(*) AS differing FROM truth t
WHERE (SELECT array_agg(d) FROM (SELECT s <@> t.s AS d FROM listed ORDER BY s <@> t.s LIMIT 30) x)
    IS DISTINCT FROM (SELECT array_agg(d) FROM (SELECT s <@> t.s AS d FROM plain WHERE s IS NOT NULL ORDER BY 1 LIMIT 30) x);
SELECT radius, count(*) AS differing FROM truth t, unnest('{200,240,260,480}'::int[]) radius
WHERE (SELECT sum(hashint4(id)) FROM listed WHERE s <@> t.s <= radius)
    IS DISTINCT FROM (SELECT sum(hashint4(id)) FROM plain WHERE s <@> t.s <= radius) GROUP BY radius;

\echo '-- A query that is unlike the rows is answered exactly.'
CREATE TABLE unlike AS SELECT random_bits('unlike'::text, 1024)::bit(1024) AS s;
SELECT part, count(*) > 0 AS read
FROM unlike u, simhash_index_trace('listed_s', signature_nearest(u.s, 0.8, 10)) GROUP BY part ORDER BY part;
SELECT (SELECT array_agg(d) FROM (SELECT s <@> u.s AS d FROM listed ORDER BY s <@> signature_nearest(u.s, 0.8, 10) LIMIT 20) x)
     = (SELECT array_agg(d) FROM (SELECT s <@> u.s AS d FROM plain WHERE s IS NOT NULL ORDER BY 1 LIMIT 20) x) AS same
FROM unlike u;

\echo '-- Other conditions: further lists until there are enough rows, in order, and none twice.'
SELECT count(*) AS rows, bool_and(in_order) AS in_order, sum(good) / 100.0 >= 0.8 AS enough FROM (
    SELECT t.id, n.n, n.d >= coalesce(lag(n.d) OVER (PARTITION BY t.id ORDER BY n.n)::int, 0) AS in_order,
        (n.d <= (SELECT s <@> t.s FROM plain WHERE id % 20 = 7 ORDER BY s <@> t.s OFFSET 9 LIMIT 1))::int AS good
    FROM (SELECT * FROM truth WHERE id <= 10) t, LATERAL (SELECT s <@> t.s AS d, row_number() OVER () AS n FROM (
        SELECT s FROM listed WHERE id % 20 = 7 ORDER BY s <@> signature_nearest(t.s, 0.9, 10) LIMIT 10) o) n) f;
SELECT t.id, count(*) = count(DISTINCT n.id) AS once, count(*) >= 17950 AS nearly_all, count(*) FILTER (WHERE n.s IS NULL) AS nulls
FROM truth t, LATERAL (SELECT id, s FROM listed ORDER BY s <@> signature_nearest(t.s, 0.9, 10)) n WHERE t.id <= 2 GROUP BY t.id ORDER BY 1;

\echo '-- Inserts go to the nearest list, whose chain grows.'
INSERT INTO listed SELECT i, near_bits(i % 3, i) FROM generate_series(20001, 24000) i;
INSERT INTO plain SELECT * FROM listed WHERE id > 20000;
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('listed_s', true);
SELECT count(*) AS differing FROM truth t
WHERE (SELECT array_agg(d) FROM (SELECT s <@> t.s AS d FROM listed ORDER BY s <@> t.s LIMIT 30) x)
    IS DISTINCT FROM (SELECT array_agg(d) FROM (SELECT s <@> t.s AS d FROM plain WHERE s IS NOT NULL ORDER BY 1 LIMIT 30) x);
DROP TABLE truth;
CREATE TABLE truth AS
SELECT q.id, q.s, n.d AS tenth FROM question q,
    LATERAL (SELECT s <@> q.s AS d FROM plain WHERE s IS NOT NULL ORDER BY 1 OFFSET 9 LIMIT 1) n;
SELECT recall_of(0.9) >= 0.85 AS enough;

\echo '-- VACUUM frees slots, and inserts use them: the index does not grow.'
DELETE FROM listed WHERE id > 20000;
VACUUM listed;
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('listed_s', true);
CREATE TABLE size AS SELECT value AS segments FROM simhash_index_stats('listed_s') WHERE name = 'segments';
INSERT INTO listed SELECT id, s FROM plain WHERE id > 20000;
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('listed_s', true);
SELECT value - segments AS new_segments FROM size, simhash_index_stats('listed_s') WHERE name = 'segments';
SELECT recall_of(0.9) >= 0.85 AS enough;

\echo '-- The number of lists is an option. An index that was created for an empty table has none until REINDEX.'
ALTER INDEX listed_s SET (lists = 0);
SELECT value AS reindex_pending FROM simhash_index_stats('listed_s') WHERE name = 'reindex_pending';
REINDEX INDEX listed_s;
SELECT value AS reindex_pending FROM simhash_index_stats('listed_s') WHERE name = 'reindex_pending';
SELECT count(*) AS lists FROM question q, simhash_index_trace('listed_s', signature_nearest(q.s, 0.9, 10)) WHERE part = 'list';
CREATE TABLE late (LIKE listed);
CREATE INDEX late_s ON late USING simhash (s);
INSERT INTO late SELECT * FROM listed;
SELECT value AS reindex_pending FROM simhash_index_stats('late_s') WHERE name = 'reindex_pending';
REINDEX INDEX late_s;
SELECT value AS reindex_pending FROM simhash_index_stats('late_s') WHERE name = 'reindex_pending';
SELECT count(*) > 0 AS lists FROM question q, simhash_index_trace('late_s', signature_nearest(q.s, 0.9, 10)) WHERE part = 'list';
\echo '-- A table of fewer than ten lists has none.'
TRUNCATE late;
INSERT INTO late SELECT * FROM listed WHERE s IS NOT NULL ORDER BY id LIMIT 5000;
REINDEX INDEX late_s;
SELECT count(*) > 0 AS lists FROM question q, simhash_index_trace('late_s', signature_nearest(q.s, 0.9, 10)) WHERE part = 'list';
TRUNCATE late;
INSERT INTO late SELECT * FROM listed WHERE s IS NOT NULL ORDER BY id LIMIT 4600;
REINDEX INDEX late_s;
SELECT count(*) > 0 AS lists FROM question q, simhash_index_trace('late_s', signature_nearest(q.s, 0.9, 10)) WHERE part = 'list';
TRUNCATE late;
INSERT INTO late SELECT i, near_bits(i % 3, i) FROM generate_series(1, 500) i;
\echo '-- Few rows, and equal ones'
ALTER INDEX late_s SET (lists = 20);
REINDEX INDEX late_s;
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('late_s', true);
UPDATE late SET s = near_bits(1, 1);
VACUUM late;
REINDEX INDEX late_s;
INSERT INTO late SELECT i, near_bits(i % 3, i) FROM generate_series(1, 500) i;
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('late_s', true);
SELECT count(*) FROM late WHERE s = near_bits(1, 1);
DELETE FROM late;
REINDEX INDEX late_s;
INSERT INTO late VALUES (1, near_bits(1, 1));
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('late_s', true);
CREATE INDEX ON late USING simhash (s) WITH (lists = -2);

\echo '-- An index of lists alone: searches within a radius and exact ones scan the store.'
ALTER INDEX listed_s SET (lists = 40, trees = 0);
REINDEX INDEX listed_s;
SELECT name, value FROM simhash_index_stats('listed_s') WHERE name ~ '^(trees|header_bits|rows|nulls|leaf_pages|reindex_pending)';
SELECT rows, nulls, partial_entries, heap_rows FROM simhash_index_check('listed_s', true);
SELECT recall_of(0.9) >= 0.85 AS enough;
SELECT DISTINCT part FROM question q, simhash_index_trace('listed_s', signature_nearest(q.s, 0.9, 10)) WHERE q.id <= 5;
SELECT DISTINCT part FROM question q, simhash_index_trace('listed_s', signature_ball(q.s, 400, 0.9)) WHERE q.id <= 5;
SELECT count(*) AS differing FROM truth t
WHERE (SELECT array_agg(d) FROM (SELECT s <@> t.s AS d FROM listed ORDER BY s <@> t.s LIMIT 30) x)
    IS DISTINCT FROM (SELECT array_agg(d) FROM (SELECT s <@> t.s AS d FROM plain WHERE s IS NOT NULL ORDER BY 1 LIMIT 30) x);
SELECT radius, count(*) AS differing FROM truth t, unnest('{0,60,240,480}'::int[]) radius
WHERE (SELECT sum(hashint4(id)) FROM listed WHERE s <@| signature_ball(t.s, radius, 0.9))
    IS DISTINCT FROM (SELECT sum(hashint4(id)) FROM plain WHERE s <@> t.s <= radius) GROUP BY radius;
DELETE FROM listed WHERE id % 3 = 0 OR s IS NULL AND id % 2 = 0;
VACUUM listed;
SELECT reltuples FROM pg_class WHERE relname = 'listed_s';
SELECT name, value FROM simhash_index_stats('listed_s') WHERE name IN ('rows', 'nulls');
SELECT rows, nulls, partial_entries, heap_rows FROM simhash_index_check('listed_s', true);
\echo '-- Joins and constraints need no tables.'
TRUNCATE late;
ALTER INDEX late_s SET (trees = 0);
REINDEX INDEX late_s;
INSERT INTO late SELECT i, near_bits(i % 3, i % 50) FROM generate_series(1, 150) i;
INSERT INTO late SELECT i, near_bits(i % 3, i % 50) FROM generate_series(151, 160) i;
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('late_s', true);
SELECT count(*) FROM late a JOIN late b ON a.s <@> b.s <= 5 AND a.id < b.id;
\set VERBOSITY terse
ALTER TABLE late ADD EXCLUDE USING simhash (s WITH =) WITH (trees = 0);
DELETE FROM late WHERE id > 150;
ALTER TABLE late ADD EXCLUDE USING simhash (s WITH =) WITH (trees = 0);
INSERT INTO late SELECT 151, s FROM late WHERE id = 7;
\set VERBOSITY default
DROP TABLE listed, plain, question, unlike, truth, size, late;
\echo '-- Each generation is near another center. The pages of lists whose rows are gone are used by others.'
CREATE TABLE drift (id int, s bit(1024));
INSERT INTO drift SELECT i, near_bits(i % 20, i) FROM generate_series(1, 2000) i;
CREATE INDEX drift_s ON drift USING simhash (s) WITH (trees = 0, lists = 20);
SELECT c FROM generate_series(1, 40) k, unnest(ARRAY[
    format('UPDATE drift SET id = id + 2000, s = near_bits(%s, id) WHERE id IN (SELECT id FROM drift ORDER BY id LIMIT 800)', k % 20), 'VACUUM drift'])
    WITH ORDINALITY AS c (c, i) ORDER BY k, i \gexec
SELECT pg_relation_size('drift_s') AS bytes \gset
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('drift_s', true);
REINDEX INDEX drift_s;
SELECT :bytes <= 2 * pg_relation_size('drift_s') AS "not twice as large";
DROP TABLE drift;
\echo '-- Fingerprints have no lists, and need a table.'
CREATE TABLE fingerprints (h simhash);
CREATE INDEX ON fingerprints USING simhash (h) WITH (lists = 5);
CREATE INDEX ON fingerprints USING simhash (h) WITH (trees = 0);
CREATE INDEX ON fingerprints USING simhash (h) WITH (trees = -2);
DROP TABLE fingerprints;
DROP FUNCTION recall_of, cost_of, near_bits;
