\set ECHO none
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
-- Plain joins of two indexed columns by the pair engine: the plans, and the answers compared with a nested loop without it.
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION flipped(n bigint, bits int) RETURNS simhash LANGUAGE sql IMMUTABLE AS
    $$ SELECT (hashint8extended(n, 1) # CASE bits WHEN 0 THEN 0 ELSE (1::bigint << bits) - 1 END)::simhash $$;
CREATE TABLE page AS SELECT i AS id, CASE WHEN i % 50 > 0 THEN flipped(i % 9000, i % 4) END AS h, 'l' || i % 3 AS lang FROM generate_series(1, 10000) AS i;
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE feed AS SELECT i AS id, CASE WHEN i % 40 > 0 THEN flipped(i * 5, i % 3) END AS h, 'l' || i % 2 AS lang FROM generate_series(1, 3000) AS i;
CREATE INDEX feed_h ON feed USING simhash (h) WITH (design_radius = 5);
-- Versions of rows that are in the index, too.
UPDATE page SET lang = 'l0' WHERE id % 7 = 0;
UPDATE page SET h = flipped(id % 900, 2) WHERE id % 31 = 0;
DELETE FROM page WHERE id % 29 = 0;
ANALYZE page, feed;

\echo '-- plans'
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM page a JOIN page b ON a.h ~= b.h WHERE a.lang <> 'l1';
EXPLAIN (COSTS OFF) SELECT a.id, f.id FROM page a JOIN feed f ON f.h <@| simhash_ball(a.h, 2);
-- No row has both languages, so the first one that is found comes late.
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 8 WHERE a.lang = 'l1' AND b.lang = 'l2' LIMIT 50;
\echo '-- answers: one index, one index with rows and themselves, two indexes'
-- The plans below do not depend on costs: without scans of one side there are no batches.
SET enable_seqscan = off;
SET enable_nestloop = off;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id',
    'SELECT a.id, b.id FROM page a JOIN page b ON b.h <@> a.h < 3 AND b.id > a.id',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id <> b.id',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.ctid < b.ctid',
    'SELECT a, b FROM page a JOIN page b ON a.h ~= b.h AND a.id IS DISTINCT FROM b.id',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id * 2 < b.id * 2',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id <> b.id AND a.lang = b.lang',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id WHERE a.lang = ''l1'' AND b.lang <> ''l2''',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id <= b.id',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id + 1',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 0 AND a.lang <> b.lang',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= -1',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= NULL::int',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= a.id % 4 AND a.id < b.id',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id <= 5000 + b.id AND -a.id < b.id',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= (SELECT 2)',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND b.h <@> a.h <= 1 AND a.id < b.id',
    'SELECT a.ctid, b.tableoid, a.xmin, b FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id',
    'SELECT a.id, f.id FROM page a JOIN feed f ON a.h <@> f.h <= 3',
    'SELECT a, f FROM feed f JOIN page a ON f.h ~= a.h',
    'SELECT a.id, f.id FROM page a JOIN feed f ON f.h <@| simhash_ball(a.h, 2) WHERE a.lang = f.lang',
    'SELECT a.id, f.id FROM page a JOIN feed f ON a.h <@> f.h <= 6 AND f.id > a.id',
    'SELECT a.id, f.id FROM page a, feed f WHERE a.h <@> f.h = 2',
    'SELECT a.id, b.id, f.id FROM page a JOIN page b ON a.h <@> b.h <= 2 AND a.id < b.id LEFT JOIN feed f ON f.h <@> b.h <= 1',
    'SELECT x.id, x.m, f.id FROM feed f LEFT JOIN (SELECT a.id, coalesce(b.id, 5) AS m FROM page a JOIN page b ON a.h ~= b.h AND a.id < b.id) x ON x.id = f.id'
]) AS query, compare(query) AS c;

\echo '-- the radius of an execution, and another one for each row of a query'
SET plan_cache_mode = force_generic_plan;
PREPARE pairs(int) AS SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= $1 AND a.id < b.id;
EXPLAIN (COSTS OFF) EXECUTE pairs(2);
EXECUTE pairs(1);
EXECUTE pairs(3);
EXECUTE pairs(NULL);
EXECUTE pairs(-5);
DROP INDEX feed_h;
EXECUTE pairs(2);
CREATE INDEX feed_h ON feed USING simhash (h);
DEALLOCATE pairs;
RESET plan_cache_mode;
SELECT * FROM compare('SELECT r, (SELECT count(*) FROM page a JOIN feed f ON a.h <@> f.h <= r AND a.id % 2 = r % 2) FROM generate_series(-1, 4) AS r');

\echo '-- columns of fixed length that are NULL, passed by reference, added later, more than can be kept; equal rows; many versions'
CREATE TABLE wide (id int, u uuid, n name, c "char", s int2, big numeric, h simhash, flag bool, t timestamptz);
INSERT INTO wide SELECT i, CASE WHEN i % 3 > 0 THEN md5(i::text)::uuid END, 'n' || i, 'c', CASE WHEN i % 4 > 0 THEN i END, i,
    flipped(CASE WHEN i <= 400 THEN 1 ELSE i / 3 END, i % 4), i % 5 > 0, to_timestamp(i) FROM generate_series(1, 3000) AS i;
CREATE INDEX wide_h ON wide USING simhash (h);
ALTER TABLE wide ADD added int DEFAULT 7, ADD a1 int, ADD a2 int, ADD a3 int, ADD a4 int, ADD a5 int, ADD a6 int, ADD a7 int, ADD a8 int;
UPDATE wide SET a1 = id, flag = NULL WHERE id % 2 = 0;
VACUUM (INDEX_CLEANUP off) wide;
UPDATE wide SET a2 = id WHERE id % 3 = 0;
UPDATE wide SET a2 = id + 1 WHERE id % 12 = 0;
DELETE FROM wide WHERE id % 19 = 0;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, b.u, b.s, a.flag, b.flag, a.added, b.a1, a.a2, b.t FROM wide a JOIN wide b ON a.h <@> b.h <= 3 AND a.id < b.id',
    'SELECT a.u, b.u, a.c, b.c, a.ctid, b.ctid FROM wide a JOIN wide b ON a.h <@> b.h <= 1',
    'SELECT a.n, b.n, a.big FROM wide a JOIN wide b ON a.h <@> b.h <= 1 AND a.id < b.id',
    'SELECT a.n, a.u, b.id, b.ctid FROM wide a JOIN page b ON a.h <@> b.h <= 3',
    'SELECT a.u, a.c, a.s, a.flag, a.t, a.added, a.a1, a.a2, a.a3, a.a4, a.a5, a.a6, a.a7, a.a8, a.ctid, b.id FROM wide a JOIN wide b ON a.h <@> b.h <= 1'
]) AS query, compare(query) AS c;
SET work_mem = '64kB';
SELECT * FROM compare('SELECT a.u, b.u, a.s, a.ctid, b.a2 FROM wide a JOIN wide b ON a.h <@> b.h <= 3 AND a.id < b.id');
RESET work_mem;
DROP TABLE wide;

\echo '-- columns of varying length that are short, NULL, longer than usual, compressed; no columns'
CREATE TABLE varied AS SELECT i AS id, flipped(i / 3, i % 4) AS h, CASE WHEN i % 5 > 0 THEN repeat('t', i % 13) END AS v,
    CASE WHEN i % 40 = 0 THEN repeat('long', i) ELSE 's' || i % 2 END AS s, i::numeric / 8 AS n FROM generate_series(1, 3000) AS i;
CREATE INDEX varied_h ON varied USING simhash (h);
ANALYZE varied;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, a.v, b.v, a.n, b.n FROM varied a JOIN varied b ON a.h <@> b.h <= 3 AND a.id < b.id',
    'SELECT a.v, b.s, b.id FROM varied a JOIN varied b ON a.h <@> b.h <= 3 AND a.s <> b.s',
    'SELECT b.s, b.v, a.id FROM page a JOIN varied b ON a.h <@> b.h <= 3 WHERE a.lang <> b.s',
    'SELECT 1 FROM varied a JOIN varied b ON a.h <@> b.h <= 3',
    'SELECT 1 FROM page a JOIN varied b ON a.h <@> b.h <= 3'
]) AS query, compare(query) AS c;
SET work_mem = '64kB';
SELECT * FROM compare('SELECT a.s, b.v, b.s, a.id FROM varied a JOIN varied b ON a.h <@> b.h <= 3 AND a.id < b.id');
SELECT * FROM compare('SELECT 1 FROM varied a JOIN varied b ON a.h <@> b.h <= 3');
RESET work_mem;
DROP TABLE varied;

RESET enable_seqscan;
RESET enable_nestloop;

\echo '-- EXPLAIN ANALYZE'
-- How long comparisons take depends on the processor, and so do costs.
SET enable_seqscan = off;
SELECT shown('SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id AND a.lang = b.lang');
SELECT shown('SELECT a.id, b.id FROM page a JOIN feed b ON a.h <@> b.h <= 3');
RESET enable_seqscan;

\echo '-- with little memory, rows are spooled'
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM compare('SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3');
SELECT * FROM compare('SELECT a.id, b.id FROM page a JOIN feed b ON a.h <@> b.h <= 6');
SELECT line FROM shown('SELECT a.id, b.id FROM page a JOIN feed b ON a.h <@> b.h <= 6') AS line WHERE line ~ 'Disk';
SET temp_file_limit = '64kB';
SELECT left(refused('SELECT count(*) FROM page a JOIN feed b ON a.h <@> b.h <= 6'), 5) AS refused;
RESET temp_file_limit;
RESET work_mem;
RESET hash_mem_multiplier;

\echo '-- LIMIT'
SELECT count(*) FROM (SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id LIMIT 5) AS f;

\echo '-- a cursor that goes back, and one beyond its transaction'
BEGIN;
DECLARE back SCROLL CURSOR FOR SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id ORDER BY 1, 2;
FETCH 2 FROM back;
FETCH BACKWARD 1 FROM back;
DECLARE held CURSOR WITH HOLD FOR SELECT a.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
MOVE 10 FROM held;
COMMIT;
MOVE ALL FROM held;
CLOSE held;

\echo '-- the snapshot is the query''s: rows deleted afterwards are seen, and those inserted are not'
BEGIN;
DECLARE before CURSOR FOR SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
DELETE FROM page WHERE id % 2 = 0;
INSERT INTO page SELECT -i, flipped(i * 5, 0), 'new' FROM generate_series(1, 100) AS i;
FETCH before;
SELECT * FROM compare('SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id');
ROLLBACK;

\echo '-- a cursor survives the rollback of what was done after it'
BEGIN;
DECLARE kept CURSOR FOR SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
MOVE 5 FROM kept;
SAVEPOINT s;
MOVE 5 FROM kept;
INSERT INTO page VALUES (-1, flipped(1, 0), 'new');
ROLLBACK TO s;
MOVE ALL FROM kept;
COMMIT;

\echo '-- changes by a join'
BEGIN;
CREATE TABLE copy AS TABLE page;
UPDATE page p SET lang = 'near' FROM page o WHERE p.h <@> o.h <= 2 AND p.id < o.id;
SET LOCAL simhash.enable_join = off;
UPDATE copy p SET lang = 'near' FROM copy o WHERE p.h <@> o.h <= 2 AND p.id < o.id;
SET LOCAL simhash.enable_join = on;
SELECT count(*) AS differ FROM (TABLE page EXCEPT TABLE copy) AS d;
EXPLAIN (COSTS OFF) DELETE FROM page p USING page o WHERE p.h <@> o.h <= 3 AND p.id > o.id;
DELETE FROM page p USING page o WHERE p.h <@> o.h <= 3 AND p.id > o.id;
SET LOCAL simhash.enable_join = off;
DELETE FROM copy p USING copy o WHERE p.h <@> o.h <= 3 AND p.id > o.id;
SELECT count(*) AS differ FROM (TABLE page EXCEPT TABLE copy) AS d;
ROLLBACK;

\echo '-- partial indexes and expressions'
BEGIN;
DROP INDEX page_h;
CREATE INDEX page_part ON page USING simhash (h) WHERE lang = 'l1';
CREATE INDEX page_other ON page USING simhash ((h::bigint # 1)) WHERE id > 0;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id WHERE a.lang = ''l1'' AND b.lang = ''l1''',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 WHERE a.lang = ''l1'' AND b.lang = ''l1''',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 WHERE a.lang = ''l1''',
    'SELECT a.id, b.id FROM page a JOIN page b ON (a.h::bigint # 1) <@> (b.h::bigint # 1) <= 3 AND a.id < b.id WHERE a.id > 0 AND b.id > 0',
    'SELECT a.id, b.id FROM page a JOIN feed b ON a.h <@> b.h <= 3 WHERE a.lang = ''l1'''
]) AS query, compare(query) AS c;
ROLLBACK;

\echo '-- signatures and texts'
CREATE TABLE signed AS SELECT i AS id, ((hashint8extended(i - (i % 10 = 0)::int, 1)::bit(64) || hashint8extended(i % 7, 2)::bit(64) || hashint8extended(i, 3)::bit(64)) #
    (CASE WHEN i % 10 = 0 THEN 5 ELSE 0 END)::bit(192))::bit(192) AS s FROM generate_series(1, 5000) AS i;
UPDATE signed SET s = (SELECT s FROM signed o WHERE o.id = signed.id - 1) WHERE id % 20 = 0;
INSERT INTO signed VALUES (0, NULL);
CREATE TABLE short AS SELECT id, s::bit(128) AS s FROM signed WHERE id % 3 = 0;
ALTER TABLE signed ALTER s TYPE bit(192);
ALTER TABLE short ALTER s TYPE bit(128);
CREATE INDEX signed_s ON signed USING simhash (s);
CREATE INDEX short_s ON short USING simhash (s);
CREATE TABLE doc AS SELECT i AS id, (SELECT string_agg('w' || (hashint4(i / 2 * 2 + w) & 1023), ' ') FROM generate_series(1, 60) AS w WHERE w <> i % 2) AS body FROM generate_series(1, 900) AS i;
INSERT INTO doc VALUES (-1, NULL), (-2, ''), (-3, '');
CREATE INDEX doc_body ON doc USING simhash (body);
ANALYZE signed, short, doc;
-- Without scans of one side there are no batches.
SET enable_seqscan = off;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, b.id FROM signed a JOIN signed b ON a.s <@> b.s <= 10 AND a.id < b.id',
    'SELECT a.id, b.id FROM signed a JOIN signed b ON a.s <@> b.s <= 70 AND a.id % 100 = b.id % 100',
    'SELECT a.id, b.id FROM signed a JOIN signed b ON a.s <@| signature_ball(b.s, 3)',
    'SELECT a.id, b.id FROM signed a JOIN signed b ON minhash_at_least(a.s, b.s, 0.9) AND a.id <> b.id',
    'SELECT a.id, b.id FROM short a JOIN short b ON a.s <@> b.s <= 2',
    'SELECT a.id, b.id FROM doc a JOIN doc b ON a.body ~= b.body AND a.id < b.id',
    'SELECT a.id, b.id FROM doc a JOIN doc b ON a.body ~= b.body'
]) AS query, compare(query) AS c;
SELECT plan_of('SELECT FROM signed a JOIN short b ON a.s <@> b.s <= 2');
RESET enable_seqscan;
DROP TABLE signed, short, doc;

\echo '-- partitions, with columns in another order, of several levels, without rows, and excluded by a condition'
CREATE TABLE log (id int, gone int, day int, note text DEFAULT 'n', h simhash, s bit(128)) PARTITION BY RANGE (day);
CREATE TABLE log_0 PARTITION OF log FOR VALUES FROM (0) TO (10);
CREATE TABLE log_1 (h simhash, s bit(128), extra text, note text, day int, id int, gone int);
ALTER TABLE log_1 DROP COLUMN extra;
ALTER TABLE log ATTACH PARTITION log_1 FOR VALUES FROM (10) TO (20);
CREATE TABLE log_2 PARTITION OF log FOR VALUES FROM (20) TO (30) PARTITION BY HASH (id);
CREATE TABLE log_2a PARTITION OF log_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE log_2b PARTITION OF log_2 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE log_none PARTITION OF log DEFAULT;
ALTER TABLE log DROP COLUMN gone;
INSERT INTO log SELECT i, i % 30, 'n' || i, h, h::bigint::bit(64) || hashint8extended(i % 3000, 5)::bit(64)
    FROM generate_series(1, 8000) AS i, LATERAL (SELECT CASE WHEN i % 50 > 0 THEN flipped(i % 3000, i % 4) END AS h OFFSET 0) AS v;
CREATE INDEX log_h ON log USING simhash (h);
CREATE INDEX log_s ON log USING simhash (s);
DELETE FROM log WHERE id % 29 = 0;
UPDATE log SET h = flipped(id % 900, 2), day = (day + 10) % 30 WHERE id % 31 = 0;
ANALYZE log;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM log a JOIN log b ON a.h <@> b.h <= 3 AND a.id < b.id;
EXPLAIN (COSTS OFF) SELECT a.id, p.id FROM log a JOIN page p ON p.h <@> a.h <= 3 WHERE day < 20;
SET enable_indexscan = off;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, b.note, a.day FROM log a JOIN log b ON a.h <@> b.h <= 3 AND a.id < b.id',
    'SELECT a, b.id FROM log a JOIN log b ON a.h <@> b.h <= 3',
    'SELECT a.tableoid::regclass, a.ctid, b, b.xmin FROM log a JOIN log b ON a.h ~= b.h AND (a.tableoid, a.ctid) <> (b.tableoid, b.ctid)',
    'SELECT a.id, b.id FROM log a JOIN log b ON a.h <@> b.h <= 3 AND a.tableoid < b.tableoid',
    'SELECT a, b FROM log a JOIN log b ON a.h <@> b.h <= 3 WHERE a.day < 20',
    'SELECT a, b FROM log a JOIN log b ON a.h <@> b.h <= 3 AND a.day = b.day AND a.id < b.id WHERE a.day BETWEEN 12 AND 22 AND b.day > 3',
    'SELECT a, b FROM log a JOIN log b ON a.h <@> b.h <= 3 WHERE a.day = 12 AND b.day = 22',
    'SELECT a, p FROM log a JOIN page p ON a.h <@> p.h <= 3',
    'SELECT a.note, p.id FROM page p JOIN log a ON a.h <@> p.h <= 2 AND a.day > 10 AND p.id > 100',
    'SELECT a.id, b.id FROM log a JOIN log b ON a.s <@> b.s <= 4 AND a.id <> b.id',
    'SELECT a.id, l.id FROM log_2 a JOIN log l ON a.h <@> l.h <= 3',
    'SELECT r, (SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= r AND p.id % 2 = r % 2) FROM generate_series(-1, 3) AS r'
]) AS query, compare(query) AS c;
SET work_mem = '64kB';
SELECT * FROM compare('SELECT a.id, b FROM log a JOIN log b ON a.h <@> b.h <= 3');
RESET work_mem;
\echo '-- partitions that are known when the plan is executed, that may be tested again, and without an index'
SET plan_cache_mode = force_generic_plan;
PREPARE of_day(int) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND a.day = $1;
SELECT line FROM plan_of('EXECUTE of_day(4)') AS line WHERE line ~ 'Pairs';
PREPARE until_day(int) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND a.day <= $1;
SELECT line FROM plan_of('EXECUTE until_day(4)') AS line WHERE line ~ 'Pairs';
PREPARE of_id(int) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND a.id = $1;
SELECT line FROM plan_of('EXECUTE of_id(4)') AS line WHERE line ~ 'Pairs';
PREPARE of_days(int, int) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND a.day IN ($1, $2);
SELECT line FROM plan_of('EXECUTE of_days(4, 15)') AS line WHERE line ~ 'Pairs';
PREPARE either_day(int, int) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND (a.day = $1 OR a.day = 25 AND a.id > $2);
SELECT line FROM plan_of('EXECUTE either_day(4, 15)') AS line WHERE line ~ 'Pairs';
PREPARE day_or_none(int) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND (a.day = $1 OR a.day IS NULL);
SELECT line FROM plan_of('EXECUTE day_or_none(4)') AS line WHERE line ~ 'Pairs';
\echo '-- and conditions by which no partition is left out'
PREPARE day_or_note(int, text) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND (a.day = $1 OR a.note > $2);
SELECT line FROM plan_of('EXECUTE day_or_note(4, ''n'')') AS line WHERE line ~ 'Pairs';
PREPARE any_day(int[]) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND a.day = ANY($1);
SELECT line FROM plan_of('EXECUTE any_day(''{4, 15}'')') AS line WHERE line ~ 'Pairs';
PREPARE day_or_any(int) AS SELECT count(*) FROM log a JOIN page p ON a.h <@> p.h <= 2 AND (a.day = $1 OR a.day IS NOT NULL OR a.note IS NULL);
SELECT line FROM plan_of('EXECUTE day_or_any(4)') AS line WHERE line ~ 'Pairs';
RESET plan_cache_mode;
SELECT line FROM plan_of('SELECT FROM log a JOIN page p ON a.h <@> p.h <= 2 FOR UPDATE') AS line WHERE line ~ 'Pairs';
SELECT line FROM plan_of('DELETE FROM page p USING log a WHERE a.h <@> p.h <= 2') AS line WHERE line ~ 'Pairs';
BEGIN;
CREATE TABLE log_other PARTITION OF log FOR VALUES FROM (40) TO (50);
DROP INDEX log_h;
CREATE INDEX ON log_0 USING simhash (h);
CREATE INDEX ON log_1 USING simhash (h);
CREATE INDEX ON log_2 USING simhash (h);
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, p.id FROM log a JOIN page p ON a.h <@> p.h <= 2',
    'SELECT a.id, p.id FROM log a JOIN page p ON a.h <@> p.h <= 2 WHERE a.day < 20',
    'SELECT a.id, p.id FROM log a JOIN page p ON a.h <@> p.h <= 2 WHERE a.day BETWEEN 20 AND 29',
    'SELECT a.id, p.id FROM log a JOIN page p ON a.h <@> p.h <= 2 WHERE a.day BETWEEN 1 AND 9'
]) AS query, compare(query) AS c;
ROLLBACK;
CREATE TABLE family AS SELECT id, h FROM page WHERE id < 3000;
CREATE TABLE child () INHERITS (family);
INSERT INTO child SELECT id, h FROM page WHERE id > 7000;
CREATE INDEX ON family USING simhash (h);
CREATE INDEX ON child USING simhash (h);
ANALYZE family, child;
SELECT * FROM compare('SELECT a.id, f.id FROM family f JOIN feed a ON a.h <@> f.h <= 2');
DROP TABLE family, child;
RESET enable_seqscan;
RESET enable_indexscan;

\echo '-- indexes of several columns, all of which are joined'
BEGIN;
DROP INDEX page_h, log_h, feed_h, log_s;
CREATE INDEX page_h ON page USING simhash (lang simhash_equal_text_ops, h);
CREATE INDEX log_h ON log USING simhash (day simhash_equal_int4_ops, h);
CREATE INDEX log_s ON log USING simhash (day simhash_equal_int4_ops, s);
CREATE TABLE site AS SELECT id, nullif(lang, 'l0')::varchar AS lang, id % 5 AS n, id % 2 AS m, h FROM page WHERE id % 2 = 0;
CREATE INDEX site_h ON site USING simhash (lang simhash_equal_text_ops, h);
CREATE INDEX site_both ON site USING simhash (n simhash_equal_int4_ops, lang simhash_equal_text_ops, h);
CREATE INDEX feed_h ON feed USING simhash (h);
ANALYZE site;
SELECT plan_of('SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.lang = b.lang AND a.id < b.id');
SET LOCAL enable_seqscan = off;
SET LOCAL enable_indexscan = off;
SET LOCAL enable_bitmapscan = off;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.lang = b.lang AND a.id < b.id',
    'SELECT a.id, b FROM page a JOIN page b ON a.h ~= b.h AND b.lang = a.lang',
    'SELECT a.id, s.id FROM page a JOIN site s ON a.h <@> s.h <= 3 AND s.lang = a.lang',
    'SELECT a.id, b.id FROM site a JOIN site b ON a.h <@> b.h <= 3 AND b.lang = a.lang',
    'SELECT a.id, b.id FROM site a JOIN site b ON a.h <@> b.h <= 3 AND b.lang = a.lang AND a.n = b.n AND a.m <= b.m',
    'SELECT a.id, b.id FROM log a JOIN log b ON a.h <@> b.h <= 3 AND b.day = a.day AND a.id <> b.id WHERE a.day < 25',
    'SELECT a.id, b.id FROM log a JOIN log b ON a.s <@> b.s <= 4 AND b.day = a.day AND a.id <> b.id'
]) AS query, compare(query) AS c;
-- Not all are, or by another operator or column, or of other indexes.
SELECT query, substring(method FROM 'Pairs.*') AS pairs, count, same FROM unnest(ARRAY[
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 0 AND a.lang <> b.lang',
    'SELECT a.id, b.id FROM page a JOIN site b ON a.h <@> b.h <= 0 AND a.lang IS NOT DISTINCT FROM b.lang',
    'SELECT a.id, b.id FROM log a JOIN log b ON a.h <@> b.h <= 0 AND a.day = b.id',
    'SELECT a.id, f.id FROM page a JOIN feed f ON a.h <@> f.h <= 0 AND a.lang = f.lang',
    'SELECT a.id, f.id FROM feed f JOIN page a ON a.h <@> f.h <= 0 AND a.lang = f.lang'
]) AS query, compare(query) AS c;
ROLLBACK;

\echo '-- parallel workers: each returns its own pairs'
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_seqscan = off;
-- Near rows that differ in any bits, so that they are in the parts of several processes.
CREATE TABLE spread AS SELECT i AS id, (hashint8extended(i % 500, 2) # flips(i, i % 8))::simhash AS h FROM generate_series(1, 6000) i;
CREATE INDEX spread_h ON spread USING simhash (h);
CREATE TABLE other AS SELECT i AS id, (hashint8extended(i % 800, 2) # flips(i + 10000, i % 8))::simhash AS h FROM generate_series(1, 4000) i;
CREATE INDEX other_h ON other USING simhash (h);
ANALYZE spread, other;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
SELECT query, c.* FROM unnest(ARRAY[
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id',
    'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3',
    'SELECT a.id, f.id FROM page a JOIN feed f ON a.h <@> f.h <= 3',
    'SELECT a.id, f.id FROM page a JOIN feed f ON a.h <@> f.h <= (SELECT 2)',
    'SELECT a.id, f.id FROM page a JOIN feed f ON a.h <@> f.h <= (SELECT NULL::int)',
    'SELECT a, b FROM log a JOIN log b ON a.h <@> b.h <= 3',
    'SELECT a, b.id FROM log a JOIN page b ON a.h <@> b.h <= 3',
    'SELECT a.id, b.id FROM spread a JOIN spread b ON a.h <@> b.h <= 12 AND a.id < b.id',
    'SELECT a.id, b.id FROM spread a JOIN other b ON a.h <@> b.h <= 12'
]) AS query, compare(query) AS c;
SELECT line FROM shown('SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3') AS line WHERE line ~ 'Planned|Pairs:';
SELECT count(*) FROM (SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id LIMIT 5) AS f;
\echo '-- executed again: in the same shared memory, and with another radius'
SET enable_material = off;
SELECT line FROM plan_of('SELECT r, p.id FROM (VALUES (1), (2), (3)) AS v (r) LEFT JOIN (SELECT a.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id OFFSET 0) p ON r <> p.id') AS line;
SELECT r, count(*) FROM (VALUES (1), (2), (3)) AS v (r) LEFT JOIN (SELECT a.id FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id OFFSET 0) p ON r <> p.id GROUP BY r ORDER BY r;
SELECT r, count(*) FROM (VALUES (1), (2), (3)) AS v (r) LEFT JOIN (SELECT a.id FROM page a JOIN page b ON a.h <@> b.h <= 3 OFFSET 0) p ON r <> p.id GROUP BY r ORDER BY r;
RESET enable_material;
SELECT r, n FROM generate_series(-1, 3) AS r CROSS JOIN LATERAL (SELECT count(*) AS n FROM (SELECT FROM page a JOIN page b ON a.h <@> b.h <= r AND a.id < b.id OFFSET 0) AS p) AS c;
\echo '-- without workers: a plan for some executed where there are none'
SET max_parallel_workers = 0;
SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
RESET max_parallel_workers;
\echo '-- more workers are planned than the cells are divided for'
BEGIN;
ALTER TABLE page SET (parallel_workers = 100);
SET LOCAL max_parallel_workers_per_gather = 100;
SELECT line FROM shown('SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= 3') AS line WHERE line ~ 'Planned|Pairs:';
ROLLBACK;
SET parallel_leader_participation = off;
SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3;
RESET parallel_leader_participation;
\echo '-- serializable'
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3;
SELECT relation::regclass, mode FROM pg_locks WHERE mode = 'SIReadLock' AND page IS NULL AND pid = pg_backend_pid() ORDER BY 1;
COMMIT;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET enable_seqscan;
SET max_parallel_workers_per_gather = 0;

\echo '-- row-level security: what a policy hides is not told to a condition'
CREATE FUNCTION tell(id integer) RETURNS boolean LANGUAGE plpgsql STABLE COST 0.1 AS $$
BEGIN
    IF id % 3 = 0 THEN RAISE EXCEPTION 'told %', id; END IF;
    RETURN true;
END $$;
CREATE ROLE regress_pairs_reader;
GRANT SELECT (id, h, lang) ON page TO regress_pairs_reader;
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
CREATE POLICY thirds ON page TO regress_pairs_reader USING (id % 3 <> 0);
SET enable_seqscan = off;
SET ROLE regress_pairs_reader;
EXPLAIN (COSTS OFF) SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id AND tell(a.id) AND tell(b.id);
SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id AND tell(a.id) AND tell(b.id);
RESET ROLE;
RESET enable_seqscan;
SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id WHERE a.id % 3 <> 0 AND b.id % 3 <> 0;

\echo '-- A table and its only partition, which numbers its columns differently, have one index, but are no join of a table with itself.'
CREATE TABLE whole (k int, id int, body text, h simhash) PARTITION BY LIST (k);
CREATE TABLE part (body text, id int, k int, h simhash);
ALTER TABLE whole ATTACH PARTITION part FOR VALUES IN (1);
INSERT INTO whole SELECT 1, i, 'text ' || i, flipped(i / 2, i % 3) FROM generate_series(1, 2000) i;
CREATE INDEX ON whole USING simhash (h);
ANALYZE whole, part;
EXPLAIN (COSTS OFF) SELECT count(*) FROM whole a JOIN part b ON a.h <@> b.h <= 1 AND a.k <> b.id;
CREATE FUNCTION sums(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text; BEGIN
    EXECUTE 'SELECT (count(*), sum(a.id), sum(b.id), sum(a.k), sum(b.k), max(a.body), max(b.body))::text FROM whole a JOIN part b ON a.h <@> b.h <= 1 AND ' || condition INTO answer;
    RETURN answer; END $$;
SELECT condition, sums(condition) INTO found FROM unnest('{true,a.k <> b.id,a.id <> b.id,a.id < b.id,a.k <> b.k,a.ctid <> b.ctid,a.k = 1}'::text[]) condition;
SET simhash.enable_join = off;
SELECT condition, f.sums = sums(condition) AS same, substring(f.sums, '[0-9]+') AS rows FROM found f;
RESET simhash.enable_join;

\echo '-- So many pairs that all of them are found before the first one: LIMIT prefers a nested loop.'
CREATE TABLE equal AS SELECT i AS id, CASE WHEN i <= 60000 THEN '00000000000000ff' ELSE hashint8extended(i, 5)::simhash END AS h FROM generate_series(1, 160000) i;
CREATE INDEX ON equal USING simhash (h);
ANALYZE equal;
EXPLAIN (COSTS OFF) SELECT a.id FROM equal a JOIN equal b ON a.h <@> b.h <= 3 AND a.id < b.id LIMIT 100000;
DROP TABLE equal;

\echo '-- A volatile filter is one of rows, not of pairs.'
EXPLAIN (COSTS OFF) SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id WHERE a.id > 0;
SELECT count(*) AS "pairs of" FROM shown($$SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id WHERE random() < .5 AND a.id > random()$$) AS s
WHERE s ~ 'Pairs of';
-- A sub-select may have one.
SELECT count(*) AS "pairs of" FROM shown($$SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id WHERE (SELECT random() + a.id * 0) < .5$$) AS s
WHERE s ~ 'Pairs of';

DROP TABLE page, feed, log, whole, found;
DROP FUNCTION flipped(bigint, int), compare, shown, tell, sums;
DROP ROLE regress_pairs_reader;
