\set ECHO none
-- Groups of near-duplicates: simhash_groups compared with the pairs of a nested loop.
SET max_parallel_workers_per_gather = 0;
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
CREATE TABLE uniform AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 1000) i;
CREATE TABLE near AS SELECT i AS id, flipped(hashint8extended(i % 250, 2)::simhash, i, i % 8) AS h FROM generate_series(1, 1400) i;
CREATE TABLE skewed AS SELECT i AS id,
    (hashint8extended(i, 3) & hashint8extended(i, 4) & x'00ff0f0f00ff333f'::bit(64)::bigint)::simhash AS h FROM generate_series(1, 600) i;
-- Most rows have one of a few fingerprints, adjacent or not, and many have neighbors; some have none.
CREATE TABLE same WITH (fillfactor = 60) AS SELECT i AS id, '' AS note, CASE WHEN i % 17 = 0 THEN NULL WHEN i % 3 > 0 THEN ((i % 5 + i % 3 * 1000) * 7)::bigint::simhash
    ELSE flipped('00000000ffffffff', i, i % 9) END AS h FROM generate_series(1, 500) i;
-- each is near only the next
CREATE TABLE chain AS SELECT i AS id, ((1::bigint << i) - 1)::simhash AS h FROM generate_series(0, 60) i ORDER BY hashint4(i);
CREATE INDEX uniform_h ON uniform USING simhash (h);
CREATE INDEX near_h ON near USING simhash (h) WITH (trees = 6);
CREATE INDEX skewed_h ON skewed USING simhash (h);
CREATE INDEX same_h ON same USING simhash (h);
CREATE INDEX same_one ON same USING simhash (h) WITH (trees = 1);
CREATE INDEX chain_h ON chain USING simhash (h);

CREATE TABLE pair (a tid, b tid);
CREATE TABLE grouped (member tid, leader tid);
\echo '-- Counts the errors in the groups of a table. These conditions determine groups and stars completely.'
CREATE FUNCTION wrong_groups(of_table text, radius int, kind text, by_index text DEFAULT NULL)
    RETURNS TABLE (missing bigint, invented bigint, apart bigint, not_smallest bigint, unconnected bigint)
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pair;
    DELETE FROM grouped;
    EXECUTE format('INSERT INTO pair SELECT x.ctid, y.ctid FROM %I x JOIN %I y ON x.ctid < y.ctid AND (x.h <@> y.h)::int <= %s',
        of_table, of_table, radius);
    INSERT INTO pair SELECT b, a FROM pair;
    INSERT INTO grouped SELECT member, leader FROM simhash_groups(coalesce(by_index, of_table || '_h')::regclass, radius, kind);
    ANALYZE pair;
    ANALYZE grouped;
    SELECT count(*) INTO missing FROM (SELECT a FROM pair EXCEPT SELECT member FROM grouped) m;
    SELECT count(*) INTO invented FROM (SELECT member FROM grouped EXCEPT ALL SELECT DISTINCT a FROM pair) m;
    IF kind = 'star' THEN
        -- leaders that are near, members that are not led by the first leader near them
        SELECT count(*) INTO apart FROM pair JOIN grouped x ON x.member = a AND x.leader = a JOIN grouped y ON y.member = b AND y.leader = b;
        SELECT count(*) INTO not_smallest FROM grouped g
            LEFT JOIN (SELECT b, min(a) AS first FROM pair JOIN grouped l ON l.member = a AND l.leader = a GROUP BY b) n ON n.b = g.member
            WHERE g.leader <> g.member AND g.leader IS DISTINCT FROM n.first;
    ELSE
        SELECT count(*) INTO apart FROM pair JOIN grouped x ON x.member = a JOIN grouped y ON y.member = b WHERE x.leader <> y.leader;
        SELECT count(*) INTO not_smallest FROM (SELECT FROM grouped GROUP BY leader HAVING min(member) <> leader) g;
        WITH RECURSIVE reached AS (SELECT DISTINCT leader, leader AS member FROM grouped UNION
            SELECT leader, b FROM reached JOIN pair ON a = member) -- no pair connects two groups, as checked above
        SELECT count(*) INTO unconnected FROM (SELECT leader, member FROM grouped EXCEPT SELECT leader, member FROM reached) m;
    END IF;
    RETURN NEXT;
END $$;

SELECT t, r, kind, w.* FROM unnest('{uniform,near,skewed,same,chain}'::text[]) t, unnest('{0,3,6}'::int[]) r,
    unnest('{connected,star}'::text[]) kind, wrong_groups(t, r, kind) w ORDER BY t, r, kind;
SELECT w.* FROM unnest('{connected,star}'::text[]) kind, wrong_groups('same', 3, kind, 'same_one') w;
SELECT count(*), count(DISTINCT leader) FROM simhash_groups('same_h', 64);
SELECT count(*) FROM simhash_groups('same_h', -1);
SELECT count(*) FROM simhash_groups(NULL);
\echo '-- more rows than fit in memory at a time'
SET work_mem = '64kB';
SELECT t, kind, w.* FROM unnest('{near,same}'::text[]) t, unnest('{connected,star}'::text[]) kind, wrong_groups(t, 3, kind) w ORDER BY t, kind;
SET simhash.simd = scalar;
SELECT t, kind, w.* FROM unnest('{near,same}'::text[]) t, unnest('{connected,star}'::text[]) kind, wrong_groups(t, 8, kind) w ORDER BY t, kind;
RESET simhash.simd;
RESET work_mem;
\echo '-- deleted rows, and rows of this transaction'
BEGIN;
CREATE TABLE dense WITH (fillfactor = 60) AS SELECT i AS id, '' AS note, (i % 240)::bigint::simhash AS h FROM generate_series(1, 460) i;
CREATE INDEX dense_h ON dense USING simhash (h);
UPDATE dense SET note = 'updated in place' WHERE id % 2 = 0;
SET LOCAL simhash.simd = scalar;
SELECT * FROM wrong_groups('dense', 5, kind => 'connected');
UPDATE same SET h = h WHERE id % 4 = 0;
UPDATE same SET h = '00000000ffffffff' WHERE id % 31 = 0;
DELETE FROM same WHERE id % 7 = 0;
SELECT kind, w.* FROM unnest('{connected,star}'::text[]) kind, wrong_groups('same', 3, kind) w ORDER BY kind;
ROLLBACK;
\echo '-- two hundred thousand copies of a fingerprint take no more work than as many different ones'
CREATE TABLE copies AS SELECT CASE WHEN i % 10 = 0 THEN hashint8extended(i, 1)::simhash ELSE '0123456789abcdef' END AS h FROM generate_series(1, 220000) i;
CREATE INDEX copies_h ON copies USING simhash (h);
SELECT count(*), count(DISTINCT leader), min(leader) FROM simhash_groups('copies_h');
SELECT count(*), count(DISTINCT leader), min(leader) FROM simhash_groups('copies_h', 5, kind => 'star');
SET work_mem = '64kB';
SELECT count(*), count(DISTINCT leader), min(leader) FROM simhash_groups('copies_h');
RESET work_mem;

\echo '-- Chains: a group of connected rows follows them to the end, a star, the default, does not.'
SELECT max(size), min(size), count(*) FROM (SELECT count(*) AS size FROM simhash_groups('chain_h', 3, kind => 'connected') GROUP BY leader) g;
SELECT max(size), min(size), count(*) FROM (SELECT count(*) AS size FROM simhash_groups('chain_h') GROUP BY leader) g;

\echo '-- Groups of arbitrary pairs, such as verified ones.'
SELECT * FROM simhash_pair_groups('VALUES (1, 1), (5, 4), (-4, 9), (4, -4), (7, 8)', kind => 'connected');
SELECT * FROM simhash_pair_groups('VALUES (1::smallint, 2::bigint), (2, 3), (3, 4), (4, 9223372036854775807)', kind => 'star');
SELECT * FROM simhash_pair_groups('SELECT 1, 2 WHERE false');
SELECT count(*), count(DISTINCT leader) FROM simhash_pair_groups('SELECT i, i + 2 FROM generate_series(1, 30000) i', kind => 'connected');
SELECT DISTINCT g.leader = least(g.member, g.leader) AS smallest FROM simhash_pair_groups($$
    SELECT x.id, y.id FROM simhash_pairs('near_h', 3) p JOIN near x ON x.ctid = p.a JOIN near y ON y.ctid = p.b WHERE x.id % 3 <> y.id % 3 $$) g;
SELECT * FROM simhash_groups('chain_h', kind => 'clique');
SELECT * FROM simhash_pair_groups('SELECT 1, 2', 'Star');
SELECT * FROM simhash_pair_groups('SELECT 1');
SELECT * FROM simhash_pair_groups('SELECT 1, 1.5');
SELECT * FROM simhash_pair_groups('SELECT 1, NULL::int');
SELECT * FROM simhash_pair_groups('DROP TABLE chain');
SELECT * FROM simhash_pair_groups('DELETE FROM chain RETURNING id, id');
SELECT * FROM simhash_pair_groups('SELECT 1, 2; SELECT 3, 4');
SELECT * FROM simhash_pair_groups('SELEC');
\echo '-- pairs in arrays, of keys of any type with an order'
SELECT * FROM simhash_pair_groups('{1,5,-4,4,7}'::bigint[], '{1,4,9,-4,8}', kind => 'connected');
SELECT * FROM simhash_pair_groups('{1,2,3,4}'::bigint[], '{2,3,4,9223372036854775807}');
SELECT * FROM simhash_pair_groups('{b,d,ab}'::text[], '{a,c,b}');
SELECT * FROM simhash_pair_groups('{b,d,ab}'::text[], '{a,c,b}', 'connected');
SELECT * FROM simhash_pair_groups(ARRAY['a', 'B', 'A'], ARRAY['B', 'a', 'b']) AS g ORDER BY member COLLATE "C", leader COLLATE "C";
SELECT * FROM simhash_pair_groups(ARRAY[md5('1'), md5('2')]::uuid[], ARRAY[md5('2'), md5('3')]::uuid[], 'connected');
SELECT * FROM simhash_pair_groups('{{"(0,1)","(0,3)"},{"(0,2)","(0,2)"}}'::tid[], '{"(0,2)","(0,4)","(0,3)","(0,2)"}');
SELECT count(*) FROM simhash_pair_groups(NULL, '{1}'::int[]);
SELECT count(*) FROM simhash_pair_groups('{}'::int[], '{}');
\echo '-- they group as a query does, also beyond work_mem'
CREATE TABLE arbitrary AS SELECT abs(hashint8extended(i, 1) % 20000) AS a, abs(hashint8extended(i, 2) % 20000) AS b FROM generate_series(1, 30000) i;
SET work_mem = '64kB';
SELECT kind, count(*), count(*) FILTER (WHERE n.leader IS DISTINCT FROM q.leader) AS wrong, count(*) FILTER (WHERE t.leader IS DISTINCT FROM q.leader) AS wrong_texts
FROM unnest('{star,connected}'::text[]) kind,
    LATERAL (SELECT * FROM simhash_pair_groups('SELECT a, b FROM arbitrary', kind)) q
    FULL JOIN LATERAL (SELECT g.* FROM (SELECT array_agg(a) AS a, array_agg(b) AS b FROM arbitrary) s, simhash_pair_groups(s.a, s.b, kind) g) n USING (member)
    FULL JOIN LATERAL (SELECT g.member::bigint, g.leader::bigint FROM (SELECT array_agg(to_char(a, 'FM00000')) AS a, array_agg(to_char(b, 'FM00000')) AS b FROM arbitrary) s, simhash_pair_groups(s.a, s.b, kind) g) t USING (member)
GROUP BY kind ORDER BY kind;
RESET work_mem;
DROP TABLE arbitrary;
SELECT * FROM simhash_pair_groups('{1,2}'::int[], '{3}');
SELECT * FROM simhash_pair_groups('{1,2}'::int[], '{3,NULL}');
SELECT * FROM simhash_pair_groups('{1}'::int[], '{2}', 'Star');
SELECT * FROM simhash_pair_groups('{1}'::int[], '{a}'::text[]);
SELECT * FROM simhash_pair_groups('{"(0,0)"}'::point[], '{"(0,0)"}');

\echo '-- the same privileges as for pairs'
CREATE ROLE group_reader;
SET ROLE group_reader;
SELECT * FROM simhash_groups('chain_h');
SELECT * FROM simhash_pair_groups('SELECT id, id FROM chain');
RESET ROLE;
DROP ROLE group_reader;
DROP TABLE uniform, near, skewed, same, chain, copies, pair, grouped;
DROP FUNCTION wrong_groups;

\echo '-- The planner expects rows in proportion to the index, of each index of a join and each partition. What it does not know'
\echo '-- it expects to be 10,000.'
CREATE FUNCTION expected(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN format('%s rows, cost %s', plan -> 0 -> 'Plan' -> 'Plan Rows', CASE WHEN (plan -> 0 -> 'Plan' ->> 'Startup Cost')::float8 > 500 THEN 'high' ELSE 'low' END);
END $$;
CREATE TABLE counted AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 80000) AS i;
CREATE INDEX counted_h ON counted USING simhash (h);
CREATE INDEX counted_few ON counted USING simhash (h) WHERE id <= 100;
CREATE TABLE counted_parts (id int, h simhash) PARTITION BY LIST ((id % 2));
CREATE TABLE counted_parts_0 PARTITION OF counted_parts FOR VALUES IN (0);
CREATE TABLE counted_parts_1 PARTITION OF counted_parts FOR VALUES IN (1);
INSERT INTO counted_parts SELECT * FROM counted WHERE id <= 1000;
CREATE INDEX counted_parts_h ON counted_parts USING simhash (h);
SELECT query, expected('SELECT * FROM simhash_' || query) FROM unnest(ARRAY['groups(''counted_h'')', 'groups(''counted_few'')', 'pairs(''counted_h'', 2)',
    'groups(''counted_parts_h'')', 'join(''counted_h'', ''counted_parts_h'')', 'groups((SELECT oid FROM pg_class WHERE relname = ''counted_h''))', 'groups(0)']) AS query;
DROP TABLE counted, counted_parts;
DROP FUNCTION expected;
