-- Searches in a loop inside the server. Variables: kinds (whose tables exist), rounds, round_seconds.
INSERT INTO method (part, label, variant, query_set, radius, keys, statement)
SELECT 'lookup', label, format('r = %s', radius), 'all', radius, name IN ('four', 'gin'),
       format('SELECT count(*) FROM page_%s WHERE %s', name, near_by_kind(name, radius))
FROM unnest(ARRAY[1, 3, 5, 7]) radius, kind
WHERE name = ANY (string_to_array(:'kinds', ' ')) AND (name IN ('four', 'gin') OR name ~ '^t\d+$');

-- Without an index.
INSERT INTO method (part, label, variant, query_set, radius, statement)
SELECT 'lookup', 'sequential scan, ' || name, 'r = 3', 'all', 3, 'SELECT count(*) FROM page WHERE ' || condition
FROM (VALUES ('bit_count', near_by_bit_count(3, 'q')), ('<@>', 'h <@> q <= 3')) c(name, condition)
WHERE 'none' = ANY (string_to_array(:'kinds', ' '));

INSERT INTO method (part, label, variant, query_set, statement)
SELECT 'lookup', 'primary key', 'one row', 'all',
       format('SELECT count(*) FROM page WHERE id = (i * 104729::bigint %% %s + 1)::integer', rows) FROM setting;

INSERT INTO method (part, label, variant, query_set, radius, statement)
SELECT 'lookup', label, 'first within 3', 'all', -3,
       format('SELECT count(*) FROM (SELECT FROM page_%s WHERE h <@> q <= 3 LIMIT 1) first', name)
FROM kind WHERE name = ANY (string_to_array(:'kinds', ' ')) AND name ~ '^t\d+$';

CALL time_methods('lookup', :rounds, :round_seconds);
