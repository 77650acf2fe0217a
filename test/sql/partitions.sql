\set ECHO none
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
-- is a copy of the row before with one bit changed.
CREATE TABLE page (id int, h simhash, s bit(256)) PARTITION BY RANGE (id);
CREATE TABLE page_1 PARTITION OF page FOR VALUES FROM (0) TO (500);
CREATE TABLE page_2 (s bit(256), other text, h simhash, id int NOT NULL);
ALTER TABLE page_2 DROP COLUMN other;
ALTER TABLE page ATTACH PARTITION page_2 FOR VALUES FROM (500) TO (900);
CREATE TABLE page_3 PARTITION OF page FOR VALUES FROM (900) TO (5000) PARTITION BY HASH (id);
CREATE TABLE page_3a PARTITION OF page_3 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE page_3b PARTITION OF page_3 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE page_4 PARTITION OF page DEFAULT;
CREATE INDEX page_2_own ON page_2 USING simhash (h) WITH (design_radius = 5, trees = 12, fillfactor = 70);
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX page_s ON page USING simhash (s);
INSERT INTO page SELECT i, CASE WHEN i % 10 <> 0 THEN CASE WHEN i % 3 = 0 THEN (fingerprint(i - 1)::bigint # (1::bigint << i % 64))::simhash ELSE fingerprint(i) END END,
    (('x' || md5((i - i % 2)::text) || md5((i - i % 2) || 'b'))::bit(256) # (CASE WHEN i % 2 = 0 THEN B'0' ELSE B'1' END || repeat('0', 255))::bit(256)) FROM generate_series(0, 1999) AS i;
CREATE TABLE whole AS TABLE page;
CREATE INDEX whole_h ON whole USING simhash (h);
CREATE INDEX whole_s ON whole USING simhash (s);

\echo '-- sums over the partitions, and what they have in common'
SELECT i, string_agg(concat(name, ' ', value), ', ' ORDER BY place) FROM unnest('{page_h,page_3_h_idx,page_2_own,page_s}'::regclass[]) AS i,
    simhash_index_stats(i) WITH ORDINALITY AS s(name, value, unit, place) WHERE name ~ '^(design_radius|trees|header_bits|fillfactor|rows|nulls|bits|segments|reindex_pending)' GROUP BY i ORDER BY i;
SELECT i, count(*), bool_and(s.value IS NOT DISTINCT FROM CASE WHEN name = 'height' THEN t.highest ELSE t.sum END) AS sums FROM unnest('{page_h,page_s}'::regclass[]) AS i, simhash_index_stats(i) AS s
    JOIN LATERAL (SELECT p.name, sum(p.value), max(p.value) AS highest FROM pg_partition_tree(i) AS t, simhash_index_stats(t.relid) AS p WHERE isleaf GROUP BY p.name) AS t USING (name)
WHERE s.unit IN ('rows', 'pages', 'levels', 'segments') GROUP BY i ORDER BY i;
SELECT i, v->>'pages' = (SELECT sum(pg_relation_size(relid) / 8192)::text FROM pg_partition_tree(i)) AS pages,
    round((v->>'bytes_per_row')::numeric) = round(8192 * (v->>'pages')::numeric / ((v->>'rows')::numeric + (v->>'nulls')::numeric)) AS bytes_per_row
FROM unnest('{page_h,page_s}'::regclass[]) AS i, LATERAL (SELECT jsonb_object_agg(name, value) AS v FROM simhash_index_stats(i)) AS s;
ALTER INDEX page_1_h_idx SET (trees = 9);
SELECT value AS reindex_pending FROM simhash_index_stats('page_h') WHERE name = 'reindex_pending';
ALTER INDEX page_1_h_idx RESET (tables);
SELECT i, c.* FROM unnest('{page_h,page_2_own,page_s}'::regclass[]) AS i, simhash_index_check(i, true) AS c;
\echo '-- a row that a partition''s index lacks'
UPDATE pg_index SET indisready = false WHERE indexrelid = 'page_3b_h_idx'::regclass;
INSERT INTO page_3b SELECT i, fingerprint(i), repeat('01', 128)::bit(256) FROM generate_series(4000, 4999) AS i WHERE satisfies_hash_partition('page_3'::regclass, 2, 1, i) LIMIT 1;
UPDATE pg_index SET indisready = true WHERE indexrelid = 'page_3b_h_idx'::regclass;
SELECT code, message, hint FROM failure($$SELECT simhash_index_check('page_h', true)$$);
SELECT rows FROM simhash_index_check('page_h');
DELETE FROM page WHERE id >= 4000;

\echo '-- each partition is searched'
SELECT r, matches = found AS equal, numbered, indexes FROM unnest('{0,1,20}'::int[]) AS r,
    LATERAL (SELECT sum(matches) AS matches, array_agg(DISTINCT index_read::text ORDER BY index_read::text) AS indexes, max(step) = count(*) AS numbered FROM simhash_index_trace('page_h', simhash_ball(fingerprint(1501), r))) AS p,
    LATERAL (SELECT count(*) AS found FROM whole WHERE h <@> fingerprint(1501) <= r) AS f;
SELECT index_read, count(*) > 0 AS reads FROM simhash_index_trace('page_s', signature_ball((SELECT s FROM whole WHERE id = 7), 20)) GROUP BY index_read ORDER BY index_read::text;
SELECT count(DISTINCT index_read) FROM simhash_index_trace('page_h', simhash_ball(to_simhash_weights('a'), 6, 0.9));
CREATE TABLE pair AS SELECT w, w::simhash AS h FROM (SELECT to_simhash_weights('a b c d e f g ' || i) AS w FROM generate_series(1, 300) AS i) AS s;
SELECT p.radius, p.target, p.predicted BETWEEN 0.5 AND 1 AS predicted, p.measured = 1 AS measured, p.leaves > w.leaves AS more_leaves, p.pairs
FROM simhash_index_calibrate('page_h', 'pair', 'w', 'h', false) AS p JOIN simhash_index_calibrate('whole_h', 'pair', 'w', 'h', false) AS w USING (radius, target);
SELECT value AS fitted FROM simhash_index_stats('page_h') WHERE name = 'fitted';
SELECT count(*) FROM simhash_index_calibrate('page_3_h_idx', 'pair', 'w', 'h');
SELECT value AS fitted FROM simhash_index_stats('page_3_h_idx') WHERE name = 'fitted';
SELECT value AS fitted FROM simhash_index_stats('page_h') WHERE name = 'fitted';

\echo '-- All pairs, within partitions and between them, each once: as many at each distance as a nested loop finds.'
CREATE FUNCTION compare_pairs(of_index regclass, of_column text, radius int, OUT pairs bigint, OUT across bool, OUT wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
    CREATE TEMP TABLE found AS SELECT s.distance, s.pairs, bool_or(a_table <> b_table) AS across FROM simhash_pair_sample(of_index, 'id::text', radius) AS s GROUP BY 1, 2;
    EXECUTE format('CREATE TEMP TABLE expected AS SELECT (x.%2$I <@> y.%2$I)::int AS distance, count(*) AS pairs
        FROM %1$s AS x, %1$s AS y WHERE x.id < y.id AND (x.%2$I <@> y.%2$I)::int <= %3$s GROUP BY 1', (SELECT indrelid::regclass FROM pg_index WHERE indexrelid = of_index), of_column, radius);
    SELECT sum(f.pairs), bool_or(f.across) INTO pairs, across FROM found AS f;
    SELECT count(*) INTO wrong FROM found AS f FULL JOIN expected AS e USING (distance) WHERE f.pairs IS DISTINCT FROM e.pairs;
    DROP TABLE found, expected;
END $$;
SELECT i, r, c.* FROM unnest('{page_h,page_3_h_idx,page_2_own,whole_h}'::regclass[]) AS i, unnest('{0,1,20}'::int[]) AS r, compare_pairs(i, 'h', r) AS c;
SELECT i, r, c.* FROM unnest('{page_s,whole_s}'::regclass[]) AS i, unnest('{0,1,20,100}'::int[]) AS r, compare_pairs(i, 's', r) AS c;
SET work_mem = '64kB';
SELECT i, r, c.* FROM (VALUES ('page_h'::regclass, 'h', 1), ('page_h', 'h', 20), ('page_s', 's', 1), ('page_s', 's', 100)) AS v (i, k, r), compare_pairs(i, k, r) AS c;
RESET work_mem;
\echo '-- The same after updates, within pages and to other partitions, and deletes'
UPDATE page SET id = id + 10000 WHERE id % 7 = 1;
UPDATE page SET id = id WHERE id % 7 = 2;
DELETE FROM page WHERE id % 7 = 3;
SELECT i, c.* FROM (VALUES ('page_h'::regclass, 'h', 1), ('page_h', 'h', 20), ('page_s', 's', 1), ('page_s', 's', 100)) AS v (i, k, r), compare_pairs(i, k, r) AS c;
VACUUM page;
SELECT i, c.* FROM (VALUES ('page_h'::regclass, 'h', 1), ('page_h', 'h', 20), ('page_s', 's', 1), ('page_s', 's', 100)) AS v (i, k, r), compare_pairs(i, k, r) AS c;
\echo '-- In so large a table the steps follow the index''s own trees, which partitions cannot.'
CREATE TABLE large (id int, h simhash) PARTITION BY HASH (id);
CREATE TABLE large_0 PARTITION OF large FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE large_1 PARTITION OF large FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO large SELECT i, (fingerprint(i / 2)::bigint # (i % 2))::simhash FROM generate_series(1, 20000) AS i;
CREATE INDEX large_h ON large USING simhash (h);
SELECT count(DISTINCT distance) AS distances, sum(DISTINCT pairs) AS pairs, bool_or(a_table <> b_table) AS across FROM simhash_pair_sample('large_h', 'id::text', 3);
DROP TABLE large;

\echo '-- Joins of partitioned and other tables, for example of new rows with old ones: pairs of ids, each once.'
CREATE TABLE fresh (id int, h simhash, s bit(256)) PARTITION BY RANGE (id);
CREATE TABLE fresh_1 PARTITION OF fresh FOR VALUES FROM (0) TO (1000);
CREATE TABLE fresh_2 PARTITION OF fresh DEFAULT;
INSERT INTO fresh SELECT id, (h::bigint # 4)::simhash, s # (repeat('0', 250) || B'101010')::bit(256) FROM whole WHERE id % 10 = 3 OR id < 20;
CREATE INDEX fresh_h ON fresh USING simhash (h);
CREATE INDEX fresh_s ON fresh USING simhash (s);
CREATE FUNCTION compare_join(x_index regclass, y_index regclass, of_column text, radius int, OUT pairs bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
    x_table regclass := (SELECT indrelid FROM pg_index WHERE indexrelid = x_index);
    y_table regclass := (SELECT indrelid FROM pg_index WHERE indexrelid = y_index);
BEGIN
    EXECUTE format('WITH found AS MATERIALIZED (SELECT x.id AS x, y.id AS y, (x.%5$I <@> y.%5$I)::int AS distance
            FROM %3$s AS x JOIN %4$s AS y ON x.%5$I <@> y.%5$I <= %6$s),
        expected AS MATERIALIZED (SELECT x.id AS x, y.id AS y, (x.%5$I <@> y.%5$I)::int AS distance FROM %3$s AS x, %4$s AS y WHERE (x.%5$I <@> y.%5$I)::int <= %6$s)
        SELECT (SELECT count(*) FROM found), (SELECT count(*) FROM (SELECT * FROM found EXCEPT ALL SELECT * FROM expected UNION ALL SELECT * FROM expected EXCEPT ALL SELECT * FROM found) AS d)',
        x_index, y_index, x_table, y_table, of_column, radius) INTO pairs, wrong;
END $$;
SELECT i, j, r, c.* FROM (VALUES ('fresh_h'::regclass, 'page_h'::regclass, 'h'), ('page_h', 'fresh_h', 'h'), ('whole_h', 'page_h', 'h'), ('fresh_h', 'whole_h', 'h'), ('page_h', 'page_h', 'h'),
    ('page_2_own', 'page_h', 'h'), ('fresh_s', 'page_s', 's'), ('page_s', 'fresh_s', 's'), ('page_s', 'whole_s', 's')) AS v (i, j, k), unnest('{1,16}'::int[]) AS r, compare_join(i, j, k, r) AS c;
SET work_mem = '64kB';
SELECT i, j, r, c.* FROM (VALUES ('fresh_h'::regclass, 'page_h'::regclass, 'h', 16), ('page_h', 'fresh_h', 'h', 3), ('fresh_s', 'page_s', 's', 16)) AS v (i, j, k, r), compare_join(i, j, k, r) AS c;
RESET work_mem;

\echo '-- Groups, also of equal rows in several partitions.'
INSERT INTO page SELECT id + d, h, s FROM whole, unnest('{2000,20000,30000}'::int[]) AS d WHERE id % 5 = 0;
CREATE FUNCTION compare_groups(of_column text, radius int, OUT members bigint, OUT groups bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TEMP TABLE member AS SELECT id, leader FROM (SELECT *, count(*) OVER (PARTITION BY leader) AS size FROM
        (SELECT id, simhash_group(id, %I, %s, ''connected'') OVER (ORDER BY id) AS leader FROM page) AS g) AS g WHERE size > 1', of_column, radius);
    -- connected components, by repeatedly taking the smallest leader of a neighbor
    EXECUTE format('CREATE TEMP TABLE edge AS SELECT x.id AS x, y.id AS y FROM page AS x, page AS y WHERE x.id <> y.id AND (x.%1$I <@> y.%1$I)::int <= %2$s', of_column, radius);
    CREATE TEMP TABLE expected AS SELECT DISTINCT x AS id, x AS leader FROM edge;
    LOOP
        UPDATE expected AS e SET leader = n.leader FROM (SELECT x, min(leader) AS leader FROM edge JOIN expected ON id = y GROUP BY x) AS n WHERE n.x = e.id AND n.leader < e.leader;
        EXIT WHEN NOT FOUND;
    END LOOP;
    SELECT count(*), count(DISTINCT leader) INTO members, groups FROM member;
    SELECT count(*) INTO wrong FROM (SELECT * FROM member EXCEPT SELECT * FROM expected) AS d;
    wrong := wrong + abs((SELECT count(*) FROM expected) - members);
    DROP TABLE member, edge, expected;
END $$;
SELECT k, r, c.* FROM (VALUES ('h', 0), ('h', 16), ('s', 0), ('s', 1)) AS v (k, r), compare_groups(k, r) AS c;
\echo '-- After all members but the leaders of stars are deleted, no pairs are left.'
BEGIN;
DELETE FROM page USING (SELECT id, simhash_group(id, h, 8) OVER (ORDER BY id) AS leader FROM page) AS g WHERE page.id = g.id AND g.leader <> g.id;
SELECT count(*) FROM page;
SELECT count(*) FROM simhash_pair_sample('page_h', 'h::text', 8);
ROLLBACK;
SELECT count(*) FROM page;


\echo '-- privileges are those on the table whose index is named'
CREATE ROLE partition_reader;
GRANT SELECT ON page TO partition_reader;
SET ROLE partition_reader;
SELECT sum(matches) FROM simhash_index_trace('page_h', simhash_ball(fingerprint(1501), 0));
SELECT count(*) > 0 AS pairs FROM simhash_pair_sample('page_h', 'h::text', 1);
SELECT code, message FROM failure($$SELECT * FROM simhash_pair_sample('page_1_h_idx', 'h::text', 1)$$);
SELECT code, message FROM failure($$SELECT * FROM simhash_index_trace('page_1_h_idx', simhash_ball('0000000000000000'::simhash, 0))$$);
SELECT q, code, message FROM unnest('{simhash_index_stats,simhash_index_check}'::text[]) AS q, failure(format('SELECT %I(%L)', q, 'page_h'));
RESET ROLE;
GRANT pg_stat_scan_tables TO partition_reader;
SET ROLE partition_reader;
SELECT value AS rows FROM simhash_index_stats('page_h') WHERE name = 'rows';
RESET ROLE;
ALTER TABLE page_1 ENABLE ROW LEVEL SECURITY; -- does not apply to queries of page
SET ROLE partition_reader;
SELECT sum(matches) FROM simhash_index_trace('page_h', simhash_ball(fingerprint(1501), 0));
RESET ROLE;
ALTER TABLE page_1 DISABLE ROW LEVEL SECURITY;
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
SET ROLE partition_reader;
SELECT * FROM failure($$SELECT * FROM simhash_index_trace('page_h', simhash_ball('0000000000000000'::simhash, 0))$$);
RESET ROLE;
ALTER TABLE page DISABLE ROW LEVEL SECURITY;
REVOKE SELECT ON page FROM partition_reader;
GRANT SELECT (h, ctid) ON page TO partition_reader;
SET ROLE partition_reader;
SELECT code, message FROM failure($$SELECT * FROM simhash_pair_sample('page_h', 'h::text')$$);
RESET ROLE;
GRANT SELECT (tableoid) ON page TO partition_reader;
SET ROLE partition_reader;
SELECT count(*) > 0 AS pairs FROM simhash_pair_sample('page_h', 'h::text');
RESET ROLE;
REVOKE ALL ON page FROM partition_reader;
REVOKE ALL (h, ctid, tableoid) ON page FROM partition_reader;
DROP ROLE partition_reader;

\echo '-- no partitions'
CREATE TABLE bare (h simhash, s bit(128)) PARTITION BY HASH (h);
CREATE INDEX bare_h ON bare USING simhash (h);
CREATE INDEX bare_s ON bare USING simhash (s);
SELECT name, value FROM simhash_index_stats('bare_h') WHERE name IN ('design_radius', 'trees', 'rows', 'pages', 'bytes_per_row');
SELECT * FROM simhash_index_check('bare_s', true);
SELECT count(*) AS trace FROM simhash_index_trace('bare_h', simhash_ball('0000000000000000', 3));
SELECT count(*) AS calibrate FROM simhash_index_calibrate('bare_h', 'pair', 'w', 'h');
SELECT count(*) AS pairs FROM simhash_pair_sample('bare_h', 'h::text');

\echo '-- an index that cannot be read'
CREATE INDEX page_id ON page (id);
SELECT code, message FROM failure($$SELECT simhash_index_stats('page_id')$$);
SELECT code, message FROM failure($$SELECT simhash_index_stats('page')$$);
SELECT code, message FROM failure($$SELECT * FROM simhash_index_trace('page_s', simhash_ball('0000000000000000'::simhash, 3))$$);
SELECT code, message FROM failure($$SELECT * FROM simhash_index_trace('page_h', signature_ball(B'01', 3))$$);
CREATE INDEX page_only ON ONLY page USING simhash (h);
SELECT f.* FROM unnest('{simhash_index_stats,simhash_index_check}'::text[]) AS q, failure(format('SELECT %I(%L)', q, 'page_only')) AS f;
ALTER INDEX page_only ATTACH PARTITION page_2_own; -- belongs to page_h
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'page_3a_h_idx'::regclass;
SELECT * FROM failure($$SELECT simhash_index_stats('page_h')$$);
UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'page_3a_h_idx'::regclass;
\echo '-- rows that are elsewhere'
CREATE FOREIGN DATA WRAPPER elsewhere;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER elsewhere;
CREATE FOREIGN TABLE page_5 PARTITION OF page FOR VALUES FROM (5000) TO (6000) SERVER elsewhere;
SELECT f.* FROM unnest('{simhash_index_stats,simhash_index_check}'::text[]) AS q, failure(format('SELECT %I(%L)', q, 'page_h')) AS f;
SELECT value AS rows FROM simhash_index_stats('page_1_h_idx') WHERE name = 'rows';
SELECT code, message FROM failure($$SELECT * FROM simhash_pair_sample('page_h', 'h::text')$$);
DROP FOREIGN TABLE page_5;
\echo '-- the catalog in which Citus lists distributed tables'
BEGIN;
SET LOCAL allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char" NOT NULL);
INSERT INTO pg_catalog.pg_dist_partition VALUES ('whole', 'h'), ('page_3a', 'h');
SELECT f.* FROM failure($$SELECT simhash_index_stats('whole_h')$$) AS f;
SELECT code, message, detail FROM failure($$SELECT simhash_index_check('whole_s')$$);
SELECT code, message, detail FROM failure($$SELECT * FROM simhash_index_trace('page_h', simhash_ball('0000000000000000'::simhash, 3))$$);
SELECT code, message FROM failure($$SELECT * FROM simhash_index_calibrate('whole_h', 'pair', 'w', 'h')$$);
SELECT code, message FROM failure($$SELECT * FROM simhash_pair_sample('whole_h', 'h::text')$$);
SELECT value AS rows FROM simhash_index_stats('page_1_h_idx') WHERE name = 'rows';
ROLLBACK;

\echo '-- A view has the OID of an index, which REINDEX CONCURRENTLY changes, unless it looks the name up.'
CREATE TABLE renewed AS SELECT i AS id, (i / 2)::bigint::simhash AS h FROM generate_series(1, 100) AS i;
CREATE INDEX renewed_h ON renewed USING simhash (h);
CREATE VIEW by_oid AS SELECT value FROM simhash_index_stats('renewed_h') WHERE name = 'rows';
CREATE VIEW by_name AS SELECT value FROM simhash_index_stats('public.renewed_h'::text::regclass) WHERE name = 'rows';
REINDEX INDEX CONCURRENTLY renewed_h;
SELECT code, regexp_replace(message, '\d+', 'N') AS message, hint FROM failure('TABLE by_oid');
TABLE by_name;
DROP VIEW by_oid, by_name;
DROP TABLE renewed;

DROP FOREIGN DATA WRAPPER elsewhere CASCADE;
DROP TABLE page, whole, fresh, bare, pair;
DROP FUNCTION failure, fingerprint, compare_pairs, compare_join, compare_groups;
