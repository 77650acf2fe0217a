-- Sizes of signatures and their indexes, and the time of a search within the radius that is best for the Jaccard index.
CREATE UNLOGGED TABLE query AS SELECT id FROM document ORDER BY hashint4extended(id, 1) LIMIT 1000;

SELECT unnest(ARRAY[
    format('CREATE UNLOGGED TABLE search_%s (id int PRIMARY KEY, sig %s)', name, column_type(kind)),
    format('CALL step(''sign'', %L, %L)', name, format('INSERT INTO search_%s SELECT id, %s FROM document', name, expression)),
    format('CALL step(''build'', %L, %L)', name, format('CREATE INDEX search_%s_sig ON search_%1$s USING simhash (sig)', name)),
    format('ANALYZE search_%s', name)])
FROM kind WHERE name !~ 'shingles' ORDER BY place \gexec

-- A value of bit(n) has a header of 5 bytes, if it is not long.
SELECT note('size', name, 'bytes', CASE bits WHEN 64 THEN 8 WHEN 1024 THEN 136 ELSE bits / 8 + 5 END
    + pg_relation_size(format('search_%s_sig', name)) / (SELECT count(*)::float8 FROM document)) FROM kind WHERE name !~ 'shingles';

-- Loops over the queries, timed inside, with generic plans.
CREATE VIEW timed AS
SELECT format('loop_%s_%s', name, n) AS name, k.name AS kind, column_type(k) AS type, n, method, condition
FROM kind k, LATERAL (VALUES (1, 'exact', format('sig <@> q <= %s', radius)),
                     (2, 'recall 0.95', format('sig <@| signature_ball(q, %s, recall => 0.95)', radius))) v(n, method, condition)
WHERE k.name !~ 'shingles' AND (n = 1 OR bits > 64);
SELECT format($$
CREATE FUNCTION %I(most int, OUT queries bigint, OUT total bigint, OUT seconds float8) LANGUAGE plpgsql AS $loop$
DECLARE
    qs %s[] := ARRAY(SELECT sig FROM search_%s JOIN query USING (id) ORDER BY hashint4extended(id, 1) LIMIT most);
    q %2$s;
    n bigint;
BEGIN
    queries := cardinality(qs);
    total := 0;
    seconds := processor_seconds();
    FOREACH q IN ARRAY qs LOOP
        SELECT count(*) INTO n FROM search_%3$s WHERE %4$s;
        total := total + n;
    END LOOP;
    seconds := processor_seconds() - seconds;
END $loop$ $$, name, type, kind, condition) FROM timed \gexec

SET plan_cache_mode = force_generic_plan;
DO $$
DECLARE
    l timed;
    r record;
    most int; -- the same queries for both methods
BEGIN
    FOR l IN SELECT * FROM timed ORDER BY kind, n LOOP
        EXECUTE format('SELECT * FROM %I(10)', l.name) INTO r; -- warms the cache
        IF l.n = 1 THEN
            most := least(1000, 50 / (r.seconds + 0.05));
        END IF;
        EXECUTE format('SELECT * FROM %I(%s)', l.name, most) INTO r;
        PERFORM note('search', l.kind, l.method || ', us', r.seconds * 1e6 / r.queries);
        PERFORM note('search', l.kind, l.method || ', rows', r.total / r.queries::float8);
    END LOOP;
END $$;
