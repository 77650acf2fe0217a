-- Procedures of tasks.sh.
CREATE EXTENSION simhash;
CREATE EXTENSION postgres_fdw;
CREATE TABLE result (number integer GENERATED ALWAYS AS IDENTITY, part text, rows bigint, method text, measure text, value float8);

-- The processor time of this session, and of those of the shards.
CREATE FUNCTION spent(OUT coordinator float8, OUT shards float8) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_stat_clear_snapshot();
    coordinator := split_part(pg_read_file('/proc/self/schedstat', 0, 1000, true), ' ', 1)::float8 / 1e3;
    shards := (SELECT sum(split_part(pg_read_file(format('/proc/%s/schedstat', pid), 0, 1000, true), ' ', 1)::float8) / 1e3
               FROM pg_stat_activity WHERE application_name = 'postgres_fdw');
END $$;

-- Foreign tables as in doc/scale.md, in the schema cluster.
CREATE PROCEDURE make_shards(count int) LANGUAGE plpgsql AS $$
DECLARE options text := CASE WHEN current_setting('server_version_num')::int >= 140000 THEN ', async_capable ''true'', batch_size ''1000''' ELSE '' END;
BEGIN
    CREATE SCHEMA cluster;
    CREATE TABLE cluster.page (id bigint, h simhash) PARTITION BY HASH (id);
    CREATE TABLE cluster.found (query bigint, id bigint, distance int);
    FOR i IN 0 .. count - 1 LOOP
        EXECUTE format('DROP SERVER IF EXISTS shard%s CASCADE', i);
        EXECUTE format('CREATE SERVER shard%s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname ''shard%1$s'',
            extensions ''simhash''%4$s)', i, current_setting('unix_socket_directories'), current_setting('port'), options);
        EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER shard%s', i);
        EXECUTE format('CREATE FOREIGN TABLE cluster.page_%1$s PARTITION OF cluster.page FOR VALUES WITH (MODULUS %s, REMAINDER %1$s)
            SERVER shard%1$s OPTIONS (schema_name ''public'', table_name ''page'')', i, count);
        EXECUTE format('CREATE FOREIGN TABLE cluster.batch_%s (id bigint, h simhash) SERVER shard%1$s OPTIONS (schema_name ''public'', table_name ''batch'')', i);
        EXECUTE format('CREATE FOREIGN TABLE cluster.found_%s () INHERITS (cluster.found) SERVER shard%1$s
            OPTIONS (schema_name ''public'', table_name ''batch_found'')', i);
    END LOOP;
END $$;

-- Searches within 3, each planned; half of the queries are rows of the table. Then a batch of 25 times as many. The least of five
-- rounds counts, because other work on the machine only adds.
CREATE PROCEDURE measure(count int, all_rows bigint, queries int) LANGUAGE plpgsql AS $$
DECLARE before record; after record; q simhash; batch int := queries * 25; least_of float8[] := '{}';
BEGIN
    FOR round IN 1 .. 5 LOOP
        before := spent();
        FOR q IN SELECT hashint8extended(n, 1 + n % 2)::simhash FROM generate_series(1, queries) n LOOP
            EXECUTE format('SELECT count(*) FROM cluster.page WHERE h <@> %L::simhash <= 3', q);
        END LOOP;
        after := spent();
        least_of[1] := least(least_of[1], (after.coordinator - before.coordinator) / queries);
        least_of[2] := least(least_of[2], (after.shards - before.shards) / queries);
        FOR i IN 0 .. count - 1 LOOP EXECUTE format('DELETE FROM cluster.batch_%s', i); END LOOP;
        before := spent();
        FOR i IN 0 .. count - 1 LOOP
            EXECUTE format('INSERT INTO cluster.batch_%s SELECT n, hashint8extended(n, 1 + n %% 2)::simhash FROM generate_series(1, %s) n', i, batch);
        END LOOP;
        EXECUTE 'SELECT count(*) FROM cluster.found';
        after := spent();
        least_of[3] := least(least_of[3], (after.coordinator - before.coordinator) / batch);
        least_of[4] := least(least_of[4], (after.shards - before.shards) / batch);
        COMMIT;
    END LOOP;
    INSERT INTO result (part, rows, method, measure, value) VALUES
        ('task', all_rows, count || ' shards', 'coordinator us', least_of[1]),
        ('task', all_rows, count || ' shards', 'shards us', least_of[2]),
        ('batch', all_rows, count || ' shards', 'coordinator us', least_of[3]),
        ('batch', all_rows, count || ' shards', 'shards us', least_of[4]);
END $$;
