-- Migrating from other tools: the recipes of doc/migrating.md.

-- simhash-py: Corpus(num_blocks, diff_bits) is a set of fingerprints with the layout tables = C(num_blocks, diff_bits).
CREATE TABLE corpus (h simhash, UNIQUE (h));
CREATE INDEX corpus_h ON corpus USING simhash (h) WITH (distance = 3, tables = 20); -- Corpus(6, 3)
INSERT INTO corpus VALUES ('00000000deadbeef') ON CONFLICT DO NOTHING;                       -- insert
INSERT INTO corpus VALUES ('00000000deadbeef') ON CONFLICT DO NOTHING;
INSERT INTO corpus SELECT unnest('{00000000deadbeee,00000000deadbe00,ffffffffffffffff}'::simhash[]) ON CONFLICT DO NOTHING; -- insert_bulk
SELECT count(*) AS find_first FROM (SELECT FROM corpus WHERE h <@> '00000000deadbeed' <= 3 LIMIT 1) f;
SELECT h AS find_all FROM corpus WHERE h <@> '00000000deadbeed' <= 3 ORDER BY 1;
SELECT q AS find_first_bulk, (SELECT h FROM corpus WHERE h <@> q <= 3 LIMIT 1) IN ('00000000deadbeee', '00000000deadbeef') AS found
FROM unnest('{00000000deadbeed,0123456789abcdef,fffffffffffffff0,00000000deadbeed}'::simhash[]) WITH ORDINALITY u(q, n) ORDER BY n;
SELECT q AS find_all_bulk, ARRAY(SELECT h FROM corpus WHERE h <@> q <= 3 ORDER BY h) AS found
FROM unnest('{00000000deadbeed,fffffffffffffffe,0123456789abcdef,fffffffffffffffe}'::simhash[]) WITH ORDINALITY u(q, n) ORDER BY n;
DELETE FROM corpus WHERE h = '00000000deadbeee';                                             -- remove
DELETE FROM corpus WHERE h = ANY ('{00000000deadbe00,ffffffffffffffff}');                    -- remove_bulk
SELECT * FROM corpus;
-- simhash.find_all(hashes, num_blocks, diff_bits): all pairs
INSERT INTO corpus SELECT unnest('{00000000deadbeee,00000000deadbe0f,ffffffffffffffff}'::simhash[]);
SELECT x.h, y.h FROM simhash_pairs('corpus_h', 3) p JOIN corpus x ON x.ctid = p.a JOIN corpus y ON y.ctid = p.b ORDER BY 1, 2;
-- the fingerprint itself: simhash.Simhash(text).value, from that library's tests
SELECT to_simhash_as('1e0ng', 'How are you? I AM fine. Thanks. And you?') AS same_bits;

-- bigint columns, used for image hashes and by the BK-tree (pg-spgist_hamming: h <@ (q, d)::bktree_area): the type
-- can change in place, since bigint and simhash have the same bits
CREATE TABLE image (id int, h bigint);
INSERT INTO image VALUES (1, 0), (2, 7), (3, -1), (4, 9223372036854775807), (5, -9223372036854775808);
CREATE VIEW file AS SELECT pg_relation_filenode('image') AS number;
SELECT number AS file_before FROM file \gset
ALTER TABLE image ALTER h TYPE simhash USING h::simhash;
SELECT number = :file_before AS not_rewritten FROM file;
CREATE INDEX image_h ON image USING simhash (h);
SELECT id, h, h::bigint FROM image WHERE h <@> 0::bigint::simhash <= 4 ORDER BY id;  -- was: h <@ (0, 4)::bktree_area
SELECT id, h <@> 0::bigint::simhash AS distance FROM image ORDER BY h <@> 0::bigint::simhash LIMIT 2;
-- or the column stays a bigint and an expression is indexed
CREATE TABLE old_image (id int, h bigint);
INSERT INTO old_image SELECT i, hashint8extended(i, 1) FROM generate_series(1, 2000) i;
INSERT INTO old_image SELECT 10000 + id, h # 5 FROM old_image WHERE id <= 2;
CREATE INDEX old_image_h ON old_image USING simhash ((h::simhash));
ANALYZE old_image;
SELECT id FROM old_image WHERE h::simhash <@> (SELECT h FROM old_image WHERE id = 1)::simhash <= 4 ORDER BY id;
EXPLAIN (COSTS OFF) SELECT id FROM old_image WHERE h::simhash <@> 42::bigint::simhash <= 4;
-- unsigned numbers and hexadecimal digits, as programs print them
SELECT '17663612459742043242'::numeric::simhash, 'f521c1f241169c6a'::simhash, '0xF521C1F241169C6A'::simhash,
    (-783131613967508374)::bigint::simhash;
SELECT 'f521c1f241169c6a'::simhash::bigint, 'f521c1f241169c6a'::simhash::numeric, 'f521c1f241169c6a'::simhash::bit(64);

-- bit(64), as used by pgvector (embedding <~> q): the same, with one rewrite
CREATE TABLE item (id int, embedding bit(64));
INSERT INTO item VALUES (1, x'00000000ffffffff'), (2, x'00000000fffffff0'), (3, x'ffffffff00000000');
ALTER TABLE item ALTER embedding TYPE simhash USING embedding::simhash;
CREATE INDEX item_embedding ON item USING simhash (embedding);
SELECT id, embedding <@> x'00000000ffffffff'::simhash AS distance FROM item ORDER BY embedding <@> x'00000000ffffffff'::simhash LIMIT 2;
-- from real-valued vectors
SELECT simhash_project('{0.1,-0.2,0.3}'::real[]) <@> simhash_project('{0.1,-0.2,0.31}'::real[]) < 8 AS near;

-- four btrees on blocks of 16 bits, or GIN on an array of blocks: their conditions and the final comparison become
-- one condition, their indexes one index
CREATE TABLE crawl (id int, h bigint);
INSERT INTO crawl SELECT * FROM old_image;
CREATE INDEX crawl_0 ON crawl ((h & 65535));
CREATE INDEX crawl_1 ON crawl ((h >> 16 & 65535));
CREATE INDEX crawl_2 ON crawl ((h >> 32 & 65535));
CREATE INDEX crawl_3 ON crawl ((h >> 48 & 65535));
SELECT h AS q FROM crawl WHERE id = 2 \gset
SELECT id FROM crawl WHERE (h & 65535 = :q & 65535 OR h >> 16 & 65535 = :q >> 16 & 65535 OR h >> 32 & 65535 = :q >> 32 & 65535
    OR h >> 48 & 65535 = :q >> 48 & 65535) AND length(replace((h # :q)::bit(64)::text, '0', '')) <= 3 ORDER BY id;
DROP INDEX crawl_0, crawl_1, crawl_2, crawl_3;
ALTER TABLE crawl ALTER h TYPE simhash USING h::simhash;
CREATE INDEX ON crawl USING simhash (h);
SELECT id FROM crawl WHERE h <@> (:q)::bigint::simhash <= 3 ORDER BY id;

DROP VIEW file;
DROP TABLE corpus, image, old_image, item, crawl;
