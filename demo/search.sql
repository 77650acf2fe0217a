-- The same queries with and without the index, and a comparison of the answers.
\pset footer off
\pset numericlocale on
CREATE TABLE question AS SELECT id, h FROM page WHERE h IS NOT NULL ORDER BY md5(id::text) LIMIT 300;
ANALYZE question;
\echo Everything within 3 bits of 300 of the documents:
\echo
\echo SELECT q.id, p.id FROM question q JOIN page p ON p.h <@> q.h <= 3
\echo

SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT clock_timestamp() AS start \gset
CREATE TABLE by_scan AS SELECT q.id AS question, p.id FROM question q JOIN page p ON p.h <@> q.h <= 3;
SELECT extract(epoch FROM clock_timestamp() - :'start') * 1000 AS scan_ms \gset
RESET enable_indexscan;
SET enable_seqscan = off;
SELECT clock_timestamp() AS start \gset
CREATE TABLE by_index AS SELECT q.id AS question, p.id FROM question q JOIN page p ON p.h <@> q.h <= 3;
SELECT extract(epoch FROM clock_timestamp() - :'start') * 1000 AS index_ms \gset
RESET enable_seqscan;
RESET enable_bitmapscan;

SELECT (SELECT count(*) FROM question) AS queries, (SELECT count(*) FROM by_index) AS answers,
    round(:scan_ms) AS "sequential scan, ms", round(:index_ms, 1) AS "index, ms",
    round(:scan_ms / :index_ms) || ' times' AS faster,
    CASE WHEN EXISTS ((TABLE by_scan EXCEPT ALL TABLE by_index) UNION ALL (TABLE by_index EXCEPT ALL TABLE by_scan))
        THEN 'NO' ELSE 'yes' END AS "identical answers";

SELECT count(h) < 5000 AS few FROM page \gset
\if :few
\echo With so few documents a sequential scan is about as fast, and the planner may choose it.
\echo
\endif
\echo One of them:
\echo
SELECT h AS q FROM question LIMIT 1 \gset
\pset tuples_only on
\pset format unaligned
\set ECHO queries
EXPLAIN (ANALYZE, COSTS OFF, BUFFERS, SUMMARY OFF) SELECT path FROM page WHERE h <@> :'q' <= 3;
\set ECHO none
