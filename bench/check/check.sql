-- Times of simhash_index_check: the structure alone, and with the rows of the table. README.md says how to run it.
CREATE EXTENSION IF NOT EXISTS simhash;
CREATE TABLE big AS SELECT i, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 2000000) AS i;
CREATE INDEX big_h ON big USING simhash (h);
CREATE TABLE wide AS SELECT i, (hashint8extended(i, 1)::bit(64) || hashint8extended(i, 2)::bit(64) || hashint8extended(i, 3)::bit(64)
    || hashint8extended(i, 4)::bit(64))::bit(256) AS s FROM generate_series(1, 300000) AS i;
CREATE INDEX wide_s ON wide USING simhash (s);
CREATE TABLE listed AS SELECT * FROM wide;
CREATE INDEX listed_s ON listed USING simhash (s) WITH (trees = 0, lists = 300);
VACUUM ANALYZE big, wide, listed;
SET client_min_messages = log;
SET log_executor_stats = on;
SELECT 'big_h', value FROM simhash_index_stats('big_h') WHERE name = 'trees';
SELECT rows FROM simhash_index_check('big_h');
SELECT rows FROM simhash_index_check('big_h', true);
-- With the entries of 100,000 dead rows.
ALTER TABLE big SET (autovacuum_enabled = off);
UPDATE big SET h = hashint8extended(i, 7)::simhash WHERE i % 20 = 0;
SELECT rows FROM simhash_index_check('big_h', true);
SELECT 'wide_s', value FROM simhash_index_stats('wide_s') WHERE name = 'trees';
SELECT rows FROM simhash_index_check('wide_s');
SELECT rows FROM simhash_index_check('wide_s', true);
SELECT 'listed_s', value FROM simhash_index_stats('listed_s') WHERE name = 'trees';
SELECT rows FROM simhash_index_check('listed_s');
SELECT rows FROM simhash_index_check('listed_s', true);
DROP TABLE big, wide, listed;
