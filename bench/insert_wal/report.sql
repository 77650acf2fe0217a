\pset footer off
-- Both indexes must hold every row in every table.
DO $$
BEGIN
    PERFORM simhash_index_check('page_written_h');
    PERFORM simhash_index_check('page_generic_h');
    IF (SELECT count(*) FROM page_written) <> (SELECT count(*) FROM page_generic) THEN
        RAISE 'the tables have different rows';
    END IF;
END $$;

\echo
\echo Inserts into a table of :rows rows and its index; processor time; medians
SELECT kind AS "rows of a statement",
       CASE variant WHEN 'none' THEN 'no index' WHEN 'written' THEN 'record written by the insert' ELSE 'GenericXLog' END AS method,
       round((us)::numeric, 2) AS "µs a row", round((us - none)::numeric, 2) AS "for the index",
       round(((us - none) / nullif(min(us - none) FILTER (WHERE variant = 'written') OVER (PARTITION BY kind), 0))::numeric, 2) AS "times the first",
       round(wal, 1) AS "WAL bytes a row", round(wal - wal_none, 1) AS "WAL for the index"
FROM (SELECT kind, variant, us, wal,
             min(us) FILTER (WHERE variant = 'none') OVER (PARTITION BY kind) AS none,
             min(wal) FILTER (WHERE variant = 'none') OVER (PARTITION BY kind) AS wal_none
      FROM (SELECT kind, variant, median(array_agg(seconds / rows * 1e6)) AS us, sum(wal_bytes) / sum(rows) AS wal
            FROM measured GROUP BY kind, variant) m) m
ORDER BY kind, array_position('{none,written,generic}', variant);
