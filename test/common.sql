-- What several tests of test/sql use. pg_regress sets the variable from PostgreSQL 15 on, and so do the stages:
--
--   \set common `echo "$PG_ABS_SRCDIR/common.sql"`
--   \i :common

-- Bits that depend on the seed alone.
CREATE FUNCTION random_bits(seed anynonarray, bits int) RETURNS varbit IMMUTABLE LANGUAGE sql AS $$
    SELECT substring(('x' || string_agg(md5(seed || ' ' || part), '' ORDER BY part))::varbit, 1, bits)
    FROM generate_series(0, bits / 128) AS part $$;

-- A value with up to so many bits flipped. Of a seed, the flips are always the same.
CREATE FUNCTION flipped(h simhash, seed int, flips int) RETURNS simhash IMMUTABLE LANGUAGE sql AS $$
    SELECT (h::bigint # coalesce(bit_or(1::bigint << (abs(hashint8extended(seed, i)) % 64)::int), 0))::simhash
    FROM generate_series(1, flips) AS i $$;
CREATE FUNCTION flipped_bits(s varbit, seed int, flips int) RETURNS varbit IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE at int;
BEGIN
    FOR i IN 1 .. flips LOOP
        at := mod(abs(hashint8extended(i, seed)), length(s));
        s := set_bit(s, at, 1 - get_bit(s, at));
    END LOOP;
    RETURN s;
END $$;

-- A plan, with long constants shortened, and without the lines "Disabled: true", which EXPLAIN prints since PostgreSQL 18.
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line !~ '^ *Disabled: ' THEN RETURN NEXT regexp_replace(line, '[01]{64,}|x[0-9a-f]{32,}', '…', 'g'); END IF;
    END LOOP;
END $$;

-- Whether queries read by the index, or by a sequential scan and a sort.
CREATE FUNCTION scan_by(index bool) RETURNS void LANGUAGE sql AS $$
    SELECT set_config('enable_seqscan', (NOT index)::text, false), set_config('enable_sort', (NOT index)::text, false),
        set_config('enable_indexscan', index::text, false), set_config('enable_bitmapscan', 'off', false),
        set_config('enable_partition_pruning', index::text, false) $$;

-- Whether a join is a Simhash Join, and whether its answer is the same without that.
CREATE FUNCTION compare(query text, OUT node boolean, OUT count bigint, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
    line text;
    summed text := format('SELECT array[count(*), sum(hashtextextended(t::text, 0)::numeric)] FROM (%s) AS t', query);
    found numeric[];
    expected numeric[];
BEGIN
    node := false;
    FOR line IN EXECUTE 'EXPLAIN ' || summed LOOP node := node OR line LIKE '%Simhash Join%'; END LOOP;
    EXECUTE summed INTO found;
    SET LOCAL simhash.enable_join = off;
    EXECUTE summed INTO expected;
    SET LOCAL simhash.enable_join = on;
    count := found[1];
    same := found = expected;
END $$;
