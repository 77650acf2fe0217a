-- Equality and hash of @type@, by value.

CREATE FUNCTION simhash_internal_eq(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME', '@prefix@@type@_eq' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION simhash_internal_ne(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME', '@prefix@@type@_ne' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION simhash_internal_hash(@type@) RETURNS integer
    AS 'MODULE_PATHNAME', '@prefix@@type@_hash' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
COMMENT ON FUNCTION simhash_internal_eq(@type@, @type@) IS 'implementation of = operator';
COMMENT ON FUNCTION simhash_internal_ne(@type@, @type@) IS 'implementation of <> operator';
COMMENT ON FUNCTION simhash_internal_hash(@type@) IS 'hash';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = simhash_internal_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, @joins@);
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = simhash_internal_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
COMMENT ON OPERATOR = (@type@, @type@) IS 'equal';
COMMENT ON OPERATOR <> (@type@, @type@) IS 'not equal';

CREATE OPERATOR CLASS @type@_ops DEFAULT FOR TYPE @type@ USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_internal_hash(@type@);
COMMENT ON OPERATOR CLASS @type@_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY @type@_ops USING hash IS 'equality';
