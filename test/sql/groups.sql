\set ECHO none
-- Groups of near-duplicates, simhash_group, compared with the pairs of a nested loop; and groups of given pairs.
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
CREATE TABLE uniform AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 1000) i;
CREATE TABLE near AS SELECT i AS id, flipped(hashint8extended(i % 250, 2)::simhash, i, i % 8) AS h FROM generate_series(1, 1400) i;
CREATE TABLE skewed AS SELECT i AS id,
    (hashint8extended(i, 3) & hashint8extended(i, 4) & x'00ff0f0f00ff333f'::bit(64)::bigint)::simhash AS h FROM generate_series(1, 600) i;
-- Most rows have one of a few fingerprints, adjacent or not, and many have neighbors; some have none.
CREATE TABLE same AS SELECT i AS id, CASE WHEN i % 17 = 0 THEN NULL WHEN i % 3 > 0 THEN ((i % 5 + i % 3 * 1000) * 7)::bigint::simhash
    ELSE flipped('00000000ffffffff', i, i % 9) END AS h FROM generate_series(1, 500) i;
-- each is near only the next
CREATE TABLE chain AS SELECT i AS id, ((1::bigint << i) - 1)::simhash AS h FROM generate_series(0, 60) i ORDER BY hashint4(i);
CREATE TABLE few AS SELECT * FROM same WHERE id <= 128;
-- Signatures: clustered, or with many equal ones, and some NULLs.
SELECT format('CREATE TABLE wide%1$s AS SELECT i AS id, CASE WHEN i %% 40 <> 7 THEN
    flipped_bits(random_bits(i %% 60, %1$s), i, i %% 9)::bit(%1$s) END AS h FROM generate_series(1, 400) i', bits),
    format('CREATE TABLE copies%1$s AS SELECT i AS id, flipped_bits(random_bits(1, %1$s), i %% 11, i %% 3)::bit(%1$s) AS h FROM generate_series(1, 300) i', bits)
FROM unnest('{24,64,65,256,1000}'::int[]) bits \gexec

-- The pairs of all tables by a nested loop: the cast prevents the use of an index.
CREATE TABLE near_pair (of_table text, a int, b int, distance int);
SELECT format('INSERT INTO near_pair SELECT %L, p.* FROM (SELECT x.id, y.id, (x.h <@> y.h)::int AS d FROM %1$I x JOIN %1$I y ON x.id <> y.id) p WHERE d <= %s',
    t, greatest(9, substring(t FROM '\d+$')::int / 4))
FROM unnest('{uniform,near,skewed,same,few,chain}'::text[] || array(SELECT t || bits FROM unnest('{wide,copies}'::text[]) t, unnest('{24,64,65,256,1000}'::int[]) bits)) t \gexec
CREATE TABLE pair (a int, b int);
CREATE TABLE grouped (member int, leader int);
-- Counts the errors in the groups of a table. These conditions determine groups and stars completely.
CREATE FUNCTION wrong_groups(of_table text, radius int, kind text)
    RETURNS TABLE (missing bigint, alone bigint, apart bigint, not_first bigint, unconnected bigint) LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pair;
    DELETE FROM grouped;
    INSERT INTO pair SELECT a, b FROM near_pair p WHERE p.of_table = wrong_groups.of_table AND distance <= radius;
    EXECUTE format('INSERT INTO grouped SELECT id, simhash_group(id, h, $1, $2) OVER (ORDER BY id) FROM %I', of_table) USING radius, kind;
    ANALYZE pair;
    ANALYZE grouped;
    EXECUTE format('SELECT count(*) FROM ((SELECT id FROM %I EXCEPT ALL SELECT member FROM grouped) UNION ALL
        (SELECT member FROM grouped EXCEPT ALL SELECT id FROM %I)) d', of_table, of_table) INTO missing;
    SELECT count(*) INTO alone FROM grouped WHERE member <> leader AND NOT EXISTS (SELECT FROM pair WHERE a = member);
    IF kind = 'star' THEN
        -- leaders that are near, members that are not led by the first leader near them
        SELECT count(*) INTO apart FROM pair JOIN grouped x ON x.member = a AND x.leader = a JOIN grouped y ON y.member = b AND y.leader = b;
        SELECT count(*) INTO not_first FROM grouped g
            LEFT JOIN (SELECT b, min(a) AS first FROM pair JOIN grouped l ON l.member = a AND l.leader = a GROUP BY b) n ON n.b = g.member
            WHERE g.leader <> g.member AND (g.leader IS DISTINCT FROM n.first OR g.leader > g.member);
    ELSE
        SELECT count(*) INTO apart FROM pair JOIN grouped x ON x.member = a JOIN grouped y ON y.member = b WHERE x.leader <> y.leader;
        SELECT count(*) INTO not_first FROM (SELECT FROM grouped GROUP BY leader HAVING min(member) <> leader) g;
        WITH RECURSIVE reached AS (SELECT DISTINCT leader, leader AS member FROM grouped UNION
            SELECT leader, b FROM reached JOIN pair ON a = member) -- no pair connects two groups, as checked above
        SELECT count(*) INTO unconnected FROM (SELECT leader, member FROM grouped EXCEPT SELECT leader, member FROM reached) m;
    END IF;
    RETURN NEXT;
END $$;

SELECT t, r, kind, w.* FROM unnest('{uniform,near,skewed,same,few,chain}'::text[]) t, unnest('{-1,0,3,6}'::int[]) r,
    unnest('{connected,star}'::text[]) kind, wrong_groups(t, r, kind) w ORDER BY t, r, kind;
\echo '-- signatures'
SELECT t, sum(missing + alone + apart + not_first + coalesce(unconnected, 0)) AS wrong
FROM (SELECT t || bits AS t, bits FROM unnest('{wide,copies}'::text[]) t, unnest('{24,64,65,256,1000}'::int[]) bits) t,
    unnest(ARRAY[-1, 0, 3, 9, bits / 4]) r, unnest('{connected,star}'::text[]) kind, wrong_groups(t, r, kind) w GROUP BY t, bits ORDER BY t, bits;
\echo '-- more rows than fit in memory at a time'
SET work_mem = '64kB';
SELECT t, kind, w.* FROM unnest('{near,same,wide65,copies1000}'::text[]) t, unnest('{connected,star}'::text[]) kind, wrong_groups(t, 3, kind) w ORDER BY t, kind;
SET simhash.simd = scalar;
SELECT t, kind, w.* FROM unnest('{near,same,wide65,copies1000}'::text[]) t, unnest('{connected,star}'::text[]) kind, wrong_groups(t, 8, kind) w ORDER BY t, kind;
RESET simhash.simd;
RESET work_mem;
\echo '-- two hundred thousand copies take no more work than as many different ones'
CREATE TABLE copies AS SELECT i AS id, CASE WHEN i % 10 = 0 THEN hashint8extended(i, 1)::simhash ELSE '0123456789abcdef' END AS h FROM generate_series(1, 220000) i;
SELECT kind, r, count(*) FILTER (WHERE leader <> id) AS led, count(DISTINCT leader) AS leaders, count(*) FILTER (WHERE leader = 1) AS copies
FROM (VALUES ('star', 0), ('star', 3), ('connected', 5)) k(kind, r),
    LATERAL (SELECT id, simhash_group(id, h, r, kind) OVER (ORDER BY id) AS leader FROM copies) g GROUP BY kind, r ORDER BY r;
SET work_mem = '64kB';
SELECT count(*) FILTER (WHERE leader <> id) AS led, count(DISTINCT leader) AS leaders FROM (SELECT id, simhash_group(id, h) OVER (ORDER BY id) AS leader FROM copies) g;
SELECT count(*) FILTER (WHERE leader <> id) AS led, count(DISTINCT leader) AS leaders
FROM (SELECT id, simhash_group(id, ((h::bigint)::bit(64) || B'1')::bit(65), 1) OVER (ORDER BY id) AS leader FROM copies) g;
RESET work_mem;

\echo '-- Chains: a group of connected rows follows them to the end, a star, the default, does not.'
SELECT kind, max(size), min(size), count(*) AS groups FROM unnest('{star,connected}'::text[]) kind,
    LATERAL (SELECT count(*) AS size FROM (SELECT simhash_group(id, h, 3, kind) OVER (ORDER BY id) AS leader FROM chain) m GROUP BY leader) g GROUP BY kind ORDER BY kind;
\echo '-- the order of the window decides who leads, and each of its partitions has groups of its own'
CREATE TABLE page (site text, id int, size int, h simhash, PRIMARY KEY (site, id));
INSERT INTO page VALUES ('a', 1, 10, '0000000000000000'), ('a', 2, 30, '0000000000000001'), ('a', 3, 20, '0000000000000003'), ('a', 4, 5, NULL),
    ('b', 1, 10, '0000000000000000'), ('b', 2, 10, '00000000ffffffff'), ('b', 3, NULL, '0000000000000007'), ('c', 1, 1, NULL);
SELECT site, id, simhash_group(id, h, 1) OVER (PARTITION BY site ORDER BY id) AS first,
    simhash_group(id, h, radius => 1) OVER (PARTITION BY site ORDER BY size DESC NULLS LAST) AS largest,
    simhash_group((site, id), h) OVER (ORDER BY site, id) AS of_all, simhash_group(site || id, h, kind => 'connected') OVER (ORDER BY site DESC, id) AS texts,
    simhash_group(NULLIF(id, 1), h, 64) OVER (PARTITION BY site ORDER BY id) AS null_key
FROM page ORDER BY site, id;
\echo '-- the others of each group are deleted'
WITH deleted AS (DELETE FROM page USING (SELECT site, id, simhash_group((site, id), h, 3) OVER (ORDER BY size DESC NULLS LAST, site, id) AS leader FROM page) g
    WHERE (page.site, page.id) = (g.site, g.id) AND g.leader <> (g.site, g.id) RETURNING page.*)
SELECT site, id FROM deleted ORDER BY 1, 2;
SELECT site, id FROM page ORDER BY 1, 2;
\echo '-- the radius and the kind may come from a query'
SELECT id, simhash_group(id, h, (SELECT max(id) FROM page), (SELECT 'star')) OVER (ORDER BY id) FROM page WHERE site = 'b' ORDER BY 1;
SELECT simhash_group(id, h, id) OVER (ORDER BY id) FROM near;
SELECT simhash_group(id, h, 3, CASE WHEN id < 9 THEN 'star' ELSE 'connected' END) OVER (ORDER BY id) FROM near;
SELECT simhash_group(id, h, NULL) OVER (ORDER BY id) FROM near;
SELECT simhash_group(id, h, 3, NULL) OVER (ORDER BY id) FROM near;
SELECT simhash_group(id, h, kind => 'clique') OVER (ORDER BY id) FROM near;
SELECT simhash_group(id, h) FROM near;
SELECT simhash_group(i, random_bits(i, 60 + i)::varbit::bit varying, 3) OVER (ORDER BY i) FROM generate_series(1, 3) i;
SELECT simhash_group(i, repeat('1', 4096 + i)::varbit, 3) OVER (ORDER BY i) FROM generate_series(1, 3) i;
\echo '-- views, and rows that the caller may not see'
CREATE VIEW led AS SELECT site || id AS page, simhash_group(site || id, h) OVER (ORDER BY site, id) AS leader FROM page;
SELECT page, leader FROM led WHERE page <> leader;
CREATE ROLE group_reader;
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON page USING (site = 'b');
SET ROLE group_reader;
SELECT simhash_group(id, h) OVER () FROM page;
RESET ROLE;
GRANT SELECT ON page TO group_reader;
SET ROLE group_reader;
SELECT site, id, simhash_group((site, id), h, 64) OVER (ORDER BY site, id) AS leader FROM page ORDER BY 1, 2;
RESET ROLE;
DROP TABLE page CASCADE;
DROP ROLE group_reader;
DROP TABLE uniform, near, skewed, same, few, copies, pair, near_pair, grouped;
DROP FUNCTION wrong_groups;

\echo '-- pairs in arrays, of keys of any type with an order'
SELECT * FROM simhash_pair_groups('{1,5,-4,4,7}'::bigint[], '{1,4,9,-4,8}', kind => 'connected');
SELECT * FROM simhash_pair_groups('{1,2,3,4}'::bigint[], '{2,3,4,9223372036854775807}');
SELECT * FROM simhash_pair_groups('{b,d,ab}'::text[], '{a,c,b}');
SELECT * FROM simhash_pair_groups('{b,d,ab}'::text[], '{a,c,b}', 'connected');
SELECT * FROM simhash_pair_groups(ARRAY['a', 'B', 'A'], ARRAY['B', 'a', 'b']) AS g ORDER BY member COLLATE "C", leader COLLATE "C";
SELECT * FROM simhash_pair_groups(ARRAY[md5('1'), md5('2')]::uuid[], ARRAY[md5('2'), md5('3')]::uuid[], 'connected');
SELECT * FROM simhash_pair_groups('{{"(0,1)","(0,3)"},{"(0,2)","(0,2)"}}'::tid[], '{"(0,2)","(0,4)","(0,3)","(0,2)"}');
SELECT * FROM simhash_pair_groups(ARRAY[('a'::text, 1), ('b', 2)], ARRAY[('b'::text, 2), ('c', 3)], 'connected');
SELECT count(*) FROM simhash_pair_groups(NULL, '{1}'::int[]);
SELECT count(*) FROM simhash_pair_groups('{}'::int[], '{}');
\echo '-- as connected rows, and as stars by their definition, also beyond work_mem'
CREATE TABLE arbitrary AS SELECT abs(hashint8extended(i, 1) % 2000) AS a, abs(hashint8extended(i, 2) % 2000) AS b FROM generate_series(1, 3000) i;
CREATE TABLE expected (member bigint PRIMARY KEY, star bigint, connected bigint);
INSERT INTO expected SELECT a, NULL, a FROM (SELECT a FROM arbitrary UNION SELECT b FROM arbitrary) m;
INSERT INTO arbitrary SELECT b, a FROM arbitrary;
DO $$
DECLARE next bigint; changed bigint;
BEGIN
    FOR next IN SELECT member FROM expected ORDER BY 1 LOOP
        UPDATE expected SET star = next WHERE star IS NULL AND (member = next OR member IN (SELECT b FROM arbitrary WHERE a = next))
            AND EXISTS (SELECT FROM expected e WHERE e.member = next AND e.star IS NULL);
    END LOOP;
    LOOP
        UPDATE expected e SET connected = n.least FROM (SELECT a, min(connected) AS least FROM arbitrary JOIN expected ON b = member GROUP BY a) n
            WHERE a = member AND n.least < connected;
        GET DIAGNOSTICS changed = ROW_COUNT;
        EXIT WHEN changed = 0;
    END LOOP;
END $$;
SET work_mem = '64kB';
SELECT kind, count(*) AS members, count(DISTINCT g.leader) AS leaders, count(*) FILTER (WHERE g.leader IS DISTINCT FROM CASE kind WHEN 'star' THEN star ELSE connected END) AS wrong,
    count(*) FILTER (WHERE t.leader::bigint IS DISTINCT FROM g.leader) AS wrong_texts
FROM (SELECT kind, (simhash_pair_groups(array_agg(a), array_agg(b), kind)).* FROM arbitrary, unnest('{star,connected}'::text[]) kind WHERE a <= b GROUP BY kind) g
    FULL JOIN expected USING (member)
    LEFT JOIN (SELECT kind, (simhash_pair_groups(array_agg(to_char(a, 'FM00000')), array_agg(to_char(b, 'FM00000')), kind)).* FROM arbitrary,
        unnest('{star,connected}'::text[]) kind GROUP BY kind) t(kind, key, leader) USING (kind) 
WHERE t.key::bigint = member GROUP BY kind ORDER BY kind;
RESET work_mem;
DROP TABLE arbitrary, expected;
SELECT * FROM simhash_pair_groups('{1,2}'::int[], '{3}');
SELECT * FROM simhash_pair_groups('{1,2}'::int[], '{3,NULL}');
SELECT * FROM simhash_pair_groups('{1}'::int[], '{2}', 'Star');
SELECT * FROM simhash_pair_groups('{1}'::int[], '{2}', repeat('star ', 1000));
SELECT * FROM simhash_pair_groups('{1}'::int[], '{a}'::text[]);
SELECT * FROM simhash_pair_groups('{"(0,0)"}'::point[], '{"(0,0)"}');

\echo '-- bit strings without bits, and a kind that is computed'
SELECT count(DISTINCT leader) FROM (SELECT simhash_group(i, B''::varbit, 0) OVER (ORDER BY i) AS leader FROM generate_series(1, 1000) i) g;
SELECT i, simhash_group(i, CASE WHEN i < 3 THEN B'' ELSE B'10' END, 0) OVER (ORDER BY i) FROM generate_series(1, 4) i;
SELECT simhash_group(i, '0123456789abcdef'::simhash, 3, coalesce(kind, 'star')) OVER (ORDER BY i) FROM (VALUES (1, 'star'), (2, NULL)) v(i, kind);
