-- Run by run.sh with the variables rows and tables.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION simhash;

CREATE FUNCTION random_simhash() RETURNS simhash LANGUAGE sql VOLATILE AS
    $$ SELECT ((random() * 4294967295)::bigint << 32 | (random() * 4294967295)::bigint)::simhash $$;
CREATE FUNCTION flip(h simhash, bits integer) RETURNS simhash LANGUAGE sql VOLATILE AS
    $$ SELECT ((h::bigint) # bit_or(1::bigint << (random() * 63)::integer))::simhash FROM generate_series(1, bits) $$;

SELECT setseed(0.5) \g /dev/null
CREATE TABLE page (id integer PRIMARY KEY, h simhash);
INSERT INTO page SELECT i, random_simhash() FROM generate_series(1, :rows * 4 / 5) i;
INSERT INTO page SELECT :rows * 4 / 5 + id, flip(h, 1 + id % 3) FROM page WHERE id <= :rows / 5;
CREATE TABLE query AS
    SELECT row_number() OVER ()::integer AS id, h
    FROM (SELECT flip(h, 1 + id % 3) AS h FROM page WHERE id % (:rows / 2000) = 0 LIMIT 1000) planted;
INSERT INTO query SELECT 1000 + i, random_simhash() FROM generate_series(1, 1000) i;
ALTER TABLE query ADD PRIMARY KEY (id);
VACUUM ANALYZE page;
ANALYZE query;

CREATE TABLE built (name text, seconds float8, megabytes float8);
CREATE TABLE looked_up (name text, radius integer, microseconds float8, found bigint);

-- Builds an index, after one discarded build, and keeps it.
CREATE PROCEDURE build(name text, definition text) LANGUAGE plpgsql AS $$
DECLARE begun timestamptz; took float8;
BEGIN
    EXECUTE format('CREATE INDEX %I ON page USING %s', name, definition);
    EXECUTE format('DROP INDEX %I', name);
    begun := clock_timestamp();
    EXECUTE format('CREATE INDEX %I ON page USING %s', name, definition);
    took := extract(epoch FROM clock_timestamp() - begun);
    INSERT INTO built VALUES (name, took, pg_relation_size(name::regclass) / 1e6);
END $$;

-- Runs the statement (q is the query, r the radius) for every query, twice, and keeps the second run's time less the
-- empty loop's.
CREATE PROCEDURE look_up(name text, radius integer, statement text, queries integer DEFAULT 2000) LANGUAGE plpgsql AS $$
DECLARE loop_text text; empty_text text; begun timestamptz; took float8; empty float8; found bigint;
BEGIN
    empty_text := format('CREATE OR REPLACE FUNCTION empty_loop() RETURNS bigint LANGUAGE plpgsql AS $f$
        DECLARE q simhash; r integer := %s; n bigint := 0; k bigint;
        BEGIN FOR i IN 1..%s LOOP q := query.h FROM query WHERE query.id = (i * 7) %% 2000 + 1; k := 0; n := n + k;
        END LOOP; RETURN n; END $f$', radius, queries);
    loop_text := format('CREATE OR REPLACE FUNCTION look_up_loop() RETURNS bigint LANGUAGE plpgsql AS $f$
        DECLARE q simhash; r integer := %s; n bigint := 0; k bigint;
        BEGIN FOR i IN 1..%s LOOP q := query.h FROM query WHERE query.id = (i * 7) %% 2000 + 1; %s INTO k; n := n + k;
        END LOOP; RETURN n; END $f$', radius, queries, statement);
    EXECUTE empty_text;
    EXECUTE loop_text;
    PERFORM empty_loop();
    PERFORM look_up_loop();
    begun := clock_timestamp();
    PERFORM empty_loop();
    empty := extract(epoch FROM clock_timestamp() - begun);
    begun := clock_timestamp();
    found := look_up_loop();
    took := extract(epoch FROM clock_timestamp() - begun);
    INSERT INTO looked_up VALUES (name, radius, (took - empty) / queries * 1e6, found);
END $$;

\set blocks 'ARRAY[h::bigint >> 48 & 65535, 65536 + (h::bigint >> 32 & 65535), 131072 + (h::bigint >> 16 & 65535), 196608 + (h::bigint & 65535)]'

CALL look_up('primary key', 0, 'SELECT count(*) FROM page WHERE id = i');
CALL look_up('sequential scan', 3, 'SELECT count(*) FROM page WHERE bit_count((h::bit(64)) # (q::bit(64))) <= r', 5);

CALL build('btree', 'btree (h)');
DROP INDEX btree;

SELECT format('CALL build(%L, %L)', 'simhash_' || t, 'simhash (h) WITH (tables = ' || t || ')'),
       format('CALL look_up(%L, 1, %L)', 'simhash, tables = ' || t, 'SELECT count(*) FROM page WHERE h <@> q <= r'),
       format('CALL look_up(%L, 3, %L)', 'simhash, tables = ' || t, 'SELECT count(*) FROM page WHERE h <@> q <= r'),
       format('CALL look_up(%L, 5, %L)', 'simhash, tables = ' || t, 'SELECT count(*) FROM page WHERE h <@> q <= r'),
       format('CALL look_up(%L, 7, %L)', 'simhash, tables = ' || t, 'SELECT count(*) FROM page WHERE h <@> q <= r'),
       format('DROP INDEX %I', 'simhash_' || t)
FROM unnest(string_to_array(:'tables', ' ')) t \gexec

CALL build('gin_blocks', $$gin ((ARRAY[h::bigint >> 48 & 65535, 65536 + (h::bigint >> 32 & 65535),
    131072 + (h::bigint >> 16 & 65535), 196608 + (h::bigint & 65535)]))$$);
CALL look_up('GIN on four blocks', 3, $$SELECT count(*) FROM page
    WHERE (ARRAY[h::bigint >> 48 & 65535, 65536 + (h::bigint >> 32 & 65535),
                 131072 + (h::bigint >> 16 & 65535), 196608 + (h::bigint & 65535)])
       && ARRAY[q::bigint >> 48 & 65535, 65536 + (q::bigint >> 32 & 65535),
                131072 + (q::bigint >> 16 & 65535), 196608 + (q::bigint & 65535)]
      AND bit_count((h::bit(64)) # (q::bit(64))) <= r$$);
DROP INDEX gin_blocks;

DO $$
DECLARE begun timestamptz := clock_timestamp(); megabytes float8 := 0;
BEGIN
    FOR block IN 0..3 LOOP
        EXECUTE format('CREATE INDEX btree_%s ON page (((h::bigint >> %s & 65535)::integer))', block, 16 * block);
        megabytes := megabytes + pg_relation_size(('btree_' || block)::regclass) / 1e6;
    END LOOP;
    INSERT INTO built VALUES ('four_btrees', extract(epoch FROM clock_timestamp() - begun), megabytes);
END $$;
ANALYZE page;
CALL look_up('four btrees, BitmapOr', 3, $$SELECT count(*) FROM page
    WHERE ((h::bigint >> 0 & 65535)::integer = (q::bigint >> 0 & 65535)::integer
        OR (h::bigint >> 16 & 65535)::integer = (q::bigint >> 16 & 65535)::integer
        OR (h::bigint >> 32 & 65535)::integer = (q::bigint >> 32 & 65535)::integer
        OR (h::bigint >> 48 & 65535)::integer = (q::bigint >> 48 & 65535)::integer)
      AND bit_count((h::bit(64)) # (q::bit(64))) <= r$$);

\echo
\echo Indexes on :rows rows
SELECT name AS index, round(seconds::numeric, 2) AS "build, s",
       round((seconds / (SELECT seconds FROM built WHERE name = 'btree'))::numeric, 2) AS "times the btree on h",
       round(megabytes::numeric, 1) AS "MB", round((megabytes * 1e6 / :rows)::numeric, 1) AS "bytes a row"
FROM built;
\echo Look-ups, inside the server
SELECT name AS method, radius, round(microseconds::numeric, 1) AS "µs a query", found,
       round((microseconds / (SELECT microseconds FROM looked_up WHERE name = 'simhash, tables = 4' AND radius = 3))::numeric, 1)
           AS "times tables = 4 at radius 3"
FROM looked_up ORDER BY radius, name;
