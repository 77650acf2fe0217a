\set ECHO none
-- to_signature, signature_agg and signature_project: signatures of 64 to 4096 bits. These bits are stored in columns and
-- indexes: the answers here must never change.

\set VERBOSITY default

CREATE FUNCTION pg_temp.hex(signature bit) RETURNS text
    LANGUAGE sql IMMUTABLE AS $$ SELECT encode(substring(varbit_send(signature) FROM 5), 'hex') $$;
\echo '-- The bits of weights, the first element''s first.'
CREATE FUNCTION pg_temp.signs(weights real[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(CASE WHEN w >= 0 THEN '1' ELSE '0' END, '' ORDER BY n) FROM unnest(weights) WITH ORDINALITY AS u(w, n) $$;

CREATE TEMP TABLE example (id int PRIMARY KEY, body text, sig bit(1024) GENERATED ALWAYS AS (to_signature(body, 1024)) STORED);
INSERT INTO example (id, body) VALUES
    (1, 'The quick brown fox jumps over the lazy dog'),
    (2, 'THE QUICK BROWN FOX… jumps over the lazy dog!'),
    (3, 'The quick brown fox jumps over the lazy cat'),
    (4, 'Lorem ipsum dolor sit amet, consectetur adipiscing elit.'),
    (5, '東京都の天気は晴れです。'),
    (6, ' ?!');
SELECT id, pg_temp.hex(sig) FROM example ORDER BY id;
SELECT a.id, b.id, a.sig <@> b.sig AS distance FROM example a, example b WHERE a.id < b.id ORDER BY 1, 2;

\echo '-- The first 64 bits are the fingerprint, and shorter signatures are beginnings of longer ones.'
SELECT bool_and(to_signature(body, 1024)::bit(64) = to_simhash(body)::bit(64)
                AND substring(to_signature(body, 1024) FOR 64)::bit(64)::simhash = to_simhash(body)
                AND to_signature(body, 64) = to_simhash(body)::bit(64)
                AND to_signature(body, 4096)::bit(1024) = sig) AS first_bits,
       bool_and((SELECT bool_and(to_signature(body, n) = substring(to_signature(body, 4096) FOR n)
                                 AND length(to_signature(body, n)) = n)
                 FROM unnest(ARRAY[64, 65, 71, 72, 100, 127, 128, 129, 300, 576, 1000, 4095]) AS n)) AS beginnings
FROM example WHERE sig IS NOT NULL;
SELECT to_signature('a', 65), to_signature('a', 71);
SELECT pg_column_size(to_signature('a', 65)) AS bytes, pg_typeof(to_signature('a', 65)) AS type;

\echo '-- No features, no signature; NULL for NULL.'
SELECT to_signature('', 256) AS empty, to_signature(NULL::text, 256) AS null, to_signature('a', NULL) AS no_number,
       to_signature(features('{}'::text[]), 256) AS no_elements, to_signature(features(ARRAY[NULL]::text[]), 256) AS null_elements,
       to_signature(features('{a}'::text[], '{0}'::float8[]), 256) AS weightless, to_signature(features(''::tsvector), 256) AS no_lexemes,
       to_signature(features('{}'::jsonb), 256) AS no_keys, to_signature_weights(features(''), 256) AS no_weights;

SELECT to_signature('a', 63);
\echo :SQLSTATE
SELECT to_signature('a', 4097);
\echo :SQLSTATE
SELECT to_signature(features('{a}'::text[]), -1);
\echo :SQLSTATE
SELECT to_signature_weights(features('{"a": 1}'::jsonb), 0);
\echo :SQLSTATE
SELECT signature_agg('a', 2147483647);
\echo :SQLSTATE
SELECT signature_project('{1}', 63);
\echo :SQLSTATE
SELECT signature_project_weights('{1}', 5000);
\echo :SQLSTATE

\echo '-- A result of the wrong length does not fit a column.'
CREATE TEMP TABLE narrow (sig bit(512) GENERATED ALWAYS AS (to_signature('a', 256)) STORED);
INSERT INTO narrow DEFAULT VALUES;
\echo :SQLSTATE

\echo '-- Features and weights are those of to_simhash.'
SELECT to_signature('A, b. c', 'word', 2, 128) = to_signature(features('{a b,b c}'::text[]), 128) AS shingles,
       to_signature('b a b', 128) = to_signature(features(ARRAY['a', 'b', NULL, 'b']), 128) AS array,
       to_signature(features(ARRAY['a', 'b', 'a'], ARRAY[1, 2, 3]), 128) = to_signature(features('{"a": 4, "b": 2}'::jsonb), 128) AS weights,
       to_signature(features('a:1C b:2'::tsvector), 128) = to_signature(features('{a,a,b}'::text[]), 128) AS labels,
       to_signature(features(ARRAY['a'], ARRAY[-1]), 128) = ~ to_signature('a', 128) AS negative;
SELECT pg_temp.hex(to_signature(features('{"spam": 1.5, "ham": -0.25, "eggs": 1e-7}'::jsonb), 200)),
       pg_temp.hex(to_signature('The quick brown fox', 'character', 3, 200));
SELECT to_signature('a', 'sentence', 1, 128);
\echo :SQLSTATE
SELECT to_signature(features(ARRAY['a', 'b'], ARRAY[1]), 128);
\echo :SQLSTATE
SELECT to_signature(features(ARRAY['a'], ARRAY['NaN'::float8]), 128);
\echo :SQLSTATE
SELECT to_signature(features(ARRAY['a', 'a'], ARRAY[4e11, 4e11]), 128);
\echo :SQLSTATE
SELECT to_signature(features('{"a": [1]}'::jsonb), 128);
\echo :SQLSTATE

\echo '-- Weights are the sums, bit by bit; the first word''s are those of to_simhash_weights in reverse order.'
SELECT bool_and(pg_temp.signs(to_signature_weights(features(body), 1024)) = sig::text) AS signs,
       bool_and(array_length(to_signature_weights(features(body), 65), 1) = 65) AS length,
       bool_and((to_signature_weights(features(body), 1024))[1:64] = (SELECT array_agg(w ORDER BY n DESC)
           FROM unnest(to_simhash_weights(body)::real[]) WITH ORDINALITY AS u(w, n))) AS first_word
FROM example WHERE sig IS NOT NULL;
SELECT (to_signature_weights(features('a b b'), 70))[61:70] AS text, (to_signature_weights(features(ARRAY['a', 'b', 'b']), 70))[70] AS array,
       (to_signature_weights(features(ARRAY['a', 'b'], ARRAY[1.5, -0.25]), 70))[70] AS weights,
       (to_signature_weights(features('a b', 'word', 2), 70))[70] AS shingles, (to_signature_weights(features('a:1A'::tsvector), 70))[70] AS tsvector,
       (to_signature_weights(features('{"a": 1.5, "b": -0.25}'::jsonb), 70))[70] AS jsonb;
\echo '-- Rounding to real does not change a sign. A sum of 0 gives 1.'
SELECT pg_temp.signs(w) = to_signature(features(f, v), 128)::text AS signs, min(abs(x)) AS smallest, count(*) FILTER (WHERE x = 0) AS ties
FROM (SELECT f, v, to_signature_weights(features(f, v), 128) AS w
      FROM (VALUES (ARRAY['a', 'b'], ARRAY[1, 1 + 2 ^ -24]), (ARRAY['a', 'b'], ARRAY[1, 1])) AS v(f, v)) AS s, unnest(w) AS x
GROUP BY f, v, w ORDER BY smallest DESC;

\echo '-- Unrelated texts differ in half of the bits, and related ones in proportion to the angle of their features.'
SELECT round(avg((a <@> b)::int), 1) AS unrelated
FROM (SELECT to_signature('a' || i || ' b' || i || ' c' || i, 1024) AS a, to_signature('d' || i || ' e' || i, 1024) AS b
      FROM generate_series(1, 200) AS i) AS v;
SELECT shared, round(avg((to_signature(features(a), 1024) <@> to_signature(features(b), 1024))::int), 1) AS bits,
       round((acosd(shared / 40.0) * 1024 / 180)::numeric, 1) AS expected
FROM (SELECT shared, seed, array_agg('w' || i + 1000 * seed) FILTER (WHERE i <= 40) AS a,
             array_agg('w' || i + 1000 * seed) FILTER (WHERE i > 40 - shared AND i <= 80 - shared) AS b
      FROM unnest(ARRAY[0, 10, 20, 30, 36, 39]) AS shared, generate_series(1, 40) AS seed, generate_series(1, 80) AS i
      GROUP BY shared, seed) AS v
GROUP BY shared ORDER BY shared;

\echo '-- They can be the weights of a ball.'
SELECT id FROM example
WHERE sig <@| signature_ball(to_signature('The quick brown fox jumps over the lazy dog', 1024), 118, 0.9,
    to_signature_weights(features('The quick brown fox jumps over the lazy dog'), 1024)) ORDER BY id;
\echo '-- Large documents.'
SELECT md5(to_signature(string_agg('word' || i % 50021, ' '), 4096)::text) FROM generate_series(1, 400000) AS i;
SELECT to_signature(repeat('東京', 500000), 130), to_signature(repeat('x ', 100000), 130) = to_signature('x', 130) AS one_word;

\echo '-- The aggregate: one row per feature.'
CREATE TEMP TABLE feature (doc int, feature text, weight float8);
INSERT INTO feature VALUES
    (1, 'a', 1), (1, 'b', 2.5), (1, 'b', -0.5), (1, NULL, 9), (1, 'c', NULL),
    (2, 'd', 1), (3, NULL, 1), (4, 'e', 0);
SELECT doc, signature_agg(feature, 72), signature_agg(feature, weight, 72) FROM feature GROUP BY doc ORDER BY doc;
SELECT signature_agg(feature, 1000) = to_signature(features(ARRAY['a', 'b', 'c'], ARRAY[1, 2, 1]), 1000) AS ones,
       signature_agg(feature, weight, 1000) = to_signature(features(array_agg(feature), array_agg(weight)), 1000) AS weights,
       signature_weights_agg(feature, 1000) = to_signature_weights(features(ARRAY['a', 'b', 'c'], ARRAY[1, 2, 1]), 1000) AS sums,
       signature_weights_agg(feature, weight, 1000)
       = to_signature_weights(features(array_agg(feature), array_agg(weight)), 1000) AS weighted_sums,
       signature_agg(feature, weight, 1000)::bit(64) = simhash_agg(feature, weight)::bit(64) AS first_bits
FROM feature WHERE doc = 1;
SELECT signature_agg(feature, 72), signature_agg(feature, weight, 72), signature_weights_agg(feature, 72),
       signature_weights_agg(feature, weight, 72) FROM feature WHERE false;
SELECT signature_agg(feature, NULL) IS NULL AS no_number FROM feature;
SELECT signature_agg(feature, 0) FROM feature;
\echo :SQLSTATE
SELECT signature_agg(feature, 70 + doc) FROM feature;
\echo :SQLSTATE
SELECT signature_agg(feature, 'NaN', 128) FROM feature;
\echo :SQLSTATE
SELECT signature_agg('a', 4e11, 128) FROM generate_series(1, 2);
\echo :SQLSTATE
SELECT count(DISTINCT w) FROM (
    SELECT signature_weights_agg('f' || i, 1 / i::float8, 128 ORDER BY i) FROM generate_series(1, 1000) AS i
    UNION ALL SELECT signature_weights_agg('f' || i, 1 / i::float8, 128 ORDER BY -i) FROM generate_series(1, 1000) AS i
    UNION ALL SELECT signature_weights_agg('f' || i, 1 / i::float8, 128 ORDER BY md5(i::text)) FROM generate_series(1, 1000) AS i
) AS v(w);

\echo '-- Parallel and serial plans agree, also when a worker has no features.'
CREATE TABLE parallel_feature AS
    SELECT i % 7 AS doc, CASE WHEN i % 7 > 0 THEN 'f' || i % 1013 END AS feature, (i % 17 - 5) / 7.0::float8 AS weight
    FROM generate_series(1, 30000) AS i;
ALTER TABLE parallel_feature SET (parallel_workers = 2);
ANALYZE parallel_feature;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE alone AS
    SELECT doc, signature_agg(feature, 300) AS a, signature_agg(feature, weight, 300) AS b,
           signature_weights_agg(feature, 300) AS c, signature_weights_agg(feature, weight, 300) AS d
    FROM parallel_feature GROUP BY doc;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT doc, signature_agg(feature, weight, 300) FROM parallel_feature GROUP BY doc;
SELECT count(*) AS documents, count(together.a) AS signatures, bool_and(alone IS NOT DISTINCT FROM together) AS same
FROM alone JOIN (
    SELECT doc, signature_agg(feature, 300) AS a, signature_agg(feature, weight, 300) AS b,
           signature_weights_agg(feature, 300) AS c, signature_weights_agg(feature, weight, 300) AS d
    FROM parallel_feature GROUP BY doc) AS together USING (doc);
SELECT signature_agg(feature, 300) = (SELECT signature_agg(feature, 300 ORDER BY feature) FROM parallel_feature) AS same
FROM parallel_feature;
SELECT signature_agg(feature, 300) FROM parallel_feature WHERE doc > 100;
SELECT signature_agg(feature, 300 + doc) FROM parallel_feature WHERE doc > 0;
\echo :SQLSTATE
RESET enable_sort;
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;
DROP TABLE parallel_feature;

\echo '-- Window frames.'
CREATE TEMP TABLE stream AS
    SELECT i, CASE WHEN i % 5 < 3 THEN 'f' || i % 3 END AS feature, i % 4 - 1::float8 AS weight
    FROM generate_series(1, 40) AS i;
CREATE TEMP TABLE moved AS
    SELECT i, signature_agg(feature, 72) OVER frame AS s, signature_agg(feature, weight, 72) OVER frame AS sw,
           signature_weights_agg(feature, 72) OVER frame AS w, signature_weights_agg(feature, weight, 72) OVER frame AS ww
    FROM stream WINDOW frame AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW);
CREATE TEMP TABLE recounted AS
    SELECT b.i, signature_agg(feature, 72) AS s, signature_agg(feature, weight, 72) AS sw,
           signature_weights_agg(feature, 72) AS w, signature_weights_agg(feature, weight, 72) AS ww
    FROM stream AS s JOIN (SELECT i FROM stream) AS b ON s.i BETWEEN b.i - 1 AND b.i
    GROUP BY b.i;
SELECT count(*), count(a.s) AS features, count(a.sw) AS weighted, count(DISTINCT a.ww) AS different,
       bool_and(a::text = b::text) AS same
FROM moved AS a JOIN recounted AS b USING (i);

\echo '-- Vectors, by random hyperplanes.'
SELECT pg_temp.hex(signature_project('{1}', 256)) AS one, pg_temp.hex(signature_project('{1,2,3}', 256)) AS three,
       pg_temp.hex(signature_project('{1,2,3}', 256, 1)) AS seed;
SELECT md5(signature_project(v, 4096)::text) AS md5, signature_project(v, 1024)::bit(64)::simhash = simhash_project(v) AS first_bits,
       signature_project(v, 128, -7)::bit(64)::simhash = simhash_project(v, -7) AS seed,
       signature_project(v, 4096)::bit(700) = signature_project(v, 700)::bit(700) AS beginning,
       pg_temp.signs(signature_project_weights(v, 700, 5)) = signature_project(v, 700, 5)::text AS signs,
       (signature_project_weights(v, 700, 5))[1:64] = (SELECT array_agg(w ORDER BY n DESC)
           FROM unnest(simhash_project_weights(v, 5)::real[]) WITH ORDINALITY AS u(w, n)) AS first_weights
FROM (SELECT array_agg((i * 7919 % 1009 - 500)::real ORDER BY i) AS v FROM generate_series(1, 1536) AS i) AS v;
SELECT signature_project('{}', 100) AS empty, signature_project('{0,0,-0}', 100) AS zeros, signature_project(NULL, 100) AS null,
       signature_project('{1}', NULL) AS no_number, signature_project('{1}', 100, NULL) AS no_seed,
       signature_project_weights('{0}', 100) AS no_weights;
SELECT (signature_project_weights('{0,-3}', 70))[61:70] AS weights,
       signature_project('{1,2,3}', 500) = signature_project('{2,4,6}', 500) AS length_is_nothing,
       signature_project('{1,2,3}', 500) = ~ signature_project('{-1,-2,-3}', 500) AS opposite;
\echo '-- The blocks of 64 bits are independent of each other and of those of other seeds.'
WITH blocks AS MATERIALIZED (
    SELECT seed, n, substring(sig FROM 64 * n + 1 FOR 64) AS bits
    FROM (SELECT seed, signature_project('{0.3,0.1,-0.7,0.2}', 1024, seed) AS sig FROM generate_series(0, 7) AS seed) AS s,
         generate_series(0, 15) AS n)
SELECT min(distance) > 10 AS differ, max(distance) < 54 AS not_opposite, round(avg(distance)) AS average FROM (
    SELECT (a.bits <@> b.bits)::int AS distance FROM blocks AS a JOIN blocks AS b ON (a.seed, a.n) < (b.seed, b.n)
) AS v;
SELECT degrees, round(avg((signature_project(ARRAY[1, 0, 0], 1024, seed) <@>
                          signature_project(ARRAY[cosd(degrees), sind(degrees), 0]::real[], 1024, seed))::int)) AS bits,
       round(1024 * degrees / 180.0) AS expected
FROM unnest(ARRAY[0, 10, 30, 60, 90]) AS degrees, generate_series(1, 20) AS seed GROUP BY degrees ORDER BY degrees;
SELECT signature_project('{1,NaN}', 100);
\echo :SQLSTATE
SELECT signature_project_weights('{1,-Infinity}', 100);
\echo :SQLSTATE
SELECT signature_project('{1,NULL}', 100);
\echo :SQLSTATE
SELECT signature_project('{{1},{2}}', 100);
\echo :SQLSTATE
SELECT signature_project(array_fill(1::real, ARRAY[65537]), 100);
\echo :SQLSTATE
