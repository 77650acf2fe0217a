-- Joins of many queries with the rows: all rows by a nested loop and by batches of searches, and the first by a nested loop.
CREATE PROCEDURE join_probes(k kind, variant text, radius integer, statement text) LANGUAGE plpgsql AS $$
DECLARE n integer := 500; most integer; found bigint; busy float8; spent float8[];
BEGIN
    most := max(id) FROM probe;
    LOOP
        busy := processor_seconds();
        EXECUTE statement USING n INTO found;
        spent := ARRAY[processor_seconds() - busy];
        EXIT WHEN n = most OR spent[1] > 0.5;
        n := least(n * 4, most);
    END LOOP;
    CALL compare(format('join, %s, %s, %s probes', k.label, variant, n), found, expected_of('probe', radius, n));
    FOR time IN 1..2 LOOP
        busy := processor_seconds();
        EXECUTE statement USING n INTO found;
        spent := spent || processor_seconds() - busy;
    END LOOP;
    PERFORM note('join', k.label, variant, 'probes/s', n / median(spent));
    PERFORM note('join', k.label, variant, 'probes', n);
END $$;

DO $$
DECLARE k kind;
BEGIN
    FOR k IN SELECT * FROM kind WHERE to_regclass('page_' || name) IS NOT NULL AND name ~ '^t\d+$' LOOP
        SET LOCAL simhash.enable_join = off;
        CALL join_probes(k, 'all rows', 3,
            format('SELECT count(*) FROM probe q JOIN page_%s p ON p.h <@> q.h <= 3 WHERE q.id <= $1', k.name));
        SET LOCAL simhash.enable_join = on;
        SET LOCAL enable_nestloop = off;
        CALL join_probes(k, 'batches', 3,
            format('SELECT count(*) FROM probe q JOIN page_%s p ON p.h <@> q.h <= 3 WHERE q.id <= $1', k.name));
        SET LOCAL enable_nestloop = on;
        CALL join_probes(k, 'the first', -3,
            format('SELECT count(*) FROM probe q CROSS JOIN LATERAL (SELECT FROM page_%s p WHERE p.h <@> q.h <= 3 LIMIT 1) first
                    WHERE q.id <= $1', k.name));
    END LOOP;
END $$;
DROP PROCEDURE join_probes;
