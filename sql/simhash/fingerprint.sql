\include type_functions.sql type=simhash name= text=1 binary=1

CREATE TYPE simhash (
    INPUT = simhash_internal_in, OUTPUT = simhash_internal_out, RECEIVE = simhash_internal_recv, SEND = simhash_internal_send,
    LIKE = pg_catalog.int8,
    -- The category of bit and of all our types: where several of them are possible, an unknown literal is a simhash, or
    -- where a ball is expected, a simhash_ball.
    CATEGORY = 'V', PREFERRED = true);

COMMENT ON TYPE simhash IS '64-bit fingerprint of a document: those of similar documents differ in few bits';

-- All casts are explicit: an implicit one would let h < 5 compare as signed integers and q <@> 5 measure the
-- distance to a number.

CREATE FUNCTION simhash_internal_from_bit(bit) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_from_bit' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_internal_to_bit(simhash, integer, boolean) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_to_bit' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_internal_from_bytea(pg_catalog.bytea) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_from_bytea' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_internal_to_bytea(simhash) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME', 'simhash_to_bytea' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_internal_from_numeric(numeric) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_from_numeric' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_internal_to_numeric(simhash) RETURNS numeric
    AS 'MODULE_PATHNAME', 'simhash_to_numeric' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
-- PostgreSQL's conversions to bigint
CREATE FUNCTION simhash_internal_from_smallint(smallint) RETURNS simhash
    AS 'int28' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_internal_from_integer(integer) RETURNS simhash
    AS 'int48' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION simhash_internal_from_bit(bit) IS 'convert bit(64) to fingerprint';
COMMENT ON FUNCTION simhash_internal_to_bit(simhash, integer, boolean) IS 'convert fingerprint to bit(64)';
COMMENT ON FUNCTION simhash_internal_from_bytea(pg_catalog.bytea) IS 'convert 8 bytes, big-endian, to fingerprint';
COMMENT ON FUNCTION simhash_internal_to_bytea(simhash) IS 'convert fingerprint to 8 bytes, big-endian';
COMMENT ON FUNCTION simhash_internal_from_numeric(numeric) IS 'convert unsigned number to fingerprint';
COMMENT ON FUNCTION simhash_internal_to_numeric(simhash) IS 'convert fingerprint to unsigned number';
COMMENT ON FUNCTION simhash_internal_from_smallint(smallint) IS 'convert smallint to fingerprint, like the equal bigint';
COMMENT ON FUNCTION simhash_internal_from_integer(integer) IS 'convert integer to fingerprint, like the equal bigint';

CREATE CAST (simhash AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS simhash) WITHOUT FUNCTION;
CREATE CAST (integer AS simhash) WITH FUNCTION simhash_internal_from_integer(integer);
CREATE CAST (smallint AS simhash) WITH FUNCTION simhash_internal_from_smallint(smallint);
CREATE CAST (bit AS simhash) WITH FUNCTION simhash_internal_from_bit(bit);
CREATE CAST (bit varying AS simhash) WITH FUNCTION simhash_internal_from_bit(bit);
CREATE CAST (simhash AS bit) WITH FUNCTION simhash_internal_to_bit(simhash, integer, boolean);
CREATE CAST (pg_catalog.bytea AS simhash) WITH FUNCTION simhash_internal_from_bytea(pg_catalog.bytea);
CREATE CAST (simhash AS pg_catalog.bytea) WITH FUNCTION simhash_internal_to_bytea(simhash);
CREATE CAST (numeric AS simhash) WITH FUNCTION simhash_internal_from_numeric(numeric);
CREATE CAST (simhash AS numeric) WITH FUNCTION simhash_internal_to_numeric(simhash);

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

\include order.sql type=simhash prefix= cost=1
CREATE FUNCTION simhash_internal_sortsupport(pg_catalog.internal) RETURNS pg_catalog.void
    AS 'MODULE_PATHNAME', 'simhash_sortsupport' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_internal_hash_extended(simhash, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'simhash_hash_extended' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_internal_sortsupport(pg_catalog.internal) IS 'sort support';
COMMENT ON FUNCTION simhash_internal_hash_extended(simhash, bigint) IS 'hash with seed';
ALTER OPERATOR FAMILY simhash_ops USING btree ADD
    FUNCTION 2 (simhash, simhash) simhash_internal_sortsupport(pg_catalog.internal),
    FUNCTION 4 (simhash, simhash) pg_catalog.btequalimage(pg_catalog.oid);
ALTER OPERATOR FAMILY simhash_ops USING hash ADD
    FUNCTION 2 (simhash, simhash) simhash_internal_hash_extended(simhash, bigint);
