-- The same rows in a table routed by block, as on one shard of many. Variables: rounds, round_seconds.
SET synchronize_seqscans = off;
CALL timed('routed', 'CREATE TABLE routed AS SELECT id, h, block FROM page, unnest(simhash_blocks(h, 3)) block');
CALL timed('routed index', 'CREATE INDEX routed_block ON routed (block, h) INCLUDE (id)');
VACUUM ANALYZE routed;
SELECT note('routed', 'routed', '', 'bytes per row', pg_total_relation_size('routed')::float8 / (SELECT rows FROM setting)) \g /dev/null
INSERT INTO method (part, label, variant, query_set, statement)
SELECT 'routed', label, '', 'all', statement
FROM (VALUES ('one block', 'SELECT count(*) FROM routed WHERE block = (simhash_blocks(q, 3))[1] AND h <@> q <= 3 AND simhash_first_block(h, q, 3) = block'),
             ('all blocks', 'SELECT count(*) FROM routed WHERE block = ANY (simhash_blocks(q, 3)) AND h <@> q <= 3 AND simhash_first_block(h, q, 3) = block'))
     v (label, statement);
CALL time_methods('routed', :rounds, :round_seconds);
SELECT note('routed', 'one block', '', 'rows', avg(n))
FROM (SELECT (SELECT count(*) FROM routed WHERE block = (simhash_blocks(q.h, 3))[1]) AS n FROM query q WHERE query_set = 'all' LIMIT 1000) s \g /dev/null
INSERT INTO wrong SELECT 'routed: ' || routed || ', not ' || indexed
FROM (SELECT count(*) AS routed FROM query q JOIN routed r ON r.block = ANY (simhash_blocks(q.h, 3))
      WHERE q.query_set = 'random' AND simhash_first_block(r.h, q.h, 3) = r.block) r,
     (SELECT count(*) AS indexed FROM query q JOIN page p ON p.h <@> q.h <= 3 WHERE q.query_set = 'random') p WHERE routed <> indexed;
TRUNCATE counted;
CALL timed('block pairs', 'INSERT INTO counted SELECT count(*) FROM simhash_block_pairs(''SELECT id, h, block FROM routed'', 3)');
INSERT INTO wrong SELECT 'block pairs: ' || pairs FROM counted WHERE pairs <> (SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id);
DROP TABLE routed;
-- Sixteen times as many rows under each value, as in a table of billions: four bits of each are 0.
CREATE TABLE routed AS SELECT id, f AS h, block
FROM (SELECT id, (h::bigint & 1152657617789587455)::simhash AS f FROM page) p, unnest(simhash_blocks(f, 3)) block;
CALL timed('dense block pairs', 'INSERT INTO counted SELECT count(*) FROM simhash_block_pairs(''SELECT id, h, block FROM routed'', 3)');
DROP TABLE routed;
