\set ECHO none
-- Row-level security and column privileges: the index returns what a policy allows and nothing else leaks, neither
-- through rows nor through errors, notices or functions that see a row before the policy does.
\set VERBOSITY terse
CREATE ROLE tenant_a;
CREATE ROLE tenant_b;
CREATE TABLE document (id int, tenant name, h simhash, w simhash_weights);
INSERT INTO document SELECT i, CASE WHEN i % 50 = 0 THEN 'tenant_a' ELSE 'tenant_b' END,
    CASE WHEN i % 200 = 7 THEN NULL ELSE hashint8extended(i, 1)::simhash END, to_simhash_weights('number ' || i)
    FROM generate_series(1, 5000) i;
CREATE INDEX document_h ON document USING simhash (h);
ANALYZE document;
GRANT SELECT ON document TO tenant_a, tenant_b;
ALTER TABLE document ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON document USING (tenant = current_user);

-- The attacker's function reports what it sees: cheap, and not leakproof.
CREATE SCHEMA spy AUTHORIZATION tenant_a;
SET ROLE tenant_a;
CREATE FUNCTION spy.look(id int, tenant name) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS
    $$ BEGIN IF tenant <> current_user THEN RAISE NOTICE 'seen: % of %', id, tenant; END IF; RETURN true; END $$;
CREATE FUNCTION spy.look(h simhash) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS
    $$ BEGIN IF h = hashint8extended(1, 1)::simhash THEN RAISE NOTICE 'seen: %', h; END IF; RETURN true; END $$;

SET enable_seqscan = off;
SET enable_bitmapscan = off;
\echo '-- The index evaluates the condition, since it is leakproof; the policy is next; the attacker''s function is last.'
EXPLAIN (COSTS OFF) SELECT id FROM document WHERE h <@> '8000000000000001' <= 25 AND spy.look(id, tenant);
EXPLAIN (COSTS OFF) SELECT id FROM document WHERE h ~= '8000000000000001' AND spy.look(h);
EXPLAIN (COSTS OFF) SELECT id FROM document WHERE h <@> to_simhash_weights('number 1') <= 8 AND spy.look(id, tenant);
EXPLAIN (COSTS OFF) SELECT id FROM document WHERE spy.look(id, tenant) ORDER BY h <@> '8000000000000001' LIMIT 3;
SELECT count(*), bool_and(tenant = 'tenant_a') FROM document WHERE h <@> '8000000000000001' <= 32 AND spy.look(id, tenant);
SELECT count(*) FROM document WHERE h ~= hashint8extended(1, 1)::simhash AND spy.look(h);
SELECT count(*) FROM document WHERE h <@> hashint8extended(1, 1)::simhash <= 64 AND spy.look(h);
SELECT count(*) FROM (SELECT id FROM document WHERE spy.look(id, tenant) ORDER BY h <@> hashint8extended(1, 1)::simhash LIMIT 1000) near;
SELECT count(*) FROM document WHERE h IS NULL AND spy.look(id, tenant);
SELECT count(*) FROM document WHERE h <@> to_simhash_weights('number 1') <= 64 AND spy.look(id, tenant);
\echo '-- a join by the index applies the policy on both sides'
SELECT count(*) FROM document a JOIN document b ON a.h <@> b.h <= 0 AND spy.look(a.id, b.tenant);
\echo '-- an argument that raises an error for a row of another tenant'
SELECT count(*) FROM document WHERE h <@> '8000000000000001' <= 64 / (tenant = 'tenant_a')::int;
\echo '-- the other tenants'' rows, through rings, sampling and statistics'
SELECT count(*) FROM document TABLESAMPLE system (100) WHERE h <@> '8000000000000001' <= 64 AND spy.look(id, tenant);
SELECT count(*) FROM pg_stats WHERE tablename = 'document';
\echo '-- functions that inspect the index'
SELECT simhash_index_stats('document_h');
SELECT simhash_index_check('document_h', true);
SELECT count(*) FROM simhash_index_trace('document_h', simhash_ball('8000000000000001'::simhash, 64));
SELECT count(*) FROM simhash_index_calibrate('document_h', 'document', 'w', 'h', false);
RESET ROLE;

\echo '-- Column privileges: without SELECT on h no condition on it is allowed, with or without an index.'
REVOKE SELECT ON document FROM tenant_b;
GRANT SELECT (id, tenant) ON document TO tenant_b;
SET ROLE tenant_b;
SELECT count(*) FROM document;
SELECT id FROM document WHERE h <@> '8000000000000001' <= 3;
SELECT id FROM document ORDER BY h <@> '8000000000000001' LIMIT 1;
RESET ROLE;

\echo '-- Pairs for a calibration are read with the caller''s privileges, policies included, whoever owns the index.'
CREATE TABLE own_page (h simhash);
CREATE INDEX own_page_h ON own_page USING simhash (h);
ALTER TABLE own_page OWNER TO tenant_b;
SET ROLE tenant_b;
SELECT count(*) FROM simhash_index_calibrate('own_page_h', 'document', 'w', 'h', false);
RESET ROLE;
GRANT SELECT ON document TO tenant_b;
ALTER TABLE own_page OWNER TO tenant_a;
SET ROLE tenant_a;
SELECT min(pairs), max(pairs) FROM simhash_index_calibrate('own_page_h', 'document', 'w', 'h', false);
RESET ROLE;

\echo '-- An exclusion constraint reveals that a row conflicts, as every unique constraint does, but not which one if the policy'
\echo '-- hides it.'
CREATE TABLE taken (tenant name, h simhash, EXCLUDE USING simhash (h WITH ~=));
INSERT INTO taken VALUES ('tenant_b', '00000000000000ff');
ALTER TABLE taken ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON taken USING (tenant = current_user);
GRANT SELECT, INSERT ON taken TO tenant_a;
SET ROLE tenant_a;
\set VERBOSITY default
INSERT INTO taken VALUES ('tenant_a', '00000000000000fe');
INSERT INTO taken VALUES ('tenant_a', '00000000000000fe') ON CONFLICT DO NOTHING;
RESET ROLE;

\echo '-- Texts, and the policy''s column before the searched one: the index evaluates both conditions, the attacker''s function is last.'
CREATE TABLE page (id int, tenant name, body text, h simhash);
INSERT INTO page SELECT i, CASE WHEN i % 5 = 0 THEN 'tenant_a' ELSE 'tenant_b' END, 'some words of page ' || i / 10, hashint8extended(i / 10, 1)::simhash
    FROM generate_series(1, 3000) i;
CREATE INDEX page_body ON page USING simhash (body);
CREATE INDEX page_tenant_body ON page USING simhash (tenant, body);
CREATE INDEX page_ball ON page USING simhash (simhash_ball(h, 3));
CREATE INDEX page_tenant_h ON page USING simhash (tenant, h);
ANALYZE page;
GRANT SELECT ON page TO tenant_a, tenant_b;
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM page WHERE tenant = 'tenant_a';
GRANT SELECT ON barrier TO tenant_b, tenant_a;
CREATE FUNCTION near_pages(q text) RETURNS SETOF page LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public AS
    $$ SELECT * FROM page WHERE body ~= q $$;
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON page USING (tenant = current_user);
SET ROLE tenant_a;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE body ~= 'some words of page 77' AND spy.look(id, tenant);
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE h ~= '8000000000000001' AND spy.look(id, tenant);
SELECT count(*), bool_and(tenant = 'tenant_a') AS own FROM page WHERE body ~= 'some words of page 77' AND spy.look(id, tenant);
SELECT count(*), bool_and(tenant = 'tenant_a') AS own FROM page WHERE body <@| text_ball('some words of page 77', 0.2) AND spy.look(id, tenant);
SELECT count(*), bool_and(tenant = 'tenant_a') AS own FROM page WHERE h <@> '8000000000000001' <= 64 AND spy.look(id, tenant);
SELECT count(*), bool_and(tenant = 'tenant_a') AS own FROM page a WHERE EXISTS (SELECT FROM page b WHERE a.body ~= b.body AND a.id <> b.id) AND spy.look(id, tenant);
SELECT count(*) FROM page WHERE body ~= 'some words of page 77' AND 1 / (tenant = 'tenant_a')::int = 1;
SELECT * FROM simhash_pair_sample('page_body', 'body', 8);
SELECT * FROM simhash_pair_sample('page_ball', 'body', 8);
\echo '-- A function of the owner answers with the rights of the owner, and a security barrier is one.'
SELECT count(*), count(*) FILTER (WHERE tenant = 'tenant_a') AS own FROM near_pages('some words of page 77');
SELECT count(*), bool_and(tenant = 'tenant_a') AS own FROM barrier WHERE body ~= 'some words of page 77' AND spy.look(id, tenant);
RESET ROLE;
DROP VIEW barrier;
DROP FUNCTION near_pages;
\echo '-- A constraint on texts reveals no more than that there is a near one.'
CREATE TABLE taken_text (tenant name, body text, EXCLUDE USING simhash (body WITH ~=));
INSERT INTO taken_text VALUES ('tenant_b', 'a secret of the other tenant');
ALTER TABLE taken_text ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON taken_text USING (tenant = current_user);
GRANT SELECT, INSERT ON taken_text TO tenant_a;
SET ROLE tenant_a;
INSERT INTO taken_text VALUES ('tenant_a', 'A SECRET of the other tenant!');
INSERT INTO taken_text VALUES ('tenant_a', 'A SECRET of the other tenant!') ON CONFLICT DO NOTHING;
RESET ROLE;

-- Bit strings: a condition is leakproof if both lengths are declared, or known, and equal. Then the index evaluates it
-- before the policy, and otherwise the policy is first, since unequal lengths raise an error.
CREATE TABLE scanned (id int, tenant name, sig bit(256), loose varbit);
INSERT INTO scanned SELECT i, CASE WHEN i % 50 = 0 THEN 'tenant_a' ELSE 'tenant_b' END, sig,
    CASE WHEN i % 50 = 0 THEN sig::varbit ELSE B'1' END
    FROM (SELECT i, (SELECT string_agg(hashint8extended(i % 1000, n)::bit(64)::text, '')::bit(256) FROM generate_series(1, 4) n)
    FROM generate_series(1, 5000) i) AS made (i, sig);
CREATE INDEX scanned_sig ON scanned USING simhash (sig);
ANALYZE scanned;
GRANT SELECT ON scanned TO tenant_a;
ALTER TABLE scanned ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON scanned USING (tenant = current_user);
CREATE FUNCTION spy.see(sig bit) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS
    $$ BEGIN RAISE EXCEPTION 'seen'; END $$;
\echo '-- The index that a condition uses, and whether the rows found are those that a sequential scan finds.'
CREATE FUNCTION spy.guarded(condition text, OUT index text, OUT rows int, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE line text; found int[]; expected int[];
    query text := 'SELECT id FROM scanned WHERE ' || condition || ' ORDER BY id';
BEGIN
    PERFORM set_config('enable_seqscan', 'off', true);
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        index := coalesce(index, substring(line FROM 'Index Scan (?:using|on) (\w+)'));
    END LOOP;
    EXECUTE format('SELECT array_agg(id ORDER BY id) FROM (%s) AS q', query) INTO found;
    PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'off', true),
        set_config('enable_bitmapscan', 'off', true);
    EXECUTE format('SELECT array_agg(id ORDER BY id) FROM (%s) AS q', query) INTO expected;
    PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'on', true);
    rows := coalesce(cardinality(found), 0);
    same := found IS NOT DISTINCT FROM expected;
END $$;
SELECT sig AS own, sig # (B'111'::bit(256) >> 99) AS near FROM scanned WHERE id = 50 \gset
SELECT sig AS hidden FROM scanned WHERE id = 7 \gset
SET ROLE tenant_a;
SELECT regexp_replace(c, '[01]{200,}', 'q', 'g') AS condition, f.* FROM unnest(ARRAY[
    format('sig <@> %L <= 0', :'own'),
    format('sig <@> %L <= 3', :'near'::varbit::bit(256)),
    format('sig <@> (%L::varbit)::bit(256) < 4', :'near'),
    format('%L::bit(256) <@> sig <= 110', :'own'),
    format('sig <@> %L <= 256', :'own'),
    format('NOT sig <@> %L > 3', :'near'),
    format('sig <@> %L <= -1', :'own'),
    format('sig <@> (SELECT s.sig FROM scanned AS s WHERE s.id = 50) <= 3'),
    format('sig <@> %L <= minhash_radius(0.9, 256)', :'near')
]) AS c, spy.guarded(c) AS f;
\echo '-- nothing of a hidden row is seen, although the index finds it'
SELECT count(*) FROM scanned WHERE sig <@> :'hidden' <= 3;
SELECT count(*) FROM scanned WHERE sig <@> :'hidden' <= 3 AND spy.see(sig);
\echo '-- other lengths, and lengths that are not declared: the policy is first, and what it hides raises no error'
SELECT count(*) FROM scanned WHERE loose <@> :'own'::bit(256) <= 3;
SELECT count(*) FROM scanned WHERE sig <@> B'1' <= 3;
PREPARE untyped (varbit) AS SELECT count(*) FROM scanned WHERE sig <@> $1 <= 3;
PREPARE typed (varbit) AS SELECT count(*) FROM scanned WHERE sig <@> $1::bit(256) <= 3;
SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE typed (NULL);
RESET enable_seqscan;
EXECUTE typed (:'near');
EXECUTE untyped (:'near');
RESET plan_cache_mode;
RESET ROLE;
\echo '-- the function that conditions become raises no error'
SELECT a, b, simhash_internal_within(a, b, 1) FROM (VALUES (B'1', B'11'), (B'', B'1'), (B'', B''), (B'101', B'111'), (B'101', B'010'), (B'1', NULL))
    AS v (a, b);
\echo '-- nor does the index, which such a condition uses only for queries of the column''s length'
SET enable_seqscan = off;
SELECT count(*) FROM scanned WHERE simhash_internal_within(sig, B'01', 3);
SELECT index FROM spy.guarded('simhash_internal_within(sig, B''01'', 3)');
PREPARE bare (bit, int) AS SELECT count(*) FROM scanned WHERE simhash_internal_within(sig, $1, $2);
SET plan_cache_mode = force_generic_plan;
EXECUTE bare (B'01', 3);
RESET plan_cache_mode;
RESET enable_seqscan;

DROP TABLE scanned;
DROP TABLE document, own_page, taken, page, taken_text;
DROP SCHEMA spy CASCADE;
DROP ROLE tenant_a, tenant_b;
