\set ECHO none
-- ORDER BY reads an index in rings. Rows are returned nearest first across all of them; a ring keeps few rows if few were
-- returned before it, and there are few rings even if most rows of the table are fetched.

CREATE TABLE ringed AS
    SELECT i AS id, (hashint8extended(i, 3) # CASE WHEN i % 1000 = 0 THEN 1 ELSE 0 END)::simhash AS h
    FROM generate_series(1, 30000) AS i;
-- rows at the distances 1, 2, 5 and 6 of the query, so that the first rings return some each
INSERT INTO ringed SELECT 30000 + i, (hashint8extended(0, 3) # (1::bigint << i))::simhash FROM generate_series(0, 2) AS i;
INSERT INTO ringed SELECT 30003 + i, (hashint8extended(0, 3) # (3::bigint << 2 * i))::simhash FROM generate_series(0, 2) AS i;
INSERT INTO ringed SELECT 30006 + i, (hashint8extended(0, 3) # (31::bigint << i))::simhash FROM generate_series(0, 40) AS i;
INSERT INTO ringed SELECT 30047 + i, (hashint8extended(0, 3) # (63::bigint << i))::simhash FROM generate_series(0, 40) AS i;
CREATE INDEX ringed_h ON ringed USING simhash (h);
CREATE TABLE ringed_wide AS
    SELECT id, (h::bit(64) || hashint8extended(seed, 1)::bit(64) || hashint8extended(seed, 2)::bit(64))::bit(192) AS s
    FROM ringed, LATERAL (SELECT CASE WHEN id > 30000 THEN 0 ELSE id END) AS x (seed);
CREATE INDEX ringed_wide_s ON ringed_wide USING simhash (s);
-- farther from every query than evenly spread rows are: the nearest of them are beyond where a ring is expected to fill
CREATE TABLE far AS SELECT i AS id, (~hashint8extended(i % 5, 3) # (1::bigint << i % 64))::simhash AS h
    FROM generate_series(1, 20000) AS i;
CREATE INDEX far_h ON far USING simhash (h);
VACUUM ANALYZE ringed, ringed_wide, far;

CREATE FUNCTION asked(target regclass) RETURNS text LANGUAGE sql AS $$
    SELECT CASE target::text WHEN 'ringed_wide'
        THEN format('%L::bit(192)', hashint8extended(0, 3)::bit(64) || hashint8extended(0, 1)::bit(64) || hashint8extended(0, 2)::bit(64))
        ELSE format('%L::simhash', hashint8extended(0, 3)::simhash) END
$$;

\echo '-- The distances that a cursor returns, a thousand at a time, or with a limit, are those of a sequential scan.'
CREATE FUNCTION differs(target regclass, key name, condition text, rows int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    query text := format('SELECT %I <@> %s AS d FROM %s WHERE %s', key, asked(target), target, condition);
    found int[];
    expected int[];
BEGIN
    EXECUTE 'SET LOCAL enable_seqscan = off';
    EXECUTE 'SET LOCAL enable_sort = off';
    EXECUTE format('SELECT array_agg(d::int) FROM (%s ORDER BY 1 LIMIT %s) AS x', query, rows) INTO found;
    EXECUTE 'SET LOCAL enable_seqscan = on';
    EXECUTE 'SET LOCAL enable_sort = on';
    EXECUTE 'SET LOCAL enable_indexscan = off';
    EXECUTE format('SELECT array_agg(d::int) FROM (%s ORDER BY 1 LIMIT %s) AS x', query, rows) INTO expected;
    EXECUTE 'SET LOCAL enable_indexscan = on';
    RETURN found IS DISTINCT FROM expected;
END $$;
SELECT target, memory, condition, rows
FROM unnest('{64kB,4MB}'::text[]) AS memory,
    unnest('{"true", "id % 50 = 7"}'::text[]) AS condition,
    unnest('{1,5,6,46,47,50,87,88,200,511,512,513,1024,1025,3000,20000,40000}'::int[]) AS rows,
    (VALUES ('ringed'::regclass, 'h'), ('ringed_wide', 's'), ('far', 'h')) AS t (target, key),
    set_config('work_mem', memory, true)
WHERE differs(target, key, condition, rows);

-- What a ring keeps is in the memory of the executor, 16 bytes for each row. PostgreSQL 13 cannot tell.
CREATE FUNCTION executor_bytes() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    bytes bigint := 0;
BEGIN
    IF current_setting('server_version_num')::int >= 140000 THEN
        EXECUTE 'SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name IN (''ExecutorState'', ''simhash scan'')' INTO bytes;
    END IF;
    RETURN bytes;
END $$;
\echo '-- How often all pages of the index have been read. Only differences count: earlier transactions are included until the'
\echo '-- session reports its statistics, at most once a second.'
CREATE FUNCTION times_read(index regclass) RETURNS float8 LANGUAGE sql AS $$
    SELECT pg_stat_get_xact_blocks_fetched(index) * current_setting('block_size')::float8 / pg_relation_size(index)
$$;
SET enable_seqscan = off;
SET enable_sort = off;
SELECT asked('ringed') AS near, asked('ringed_wide') AS near_wide \gset
BEGIN;
DECLARE few CURSOR FOR SELECT id FROM ringed ORDER BY h <@> :near;
MOVE 1 FROM few;
SELECT executor_bytes() AS before \gset
MOVE 200 FROM few;
SELECT executor_bytes() - :before < 50000 AS few_kept;
COMMIT;
BEGIN;
SELECT times_read('ringed_h') AS before, times_read('ringed_wide_s') AS before_wide \gset
DECLARE many CURSOR FOR SELECT id FROM ringed ORDER BY h <@> :near;
MOVE 25000 FROM many;
SELECT times_read('ringed_h') - :before < 3 AS few_rings;
DECLARE many_wide CURSOR FOR SELECT id FROM ringed_wide ORDER BY s <@> :near_wide;
MOVE 25000 FROM many_wide;
SELECT times_read('ringed_wide_s') - :before_wide < 1 AS few_rings;
COMMIT;

-- So many rows that a ring goes on with what the one before has not read, and some at distances up to 9 of each query.
CREATE TABLE many AS SELECT i AS id, hashint8extended(i, 5)::simhash AS h FROM generate_series(1, 300000) AS i;
INSERT INTO many
    SELECT 1000 * (1000 + query) + i, (hashint8extended(query, 6) # flips)::simhash
    FROM generate_series(1, 20) AS query, generate_series(1, 60) AS i,
        LATERAL (SELECT bit_or(1::bigint << (hashint4extended(10 * i + flip, query) & 63)::int) AS flips
                 FROM generate_series(1, 4 + i % 6) AS flip) AS f;
CREATE INDEX many_h ON many USING simhash (h);
VACUUM ANALYZE many;
CREATE FUNCTION nearest(query int, rows int, OUT ids int[], OUT distances int[]) LANGUAGE sql AS $$
    SELECT array_agg(id), array_agg(d)
    FROM (SELECT id, (h <@> hashint8extended(query, 6)::simhash)::int AS d FROM many
          ORDER BY h <@> hashint8extended(query, 6)::simhash LIMIT rows) AS x
$$;
CREATE TABLE found AS SELECT query, rows, ids, distances
    FROM generate_series(1, 20) AS query, unnest('{1,10,30,70}'::int[]) AS rows, nearest(query, rows);
SET enable_seqscan = on;
SET enable_sort = on;
SET enable_indexscan = off;
\echo '-- Where rings go on with what the one before has not read, each row is returned once, and in order.'
SELECT query, rows FROM found, nearest(query, rows) AS expected
WHERE found.distances <> expected.distances OR (SELECT count(DISTINCT id) FROM unnest(found.ids) AS id) <> rows;

DROP FUNCTION differs, executor_bytes, times_read, asked, nearest;
DROP TABLE ringed, ringed_wide, far, many, found;
