-- The ten nearest neighbors, exact. Variables as for lookup.sql. The sum of the ten distances is compared.
INSERT INTO method (part, label, variant, query_set, radius, statement)
SELECT 'knn', label, CASE query_set WHEN 'ten' THEN 'ten near-duplicates' ELSE 'random query' END, query_set, 64,
       format('SELECT sum(d) FROM (SELECT (h <@> q)::integer AS d FROM page_%s ORDER BY h <@> q LIMIT 10) s', name)
FROM unnest(ARRAY['random', 'ten']) query_set, kind
WHERE name = ANY (string_to_array(:'kinds', ' ')) AND name ~ '^t\d+$';

-- Without an index.
INSERT INTO method (part, label, variant, query_set, radius, statement)
SELECT 'knn', 'sequential scan, bit_count', 'random query', 'random', 64,
       'SELECT sum(d) FROM (SELECT bit_count((h::bigint # q::bigint)::bit(64)) AS d FROM page ORDER BY d LIMIT 10) s'
WHERE 'none' = ANY (string_to_array(:'kinds', ' '));

CALL time_methods('knn', least(:rounds, 3), :round_seconds);
