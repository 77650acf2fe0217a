-- Run by run.sh with the variable rows: three databases of the server are shards of postgres_fdw. Rows are on them by id
-- and by block.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION simhash;
CREATE EXTENSION postgres_fdw;

\ir page.sql
CREATE INDEX page_h ON page USING simhash (h);
VACUUM ANALYZE page;
CREATE TABLE measured (number integer GENERATED ALWAYS AS IDENTITY, method text, seconds float8, processor float8, pairs bigint);
CREATE TABLE routed (id integer, h simhash, block bigint) PARTITION BY HASH (block);
CREATE TABLE split (id integer, h simhash) PARTITION BY HASH (id);
-- Of all sessions, those of the shards included.
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql AS $$
    SELECT pg_stat_clear_snapshot();
    SELECT sum(split_part(pg_read_file(format('/proc/%s/schedstat', pid)), ' ', 1)::float8) / 1e9
    FROM pg_stat_activity WHERE backend_type = 'client backend' $$;

CREATE DATABASE shard0;
CREATE DATABASE shard1;
CREATE DATABASE shard2;
\set make_shard 'CREATE EXTENSION simhash; CREATE TABLE routed (id integer, h simhash, block bigint, PRIMARY KEY (block, id) INCLUDE (h)); CREATE TABLE split (id integer PRIMARY KEY, h simhash); CREATE INDEX split_h ON split USING simhash (h); CREATE UNLOGGED TABLE batch (id integer, h simhash); CREATE VIEW routed_pairs AS SELECT * FROM public.simhash_block_pairs(''SELECT id, h, block FROM public.routed'', 3); CREATE VIEW split_pairs AS SELECT x.id AS a, y.id AS b, (x.h <@> y.h)::int AS distance FROM split x JOIN split y ON x.h <@> y.h <= 3 AND x.id < y.id; CREATE VIEW batch_found AS SELECT b.id AS query, s.id, (s.h <@> b.h)::int AS distance FROM batch b JOIN split s ON s.h <@> b.h <= 3; ALTER ROLE CURRENT_USER SET work_mem = ''256MB'';'
\c shard0
SET client_min_messages = warning;
:make_shard
\c shard1
:make_shard
\c shard2
:make_shard
\c postgres
SET client_min_messages = warning;
SELECT format('CREATE SERVER shard%s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname ''shard%1$s'', extensions ''simhash'')',
              i, current_setting('unix_socket_directories'), current_setting('port')),
       format('CREATE USER MAPPING FOR CURRENT_USER SERVER shard%s', i),
       format('CREATE FOREIGN TABLE routed_%s PARTITION OF routed FOR VALUES WITH (MODULUS 3, REMAINDER %1$s) SERVER shard%1$s
              OPTIONS (table_name ''routed'', use_remote_estimate ''true'')', i),
       format('CREATE FOREIGN TABLE split_%s PARTITION OF split FOR VALUES WITH (MODULUS 3, REMAINDER %1$s) SERVER shard%1$s OPTIONS (table_name ''split'')', i),
       format('CREATE FOREIGN TABLE batch_%s (id integer, h simhash) SERVER shard%1$s OPTIONS (table_name ''batch'')', i),
       format('CREATE FOREIGN TABLE routed_pairs_%s (a integer, b integer, distance integer) SERVER shard%1$s OPTIONS (table_name ''routed_pairs'')', i),
       format('CREATE FOREIGN TABLE split_pairs_%s (a integer, b integer, distance integer) SERVER shard%1$s OPTIONS (table_name ''split_pairs'')', i),
       format('CREATE FOREIGN TABLE found_%s (query integer, id integer, distance integer) SERVER shard%1$s OPTIONS (table_name ''batch_found'')', i)
FROM generate_series(0, 2) AS i \gexec
-- Since PostgreSQL 14.
SELECT format('ALTER SERVER shard%s OPTIONS (ADD batch_size ''1000'', ADD async_capable ''true'')', i)
FROM generate_series(0, 2) AS i WHERE current_setting('server_version_num')::integer >= 140000 \gexec

SELECT clock_timestamp() AS begun, processor_seconds() AS spent \gset
INSERT INTO routed SELECT id, h, block FROM page, unnest(simhash_blocks(h, 3)) AS block ON CONFLICT DO NOTHING;
INSERT INTO measured (method, seconds, processor) VALUES ('rows to the shards, by block', extract(epoch FROM clock_timestamp() - :'begun'),
    processor_seconds() - :spent);
SELECT clock_timestamp() AS begun, processor_seconds() AS spent \gset
INSERT INTO split SELECT id, h FROM page;
INSERT INTO measured (method, seconds, processor) VALUES ('rows to the shards, by id', extract(epoch FROM clock_timestamp() - :'begun'),
    processor_seconds() - :spent);
\c shard0
VACUUM ANALYZE;
\c shard1
VACUUM ANALYZE;
\c shard2
VACUUM ANALYZE;
\c postgres
SET client_min_messages = warning;

-- Each twice; the second counts.
SET work_mem = '256MB';
SET enable_partitionwise_join = on;
CREATE TABLE pair (a integer, b integer, distance integer, PRIMARY KEY (a, b));
CREATE TABLE expected (LIKE pair);
CREATE PROCEDURE measure(method text, statement text) LANGUAGE plpgsql AS $$
DECLARE begun timestamptz; spent float8;
BEGIN
    FOR run IN 1 .. 2 LOOP
        TRUNCATE expected;
        begun := clock_timestamp();
        spent := processor_seconds();
        EXECUTE 'INSERT INTO expected ' || statement;
    END LOOP;
    INSERT INTO measured (method, seconds, processor, pairs)
    SELECT method, extract(epoch FROM clock_timestamp() - begun), processor_seconds() - spent, count(*) FROM expected;
END $$;
CALL measure('one server', 'SELECT x.id, y.id, (x.h <@> y.h)::int FROM page x JOIN page y ON x.h <@> y.h <= 3 AND x.id < y.id');
CREATE TABLE of_index AS TABLE expected;
CALL measure('one statement over the shards', 'SELECT x.id, y.id, x.h <@> y.h FROM routed x JOIN routed y
    ON x.block = y.block AND x.id < y.id WHERE simhash_first_block(x.h, y.h, 3) = x.block');
CALL measure('simhash_block_pairs on each shard', 'TABLE routed_pairs_0 UNION ALL TABLE routed_pairs_1 UNION ALL TABLE routed_pairs_2');
INSERT INTO pair TABLE expected;
SELECT clock_timestamp() AS begun, processor_seconds() AS spent \gset
INSERT INTO batch_1 SELECT id, h FROM split_0;
INSERT INTO batch_2 SELECT id, h FROM split_0 UNION ALL SELECT id, h FROM split_1;
INSERT INTO measured (method, seconds, processor) VALUES ('rows by id to other shards', extract(epoch FROM clock_timestamp() - :'begun'),
    processor_seconds() - :spent);
CALL measure('joins on each shard by id', 'TABLE split_pairs_0 UNION ALL TABLE split_pairs_1 UNION ALL TABLE split_pairs_2
    UNION ALL SELECT least(query, id), greatest(query, id), distance FROM found_1
    UNION ALL SELECT least(query, id), greatest(query, id), distance FROM found_2');

SELECT (SELECT count(*) FROM (TABLE of_index EXCEPT ALL TABLE expected) d) + (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE of_index) d) +
       (SELECT count(*) FROM (TABLE of_index EXCEPT ALL TABLE pair) d) + (SELECT count(*) FROM (TABLE pair EXCEPT ALL TABLE of_index) d) AS wrong \gset
\echo
\echo Pairs of :rows rows within 3, by one index and over three shards on one machine; different pairs: :wrong
SELECT method, round(seconds::numeric, 2) AS s, round(processor::numeric, 2) AS "processor s", pairs FROM measured ORDER BY number;
