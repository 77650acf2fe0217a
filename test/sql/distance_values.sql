\set ECHO none
-- Distances as values, where a condition must not replace them: what is grouped by, arbiters of ON CONFLICT, joins by a
-- distance. A domain over integer behaves as a distance should.
SET client_min_messages = warning;
CREATE DOMAIN plain AS int;
CREATE FUNCTION plain(h simhash) RETURNS plain LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN h <@> '5'::bigint::simhash; END $$;
CREATE FUNCTION at_most_30(d int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT d <= 30';
CREATE FUNCTION at_most_30(d hamming_distance) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT d <= 30';
CREATE FUNCTION same(d hamming_distance) RETURNS hamming_distance LANGUAGE sql IMMUTABLE AS 'SELECT d';
CREATE FUNCTION same(d plain) RETURNS plain LANGUAGE sql IMMUTABLE AS 'SELECT d';
CREATE TABLE near(id int, k int, h simhash);
INSERT INTO near SELECT i, i % 3, (5 # ((1::bigint << i % 7) - 1))::simhash FROM generate_series(1, 40) i;
CREATE INDEX near_h ON near USING simhash (h);
CREATE TABLE number(d int, label text);
INSERT INTO number VALUES (1, 'one'), (2, 'two'), (2, 'too'), (9, 'nine'), (NULL, 'none');
ANALYZE near, number;

-- Runs a query with a distance, @, and with the domain in its place: the number of rows, and whether they are the same.
CREATE FUNCTION compare(query text, OUT rows int, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE found text; wanted text; BEGIN
    EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r::text), count(*) FROM (%s) r', replace(query, '@', '(h <@> 5::bigint::simhash)')) INTO found, rows;
    EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r::text) FROM (%s) r', replace(query, '@', 'plain(h)')) INTO wanted;
    same := found IS NOT DISTINCT FROM wanted; END $$;

\echo '-- Grouping sets.'
CREATE TABLE query(number int GENERATED ALWAYS AS IDENTITY, code text);
INSERT INTO query (code) VALUES
    ('SELECT @ d, @ <= 3 AS near, 3 >= @ AS too, @ = 2 AS two, NOT @ > 3 AS not_far, count(*) FROM near GROUP BY ROLLUP (@)'),
    ('SELECT @ d, @::int i, @ + 1 AS next, -@ AS minus, @::int::text, count(*) FROM near GROUP BY ROLLUP (@)'),
    ('SELECT @ d, count(*) FROM near GROUP BY ROLLUP (@) HAVING @ <= 3'),
    ('SELECT @ d, count(*) FROM near GROUP BY GROUPING SETS ((@), ()) HAVING (@ <= 3) IS NOT TRUE'),
    ('SELECT @ d, k, grouping(@, k), count(*) FROM near GROUP BY CUBE (@, k) HAVING NOT @ > 3 OR @ IS NULL'),
    ('SELECT @ < 3 AS near, NOT (@ < 3) AS far, (@ < 3) AND k = 1, k, count(*) FROM near GROUP BY ROLLUP (@ < 3, k)'),
    ('SELECT @ > 3 AS far, NOT (@ > 3) AS near, count(*) FROM near WHERE @ <= 4 GROUP BY ROLLUP (@ > 3)'),
    ('SELECT @ / 2 AS pairs, @ / 2 <= 1 AS low, count(*) FROM near WHERE @ < 5 GROUP BY ROLLUP (@ / 2)'),
    ('SELECT @ d, CASE WHEN @ <= 1 THEN ''near'' ELSE ''far'' END, count(*) FROM near WHERE @ <= 4 GROUP BY ROLLUP (@)'),
    ('SELECT d, d <= 3 AS near, d + 1, count(*) FROM (SELECT @ d FROM near) s GROUP BY ROLLUP (d) HAVING d <= 2 OR d IS NULL'),
    ('SELECT k, @ d, count(*) FROM near GROUP BY k, ROLLUP (@) HAVING @ BETWEEN 1 AND 2'),
    ('SELECT count(*) FROM near GROUP BY @ HAVING @ <= 2'),
    -- functions in SQL, which are inlined
    ('SELECT @ d, at_most_30(@) AS near, count(*) FROM near GROUP BY ROLLUP (@)'),
    ('SELECT count(*) FROM near GROUP BY ROLLUP (@) HAVING at_most_30(@) IS NULL'),
    ('SELECT same(@) d, same(@) <= 30 AS near, count(*) FROM near GROUP BY GROUPING SETS ((same(@)), ())'),
    ('SELECT k, count(*) FILTER (WHERE @ <= 2) FROM near GROUP BY ROLLUP (k)');
SELECT number, (compare(code)).* FROM query ORDER BY number;
\echo '-- The same beside an index on the distance.'
CREATE INDEX near_distance ON near ((h <@> 5::bigint::simhash));
ANALYZE near;
SELECT number, (compare(code)).* FROM query ORDER BY number;
DROP INDEX near_distance;
\echo '-- A condition on other rows than those that are grouped still uses the index, and so does that on the grouped distance alone.'
SET enable_seqscan = off;
CREATE FUNCTION scans(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text; BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line ~ 'Scan|Join|Index Cond|Hash Cond' THEN RETURN NEXT regexp_replace(line, '^[ >-]+', ''); END IF;
    END LOOP; END $$;
SELECT * FROM scans('SELECT k, count(*) FROM near WHERE h <@> 5::bigint::simhash <= 3 GROUP BY ROLLUP (k)');
SELECT * FROM scans('SELECT h <@> 5::bigint::simhash, count(*) FROM near WHERE h <@> 5::bigint::simhash <= 3 GROUP BY ROLLUP (h <@> 5::bigint::simhash)');
RESET enable_seqscan;

\echo '-- Arbiters of ON CONFLICT, without and with an index on the distance.'
CREATE TABLE arbiter(id int, h simhash, n int DEFAULT 0);
CREATE UNIQUE INDEX arbiter_far ON arbiter (id) WHERE (h <@> '0000000000000005') > 3;
CREATE UNIQUE INDEX arbiter_near ON arbiter (id, ((h <@> '0000000000000005') <= 3));
CREATE UNIQUE INDEX arbiter_at ON arbiter (id) WHERE (h <@> '0000000000000005') = 3;
PREPARE add(simhash) AS INSERT INTO arbiter VALUES (1, $1) ON CONFLICT (id) WHERE (h <@> '0000000000000005') > 3 DO UPDATE SET n = arbiter.n + 1 WHERE arbiter.h <@> excluded.h < 60 RETURNING n, h <@> '0000000000000005' > 5 AS far;
EXECUTE add('000000000000ffff');
EXECUTE add('000000000000ffff');
CREATE INDEX arbiter_distance ON arbiter ((h <@> '0000000000000005'));
EXECUTE add('000000000000ffff');
INSERT INTO arbiter VALUES (1, '000000000000ffff') ON CONFLICT (id, ((h <@> '0000000000000005') <= 3)) DO UPDATE SET n = 100 RETURNING n;
INSERT INTO arbiter VALUES (1, '000000000000ffff') ON CONFLICT (id) WHERE (h <@> '0000000000000005') > 3 DO NOTHING;
INSERT INTO arbiter VALUES (7, '0000000000000002') ON CONFLICT (id) WHERE (h <@> '0000000000000005') = 3 DO NOTHING RETURNING id;
INSERT INTO arbiter VALUES (7, '0000000000000002') ON CONFLICT (id) WHERE (h <@> '0000000000000005') = 3 DO NOTHING RETURNING id;

\echo '-- Joins by a distance: hashed, or by the index of the fingerprints.'
TRUNCATE query RESTART IDENTITY;
INSERT INTO query (code) VALUES
    ('SELECT id, h, d, label FROM near FULL JOIN number ON @ = d'),
    ('SELECT id, h, d, label FROM near FULL JOIN number ON d = @ AND label <> ''too'''),
    ('SELECT * FROM (SELECT @ d, id FROM near) a FULL JOIN (SELECT d, label FROM number) b USING (d)'),
    ('SELECT * FROM (SELECT @ d, id FROM near WHERE id < 9) a NATURAL FULL JOIN (SELECT @ d, k FROM near WHERE id > 35) b'),
    ('SELECT id FROM near WHERE @ IN (SELECT d FROM number)'),
    ('SELECT id FROM near WHERE @ NOT IN (SELECT d FROM number WHERE d > 0)'),
    ('SELECT label FROM number n WHERE NOT EXISTS (SELECT FROM near WHERE @ = n.d)'),
    ('SELECT id, label FROM near JOIN number ON @ = d::bigint'),
    ('SELECT id, label FROM near RIGHT JOIN number ON @ = d::smallint'),
    ('SELECT n.label, s.id FROM number n, LATERAL (SELECT id FROM near WHERE @ = n.d) s');
SELECT number, (compare(code)).* FROM query ORDER BY number;
SET enable_mergejoin = off; SET enable_nestloop = off; SET enable_material = off;
SELECT * FROM scans('SELECT FROM near FULL JOIN number ON h <@> 5::bigint::simhash = d');
SELECT * FROM scans('SELECT FROM near WHERE h <@> 5::bigint::simhash IN (SELECT d FROM number)') WHERE scans ~ 'Hash';
SELECT * FROM scans('SELECT FROM near a JOIN near b ON a.h <@> 5::bigint::simhash = b.h <@> 7::bigint::simhash') WHERE scans ~ 'Hash';
RESET enable_mergejoin; RESET enable_nestloop; RESET enable_material;
SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_bitmapscan = off;
SELECT * FROM scans('SELECT FROM generate_series(0, 5) n JOIN near ON h <@> 5::bigint::simhash = n');
SELECT number, (compare(code)).* FROM query WHERE number > 4 ORDER BY number;
RESET enable_seqscan; RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_bitmapscan;

\echo '-- The pairs of one distance are not searched for by all nearer ones, if these are many. None are farther than all bits.'
CREATE TABLE random AS SELECT i AS id, hashint8extended(i, 3)::simhash AS h FROM generate_series(1, 1500) i;
CREATE INDEX ON random USING simhash (h);
ANALYZE random;
CREATE FUNCTION node(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    RETURN format('%s of %s rows', coalesce(plan -> 0 -> 'Plan' ->> 'Custom Plan Provider', plan -> 0 -> 'Plan' ->> 'Node Type'),
        CASE WHEN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::int > 1 THEN 'some' ELSE '1' END); END $$;
SELECT r, node('SELECT FROM random a JOIN random b ON a.h <@> b.h = ' || r) AS at, node('SELECT FROM random WHERE h <@> ''0000000000000000'' = ' || r) AS scan
    FROM unnest('{2,40,64,65,70}'::int[]) r;
SELECT count(*) = (SELECT count(*) FILTER (WHERE (a.h <@> b.h)::int = 20) FROM random a, random b) AS same FROM random a JOIN random b ON a.h <@> b.h = 20;

DROP TABLE near, number, query, arbiter, random;
DROP FUNCTION compare, scans, plain(simhash), node, at_most_30(int), at_most_30(hamming_distance), same(plain), same(hamming_distance);
DROP DOMAIN plain;
