-- The tables of a run, in Markdown after run.sh's filter. Reads results.csv from standard input.
\set QUIET on
\pset format unaligned
\pset fieldsep ' | '
\pset footer off
\pset null ''
SET client_min_messages = warning;
CREATE TEMP TABLE result (id serial, data text, bits integer, rows bigint, part text, method text, setting text, measure text, value float8);
\copy result (data, bits, rows, part, method, setting, measure, value) FROM pstdin CSV HEADER

-- Three digits.
CREATE FUNCTION pg_temp.digits(x float8) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN x IS NULL THEN NULL
                WHEN x >= 1000 THEN to_char(round(x::numeric, (2 - floor(log(x)))::integer), 'FM999,999,999,999')
                WHEN x <= 0 THEN round(x::numeric, 1)::text
                ELSE round(x::numeric, least((2 - floor(log(x)))::integer, 3))::text END $$;

CREATE TEMP TABLE search AS
    SELECT min(id) AS id, data, bits, part, method, setting, max(value) FILTER (WHERE measure = 'recall') AS recall,
           max(value) FILTER (WHERE measure = 'us') AS us, max(value) FILTER (WHERE measure = 'pages') AS pages,
           max(value) FILTER (WHERE measure = 'found') AS found,
           max(value) FILTER (WHERE measure = 'worst tenth') AS worst
    FROM result WHERE part IN ('range', 'ten') GROUP BY data, bits, part, method, setting;

\echo
\echo '## Indexes'
\echo
SELECT data, bits, method AS index, pg_temp.digits(max(value) FILTER (WHERE measure = 's')) AS "build, s",
       pg_temp.digits(max(value) FILTER (WHERE measure = 'bytes per row')) AS "bytes a row",
       pg_temp.digits(max(value) FILTER (WHERE measure = 'leaf bytes per row')) AS leaves,
       pg_temp.digits(max(value) FILTER (WHERE measure = 'inner bytes per row')) AS "inner pages",
       pg_temp.digits(max(value) FILTER (WHERE measure = 'plane bytes per row')) AS plane,
       pg_temp.digits(max(value) FILTER (WHERE measure = 'store bytes per row')) AS store
FROM result WHERE part = 'build' GROUP BY data, bits, method ORDER BY min(id);

\echo
\echo '## Rows within a radius'
\echo
SELECT s.data, s.bits, s.method, s.setting, pg_temp.digits(s.found) AS "rows found", round(s.recall::numeric, 4) AS recall,
       pg_temp.digits(s.us) AS "µs", pg_temp.digits(s.pages) AS "index pages",
       pg_temp.digits(scan.us / nullif(s.us, 0)) AS "times the scan in memory"
FROM search s LEFT JOIN search scan ON scan.data = s.data AND scan.bits = s.bits AND scan.part = 'range' AND
     scan.method = 'memory: SIMD scan' AND scan.setting = substring(s.setting from '^r = \d+')
WHERE s.part = 'range' ORDER BY s.bits, s.data, substring(s.setting from '^r = (\d+)')::int, s.id;

\echo
\echo '## The ten nearest'
\echo
SELECT s.data, s.bits, s.method, s.setting, round(s.recall::numeric, 3) AS recall, round(s.worst::numeric, 2) AS "worst tenth",
       pg_temp.digits(s.us) AS "µs", pg_temp.digits(s.pages) AS "index pages", pg_temp.digits(scan.us / nullif(s.us, 0)) AS "times the scan in memory"
FROM search s LEFT JOIN search scan ON scan.data = s.data AND scan.bits = s.bits AND scan.part = 'ten' AND
     scan.method = 'memory: SIMD scan'
WHERE s.part = 'ten' ORDER BY s.bits, s.data, s.id;

\echo
\echo '## Against pgvector with the same recall'
\echo
-- Between two settings the logarithm of the time follows that of the part that is missed.
CREATE FUNCTION pg_temp.missed(recall float8) RETURNS float8 LANGUAGE sql AS $$ SELECT ln(greatest(1 - recall, 0.001)) $$;
SELECT s.data, s.bits, s.method, s.setting, round(s.recall::numeric, 3) AS recall, pg_temp.digits(s.us) AS "µs", peer.method AS peer,
       coalesce(pg_temp.digits(p.us), 'not reached') AS "peer's µs", pg_temp.digits(p.us / nullif(s.us, 0)) AS times
FROM search s JOIN (SELECT DISTINCT data, bits, method FROM search WHERE method ~ '^pgvector') peer USING (data, bits)
LEFT JOIN LATERAL (SELECT * FROM search p WHERE p.data = s.data AND p.bits = s.bits AND p.method = peer.method AND
                   p.recall >= s.recall ORDER BY p.recall LIMIT 1) above ON true
LEFT JOIN LATERAL (SELECT * FROM search p WHERE p.data = s.data AND p.bits = s.bits AND p.method = peer.method AND
                   p.recall < s.recall ORDER BY p.recall DESC LIMIT 1) below ON true
CROSS JOIN LATERAL (SELECT coalesce(exp(ln(below.us) + (ln(above.us) - ln(below.us)) * (pg_temp.missed(s.recall) - pg_temp.missed(below.recall)) /
                    nullif(pg_temp.missed(above.recall) - pg_temp.missed(below.recall), 0)), above.us) AS us) p
WHERE s.part = 'ten' AND s.method ~ '^simhash' AND s.setting ~ '^recall' ORDER BY s.bits, s.data, peer.method, s.id;

\echo
\echo '## Inserts'
\echo
SELECT r.data, r.bits, r.method AS index,
       pg_temp.digits(max(r.value - coalesce(none.value, 0)) FILTER (WHERE r.measure = 'us' AND r.setting = 'batch 2')) AS "µs a row more than without",
       pg_temp.digits(max(r.value - coalesce(none.value, 0)) FILTER (WHERE r.measure <> 'us' AND r.setting = 'batch 2')) AS "WAL bytes a row",
       pg_temp.digits(max(r.value - coalesce(none.value, 0)) FILTER (WHERE r.measure <> 'us' AND r.setting = 'batch 1')) AS "after a checkpoint, with full pages"
FROM result r LEFT JOIN result none ON none.data = r.data AND none.bits = r.bits AND none.part = 'insert' AND none.setting = r.setting AND
     none.measure = r.measure AND none.method = 'no index'
WHERE r.part = 'insert' AND r.method <> 'no index' GROUP BY r.data, r.bits, r.method ORDER BY min(r.id);

\echo
\echo '## Exact answers that differ from those of a sequential scan'
\echo
SELECT bits, data, max(value) FILTER (WHERE measure = 'found') AS "rows found", max(value) FILTER (WHERE measure = 'differing') AS differing
FROM result WHERE part = 'exact' GROUP BY bits, data ORDER BY bits, data;
