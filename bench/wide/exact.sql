-- Whether every exact answer of the index is that of a sequential scan. Variables: bits, data.
-- Expects the tables page and query. Prints the number of rows that differ, plus 1 if a search has not used the index.
SET enable_bitmapscan = off;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE scanned AS TABLE page;
CREATE INDEX page_sig ON page USING simhash (sig);
ANALYZE page, scanned;
CREATE TEMP TABLE radius AS SELECT DISTINCT least(r, :bits) AS r FROM unnest(ARRAY[0, 1, 8, 16, 31, :bits / 8, :bits / 4]) r;
SET enable_seqscan = off;
CREATE TEMP TABLE by_index AS
    SELECT q.id AS query, r, f.id FROM query q, radius, LATERAL (SELECT id FROM page WHERE sig <@> q.sig <= r) f;
CREATE TEMP TABLE ten_by_index AS
    SELECT q.id AS query, d, n FROM query q, LATERAL (SELECT d, row_number() OVER () AS n FROM (
        SELECT (sig <@> q.sig)::int AS d FROM page ORDER BY sig <@> q.sig LIMIT 10) x) f;
CREATE TEMP TABLE by_scan AS
    SELECT q.id AS query, r, f.id FROM query q, radius, LATERAL (SELECT id FROM scanned WHERE bit_count(sig # q.sig) <= r) f;
CREATE TEMP TABLE ten_by_scan AS
    SELECT q.id AS query, d, n FROM query q, LATERAL (SELECT d, row_number() OVER () AS n FROM (
        SELECT bit_count(sig # q.sig)::int AS d FROM scanned ORDER BY 1 LIMIT 10) x) f;
SELECT (SELECT count(*) FROM ((TABLE by_index EXCEPT ALL TABLE by_scan) UNION ALL (TABLE by_scan EXCEPT ALL TABLE by_index)) d) +
       (SELECT count(*) FROM ((TABLE ten_by_index EXCEPT ALL TABLE ten_by_scan) UNION ALL
                              (TABLE ten_by_scan EXCEPT ALL TABLE ten_by_index)) d) AS differing,
       (SELECT count(*) FROM by_scan) AS found \gset
SELECT pg_stat_force_next_flush() \g /dev/null
-- 1 unless every search has used the index.
SELECT (idx_scan < (SELECT count(*) FROM query) * (1 + (SELECT count(*) FROM radius)))::int AS unused
FROM pg_stat_user_indexes WHERE indexrelname = 'page_sig' \gset
SELECT 'exact', :'data' || ', ' || :bits, '', measure, value
FROM (VALUES ('differing', :differing + :unused), ('found', :found)) v(measure, value);
