-- Fills curve.
CREATE TABLE hit (kind text, measure text, distance int, pairs bigint);
DO $$
DECLARE k kind;
BEGIN
    FOR k IN SELECT * FROM kind LOOP
        EXECUTE format('INSERT INTO hit SELECT %L, measure, x.%I <@> y.%2$I, count(*)
            FROM truth JOIN signature x ON x.id = a JOIN signature y ON y.id = b GROUP BY 1, 2, 3', k.name, k.name);
    END LOOP;
END $$;

INSERT INTO curve
SELECT kind, measure, radius, found, hits, hits / nullif(found, 0)::float8 AS precision, hits / total::float8 AS recall
FROM (SELECT d.kind, m.measure, d.distance AS radius, m.total,
             sum(d.pairs) OVER w AS found, sum(coalesce(h.pairs, 0)) OVER w AS hits
      FROM distance d CROSS JOIN (SELECT measure, count(*) AS total FROM truth GROUP BY 1) m
      LEFT JOIN hit h ON h.kind = d.kind AND h.measure = m.measure AND h.distance = d.distance
      WINDOW w AS (PARTITION BY d.kind, m.measure ORDER BY d.distance)) c
WHERE found > 0;
