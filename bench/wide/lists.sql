-- The ten nearest by lists and exactly, for lists.sh. Expects the tables of setup.sql. Variables: bits, rows, share (the rows of
-- a list, such as "480 240"), rounds.
CREATE TABLE timing (lists integer, search text, us float8, found float8);
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;

CREATE FUNCTION ten(ball text) RETURNS text LANGUAGE sql AS $$
    SELECT format('SELECT count(*) FILTER (WHERE d <= q.tenth) FROM (SELECT sig <@> q.sig AS d FROM page ORDER BY sig <@> %s LIMIT 10) x', ball) $$;
INSERT INTO expected
SELECT id, -1, (SELECT max(d) FROM (SELECT sig <@> q.sig AS d FROM page ORDER BY sig <@> q.sig LIMIT 10) ten) FROM query q;
CALL make_loop('loop_exact', ten('q.sig'));
CALL make_loop('loop_80', ten('signature_nearest(q.sig, 0.8, 10)'));
CALL make_loop('loop_90', ten('signature_nearest(q.sig, 0.9, 10)'));
CALL make_loop('loop_95', ten('signature_nearest(q.sig, 0.95, 10)'));

CREATE PROCEDURE measure(lists integer) LANGUAGE plpgsql AS $$
DECLARE name text; begun float8; r record; queries integer := (SELECT count(*) FROM query); repeats integer;
BEGIN
    DROP INDEX IF EXISTS page_sig;
    begun := processor_seconds();
    EXECUTE format('CREATE INDEX page_sig ON page USING simhash (sig) WITH (lists = %s)', lists);
    INSERT INTO timing VALUES (lists, 'build', (processor_seconds() - begun) * 1e6, NULL);
    FOREACH name IN ARRAY '{exact,80,90,95}'::text[] LOOP
        EXECUTE format('SELECT * FROM loop_%s(%s, 1)', name, queries) INTO r; -- plans, warms the cache
        repeats := ceil(0.2 / greatest(r.seconds, 0.004));
        EXECUTE format('SELECT * FROM loop_%s(%s, %s)', name, queries, repeats) INTO r;
        INSERT INTO timing VALUES (lists, name, r.seconds / queries / repeats * 1e6, r.total::float8 / queries / repeats / 10);
    END LOOP;
    COMMIT;
END $$;
SELECT format('CALL measure(%s)', CASE share WHEN 0 THEN 0 ELSE :rows / share END)
FROM generate_series(1, :rounds), unnest(string_to_array('0 ' || :'share', ' ')::integer[]) share \gexec

SELECT format('| %s | %s | %s | %s |', :bits, :rows, lists, string_agg(us, ' | ' ORDER BY place)) || ' ' ||
       coalesce(string_agg(found, ', ' ORDER BY place), '') || ' |'
FROM (SELECT lists, array_position('{build,exact,80,90,95}', search) AS place,
             round(median(array_agg(us))::numeric / CASE search WHEN 'build' THEN 1000 ELSE 1 END)::text AS us,
             CASE WHEN search <> 'exact' THEN round(avg(found)::numeric, 3)::text END AS found
      FROM timing GROUP BY lists, search) x
GROUP BY lists ORDER BY lists;
