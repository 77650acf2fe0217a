\set ECHO none
-- Every form of query for near-duplicates that should use the index, and some that should not. For each, the answer
-- of the index is compared with that of a sequential scan.
SET simhash.enable_join = off;

CREATE TABLE page (id int, grp int, h simhash, body text);
-- random rows, rows at distances 0 to 11 from two queries, a duplicate, and rows without a fingerprint
INSERT INTO page
    SELECT i, i % 10, ('x' || md5(i::text))::bit(64)::simhash, 'body ' || i FROM generate_series(1, 2000) AS i;
INSERT INTO page
    SELECT 3001 + d, d % 3, (x'0123456789abcdef'::bigint # ((1::bigint << d) - 1))::simhash, 'near the first'
    FROM generate_series(0, 11) AS d;
INSERT INTO page
    SELECT 3101 + d, d % 3, (x'fedcba9876543210'::bigint # (((1::bigint << d) - 1) << 50))::simhash, 'near the second'
    FROM generate_series(0, 11) AS d;
INSERT INTO page VALUES (3201, 1, '0123456789abcdef', 'a duplicate'), (3202, 1, NULL, NULL), (3203, 2, NULL, NULL);
CREATE INDEX page_h ON page USING simhash (h);
ANALYZE page;

-- The names of the indexes in a plan, and of its nodes.
CREATE FUNCTION plan_names(query text, label text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (SELECT string_agg(DISTINCT name #>> '{}', ', ' ORDER BY name #>> '{}')
            FROM jsonb_path_query(plan, ('$.**."' || label || '"')::jsonpath) AS name);
END $$;
-- The rows of a query, sorted unless it sorts them itself.
CREATE FUNCTION answer(query text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    row record;
    rows text[] := '{}';
BEGIN
    FOR row IN EXECUTE query LOOP
        rows := rows || row::text;
    END LOOP;
    IF query !~ 'ORDER BY' THEN
        rows := ARRAY(SELECT r FROM unnest(rows) AS r ORDER BY r COLLATE "C");
    END IF;
    RETURN rows;
END $$;
-- The indexes that a query uses if allowed, how many rows it finds, and whether a sequential scan agrees.
CREATE FUNCTION form(query text, OUT index text, OUT rows int, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
    found text[];
BEGIN
    PERFORM set_config('enable_seqscan', 'off', true);
    index := public.plan_names(query, 'Index Name');
    found := public.answer(query);
    rows := cardinality(found);
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true),
        set_config('enable_bitmapscan', 'off', true), set_config('enable_indexonlyscan', 'off', true);
    -- a cached plan would be reused
    DISCARD PLANS;
    same := found = public.answer(query) AND public.plan_names(query, 'Index Name') IS NULL;
    PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'on', true),
        set_config('enable_indexonlyscan', 'on', true);
    DISCARD PLANS;
END $$;
-- One condition on page.
CREATE FUNCTION condition(condition text, OUT index text, OUT rows int, OUT same boolean) LANGUAGE sql AS $$
    SELECT * FROM form('SELECT id FROM page WHERE ' || condition) $$;

\echo '-- what the plan shows'
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE h <@> '0123456789abcdef' <= 3;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE h <@> '0123456789abcdef' = 2;
EXPLAIN (COSTS OFF) SELECT id FROM page ORDER BY h <@> '0123456789abcdef' LIMIT 3;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE h <@> 'fedcba9876543210' < 30 ORDER BY h <@> '0123456789abcdef' LIMIT 3;
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM page AS a JOIN page AS b ON a.h <@> b.h <= 3 AND a.id < b.id;
RESET enable_bitmapscan;

\echo '-- conditions that use the index'
SELECT c, f.* FROM unnest(ARRAY[
    $$ h <@> '0123456789abcdef' <= 3 $$,
    $$ '0123456789abcdef' <@> h <= 3 $$,
    $$ 3 >= h <@> '0123456789abcdef' $$,
    $$ 3 >= '0123456789abcdef' <@> h $$,
    $$ h <@> '0123456789abcdef' < 4 $$,
    $$ 4 > h <@> '0123456789abcdef' $$,
    $$ h <@> '0123456789abcdef' = 2 $$,
    $$ 2 = h <@> '0123456789abcdef' $$,
    $$ h <@> '0123456789abcdef' = 0 $$,
    $$ h <@> '0123456789abcdef' = -1 $$,
    $$ h <@> '0123456789abcdef' BETWEEN 0 AND 3 $$,
    $$ h <@> '0123456789abcdef' BETWEEN 2 AND 3 $$,
    $$ h <@> '0123456789abcdef' BETWEEN SYMMETRIC 3 AND 2 $$,
    $$ NOT h <@> '0123456789abcdef' > 3 $$,
    $$ NOT 4 <= h <@> '0123456789abcdef' $$,
    $$ NOT (h <@> '0123456789abcdef' > 3 OR h <@> '0123456789abcdef' < 2) $$,
    $$ h <@> '0123456789abcdef' <= 3 OR h <@> 'fedcba9876543210' <= 3 $$,
    $$ h <@> '0123456789abcdef' <= 5 AND h <@> '0123456789abcdf0' <= 5 $$,
    $$ h <@> '0123456789abcdef' <= 3 AND h <@> 'fedcba9876543210' <= 3 $$,
    $$ h <@> '0123456789abcdef' <= 1+2 $$,
    $$ h <@> '0123456789abcdef' <= length('abc') $$,
    $$ h <@> '0123456789abcdef' <= (SELECT 3) $$,
    $$ h <@> '0123456789abcdef' < (SELECT 4) $$,
    $$ h <@> '0123456789abcdef' = (SELECT 3) $$,
    $$ h <@> (SELECT '0123456789abcdef'::simhash) <= 3 $$,
    $$ h <@> ('01234567' || '89abcdef')::simhash <= 3 $$,
    $$ h <@> 81985529216486895::bigint::simhash <= 3 $$,
    $$ h <@> '0123456789abcdef' <= 3::smallint $$,
    $$ h <@> '0123456789abcdef' <= 3::bigint $$,
    $$ h <@> '0123456789abcdef' <= 3::hamming_distance $$,
    $$ h <@> '0123456789abcdef' <= '3' $$,
    $$ h <@> '0123456789abcdef' <= ('0000000000000000' <@> '0000000000000007'::simhash) $$,
    $$ h <@> '0123456789abcdef' <= 0 $$,
    $$ h <@> '0123456789abcdef' < 0 $$,
    $$ h <@> '0123456789abcdef' <= -1 $$,
    $$ h <@> '0123456789abcdef' < -9223372036854775808 $$,
    $$ h <@> '0123456789abcdef' <= 20 $$,
    $$ h <@> '0123456789abcdef' <= 63 $$,
    $$ h <@> '0123456789abcdef' <= 64 $$,
    $$ h <@> '0123456789abcdef' <= 9223372036854775807 $$,
    $$ hamming_distance(h, '0123456789abcdef') <= 3 $$,
    $$ hamming_within(h, '0123456789abcdef', 3) $$,
    $$ hamming_within('0123456789abcdef', h, 3) $$,
    $$ simhash_internal_at(h, '0123456789abcdef', 3) $$,
    $$ simhash_internal_at('0123456789abcdef', h, 3) $$,
    $$ NOT simhash_internal_at(h, '0123456789abcdef', 3) AND h ~= '0123456789abcdef' $$,
    $$ h <@> '0123456789abcdef' = 64 $$,
    $$ h <@> '0123456789abcdef' = 1000 $$,
    $$ h <@| '<0123456789abcdef,3>' $$,
    $$ h <@| simhash_ball('0123456789abcdef', 3) $$,
    $$ h ~= '0123456789abcdef' $$,
    $$ '0123456789abcdef' ~= h $$,
    $$ h = '0123456789abcdef' $$,
    $$ '0123456789abcdef' = h $$,
    $$ h IN ('0123456789abcdef', 'fedcba9876543210') $$,
    $$ h = ANY ('{0123456789abcdef,fedcba9876543210}') $$,
    $$ h = ANY (ARRAY(SELECT 'fedcba9876543210'::simhash)) $$,
    $$ h ~= ANY ('{0123456789abcdef,fedcba9876543210}') $$,
    $$ h <@> '0123456789abcdef' <= floor(3.7)::int $$,
    $$ h <@> '0123456789abcdef' < ceil(3.2::float8)::int $$,
    $$ h <@> '0123456789abcdef' <= 3 AND grp = 1 $$,
    $$ h <@> '0123456789abcdef' <= 3 AND body LIKE 'near%' $$,
    $$ h <@> '0123456789abcdef' <= 3 AND h IS NOT NULL $$,
    $$ h <@> '0123456789abcdef' <= 3 AND random() < 2 $$,
    $$ (h <@> '0123456789abcdef' <= 3) IS TRUE AND h ~= '0123456789abcdef' $$
]) AS c, condition(c) AS f;
\echo '-- conditions that are never true'
SELECT c, f.rows FROM unnest(ARRAY[
    $$ h <@> NULL <= 3 $$,
    $$ h <@> '0123456789abcdef' <= NULL::int $$,
    $$ h <@> '0123456789abcdef' <= (SELECT NULL::int) $$,
    $$ h <@> (SELECT NULL::simhash) <= 3 $$,
    $$ h <@> '0123456789abcdef' = NULL::int $$
]) AS c, condition(c) AS f;
\echo '-- conditions that cannot use an index but give the right answer'
SELECT c, f.* FROM unnest(ARRAY[
    $$ h <@> '0123456789abcdef' > 50 $$,
    $$ h <@> '0123456789abcdef' >= 50 $$,
    $$ h <@> '0123456789abcdef' <> 3 $$,
    $$ NOT h <@> '0123456789abcdef' <= 50 $$,
    $$ (h <@> '0123456789abcdef')::int <= 3 $$,
    $$ (h <@> '0123456789abcdef') + 1 <= 4 $$,
    $$ h <@> '0123456789abcdef' <= 3.7 $$,
    $$ h <@> '0123456789abcdef' < 3.2::float8 $$,
    $$ h <@> '0123456789abcdef' IN (1, 2) $$,
    $$ h <@> '0123456789abcdef' = ANY ('{1,2}') $$,
    $$ 1 - (h <@> '0123456789abcdef') / 64.0 >= 0.95 $$,
    $$ (h <@> '0123456789abcdef', id) < (3, 0) $$,
    $$ h <@> '0123456789abcdef' <= grp $$,
    $$ h <@> '0123456789abcdef' = grp $$,
    $$ h <@> (id::bigint::simhash) <= 10 $$,
    $$ h <@> h <= 0 $$
]) AS c, condition(c) AS f;
\echo '-- a sub-select is planned once, and run once'
CREATE SEQUENCE runs;
CREATE FUNCTION counted(n int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM nextval('runs'); RETURN n; END $$;
SELECT cardinality(string_to_array(plan_names(q, 'Subplan Name'), ', ')) AS subplans
FROM unnest(ARRAY[$$ SELECT id FROM page WHERE h <@> '0123456789abcdef' = (SELECT counted(2)) $$]) AS q;
SELECT id FROM page WHERE h <@> '0123456789abcdef' = (SELECT counted(2));
SELECT last_value FROM runs;
\echo '-- a volatile radius is evaluated for each row, not by the index'
SET enable_seqscan = off;
SELECT plan_names('SELECT FROM page WHERE h <@> ''0123456789abcdef'' <= (random() * 3)::int', 'Index Name');
SELECT plan_names('SELECT FROM page WHERE h <@> ''0123456789abcdef'' = (random() * 3)::int', 'Index Name');
SELECT plan_names('SELECT FROM page WHERE h <@> (random() * 3)::bigint::simhash <= 3', 'Index Name');
RESET enable_seqscan;

\echo '-- parameters of every type and untyped ones, with custom and generic plans'
PREPARE p_int2 (int2) AS SELECT id FROM page WHERE h <@> '0123456789abcdef' <= $1;
PREPARE p_int4 (int4) AS SELECT id FROM page WHERE h <@> '0123456789abcdef' <= $1;
PREPARE p_int8 (int8) AS SELECT id FROM page WHERE h <@> '0123456789abcdef' <= $1;
PREPARE p_untyped AS SELECT id FROM page WHERE h <@> '0123456789abcdef' <= $1;
PREPARE p_untyped_both AS SELECT id FROM page WHERE h <@> $2 <= $1;
PREPARE p_untyped_reversed AS SELECT id FROM page WHERE $1 >= $2 <@> h;
PREPARE p_less (int) AS SELECT id FROM page WHERE h <@> '0123456789abcdef' < $1 + 1;
PREPARE p_equal (int8) AS SELECT id FROM page WHERE h <@> '0123456789abcdef' = $1;
PREPARE p_order (int) AS SELECT h <@> '0123456789abcdef' FROM page ORDER BY h <@> '0123456789abcdef' LIMIT $1;
PREPARE p_order_untyped AS SELECT h <@> $2 FROM page ORDER BY h <@> $2 LIMIT $1;
SELECT name, parameter_types FROM pg_prepared_statements WHERE name LIKE 'p\_%' ORDER BY name;
SET plan_cache_mode = force_custom_plan;
SELECT e, f.* FROM unnest(ARRAY['p_int2(3)', 'p_int4(3)', 'p_int8(3)', 'p_untyped(3)',
    $$p_untyped_both(3, '0123456789abcdef')$$, $$p_untyped_reversed(3, '0123456789abcdef')$$, 'p_less(3)', 'p_equal(3)',
    'p_order(5)', $$p_order_untyped(5, '0123456789abcdef')$$]) AS e, form('EXECUTE ' || e) AS f;
SET plan_cache_mode = force_generic_plan;
SELECT e, f.* FROM unnest(ARRAY['p_int2(3)', 'p_int4(3)', 'p_int8(3)', 'p_untyped(3)',
    $$p_untyped_both(3, '0123456789abcdef')$$, $$p_untyped_reversed(3, '0123456789abcdef')$$, 'p_less(3)', 'p_equal(3)',
    'p_order(5)', $$p_order_untyped(5, '0123456789abcdef')$$]) AS e, form('EXECUTE ' || e) AS f;
SELECT e, f.rows FROM unnest(ARRAY['p_int2(NULL)', 'p_int8(-9223372036854775808)',
    'p_int8(9223372036854775807)', 'p_untyped_both(3, NULL)', 'p_equal(-1)', 'p_equal(NULL)']) AS e, form('EXECUTE ' || e) AS f;
RESET plan_cache_mode;
DEALLOCATE ALL;

\echo '-- A generic plan does not know the radius. If it turns out to hold half of the table, the plain scan comes close to'
\echo '-- the table''s order, and fetches each page a few times, not once for each row.'
CREATE TABLE many AS SELECT i AS id, ('x' || md5(i::text))::bit(64)::simhash AS h FROM generate_series(1, 30000) AS i;
CREATE INDEX many_h ON many USING simhash (h);
VACUUM ANALYZE many;
CREATE FUNCTION buffers(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END $$;
PREPARE p_many (int) AS SELECT id FROM many WHERE h <@> '0123456789abcdef' <= $1;
PREPARE p_first (int) AS SELECT id FROM many WHERE h <@> '0123456789abcdef' <= $1 LIMIT 1;
SET plan_cache_mode = force_generic_plan;
SET enable_bitmapscan = off;
SELECT e, f.index, f.same FROM unnest('{p_many(28),p_many(32),p_many(64)}'::text[]) AS e, form('EXECUTE ' || e) AS f;
SET enable_seqscan = off;
SELECT r, rows > 10000 AS many, buffers(format('EXECUTE p_many(%s)', r)) < rows / 4 AS few_buffers,
    buffers(format('EXECUTE p_first(%s)', r)) < 20 AS first_at_once
FROM (SELECT r, (SELECT count(*) FROM many WHERE h <@> '0123456789abcdef' <= r) AS rows FROM unnest('{32,64}'::int[]) AS r) AS s;
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET plan_cache_mode;
DEALLOCATE ALL;
\echo '-- both sorts of scan with batches that work_mem limits'
SET work_mem = '64kB';
SET enable_bitmapscan = off;
SELECT rows, same FROM form($$ SELECT id FROM many WHERE h <@> '0123456789abcdef' <= 33 $$);
RESET enable_bitmapscan;
SET enable_indexscan = off;
SELECT rows, same FROM form($$ SELECT id FROM many WHERE h <@> '0123456789abcdef' <= 33 $$);
RESET enable_indexscan;
RESET work_mem;
DROP TABLE many;
DROP FUNCTION buffers;

\echo '-- nearest neighbors; page has two rows without a fingerprint, which come last'
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT h <@> '0123456789abcdef' FROM page ORDER BY h <@> '0123456789abcdef' LIMIT 10 $$,
    $$ SELECT '0123456789abcdef' <@> h FROM page ORDER BY '0123456789abcdef' <@> h LIMIT 10 $$,
    $$ SELECT h <@> '0123456789abcdef' AS d FROM page ORDER BY d LIMIT 10 $$,
    $$ SELECT h <@> '0123456789abcdef' FROM page ORDER BY 1 LIMIT 10 $$,
    $$ SELECT (h <@> '0123456789abcdef')::int FROM page ORDER BY 1 LIMIT 10 $$,
    $$ SELECT h <@> '0123456789abcdef' FROM page ORDER BY h <@> '0123456789abcdef' $$,
    $$ SELECT h <@> '0123456789abcdef' FROM page WHERE grp = 1 ORDER BY h <@> '0123456789abcdef' LIMIT 10 $$,
    $$ SELECT h <@> '0123456789abcdef' FROM page WHERE h <@> '0123456789abcdef' <= 4 ORDER BY h <@> '0123456789abcdef' $$,
    $$ SELECT h <@> '0123456789abcdef' FROM page WHERE h <@> 'fedcba9876543210' <= 40
       ORDER BY h <@> '0123456789abcdef' LIMIT 10 $$,
    $$ SELECT h <@> '0123456789abcdef', h <@> 'fedcba9876543210' FROM page
       ORDER BY h <@> '0123456789abcdef', h <@> 'fedcba9876543210' LIMIT 10 $$,
    $$ SELECT h <@> (SELECT '0123456789abcdef'::simhash) FROM page
       ORDER BY h <@> (SELECT '0123456789abcdef'::simhash) LIMIT 10 $$,
    $$ SELECT min(h <@> '0123456789abcdef') FROM page $$,
    $$ SELECT h <@> '0123456789abcdef' FROM page ORDER BY h <@> '0123456789abcdef' DESC NULLS LAST LIMIT 3 $$
]) AS q, form(q) AS f;
\echo '-- by distance and then by another column, which breaks ties: an incremental sort over the index'
CREATE TABLE tie (id int, grp int, h simhash) PARTITION BY LIST (grp);
CREATE TABLE tie_1 PARTITION OF tie FOR VALUES IN (0, 1, 2, 3, 4);
CREATE TABLE tie_2 PARTITION OF tie FOR VALUES IN (5, 6, 7, 8, 9);
INSERT INTO tie SELECT p.id + 10000 * n, p.grp, p.h FROM page AS p, generate_series(1, 3) AS n;
CREATE INDEX tie_h ON tie USING simhash (h);
ANALYZE tie;
PREPARE tie_order (simhash, int) AS SELECT h <@> $1, id FROM tie ORDER BY h <@> $1, id LIMIT $2;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT h <@> '0123456789abcdef', id FROM page ORDER BY h <@> '0123456789abcdef', id LIMIT 10 $$,
    $$ SELECT h <@> '0123456789abcdef', id FROM page ORDER BY h <@> '0123456789abcdef', id $$,
    $$ SELECT h <@> '0123456789abcdef' AS d, id FROM page ORDER BY d, id DESC LIMIT 2 $$,
    $$ SELECT '0123456789abcdef' <@> h AS d, id FROM page ORDER BY d, id LIMIT 10 $$,
    $$ SELECT id FROM page WHERE grp = 1 ORDER BY h <@> '0123456789abcdef', grp, body DESC NULLS LAST, id LIMIT 10 $$,
    $$ SELECT id FROM page ORDER BY h <@> '0123456789abcdef', h <@> 'fedcba9876543210', id LIMIT 40 $$,
    $$ SELECT h <@> '0123456789abcdef', id FROM tie ORDER BY h <@> '0123456789abcdef', id LIMIT 1 $$,
    $$ SELECT h <@> '0123456789abcdef', id FROM tie ORDER BY h <@> '0123456789abcdef', id DESC LIMIT 20 $$,
    $$ SELECT h <@> '0123456789abcdef', id FROM tie ORDER BY h <@> '0123456789abcdef', id $$,
    $$ SELECT h <@> '0123456789abcdef', id FROM tie WHERE h <@> 'fedcba9876543210' < 40
       ORDER BY h <@> '0123456789abcdef', id LIMIT 20 $$,
    $$ SELECT DISTINCT ON (h <@> '0123456789abcdef') h <@> '0123456789abcdef', id FROM tie
       ORDER BY h <@> '0123456789abcdef', id LIMIT 5 $$,
    $$ SELECT a.id, b.id FROM tie AS a, LATERAL (
           SELECT id FROM page AS p WHERE p.id < 3200 ORDER BY p.h <@> a.h, p.id LIMIT 3) AS b
       WHERE a.id IN (13001, 23201, 33202) ORDER BY a.id, b.id $$,
    $$ EXECUTE tie_order ('0123456789abcdef', 7) $$
]) AS q, form(q) AS f;
SET plan_cache_mode = force_generic_plan;
SELECT * FROM form($$ EXECUTE tie_order ('0123456789abcdef', 7) $$);
RESET plan_cache_mode;
\echo '-- not in the opposite direction, nor if the rows without a distance come first, nor without incremental sorts'
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT h <@> '0123456789abcdef', id FROM page ORDER BY h <@> '0123456789abcdef' DESC, id LIMIT 10 $$,
    $$ SELECT h <@> '0123456789abcdef', id FROM page ORDER BY h <@> '0123456789abcdef' NULLS FIRST, id LIMIT 10 $$,
    $$ SELECT h <@> '0123456789abcdef', id FROM page ORDER BY id, h <@> '0123456789abcdef' LIMIT 10 $$
]) AS q, form(q) AS f;
SET enable_incremental_sort = off;
SELECT rows, same FROM form($$ SELECT h <@> '0123456789abcdef', id FROM page ORDER BY h <@> '0123456789abcdef', id LIMIT 10 $$);
RESET enable_incremental_sort;
DEALLOCATE tie_order;
DROP TABLE tie;
\echo '-- queries that need no column must not become index-only scans, which this index does not support'
SET enable_seqscan = off;
SELECT q, plan_names(q, 'Node Type') ~ 'Index Only' AS index_only FROM unnest(ARRAY[
    $$ SELECT count(*) FROM page $$,
    $$ SELECT h <@> NULL FROM page ORDER BY h <@> NULL LIMIT 3 $$
]) AS q;
RESET enable_seqscan;
SELECT rows, same FROM form($$ SELECT count(*) FROM page $$);
SELECT rows, same FROM form($$ SELECT h <@> NULL FROM page ORDER BY h <@> NULL LIMIT 3 $$);

\echo '-- views, functions, sub-selects, common table expressions, windows'
CREATE VIEW seen AS SELECT id, grp, h <@> '0123456789abcdef' AS distance FROM page;
CREATE VIEW grouped AS SELECT grp, count(*), min(h <@> '0123456789abcdef') AS nearest FROM page GROUP BY grp;
CREATE FUNCTION near_sql(q simhash, r int) RETURNS SETOF int LANGUAGE sql STABLE AS
    $$ SELECT id FROM page WHERE h <@> q <= r $$;
CREATE FUNCTION near_plpgsql(q simhash, r int) RETURNS SETOF int LANGUAGE plpgsql STABLE AS
    $$ BEGIN RETURN QUERY SELECT id FROM page WHERE h <@> q <= r; END $$;
CREATE FUNCTION distance_sql(a simhash, b simhash) RETURNS hamming_distance LANGUAGE sql IMMUTABLE AS
    $$ SELECT a <@> b $$;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM seen WHERE distance <= 3 $$,
    $$ SELECT distance FROM seen ORDER BY distance LIMIT 5 $$,
    $$ SELECT * FROM near_sql('0123456789abcdef', 3) $$,
    $$ SELECT id FROM page WHERE distance_sql(h, '0123456789abcdef') <= 3 $$,
    $$ SELECT id, distance FROM (SELECT id, h <@> '0123456789abcdef' AS distance FROM page) AS s WHERE distance <= 3 $$,
    $$ SELECT * FROM (SELECT id, h <@> '0123456789abcdef' AS d FROM page WHERE h <@> '0123456789abcdef' <= 5 OFFSET 0)
       AS s WHERE d <= 3 $$,
    $$ SELECT * FROM (SELECT h <@> '0123456789abcdef' AS d FROM page ORDER BY d LIMIT 5 OFFSET 1) AS s ORDER BY d $$,
    $$ WITH s AS MATERIALIZED (SELECT id, h <@> '0123456789abcdef' AS d FROM page WHERE h <@> '0123456789abcdef' <= 5)
       SELECT * FROM s WHERE d <= 3 $$,
    $$ WITH s AS (SELECT id, h <@> '0123456789abcdef' AS d FROM page) SELECT * FROM s WHERE d <= 3 $$,
    $$ WITH RECURSIVE cluster (id, h) AS (
           SELECT id, h FROM page WHERE id = 3001
           UNION SELECT p.id, p.h FROM cluster AS c JOIN page AS p ON p.h <@> c.h <= 1)
       SELECT id FROM cluster $$,
    $$ SELECT id, d, rank() OVER (ORDER BY d), sum(d) OVER (ORDER BY d RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)
       FROM (SELECT id, h <@> '0123456789abcdef' AS d FROM page WHERE h <@> '0123456789abcdef' <= 5) AS s $$,
    $$ SELECT id, rank() OVER (ORDER BY h <@> '0123456789abcdef') FROM page WHERE h <@> '0123456789abcdef' <= 5 $$,
    $$ SELECT q.id, n.d FROM (SELECT * FROM page WHERE id > 3000) AS q
       CROSS JOIN LATERAL (SELECT h <@> q.h AS d FROM page ORDER BY h <@> q.h LIMIT 3) AS n $$,
    $$ SELECT q.id, n.d FROM (SELECT * FROM page WHERE id > 3000) AS q
       CROSS JOIN LATERAL (SELECT h <@> q.h AS d FROM page WHERE h <@> q.h <= 3 OFFSET 0) AS n WHERE n.d < 3 $$,
    $$ SELECT d, count(*) FROM (SELECT h <@> '0123456789abcdef' AS d FROM page WHERE h <@> '0123456789abcdef' <= 5) AS s
       GROUP BY d HAVING d <= 3 $$,
    $$ SELECT h <@> '0123456789abcdef', count(*) FROM page WHERE h <@> '0123456789abcdef' <= 5 GROUP BY 1 $$,
    $$ SELECT DISTINCT h <@> '0123456789abcdef' FROM page WHERE h <@> '0123456789abcdef' <= 5 $$,
    $$ SELECT id FROM page WHERE h <@> '0123456789abcdef' <= 2 UNION ALL
       SELECT id FROM page WHERE h <@> 'fedcba9876543210' <= 2 $$,
    $$ SELECT EXISTS (SELECT FROM page WHERE h <@> '0123456789abcdef' <= 2) $$,
    $$ SELECT array_agg(h <@> '0123456789abcdef' ORDER BY id) FROM page WHERE h <@> '0123456789abcdef' <= 3 $$,
    $$ SELECT CASE WHEN h <@> '0123456789abcdef' <= 1 THEN 'same' ELSE 'near' END FROM page
       WHERE h <@> '0123456789abcdef' <= 3 $$,
    $$ SELECT id FROM page WHERE h <@> '0123456789abcdef' <= 3 FOR UPDATE $$
]) AS q, form(q) AS f;
SELECT grp, nearest FROM grouped WHERE nearest <= 1 ORDER BY grp;
SELECT count(*) FROM near_plpgsql('0123456789abcdef', 3);
SELECT n FROM generate_series(0, 4) AS r, LATERAL (SELECT count(*) AS n FROM near_plpgsql('0123456789abcdef', r)) AS c
ORDER BY r;

\echo '-- tables created from distances'
CREATE TABLE made AS SELECT id, h <@> '0123456789abcdef' AS d FROM page WHERE h <@> '0123456789abcdef' <= 5;
CREATE TABLE made_empty AS SELECT id, h <@> '0123456789abcdef' AS d FROM page WITH NO DATA;
CREATE MATERIALIZED VIEW made_view AS SELECT h <@> '0123456789abcdef' AS d FROM page ORDER BY d LIMIT 5 WITH NO DATA;
REFRESH MATERIALIZED VIEW made_view;
SELECT attrelid::regclass, atttypid::regtype FROM pg_attribute
WHERE attrelid IN ('made'::regclass, 'made_empty'::regclass, 'made_view'::regclass, 'seen'::regclass)
    AND atttypid = 'hamming_distance'::regtype ORDER BY attrelid::regclass::text COLLATE "C";
SELECT * FROM made ORDER BY d, id;
SELECT * FROM made_view ORDER BY d;

\echo '-- joins, driven from either side'
CREATE TABLE query (id int, h simhash, r int);
INSERT INTO query VALUES (1, '0123456789abcdef', 3), (2, 'fedcba9876543210', 2), (3, NULL, 3), (4, '0123456789abcdff', NULL);
CREATE INDEX query_h ON query USING simhash (h);
ANALYZE query;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT q.id, p.id FROM query AS q JOIN page AS p ON p.h <@> q.h <= 3 $$,
    $$ SELECT q.id, p.id FROM query AS q JOIN page AS p ON q.h <@> p.h <= 3 $$,
    $$ SELECT q.id, p.id FROM query AS q JOIN page AS p ON p.h <@> q.h <= q.r $$,
    $$ SELECT q.id, p.id FROM query AS q JOIN page AS p ON p.h <@> q.h < q.r $$,
    $$ SELECT q.id, p.id FROM query AS q JOIN page AS p ON p.h <@> q.h = q.r $$,
    $$ SELECT q.id, p.id FROM query AS q JOIN page AS p ON p.h <@> '0123456789abcdef' <= q.r $$,
    $$ SELECT q.id, p.id FROM query AS q JOIN page AS p ON p.h ~= q.h $$,
    $$ SELECT q.id, p.id FROM query AS q LEFT JOIN page AS p ON p.h <@> q.h <= 3 $$,
    $$ SELECT q.id, p.id FROM page AS p RIGHT JOIN query AS q ON p.h <@> q.h <= 3 $$,
    $$ SELECT q.id FROM query AS q WHERE EXISTS (SELECT FROM page AS p WHERE p.h <@> q.h <= 3) $$,
    $$ SELECT q.id FROM query AS q WHERE NOT EXISTS (SELECT FROM page AS p WHERE p.h <@> q.h <= 3) $$,
    $$ SELECT q.id, (SELECT count(*) FROM page AS p WHERE p.h <@> q.h <= q.r) FROM query AS q $$
]) AS q, form(q) AS f;
\echo '-- from page to query: the index on the other side'
SELECT * FROM form($$ SELECT q.id, p.id FROM page AS p LEFT JOIN query AS q ON p.h <@> q.h <= 3 WHERE p.id > 1900 $$);
SELECT * FROM form($$ SELECT a.id, b.id FROM page AS a JOIN page AS b ON a.h <@> b.h <= 3 AND a.id < b.id $$);
SELECT * FROM form($$ SELECT a.id, b.id FROM page AS a JOIN page AS b ON b.h <@> a.h <= 3 AND a.id > 3000 $$);

\echo '-- data changes by distance'
BEGIN;
UPDATE page SET grp = -1 WHERE h <@> '0123456789abcdef' <= 3;
SELECT count(*) FROM page WHERE grp = -1;
DELETE FROM page USING query AS q WHERE page.h <@> q.h <= 1;
SELECT id FROM page WHERE h <@> '0123456789abcdef' <= 3 OR h <@> 'fedcba9876543210' <= 3 ORDER BY id;
ROLLBACK;

\echo '-- partitions, with indexes created through the parent'
CREATE TABLE parted (tenant int, id int, h simhash) PARTITION BY LIST (tenant);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES IN (1);
CREATE INDEX parted_h ON parted USING simhash (h);
INSERT INTO parted SELECT id % 2, id, h FROM page;
ANALYZE parted;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM parted WHERE h <@> '0123456789abcdef' <= 3 $$,
    $$ SELECT id FROM parted WHERE h <@> '0123456789abcdef' <= 3 AND tenant = 1 $$,
    $$ SELECT h <@> '0123456789abcdef' FROM parted ORDER BY h <@> '0123456789abcdef' LIMIT 5 $$,
    $$ SELECT q.id, p.id FROM query AS q JOIN parted AS p ON p.h <@> q.h <= 3 $$
]) AS q, form(q) AS f;

\echo '-- expression indexes and partial indexes'
CREATE TABLE other (id int, b bigint, h simhash, live boolean);
INSERT INTO other SELECT id, h::bigint, h, id % 2 = 0 FROM page;
CREATE INDEX other_expression ON other USING simhash ((b::simhash));
CREATE INDEX other_shifted ON other USING simhash (((b # 1)::simhash));
CREATE INDEX other_live ON other USING simhash (h) WHERE live;
CREATE INDEX other_ball ON other (id) WHERE h <@> '0123456789abcdef' <= 5;
ANALYZE other;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM other WHERE b::simhash <@> '0123456789abcdef' <= 3 $$,
    $$ SELECT b::simhash <@> '0123456789abcdef' FROM other ORDER BY b::simhash <@> '0123456789abcdef' LIMIT 5 $$,
    $$ SELECT id FROM other WHERE (b # 1)::simhash <@> '0123456789abcdef' <= 3 $$,
    $$ SELECT id FROM other WHERE h <@> '0123456789abcdef' <= 3 AND live $$,
    $$ SELECT id FROM other WHERE h <@> '0123456789abcdef' <= 5 AND id > 0 $$
]) AS q, form(q) AS f;
\echo '-- an index on the distance itself serves the comparisons, also where they could not be rewritten'
CREATE INDEX other_distance ON other ((h <@> '0123456789abcdef'));
ANALYZE other;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM other WHERE h <@> '0123456789abcdef' <= 5 $$,
    $$ SELECT id FROM other WHERE h <@> '0123456789abcdef' < 5 $$,
    $$ SELECT id FROM other WHERE 5 >= h <@> '0123456789abcdef' $$,
    $$ SELECT id FROM other WHERE h <@> '0123456789abcdef' = 5 $$,
    $$ SELECT id FROM other WHERE h <@> '0123456789abcdef' > 40 $$,
    $$ SELECT id FROM other WHERE NOT h <@> '0123456789abcdef' > 5 $$,
    $$ SELECT id FROM other WHERE h <@> '0123456789abcdef' BETWEEN 4 AND 5 $$,
    $$ SELECT id FROM other WHERE (h <@> '0123456789abcdef')::int <= 5 $$,
    $$ SELECT o.id FROM other AS o JOIN query AS q ON o.h <@> '0123456789abcdef' <= q.r $$
]) AS q, form(q) AS f;
\echo '-- but one on another distance does not'
SELECT * FROM form($$ SELECT id FROM other WHERE h <@> 'fedcba9876543210' <= 5 AND live $$);
\echo '-- partitions by distance are pruned, if their key is an integer or, before 18.4, a distance'
CREATE TABLE near_far (id int, h simhash) PARTITION BY RANGE ((h <@> '0123456789abcdef'));
CREATE TABLE near_far_0 PARTITION OF near_far FOR VALUES FROM (0) TO (10);
CREATE TABLE near_far_1 PARTITION OF near_far FOR VALUES FROM (10) TO (65);
CREATE TABLE near_far_int (id int, h simhash) PARTITION BY RANGE (((h <@> '0123456789abcdef')::int));
CREATE TABLE near_far_int_0 PARTITION OF near_far_int FOR VALUES FROM (0) TO (10);
CREATE TABLE near_far_int_1 PARTITION OF near_far_int FOR VALUES FROM (10) TO (65);
INSERT INTO near_far SELECT id, h FROM page WHERE h IS NOT NULL;
INSERT INTO near_far_int SELECT id, h FROM page WHERE h IS NOT NULL;
ANALYZE near_far, near_far_int;
SELECT c, plan_names('SELECT id FROM near_far_int WHERE ' || c, 'Relation Name') AS read, f.rows, f.same
FROM unnest(ARRAY[
    $$ h <@> '0123456789abcdef' <= 5 $$, $$ h <@> '0123456789abcdef' = 5 $$, $$ 10 > h <@> '0123456789abcdef' $$,
    $$ h <@> '0123456789abcdef' <= 11 $$, $$ h <@> 'fedcba9876543210' <= 5 $$, $$ h <@> '0123456789abcdef' > 40 $$,
    $$ NOT h <@> '0123456789abcdef' >= 10 $$
]) AS c, form('SELECT id FROM near_far_int WHERE ' || c) AS f;
SELECT c, pruned, f.rows, f.same
FROM (VALUES
    ($$ h <@> '0123456789abcdef' <= 5 $$, true), ($$ h <@> '0123456789abcdef' = 5 $$, true), ($$ 10 > h <@> '0123456789abcdef' $$, true),
    ($$ h <@> '0123456789abcdef' <= 11 $$, false), ($$ h <@> 'fedcba9876543210' <= 5 $$, false), ($$ h <@> '0123456789abcdef' > 40 $$, true)
) AS x (c, pruned), form('SELECT id FROM near_far WHERE ' || c) AS f
WHERE (plan_names('SELECT id FROM near_far WHERE ' || c, 'Relation Name') !~ ',') = pruned
    OR current_setting('server_version_num')::int >= 180004;
\echo '-- a btree or hash index on the column serves plain equality but not distances'
CREATE TABLE plain AS SELECT id, h FROM page;
CREATE INDEX plain_btree ON plain (h);
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM plain WHERE h = '0123456789abcdef' $$,
    $$ SELECT id FROM plain WHERE h > 'ff00000000000000' $$,
    $$ SELECT id FROM plain WHERE h <@> '0123456789abcdef' = 1 $$
]) AS q, form(q) AS f;

\echo '-- combined with another index'
CREATE TABLE wide AS
    SELECT i AS id, i % 20 AS grp, repeat('x', 500) AS body,
           CASE WHEN i / 20 % 20 = 0 THEN (x'0123456789abcdef'::bigint # (1::bigint << i % 64))::simhash
                ELSE ('x' || md5(i::text))::bit(64)::simhash END AS h
    FROM generate_series(1, 20000) AS i;
CREATE INDEX wide_grp ON wide (grp);
CREATE INDEX wide_h ON wide USING simhash (h);
ANALYZE wide;
SELECT plan_names($$ SELECT id FROM wide WHERE h <@> '0123456789abcdef' <= 3 AND grp = 7 $$, 'Node Type');
SELECT * FROM form($$ SELECT id FROM wide WHERE h <@> '0123456789abcdef' <= 3 AND grp = 7 $$);

\echo '-- the index is used under row-level security, because everything involved is leakproof'
CREATE ROLE regress_simhash_reader;
GRANT SELECT ON page, seen TO regress_simhash_reader;
CREATE POLICY own ON page FOR SELECT TO regress_simhash_reader USING (body LIKE 'near%');
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
SET ROLE regress_simhash_reader;
SELECT c, f.* FROM unnest(ARRAY[
    $$ h <@> '0123456789abcdef' <= 3 $$, $$ 4 > h <@> '0123456789abcdef' $$, $$ h <@> '0123456789abcdef' = 2 $$,
    $$ h <@> '0123456789abcdef' <= 3::bigint $$, $$ h <@> '0123456789abcdef' < (SELECT 4) $$,
    $$ h ~= '0123456789abcdef' $$, $$ h <@| '<0123456789abcdef,3>' $$, $$ h = '0123456789abcdef' $$
]) AS c, condition(c) AS f;
RESET ROLE;
ALTER TABLE page DISABLE ROW LEVEL SECURITY;
DROP POLICY own ON page;
CREATE VIEW barrier WITH (security_barrier) AS SELECT id, h FROM page WHERE body LIKE 'near%';
SELECT * FROM form($$ SELECT id FROM barrier WHERE h <@> '0123456789abcdef' <= 3 $$);

\echo '-- near-duplicates kept out'
CREATE TABLE kept (id int, h simhash, EXCLUDE USING simhash (h WITH ~=));
INSERT INTO kept SELECT id, h FROM page WHERE id > 3000 ORDER BY id ON CONFLICT DO NOTHING;
SELECT id FROM kept ORDER BY id;
SELECT count(*) FROM kept AS a JOIN kept AS b ON a.h ~= b.h AND a.id <> b.id;
INSERT INTO kept VALUES (0, '0123456789abcdec');
INSERT INTO kept VALUES (0, '0123456789abcd01');

\echo '-- stored distances behave like integers'
CREATE TABLE stored (id int, d hamming_distance);
INSERT INTO stored SELECT i, i % 65 FROM generate_series(1, 1300) AS i;
CREATE INDEX stored_d ON stored (d);
CREATE TABLE stored_too AS SELECT i AS id, i::hamming_distance AS d, i AS i4, i::bigint AS i8, i::smallint AS i2
    FROM generate_series(0, 9) AS i;
ANALYZE stored, stored_too;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM stored WHERE d = 3 $$,
    $$ SELECT id FROM stored WHERE d <= 0 $$,
    $$ SELECT id FROM stored WHERE 1 > d $$,
    $$ SELECT id FROM stored WHERE d = 3::bigint $$,
    $$ SELECT id FROM stored WHERE d = 3::smallint $$,
    $$ SELECT id FROM stored WHERE d = '3' $$,
    $$ SELECT id FROM stored WHERE d BETWEEN 3 AND 4 $$,
    $$ SELECT d FROM stored ORDER BY d LIMIT 3 $$,
    $$ SELECT max(d) FROM stored $$
]) AS q, form(q) AS f;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SELECT t, plan_names(format('SELECT FROM stored AS a JOIN stored_too AS b ON a.d = b.%s', t), 'Node Type')
FROM unnest('{d,i2,i4,i8}'::text[]) AS t;
SELECT plan_names('SELECT d FROM stored FULL JOIN stored_too USING (d)', 'Node Type');
SELECT count(*), count(stored.d), count(stored_too.d) FROM stored FULL JOIN stored_too USING (d);
SELECT count(*) FROM stored WHERE d IN (SELECT d FROM stored_too);
SELECT count(*) FROM stored WHERE d NOT IN (SELECT d FROM stored_too);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT t, plan_names(format('SELECT FROM stored AS a JOIN stored_too AS b ON a.d = b.%s', t), 'Node Type') ~ 'Merge Join'
FROM unnest('{d,i2,i4,i8}'::text[]) AS t;
SELECT plan_names('SELECT d FROM stored FULL JOIN stored_too USING (d)', 'Node Type') ~ 'Merge Join';
SELECT count(*), count(stored.d), count(stored_too.d) FROM stored FULL JOIN stored_too USING (d);
RESET enable_hashjoin;
RESET enable_nestloop;
SELECT count(*) FROM stored WHERE d IN (1, 2, 3);
SELECT count(*) FROM stored WHERE (d, id) > (63, 100);
\echo '-- a partition key of that type allows pruning'
CREATE TABLE by_distance (d hamming_distance) PARTITION BY LIST (d);
CREATE TABLE by_distance_0 PARTITION OF by_distance FOR VALUES IN (0);
CREATE TABLE by_distance_1 PARTITION OF by_distance FOR VALUES IN (1);
EXPLAIN (COSTS OFF) SELECT * FROM by_distance WHERE d = 1;

\echo '-- without the extension''s schema in the search_path'
SET search_path = pg_catalog;
SELECT q, f.* FROM unnest(ARRAY[
    $$ SELECT id FROM public.page WHERE h OPERATOR(public.<@>) '0123456789abcdef' <= 3 $$,
    $$ SELECT id FROM public.page WHERE public.hamming_within(h, '0123456789abcdef', 3) $$,
    $$ SELECT h OPERATOR(public.<@>) '0123456789abcdef' FROM public.page
       ORDER BY h OPERATOR(public.<@>) '0123456789abcdef' LIMIT 3 $$
]) AS q, public.form(q) AS f;
RESET search_path;

\echo '-- Parallel joins: workers scan one side and search the index for the other.'
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION plan_text(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text := '';
BEGIN FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP plan := plan || line || chr(10); END LOOP; RETURN plan; END $$;
CREATE TABLE outer_side AS SELECT id, h FROM page;
ANALYZE outer_side;
SELECT plan_text('SELECT count(*) FROM outer_side q JOIN page p ON p.h <@> q.h <= 3') ~ 'Gather(.|\n)*Parallel Seq Scan on outer_side(.|\n)*Index Scan using page_h' AS parallel;
SELECT count(*) AS parallel_count FROM outer_side q JOIN page p ON p.h <@> q.h <= 3 \gset
SET max_parallel_workers_per_gather = 0;
SELECT count(*) = :parallel_count AS same FROM outer_side q JOIN page p ON p.h <@> q.h <= 3;
RESET max_parallel_workers_per_gather;
\echo '-- Not a scan in the order of a parameter of a query around: workers do not get it.'
CREATE TABLE split (id int, s bit(128)) PARTITION BY HASH (id);
CREATE TABLE split_0 PARTITION OF split FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE split_1 PARTITION OF split FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO split SELECT i, ('x' || md5(i::text))::bit(128) FROM generate_series(1, 2000) AS i;
CREATE INDEX ON split USING simhash (s);
ANALYZE split;
SET enable_seqscan = off;
SET enable_incremental_sort = off;
SET parallel_leader_participation = off;
SELECT plan_text('SELECT a.id, b.id FROM split a, LATERAL (SELECT id FROM split b ORDER BY b.s <@> a.s, b.id LIMIT 1) b') ~ 'Parallel Append\s+->  Index Scan' AS parallel;
SELECT count(*) AS rows, count(*) FILTER (WHERE a.id = b.id) AS same FROM split a, LATERAL (SELECT id FROM split b ORDER BY b.s <@> a.s, b.id LIMIT 1) b WHERE a.id < 5;
SELECT id FROM split ORDER BY s <@> (SELECT s FROM split WHERE id = 7), id LIMIT 1;
RESET parallel_leader_participation;
RESET enable_incremental_sort;
RESET enable_seqscan;
DROP TABLE split;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP TABLE outer_side;
DROP FUNCTION plan_text;

DROP VIEW seen, grouped, barrier;
DROP MATERIALIZED VIEW made_view;
DROP TABLE page, made, made_empty, query, parted, other, near_far, near_far_int, plain, wide, kept, stored, stored_too, by_distance;
DROP FUNCTION plan_names, answer, form, condition, near_sql, near_plpgsql, distance_sql, counted;
DROP SEQUENCE runs;
DROP ROLE regress_simhash_reader;
