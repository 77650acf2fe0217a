-- One method at one radius: pages, time and recall. Variables: rows, tables, method ('exact', 'guided', or another name
-- for guided), by ('h' or 'w'), target, most_probes, radius, find ('all' or 'first').
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_material = off;
SET enable_memoize = off;

-- The ball of a query, q: by fingerprint, or by weights.
SELECT :'by' = 'h' AS by_fingerprint \gset
\if :by_fingerprint
\set ball 'simhash_ball(q.h, ':radius')'
\else
\set ball 'simhash_ball(q.w, ':radius', ':target', ':most_probes')'
\endif
\set plan 'simhash_index_trace(''doc_h'', ':ball')'

SELECT :'find' = 'first' AS first \gset
\if :first
\set join 'SELECT q.id AS query, f.id AS found FROM query q CROSS JOIN LATERAL (SELECT d.id FROM doc d WHERE d.h <@| ':ball' LIMIT 1) f'
\else
\set join 'SELECT q.id AS query, d.id AS found FROM query q JOIN doc d ON d.h <@| ':ball
\endif

SELECT avg(leaf_pages) AS leaf_pages FROM (
    SELECT (SELECT CASE WHEN :'find' = 'first' THEN coalesce(min(step) FILTER (WHERE matches > 0), count(*)) ELSE count(*) END
            FROM :plan) AS leaf_pages
    FROM query q) s \gset

-- The rows found, and the pages of the index that were read.
CREATE TEMP TABLE found (query integer, found integer);
SELECT pg_stat_force_next_flush() \g /dev/null
SELECT idx_blks_hit + idx_blks_read AS before FROM pg_statio_user_indexes WHERE indexrelname = 'doc_h' \gset
INSERT INTO found :join;
SELECT pg_stat_force_next_flush() \g /dev/null
SELECT (idx_blks_hit + idx_blks_read - :before)::float8 / (SELECT count(*) FROM query) AS pages
FROM pg_statio_user_indexes WHERE indexrelname = 'doc_h' \gset

-- The time: the mean of many runs after the one above, minus reading the queries.
CREATE FUNCTION pg_temp.seconds(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE begun float8 := processor_seconds(); spent float8; runs integer := 0; n bigint;
BEGIN
    LOOP
        EXECUTE statement INTO n;
        runs := runs + 1;
        spent := processor_seconds() - begun;
        EXIT WHEN spent > 1 AND runs >= 3 OR runs = 100;
    END LOOP;
    RETURN spent / runs;
END $$;
SELECT (pg_temp.seconds('SELECT count(found) FROM (' || :'join' || ') j') -
        pg_temp.seconds('SELECT count(' || :'by' || '::simhash) FROM query'))
       * 1e6 / count(*) AS microseconds FROM query \gset

-- The first exact search of a size defines the expected rows.
SELECT NOT EXISTS (SELECT FROM truth WHERE rows = :rows AND radius = :radius) AS new \gset
\if :new
INSERT INTO truth SELECT :rows, :radius, query, found FROM found;
ANALYZE truth;
\endif

-- Only rows that the exact search finds, and none twice.
SELECT count(*) > 0 AS wrong FROM (
    SELECT query, found FROM found WHERE (query, found) NOT IN (SELECT query, found FROM truth WHERE rows = :rows AND radius = :radius)
    UNION ALL SELECT query, found FROM found GROUP BY query, found HAVING count(*) > 1) s \gset
\if :wrong
\warn 'wrong rows: tables = ' :tables ', ' :method ', target ' :target ', radius ' :radius ', ' :find
\endif

INSERT INTO searched
SELECT :rows, :tables, :'method', :target, :most_probes, :radius, :'find', (SELECT count(*) FROM query), :leaf_pages, :pages,
       :microseconds,
       CASE WHEN :'find' = 'all' THEN count(f.found)::float8 / count(*) END,
       CASE WHEN :'find' = 'all' THEN (count(f.found) FILTER (WHERE p.id IS NOT NULL))::float8 / count(p.id) END,
       (SELECT count(DISTINCT query) FROM found)::float8 / count(DISTINCT t.query),
       count(*)
FROM truth t LEFT JOIN found f ON f.query = t.query AND f.found = t.found
LEFT JOIN partner p ON p.id = t.query AND p.partner = t.found
WHERE t.rows = :rows AND t.radius = :radius;
