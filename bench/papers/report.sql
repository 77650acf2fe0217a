-- The tables that run.sh prints.
\pset footer off
\pset null ''
\echo
\echo Indexes
SELECT rows, tables, round(seconds::numeric, 1) AS "build, s", round(bytes / 1e6, 1) AS "MB",
       round(bytes::numeric / rows, 1) AS "bytes per row", leaf_pages AS "leaf pages", inner_pages AS "inner pages", height
FROM built ORDER BY rows, tables;

\echo Searches
SELECT rows, radius, find, tables, method, CASE WHEN method <> 'exact' THEN target END AS target,
       round(leaf_pages::numeric, 2) AS "leaf pages", round((pages - leaf_pages)::numeric, 2) AS "inner pages",
       round((e.leaf / leaf_pages)::numeric, 2) AS "times fewer than T=4",
       round(microseconds::numeric, 1) AS "µs", round(recall::numeric, 4) AS "recall, rows",
       round(partner_recall::numeric, 4) AS "recall, partners", round(query_recall::numeric, 4) AS "recall, queries",
       exact_rows AS "exact rows"
FROM searched s
LEFT JOIN LATERAL (SELECT leaf_pages AS leaf FROM searched x WHERE x.rows = s.rows AND x.radius = s.radius
                   AND x.find = s.find AND x.tables = 4 AND x.method = 'exact') e ON true
WHERE method <> 'probes' ORDER BY rows, radius, find, tables, method DESC, target;

\echo Recall by number of probes, radius 3
SELECT rows, tables, most_probes AS probes, round(leaf_pages::numeric, 2) AS "leaf pages",
       round(recall::numeric, 4) AS "recall, rows", round(query_recall::numeric, 4) AS "recall, queries"
FROM searched WHERE method = 'probes' ORDER BY rows, tables, most_probes;

\echo Calibration: pairs of the other half, half for fitting, half for searching
SELECT rows, tables, distance, target, round(predicted::numeric, 4) AS predicted, round(measured::numeric, 4) AS measured,
       round(leaves::numeric, 2) AS "leaf pages", pairs FROM calibrated ORDER BY 1, 2, 3, 4;

\echo Batch join, radius 3
SELECT b.rows, b.tables, b.find, b.queries, b.method, CASE WHEN b.method <> 'exact' THEN b.target END AS target, b.how,
       round(b.seconds::numeric, 2) AS seconds, round((b.queries / b.seconds)::numeric) AS "queries/s",
       round((l.seconds / b.seconds)::numeric, 2) AS "times the loop", b.found,
       round(b.found::numeric / nullif(e.found, 0), 4) AS recall
FROM batched b
     LEFT JOIN batched l ON l.how = 'loop' AND (l.rows, l.tables, l.find, l.queries, l.method) = (b.rows, b.tables, b.find, b.queries, b.method)
     LEFT JOIN batched e ON e.how = 'match' AND e.method = 'exact' AND e.tables = 4 AND (e.rows, e.find, e.queries) = (b.rows, b.find, b.queries)
ORDER BY b.rows, b.find, b.queries, b.tables, b.method, b.how;
