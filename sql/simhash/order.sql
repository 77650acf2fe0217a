-- Comparisons and hash of @type@, by value.

CREATE FUNCTION simhash_internal_eq(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME', '@prefix@@type@_eq' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION simhash_internal_ne(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME', '@prefix@@type@_ne' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION simhash_internal_hash(@type@) RETURNS integer
    AS 'MODULE_PATHNAME', '@prefix@@type@_hash' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
COMMENT ON FUNCTION simhash_internal_eq(@type@, @type@) IS 'implementation of = operator';
COMMENT ON FUNCTION simhash_internal_ne(@type@, @type@) IS 'implementation of <> operator';
COMMENT ON FUNCTION simhash_internal_hash(@type@) IS 'hash';
CREATE FUNCTION simhash_internal_lt(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME', '@prefix@@type@_lt' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION simhash_internal_le(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME', '@prefix@@type@_le' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION simhash_internal_gt(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME', '@prefix@@type@_gt' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION simhash_internal_ge(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME', '@prefix@@type@_ge' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION simhash_internal_cmp(@type@, @type@) RETURNS integer
    AS 'MODULE_PATHNAME', '@prefix@@type@_cmp' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
COMMENT ON FUNCTION simhash_internal_lt(@type@, @type@) IS 'implementation of < operator';
COMMENT ON FUNCTION simhash_internal_le(@type@, @type@) IS 'implementation of <= operator';
COMMENT ON FUNCTION simhash_internal_gt(@type@, @type@) IS 'implementation of > operator';
COMMENT ON FUNCTION simhash_internal_ge(@type@, @type@) IS 'implementation of >= operator';
COMMENT ON FUNCTION simhash_internal_cmp(@type@, @type@) IS 'less-equal-greater';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = simhash_internal_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES);
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = simhash_internal_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
COMMENT ON OPERATOR = (@type@, @type@) IS 'equal';
COMMENT ON OPERATOR <> (@type@, @type@) IS 'not equal';
CREATE OPERATOR pg_catalog.< (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = simhash_internal_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = simhash_internal_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = simhash_internal_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = simhash_internal_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR < (@type@, @type@) IS 'less than';
COMMENT ON OPERATOR <= (@type@, @type@) IS 'less than or equal';
COMMENT ON OPERATOR > (@type@, @type@) IS 'greater than';
COMMENT ON OPERATOR >= (@type@, @type@) IS 'greater than or equal';

CREATE OPERATOR CLASS @type@_ops DEFAULT FOR TYPE @type@ USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_internal_hash(@type@);
COMMENT ON OPERATOR CLASS @type@_ops USING hash IS 'equality';
COMMENT ON OPERATOR FAMILY @type@_ops USING hash IS 'equality';
CREATE OPERATOR CLASS @type@_ops DEFAULT FOR TYPE @type@ USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 simhash_internal_cmp(@type@, @type@);
COMMENT ON OPERATOR CLASS @type@_ops USING btree IS 'order';
COMMENT ON OPERATOR FAMILY @type@_ops USING btree IS 'order';
