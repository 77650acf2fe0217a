\set ECHO none
-- Block values: rows stored once for each of them are joined and searched by equality, each pair once.
SET max_parallel_workers_per_gather = 0;
SELECT simhash_blocks('0123456789abcdef', 3), simhash_blocks('0123456789abcdef', 3) = simhash_blocks('0123456789abcdef', 3, 4) AS default_tables;
\echo '-- four blocks in plain SQL, and one of two trees'
SELECT bool_and(simhash_blocks(h::simhash, 3) = ARRAY[(h >> 48) & 65535, 65536 + ((h >> 32) & 65535), 131072 + ((h >> 16) & 65535), 196608 + (h & 65535)]) AS four,
       bool_and(simhash_blocks(h::simhash, 1) = ARRAY[(h >> 32) & 4294967295, 4294967296 + (h & 4294967295)]) AS two
FROM (SELECT hashint8extended(i, 9) AS h FROM generate_series(1, 1000) i) s;
\echo '-- the headers of the designs, in their order'
SELECT simhash_blocks('0123456789abcdef', 3, trees)
FROM simhash_index_designs(3) WHERE trees IN (6, 8, 10);
SELECT radius, count(*) AS designs, bool_and(cardinality(simhash_blocks('0123456789abcdef', radius, trees)) = trees) AS one_value_a_tree
FROM generate_series(1, 15) radius, simhash_index_designs(radius) WHERE trees > radius GROUP BY radius ORDER BY radius;

\echo '-- designs of as many trees for other radii'
SELECT d, (simhash_blocks('0123456789abcdef', d, 16))[1] FROM unnest('{1,3,5,3}'::int[]) d;

SELECT simhash_first_block('0123456789abcdef', '0123456789abcdef', 3), simhash_first_block('0123456789abcdef', 'f123456789abcdef', 3),
       simhash_first_block('0123456789abcdef', 'f123456789abcdef', 4), simhash_first_block('0123456789abcdef', '1123556799abcdef', 3) = (3 << 16) + x'cdef'::int AS last;
SELECT simhash_blocks(NULL, 3), simhash_first_block('0123456789abcdef', NULL, 3), simhash_blocks('0123456789abcdef', NULL), simhash_blocks('0123456789abcdef', 3, NULL);
SELECT simhash_blocks('0123456789abcdef', 0);
SELECT simhash_blocks('0123456789abcdef', 16);
SELECT simhash_blocks('0123456789abcdef', 3, 3);
SELECT simhash_blocks('0123456789abcdef', 3, 17);
SELECT simhash_first_block('0123456789abcdef', '0123456789abcdef', 3, -1);

\echo '-- The pairs of one table, found by block, against those of an index. A header that its design leaves out would be missed by some.'
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
CREATE TABLE uniform AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 2000) i;
CREATE TABLE near AS SELECT i AS id, flipped(hashint8extended(i % 500, 2)::simhash, i, i % 8) AS h FROM generate_series(1, 3000) i;
CREATE TABLE skewed AS SELECT i AS id, (hashint8extended(i, 3) & hashint8extended(i, 4) & x'00ff0f0f00ff333f'::bit(64)::bigint)::simhash AS h
    FROM generate_series(1, 1000) i;
CREATE TABLE same AS SELECT i AS id, CASE WHEN i % 17 = 0 THEN NULL WHEN i % 6 = 0 THEN '00000000ffffffff'::simhash
    ELSE flipped('00000000ffffffff', i, 2 + i % 23) END AS h FROM generate_series(1, 600) i;
CREATE FUNCTION wrong_pairs(of_table text, radius int, trees int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE wrong bigint;
BEGIN
    EXECUTE format('CREATE TEMP TABLE routed AS SELECT id, h, block FROM %I, unnest(simhash_blocks(h, %s, %s)) block', of_table, radius, trees);
    ANALYZE routed;
    EXECUTE format('WITH found AS MATERIALIZED (
            SELECT x.id AS a, y.id AS b, (x.h <@> y.h)::int FROM routed x JOIN routed y ON x.block = y.block AND x.id < y.id
            AND simhash_first_block(x.h, y.h, %2$s, %3$s) = x.block),
        compared AS MATERIALIZED (SELECT a, b, p.distance FROM simhash_block_pairs(''SELECT id, h, block FROM routed'', %2$s, %3$s) p),
        expected AS MATERIALIZED (SELECT least(x.id, y.id), greatest(x.id, y.id), p.distance
            FROM pairs_by(%4$L, %2$s) p JOIN %1$I x ON x.ctid = p.a JOIN %1$I y ON y.ctid = p.b)
        SELECT count(*) FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE found)
            UNION ALL (TABLE compared EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE compared)) d',
        of_table, radius, trees, of_table || '_h') INTO wrong;
    DROP TABLE routed;
    RETURN wrong;
END $$;
SELECT format('CREATE INDEX %I ON %I USING simhash (h)', t || '_h', t) FROM unnest('{uniform,near,skewed,same}'::text[]) t \gexec
SELECT t, count(*) AS pairs FROM (SELECT 'uniform' FROM pairs_by('uniform_h', 5) UNION ALL SELECT 'near' FROM pairs_by('near_h', 5)
    UNION ALL SELECT 'skewed' FROM pairs_by('skewed_h', 5) UNION ALL SELECT 'same' FROM pairs_by('same_h', 5)) p (t) GROUP BY t ORDER BY t;
SELECT t, d, n, wrong_pairs(t, d, n)
FROM unnest('{uniform,near,skewed,same}'::text[]) t, (VALUES (1, 2), (1, 16), (3, 4), (3, 5), (3, 8), (3, 10), (3, 20), (5, 6), (5, 12)) v (d, n);
SELECT t, wrong_pairs(t, 7, 0) FROM unnest('{uniform,near}'::text[]) t;

\echo '-- Rows that several servers have: the pairs of all are those of one. Files in place of memory, and values with more rows than fit.'
CREATE TABLE many AS SELECT i AS id, flipped(CASE WHEN i % 2 = 0 THEN '00000000ffffffff' ELSE hashint8extended(i % 9000, 5)::simhash END,
    i, CASE WHEN i % 2 = 0 THEN 1 + i % 40 ELSE i % 5 END) AS h FROM generate_series(1, 30000) i;
CREATE INDEX many_h ON many USING simhash (h);
CREATE TABLE many_routed AS SELECT id, h, block FROM many, unnest(simhash_blocks(h, 3)) block;
CREATE VIEW many_pairs AS SELECT least(x.id, y.id) AS a, greatest(x.id, y.id) AS b, p.distance
    FROM pairs_by('many_h', 3) p JOIN many x ON x.ctid = p.a JOIN many y ON y.ctid = p.b;
CREATE FUNCTION many_wrong(servers int) RETURNS TABLE (pairs bigint, wrong bigint) LANGUAGE sql AS $$
    WITH found AS MATERIALIZED (SELECT p.* FROM generate_series(0, servers - 1) s, simhash_block_pairs(format(
            'SELECT id, h, block FROM many_routed WHERE block %% %s = %s', servers, s)) p),
        expected AS MATERIALIZED (TABLE many_pairs)
    SELECT (SELECT count(*) FROM found), count(*)
    FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE found)) d $$;
SELECT pairs > 10000 AS many, wrong FROM many_wrong(1);
SELECT wrong FROM many_wrong(3);
SET work_mem = '64kB'; SET hash_mem_multiplier = 1;
SELECT wrong FROM many_wrong(1);
SET temp_file_limit = '64kB';
DO $$ BEGIN
    PERFORM count(*) FROM simhash_block_pairs('SELECT id, h, block FROM many_routed');
EXCEPTION WHEN configuration_limit_exceeded THEN RAISE NOTICE 'temp_file_limit';
END $$;
RESET temp_file_limit; RESET work_mem; RESET hash_mem_multiplier;
\echo '-- A row that is stored twice has no pair with itself.'
SELECT count(*) FROM simhash_block_pairs($$ SELECT 1, h, block FROM unnest('{0000000000000000,0000000000000000,0000000000000001}'::simhash[]) h, unnest(simhash_blocks(h, 3)) block $$);
\echo '-- Other distances, and numbers of another type.'
SELECT * FROM simhash_block_pairs($$ SELECT i::int2, h, block FROM unnest('{0000000000000000,000000000000007f,00000000000000ff}'::simhash[]) WITH ORDINALITY t (h, i),
    unnest(simhash_blocks(h, 8, 10)) block $$, 8, 10) ORDER BY a, b;
SELECT * FROM simhash_block_pairs('SELECT 1, h, 1 FROM near WHERE false');
SELECT * FROM simhash_block_pairs(NULL);
\echo '-- Errors'
SELECT * FROM simhash_block_pairs('SELECT id, h FROM near');
SELECT * FROM simhash_block_pairs('SELECT id, id, h FROM near');
SELECT * FROM simhash_block_pairs('SELECT id, h, 5 AS block FROM near');
SELECT * FROM simhash_block_pairs('SELECT 1, 0::bigint::simhash, -1');
SELECT * FROM simhash_block_pairs('SELECT 1, 0::bigint::simhash, 1::bigint << 60');
SELECT * FROM simhash_block_pairs('SELECT id, h, block FROM near, unnest(simhash_blocks(h, 3)) block', 4);
SELECT * FROM simhash_block_pairs('SELECT NULL::int, h, block FROM near, unnest(simhash_blocks(h, 3)) block');
SELECT * FROM simhash_block_pairs('SELECT 1, NULL::simhash, 1');
SELECT * FROM simhash_block_pairs('SELECT 1, 0::bigint::simhash, NULL::bigint');
SELECT * FROM simhash_block_pairs('SELECT id, h, block FROM near, unnest(simhash_blocks(h, 3)) block', 3, 3);
SELECT * FROM simhash_block_pairs('DELETE FROM near');
DROP TABLE many, many_routed CASCADE;
DROP FUNCTION many_wrong;

\echo '-- Searches: the rows of the query''s blocks. A smaller radius needs only as many of the blocks of four trees.'
CREATE TABLE routed AS SELECT id, h, block FROM near, unnest(simhash_blocks(h, 3)) block;
CREATE INDEX ON routed (block, h);
CREATE FUNCTION wrong_answers(radius int) RETURNS bigint LANGUAGE sql AS $$
    WITH query AS MATERIALIZED (SELECT id AS q, h FROM near WHERE id % 7 = 0 UNION ALL SELECT -id, h FROM uniform WHERE id % 100 = 0),
    found AS MATERIALIZED (SELECT q, r.id FROM query JOIN routed r ON r.block = ANY ((simhash_blocks(query.h, 3))[1 : radius + 1])
        WHERE r.h <@> query.h <= radius AND r.block = simhash_first_block(r.h, query.h, 3)),
    expected AS MATERIALIZED (SELECT q, near.id FROM query JOIN near ON (near.h <@> query.h)::int <= radius)
    SELECT count(*) FROM ((TABLE found EXCEPT ALL TABLE expected) UNION ALL (TABLE expected EXCEPT ALL TABLE found)) d $$;
SELECT radius, wrong_answers(radius) FROM generate_series(0, 3) radius;

\echo '-- Groups, from the pairs of blocks.'
SELECT count(*) AS members, count(*) FILTER (WHERE g.leader IS DISTINCT FROM l.id) AS wrong
FROM (SELECT array_agg(x.id) AS a, array_agg(y.id) AS b FROM routed x JOIN routed y ON x.block = y.block AND x.id < y.id
                            AND simhash_first_block(x.h, y.h, 3) = x.block) p, simhash_pair_groups(a, b) g
RIGHT JOIN (SELECT id AS member, simhash_group(id, h, 3) OVER (ORDER BY id) AS id FROM near) l USING (member)
WHERE member <> l.id OR g.leader IS NOT NULL;

\echo '-- Partitions: a search reads those of its blocks, and a join joins each with itself.'
CREATE TABLE parted (id int, h simhash, block bigint) PARTITION BY HASH (block);
SELECT format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER %s)', i, i) FROM generate_series(0, 2) i \gexec
INSERT INTO parted TABLE routed;
ANALYZE parted;
SET enable_partitionwise_join = on;
EXPLAIN (COSTS OFF) SELECT id FROM parted WHERE block = ANY ((simhash_blocks('0123456789abcdef', 3))[1:1]) AND h <@> '0123456789abcdef' <= 0;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT x.id, y.id FROM parted x JOIN parted y ON x.block = y.block AND x.id < y.id
    WHERE simhash_first_block(x.h, y.h, 3) = x.block;
SELECT count(*) AS pairs, count(*) = (SELECT count(*) FROM pairs_by('near_h', 3)) AS all_pairs, count(DISTINCT (x.id, y.id)) = count(*) AS once
FROM parted x JOIN parted y ON x.block = y.block AND x.id < y.id WHERE simhash_first_block(x.h, y.h, 3) = x.block;
DROP TABLE uniform, near, skewed, same, routed, parted;
DROP FUNCTION wrong_pairs, wrong_answers;
