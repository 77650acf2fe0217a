\echo Use "ALTER EXTENSION simhash UPDATE TO '0.2.0'" to load this file. \quit

-- Functions with more arguments or more columns than in 0.1.0. Where views or generated columns use them, the update
-- stops with an error that lists these.
DROP FUNCTION simhash_url_features(pg_catalog.text, pg_catalog.text[]);
DROP FUNCTION simhash_index_stats(pg_catalog.regclass);
DROP FUNCTION simhash_report(pg_catalog.regclass, pg_catalog.name, integer);
DROP FUNCTION simhash_probe_plan(pg_catalog.regclass, simhash, integer);
DROP FUNCTION simhash_probe_plan(pg_catalog.regclass, simhash_weights_ball);
DROP FUNCTION simhash_pairs(pg_catalog.regclass, integer);
DROP FUNCTION simhash_join(pg_catalog.regclass, pg_catalog.regclass, integer);
DROP FUNCTION simhash_groups(pg_catalog.regclass, integer, boolean);

-- Vectors are arrays of double precision, to which those of real are cast.
DROP FUNCTION simhash_project(real[], bigint);
DROP FUNCTION simhash_project_weights(real[], bigint);

-- The types now have the category of bit. ALTER TYPE cannot change it.
UPDATE pg_catalog.pg_type SET typcategory = 'V' WHERE oid OPERATOR(pg_catalog.=)
    ANY ('{simhash,simhash_weights,simhash_ball,simhash_weights_ball}'::pg_catalog.regtype[]);

-- What follows is written by tools/upgrade-script.pl.
-- Altered above: TYPE simhash
-- Altered above: TYPE simhash_weights
CREATE FUNCTION to_simhash(hashes bigint[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash(hashes bigint[], weights double precision[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_weighted_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION to_simhash(bigint[])
    IS 'fingerprint of feature hashes, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash(bigint[], double precision[])
    IS 'fingerprint of feature hashes with weights';
CREATE FUNCTION to_simhash_weights(hashes bigint[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash_weights(hashes bigint[], weights double precision[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_weighted_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION to_simhash_weights(bigint[])
    IS 'weights of feature hashes, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash_weights(bigint[], double precision[])
    IS 'weights of feature hashes with weights';
CREATE FUNCTION to_signature(document pg_catalog.text, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_signature(document pg_catalog.text, unit pg_catalog.text, size integer, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_signature(features pg_catalog.text[], bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_signature(features pg_catalog.text[], weights double precision[], bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_signature(document pg_catalog.tsvector, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_signature(features pg_catalog.jsonb, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_jsonb' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION to_signature(pg_catalog.text, integer)
    IS 'signature of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_signature(pg_catalog.text, pg_catalog.text, integer, integer)
    IS 'signature of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_signature(pg_catalog.text[], integer)
    IS 'signature of features, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_signature(pg_catalog.text[], double precision[], integer)
    IS 'signature of features with weights';
COMMENT ON FUNCTION to_signature(pg_catalog.tsvector, integer)
    IS 'signature of lexemes, weighted by 1 + ln of their frequency; labels C, B, A count 2, 4, 10 times';
COMMENT ON FUNCTION to_signature(pg_catalog.jsonb, integer)
    IS 'signature of an object of features and weights';
CREATE FUNCTION to_signature_weights(document pg_catalog.text, bits integer) RETURNS real[]
    AS 'MODULE_PATHNAME', 'to_signature_weights_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_signature_weights(document pg_catalog.text, unit pg_catalog.text, size integer, bits integer)
    RETURNS real[]
    AS 'MODULE_PATHNAME', 'to_signature_weights_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_signature_weights(features pg_catalog.text[], bits integer) RETURNS real[]
    AS 'MODULE_PATHNAME', 'to_signature_weights_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_signature_weights(features pg_catalog.text[], weights double precision[], bits integer)
    RETURNS real[]
    AS 'MODULE_PATHNAME', 'to_signature_weights_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_signature_weights(document pg_catalog.tsvector, bits integer) RETURNS real[]
    AS 'MODULE_PATHNAME', 'to_signature_weights_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_signature_weights(features pg_catalog.jsonb, bits integer) RETURNS real[]
    AS 'MODULE_PATHNAME', 'to_signature_weights_jsonb' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION to_signature_weights(pg_catalog.text, integer)
    IS 'weights of the bits of the signature of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_signature_weights(pg_catalog.text, pg_catalog.text, integer, integer)
    IS 'weights of the bits of the signature of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_signature_weights(pg_catalog.text[], integer)
    IS 'weights of the bits of the signature of features, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_signature_weights(pg_catalog.text[], double precision[], integer)
    IS 'weights of the bits of the signature of features with weights';
COMMENT ON FUNCTION to_signature_weights(pg_catalog.tsvector, integer)
    IS 'weights of the bits of the signature of lexemes, weighted by 1 + ln of their frequency; labels C, B, A count 2, 4, 10 times';
COMMENT ON FUNCTION to_signature_weights(pg_catalog.jsonb, integer)
    IS 'weights of the bits of the signature of an object of features and weights';
CREATE FUNCTION to_minhash(document pg_catalog.text, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_minhash_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_minhash(document pg_catalog.text, unit pg_catalog.text, size integer, bits integer)
    RETURNS bit
    AS 'MODULE_PATHNAME', 'to_minhash_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_minhash(features pg_catalog.text[], bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_minhash_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_minhash(features bigint[], bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_minhash_numbers' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_minhash(document pg_catalog.tsvector, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_minhash_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION to_minhash(pg_catalog.text, integer)
    IS 'min-hash signature of the set of the words of a text: one bit of each minimum';
COMMENT ON FUNCTION to_minhash(pg_catalog.text, pg_catalog.text, integer, integer)
    IS 'min-hash signature of the set of the shingles of a text, each of size units, word or character: one bit of each minimum';
COMMENT ON FUNCTION to_minhash(pg_catalog.text[], integer)
    IS 'min-hash signature of the set of features: one bit of each minimum';
COMMENT ON FUNCTION to_minhash(bigint[], integer)
    IS 'min-hash signature of the set of numbers: one bit of each minimum';
COMMENT ON FUNCTION to_minhash(pg_catalog.tsvector, integer)
    IS 'min-hash signature of the set of lexemes: one bit of each minimum';
CREATE FUNCTION to_minhash_values(document pg_catalog.text, minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_values_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_minhash_values(document pg_catalog.text, unit pg_catalog.text, size integer, minima integer)
    RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_values_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_minhash_values(features pg_catalog.text[], minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_values_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_minhash_values(features bigint[], minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_values_numbers' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_minhash_values(document pg_catalog.tsvector, minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_values_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION to_minhash_values(pg_catalog.text, integer)
    IS 'min-hash sketch of the set of the words of a text: its minima';
COMMENT ON FUNCTION to_minhash_values(pg_catalog.text, pg_catalog.text, integer, integer)
    IS 'min-hash sketch of the set of the shingles of a text, each of size units, word or character: its minima';
COMMENT ON FUNCTION to_minhash_values(pg_catalog.text[], integer)
    IS 'min-hash sketch of the set of features: its minima';
COMMENT ON FUNCTION to_minhash_values(bigint[], integer)
    IS 'min-hash sketch of the set of numbers: its minima';
COMMENT ON FUNCTION to_minhash_values(pg_catalog.tsvector, integer)
    IS 'min-hash sketch of the set of lexemes: its minima';
CREATE FUNCTION minhash_bits(minima bigint[]) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_union(bigint[], bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_similarity(bigint[], bigint[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'minhash_values_similarity' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_bits(bigint[]) IS 'one bit of each minimum, as to_minhash returns them';
COMMENT ON FUNCTION minhash_union(bigint[], bigint[]) IS 'the minima of the union of two sets: the lesser in each place';
COMMENT ON FUNCTION minhash_similarity(bigint[], bigint[])
    IS 'estimate of the Jaccard index of two sets: the fraction of equal minima';
CREATE FUNCTION minhash_bands(minima bigint[], rows integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION minhash_band_probability(similarity double precision, bands integer, rows integer)
    RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_band_rows(similarity double precision, minima integer, recall double precision) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_bands(bigint[], integer)
    IS 'keys of bands of minima, the same number of rows each: sets with a key in common are candidates';
COMMENT ON FUNCTION minhash_band_probability(double precision, integer, integer)
    IS 'probability that sets of a Jaccard index have a band in common';
COMMENT ON FUNCTION minhash_band_rows(double precision, integer, double precision)
    IS 'most rows a band with which that probability is at least recall; NULL if none is';
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, document pg_catalog.text) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_as_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, document pg_catalog.text, size integer)
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_as_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, features pg_catalog.text[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, features pg_catalog.text[], weights double precision[])
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_as_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, hashes bigint[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, hashes bigint[], weights double precision[])
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_as_weighted_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, pg_catalog.text)
    IS 'weights whose signs are another library''s fingerprint of a text';
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, pg_catalog.text, integer)
    IS 'weights whose signs are another library''s fingerprint of a text, with shingles of size units';
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, pg_catalog.text[])
    IS 'weights whose signs are another library''s fingerprint of features';
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, pg_catalog.text[], double precision[])
    IS 'weights whose signs are another library''s fingerprint of features with weights';
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, bigint[])
    IS 'weights whose signs are another library''s fingerprint of feature hashes';
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, bigint[], double precision[])
    IS 'weights whose signs are another library''s fingerprint of feature hashes with weights';
CREATE FUNCTION to_minhash_as(profile pg_catalog.text, features pg_catalog.text[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_minhash_as(profile pg_catalog.text, features pg_catalog.text[], minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_minhash_as(profile pg_catalog.text, features pg_catalog.text[], minima integer, seed bigint)
    RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_minhash_as(profile pg_catalog.text, hashes bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_minhash_as(profile pg_catalog.text, hashes bigint[], minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_minhash_as(profile pg_catalog.text, hashes bigint[], minima integer, seed bigint) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, pg_catalog.text[])
    IS 'another library''s min-hash of features';
COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, pg_catalog.text[], integer)
    IS 'another library''s min-hash of features, so many minima';
COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, pg_catalog.text[], integer, bigint)
    IS 'another library''s min-hash of features, so many minima, with permutations from a seed';
COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, bigint[])
    IS 'another library''s min-hash of feature hashes';
COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, bigint[], integer)
    IS 'another library''s min-hash of feature hashes, so many minima';
COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, bigint[], integer, bigint)
    IS 'another library''s min-hash of feature hashes, so many minima, with permutations from a seed';
CREATE FUNCTION minhash_profiles(OUT name pg_catalog.text, OUT minima integer, OUT seed bigint, OUT hash pg_catalog.text,
    OUT permutation pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 11;
COMMENT ON FUNCTION minhash_profiles() IS 'the profiles of to_minhash_as and their properties';
CREATE FUNCTION simhash_stop_word_shingles(document pg_catalog.text,
    stop_words pg_catalog.text[] DEFAULT
        '{a,an,are,be,been,can,did,do,does,had,has,have,is,said,that,the,there,this,was,were,will,would}',
    size integer DEFAULT 3)
    RETURNS pg_catalog.text[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION simhash_url_features(url pg_catalog.text,
    stop_components pg_catalog.text[] DEFAULT
        '{asp,aspx,bin,cgi,default,home,htm,html,index,jsp,main,php,shtml,txt,www,xhtml}',
    host boolean DEFAULT false)
    RETURNS pg_catalog.text[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION simhash_stop_word_shingles(pg_catalog.text, pg_catalog.text[], integer)
    IS 'shingles of size words that contain a stop word: features that are rare in navigation and banners';
COMMENT ON FUNCTION simhash_url_features(pg_catalog.text, pg_catalog.text[], boolean)
    IS 'positional bigrams of the components of a URL, and on request those of its host: features that mirrors share';
CREATE FUNCTION simhash_project(embedding double precision[], seed bigint DEFAULT 0) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5000;
CREATE FUNCTION simhash_project_weights(embedding double precision[], seed bigint DEFAULT 0) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION simhash_project(double precision[], bigint)
    IS 'fingerprint of a vector: on which sides of 64 random hyperplanes it lies';
COMMENT ON FUNCTION simhash_project_weights(double precision[], bigint)
    IS 'weights of a vector: the distances of the vector, normalised to length 1, from 64 random hyperplanes';
CREATE FUNCTION signature_project(embedding double precision[], bits integer, seed bigint DEFAULT 0) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30000;
CREATE FUNCTION signature_projections(embedding double precision[], bits integer, seed bigint DEFAULT 0) RETURNS real[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30000;
COMMENT ON FUNCTION signature_project(double precision[], integer, bigint)
    IS 'signature of a vector: on which sides of random hyperplanes it lies';
COMMENT ON FUNCTION signature_projections(double precision[], integer, bigint)
    IS 'weights of a vector''s signature: the distances of the vector, normalised to length 1, from random hyperplanes';
CREATE FUNCTION signature_move_in(pg_catalog.internal, pg_catalog.text, integer) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_move_in(pg_catalog.internal, pg_catalog.text, double precision, integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_move_out(pg_catalog.internal, pg_catalog.text, integer) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_move_out(pg_catalog.internal, pg_catalog.text, double precision, integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION signature_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION signature_final(pg_catalog.internal) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION signature_weights_final(pg_catalog.internal) RETURNS real[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION signature_move_in(pg_catalog.internal, pg_catalog.text, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION signature_move_in(pg_catalog.internal, pg_catalog.text, double precision, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION signature_move_out(pg_catalog.internal, pg_catalog.text, integer)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION signature_move_out(pg_catalog.internal, pg_catalog.text, double precision, integer)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION signature_combine(pg_catalog.internal, pg_catalog.internal)
    IS 'aggregate combine function';
COMMENT ON FUNCTION signature_serialize(pg_catalog.internal)
    IS 'aggregate serialization function';
COMMENT ON FUNCTION signature_deserialize(pg_catalog.bytea, pg_catalog.internal)
    IS 'aggregate deserialization function';
COMMENT ON FUNCTION signature_final(pg_catalog.internal)
    IS 'aggregate final function';
COMMENT ON FUNCTION signature_weights_final(pg_catalog.internal)
    IS 'aggregate final function';
CREATE AGGREGATE signature_agg(feature pg_catalog.text, bits integer) (
    SFUNC = signature_move_in, STYPE = pg_catalog.internal, SSPACE = 8256,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = signature_final, PARALLEL = SAFE,
    MSFUNC = signature_move_in, MINVFUNC = signature_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 8256, MFINALFUNC = signature_final);
CREATE AGGREGATE signature_agg(feature pg_catalog.text, weight double precision, bits integer) (
    SFUNC = signature_move_in, STYPE = pg_catalog.internal, SSPACE = 8256,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = signature_final, PARALLEL = SAFE,
    MSFUNC = signature_move_in, MINVFUNC = signature_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 8256, MFINALFUNC = signature_final);
CREATE AGGREGATE signature_weights_agg(feature pg_catalog.text, bits integer) (
    SFUNC = signature_move_in, STYPE = pg_catalog.internal, SSPACE = 8256,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = signature_weights_final, PARALLEL = SAFE,
    MSFUNC = signature_move_in, MINVFUNC = signature_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 8256, MFINALFUNC = signature_weights_final);
CREATE AGGREGATE signature_weights_agg(feature pg_catalog.text, weight double precision, bits integer) (
    SFUNC = signature_move_in, STYPE = pg_catalog.internal, SSPACE = 8256,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = signature_weights_final, PARALLEL = SAFE,
    MSFUNC = signature_move_in, MINVFUNC = signature_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 8256, MFINALFUNC = signature_weights_final);
COMMENT ON AGGREGATE signature_agg(pg_catalog.text, integer)
    IS 'signature of features with weight 1, one per row';
COMMENT ON AGGREGATE signature_agg(pg_catalog.text, double precision, integer)
    IS 'signature of features with weights, one per row';
COMMENT ON AGGREGATE signature_weights_agg(pg_catalog.text, integer)
    IS 'weights of the bits of the signature of features with weight 1, one per row';
COMMENT ON AGGREGATE signature_weights_agg(pg_catalog.text, double precision, integer)
    IS 'weights of the bits of the signature of features with weights, one per row';
CREATE FUNCTION minhash_accumulate(pg_catalog.internal, feature pg_catalog.text, minima integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'minhash_accumulate_text' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_accumulate(pg_catalog.internal, feature bigint, minima integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'minhash_accumulate_number' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION minhash_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION minhash_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION minhash_final(pg_catalog.internal) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION minhash_values_final(pg_catalog.internal) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION minhash_accumulate(pg_catalog.internal, pg_catalog.text, integer) IS 'aggregate transition function';
COMMENT ON FUNCTION minhash_accumulate(pg_catalog.internal, bigint, integer) IS 'aggregate transition function';
COMMENT ON FUNCTION minhash_combine(pg_catalog.internal, pg_catalog.internal) IS 'aggregate combine function';
COMMENT ON FUNCTION minhash_serialize(pg_catalog.internal) IS 'aggregate serial function';
COMMENT ON FUNCTION minhash_deserialize(pg_catalog.bytea, pg_catalog.internal) IS 'aggregate deserial function';
COMMENT ON FUNCTION minhash_final(pg_catalog.internal) IS 'aggregate final function';
COMMENT ON FUNCTION minhash_values_final(pg_catalog.internal) IS 'aggregate final function';
CREATE AGGREGATE minhash_agg(feature pg_catalog.text, bits integer) (
    SFUNC = minhash_accumulate, STYPE = pg_catalog.internal, SSPACE = 4096,
    COMBINEFUNC = minhash_combine, SERIALFUNC = minhash_serialize, DESERIALFUNC = minhash_deserialize,
    FINALFUNC = minhash_final, PARALLEL = SAFE);
CREATE AGGREGATE minhash_agg(feature bigint, bits integer) (
    SFUNC = minhash_accumulate, STYPE = pg_catalog.internal, SSPACE = 4096,
    COMBINEFUNC = minhash_combine, SERIALFUNC = minhash_serialize, DESERIALFUNC = minhash_deserialize,
    FINALFUNC = minhash_final, PARALLEL = SAFE);
CREATE AGGREGATE minhash_values_agg(feature pg_catalog.text, minima integer) (
    SFUNC = minhash_accumulate, STYPE = pg_catalog.internal, SSPACE = 4096,
    COMBINEFUNC = minhash_combine, SERIALFUNC = minhash_serialize, DESERIALFUNC = minhash_deserialize,
    FINALFUNC = minhash_values_final, PARALLEL = SAFE);
CREATE AGGREGATE minhash_values_agg(feature bigint, minima integer) (
    SFUNC = minhash_accumulate, STYPE = pg_catalog.internal, SSPACE = 4096,
    COMBINEFUNC = minhash_combine, SERIALFUNC = minhash_serialize, DESERIALFUNC = minhash_deserialize,
    FINALFUNC = minhash_values_final, PARALLEL = SAFE);
COMMENT ON AGGREGATE minhash_agg(pg_catalog.text, integer)
    IS 'min-hash signature of a set of features, one per row: one bit of each minimum';
COMMENT ON AGGREGATE minhash_agg(bigint, integer)
    IS 'min-hash signature of a set of numbers, one per row: one bit of each minimum';
COMMENT ON AGGREGATE minhash_values_agg(pg_catalog.text, integer)
    IS 'min-hash sketch of a set of features, one per row: the minima';
COMMENT ON AGGREGATE minhash_values_agg(bigint, integer)
    IS 'min-hash sketch of a set of numbers, one per row: the minima';
CREATE FUNCTION jaccard(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'jaccard_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION jaccard(a pg_catalog.text[], b pg_catalog.text[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'jaccard_text_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
CREATE FUNCTION jaccard(a bigint[], b bigint[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'jaccard_bigint_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION jaccard(a pg_catalog.tsvector, b pg_catalog.tsvector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'jaccard_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION jaccard(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'Jaccard similarity of the sets of two documents'' features: the fraction of all features that both have';
COMMENT ON FUNCTION jaccard(pg_catalog.text[], pg_catalog.text[])
    IS 'Jaccard similarity of two sets of texts: the fraction of all elements that both have';
COMMENT ON FUNCTION jaccard(bigint[], bigint[])
    IS 'Jaccard similarity of two sets of numbers: the fraction of all elements that both have';
COMMENT ON FUNCTION jaccard(pg_catalog.tsvector, pg_catalog.tsvector)
    IS 'Jaccard similarity of two sets of lexemes: the fraction of all elements that both have';
CREATE FUNCTION containment(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'containment_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION containment(a pg_catalog.text[], b pg_catalog.text[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'containment_text_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
CREATE FUNCTION containment(a bigint[], b bigint[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'containment_bigint_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION containment(a pg_catalog.tsvector, b pg_catalog.tsvector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'containment_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION containment(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'the fraction of document a''s features that document b contains';
COMMENT ON FUNCTION containment(pg_catalog.text[], pg_catalog.text[])
    IS 'the fraction of the texts in set a that set b contains';
COMMENT ON FUNCTION containment(bigint[], bigint[])
    IS 'the fraction of the numbers in set a that set b contains';
COMMENT ON FUNCTION containment(pg_catalog.tsvector, pg_catalog.tsvector)
    IS 'the fraction of the lexemes in set a that set b contains';
CREATE FUNCTION cosine(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'cosine_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION cosine(a pg_catalog.text[], b pg_catalog.text[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'cosine_text_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
CREATE FUNCTION cosine(a_features pg_catalog.text[], a_weights double precision[],
    b_features pg_catalog.text[], b_weights double precision[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'cosine_weighted_arrays' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
CREATE FUNCTION cosine(a pg_catalog.tsvector, b pg_catalog.tsvector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'cosine_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
CREATE FUNCTION cosine(a pg_catalog.jsonb, b pg_catalog.jsonb) RETURNS double precision
    AS 'MODULE_PATHNAME', 'cosine_jsonb' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 400;
COMMENT ON FUNCTION cosine(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'cosine of the features of two documents, each with the weight 1 + ln tf';
COMMENT ON FUNCTION cosine(pg_catalog.text[], pg_catalog.text[])
    IS 'cosine of two lists of features, each with the weight 1 + ln tf';
COMMENT ON FUNCTION cosine(pg_catalog.text[], double precision[], pg_catalog.text[], double precision[])
    IS 'cosine of two vectors, given as features and their weights';
COMMENT ON FUNCTION cosine(pg_catalog.tsvector, pg_catalog.tsvector)
    IS 'cosine of two documents'' lexemes, each with the weight 1 + ln tf, where labels count as in to_simhash';
COMMENT ON FUNCTION cosine(pg_catalog.jsonb, pg_catalog.jsonb)
    IS 'cosine of two vectors, given as JSON objects of features and weights';
CREATE FUNCTION lsh_keys_l1(vector double precision[], width double precision, keys integer, hashes_per_key integer,
    seed bigint DEFAULT 0) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 60000;
CREATE FUNCTION lsh_keys_l2(vector double precision[], width double precision, keys integer, hashes_per_key integer,
    seed bigint DEFAULT 0) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION lsh_keys_bits(signature bit, keys integer, bits_per_key integer, seed bigint DEFAULT 0) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION lsh_keys_l1(double precision[], double precision, integer, integer, bigint)
    IS 'keys that vectors at a small L1 distance are likely to share, by Cauchy projections into buckets';
COMMENT ON FUNCTION lsh_keys_l2(double precision[], double precision, integer, integer, bigint)
    IS 'keys that vectors at a small L2 distance are likely to share, by Gaussian projections into buckets';
COMMENT ON FUNCTION lsh_keys_bits(bit, integer, integer, bigint)
    IS 'keys that bit strings at a small Hamming distance are likely to share, of sampled bits';
CREATE FUNCTION lsh_probability_l1(distance double precision, width double precision) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lsh_probability_l2(distance double precision, width double precision) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION lsh_parameters(n bigint, p1 double precision, p2 double precision,
    recall double precision DEFAULT 0.9, OUT rho double precision, OUT keys integer, OUT hashes_per_key integer,
    OUT expected_recall double precision, OUT candidates double precision)
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lsh_probability_l1(double precision, double precision)
    IS 'probability that two vectors at an L1 distance get the same hash value of lsh_keys_l1';
COMMENT ON FUNCTION lsh_probability_l2(double precision, double precision)
    IS 'probability that two vectors at an L2 distance get the same hash value of lsh_keys_l2';
COMMENT ON FUNCTION lsh_parameters(bigint, double precision, double precision, double precision)
    IS 'numbers of keys and of hash values per key, from the probabilities that near and far rows get the same hash value';
-- Altered above: TYPE simhash_ball
-- Altered above: TYPE simhash_weights_ball
COMMENT ON TYPE simhash_weights_ball
    IS 'ball around weights, which an index may search with a recall below 1 or a limit of probes: <[w0,...,w63],radius,recall,max_probes>';
CREATE FUNCTION simhash_distance(bit, bit) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'signature_distance_of_bits' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_distance_support;
COMMENT ON FUNCTION simhash_distance(bit, bit) IS 'implementation of <@> operator';
CREATE OPERATOR <@> (
    LEFTARG = bit, RIGHTARG = bit, FUNCTION = simhash_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (bit, bit) IS 'Hamming distance of bit strings of the same length';
CREATE FUNCTION simhash_within(bit, bit, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'signature_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_within_support;
COMMENT ON FUNCTION simhash_within(bit, bit, bigint) IS 'whether the Hamming distance is at most the radius';
CREATE FUNCTION simhash_at(bit, bit, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'signature_at' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_at_support;
COMMENT ON FUNCTION simhash_at(bit, bit, bigint) IS 'whether the Hamming distance is exactly the radius';
CREATE TYPE signature_ball;
CREATE FUNCTION signature_ball_in(pg_catalog.cstring) RETURNS signature_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION signature_ball_out(signature_ball) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION signature_ball_recv(pg_catalog.internal) RETURNS signature_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION signature_ball_send(signature_ball) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE signature_ball (
    INPUT = signature_ball_in, OUTPUT = signature_ball_out,
    RECEIVE = signature_ball_recv, SEND = signature_ball_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = extended,
    CATEGORY = 'V');
COMMENT ON TYPE signature_ball
    IS 'the bit strings within a Hamming distance of a centre, which an index may search with a recall below 1: <center,radius,recall,neighbours>';
COMMENT ON FUNCTION signature_ball_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION signature_ball_out(signature_ball) IS 'I/O';
COMMENT ON FUNCTION signature_ball_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION signature_ball_send(signature_ball) IS 'I/O';
CREATE FUNCTION signature_ball(center bit, radius bigint) RETURNS signature_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION signature_ball(center bit, radius bigint, recall double precision, weights real[] DEFAULT NULL)
    RETURNS signature_ball
    AS 'MODULE_PATHNAME', 'signature_ball_with_recall' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION signature_neighbours(center bit, recall double precision DEFAULT 1, neighbours integer DEFAULT 10,
        weights real[] DEFAULT NULL)
    RETURNS signature_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION signature_ball(bit, bigint)
    IS 'ball with a centre and a radius, which is clamped to -1 and the number of bits';
COMMENT ON FUNCTION signature_ball(bit, bigint, double precision, real[])
    IS 'ball that an index may search with this recall; the larger the absolute weight of a bit, the less likely it differs';
COMMENT ON FUNCTION signature_neighbours(bit, double precision, integer, real[])
    IS 'ball of all bit strings, for ORDER BY: an index may find the nearest rows with this recall';
CREATE FUNCTION simhash_in_ball(bit, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME', 'signature_in_ball' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_in_ball(bit, signature_ball) IS 'implementation of <@| operator';
CREATE OPERATOR <@| (
    LEFTARG = bit, RIGHTARG = signature_ball, FUNCTION = simhash_in_ball,
    RESTRICT = simhash_ball_sel, JOIN = simhash_ball_joinsel);
COMMENT ON OPERATOR <@| (bit, signature_ball) IS 'whether the bit string is in the ball';
CREATE FUNCTION simhash_distance(bit, signature_ball) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'signature_distance_to_center' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_distance_support;
COMMENT ON FUNCTION simhash_distance(bit, signature_ball) IS 'implementation of <@> operator';
CREATE OPERATOR <@> (
    LEFTARG = bit, RIGHTARG = signature_ball, FUNCTION = simhash_distance);
COMMENT ON OPERATOR <@> (bit, signature_ball) IS 'Hamming distance to the centre of the ball';
CREATE TYPE jaccard_estimate;
CREATE FUNCTION jaccard_estimate_in(pg_catalog.cstring) RETURNS jaccard_estimate
    AS 'float8in' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION jaccard_estimate_out(jaccard_estimate) RETURNS pg_catalog.cstring
    AS 'float8out' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION jaccard_estimate_recv(pg_catalog.internal) RETURNS jaccard_estimate
    AS 'float8recv' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION jaccard_estimate_send(jaccard_estimate) RETURNS pg_catalog.bytea
    AS 'float8send' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE jaccard_estimate (
    INPUT = jaccard_estimate_in, OUTPUT = jaccard_estimate_out,
    RECEIVE = jaccard_estimate_recv, SEND = jaccard_estimate_send,
    LIKE = double precision, CATEGORY = 'N');
COMMENT ON TYPE jaccard_estimate IS 'estimated Jaccard similarity, -1 to 1: a double precision whose comparisons can use an index';
COMMENT ON FUNCTION jaccard_estimate_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION jaccard_estimate_out(jaccard_estimate) IS 'I/O';
COMMENT ON FUNCTION jaccard_estimate_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION jaccard_estimate_send(jaccard_estimate) IS 'I/O';
CREATE FUNCTION jaccard_estimate_from_real(real) RETURNS jaccard_estimate
    AS 'ftod' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION jaccard_estimate_from_numeric(numeric) RETURNS jaccard_estimate
    AS 'numeric_float8' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION jaccard_estimate_from_smallint(smallint) RETURNS jaccard_estimate
    AS 'i2tod' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION jaccard_estimate_from_integer(integer) RETURNS jaccard_estimate
    AS 'i4tod' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION jaccard_estimate_from_bigint(bigint) RETURNS jaccard_estimate
    AS 'i8tod' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION jaccard_estimate_to_real(jaccard_estimate) RETURNS real
    AS 'dtof' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION jaccard_estimate_to_numeric(jaccard_estimate) RETURNS numeric
    AS 'float8_numeric' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard_estimate_from_real(real) IS 'convert real to similarity';
COMMENT ON FUNCTION jaccard_estimate_from_numeric(numeric) IS 'convert numeric to similarity';
COMMENT ON FUNCTION jaccard_estimate_from_smallint(smallint) IS 'convert smallint to similarity';
COMMENT ON FUNCTION jaccard_estimate_from_integer(integer) IS 'convert integer to similarity';
COMMENT ON FUNCTION jaccard_estimate_from_bigint(bigint) IS 'convert bigint to similarity';
COMMENT ON FUNCTION jaccard_estimate_to_real(jaccard_estimate) IS 'convert similarity to real';
COMMENT ON FUNCTION jaccard_estimate_to_numeric(jaccard_estimate) IS 'convert similarity to numeric';
CREATE CAST (jaccard_estimate AS double precision) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (double precision AS jaccard_estimate) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (real AS jaccard_estimate) WITH FUNCTION jaccard_estimate_from_real(real) AS IMPLICIT;
CREATE CAST (numeric AS jaccard_estimate) WITH FUNCTION jaccard_estimate_from_numeric(numeric) AS IMPLICIT;
CREATE CAST (smallint AS jaccard_estimate) WITH FUNCTION jaccard_estimate_from_smallint(smallint) AS IMPLICIT;
CREATE CAST (integer AS jaccard_estimate) WITH FUNCTION jaccard_estimate_from_integer(integer) AS IMPLICIT;
CREATE CAST (bigint AS jaccard_estimate) WITH FUNCTION jaccard_estimate_from_bigint(bigint) AS IMPLICIT;
CREATE CAST (jaccard_estimate AS real) WITH FUNCTION jaccard_estimate_to_real(jaccard_estimate) AS ASSIGNMENT;
CREATE CAST (jaccard_estimate AS numeric) WITH FUNCTION jaccard_estimate_to_numeric(jaccard_estimate) AS ASSIGNMENT;
CREATE FUNCTION jaccard_estimate_to_json(jaccard_estimate) RETURNS pg_catalog.json
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION jaccard_estimate_to_json(jaccard_estimate) IS 'the value as a number';
CREATE CAST (jaccard_estimate AS pg_catalog.json) WITH FUNCTION jaccard_estimate_to_json(jaccard_estimate);
COMMENT ON CAST (jaccard_estimate AS pg_catalog.json) IS 'the value as a number';
COMMENT ON CAST (jaccard_estimate AS double precision) IS 'the same value';
COMMENT ON CAST (double precision AS jaccard_estimate) IS 'the same value';
COMMENT ON CAST (real AS jaccard_estimate) IS 'the same value';
COMMENT ON CAST (numeric AS jaccard_estimate) IS 'the nearest value';
COMMENT ON CAST (smallint AS jaccard_estimate) IS 'the same value';
COMMENT ON CAST (integer AS jaccard_estimate) IS 'the same value';
COMMENT ON CAST (bigint AS jaccard_estimate) IS 'the nearest value';
COMMENT ON CAST (jaccard_estimate AS real) IS 'the nearest value';
COMMENT ON CAST (jaccard_estimate AS numeric) IS 'the value in 15 digits';
CREATE FUNCTION minhash_similarity_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_at_least_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION jaccard_estimate_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_similarity_support(pg_catalog.internal) IS 'planner support for minhash_similarity';
COMMENT ON FUNCTION minhash_at_least_support(pg_catalog.internal) IS 'planner support for minhash_at_least';
COMMENT ON FUNCTION jaccard_estimate_support(pg_catalog.internal)
    IS 'planner support for comparisons of minhash_similarity';
CREATE FUNCTION minhash_similarity(bit, bit) RETURNS jaccard_estimate
    AS 'MODULE_PATHNAME', 'minhash_similarity_of_bits' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT minhash_similarity_support;
COMMENT ON FUNCTION minhash_similarity(bit, bit)
    IS 'estimated Jaccard similarity of the sets with these 1-bit min-hash signatures: 1 - 2 h / n if h of n bits differ';
CREATE OPERATOR >@< (
    LEFTARG = bit, RIGHTARG = bit, FUNCTION = minhash_similarity, COMMUTATOR = >@<);
COMMENT ON OPERATOR >@< (bit, bit) IS 'minhash_similarity, by which an index is ordered';
CREATE OPERATOR FAMILY descending_similarity_ops USING btree;
COMMENT ON OPERATOR FAMILY descending_similarity_ops USING btree IS 'the order in which an index returns similarities';
CREATE FUNCTION minhash_at_least(bit, bit, double precision) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT minhash_at_least_support;
COMMENT ON FUNCTION minhash_at_least(bit, bit, double precision)
    IS 'whether minhash_similarity is at least the threshold';
CREATE FUNCTION minhash_threshold_above(double precision) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION minhash_threshold_above(double precision)
    IS 'threshold for "at least" that is equivalent to "greater than"';
CREATE FUNCTION minhash_radius(similarity double precision, bits integer) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_radius(similarity double precision, bits integer, recall double precision) RETURNS integer
    AS 'MODULE_PATHNAME', 'minhash_radius_of_recall' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION minhash_error(similarity double precision, bits integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_radius(double precision, integer)
    IS 'largest Hamming distance of signatures with at least this minhash_similarity, -1 if there is none';
COMMENT ON FUNCTION minhash_radius(double precision, integer, double precision)
    IS 'Hamming distance within which the signatures of sets with this Jaccard similarity are, with the probability recall';
COMMENT ON FUNCTION minhash_error(double precision, integer)
    IS 'standard error of minhash_similarity';
CREATE FUNCTION jaccard_estimate_eq(jaccard_estimate, jaccard_estimate) RETURNS boolean
    AS 'float8eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ne(jaccard_estimate, jaccard_estimate) RETURNS boolean
    AS 'float8ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_lt(jaccard_estimate, jaccard_estimate) RETURNS boolean
    AS 'float8lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_le(jaccard_estimate, jaccard_estimate) RETURNS boolean
    AS 'float8le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_gt(jaccard_estimate, jaccard_estimate) RETURNS boolean
    AS 'float8gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ge(jaccard_estimate, jaccard_estimate) RETURNS boolean
    AS 'float8ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
COMMENT ON FUNCTION jaccard_estimate_eq(jaccard_estimate, jaccard_estimate) IS 'implementation of = operator';
COMMENT ON FUNCTION jaccard_estimate_ne(jaccard_estimate, jaccard_estimate) IS 'implementation of <> operator';
COMMENT ON FUNCTION jaccard_estimate_lt(jaccard_estimate, jaccard_estimate) IS 'implementation of < operator';
COMMENT ON FUNCTION jaccard_estimate_le(jaccard_estimate, jaccard_estimate) IS 'implementation of <= operator';
COMMENT ON FUNCTION jaccard_estimate_gt(jaccard_estimate, jaccard_estimate) IS 'implementation of > operator';
COMMENT ON FUNCTION jaccard_estimate_ge(jaccard_estimate, jaccard_estimate) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = jaccard_estimate, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = jaccard_estimate, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR < (
    LEFTARG = jaccard_estimate, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR <= (
    LEFTARG = jaccard_estimate, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR > (
    LEFTARG = jaccard_estimate, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR >= (
    LEFTARG = jaccard_estimate, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (jaccard_estimate, jaccard_estimate) IS 'equal';
COMMENT ON OPERATOR <> (jaccard_estimate, jaccard_estimate) IS 'not equal';
COMMENT ON OPERATOR < (jaccard_estimate, jaccard_estimate) IS 'less than';
COMMENT ON OPERATOR <= (jaccard_estimate, jaccard_estimate) IS 'less than or equal';
COMMENT ON OPERATOR > (jaccard_estimate, jaccard_estimate) IS 'greater than';
COMMENT ON OPERATOR >= (jaccard_estimate, jaccard_estimate) IS 'greater than or equal';
CREATE FUNCTION jaccard_estimate_eq(jaccard_estimate, double precision) RETURNS boolean
    AS 'float8eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ne(jaccard_estimate, double precision) RETURNS boolean
    AS 'float8ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_lt(jaccard_estimate, double precision) RETURNS boolean
    AS 'float8lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_le(jaccard_estimate, double precision) RETURNS boolean
    AS 'float8le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_gt(jaccard_estimate, double precision) RETURNS boolean
    AS 'float8gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ge(jaccard_estimate, double precision) RETURNS boolean
    AS 'float8ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
COMMENT ON FUNCTION jaccard_estimate_eq(jaccard_estimate, double precision) IS 'implementation of = operator';
COMMENT ON FUNCTION jaccard_estimate_ne(jaccard_estimate, double precision) IS 'implementation of <> operator';
COMMENT ON FUNCTION jaccard_estimate_lt(jaccard_estimate, double precision) IS 'implementation of < operator';
COMMENT ON FUNCTION jaccard_estimate_le(jaccard_estimate, double precision) IS 'implementation of <= operator';
COMMENT ON FUNCTION jaccard_estimate_gt(jaccard_estimate, double precision) IS 'implementation of > operator';
COMMENT ON FUNCTION jaccard_estimate_ge(jaccard_estimate, double precision) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = jaccard_estimate, RIGHTARG = double precision, FUNCTION = jaccard_estimate_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = jaccard_estimate, RIGHTARG = double precision, FUNCTION = jaccard_estimate_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR < (
    LEFTARG = jaccard_estimate, RIGHTARG = double precision, FUNCTION = jaccard_estimate_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR <= (
    LEFTARG = jaccard_estimate, RIGHTARG = double precision, FUNCTION = jaccard_estimate_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR > (
    LEFTARG = jaccard_estimate, RIGHTARG = double precision, FUNCTION = jaccard_estimate_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR >= (
    LEFTARG = jaccard_estimate, RIGHTARG = double precision, FUNCTION = jaccard_estimate_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (jaccard_estimate, double precision) IS 'equal';
COMMENT ON OPERATOR <> (jaccard_estimate, double precision) IS 'not equal';
COMMENT ON OPERATOR < (jaccard_estimate, double precision) IS 'less than';
COMMENT ON OPERATOR <= (jaccard_estimate, double precision) IS 'less than or equal';
COMMENT ON OPERATOR > (jaccard_estimate, double precision) IS 'greater than';
COMMENT ON OPERATOR >= (jaccard_estimate, double precision) IS 'greater than or equal';
CREATE FUNCTION jaccard_estimate_eq(double precision, jaccard_estimate) RETURNS boolean
    AS 'float8eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ne(double precision, jaccard_estimate) RETURNS boolean
    AS 'float8ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_lt(double precision, jaccard_estimate) RETURNS boolean
    AS 'float8lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_le(double precision, jaccard_estimate) RETURNS boolean
    AS 'float8le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_gt(double precision, jaccard_estimate) RETURNS boolean
    AS 'float8gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ge(double precision, jaccard_estimate) RETURNS boolean
    AS 'float8ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
COMMENT ON FUNCTION jaccard_estimate_eq(double precision, jaccard_estimate) IS 'implementation of = operator';
COMMENT ON FUNCTION jaccard_estimate_ne(double precision, jaccard_estimate) IS 'implementation of <> operator';
COMMENT ON FUNCTION jaccard_estimate_lt(double precision, jaccard_estimate) IS 'implementation of < operator';
COMMENT ON FUNCTION jaccard_estimate_le(double precision, jaccard_estimate) IS 'implementation of <= operator';
COMMENT ON FUNCTION jaccard_estimate_gt(double precision, jaccard_estimate) IS 'implementation of > operator';
COMMENT ON FUNCTION jaccard_estimate_ge(double precision, jaccard_estimate) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = double precision, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = double precision, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR < (
    LEFTARG = double precision, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR <= (
    LEFTARG = double precision, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR > (
    LEFTARG = double precision, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR >= (
    LEFTARG = double precision, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (double precision, jaccard_estimate) IS 'equal';
COMMENT ON OPERATOR <> (double precision, jaccard_estimate) IS 'not equal';
COMMENT ON OPERATOR < (double precision, jaccard_estimate) IS 'less than';
COMMENT ON OPERATOR <= (double precision, jaccard_estimate) IS 'less than or equal';
COMMENT ON OPERATOR > (double precision, jaccard_estimate) IS 'greater than';
COMMENT ON OPERATOR >= (double precision, jaccard_estimate) IS 'greater than or equal';
CREATE FUNCTION jaccard_estimate_eq(jaccard_estimate, real) RETURNS boolean
    AS 'float84eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ne(jaccard_estimate, real) RETURNS boolean
    AS 'float84ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_lt(jaccard_estimate, real) RETURNS boolean
    AS 'float84lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_le(jaccard_estimate, real) RETURNS boolean
    AS 'float84le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_gt(jaccard_estimate, real) RETURNS boolean
    AS 'float84gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ge(jaccard_estimate, real) RETURNS boolean
    AS 'float84ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
COMMENT ON FUNCTION jaccard_estimate_eq(jaccard_estimate, real) IS 'implementation of = operator';
COMMENT ON FUNCTION jaccard_estimate_ne(jaccard_estimate, real) IS 'implementation of <> operator';
COMMENT ON FUNCTION jaccard_estimate_lt(jaccard_estimate, real) IS 'implementation of < operator';
COMMENT ON FUNCTION jaccard_estimate_le(jaccard_estimate, real) IS 'implementation of <= operator';
COMMENT ON FUNCTION jaccard_estimate_gt(jaccard_estimate, real) IS 'implementation of > operator';
COMMENT ON FUNCTION jaccard_estimate_ge(jaccard_estimate, real) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = jaccard_estimate, RIGHTARG = real, FUNCTION = jaccard_estimate_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = jaccard_estimate, RIGHTARG = real, FUNCTION = jaccard_estimate_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR < (
    LEFTARG = jaccard_estimate, RIGHTARG = real, FUNCTION = jaccard_estimate_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR <= (
    LEFTARG = jaccard_estimate, RIGHTARG = real, FUNCTION = jaccard_estimate_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR > (
    LEFTARG = jaccard_estimate, RIGHTARG = real, FUNCTION = jaccard_estimate_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR >= (
    LEFTARG = jaccard_estimate, RIGHTARG = real, FUNCTION = jaccard_estimate_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (jaccard_estimate, real) IS 'equal';
COMMENT ON OPERATOR <> (jaccard_estimate, real) IS 'not equal';
COMMENT ON OPERATOR < (jaccard_estimate, real) IS 'less than';
COMMENT ON OPERATOR <= (jaccard_estimate, real) IS 'less than or equal';
COMMENT ON OPERATOR > (jaccard_estimate, real) IS 'greater than';
COMMENT ON OPERATOR >= (jaccard_estimate, real) IS 'greater than or equal';
CREATE FUNCTION jaccard_estimate_eq(real, jaccard_estimate) RETURNS boolean
    AS 'float48eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ne(real, jaccard_estimate) RETURNS boolean
    AS 'float48ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_lt(real, jaccard_estimate) RETURNS boolean
    AS 'float48lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_le(real, jaccard_estimate) RETURNS boolean
    AS 'float48le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_gt(real, jaccard_estimate) RETURNS boolean
    AS 'float48gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
CREATE FUNCTION jaccard_estimate_ge(real, jaccard_estimate) RETURNS boolean
    AS 'float48ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT jaccard_estimate_support;
COMMENT ON FUNCTION jaccard_estimate_eq(real, jaccard_estimate) IS 'implementation of = operator';
COMMENT ON FUNCTION jaccard_estimate_ne(real, jaccard_estimate) IS 'implementation of <> operator';
COMMENT ON FUNCTION jaccard_estimate_lt(real, jaccard_estimate) IS 'implementation of < operator';
COMMENT ON FUNCTION jaccard_estimate_le(real, jaccard_estimate) IS 'implementation of <= operator';
COMMENT ON FUNCTION jaccard_estimate_gt(real, jaccard_estimate) IS 'implementation of > operator';
COMMENT ON FUNCTION jaccard_estimate_ge(real, jaccard_estimate) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = real, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = real, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR < (
    LEFTARG = real, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR <= (
    LEFTARG = real, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR > (
    LEFTARG = real, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR >= (
    LEFTARG = real, RIGHTARG = jaccard_estimate, FUNCTION = jaccard_estimate_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (real, jaccard_estimate) IS 'equal';
COMMENT ON OPERATOR <> (real, jaccard_estimate) IS 'not equal';
COMMENT ON OPERATOR < (real, jaccard_estimate) IS 'less than';
COMMENT ON OPERATOR <= (real, jaccard_estimate) IS 'less than or equal';
COMMENT ON OPERATOR > (real, jaccard_estimate) IS 'greater than';
COMMENT ON OPERATOR >= (real, jaccard_estimate) IS 'greater than or equal';
CREATE OPERATOR FAMILY jaccard_estimate_ops USING btree;
ALTER OPERATOR FAMILY jaccard_estimate_ops USING btree ADD
    OPERATOR 1 < (jaccard_estimate, jaccard_estimate),
    OPERATOR 2 <= (jaccard_estimate, jaccard_estimate),
    OPERATOR 3 = (jaccard_estimate, jaccard_estimate),
    OPERATOR 4 >= (jaccard_estimate, jaccard_estimate),
    OPERATOR 5 > (jaccard_estimate, jaccard_estimate),
    FUNCTION 1 (jaccard_estimate, jaccard_estimate) pg_catalog.btfloat8cmp(double precision, double precision);
ALTER OPERATOR FAMILY jaccard_estimate_ops USING btree ADD
    OPERATOR 1 < (jaccard_estimate, double precision),
    OPERATOR 2 <= (jaccard_estimate, double precision),
    OPERATOR 3 = (jaccard_estimate, double precision),
    OPERATOR 4 >= (jaccard_estimate, double precision),
    OPERATOR 5 > (jaccard_estimate, double precision),
    FUNCTION 1 (jaccard_estimate, double precision) pg_catalog.btfloat8cmp(double precision, double precision);
ALTER OPERATOR FAMILY jaccard_estimate_ops USING btree ADD
    OPERATOR 1 < (double precision, jaccard_estimate),
    OPERATOR 2 <= (double precision, jaccard_estimate),
    OPERATOR 3 = (double precision, jaccard_estimate),
    OPERATOR 4 >= (double precision, jaccard_estimate),
    OPERATOR 5 > (double precision, jaccard_estimate),
    FUNCTION 1 (double precision, jaccard_estimate) pg_catalog.btfloat8cmp(double precision, double precision);
ALTER OPERATOR FAMILY jaccard_estimate_ops USING btree ADD
    OPERATOR 1 < (jaccard_estimate, real),
    OPERATOR 2 <= (jaccard_estimate, real),
    OPERATOR 3 = (jaccard_estimate, real),
    OPERATOR 4 >= (jaccard_estimate, real),
    OPERATOR 5 > (jaccard_estimate, real),
    FUNCTION 1 (jaccard_estimate, real) pg_catalog.btfloat84cmp(double precision, real);
ALTER OPERATOR FAMILY jaccard_estimate_ops USING btree ADD
    OPERATOR 1 < (real, jaccard_estimate),
    OPERATOR 2 <= (real, jaccard_estimate),
    OPERATOR 3 = (real, jaccard_estimate),
    OPERATOR 4 >= (real, jaccard_estimate),
    OPERATOR 5 > (real, jaccard_estimate),
    FUNCTION 1 (real, jaccard_estimate) pg_catalog.btfloat48cmp(real, double precision);
CREATE OPERATOR FAMILY jaccard_estimate_ops USING hash;
ALTER OPERATOR FAMILY jaccard_estimate_ops USING hash ADD
    OPERATOR 1 = (jaccard_estimate, jaccard_estimate),
    OPERATOR 1 = (jaccard_estimate, double precision),
    OPERATOR 1 = (double precision, jaccard_estimate),
    OPERATOR 1 = (jaccard_estimate, real),
    OPERATOR 1 = (real, jaccard_estimate),
    FUNCTION 1 (jaccard_estimate, jaccard_estimate) pg_catalog.hashfloat8(double precision),
    FUNCTION 2 (jaccard_estimate, jaccard_estimate) pg_catalog.hashfloat8extended(double precision, bigint),
    FUNCTION 1 (double precision, double precision) pg_catalog.hashfloat8(double precision),
    FUNCTION 2 (double precision, double precision) pg_catalog.hashfloat8extended(double precision, bigint),
    FUNCTION 1 (real, real) pg_catalog.hashfloat4(real),
    FUNCTION 2 (real, real) pg_catalog.hashfloat4extended(real, bigint);
COMMENT ON OPERATOR FAMILY jaccard_estimate_ops USING btree IS 'similarities compared with numbers';
COMMENT ON OPERATOR FAMILY jaccard_estimate_ops USING hash IS 'similarities compared with numbers';
CREATE OPERATOR CLASS simhash_bit_ops DEFAULT FOR TYPE bit USING simhash AS
    OPERATOR 1 <@| (bit, signature_ball),
    OPERATOR 3 pg_catalog.= (bit, bit),
    OPERATOR 4 <@> (bit, bit) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 6 <@> (bit, signature_ball) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 7 >@< (bit, bit) FOR ORDER BY descending_similarity_ops;
COMMENT ON OPERATOR CLASS simhash_bit_ops USING simhash IS 'search for similar bit strings';
COMMENT ON OPERATOR FAMILY simhash_bit_ops USING simhash IS 'search for similar bit strings';
CREATE FUNCTION simhash_index_stats(index pg_catalog.regclass,
    OUT distance integer, OUT tables integer, OUT header_bits integer[], OUT fillfactor integer,
    OUT rows bigint, OUT nulls bigint, OUT pages bigint, OUT leaf_pages bigint, OUT inner_pages bigint,
    OUT empty_leaf_pages bigint, OUT unused_pages bigint, OUT height integer,
    OUT leaf_fill double precision, OUT bytes_per_row double precision, OUT reindex_pending boolean,
    OUT fitted boolean, OUT bits integer, OUT store_pages bigint, OUT segments bigint, OUT free_slots bigint)
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_index_stats(pg_catalog.regclass) IS
    'statistics of a simhash index, or sums over partitions; reads all pages';
COMMENT ON FUNCTION simhash_index_check(pg_catalog.regclass, boolean) IS
    'raises an error if a simhash index, of a table or of its partitions, is corrupted or lacks a row; blocks writers while it runs';
CREATE FUNCTION simhash_probe_plan(index pg_catalog.regclass, query simhash, distance integer,
    OUT step integer, OUT "table" integer, OUT leaf bigint, OUT matches integer, OUT index_read pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_probe_plan' LANGUAGE c VOLATILE STRICT ROWS 10;
COMMENT ON FUNCTION simhash_probe_plan(pg_catalog.regclass, simhash, integer) IS
    'the leaf pages that an exact search of an index reads';
CREATE FUNCTION simhash_probe_plan(index pg_catalog.regclass, query simhash_weights_ball,
    OUT step integer, OUT "table" integer, OUT leaf bigint, OUT matches integer,
    OUT flipped_bits integer[], OUT probability double precision, OUT recall double precision,
    OUT index_read pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_probe_plan_of_weights' LANGUAGE c VOLATILE STRICT ROWS 10;
COMMENT ON FUNCTION simhash_probe_plan(pg_catalog.regclass, simhash_weights_ball) IS
    'the leaf pages that a search by weights reads, with the flipped bits that lead to them, the recall that each adds, and the recall so far';
CREATE FUNCTION simhash_probe_plan(index pg_catalog.regclass, query signature_ball,
    OUT step integer, OUT part pg_catalog.text, OUT "table" integer, OUT block bigint, OUT candidates integer,
    OUT recall double precision, OUT index_read pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_probe_plan_of_signature' LANGUAGE c VOLATILE STRICT ROWS 100;
COMMENT ON FUNCTION simhash_probe_plan(pg_catalog.regclass, signature_ball) IS
    'the leaves and segments that a search of an index on signatures reads, with the recall that it estimates';
CREATE FUNCTION simhash_expected_recall(index pg_catalog.regclass, query simhash_weights_ball,
    OUT scale double precision, OUT cosine double precision, OUT share double precision, OUT recall double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT ROWS 5;
COMMENT ON FUNCTION simhash_expected_recall(pg_catalog.regclass, simhash_weights_ball) IS
    'the recall of a search by weights at each degree of similarity, and the share of near-duplicates within the radius';
CREATE FUNCTION simhash_volatility_model(OUT scale double precision, OUT cosine double precision, OUT share double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_volatility_model' LANGUAGE c STABLE PARALLEL SAFE ROWS 5;
COMMENT ON FUNCTION simhash_volatility_model() IS
    'the default model of near-duplicates: degrees of similarity, and the share of near-duplicates at each';
CREATE FUNCTION simhash_volatility_model(index pg_catalog.regclass,
    OUT scale double precision, OUT cosine double precision, OUT share double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_volatility_model_of_index' LANGUAGE c VOLATILE STRICT ROWS 5;
COMMENT ON FUNCTION simhash_volatility_model(pg_catalog.regclass) IS
    'the model of near-duplicates of an index, which simhash_calibrate fits';
CREATE FUNCTION simhash_volatility(weights simhash_weights,
    OUT "bit" integer, OUT weight double precision, OUT probability double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_volatility' LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 64;
COMMENT ON FUNCTION simhash_volatility(simhash_weights) IS
    'the probability with which a near-duplicate flips each bit, by the default model';
CREATE FUNCTION simhash_volatility(index pg_catalog.regclass, weights simhash_weights,
    OUT "bit" integer, OUT weight double precision, OUT probability double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_volatility_in_index' LANGUAGE c VOLATILE STRICT ROWS 64;
COMMENT ON FUNCTION simhash_volatility(pg_catalog.regclass, simhash_weights) IS
    'the probability with which a near-duplicate flips each bit, by the model of an index';
CREATE FUNCTION simhash_flip_sets(weights simhash_weights, sets integer, distance integer DEFAULT 64, header_bits integer DEFAULT 64,
    OUT step integer, OUT flips simhash, OUT flipped_bits integer[], OUT probability double precision,
    OUT cumulative double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_flip_sets' LANGUAGE c STABLE STRICT PARALLEL SAFE COST 100 ROWS 100;
COMMENT ON FUNCTION simhash_flip_sets(simhash_weights, integer, integer, integer) IS
    'the sets of leading bits that near-duplicates within a distance flip, the likeliest first, by the default model';
CREATE FUNCTION simhash_flip_sets(index pg_catalog.regclass, weights simhash_weights, sets integer, distance integer DEFAULT 64,
    header_bits integer DEFAULT 64,
    OUT step integer, OUT flips simhash, OUT flipped_bits integer[], OUT probability double precision,
    OUT cumulative double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_flip_sets_in_index' LANGUAGE c VOLATILE STRICT COST 100 ROWS 100;
COMMENT ON FUNCTION simhash_flip_sets(pg_catalog.regclass, simhash_weights, integer, integer, integer) IS
    'the sets of leading bits that near-duplicates within a distance flip, the likeliest first, by the model of an index';
CREATE FUNCTION simhash_pairs(index pg_catalog.regclass, distance integer DEFAULT 3,
    OUT a pg_catalog.tid, OUT b pg_catalog.tid, OUT distance integer,
    OUT a_table pg_catalog.regclass, OUT b_table pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_pairs(pg_catalog.regclass, integer) IS
    'all pairs of rows of an indexed table within a distance: each pair once, as ctids and tableoids';
CREATE FUNCTION simhash_join("left" pg_catalog.regclass, "right" pg_catalog.regclass, distance integer DEFAULT 3,
    OUT a pg_catalog.tid, OUT b pg_catalog.tid, OUT distance integer,
    OUT a_table pg_catalog.regclass, OUT b_table pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_join(pg_catalog.regclass, pg_catalog.regclass, integer) IS
    'all pairs of rows of two indexed tables within a distance, as ctids and tableoids';
CREATE FUNCTION simhash_groups(index pg_catalog.regclass, distance integer DEFAULT 3, star boolean DEFAULT false,
    OUT member pg_catalog.tid, OUT leader pg_catalog.tid,
    OUT member_table pg_catalog.regclass, OUT leader_table pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_groups(pg_catalog.regclass, integer, boolean) IS
    'groups of near-duplicates, as ctids and tableoids: connected components, or stars whose members are near the leader';
CREATE FUNCTION simhash_match(index pg_catalog.regclass, query pg_catalog.text, first_only boolean DEFAULT false,
    OUT number bigint, OUT match pg_catalog.tid, OUT distance integer, OUT match_table pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL UNSAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_match(pg_catalog.regclass, pg_catalog.text, boolean) IS
    'the rows of an indexed table in the balls that a query returns with their numbers: all, or one for each ball';
CREATE FUNCTION simhash_designs(distance integer, OUT tables integer, OUT regions pg_catalog.text[], OUT block_bits integer[],
    OUT header_bits integer[], OUT block_order pg_catalog.text[])
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 25;
COMMENT ON FUNCTION simhash_designs(integer)
    IS 'the table designs that an index on fingerprints can have for a distance';
CREATE FUNCTION simhash_blocks(fingerprint simhash, distance integer, tables integer DEFAULT 0)
    RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash_blocks(simhash, integer, integer)
    IS 'block values, one for each table of a design: two fingerprints within the distance have one in common';
CREATE FUNCTION simhash_first_block(a simhash, b simhash, distance integer, tables integer DEFAULT 0)
    RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_first_block(simhash, simhash, integer, integer)
    IS 'the first block value that two fingerprints have in common; NULL if they are further apart than the distance';
CREATE PROCEDURE simhash_collect_pairs(pairs pg_catalog.regclass, routed pg_catalog.regclass, distance integer,
    tables integer DEFAULT 0, added pg_catalog.text DEFAULT NULL, id pg_catalog.name DEFAULT 'id',
    fingerprint pg_catalog.name DEFAULT 'h', block pg_catalog.name DEFAULT 'block')
    LANGUAGE plpgsql
    AS $procedure$
DECLARE
    extension pg_catalog.name;
    pair pg_catalog.pg_class;
    parts_name pg_catalog.text;
    parts pg_catalog.regclass;
    parts_table pg_catalog.pg_class;
    first_blocks bigint[];
    columns pg_catalog.name[];
    relations pg_catalog.oid[];
    arguments pg_catalog.text;
    run pg_catalog.text;
    number_of_parts bigint;
    has_pairs boolean;
    had_pairs boolean;
    no_parts boolean;
    foreign_pairs boolean;
    dropped boolean;
    unfinished bigint;
    chosen bigint;
    relation pg_catalog.regclass;
    first_block bigint;
    end_block bigint;
    found bigint;
    condition pg_catalog.text;
    source pg_catalog.text;
    statement pg_catalog.text;
    failed bigint[];
    problem pg_catalog.text;
    failure pg_catalog.text;
    detail pg_catalog.text;
    state pg_catalog.text;
BEGIN
    SET LOCAL search_path = pg_catalog, pg_temp;
    failed := '{}';
    IF pairs IS NULL OR routed IS NULL OR distance IS NULL OR tables IS NULL OR id IS NULL OR fingerprint IS NULL OR block IS NULL THEN
        RAISE null_value_not_allowed USING MESSAGE = 'arguments of simhash_collect_pairs must not be null',
            DETAIL = 'Only "added" can be null.';
    END IF;
    SELECT n.nspname INTO extension FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'simhash';
    SELECT c.* INTO pair FROM pg_class AS c WHERE c.oid = pairs::oid;
    IF NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = routed::oid) THEN
        RAISE undefined_table USING MESSAGE = format('relation with OID %s does not exist', routed::oid);
    END IF;
    IF pair.relkind IS NULL OR pair.relkind NOT IN ('r', 'p') OR pair.relpersistence = 't' THEN
        RAISE wrong_object_type USING MESSAGE = format('cannot collect pairs in "%s"', pairs),
            DETAIL = 'It must be a table that is not temporary.';
    END IF;
    -- After a crash an unlogged one would be empty, and a foreign one can be committed where this transaction is not.
    IF EXISTS (
        SELECT FROM pg_partition_tree(pairs) AS t JOIN pg_class AS c ON c.oid = t.relid::oid
        WHERE c.relkind NOT IN ('r', 'p') OR c.relpersistence <> pair.relpersistence)
    THEN
        RAISE wrong_object_type USING MESSAGE = format('cannot collect pairs in the partitions of "%s"', pairs),
            DETAIL = 'They must be tables, and logged if the partitioned table is.';
    END IF;
    IF octet_length(pair.relname::text) > 57 THEN
        RAISE name_too_long USING MESSAGE = format('the name of table "%s" is too long', pairs),
            DETAIL = 'The name of its table of parts has six more bytes, and must have at most 63.';
    END IF;
    parts_name := format('%s.%I', pair.relnamespace::regnamespace, pair.relname::text || '_parts');
    EXECUTE format('SELECT %1$I.simhash_blocks(''0000000000000000''::%1$I.simhash, $1, $2)', extension)
        INTO first_blocks USING distance, tables;
    tables := cardinality(first_blocks);
    columns := ARRAY[id, fingerprint, block];

    -- A part has all rows of its blocks: partitions are read one by one as far down as the key of their parent is the block.
    WITH RECURSIVE by_block AS (
        SELECT p.partrelid AS oid FROM pg_partitioned_table AS p
            JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attname = block AND a.attnum = p.partattrs[0]
            WHERE p.partnatts = 1),
    node AS (
        SELECT routed::oid AS oid
        UNION ALL
        SELECT i.inhrelid FROM node JOIN by_block USING (oid) JOIN pg_inherits AS i ON i.inhparent = oid)
    SELECT array_agg(oid ORDER BY oid) INTO relations FROM node WHERE oid NOT IN (SELECT oid FROM by_block);
    relations := coalesce(relations, '{}');
    FOREACH relation IN ARRAY relations LOOP
        IF row_security_active(relation::oid) THEN
            RAISE insufficient_privilege USING MESSAGE = format('row-level security applies to "%s"', relation),
                DETAIL = 'Pairs of hidden rows would be missing, although their parts would be finished.';
        END IF;
    END LOOP;

    condition := coalesce('(' || added || E'\n)', 'true');
    source := '(SELECT %7$I AS id, %8$I AS h, %9$I AS block, %10$s AS added FROM %5$s AS routed WHERE %9$I >= %6$s)';
    -- Of this form a join by postgres_fdw is made by the other server, which IS TRUE would prevent.
    statement := 'INSERT INTO %1$s (a, b, distance) SELECT CASE WHEN x.id < y.id THEN x.id ELSE y.id END, '
        'CASE WHEN x.id < y.id THEN y.id ELSE x.id END, x.h OPERATOR(%2$I.<@>) y.h '
        'FROM ' || source || ' AS x JOIN ' || source || ' AS y ON x.block = y.block AND y.added AND '
        || CASE WHEN added IS NULL THEN 'x.id < y.id' ELSE 'x.id <> y.id AND (x.id < y.id OR NOT x.added OR x.added IS NULL)' END
        || ' WHERE %2$I.simhash_first_block(x.h, y.h, %3$s, %4$s) = x.block';

    -- One session at a time prepares the parts.
    EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE', pairs);
    IF to_regclass(parts_name) IS NULL THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', pairs) INTO has_pairs;
        IF has_pairs THEN
            RAISE object_not_in_prerequisite_state USING MESSAGE = format('table "%s" has rows, but no table of parts', pairs),
                HINT = format('Use an empty table. If "%s" was renamed, rename its table of parts to "%s".', pairs, parts_name);
        END IF;
        EXECUTE format('CREATE %s TABLE %s (part bigint PRIMARY KEY, pairs_table regclass NOT NULL, routed regclass NOT NULL, '
            'distance int NOT NULL, tables int NOT NULL, added text, columns name[] NOT NULL, relation regclass NOT NULL, '
            'first_block bigint NOT NULL, end_block bigint, pid int, started timestamptz, finished timestamptz, pairs bigint, error text)',
            CASE pair.relpersistence WHEN 'u' THEN 'UNLOGGED' ELSE '' END, parts_name);
        EXECUTE format('ALTER TABLE %s OWNER TO %s', parts_name, pair.relowner::regrole);
    END IF;
    parts := to_regclass(parts_name);
    SELECT c.* INTO parts_table FROM pg_class AS c WHERE c.oid = parts::oid;
    IF parts_table.relowner <> pair.relowner OR parts_table.relkind <> 'r'
        OR parts_table.relpersistence <> pair.relpersistence OR (
        SELECT count(*) FROM pg_attribute AS a
        WHERE a.attrelid = parts_table.oid AND a.attname = ANY ('{part,pairs_table,routed,distance,tables,added,columns,relation,first_block,end_block,pid,started,finished,pairs,error}')) <> 15
    THEN
        RAISE wrong_object_type USING MESSAGE = format('"%s" is not the table of parts of "%s"', parts, pairs),
            DETAIL = 'It has other columns, another owner, or only one of them is unlogged.';
    END IF;
    arguments := format('distance = %s AND tables = %s AND added IS NOT DISTINCT FROM %L::text AND columns = %L::name[]',
        distance, tables, added, columns);
    run := format('routed::oid = %s::oid AND %s', routed::oid, arguments);
    -- Of one moment, because other sessions may be collecting.
    EXECUTE format('SELECT EXISTS (SELECT FROM %3$s), count(*) = 0, count(*) FILTER (WHERE %2$s), count(*) FILTER (WHERE %2$s AND finished IS NULL), '
        'bool_or(pairs_table::oid <> $1), bool_or(%2$s AND pairs > 0) FROM %1$s', parts, run, pairs)
        INTO has_pairs, no_parts, number_of_parts, unfinished, foreign_pairs, had_pairs USING pairs::oid;
    IF no_parts AND has_pairs THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format('table "%s" has rows, but "%s" has none', pairs, parts),
            HINT = 'Use an empty table.';
    END IF;
    IF foreign_pairs OR unfinished > 0 AND had_pairs AND NOT has_pairs THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format('the rows of "%s" do not belong to those of "%s"', parts, pairs),
            DETAIL = format('"%s" is another table than the one that the pairs were collected in, or it was emptied.', pairs),
            HINT = format('Delete the rows of "%s", too.', parts);
    END IF;
    EXECUTE format('SELECT count(*) > 0 FROM (SELECT FROM %s WHERE %s AND NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = routed::oid) '
        'GROUP BY routed::oid HAVING sum(pairs) > 0 AND count(finished) < count(*)) AS unfinished_run', parts, arguments) INTO dropped;
    IF dropped AND has_pairs THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format('"%s" has pairs of a table that was dropped before all were collected', pairs),
            HINT = format('To collect all pairs again, delete the rows of "%s" and of "%s".', pairs, parts);
    END IF;
    IF number_of_parts = 0 THEN
        -- Raises the errors of names and conditions, before a part exists, and without asking other servers. Ids need an order, not only <.
        EXECUTE 'PREPARE simhash_collect_pairs AS '
            || format(statement, pairs, extension, distance, tables, routed, '0', id, fingerprint, block, condition) || ' ORDER BY x.id';
        DEALLOCATE simhash_collect_pairs;
        -- Tables of the design in the outer order, so that several sessions work on different partitions.
        EXECUTE format('INSERT INTO %1$s (part, pairs_table, routed, distance, tables, added, columns, relation, first_block, end_block) '
            'SELECT (SELECT coalesce(max(part), 0) FROM %1$s) + row_number() OVER (ORDER BY range.first_block, relation), '
            '$1, $2, $3, $4, $5, $6, relation, range.first_block, range.end_block '
            'FROM (SELECT first_block, lead(first_block) OVER (ORDER BY first_block) AS end_block FROM unnest($7) AS first_block) AS range, '
            'unnest($8) AS relation', parts)
            USING pairs, routed, distance, tables, added, columns, first_blocks, relations;
        GET DIAGNOSTICS number_of_parts = ROW_COUNT;
    ELSE
        EXECUTE format('SELECT count(*) FROM (SELECT DISTINCT relation::oid AS relation FROM %s WHERE %s) AS was '
            'FULL JOIN unnest($1) AS now (relation) ON now.relation = was.relation WHERE now.relation IS NULL OR was.relation IS NULL', parts, run)
            INTO found USING relations;
        IF found > 0 THEN
            RAISE object_not_in_prerequisite_state USING MESSAGE = format('the partitions of "%s" have changed since the first call', routed),
                HINT = format('To collect all pairs again, delete the rows of "%s" and of "%s".', pairs, parts);
        END IF;
        IF unfinished = 0 THEN
            RAISE object_not_in_prerequisite_state USING MESSAGE = format('the pairs of "%s" are already in "%s"', routed, pairs),
                DETAIL = format('All %s parts are finished.', number_of_parts),
                HINT = format('For new rows pass a condition as "added". To collect all pairs again, delete the rows of "%s" and of "%s".',
                    pairs, parts);
        END IF;
    END IF;
    COMMIT;

    -- Both tables are known by their OIDs. Statements need their names, which others can change until the tables are locked.
    LOOP
        SET LOCAL search_path = pg_catalog, pg_temp;
        EXECUTE format('LOCK TABLE %s, %s IN ROW EXCLUSIVE MODE', pairs, parts);
        -- What other sessions work on is locked. A part that ended an earlier call with its error comes last.
        EXECUTE format('UPDATE %1$s SET pid = pg_backend_pid(), started = clock_timestamp() '
            'WHERE part = (SELECT part FROM %1$s WHERE %2$s AND finished IS NULL AND part <> ALL ($1) ORDER BY started NULLS FIRST, part LIMIT 1 '
            'FOR UPDATE SKIP LOCKED) RETURNING part', parts, run) INTO chosen USING failed;
        EXIT WHEN chosen IS NULL;
        -- Shows others what this session works on.
        COMMIT;
        SET LOCAL search_path = pg_catalog, pg_temp;
        EXECUTE format('LOCK TABLE %s, %s IN ROW EXCLUSIVE MODE', pairs, parts);
        EXECUTE format('SELECT part, relation, first_block, end_block FROM %s WHERE part = $1 AND finished IS NULL FOR UPDATE SKIP LOCKED', parts)
            INTO chosen, relation, first_block, end_block USING chosen;
        CONTINUE WHEN chosen IS NULL;

        problem := NULL;
        BEGIN
            -- Rows with other block values would meet in another part, or not at all.
            EXECUTE format('SELECT count(*) FROM (SELECT %1$I AS h, %2$I AS block FROM %3$s LIMIT 1000) AS sample '
                'WHERE block <> ALL (%4$I.simhash_blocks(h, %5$s, %6$s))', fingerprint, block, relation, extension, distance, tables)
                INTO found;
            IF found > 0 THEN
                RAISE invalid_parameter_value USING
                    MESSAGE = format('rows of "%s" have other block values than simhash_blocks(%s, %s, %s)', relation, fingerprint, distance, tables),
                    HINT = 'Pass the distance and the tables with which the table was filled.';
            END IF;
            EXECUTE format(statement, pairs, extension, distance, tables, relation,
                concat(first_block, ' AND ' || quote_ident(block) || ' < ' || end_block::text), id, fingerprint, block, condition);
            GET DIAGNOSTICS found = ROW_COUNT;
        EXCEPTION WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, state = RETURNED_SQLSTATE;
            -- What fails on one server need not fail on another.
            IF state !~ '^08' AND NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation::oid AND c.relkind = 'f') THEN
                RAISE;
            END IF;
        END;
        IF problem IS NOT NULL THEN
            ROLLBACK;
            SET LOCAL search_path = pg_catalog, pg_temp;
            EXECUTE format('LOCK TABLE %s, %s IN ROW EXCLUSIVE MODE', pairs, parts);
            failed := array_append(failed, chosen);
            failure := format('"%s" from block %s on: %s', relation, first_block, problem);
            -- Another session may work on it by now.
            EXECUTE format('UPDATE %1$s SET pid = NULL, error = $1 '
                'WHERE part = (SELECT part FROM %1$s WHERE part = $2 AND finished IS NULL FOR UPDATE SKIP LOCKED)', parts)
                USING concat_ws(E'\n', failure, nullif(detail, '')), chosen;
            detail := coalesce(nullif(detail, ''), 'The part stays unfinished.');
            -- From here to the next SET LOCAL the search_path is the session's, so nothing but variables is evaluated.
            COMMIT;
            RAISE WARNING USING MESSAGE = failure, DETAIL = detail;
            CONTINUE;
        END IF;
        EXECUTE format('UPDATE %s SET finished = clock_timestamp(), pairs = $1, error = NULL WHERE part = $2', parts) USING found, chosen;
        detail := format('"%s" from block %s on: %s pairs', relation, first_block, found);
        COMMIT;
        RAISE NOTICE USING MESSAGE = detail;
    END LOOP;

    EXECUTE format('SELECT count(*) FILTER (WHERE part = ANY ($1)), count(*) FILTER (WHERE part <> ALL ($1)) FROM %s '
        'WHERE %s AND finished IS NULL', parts, run) INTO unfinished, found USING failed;
    IF unfinished > 0 THEN
        RAISE USING ERRCODE = state, MESSAGE = format('%s of %s parts could not be collected', unfinished, number_of_parts),
            DETAIL = failure, HINT = 'The pairs of all other parts are kept. Call the procedure again to collect these.';
    ELSIF found > 0 THEN
        RAISE WARNING USING MESSAGE = format('other sessions are still collecting %s of %s parts', found, number_of_parts);
    END IF;
    -- Ends SET LOCAL, also where the caller is a DO block or a procedure.
    COMMIT;
END
$procedure$;
COMMENT ON PROCEDURE simhash_collect_pairs(pg_catalog.regclass, pg_catalog.regclass, integer, integer, pg_catalog.text, pg_catalog.name,
    pg_catalog.name, pg_catalog.name) IS
    'collects the pairs of a table with block values, partition by partition, also on other servers; continues where an earlier call ended';
CREATE FUNCTION simhash_report(relation pg_catalog.regclass, column_name pg_catalog.name, distance integer DEFAULT 3,
    expected_rows bigint DEFAULT 0, OUT topic pg_catalog.text, OUT item pg_catalog.text, OUT value double precision, OUT meaning pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 150;
COMMENT ON FUNCTION simhash_report(pg_catalog.regclass, pg_catalog.name, integer, bigint) IS
    'statistics of a sample of fingerprints or signatures: bits, distances, expected false matches, pages, suggested options';
