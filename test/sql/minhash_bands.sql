\set ECHO none
-- Bands of minima.

\set VERBOSITY default
\pset null '(null)'

\echo '-- The keys never change.'
SELECT minhash_bands(ARRAY[1, 2, 3, 4, 5, 6], rows) FROM unnest(ARRAY[1, 2, 3, 6]) AS rows;
SELECT minhash_bands(ARRAY[0, -1, 9223372036854775807], 1);
\echo '-- Equal rows have different keys in different bands, and every row and its place counts.'
SELECT count(*), count(DISTINCT key) FROM unnest(minhash_bands(array_fill(7::bigint, ARRAY[4096]), 1)) AS key;
SELECT count(DISTINCT minhash_bands(minima, 3)) FROM (VALUES (ARRAY[1, 2, 3]::bigint[]), ('{1,3,2}'), ('{1,2,4}'), ('{0,2,3}'), ('{1,0,3}')) AS v(minima);
SELECT minhash_bands(NULL, 4), minhash_bands(ARRAY[1, 2], NULL);

\echo '-- The probability of a band in common: 1 - (1 - J^K)^L, exact for very small and large ones.'
SELECT similarity, bands, rows, round(minhash_band_probability(similarity, bands, rows)::numeric, 9) AS probability
FROM (VALUES (0, 10, 2), (0.5, 25, 5), (0.7, 14, 9), (0.8, 9, 13), (0.8, 20, 5), (0.8, 32, 4), (1, 1, 4096)) AS v(similarity, bands, rows);
SELECT minhash_band_probability(1e-10, 1, 20) BETWEEN 0.999e-200 AND 1.001e-200 AS tiny,
       minhash_band_probability(0.8, 2147483647, 5) AS certain, minhash_band_probability(0.999, 1, 2147483647) AS never;
\echo '-- The most rows that keep a recall: one more does not. Minima that fill no band are left out.'
SELECT similarity, size, recall, rows, size / rows AS bands,
       round(minhash_band_probability(similarity, size / rows, rows)::numeric, 4) AS probability,
       round(minhash_band_probability(similarity, size / (rows + 1), rows + 1)::numeric, 4) AS next
FROM (VALUES (0.8, 128, 0.95), (0.8, 256, 0.95), (0.8, 1024, 0.99), (0.5, 128, 0.9), (0.9, 4096, 0.999), (0.1, 12, 0.5))
         AS v(similarity, size, recall),
     LATERAL minhash_band_rows(similarity, size, recall) AS rows;
SELECT minhash_band_rows(0.1, 12, 0.9) AS none, minhash_band_rows(1, 12, 1) AS all, minhash_band_rows(0, 12, 0) AS any,
       minhash_band_rows(0.8, 2147483647, 0.9) AS many;

\echo '-- Candidates through a btree index and through a GIN index are those of comparing all pairs.'
CREATE TEMP TABLE page AS
    SELECT id, array_agg(DISTINCT (id / 4 * 100 + n + (n < id % 4 * 5)::int * 1000)::text) AS features
    FROM generate_series(0, 399) AS id, generate_series(1, 20) AS n GROUP BY id;
ALTER TABLE page ADD minima bigint[];
UPDATE page SET minima = to_minhash_values(features(features), 64);
CREATE TEMP TABLE band AS SELECT id, key FROM page, unnest(minhash_bands(minima, 4)) AS key;
CREATE INDEX ON band (key);
CREATE INDEX ON page USING gin (minhash_bands(minima, 4));
ANALYZE page, band;
CREATE TEMP TABLE every_pair AS SELECT a.id AS a, b.id AS b FROM page a JOIN page b
    ON a.id < b.id AND EXISTS (SELECT FROM generate_series(0, 15) AS i WHERE a.minima[4 * i + 1:4 * i + 4] = b.minima[4 * i + 1:4 * i + 4]);
SELECT count(*) AS pairs, count(*) FILTER (WHERE a / 4 = b / 4) AS of_a_group FROM every_pair;
SET enable_seqscan = off;
SELECT count(*) FROM (SELECT a.id, b.id FROM band a JOIN band b ON a.key = b.key AND a.id < b.id
    EXCEPT TABLE every_pair) AS extra;
SELECT count(*) FROM (TABLE every_pair EXCEPT SELECT a.id, b.id FROM band a JOIN band b ON a.key = b.key) AS missing;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE minhash_bands(minima, 4) && minhash_bands(ARRAY[1, 2, 3, 4], 4);
SELECT count(*) FROM (SELECT a.id, b.id FROM page a JOIN page b ON minhash_bands(b.minima, 4) && minhash_bands(a.minima, 4) AND a.id < b.id
    EXCEPT TABLE every_pair) AS extra;
SELECT count(*) FROM (TABLE every_pair EXCEPT
    SELECT a.id, b.id FROM page a JOIN page b ON minhash_bands(b.minima, 4) && minhash_bands(a.minima, 4)) AS missing;

\echo '-- Errors.'
SELECT minhash_bands(ARRAY[1, 2, 3], 2);
\echo :SQLSTATE
SELECT minhash_bands(ARRAY[1, 2], 0);
\echo :SQLSTATE
SELECT minhash_bands('{}', 1);
\echo :SQLSTATE
SELECT minhash_bands(ARRAY[1, NULL], 1);
\echo :SQLSTATE
SELECT minhash_bands(ARRAY[[1], [2]], 1);
\echo :SQLSTATE
SELECT minhash_band_probability('NaN', 1, 1);
\echo :SQLSTATE
SELECT minhash_band_probability(1.1, 1, 1);
\echo :SQLSTATE
SELECT minhash_band_probability(0.5, 0, 1);
\echo :SQLSTATE
SELECT minhash_band_probability(0.5, 1, -1);
\echo :SQLSTATE
SELECT minhash_band_rows(0.5, 0, 0.9);
\echo :SQLSTATE
SELECT minhash_band_rows(0.5, 128, 2);
\echo :SQLSTATE
