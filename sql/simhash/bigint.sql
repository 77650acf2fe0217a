-- Fingerprints of other programs in columns of type bigint, bit for bit. For everything but their distance, users and the
-- planner cast them to simhash, which costs nothing. Two literals without a type are ambiguous between the two types.

CREATE FUNCTION simhash_internal_bigint_distance(bigint, bigint) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION simhash_internal_bigint_distance(bigint, bigint) IS 'implementation of <@> operator';
CREATE OPERATOR <@> (
    LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = simhash_internal_bigint_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (bigint, bigint) IS 'Hamming distance of the bits, 0 to 64';

CREATE FUNCTION simhash_internal_bigint_near(bigint, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_near' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_internal_bigint_near(bigint, bigint) IS 'implementation of ~= operator';
CREATE OPERATOR ~= (
    LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = simhash_internal_bigint_near, COMMUTATOR = ~=,
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
COMMENT ON OPERATOR ~= (bigint, bigint) IS 'near-duplicate: whether the Hamming distance is at most 3';
