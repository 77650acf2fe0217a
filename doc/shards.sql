-- For the shards of scale.md: all pairs, moving rows, standbys. Each part says where it runs; repeat what says "each" for the
-- other shards.

-- All pairs by id, for any radius: each shard finds its own pairs, and each two shards those between them, for which the rows of the first are the
-- batch of the second. Beside batch and batch_found, on each shard:

-- node: shard
CREATE VIEW page_pairs AS SELECT x.id AS a, y.id AS b, (x.h <@> y.h)::int AS distance
FROM page x JOIN page y ON x.h <@> y.h <= 3 AND x.id < y.id;

-- On the coordinator. PostgreSQL 13 cannot truncate foreign tables: delete their rows instead.

-- recipe: pairs by id
CREATE TABLE pairs (a bigint, b bigint, distance int);
TRUNCATE batch_0, batch_1, batch_2;
INSERT INTO batch_1 SELECT id, h FROM page_0;
INSERT INTO batch_2 SELECT id, h FROM page_0 UNION ALL SELECT id, h FROM page_1;

-- recipe: pairs by id, each
CREATE FOREIGN TABLE pairs_0 () INHERITS (pairs) SERVER shard0 OPTIONS (table_name 'page_pairs');

-- recipe: all pairs by id
SELECT a, b, distance FROM pairs UNION ALL SELECT least(query, id), greatest(query, id), distance FROM found;

-- All pairs by block, if a routed table exists anyway, or there are many shards. On each shard:

-- node: shard
CREATE TABLE routed (id bigint, h simhash, block bigint, PRIMARY KEY (block, id) INCLUDE (h));
CREATE VIEW routed_pairs AS
SELECT a, b, distance FROM simhash_block_pairs('SELECT id, h, block FROM public.routed', 3);

-- On the coordinator:

-- recipe: routed
CREATE TABLE routed (id bigint, h simhash, block bigint) PARTITION BY HASH (block);
CREATE TABLE routed_pairs (a bigint, b bigint, distance int);

-- recipe: routed, each
CREATE FOREIGN TABLE routed_0 PARTITION OF routed FOR VALUES WITH (MODULUS 3, REMAINDER 0) SERVER shard0
    OPTIONS (table_name 'routed');
CREATE FOREIGN TABLE routed_pairs_0 () INHERITS (routed_pairs) SERVER shard0 OPTIONS (table_name 'routed_pairs');

-- Keys make each step safe to repeat after a failure. New rows are routed so, too:

-- recipe: route
INSERT INTO routed SELECT id, h, block FROM page, unnest(simhash_blocks(h, 3)) block ON CONFLICT DO NOTHING;

-- Collect the pairs shard by shard, again until none fails:

-- recipe: parts
CREATE TABLE pair (a bigint, b bigint, distance int, PRIMARY KEY (a, b));

-- recipe: part by part, each
INSERT INTO pair SELECT a, b, distance FROM routed_pairs_0 ON CONFLICT DO NOTHING;

-- Moving a partition, here from shard2 to shard1. Queries wait during the transaction: copy a large table by logical
-- replication first. On the new server, the target:

-- node: target
CREATE TABLE page_2 (LIKE page);

-- On the coordinator:

-- recipe: move
BEGIN;
ALTER TABLE page DETACH PARTITION page_2;
CREATE FOREIGN TABLE page_2_moved PARTITION OF page FOR VALUES WITH (MODULUS 3, REMAINDER 2) SERVER shard1
    OPTIONS (table_name 'page_2');
INSERT INTO page_2_moved TABLE page_2;
COMMIT;
DROP FOREIGN TABLE page_2;

-- On the target:

-- node: target after
ALTER TABLE page_2 ADD PRIMARY KEY (id);
CREATE INDEX page_2_h ON page_2 USING simhash (h);

-- On the coordinator, of a shard with a standby: the one of both that accepts writes.

-- recipe: standby
ALTER SERVER shard0 OPTIONS (SET host 'shard0,standby0', SET port '5432,5432', ADD target_session_attrs 'read-write');

-- Searches by a standby, and by its primary without one:

-- recipe: read replica
CREATE SERVER reader0 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host 'standby0,shard0', port '5432,5432',
    dbname 'postgres', extensions 'simhash', target_session_attrs 'prefer-standby', connect_timeout '3');
CREATE USER MAPPING FOR CURRENT_USER SERVER reader0;
CREATE FOREIGN TABLE page_0_read (id bigint NOT NULL, h simhash) SERVER reader0 OPTIONS (table_name 'page');
