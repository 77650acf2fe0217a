\set ECHO none
-- simhash_weights: the sums whose signs are the fingerprint.

\set VERBOSITY default

CREATE TEMP TABLE w (name text PRIMARY KEY, w simhash_weights);
INSERT INTO w VALUES
    ('zero', ('[' || repeat('0,', 63) || '0]')::simhash_weights),
    ('ones', ('[' || repeat('1,', 63) || '1]')::simhash_weights),
    ('signs', ('[-1,' || repeat('0.5,-0.25,', 31) || '1e3]')::simhash_weights),
    ('fine', ('[0.00000006,-0.1,1.69140625' || repeat(',0', 60) || ',-549755813888]')::simhash_weights),
    ('text', to_simhash_weights('the quick brown fox jumps over the lazy dog'));
\pset format unaligned
SELECT name, w::simhash, pg_column_size(w), w FROM w ORDER BY name;
\pset format aligned

\echo '-- Round trips: text, binary, numbers.'
SELECT name, w::text::simhash_weights::text = w::text AS text,
       length(simhash_internal_weights_send(w)) AS bytes,
       substr(simhash_internal_weights_send(w), 1, 17) AS start,
       w::real[]::simhash_weights::text = w::text AS real,
       (w::real[])[1:4] AS elements
FROM w ORDER BY name;
SET extra_float_digits = -10;
SELECT name, w::text::simhash_weights::text = w::text AS text FROM w ORDER BY name;
RESET extra_float_digits;

SELECT current_setting('data_directory') || '/simhash_weights.copy' AS file \gset
COPY w TO :'file' (FORMAT binary);
CREATE TEMP TABLE again (LIKE w);
COPY again FROM :'file' (FORMAT binary);
SELECT count(*) FROM w JOIN again USING (name) WHERE w.w::text = again.w::text;

\echo '-- A message that is too short, of another version, too long.'
CREATE TEMP TABLE bad (b bytea);
CREATE TEMP TABLE taken (w simhash_weights);
INSERT INTO bad SELECT substr(simhash_internal_weights_send(w), 1, 512) FROM w WHERE name = 'text';
COPY bad TO :'file' (FORMAT binary);
COPY taken FROM :'file' (FORMAT binary);
\echo :SQLSTATE
UPDATE bad SET b = (SELECT set_byte(simhash_internal_weights_send(w), 0, 9) FROM w WHERE name = 'text');
COPY bad TO :'file' (FORMAT binary);
COPY taken FROM :'file' (FORMAT binary);
\echo :SQLSTATE
UPDATE bad SET b = (SELECT simhash_internal_weights_send(w) || '\x00' FROM w WHERE name = 'text');
COPY bad TO :'file' (FORMAT binary);
COPY taken FROM :'file' (FORMAT binary);
\echo :SQLSTATE
SELECT count(*) FROM taken;
-- No rows: rm reads nothing, and may end before a row is written to it.
\set remove 'rm ' :file
COPY (SELECT WHERE false) TO PROGRAM :'remove';

\echo '-- Sums.'
SELECT (a.w + b.w)::text = (b.w + a.w)::text AS commutes,
       (a.w + b.w)::real[] = ARRAY(SELECT x + y FROM unnest(a.w::real[], b.w::real[]) AS u(x, y)) AS adds
FROM w a, w b WHERE a.name = 'text' AND b.name = 'signs';
SELECT (to_simhash_weights(features(ARRAY['a', 'b'])) + to_simhash_weights(features(ARRAY['c'])))::text
       = to_simhash_weights(features(ARRAY['a', 'b', 'c']))::text AS additive;
SELECT w + w FROM w WHERE name = 'fine';
\echo :SQLSTATE
SELECT w + NULL FROM w WHERE name = 'fine';

\echo '-- Element j is the weight of the bit with the value 1 << j.'
SELECT (array_fill(-1::real, ARRAY[3]) || 1::real || array_fill(-1::real, ARRAY[60]))::simhash_weights::simhash;

\echo '-- Invalid input.'
SELECT ''::simhash_weights;
\echo :SQLSTATE
SELECT '[1,2,3]'::simhash_weights;
\echo :SQLSTATE
SELECT ('[' || repeat('1,', 64) || '1]')::simhash_weights;
\echo :SQLSTATE
SELECT ('[' || repeat('1,', 63) || 'one]')::simhash_weights;
\echo :SQLSTATE
SELECT ('[' || repeat('1,', 63) || 'NaN]')::simhash_weights;
\echo :SQLSTATE
SELECT ('[' || repeat('1,', 63) || '-Infinity]')::simhash_weights;
\echo :SQLSTATE
SELECT ('[' || repeat('1,', 63) || '1e12]')::simhash_weights;
\echo :SQLSTATE
SELECT ('[' || repeat('1,', 63) || '1] and more')::simhash_weights;
\echo :SQLSTATE
SELECT repeat('é', 100)::simhash_weights;
\echo :SQLSTATE
SELECT ARRAY[1, 2]::real[]::simhash_weights;
\echo :SQLSTATE
SELECT array_fill(1::real, ARRAY[8, 8])::simhash_weights;
\echo :SQLSTATE
SELECT '{}'::real[]::simhash_weights;
\echo :SQLSTATE
SELECT (array_fill(1::real, ARRAY[63]) || NULL::real)::simhash_weights;
\echo :SQLSTATE
SELECT (array_fill(1::real, ARRAY[63]) || 'NaN'::real)::simhash_weights;
\echo :SQLSTATE
SELECT (array_fill(1::real, ARRAY[63]) || '1e12'::real)::simhash_weights;
\echo :SQLSTATE

\echo '-- Negative numbers stay negative, however small.'
SELECT array_fill(-1e-45::real, '{64}')::simhash_weights::simhash AS negative,
       array_fill(1e-45::real, '{64}')::simhash_weights::simhash AS positive,
       (array_fill(-1e-45::real, '{64}')::simhash_weights::real[])[1] * 2::real ^ 24 AS element;

SELECT n, ('[' || n || repeat(',1', 63) || ']')::simhash_weights::simhash FROM unnest('{-2e-8,-0.00000002,-1e-400,2e-8,-0,-0e9,-0.0}'::text[]) AS n;

\echo '-- All casts are explicit.'
CREATE TEMP TABLE h (h simhash);
INSERT INTO h SELECT w FROM w;
\echo :SQLSTATE
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'simhash_weights'::regtype IN (castsource, casttarget) ORDER BY 1, 2;

\echo '-- Weights that would be rounded to 0 are errors rather than skipped: without others there would be no fingerprint.'
\set VERBOSITY default
SELECT to_simhash(features('{a,b}'::text[], '{2e-8,1}'::float8[]));
SELECT simhash_agg(f, 1e-300) FROM unnest('{a,b}'::text[]) AS f;
SELECT to_simhash(features('{"a": -1e-20}'::jsonb));
SELECT to_simhash(features('{a,b}'::text[], '{3e-8,0}'::float8[])) = to_simhash(features('{a}'::text[])) AS smallest, to_simhash(features('{"a": 0.000, "b": 1}'::jsonb)) = to_simhash(features('{b}'::text[])) AS zero;

\echo '-- The cosine of weights is that of their numbers; of a fingerprint only the bits are known.'
SELECT a.name AS a, b.name AS b, round(simhash_cosine(a.w, b.w)::numeric, 6) AS cosine, simhash_cosine(a.w, b.w) = simhash_cosine(b.w, a.w) AS symmetric,
    abs(simhash_cosine(a.w, b.w) - sum(x::float8 * y) / sqrt(sum(x::float8 * x) * sum(y::float8 * y))) < 1e-6 AS right,
    abs(simhash_cosine(a.w, b.w::simhash) - sum(x::float8 * x * CASE WHEN (x >= 0) = (y >= 0) THEN 1 ELSE -1 END) / sum(x::float8 * x)) < 1e-6 AS bits
    FROM w a, w b, LATERAL unnest(a.w::real[], b.w::real[]) AS u(x, y) WHERE a.name < b.name AND 'zero' NOT IN (a.name, b.name)
    GROUP BY a.name, b.name, a.w, b.w ORDER BY 1, 2;
SELECT simhash_cosine(zero.w, text.w) IS NULL AS none, simhash_cosine(text.w, zero.w) IS NULL AS none, simhash_cosine(zero.w, text.w::simhash) IS NULL AS none,
    simhash_cosine(text.w, text.w) AS same, simhash_cosine(text.w, text.w::simhash) AS signs FROM w zero, w text WHERE zero.name = 'zero' AND text.name = 'text';
