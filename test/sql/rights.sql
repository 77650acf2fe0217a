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

SET ROLE index_monitor;
CREATE FUNCTION trap.tweak(h simhash) RETURNS simhash LANGUAGE plpgsql IMMUTABLE AS
    $$ BEGIN RAISE 'run as %', current_user; END $$;
GRANT EXECUTE ON FUNCTION trap.tweak TO PUBLIC;
SET search_path = trap, public;
SELECT rows, heap_rows FROM simhash_index_check('owned.page_h', true);
SELECT rows FROM simhash_index_stats('owned.page_h');
RESET search_path;
RESET ROLE;

-- An unprivileged user is rejected before any lock is requested.
SET ROLE index_stranger;
SELECT simhash_index_check('owned.page_h', true);
SELECT simhash_index_stats('owned.page_h');
SELECT count(*) FROM simhash_probe_plan('owned.page_h', '0123456789abcdef'::simhash, 3);
BEGIN;
SAVEPOINT s;
SELECT simhash_index_check('owned.page_h');
ROLLBACK TO s;
SELECT count(*) FROM pg_locks WHERE relation IN ('owned.page'::regclass, 'owned.page_h'::regclass) AND pid = pg_backend_pid();
COMMIT;
RESET ROLE;

-- other relations
SELECT simhash_index_stats('owned.page');
CREATE TABLE parted (h simhash) PARTITION BY HASH (h);
CREATE INDEX parted_h ON parted USING simhash (h);
SELECT simhash_index_stats('parted_h');
CREATE INDEX page_id ON owned.page (id);
SELECT simhash_index_check('owned.page_id');
SELECT simhash_index_check(0);

DROP TABLE parted;
DROP SCHEMA owned, trap CASCADE;
DROP ROLE index_owner, index_stranger, index_monitor;
