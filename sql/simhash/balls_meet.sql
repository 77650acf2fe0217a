-- Two balls meet if each has the other's center. So an exclusion constraint on balls has a radius of its own.

CREATE FUNCTION @meet@(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
COMMENT ON FUNCTION @meet@(@type@, @type@) IS 'implementation of ~= operator';
CREATE OPERATOR ~= (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = @meet@, COMMUTATOR = ~=,
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
COMMENT ON OPERATOR ~= (@type@, @type@) IS 'whether each ball has the center of the other';
CREATE FUNCTION @center@(@type@) RETURNS @stored@
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION @center@(@type@) IS 'what an index stores of a ball';
