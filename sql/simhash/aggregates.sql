-- Aggregates. Sums are exact and independent of order.

CREATE FUNCTION simhash_internal_weights_accumulate(pg_catalog.internal, pg_catalog.text)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_accumulate' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_internal_weights_accumulate(pg_catalog.internal, pg_catalog.text, double precision)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_accumulate' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_internal_weights_accumulate(pg_catalog.internal, simhash_weights)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_accumulate_weights' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_internal_weights_final(pg_catalog.internal) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_weights_final' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_internal_final(pg_catalog.internal) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_final' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_internal_weights_accumulate(pg_catalog.internal, pg_catalog.text)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_weights_accumulate(pg_catalog.internal, pg_catalog.text, double precision)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_weights_accumulate(pg_catalog.internal, simhash_weights)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_weights_final(pg_catalog.internal) IS 'aggregate final function';
COMMENT ON FUNCTION simhash_internal_final(pg_catalog.internal) IS 'aggregate final function';

-- Those of signatures share functions with them.

CREATE FUNCTION simhash_internal_signature_accumulate(pg_catalog.internal, pg_catalog.text, integer) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_signature_accumulate' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_signature_accumulate(pg_catalog.internal, pg_catalog.text, double precision, integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_signature_accumulate' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_signature_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_signature_combine' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_signature_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME', 'simhash_signature_serialize' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_signature_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_signature_deserialize' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_signature_final(pg_catalog.internal) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_signature_final' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_signature_weights_final(pg_catalog.internal) RETURNS real[]
    AS 'MODULE_PATHNAME', 'simhash_signature_weights_final' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION simhash_internal_signature_accumulate(pg_catalog.internal, pg_catalog.text, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_signature_accumulate(pg_catalog.internal, pg_catalog.text, double precision, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_signature_combine(pg_catalog.internal, pg_catalog.internal)
    IS 'aggregate combine function';
COMMENT ON FUNCTION simhash_internal_signature_serialize(pg_catalog.internal)
    IS 'aggregate serialization function';
COMMENT ON FUNCTION simhash_internal_signature_deserialize(pg_catalog.bytea, pg_catalog.internal)
    IS 'aggregate deserialization function';
COMMENT ON FUNCTION simhash_internal_signature_final(pg_catalog.internal)
    IS 'aggregate final function';
COMMENT ON FUNCTION simhash_internal_signature_weights_final(pg_catalog.internal)
    IS 'aggregate final function';

CREATE AGGREGATE simhash_agg(feature pg_catalog.text) (
\include aggregate.sql step=simhash_internal_weights_accumulate space=560 state=signature final=simhash_internal_final
CREATE AGGREGATE simhash_agg(feature pg_catalog.text, weight double precision) (
\include aggregate.sql step=simhash_internal_weights_accumulate space=560 state=signature final=simhash_internal_final
CREATE AGGREGATE simhash_agg(weights simhash_weights) (
\include aggregate.sql step=simhash_internal_weights_accumulate space=560 state=signature final=simhash_internal_final
CREATE AGGREGATE simhash_weights_agg(feature pg_catalog.text) (
\include aggregate.sql step=simhash_internal_weights_accumulate space=560 state=signature final=simhash_internal_weights_final
CREATE AGGREGATE simhash_weights_agg(feature pg_catalog.text, weight double precision) (
\include aggregate.sql step=simhash_internal_weights_accumulate space=560 state=signature final=simhash_internal_weights_final
CREATE AGGREGATE simhash_weights_agg(weights simhash_weights) (
\include aggregate.sql step=simhash_internal_weights_accumulate space=560 state=signature final=simhash_internal_weights_final

COMMENT ON AGGREGATE simhash_agg(pg_catalog.text)
    IS 'fingerprint of features with weight 1, one per row';
COMMENT ON AGGREGATE simhash_agg(pg_catalog.text, double precision)
    IS 'fingerprint of features with weights, one per row';
COMMENT ON AGGREGATE simhash_agg(simhash_weights)
    IS 'fingerprint of the sum of weights';
COMMENT ON AGGREGATE simhash_weights_agg(pg_catalog.text)
    IS 'weights of features with weight 1, one per row';
COMMENT ON AGGREGATE simhash_weights_agg(pg_catalog.text, double precision)
    IS 'weights of features with weights, one per row';
COMMENT ON AGGREGATE simhash_weights_agg(simhash_weights)
    IS 'sum of weights';

CREATE AGGREGATE signature_agg(feature pg_catalog.text, bits integer) (
\include aggregate.sql step=simhash_internal_signature_accumulate space=8256 state=signature final=simhash_internal_signature_final
CREATE AGGREGATE signature_agg(feature pg_catalog.text, weight double precision, bits integer) (
\include aggregate.sql step=simhash_internal_signature_accumulate space=8256 state=signature final=simhash_internal_signature_final
CREATE AGGREGATE signature_weights_agg(feature pg_catalog.text, bits integer) (
\include aggregate.sql step=simhash_internal_signature_accumulate space=8256 state=signature final=simhash_internal_signature_weights_final
CREATE AGGREGATE signature_weights_agg(feature pg_catalog.text, weight double precision, bits integer) (
\include aggregate.sql step=simhash_internal_signature_accumulate space=8256 state=signature final=simhash_internal_signature_weights_final

COMMENT ON AGGREGATE signature_agg(pg_catalog.text, integer)
    IS 'signature of features with weight 1, one per row';
COMMENT ON AGGREGATE signature_agg(pg_catalog.text, double precision, integer)
    IS 'signature of features with weights, one per row';
COMMENT ON AGGREGATE signature_weights_agg(pg_catalog.text, integer)
    IS 'weights of the bits of the signature of features with weight 1, one per row';
COMMENT ON AGGREGATE signature_weights_agg(pg_catalog.text, double precision, integer)
    IS 'weights of the bits of the signature of features with weights, one per row';

CREATE FUNCTION simhash_internal_minhash_accumulate(pg_catalog.internal, feature pg_catalog.text, minima integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_minhash_accumulate' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 20;
CREATE FUNCTION simhash_internal_minhash_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_minhash_combine' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_minhash_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME', 'simhash_minhash_serialize' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_minhash_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_minhash_deserialize' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION simhash_internal_minhash_final(pg_catalog.internal) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_minhash_final' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION simhash_internal_minhash_values_final(pg_catalog.internal) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_minhash_values_final' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION simhash_internal_minhash_accumulate(pg_catalog.internal, pg_catalog.text, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_internal_minhash_combine(pg_catalog.internal, pg_catalog.internal) IS 'aggregate combine function';
COMMENT ON FUNCTION simhash_internal_minhash_serialize(pg_catalog.internal) IS 'aggregate serial function';
COMMENT ON FUNCTION simhash_internal_minhash_deserialize(pg_catalog.bytea, pg_catalog.internal) IS 'aggregate deserial function';
COMMENT ON FUNCTION simhash_internal_minhash_final(pg_catalog.internal) IS 'aggregate final function';
COMMENT ON FUNCTION simhash_internal_minhash_values_final(pg_catalog.internal) IS 'aggregate final function';

CREATE AGGREGATE minhash_agg(feature pg_catalog.text, bits integer) (
\include aggregate.sql step=simhash_internal_minhash_accumulate space=4096 state=minhash final=simhash_internal_minhash_final
CREATE AGGREGATE minhash_values_agg(feature pg_catalog.text, minima integer) (
\include aggregate.sql step=simhash_internal_minhash_accumulate space=4096 state=minhash final=simhash_internal_minhash_values_final
COMMENT ON AGGREGATE minhash_agg(pg_catalog.text, integer)
    IS 'min-hash signature of a set of features, one per row: one bit of each minimum';
COMMENT ON AGGREGATE minhash_values_agg(pg_catalog.text, integer)
    IS 'min-hash sketch of a set of features, one per row: the minima';
