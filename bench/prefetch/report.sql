\pset footer off
-- Both must find the same; rows inserted meanwhile are near nothing.
DO $$
BEGIN
    IF (SELECT max(n) FROM (SELECT count(DISTINCT result) n FROM measured GROUP BY kind) k) > 1 THEN
        RAISE 'the variants find different rows';
    END IF;
END $$;

\echo
\echo :rows rows; processor time; medians
SELECT kind AS "per row", round(median(array_agg(us) FILTER (WHERE variant = 'with'))::numeric, 2) AS "µs, fetched together",
       round(median(array_agg(us) FILTER (WHERE variant = 'without'))::numeric, 2) AS "µs, not",
       round((median(array_agg(us) FILTER (WHERE variant = 'without')) /
              median(array_agg(us) FILTER (WHERE variant = 'with')))::numeric, 2) AS "times the first"
FROM (SELECT *, seconds / rows * 1e6 AS us FROM measured) m
GROUP BY kind ORDER BY kind DESC;
