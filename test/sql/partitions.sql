-- Functions that read an index, on the index of a partitioned table.

-- The SQLSTATE, message, detail and hint of the error that a query raises.
CREATE FUNCTION failure(query text, OUT code text, OUT message text, OUT detail text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END $$;
CREATE FUNCTION fingerprint(i bigint) RETURNS simhash LANGUAGE sql IMMUTABLE AS 'SELECT pg_catalog.hashint8extended(i, 1)::simhash';

-- Two levels; partitions with other designs; an empty one; "whole" has the same rows. Every tenth row has NULL; every third
-- is a copy of the row three before with one bit changed.
CREATE TABLE page (id int, h simhash, s bit(256)) PARTITION BY RANGE (id);
CREATE TABLE page_1 PARTITION OF page FOR VALUES FROM (0) TO (1000);
CREATE TABLE page_2 (s bit(256), other text, h simhash, id int NOT NULL);
ALTER TABLE page_2 DROP COLUMN other;
ALTER TABLE page ATTACH PARTITION page_2 FOR VALUES FROM (1000) TO (1800);
CREATE TABLE page_3 PARTITION OF page FOR VALUES FROM (1800) TO (5000) PARTITION BY HASH (id);
CREATE TABLE page_3a PARTITION OF page_3 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE page_3b PARTITION OF page_3 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE page_4 PARTITION OF page DEFAULT;
CREATE INDEX page_2_own ON page_2 USING simhash (h) WITH (distance = 5, tables = 12, fillfactor = 70);
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX page_s ON page USING simhash (s);
INSERT INTO page SELECT i, CASE WHEN i % 10 <> 0 THEN CASE WHEN i % 3 = 0 THEN (fingerprint(i - 3)::bigint # (1::bigint << i % 64))::simhash ELSE fingerprint(i) END END,
    (('x' || md5((i - i % 2)::text) || md5((i - i % 2) || 'b'))::bit(256) # (CASE WHEN i % 2 = 0 THEN B'0' ELSE B'1' END || repeat('0', 255))::bit(256)) FROM generate_series(0, 3999) AS i;
CREATE TABLE whole AS TABLE page;
CREATE INDEX whole_h ON whole USING simhash (h);
CREATE INDEX whole_s ON whole USING simhash (s);

-- sums over the partitions, and what they have in common
SELECT i, distance, tables, header_bits, fillfactor, rows, nulls, bits, segments, reindex_pending FROM unnest('{page_h,page_3_h_idx,page_2_own,page_s}'::regclass[]) AS i, simhash_index_stats(i);
SELECT i, s.rows = t.rows AND s.nulls = t.nulls AND s.pages = t.pages AND s.pages = pg_relation_size AS sum, s.leaf_pages = t.leaf_pages AND s.empty_leaf_pages = t.empty_leaf_pages
    AND s.inner_pages = t.inner_pages AND s.height = t.height AND round(s.bytes_per_row) = round(8192.0 * t.pages / (t.rows + t.nulls)) AND s.free_slots IS NOT DISTINCT FROM t.free_slots AS sums
FROM unnest('{page_h,page_s}'::regclass[]) AS i, simhash_index_stats(i) AS s,
    LATERAL (SELECT sum(rows) AS rows, sum(nulls) AS nulls, sum(pages) AS pages, sum(leaf_pages) AS leaf_pages, sum(empty_leaf_pages) AS empty_leaf_pages, sum(inner_pages) AS inner_pages,
        max(height) AS height, sum(free_slots) AS free_slots, sum(pg_relation_size(relid)) / 8192 AS pg_relation_size
        FROM pg_partition_tree(i) AS t, simhash_index_stats(t.relid) WHERE isleaf) AS t;
ALTER INDEX page_1_h_idx SET (tables = 9);
SELECT reindex_pending FROM simhash_index_stats('page_h');
ALTER INDEX page_1_h_idx RESET (tables);
SELECT i, c.* FROM unnest('{page_h,page_2_own,page_s}'::regclass[]) AS i, simhash_index_check(i, true) AS c;
-- a row that a partition's index lacks
UPDATE pg_index SET indisready = false WHERE indexrelid = 'page_3b_h_idx'::regclass;
INSERT INTO page_3b SELECT i, fingerprint(i), repeat('01', 128)::bit(256) FROM generate_series(4000, 4999) AS i WHERE satisfies_hash_partition('page_3'::regclass, 2, 1, i) LIMIT 1;
UPDATE pg_index SET indisready = true WHERE indexrelid = 'page_3b_h_idx'::regclass;
SELECT code, message, hint FROM failure($$SELECT simhash_index_check('page_h', true)$$);
SELECT rows FROM simhash_index_check('page_h');
DELETE FROM page WHERE id >= 4000;

-- each partition is searched
SELECT r, matches = found AS equal, numbered, indexes FROM unnest('{0,1,20}'::int[]) AS r,
    LATERAL (SELECT sum(matches) AS matches, array_agg(DISTINCT index_read::text ORDER BY index_read::text) AS indexes, max(step) = count(*) AS numbered FROM simhash_probe_plan('page_h', fingerprint(1501), r)) AS p,
    LATERAL (SELECT count(*) AS found FROM whole WHERE h <@> fingerprint(1501) <= r) AS f;
SELECT index_read, count(*) > 0 AS reads FROM simhash_probe_plan('page_s', signature_ball((SELECT s FROM whole WHERE id = 7), 20)) GROUP BY index_read ORDER BY index_read::text;
SELECT count(DISTINCT index_read) FROM simhash_probe_plan('page_h', simhash_ball(to_simhash_weights('a'), 6, 0.9));
CREATE TABLE pair AS SELECT w, w::simhash AS h FROM (SELECT to_simhash_weights('a b c d e f g ' || i) AS w FROM generate_series(1, 300) AS i) AS s;
SELECT p.distance, p.target, p.predicted BETWEEN 0 AND 1 AS predicted, p.measured BETWEEN 0.5 AND 1 AS measured, p.leaves > w.leaves AS more_leaves, p.pairs
FROM simhash_calibrate('page_h', 'pair', 'w', 'h', false) AS p JOIN simhash_calibrate('whole_h', 'pair', 'w', 'h', false) AS w USING (distance, target);
SELECT fitted FROM simhash_index_stats('page_h');
SELECT count(*) FROM simhash_calibrate('page_3_h_idx', 'pair', 'w', 'h');
SELECT fitted FROM simhash_index_stats('page_3_h_idx');
SELECT fitted FROM simhash_index_stats('page_h');

-- privileges are those on the table whose index is named
CREATE ROLE partition_reader;
GRANT SELECT ON page TO partition_reader;
SET ROLE partition_reader;
SELECT sum(matches) FROM simhash_probe_plan('page_h', fingerprint(1501), 0);
SELECT code, message FROM failure($$SELECT * FROM simhash_probe_plan('page_1_h_idx', '0000000000000000'::simhash, 0)$$);
SELECT q, code, message FROM unnest('{simhash_index_stats,simhash_index_check}'::text[]) AS q, failure(format('SELECT %I(%L)', q, 'page_h'));
RESET ROLE;
GRANT pg_stat_scan_tables TO partition_reader;
SET ROLE partition_reader;
SELECT rows FROM simhash_index_stats('page_h');
RESET ROLE;
ALTER TABLE page_1 ENABLE ROW LEVEL SECURITY; -- does not apply to queries of page
SET ROLE partition_reader;
SELECT sum(matches) FROM simhash_probe_plan('page_h', fingerprint(1501), 0);
RESET ROLE;
ALTER TABLE page_1 DISABLE ROW LEVEL SECURITY;
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
SET ROLE partition_reader;
SELECT * FROM failure($$SELECT * FROM simhash_probe_plan('page_h', '0000000000000000'::simhash, 0)$$);
RESET ROLE;
ALTER TABLE page DISABLE ROW LEVEL SECURITY;
REVOKE ALL ON page FROM partition_reader;
DROP ROLE partition_reader;

-- no partitions
CREATE TABLE bare (h simhash, s bit(128)) PARTITION BY HASH (h);
CREATE INDEX bare_h ON bare USING simhash (h);
CREATE INDEX bare_s ON bare USING simhash (s);
SELECT distance, tables, rows, pages, bytes_per_row FROM simhash_index_stats('bare_h');
SELECT * FROM simhash_index_check('bare_s', true);
SELECT count(*) FROM simhash_probe_plan('bare_h', '0000000000000000', 3);
SELECT count(*) FROM simhash_calibrate('bare_h', 'pair', 'w', 'h');

-- an index that cannot be read
CREATE INDEX page_id ON page (id);
SELECT code, message FROM failure($$SELECT simhash_index_stats('page_id')$$);
SELECT code, message FROM failure($$SELECT simhash_index_stats('page')$$);
SELECT code, message FROM failure($$SELECT * FROM simhash_probe_plan('page_s', '0000000000000000'::simhash, 3)$$);
SELECT code, message FROM failure($$SELECT * FROM simhash_probe_plan('page_h', signature_ball(B'01', 3))$$);
CREATE INDEX page_only ON ONLY page USING simhash (h);
SELECT f.* FROM unnest('{simhash_index_stats,simhash_index_check}'::text[]) AS q, failure(format('SELECT %I(%L)', q, 'page_only')) AS f;
ALTER INDEX page_only ATTACH PARTITION page_2_own; -- belongs to page_h
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'page_3a_h_idx'::regclass;
SELECT * FROM failure($$SELECT simhash_index_stats('page_h')$$);
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'page_3a_h_idx'::regclass;
-- rows that are elsewhere
CREATE FOREIGN DATA WRAPPER elsewhere;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER elsewhere;
CREATE FOREIGN TABLE page_5 PARTITION OF page FOR VALUES FROM (5000) TO (6000) SERVER elsewhere;
SELECT f.* FROM unnest('{simhash_index_stats,simhash_index_check}'::text[]) AS q, failure(format('SELECT %I(%L)', q, 'page_h')) AS f;
SELECT rows FROM simhash_index_stats('page_1_h_idx');
DROP FOREIGN TABLE page_5;
-- the catalog in which Citus lists distributed tables
BEGIN;
SET LOCAL allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char" NOT NULL);
INSERT INTO pg_catalog.pg_dist_partition VALUES ('whole', 'h'), ('page_3a', 'h');
SELECT f.* FROM failure($$SELECT simhash_index_stats('whole_h')$$) AS f;
SELECT code, message, detail FROM failure($$SELECT simhash_index_check('whole_s')$$);
SELECT code, message, detail FROM failure($$SELECT * FROM simhash_probe_plan('page_h', '0000000000000000'::simhash, 3)$$);
SELECT code, message FROM failure($$SELECT * FROM simhash_calibrate('whole_h', 'pair', 'w', 'h')$$);
SELECT rows FROM simhash_index_stats('page_1_h_idx');
ROLLBACK;

DROP FOREIGN DATA WRAPPER elsewhere CASCADE;
DROP TABLE page, whole, bare, pair;
DROP FUNCTION failure, fingerprint;
