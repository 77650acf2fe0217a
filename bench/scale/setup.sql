-- Functions of a run, beside those of bench/peers/setup.sql. Variables: rows.
CREATE TABLE counted (pairs bigint);

-- Notes how long a statement takes, and how much WAL it writes.
CREATE PROCEDURE timed(name text, statement text) LANGUAGE plpgsql AS $$
DECLARE begun timestamptz := clock_timestamp(); busy float8 := processor_seconds(); wal pg_lsn := pg_current_wal_insert_lsn();
BEGIN
    EXECUTE statement;
    PERFORM note(name, name, '', 's', processor_seconds() - busy);
    PERFORM note(name, name, '', 's elapsed', extract(epoch FROM clock_timestamp() - begun));
    PERFORM note(name, name, '', 'WAL bytes per row', (pg_current_wal_insert_lsn() - wal) / (SELECT rows FROM setting));
END $$;

-- The searches: a statement for a query's fingerprint q and its number i.
CREATE TABLE search (place serial, name text, query_set text, statement text);
INSERT INTO search (name, query_set, statement) VALUES
    ('primary key', 'all', format('SELECT count(*) FROM page WHERE id = (i * 104729::bigint %% %s + 1)::integer', :rows)),
    ('r = 3', 'all', 'SELECT count(*) FROM page WHERE h <@> q <= 3'),
    ('r = 7', 'all', 'SELECT count(*) FROM page WHERE h <@> q <= 7'),
    ('ten nearest', 'random', 'SELECT sum(d) FROM (SELECT (h <@> q)::integer AS d FROM page ORDER BY h <@> q LIMIT 10) s');

-- Runs a search once for each of the first queries of its set; their times in ms and their blocks.
CREATE FUNCTION each_search(of_name text, queries integer, OUT ms float8, OUT blocks float8, OUT reads float8)
    RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE s search; query record; plan jsonb;
BEGIN
    SELECT * INTO s FROM search WHERE name = of_name;
    FOR query IN SELECT id, h FROM query WHERE query_set = s.query_set ORDER BY id LIMIT queries LOOP
        EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' ||
            regexp_replace(regexp_replace(s.statement, '\mq\M', format('%L::simhash', query.h), 'g'), '\mi\M', query.id::text, 'g') INTO plan;
        ms := plan->0->'Execution Time';
        reads := plan->0->'Plan'->'Shared Read Blocks';
        blocks := reads + (plan->0->'Plan'->'Shared Hit Blocks')::float8;
        RETURN NEXT;
    END LOOP;
END $$;

-- Searches after a start with empty caches.
CREATE PROCEDURE cold(of_name text, queries integer) LANGUAGE plpgsql AS $$
DECLARE s record;
BEGIN
    SELECT avg(ms) AS mean, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS median,
           percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) AS most, avg(reads) AS reads INTO s FROM each_search(of_name, queries);
    PERFORM note('cold', of_name, '', 'us elapsed', s.mean * 1000);
    PERFORM note('cold', of_name, '', 'us elapsed, median', s.median * 1000);
    PERFORM note('cold', of_name, '', 'us elapsed, 95 %', s.most * 1000);
    PERFORM note('cold', of_name, '', 'blocks read', s.reads);
END $$;
