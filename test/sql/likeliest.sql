\set ECHO none
-- Exact searches that read the likeliest leaves first: each row of a sequential scan once, and the first row early.
SET max_parallel_workers_per_gather = 0;
SET simhash.enable_join = off;
SET jit = off;
SET enable_bitmapscan = off;

-- uniform rows, near-duplicates, skewed rows, and runs of equal rows that take several leaves
CREATE FUNCTION flips(n bigint, most bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS
    $$ SELECT coalesce(bit_or(1::bigint << (hashint8extended(n, i) & 63)::int), 0) FROM generate_series(1, abs(hashint8extended(n, 5)) % (most + 1)) i $$;
CREATE TABLE doc (id bigint, kind text, h simhash);
INSERT INTO doc SELECT i, 'uniform', hashint8extended(i, 5)::simhash FROM generate_series(1, 20000) i;
INSERT INTO doc SELECT 100000 + i, 'near', (hashint8extended(i % 40, 5) # flips(i, 9))::simhash FROM generate_series(1, 4000) i;
INSERT INTO doc SELECT 200000 + i, 'skewed', (hashint8extended(i, 5) & hashint8extended(i + 7, 5) & 72057594037927935)::simhash FROM generate_series(1, 4000) i;
INSERT INTO doc SELECT 300000 + i, 'equal', CASE i % 4 WHEN 0 THEN 0 WHEN 1 THEN -1 ELSE hashint8extended(3, 5) END::simhash
    FROM generate_series(1, 6000) i;
INSERT INTO doc VALUES (0, 'null', NULL);

\echo '-- Queries with the signs of weights, the small ones of which are those that near-duplicates flip most.'
CREATE TABLE query AS
    SELECT id, b::simhash AS h,
           (SELECT array_agg((CASE WHEN b >> j & 1 = 1 THEN 1 ELSE -1 END * (1 + abs(hashint8extended(id, j)) % 97)) ORDER BY j)
            FROM generate_series(0, 63) j)::real[]::simhash_weights AS w
    FROM (SELECT i AS id, CASE WHEN i <= 40 THEN hashint8extended(i % 40, 5) # flips(i, 3) WHEN i <= 50 THEN hashint8extended(-i, 5)
                  WHEN i = 51 THEN 0 WHEN i = 52 THEN -1 WHEN i = 53 THEN hashint8extended(3, 5) ELSE hashint8extended(i, 5) & hashint8extended(i + 7, 5) & 72057594037927935 END AS b
          FROM generate_series(1, 60) i) s;
SELECT count(*), count(*) FILTER (WHERE h <@> w = 0) FROM query;
CREATE TABLE want AS SELECT q.id AS query, d.id, (d.h <@> q.h)::int AS distance FROM query q JOIN doc d ON (d.h <@> q.h)::int <= 9;
ANALYZE;

\echo '-- For radii and forms: the rows that are missing, wrong or repeated, the queries whose first row is wrong, and those for which'
\echo '-- EXISTS is.'
CREATE FUNCTION wrong(tables int, radii int[]) RETURNS TABLE (form text, missing bigint, wrong bigint, firsts bigint, existing bigint) LANGUAGE plpgsql AS $$
DECLARE r int; condition text;
BEGIN
    EXECUTE format('CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = %s)', tables);
    SET LOCAL enable_seqscan = off;
    FOREACH r IN ARRAY radii LOOP
        FOR form, condition IN VALUES ('h', 'd.h <@> q.h <= %s'), ('w', 'd.h <@> q.w <= %s'), ('reversed', '%s >= q.w <@> d.h'),
            ('within', 'hamming_within(d.h, q.w, %s)'),
            ('ball', 'd.h <@| simhash_ball(q.w, %s, 1)') LOOP
            CONTINUE WHEN form IN ('reversed', 'within') AND r NOT IN (3, 8);
            condition := format(condition, r);
            EXECUTE format('CREATE TEMP TABLE got AS SELECT q.id AS query, d.id FROM query q JOIN doc d ON %s', condition);
            EXECUTE format('SELECT count(*) FROM query q LEFT JOIN LATERAL (SELECT d.id FROM doc d WHERE %s LIMIT 1) f ON true
                WHERE CASE WHEN f.id IS NULL THEN (q.id IN (SELECT query FROM want WHERE distance <= %2$s))
                           ELSE (q.id, f.id) NOT IN (SELECT query, id FROM want WHERE distance <= %2$s) END', condition, r) INTO firsts;
            EXECUTE format('SELECT count(*) FROM query q WHERE EXISTS (SELECT FROM doc d WHERE %s) <> EXISTS (SELECT FROM want WHERE query = q.id AND distance <= %s)',
                condition, r) INTO existing;
            SELECT count(*) INTO missing FROM (SELECT query, id FROM want WHERE distance <= r EXCEPT ALL TABLE got) x;
            SELECT count(*) INTO wrong FROM (TABLE got EXCEPT ALL SELECT query, id FROM want WHERE distance <= r) x;
            form := form || ' ' || r;
            RETURN NEXT;
            DROP TABLE got;
        END LOOP;
    END LOOP;
    DROP INDEX doc_h;
END $$;
SELECT tables, count(*) AS forms, sum(missing) AS missing, sum(wrong) AS wrong, sum(firsts) AS firsts, sum(existing) AS existing
FROM unnest('{1, 2, 3, 4, 10}'::int[]) tables, LATERAL wrong(tables, '{0, 1, 3, 5, 8}') GROUP BY tables ORDER BY tables;

\echo '-- leaves until the first row: by weights fewer than without, and without far fewer than all; in all, no more leaves'
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = 1);
CREATE FUNCTION leaves(by text, OUT first numeric, OUT total numeric) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT avg(first), avg(total) FROM query q, LATERAL (
        SELECT min(step) FILTER (WHERE matches > 0) AS first, max(step) AS total FROM simhash_index_trace(''doc_h'', %s)) p
        WHERE q.id <= 40 AND first IS NOT NULL', by) INTO first, total;
END $$;
SELECT w.first <= 4 AS "few by weights", h.first <= 8 AS "few without", w.total BETWEEN h.total - 1 AND h.total + 1 AS "all alike",
       h.first * 4 < h.total AS "a quarter"
FROM leaves('simhash_ball(q.w, 3, 1)') w, leaves('simhash_ball(q.h, 3)') h;

\echo '-- the nearest rows: their distances are those of a sequential scan, and the first row comes early'
CREATE TABLE near_rows AS SELECT q.id, distance, row_number() OVER (PARTITION BY q.id ORDER BY distance) AS place
    FROM query q, LATERAL (SELECT (d.h <@> q.h)::int AS distance FROM doc d ORDER BY 1 LIMIT 200) s;
CREATE FUNCTION nearest(rows int, by text, condition text, OUT queries bigint, OUT wrong bigint, OUT pages bigint) LANGUAGE plpgsql AS $$
DECLARE q query; got int[]; begun bigint := pg_stat_get_xact_blocks_fetched('doc_h'::regclass);
BEGIN
    queries := 0; wrong := 0;
    FOR q IN SELECT * FROM query ORDER BY id LOOP
        EXECUTE format('SELECT array_agg(distance) FROM (SELECT (h <@> $1)::int AS distance FROM doc WHERE %s ORDER BY h <@> %s LIMIT %s) s',
            condition, by, rows) INTO got USING q.h, q.w;
        queries := queries + 1;
        wrong := wrong + (got IS DISTINCT FROM (SELECT array_agg(distance ORDER BY place) FROM near_rows n
            WHERE n.id = q.id AND place <= rows AND (condition = 'true' OR distance <= 8)))::int;
    END LOOP;
    pages := pg_stat_get_xact_blocks_fetched('doc_h'::regclass) - begun;
END $$;
SET enable_seqscan = off;
SELECT rows, by, condition, queries, wrong FROM unnest('{1, 5, 200}'::int[]) rows, unnest('{$1, $2}'::text[]) by,
    unnest('{true, h <@> $2 <= 8}'::text[]) condition, LATERAL nearest(rows, by, condition) ORDER BY 1, 2, 3;
SELECT first.pages < each.pages / 2 AS "half the pages for the first" FROM nearest(1, '$2', 'h <@> $2 <= 3') first, nearest(200, '$2', 'h <@> $2 <= 3') each;

\echo '-- where farther rows are in the likeliest leaf, and the nearest one elsewhere'
CREATE TABLE lone AS SELECT hashint8extended(-i, 5)::simhash AS h FROM generate_series(1, 20000) i;
INSERT INTO lone SELECT (hashint8extended(1000 + j, 5) # (1::bigint << j))::simhash FROM generate_series(0, 63) j;
INSERT INTO lone SELECT (hashint8extended(1000 + j, 5) # (1::bigint << i) # (1::bigint << i + 1) # (1::bigint << i + 2))::simhash
    FROM generate_series(0, 63) j, generate_series(0, 61, 4) i;
CREATE INDEX lone_h ON lone USING simhash (h) WITH (trees = 1);
SELECT count(*) AS queries, count(*) FILTER (WHERE ours IS DISTINCT FROM theirs) AS wrong
FROM (SELECT hashint8extended(1000 + j, 5)::simhash AS q FROM generate_series(0, 63) j) s,
    LATERAL (SELECT array_agg(d) AS ours FROM (SELECT (h <@> q)::int AS d FROM lone ORDER BY h <@> q LIMIT 20) x) y,
    LATERAL (SELECT array_agg(d) AS theirs FROM (SELECT (h <@> q)::int AS d FROM lone ORDER BY (h <@> q)::int + 0 LIMIT 20) x) z;

\echo '-- costs: the first of many rows comes early, and a search that may find none reads all'
CREATE FUNCTION cost(query text, OUT first float8, OUT total float8) LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    SELECT plan -> 0 -> 'Plan' ->> 'Startup Cost', plan -> 0 -> 'Plan' ->> 'Total Cost' INTO first, total;
END $$;
SELECT everything.first > 4 AS "at least a page", everything.first * 4 < everything.total AS "early",
       one.total BETWEEN everything.first AND everything.first * 1.2 AS "one of many", none.total > none.first * 4 AS "none"
FROM cost('SELECT id FROM doc WHERE h <@> 0::bigint::simhash <= 3') everything, cost('SELECT id FROM doc WHERE h <@> 0::bigint::simhash <= 3 LIMIT 1') one,
     cost('SELECT id FROM doc WHERE h <@> 4711::bigint::simhash <= 3') none;
RESET enable_seqscan;
DROP INDEX doc_h;

\echo '-- Cursors that have fetched a row while inserts split the leaves, in later rounds also after rescans: the rows of the'
\echo '-- snapshot, each once.'
CREATE FUNCTION beneath(tables int, condition text, OUT opened bigint, OUT missing bigint, OUT wrong bigint, OUT repeated bigint)
LANGUAGE plpgsql AS $$
DECLARE c refcursor; next bigint; found bigint[]; target bigint[]; q query;
BEGIN
    opened := 0; missing := 0; wrong := 0; repeated := 0;
    CREATE TABLE grown (id bigint, h simhash);
    INSERT INTO grown SELECT id, h FROM doc WHERE id % 3 = 0;
    EXECUTE format('CREATE INDEX grown_h ON grown USING simhash (h) WITH (trees = %s)', tables);
    FOR q IN SELECT * FROM query WHERE id IN (1, 2, 5, 40, 51, 52, 53) ORDER BY id LOOP
        SET LOCAL enable_seqscan = on;
        target := (SELECT array_agg(g.id) FROM grown g WHERE (g.h <@> q.h)::int <= 8);
        SET LOCAL enable_seqscan = off;
        OPEN c FOR EXECUTE 'SELECT id FROM grown WHERE ' || condition USING q.h, q.w;
        found := '{}';
        opened := opened + 1;
        FETCH c INTO next;
        INSERT INTO grown SELECT -id, (q.h::bigint # flips(id + q.id, 12))::simhash FROM generate_series(1, 3000) id;
        WHILE next IS NOT NULL LOOP
            found := found || next;
            FETCH c INTO next;
        END LOOP;
        CLOSE c;
        missing := missing + (SELECT count(*) FROM (SELECT unnest(target) EXCEPT SELECT unnest(found)) x);
        wrong := wrong + (SELECT count(*) FROM (SELECT unnest(found) EXCEPT SELECT unnest(target)) x);
        repeated := repeated + cardinality(found) - (SELECT count(DISTINCT x) FROM unnest(found) x);
    END LOOP;
    DROP TABLE grown;
END $$;
SELECT tables, condition, b.* FROM unnest('{1, 2, 4}'::int[]) tables, unnest('{h <@> $1 <= 8,h <@> $2 <= 8}'::text[]) condition,
    LATERAL beneath(tables, condition) b ORDER BY 1, 2;

\echo '-- semi joins, and a generic plan'
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = 2);
EXPLAIN (COSTS OFF) SELECT count(*) FROM query q WHERE EXISTS (SELECT FROM doc d WHERE d.h <@> q.w <= 3);
SET enable_seqscan = off;
SELECT count(*) FROM query q WHERE EXISTS (SELECT FROM doc d WHERE d.h <@> q.w <= 3);
SELECT count(DISTINCT query) FROM want WHERE distance <= 3;
SET plan_cache_mode = force_generic_plan;
PREPARE near(simhash_weights, int) AS SELECT count(*) FROM doc WHERE h <@> $1 <= $2;
EXPLAIN (COSTS OFF) EXECUTE near(NULL, NULL);
CREATE FUNCTION near_rows(w simhash_weights, r int) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM doc WHERE h <@> w <= r';
SELECT count(*) FROM query q, generate_series(0, 9) r
WHERE near_rows(q.w, r) <> (SELECT count(*) FROM want WHERE query = q.id AND distance <= r);
RESET plan_cache_mode;

\echo '-- the searches of an exclusion constraint and of ON CONFLICT'
CREATE TABLE apart (id bigint, h simhash, EXCLUDE USING simhash (h WITH ~=) WITH (trees = 1));
INSERT INTO apart SELECT id, h FROM doc WHERE kind IN ('uniform', 'near', 'equal') ORDER BY id % 7, id ON CONFLICT DO NOTHING;
SELECT count(*) AS pairs FROM apart a JOIN apart b ON a.h <@> b.h <= 3 AND a.id < b.id;
SELECT count(*) AS "rows without one near" FROM doc d
WHERE kind IN ('uniform', 'near', 'equal') AND NOT EXISTS (SELECT FROM apart a WHERE a.h ~= d.h);

\echo '-- Two runs of equal rows that end and begin in one leaf, while there is no room to note what has been read.'
CREATE FUNCTION between_runs(seed int, flipped int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE q bigint := (hashint8extended(seed, 77) | 1::bigint << flipped) & ~(2::bigint << flipped); rows int[] := '{}'; r int; same bigint := 0;
BEGIN
    CREATE TABLE runs AS SELECT hashint8extended(i, seed)::simhash AS h FROM generate_series(1, 20000 + (hashint8extended(seed, 3) & 16383)) i;
    INSERT INTO runs SELECT (q # 1::bigint << flipped)::simhash FROM generate_series(1, 500 + (hashint8extended(seed, 1) & 1023));
    INSERT INTO runs SELECT (q # 2::bigint << flipped)::simhash FROM generate_series(1, 500 + (hashint8extended(seed, 2) & 1023));
    INSERT INTO runs SELECT q::simhash FROM generate_series(1, 1 + seed % 20);
    CREATE INDEX runs_h ON runs USING simhash (h);
    SET LOCAL enable_seqscan = off;
    FOR r IN 4..9 LOOP
        rows := rows || (SELECT count(*)::int FROM runs WHERE h <@> q::simhash <= r);
    END LOOP;
    FOR r IN 4..9 LOOP
        same := same + (rows[r - 3] = (SELECT count(*) FROM runs WHERE (h <@> q::simhash)::int <= r))::int;
    END LOOP;
    DROP TABLE runs;
    RETURN same;
END $$;
SELECT seed, between_runs(seed, 16 * (seed % 4)) AS same FROM generate_series(49, 50) AS seed;
