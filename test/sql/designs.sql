\set ECHO none
-- simhash_index_designs: the table designs of a distance.
SELECT trees, regions, block_bits, header_bits FROM simhash_index_designs(3);
SELECT trees, block_order FROM simhash_index_designs(3) WHERE trees IN (1, 4, 6, 10);
\echo '-- simhash-py''s Corpus(6, 3): every set of three of six blocks leads one table'
SELECT count(DISTINCT (SELECT string_agg(c, '' ORDER BY c) FROM regexp_split_to_table(split_part(o, '|', 1), '') c)) AS headers,
       bool_and((SELECT string_agg(c, '' ORDER BY c) FROM regexp_split_to_table(replace(o, '|', ''), '') c) = 'ABCDEF') AS permutations
FROM simhash_index_designs(3), unnest(block_order) o WHERE trees = 20;
\echo '-- every distance: the blocks have 64 bits, and each header those of its blocks'
SELECT design_radius, count(*) AS designs, min(trees), max(trees),
       bool_and(64 = (SELECT sum(b) FROM unnest(block_bits) b) AND cardinality(header_bits) = trees AND cardinality(block_order) = trees
           AND header_bits = ARRAY(SELECT (SELECT sum(block_bits[ascii(c) - 64]) FROM regexp_split_to_table(split_part(o, '|', 1), '') c)::int
                                   FROM unnest(block_order) WITH ORDINALITY u(o, n) ORDER BY n)) AS consistent
FROM generate_series(1, 15) design_radius, simhash_index_designs(design_radius) GROUP BY design_radius ORDER BY design_radius;
\echo '-- they are what indexes have'
CREATE TABLE designed (h simhash);
DO $$
DECLARE design record; found int[];
BEGIN
    FOR design IN SELECT d, trees, header_bits FROM generate_series(1, 7, 2) d, simhash_index_designs(d) LOOP
        EXECUTE format('CREATE INDEX designed_h ON designed USING simhash (h) WITH (design_radius = %s, trees = %s)', design.d, design.trees);
        SELECT array_agg(value) INTO found FROM simhash_index_stats('designed_h') WHERE name ~ '^header_bits';
        IF found IS DISTINCT FROM design.header_bits THEN
            RAISE '% trees for %: %, not %', design.trees, design.d, found, design.header_bits;
        END IF;
        DROP INDEX designed_h;
    END LOOP;
END $$;
CREATE INDEX ON designed USING simhash (h) WITH (design_radius = 3, trees = 17);
\echo '-- ALTER INDEX cannot refuse what only indexes on signatures can have. Neither does the next TRUNCATE.'
CREATE INDEX designed_h ON designed USING simhash (h);
ALTER INDEX designed_h SET (design_radius = 31);
ALTER INDEX designed_h SET (design_radius = 15, trees = 0);
SELECT name, value FROM simhash_index_stats('designed_h') WHERE name IN ('design_radius', 'trees', 'reindex_pending');
TRUNCATE designed;
SELECT name, value FROM simhash_index_stats('designed_h') WHERE name IN ('design_radius', 'trees', 'reindex_pending');
\echo '-- In the transaction that made the table, a file is replaced in place.'
BEGIN;
CREATE TABLE remade (h simhash, s bit(128));
CREATE INDEX remade_h ON remade USING simhash (h) WITH (trees = 4);
CREATE INDEX remade_s ON remade USING simhash (s) WITH (trees = 4);
ALTER INDEX remade_h SET (trees = 10);
ALTER INDEX remade_s SET (trees = 10);
INSERT INTO remade SELECT hashint8extended(i, 1)::simhash, hashint8extended(i, 1)::bit(64) || hashint8extended(i, 2)::bit(64) FROM generate_series(1, 100) i;
TRUNCATE remade;
INSERT INTO remade SELECT hashint8extended(i, 1)::simhash, hashint8extended(i, 1)::bit(64) || hashint8extended(i, 2)::bit(64) FROM generate_series(1, 100) i;
SELECT h.value AS trees, s.value AS of_signatures FROM simhash_index_stats('remade_h') h, simhash_index_stats('remade_s') s WHERE (h.name, s.name) = ('trees', 'trees');
SELECT rows FROM unnest('{remade_h,remade_s}'::regclass[]) i, simhash_index_check(i, true);
COMMIT;
BEGIN;
CREATE TEMP TABLE emptied (h simhash) ON COMMIT DELETE ROWS;
CREATE INDEX emptied_h ON emptied USING simhash (h) WITH (trees = 4);
COMMIT;
BEGIN;
ALTER INDEX emptied_h SET (trees = 10);
INSERT INTO emptied SELECT hashint8extended(i, 1)::simhash FROM generate_series(1, 100) i;
COMMIT;
SELECT value AS trees FROM simhash_index_stats('emptied_h') WHERE name = 'trees';
BEGIN;
INSERT INTO emptied SELECT hashint8extended(i, 1)::simhash FROM generate_series(1, 100) i;
ALTER INDEX emptied_h SET (trees = 17);
COMMIT;
INSERT INTO emptied VALUES ('0000000000000001');
SELECT value AS trees FROM simhash_index_stats('emptied_h') WHERE name = 'trees';
DROP TABLE remade, emptied;
ALTER INDEX designed_h SET (design_radius = 0);
REINDEX INDEX designed_h;
REINDEX INDEX CONCURRENTLY designed_h;
CREATE INDEX CONCURRENTLY designed_again ON designed USING simhash (h) WITH (trees = 17);
SELECT indexrelid::regclass, indisvalid FROM pg_index WHERE indrelid = 'designed'::regclass ORDER BY 1;
ALTER TABLE designed SET UNLOGGED;
DROP TABLE designed;
SELECT simhash_index_designs(0);
SELECT simhash_index_designs(16);
SELECT count(*) FROM simhash_index_designs(NULL);
