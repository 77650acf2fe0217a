-- All pairs within 3: by a Simhash Join, and as a self-join with a nested loop; beside that, what PostgreSQL takes for as
-- many rows of a function that computes nothing. Variable: nested (whether to join).
DO $$
DECLARE k kind; busy float8; found bigint; expected bigint := expected_of('pairs', 3, 1);
BEGIN
    FOR k IN SELECT * FROM kind WHERE to_regclass('page_' || name) IS NOT NULL AND name ~ '^t\d+$' ORDER BY place LOOP
        SET LOCAL enable_nestloop = off;
        FOR time IN 1..3 LOOP
            busy := processor_seconds();
            EXECUTE format('SELECT count(*) FROM page_%1$s a JOIN page_%1$s b ON a.h <@> b.h <= 3 AND a.id < b.id', k.name) INTO found;
            busy := processor_seconds() - busy;
            CALL compare('pairs, ' || k.label, found, expected);
        END LOOP;
        PERFORM note('pairs', 'Simhash Join, ' || substr(k.label, 10), 'r = 3', 's', busy);
    END LOOP;
    busy := processor_seconds();
    found := count(*) FROM generate_series(1, expected);
    PERFORM note('pairs', 'generate_series', 'r = 3', 's', processor_seconds() - busy);
END $$;

SET simhash.enable_join = off;
SET enable_mergejoin = off;
SET enable_hashjoin = off;
SELECT format($$DO $do$
DECLARE busy float8 := processor_seconds(); found bigint;
BEGIN
    found := count(*) FROM page_%1$s a JOIN page_%1$s b ON b.h <@> a.h <= 3 AND a.id < b.id;
    PERFORM note('pairs', 'nested loop, %2$s', 'r = 3', 's', processor_seconds() - busy);
    CALL compare('nested loop, %2$s', found, expected_of('pairs', 3, 1));
END $do$ $$, name, substr(label, 10))
FROM kind WHERE to_regclass('page_' || name) IS NOT NULL AND name = 't4' AND :nested \gexec
