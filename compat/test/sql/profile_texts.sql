\set ECHO none
-- Texts in every encoding have the fingerprints and minima of other libraries, since features are hashed as UTF-8.

CREATE EXTENSION simhash_compat;
SELECT current_database() AS utf8 \gset
SET client_encoding = 'UTF8';
SELECT to_simhash_as('1e0ng', 'Éric aime le café'), to_simhash_as('go-dedup-utf', 'Éric aime le café'),
       to_simhash_as('floc', ARRAY['Éric', 'café']), to_simhash_as('yanyiwu', ARRAY['Éric', 'café'], ARRAY[1, 2]);
SELECT to_minhash_as('datasketch', ARRAY['Éric', 'café'], 4), to_minhash_as('text-dedup', ARRAY['Éric', 'café'], 4);

CREATE DATABASE simhash_compat_latin1 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c simhash_compat_latin1
SET client_encoding = 'UTF8';
CREATE EXTENSION simhash_compat CASCADE;
SELECT to_simhash_as('1e0ng', 'Éric aime le café'), to_simhash_as('go-dedup-utf', 'Éric aime le café'),
       to_simhash_as('floc', ARRAY['Éric', 'café']), to_simhash_as('yanyiwu', ARRAY['Éric', 'café'], ARRAY[1, 2]);
SELECT to_minhash_as('datasketch', ARRAY['Éric', 'café'], 4), to_minhash_as('text-dedup', ARRAY['Éric', 'café'], 4);

\c :utf8
DROP DATABASE simhash_compat_latin1;

\echo '-- Features that a client sends as text of no known type are taken for a document, with a warning.'
\set VERBOSITY default
SELECT to_simhash_as('1e0ng', '{invoice,urgent}') IS NOT NULL AS hashed;
DROP EXTENSION simhash_compat;
