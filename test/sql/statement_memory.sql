\set ECHO none
-- The memory of a long statement does not grow with its rows.

-- Bytes that the statements of this session use. PostgreSQL 13 does not tell them.
CREATE FUNCTION used_bytes(contexts text) RETURNS bigint LANGUAGE plpgsql PARALLEL RESTRICTED AS $$
DECLARE bytes bigint := 0;
BEGIN
    IF current_setting('server_version_num')::int >= 140000 THEN
        EXECUTE 'SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name ~ $1' INTO bytes USING contexts;
    END IF;
    RETURN bytes;
END $$;
CREATE TABLE noted (id int, bytes bigint);
CREATE FUNCTION note_memory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.id % 1000 = 0 THEN
        INSERT INTO noted VALUES (NEW.id, used_bytes('^(ExecutorState|simhash scan)$'));
    END IF;
    RETURN NEW;
END $$;
-- Bytes that each of the last thousand rows left.
CREATE FUNCTION bytes_per_row() RETURNS bigint LANGUAGE sql AS $$
    SELECT (max(bytes) - min(bytes)) / 1000 FROM (SELECT bytes FROM noted ORDER BY id DESC LIMIT 2) AS last $$;

-- An exclusion constraint begins a scan for each row, all in the memory of the statement.

CREATE FUNCTION key64(i int) RETURNS simhash LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || left(md5(i::text), 16))::bit(64)::simhash $$;
CREATE FUNCTION key4096(i int) RETURNS bit(4096) LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || repeat(md5(i::text), 32))::bit(4096) $$;

\echo '-- With one table, a search has so many leaves that it begins with the likeliest.'
CREATE TABLE apart (id int, h simhash);
INSERT INTO apart SELECT -i, key64(-i) FROM generate_series(1, 50000) i;
ALTER TABLE apart ADD EXCLUDE USING simhash (h WITH ~=) WITH (trees = 1);
CREATE TRIGGER note BEFORE INSERT ON apart FOR EACH ROW EXECUTE FUNCTION note_memory();
INSERT INTO apart SELECT i, key64(i) FROM generate_series(1, 4000) i;
SELECT bytes_per_row();
INSERT INTO apart SELECT i, key64(i) FROM generate_series(4001, 8000) i ON CONFLICT DO NOTHING;
SELECT bytes_per_row();
INSERT INTO apart SELECT i, key64(i - 8000) FROM generate_series(8001, 12000) i ON CONFLICT DO NOTHING;
SELECT bytes_per_row();

CREATE TABLE unequal (id int, h simhash, s bit(4096), EXCLUDE USING simhash (h WITH =), EXCLUDE USING simhash (s WITH =),
    EXCLUDE USING simhash (s WITH =) WITH (trees = 0) DEFERRABLE);
CREATE TRIGGER note BEFORE INSERT ON unequal FOR EACH ROW EXECUTE FUNCTION note_memory();
INSERT INTO unequal SELECT i, key64(i), key4096(i) FROM generate_series(12001, 16000) i;
SELECT bytes_per_row();

\echo '-- Signatures that are stored outside of the table'
CREATE TABLE wide (id int, s bit(4096), body text);
ALTER TABLE wide ALTER s SET STORAGE EXTERNAL, ALTER body SET STORAGE PLAIN;
INSERT INTO wide SELECT i, key4096(i), repeat('x', 3000) FROM generate_series(16001, 19000) i;
CREATE TABLE copied (LIKE wide INCLUDING STORAGE);
CREATE INDEX ON copied USING simhash (s) WITH (trees = 2);
CREATE TRIGGER note BEFORE INSERT ON copied FOR EACH ROW EXECUTE FUNCTION note_memory();
INSERT INTO copied SELECT * FROM wide;
SELECT bytes_per_row();

\echo '-- The other operator classes: texts and tenants are stored outside of the table, and each search and recheck reads them.'
CREATE FUNCTION words(i int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(md5((i * 100 + n)::text), ' ') FROM generate_series(1, 40) n $$;
CREATE TABLE near (id int, tenant text, body text, h simhash, s bit(256), EXCLUDE USING simhash (body WITH ~=),
    EXCLUDE USING simhash (tenant simhash_equal_text_ops WITH =, h WITH ~=), EXCLUDE USING simhash (simhash_ball(h, 5) WITH ~=),
    EXCLUDE USING simhash (signature_ball(s, 20) WITH ~=)) WITH (toast_tuple_target = 128);
ALTER TABLE near ALTER body SET STORAGE EXTERNAL, ALTER tenant SET STORAGE EXTERNAL;
CREATE TRIGGER note BEFORE INSERT ON near FOR EACH ROW EXECUTE FUNCTION note_memory();
INSERT INTO near SELECT i, repeat('t', 2000 + i % 3), words(i / 2) || left(' z', i % 2 * 2), key64(i / 2), ('x' || repeat(md5((i / 2)::text), 2))::bit(256)
    FROM generate_series(20001, 23000) i ON CONFLICT DO NOTHING;
SELECT count(*) AS kept, bytes_per_row() FROM near;

\echo '-- Of a large scan nothing is kept.'
SET enable_seqscan = off;
SET enable_sort = off;
SELECT count(*) FROM (SELECT FROM apart ORDER BY h <@> key64(1) OFFSET 0) AS nearest;
SELECT coalesce(used_bytes('^simhash scan$'), 0) < 300000 AS small;
RESET enable_seqscan;
RESET enable_sort;

\echo '-- Aggregates. Hash aggregation keeps the states of all groups: those of simhash_agg are no larger than those of a signature.'

CREATE FUNCTION memory_of(aggregate text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, FORMAT json) SELECT i %% 20000, %s FROM feature GROUP BY 1', aggregate) INTO plan;
    RETURN (plan->0->'Plan'->>'Peak Memory Usage')::bigint;
END $$;
CREATE TABLE feature (i int, g int, f text, w simhash_weights);
INSERT INTO feature SELECT i, i % 200, i::text, to_simhash_weights(i::text) FROM generate_series(1, 40000) i;
SET work_mem = '1GB';
SET enable_sort = off;
SET max_parallel_workers_per_gather = 0;
SELECT aggregate, memory_of(aggregate) <= 1.02 * memory_of('signature_agg(f, 64)') AS small
FROM unnest('{simhash_agg(f),"simhash_agg(f, 2)",simhash_agg(w),simhash_weights_agg(f),"simhash_weights_agg(f, 2)",simhash_weights_agg(w)}'::text[])
    AS aggregate;

\echo '-- A state that another process sends is free once it has been added to that of its group. So when all have been added, the'
\echo '-- groups take hardly more than without other processes.'
CREATE FUNCTION memory_of_groups(aggregate text, workers int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    before bigint := used_bytes('.');
    bytes bigint;
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
    EXECUTE format('SELECT max(used_bytes(''.'')) FROM (SELECT %s AS v FROM feature GROUP BY g OFFSET 0) s WHERE v IS NOT NULL',
        aggregate) INTO bytes;
    RETURN bytes - before;
END $$;
SET parallel_leader_participation = off; -- its own states are not sent
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
ALTER TABLE feature SET (parallel_workers = 3);
ANALYZE feature;
EXPLAIN (COSTS OFF) SELECT signature_agg(f, 4096) FROM feature GROUP BY g;
SELECT aggregate, memory_of_groups(aggregate, 3) <= 1.1 * memory_of_groups(aggregate, 0) + 100000 AS small
FROM unnest('{"signature_agg(f, 4096)","minhash_agg(f, 4096)",feature_frequencies_agg(f),simhash_agg(f)}'::text[]) AS aggregate;

\echo '-- A function that returns rows leaves hardly anything for each call.'
SELECT name, max(bytes) - min(bytes) < 200 * count(*) AS small FROM (
    SELECT 'pair groups' AS name, used_bytes('^ExecutorState$') AS bytes FROM generate_series(1, 4000) AS n, LATERAL simhash_pair_groups(ARRAY[n, 2], ARRAY[3, 4])
    UNION ALL SELECT 'designs', used_bytes('^ExecutorState$') FROM generate_series(1, 4000) AS n, LATERAL simhash_index_designs(1 + n % 3) LIMIT 100000) AS used GROUP BY name ORDER BY name;
DROP TABLE apart, unequal, near, noted, feature;
