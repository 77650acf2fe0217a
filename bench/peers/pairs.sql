-- All pairs within 3: by simhash_pairs, and as a self-join with a nested loop. Variable: nested (whether to join).
DO $$
DECLARE k kind; busy float8; found bigint; expected bigint := expected_of('pairs', 3, 1);
BEGIN
    FOR k IN SELECT * FROM kind WHERE to_regclass('page_' || name) IS NOT NULL AND name ~ '^t\d+$' ORDER BY place LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_proc WHERE proname = 'simhash_pairs');
        FOR time IN 1..2 LOOP
            busy := processor_seconds();
            EXECUTE format('SELECT count(*) FROM simhash_pairs(%L::regclass, 3)', format('page_%s_1', k.name)) INTO found;
            busy := processor_seconds() - busy;
            CALL compare('simhash_pairs, ' || k.label, found, expected);
        END LOOP;
        PERFORM note('pairs', 'simhash_pairs, ' || substr(k.label, 10), 'r = 3', 's', busy);
    END LOOP;
END $$;

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
