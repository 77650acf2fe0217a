-- What all parts of run.sh use.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS simhash;

-- The processor time of this session.
CREATE OR REPLACE FUNCTION processor_seconds() RETURNS float LANGUAGE sql VOLATILE AS
$$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float / 1e9 $$;

CREATE OR REPLACE FUNCTION random_bits(n int) RETURNS varbit LANGUAGE sql VOLATILE AS
$$ SELECT substring(string_agg((random() * 4294967295)::bigint::bit(32)::text, '') FROM 1 FOR n)::varbit
   FROM generate_series(1, (n + 31) / 32) $$;

-- The pages of a table's indexes of this comparison, those of btrees together.
CREATE OR REPLACE FUNCTION pages(name text) RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT sum(pg_relation_size(oid) / current_setting('block_size')::int)::bigint FROM pg_class
   WHERE relkind = 'i' AND relname ~ ('^' || name || '_x') $$;

-- The indexes follow from the name.
CREATE OR REPLACE PROCEDURE add_indexes(name text) LANGUAGE plpgsql AS $$
BEGIN
    IF name ~ 'simhash' THEN
        EXECUTE format('CREATE INDEX %1$s_x ON %1$s USING simhash (h) WITH (trees = 4)', name);
    ELSIF name ~ 'signature' THEN
        EXECUTE format('CREATE INDEX %1$s_x ON %1$s USING simhash (h)', name);
    ELSIF name ~ 'btrees' THEN
        FOR block IN 0 .. 3 LOOP
            EXECUTE format('CREATE INDEX %1$s_x%2$s ON %1$s (((h::bigint >> %3$s) & 65535))', name, block, 16 * block);
        END LOOP;
    END IF;
END
$$;

-- Random rows of a table whose only column is h.
CREATE OR REPLACE PROCEDURE add_rows(name text, n int) LANGUAGE plpgsql AS $$
BEGIN
    IF name ~ 'signature' THEN
        EXECUTE format('INSERT INTO %I SELECT random_bits(256) FROM generate_series(1, %s)', name, n);
    ELSE
        EXECUTE format('INSERT INTO %I SELECT random_bits(64)::bit(64)::simhash FROM generate_series(1, %s)', name, n);
    END IF;
END
$$;

-- What pgbench's sessions do, sampled for some seconds, in percent.
CREATE UNLOGGED TABLE waits (run numeric, page numeric, other numeric);
CREATE OR REPLACE PROCEDURE sample_waits(seconds int) LANGUAGE plpgsql AS $$
DECLARE
    one record;
    run int := 0;
    page int := 0;
    other int := 0;
BEGIN
    FOR i IN 1 .. seconds * 50 LOOP
        PERFORM pg_sleep(0.02);
        COMMIT;
        SELECT count(*) FILTER (WHERE wait_event IS NULL) AS run, count(*) FILTER (WHERE wait_event ~ '^Buffer') AS page,
            count(*) FILTER (WHERE wait_event IS NOT NULL AND wait_event !~ '^Buffer') AS other INTO one
            FROM pg_stat_activity WHERE application_name = 'pgbench' AND state = 'active';
        run := run + one.run;
        page := page + one.page;
        other := other + one.other;
    END LOOP;
    DELETE FROM waits;
    INSERT INTO waits SELECT round(100.0 * run / all_of), round(100.0 * page / all_of), round(100.0 * other / all_of)
        FROM greatest(run + page + other, 1) AS all_of;
END
$$;

-- A search for the row 777 of a table: processor time and blocks.
CREATE OR REPLACE FUNCTION search(name text, OUT microseconds numeric, OUT blocks int) LANGUAGE plpgsql AS $$
DECLARE
    searches int := 2000;
    h text;
    query text;
    plan json;
    begun float;
BEGIN
    PERFORM set_config('enable_seqscan', 'off', true);
    EXECUTE format('SELECT h FROM %I WHERE id = 777', name) INTO h;
    query := CASE
        WHEN name ~ 'simhash' THEN format('SELECT count(*) FROM %I WHERE h <@> %L::simhash <= 3', name, h)
        WHEN name ~ 'signature' THEN format('SELECT count(*) FROM %I WHERE h <@> %L::bit(256) <= 8', name, h)
        ELSE format('SELECT count(*) FROM %I WHERE ((h::bigint >> 0) & 65535) = %L', name, h::simhash::bigint & 65535) END;
    EXECUTE query;
    begun := processor_seconds();
    FOR i IN 1 .. searches LOOP
        EXECUTE query;
    END LOOP;
    microseconds := round(((processor_seconds() - begun) * 1e6 / searches)::numeric, 1);
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
    blocks := (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END
$$;

CREATE OR REPLACE PROCEDURE update_row(name text, times int) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. times LOOP
        EXECUTE format('UPDATE %I SET n = n + 1 WHERE id = 777', name);
        COMMIT;
    END LOOP;
END
$$;

-- The same row is deleted and inserted again.
CREATE OR REPLACE PROCEDURE replace_row(name text, times int) LANGUAGE plpgsql AS $$
DECLARE
    old text;
BEGIN
    EXECUTE format('SELECT h FROM %I WHERE id = 777', name) INTO old;
    FOR i IN 1 .. times LOOP
        EXECUTE format('DELETE FROM %I WHERE id = 777', name);
        EXECUTE format('INSERT INTO %I VALUES (777, 0, %L)', name, old);
        COMMIT;
    END LOOP;
END
$$;

-- n fingerprints or signatures around a random center, from which each bit differs with a probability of 1/8.
CREATE OR REPLACE FUNCTION drifted(n int, bits int) RETURNS SETOF varbit LANGUAGE sql VOLATILE AS
$$ SELECT (random_bits(bits) & random_bits(bits) & random_bits(bits)) # center
   FROM (SELECT random_bits(bits) AS center OFFSET 0) AS one, generate_series(1, n) $$;
