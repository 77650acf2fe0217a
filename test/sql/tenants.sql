\set ECHO none
-- tenant_simhash and tenant_signature: values of several tenants in one index.
\set VERBOSITY verbose
\echo '-- The bits never change: those of tenant t are the values of 0.'
SELECT t, tenant_simhash('0000000000000000', t) AS number, tenant_simhash('0000000000000000', t::text) AS text
FROM unnest('{0,1,2,-1,9223372036854775807}'::bigint[]) AS t;
SELECT tenant_signature(B'000000000000000000000000000000000000000000000000000000000000000000000', 7::bigint) AS bits,
       tenant_signature(B'', 7::bigint) AS none, tenant_simhash(NULL, 'a') IS NULL AND tenant_simhash('0000000000000000', NULL::text) IS NULL AS null,
       tenant_simhash(tenant_simhash('0123456789abcdef', 'acme'), 'acme') AS twice;
\echo '-- Distances within a tenant stay; the beginning of a signature is the fingerprint; a longer one begins with a shorter one.'
CREATE TABLE value AS
    SELECT i AS id, i % 3 AS tenant, f::bit(64)::simhash AS h, f::bit(333) AS s
    FROM (SELECT i, to_signature('w' || i / 9 || ' some ' || i / 30 || ' words ' || i % 9, 333) AS f FROM generate_series(1, 300) AS i) AS x;
SELECT count(*),
       count(*) FILTER (WHERE tenant_simhash(x.h, x.tenant) <@> tenant_simhash(y.h, x.tenant) = x.h <@> y.h) AS fingerprints,
       count(*) FILTER (WHERE tenant_signature(x.s, x.tenant::text) <@> tenant_signature(y.s, x.tenant::text) = x.s <@> y.s) AS signatures,
       count(*) FILTER (WHERE tenant_signature(x.s, x.tenant)::bit(64)::simhash = tenant_simhash(x.h, x.tenant)) AS beginnings,
       count(*) FILTER (WHERE tenant_signature(x.s::bit(99), x.tenant) = tenant_signature(x.s, x.tenant)::bit(99)) AS shorter
FROM value x JOIN value y ON x.tenant = y.tenant;
\echo '-- Those of others are far apart.'
SELECT min(tenant_simhash('0000000000000000', x) <@> tenant_simhash('0000000000000000', y)) > 10 AS far,
       avg(tenant_simhash('0000000000000000', x) <@> tenant_simhash('0000000000000000', y)) BETWEEN 31.5 AND 32.5 AS as_random
FROM generate_series(1, 200) x, generate_series(1, x - 1) y;
SELECT avg(tenant_signature(repeat('0', 1024)::bit(1024), 'a' || x) <@> tenant_signature(repeat('0', 1024)::bit(1024), 'a' || y)) BETWEEN 508 AND 516 AS as_random
FROM generate_series(1, 100) x, generate_series(1, x - 1) y;
\echo '-- One index for WHERE and ORDER BY returns what the tenant''s rows alone would.'
CREATE INDEX value_h ON value USING simhash (tenant_simhash(h, tenant));
CREATE INDEX value_s ON value USING simhash ((tenant_signature(s, tenant)::bit(333)));
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM value WHERE tenant_simhash(h, tenant) <@> tenant_simhash('0123456789abcdef', 1) <= 3;
SELECT count(*) AS queries, bool_and(found IS NOT DISTINCT FROM expected) AS equal, sum(cardinality(found)) AS rows FROM value q,
    LATERAL (SELECT array_agg(id ORDER BY id) AS found FROM value v WHERE tenant_simhash(v.h, v.tenant) <@> tenant_simhash(q.h, q.tenant) <= 8) f,
    LATERAL (SELECT array_agg(id ORDER BY id) AS expected FROM value v WHERE v.tenant = q.tenant AND (v.h <@> q.h)::int <= 8) e;
SELECT count(*) AS queries, bool_and(found = expected) AS equal FROM value q,
    LATERAL (SELECT array_agg(d) AS found FROM (SELECT tenant_signature(v.s, v.tenant) <@> tenant_signature(q.s, q.tenant) AS d FROM value v
        ORDER BY tenant_signature(v.s, v.tenant)::bit(333) <@> tenant_signature(q.s, q.tenant)::bit(333) LIMIT 5) n) f,
    LATERAL (SELECT array_agg(d) AS expected FROM (SELECT v.s <@> q.s AS d FROM value v WHERE v.tenant = q.tenant ORDER BY 1 LIMIT 5) n) e
WHERE q.id % 10 = 0;
\echo '-- Near-duplicates are kept apart for each tenant.'
CREATE TABLE kept (tenant text, h simhash, EXCLUDE USING simhash (tenant_simhash(h, tenant) WITH ~=));
INSERT INTO kept VALUES ('a', '0000000000000000'), ('b', '0000000000000000'), ('c', '0000000000000001'), (NULL, '0000000000000000'), ('a', '000000000000000f');
\set VERBOSITY terse
INSERT INTO kept VALUES ('b', '0000000000000007');
INSERT INTO kept VALUES ('b', '0000000000000007'), ('a', '0000000000ff0000') ON CONFLICT DO NOTHING;
SELECT * FROM kept ORDER BY tenant, h;
