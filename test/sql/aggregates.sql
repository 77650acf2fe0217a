\set ECHO none
-- simhash_agg and simhash_weights_agg: one row per feature.

\set VERBOSITY default

CREATE TEMP TABLE feature (doc int, feature text, weight float8);
INSERT INTO feature VALUES
    (1, 'a', 1), (1, 'b', 2.5), (1, 'b', -0.5), (1, NULL, 9), (1, 'c', NULL),
    (2, 'd', 1), (3, NULL, 1), (4, 'e', 0);

SELECT doc, simhash_agg(feature), simhash_agg(feature, weight) FROM feature GROUP BY doc ORDER BY doc;
SELECT doc, simhash_weights_agg(feature) FROM feature GROUP BY doc ORDER BY doc;
SELECT doc, simhash_weights_agg(feature, weight) FROM feature GROUP BY doc ORDER BY doc;

\echo '-- Every occurrence weighs 1: sums add up, without logarithms. Explicit weights work as with arrays.'
SELECT simhash_weights_agg(feature)::text = to_simhash_weights(features(ARRAY['a', 'b', 'c'], ARRAY[1, 2, 1]))::text AS ones,
       simhash_weights_agg(feature, weight)::text
       = to_simhash_weights(features(array_agg(feature), array_agg(weight)))::text AS weights,
       simhash_agg(feature, weight) = simhash_weights_agg(feature, weight)::simhash AS signs
FROM feature WHERE doc = 1;

\echo '-- No rows give NULL.'
SELECT simhash_agg(feature), simhash_agg(feature, weight), simhash_weights_agg(feature) FROM feature WHERE false;
SELECT simhash_agg(w), simhash_weights_agg(w) FROM (SELECT NULL::simhash_weights) AS v(w);

SELECT simhash_agg(feature, 'NaN') FROM feature;
\echo :SQLSTATE
SELECT simhash_agg(feature, 1e300) FROM feature;
\echo :SQLSTATE
SELECT simhash_agg('a', 4e11) FROM generate_series(1, 2);
\echo :SQLSTATE

\echo '-- Sums of stored weights. The result is packed as if it had been computed at once.'
SELECT simhash_weights_agg(w)::text = to_simhash_weights(features(ARRAY['a', 'b', 'b', 'd'], ARRAY[1, 2.5, -0.5, 1]))::text AS sums,
       simhash_agg(w) = simhash_weights_agg(w)::simhash AS signs,
       pg_column_size(simhash_weights_agg(w)) AS size
FROM (SELECT simhash_weights_agg(feature, weight) AS w FROM feature GROUP BY doc) AS v;

\echo '-- Exact in every order.'
SELECT count(DISTINCT w::text) FROM (
    SELECT simhash_weights_agg('f' || i, 1 / i::float8 ORDER BY i) FROM generate_series(1, 1000) AS i
    UNION ALL SELECT simhash_weights_agg('f' || i, 1 / i::float8 ORDER BY -i) FROM generate_series(1, 1000) AS i
    UNION ALL SELECT simhash_weights_agg('f' || i, 1 / i::float8 ORDER BY md5(i::text)) FROM generate_series(1, 1000) AS i
) AS v(w);

\echo '-- Parallel and serial plans agree.'
CREATE TABLE parallel_feature AS
    SELECT i % 7 AS doc, 'f' || i % 1013 AS feature, (i % 17 - 5) / 7.0::float8 AS weight
    FROM generate_series(1, 30000) AS i;
ALTER TABLE parallel_feature SET (parallel_workers = 2);
ANALYZE parallel_feature;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE alone AS
    SELECT doc, simhash_agg(feature) AS a, simhash_agg(feature, weight) AS b,
           simhash_weights_agg(feature)::text AS c, simhash_weights_agg(feature, weight)::text AS d,
           simhash_weights_agg(to_simhash_weights(features(ARRAY[feature], ARRAY[weight])))::text AS e
    FROM parallel_feature GROUP BY doc;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT doc, simhash_agg(feature, weight) FROM parallel_feature GROUP BY doc;
SELECT count(*) AS documents, bool_and(alone IS NOT DISTINCT FROM together) AS same FROM alone JOIN (
    SELECT doc, simhash_agg(feature) AS a, simhash_agg(feature, weight) AS b,
           simhash_weights_agg(feature)::text AS c, simhash_weights_agg(feature, weight)::text AS d,
           simhash_weights_agg(to_simhash_weights(features(ARRAY[feature], ARRAY[weight])))::text AS e
    FROM parallel_feature GROUP BY doc) AS together USING (doc);
EXPLAIN (COSTS OFF) SELECT simhash_agg(feature) FROM parallel_feature;
SELECT simhash_agg(feature) = (SELECT simhash_agg(feature ORDER BY feature) FROM parallel_feature) AS same
FROM parallel_feature;
SELECT simhash_agg(feature) FROM parallel_feature WHERE doc > 100;
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
    SELECT i, simhash_agg(feature) OVER frame AS h, simhash_agg(feature, weight) OVER frame AS hw,
           simhash_agg(w) OVER frame AS hs, simhash_weights_agg(feature) OVER frame AS w,
           simhash_weights_agg(feature, weight) OVER frame AS ww, simhash_weights_agg(w) OVER frame AS ws
    FROM (SELECT *, to_simhash_weights(feature) AS w FROM stream) AS s
    WINDOW frame AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW);
CREATE TEMP TABLE recounted AS
    SELECT b.i, simhash_agg(feature) AS h, simhash_agg(feature, weight) AS hw, simhash_agg(w) AS hs,
           simhash_weights_agg(feature) AS w, simhash_weights_agg(feature, weight) AS ww, simhash_weights_agg(w) AS ws
    FROM (SELECT *, to_simhash_weights(feature) AS w FROM stream) AS s
    JOIN (SELECT i FROM stream) AS b ON s.i BETWEEN b.i - 1 AND b.i
    GROUP BY b.i;
SELECT count(*), count(a.h) AS features, count(a.hw) AS weighted, count(DISTINCT a.ww::text) AS different,
       bool_and(a::text = b::text) AS same
FROM moved AS a JOIN recounted AS b USING (i);
\echo '-- A growing frame uses the plain state.'
SELECT bool_and(h IS NOT DISTINCT FROM (SELECT simhash_agg(feature) FROM stream s WHERE s.i <= v.i)) AS same
FROM (SELECT i, simhash_agg(feature) OVER (ORDER BY i) AS h FROM stream) AS v;
