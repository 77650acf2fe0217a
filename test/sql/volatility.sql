\set ECHO none
-- simhash_volatility: the probability with which a near-duplicate flips each bit, by the default model.
SET extra_float_digits = 0;
CREATE TABLE query AS SELECT array_agg((CASE WHEN j % 3 = 0 THEN -1 ELSE 1 END * ((j * 37) % 64 + 1))::real ORDER BY j)::simhash_weights AS w
FROM generate_series(0, 63) AS j;
\echo '-- bits: their weights, and probabilities that fall as weights grow'
SELECT bit, weight, round(probability::numeric, 6) AS probability
FROM query, simhash_volatility(w) ORDER BY 3 DESC, bit LIMIT 5;
SELECT count(*) AS bits, count(*) FILTER (WHERE sign(weight) <> sign((w::real[])[bit + 1])) AS wrong,
       bool_and(probability BETWEEN 0 AND 0.5) AS "at most one half",
       count(*) FILTER (WHERE probability > lag) AS rising
FROM (SELECT *, lag(probability) OVER (ORDER BY abs(weight)) FROM query, simhash_volatility(w)) AS v;
\echo '-- all weights 0: nothing is known'
SELECT min(probability), max(probability) FROM simhash_volatility(array_fill(0, ARRAY[64])::real[]::simhash_weights);
SELECT count(*) FROM simhash_volatility(NULL);
DROP TABLE query;
