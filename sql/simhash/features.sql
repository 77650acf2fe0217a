-- Hashes of features, with counts or weights: from them fingerprints, signatures, sketches and measures are computed.

CREATE TYPE feature_vector;

CREATE FUNCTION feature_vector_in(pg_catalog.cstring) RETURNS feature_vector
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION feature_vector_out(feature_vector) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION feature_vector_recv(pg_catalog.internal) RETURNS feature_vector
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION feature_vector_send(feature_vector) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;

-- Hashes cannot be compressed, so it would not be worth trying.
CREATE TYPE feature_vector (
    INPUT = feature_vector_in, OUTPUT = feature_vector_out,
    RECEIVE = feature_vector_recv, SEND = feature_vector_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external);

COMMENT ON TYPE feature_vector IS 'features of a document, as hashes, with counts or weights';
COMMENT ON FUNCTION feature_vector_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION feature_vector_out(feature_vector) IS 'I/O';
COMMENT ON FUNCTION feature_vector_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION feature_vector_send(feature_vector) IS 'I/O';

CREATE FUNCTION feature_vector_eq(feature_vector, feature_vector) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_vector_ne(feature_vector, feature_vector) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_vector_lt(feature_vector, feature_vector) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_vector_le(feature_vector, feature_vector) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_vector_gt(feature_vector, feature_vector) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_vector_ge(feature_vector, feature_vector) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_vector_cmp(feature_vector, feature_vector) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_vector_hash(feature_vector) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_vector_hash_extended(feature_vector, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
COMMENT ON FUNCTION feature_vector_eq(feature_vector, feature_vector) IS 'implementation of = operator';
COMMENT ON FUNCTION feature_vector_ne(feature_vector, feature_vector) IS 'implementation of <> operator';
COMMENT ON FUNCTION feature_vector_lt(feature_vector, feature_vector) IS 'implementation of < operator';
COMMENT ON FUNCTION feature_vector_le(feature_vector, feature_vector) IS 'implementation of <= operator';
COMMENT ON FUNCTION feature_vector_gt(feature_vector, feature_vector) IS 'implementation of > operator';
COMMENT ON FUNCTION feature_vector_ge(feature_vector, feature_vector) IS 'implementation of >= operator';
COMMENT ON FUNCTION feature_vector_cmp(feature_vector, feature_vector) IS 'less-equal-greater';
COMMENT ON FUNCTION feature_vector_hash(feature_vector) IS 'hash';
COMMENT ON FUNCTION feature_vector_hash_extended(feature_vector, bigint) IS 'hash with seed';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = feature_vector, RIGHTARG = feature_vector, FUNCTION = feature_vector_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES);
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = feature_vector, RIGHTARG = feature_vector, FUNCTION = feature_vector_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = feature_vector, RIGHTARG = feature_vector, FUNCTION = feature_vector_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = feature_vector, RIGHTARG = feature_vector, FUNCTION = feature_vector_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = feature_vector, RIGHTARG = feature_vector, FUNCTION = feature_vector_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = feature_vector, RIGHTARG = feature_vector, FUNCTION = feature_vector_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (feature_vector, feature_vector) IS 'equal';
COMMENT ON OPERATOR <> (feature_vector, feature_vector) IS 'not equal';
COMMENT ON OPERATOR < (feature_vector, feature_vector) IS 'less than, in an order for sorting alone';
COMMENT ON OPERATOR <= (feature_vector, feature_vector) IS 'less than or equal, in an order for sorting alone';
COMMENT ON OPERATOR > (feature_vector, feature_vector) IS 'greater than, in an order for sorting alone';
COMMENT ON OPERATOR >= (feature_vector, feature_vector) IS 'greater than or equal, in an order for sorting alone';
CREATE OPERATOR CLASS feature_vector_ops DEFAULT FOR TYPE feature_vector USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 feature_vector_cmp(feature_vector, feature_vector);
CREATE OPERATOR CLASS feature_vector_ops DEFAULT FOR TYPE feature_vector USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 feature_vector_hash(feature_vector),
    FUNCTION 2 feature_vector_hash_extended(feature_vector, bigint);
COMMENT ON OPERATOR CLASS feature_vector_ops USING btree IS 'features in an order for sorting alone';
COMMENT ON OPERATOR FAMILY feature_vector_ops USING btree IS 'features in an order for sorting alone';
COMMENT ON OPERATOR CLASS feature_vector_ops USING hash IS 'equal features';
COMMENT ON OPERATOR FAMILY feature_vector_ops USING hash IS 'equal features';

CREATE FUNCTION features(document pg_catalog.text, unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1)
    RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION features(features pg_catalog.text[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(features pg_catalog.text[], weights double precision[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(features bigint[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_numbers' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(features bigint[], weights double precision[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_weighted_numbers' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(document pg_catalog.tsvector) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features(features pg_catalog.jsonb) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_jsonb' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features_from_hashes(hashes bigint[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION features_from_hashes(hashes bigint[], weights double precision[]) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_weighted_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
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
