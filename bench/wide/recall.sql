-- Searches for recall.sh, each a loop over the queries (setup.sql). Variable: bits.
CREATE TABLE search (id serial, label text, statement text);
CREATE TABLE timing (search integer, build text, us float8, found float8);

-- Found by the index: bench/wide/run.sh compares exact answers with those of a scan.
SET enable_seqscan = off;
INSERT INTO expected
SELECT id, -1, (SELECT max(d) FROM (SELECT sig <@> q.sig AS d FROM page ORDER BY sig <@> q.sig LIMIT 10) ten) FROM query q;

INSERT INTO search (label, statement)
SELECT 'ten, ' || setting,
       format('SELECT count(*) FILTER (WHERE d <= q.tenth) FROM (SELECT sig <@> q.sig AS d FROM page ORDER BY sig <@> %s LIMIT 10) x', ball)
FROM (SELECT 'exact' AS setting, 'q.sig' AS ball
      UNION ALL SELECT 'recall ' || recall, format('signature_nearest(q.sig, %s)', recall)
      FROM unnest('{0.8,0.9,0.95,0.99}'::float8[]) recall) balls;
INSERT INTO search (label, statement)
SELECT format('within %s, %s', :bits / 8, setting), format('SELECT count(*) FROM page WHERE sig %s', condition)
FROM (SELECT 'exact' AS setting, format('<@> q.sig <= %s', :bits / 8) AS condition
      UNION ALL SELECT 'recall ' || recall, format('<@| signature_ball(q.sig, %s, %s)', :bits / 8, recall)
      FROM unnest('{0.8,0.9,0.95,0.99}'::float8[]) recall) balls;

DO $$
DECLARE s search;
BEGIN
    FOR s IN TABLE search LOOP CALL make_loop('loop_' || s.id, s.statement); END LOOP;
END $$;

CREATE PROCEDURE measure_searches(build text, queries integer) LANGUAGE plpgsql AS $$
DECLARE s search; r record;
BEGIN
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_bitmapscan = off;
    FOR s IN SELECT * FROM search ORDER BY id LOOP
        EXECUTE format('SELECT * FROM loop_%s(5, 1)', s.id) INTO r;
        EXECUTE format('SELECT * FROM loop_%s(%s, 1)', s.id, queries) INTO r;
        INSERT INTO timing VALUES (s.id, build, r.seconds / queries * 1e6, r.total);
    END LOOP;
END $$;

CREATE VIEW report AS
WITH result AS (
    SELECT search, build, median(array_agg(us)) AS us, avg(found) AS found FROM timing GROUP BY 1, 2),
exact AS (SELECT split_part(label, ',', 1) AS part, min(id) AS id FROM search GROUP BY 1)
SELECT label, r.build, round(r.us::numeric) AS us, round((r.us / e.us)::numeric, 2) AS times_exact,
       round((r.found / nullif(e.found, 0))::numeric, 3) AS recall
FROM result r JOIN search s ON s.id = search JOIN exact x ON x.part = split_part(label, ',', 1)
    JOIN result e ON e.search = x.id AND e.build = r.build
ORDER BY s.id, r.build DESC;
