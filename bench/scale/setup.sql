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
    ('r = 5', 'all', 'SELECT count(*) FROM page WHERE h <@> q <= 5'),
    ('r = 7', 'all', 'SELECT count(*) FROM page WHERE h <@> q <= 7'),
    ('ten nearest, planted', 'ten', 'SELECT sum(d) FROM (SELECT (h <@> q)::integer AS d FROM page ORDER BY h <@> q LIMIT 10) s'),
    ('ten nearest', 'random', 'SELECT sum(d) FROM (SELECT (h <@> q)::integer AS d FROM page ORDER BY h <@> q LIMIT 10) s');

-- The same by four btrees on blocks, which a run may make for a while.
CREATE TABLE btree_search AS SELECT format('SELECT count(*) FROM page WHERE %s',
    near_by_btrees(3, 'q', ARRAY(SELECT block('q', b) FROM generate_series(0, 3) b ORDER BY b), '{}')) AS statement;
CREATE PROCEDURE make_btrees() LANGUAGE plpgsql AS $$
BEGIN
    FOR b IN 0..3 LOOP
        EXECUTE format('CREATE INDEX page_block_%s ON page ((%s))', b, block('h', b));
    END LOOP;
    INSERT INTO search (name, query_set, statement) SELECT 'four btrees', 'all', statement FROM btree_search;
    PERFORM note('size', 'four btrees', '', 'bytes per row', sum(pg_relation_size(format('page_block_%s', b)::regclass)) / (SELECT rows FROM setting))
    FROM generate_series(0, 3) b;
END $$;
CREATE PROCEDURE drop_btrees() LANGUAGE plpgsql AS $$
BEGIN
    DROP INDEX page_block_0, page_block_1, page_block_2, page_block_3;
    DELETE FROM search WHERE name = 'four btrees';
END $$;

-- All pairs, with some memory: also the most that a process takes and what goes to temporary files.
CREATE PROCEDURE join_pairs(memory text) LANGUAGE plpgsql AS $$
DECLARE busy float8 := processor_seconds(); plan jsonb; scan jsonb;
BEGIN
    PERFORM set_config('work_mem', memory, true);
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id' INTO plan;
    scan := jsonb_path_query_first(plan, '$.** ? (@."Custom Plan Provider" == "Simhash Join")');
    PERFORM note('pairs', memory, '', 's', processor_seconds() - busy);
    PERFORM note('pairs', memory, '', 's elapsed', (plan->0->>'Execution Time')::float8 / 1000);
    PERFORM note('pairs', memory, '', 'MB of memory', (scan->>'Memory Usage')::float8 / 1024);
    PERFORM note('pairs', memory, '', 'MB of disk', coalesce((scan->>'Disk Usage')::float8, 0) / 1024);
END $$;

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
