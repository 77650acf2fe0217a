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
