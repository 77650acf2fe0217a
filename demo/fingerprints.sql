-- Exact copies can be found by comparing texts; fingerprints are for the rest.
\pset footer off
\pset numericlocale on
CREATE UNLOGGED TABLE distinct_document AS
    SELECT DISTINCT ON (md5(body)) path, kind, body FROM document ORDER BY md5(body), path;
SELECT count(*) AS documents, pg_size_pretty(coalesce(sum(octet_length(body)), 0)) AS text,
    count(*) - (SELECT count(*) FROM distinct_document) AS "exact copies, left out"
FROM document;
DROP TABLE document;

\set ECHO queries
CREATE TABLE page (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, path text, kind text, body text,
                   h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED);
\set ECHO none
INSERT INTO page (path, kind, body) SELECT path, kind, body FROM distinct_document ORDER BY path;
DROP TABLE distinct_document;
VACUUM ANALYZE page;

-- The speed of the function alone, in one process.
SELECT clock_timestamp() AS start \gset
SELECT count(to_simhash(body)) AS documents, coalesce(sum(octet_length(body)), 0) AS bytes FROM page \gset
SELECT extract(epoch FROM clock_timestamp() - :'start') AS seconds \gset
\echo
\echo One 64-bit fingerprint per document:
\echo
SELECT h, kind, CASE WHEN length(path) > 80 THEN '…' || right(path, 79) ELSE path END AS path
FROM page WHERE h IS NOT NULL ORDER BY md5(path) LIMIT 5;
SELECT :documents AS fingerprints, round(:seconds, 1) AS seconds,
    round(:documents / :seconds) AS "documents/s, one core", round(:bytes / :seconds / 1e6) AS "MB/s, one core";
