\set ECHO none
-- Min-hash sketches. Their values are stored in tables: they never change.
SELECT to_minhash_values(features(ARRAY[1, 2, 3]), 4);
SELECT to_minhash_values(features('the quick brown fox jumps over the lazy dog'), 3);
SELECT to_minhash('the quick brown fox jumps over the lazy dog', 64);
SELECT to_minhash('the quick brown fox jumps over the lazy dog', 'word', 3, 20);
SELECT to_minhash('東京都 the Café', 'character', 3, 20);
SELECT md5(to_minhash(features((SELECT array_agg(i) FROM generate_series(1, 1000) i)), 4096)::text),
    md5(to_minhash_values(features((SELECT array_agg(i) FROM generate_series(1, 10) i)), 16384)::text);

\echo '-- A document is its set of features: neither order nor repetitions matter, and NULL elements are skipped.'
SELECT to_minhash(text, 300) = to_minhash(features(to_features(text)), 300) AS words,
       to_minhash(text, 'word', 3, 300) = to_minhash(features(to_features(text, 'word', 3)), 300) AS shingles,
       to_minhash(text, 'character', 5, 300) = to_minhash(features(to_features(text, 'character', 5)), 300) AS characters,
       to_minhash(features(to_tsvector('simple', text)), 300) = to_minhash(features(tsvector_to_array(to_tsvector('simple', text))), 300)
           AS lexemes
FROM (SELECT 'It was the best of times, it was the worst of times, it was the age of wisdom') AS t (text);
SELECT to_minhash(features('{a,b,c}'::text[]), 100) = to_minhash(features('{c,NULL,b,b,a,c}'::text[]), 100) AS features,
       to_minhash(features('{{a,b},{c,c}}'::text[]), 100) = to_minhash(features('{a,b,c}'::text[]), 100) AS dimensions,
       to_minhash(features('{1,2,3}'::bigint[]), 100) = to_minhash(features('{3,NULL,2,2,1}'::bigint[]), 100) AS numbers,
       to_minhash(features('{1,2,3}'::bigint[]), 100) = to_minhash(features('{1,2,4}'::bigint[]), 100) AS others;

\echo '-- Without features there is no sketch.'
SELECT to_minhash('', 64), to_minhash(' . ', 'word', 2, 64), to_minhash(features('{}'::text[]), 64), to_minhash(features('{NULL}'::bigint[]), 64),
       to_minhash(features(''::tsvector), 64), to_minhash_values(features(NULL::text), 64), to_minhash('a', NULL);

\echo '-- One bit of each minimum.'
SELECT bool_and(to_minhash(d, n) = minhash_bits(to_minhash_values(features(d), n))) AS same,
       bool_and(length(to_minhash(d, n)) = n AND cardinality(to_minhash_values(features(d), n)) = n) AS lengths
FROM unnest('{a b c,one more text}'::text[]) d, unnest('{1,2,7,8,9,64,100,4096,9000,16384}'::int[]) n;
SELECT minhash_bits('{0,1,2,3,4,5,6,7,8,9,-1,9223372036854775807,-9223372036854775808}');

\echo '-- Errors'
SELECT to_minhash('a', 0);
SELECT to_minhash_values(features('a'), 16385);
SELECT to_minhash('a', 'line', 1, 64);
SELECT to_minhash('a', 'word', 0, 64);
SELECT to_minhash(features(string_to_array('a b', ' ')), -1);
SELECT minhash_bits('{}');
SELECT minhash_bits('{1,NULL}');
SELECT minhash_bits('{{1,2},{3,4}}');
SELECT minhash_union('{1,2}', '{1,2,3}');
SELECT minhash_similarity('{1,2}'::bigint[], '{1,2,3}'::bigint[]);
SELECT minhash_similarity('{1,2,3,4}'::bigint[], '{1,3,2,4}'::bigint[]), minhash_similarity('{1}', NULL::bigint[]);

\echo '-- Sets a and b with sizes from 1 to 100,000 and known Jaccard indices. Four standard errors bound the estimates'' errors.'
CREATE TEMP TABLE pairs AS
SELECT n, common, common::float8 / (2 * n - common) AS truth,
       ARRAY(SELECT (n * 7 + 13 * m) * 1000003 + i FROM generate_series(1, n) i) AS a,
       ARRAY(SELECT (n * 7 + 13 * m) * 1000003 + i + n - common FROM generate_series(1, n) i) AS b
FROM unnest('{1,2,10,100,1000,10000,100000}'::bigint[]) n,
     LATERAL (SELECT DISTINCT n * m / 10 AS common, m FROM unnest('{0,3,7,9,10}'::int[]) m) c;
SELECT n, count(*), bool_and(abs(minhash_similarity(to_minhash_values(features(a), size), to_minhash_values(features(b), size)) - truth)
                             <= 4 * sqrt(truth * (1 - truth) / size)) AS minima,
       bool_and(abs(1 - 2 * (to_minhash(features(a), size) <@> to_minhash(features(b), size)) / size::float8 - truth)
                <= 4 * sqrt((1 - truth * truth) / size)) AS bits
FROM pairs, unnest('{128,1024,9000}'::int[]) size
GROUP BY n ORDER BY n;

\echo '-- Symmetry; the union of two sketches is the sketch of the union.'
SELECT bool_and(minhash_similarity(x, y) = minhash_similarity(y, x)) AS symmetric,
       bool_and(minhash_similarity(x, x) = 1) AS reflexive,
       bool_and(minhash_union(x, y) = minhash_union(y, x) AND minhash_union(x, x) = x) AS commutative,
       bool_and(minhash_union(x, y) = to_minhash_values(features(a || b), 200)) AS united
FROM pairs, LATERAL (SELECT to_minhash_values(features(a), 200) AS x, to_minhash_values(features(b), 200) AS y) s;

\echo '-- Aggregates: the same sketches, from one row for each feature.'
CREATE TEMP TABLE words AS
SELECT d, 'word ' || i * (d + 1) % (37 * d + 1) AS word, i * (d + 1) % (37 * d + 1)::bigint AS number
FROM generate_series(0, 60) d, generate_series(1, 1 + d * d * 2) i;
CREATE TEMP VIEW sketches AS
SELECT d, minhash_agg(word, 256) AS bits, minhash_values_agg(word, 256) AS minima,
       minhash_agg(number::text, 256) AS number_bits, minhash_values_agg(number::text, 256) AS number_minima, count(*)
FROM words GROUP BY d;
CREATE TEMP VIEW arrays AS
SELECT d, to_minhash(features(array_agg(word)), 256) AS bits, to_minhash_values(features(array_agg(word)), 256) AS minima,
       to_minhash(features(array_agg(number)), 256) AS number_bits, to_minhash_values(features(array_agg(number)), 256) AS number_minima,
       count(*)
FROM words GROUP BY d;
SELECT count(*) AS groups, (SELECT count(*) FROM (TABLE sketches EXCEPT TABLE arrays) e) AS differ FROM sketches;
SELECT minhash_values_agg(i::text, 9000) = to_minhash_values(features(array_agg(i)), 9000) AS minima, minhash_agg(i::text, 16384) = to_minhash(features(array_agg(i)), 16384) AS bits,
    cardinality(minhash_bands(minhash_values_agg(i::text, 9000), 20)) AS bands FROM generate_series(1, 5000) i;
SELECT minhash_agg(f, 64) AS nulls, minhash_values_agg(f, 64) FROM (VALUES (NULL), (NULL::text)) v (f);
SELECT minhash_agg(f, 8) AS bits, minhash_agg(f, NULL) AS nothing, minhash_agg(f, 8) FILTER (WHERE false) AS no_row
FROM (VALUES ('a'), (NULL), ('b')) v (f);
SELECT minhash_agg(f, n) FROM (VALUES ('a', 64), ('b', 65)) v (f, n);
SELECT minhash_agg(f, 0) FROM (VALUES ('a')) v (f);

\echo '-- In the moving frame of a window'
SELECT d, bool_and(w = (SELECT to_minhash(features(array_agg(f)), 100) FROM unnest(frame) f)) AS same
FROM (SELECT d, minhash_agg(word, 100) OVER frame AS w, array_agg(word) OVER frame AS frame
      FROM words WHERE d IN (3, 4)
      WINDOW frame AS (PARTITION BY d ORDER BY word ROWS BETWEEN 3 PRECEDING AND 5 FOLLOWING)) v
GROUP BY d ORDER BY d;

\echo '-- Parallel plans combine states that are small and large.'
CREATE TABLE minhash_words AS TABLE words;
ALTER TABLE minhash_words SET (parallel_workers = 2);
ANALYZE minhash_words;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT d, minhash_agg(word, 256) FROM minhash_words GROUP BY d;
SELECT count(*) AS groups, count(*) FILTER (WHERE p.bits <> a.bits OR p.minima <> a.minima) AS differ
FROM (SELECT d, minhash_agg(word, 256) AS bits, minhash_values_agg(word, 256) AS minima FROM minhash_words GROUP BY d) p
     JOIN arrays a USING (d);
SELECT minhash_agg(word, 1000) = (SELECT to_minhash(features(array_agg(word)), 1000) FROM words) AS all_rows,
       minhash_agg(NULL::text, 1000) AS nothing
FROM minhash_words;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP TABLE minhash_words;
