\set ECHO none
-- minhash_similarity, minhash_at_least, and the radius of a threshold: what the planner makes of minhash_at_least is
-- true for exactly the same rows as the comparison of double precision.
\set VERBOSITY terse

\echo '-- values'
SELECT minhash_similarity(a, b), pg_typeof(minhash_similarity(a, b))
FROM (VALUES (B'1', B'1'), (B'1', B'0'), (B'10', B'11'), (B'0000000000', B'1110000000'), (B'', B''), (B'1', NULL),
    (repeat('0', 1000)::varbit::bit(1000), (repeat('1', 350) || repeat('0', 650))::varbit::bit(1000))) AS v (a, b);
SELECT minhash_similarity(B'1', B'10');
SELECT minhash_at_least(B'1', B'10', 0.5);
SELECT minhash_at_least(B'', B'', 0.5), minhash_at_least(B'1', B'1', NULL), minhash_at_least(B'1', B'1', 'NaN'),
    minhash_at_least(B'1', B'0', '-Infinity');

\echo '-- radii'
SELECT j, minhash_radius(j, 256) AS radius, minhash_radius(j, 256, 0.5) AS median,
    minhash_radius(j, 256, 0.95) AS most, minhash_radius(j, 256, 1) AS every
FROM unnest('{0,0.5,0.8,0.9,1}'::float8[]) AS j;
SELECT minhash_radius(-1, 64), minhash_radius(1.01, 64), minhash_radius('Infinity', 64),
    minhash_radius('-Infinity', 64), minhash_radius(NULL, 64);
\echo '-- the probability of the radius, in exact arithmetic'
CREATE FUNCTION within(j numeric, n int, r int) RETURNS numeric LANGUAGE sql AS $$
    WITH RECURSIVE term (k, t) AS (
        SELECT 0, power(round((1 + j) / 2, 200), n)
        UNION ALL SELECT k + 1, round(t * (n - k) * (1 - j) / ((k + 1) * (1 + j)), 200) FROM term WHERE k < r)
    SELECT coalesce(round(sum(t), 100), 0) FROM term WHERE r >= 0 $$;
SELECT bool_and(within(j, n, r) >= recall AND (r = 0 OR within(j, n, r - 1) < recall)) AS smallest, count(*)
FROM unnest('{0,0.5,0.75,0.875}'::numeric[]) AS j, unnest('{1,64,65,256}'::int[]) AS n, unnest('{0.1,0.5,0.9,0.99}'::numeric[]) AS recall,
    LATERAL (SELECT minhash_radius(j::float8, n, recall::float8) AS r) AS radius;
SELECT minhash_radius(0.5, 0);
SELECT minhash_radius(0.5, 16385);
SELECT minhash_radius(-0.1, 64, 0.9);
SELECT minhash_radius('NaN', 64, 0.9);
SELECT minhash_radius('NaN', 64);
SELECT minhash_radius(0.5, 64, 1.1);
SELECT minhash_radius(0.5, 64, 'NaN');
SELECT minhash_radius(0.5, -1, 0.9);

\echo '-- every distance of several lengths'
CREATE TABLE pair (n int, h int, plain float8, a varbit, b varbit);
INSERT INTO pair SELECT n, h, (n - 2.0::float8 * h) / n, repeat('0', n)::varbit, (repeat('1', h) || repeat('0', n - h))::varbit
FROM unnest('{1,2,3,7,64,65,100,256,300,1000,1024}'::int[]) AS n, generate_series(0, n) AS h;
SELECT bool_and(minhash_similarity(a, b) = plain) AS same FROM pair;
SELECT bool_and(minhash_similarity(a, b) < before) AS decreasing
FROM (SELECT *, lag(minhash_similarity(a, b)) OVER (PARTITION BY n ORDER BY h) AS before FROM pair) AS p WHERE h > 0;
\echo '-- Thresholds: every value, the numbers next to it, and others. A threshold is compared with the values around it.'
CREATE TABLE threshold (n int, h int, t float8);
INSERT INTO threshold SELECT n, h, t FROM pair,
    unnest(ARRAY[plain, plain * (1 + 2.0 ^ -52), plain * (1 - 2.0 ^ -52), plain::real,
        round(plain::numeric, 2), round(plain::numeric, 16)]) AS t
WHERE n <= 100 OR h % 16 < 3 OR n - h < 3;
INSERT INTO threshold SELECT n, h, t FROM pair,
    unnest('{NaN,Infinity,-Infinity,0,-0,1,-1,1e300,-1e300,1e-300,0.3333333333333333}'::float8[]) AS t
WHERE n IN (3, 64) OR h IN (0, 1, n / 2, n);
ANALYZE pair, threshold;
SELECT count(*) > 5000 AS many FROM threshold;

SELECT count(*) FILTER (WHERE minhash_at_least(p.a, p.b, t.t) IS DISTINCT FROM (p.plain >= t.t)) AS differ, count(*) > 5000 AS many
FROM threshold AS t, generate_series(-2, 2) AS d, pair AS p WHERE p.n = t.n AND p.h = t.h + d;

\echo '-- the radius of a threshold, as the index uses it'
SELECT count(*) FILTER (WHERE minhash_at_least(p.a, p.b, t.t) IS DISTINCT FROM (p.h <= minhash_radius(t.t, t.n)))
FROM threshold AS t, generate_series(-2, 2) AS d, pair AS p WHERE p.n = t.n AND p.h = t.h + d;
CREATE TABLE stored (h int, s bit(256));
INSERT INTO stored SELECT h, b::bit(256) FROM pair WHERE n = 256;
CREATE INDEX ON stored USING simhash (s);
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT plan_of('SELECT s FROM threshold AS t JOIN stored ON minhash_at_least(s, t::text::varbit, t.t)');
SELECT count(*), sum(least(wrong, 1)) FROM threshold AS t, LATERAL (SELECT
    abs((SELECT count(*) FROM stored WHERE minhash_at_least(s, repeat('0', 256)::varbit, t)) - count(*) FILTER (WHERE p.plain >= t)) AS wrong
    FROM pair AS p WHERE n = 256) AS x WHERE n = 256;
RESET enable_seqscan;
RESET enable_bitmapscan;

DROP TABLE pair, threshold, stored;
DROP FUNCTION within;
