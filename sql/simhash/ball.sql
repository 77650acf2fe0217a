-- A ball is the query of an index condition: center and radius in one value, and for a search by weights those, too.

\include type_functions.sql type=simhash_ball name=ball_ text=10 binary=10

CREATE TYPE simhash_ball (
    INPUT = simhash_internal_ball_in, OUTPUT = simhash_internal_ball_out, RECEIVE = simhash_internal_ball_recv, SEND = simhash_internal_ball_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main,
    CATEGORY = 'V', PREFERRED = true);
COMMENT ON TYPE simhash_ball IS 'the fingerprints within a radius, in bits, of a center: <center,radius>, or around '
    'weights, for approximate searches: <[w0,...,w63],radius,recall,max_probes>';

\include order.sql type=simhash_ball prefix= cost=1

CREATE FUNCTION simhash_ball(simhash, bigint) RETURNS simhash_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball(simhash, bigint) IS 'ball with a center and a radius, which is clamped to -1 and 64';

CREATE FUNCTION simhash_internal_in_ball(simhash, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_in_ball' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_internal_in_ball(simhash, simhash_ball) IS 'implementation of <@| operator';
CREATE OPERATOR <@| (
    LEFTARG = simhash, RIGHTARG = simhash_ball, FUNCTION = simhash_internal_in_ball,
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
COMMENT ON OPERATOR <@| (simhash, simhash_ball) IS 'whether the fingerprint is in the ball';

CREATE FUNCTION simhash_internal_near(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_near' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_internal_near(simhash, simhash) IS 'implementation of ~= operator';
CREATE OPERATOR ~= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_internal_near, COMMUTATOR = ~=,
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
COMMENT ON OPERATOR ~= (simhash, simhash) IS 'near-duplicate: whether the Hamming distance is at most 3';

\include balls_meet.sql type=simhash_ball meet=simhash_internal_balls_meet center=simhash_internal_ball_center stored=simhash cost=1

-- The distance to weights is exactly the distance to their signs. Only a ball around weights permits the index to
-- probe only the likely places, with the recall in its value. Nothing else, in particular no setting, makes a
-- condition approximate.

CREATE FUNCTION hamming_distance(simhash, simhash_weights) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance_to_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
CREATE FUNCTION hamming_distance(simhash_weights, simhash) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance_from_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION hamming_distance(simhash, simhash_weights) IS 'Hamming distance to the signs of weights, 0 to 64';
COMMENT ON FUNCTION hamming_distance(simhash_weights, simhash) IS 'Hamming distance from the signs of weights, 0 to 64';
CREATE OPERATOR <@> (
    LEFTARG = simhash, RIGHTARG = simhash_weights, FUNCTION = hamming_distance, COMMUTATOR = <@>);
CREATE OPERATOR <@> (
    LEFTARG = simhash_weights, RIGHTARG = simhash, FUNCTION = hamming_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (simhash, simhash_weights) IS 'Hamming distance to the signs of weights, 0 to 64';
COMMENT ON OPERATOR <@> (simhash_weights, simhash) IS 'Hamming distance from the signs of weights, 0 to 64';

CREATE FUNCTION hamming_within(simhash, simhash_weights, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_hamming_within_of_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION hamming_within(simhash, simhash_weights, bigint)
    IS 'whether the Hamming distance to the signs of the weights is at most the radius';

CREATE FUNCTION simhash_internal_at(simhash, simhash_weights, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_hamming_at_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION simhash_internal_at(simhash, simhash_weights, bigint)
    IS 'whether the Hamming distance to the signs of the weights is exactly the radius';

CREATE FUNCTION simhash_ball(center simhash_weights, radius bigint, recall double precision DEFAULT 1,
        max_probes integer DEFAULT 0) RETURNS simhash_ball
    AS 'MODULE_PATHNAME', 'simhash_ball_of_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball(simhash_weights, bigint, double precision, integer)
    IS 'ball around weights, which an index may search with this recall and at most max_probes probes';
