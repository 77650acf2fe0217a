\set ECHO none
-- to_simhash and to_simhash_weights: from features to fingerprints. These bits are stored in columns and
-- indexes: the answers here must never change.

\set VERBOSITY default

CREATE TEMP TABLE text_example (id int PRIMARY KEY, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED);
INSERT INTO text_example (id, body) VALUES
    (1, 'The quick brown fox jumps over the lazy dog'),
    (2, 'THE QUICK BROWN FOX… jumps over the lazy dog!'),
    (3, 'The quick brown fox jumps over the lazy cat'),
    (4, 'Lorem ipsum dolor sit amet, consectetur adipiscing elit.'),
    (5, 'Die Straße heißt Maßstraße'),
    (6, 'DIE STRASSE HEISST MASSSTRASSE'),
    (7, 'café naïve résumé'),
    (8, E'cafe\u0301 nai\u0308ve re\u0301sume\u0301'),
    (9, 'Ｆｕｌｌ　Ｗｉｄｔｈ　１２３'),
    (10, 'full width 123'),
    (11, 'Don’t stop'),
    (12, 'don''t STOP'),
    (13, 'İstanbul IĞDIR ılık'),
    (14, '東京都の天気は晴れです。'),
    (15, '東京都の天気は、晴れです'),
    (16, 'ｶﾞﾗｽ'),
    (17, 'ガラス'),
    (18, 'ฉันกำลังเรียนภาษาไทย'),
    (19, '한국어 문장입니다'),
    (20, E'\u1112\u1161\u11AB국어 문장입니다'),
    (21, E'co\u00ADop\u200Berate'),
    (22, 'cooperate'),
    (23, 'Все люди рождаются свободными'),
    (24, 'כל בני האדם נולדו בני חורין'),
    (25, 'सभी मनुष्य जन्म से स्वतन्त्र हैं');
SELECT id, h, body FROM text_example ORDER BY id;
SELECT a.id, b.id FROM text_example a JOIN text_example b ON a.h = b.h AND a.id < b.id ORDER BY 1, 2;
SELECT a.id, b.id, (a.h <@> b.h)::int AS distance FROM text_example a, text_example b
WHERE a.id IN (1, 14) AND b.id IN (3, 4, 15, 18) ORDER BY 1, 2;

\echo '-- Empty, blank, or only punctuation: NULL.'
SELECT to_simhash(t), to_simhash_weights(t), to_simhash(t, 'character', 3)
FROM unnest(ARRAY['', '   ', E'\n\t', '?!… — 。', '😀👍', NULL]) AS t;

\echo '-- Units and sizes.'
SELECT unit, size, to_simhash('The quick brown fox jumps over the lazy dog', unit, size)
FROM (VALUES ('word', 1), ('word', 2), ('word', 3), ('word', 9), ('word', 10), ('word', 25),
             ('character', 1), ('character', 3), ('character', 5), ('character', 25)) AS v(unit, size);
SELECT to_simhash('a b c', 'word', 1) = to_simhash('a b c') AS default_is_words,
       to_simhash('A, b. c', 'word', 2) = to_simhash(features(ARRAY['a b', 'b c'])) AS shingles,
       to_simhash('Ab-c', 'character', 3) = to_simhash(features(ARRAY['ab ', 'b c'])) AS characters,
       to_simhash('a b', 'word', 3) = to_simhash(features(ARRAY['a b'])) AS too_few,
       to_simhash('東京都') = to_simhash(features(ARRAY['東京', '京都'])) AS pairs,
       to_simhash('東京都', 'character', 3) = to_simhash(features(ARRAY['東京都'])) AS characters_too;
SELECT to_simhash('a', 'sentence', 1);
SELECT to_simhash('a', repeat('sentence ', 1000), 1);
\echo :SQLSTATE
SELECT to_simhash('a', 'word-18', 1);
SELECT to_simhash('a', 'Word', 1);
\echo :SQLSTATE
SELECT to_simhash('a', 'word', 0);
\echo :SQLSTATE
SELECT to_simhash_weights('a', 'word', 26);
\echo :SQLSTATE

\echo '-- A feature that occurs tf times weighs 1 + ln tf, rounded to 1/256.'
SELECT n AS tf, (to_simhash_weights(features(array_fill('x'::text, ARRAY[n])))::real[])[1] AS weight,
       round(256 * (1 + ln(n))) / 256 AS expected
FROM unnest(ARRAY[1, 2, 3, 4, 10, 63, 64, 1000, 100000]) AS n;

\echo '-- Features given one by one.'
SELECT to_simhash(features(ARRAY['a', 'b', NULL, 'b'])) = to_simhash('b a b') AS same,
       to_simhash(features(ARRAY['A'])) = to_simhash(features(ARRAY['a'])) AS as_they_are,
       to_simhash(features('{}'::text[])) AS empty, to_simhash(features(ARRAY[NULL]::text[])) AS nulls,
       to_simhash(features(ARRAY[''])) AS empty_feature,
       to_simhash(features(ARRAY[['a', 'b'], ['b', 'c']])) = to_simhash('a b b c') AS two_dimensions;

\echo '-- With weights.'
SELECT to_simhash_weights(features(ARRAY['a', 'b'], ARRAY[1.5, -0.25]));
SELECT to_simhash_weights(features(ARRAY['a', 'b', 'a', NULL, 'c', 'd'], ARRAY[1, 2, 3, 4, NULL, 0]))::text
       = to_simhash_weights(features(ARRAY['b', 'a'], ARRAY[2, 4]))::text AS same,
       to_simhash(features(ARRAY['a'], ARRAY[0])) AS weightless,
       to_simhash(features('{}'::text[], '{}'::float8[])) AS empty,
       to_simhash(features(ARRAY['a'], ARRAY[-1])) = (~to_simhash(features(ARRAY['a']))::bigint)::simhash AS negative;
SELECT to_simhash(features(ARRAY['a', 'b'], ARRAY[1]));
\echo :SQLSTATE
SELECT to_simhash(features(ARRAY['a', 'b'], ARRAY[[1], [2]]));
\echo :SQLSTATE
SELECT to_simhash(features(ARRAY[['a'], ['b']], ARRAY[1, 2]));
\echo :SQLSTATE
SELECT to_simhash(features(ARRAY['a'], ARRAY['NaN'::float8]));
\echo :SQLSTATE
SELECT to_simhash(features(ARRAY['a'], ARRAY['-Infinity'::float8]));
\echo :SQLSTATE
SELECT to_simhash(features(ARRAY['a'], ARRAY[1e12]));
\echo :SQLSTATE
SELECT to_simhash(features(ARRAY['a', 'a'], ARRAY[4e11, 4e11]));
\echo :SQLSTATE

\echo '-- Numbers: features like others, each the same as the text of its digits. A set of small ids is no set of hashes.'
CREATE TEMP TABLE ids AS
    SELECT i, (SELECT array_agg(hashint8extended(n, i) % 100000 - n % 3) FROM generate_series(1, 50) AS n) AS a FROM generate_series(1, 300) AS i;
INSERT INTO ids VALUES (0, '{9223372036854775807,-9223372036854775808,0,-1,NULL,7,7}'), (-1, '{{1,10},{2,1}}'), (-2, '{}'), (-3, '{NULL}');
SELECT bool_and(to_simhash(features(a)) IS NOT DISTINCT FROM to_simhash(features(a::text[]))) AS simhash,
       bool_and(to_simhash_weights(features(a))::text IS NOT DISTINCT FROM to_simhash_weights(features(a::text[]))::text) AS weights,
       bool_and(to_minhash_values(features(a), 16) IS NOT DISTINCT FROM to_minhash_values(features(a::text[]), 16)) AS minhash_values,
       bool_and(to_minhash(features(a), 64) IS NOT DISTINCT FROM to_minhash(features(a::text[]), 64)) AS minhash, count(to_simhash(features(a))), count(*) FROM ids;
SELECT to_simhash(features('{7,8,9}'::smallint[])) = to_simhash(features('{7,8,9}'::text[])) AS smallint, to_simhash(features(ARRAY[7, 8, 9])) = to_simhash(features('{7,8,9}'::text[])) AS integer,
       to_simhash(features(ARRAY[7, 8], ARRAY[1.5, 2])) = to_simhash(features('{"7": 1.5, "8": 2}'::jsonb)) AS jsonb;
SELECT bool_and(minhash_agg = to_minhash(features(a::text[]), 64)) AS minhash_agg, bool_and(minhash_values_agg = to_minhash_values(features(a::text[]), 64)) AS minhash_values_agg
FROM ids, LATERAL (SELECT minhash_agg(n::text, 64), minhash_values_agg(n::text, 64) FROM unnest(a) AS n) AS s WHERE s.minhash_agg IS NOT NULL;
SELECT bool_and(feature_jaccard(features(x.a), features(y.a)) = feature_jaccard(features(x.a::text[]), features(y.a::text[]))) AS jaccard,
       bool_and(feature_containment(features(x.a), features(y.a)) IS NOT DISTINCT FROM feature_containment(features(x.a::text[]), features(y.a::text[]))) AS containment
FROM ids AS x, ids AS y WHERE x.i % 10 = 0 AND y.i % 10 = 1 OR x.i <= 0 AND y.i <= 0;
SELECT count(*) FILTER (WHERE to_simhash(features(x.a)) <@> to_simhash(features(y.a)) <= 3) AS near, avg((to_simhash(features(x.a)) <@> to_simhash(features(y.a)))::integer) BETWEEN 30 AND 34 AS unrelated
FROM ids AS x JOIN ids AS y ON x.i < y.i WHERE x.i > 0;
SELECT to_simhash_weights(features(ARRAY[6, 5, 6, NULL, -1, 2], ARRAY[1, 2, 3, 4, NULL, 0]))::text = to_simhash_weights(features('{5,6}'::text[], ARRAY[2, 4]))::text AS same,
       to_simhash(features(ARRAY[-2], ARRAY[-1])) = to_simhash(features('{-2}'::text[], ARRAY[-1])) AS negative, to_simhash(features(ARRAY[1], ARRAY[0])) AS weightless;
SELECT to_simhash(features(ARRAY[1, 2], ARRAY[1]));
\echo :SQLSTATE
SELECT to_simhash_weights(features(ARRAY[[1], [2]], ARRAY[1, 2]));
\echo :SQLSTATE

\echo '-- Hashes that were computed elsewhere, used as they are.'
SELECT to_simhash(features_from_hashes(ARRAY[to_simhash(features(ARRAY['a']))::bigint, to_simhash(features(ARRAY['b']))::bigint, NULL, to_simhash(features(ARRAY['b']))::bigint])) = to_simhash(features(ARRAY['a', 'b', 'b'])) AS same,
       to_simhash_weights(features_from_hashes(ARRAY[to_simhash(features(ARRAY['a']))::bigint, to_simhash(features(ARRAY['b']))::bigint, to_simhash(features(ARRAY['b']))::bigint]))::text
           = to_simhash_weights(features(ARRAY['a', 'b', 'b']))::text AS same_weights,
       to_simhash(features_from_hashes(ARRAY[6])) = '0000000000000006' AS small, to_simhash(features_from_hashes('{}')) AS empty;
SELECT to_simhash_weights(features_from_hashes(ARRAY[6, 5, 6, NULL, 1, 2], ARRAY[1, 2, 3, 4, NULL, 0]))::text
           = to_simhash_weights(features_from_hashes(ARRAY[5, 6], ARRAY[2, 4]))::text AS same,
       (to_simhash_weights(features_from_hashes(ARRAY[6, 5], ARRAY[1.5, -0.25]))::real[])[1:4] AS weights,
       to_simhash(features_from_hashes(ARRAY[-2], ARRAY[-1])) AS negative, to_simhash(features_from_hashes(ARRAY[1], ARRAY[0])) AS weightless;
SELECT to_simhash(features_from_hashes(ARRAY[1, 2], ARRAY[1]));
\echo :SQLSTATE
SELECT to_simhash_weights(features_from_hashes(ARRAY[[1], [2]], ARRAY[1, 2]));
\echo :SQLSTATE

\echo '-- tsvector: the lexemes, as often as they occur; a label counts 2, 4 or 10 times.'
SELECT to_simhash(features(to_tsvector('simple', 'one two two three'))) = to_simhash('one two two three') AS words,
       to_simhash_weights(features('a:1 b:2,3'::tsvector))::text = to_simhash_weights(features(ARRAY['a', 'b', 'b']))::text AS positions,
       to_simhash_weights(features('a b'::tsvector))::text = to_simhash_weights(features(ARRAY['a', 'b']))::text AS stripped,
       to_simhash_weights(features('a:1C b:2B c:3A,4'::tsvector))::text
       = to_simhash_weights(features(array_fill('a'::text, ARRAY[2]) || array_fill('b'::text, ARRAY[4])
                            || array_fill('c'::text, ARRAY[11])))::text AS labels,
       to_simhash(features(''::tsvector)) AS empty;
SELECT to_simhash_weights(features(to_tsvector('english', 'The quick brown foxes jumped over the lazy dogs')));

\echo '-- jsonb: features and their weights.'
SELECT to_simhash_weights(features('{"a": 1.5, "b": -0.25}'::jsonb))::text
       = to_simhash_weights(features(ARRAY['a', 'b'], ARRAY[1.5, -0.25]))::text AS same,
       to_simhash(features('{"a": 1, "b": null, "c": 0}'::jsonb)) = to_simhash(features('{"a": 2}'::jsonb)) AS skipped,
       to_simhash(features('{}'::jsonb)) AS empty, to_simhash(features('{"a": 0}'::jsonb)) AS weightless;
SELECT to_simhash(features('[1, 2]'::jsonb));
\echo :SQLSTATE
SELECT to_simhash(features('"a"'::jsonb));
\echo :SQLSTATE
SELECT to_simhash(features('null'::jsonb));
\echo :SQLSTATE
SELECT to_simhash(features('{"a": "1"}'::jsonb));
\echo :SQLSTATE
SELECT to_simhash(features('{"a": [1]}'::jsonb));
\echo :SQLSTATE
SELECT to_simhash(features(jsonb_build_object(repeat('long ', 1000), 'a')));
\echo :SQLSTATE
SELECT to_simhash(features('{"a": {"b": 1}}'::jsonb));
\echo :SQLSTATE
SELECT to_simhash(features('{"a": 1e400}'::jsonb));
\echo :SQLSTATE

\echo '-- The fingerprint consists of the signs of the weights.'
SELECT bool_and(to_simhash(body) = to_simhash_weights(body)::simhash) FROM text_example;

\echo '-- Normalising the text beforehand changes nothing, in any form.'
SELECT bool_and(to_simhash(normalize(body, NFC)) = h AND to_simhash(normalize(body, NFD)) = h
                AND to_simhash(normalize(body, NFKC)) = h AND to_simhash(normalize(body, NFKD)) = h)
FROM text_example;

\echo '-- The server agrees on every character that is not a separator; those newer than Unicode 17.0 are separators.'
SELECT count(*) FROM generate_series(1, 1114109) AS code
WHERE code NOT BETWEEN 55296 AND 57343
  AND to_simhash('x' || chr(code) || 'y', 'character', 1) <> to_simhash('x y', 'character', 1)
  AND to_simhash('x' || chr(code) || 'y', 'character', 1)
      IS DISTINCT FROM to_simhash(normalize('x' || chr(code) || 'y', NFKC), 'character', 1);

\echo '-- Large documents: many pieces, a growing hash table, a very long word.'
SELECT to_simhash(string_agg('word' || i % 50021, ' ')) FROM generate_series(1, 400000) AS i;
SELECT to_simhash(repeat('東京', 500000)), to_simhash(repeat('x', 10000000)), to_simhash(repeat(E'e\u0301', 300000));
