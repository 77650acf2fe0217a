-- What a search by weights assumes: volatilities, sets of flips and the model of near-duplicates.
SET extra_float_digits = 0;
CREATE TABLE query AS SELECT array_agg((CASE WHEN j % 3 = 0 THEN -1 ELSE 1 END * ((j * 37) % 64 + 1))::real ORDER BY j)::simhash_weights AS w
FROM generate_series(0, 63) AS j;

SELECT scale, round(cosine::numeric, 4) AS cosine, share FROM simhash_volatility_model();
SELECT round(sum(share)::numeric, 9) AS shares FROM simhash_volatility_model();

-- bits: their weights, and probabilities that fall as weights grow
SELECT bit, weight, round(probability::numeric, 6) AS probability
FROM query, simhash_volatility(w) ORDER BY 3 DESC, bit LIMIT 5;
SELECT count(*) AS bits, count(*) FILTER (WHERE sign(weight) <> sign((w::real[])[bit + 1])) AS wrong,
       bool_and(probability BETWEEN 0 AND 0.5) AS "at most one half",
       count(*) FILTER (WHERE probability > lag) AS rising
FROM (SELECT *, lag(probability) OVER (ORDER BY abs(weight)) FROM query, simhash_volatility(w)) AS v;
-- the model, by hand: the tail of the normal distribution at each scale, by rectangles
WITH bits AS (SELECT bit, abs(weight) / sqrt(sum(weight ^ 2) OVER () / 64) AS size, probability FROM query, simhash_volatility(w)),
    tail AS (SELECT bit, sum(share * t.area) AS expected, min(probability) AS probability
             FROM bits, simhash_volatility_model(), LATERAL (
                 SELECT sum(exp(0 - (size / scale + (n + 0.5) / 100) ^ 2 / 2)) / 100 / sqrt(2 * pi()) AS area
                 FROM generate_series(0, 900) AS n WHERE size / scale < 30) AS t
             WHERE bit % 5 = 0 GROUP BY bit)
SELECT count(*) AS bits, max(abs(expected - probability)) < 0.0002 AS equal FROM tail;
-- all weights 0: nothing is known
SELECT min(probability), max(probability) FROM simhash_volatility(array_fill(0, ARRAY[64])::real[]::simhash_weights);

-- sets of flips
SELECT step, flips, flipped_bits, round(probability::numeric, 6) AS probability, round(cumulative::numeric, 6) AS cumulative
FROM query, simhash_volatility_sets(w, 8, 3);
SELECT step, flips, flipped_bits FROM query, simhash_volatility_sets(w, 5, 3, header_bits => 16);
-- in order, without repetition, only leading bits, no more than the distance
SELECT distance, header, count(*) AS sets, count(DISTINCT flips) AS distinct, count(*) FILTER (WHERE probability > lag) AS rising,
       max(cardinality(flipped_bits)) AS "most flips", min(flipped_bits[1]) >= 64 - header AS leading,
       bool_and(abs(sum - cumulative) < 1e-9 AND cumulative <= 1) AS cumulated,
       bool_and(flips = (SELECT coalesce(bit_or(1::bigint << b), 0) FROM unnest(flipped_bits) b)::simhash) AS same
FROM (VALUES (0, 64), (1, 64), (3, 64), (3, 20), (2, 8), (64, 5), (64, 1)) AS v(distance, header), LATERAL (
    SELECT *, lag(probability) OVER (ORDER BY step), sum(probability) OVER (ORDER BY step)
    FROM query, simhash_volatility_sets(w, 2000, distance, header)) AS s
GROUP BY distance, header ORDER BY distance, header;
-- equation (6) of Sood and Loguinov, of one level: p(S) = prod p_i prod (1 - p_j). Here the mean of such products over the levels
-- is at least what the mean volatilities give for no flips.
SELECT round(exp(sum(ln(1 - v.probability)))::numeric, 6) <= round(max(s.probability)::numeric, 6) AS "flips come together"
FROM query, simhash_volatility(w) AS v, simhash_volatility_sets(w, 1000) AS s WHERE s.flips = '0000000000000000';
-- every set of a short header is listed, and the sets cover all near-duplicates: at any distance, or within the distance
SELECT count(*), round(max(cumulative)::numeric, 9) AS all FROM query, simhash_volatility_sets(w, 1000, header_bits => 6);
SELECT count(*), round(max(cumulative)::numeric, 9) AS all FROM query, simhash_volatility_sets(w, 100000, 2);
-- the volatility of a bit is the probability of the sets that flip it
SELECT count(*) AS bits, max(abs(v.probability - s.sum)) < 1e-9 AS equal
FROM query, simhash_volatility(w) AS v, LATERAL (
    SELECT sum(probability) FILTER (WHERE v.bit = ANY (flipped_bits)) FROM simhash_volatility_sets(w, 1000, header_bits => 9)) AS s
WHERE v.bit >= 55;

SELECT count(*) FROM query, simhash_volatility_sets(w, 10, -1);
SELECT count(*) FROM query, simhash_volatility_sets(w, 10, 1000);
SELECT count(*) FROM simhash_volatility_sets(NULL, 10);
SELECT count(*) FROM simhash_volatility(NULL);
\set VERBOSITY terse
SELECT count(*) FROM query, simhash_volatility_sets(w, 0);
SELECT count(*) FROM query, simhash_volatility_sets(w, 1000001);
SELECT count(*) FROM query, simhash_volatility_sets(w, 10, 3, 0);
SELECT count(*) FROM query, simhash_volatility_sets(w, 10, 3, 65);
\set VERBOSITY default

-- the model of an index: the default one, until one is fitted
CREATE TABLE page AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 2000) AS i;
CREATE INDEX page_h ON page USING simhash (h);
SELECT count(*) AS differ FROM (SELECT * FROM simhash_volatility_model() EXCEPT SELECT * FROM simhash_volatility_model('page_h')) AS d;
SELECT count(*) AS differ FROM query,
    LATERAL (SELECT * FROM simhash_volatility(w) EXCEPT SELECT * FROM simhash_volatility('page_h', w)) AS d;
SELECT count(*) AS differ FROM query,
    LATERAL (SELECT * FROM simhash_volatility_sets(w, 50, 3) EXCEPT SELECT * FROM simhash_volatility_sets('page_h', w, 50, 3)) AS d;
-- what a search finds at each degree of similarity: less of what is less similar, and in all what the probe plan says
SELECT radius, target, count(*) AS levels, round(sum(share)::numeric, 9) AS shares, bool_and(recall BETWEEN 0 AND 1) AS possible,
       count(*) FILTER (WHERE recall > lag) AS rising,
       abs(sum(share * recall) - (SELECT max(recall) FROM query, simhash_index_probe_plan('page_h', simhash_ball(w, radius, target)))) < 1e-9 AS planned
FROM query, unnest(ARRAY[3, 5, 8]) AS radius, unnest(ARRAY[0.5, 0.9]) AS target, LATERAL (
    SELECT *, lag(recall) OVER (ORDER BY scale) FROM simhash_index_recall('page_h', simhash_ball(w, radius, target))) AS e
GROUP BY radius, target ORDER BY radius, target;
-- the shares are those of the near-duplicates within the radius: of all of them at 64, mostly similar ones at 0
SELECT count(*) AS levels, bool_and(abs(e.share - m.share) < 1e-9) AS "all of them", bool_and(e.recall = 1) AS exact
FROM query, simhash_index_recall('page_h', simhash_ball(w, 64, 0.9)) AS e JOIN simhash_volatility_model('page_h') AS m USING (scale);
SELECT count(*) AS levels, count(*) FILTER (WHERE share > lag) AS rising, bool_and(recall = 1) AS exact
FROM (SELECT e.share / m.share AS share, e.recall, lag(e.share / m.share) OVER (ORDER BY scale)
      FROM query, simhash_index_recall('page_h', simhash_ball(w, 0, 1)) AS e JOIN simhash_volatility_model('page_h') AS m USING (scale)) AS s;
SELECT count(*) FROM query, simhash_index_recall('page_h', simhash_ball(w, -1, 0.9));

-- pairs that never flip a bit
CREATE TABLE pair AS SELECT to_simhash_weights(body) AS w, to_simhash(body) AS h
FROM generate_series(1, 200) AS i, LATERAL (SELECT string_agg((i * 100 + n)::text, ' ') FROM generate_series(1, 50) AS n) AS doc(body);
SELECT count(*) FROM simhash_index_calibrate('page_h', 'pair', 'w', 'h');
SELECT scale, round(share::numeric, 3) AS share FROM simhash_volatility_model('page_h') WHERE share > 0.001;
SELECT a.bit, b.probability < a.probability AS "less volatile"
FROM query, simhash_volatility(w) AS a JOIN LATERAL simhash_volatility('page_h', w) AS b USING (bit) WHERE abs(a.weight) = 4;
SELECT a.step, b.probability > a.probability AS likelier, b.cumulative > a.cumulative AS "found earlier"
FROM query, simhash_volatility_sets(w, 3, 3) AS a JOIN LATERAL simhash_volatility_sets('page_h', w, 3, 3) AS b USING (step, flips);

-- who may see the model of an index may search it
CREATE ROLE model_stranger;
SET ROLE model_stranger;
\set VERBOSITY terse
SELECT count(*) FROM simhash_volatility_model();
SELECT count(*) FROM simhash_volatility_model('page_h');
SELECT count(*) FROM simhash_volatility('page_h', to_simhash_weights('a'));
SELECT count(*) FROM simhash_volatility_sets('page_h', to_simhash_weights('a'), 10);
SELECT count(*) FROM simhash_index_recall('page_h', simhash_ball(to_simhash_weights('a'), 3, 0.9));
RESET ROLE;
GRANT SELECT (h) ON page TO model_stranger;
SET ROLE model_stranger;
SELECT count(*) FROM simhash_volatility_model('page_h');
SELECT count(*) FROM simhash_volatility('page_h', to_simhash_weights('a'));
SELECT count(*) FROM simhash_volatility_sets('page_h', to_simhash_weights('a'), 10);
SELECT count(*) FROM simhash_index_recall('page_h', simhash_ball(to_simhash_weights('a'), 3, 0.9));
RESET ROLE;
-- row-level security does not matter to the model, but to a search
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
SET ROLE model_stranger;
SELECT count(*) FROM simhash_volatility_model('page_h');
SELECT count(*) FROM simhash_index_recall('page_h', simhash_ball(to_simhash_weights('a'), 3, 0.9));
RESET ROLE;
SELECT count(*) FROM simhash_volatility_model('page');
CREATE TABLE signed (s bit(128));
CREATE INDEX signed_s ON signed USING simhash (s);
SELECT count(*) FROM simhash_volatility_model('signed_s');
\set VERBOSITY default

DROP TABLE query, page, pair, signed;
DROP ROLE model_stranger;
