-- Shards with Citus; run with Citus 13.2.2 on PostgreSQL 15. The extension propagates from the coordinator to the
-- workers; each shard has its own index. A search asks every shard, so have no more than will be spread over workers.
-- Without a primary key, shards cannot be moved while rows are written.

-- setup
CREATE EXTENSION simhash;
CREATE TABLE page (id bigint PRIMARY KEY, body text, h simhash);
SELECT create_distributed_table('page', 'id', shard_count => 4);
CREATE INDEX page_h ON page USING simhash (h);

-- Two distributed tables cannot be joined by distance. All pairs by block:
-- routed
CREATE TABLE routed (id bigint, h simhash, block bigint, PRIMARY KEY (block, id) INCLUDE (h));
SELECT create_distributed_table('routed', 'block', shard_count => 4, colocate_with => 'none');
INSERT INTO routed SELECT id, h, block FROM page, unnest(simhash_blocks(h, 3)) block ON CONFLICT DO NOTHING;

-- pairs
SELECT p.a, p.b, p.distance
FROM run_command_on_shards('routed', $$ SELECT coalesce(json_agg(p), '[]')
         FROM simhash_block_pairs('SELECT id, h, block FROM %s', 3) p $$) s,
     json_to_recordset(s.result::json) AS p(a bigint, b bigint, distance int);

-- By id, with all rows in a reference table; each shard compares its rows with those of shards before it.
-- batch
CREATE TABLE batch (id bigint PRIMARY KEY, h simhash, shard bigint);
SELECT create_reference_table('batch');
INSERT INTO batch SELECT id, h, get_shard_id_for_distribution_column('page', id) FROM page ON CONFLICT DO NOTHING;

-- pairs by id
SELECT least(p.a, p.b) AS a, greatest(p.a, p.b) AS b, p.distance
FROM run_command_on_shards('page', $$ SELECT coalesce(json_agg(p), '[]') FROM (
         SELECT x.id AS a, y.id AS b, (x.h <@> y.h)::int AS distance
         FROM %1$s x JOIN %1$s y ON x.h <@> y.h <= 3 AND x.id < y.id
         UNION ALL SELECT x.id, y.id, (y.h <@> x.h)::int FROM batch x JOIN %1$s y ON y.h <@> x.h <= 3
         WHERE x.shard < substring('%1$s', '\d+$')::bigint) p $$) s,
     json_to_recordset(s.result::json) AS p(a bigint, b bigint, distance int);

-- Functions that read an index run where the index is.
-- check
SELECT shardid, success, result FROM run_command_on_shards('page', $$ SELECT simhash_index_check(indexrelid)
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
    WHERE indrelid = '%s'::regclass AND amname = 'simhash' $$);
