-- lsh_keys_l1, lsh_keys_l2, lsh_keys_bits, their probabilities and parameters. The keys are stored in tables and indexes:
-- the answers here must never change.

\set VERBOSITY default

SELECT lsh_keys_l1('{1,2,3}', 4, 3, 3) AS l1, lsh_keys_l2('{1,2,3}', 4, 3, 3) AS l2;
SELECT lsh_keys_l1('{1,2,3}', 4, 2, 3, -1) AS l1, lsh_keys_l2('{1,2,3}', 4, 2, 3, -1) AS l2;
SELECT lsh_keys_bits(B'0110100110010110', 3, 5), lsh_keys_bits(B'0110100110010110', 2, 5, 9);
SELECT md5(lsh_keys_l1(v, 1000, 20, 8)::text) AS l1, md5(lsh_keys_l2(v, 1000, 20, 8)::text) AS l2
FROM (SELECT array_agg(i * 7919 % 1009 - 500 ORDER BY i) AS v FROM generate_series(1, 1536) AS i) AS vector;

-- Elements of any type of numbers; fewer keys are the first of more; zeros, units and bounds are nothing.
SELECT lsh_keys_l2(ARRAY[1, 2.5, -3]::real[], 4, 3, 3) = lsh_keys_l2('{1,2.5,-3}', 4, 3, 3) AS real,
       lsh_keys_l1(ARRAY[1, 2.5, -3], 4, 3, 3) = lsh_keys_l1('{1,2.5,-3}', 4, 3, 3) AS numeric,
       lsh_keys_l2(ARRAY[1, 2, -3], 4, 3, 3) = lsh_keys_l2('{1,2,-3}', 4, 3, 3) AS integer,
       lsh_keys_l2('{1,2,3}', 4, 3, 3) = (lsh_keys_l2('{1,2,3}', 4, 50, 3))[1:3] AS first_keys,
       lsh_keys_bits(B'0110', 3, 3) = (lsh_keys_bits(B'0110', 50, 3))[1:3] AS first_keys_of_bits,
       lsh_keys_l1('{1,2,3}', 4, 3, 3) = lsh_keys_l1('{4,8,12,0,-0}', 16, 3, 3) AS units,
       lsh_keys_l1('[5:7]={1,2,3}', 4, 3, 3) = lsh_keys_l1('{1,2,3}', 4, 3, 3) AS bounds;

-- The origin has keys; what has no dimension has none.
SELECT lsh_keys_l2('{0,0}', 1, 2, 3) AS origin, lsh_keys_l2('{}', 1, 2, 3) AS empty, lsh_keys_l1('{}', 1, 2, 3) AS l1,
       lsh_keys_bits(B'', 2, 3) AS no_bits, lsh_keys_l2(NULL, 1, 2, 3) AS null, lsh_keys_l2('{1}', NULL, 2, 3) AS no_width,
       lsh_keys_l2('{1}', 1, 2, 3, NULL) AS no_seed, lsh_keys_bits(NULL, 2, 3) AS no_string;

SELECT lsh_keys_l2('{1,NaN}', 1, 2, 3);
\echo :SQLSTATE
SELECT lsh_keys_l1('{1,-Infinity}', 1, 2, 3);
\echo :SQLSTATE
SELECT lsh_keys_l2('{1,NULL}', 1, 2, 3);
\echo :SQLSTATE
SELECT lsh_keys_l2('{{1},{2}}', 1, 2, 3);
\echo :SQLSTATE
SELECT lsh_keys_l2(array_fill(1::float8, ARRAY[65536]), 1, 2, 3) IS NULL AS too_long;
SELECT lsh_keys_l2(array_fill(1::float8, ARRAY[65537]), 1, 2, 3);
\echo :SQLSTATE
SELECT lsh_keys_l2('{1,1e12}', 1, 2, 3);
\echo :SQLSTATE
SELECT lsh_keys_l1('{1,1e300}', 1e-300, 2, 3);
\echo :SQLSTATE
SELECT lsh_keys_l2('{1}', 0, 2, 3);
\echo :SQLSTATE
SELECT lsh_keys_l2('{1}', 'NaN', 2, 3);
SELECT lsh_keys_l2('{1}', 'Infinity', 2, 3);
SELECT lsh_keys_l2('{1}', 1, 0, 3);
\echo :SQLSTATE
SELECT lsh_keys_l1('{1}', 1, 1025, 3);
SELECT lsh_keys_l1('{1}', 1, 3, 0);
\echo :SQLSTATE
SELECT lsh_keys_bits(B'1', 3, 1025);
SELECT cardinality(lsh_keys_bits(B'1', 1024, 1024)) AS keys, cardinality(lsh_keys_l2('{1}', 1, 1024, 1024)) AS l2;

-- Probabilities of collision.
SELECT c, round(lsh_probability_l1(c, 1)::numeric, 6) AS l1, round(lsh_probability_l2(c, 1)::numeric, 6) AS l2,
       round(lsh_probability_l2(c * 3, 3)::numeric, 6) AS units
FROM unnest('{0,0.1,0.5,1,2,10,1000,Infinity}'::float8[]) AS c;
SELECT lsh_probability_l1(-1, 1);
\echo :SQLSTATE
SELECT lsh_probability_l2('NaN', 1);
SELECT lsh_probability_l2(1, 0);
\echo :SQLSTATE

-- A pair shares a key as often as they say.
SELECT name, distance, count(*) FILTER (WHERE a = b) AS equal, round(20000 * probability) AS expected
FROM (VALUES ('l1', 0.5), ('l1', 2), ('l2', 0.5), ('l2', 2)) AS family (name, distance),
    LATERAL (SELECT CASE name WHEN 'l1' THEN lsh_probability_l1(distance, 1) ELSE lsh_probability_l2(distance, 1) END AS probability) AS p,
    generate_series(1, 20) AS seed,
    LATERAL (SELECT unnest(CASE name WHEN 'l1' THEN lsh_keys_l1('{3,1}', 1, 1000, 1, seed) ELSE lsh_keys_l2('{3,1}', 1, 1000, 1, seed) END) AS a,
                    unnest(CASE name WHEN 'l1' THEN lsh_keys_l1(ARRAY[3 + distance, 1], 1, 1000, 1, seed)
                                     ELSE lsh_keys_l2(ARRAY[3 + distance, 1], 1, 1000, 1, seed) END) AS b) AS k
GROUP BY name, distance, probability ORDER BY 1, 2;
SELECT distance, count(*) FILTER (WHERE a = b) AS equal, round(20000 * (1 - distance / 100.0) ^ 4) AS expected
FROM unnest('{0,5,25,60,100}'::int[]) AS distance, generate_series(1, 20) AS seed,
    LATERAL (SELECT unnest(lsh_keys_bits(repeat('0', 100)::bit(100), 1000, 4, seed)) AS a,
                    unnest(lsh_keys_bits(rpad(repeat('1', distance), 100, '0')::bit(100), 1000, 4, seed)) AS b) AS k
GROUP BY distance ORDER BY 1;

-- Parameters.
SELECT round(rho::numeric, 4) AS rho, keys, hashes_per_key, round(expected_recall::numeric, 4) AS recall, round(candidates::numeric, 2) AS candidates
FROM (VALUES (1000000, 0.5, 0.1, 1 - exp(-1.0)), (1000000, 0.8, 0.3, 0.9), (1, 0.8, 0.3, 0.9), (1000, 1, 0, 0.999), (1000, 1, 0.5, 0.5),
             (9223372036854775807, 0.9, 0.5, 0.99)) AS argument (n, p1, p2, r), lsh_parameters(n, p1, p2, r);
SELECT lsh_parameters(1000, 0.8, 0.4) = lsh_parameters(1000, 0.8, 0.4, 0.9) AS default_recall;
SELECT lsh_parameters(0, 0.8, 0.4);
\echo :SQLSTATE
SELECT lsh_parameters(1000, 0.4, 0.4);
\echo :SQLSTATE
SELECT lsh_parameters(1000, 1.5, 0.4);
SELECT lsh_parameters(1000, 'NaN', 0.4);
SELECT lsh_parameters(1000, 0.8, -0.1);
SELECT lsh_parameters(1000, 0.8, 0.4, 1);
\echo :SQLSTATE
SELECT lsh_parameters(1000, 0.8, 0.4, 0);
SELECT lsh_parameters(1000000000000, 0.02, 0.01);
\echo :SQLSTATE
SELECT lsh_parameters(1000000, 1, 0.9999999999);
SELECT lsh_parameters(1000, NULL, 0.4);

-- A search: keys in a btree, candidates rechecked by their distance. 1000 places in a cube of 8 dimensions, and 200 at
-- distances from 0.5 to 4 from some of them.
CREATE FUNCTION pg_temp.l2(double precision[], double precision[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE AS $$ SELECT sqrt(sum((a - b) ^ 2)) FROM unnest($1, $2) AS u(a, b) $$;
CREATE FUNCTION pg_temp.number(text) RETURNS double precision
    LANGUAGE sql IMMUTABLE AS $$ SELECT ('x' || left(md5($1), 4))::bit(16)::int / 65536.0 $$;
CREATE TABLE place (id int PRIMARY KEY, v double precision[]);
INSERT INTO place SELECT i, array_agg(100 * pg_temp.number(i || ',' || d) ORDER BY d)
    FROM generate_series(1, 1000) AS i, generate_series(1, 8) AS d GROUP BY i;
INSERT INTO place SELECT 1000 + i, (SELECT array_agg(x + (1 + i % 4) * (pg_temp.number(i || ';' || d) - 0.5) ORDER BY d) FROM unnest(v) WITH ORDINALITY AS u(x, d))
    FROM place AS p, generate_series(1, 200) AS i WHERE p.id = 5 * i;

SELECT * FROM lsh_parameters(1200, lsh_probability_l2(2, 8), lsh_probability_l2(8, 8)) \gset
SELECT :keys AS keys, :hashes_per_key AS hashes_per_key, round(:expected_recall, 3) AS recall, round(:candidates, 2) AS candidates;
CREATE TABLE place_key (key bigint, id int);
INSERT INTO place_key SELECT unnest(lsh_keys_l2(v, 8, :keys, :hashes_per_key)), id FROM place;
CREATE INDEX place_key_key ON place_key (key, id);
ANALYZE place, place_key;

CREATE TEMP TABLE truth AS
    SELECT q.id AS query, p.id FROM place AS q, place AS p WHERE q.id > 1000 AND pg_temp.l2(q.v, p.v) <= 2;
CREATE TEMP TABLE candidate AS
    SELECT DISTINCT q.id AS query, k.id, q.v FROM place AS q, place_key AS k
    WHERE q.id > 1000 AND k.key = ANY (lsh_keys_l2(q.v, 8, :keys, :hashes_per_key));
CREATE TEMP TABLE found AS
    SELECT query, id FROM candidate JOIN place AS p USING (id) WHERE pg_temp.l2(candidate.v, p.v) <= 2;
SELECT (SELECT count(*) FROM found) AS found, (SELECT count(*) FROM truth) AS all,
       (SELECT count(*) FROM (TABLE found EXCEPT TABLE truth) AS wrong) AS wrong,
       (SELECT count(*) FROM truth WHERE query <> id) AS neighbors,
       (SELECT count(*) FROM candidate) AS candidates;
SELECT (SELECT count(*) FROM found WHERE query <> id) >= :expected_recall * (SELECT count(*) FROM truth WHERE query <> id) AS recall_as_expected;

-- The btree finds keys, and so does a GIN index on the arrays.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM place_key WHERE key = ANY ('{1,2,3}');
RESET enable_bitmapscan;
CREATE INDEX place_gin ON place USING gin (lsh_keys_l2(v, 8, 4, 3));
EXPLAIN (COSTS OFF) SELECT id FROM place WHERE lsh_keys_l2(v, 8, 4, 3) && lsh_keys_l2('{1,2,3}', 8, 4, 3);
SELECT count(*) FROM place AS p WHERE lsh_keys_l2(v, 8, 4, 3) && (SELECT lsh_keys_l2(v, 8, 4, 3) FROM place WHERE id = 1001);
RESET enable_seqscan;
SELECT count(*) FROM place AS p WHERE lsh_keys_l2(v, 8, 4, 3) && (SELECT lsh_keys_l2(v, 8, 4, 3) FROM place WHERE id = 1001);

-- All pairs by a join on the keys, also for the L1 distance.
SELECT count(*) FROM (SELECT DISTINCT a.id, b.id FROM place_key AS a JOIN place_key AS b USING (key) WHERE a.id < b.id) AS pair (a, b)
    JOIN place AS x ON x.id = a JOIN place AS y ON y.id = b WHERE pg_temp.l2(x.v, y.v) <= 2;
CREATE FUNCTION pg_temp.l1(double precision[], double precision[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE AS $$ SELECT sum(abs(a - b)) FROM unnest($1, $2) AS u(a, b) $$;
CREATE TEMP TABLE l1_key AS SELECT unnest(lsh_keys_l1(v, 20, 20, 6)) AS key, id FROM place;
SELECT count(*) FILTER (WHERE found) AS found, count(*) AS all, round(sum(1 - (1 - lsh_probability_l1(d, 20) ^ 6) ^ 20)) AS expected
FROM (SELECT pg_temp.l1(p.v, q.v) AS d, EXISTS (SELECT FROM l1_key AS a JOIN l1_key AS b USING (key) WHERE a.id = p.id AND b.id = q.id) AS found
      FROM place AS p JOIN place AS q ON q.id = 1000 + p.id / 5 WHERE p.id <= 1000 AND p.id % 5 = 0) AS pair;
DROP TABLE place, place_key;
