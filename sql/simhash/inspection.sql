CREATE FUNCTION simhash_index_stats(index pg_catalog.regclass,
    OUT name pg_catalog.text, OUT value double precision, OUT unit pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED ROWS 25;
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

CREATE FUNCTION simhash_index_trace(index pg_catalog.regclass, query simhash_ball,
    OUT step integer, OUT tree integer, OUT leaf bigint, OUT matches integer,
    OUT flipped_bits integer[], OUT probability double precision, OUT recall double precision,
    OUT index_read pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_index_trace' LANGUAGE c VOLATILE STRICT ROWS 10;
COMMENT ON FUNCTION simhash_index_trace(pg_catalog.regclass, simhash_ball) IS
    'the leaf pages that a search reads; by weights also the flipped bits, the recall that each adds, and that so far';

CREATE FUNCTION simhash_index_trace(index pg_catalog.regclass, query signature_ball,
    OUT step integer, OUT part pg_catalog.text, OUT tree integer, OUT block bigint, OUT candidates integer,
    OUT recall double precision, OUT index_read pg_catalog.regclass)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_index_trace_of_signature' LANGUAGE c VOLATILE STRICT ROWS 100;
COMMENT ON FUNCTION simhash_index_trace(pg_catalog.regclass, signature_ball) IS
    'the leaves, lists and segments that a search of an index on signatures reads, with the recall that it estimates';

CREATE FUNCTION simhash_volatility(weights simhash_weights,
    OUT "bit" integer, OUT weight double precision, OUT probability double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_volatility' LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 64;
COMMENT ON FUNCTION simhash_volatility(simhash_weights) IS
    'the probability with which a near-duplicate flips each bit, by the default model';

CREATE FUNCTION simhash_index_calibrate(index pg_catalog.regclass, pairs_table pg_catalog.regclass,
    weights_column pg_catalog.name, simhash_column pg_catalog.name, store boolean DEFAULT true,
    OUT radius integer, OUT target double precision, OUT predicted double precision,
    OUT measured double precision, OUT leaves double precision, OUT pairs bigint)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT ROWS 12;
COMMENT ON FUNCTION simhash_index_calibrate(pg_catalog.regclass, pg_catalog.regclass, pg_catalog.name, pg_catalog.name,
        boolean) IS
    'fits the volatility model of an index to pairs of near-duplicates: weights of one, fingerprint of the other';
