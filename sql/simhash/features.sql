-- Hashes of features, with counts or weights: from them fingerprints, signatures, sketches and measures are computed.

\include type_functions.sql type=feature_vector name=feature_vector_ text=100 binary=100

-- Hashes cannot be compressed, so it would not be worth trying.
CREATE TYPE feature_vector (
    INPUT = simhash_internal_feature_vector_in, OUTPUT = simhash_internal_feature_vector_out,
    RECEIVE = simhash_internal_feature_vector_recv, SEND = simhash_internal_feature_vector_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external);

COMMENT ON TYPE feature_vector IS 'features of a document, as hashes, with counts or weights';

\include order.sql type=feature_vector prefix=simhash_ cost=100

CREATE FUNCTION features(document pg_catalog.text, unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1)
    RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION features(features pg_catalog.text[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(features pg_catalog.text[], weights double precision[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(features bigint[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_numbers' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(features bigint[], weights double precision[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_weighted_numbers' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(document pg_catalog.tsvector) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(features pg_catalog.jsonb) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_jsonb' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features_from_hashes(hashes bigint[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features_from_hashes(hashes bigint[], weights double precision[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_weighted_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION features(pg_catalog.text, pg_catalog.text, integer)
    IS 'the shingles of a text, each of size units, word or character, and their counts';
COMMENT ON FUNCTION features(pg_catalog.text[])
    IS 'the elements of an array and their counts';
COMMENT ON FUNCTION features(pg_catalog.text[], double precision[])
    IS 'features with weights';
COMMENT ON FUNCTION features(bigint[])
    IS 'numbers, each the feature that its digits are, and their counts';
COMMENT ON FUNCTION features(bigint[], double precision[])
    IS 'numbers with weights, each the feature that its digits are';
COMMENT ON FUNCTION features(pg_catalog.tsvector)
    IS 'lexemes and their counts; labels C, B, A count 2, 4, 10 times';
COMMENT ON FUNCTION features(pg_catalog.jsonb)
    IS 'an object of features and weights, or an array of features';
COMMENT ON FUNCTION features_from_hashes(bigint[])
    IS 'features whose hashes were computed elsewhere, and their counts';
COMMENT ON FUNCTION features_from_hashes(bigint[], double precision[])
    IS 'features whose hashes were computed elsewhere, with weights';
