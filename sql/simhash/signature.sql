-- Signatures: bit strings of any length. Their distance is not called hamming_distance, because pgvector has a function
-- hamming_distance(bit, bit), and both extensions are often in one schema. The functions that compare two of them raise
-- an error if the lengths differ, which reveals a length, so they are not LEAKPROOF.
-- The planner replaces a condition on two bit strings that are declared with the same length by simhash_internal_within, which
-- raises none.

CREATE FUNCTION signature_from_bytea(pg_catalog.bytea) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_signature_from_bytea' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION signature_from_bytea(pg_catalog.bytea) IS 'the bits of bytes, the highest of a byte first';
CREATE FUNCTION simhash_internal_signature_from_uuid(pg_catalog.uuid) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_signature_from_uuid' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_internal_signature_from_uuid(pg_catalog.uuid) IS 'the 128 bits of a uuid, in the order in which it is written';
CREATE CAST (pg_catalog.uuid AS bit) WITH FUNCTION simhash_internal_signature_from_uuid(pg_catalog.uuid);
COMMENT ON CAST (pg_catalog.uuid AS bit) IS 'the 128 bits of a uuid, in the order in which it is written';
CREATE FUNCTION signature_to_bytea(bit) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME', 'simhash_signature_to_bytea' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION signature_to_bytea(bit) IS 'the bytes of a bit string, the last one filled up with zeros';

CREATE FUNCTION signature_distance(bit, bit) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_signature_distance_of_bits' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION signature_distance(bit, bit) IS 'Hamming distance of two bit strings of the same length';
CREATE OPERATOR <@> (
    LEFTARG = bit, RIGHTARG = bit, FUNCTION = signature_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (bit, bit) IS 'Hamming distance of bit strings of the same length';

CREATE FUNCTION hamming_within(bit, bit, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_signature_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION hamming_within(bit, bit, bigint) IS 'whether the Hamming distance is at most the radius';
CREATE FUNCTION simhash_internal_at(bit, bit, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_signature_at' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION simhash_internal_at(bit, bit, bigint) IS 'whether the Hamming distance is exactly the radius';
CREATE FUNCTION simhash_internal_within(bit, bit, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_signature_within_if_equally_long' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION simhash_internal_within(bit, bit, bigint)
    IS 'whether two bit strings have the same length and their Hamming distance is at most the radius';

\include type_functions.sql type=signature_ball name=signature_ball_ text=10 binary=1

CREATE TYPE signature_ball (
    INPUT = simhash_internal_signature_ball_in, OUTPUT = simhash_internal_signature_ball_out,
    RECEIVE = simhash_internal_signature_ball_recv, SEND = simhash_internal_signature_ball_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = extended,
    CATEGORY = 'V');
COMMENT ON TYPE signature_ball
    IS 'bit strings within a radius of a center, for approximate searches, too: <center,radius,recall,count>';

\include order.sql type=signature_ball prefix=simhash_ cost=10

-- With NULL weights a ball has none, so the functions that take weights are not strict.

CREATE FUNCTION signature_ball(center bit, radius bigint) RETURNS signature_ball
    AS 'MODULE_PATHNAME', 'simhash_signature_ball' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION signature_ball(center bit, radius bigint, recall double precision, weights real[] DEFAULT NULL)
    RETURNS signature_ball
    AS 'MODULE_PATHNAME', 'simhash_signature_ball_with_recall' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION signature_nearest(center bit, recall double precision DEFAULT 1, count integer DEFAULT 10)
    RETURNS signature_ball
    AS 'MODULE_PATHNAME', 'simhash_signature_nearest' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION signature_ball(bit, bigint)
    IS 'ball with a center and a radius, which is clamped to -1 and the number of bits';
COMMENT ON FUNCTION signature_ball(bit, bigint, double precision, real[])
    IS 'ball to be searched with this recall; the larger the absolute weight of a bit, the less likely it differs';
COMMENT ON FUNCTION signature_nearest(bit, double precision, integer)
    IS 'ball of all bit strings, for ORDER BY: an index may find the nearest rows with this recall';

CREATE FUNCTION simhash_internal_in_ball(bit, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_signature_in_ball' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION simhash_internal_in_ball(bit, signature_ball) IS 'implementation of <@| operator';
CREATE OPERATOR <@| (
    LEFTARG = bit, RIGHTARG = signature_ball, FUNCTION = simhash_internal_in_ball,
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
COMMENT ON OPERATOR <@| (bit, signature_ball) IS 'whether the bit string is in the ball';

\include balls_meet.sql type=signature_ball meet=simhash_internal_signature_balls_meet center=simhash_internal_signature_ball_center stored=bit cost=1

-- Not signature_distance: with two arguments of unknown type that would be ambiguous.
CREATE FUNCTION simhash_internal_distance_to_center(bit, signature_ball) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_signature_distance_to_center' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION simhash_internal_distance_to_center(bit, signature_ball) IS 'Hamming distance to the center of the ball';
CREATE OPERATOR <@> (
    LEFTARG = bit, RIGHTARG = signature_ball, FUNCTION = simhash_internal_distance_to_center);
COMMENT ON OPERATOR <@> (bit, signature_ball) IS 'Hamming distance to the center of the ball';
