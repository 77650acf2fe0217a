-- Comparisons of a distance with every integer type, since drivers send different types. The code is PostgreSQL's own;
-- the support function is ours.

CREATE FUNCTION hamming_distance_eq(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(hamming_distance, hamming_distance) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_lt(hamming_distance, hamming_distance) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(hamming_distance, hamming_distance) IS
    'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(hamming_distance, hamming_distance) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(hamming_distance, hamming_distance) IS
    'implementation of >= operator';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (hamming_distance, hamming_distance) IS 'equal';
COMMENT ON OPERATOR < (hamming_distance, hamming_distance) IS 'less than';
COMMENT ON OPERATOR <= (hamming_distance, hamming_distance) IS 'less than or equal';
COMMENT ON OPERATOR > (hamming_distance, hamming_distance) IS 'greater than';
COMMENT ON OPERATOR >= (hamming_distance, hamming_distance) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(hamming_distance, smallint) RETURNS boolean
    AS 'int42eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(hamming_distance, smallint) RETURNS boolean
    AS 'int42lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(hamming_distance, smallint) RETURNS boolean
    AS 'int42le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(hamming_distance, smallint) RETURNS boolean
    AS 'int42gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(hamming_distance, smallint) RETURNS boolean
    AS 'int42ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(hamming_distance, smallint) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_lt(hamming_distance, smallint) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(hamming_distance, smallint) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(hamming_distance, smallint) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(hamming_distance, smallint) IS 'implementation of >= operator';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (hamming_distance, smallint) IS 'equal';
COMMENT ON OPERATOR < (hamming_distance, smallint) IS 'less than';
COMMENT ON OPERATOR <= (hamming_distance, smallint) IS 'less than or equal';
COMMENT ON OPERATOR > (hamming_distance, smallint) IS 'greater than';
COMMENT ON OPERATOR >= (hamming_distance, smallint) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(smallint, hamming_distance) RETURNS boolean
    AS 'int24eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(smallint, hamming_distance) RETURNS boolean
    AS 'int24lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(smallint, hamming_distance) RETURNS boolean
    AS 'int24le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(smallint, hamming_distance) RETURNS boolean
    AS 'int24gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(smallint, hamming_distance) RETURNS boolean
    AS 'int24ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(smallint, hamming_distance) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_lt(smallint, hamming_distance) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(smallint, hamming_distance) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(smallint, hamming_distance) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(smallint, hamming_distance) IS 'implementation of >= operator';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (smallint, hamming_distance) IS 'equal';
COMMENT ON OPERATOR < (smallint, hamming_distance) IS 'less than';
COMMENT ON OPERATOR <= (smallint, hamming_distance) IS 'less than or equal';
COMMENT ON OPERATOR > (smallint, hamming_distance) IS 'greater than';
COMMENT ON OPERATOR >= (smallint, hamming_distance) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(hamming_distance, integer) RETURNS boolean
    AS 'int4eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(hamming_distance, integer) RETURNS boolean
    AS 'int4lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(hamming_distance, integer) RETURNS boolean
    AS 'int4le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(hamming_distance, integer) RETURNS boolean
    AS 'int4gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(hamming_distance, integer) RETURNS boolean
    AS 'int4ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(hamming_distance, integer) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_lt(hamming_distance, integer) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(hamming_distance, integer) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(hamming_distance, integer) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(hamming_distance, integer) IS 'implementation of >= operator';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (hamming_distance, integer) IS 'equal';
COMMENT ON OPERATOR < (hamming_distance, integer) IS 'less than';
COMMENT ON OPERATOR <= (hamming_distance, integer) IS 'less than or equal';
COMMENT ON OPERATOR > (hamming_distance, integer) IS 'greater than';
COMMENT ON OPERATOR >= (hamming_distance, integer) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(integer, hamming_distance) RETURNS boolean
    AS 'int4eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(integer, hamming_distance) RETURNS boolean
    AS 'int4lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(integer, hamming_distance) RETURNS boolean
    AS 'int4le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(integer, hamming_distance) RETURNS boolean
    AS 'int4gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(integer, hamming_distance) RETURNS boolean
    AS 'int4ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(integer, hamming_distance) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_lt(integer, hamming_distance) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(integer, hamming_distance) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(integer, hamming_distance) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(integer, hamming_distance) IS 'implementation of >= operator';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (integer, hamming_distance) IS 'equal';
COMMENT ON OPERATOR < (integer, hamming_distance) IS 'less than';
COMMENT ON OPERATOR <= (integer, hamming_distance) IS 'less than or equal';
COMMENT ON OPERATOR > (integer, hamming_distance) IS 'greater than';
COMMENT ON OPERATOR >= (integer, hamming_distance) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(hamming_distance, bigint) RETURNS boolean
    AS 'int48eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(hamming_distance, bigint) RETURNS boolean
    AS 'int48lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(hamming_distance, bigint) RETURNS boolean
    AS 'int48le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(hamming_distance, bigint) RETURNS boolean
    AS 'int48gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(hamming_distance, bigint) RETURNS boolean
    AS 'int48ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(hamming_distance, bigint) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_lt(hamming_distance, bigint) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(hamming_distance, bigint) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(hamming_distance, bigint) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(hamming_distance, bigint) IS 'implementation of >= operator';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (hamming_distance, bigint) IS 'equal';
COMMENT ON OPERATOR < (hamming_distance, bigint) IS 'less than';
COMMENT ON OPERATOR <= (hamming_distance, bigint) IS 'less than or equal';
COMMENT ON OPERATOR > (hamming_distance, bigint) IS 'greater than';
COMMENT ON OPERATOR >= (hamming_distance, bigint) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(bigint, hamming_distance) RETURNS boolean
    AS 'int84eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(bigint, hamming_distance) RETURNS boolean
    AS 'int84lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(bigint, hamming_distance) RETURNS boolean
    AS 'int84le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(bigint, hamming_distance) RETURNS boolean
    AS 'int84gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(bigint, hamming_distance) RETURNS boolean
    AS 'int84ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(bigint, hamming_distance) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_lt(bigint, hamming_distance) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(bigint, hamming_distance) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(bigint, hamming_distance) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(bigint, hamming_distance) IS 'implementation of >= operator';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (bigint, hamming_distance) IS 'equal';
COMMENT ON OPERATOR < (bigint, hamming_distance) IS 'less than';
COMMENT ON OPERATOR <= (bigint, hamming_distance) IS 'less than or equal';
COMMENT ON OPERATOR > (bigint, hamming_distance) IS 'greater than';
COMMENT ON OPERATOR >= (bigint, hamming_distance) IS 'greater than or equal';

-- Row comparisons, as in (h <@> q, id) > (3, 17), and ORDER BY ... USING need a btree operator family; IN with a long
-- list needs a hash operator family. The families have no operator class: an index on a stored distance is an index on
-- an integer. The equalities are not declared MERGES: the family does not order plain integers, and where they might
-- be merged, the support function has replaced them by PostgreSQL's operators.

CREATE OPERATOR FAMILY hamming_distance_ops USING btree;
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (hamming_distance, hamming_distance),
    OPERATOR 2 <= (hamming_distance, hamming_distance),
    OPERATOR 3 = (hamming_distance, hamming_distance),
    OPERATOR 4 >= (hamming_distance, hamming_distance),
    OPERATOR 5 > (hamming_distance, hamming_distance),
    FUNCTION 1 (hamming_distance, hamming_distance) pg_catalog.btint4cmp(integer, integer);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (hamming_distance, smallint),
    OPERATOR 2 <= (hamming_distance, smallint),
    OPERATOR 3 = (hamming_distance, smallint),
    OPERATOR 4 >= (hamming_distance, smallint),
    OPERATOR 5 > (hamming_distance, smallint),
    FUNCTION 1 (hamming_distance, smallint) pg_catalog.btint42cmp(integer, smallint);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (smallint, hamming_distance),
    OPERATOR 2 <= (smallint, hamming_distance),
    OPERATOR 3 = (smallint, hamming_distance),
    OPERATOR 4 >= (smallint, hamming_distance),
    OPERATOR 5 > (smallint, hamming_distance),
    FUNCTION 1 (smallint, hamming_distance) pg_catalog.btint24cmp(smallint, integer);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (hamming_distance, integer),
    OPERATOR 2 <= (hamming_distance, integer),
    OPERATOR 3 = (hamming_distance, integer),
    OPERATOR 4 >= (hamming_distance, integer),
    OPERATOR 5 > (hamming_distance, integer),
    FUNCTION 1 (hamming_distance, integer) pg_catalog.btint4cmp(integer, integer);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (integer, hamming_distance),
    OPERATOR 2 <= (integer, hamming_distance),
    OPERATOR 3 = (integer, hamming_distance),
    OPERATOR 4 >= (integer, hamming_distance),
    OPERATOR 5 > (integer, hamming_distance),
    FUNCTION 1 (integer, hamming_distance) pg_catalog.btint4cmp(integer, integer);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (hamming_distance, bigint),
    OPERATOR 2 <= (hamming_distance, bigint),
    OPERATOR 3 = (hamming_distance, bigint),
    OPERATOR 4 >= (hamming_distance, bigint),
    OPERATOR 5 > (hamming_distance, bigint),
    FUNCTION 1 (hamming_distance, bigint) pg_catalog.btint48cmp(integer, bigint);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (bigint, hamming_distance),
    OPERATOR 2 <= (bigint, hamming_distance),
    OPERATOR 3 = (bigint, hamming_distance),
    OPERATOR 4 >= (bigint, hamming_distance),
    OPERATOR 5 > (bigint, hamming_distance),
    FUNCTION 1 (bigint, hamming_distance) pg_catalog.btint84cmp(bigint, integer);
CREATE OPERATOR FAMILY hamming_distance_ops USING hash;
ALTER OPERATOR FAMILY hamming_distance_ops USING hash ADD
    OPERATOR 1 = (hamming_distance, hamming_distance),
    OPERATOR 1 = (hamming_distance, smallint),
    OPERATOR 1 = (smallint, hamming_distance),
    OPERATOR 1 = (hamming_distance, integer),
    OPERATOR 1 = (integer, hamming_distance),
    OPERATOR 1 = (hamming_distance, bigint),
    OPERATOR 1 = (bigint, hamming_distance),
    FUNCTION 1 (hamming_distance, hamming_distance) pg_catalog.hashint4(integer),
    FUNCTION 2 (hamming_distance, hamming_distance) pg_catalog.hashint4extended(integer, bigint),
    FUNCTION 1 (smallint, smallint) pg_catalog.hashint2(smallint),
    FUNCTION 2 (smallint, smallint) pg_catalog.hashint2extended(smallint, bigint),
    FUNCTION 1 (integer, integer) pg_catalog.hashint4(integer),
    FUNCTION 2 (integer, integer) pg_catalog.hashint4extended(integer, bigint),
    FUNCTION 1 (bigint, bigint) pg_catalog.hashint8(bigint),
    FUNCTION 2 (bigint, bigint) pg_catalog.hashint8extended(bigint, bigint);
COMMENT ON OPERATOR FAMILY hamming_distance_ops USING btree IS 'distances compared with integers';
COMMENT ON OPERATOR FAMILY hamming_distance_ops USING hash IS 'distances compared with integers';
