CREATE FUNCTION simhash_group(key pg_catalog.anyelement, fingerprint simhash, radius integer DEFAULT 3,
    kind pg_catalog.text DEFAULT 'star')
    RETURNS pg_catalog.anyelement
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_group(pg_catalog.anyelement, simhash, integer, pg_catalog.text) IS
    'the key of the first row of the group of near-duplicates that a row of a window is in: a star or connected rows';
CREATE FUNCTION simhash_group(key pg_catalog.anyelement, signature pg_catalog."bit", radius integer DEFAULT 3,
    kind pg_catalog.text DEFAULT 'star')
    RETURNS pg_catalog.anyelement
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE WINDOW PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_group(pg_catalog.anyelement, pg_catalog."bit", integer, pg_catalog.text) IS
    'the same of signatures';

CREATE FUNCTION simhash_pair_groups(a pg_catalog.anyarray, b pg_catalog.anyarray, kind pg_catalog.text DEFAULT 'star',
    OUT member pg_catalog.anyelement, OUT leader pg_catalog.anyelement)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_pair_groups(pg_catalog.anyarray, pg_catalog.anyarray, pg_catalog.text) IS
    'groups of the pairs of keys, of any type that has an order, in the same places of two arrays';

CREATE FUNCTION simhash_pair_sample(index pg_catalog.regclass, document pg_catalog.text, radius integer DEFAULT 8,
    most integer DEFAULT 50,
    OUT distance integer, OUT pairs bigint, OUT a pg_catalog.tid, OUT b pg_catalog.tid,
    OUT a_table pg_catalog.regclass, OUT b_table pg_catalog.regclass,
    OUT cosine double precision, OUT jaccard double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE COST 1000000 ROWS 400;
COMMENT ON FUNCTION simhash_pair_sample(pg_catalog.regclass, pg_catalog.text, integer, integer) IS
    'some of the pairs at each distance, and how many there are, with the exact similarity of an expression of both rows';
