-- Comparisons of a @left@ with a @right@. Where there are none the other way round, commuted is --, which makes comments
-- of their commutators, and of hashing, which would need them.

CREATE FUNCTION simhash_internal_eq(@left@, @right@) RETURNS boolean
    AS '@code@eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT simhash_internal_support;
CREATE FUNCTION simhash_internal_lt(@left@, @right@) RETURNS boolean
    AS '@code@lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT simhash_internal_support;
CREATE FUNCTION simhash_internal_le(@left@, @right@) RETURNS boolean
    AS '@code@le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT simhash_internal_support;
CREATE FUNCTION simhash_internal_gt(@left@, @right@) RETURNS boolean
    AS '@code@gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT simhash_internal_support;
CREATE FUNCTION simhash_internal_ge(@left@, @right@) RETURNS boolean
    AS '@code@ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT simhash_internal_support;
COMMENT ON FUNCTION simhash_internal_eq(@left@, @right@) IS 'implementation of = operator';
COMMENT ON FUNCTION simhash_internal_lt(@left@, @right@) IS 'implementation of < operator';
COMMENT ON FUNCTION simhash_internal_le(@left@, @right@) IS 'implementation of <= operator';
COMMENT ON FUNCTION simhash_internal_gt(@left@, @right@) IS 'implementation of > operator';
COMMENT ON FUNCTION simhash_internal_ge(@left@, @right@) IS 'implementation of >= operator';

CREATE OPERATOR pg_catalog.= (
    @commuted@COMMUTATOR = OPERATOR(pg_catalog.=), HASHES,
    LEFTARG = @left@, RIGHTARG = @right@, FUNCTION = simhash_internal_eq,
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
CREATE OPERATOR pg_catalog.< (
    @commuted@COMMUTATOR = OPERATOR(pg_catalog.>),
    LEFTARG = @left@, RIGHTARG = @right@, FUNCTION = simhash_internal_lt,
    NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
CREATE OPERATOR pg_catalog.<= (
    @commuted@COMMUTATOR = OPERATOR(pg_catalog.>=),
    LEFTARG = @left@, RIGHTARG = @right@, FUNCTION = simhash_internal_le,
    NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
CREATE OPERATOR pg_catalog.> (
    @commuted@COMMUTATOR = OPERATOR(pg_catalog.<),
    LEFTARG = @left@, RIGHTARG = @right@, FUNCTION = simhash_internal_gt,
    NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
CREATE OPERATOR pg_catalog.>= (
    @commuted@COMMUTATOR = OPERATOR(pg_catalog.<=),
    LEFTARG = @left@, RIGHTARG = @right@, FUNCTION = simhash_internal_ge,
    NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
COMMENT ON OPERATOR = (@left@, @right@) IS 'equal';
COMMENT ON OPERATOR < (@left@, @right@) IS 'less than';
COMMENT ON OPERATOR <= (@left@, @right@) IS 'less than or equal';
COMMENT ON OPERATOR > (@left@, @right@) IS 'greater than';
COMMENT ON OPERATOR >= (@left@, @right@) IS 'greater than or equal';

ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (@left@, @right@),
    OPERATOR 2 <= (@left@, @right@),
    OPERATOR 3 = (@left@, @right@),
    OPERATOR 4 >= (@left@, @right@),
    OPERATOR 5 > (@left@, @right@),
    FUNCTION 1 (@left@, @right@) pg_catalog.bt@code@cmp(@leftbase@, @rightbase@);
@commuted@ALTER OPERATOR FAMILY hamming_distance_ops USING hash ADD OPERATOR 1 = (@left@, @right@);
