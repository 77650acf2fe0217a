-- The tables of one kind of data, in Markdown after run.sh's filter.
-- Reads results.csv from standard input. Variable: data.
\set QUIET on
\pset format unaligned
\pset fieldsep ' | '
\pset footer off
\pset null ''
SET client_min_messages = warning;
CREATE TEMP TABLE result (id serial, part text, data text, rows bigint, method text, variant text, measure text, value float8);
\copy result (part, data, rows, method, variant, measure, value) FROM pstdin CSV HEADER
DELETE FROM result WHERE data <> :'data';

-- Three digits.
CREATE FUNCTION pg_temp.digits(x float8) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN x >= 1000 THEN to_char(round(x::numeric, (2 - floor(log(x)))::integer), 'FM999,999,999,999')
                WHEN x <= 0 THEN round(x::numeric, 1)::text
                ELSE round(x::numeric, least((2 - floor(log(x)))::integer, 3))::text END $$;

-- With its ratio to the reference.
CREATE FUNCTION pg_temp.cell(x float8, reference float8) RETURNS text LANGUAGE sql AS
    $$ SELECT pg_temp.digits(x) || coalesce(' (' || pg_temp.digits(x / reference) || ')', '') $$;

CREATE FUNCTION pg_temp.value_of(of_part text, of_method text, of_variant text, of_measure text) RETURNS float8 LANGUAGE sql AS
    $$ SELECT max(value) FROM result WHERE (part, method, variant, measure) = (of_part, of_method, of_variant, of_measure) $$;

-- The order of rows in the tables.
CREATE TEMP TABLE method AS
    SELECT method, row_number() OVER (ORDER BY
               CASE WHEN method ~ '^simhash,' THEN 1 WHEN method ~ '^(four|GIN)' THEN 2 WHEN method ~ '^sequential' THEN 3
                    WHEN method ~ '^btree' THEN 4 WHEN method ~ '^no index' THEN 5 WHEN method ~ '^primary' THEN 6
                    WHEN method ~ '^SELECT' THEN 7 WHEN method ~ '^memory: sorted' THEN 8 WHEN method ~ '^memory' THEN 9 ELSE 10 END,
               substring(method from '^simhash, trees = (\d+)')::integer, min(id)) AS place
    FROM result GROUP BY method;

-- The references of ratios.
CREATE TEMP TABLE reference AS
    SELECT method FROM method WHERE method ~ '^simhash, trees' ORDER BY method <> 'simhash, trees = 4', place LIMIT 1;
CREATE FUNCTION pg_temp.reference(of_part text, of_variant text, of_measure text) RETURNS float8 LANGUAGE sql AS
    $$ SELECT pg_temp.value_of(of_part, method, of_variant, of_measure) FROM reference $$;

SELECT coalesce(max(method), 'nothing') AS reference FROM reference \gset
SELECT coalesce(to_char(max(rows), 'FM999,999,999,999'), '0') AS rows_shown, coalesce(max(rows), 0) AS rows FROM result \gset
SELECT coalesce(bool_or(part = 'build'), false) AS build, coalesce(bool_or(part = 'lookup'), false) AS lookup,
       coalesce(bool_or(part = 'knn'), false) AS knn, coalesce(bool_or(part = 'join'), false) AS join,
       coalesce(bool_or(part = 'latency'), false) AS latency, coalesce(bool_or(part = 'insert'), false) AS insert,
       coalesce(bool_or(part = 'memory' AND measure = 'us'), false) AS memory, coalesce(bool_or(part = 'pairs'), false) AS pairs
FROM result \gset

\echo
\echo '##' :data, :rows_shown rows

\if :build
\echo
\echo '### Indexes'
\echo
SELECT method AS index, pg_temp.digits(pg_temp.value_of('build', method, '', 's')) AS "build, s of processor time",
       pg_temp.digits(pg_temp.value_of('build', method, '', 's elapsed')) AS "elapsed",
       pg_temp.digits(pg_temp.value_of('build', method, '', 's') / pg_temp.value_of('build', 'btree on h', '', 's')) AS "times btree on h",
       pg_temp.digits(pg_temp.value_of('build', method, '', 'bytes per row')) AS "bytes per row",
       pg_temp.digits(pg_temp.value_of('insert', method, '', 'bytes per row')) AS "after the inserts"
FROM method WHERE pg_temp.value_of('build', method, '', 's') IS NOT NULL ORDER BY place;
\endif

\if :lookup
\echo
\echo '### All rows within r, inside the server: µs of processor time per query (times' :reference 'at that r)'
\echo
SELECT method, max(cell) FILTER (WHERE variant = 'r = 1') AS "r = 1", max(cell) FILTER (WHERE variant = 'r = 3') AS "r = 3",
       max(cell) FILTER (WHERE variant = 'r = 5') AS "r = 5", max(cell) FILTER (WHERE variant = 'r = 7') AS "r = 7",
       max(cell) FILTER (WHERE variant = 'first within 3') AS "first within 3", max(cell) FILTER (WHERE variant = 'one row') AS "one row"
FROM (SELECT method, variant, pg_temp.cell(value, pg_temp.reference('lookup', variant, 'us')) AS cell
      FROM result WHERE part = 'lookup' AND measure = 'us') s
JOIN method USING (method) GROUP BY place, method ORDER BY place;
\endif

\if :knn
\echo
\echo '### Ten nearest neighbors, exact: µs of processor time per query (times' :reference')'
\echo
SELECT method, max(cell) FILTER (WHERE variant = 'ten near-duplicates') AS "query with ten near-duplicates",
       max(cell) FILTER (WHERE variant = 'random query') AS "random query"
FROM (SELECT method, variant, pg_temp.cell(value, pg_temp.reference('knn', variant, 'us')) AS cell
      FROM result WHERE part = 'knn' AND measure = 'us') s
JOIN method USING (method) GROUP BY place, method ORDER BY place;
\endif

\if :join
\echo
\echo '### Many queries joined with the rows, by a nested loop and by batches of searches, within 3: queries per second (µs of processor time per query)'
\echo
SELECT method, max(cell) FILTER (WHERE variant = 'all rows') AS "all rows",
       max(cell) FILTER (WHERE variant = 'batches') AS "batches", max(cell) FILTER (WHERE variant = 'the first') AS "the first"
FROM (SELECT method, variant, pg_temp.digits(value) || ' (' || pg_temp.digits(1e6 / value) || ')' AS cell
      FROM result WHERE part = 'join' AND measure = 'probes/s') s
JOIN method USING (method) GROUP BY place, method ORDER BY place;
\endif

\if :latency
\echo
\echo '### All rows within 3, as a client sees it: prepared statements, one session, over the unix socket, µs'
\echo
SELECT method, pg_temp.digits(p50) AS p50, pg_temp.digits(p99) AS p99, pg_temp.digits(mean) AS mean,
       pg_temp.digits(p50 - pg_temp.value_of('latency', 'SELECT 1', '', 'p50')) AS "p50 minus SELECT 1",
       pg_temp.digits(p50 / pg_temp.value_of('latency', 'primary key', 'one row', 'p50')) AS "p50, times primary key"
FROM (SELECT method, max(value) FILTER (WHERE measure = 'p50') AS p50, max(value) FILTER (WHERE measure = 'p99') AS p99,
             max(value) FILTER (WHERE measure = 'mean') AS mean
      FROM result WHERE part = 'latency' GROUP BY method, variant) s
JOIN method USING (method) ORDER BY place;
\endif

\if :insert
\echo
\echo '### Inserts into a filled table with one kind of index'
\echo
SELECT method AS index, pg_temp.digits(value) AS "rows/s",
       pg_temp.digits(pg_temp.value_of('insert', 'no index', '', 'rows/s') / value) AS "times slower than without",
       pg_temp.digits(1e6 / value - 1e6 / pg_temp.value_of('insert', 'no index', '', 'rows/s')) AS "µs per row for the index",
       pg_temp.digits(pg_temp.value_of('insert', method, '', 'WAL bytes per row')) AS "WAL bytes per row",
       pg_temp.digits(pg_temp.value_of('insert', method, '', 'WAL bytes per row') - pg_temp.value_of('insert', 'no index', '', 'WAL bytes per row'))
           AS "of which the index",
       pg_temp.digits(pg_temp.value_of('insert', method, '', 'WAL bytes per row with full pages')) AS "with full pages, after a checkpoint"
FROM result JOIN method USING (method) WHERE part = 'insert' AND measure = 'rows/s' ORDER BY place;
\echo
\echo Batch by batch, the first with full pages:
\echo
SELECT method AS index,
       string_agg(pg_temp.digits(value / 1e3), ', ' ORDER BY batch) FILTER (WHERE measure = 'rows/s elapsed') AS "thousand rows/s, elapsed",
       string_agg(round(value)::text, ', ' ORDER BY batch) FILTER (WHERE measure = 'WAL bytes per row') AS "WAL bytes per row"
FROM result JOIN method USING (method), LATERAL (SELECT substr(variant, 7)::integer AS batch) b
WHERE part = 'insert' AND variant <> '' GROUP BY place, method ORDER BY place;
\endif

\if :memory
\echo
\echo '### In memory, without a database, one thread'
\echo
SELECT method, variant AS within, pg_temp.digits(value) AS "µs per query", pg_temp.digits(1e6 / value) AS "queries/s",
       pg_temp.digits(pg_temp.reference('lookup', variant, 'us') / value) AS "times faster than the index in the server",
       pg_temp.digits(pg_temp.value_of('memory', method, '', 'bytes per row')) AS "bytes per row",
       round(pg_temp.value_of('memory', method, variant, 'recall')::numeric, 4) AS recall
FROM result JOIN method USING (method) WHERE part = 'memory' AND measure = 'us' ORDER BY place, variant;
\endif

\if :pairs
\echo
\echo '### All pairs within 3'
\echo
SELECT method, pg_temp.digits(value) AS "seconds of processor time of the session", pg_temp.digits(value / :rows * 1e6) AS "µs per row",
       pg_temp.digits(pg_temp.value_of('pairs', method, variant, 's elapsed')) AS "elapsed"
FROM result JOIN method USING (method) WHERE part = 'pairs' AND measure = 's' ORDER BY place;
\endif
