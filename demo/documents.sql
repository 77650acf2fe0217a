-- Exact copies can be found by comparing texts; the index is for the rest.
\pset footer off
\pset numericlocale on
CREATE UNLOGGED TABLE distinct_document AS
    SELECT DISTINCT ON (md5(body)) path, kind, body FROM document ORDER BY md5(body), path;
SELECT count(*) AS documents, pg_size_pretty(coalesce(sum(octet_length(body)), 0)) AS text,
    count(*) - (SELECT count(*) FROM distinct_document) AS "exact copies, left out"
FROM document;
DROP TABLE document;

\set ECHO queries
CREATE TABLE page (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, path text, kind text, body text);
\set ECHO none
INSERT INTO page (path, kind, body) SELECT path, kind, body FROM distinct_document ORDER BY path;
DROP TABLE distinct_document;
VACUUM ANALYZE page;
SELECT clock_timestamp() AS start \gset
\echo
\set ECHO queries
CREATE INDEX page_body ON page USING simhash (body);
\set ECHO none
SELECT round(extract(epoch FROM clock_timestamp() - :'start') * 1000) AS milliseconds \gset
ANALYZE page;
\echo
SELECT count(*) AS documents, :milliseconds AS "indexed in ms", pg_size_pretty(pg_relation_size('page_body')) AS "index size",
    pg_size_pretty(pg_table_size('page')) AS "table size"
FROM page;
