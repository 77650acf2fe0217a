-- All pairs within 3: by simhash_pairs, alone and with a parallel worker, and as a self-join with a nested loop; beside
-- that, what PostgreSQL takes for as many rows of a function that computes nothing. Variable: nested (whether to join).
DO $$
DECLARE k kind; busy float8; begun timestamptz; found bigint; expected bigint := expected_of('pairs', 3, 1); method text;
BEGIN
    FOR k IN SELECT * FROM kind WHERE to_regclass('page_' || name) IS NOT NULL AND name ~ '^t\d+$' ORDER BY place LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_proc WHERE proname = 'simhash_pairs');
        FOR workers IN 0..1 LOOP
            PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
            FOR time IN 1..3 LOOP
                busy := processor_seconds();
                begun := clock_timestamp();
                EXECUTE format('SELECT count(*) FROM simhash_pairs(%L::regclass, 3)', format('page_%s_1', k.name)) INTO found;
                busy := processor_seconds() - busy;
                CALL compare('simhash_pairs, ' || k.label, found, expected);
            END LOOP;
            method := 'simhash_pairs, ' || substr(k.label, 10) || CASE workers WHEN 1 THEN ', with a worker' ELSE '' END;
            PERFORM note('pairs', method, 'r = 3', 's', busy);
            PERFORM note('pairs', method, 'r = 3', 's elapsed', extract(epoch FROM clock_timestamp() - begun));
        END LOOP;
    END LOOP;
    busy := processor_seconds();
    found := count(*) FROM generate_series(1, expected);
    PERFORM note('pairs', 'generate_series', 'r = 3', 's', processor_seconds() - busy);
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
