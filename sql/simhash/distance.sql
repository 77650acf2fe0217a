-- The result of <@> is a domain, so that comparisons with it resolve to our operators, whose support functions let the
-- planner use the index. For everything else it is an integer.
--
-- Each pair of types needs operators of its own. PostgreSQL chooses among operators by base types, so an operator of
-- (hamming_distance, integer) is found only for exactly these types, and otherwise PostgreSQL's. But for a type with an
-- implicit cast to integer, which only a user can make, both would do, and PostgreSQL asks for a cast. Clients send a
-- radius as smallint, integer or bigint, and a parameter without a type takes that of the distance. There is no <>: an
-- index cannot serve it, and PostgreSQL's does the same, with a coarser estimate. There is none for numeric either: it
-- would make comparisons of an integer with a numeric ambiguous.

CREATE DOMAIN hamming_distance AS integer;
COMMENT ON DOMAIN hamming_distance IS 'number of differing bits, the result of <@>';

-- Planner support and selectivity estimation.

CREATE FUNCTION simhash_internal_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_planner_support' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_internal_support(pg_catalog.internal) IS 'planner support for distances and conditions on them';

CREATE FUNCTION simhash_internal_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    RETURNS double precision AS 'MODULE_PATHNAME', 'simhash_operator_sel' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_internal_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    RETURNS double precision AS 'MODULE_PATHNAME', 'simhash_operator_joinsel' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_internal_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    IS 'restriction selectivity of <@|, ~= and comparisons of <@>';
COMMENT ON FUNCTION simhash_internal_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    IS 'join selectivity of <@|, ~= and comparisons of <@>';

-- The functions of conditions cannot raise errors and are LEAKPROOF: otherwise row-level security would keep
-- conditions away from the index.

CREATE FUNCTION hamming_distance(simhash, simhash) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION hamming_distance(simhash, simhash) IS 'Hamming distance of two fingerprints, 0 to 64';
CREATE OPERATOR <@> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = hamming_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (simhash, simhash) IS 'Hamming distance, 0 to 64';

CREATE FUNCTION hamming_within(simhash, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_hamming_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION hamming_within(simhash, simhash, bigint) IS 'whether the Hamming distance is at most the radius';
CREATE FUNCTION simhash_internal_at(simhash, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_hamming_at' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION simhash_internal_at(simhash, simhash, bigint) IS 'whether the Hamming distance is exactly the radius';
CREATE FUNCTION simhash_internal_radius_below(bigint) RETURNS bigint
    AS 'MODULE_PATHNAME', 'simhash_hamming_radius_below' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_internal_radius_below(bigint) IS 'radius that is equivalent to "less than", saturating';
