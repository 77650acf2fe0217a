CREATE FUNCTION simhash_index_designs(design_radius integer,
    OUT trees integer, OUT regions pg_catalog.text[], OUT block_bits integer[],
    OUT header_bits integer[], OUT block_order pg_catalog.text[])
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 25;
COMMENT ON FUNCTION simhash_index_designs(integer)
    IS 'the designs that an index on fingerprints can have for a design_radius';

CREATE FUNCTION simhash_blocks(fingerprint simhash, radius integer, trees integer DEFAULT 0)
    RETURNS bigint[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash_blocks(simhash, integer, integer)
    IS 'block values, one for each tree of a design: two fingerprints within the radius have one in common';

CREATE FUNCTION simhash_first_block(a simhash, b simhash, radius integer, trees integer DEFAULT 0)
    RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION simhash_first_block(simhash, simhash, integer, integer)
    IS 'the first block value that two fingerprints have in common; NULL if they are further apart than the radius';

CREATE FUNCTION simhash_block_pairs(query pg_catalog.text, radius integer DEFAULT 3, trees integer DEFAULT 0,
    OUT a bigint, OUT b bigint, OUT distance integer)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL UNSAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_block_pairs(pg_catalog.text, integer, integer) IS
    'all pairs, within a radius, of rows (id, fingerprint, block value) that a query returns: each where its first common value is';

CREATE FUNCTION simhash_report(relation pg_catalog.regclass, expression pg_catalog.text, radius integer DEFAULT 3,
    expected_rows bigint DEFAULT 0, details boolean DEFAULT false,
    OUT topic pg_catalog.text, OUT item pg_catalog.text, OUT value double precision, OUT meaning pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 150;
COMMENT ON FUNCTION simhash_report(pg_catalog.regclass, pg_catalog.text, integer, bigint, boolean) IS
    'statistics of a sample: matches, false matches, suggested options; in detail also bits, distances and pages';
