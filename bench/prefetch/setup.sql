-- Variables: rows, tables, probes.
CREATE EXTENSION simhash;

-- What this session has spent of a processor: on a busy machine the time on the clock says little.
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 1000, true), ' ', 1)::float8 / 1e9 $$;
CREATE FUNCTION median(x float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS
    $$ SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM unnest(x) v $$;

CREATE TABLE page AS SELECT i::integer AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, :rows) i;
-- Half of them are rows with two bits flipped.
CREATE TABLE probe AS
SELECT i::integer AS id,
       CASE WHEN i % 2 = 0 THEN hashint8extended(i, 2)::simhash
            ELSE (hashint8extended(1 + abs(hashint8extended(i, 3) % :rows), 1)
                  # (1::bigint << (i % 61)::integer) # (1::bigint << (i % 59 + 3)::integer))::simhash END AS h
FROM generate_series(1, :probes) i;
CREATE INDEX page_h ON page USING simhash (h) WITH (tables = :tables);
CREATE EXTENSION pg_prewarm;
SELECT sum(pg_prewarm(relation)) FROM unnest('{page,page_h}'::regclass[]) relation \g /dev/null
VACUUM ANALYZE page;
VACUUM ANALYZE probe;
CHECKPOINT;

CREATE TABLE measured (variant text, kind text, seconds float8, rows bigint, result bigint);
CREATE PROCEDURE measure(variant text, kind text, rows bigint, statement text) LANGUAGE plpgsql AS $$
DECLARE busy float8 := processor_seconds(); result bigint;
BEGIN
    EXECUTE statement INTO result;
    INSERT INTO measured VALUES (variant, kind, processor_seconds() - busy, rows, result);
END $$;

-- A statement for each search.
CREATE FUNCTION search(probes integer, OUT total bigint) LANGUAGE plpgsql AS $$
DECLARE probe simhash; probe_list simhash[]; n bigint;
BEGIN
    SELECT array_agg(h) INTO probe_list FROM (SELECT h FROM probe ORDER BY id LIMIT probes) p;
    total := 0;
    FOREACH probe IN ARRAY probe_list LOOP
        SELECT count(*) INTO n FROM page WHERE h <@> probe <= 3;
        total := total + n;
    END LOOP;
END $$;
