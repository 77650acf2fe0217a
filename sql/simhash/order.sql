-- Order of @type@.

CREATE FUNCTION @type@_lt(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION @type@_le(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION @type@_gt(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION @type@_ge(@type@, @type@) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
CREATE FUNCTION @type@_cmp(@type@, @type@) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST @cost@;
COMMENT ON FUNCTION @type@_lt(@type@, @type@) IS 'implementation of < operator';
COMMENT ON FUNCTION @type@_le(@type@, @type@) IS 'implementation of <= operator';
COMMENT ON FUNCTION @type@_gt(@type@, @type@) IS 'implementation of > operator';
COMMENT ON FUNCTION @type@_ge(@type@, @type@) IS 'implementation of >= operator';
COMMENT ON FUNCTION @type@_cmp(@type@, @type@) IS 'less-equal-greater';

CREATE OPERATOR pg_catalog.< (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = @type@_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = @type@_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = @type@_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = @type@, RIGHTARG = @type@, FUNCTION = @type@_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR < (@type@, @type@) IS 'less than';
COMMENT ON OPERATOR <= (@type@, @type@) IS 'less than or equal';
COMMENT ON OPERATOR > (@type@, @type@) IS 'greater than';
COMMENT ON OPERATOR >= (@type@, @type@) IS 'greater than or equal';

CREATE OPERATOR CLASS @type@_ops DEFAULT FOR TYPE @type@ USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 @type@_cmp(@type@, @type@);
COMMENT ON OPERATOR CLASS @type@_ops USING btree IS 'order';
COMMENT ON OPERATOR FAMILY @type@_ops USING btree IS 'order';
