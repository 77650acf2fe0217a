\set ECHO none
-- Columns before the searched one, for conditions of equality.
SET client_min_messages = warning;
SET simhash.enable_join = off;
CREATE TABLE page (id int, tenant int, chat bigint, name text, code uuid, day date, shown bool, h simhash, p bigint);
INSERT INTO page
    SELECT i, CASE WHEN i % 97 = 0 THEN NULL ELSE i % 20 END, i % 3 - 1, 'T' || i % 20, md5((i % 5)::text)::uuid, '2026-01-01'::date + i % 7, i % 2 = 0,
        CASE WHEN i % 101 = 0 THEN NULL ELSE v::simhash END, v
    FROM generate_series(1, 8000) AS i,
        LATERAL (SELECT ('x' || substr(md5((i / 100)::text), 1, 16))::bit(64)::bigint # (1::bigint << (i % 63)) # (1::bigint << (i * 7 % 63)) AS v) AS v;
CREATE TABLE asked AS SELECT id, tenant, chat, h, p FROM page WHERE id % 400 = 1;
ANALYZE page, asked;
SET simhash.enable_join = off;
CREATE FUNCTION same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    rows text[];
    found text;
    line text;
    plans text := '';
    plan text;
BEGIN
    FOREACH plan IN ARRAY '{seqscan,indexscan,bitmapscan}'::text[] LOOP
        PERFORM set_config('enable_' || p, (p = plan)::text, true) FROM unnest('{seqscan,indexscan,bitmapscan}'::text[]) AS p;
        PERFORM set_config('enable_sort', (plan <> 'indexscan')::text, true);
        EXECUTE format('SELECT count(*) || '' '' || coalesce(md5(string_agg(x::text, '','' ORDER BY x::text)), '''') FROM (%s) AS x', query) INTO found;
        FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
            plans := plans || coalesce(' ' || substring(line FROM '(?:Index|Bitmap Heap) Scan .*page'), '');
        END LOOP;
        rows := rows || found;
    END LOOP;
    PERFORM set_config('enable_' || p, 'true', true) FROM unnest('{seqscan,indexscan,bitmapscan,sort}'::text[]) AS p;
    RETURN format('%s rows%s: %s', split_part(rows[1], ' ', 1), CASE WHEN plans ~ 'Index Scan' AND plans ~ 'Bitmap' THEN '' WHEN plans ~ 'Index Scan' THEN ', no bitmap' ELSE ', no index' END,
        CASE WHEN rows[1] = ALL (rows) THEN 'equal' ELSE rows::text END);
END $$;
CREATE INDEX page_i ON page USING simhash (tenant, h);
SELECT * FROM simhash_index_check('page_i', true);
SELECT condition, same('SELECT id FROM page WHERE ' || condition) FROM unnest(ARRAY[
    'tenant = 3 AND h <@> (SELECT h FROM asked LIMIT 1) <= 6', 'tenant = 3::bigint AND h <@> (SELECT h FROM asked LIMIT 1) <= 6',
    'tenant = 3::smallint AND h ~= (SELECT h FROM asked LIMIT 1)', 'tenant = 1 AND h = (SELECT h FROM asked LIMIT 1)',
    'h <@> (SELECT h FROM asked LIMIT 1) <= 6', 'tenant IS NULL AND h <@> (SELECT h FROM asked LIMIT 1) <= 20',
    'tenant IS NOT NULL AND h <@> (SELECT h FROM asked WHERE id = 401) <= 6', 'tenant = 5', 'tenant = 5 AND h IS NULL', 'tenant = 5 AND h IS NOT NULL',
    'tenant IS NULL AND h IS NULL', 'tenant = ANY (''{1,2,3}'') AND h <@> (SELECT h FROM asked WHERE id = 401) <= 6',
    'tenant = ANY (''{1,2,3}'') AND h ~= ANY (ARRAY(SELECT h FROM asked))', 'tenant = 1 AND tenant = (SELECT 2) AND h <@> (SELECT h FROM asked LIMIT 1) <= 9',
    'tenant = NULL AND h <@> (SELECT h FROM asked LIMIT 1) <= 9', 'tenant = 4 AND h <@| simhash_ball(''[1' || repeat(',-1', 63) || ']''::simhash_weights, 20, 0.5)']) AS condition;
SELECT same('SELECT a.id AS q, p.id FROM asked AS a JOIN page AS p ON p.tenant = a.tenant AND p.h <@> a.h <= 6');
SELECT same('SELECT a.id AS q, p.id FROM asked AS a JOIN page AS p ON p.h <@> a.h <= 6');
SELECT same('SELECT a.id AS q, n.d FROM asked AS a, LATERAL (SELECT p.h <@> a.h AS d FROM page AS p WHERE p.tenant = a.tenant ORDER BY p.h <@> a.h LIMIT 10) AS n');
SELECT same('SELECT a.id AS q, n.d FROM asked AS a, LATERAL (SELECT p.h <@> a.h AS d FROM page AS p WHERE p.tenant = a.tenant AND p.h <@> a.h <= 8 ORDER BY p.h <@> a.h LIMIT 10) AS n');
SELECT same('SELECT a.id AS q, n.d FROM asked AS a, LATERAL (SELECT p.h <@> a.h AS d FROM page AS p ORDER BY p.h <@> a.h LIMIT 10) AS n WHERE a.id < 2000');
\echo '-- With two before it, and types whose class is named because they are searched, too.'
DROP INDEX page_i;
CREATE INDEX page_i ON page USING simhash (name simhash_equal_text_ops, tenant, h);
SELECT same('SELECT id FROM page WHERE name = ''T1'' AND tenant = 1 AND h <@> (SELECT h FROM asked LIMIT 1) <= 6'),
    same('SELECT id FROM page WHERE name = ''T1'' AND h <@> (SELECT h FROM asked LIMIT 1) <= 6'),
    same('SELECT a.id AS q, p.id FROM asked AS a JOIN page AS p ON p.tenant = a.tenant AND p.h <@> a.h <= 6 WHERE p.name = ''T1''');
DROP INDEX page_i;
CREATE INDEX page_i ON page USING simhash (chat, p);
SELECT pg_get_indexdef('page_i'::regclass), same('SELECT id FROM page WHERE chat = 1 AND p <@> (SELECT p FROM asked LIMIT 1) <= 6'),
    same('SELECT id FROM page WHERE chat <@> 1 <= 3 AND p <@> (SELECT p FROM asked LIMIT 1) <= 6'),
    same('SELECT id FROM page WHERE chat = (-1)::bigint AND p = (SELECT p FROM asked LIMIT 1)');
SELECT same('SELECT a.id AS q, p.id FROM asked AS a JOIN page AS p ON p.p <@> a.p <= 6'), same('SELECT a.id AS q, p.id FROM asked AS a JOIN page AS p ON p.chat = a.chat AND p.p ~= a.p');
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE chat = 1 AND p <@> 7 <= 3 ORDER BY p <@> 7 LIMIT 1;
EXPLAIN (COSTS OFF) SELECT id FROM page ORDER BY chat <@> 7 LIMIT 1;
DROP INDEX page_i;
CREATE INDEX page_i ON page USING simhash (code, day, shown, h);
SELECT same('SELECT p.id FROM page AS p JOIN page AS a ON p.code = a.code AND p.day = a.day AND p.shown = a.shown AND p.h <@> a.h <= 8 WHERE a.id % 100 = 7');
SELECT * FROM simhash_index_check('page_i', true);
DROP INDEX page_i;
CREATE INDEX page_i ON page USING simhash (tenant, (simhash_ball(h, 4)));
SELECT same('SELECT id FROM page WHERE tenant = 1 AND simhash_ball(h, 4) ~= (SELECT simhash_ball(h, 4) FROM asked LIMIT 1)'),
    same('SELECT id FROM page WHERE tenant = 1 AND simhash_ball(h, 4) IS NULL');
\echo '-- Signatures.'
ALTER TABLE page ADD s bit(333);
UPDATE page SET s = to_signature('w' || id / 100 || ' and w' || id / 300 || ' with w' || id % 9, 333) WHERE id % 103 > 0;
CREATE TABLE signed AS SELECT id, tenant, s FROM page WHERE id % 400 = 1;
ANALYZE page, signed;
DROP INDEX page_i;
CREATE INDEX page_i ON page USING simhash (tenant, s) WITH (lists = 300);
SELECT * FROM simhash_index_check('page_i', true);
SELECT condition, same('SELECT id FROM page WHERE ' || condition) FROM unnest(ARRAY[
    'tenant = 3 AND s <@> (SELECT s FROM signed LIMIT 1) <= 90', 'tenant = 1::bigint AND s = (SELECT s FROM signed LIMIT 1)',
    's <@> (SELECT s FROM signed LIMIT 1) <= 90', 'tenant IS NULL AND s <@> (SELECT s FROM signed LIMIT 1) <= 130',
    'tenant IS NOT NULL AND s <@> (SELECT s FROM signed LIMIT 1) <= 90', 'tenant = 5', 'tenant = 5 AND s IS NULL',
    'tenant = ANY (''{1,2,3}'') AND s <@> (SELECT s FROM signed LIMIT 1) <= 90', 'tenant = 1 AND s = B''101''::varbit::bit(3)',
    'tenant = 4 AND s <@| signature_ball((SELECT s FROM signed LIMIT 1), 90, 0.5)']) AS condition;
SELECT same('SELECT a.id AS q, p.id FROM signed AS a JOIN page AS p ON p.tenant = a.tenant AND p.s <@> a.s <= 60');
SELECT same('SELECT a.id AS q, n.d FROM signed AS a, LATERAL (SELECT p.s <@> a.s AS d FROM page AS p WHERE p.tenant = a.tenant ORDER BY p.s <@> a.s LIMIT 10) AS n');
SELECT same('SELECT s <@> (SELECT s FROM signed LIMIT 1) FROM page WHERE tenant = 1 ORDER BY s <@> signature_nearest((SELECT s FROM signed LIMIT 1), 0.5) LIMIT 3');
CREATE TABLE kept (tenant int, s bit(72), EXCLUDE USING simhash (tenant WITH =, s WITH =), EXCLUDE USING simhash (tenant WITH =, (signature_ball(s, 9)) WITH ~=));
INSERT INTO kept VALUES (1, repeat('0', 72)::bit(72)), (2, repeat('0', 72)::bit(72)), (NULL, repeat('0', 72)::bit(72)), (NULL, repeat('0', 72)::bit(72));
INSERT INTO kept SELECT tenant, (repeat('0', 72 - bits) || repeat('1', bits))::bit(72) FROM unnest('{1,2,3}'::int[]) AS tenant, unnest('{0,3,9,10}'::int[]) AS bits ON CONFLICT DO NOTHING;
SELECT tenant, length(replace(s::text, '0', '')) AS ones FROM kept ORDER BY 1, 2;
DROP TABLE kept;
UPDATE page SET tenant = tenant WHERE id % 9 = 0;
VACUUM page;
REINDEX INDEX CONCURRENTLY page_i;
SELECT heap_rows, (SELECT value < 200 FROM simhash_index_stats('page_i') WHERE name = 'segments') AS no_lists FROM simhash_index_check('page_i', true);
\echo '-- Without the tenant everything is read, and that costs more than a scan.'
DROP INDEX page_i;
CREATE INDEX page_i ON page USING simhash (tenant, h);
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE h <@> '0123456789abcdef' <= 3;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE tenant = 5;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE tenant = 5 AND h <@> '0123456789abcdef' <= 3;
EXPLAIN (COSTS OFF) SELECT id FROM page ORDER BY h <@> '0123456789abcdef' LIMIT 3;
\echo '-- The nearest rows of a small tenant, without a btree: there may be some that are near.'
CREATE TABLE many AS SELECT i AS id, i % 200 AS tenant, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 200000) AS i;
CREATE INDEX ON many USING simhash (tenant, h);
SET default_statistics_target = 1000;  -- all rows, so that the plan does not depend on a sample
ANALYZE many;
RESET default_statistics_target;
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT id FROM many WHERE tenant = 5 ORDER BY h <@> '0123456789abcdef' LIMIT 8;
RESET max_parallel_workers_per_gather;
DROP TABLE many;
\echo '-- Row-level security: the policy has the tenant.'
CREATE ROLE simhash_several_user;
GRANT SELECT ON page, asked TO simhash_several_user;
CREATE POLICY own ON page USING (tenant = current_setting('simhash_test.tenant')::int);
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
SET ROLE simhash_several_user;
SET simhash_test.tenant = 1;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE h <@> '0123456789abcdef' <= 3;
SELECT count(*) FROM page WHERE h <@> (SELECT h FROM asked LIMIT 1) <= 6;
RESET ROLE;
ALTER TABLE page DISABLE ROW LEVEL SECURITY;
DROP POLICY own ON page;
REVOKE ALL ON page, asked FROM simhash_several_user;
DROP ROLE simhash_several_user;
\echo '-- Each insert would read all of such an index.'
CREATE TABLE swapped (tenant bigint, h simhash, EXCLUDE USING simhash (h WITH ~=, tenant WITH =));
CREATE TABLE swapped (tenant bigint, h simhash, EXCLUDE USING simhash (tenant WITH ~=, h WITH ~=));
\echo '-- A constraint for each tenant; changed rows; a collation whose equal values differ.'
CREATE TABLE kept (tenant int, h simhash, EXCLUDE USING simhash (tenant WITH =, h WITH ~=));
INSERT INTO kept VALUES (1, '0000000000000000'), (2, '0000000000000000'), (NULL, '0000000000000000'), (NULL, '0000000000000001'), (1, '00000000000000ff');
INSERT INTO kept VALUES (1, '0000000000000001');
INSERT INTO kept VALUES (3, '0000000000000001'), (1, '00000000000000f0') ON CONFLICT DO NOTHING;
SELECT * FROM kept ORDER BY 1, 2;
CREATE TABLE named (tenant text, padded char(5), h simhash, EXCLUDE USING simhash (tenant simhash_equal_text_ops WITH =, h WITH ~=),
    EXCLUDE USING simhash (padded simhash_equal_bpchar_ops WITH =, h WITH ~=));
INSERT INTO named VALUES ('a', '1', '0000000000000000'), ('b', '2', '0000000000000000'), ('', '3', '0000000000000000'), (NULL, '4', '0000000000000000');
INSERT INTO named VALUES ('b', '5', '0000000000000007');
INSERT INTO named VALUES ('c', '2 ', '0000000000000007');
INSERT INTO named VALUES ('B', '5', '0000000000000007'), ('b', '5', '00000000000000ff'), (NULL, NULL, '0000000000000000');
DO $$ BEGIN
    CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    ALTER TABLE named ALTER tenant TYPE text COLLATE no_case USING tenant || CASE WHEN tenant = 'B' THEN '2' ELSE '' END;
    BEGIN
        INSERT INTO named VALUES ('A', '6', '0000000000000001');
        RAISE 'A and a are equal';
    EXCEPTION WHEN exclusion_violation THEN NULL; END;
    CREATE TABLE called (caller name COLLATE no_case, h simhash, EXCLUDE USING simhash (caller WITH =, h WITH ~=));
    INSERT INTO called VALUES ('a', '0000000000000000'), ('b', '0000000000000000');
    BEGIN
        INSERT INTO called VALUES ('A', '0000000000000001');
        RAISE 'the names A and a are equal';
    EXCEPTION WHEN exclusion_violation THEN NULL; END;
    CREATE TABLE coded (code bpchar COLLATE no_case, h simhash, EXCLUDE USING simhash (code simhash_equal_bpchar_ops WITH =, h WITH ~=));
    INSERT INTO coded VALUES ('a', '0000000000000000'), ('b ', '0000000000000000');
    BEGIN
        INSERT INTO coded VALUES ('A  ', '0000000000000001');
        RAISE 'A, with blanks, and a are equal';
    EXCEPTION WHEN exclusion_violation THEN NULL; END;
EXCEPTION WHEN feature_not_supported OR undefined_object THEN NULL; -- no ICU
END $$;
SELECT count(*), count(tenant) AS named FROM named;
UPDATE page SET tenant = tenant + 1, h = NULL WHERE id % 10 = 0;
DELETE FROM page WHERE id % 7 = 0;
VACUUM page;
REINDEX INDEX CONCURRENTLY page_i;
SELECT heap_rows > 0 AS checked FROM simhash_index_check('page_i', true);
SELECT same('SELECT id FROM page WHERE tenant = 2 AND h <@> (SELECT h FROM asked WHERE id = 401) <= 9');
\echo '-- What is refused.'
\set VERBOSITY terse
CREATE INDEX ON page USING simhash (tenant);
CREATE INDEX ON page USING simhash (h, tenant);
SELECT * FROM simhash_pair_sample('page_i', 'h::text', 3);
SELECT * FROM simhash_index_trace('page_i', '<0123456789abcdef,3>');
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') AND opcname LIKE 'simhash_equal%' ORDER BY 1;
