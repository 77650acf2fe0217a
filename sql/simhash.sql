\echo Use "CREATE EXTENSION simhash" to load this file. \quit

-- Sections, in order: the type, weights, fingerprints from features, weights by rarity, exact measures,
-- locality-sensitive hashing, distance, similarity, the access method, inspection, joins, tuning. Every object of
-- PostgreSQL is schema-qualified, and nothing is replaced.
--
-- Comparison operators are created in pg_catalog. NULLIF, IS DISTINCT FROM, CASE h WHEN, JOIN USING and comparisons of
-- rows cannot name the schema of an operator, and pg_dump restores them with an empty search_path: with an operator of
-- another schema, the tables, views, indexes and triggers that use these forms would be lost.

-- ---------------------------------------------------------------------------------------------------------
-- The type
-- ---------------------------------------------------------------------------------------------------------

CREATE TYPE simhash;

CREATE FUNCTION simhash_in(pg_catalog.cstring) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_out(simhash) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_recv(pg_catalog.internal) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_send(simhash) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE simhash (
    INPUT = simhash_in, OUTPUT = simhash_out, RECEIVE = simhash_recv, SEND = simhash_send,
    LIKE = pg_catalog.int8,
    -- The category of bit and of all our types: where several of them are possible, an unknown literal is a simhash, or
    -- where a ball is expected, a simhash_ball.
    CATEGORY = 'V', PREFERRED = true);

COMMENT ON TYPE simhash IS '64-bit fingerprint of a document: those of similar documents differ in few bits';
COMMENT ON FUNCTION simhash_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_out(simhash) IS 'I/O';
COMMENT ON FUNCTION simhash_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION simhash_send(simhash) IS 'I/O';

-- All casts are explicit: an implicit one would let h < 5 compare as signed integers and q <@> 5 measure the
-- distance to a number.

CREATE FUNCTION simhash_from_bit(bit) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_to_bit(simhash, integer, boolean) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_from_bytea(pg_catalog.bytea) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_to_bytea(simhash) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_from_numeric(numeric) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_to_numeric(simhash) RETURNS numeric
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
-- PostgreSQL's conversions to bigint
CREATE FUNCTION simhash_from_smallint(smallint) RETURNS simhash
    AS 'int28' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_from_integer(integer) RETURNS simhash
    AS 'int48' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION simhash_from_bit(bit) IS 'convert bit(64) to fingerprint';
COMMENT ON FUNCTION simhash_to_bit(simhash, integer, boolean) IS 'convert fingerprint to bit(64)';
COMMENT ON FUNCTION simhash_from_bytea(pg_catalog.bytea) IS 'convert 8 bytes, big-endian, to fingerprint';
COMMENT ON FUNCTION simhash_to_bytea(simhash) IS 'convert fingerprint to 8 bytes, big-endian';
COMMENT ON FUNCTION simhash_from_numeric(numeric) IS 'convert unsigned number to fingerprint';
COMMENT ON FUNCTION simhash_to_numeric(simhash) IS 'convert fingerprint to unsigned number';
COMMENT ON FUNCTION simhash_from_smallint(smallint) IS 'convert smallint to fingerprint, like the equal bigint';
COMMENT ON FUNCTION simhash_from_integer(integer) IS 'convert integer to fingerprint, like the equal bigint';

CREATE CAST (simhash AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS simhash) WITHOUT FUNCTION;
CREATE CAST (integer AS simhash) WITH FUNCTION simhash_from_integer(integer);
CREATE CAST (smallint AS simhash) WITH FUNCTION simhash_from_smallint(smallint);
CREATE CAST (bit AS simhash) WITH FUNCTION simhash_from_bit(bit);
CREATE CAST (bit varying AS simhash) WITH FUNCTION simhash_from_bit(bit);
CREATE CAST (simhash AS bit) WITH FUNCTION simhash_to_bit(simhash, integer, boolean);
CREATE CAST (pg_catalog.bytea AS simhash) WITH FUNCTION simhash_from_bytea(pg_catalog.bytea);
CREATE CAST (simhash AS pg_catalog.bytea) WITH FUNCTION simhash_to_bytea(simhash);
CREATE CAST (numeric AS simhash) WITH FUNCTION simhash_from_numeric(numeric);
CREATE CAST (simhash AS numeric) WITH FUNCTION simhash_to_numeric(simhash);

COMMENT ON CAST (simhash AS bigint) IS 'bit for bit: the top bit is the sign';
COMMENT ON CAST (bigint AS simhash) IS 'bit for bit: the sign is the top bit';
COMMENT ON CAST (integer AS simhash) IS 'like the equal bigint';
COMMENT ON CAST (smallint AS simhash) IS 'like the equal bigint';
COMMENT ON CAST (bit AS simhash) IS '64 bits, most significant first';
COMMENT ON CAST (bit varying AS simhash) IS '64 bits, most significant first';
COMMENT ON CAST (simhash AS bit) IS '64 bits, most significant first';
COMMENT ON CAST (pg_catalog.bytea AS simhash) IS '8 bytes, big-endian';
COMMENT ON CAST (simhash AS pg_catalog.bytea) IS '8 bytes, big-endian';
COMMENT ON CAST (numeric AS simhash) IS 'unsigned number, 0 to 18446744073709551615';
COMMENT ON CAST (simhash AS numeric) IS 'unsigned number, 0 to 18446744073709551615';

-- Order, as unsigned integers, and hash.

CREATE FUNCTION simhash_eq(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ne(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_lt(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_le(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_gt(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ge(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION simhash_eq(simhash, simhash) IS 'implementation of = operator';
COMMENT ON FUNCTION simhash_ne(simhash, simhash) IS 'implementation of <> operator';
COMMENT ON FUNCTION simhash_lt(simhash, simhash) IS 'implementation of < operator';
COMMENT ON FUNCTION simhash_le(simhash, simhash) IS 'implementation of <= operator';
COMMENT ON FUNCTION simhash_gt(simhash, simhash) IS 'implementation of > operator';
COMMENT ON FUNCTION simhash_ge(simhash, simhash) IS 'implementation of >= operator';

CREATE FUNCTION simhash_cmp(simhash, simhash) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_sortsupport(pg_catalog.internal) RETURNS pg_catalog.void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_hash(simhash) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_hash_extended(simhash, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION simhash_cmp(simhash, simhash) IS 'less-equal-greater';
COMMENT ON FUNCTION simhash_sortsupport(pg_catalog.internal) IS 'sort support';
COMMENT ON FUNCTION simhash_hash(simhash) IS 'hash';
COMMENT ON FUNCTION simhash_hash_extended(simhash, bigint) IS 'hash with seed';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES);
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);

COMMENT ON OPERATOR = (simhash, simhash) IS 'equal';
COMMENT ON OPERATOR <> (simhash, simhash) IS 'not equal';
COMMENT ON OPERATOR < (simhash, simhash) IS 'less than';
COMMENT ON OPERATOR <= (simhash, simhash) IS 'less than or equal';
COMMENT ON OPERATOR > (simhash, simhash) IS 'greater than';
COMMENT ON OPERATOR >= (simhash, simhash) IS 'greater than or equal';

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 simhash_cmp(simhash, simhash),
    FUNCTION 2 simhash_sortsupport(pg_catalog.internal),
    FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_hash(simhash),
    FUNCTION 2 simhash_hash_extended(simhash, bigint);

COMMENT ON OPERATOR CLASS simhash_ops USING btree IS 'fingerprints as unsigned integers';
COMMENT ON OPERATOR FAMILY simhash_ops USING btree IS 'fingerprints as unsigned integers';
COMMENT ON OPERATOR CLASS simhash_ops USING hash IS 'equal fingerprints';
COMMENT ON OPERATOR FAMILY simhash_ops USING hash IS 'equal fingerprints';

CREATE FUNCTION simhash_smaller(simhash, simhash) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_larger(simhash, simhash) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE AGGREGATE min(simhash) (
    SFUNC = simhash_smaller, STYPE = simhash, COMBINEFUNC = simhash_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(simhash) (
    SFUNC = simhash_larger, STYPE = simhash, COMBINEFUNC = simhash_larger, SORTOP = >, PARALLEL = SAFE);

COMMENT ON FUNCTION simhash_smaller(simhash, simhash) IS 'smaller of two';
COMMENT ON FUNCTION simhash_larger(simhash, simhash) IS 'larger of two';
COMMENT ON AGGREGATE min(simhash) IS 'minimum of all fingerprints as unsigned integers';
COMMENT ON AGGREGATE max(simhash) IS 'maximum of all fingerprints as unsigned integers';

-- ---------------------------------------------------------------------------------------------------------
-- Weights
-- ---------------------------------------------------------------------------------------------------------

CREATE TYPE simhash_weights;

CREATE FUNCTION simhash_weights_in(pg_catalog.cstring) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION simhash_weights_out(simhash_weights) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION simhash_weights_recv(pg_catalog.internal) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_send(simhash_weights) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;

-- With MAIN the value, typically 136 bytes, stays in the row; if a row is too long, its other columns are moved out
-- first. PLAIN would never allow moving it out.
CREATE TYPE simhash_weights (
    INPUT = simhash_weights_in, OUTPUT = simhash_weights_out,
    RECEIVE = simhash_weights_recv, SEND = simhash_weights_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main,
    CATEGORY = 'V');

COMMENT ON TYPE simhash_weights
    IS '64 sums of a document''s weighted features, whose signs are its fingerprint; can be added';
COMMENT ON FUNCTION simhash_weights_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_out(simhash_weights) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_send(simhash_weights) IS 'I/O';

CREATE FUNCTION simhash_from_weights(simhash_weights) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_weights_from_real(real[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_to_real(simhash_weights) RETURNS real[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_from_weights(simhash_weights) IS 'the fingerprint: the signs of the weights';
COMMENT ON FUNCTION simhash_weights_from_real(real[]) IS 'convert an array of 64 numbers to weights';
COMMENT ON FUNCTION simhash_weights_to_real(simhash_weights) IS 'convert weights to an array of 64 numbers';

CREATE CAST (simhash_weights AS simhash) WITH FUNCTION simhash_from_weights(simhash_weights);
CREATE CAST (real[] AS simhash_weights) WITH FUNCTION simhash_weights_from_real(real[]);
CREATE CAST (simhash_weights AS real[]) WITH FUNCTION simhash_weights_to_real(simhash_weights);
COMMENT ON CAST (simhash_weights AS simhash) IS 'the signs: a bit is 1 if its weight is at least 0';
COMMENT ON CAST (real[] AS simhash_weights) IS '64 elements; element j+1 is the weight of the bit 1 << j';
COMMENT ON CAST (simhash_weights AS real[]) IS '64 elements; element j+1 is the weight of the bit 1 << j';

CREATE FUNCTION simhash_weights_add(simhash_weights, simhash_weights) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_weights_add(simhash_weights, simhash_weights) IS 'implementation of + operator';
CREATE OPERATOR + (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_weights_add, COMMUTATOR = +);
COMMENT ON OPERATOR + (simhash_weights, simhash_weights) IS 'sum, exact';

-- Equality by value: stored forms of the same weights may differ. With it, and with that of the other types that columns can
-- have, DISTINCT, UNION and IS DISTINCT FROM work, and so does replication of tables without a key.

CREATE FUNCTION simhash_weights_eq(simhash_weights, simhash_weights) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION simhash_weights_ne(simhash_weights, simhash_weights) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION simhash_weights_lt(simhash_weights, simhash_weights) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION simhash_weights_le(simhash_weights, simhash_weights) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION simhash_weights_gt(simhash_weights, simhash_weights) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION simhash_weights_ge(simhash_weights, simhash_weights) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION simhash_weights_cmp(simhash_weights, simhash_weights) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION simhash_weights_hash(simhash_weights) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION simhash_weights_hash_extended(simhash_weights, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
COMMENT ON FUNCTION simhash_weights_eq(simhash_weights, simhash_weights) IS 'implementation of = operator';
COMMENT ON FUNCTION simhash_weights_ne(simhash_weights, simhash_weights) IS 'implementation of <> operator';
COMMENT ON FUNCTION simhash_weights_lt(simhash_weights, simhash_weights) IS 'implementation of < operator';
COMMENT ON FUNCTION simhash_weights_le(simhash_weights, simhash_weights) IS 'implementation of <= operator';
COMMENT ON FUNCTION simhash_weights_gt(simhash_weights, simhash_weights) IS 'implementation of > operator';
COMMENT ON FUNCTION simhash_weights_ge(simhash_weights, simhash_weights) IS 'implementation of >= operator';
COMMENT ON FUNCTION simhash_weights_cmp(simhash_weights, simhash_weights) IS 'less-equal-greater';
COMMENT ON FUNCTION simhash_weights_hash(simhash_weights) IS 'hash';
COMMENT ON FUNCTION simhash_weights_hash_extended(simhash_weights, bigint) IS 'hash with seed';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_weights_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES);
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_weights_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_weights_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_weights_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_weights_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_weights_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (simhash_weights, simhash_weights) IS 'equal';
COMMENT ON OPERATOR <> (simhash_weights, simhash_weights) IS 'not equal';
COMMENT ON OPERATOR < (simhash_weights, simhash_weights) IS 'less than, in an order for sorting alone';
COMMENT ON OPERATOR <= (simhash_weights, simhash_weights) IS 'less than or equal, in an order for sorting alone';
COMMENT ON OPERATOR > (simhash_weights, simhash_weights) IS 'greater than, in an order for sorting alone';
COMMENT ON OPERATOR >= (simhash_weights, simhash_weights) IS 'greater than or equal, in an order for sorting alone';
CREATE OPERATOR CLASS simhash_weights_ops DEFAULT FOR TYPE simhash_weights USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 simhash_weights_cmp(simhash_weights, simhash_weights);
CREATE OPERATOR CLASS simhash_weights_ops DEFAULT FOR TYPE simhash_weights USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_weights_hash(simhash_weights),
    FUNCTION 2 simhash_weights_hash_extended(simhash_weights, bigint);
COMMENT ON OPERATOR CLASS simhash_weights_ops USING btree IS 'weights in an order for sorting alone';
COMMENT ON OPERATOR FAMILY simhash_weights_ops USING btree IS 'weights in an order for sorting alone';
COMMENT ON OPERATOR CLASS simhash_weights_ops USING hash IS 'equal weights';
COMMENT ON OPERATOR FAMILY simhash_weights_ops USING hash IS 'equal weights';

-- ---------------------------------------------------------------------------------------------------------
-- Features
-- ---------------------------------------------------------------------------------------------------------

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

-- ---------------------------------------------------------------------------------------------------------
-- Fingerprints from features
-- ---------------------------------------------------------------------------------------------------------

-- Fingerprints and weights of features. Without features, as for an empty document, the result is NULL. Counted features
-- have the weight 1 + ln of their count. The functions of texts save making a feature_vector.

CREATE FUNCTION to_simhash(document pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash(document pg_catalog.text, unit pg_catalog.text, size integer) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash(features feature_vector) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash(pg_catalog.text)
    IS 'fingerprint of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash(pg_catalog.text, pg_catalog.text, integer)
    IS 'fingerprint of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_simhash(feature_vector)
    IS 'fingerprint of features';

CREATE FUNCTION to_simhash_weights(document pg_catalog.text) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights(document pg_catalog.text, unit pg_catalog.text, size integer)
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights(features feature_vector) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash_weights(pg_catalog.text)
    IS 'weights of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash_weights(pg_catalog.text, pg_catalog.text, integer)
    IS 'weights of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_simhash_weights(feature_vector)
    IS 'weights of features';

-- Signatures, of 64 to 4096 bits: bit strings, the first 64 bits of which are the fingerprint. A function's result
-- has no type modifier. Columns of type bit(n) check the length; indexes on an expression need a cast to bit(n).

CREATE FUNCTION to_signature(document pg_catalog.text, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_signature(document pg_catalog.text, unit pg_catalog.text, size integer, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_signature(features feature_vector, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_signature_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_signature_weights(features feature_vector, bits integer) RETURNS real[]
    AS 'MODULE_PATHNAME', 'to_signature_weights_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION to_signature(pg_catalog.text, integer)
    IS 'signature of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_signature(pg_catalog.text, pg_catalog.text, integer, integer)
    IS 'signature of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_signature(feature_vector, integer)
    IS 'signature of features';
COMMENT ON FUNCTION to_signature_weights(feature_vector, integer)
    IS 'weights of the bits of the signature of features';

-- Min-hash sketches of sets of features: of each element, only whether it occurs counts. Without features the result
-- is NULL.

CREATE FUNCTION to_minhash(document pg_catalog.text, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_minhash_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_minhash(document pg_catalog.text, unit pg_catalog.text, size integer, bits integer)
    RETURNS bit
    AS 'MODULE_PATHNAME', 'to_minhash_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_minhash(features feature_vector, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'to_minhash_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_minhash_values(features feature_vector, minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'to_minhash_values_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION to_minhash(pg_catalog.text, integer)
    IS 'min-hash signature of the set of the words of a text: one bit of each minimum';
COMMENT ON FUNCTION to_minhash(pg_catalog.text, pg_catalog.text, integer, integer)
    IS 'min-hash signature of the set of shingles of a text, of size words or characters: one bit of each minimum';
COMMENT ON FUNCTION to_minhash(feature_vector, integer)
    IS 'min-hash signature of the set of features: one bit of each minimum';
COMMENT ON FUNCTION to_minhash_values(feature_vector, integer)
    IS 'min-hash sketch of the set of features: its minima';

-- Minima, also those of other libraries.

CREATE FUNCTION minhash_bits(minima bigint[]) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_union(bigint[], bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_similarity(bigint[], bigint[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'minhash_values_similarity' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_bits(bigint[]) IS 'one bit of each minimum, as to_minhash returns them';
COMMENT ON FUNCTION minhash_union(bigint[], bigint[])
    IS 'the minima of the union of two sets: the lesser in each place';
COMMENT ON FUNCTION minhash_similarity(bigint[], bigint[])
    IS 'estimate of the Jaccard index of two sets: the fraction of equal minima';

-- Keys of bands of minima. They are compared with = alone, so a btree or GIN index finds candidates.

CREATE FUNCTION minhash_bands(minima bigint[], rows integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION minhash_band_probability(similarity double precision, bands integer, rows integer)
    RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_band_rows(similarity double precision, minima integer, recall double precision) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_bands(bigint[], integer)
    IS 'keys of bands of minima, the same number of rows each: sets with a key in common are candidates';
COMMENT ON FUNCTION minhash_band_probability(double precision, integer, integer)
    IS 'probability that sets of a Jaccard index have a band in common';
COMMENT ON FUNCTION minhash_band_rows(double precision, integer, double precision)
    IS 'most rows a band with which that probability is at least recall; NULL if none is';

-- Features as arrays, for to_simhash and simhash_agg and for inspection.

CREATE FUNCTION to_features(document pg_catalog.text, unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1)
    RETURNS pg_catalog.text[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION to_features(pg_catalog.text, pg_catalog.text, integer)
    IS 'the features of a text: shingles of size units, word or character';

-- Vectors, such as embeddings, by random hyperplanes. An array of real or integer elements is cast, which changes
-- nothing: elements are rounded to real. A second function of real[] would make arguments of no known type ambiguous.

CREATE FUNCTION simhash_project(embedding double precision[], seed bigint DEFAULT 0) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5000;
CREATE FUNCTION simhash_project_weights(embedding double precision[], seed bigint DEFAULT 0) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION simhash_project(double precision[], bigint)
    IS 'fingerprint of a vector: on which sides of 64 random hyperplanes it lies';
COMMENT ON FUNCTION simhash_project_weights(double precision[], bigint)
    IS 'weights of a vector: the distances of the vector, normalised to length 1, from 64 random hyperplanes';

CREATE FUNCTION signature_project(embedding double precision[], bits integer, seed bigint DEFAULT 0) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30000;
CREATE FUNCTION signature_project_weights(embedding double precision[], bits integer, seed bigint DEFAULT 0)
    RETURNS real[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30000;
COMMENT ON FUNCTION signature_project(double precision[], integer, bigint)
    IS 'signature of a vector: on which sides of random hyperplanes it lies';
COMMENT ON FUNCTION signature_project_weights(double precision[], integer, bigint)
    IS 'weights of a vector''s signature: the distances of the vector, normalised to length 1, from random hyperplanes';

-- Values of different tenants in one index, as far apart as random ones.

CREATE FUNCTION tenant_simhash(h simhash, tenant pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME', 'tenant_simhash_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tenant_simhash(h simhash, tenant bigint) RETURNS simhash
    AS 'MODULE_PATHNAME', 'tenant_simhash_number' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tenant_signature(signature bit, tenant pg_catalog.text) RETURNS bit
    AS 'MODULE_PATHNAME', 'tenant_signature_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION tenant_signature(signature bit, tenant bigint) RETURNS bit
    AS 'MODULE_PATHNAME', 'tenant_signature_number' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tenant_simhash(simhash, pg_catalog.text)
    IS 'fingerprint whose distances within a tenant are the same, and to others those of random ones';
COMMENT ON FUNCTION tenant_simhash(simhash, bigint)
    IS 'fingerprint whose distances within a tenant are the same, and to others those of random ones';
COMMENT ON FUNCTION tenant_signature(bit, pg_catalog.text)
    IS 'signature whose distances within a tenant are the same, and to others those of random ones';
COMMENT ON FUNCTION tenant_signature(bit, bigint)
    IS 'signature whose distances within a tenant are the same, and to others those of random ones';

-- Aggregates. Sums are exact and independent of order. The state also counts rows, to detect an empty frame.

CREATE FUNCTION simhash_weights_move_in(pg_catalog.internal, pg_catalog.text)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_in' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_in(pg_catalog.internal, pg_catalog.text, double precision)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_in' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_in(pg_catalog.internal, simhash_weights)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_in_weights' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_out(pg_catalog.internal, pg_catalog.text)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_out' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_out(pg_catalog.internal, pg_catalog.text, double precision)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_out' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_out(pg_catalog.internal, simhash_weights)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_out_weights' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_final(pg_catalog.internal) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_final(pg_catalog.internal) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_weights_move_in(pg_catalog.internal, pg_catalog.text)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_weights_move_in(pg_catalog.internal, pg_catalog.text, double precision)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_weights_move_in(pg_catalog.internal, simhash_weights)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_weights_move_out(pg_catalog.internal, pg_catalog.text)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION simhash_weights_move_out(pg_catalog.internal, pg_catalog.text, double precision)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION simhash_weights_move_out(pg_catalog.internal, simhash_weights)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION simhash_weights_final(pg_catalog.internal) IS 'aggregate final function';
COMMENT ON FUNCTION simhash_final(pg_catalog.internal) IS 'aggregate final function';

-- Those of signatures share functions with them.

CREATE FUNCTION signature_move_in(pg_catalog.internal, pg_catalog.text, integer) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_move_in(pg_catalog.internal, pg_catalog.text, double precision, integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_move_out(pg_catalog.internal, pg_catalog.text, integer) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_move_out(pg_catalog.internal, pg_catalog.text, double precision, integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION signature_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION signature_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION signature_final(pg_catalog.internal) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION signature_weights_final(pg_catalog.internal) RETURNS real[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION signature_move_in(pg_catalog.internal, pg_catalog.text, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION signature_move_in(pg_catalog.internal, pg_catalog.text, double precision, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION signature_move_out(pg_catalog.internal, pg_catalog.text, integer)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION signature_move_out(pg_catalog.internal, pg_catalog.text, double precision, integer)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION signature_combine(pg_catalog.internal, pg_catalog.internal)
    IS 'aggregate combine function';
COMMENT ON FUNCTION signature_serialize(pg_catalog.internal)
    IS 'aggregate serialization function';
COMMENT ON FUNCTION signature_deserialize(pg_catalog.bytea, pg_catalog.internal)
    IS 'aggregate deserialization function';
COMMENT ON FUNCTION signature_final(pg_catalog.internal)
    IS 'aggregate final function';
COMMENT ON FUNCTION signature_weights_final(pg_catalog.internal)
    IS 'aggregate final function';

CREATE AGGREGATE simhash_agg(feature pg_catalog.text) (
    SFUNC = simhash_weights_move_in, STYPE = pg_catalog.internal, SSPACE = 560,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = simhash_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 560, MFINALFUNC = simhash_final);
CREATE AGGREGATE simhash_agg(feature pg_catalog.text, weight double precision) (
    SFUNC = simhash_weights_move_in, STYPE = pg_catalog.internal, SSPACE = 560,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = simhash_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 560, MFINALFUNC = simhash_final);
CREATE AGGREGATE simhash_agg(weights simhash_weights) (
    SFUNC = simhash_weights_move_in, STYPE = pg_catalog.internal, SSPACE = 560,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = simhash_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 560, MFINALFUNC = simhash_final);
CREATE AGGREGATE simhash_weights_agg(feature pg_catalog.text) (
    SFUNC = simhash_weights_move_in, STYPE = pg_catalog.internal, SSPACE = 560,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = simhash_weights_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 560, MFINALFUNC = simhash_weights_final);
CREATE AGGREGATE simhash_weights_agg(feature pg_catalog.text, weight double precision) (
    SFUNC = simhash_weights_move_in, STYPE = pg_catalog.internal, SSPACE = 560,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = simhash_weights_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 560, MFINALFUNC = simhash_weights_final);
CREATE AGGREGATE simhash_weights_agg(weights simhash_weights) (
    SFUNC = simhash_weights_move_in, STYPE = pg_catalog.internal, SSPACE = 560,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = simhash_weights_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 560, MFINALFUNC = simhash_weights_final);

COMMENT ON AGGREGATE simhash_agg(pg_catalog.text)
    IS 'fingerprint of features with weight 1, one per row';
COMMENT ON AGGREGATE simhash_agg(pg_catalog.text, double precision)
    IS 'fingerprint of features with weights, one per row';
COMMENT ON AGGREGATE simhash_agg(simhash_weights)
    IS 'fingerprint of the sum of weights';
COMMENT ON AGGREGATE simhash_weights_agg(pg_catalog.text)
    IS 'weights of features with weight 1, one per row';
COMMENT ON AGGREGATE simhash_weights_agg(pg_catalog.text, double precision)
    IS 'weights of features with weights, one per row';
COMMENT ON AGGREGATE simhash_weights_agg(simhash_weights)
    IS 'sum of weights';

CREATE AGGREGATE signature_agg(feature pg_catalog.text, bits integer) (
    SFUNC = signature_move_in, STYPE = pg_catalog.internal, SSPACE = 8256,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = signature_final, PARALLEL = SAFE,
    MSFUNC = signature_move_in, MINVFUNC = signature_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 8256, MFINALFUNC = signature_final);
CREATE AGGREGATE signature_agg(feature pg_catalog.text, weight double precision, bits integer) (
    SFUNC = signature_move_in, STYPE = pg_catalog.internal, SSPACE = 8256,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = signature_final, PARALLEL = SAFE,
    MSFUNC = signature_move_in, MINVFUNC = signature_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 8256, MFINALFUNC = signature_final);
CREATE AGGREGATE signature_weights_agg(feature pg_catalog.text, bits integer) (
    SFUNC = signature_move_in, STYPE = pg_catalog.internal, SSPACE = 8256,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = signature_weights_final, PARALLEL = SAFE,
    MSFUNC = signature_move_in, MINVFUNC = signature_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 8256, MFINALFUNC = signature_weights_final);
CREATE AGGREGATE signature_weights_agg(feature pg_catalog.text, weight double precision, bits integer) (
    SFUNC = signature_move_in, STYPE = pg_catalog.internal, SSPACE = 8256,
    COMBINEFUNC = signature_combine, SERIALFUNC = signature_serialize, DESERIALFUNC = signature_deserialize,
    FINALFUNC = signature_weights_final, PARALLEL = SAFE,
    MSFUNC = signature_move_in, MINVFUNC = signature_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 8256, MFINALFUNC = signature_weights_final);

COMMENT ON AGGREGATE signature_agg(pg_catalog.text, integer)
    IS 'signature of features with weight 1, one per row';
COMMENT ON AGGREGATE signature_agg(pg_catalog.text, double precision, integer)
    IS 'signature of features with weights, one per row';
COMMENT ON AGGREGATE signature_weights_agg(pg_catalog.text, integer)
    IS 'weights of the bits of the signature of features with weight 1, one per row';
COMMENT ON AGGREGATE signature_weights_agg(pg_catalog.text, double precision, integer)
    IS 'weights of the bits of the signature of features with weights, one per row';

CREATE FUNCTION minhash_accumulate(pg_catalog.internal, feature pg_catalog.text, minima integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'minhash_accumulate_text' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_accumulate(pg_catalog.internal, feature bigint, minima integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'minhash_accumulate_number' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 100;
CREATE FUNCTION minhash_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION minhash_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION minhash_final(pg_catalog.internal) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500;
CREATE FUNCTION minhash_values_final(pg_catalog.internal) RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 500;
COMMENT ON FUNCTION minhash_accumulate(pg_catalog.internal, pg_catalog.text, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION minhash_accumulate(pg_catalog.internal, bigint, integer) IS 'aggregate transition function';
COMMENT ON FUNCTION minhash_combine(pg_catalog.internal, pg_catalog.internal) IS 'aggregate combine function';
COMMENT ON FUNCTION minhash_serialize(pg_catalog.internal) IS 'aggregate serial function';
COMMENT ON FUNCTION minhash_deserialize(pg_catalog.bytea, pg_catalog.internal) IS 'aggregate deserial function';
COMMENT ON FUNCTION minhash_final(pg_catalog.internal) IS 'aggregate final function';
COMMENT ON FUNCTION minhash_values_final(pg_catalog.internal) IS 'aggregate final function';

CREATE AGGREGATE minhash_agg(feature pg_catalog.text, bits integer) (
    SFUNC = minhash_accumulate, STYPE = pg_catalog.internal, SSPACE = 4096,
    COMBINEFUNC = minhash_combine, SERIALFUNC = minhash_serialize, DESERIALFUNC = minhash_deserialize,
    FINALFUNC = minhash_final, PARALLEL = SAFE);
CREATE AGGREGATE minhash_agg(feature bigint, bits integer) (
    SFUNC = minhash_accumulate, STYPE = pg_catalog.internal, SSPACE = 4096,
    COMBINEFUNC = minhash_combine, SERIALFUNC = minhash_serialize, DESERIALFUNC = minhash_deserialize,
    FINALFUNC = minhash_final, PARALLEL = SAFE);
CREATE AGGREGATE minhash_values_agg(feature pg_catalog.text, minima integer) (
    SFUNC = minhash_accumulate, STYPE = pg_catalog.internal, SSPACE = 4096,
    COMBINEFUNC = minhash_combine, SERIALFUNC = minhash_serialize, DESERIALFUNC = minhash_deserialize,
    FINALFUNC = minhash_values_final, PARALLEL = SAFE);
CREATE AGGREGATE minhash_values_agg(feature bigint, minima integer) (
    SFUNC = minhash_accumulate, STYPE = pg_catalog.internal, SSPACE = 4096,
    COMBINEFUNC = minhash_combine, SERIALFUNC = minhash_serialize, DESERIALFUNC = minhash_deserialize,
    FINALFUNC = minhash_values_final, PARALLEL = SAFE);
COMMENT ON AGGREGATE minhash_agg(pg_catalog.text, integer)
    IS 'min-hash signature of a set of features, one per row: one bit of each minimum';
COMMENT ON AGGREGATE minhash_agg(bigint, integer)
    IS 'min-hash signature of a set of numbers, one per row: one bit of each minimum';
COMMENT ON AGGREGATE minhash_values_agg(pg_catalog.text, integer)
    IS 'min-hash sketch of a set of features, one per row: the minima';
COMMENT ON AGGREGATE minhash_values_agg(bigint, integer)
    IS 'min-hash sketch of a set of numbers, one per row: the minima';

-- ---------------------------------------------------------------------------------------------------------
-- Weights by rarity
-- ---------------------------------------------------------------------------------------------------------

CREATE TYPE feature_frequencies;

CREATE FUNCTION feature_frequencies_in(pg_catalog.cstring) RETURNS feature_frequencies
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_out(feature_frequencies) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_recv(pg_catalog.internal) RETURNS feature_frequencies
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_send(feature_frequencies) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;

-- Hashes cannot be compressed, so it would not be worth trying.
CREATE TYPE feature_frequencies (
    INPUT = feature_frequencies_in, OUTPUT = feature_frequencies_out,
    RECEIVE = feature_frequencies_recv, SEND = feature_frequencies_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external);

COMMENT ON TYPE feature_frequencies
    IS 'in how many documents of a collection its features occur: weights fingerprints by rarity';
COMMENT ON FUNCTION feature_frequencies_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION feature_frequencies_out(feature_frequencies) IS 'I/O';
COMMENT ON FUNCTION feature_frequencies_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION feature_frequencies_send(feature_frequencies) IS 'I/O';

CREATE FUNCTION feature_frequencies_eq(feature_frequencies, feature_frequencies) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_frequencies_ne(feature_frequencies, feature_frequencies) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_frequencies_lt(feature_frequencies, feature_frequencies) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_frequencies_le(feature_frequencies, feature_frequencies) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_frequencies_gt(feature_frequencies, feature_frequencies) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_frequencies_ge(feature_frequencies, feature_frequencies) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_frequencies_cmp(feature_frequencies, feature_frequencies) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_frequencies_hash(feature_frequencies) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
CREATE FUNCTION feature_frequencies_hash_extended(feature_frequencies, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 100;
COMMENT ON FUNCTION feature_frequencies_eq(feature_frequencies, feature_frequencies) IS 'implementation of = operator';
COMMENT ON FUNCTION feature_frequencies_ne(feature_frequencies, feature_frequencies) IS 'implementation of <> operator';
COMMENT ON FUNCTION feature_frequencies_lt(feature_frequencies, feature_frequencies) IS 'implementation of < operator';
COMMENT ON FUNCTION feature_frequencies_le(feature_frequencies, feature_frequencies) IS 'implementation of <= operator';
COMMENT ON FUNCTION feature_frequencies_gt(feature_frequencies, feature_frequencies) IS 'implementation of > operator';
COMMENT ON FUNCTION feature_frequencies_ge(feature_frequencies, feature_frequencies) IS 'implementation of >= operator';
COMMENT ON FUNCTION feature_frequencies_cmp(feature_frequencies, feature_frequencies) IS 'less-equal-greater';
COMMENT ON FUNCTION feature_frequencies_hash(feature_frequencies) IS 'hash';
COMMENT ON FUNCTION feature_frequencies_hash_extended(feature_frequencies, bigint) IS 'hash with seed';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = feature_frequencies, RIGHTARG = feature_frequencies, FUNCTION = feature_frequencies_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES);
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = feature_frequencies, RIGHTARG = feature_frequencies, FUNCTION = feature_frequencies_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = feature_frequencies, RIGHTARG = feature_frequencies, FUNCTION = feature_frequencies_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = feature_frequencies, RIGHTARG = feature_frequencies, FUNCTION = feature_frequencies_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = feature_frequencies, RIGHTARG = feature_frequencies, FUNCTION = feature_frequencies_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = feature_frequencies, RIGHTARG = feature_frequencies, FUNCTION = feature_frequencies_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (feature_frequencies, feature_frequencies) IS 'equal';
COMMENT ON OPERATOR <> (feature_frequencies, feature_frequencies) IS 'not equal';
COMMENT ON OPERATOR < (feature_frequencies, feature_frequencies) IS 'less than, in an order for sorting alone';
COMMENT ON OPERATOR <= (feature_frequencies, feature_frequencies) IS 'less than or equal, in an order for sorting alone';
COMMENT ON OPERATOR > (feature_frequencies, feature_frequencies) IS 'greater than, in an order for sorting alone';
COMMENT ON OPERATOR >= (feature_frequencies, feature_frequencies) IS 'greater than or equal, in an order for sorting alone';
CREATE OPERATOR CLASS feature_frequencies_ops DEFAULT FOR TYPE feature_frequencies USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 feature_frequencies_cmp(feature_frequencies, feature_frequencies);
CREATE OPERATOR CLASS feature_frequencies_ops DEFAULT FOR TYPE feature_frequencies USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 feature_frequencies_hash(feature_frequencies),
    FUNCTION 2 feature_frequencies_hash_extended(feature_frequencies, bigint);
COMMENT ON OPERATOR CLASS feature_frequencies_ops USING btree IS 'frequencies in an order for sorting alone';
COMMENT ON OPERATOR FAMILY feature_frequencies_ops USING btree IS 'frequencies in an order for sorting alone';
COMMENT ON OPERATOR CLASS feature_frequencies_ops USING hash IS 'equal frequencies';
COMMENT ON OPERATOR FAMILY feature_frequencies_ops USING hash IS 'equal frequencies';

CREATE FUNCTION feature_frequencies_accumulate(pg_catalog.internal, pg_catalog.text)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'feature_frequencies_accumulate_text' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_accumulate(pg_catalog.internal, pg_catalog.text, pg_catalog.text, integer)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'feature_frequencies_accumulate_shingles' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_accumulate(pg_catalog.internal, feature_vector)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'feature_frequencies_accumulate_vector' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 200;
CREATE FUNCTION feature_frequencies_accumulate(pg_catalog.internal, feature_frequencies)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'feature_frequencies_accumulate_value' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_combine(pg_catalog.internal, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_serialize(pg_catalog.internal) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_deserialize(pg_catalog.bytea, pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION feature_frequencies_final(pg_catalog.internal) RETURNS feature_frequencies
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION feature_frequencies_accumulate(pg_catalog.internal, pg_catalog.text)
    IS 'aggregate transition function';
COMMENT ON FUNCTION feature_frequencies_accumulate(pg_catalog.internal, pg_catalog.text, pg_catalog.text, integer)
    IS 'aggregate transition function';
COMMENT ON FUNCTION feature_frequencies_accumulate(pg_catalog.internal, feature_vector)
    IS 'aggregate transition function';
COMMENT ON FUNCTION feature_frequencies_accumulate(pg_catalog.internal, feature_frequencies)
    IS 'aggregate transition function';
COMMENT ON FUNCTION feature_frequencies_combine(pg_catalog.internal, pg_catalog.internal)
    IS 'aggregate combine function';
COMMENT ON FUNCTION feature_frequencies_serialize(pg_catalog.internal) IS 'aggregate serialization function';
COMMENT ON FUNCTION feature_frequencies_deserialize(pg_catalog.bytea, pg_catalog.internal)
    IS 'aggregate deserialization function';
COMMENT ON FUNCTION feature_frequencies_final(pg_catalog.internal) IS 'aggregate final function';

CREATE AGGREGATE feature_frequencies_agg(document pg_catalog.text) (
    SFUNC = feature_frequencies_accumulate, STYPE = pg_catalog.internal, SSPACE = 100000,
    COMBINEFUNC = feature_frequencies_combine, SERIALFUNC = feature_frequencies_serialize,
    DESERIALFUNC = feature_frequencies_deserialize, FINALFUNC = feature_frequencies_final, PARALLEL = SAFE);
CREATE AGGREGATE feature_frequencies_agg(document pg_catalog.text, unit pg_catalog.text, size integer) (
    SFUNC = feature_frequencies_accumulate, STYPE = pg_catalog.internal, SSPACE = 100000,
    COMBINEFUNC = feature_frequencies_combine, SERIALFUNC = feature_frequencies_serialize,
    DESERIALFUNC = feature_frequencies_deserialize, FINALFUNC = feature_frequencies_final, PARALLEL = SAFE);
CREATE AGGREGATE feature_frequencies_agg(features feature_vector) (
    SFUNC = feature_frequencies_accumulate, STYPE = pg_catalog.internal, SSPACE = 100000,
    COMBINEFUNC = feature_frequencies_combine, SERIALFUNC = feature_frequencies_serialize,
    DESERIALFUNC = feature_frequencies_deserialize, FINALFUNC = feature_frequencies_final, PARALLEL = SAFE);
CREATE AGGREGATE feature_frequencies_agg(frequencies feature_frequencies) (
    SFUNC = feature_frequencies_accumulate, STYPE = pg_catalog.internal, SSPACE = 100000,
    COMBINEFUNC = feature_frequencies_combine, SERIALFUNC = feature_frequencies_serialize,
    DESERIALFUNC = feature_frequencies_deserialize, FINALFUNC = feature_frequencies_final, PARALLEL = SAFE);
COMMENT ON AGGREGATE feature_frequencies_agg(pg_catalog.text)
    IS 'in how many texts each word occurs';
COMMENT ON AGGREGATE feature_frequencies_agg(pg_catalog.text, pg_catalog.text, integer)
    IS 'in how many texts each shingle of size units, word or character, occurs';
COMMENT ON AGGREGATE feature_frequencies_agg(feature_vector)
    IS 'in how many documents each feature occurs';
COMMENT ON AGGREGATE feature_frequencies_agg(feature_frequencies)
    IS 'frequencies in the union of collections';

CREATE FUNCTION feature_frequencies_top(feature_frequencies, features integer) RETURNS feature_frequencies
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION feature_frequency(feature_frequencies, feature pg_catalog.text) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION feature_rarity(feature_frequencies, feature pg_catalog.text) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION feature_frequencies_top(feature_frequencies, integer)
    IS 'the frequencies of the most frequent features alone';
COMMENT ON FUNCTION feature_frequency(feature_frequencies, pg_catalog.text)
    IS 'in how many documents a feature occurs; NULL if that is not kept';
COMMENT ON FUNCTION feature_rarity(feature_frequencies, pg_catalog.text)
    IS 'the factor of a feature''s weight: ln (N + 1) - ln n, where n of N documents have it';

CREATE FUNCTION features(frequencies feature_frequencies, document pg_catalog.text) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_rare_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION features(frequencies feature_frequencies, features feature_vector) RETURNS feature_vector
    AS 'MODULE_PATHNAME', 'features_rare_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
COMMENT ON FUNCTION features(feature_frequencies, pg_catalog.text)
    IS 'the features of a text, weighted by 1 + ln of their count, times their rarity';
COMMENT ON FUNCTION features(feature_frequencies, feature_vector)
    IS 'features, their weights multiplied by their rarity';

-- ---------------------------------------------------------------------------------------------------------
-- Exact measures
-- ---------------------------------------------------------------------------------------------------------

-- How similar two sets or vectors of features are. Where a measure is undefined, as of two empty sets, it is NULL.

CREATE FUNCTION feature_jaccard(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'jaccard_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION feature_jaccard(a feature_vector, b feature_vector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'jaccard_vectors' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION feature_jaccard(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'Jaccard similarity of the sets of two documents'' features: the fraction of all features that both have';
COMMENT ON FUNCTION feature_jaccard(feature_vector, feature_vector)
    IS 'Jaccard similarity of two sets of features: the fraction of all features that both have';

CREATE FUNCTION feature_containment(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'containment_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION feature_containment(a feature_vector, b feature_vector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'containment_vectors' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION feature_containment(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'the fraction of document a''s features that document b contains';
COMMENT ON FUNCTION feature_containment(feature_vector, feature_vector)
    IS 'the fraction of the features a that b contains';

CREATE FUNCTION feature_cosine(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'cosine_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION feature_cosine(a feature_vector, b feature_vector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'cosine_vectors' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION feature_cosine(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'cosine of the features of two documents, each with the weight 1 + ln tf';
COMMENT ON FUNCTION feature_cosine(feature_vector, feature_vector)
    IS 'cosine of two vectors of features';

-- ---------------------------------------------------------------------------------------------------------
-- Distance
-- ---------------------------------------------------------------------------------------------------------

-- The result of <@> is a domain, so that comparisons with it resolve to our operators, whose support functions let the
-- planner use the index. For everything else it is an integer.
--
-- Each pair of types needs operators of its own. PostgreSQL chooses among operators by base types, so an operator of
-- (hamming_distance, integer) is found only for exactly these types, and otherwise PostgreSQL's. Clients send a radius
-- as smallint, integer or bigint, and a parameter without a type takes that of the distance. There is no <>: an index
-- cannot serve it, and PostgreSQL's does the same, with a coarser estimate. There is none for numeric either: it would
-- make comparisons of an integer with a numeric ambiguous.

CREATE DOMAIN hamming_distance AS integer;
COMMENT ON DOMAIN hamming_distance IS 'number of differing bits, the result of <@>';

-- Planner support and selectivity estimation.

CREATE FUNCTION hamming_operator_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hamming_within_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hamming_at_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hamming_distance_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION hamming_operator_support(pg_catalog.internal) IS 'planner support for <@>';
COMMENT ON FUNCTION hamming_within_support(pg_catalog.internal) IS 'planner support for hamming_within';
COMMENT ON FUNCTION hamming_at_support(pg_catalog.internal) IS 'planner support for hamming_at';
COMMENT ON FUNCTION hamming_distance_support(pg_catalog.internal) IS 'planner support for comparisons of <@>';

CREATE FUNCTION simhash_ball_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_ball_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_near_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_near_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hamming_distance_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hamming_distance_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    IS 'restriction selectivity of <@|';
COMMENT ON FUNCTION simhash_ball_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    IS 'join selectivity of <@|';
COMMENT ON FUNCTION simhash_near_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    IS 'restriction selectivity of ~=';
COMMENT ON FUNCTION simhash_near_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    IS 'join selectivity of ~=';
COMMENT ON FUNCTION hamming_distance_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    IS 'restriction selectivity of comparisons of <@>';
COMMENT ON FUNCTION hamming_distance_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal,
        smallint, pg_catalog.internal)
    IS 'join selectivity of comparisons of <@>';

-- The functions of conditions cannot raise errors and are LEAKPROOF: otherwise row-level security would keep
-- conditions away from the index.

CREATE FUNCTION hamming_distance(simhash, simhash) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_operator_support;
COMMENT ON FUNCTION hamming_distance(simhash, simhash) IS 'Hamming distance of two fingerprints, 0 to 64';
CREATE OPERATOR <@> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = hamming_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (simhash, simhash) IS 'Hamming distance, 0 to 64';

CREATE FUNCTION hamming_within(simhash, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_within_support;
COMMENT ON FUNCTION hamming_within(simhash, simhash, bigint) IS 'whether the Hamming distance is at most the radius';
CREATE FUNCTION hamming_at(simhash, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_at_support;
COMMENT ON FUNCTION hamming_at(simhash, simhash, bigint) IS 'whether the Hamming distance is exactly the radius';
CREATE FUNCTION hamming_radius_below(bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION hamming_radius_below(bigint) IS 'radius that is equivalent to "less than", saturating';

-- A ball is the query of an index condition: center and radius in one value, and for a search by weights those, too.

CREATE TYPE simhash_ball;
CREATE FUNCTION simhash_ball_in(pg_catalog.cstring) RETURNS simhash_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_ball_out(simhash_ball) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_ball_recv(pg_catalog.internal) RETURNS simhash_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_ball_send(simhash_ball) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE TYPE simhash_ball (
    INPUT = simhash_ball_in, OUTPUT = simhash_ball_out, RECEIVE = simhash_ball_recv, SEND = simhash_ball_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main,
    CATEGORY = 'V', PREFERRED = true);
COMMENT ON TYPE simhash_ball IS 'the fingerprints within a Hamming distance of a center: <center,radius>, or around '
    'weights, for approximate searches: <[w0,...,w63],radius,recall,max_probes>';
COMMENT ON FUNCTION simhash_ball_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_ball_out(simhash_ball) IS 'I/O';
COMMENT ON FUNCTION simhash_ball_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION simhash_ball_send(simhash_ball) IS 'I/O';

CREATE FUNCTION simhash_ball_eq(simhash_ball, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ball_ne(simhash_ball, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ball_lt(simhash_ball, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ball_le(simhash_ball, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ball_gt(simhash_ball, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ball_ge(simhash_ball, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ball_cmp(simhash_ball, simhash_ball) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ball_hash(simhash_ball) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ball_hash_extended(simhash_ball, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball_eq(simhash_ball, simhash_ball) IS 'implementation of = operator';
COMMENT ON FUNCTION simhash_ball_ne(simhash_ball, simhash_ball) IS 'implementation of <> operator';
COMMENT ON FUNCTION simhash_ball_lt(simhash_ball, simhash_ball) IS 'implementation of < operator';
COMMENT ON FUNCTION simhash_ball_le(simhash_ball, simhash_ball) IS 'implementation of <= operator';
COMMENT ON FUNCTION simhash_ball_gt(simhash_ball, simhash_ball) IS 'implementation of > operator';
COMMENT ON FUNCTION simhash_ball_ge(simhash_ball, simhash_ball) IS 'implementation of >= operator';
COMMENT ON FUNCTION simhash_ball_cmp(simhash_ball, simhash_ball) IS 'less-equal-greater';
COMMENT ON FUNCTION simhash_ball_hash(simhash_ball) IS 'hash';
COMMENT ON FUNCTION simhash_ball_hash_extended(simhash_ball, bigint) IS 'hash with seed';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = simhash_ball, RIGHTARG = simhash_ball, FUNCTION = simhash_ball_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES);
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = simhash_ball, RIGHTARG = simhash_ball, FUNCTION = simhash_ball_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = simhash_ball, RIGHTARG = simhash_ball, FUNCTION = simhash_ball_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = simhash_ball, RIGHTARG = simhash_ball, FUNCTION = simhash_ball_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = simhash_ball, RIGHTARG = simhash_ball, FUNCTION = simhash_ball_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = simhash_ball, RIGHTARG = simhash_ball, FUNCTION = simhash_ball_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (simhash_ball, simhash_ball) IS 'equal';
COMMENT ON OPERATOR <> (simhash_ball, simhash_ball) IS 'not equal';
COMMENT ON OPERATOR < (simhash_ball, simhash_ball) IS 'less than, in an order for sorting alone';
COMMENT ON OPERATOR <= (simhash_ball, simhash_ball) IS 'less than or equal, in an order for sorting alone';
COMMENT ON OPERATOR > (simhash_ball, simhash_ball) IS 'greater than, in an order for sorting alone';
COMMENT ON OPERATOR >= (simhash_ball, simhash_ball) IS 'greater than or equal, in an order for sorting alone';
CREATE OPERATOR CLASS simhash_ball_ops DEFAULT FOR TYPE simhash_ball USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 simhash_ball_cmp(simhash_ball, simhash_ball);
CREATE OPERATOR CLASS simhash_ball_ops DEFAULT FOR TYPE simhash_ball USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_ball_hash(simhash_ball),
    FUNCTION 2 simhash_ball_hash_extended(simhash_ball, bigint);
COMMENT ON OPERATOR CLASS simhash_ball_ops USING btree IS 'balls in an order for sorting alone';
COMMENT ON OPERATOR FAMILY simhash_ball_ops USING btree IS 'balls in an order for sorting alone';
COMMENT ON OPERATOR CLASS simhash_ball_ops USING hash IS 'equal balls';
COMMENT ON OPERATOR FAMILY simhash_ball_ops USING hash IS 'equal balls';

CREATE FUNCTION simhash_ball(simhash, bigint) RETURNS simhash_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball(simhash, bigint) IS 'ball with a center and a radius, which is clamped to -1 and 64';

CREATE FUNCTION simhash_in_ball(simhash, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_in_ball(simhash, simhash_ball) IS 'implementation of <@| operator';
CREATE OPERATOR <@| (
    LEFTARG = simhash, RIGHTARG = simhash_ball, FUNCTION = simhash_in_ball,
    RESTRICT = simhash_ball_sel, JOIN = simhash_ball_joinsel);
COMMENT ON OPERATOR <@| (simhash, simhash_ball) IS 'whether the fingerprint is in the ball';

CREATE FUNCTION simhash_near(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_near(simhash, simhash) IS 'implementation of ~= operator';
CREATE OPERATOR ~= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_near, COMMUTATOR = ~=,
    RESTRICT = simhash_near_sel, JOIN = simhash_near_joinsel);
COMMENT ON OPERATOR ~= (simhash, simhash) IS 'near-duplicate: whether the Hamming distance is at most 3';

-- The distance to weights is exactly the distance to their signs. Only a ball around weights permits the index to
-- probe only the likely places, with the recall in its value. Nothing else, in particular no setting, makes a
-- condition approximate.

CREATE FUNCTION hamming_distance(simhash, simhash_weights) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance_to_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_operator_support;
CREATE FUNCTION hamming_distance(simhash_weights, simhash) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance_from_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_operator_support;
COMMENT ON FUNCTION hamming_distance(simhash, simhash_weights) IS 'Hamming distance to the signs of weights, 0 to 64';
COMMENT ON FUNCTION hamming_distance(simhash_weights, simhash) IS 'Hamming distance from the signs of weights, 0 to 64';
CREATE OPERATOR <@> (
    LEFTARG = simhash, RIGHTARG = simhash_weights, FUNCTION = hamming_distance, COMMUTATOR = <@>);
CREATE OPERATOR <@> (
    LEFTARG = simhash_weights, RIGHTARG = simhash, FUNCTION = hamming_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (simhash, simhash_weights) IS 'Hamming distance to the signs of weights, 0 to 64';
COMMENT ON OPERATOR <@> (simhash_weights, simhash) IS 'Hamming distance from the signs of weights, 0 to 64';

CREATE FUNCTION hamming_within(simhash, simhash_weights, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'hamming_within_of_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_within_support;
CREATE FUNCTION hamming_within(simhash_weights, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'hamming_weights_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_within_support;
COMMENT ON FUNCTION hamming_within(simhash, simhash_weights, bigint)
    IS 'whether the Hamming distance to the signs of the weights is at most the radius';
COMMENT ON FUNCTION hamming_within(simhash_weights, simhash, bigint)
    IS 'whether the Hamming distance from the signs of the weights is at most the radius';

CREATE FUNCTION hamming_at(simhash, simhash_weights, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'hamming_at_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_at_support;
CREATE FUNCTION hamming_at(simhash_weights, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'hamming_weights_at' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_at_support;
COMMENT ON FUNCTION hamming_at(simhash, simhash_weights, bigint)
    IS 'whether the Hamming distance to the signs of the weights is exactly the radius';
COMMENT ON FUNCTION hamming_at(simhash_weights, simhash, bigint)
    IS 'whether the Hamming distance from the signs of the weights is exactly the radius';

CREATE FUNCTION simhash_ball(center simhash_weights, radius bigint, recall double precision DEFAULT 1,
        max_probes integer DEFAULT 0) RETURNS simhash_ball
    AS 'MODULE_PATHNAME', 'simhash_ball_of_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball(simhash_weights, bigint, double precision, integer)
    IS 'ball around weights, which an index may search with this recall and at most max_probes probes';

-- Signatures: bit strings of any length. Their distance is not called hamming_distance, because pgvector has a function
-- hamming_distance(bit, bit), and both extensions are often in one schema. The functions that compare two of them raise
-- an error if the lengths differ, which reveals a length, so they are not LEAKPROOF.
-- The planner replaces a condition on two bit strings that are declared with the same length by signature_within, which
-- raises none.

CREATE FUNCTION signature_from_bytea(pg_catalog.bytea) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION signature_from_bytea(pg_catalog.bytea) IS 'the bits of bytes, the highest of a byte first';
CREATE FUNCTION signature_from_uuid(pg_catalog.uuid) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION signature_from_uuid(pg_catalog.uuid) IS 'the 128 bits of a uuid, in the order in which it is written';
CREATE CAST (pg_catalog.uuid AS bit) WITH FUNCTION signature_from_uuid(pg_catalog.uuid);
COMMENT ON CAST (pg_catalog.uuid AS bit) IS 'the 128 bits of a uuid, in the order in which it is written';
CREATE FUNCTION signature_to_bytea(bit) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION signature_to_bytea(bit) IS 'the bytes of a bit string, the last one filled up with zeros';

CREATE FUNCTION signature_distance(bit, bit) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'signature_distance_of_bits' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT hamming_operator_support;
COMMENT ON FUNCTION signature_distance(bit, bit) IS 'Hamming distance of two bit strings of the same length';
CREATE OPERATOR <@> (
    LEFTARG = bit, RIGHTARG = bit, FUNCTION = signature_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (bit, bit) IS 'Hamming distance of bit strings of the same length';

CREATE FUNCTION hamming_within(bit, bit, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'signature_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT hamming_within_support;
COMMENT ON FUNCTION hamming_within(bit, bit, bigint) IS 'whether the Hamming distance is at most the radius';
CREATE FUNCTION hamming_at(bit, bit, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'signature_at' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT hamming_at_support;
COMMENT ON FUNCTION hamming_at(bit, bit, bigint) IS 'whether the Hamming distance is exactly the radius';
CREATE FUNCTION signature_within(bit, bit, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'signature_within_if_equally_long' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT hamming_within_support;
COMMENT ON FUNCTION signature_within(bit, bit, bigint)
    IS 'whether two bit strings have the same length and their Hamming distance is at most the radius';

CREATE TYPE signature_ball;
CREATE FUNCTION signature_ball_in(pg_catalog.cstring) RETURNS signature_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION signature_ball_out(signature_ball) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION signature_ball_recv(pg_catalog.internal) RETURNS signature_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION signature_ball_send(signature_ball) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE signature_ball (
    INPUT = signature_ball_in, OUTPUT = signature_ball_out,
    RECEIVE = signature_ball_recv, SEND = signature_ball_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = extended,
    CATEGORY = 'V');
COMMENT ON TYPE signature_ball
    IS 'bit strings within a distance of a center, for approximate searches, too: <center,radius,recall,count>';
COMMENT ON FUNCTION signature_ball_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION signature_ball_out(signature_ball) IS 'I/O';
COMMENT ON FUNCTION signature_ball_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION signature_ball_send(signature_ball) IS 'I/O';

CREATE FUNCTION signature_ball_eq(signature_ball, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION signature_ball_ne(signature_ball, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION signature_ball_lt(signature_ball, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION signature_ball_le(signature_ball, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION signature_ball_gt(signature_ball, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION signature_ball_ge(signature_ball, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION signature_ball_cmp(signature_ball, signature_ball) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION signature_ball_hash(signature_ball) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
CREATE FUNCTION signature_ball_hash_extended(signature_ball, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 10;
COMMENT ON FUNCTION signature_ball_eq(signature_ball, signature_ball) IS 'implementation of = operator';
COMMENT ON FUNCTION signature_ball_ne(signature_ball, signature_ball) IS 'implementation of <> operator';
COMMENT ON FUNCTION signature_ball_lt(signature_ball, signature_ball) IS 'implementation of < operator';
COMMENT ON FUNCTION signature_ball_le(signature_ball, signature_ball) IS 'implementation of <= operator';
COMMENT ON FUNCTION signature_ball_gt(signature_ball, signature_ball) IS 'implementation of > operator';
COMMENT ON FUNCTION signature_ball_ge(signature_ball, signature_ball) IS 'implementation of >= operator';
COMMENT ON FUNCTION signature_ball_cmp(signature_ball, signature_ball) IS 'less-equal-greater';
COMMENT ON FUNCTION signature_ball_hash(signature_ball) IS 'hash';
COMMENT ON FUNCTION signature_ball_hash_extended(signature_ball, bigint) IS 'hash with seed';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = signature_ball, RIGHTARG = signature_ball, FUNCTION = signature_ball_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES);
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = signature_ball, RIGHTARG = signature_ball, FUNCTION = signature_ball_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR pg_catalog.< (
    LEFTARG = signature_ball, RIGHTARG = signature_ball, FUNCTION = signature_ball_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = signature_ball, RIGHTARG = signature_ball, FUNCTION = signature_ball_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR pg_catalog.> (
    LEFTARG = signature_ball, RIGHTARG = signature_ball, FUNCTION = signature_ball_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = signature_ball, RIGHTARG = signature_ball, FUNCTION = signature_ball_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);
COMMENT ON OPERATOR = (signature_ball, signature_ball) IS 'equal';
COMMENT ON OPERATOR <> (signature_ball, signature_ball) IS 'not equal';
COMMENT ON OPERATOR < (signature_ball, signature_ball) IS 'less than, in an order for sorting alone';
COMMENT ON OPERATOR <= (signature_ball, signature_ball) IS 'less than or equal, in an order for sorting alone';
COMMENT ON OPERATOR > (signature_ball, signature_ball) IS 'greater than, in an order for sorting alone';
COMMENT ON OPERATOR >= (signature_ball, signature_ball) IS 'greater than or equal, in an order for sorting alone';
CREATE OPERATOR CLASS signature_ball_ops DEFAULT FOR TYPE signature_ball USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 signature_ball_cmp(signature_ball, signature_ball);
CREATE OPERATOR CLASS signature_ball_ops DEFAULT FOR TYPE signature_ball USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 signature_ball_hash(signature_ball),
    FUNCTION 2 signature_ball_hash_extended(signature_ball, bigint);
COMMENT ON OPERATOR CLASS signature_ball_ops USING btree IS 'balls in an order for sorting alone';
COMMENT ON OPERATOR FAMILY signature_ball_ops USING btree IS 'balls in an order for sorting alone';
COMMENT ON OPERATOR CLASS signature_ball_ops USING hash IS 'equal balls';
COMMENT ON OPERATOR FAMILY signature_ball_ops USING hash IS 'equal balls';

-- With NULL weights a ball has none, so the functions that take weights are not strict.

CREATE FUNCTION signature_ball(center bit, radius bigint) RETURNS signature_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION signature_ball(center bit, radius bigint, recall double precision, weights real[] DEFAULT NULL)
    RETURNS signature_ball
    AS 'MODULE_PATHNAME', 'signature_ball_with_recall' LANGUAGE c IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION signature_nearest(center bit, recall double precision DEFAULT 1, count integer DEFAULT 10)
    RETURNS signature_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION signature_ball(bit, bigint)
    IS 'ball with a center and a radius, which is clamped to -1 and the number of bits';
COMMENT ON FUNCTION signature_ball(bit, bigint, double precision, real[])
    IS 'ball to be searched with this recall; the larger the absolute weight of a bit, the less likely it differs';
COMMENT ON FUNCTION signature_nearest(bit, double precision, integer)
    IS 'ball of all bit strings, for ORDER BY: an index may find the nearest rows with this recall';

CREATE FUNCTION signature_in_ball(bit, signature_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT hamming_operator_support;
COMMENT ON FUNCTION signature_in_ball(bit, signature_ball) IS 'implementation of <@| operator';
CREATE OPERATOR <@| (
    LEFTARG = bit, RIGHTARG = signature_ball, FUNCTION = signature_in_ball,
    RESTRICT = simhash_ball_sel, JOIN = simhash_ball_joinsel);
COMMENT ON OPERATOR <@| (bit, signature_ball) IS 'whether the bit string is in the ball';

-- Not signature_distance: with two arguments of unknown type that would be ambiguous.
CREATE FUNCTION signature_distance_to_center(bit, signature_ball) RETURNS hamming_distance
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT hamming_operator_support;
COMMENT ON FUNCTION signature_distance_to_center(bit, signature_ball) IS 'Hamming distance to the center of the ball';
CREATE OPERATOR <@> (
    LEFTARG = bit, RIGHTARG = signature_ball, FUNCTION = signature_distance_to_center);
COMMENT ON OPERATOR <@> (bit, signature_ball) IS 'Hamming distance to the center of the ball';

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

-- ---------------------------------------------------------------------------------------------------------
-- Similarity
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION minhash_at_least_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_at_least_support(pg_catalog.internal) IS 'planner support for minhash_at_least';

CREATE FUNCTION minhash_similarity(bit, bit) RETURNS double precision
    AS 'MODULE_PATHNAME', 'minhash_similarity_of_bits' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT hamming_operator_support;
COMMENT ON FUNCTION minhash_similarity(bit, bit)
    IS 'estimated Jaccard similarity of the sets with these min-hash signatures: 1 - 2 h / n if h of n bits differ';
CREATE FUNCTION minhash_at_least(bit, bit, double precision) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT minhash_at_least_support;
COMMENT ON FUNCTION minhash_at_least(bit, bit, double precision)
    IS 'whether minhash_similarity is at least the threshold';

CREATE FUNCTION minhash_threshold_radius(similarity double precision, bits integer) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_threshold_radius(double precision, integer)
    IS 'radius of the index condition for a threshold of minhash_similarity';
CREATE FUNCTION minhash_radius(similarity double precision, bits integer) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_radius(similarity double precision, bits integer, recall double precision) RETURNS integer
    AS 'MODULE_PATHNAME', 'minhash_radius_of_recall' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION minhash_error(similarity double precision, bits integer) RETURNS double precision
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION minhash_radius(double precision, integer)
    IS 'largest Hamming distance of signatures with at least this minhash_similarity, -1 if there is none';
COMMENT ON FUNCTION minhash_radius(double precision, integer, double precision)
    IS 'Hamming distance within which signatures of sets of this Jaccard similarity are, with the probability recall';
COMMENT ON FUNCTION minhash_error(double precision, integer)
    IS 'standard error of minhash_similarity';

-- ---------------------------------------------------------------------------------------------------------
-- The access method
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION simhash_handler(pg_catalog.internal) RETURNS pg_catalog.index_am_handler
    AS 'MODULE_PATHNAME' LANGUAGE c;
COMMENT ON FUNCTION simhash_handler(pg_catalog.internal) IS 'handler of index access method simhash';

CREATE ACCESS METHOD simhash TYPE INDEX HANDLER simhash_handler;
COMMENT ON ACCESS METHOD simhash IS 'finds fingerprints within a Hamming distance';

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING simhash AS
    OPERATOR 1 <@| (simhash, simhash_ball),
    OPERATOR 2 ~= (simhash, simhash),
    OPERATOR 3 = (simhash, simhash),
    OPERATOR 4 <@> (simhash, simhash) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 5 <@> (simhash, simhash_weights) FOR ORDER BY pg_catalog.integer_ops;
COMMENT ON OPERATOR CLASS simhash_ops USING simhash IS 'near-duplicate search';
COMMENT ON OPERATOR FAMILY simhash_ops USING simhash IS 'near-duplicate search';
CREATE OPERATOR CLASS simhash_bit_ops DEFAULT FOR TYPE bit USING simhash AS
    OPERATOR 1 <@| (bit, signature_ball),
    OPERATOR 3 pg_catalog.= (bit, bit),
    OPERATOR 4 <@> (bit, bit) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 5 <@> (bit, signature_ball) FOR ORDER BY pg_catalog.integer_ops;
COMMENT ON OPERATOR CLASS simhash_bit_ops USING simhash IS 'search for similar bit strings';
COMMENT ON OPERATOR FAMILY simhash_bit_ops USING simhash IS 'search for similar bit strings';

-- ---------------------------------------------------------------------------------------------------------
-- Inspection
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION simhash_index_stats(index pg_catalog.regclass,
    OUT name pg_catalog.text, OUT value double precision, OUT unit pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL SAFE ROWS 25;
COMMENT ON FUNCTION simhash_index_stats(pg_catalog.regclass) IS
    'statistics of a simhash index, or sums over partitions; reads all pages';

CREATE FUNCTION simhash_index_check(index pg_catalog.regclass, heapallindexed boolean DEFAULT false,
    OUT rows bigint, OUT nulls bigint, OUT partial_entries bigint, OUT incomplete_splits bigint,
    OUT unused_pages bigint, OUT heap_rows bigint)
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT;
COMMENT ON FUNCTION simhash_index_check(pg_catalog.regclass, boolean) IS
    'raises an error if an index, of a table or of its partitions, is corrupted; with heapallindexed also if it lacks a row, but blocks writers';

CREATE FUNCTION simhash_index_memory(OUT index pg_catalog.regclass, OUT inner_pages bigint, OUT bytes bigint)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION simhash_index_memory() IS
    'the copies of inner pages of simhash indexes that this session holds';

CREATE FUNCTION simhash_index_probe_plan(index pg_catalog.regclass, query simhash_ball,
    OUT step integer, OUT "table" integer, OUT leaf bigint, OUT matches integer,
    OUT flipped_bits integer[], OUT probability double precision, OUT recall double precision,
    OUT index_read pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_index_probe_plan' LANGUAGE c VOLATILE STRICT ROWS 10;
COMMENT ON FUNCTION simhash_index_probe_plan(pg_catalog.regclass, simhash_ball) IS
    'the leaf pages that a search reads; by weights also the flipped bits, the recall that each adds, and that so far';

CREATE FUNCTION simhash_index_probe_plan(index pg_catalog.regclass, query signature_ball,
    OUT step integer, OUT part pg_catalog.text, OUT "table" integer, OUT block bigint, OUT candidates integer,
    OUT recall double precision, OUT index_read pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_index_probe_plan_of_signature' LANGUAGE c VOLATILE STRICT ROWS 100;
COMMENT ON FUNCTION simhash_index_probe_plan(pg_catalog.regclass, signature_ball) IS
    'the leaves, lists and segments that a search of an index on signatures reads, with the recall that it estimates';

CREATE FUNCTION simhash_volatility(weights simhash_weights,
    OUT "bit" integer, OUT weight double precision, OUT probability double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_volatility' LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 64;
COMMENT ON FUNCTION simhash_volatility(simhash_weights) IS
    'the probability with which a near-duplicate flips each bit, by the default model';

CREATE FUNCTION simhash_index_calibrate(index pg_catalog.regclass, pairs_table pg_catalog.regclass,
    weights_column pg_catalog.name, simhash_column pg_catalog.name, store boolean DEFAULT true,
    OUT distance integer, OUT target double precision, OUT predicted double precision,
    OUT measured double precision, OUT leaves double precision, OUT pairs bigint)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT ROWS 12;
COMMENT ON FUNCTION simhash_index_calibrate(pg_catalog.regclass, pg_catalog.regclass, pg_catalog.name, pg_catalog.name,
        boolean) IS
    'fits the volatility model of an index to pairs of near-duplicates: weights of one, fingerprint of the other';

-- ---------------------------------------------------------------------------------------------------------
-- Joins
-- ---------------------------------------------------------------------------------------------------------

-- Not parallel safe: a worker cannot read the session's temporary tables, and each would compute the whole join.

CREATE FUNCTION simhash_pairs_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_pairs_support(pg_catalog.internal) IS 'planner support of simhash_pairs, _join and _groups';
CREATE FUNCTION simhash_pairs(index pg_catalog.regclass, distance integer DEFAULT 3,
    OUT a pg_catalog.tid, OUT b pg_catalog.tid, OUT distance integer,
    OUT a_table pg_catalog.regclass, OUT b_table pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000
    SUPPORT simhash_pairs_support;
COMMENT ON FUNCTION simhash_pairs(pg_catalog.regclass, integer) IS
    'all pairs of rows of an indexed table within a distance: each pair once, as ctids and tableoids';

CREATE FUNCTION simhash_join("left" pg_catalog.regclass, "right" pg_catalog.regclass, distance integer DEFAULT 3,
    OUT a pg_catalog.tid, OUT b pg_catalog.tid, OUT distance integer,
    OUT a_table pg_catalog.regclass, OUT b_table pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000
    SUPPORT simhash_pairs_support;
COMMENT ON FUNCTION simhash_join(pg_catalog.regclass, pg_catalog.regclass, integer) IS
    'all pairs of rows of two indexed tables within a distance, as ctids and tableoids';

CREATE FUNCTION simhash_groups(index pg_catalog.regclass, distance integer DEFAULT 3, kind pg_catalog.text DEFAULT 'star',
    OUT member pg_catalog.tid, OUT leader pg_catalog.tid,
    OUT member_table pg_catalog.regclass, OUT leader_table pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000
    SUPPORT simhash_pairs_support;
COMMENT ON FUNCTION simhash_groups(pg_catalog.regclass, integer, pg_catalog.text) IS
    'groups of near-duplicates, as ctids and tableoids: stars whose members are near the leader, or connected ones';

CREATE FUNCTION simhash_match_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c STRICT;
COMMENT ON FUNCTION simhash_match_support(pg_catalog.internal) IS 'planner support of simhash_match';
CREATE FUNCTION simhash_match(index pg_catalog.regclass, query pg_catalog.text, first_only boolean DEFAULT false,
    OUT number bigint, OUT match pg_catalog.tid, OUT distance integer, OUT match_table pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL UNSAFE COST 100000 ROWS 10000
    SUPPORT simhash_match_support;
COMMENT ON FUNCTION simhash_match(pg_catalog.regclass, pg_catalog.text, boolean) IS
    'the rows of a table in the balls that a query returns with their numbers: all, or one for each ball';

CREATE FUNCTION simhash_pair_groups(query pg_catalog.text, kind pg_catalog.text DEFAULT 'star',
    OUT member bigint, OUT leader bigint)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL UNSAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_pair_groups(pg_catalog.text, pg_catalog.text) IS
    'groups of the pairs of numbers that a query returns: stars whose members pair with the leader, or connected ones';

CREATE FUNCTION simhash_pair_sample(index pg_catalog.regclass, document pg_catalog.text, distance integer DEFAULT 8,
    most integer DEFAULT 50,
    OUT distance integer, OUT pairs bigint, OUT a pg_catalog.tid, OUT b pg_catalog.tid,
    OUT a_table pg_catalog.regclass, OUT b_table pg_catalog.regclass,
    OUT cosine double precision, OUT jaccard double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE COST 1000000 ROWS 400;
COMMENT ON FUNCTION simhash_pair_sample(pg_catalog.regclass, pg_catalog.text, integer, integer) IS
    'some of the pairs at each distance, and how many there are, with the exact similarity of an expression of both rows';

-- ---------------------------------------------------------------------------------------------------------
-- Tuning
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION simhash_index_designs(distance integer,
    OUT tables integer, OUT regions pg_catalog.text[], OUT block_bits integer[],
    OUT header_bits integer[], OUT block_order pg_catalog.text[])
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 25;
COMMENT ON FUNCTION simhash_index_designs(integer)
    IS 'the table designs that an index on fingerprints can have for a distance';

CREATE FUNCTION simhash_blocks(fingerprint simhash, distance integer, tables integer DEFAULT 0)
    RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash_blocks(simhash, integer, integer)
    IS 'block values, one for each table of a design: two fingerprints within the distance have one in common';

CREATE FUNCTION simhash_first_block(a simhash, b simhash, distance integer, tables integer DEFAULT 0)
    RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_first_block(simhash, simhash, integer, integer)
    IS 'the first block value that two fingerprints have in common; NULL if they are further apart than the distance';

CREATE FUNCTION simhash_block_pairs(query pg_catalog.text, distance integer DEFAULT 3, tables integer DEFAULT 0,
    OUT a bigint, OUT b bigint, OUT distance integer)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL UNSAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_block_pairs(pg_catalog.text, integer, integer) IS
    'all pairs, within a distance, of rows (id, fingerprint, block value) that a query returns: each where its first common value is';

CREATE FUNCTION simhash_report(relation pg_catalog.regclass, expression pg_catalog.text, distance integer DEFAULT 3,
    expected_rows bigint DEFAULT 0, details boolean DEFAULT false,
    OUT topic pg_catalog.text, OUT item pg_catalog.text, OUT value double precision, OUT meaning pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 150;
COMMENT ON FUNCTION simhash_report(pg_catalog.regclass, pg_catalog.text, integer, bigint, boolean) IS
    'statistics of a sample: matches, false matches, suggested options; in detail also bits, distances and pages';
