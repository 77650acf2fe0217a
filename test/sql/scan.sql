\set ECHO none
-- Scans of the index other than searches by radius.
SET max_parallel_workers_per_gather = 0;
SET enable_seqscan = off;
SET enable_bitmapscan = off;

\echo '-- many equal rows under two sort keys: they are held and read once'
CREATE TABLE same AS SELECT i AS id, '00ff00ff00ff00ff'::simhash AS h FROM generate_series(1, 50000) i;
INSERT INTO same VALUES (0, NULL), (-1, '0000000000000000');
CREATE INDEX same_h ON same USING simhash (h);
ANALYZE same;
SELECT count(*), min(d), max(d) FROM (SELECT h <@> '0000000000000000' AS d FROM same
    ORDER BY h <@> '0000000000000000', h <@> 'ffffffffffffffff' LIMIT 30000) s;
SELECT count(*), count(DISTINCT id), count(d), min(d), max(d) FROM (SELECT id, h <@> '00ff00ff00ff00ff' AS d FROM same
    ORDER BY h <@> '00ff00ff00ff00ff', h <@> 'ffffffffffffffff') s;
SELECT id FROM same ORDER BY h <@> NULL, h <@> '0000000000000000' LIMIT 1;
DROP TABLE same;

\echo '-- a session that has searched an index without rows plans anew once it has grown'
CREATE TABLE grown (h simhash) WITH (autovacuum_enabled = off);
CREATE INDEX grown_h ON grown USING simhash (h);
INSERT INTO grown VALUES ('00000000000000ff');
SELECT count(*) FROM grown WHERE h ~= '00000000000000ff';
INSERT INTO grown SELECT hashint8extended(i, 7)::simhash FROM generate_series(1, 40000) AS i;
CREATE FUNCTION pg_temp.leaves_read() RETURNS bigint LANGUAGE sql AS
    $$ SELECT count(*) FROM generate_series(1, 40000, 1000) AS i, simhash_index_trace('grown_h', simhash_ball(hashint8extended(i, 7)::simhash, 3)) $$;
SELECT pg_temp.leaves_read() AS leaves \gset
ANALYZE grown;
SELECT :leaves = pg_temp.leaves_read() AS same;
DROP FUNCTION pg_temp.leaves_read;
DROP TABLE grown;

-- designs with large regions are planned quickly, and give the same answers
CREATE TABLE page AS SELECT i AS id, hashint8extended(i % 4500, 3)::simhash AS h FROM generate_series(1, 5000) i;
DO $$
DECLARE design text; n bigint; expected bigint;
BEGIN
    SELECT count(*) INTO expected FROM page a JOIN page b ON (a.h <@> b.h)::int <= 12 WHERE a.id <= 50;
    FOREACH design IN ARRAY ARRAY['design_radius = 1, trees = 16', 'design_radius = 2, trees = 16', 'design_radius = 3, trees = 20',
                                  'design_radius = 4, trees = 32', 'design_radius = 15, trees = 16'] LOOP
        EXECUTE 'CREATE INDEX page_h ON page USING simhash (h) WITH (' || design || ')';
        SELECT count(*) INTO n FROM page a JOIN page b ON a.h <@> b.h <= 12 WHERE a.id <= 50;
        ASSERT n = expected, design;
        SELECT count(*) INTO n FROM page a, LATERAL (SELECT id FROM page b ORDER BY b.h <@> a.h LIMIT 2) b WHERE a.id <= 50;
        ASSERT n = 100, design;
        DROP INDEX page_h;
    END LOOP;
END $$;

\echo '-- a partial index keeps its own row count when VACUUM finds nothing to do'
CREATE INDEX page_part ON page USING simhash (h) WHERE id <= 50;
VACUUM page;
SELECT reltuples FROM pg_class WHERE relname = 'page_part';
SELECT count(*) FROM page WHERE id <= 50 AND h <@> '0123456789abcdef' <= 40;
DROP INDEX page_part;

\echo '-- cursors: kept open during changes, fetched in small steps'
CREATE INDEX page_h ON page USING simhash (h);
BEGIN;
DECLARE near CURSOR FOR SELECT id FROM page WHERE h <@> '0123456789abcdef' <= 40;
MOVE 100 IN near;
INSERT INTO page SELECT 10000 + i, hashint8extended(i, 4)::simhash FROM generate_series(1, 5000) i;
MOVE ALL IN near;
SELECT count(*) FROM page WHERE h <@> '0123456789abcdef' <= 40 AND id <= 5000;
ROLLBACK;
BEGIN;
DECLARE nearest SCROLL CURSOR FOR SELECT (h <@> '0123456789abcdef')::int FROM page ORDER BY h <@> '0123456789abcdef';
FETCH 3 IN nearest;
FETCH BACKWARD 2 IN nearest;
ROLLBACK;

\echo '-- names of the phases of a build'
SELECT pg_indexam_has_property(oid, 'can_order') AS can_order, pg_indexam_has_property(oid, 'can_exclude') AS can_exclude,
       pg_index_column_has_property('page_h'::regclass, 1, 'distance_orderable') AS distance_orderable,
       pg_index_column_has_property('page_h'::regclass, 1, 'returnable') AS returnable,
       pg_index_column_has_property('page_h'::regclass, 1, 'search_nulls') AS search_nulls
FROM pg_am WHERE amname = 'simhash';

\echo '-- options'
CREATE INDEX ON page USING simhash (h) WITH (trees = 21);
CREATE INDEX ON page USING simhash (h) WITH (design_radius = 16);
CREATE INDEX ON page USING simhash (h) WITH (fillfactor = 10);
CREATE INDEX ON page USING simhash (h) WITH (blocks = 4);
ALTER INDEX page_h SET (design_radius = 5, trees = 6);
SELECT name, value FROM simhash_index_stats('page_h') WHERE name ~ '^(design_radius|trees|header_bits|reindex_pending)';
REINDEX INDEX page_h;
SELECT name, value FROM simhash_index_stats('page_h') WHERE name ~ '^(design_radius|trees|header_bits|reindex_pending)';
CREATE UNIQUE INDEX ON page USING simhash (h);
CREATE INDEX ON page USING simhash (h, h);
CREATE INDEX ON page USING simhash (id);
DROP TABLE page;

\echo '-- every kernel gives the same answers; the available ones depend on the machine'
SET simhash.simd = 'scalar';
SET simhash.simd = 'fastest';
SHOW simhash.simd;
