\set ECHO none
-- Inspecting indexes: who may do so, and with whose privileges.
\set VERBOSITY terse
CREATE ROLE index_owner;
CREATE ROLE index_stranger;
CREATE ROLE index_monitor;
GRANT pg_stat_scan_tables TO index_monitor;
CREATE SCHEMA owned AUTHORIZATION index_owner;
CREATE SCHEMA trap AUTHORIZATION index_monitor;
GRANT USAGE ON SCHEMA owned TO index_monitor, index_stranger;
GRANT USAGE ON SCHEMA trap TO index_owner;

SET ROLE index_owner;
CREATE FUNCTION owned.tweak(h simhash) RETURNS simhash LANGUAGE sql IMMUTABLE AS 'SELECT h';
-- careless: it finds tweak() through the search_path of its caller
CREATE FUNCTION owned.careless(h simhash) RETURNS simhash LANGUAGE plpgsql IMMUTABLE AS
    $$ BEGIN RETURN tweak(h); EXCEPTION WHEN undefined_function THEN RETURN h; END $$;
CREATE TABLE owned.page AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 100) i;
SET search_path = owned, public;
CREATE INDEX page_h ON page USING simhash (careless(h));
RESET search_path;
RESET ROLE;

\echo '-- The check evaluates expressions of the index, but finds nothing by the caller''s search_path.'
SET ROLE index_monitor;
CREATE FUNCTION trap.tweak(h simhash) RETURNS simhash LANGUAGE plpgsql IMMUTABLE AS
    $$ BEGIN RAISE 'run as %', current_user; END $$;
GRANT EXECUTE ON FUNCTION trap.tweak TO PUBLIC;
RESET ROLE;
SET ROLE index_owner;
SET search_path = trap, public;
SELECT rows, heap_rows FROM simhash_index_check('owned.page_h', true);
SELECT value AS rows FROM simhash_index_stats('owned.page_h') WHERE name = 'rows';
RESET search_path;
RESET ROLE;

\echo '-- A monitoring role sees counts. It must not block anybody, nor learn fingerprints: the least radius that matches, and a query'
\echo '-- for each bit, would give one away, and the bounds of leaves are keys of rows.'
SET ROLE index_monitor;
SELECT value AS rows FROM simhash_index_stats('owned.page_h') WHERE name = 'rows';
SELECT sum(matches) FROM simhash_index_trace('owned.page_h', simhash_ball('0123456789abcdef'::simhash, 20));
SELECT sum(matches) FROM simhash_index_trace('owned.page_h', simhash_ball(to_simhash_weights('a'), 16, 0.9));
CREATE TABLE trap.pair AS
    SELECT w, w::simhash AS h FROM (SELECT to_simhash_weights(i::text) AS w FROM generate_series(1, 100) i) s;
SELECT leaves FROM simhash_index_calibrate('owned.page_h', 'trap.pair', 'w', 'h', false);
BEGIN;
SAVEPOINT s;
SELECT simhash_index_check('owned.page_h', true);
ROLLBACK TO s;
SELECT mode FROM pg_locks WHERE relation IN ('owned.page'::regclass, 'owned.page_h'::regclass) AND pid = pg_backend_pid();
\echo '-- The check of the structure blocks nobody.'
SELECT rows, partial_entries, heap_rows FROM simhash_index_check('owned.page_h');
SELECT DISTINCT mode FROM pg_locks WHERE relation IN ('owned.page'::regclass, 'owned.page_h'::regclass) AND pid = pg_backend_pid();
COMMIT;
RESET ROLE;

\echo '-- A role that may read what the index holds may search it, if it may name the table.'
GRANT SELECT (id) ON owned.page TO index_stranger;
SET ROLE index_stranger;
SELECT sum(matches) FROM simhash_index_trace('owned.page_h', simhash_ball('0123456789abcdef'::simhash, 20));
RESET ROLE;
GRANT SELECT (h) ON owned.page TO index_stranger;
SELECT 'owned.page_h'::regclass::oid AS page_h \gset
SET ROLE index_stranger;
SELECT sum(matches) = count(*) AS matches FROM owned.page, simhash_index_trace('owned.page_h', simhash_ball(h, 0));
SELECT simhash_index_calibrate('owned.page_h', 'owned.page', 'h', 'h', true);
RESET ROLE;
REVOKE USAGE ON SCHEMA owned FROM index_stranger;
SET ROLE index_stranger;
SELECT sum(matches) FROM simhash_index_trace(:page_h, simhash_ball('0123456789abcdef'::simhash, 20));
RESET ROLE;
GRANT USAGE ON SCHEMA owned TO index_stranger;
\echo '-- Row-level security would hide rows from a query, so nobody to whom it applies may search, not even the owner.'
CREATE POLICY few ON owned.page USING (id < 10);
ALTER TABLE owned.page ENABLE ROW LEVEL SECURITY;
SET ROLE index_stranger;
SELECT sum(matches) FROM simhash_index_trace('owned.page_h', simhash_ball('0123456789abcdef'::simhash, 20));
SELECT leaves FROM simhash_index_calibrate('owned.page_h', 'owned.page', 'h', 'h', false);
SET ROLE index_owner;
SELECT sum(matches) > 0 AS matches FROM simhash_index_trace('owned.page_h', simhash_ball('0123456789abcdef'::simhash, 30));
RESET ROLE;
ALTER TABLE owned.page FORCE ROW LEVEL SECURITY;
SET ROLE index_owner;
SELECT sum(matches) > 0 AS matches FROM simhash_index_trace('owned.page_h', simhash_ball('0123456789abcdef'::simhash, 30));
RESET ROLE;
ALTER TABLE owned.page DISABLE ROW LEVEL SECURITY;
REVOKE SELECT (id, h) ON owned.page FROM index_stranger;

\echo '-- An unprivileged user is rejected before any lock is requested.'
SET ROLE index_stranger;
SELECT simhash_index_check('owned.page_h', true);
SELECT simhash_index_stats('owned.page_h');
SELECT count(*) FROM simhash_index_trace('owned.page_h', simhash_ball('0123456789abcdef'::simhash, 3));
BEGIN;
SAVEPOINT s;
SELECT simhash_index_check('owned.page_h');
ROLLBACK TO s;
SELECT count(*) FROM pg_locks WHERE relation IN ('owned.page'::regclass, 'owned.page_h'::regclass) AND pid = pg_backend_pid();
COMMIT;
RESET ROLE;


\echo '-- The memory of a session is shown with the names of the indexes that the role may know. Tables of one leaf need none.'
SET ROLE index_owner;
CREATE TABLE owned.large AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 20000) i;
CREATE INDEX large_h ON owned.large USING simhash (h);
SELECT count(*) FROM owned.large WHERE h <@| simhash_ball('0123456789abcdef', 0);
SELECT index, inner_pages > 0 AS some FROM simhash_index_memory();
SET ROLE index_stranger;
SELECT index, inner_pages > 0 AS some FROM simhash_index_memory();
SET ROLE index_monitor;
SELECT index, inner_pages > 0 AS some FROM simhash_index_memory();
RESET ROLE;
GRANT SELECT (h) ON owned.large TO index_stranger;
SET ROLE index_stranger;
SELECT index, inner_pages > 0 AS some FROM simhash_index_memory();
RESET ROLE;

\echo '-- An index of balls: its expression is not evaluated for whoever reads the metapage.'
SET ROLE index_owner;
CREATE FUNCTION owned.center(int) RETURNS bit LANGUAGE sql IMMUTABLE AS $$ SELECT repeat('1', 128)::bit(128) $$;
CREATE TABLE owned.ball AS SELECT i AS id FROM generate_series(1, 3) i;
CREATE INDEX ball_i ON owned.ball USING simhash ((signature_ball(owned.center(1)::bit(128), id)));
CREATE OR REPLACE FUNCTION owned.center(int) RETURNS bit LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'run by %', current_user; END $$;
\c -
SELECT value FROM simhash_index_stats('owned.ball_i') WHERE name = 'rows';
SELECT rows FROM simhash_index_check('owned.ball_i');
SELECT count(*) >= 0 AS traced FROM simhash_index_trace('owned.ball_i', signature_ball(repeat('1', 128)::bit(128), 3));
\c -
SELECT rows FROM simhash_index_check('owned.ball_i', true);
\echo '-- Objects of others in the extension''s schema: the planner calls only the extension''s functions, and an index needs no'
\echo '-- type of a name that PostgreSQL''s types have, too.'
GRANT CREATE ON SCHEMA public TO index_stranger;
CREATE TABLE owned.signed AS SELECT repeat('01', 64)::bit(128) AS s, to_simhash('a b c') AS h, to_simhash_weights('a b c') AS w, 1 AS tenant, 2::bigint AS b;
SET ROLE index_stranger;
CREATE FUNCTION public.hamming_within(bit, signature_ball, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run by %', current_user; END $$;
CREATE FUNCTION public.simhash_internal_at(bit, signature_ball, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run by %', current_user; END $$;
CREATE FUNCTION public.hamming_within(simhash_weights, simhash, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run by %', current_user; END $$;
CREATE FUNCTION public.simhash_internal_at(simhash_weights, simhash, bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run by %', current_user; END $$;
CREATE FUNCTION public.simhash_ball(bigint, bigint) RETURNS simhash_ball LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run by %', current_user; END $$;
CREATE DOMAIN public.int8 AS int;
CREATE DOMAIN public.int4 AS int;
CREATE DOMAIN public.int2 AS int;
CREATE TABLE public."bit" ();
RESET ROLE;
SELECT count(*) FILTER (WHERE s <@> signature_nearest(B'1'::bit(128)) < 128), count(*) FILTER (WHERE s <@> signature_nearest(B'1'::bit(128)) = 1),
    count(*) FILTER (WHERE w <@> h <= 3), count(*) FILTER (WHERE w <@> h > 3), count(*) FILTER (WHERE w <@> h = 1), count(*) FILTER (WHERE b <@> 2 <= 1) FROM owned.signed;
CREATE INDEX signed_b ON owned.signed USING simhash (b);
CREATE INDEX signed_h ON owned.signed USING simhash (tenant, h);
CREATE INDEX signed_s ON owned.signed USING simhash (signature_ball(s, 5));
SET enable_seqscan = off;
SELECT count(*) FROM owned.signed WHERE b <@> 2 <= 1;
RESET enable_seqscan;
SET client_min_messages = warning;
DROP OWNED BY index_stranger;
RESET client_min_messages;
\echo '-- other relations'
SELECT simhash_index_stats('owned.page');
CREATE INDEX page_id ON owned.page (id);
SELECT simhash_index_check('owned.page_id');
SELECT simhash_index_check(0);

DROP SCHEMA owned, trap CASCADE;
DROP ROLE index_owner, index_stranger, index_monitor;
