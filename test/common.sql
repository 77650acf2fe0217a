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

-- Up to so many bits to flip, drawn from a seed.
CREATE FUNCTION flips(n bigint, bits bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    flips bigint := 0;
BEGIN
    FOR i IN 1 .. bits LOOP
        flips := flips # (1::bigint << (hashint8extended(n, i) & 63)::int);
    END LOOP;
    RETURN flips;
END $$;

-- A line of a plan, with the columns of an equality in one order: that depends on the version of PostgreSQL.
CREATE FUNCTION in_order(line text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce((SELECT replace(line, x[1] || ' = ' || x[2], least(x[1], x[2]) || ' = ' || greatest(x[1], x[2]))
        FROM regexp_match(line, '\((\w+\.\w+) = (\w+\.\w+)\)') AS x), line) $$;

-- Why a statement fails. Since PostgreSQL 17 CREATE INDEX shows names with their schema.
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'not refused';
EXCEPTION WHEN others THEN
    RETURN SQLSTATE || ' ' || replace(SQLERRM, 'public.', '');
END $$;

-- A plan, with long constants shortened, and without the lines "Disabled: true", which EXPLAIN prints since PostgreSQL 18.
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line !~ '^ *Disabled: ' THEN RETURN NEXT in_order(regexp_replace(line, '[01]{64,}|x[0-9a-f]{32,}', '…', 'g')); END IF;
    END LOOP;
END $$;

-- Whether the expected rows of a query are between two bounds.
CREATE FUNCTION expected(query text, low bigint, high bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    rows bigint;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    rows := (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
    RETURN CASE WHEN rows BETWEEN low AND high THEN 'ok' ELSE format('%s is not from %s to %s', rows, low, high) END;
END $$;

-- Whether queries read by the index, or by a sequential scan and a sort.
CREATE FUNCTION scan_by(index bool) RETURNS void LANGUAGE sql AS $$
    SELECT set_config('enable_seqscan', (NOT index)::text, false), set_config('enable_sort', (NOT index)::text, false),
        set_config('enable_indexscan', index::text, false), set_config('enable_bitmapscan', 'off', false),
        set_config('enable_partition_pruning', index::text, false) $$;

-- By which method a join is a Simhash Join, if it is one, and whether its answer is the same without that.
CREATE FUNCTION compare(query text, OUT method text, OUT count bigint, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
    line text;
    summed text := format('SELECT array[count(*), sum(hashtextextended(t::text, 0)::numeric)] FROM (%s) AS t', query);
    found numeric[];
    expected numeric[];
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || summed LOOP
        method := coalesce(substring(line FROM 'Pairs of.*'), CASE WHEN line LIKE '%Simhash Join%' THEN 'batches' END, method);
    END LOOP;
    EXECUTE summed INTO found;
    SET LOCAL simhash.enable_join = off;
    EXECUTE summed INTO expected;
    SET LOCAL simhash.enable_join = on;
    count := found[1];
    same := found = expected;
END $$;

-- A plan with what its execution did, without figures that vary.
CREATE FUNCTION shown(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
        IF line ~ '(Batches|Leaves Read|Rows Fetched|Pages Read|Usage): [1-9]' THEN line := regexp_replace(line, '\d+', 'N'); END IF;
        IF line !~ 'Disabled|Planning:|Buffers|Storage|Memory:|Index Searches' THEN RETURN NEXT in_order(regexp_replace(line, '(actual rows=\d+)\.\d+', '\1')); END IF;
    END LOOP;
END $$;

-- What an index holds of a row, and the rows that it has: a FROM item with the columns row and value.
CREATE FUNCTION rows_of(by_index regclass) RETURNS text LANGUAGE sql AS $$
    SELECT format('(SELECT ctid AS row, %s AS value FROM %s%s)', pg_get_indexdef(indexrelid, 1, false), indrelid::regclass,
        ' WHERE ' || pg_get_expr(indpred, indrelid)) FROM pg_index WHERE indexrelid = by_index $$;
-- The pairs that a plain join finds in the given index, or between two. Other plans are errors, and so are other indexes.
CREATE FUNCTION joined_by(x regclass, y regclass, radius bigint DEFAULT 3, parted text DEFAULT 'true') RETURNS TABLE (a tid, b tid, distance int) LANGUAGE plpgsql
    SET enable_nestloop = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_indexscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    query text := format('SELECT x.row, y.row, (x.value <@> y.value)::int FROM %s x JOIN %s y ON x.value <@> y.value <= %L::bigint AND %s', rows_of(x), rows_of(y), radius, parted);
    others oid[] := array(SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT indrelid FROM pg_index WHERE indexrelid IN (x, y))
        AND indexrelid NOT IN (x, y) AND indisvalid AND indexrelid IN (SELECT oid FROM pg_class WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'simhash')));
    line text;
    method text;
BEGIN
    UPDATE pg_index SET indisvalid = false WHERE indexrelid = ANY (others);
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP method := coalesce(substring(line FROM 'Pairs of: (.*)'), method); END LOOP;
    -- Of two indexes of a column one suffices.
    IF radius IS NOT NULL AND method NOT IN (x::text, y::text, x || ', ' || y, y || ', ' || x) IS NOT FALSE THEN RAISE 'not by % and % but %: %', x, y, method, query; END IF;
    RETURN QUERY EXECUTE query;
    UPDATE pg_index SET indisvalid = true WHERE indexrelid = ANY (others);
END $$;
CREATE FUNCTION pairs_by(by_index regclass, radius bigint DEFAULT 3) RETURNS TABLE (a tid, b tid, distance int) LANGUAGE sql
    AS $$ SELECT * FROM joined_by(by_index, by_index, radius, 'x.row < y.row') $$;

-- A statement whose plan has a join by batches of searches. Other plans are errors.
CREATE FUNCTION by_batches(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || statement LOOP plan := plan || line || E'\n'; END LOOP;
    IF plan !~ 'Simhash Join' OR plan ~ 'Pairs of' THEN RAISE '%', plan; END IF;
    RETURN statement;
END $$;
