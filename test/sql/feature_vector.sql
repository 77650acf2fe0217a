\set ECHO none
-- The type feature_vector: every input with every output, its text and binary forms, its equality and order.

\set VERBOSITY default

\echo '-- Features are hashes, with counts or weights. Equal ones are added.'
SELECT features('The cat and the dog'), features('{a,b,a}'::text[], '{1.5,-2,0.25}');
SELECT features(''), features('{a,b}'::text[], '{0,NULL}'), features(NULL::text[]), features('{a}'::text[], NULL);
SELECT features('a b c', 'word', 2) = features('{a b,b c}'::text[]) AS shingles, features('abc', 'character', 3) = features('{abc}'::text[]) AS characters,
       features('a b', 'word') = features('a b') AS default_size, features('{7,8,7}'::int[]) = features('{8,7,7}'::text[]) AS numbers,
       features('{7,8}'::int[], '{1,2}') = features('{"8": 2, "7": 1}'::jsonb) AS jsonb, features('["a", 7, null, "a"]'::jsonb) = features('{7,a,a}'::text[]) AS jsonb_array,
       features('a:1A b:2'::tsvector) = features(array_fill('a'::text, '{10}') || '{b}') AS labels,
       features_from_hashes(ARRAY[to_simhash('a')::bigint, to_simhash('b')::bigint]) = features('a b') AS hashes,
       features_from_hashes(ARRAY[to_simhash('a')::bigint], '{1.5}') = features('{a}'::text[], '{1.5}') AS weighted_hashes;
SELECT features('[["a"]]'::jsonb);
\echo :SQLSTATE
SELECT features('[true]'::jsonb);
\echo :SQLSTATE
SELECT features('7'::jsonb);
\echo :SQLSTATE
SELECT features('a', 'line');
\echo :SQLSTATE
SELECT features('{a,a}'::text[], '{4e11,4e11}');
\echo :SQLSTATE
SELECT to_simhash(features('{a,b}'::text[], '{4e11,4e11}'));
\echo :SQLSTATE

\echo '-- Every input with every output; many rows, repeated features, large counts.'
CREATE TEMP TABLE kind AS
SELECT i, t, string_to_array(t, ' ') AS a FROM (SELECT i, string_agg('w' || (k * k * i) % 97, ' ' ORDER BY k) AS t FROM generate_series(1, 60) AS i, generate_series(1, i * i) AS k GROUP BY i) AS d;
CREATE TEMP TABLE input AS
SELECT i, 'text' AS input, features(t) AS f FROM kind UNION ALL SELECT i, 'array', features(a) FROM kind
UNION ALL SELECT i, 'json', features(to_jsonb(a)) FROM kind
UNION ALL SELECT i, 'hashes', features_from_hashes(ARRAY(SELECT to_simhash(features(ARRAY[e]))::bigint FROM unnest(a) AS e)) FROM kind
UNION ALL SELECT i, 'text form', features(a)::text::feature_vector FROM kind;
SELECT input, bool_and(to_simhash(f) = to_simhash(t)) AS simhash, bool_and(to_simhash_weights(f) = to_simhash_weights(t)) AS weights, bool_and(to_signature(f, 200) = to_signature(t, 200)) AS signature,
       bool_and((to_signature_weights(f, 64))[1] = (SELECT w[64] FROM (SELECT to_simhash_weights(t)::real[] AS w) AS s)) AS signature_weights, bool_and(to_minhash(f, 100) = to_minhash(t, 100)) AS minhash,
       bool_and(minhash_bits(to_minhash_values(f, 100)) = to_minhash(t, 100)) AS minima, count(DISTINCT f::text) AS values
FROM input JOIN kind USING (i) GROUP BY input ORDER BY input;
SELECT input, bool_and(feature_jaccard(x.f, features(z.t)) = feature_jaccard(y.t, z.t)) AS jaccard, bool_and(feature_containment(x.f, features(z.t)) = feature_containment(y.t, z.t)) AS containment,
       bool_and(feature_cosine(x.f, features(z.t)) = feature_cosine(y.t, z.t)) AS cosine
FROM input AS x JOIN kind AS y USING (i), kind AS z WHERE z.i % 20 = 0 GROUP BY input ORDER BY input;
SELECT count(DISTINCT r) AS frequencies FROM (SELECT input, feature_frequencies_agg(f)::text AS r FROM input GROUP BY input) AS s;

\echo '-- Weights by rarity: of counted features 1 + ln count times the rarity, of weighted ones the weight times it.'
SELECT feature_frequencies_agg(features(a)) AS f FROM kind \gset
SELECT bool_and(features(:'f', features(a)) = features(a, r1)) AS counted, bool_and(features(:'f', features(a, r)) = features(a, r2)) AS weighted
FROM (SELECT array_agg(e) AS a, array_agg(feature_rarity(:'f', e)) AS r1, array_agg(n * feature_rarity(:'f', e)) AS r, array_agg(n * feature_rarity(:'f', e) ^ 2) AS r2
      FROM (SELECT i, e, round(256 * (1 + ln(count(*)))) / 256 AS n FROM kind, unnest(a) AS e GROUP BY i, e) AS c GROUP BY i) AS v;
SELECT feature_cosine(features(:'f', features('{w1,w2}'::text[])), features(:'f', features('{w2,w1,w1}'::text[]))) BETWEEN 0.9 AND 0.999 AS cosine;
SELECT features(:'f'::feature_frequencies, 'a b'::text);
\echo :SQLSTATE
SELECT features(:'f', features('{nowhere}'::text[], '{5e11}'));
\echo :SQLSTATE

\echo '-- Ids as hashes, hashes with equal first bits, many hashes: all are put in order.'
SELECT kind, count(*), (features_from_hashes(array_agg(h ORDER BY i)) = features_from_hashes(array_agg(h ORDER BY h))) AS any_order,
       feature_jaccard(features_from_hashes(array_agg(h ORDER BY i)), features_from_hashes(array_agg(h) FILTER (WHERE i % 4 = 0))) AS jaccard
FROM (SELECT i, 'ids' AS kind, (i * 7919 % 100003)::bigint AS h FROM generate_series(1, 50000) AS i UNION ALL SELECT i, 'first bits', (5::bigint << 60) + i * 7919 % 100003 FROM generate_series(1, 2000) AS i
      UNION ALL SELECT i, 'hashes', hashint8extended(i, 0) FROM generate_series(1, 100000) AS i) AS s GROUP BY kind ORDER BY kind;

\echo '-- Forms.'
SELECT f, f = f::text::feature_vector AS same FROM (VALUES (features('{a,b,b}'::text[])), (features('{a,b}'::text[], '{0.1,-549755813887}')), (features('')), ('<weights,{}>')) AS v(f);
SELECT '<counts,{0x12:1}>'::feature_vector;
SELECT '<counts,{1:0X1}>'::feature_vector;
SELECT '<counts,{1:1,f:4294967295}>'::feature_vector, '<weights,{1:1e2,F:-.5}>'::feature_vector;
SELECT '<counts,{1:1,1:1}>'::feature_vector;
\echo :SQLSTATE
SELECT '<counts,{2:1,1:1}>'::feature_vector;
\echo :SQLSTATE
SELECT '<counts,{1:0}>'::feature_vector;
SELECT '<weights,{1:0}>'::feature_vector;
SELECT '<weights,{1:-1e-9}>'::feature_vector;
\echo :SQLSTATE
SELECT '<counts,{1:4294967296}>'::feature_vector;
\echo :SQLSTATE
SELECT '<weights,{1:1e12}>'::feature_vector;
\echo :SQLSTATE
SELECT '<weights,{1:-549755813888}>'::feature_vector;
\echo :SQLSTATE
SELECT '<counts,{1:1}> '::feature_vector;
\echo :SQLSTATE
SELECT 'the cat'::feature_vector;
\echo :SQLSTATE
SELECT encode(simhash_internal_feature_vector_send('<counts,{1:1,f:7}>'), 'hex') AS counts, encode(simhash_internal_feature_vector_send('<weights,{1:1}>'), 'hex') AS weights;
CREATE TEMP TABLE copied (LIKE input);
SELECT current_setting('data_directory') || '/feature_vector.copy' AS file \gset
COPY input TO :'file' (FORMAT binary);
COPY copied FROM :'file' (FORMAT binary);
SELECT 'rm ' || :'file' AS remove \gset
COPY (SELECT WHERE false) TO PROGRAM :'remove';
SELECT count(*) AS copied, (SELECT count(*) FROM (TABLE input EXCEPT ALL TABLE copied) AS e) AS different FROM copied;

\echo '-- Equality.'
CREATE TEMP TABLE value AS SELECT i, f FROM (VALUES (1, features('')), (2, features('{a}'::text[])), (3, features('{a,a}'::text[])), (4, features('{a}'::text[], '{1}')), (5, features('{a}'::text[], '{-1}')), (6, features('{a,b}'::text[])), (7, '<weights,{}>')) AS v(i, f);
SELECT count(*) FILTER (WHERE a.f = b.f) AS equal, bool_and((a.f = b.f) <> (a.f <> b.f)) AS consistent FROM value AS a, value AS b;
SELECT count(*) FROM (SELECT f FROM value UNION SELECT f FROM value) AS u;
SELECT bool_and(f IS NOT DISTINCT FROM f::text::feature_vector) FROM value;
