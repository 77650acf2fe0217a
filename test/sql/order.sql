\set ECHO none
-- The order of fingerprints, as unsigned integers, and their hash.

CREATE TABLE ordered (id int, h simhash);
INSERT INTO ordered
    SELECT i, ('x' || md5(i::text))::bit(64)::simhash FROM generate_series(1, 1000) AS i;
\echo '-- the extremes, values around the top bit, and duplicates'
INSERT INTO ordered VALUES
    (1001, '0000000000000000'), (1002, 'ffffffffffffffff'), (1003, '7fffffffffffffff'), (1004, '8000000000000000'),
    (1005, '8000000000000000'), (1006, NULL);
ANALYZE ordered;

SELECT a, b, a = b AS eq, a <> b AS ne, a < b AS lt, a <= b AS le, a > b AS gt, a >= b AS ge,
       simhash_internal_cmp(a, b) AS cmp
FROM unnest('{0000000000000001,7fffffffffffffff,8000000000000000,ffffffffffffffff}'::simhash[]) AS a,
     unnest('{7fffffffffffffff,8000000000000000}'::simhash[]) AS b
ORDER BY a::text, b::text;

\echo '-- the order of the text form and of the unsigned number is the order of fingerprints'
SELECT h FROM ordered WHERE id > 1000 ORDER BY h NULLS FIRST, id;
SELECT count(*) FROM (SELECT h, lag(h) OVER (ORDER BY h) AS before FROM ordered) AS o
WHERE h < before OR h::text COLLATE "C" < before::text COLLATE "C" OR h::numeric < before::numeric;
SELECT count(*) FROM (SELECT h, lag(h) OVER (ORDER BY h DESC) AS before FROM ordered) AS o WHERE h > before;

\echo '-- by an index'
CREATE INDEX ordered_h ON ordered (h);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT h FROM ordered WHERE h >= '7fffffffffffffff' ORDER BY h DESC LIMIT 3;
SELECT h FROM ordered WHERE h >= '7fffffffffffffff' ORDER BY h LIMIT 4;
SELECT h FROM ordered WHERE h <= '8000000000000000' ORDER BY h DESC LIMIT 4;
EXPLAIN (COSTS OFF) SELECT id FROM ordered WHERE h = '8000000000000000';
SELECT id FROM ordered WHERE h = '8000000000000000' ORDER BY id;
SELECT id FROM ordered WHERE h IN ('0000000000000000', 'ffffffffffffffff') ORDER BY id;
EXPLAIN (COSTS OFF) SELECT id FROM ordered WHERE h IS NULL;
SELECT id FROM ordered WHERE h IS NULL;
\echo '-- every row is found by its own fingerprint'
SELECT count(*) FROM ordered AS a WHERE EXISTS (SELECT FROM ordered AS b WHERE b.h = a.h AND b.id = a.id);
\echo '-- btree deduplication is allowed: equal fingerprints are identical'
SELECT amproc::regproc FROM pg_amproc, pg_opclass
WHERE opcfamily = amprocfamily AND opcname = 'simhash_ops' AND amprocnum = 4
    AND opcmethod = (SELECT oid FROM pg_am WHERE amname = 'btree');
DROP INDEX ordered_h;

\echo '-- a hash index'
CREATE INDEX ordered_hash ON ordered USING hash (h);
EXPLAIN (COSTS OFF) SELECT id FROM ordered WHERE h = '8000000000000000';
SELECT id FROM ordered WHERE h = '8000000000000000' ORDER BY id;
SELECT count(*) FROM ordered AS a WHERE EXISTS (SELECT FROM ordered AS b WHERE b.h = a.h AND b.id = a.id);
DROP INDEX ordered_hash;
RESET enable_seqscan;
RESET enable_bitmapscan;

\echo '-- unique constraints'
ALTER TABLE ordered ADD UNIQUE (h);
DELETE FROM ordered WHERE id = 1005;
ALTER TABLE ordered ADD UNIQUE (h);
INSERT INTO ordered VALUES (2000, 'ffffffffffffffff') ON CONFLICT (h) DO UPDATE SET id = 2000;
SELECT id FROM ordered WHERE h = 'ffffffffffffffff';
ALTER TABLE ordered DROP CONSTRAINT ordered_h_key;

\echo '-- GROUP BY and DISTINCT, hashed and sorted'
CREATE TABLE repeated AS
    SELECT i AS id, ('x' || md5((i % 100)::text))::bit(64)::simhash AS h FROM generate_series(1, 1000) AS i;
ANALYZE repeated;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT h, count(*) FROM repeated GROUP BY h;
SELECT count(*), min(n), max(n) FROM (SELECT count(*) AS n FROM repeated GROUP BY h) AS g;
SELECT count(DISTINCT h) FROM repeated;
RESET enable_sort;
SET enable_hashagg = off;
EXPLAIN (COSTS OFF) SELECT h, count(*) FROM repeated GROUP BY h;
SELECT count(*), min(n), max(n) FROM (SELECT count(*) AS n FROM repeated GROUP BY h) AS g;
RESET enable_hashagg;

\echo '-- joins: hash, merge, nested loop with an index, full'
SET enable_nestloop = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM repeated AS a JOIN repeated AS b USING (h);
SELECT count(*) FROM repeated AS a JOIN repeated AS b USING (h);
RESET enable_mergejoin;
SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM repeated AS a JOIN repeated AS b USING (h);
SELECT count(*) FROM repeated AS a JOIN repeated AS b USING (h);
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT count(*), count(a.id), count(b.id) FROM repeated AS a FULL JOIN ordered AS b USING (h);
SELECT count(*) FROM repeated WHERE h NOT IN (SELECT h FROM ordered WHERE h IS NOT NULL);
SELECT h IS DISTINCT FROM NULL, h IS NOT DISTINCT FROM h, nullif(h, h) FROM repeated LIMIT 1;

\echo '-- partitions by hash and by range'
CREATE TABLE parted (id int, h simhash) PARTITION BY HASH (h);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO parted SELECT * FROM ordered;
SELECT count(*) AS rows, count(*) BETWEEN 250 AND 420 AS even FROM parted GROUP BY tableoid HAVING count(*) < 250;
SELECT count(*) FROM parted;
SELECT id FROM parted WHERE h = '8000000000000000';
SELECT count(*) FROM ordered AS a WHERE NOT EXISTS (SELECT FROM parted AS b WHERE b.h = a.h) AND h IS NOT NULL;
CREATE TABLE ranged (id int, h simhash) PARTITION BY RANGE (h);
CREATE TABLE ranged_low PARTITION OF ranged FOR VALUES FROM (MINVALUE) TO ('8000000000000000');
CREATE TABLE ranged_high PARTITION OF ranged FOR VALUES FROM ('8000000000000000') TO (MAXVALUE);
INSERT INTO ranged SELECT * FROM ordered WHERE h IS NOT NULL;
SELECT count(*) FROM ranged_low WHERE h::bigint < 0;
SELECT count(*) FROM ranged_high WHERE h::bigint >= 0;
EXPLAIN (COSTS OFF) SELECT * FROM ranged WHERE h < '7000000000000000';

\echo '-- hashes: both functions agree at seed 0; different fingerprints mostly have different hashes'
SELECT count(DISTINCT simhash_internal_hash(h)) > 990 AS spread,
       bool_and((simhash_internal_hash_extended(h, 0) & x'ffffffff'::bigint) = (simhash_internal_hash(h)::bigint & x'ffffffff'::bigint))
           AS alike,
       bool_and(simhash_internal_hash_extended(h, 1) <> simhash_internal_hash_extended(h, 0)) AS seeded
FROM ordered WHERE h IS NOT NULL;

\echo '-- array operations and window frames'
SELECT '{0000000000000001,ffffffffffffffff}'::simhash[] @> '{ffffffffffffffff}'::simhash[],
       '{0000000000000001}'::simhash[] < '{ffffffffffffffff}'::simhash[],
       array_position('{0000000000000001,ffffffffffffffff}'::simhash[], 'ffffffffffffffff');

DROP TABLE ordered, repeated, parted, ranged;
