\set ECHO none
-- What postgres_fdw sends to another server: here the same one, by a connection of its own.
CREATE EXTENSION postgres_fdw;
DO $$ BEGIN
    EXECUTE format('CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (dbname %L, host %L, port %L, extensions %L)',
        current_database(), split_part(current_setting('unix_socket_directories'), ',', 1), current_setting('port'), 'simhash');
    EXECUTE format('CREATE USER MAPPING FOR CURRENT_USER SERVER loopback OPTIONS (user %L)', current_user);
END $$;
CREATE TABLE near_page (id int, h simhash, w simhash_weights, s bit(128));
INSERT INTO near_page SELECT i, w::simhash, w, ('x' || md5(i::text))::bit(128) FROM
    (SELECT i, to_simhash_weights('a b c d e f g h ' || i) AS w FROM generate_series(1, 1000) AS i) AS s;
CREATE INDEX near_page_h ON near_page USING simhash (h);
CREATE INDEX near_page_s ON near_page USING simhash (s);
ANALYZE near_page;
CREATE FOREIGN TABLE page (id int, h simhash, w simhash_weights, s bit(128)) SERVER loopback OPTIONS (table_name 'near_page');
CREATE TABLE parted (LIKE page) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE parted_1 PARTITION OF parted FOR VALUES FROM (1) TO (1001) SERVER loopback OPTIONS (table_name 'near_page');
CREATE TABLE parted_2 PARTITION OF parted DEFAULT;

\echo '-- The conditions that a query sends, without long constants and schemas, and those that it keeps.'
CREATE FUNCTION sent(query text, OUT sent text, OUT kept text) LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        sent := coalesce(regexp_replace(regexp_replace(substring(line, 'Remote SQL: .* (?:WHERE|ORDER BY) (.*)'), '\[[-0-9.,]+\]', '[...]', 'g'), 'public\.', '', 'g'), sent);
        kept := coalesce(regexp_replace(substring(line, 'Filter: (.*)'), '\[[-0-9.,]+\]', '[...]', 'g'), kept);
    END LOOP;
END $$;
SELECT q, s.* FROM unnest(ARRAY[
    'SELECT id FROM page WHERE h <@> ''0123456789abcdef'' <= 3',
    'SELECT id FROM page WHERE h <@| simhash_ball(''0123456789abcdef''::simhash, 3)',
    'SELECT id FROM page WHERE h <@| simhash_ball(to_simhash_weights(''a''), 3)',
    'SELECT id FROM page WHERE h <@| simhash_ball(to_simhash_weights(''a''), 3, 0.9)',
    'SELECT id FROM page WHERE h <@| simhash_ball(to_simhash_weights(''a''), 3, 1, 20)',
    'SELECT id FROM page WHERE h <@> to_simhash_weights(''a'') < 4',
    'SELECT id FROM page WHERE simhash_internal_in_ball(h, simhash_ball(to_simhash_weights(''a''), 3, 0.9))',
    'SELECT id FROM page WHERE s <@| signature_ball(repeat(''01'', 64)::bit(128), 3, 0.9)',
    'SELECT id FROM parted WHERE h <@| simhash_ball(to_simhash_weights(''a''), 3, 0.9)',
    'SELECT id FROM page ORDER BY h <@> to_simhash_weights(''a'') LIMIT 3']) AS q, sent(q) AS s;
\echo '-- with parameters of a generic plan'
SET plan_cache_mode = force_generic_plan;
PREPARE guided (simhash_weights, float8) AS SELECT id FROM page WHERE h <@| simhash_ball($1, 12, $2);
SELECT * FROM sent('EXECUTE guided (to_simhash_weights(''a b c d e f g h 7''), 0.9)');
\echo '-- The answers are those of the table'
SELECT count(*) > 10 AS found, count(*) = (SELECT count(*) FROM near_page WHERE (h <@> to_simhash_weights('a b c d e f g h 7'))::int <= 12) AS equal
FROM page WHERE h <@| simhash_ball(to_simhash_weights('a b c d e f g h 7'), 12, 1);
RESET plan_cache_mode;
\echo '-- Forms that cannot name the schema of an operator: the other server has an empty search_path.'
SELECT count(*) FROM page WHERE h IS DISTINCT FROM '0123456789abcdef' AND NULLIF(h, w::simhash) IS NULL
    AND CASE h WHEN w::simhash THEN (h, id) >= (w::simhash, 0) END;
\echo '-- Up to PostgreSQL 16 array types are no members of their extensions, so conditions with them are kept.'
SELECT current_setting('server_version_num')::int < 170000 AS before_17 \gset
\if :before_17
ALTER EXTENSION simhash ADD TYPE simhash[];
ALTER EXTENSION simhash ADD TYPE simhash_ball[];
\endif
\c -
SELECT q, s.* FROM unnest(ARRAY[
    'SELECT id FROM page WHERE h = ANY(''{0123456789abcdef}''::simhash[])',
    'SELECT id FROM page WHERE h <@| ANY(''{"<0123456789abcdef,3>","<0123456789abcdf0,3>"}''::simhash_ball[])']) AS q, sent(q) AS s;
\if :before_17
ALTER EXTENSION simhash DROP TYPE simhash[];
ALTER EXTENSION simhash DROP TYPE simhash_ball[];
\endif
SET client_min_messages = warning;
DROP EXTENSION postgres_fdw CASCADE;
DROP TABLE near_page, parted;
DROP FUNCTION sent;
