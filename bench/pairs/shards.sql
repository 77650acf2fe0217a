-- Run by run.sh with the variable rows: three databases of the server are shards of postgres_fdw.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION simhash;
CREATE EXTENSION postgres_fdw;

\ir page.sql
CREATE INDEX page_h ON page USING simhash (h);
VACUUM ANALYZE page;
CREATE TABLE measured (number integer GENERATED ALWAYS AS IDENTITY, method text, seconds float8, pairs bigint);
CREATE TABLE routed (id integer, h simhash, block bigint) PARTITION BY HASH (block);

CREATE DATABASE shard0;
CREATE DATABASE shard1;
CREATE DATABASE shard2;
\set make_shard 'CREATE EXTENSION simhash; CREATE TABLE routed (id integer, h simhash, block bigint); CREATE INDEX ON routed (block, h) INCLUDE (id);'
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
              OPTIONS (table_name ''routed'', use_remote_estimate ''true'')', i)
FROM generate_series(0, 2) AS i \gexec
-- Since PostgreSQL 14.
SELECT format('ALTER SERVER shard%s OPTIONS (ADD batch_size ''1000'', ADD async_capable ''true'')', i)
FROM generate_series(0, 2) AS i WHERE current_setting('server_version_num')::integer >= 140000 \gexec

SELECT clock_timestamp() AS begun \gset
INSERT INTO routed SELECT id, h, block FROM page, unnest(simhash_blocks(h, 3)) AS block;
INSERT INTO measured (method, seconds) VALUES ('rows to the shards', extract(epoch FROM clock_timestamp() - :'begun'));
\c shard0
VACUUM ANALYZE routed;
\c shard1
VACUUM ANALYZE routed;
\c shard2
VACUUM ANALYZE routed;
\c postgres
SET client_min_messages = warning;

-- Each twice; the second counts.
SET work_mem = '256MB';
SET enable_partitionwise_join = on;
CREATE TABLE pair (a integer, b integer, distance integer, PRIMARY KEY (a, b));
CREATE TABLE expected (LIKE pair);
CREATE PROCEDURE measure(method text, statement text) LANGUAGE plpgsql AS $$
DECLARE begun timestamptz;
BEGIN
    FOR run IN 1 .. 2 LOOP
        TRUNCATE expected;
        begun := clock_timestamp();
        EXECUTE 'INSERT INTO expected ' || statement;
    END LOOP;
    INSERT INTO measured (method, seconds, pairs) SELECT method, extract(epoch FROM clock_timestamp() - begun), count(*) FROM expected;
END $$;
CALL measure('simhash_pairs', 'SELECT least(x.id, y.id), greatest(x.id, y.id), p.distance
    FROM simhash_pairs(''page_h'', 3) p JOIN page x ON x.ctid = p.a JOIN page y ON y.ctid = p.b');
CREATE TABLE of_index AS TABLE expected;
CALL measure('one statement over the shards', 'SELECT x.id, y.id, x.h <@> y.h FROM routed x JOIN routed y
    ON x.block = y.block AND x.id < y.id WHERE simhash_first_block(x.h, y.h, 3) = x.block');
SELECT format('INSERT INTO pair SELECT x.id, y.id, x.h <@> y.h FROM %1$s x JOIN %1$s y
    ON x.block = y.block AND x.id < y.id WHERE simhash_first_block(x.h, y.h, 3) = x.block ON CONFLICT DO NOTHING', relid) AS part
FROM pg_partition_tree('routed') WHERE isleaf \gexec
TRUNCATE pair;
SELECT clock_timestamp() AS begun \gset
SELECT format('INSERT INTO pair SELECT x.id, y.id, x.h <@> y.h FROM %1$s x JOIN %1$s y
    ON x.block = y.block AND x.id < y.id WHERE simhash_first_block(x.h, y.h, 3) = x.block ON CONFLICT DO NOTHING', relid) AS part
FROM pg_partition_tree('routed') WHERE isleaf \gexec
INSERT INTO measured (method, seconds, pairs)
SELECT 'part by part, one session', extract(epoch FROM clock_timestamp() - :'begun'), count(*) FROM pair;

SELECT (SELECT count(*) FROM (TABLE of_index EXCEPT ALL TABLE expected) d) + (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE of_index) d) +
       (SELECT count(*) FROM (TABLE of_index EXCEPT ALL TABLE pair) d) + (SELECT count(*) FROM (TABLE pair EXCEPT ALL TABLE of_index) d) AS wrong \gset
\echo
\echo Pairs of :rows rows within 3, by one index and over three shards on one machine; different pairs: :wrong
SELECT method, round(seconds::numeric, 2) AS s, pairs FROM measured ORDER BY number;
