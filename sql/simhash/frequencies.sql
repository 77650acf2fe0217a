\include type_functions.sql type=feature_frequencies name=feature_frequencies_ text=1000 binary=1000

-- Hashes cannot be compressed, so it would not be worth trying.
CREATE TYPE feature_frequencies (
    INPUT = simhash_internal_feature_frequencies_in, OUTPUT = simhash_internal_feature_frequencies_out,
    RECEIVE = simhash_internal_feature_frequencies_recv, SEND = simhash_internal_feature_frequencies_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external);

COMMENT ON TYPE feature_frequencies
    IS 'in how many documents of a collection its features occur: weights fingerprints by rarity';

\include order.sql type=feature_frequencies prefix=simhash_ cost=100

CREATE FUNCTION simhash_internal_feature_frequencies_accumulate(pg_catalog.internal, pg_catalog.text)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_accumulate_text' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION simhash_internal_feature_frequencies_accumulate(pg_catalog.internal, pg_catalog.text, pg_catalog.text, integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_accumulate_shingles' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION simhash_internal_feature_frequencies_accumulate(pg_catalog.internal, feature_vector)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_accumulate_vector' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 200;
CREATE FUNCTION simhash_internal_feature_frequencies_accumulate(pg_catalog.internal, feature_frequencies)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_accumulate_value' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION simhash_internal_feature_frequencies_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_combine' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION simhash_internal_feature_frequencies_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_serialize' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION simhash_internal_feature_frequencies_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_deserialize' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION simhash_internal_feature_frequencies_final(pg_catalog.internal) RETURNS feature_frequencies
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_final' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION simhash_internal_feature_frequencies_accumulate(pg_catalog.internal, pg_catalog.text)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_feature_frequencies_accumulate(pg_catalog.internal, pg_catalog.text, pg_catalog.text, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_feature_frequencies_accumulate(pg_catalog.internal, feature_vector)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_feature_frequencies_accumulate(pg_catalog.internal, feature_frequencies)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_feature_frequencies_combine(pg_catalog.internal, pg_catalog.internal)
    IS 'aggregate combine function';
COMMENT ON FUNCTION simhash_internal_feature_frequencies_serialize(pg_catalog.internal) IS 'aggregate serialization function';
COMMENT ON FUNCTION simhash_internal_feature_frequencies_deserialize(pg_catalog.bytea, pg_catalog.internal)
    IS 'aggregate deserialization function';
COMMENT ON FUNCTION simhash_internal_feature_frequencies_final(pg_catalog.internal) IS 'aggregate final function';

CREATE AGGREGATE feature_frequencies_agg(document pg_catalog.text) (
\include aggregate.sql step=simhash_internal_feature_frequencies_accumulate space=100000 state=feature_frequencies final=simhash_internal_feature_frequencies_final
CREATE AGGREGATE feature_frequencies_agg(document pg_catalog.text, unit pg_catalog.text, size integer) (
\include aggregate.sql step=simhash_internal_feature_frequencies_accumulate space=100000 state=feature_frequencies final=simhash_internal_feature_frequencies_final
CREATE AGGREGATE feature_frequencies_agg(features feature_vector) (
\include aggregate.sql step=simhash_internal_feature_frequencies_accumulate space=100000 state=feature_frequencies final=simhash_internal_feature_frequencies_final
CREATE AGGREGATE feature_frequencies_agg(frequencies feature_frequencies) (
\include aggregate.sql step=simhash_internal_feature_frequencies_accumulate space=100000 state=feature_frequencies final=simhash_internal_feature_frequencies_final
COMMENT ON AGGREGATE feature_frequencies_agg(pg_catalog.text)
    IS 'in how many texts each word occurs';
COMMENT ON AGGREGATE feature_frequencies_agg(pg_catalog.text, pg_catalog.text, integer)
    IS 'in how many texts each shingle of size units, word or character, occurs';
COMMENT ON AGGREGATE feature_frequencies_agg(feature_vector)
    IS 'in how many documents each feature occurs';
COMMENT ON AGGREGATE feature_frequencies_agg(feature_frequencies)
    IS 'frequencies in the union of collections';

CREATE FUNCTION feature_frequencies_top(feature_frequencies, features integer) RETURNS feature_frequencies
    AS 'MODULE_PATHNAME', 'simhash_feature_frequencies_top' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION feature_frequency(feature_frequencies, feature pg_catalog.text) RETURNS bigint
    AS 'MODULE_PATHNAME', 'simhash_feature_frequency' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION feature_rarity(feature_frequencies, feature pg_catalog.text) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_feature_rarity' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION feature_frequencies_top(feature_frequencies, integer)
    IS 'the frequencies of the most frequent features alone';
COMMENT ON FUNCTION feature_frequency(feature_frequencies, pg_catalog.text)
    IS 'in how many documents a feature occurs; NULL if that is not kept';
COMMENT ON FUNCTION feature_rarity(feature_frequencies, pg_catalog.text)
    IS 'the factor of a feature''s weight: ln (N + 1) - ln n, where n of N documents have it';

CREATE FUNCTION features(frequencies feature_frequencies, document pg_catalog.text) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_rare_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION features(frequencies feature_frequencies, features feature_vector) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'simhash_features_rare_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION features(feature_frequencies, pg_catalog.text)
    IS 'the features of a text, weighted by 1 + ln of their count, times their rarity';
COMMENT ON FUNCTION features(feature_frequencies, feature_vector)
    IS 'features, their weights multiplied by their rarity';
