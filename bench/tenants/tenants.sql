-- psql variables: rows, queries, rounds, vector (whether pgvector is there), hnsw (whether it gets an index).
\pset border 0
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION simhash;

-- Rows: of the thousand of a tenant, 200 are in groups of ten within two bits of a center, 100 are in pairs, and the others
-- are random. In `skewed` every tenth row is one tenant's.
CREATE FUNCTION center(tenant int, number int) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT hashint8extended(CASE WHEN number < 200 THEN number / 10 * 10 WHEN number < 300 THEN number / 2 * 2 ELSE number END, tenant) $$;
CREATE FUNCTION near(center bigint, seed bigint) RETURNS simhash LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (center # (1::bigint << (hashint8extended(seed, 2) & 63)::int) # (1::bigint << (hashint8extended(seed, 3) & 63)::int))::simhash $$;
CREATE UNLOGGED TABLE spread AS SELECT i AS id, tenant, near(center(tenant, i / (:rows / 1000)), i) AS h
    FROM generate_series(1, :rows) AS i, LATERAL (SELECT i % (:rows / 1000) AS tenant) AS x;
CREATE UNLOGGED TABLE skewed AS SELECT i AS id, tenant, near(center(tenant, CASE tenant WHEN -1 THEN i / 10 ELSE i / (:rows / 1000) END), i) AS h
    FROM generate_series(1, :rows) AS i, LATERAL (SELECT CASE i % 10 WHEN 0 THEN -1 ELSE i % (:rows / 1000) END AS tenant) AS x;
-- What is asked for: a center of ten rows, one of two, and anything.
CREATE TABLE asked AS SELECT i AS id, part, kind, tenant, CASE kind WHEN 'random' THEN hashint8extended(i, 9)
        ELSE center(tenant, CASE kind WHEN 'ten' THEN i % 20 * 10 ELSE 200 + i % 50 * 2 END) END::simhash AS h
    FROM generate_series(1, :queries) AS i, unnest('{ten,two,random}'::text[]) AS kind,
        (VALUES ('spread', false), ('skewed', true)) AS parts (part, large),
        LATERAL (SELECT CASE WHEN large THEN -1 ELSE ((hashint8extended(i, 8) & 2147483647) % (:rows / 1000))::int END AS tenant) AS x;
SELECT format('CREATE INDEX %s_one ON %1$s USING simhash (h)', part), format('CREATE INDEX %s_two ON %1$s USING simhash (tenant, h)', part),
    format('CREATE INDEX %s_btree ON %1$s (tenant)', part) FROM unnest('{spread,skewed}'::text[]) AS part
\gexec
\if :vector
CREATE EXTENSION vector;
CREATE UNLOGGED TABLE bits AS SELECT id, tenant, h::bit(64) AS b FROM spread;
CREATE INDEX bits_btree ON bits (tenant);
\if :hnsw
CREATE INDEX bits_hnsw ON bits USING hnsw (b bit_hamming_ops);
SET hnsw.iterative_scan = strict_order;
\endif
\endif
CREATE ROLE tenant_user;
GRANT SELECT ON spread TO tenant_user;
CREATE POLICY own ON spread TO tenant_user USING (tenant = current_setting('bench.tenant')::int);
ALTER TABLE spread ENABLE ROW LEVEL SECURITY;
VACUUM ANALYZE;
SELECT relname AS index, pg_size_pretty(pg_relation_size(oid)) AS size FROM pg_class WHERE relname ~ '^(spread|bits)_' ORDER BY 1;

-- In a query, %1$s is the table, %2$s the tenant and %3$L the fingerprint. Of the indexes, those named are there; `off`
-- are settings that are switched off.
CREATE TABLE case_ (number int GENERATED ALWAYS AS IDENTITY, shape text, part text, kind text, method text, query text, indexes text, off text,
    role text DEFAULT 'postgres');
INSERT INTO case_ (shape, part, kind, method, query, indexes, off)
SELECT 'within ' || r, part, 'two', method, 'SELECT id FROM %1$s WHERE ' || condition || 'h <@> %3$L <= ' || r, indexes, 'enable_seqscan'
FROM unnest('{spread,skewed}'::text[]) AS part, unnest('{3,5,8}'::int[]) AS r, (VALUES ('(h), all tenants', '', 'one'),
    ('(tenant, h)', 'tenant = %2$s AND ', 'two'), ('(h), filter', 'tenant = %2$s AND ', 'one'), ('btree, filter', 'tenant = %2$s AND ', 'btree'),
    ('planned', 'tenant = %2$s AND ', 'two btree')) AS methods (method, condition, indexes)
WHERE (part, method) <> ('skewed', 'btree, filter')
UNION ALL
SELECT 'nearest ' || k, part, kind, method, 'SELECT id FROM %1$s WHERE tenant = %2$s ORDER BY h <@> %3$L LIMIT ' || k, indexes, off
FROM unnest('{spread,skewed}'::text[]) AS part, unnest('{1,10}'::int[]) AS k, unnest('{ten,two,random}'::text[]) AS kind,
    (VALUES ('(tenant, h)', 'two', 'enable_seqscan enable_sort'), ('(h), filter', 'one', 'enable_seqscan enable_sort'),
    ('btree, sort', 'btree', 'enable_seqscan'), ('planned', 'two btree', ''), ('planned, no btree', 'two', '')) AS methods (method, indexes, off)
UNION ALL
SELECT 'nearest 1 within 3', 'spread', 'two', method, 'SELECT id FROM %1$s WHERE tenant = %2$s AND h <@> %3$L <= 3 ORDER BY h <@> %3$L LIMIT 1', indexes, ''
FROM (VALUES ('(tenant, h)', 'two'), ('planned', 'two btree')) AS methods (method, indexes)
UNION ALL
SELECT 'tenant = ANY, within 3', 'spread', 'two', method, 'SELECT id FROM %1$s WHERE tenant = ANY (ARRAY[%2$s, 1, 2]) AND h <@> %3$L <= 3', indexes, 'enable_seqscan'
FROM (VALUES ('(tenant, h)', 'two'), ('planned', 'two btree')) AS methods (method, indexes);
INSERT INTO case_ (shape, part, kind, method, query, indexes, off, role)
VALUES ('row-level security, within 3', 'spread', 'two', 'planned', 'SELECT id FROM %1$s WHERE h <@> %3$L <= 3', 'two btree', '', 'tenant_user');
\if :vector
INSERT INTO case_ (shape, part, kind, method, query, indexes, off)
SELECT 'nearest 10', 'spread', kind, 'pgvector, ' || method, 'SELECT id FROM bits WHERE tenant = %2$s ORDER BY b <~> (%3$L::simhash)::bit(64) LIMIT 10', '', off
FROM unnest('{ten,two,random}'::text[]) AS kind, (VALUES ('hnsw', 'enable_seqscan enable_sort'), ('planned', '')) AS methods (method, off)
WHERE method = 'planned' OR to_regclass('bits_hnsw') IS NOT NULL;
\endif

CREATE TABLE result (number int, ms float8, pages float8, plan text);
-- Runs a case with each of its questions, twice, and keeps what the second run takes. The other indexes are dropped, which
-- is undone.
CREATE PROCEDURE measure(one case_) LANGUAGE plpgsql AS $$
DECLARE
    question record;
    run json;
    node json;
    results result[];
    name text;
BEGIN
    FOREACH name IN ARRAY '{one,two,btree}'::text[] LOOP
        IF name <> ALL (string_to_array(one.indexes, ' ')) THEN
            EXECUTE format('DROP INDEX %s_%s', one.part, name);
        END IF;
    END LOOP;
    FOREACH name IN ARRAY string_to_array(one.off, ' ') LOOP
        PERFORM set_config(name, 'off', true);
    END LOOP;
    PERFORM set_config('role', one.role, true);
    FOR round IN 1 .. 2 LOOP
        FOR question IN SELECT * FROM asked AS a WHERE a.part = one.part AND a.kind = one.kind ORDER BY id LOOP
            PERFORM set_config('bench.tenant', question.tenant::text, true);
            EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY, FORMAT JSON) ' || format(one.query, one.part, question.tenant, question.h) INTO run;
            node := run -> 0 -> 'Plan';
            name := '';
            LOOP
                name := coalesce(node ->> 'Index Name', CASE node ->> 'Node Type' WHEN 'Sort' THEN name || 'sort ' WHEN 'Seq Scan' THEN name || 'scan ' WHEN 'Append' THEN 'both' END, name);
                EXIT WHEN node -> 'Plans' IS NULL OR name = 'both';
                node := node -> 'Plans' -> 0;
            END LOOP;
            IF round = 2 THEN
                results := results || ROW(one.number, (run -> 0 ->> 'Execution Time')::float8, (run -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::float8 +
                    (run -> 0 -> 'Plan' ->> 'Shared Read Blocks')::float8, name)::result;
            END IF;
        END LOOP;
    END LOOP;
    RAISE SQLSTATE 'UNDO0';
EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
    INSERT INTO result SELECT * FROM unnest(results);
END $$;
GRANT SELECT ON asked TO tenant_user;
SELECT format('CALL measure(%L)', case_) FROM case_, generate_series(1, :rounds) AS round ORDER BY round, number
\gexec

\echo Median milliseconds and mean pages of a query; the plans and how often each was chosen
WITH medians AS (
    SELECT number, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS ms, avg(pages) AS pages FROM result GROUP BY 1),
plans AS (
    SELECT number, string_agg(format('%s %s %%', plan, percent), ', ' ORDER BY percent DESC) AS plans FROM (
        SELECT number, plan, round(100 * count(*) / sum(count(*)) OVER (PARTITION BY number)) AS percent FROM result GROUP BY 1, 2) AS x GROUP BY 1)
SELECT shape, part, kind, method, round(ms::numeric, 3) AS ms, round(pages) AS pages, plans
FROM case_ JOIN medians USING (number) JOIN plans USING (number) ORDER BY shape, part DESC, kind, number;
\if :vector
\if :hnsw
SET enable_sort = off;
SET enable_seqscan = off;
SELECT kind, round(avg(found), 3) AS "recall of hnsw" FROM asked, LATERAL (SELECT b <~> h::bit(64) AS tenth FROM bits AS v WHERE v.tenant = asked.tenant
    ORDER BY (b <~> h::bit(64)) + 0 OFFSET 9 LIMIT 1) AS t, LATERAL (SELECT count(*) FILTER (WHERE d <= tenth) / 10.0 AS found FROM (
    SELECT b <~> h::bit(64) AS d FROM bits AS v WHERE v.tenant = asked.tenant ORDER BY b <~> h::bit(64) LIMIT 10) AS n) AS f
WHERE part = 'spread' GROUP BY 1 ORDER BY 1;
\endif
\endif
