\set ECHO none
-- The same text has the same fingerprint in every encoding, since features are hashed as UTF-8.

SELECT current_database() AS utf8 \gset
SET client_encoding = 'UTF8';
-- Queries for several databases.
SELECT $queries$
SELECT to_simhash('Éric aime le café à Besançon'), to_simhash(features(ARRAY['Éric', 'café'])), to_simhash(features('{"café": 1}'::jsonb));
SELECT feature_jaccard('Éric aime le café'::text, 'le CAFÉ aimé'), feature_cosine(features(ARRAY['Éric', 'café']), features(ARRAY['café'])), feature_containment(features('café'::tsvector), features('café'::tsvector));
SELECT to_features('Éric aime le café', 'word', 2);
SELECT simhash_internal_text_sketch('Éric aime le café à Besançon'), 'Éric aime le café à Besançon' ~= 'éric AIME le café à besançon' AS near;
CREATE TABLE page AS SELECT i AS id, (ARRAY['é', 'è'])[1 + i % 2] AS tenant, 'Éric aime le café à Besançon ' || i / 4 AS body FROM generate_series(1, 80) i;
CREATE INDEX ON page USING simhash (tenant simhash_equal_text_ops, body);
SET enable_seqscan = off;
SELECT array_agg(id ORDER BY id) AS found FROM page WHERE tenant = 'é' AND body ~= 'éric aime LE café à besançon 7';
DROP TABLE page;
$queries$ AS french \gset
SELECT $queries$
SELECT to_simhash('東京都の天気は晴れです。 weather'), to_simhash(features(ARRAY['東京'], ARRAY[1])), to_simhash(features('東京:1'::tsvector)),
       simhash_agg('東京') FROM (VALUES (1)) AS v;
SELECT feature_jaccard('東京都の天気'::text, '京都の天気'), feature_cosine(features('{"東京": 1}'::jsonb), features('{"東京": 2, "京都": 3}'::jsonb));
SELECT to_simhash(repeat('東京都', 400000) || ' ' || repeat('京都 ', 400000));
SELECT simhash_internal_text_sketch('東京都の天気は晴れです。 weather'), '東京都の天気は晴れです。 weather' ~= '東京都の天気は晴れです。 WEATHER' AS near;
CREATE TABLE page AS SELECT i AS id, (ARRAY['東', '京'])[1 + i % 2] AS tenant, '東京都の天気は晴れです。 weather ' || i / 4 AS body FROM generate_series(1, 80) i;
CREATE INDEX ON page USING simhash (tenant simhash_equal_text_ops, body);
SET enable_seqscan = off;
SELECT array_agg(id ORDER BY id) AS found FROM page WHERE tenant = '東' AND body ~= '東京都の天気は晴れです。 WEATHER 7';
DROP TABLE page;
$queries$ AS japanese \gset
:french
:japanese
RESET enable_seqscan;

CREATE DATABASE simhash_latin1 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c simhash_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION simhash;
:french

CREATE DATABASE simhash_euc_jp ENCODING 'EUC_JP' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c simhash_euc_jp
SET client_encoding = 'UTF8';
CREATE EXTENSION simhash;
:japanese

\echo '-- In SQL_ASCII bytes are taken as UTF-8; invalid ones are separators in texts.'
CREATE DATABASE simhash_sql_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c simhash_sql_ascii
CREATE EXTENSION simhash;
SELECT to_simhash(E'one\xFFtwo\xE6three') = to_simhash('one two three') AS separators;
:japanese
\echo '-- also in an index'
CREATE TABLE page AS SELECT i AS id, E'one\xFFtwo\xE6three four ' || i / 4 AS body FROM generate_series(1, 40) i;
CREATE INDEX ON page USING simhash (body);
SELECT array_agg(id ORDER BY id) AS found FROM page WHERE body ~= 'one two three FOUR 5';
SELECT array_agg(id ORDER BY id) AS found FROM page WHERE body <@| text_ball(E'one two\xE6three four\xFF6', 0.9);
SELECT rows, heap_rows FROM simhash_index_check('page_body_idx', true);

\echo '-- A character that UTF-8 lacks is a separator: functions that row-level security trusts raise no error for it.'
CREATE DATABASE simhash_win1252 ENCODING 'WIN1252' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c simhash_win1252
SET client_encoding = 'UTF8';
CREATE EXTENSION simhash;
:french
CREATE TABLE page AS SELECT i AS id, convert_from('\x4f6e652081748177f681', 'WIN1252') || ' three ' || i / 4 AS body FROM generate_series(1, 40) i;
SELECT to_simhash(body) = to_simhash('one t wö three 0') AS separators FROM page WHERE id = 1;
SELECT count(*) AS none FROM page WHERE body ~= 'x';
CREATE INDEX ON page USING simhash (body);
SELECT array_agg(id ORDER BY id) AS found FROM page WHERE body ~= 'one t wö three 5';
SELECT to_features(body) AS features FROM page WHERE id = 4;

\echo '-- Nothing else than ASCII is converted from MULE_INTERNAL.'
CREATE DATABASE simhash_mule ENCODING 'MULE_INTERNAL' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c simhash_mule
CREATE EXTENSION simhash;
SELECT to_simhash(E'one\x81\xE9 two') = to_simhash('one two') AS separators, E'one\x81\xE9 two three' ~= 'one TWO three' AS near;

\c :utf8
DROP DATABASE simhash_mule;
DROP DATABASE simhash_latin1;
DROP DATABASE simhash_win1252;
DROP DATABASE simhash_euc_jp;
DROP DATABASE simhash_sql_ascii;
