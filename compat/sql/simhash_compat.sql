\echo Use "CREATE EXTENSION simhash_compat" to load this file. \quit

-- What other libraries compute, in types of simhash.

-- Fingerprints of other libraries. The table of profiles is in src/profiles/compat_profiles.cpp.

CREATE FUNCTION to_simhash_as(profile pg_catalog.text, document pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_as_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_simhash_as(profile pg_catalog.text, document pg_catalog.text, size integer) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_as_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_simhash_as(profile pg_catalog.text, features pg_catalog.text[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_as(profile pg_catalog.text, features pg_catalog.text[], weights double precision[])
    RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_as_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION simhash_from_hashes_as(profile pg_catalog.text, hashes bigint[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION simhash_from_hashes_as(profile pg_catalog.text, hashes bigint[], weights double precision[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_as_weighted_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, pg_catalog.text)
    IS 'another library''s fingerprint of a text';
COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, pg_catalog.text, integer)
    IS 'another library''s fingerprint of a text, with shingles of size units';
COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, pg_catalog.text[])
    IS 'another library''s fingerprint of features';
COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, pg_catalog.text[], double precision[])
    IS 'another library''s fingerprint of features with weights';
COMMENT ON FUNCTION simhash_from_hashes_as(pg_catalog.text, bigint[])
    IS 'another library''s fingerprint of feature hashes';
COMMENT ON FUNCTION simhash_from_hashes_as(pg_catalog.text, bigint[], double precision[])
    IS 'another library''s fingerprint of feature hashes with weights';

CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, document pg_catalog.text) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_as_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, document pg_catalog.text, size integer)
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_as_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, features pg_catalog.text[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights_as(profile pg_catalog.text, features pg_catalog.text[], weights double precision[])
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_as_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION simhash_weights_from_hashes_as(profile pg_catalog.text, hashes bigint[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION simhash_weights_from_hashes_as(profile pg_catalog.text, hashes bigint[], weights double precision[])
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_as_weighted_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, pg_catalog.text)
    IS 'weights whose signs are another library''s fingerprint of a text';
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, pg_catalog.text, integer)
    IS 'weights whose signs are another library''s fingerprint of a text, with shingles of size units';
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, pg_catalog.text[])
    IS 'weights whose signs are another library''s fingerprint of features';
COMMENT ON FUNCTION to_simhash_weights_as(pg_catalog.text, pg_catalog.text[], double precision[])
    IS 'weights whose signs are another library''s fingerprint of features with weights';
COMMENT ON FUNCTION simhash_weights_from_hashes_as(pg_catalog.text, bigint[])
    IS 'weights whose signs are another library''s fingerprint of feature hashes';
COMMENT ON FUNCTION simhash_weights_from_hashes_as(pg_catalog.text, bigint[], double precision[])
    IS 'weights whose signs are another library''s fingerprint of feature hashes with weights';

CREATE FUNCTION simhash_profiles(OUT name pg_catalog.text, OUT features pg_catalog.text, OUT shingle_size integer,
    OUT hash pg_catalog.text, OUT tie integer, OUT empty simhash, OUT weights pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION simhash_profiles() IS 'the profiles of to_simhash_as and their properties';

-- Min-hash of other libraries. The table of profiles is in src/profiles/minhash_profiles.cpp.

CREATE FUNCTION to_minhash_as(profile pg_catalog.text, features pg_catalog.text[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_minhash_as(profile pg_catalog.text, features pg_catalog.text[], minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_minhash_as(profile pg_catalog.text, features pg_catalog.text[], minima integer, seed bigint)
    RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION minhash_from_hashes_as(profile pg_catalog.text, hashes bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION minhash_from_hashes_as(profile pg_catalog.text, hashes bigint[], minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION minhash_from_hashes_as(profile pg_catalog.text, hashes bigint[], minima integer, seed bigint) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, pg_catalog.text[])
    IS 'another library''s min-hash of features';
COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, pg_catalog.text[], integer)
    IS 'another library''s min-hash of features, so many minima';
COMMENT ON FUNCTION to_minhash_as(pg_catalog.text, pg_catalog.text[], integer, bigint)
    IS 'another library''s min-hash of features, so many minima, with permutations from a seed';
COMMENT ON FUNCTION minhash_from_hashes_as(pg_catalog.text, bigint[])
    IS 'another library''s min-hash of feature hashes';
COMMENT ON FUNCTION minhash_from_hashes_as(pg_catalog.text, bigint[], integer)
    IS 'another library''s min-hash of feature hashes, so many minima';
COMMENT ON FUNCTION minhash_from_hashes_as(pg_catalog.text, bigint[], integer, bigint)
    IS 'another library''s min-hash of feature hashes, so many minima, with permutations from a seed';

CREATE FUNCTION minhash_profiles(
    OUT name pg_catalog.text, OUT minima integer, OUT seed bigint, OUT hash pg_catalog.text,
    OUT permutation pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_minhash_profiles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 11;
COMMENT ON FUNCTION minhash_profiles() IS 'the profiles of to_minhash_as and their properties';

-- A type of the same name in a schema in front would be taken for one of simhash, and must not be. It could appear at any
-- moment, for example while CREATE FUNCTION waits for another session. So this is checked when all functions exist.
SELECT CASE WHEN pg_catalog.count(*) OPERATOR(pg_catalog.>) 0
    THEN pg_catalog.format('the types of extension simhash are hidden by others; use its schema')::pg_catalog.int4 END
FROM pg_catalog.pg_extension AS e
    JOIN pg_catalog.pg_depend AS m ON m.refobjid OPERATOR(pg_catalog.=) e.oid
        AND m.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
        AND m.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
    JOIN pg_catalog.pg_proc AS p ON p.oid OPERATOR(pg_catalog.=) m.objid
    CROSS JOIN pg_catalog.unnest(pg_catalog.array_append(p.proargtypes::pg_catalog.oid[], p.prorettype)
        OPERATOR(pg_catalog.||) p.proallargtypes) AS u(type)
    JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) u.type
WHERE e.extname OPERATOR(pg_catalog.=) 'simhash_compat'
    AND t.typnamespace OPERATOR(pg_catalog.<>) 'pg_catalog'::pg_catalog.regnamespace
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_extension AS s ON s.oid OPERATOR(pg_catalog.=) d.refobjid
        WHERE s.extname OPERATOR(pg_catalog.=) 'simhash' AND d.deptype OPERATOR(pg_catalog.=) 'e'
            AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
            AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
            AND d.objid OPERATOR(pg_catalog.=) t.oid);
