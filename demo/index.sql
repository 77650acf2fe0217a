\pset footer off
\pset numericlocale on
SELECT clock_timestamp() AS start \gset
\set ECHO queries
CREATE INDEX page_h ON page USING simhash (h);
ANALYZE page;
\set ECHO none
SELECT round(extract(epoch FROM clock_timestamp() - :'start') * 1000) AS milliseconds \gset
\echo
SELECT count(h) AS fingerprints, :milliseconds AS "built in ms", pg_size_pretty(pg_relation_size('page_h')) AS "index size",
    round(pg_relation_size('page_h')::numeric / count(h)) AS "bytes each",
    pg_size_pretty(pg_table_size('page')) AS "table size"
FROM page;
