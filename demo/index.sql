-- Fingerprints, their index, and what share of the pairs within 3 bits the texts do not confirm.
\pset footer off
\pset numericlocale on
\set ECHO queries
ALTER TABLE page ADD h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED;
\set ECHO none
VACUUM ANALYZE page;

-- The speed of the function alone, in one process.
SELECT clock_timestamp() AS start \gset
SELECT count(to_simhash(body)) AS documents, coalesce(sum(octet_length(body)), 0) AS bytes FROM page \gset
SELECT extract(epoch FROM clock_timestamp() - :'start') AS seconds \gset
SELECT clock_timestamp() AS start \gset
\set ECHO queries
CREATE INDEX page_h ON page USING simhash (h);
\set ECHO none
SELECT round(extract(epoch FROM clock_timestamp() - :'start') * 1000) AS milliseconds \gset
ANALYZE page;
\echo
SELECT count(h) AS fingerprints, round(:bytes / :seconds / 1e6) AS "MB/s, one core", :milliseconds AS "indexed in ms",
    pg_size_pretty(pg_relation_size('page_h')) AS "index size", round(pg_relation_size('page_h')::numeric / count(h)) AS "bytes each"
FROM page;

-- At most 1,000 pairs of each distance are compared.
CREATE TABLE report AS SELECT * FROM simhash_report('page', 'h', details => true);
CREATE TABLE sample AS
    SELECT distance, pairs, avg((jaccard < 0.8)::int) AS false_share
    FROM simhash_pair_sample('page_h', 'body', 3, 1000) GROUP BY distance, pairs;
SELECT coalesce(sum(pairs), 0)::bigint AS pairs, round(100 * sum(pairs * false_share) / sum(pairs)) AS percent, count(*) > 0 AS some
FROM sample \gset
\if :some
\echo 'Of the' :pairs 'pairs within 3 bits' :percent '% are false: their texts share fewer than 80 % of their three-word shingles.'
\endif
