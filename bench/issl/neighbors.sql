-- The k nearest rows of every query by the index at a target recall: time, pages and quality. Variables: file, rows, k (at most
-- 30), recall.
SET enable_seqscan = off;
SET enable_material = off;
SET enable_memoize = off;

\set join 'SELECT q.id AS query, f.id AS found, f.distance FROM query q CROSS JOIN LATERAL (SELECT d.id, (d.sig <@> q.sig)::integer AS distance FROM doc d ORDER BY d.sig <@> signature_nearest(q.sig, ':recall', ':k') LIMIT ':k') f'

CREATE TEMP TABLE found (query integer, found integer, distance integer);
SELECT pg_stat_force_next_flush() \g /dev/null
SELECT idx_blks_hit + idx_blks_read AS before FROM pg_statio_user_indexes WHERE indexrelname = 'doc_sig' \gset
INSERT INTO found :join;
SELECT pg_stat_force_next_flush() \g /dev/null
SELECT (idx_blks_hit + idx_blks_read - :before)::float8 / (SELECT count(*) FROM query) AS pages
FROM pg_statio_user_indexes WHERE indexrelname = 'doc_sig' \gset

-- The least time of several runs after the one above.
CREATE FUNCTION pg_temp.seconds(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE begun float8; least float8 := 'infinity'; n bigint;
BEGIN
    FOR run IN 1 .. 3 LOOP
        begun := processor_seconds();
        EXECUTE statement INTO n;
        least := least(least, processor_seconds() - begun);
    END LOOP;
    RETURN least;
END $$;
SELECT pg_temp.seconds('SELECT count(distance) FROM (' || :'join' || ') j') * 1000 / count(*) AS ms FROM query \gset

-- CDR(p) = sum of DR(1) to DR(p) / p, where DR(p) is the sum of the p least distances over the sum of the first p distances
-- found, and 0 / 0 = 1. A row that is missing counts as if all of its bits differed.
WITH expected AS (
    SELECT query, distance, row_number() OVER (PARTITION BY query ORDER BY distance, found) AS rank FROM truth),
returned AS (
    SELECT query, distance, row_number() OVER (PARTITION BY query ORDER BY distance, found) AS rank FROM found),
compared AS (
    SELECT query, rank, coalesce(r.distance, 1024) AS distance, sum(e.distance) OVER summed AS least,
           sum(coalesce(r.distance, 1024)) OVER summed AS sum,
           max(e.distance) FILTER (WHERE rank <= 10) OVER (PARTITION BY query) AS tenth
    FROM expected e LEFT JOIN returned r USING (query, rank) WINDOW summed AS (PARTITION BY query ORDER BY rank)),
ratios AS (SELECT *, CASE WHEN sum = 0 THEN 1 ELSE least::float8 / sum END AS ratio FROM compared)
INSERT INTO searched
SELECT :'file', :rows, (SELECT trees FROM built), :k, :recall, count(DISTINCT query), :ms, :pages,
       avg(ratio) FILTER (WHERE rank <= 10), avg(ratio) FILTER (WHERE :k = 30),
       avg((distance <= tenth)::integer) FILTER (WHERE rank <= 10),
       pg_relation_size('doc_sig'), pg_relation_size('doc'), (SELECT seconds FROM built)
FROM ratios;
