\set ECHO none
-- Features as arrays, and fingerprints of vectors. These bits are stored in columns and indexes: the answers here must
-- never change.

\set VERBOSITY default
\pset null '(null)'
SET client_encoding = 'UTF8';

\echo '-- to_features returns what to_simhash hashes.'
SELECT to_features('To be, or NOT to be'), to_features('To be, or NOT', 'word', 2),
       to_features('A b-c', 'character', 3), to_features('東京都 tower'), to_features('one', 'word', 3),
       to_features('?!') AS empty, to_features(NULL) AS null;
SELECT count(*) AS texts, bool_and(to_simhash(features(to_features(body, unit, size))) = to_simhash(body, unit, size)) AS same
FROM (SELECT string_agg(substr(md5((i * n)::text), 1, i % 9 + 1), ' ' ORDER BY i) AS body
      FROM generate_series(1, 20) AS n, generate_series(1, 300) AS i GROUP BY n) AS text,
     (VALUES ('word', 1), ('word', 3), ('word', 25), ('character', 1), ('character', 4), ('character', 25)) AS v(unit, size);
SELECT array_length(to_features(repeat('word ', 100000), 'word', 2), 1);
SELECT to_features('a', 'sentence', 1);
\echo :SQLSTATE
SELECT to_features('a', 'word', 26);
\echo :SQLSTATE

\echo '-- Words weighted by rarity, with document frequencies from ts_stat.'
CREATE TEMP TABLE page (id int, body text);
INSERT INTO page VALUES (1, 'the cat sat on the mat'), (2, 'the cat sat on the roof'), (3, 'the dog chased the postman'),
    (4, 'the stock market fell');
CREATE TEMP TABLE term_weight AS
    SELECT word AS lexeme, ln((SELECT count(*) FROM page)::float8 / ndoc) AS idf
    FROM ts_stat('SELECT to_tsvector(''simple'', body) FROM page');
SELECT lexeme, idf FROM term_weight WHERE idf IN (0, ln(2::float8)) ORDER BY 1;
SELECT id, h, (h <@> first_value(h) OVER (ORDER BY id))::int AS distance
FROM page, LATERAL (
    SELECT simhash_agg(lexeme, (1 + ln(cardinality(positions))) * coalesce(idf, 20)) AS h
    FROM unnest(to_tsvector('simple', body)) LEFT JOIN term_weight USING (lexeme)) AS f
ORDER BY id;

\echo '-- Vectors.'
SELECT simhash_project('{1}'), simhash_project('{1,2,3}'), simhash_project('{-1,-2,-3}'), simhash_project('{1,2,3}', 1),
       simhash_project('{1,2,3}', -1);
SELECT simhash_project(array_agg((i * 7919 % 1009 - 500)::real ORDER BY i)) FROM generate_series(1, 1536) AS i;
SELECT simhash_project('{}'), simhash_project('{0,0,-0}'), simhash_project(NULL), simhash_project('{1}', NULL),
       simhash_project_weights('{0}');
SELECT simhash_project('{1,2,3}') = simhash_project('{2,4,6}') AS length_is_nothing,
       simhash_project('{1,2,3}') = (~ simhash_project('{-1,-2,-3}')::bit(64))::simhash AS opposite,
       simhash_project('{1e38,2e38,3e38}') <@> simhash_project('{1,2,3}') AS large,
       simhash_project('{1e-44,2e-44,3e-44}') <@> simhash_project('{1,2,3}') AS small,
       simhash_project('{1,2,3,0,0}') = simhash_project('{1,2,3}') AS trailing_zeros,
       simhash_project('[5:7]={1,2,3}') = simhash_project('{1,2,3}') AS bounds,
       simhash_project_weights('{1,2,3}')::simhash = simhash_project('{1,2,3}') AS signs;
SELECT (simhash_project_weights('{3}')::real[])[1:4] AS one_dimension, (simhash_project_weights('{0,-3}')::real[])[1:4] AS another;
\echo '-- Any numbers, rounded to real.'
WITH vector AS (SELECT array_agg(sin(i) ORDER BY i) AS v FROM generate_series(1, 100) AS i)
SELECT simhash_project(v) = simhash_project(v::real[]) AS real, simhash_project_weights(v) <@> simhash_project(v) AS weights,
       signature_project(v, 128) = signature_project(v::real[], 128) AS signature,
       signature_project_weights(v, 128) = signature_project_weights(v::real[], 128) AS projections,
       simhash_project(ARRAY[0.1, -0.2]) = simhash_project('{0.1,-0.2}') AS numeric,
       simhash_project(ARRAY[1, 2, 3]) = simhash_project('{1,2,3}') AS integer
FROM vector;
SELECT simhash_project('{1,1e300}');
\echo :SQLSTATE
SELECT simhash_project('{1,1e-300}') = simhash_project('{1,0}') AS small, simhash_project('{0,-0}') IS NULL AS zero;
SELECT signature_project('{0,-1e-300}', 64);
\echo :SQLSTATE
\echo '-- Vectors at an angle t differ in 64 t / pi bits.'
SELECT degrees, round(avg((simhash_project(ARRAY[1, 0, 0], seed) <@>
                           simhash_project(ARRAY[cosd(degrees), sind(degrees), 0]::real[], seed))::int)) AS bits,
       round((64 * degrees / 180)::numeric) AS expected
FROM unnest(ARRAY[0, 15, 45, 90, 135, 180]) AS degrees, generate_series(1, 300) AS seed GROUP BY degrees ORDER BY degrees;
SELECT simhash_project('{1,NaN}');
\echo :SQLSTATE
SELECT simhash_project('{1,-Infinity}');
\echo :SQLSTATE
SELECT simhash_project('{1,NULL}');
\echo :SQLSTATE
SELECT simhash_project('{{1},{2}}');
\echo :SQLSTATE
SELECT simhash_project(array_fill(1::real, ARRAY[65536])) IS NULL AS too_long;
SELECT simhash_project(array_fill(1::real, ARRAY[65537]));
\echo :SQLSTATE
CREATE TEMP TABLE picture (id int, embedding real[], h simhash GENERATED ALWAYS AS (simhash_project(embedding)) STORED);
INSERT INTO picture SELECT i, ARRAY[sin(i), cos(i), sin(i * i), cos(i * i)]::real[] FROM generate_series(1, 500) AS i;
CREATE INDEX ON picture USING simhash (h);
SET enable_seqscan = off;
SELECT id FROM picture WHERE h <@> simhash_project('{0.8414,0.5404,0.8415,0.5402}') <= 1 ORDER BY id;
