-- The text and binary forms of @type@.

CREATE TYPE @type@;
CREATE FUNCTION simhash_internal_@name@in(pg_catalog.cstring) RETURNS @type@
    AS 'MODULE_PATHNAME', 'simhash_@name@in' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST @text@;
CREATE FUNCTION simhash_internal_@name@out(@type@) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME', 'simhash_@name@out' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST @text@;
CREATE FUNCTION simhash_internal_@name@recv(pg_catalog.internal) RETURNS @type@
    AS 'MODULE_PATHNAME', 'simhash_@name@recv' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST @binary@;
CREATE FUNCTION simhash_internal_@name@send(@type@) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME', 'simhash_@name@send' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST @binary@;
COMMENT ON FUNCTION simhash_internal_@name@in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_internal_@name@out(@type@) IS 'I/O';
COMMENT ON FUNCTION simhash_internal_@name@recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION simhash_internal_@name@send(@type@) IS 'I/O';
