\set ECHO none
-- Who chooses approximation: the author of a condition, by simhash_ball(weights, radius, recall), and nobody else. Policies,
-- views, triggers and functions of others are exact whatever their caller sets.
SET max_parallel_workers_per_gather = 0;
SET simhash.enable_join = off;
CREATE ROLE approximation_reader;

-- Documents, and a list of fingerprints that are not to be shown: 50 of near-duplicates, among many others.
CREATE FUNCTION word(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT 'w' || (hashint8extended(n, 7) & 4095)::text $$;
CREATE TABLE doc AS
    SELECT i AS id, to_simhash_weights(features(array_agg(word(i * 1000 + j)))) AS w
    FROM generate_series(1, 150) i, generate_series(1, 80) j GROUP BY i;
CREATE TABLE blocked AS
    SELECT to_simhash(features(array_agg(CASE WHEN j <= 4 THEN word(-(i * 1000 + j)) ELSE word(i * 1000 + j) END))) AS h
    FROM generate_series(1, 50) i, generate_series(1, 80) j GROUP BY i
    UNION ALL SELECT hashint8extended(i, 1)::simhash FROM generate_series(1, 10000) i;
CREATE INDEX blocked_h ON blocked USING simhash (h);
ANALYZE doc, blocked;
GRANT SELECT ON doc, blocked TO approximation_reader;
GRANT CREATE ON SCHEMA public TO approximation_reader;

-- The conditions of others, each with an index scan of the list.
CREATE TABLE document AS TABLE doc;
ALTER TABLE document ENABLE ROW LEVEL SECURITY;
CREATE POLICY shown ON document USING (NOT EXISTS (SELECT FROM blocked b WHERE b.h <@> document.w <= 10));
CREATE VIEW barrier WITH (security_barrier) AS
    SELECT id FROM doc WHERE NOT EXISTS (SELECT FROM blocked b WHERE b.h <@> doc.w <= 10);
CREATE VIEW plain AS SELECT doc.id, b.h FROM doc JOIN blocked b ON b.h <@> doc.w <= 10;
CREATE FUNCTION is_blocked(w simhash_weights) RETURNS boolean LANGUAGE plpgsql STABLE SECURITY DEFINER AS
    $$ BEGIN RETURN EXISTS (SELECT FROM blocked b WHERE b.h <@> w < 11); END $$;
CREATE FUNCTION nearest_blocked(w simhash_weights) RETURNS integer LANGUAGE sql STABLE SECURITY DEFINER AS
    $$ SELECT b.h <@> w FROM blocked b ORDER BY b.h <@> w LIMIT 1 $$;
CREATE TABLE accepted (id integer, w simhash_weights, CHECK (NOT is_blocked(w)));
CREATE TABLE kept (id integer, w simhash_weights);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RETURN CASE WHEN EXISTS (SELECT FROM blocked b WHERE hamming_within(b.h, NEW.w, 10)) THEN NULL ELSE NEW END; END $$;
CREATE TRIGGER keep BEFORE INSERT ON kept FOR EACH ROW EXECUTE FUNCTION keep();
CREATE TABLE apart (h simhash, EXCLUDE USING simhash (h WITH ~=));
GRANT SELECT ON document, barrier, plain TO approximation_reader;
GRANT SELECT, INSERT, DELETE ON accepted, kept, apart TO approximation_reader;

\echo '-- A plan, without the lines "Disabled: true", which EXPLAIN prints since PostgreSQL 18.'
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
SET enable_seqscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT plan_of('SELECT id FROM barrier');
SET ROLE approximation_reader;
CREATE FUNCTION accepts(d doc) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO accepted SELECT d.*;
    RETURN true;
EXCEPTION WHEN check_violation THEN
    RETURN false;
END $$;
CREATE FUNCTION excludes(h simhash) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO apart SELECT h;
    RETURN false;
EXCEPTION WHEN exclusion_violation THEN
    RETURN true;
END $$;
-- a statement kept as a generic plan
CREATE FUNCTION prepared(w simhash_weights) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS
    $$ BEGIN RETURN (SELECT count(*) FROM blocked b WHERE b.h <@> w BETWEEN 0 AND 10); END $$;

-- What these say.
CREATE FUNCTION said(OUT policy bigint, OUT barrier bigint, OUT plain bigint, OUT definer bigint, OUT nearest bigint,
    OUT prepared bigint, OUT checked bigint, OUT "trigger" bigint, OUT excluded bigint) LANGUAGE plpgsql AS $$
BEGIN
    SELECT count(*) INTO policy FROM document;
    SELECT count(*) INTO barrier FROM barrier;
    SELECT count(*) INTO plain FROM plain;
    SELECT count(*) INTO definer FROM doc WHERE NOT is_blocked(w);
    SELECT sum(nearest_blocked(w)) INTO nearest FROM doc;
    SELECT sum(prepared(w)) INTO prepared FROM doc;
    SELECT count(*) INTO checked FROM doc WHERE accepts(doc);
    INSERT INTO kept TABLE doc;
    SELECT count(*) INTO "trigger" FROM kept;
    DELETE FROM accepted; DELETE FROM kept; DELETE FROM apart;
    INSERT INTO apart SELECT DISTINCT ON (w::simhash) w::simhash FROM doc WHERE id <= 20;
    SELECT count(*) INTO excluded FROM doc WHERE id <= 20 AND excludes((w::simhash::bigint # 5)::simhash);
    DELETE FROM apart;
END $$;

\echo '-- By sequential scans.'
SET enable_seqscan = on;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
CREATE TEMP TABLE expected AS SELECT * FROM said();
TABLE expected;

\echo '-- By the index, under every value that a setting of ours can take.'
SET enable_seqscan = off;
SET enable_indexscan = on;
DISCARD PLANS;
SELECT said = expected AS exact FROM said(), expected;
DO $$
DECLARE setting record; wrong record;
BEGIN
    FOR setting IN
        SELECT name, value FROM pg_settings,
            unnest(coalesce(enumvals, ARRAY[min_val, max_val, '0.01', '1', 'on', 'off'])) AS value
        WHERE name LIKE 'simhash.%' ORDER BY name, value
    LOOP
        BEGIN
            PERFORM set_config(setting.name, setting.value, false);
        EXCEPTION WHEN invalid_parameter_value OR insufficient_privilege THEN
            CONTINUE;
        END;
        DISCARD PLANS;
        SELECT said.* INTO wrong FROM said(), expected WHERE said IS DISTINCT FROM expected;
        IF FOUND THEN
            RAISE WARNING '% = %: %', setting.name, setting.value, wrong;
        END IF;
        PERFORM set_config(setting.name, reset_val, false) FROM pg_settings WHERE name = setting.name;
    END LOOP;
END $$;

\echo '-- An approximate condition of the caller''s own misses rows of its own, and changes nothing of theirs.'
SET ROLE approximation_reader;
SELECT count(*) < (SELECT pairs.plain FROM expected pairs) AS fewer
FROM doc JOIN blocked b ON b.h <@| simhash_ball(doc.w, 10, recall => 0.01, max_probes => 1);
SELECT count(*) = (SELECT policy FROM expected) AS exact FROM document
WHERE id NOT IN (SELECT doc.id FROM doc JOIN blocked b ON b.h <@| simhash_ball(doc.w, 10, recall => 0.01, max_probes => 1)
                 WHERE NOT is_blocked(doc.w));
\echo '-- The author''s choice counts whoever runs it.'
RESET ROLE;
CREATE VIEW chosen AS
    SELECT doc.id FROM doc JOIN blocked b ON b.h <@| simhash_ball(doc.w, 10, recall => 0.01, max_probes => 1);
GRANT SELECT ON chosen TO approximation_reader;
SET ROLE approximation_reader;
SELECT count(*) < (SELECT plain FROM expected) AS fewer FROM chosen;
\echo '-- An exclusion constraint takes no operator of balls.'
\set VERBOSITY terse
CREATE TEMP TABLE balls (h simhash, b simhash_ball, EXCLUDE USING simhash (h WITH <@|));
\set VERBOSITY default
RESET ROLE;

DROP VIEW barrier, plain, chosen;
DROP TABLE document, accepted, kept, apart;
DROP FUNCTION accepts, excludes, prepared, said, is_blocked, nearest_blocked, keep, word;
DROP TABLE doc, blocked, expected;
REVOKE CREATE ON SCHEMA public FROM approximation_reader;
DROP ROLE approximation_reader;
