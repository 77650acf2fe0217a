\set ECHO none
-- feature_frequencies: weights by rarity.

\set VERBOSITY default

CREATE TABLE page (id int PRIMARY KEY, body text);
INSERT INTO page VALUES
    (1, 'overview package class tree help the stack pops'),
    (2, 'overview package class tree help the queue polls'),
    (3, 'overview package class tree help a stack pops twice twice'),
    (4, 'overview package class tree index'),
    (5, NULL), (6, ' - ');
SELECT feature_frequencies_agg(body) AS f FROM page \gset
SELECT left(:'f', 60) AS text, length(:'f') AS length;
SELECT word, feature_frequency(:'f', word) AS documents, feature_rarity(:'f', word) AS rarity
FROM unnest('{overview,help,stack,twice,never}'::text[]) AS word;

\echo '-- The weights are (1 + ln tf) times the rarity: those of the same features with these weights given.'
SELECT id, to_simhash_weights(features(:'f'::feature_frequencies, body))::text = (
    SELECT simhash_weights_agg(w, (round(256 * (1 + ln(tf))) / 256) * feature_rarity(:'f', w))::text
    FROM (SELECT w, count(*) AS tf FROM unnest(to_features(body)) AS w GROUP BY w) AS t) AS equal
FROM page ORDER BY id;
SELECT to_simhash_weights(features(:'f'::feature_frequencies, body))::simhash = to_simhash(features(:'f'::feature_frequencies, body)) AS fingerprint,
       to_signature(features(:'f'::feature_frequencies, body), 300)::bit(64)::simhash = to_simhash(features(:'f'::feature_frequencies, body)) AS signature,
       (to_signature_weights(features(:'f'::feature_frequencies, body), 300))[1] = (to_simhash_weights(features(:'f'::feature_frequencies, body))::real[])[64] AS weights,
       to_simhash(features(:'f'::feature_frequencies, features(to_features(body)))) = to_simhash(features(:'f'::feature_frequencies, body)) AS list,
       to_simhash(features(:'f'::feature_frequencies, features(to_tsvector('simple', body)))) = to_simhash(features(:'f'::feature_frequencies, body)) AS lexemes,
       round(feature_cosine(features(:'f'::feature_frequencies, body), features(:'f'::feature_frequencies, body))::numeric, 3) AS same
FROM page WHERE id = 3;
\echo '-- Pages with a common frame are told apart.'
SELECT x.id, y.id, round(feature_cosine(x.body, y.body)::numeric, 3) AS plain,
       round(feature_cosine(features(:'f'::feature_frequencies, x.body), features(:'f'::feature_frequencies, y.body))::numeric, 3) AS rare,
       feature_cosine(features(:'f'::feature_frequencies, features(to_features(x.body))), features(:'f'::feature_frequencies, features(to_features(y.body)))) = feature_cosine(features(:'f'::feature_frequencies, x.body), features(:'f'::feature_frequencies, y.body)) AS lists,
       feature_cosine(features(:'f'::feature_frequencies, features(to_tsvector('simple', x.body))), features(:'f'::feature_frequencies, features(to_tsvector('simple', y.body))))
           = feature_cosine(features(:'f'::feature_frequencies, x.body), features(:'f'::feature_frequencies, y.body)) AS lexemes
FROM page x JOIN page y ON x.id < y.id ORDER BY 1, 2;
\echo '-- An empty collection weighs all features alike. Without features there is no fingerprint.'
SELECT to_simhash(features('<word,1,0,0,{}>'::feature_frequencies, 'a quick fox')) = to_simhash('a quick fox') AS alike,
       to_simhash(features(:'f'::feature_frequencies, '...')) IS NULL AS none, to_simhash(features(:'f'::feature_frequencies, NULL::text)) IS NULL AS strict,
       feature_rarity('<word,1,0,0,{}>', 'a') = feature_rarity('<word,1,1,0,{}>', 'a') AS one;
SELECT feature_frequencies_agg(body) FROM page WHERE false;
SELECT feature_frequencies_agg(body) FROM page WHERE id > 4;

\echo '-- The frequencies know which shingles they count.'
SELECT feature_frequencies_agg(body, 'word', 2) AS f2, feature_frequencies_agg(body, 'character', 3) AS f3 FROM page \gset
SELECT feature_frequency(:'f2', 'class tree') AS pair, feature_frequency(:'f3', 'cla') AS characters,
       to_simhash(features(:'f2'::feature_frequencies, body)) = to_simhash(features(:'f2'::feature_frequencies, features(to_features(body, 'word', 2)))) AS pairs,
       to_simhash(features(:'f3'::feature_frequencies, body)) = to_simhash(features(:'f3'::feature_frequencies, features(to_features(body, 'character', 3)))) AS triples
FROM page WHERE id = 1;
SELECT feature_frequencies_agg(features(to_features(body))) AS fa, feature_frequencies_agg(features(to_tsvector('simple', body))) AS ft FROM page \gset
SELECT :'fa' = :'ft' AS equal, replace(:'fa', 'given', 'word') = :'f' AS counts;
SELECT to_simhash(features(:'fa'::feature_frequencies, 'some text'));

\echo '-- Parts add up to the whole.'
SELECT feature_frequencies_agg(f)::text = :'f' AS equal
FROM (SELECT feature_frequencies_agg(body) AS f FROM page GROUP BY id % 3) AS part;
SELECT feature_frequencies_agg(f) FROM unnest(ARRAY[:'f', :'f2']::feature_frequencies[]) AS f;

\echo '-- Only the most frequent ones: the others are as frequent as the most frequent one among them can be.'
SELECT feature_frequencies_top(:'f', 4) AS top \gset
SELECT substr(:'top', 1, 12) AS header, feature_frequency(:'top', 'tree') AS tree, feature_frequency(:'top', 'help') AS help,
       feature_rarity(:'top', 'help') = feature_rarity(:'f', 'help') AS help_rarity,
       feature_rarity(:'top', 'twice') = feature_rarity(:'f', 'help') AS twice_rarity;
SELECT feature_frequencies_top(:'f', 0), feature_frequencies_top(:'f', 100)::text = :'f' AS all;
SELECT feature_frequencies_top(:'f', -1);

\echo '-- Stored out of line, in queries, triggers, a generated column and a dump''s form.'
CREATE TABLE frequencies (id int PRIMARY KEY, f feature_frequencies);
INSERT INTO frequencies
    SELECT 1, feature_frequencies_agg(repeat('word' || i || ' ', 1 + i % 2)) FROM generate_series(1, 3000) AS i;
INSERT INTO frequencies
    SELECT 2, feature_frequencies_agg('word' || i || ' word' || i / 2) FROM generate_series(1, 3000) AS i;
SELECT id, pg_column_size(f) FROM frequencies ORDER BY id;
\echo '-- One call site sees several values.'
SELECT id, x, to_simhash_weights(features(f, 'word7 word8 other'))::text
    = to_simhash_weights(features(f::text::feature_frequencies, 'word7 word8 other'))::text AS equal
FROM generate_series(1, 3) AS x CROSS JOIN frequencies ORDER BY x, id;
SELECT count(*), count(DISTINCT to_simhash_weights(features(f, 'word7 word8 other'))::text) AS values
FROM (SELECT f FROM frequencies UNION ALL SELECT feature_frequencies_top(f, 9) FROM frequencies
      UNION ALL SELECT f FROM frequencies) AS v;
CREATE FUNCTION fingerprint_page() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.h := to_simhash(features((SELECT f FROM frequencies WHERE id = 2), NEW.body)); RETURN NEW; END';
CREATE TABLE article (body text, h simhash);
CREATE TRIGGER fingerprint BEFORE INSERT OR UPDATE OF body ON article FOR EACH ROW EXECUTE FUNCTION fingerprint_page();
INSERT INTO article SELECT 'word' || i || ' word' || i + 1 || ' and more' FROM generate_series(1, 50) AS i;
UPDATE frequencies SET f = feature_frequencies_top(f, 10) WHERE id = 2;
INSERT INTO article SELECT 'word' || i || ' word' || i + 1 || ' and more' FROM generate_series(1, 50) AS i;
SELECT count(*), count(DISTINCT (body, h::bigint)) AS different FROM article;
SELECT feature_frequencies_top(f, 5) AS few FROM frequencies WHERE id = 1 \gset
CREATE TABLE generated (body text, h simhash GENERATED ALWAYS AS (to_simhash(features(:'few'::feature_frequencies, body))) STORED);
INSERT INTO generated VALUES ('word2 word3');
SELECT h = to_simhash(features(:'few'::feature_frequencies, body)) AS equal FROM generated;
ALTER TABLE frequencies ALTER f SET STORAGE extended;
INSERT INTO frequencies SELECT 3, feature_frequencies_agg('word' || i % 50) FROM generate_series(1, 3000) AS i;
SELECT count(DISTINCT to_simhash(features(f, 'word1 word2 word77'))) AS fingerprints FROM frequencies, generate_series(1, 3)
WHERE id = 3;

\echo '-- Parallel aggregation gives the same value.'
CREATE TABLE many AS SELECT 'word' || i % 100 || ' word' || i % 7 AS body FROM generate_series(1, 20000) AS i;
SELECT feature_frequencies_agg(body) AS alone FROM many \gset
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT feature_frequencies_agg(body) FROM many;
SELECT feature_frequencies_agg(body)::text = :'alone' AS equal FROM many;
RESET ALL;
\set VERBOSITY default

\echo '-- Binary form, and errors.'
SELECT current_setting('data_directory') || '/feature_frequencies.copy' AS file \gset
COPY frequencies TO :'file' (FORMAT binary);
CREATE TEMP TABLE again (LIKE frequencies);
COPY again FROM :'file' (FORMAT binary);
SELECT count(*), count(*) FILTER (WHERE again.f::text = frequencies.f::text) AS equal FROM again JOIN frequencies USING (id);
SELECT length(simhash_internal_feature_frequencies_send('<word,2,3,1,{0000000000000001:3,ffffffffffffffff:1}>')) AS bytes;
SELECT '<word,2,3,1,{0x1:3}>'::feature_frequencies;
SELECT '<word,2,3,1,{0000000000000001:3,ffffffffffffffff:1}>'::feature_frequencies;
CREATE FUNCTION frequencies_valid(t text) RETURNS boolean LANGUAGE plpgsql AS
    'BEGIN PERFORM t::feature_frequencies; RETURN true; EXCEPTION WHEN invalid_text_representation THEN RETURN false; END';
SELECT count(*) FROM unnest('{"","<","<word,1,0,0,{}","<word,1,0,0,{}>x","<words,1,0,0,{}>","<word,0,0,0,{}>",
    "<word,26,0,0,{}>","<given,2,0,0,{}>","<word,1,1,2,{}>","<word,1,4294967295,0,{}>","<word,1,-1,0,{}>",
    "<word,1,1,0,{1:2}>","<word,1,1,0,{1:0}>","<word,1,1,0,{1}>","<word,1,1,0,{,}>","<word,1,1,0,{1:1,}>",
    "<word,1,1,0,{2:1,1:1}>","<word,1,1,0,{1:1,1:1}>","<word,1,1,0,{10000000000000000:1}>"}'::text[]) AS t
WHERE NOT frequencies_valid(t);
SELECT 'word'::feature_frequencies;
SELECT feature_frequencies_agg(body, 'line', 1) FROM page;
SELECT feature_frequencies_agg(body, 'word', 26) FROM page;
SELECT feature_frequencies_agg(body, 'word', id) FROM page WHERE id < 3;
SELECT feature_frequencies_agg(body, 'word', NULL) FROM page WHERE id < 3;
SELECT feature_frequencies_agg(f) FROM unnest('{"<word,1,4294967294,0,{}>","<word,1,1,0,{}>"}'::feature_frequencies[]) AS f;
SELECT to_signature(features('<word,1,0,0,{}>'::feature_frequencies, 'text'), 5000);

\echo '-- More features than are counted exactly: the rare ones are forgotten, and how often these can occur is remembered.'
SELECT split_part(f::text, ',', 3) AS documents, split_part(f::text, ',', 4) AS missed,
       feature_frequency(f, 'common') AS common, feature_frequency(f, 'x5') AS five,
       feature_rarity(f, 'x5') = feature_rarity(f, 'never') AS rare
FROM (SELECT feature_frequencies_agg('common' || (SELECT string_agg(' x' || i, '') FROM generate_series(n, n + 49999) AS i)) AS f
      FROM generate_series(1, 1300000, 50000) AS n) AS s;

\echo '-- A weight that a rarity would round to 0 is an error, as it is without one.'
SELECT to_simhash(features(f, features('{a}'::text[], '{1e-3}'))) = to_simhash(features('{a}'::text[])) AS small
FROM (SELECT feature_frequencies_agg('a') AS f FROM generate_series(1, 1000)) AS s;
SELECT features(f, features('{a}'::text[], '{1e-6}')) FROM (SELECT feature_frequencies_agg('a') AS f FROM generate_series(1, 1000)) AS s;
\echo :SQLSTATE

\echo '-- The frequencies come first, so that weights of no known type need no cast behind features.'
PREPARE weighted AS SELECT to_simhash(features($1::text[], $2)) = to_simhash(features('{a,b}'::text[], '{3,1}'::float8[])) AS equal,
    to_signature(features($1::text[], $2), 64)::simhash = to_simhash(features($1::text[], $2)) AS signature;
EXECUTE weighted('{a,b}', '{3,1}');
PREPARE rare(feature_frequencies) AS SELECT to_simhash(features($1, $2)) = to_simhash(features($1, 'stack pops'::text)) AS equal, feature_cosine(features($1, $2), features($1, $2)) AS same;
EXECUTE rare(:'f', 'stack pops');
