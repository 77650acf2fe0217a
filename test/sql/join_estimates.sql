\set ECHO none
-- How many rows the planner expects of joins on near values, compared with how many there are: within 5 times. An index has
-- measured how many neighbors its rows have; without one a few are assumed of every row.

-- rows without near-duplicates; a fifth are copies with up to five flipped bits; few templates with eight flipped bits
CREATE FUNCTION flip(value bigint, seed int, n int) RETURNS bigint IMMUTABLE LANGUAGE sql AS
$$ SELECT value # coalesce(bit_or(1::bigint << ('x' || left(md5(seed || ' ' || k), 7))::bit(28)::int % 64), 0) FROM generate_series(1, n) AS k $$;
CREATE FUNCTION spread(i int) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$ SELECT ('x' || left(md5(i::text), 16))::bit(64)::bigint $$;
CREATE TABLE kinds (kind text, id int, part int, other int, h bigint);
INSERT INTO kinds SELECT 'uniform', i, i % 10, i % 4, spread(i) FROM generate_series(1, 3000) AS i;
INSERT INTO kinds SELECT 'copies', i, i % 10, i % 4, CASE WHEN i % 5 = 0 THEN flip(spread(i - 1 - i % 7), i, i / 5 % 6) ELSE spread(i) END
    FROM generate_series(1, 3000) AS i;
INSERT INTO kinds SELECT 'templates', i, i % 10, i % 4, flip(spread(i % 40), i, 8) FROM generate_series(1, 3000) AS i;
CREATE TABLE uniform AS SELECT id, part, other, h::simhash AS h FROM kinds WHERE kind = 'uniform';
CREATE TABLE copies AS SELECT id, part, other, h::simhash AS h FROM kinds WHERE kind = 'copies';
CREATE TABLE templates AS SELECT id, part, other, h::simhash AS h FROM kinds WHERE kind = 'templates';

CREATE FUNCTION compare(query text, OUT expected bigint, OUT actual bigint) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
    EXECUTE 'SELECT count(*) FROM (' || query || ') AS q' INTO actual;
    expected := plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
-- 'ok' if the number of rows is within a few times of what is expected; few rows are few
CREATE FUNCTION verdict(query text, times int = 5, few int = 20) RETURNS text LANGUAGE sql AS
$$ SELECT CASE WHEN greatest(expected, few) <= times * greatest(actual, few) AND greatest(actual, few) <= times * greatest(expected, few) THEN 'ok'
               ELSE format('%s expected, %s found: %s', expected, actual, query) END FROM compare(query) $$;

CREATE INDEX uniform_h ON uniform USING simhash (h);
CREATE INDEX copies_h ON copies USING simhash (h);
CREATE INDEX templates_h ON templates USING simhash (h);
CREATE TABLE forms (number int, form text);
INSERT INTO forms VALUES
    (1, 'SELECT FROM %1$s AS a, %1$s AS b WHERE a.h <@> b.h <= %2$s'),
    (2, 'SELECT FROM %1$s AS a, %1$s AS b WHERE a.h <@> b.h <= %2$s AND a.id < b.id'),
    (3, 'SELECT FROM %1$s AS a, %1$s AS b WHERE a.h <@| simhash_ball(b.h, %2$s) AND b.id <> a.id'),
    (4, 'SELECT FROM %1$s AS a WHERE EXISTS (SELECT FROM %1$s AS b WHERE b.h <@> a.h <= %2$s AND a.id <> b.id)'),
    (5, 'SELECT FROM %1$s AS a WHERE NOT EXISTS (SELECT FROM %1$s AS b WHERE a.h <@> b.h <= %2$s AND a.id <> b.id)'),
    (6, 'SELECT FROM %1$s AS a WHERE EXISTS (SELECT FROM %1$s AS b WHERE a.h <@> b.h <= %2$s AND a.id > b.id AND b.part = 3)'),
    (7, 'SELECT FROM %1$s AS a WHERE NOT EXISTS (SELECT FROM %1$s AS b WHERE a.h <@> b.h <= %2$s AND b.part = 3)'),
    (8, 'SELECT FROM %1$s AS a, %1$s AS b WHERE a.h <@> b.h <= %2$s AND a.part = 1 AND b.part = 1'),
    (9, 'SELECT FROM %1$s AS a, %1$s AS b WHERE a.h <@> b.h <= %2$s AND a.other = b.other'),
    (10, 'SELECT FROM %1$s AS a, %1$s AS b WHERE a.h ~= b.h');
CREATE VIEW verdicts AS
SELECT kind, number, radius, verdict(format(form, kind, radius)) FROM forms, unnest('{uniform,copies,templates}'::text[]) AS kind, unnest('{0,3,8}'::int[]) AS radius;

\echo '-- the neighbors are measured when an index is built'
SELECT * FROM verdicts WHERE number <= 5 AND verdict <> 'ok';
\echo '-- statistics do not change that'
ANALYZE uniform, copies, templates;
SELECT * FROM verdicts WHERE verdict <> 'ok';
SELECT count(*) AS forms FROM verdicts;
\echo '-- joins of two tables: values of one, from its statistics, are searched for in the index of the other'
CREATE TABLE strange AS SELECT i AS id, spread(-i)::simhash AS h FROM generate_series(1, 2000) AS i;
CREATE TABLE altered AS SELECT i AS id, CASE WHEN i % 5 = 0 THEN flip(spread(i), i, 2) ELSE spread(-i) END::simhash AS h FROM generate_series(1, 2000) AS i;
CREATE TABLE repeated AS SELECT id, h FROM uniform WHERE id % 2 = 0;
CREATE TABLE templated AS SELECT i AS id, flip(spread(i % 40), -i, 8)::simhash AS h FROM generate_series(1, 2000) AS i;
ANALYZE strange, altered, repeated, templated;
CREATE TABLE two_forms (number int, form text);
INSERT INTO two_forms VALUES
    (1, 'SELECT FROM %1$s AS a, %2$s AS b WHERE a.h <@> b.h <= %3$s'),
    (2, 'SELECT FROM %1$s AS a, %2$s AS b WHERE b.h <@| simhash_ball(a.h, %3$s) AND a.id < 2800'),
    (3, 'SELECT FROM %1$s AS a WHERE EXISTS (SELECT FROM %2$s AS b WHERE a.h <@> b.h <= %3$s)'),
    (4, 'SELECT FROM %1$s AS a WHERE NOT EXISTS (SELECT FROM %2$s AS b WHERE b.h <@> a.h <= %3$s)'),
    (5, 'SELECT FROM %1$s AS a WHERE EXISTS (SELECT FROM %2$s AS b WHERE a.h <@> b.h <= %3$s AND b.part = 2)');
CREATE VIEW two_verdicts AS
SELECT asked, searched, number, radius, verdict(format(form, asked, searched, radius), 5, 40) FROM two_forms, unnest('{strange,altered,repeated,templated}'::text[]) AS asked,
    unnest('{uniform,copies,templates}'::text[]) AS searched, unnest('{3,8}'::int[]) AS radius
WHERE searched <> 'templates' OR asked IN ('strange', 'templated'); -- of the others a hundredth has matches, with 40 rows each
SELECT * FROM two_verdicts WHERE verdict <> 'ok';
SELECT count(*) AS forms FROM two_verdicts;
\echo '-- what a session has found it forgets when the index is measured again'
BEGIN;
TRUNCATE uniform;
INSERT INTO uniform SELECT id, 0, 0, h FROM strange;
ANALYZE uniform;
SELECT verdict('SELECT FROM repeated AS a, uniform AS b WHERE a.h <@> b.h <= 3'), verdict('SELECT FROM strange AS a, uniform AS b WHERE a.h <@> b.h <= 3');
ROLLBACK;
\echo '-- it would tell who may not read a row that it is there'
CREATE FUNCTION expected(query text) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan; RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows'; END $$;
CREATE ROLE regress_simhash_asker;
GRANT SELECT ON strange, repeated, uniform TO regress_simhash_asker;
ALTER TABLE uniform ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON uniform USING (id < 3000);
SET ROLE regress_simhash_asker;
SELECT expected('SELECT FROM repeated AS a, uniform AS b WHERE a.h <@> b.h <= 3') > 1000 AS same, expected('SELECT FROM strange AS a, uniform AS b WHERE a.h <@> b.h <= 3') > 1000 AS other;
RESET ROLE;
ALTER TABLE uniform DISABLE ROW LEVEL SECURITY;
DROP POLICY few ON uniform;
\echo '-- without an index every row is expected to have a few'
BEGIN;
DROP INDEX copies_h;
SELECT expected > 5 * actual AS too_many FROM compare('SELECT FROM copies AS a, copies AS b WHERE a.h <@> b.h <= 3 AND a.id < b.id');
ROLLBACK;

\echo '-- ANALYZE measures again, and so does VACUUM'
CREATE TABLE growing (id int, h simhash);
CREATE INDEX growing_h ON growing USING simhash (h);
INSERT INTO growing SELECT id, h FROM templates;
ANALYZE growing;
SELECT verdict('SELECT FROM growing AS a, growing AS b WHERE a.h <@> b.h <= 8 AND a.id < b.id');
UPDATE growing SET h = spread(id)::simhash;
VACUUM growing;
SELECT verdict('SELECT FROM growing AS a, growing AS b WHERE a.h <@> b.h <= 8 AND a.id < b.id');
\echo '-- also what a transaction measures that is rolled back'
BEGIN;
UPDATE growing SET h = '0000000000000001';
ANALYZE growing;
ROLLBACK;
SELECT expected > 100000 AS equal FROM compare('SELECT FROM growing AS a, growing AS b WHERE a.h <@> b.h <= 8 AND a.id < b.id');
VACUUM ANALYZE growing;
SELECT verdict('SELECT FROM growing AS a, growing AS b WHERE a.h <@> b.h <= 8 AND a.id < b.id');
SELECT simhash_index_check('growing_h', true) IS NOT NULL AS intact;
\echo '-- an index with no rows has nothing to measure'
TRUNCATE growing;
VACUUM ANALYZE growing;
-- PostgreSQL 13 expects rows in an empty table.
SELECT CASE WHEN current_setting('server_version_num')::int < 140000 THEN 'ok' ELSE verdict(query) END AS verdict
FROM (VALUES ('SELECT FROM growing AS a, growing AS b WHERE a.h <@> b.h <= 8')) AS q(query);

\echo '-- bigint, bit(n) and texts'
CREATE TABLE numbers AS SELECT id, h::bigint AS h FROM copies;
CREATE INDEX ON numbers USING simhash (h);
CREATE TABLE wide AS SELECT id, (h::bit(64) || h::bit(64) || (~h::bigint)::bit(64) || h::bit(64))::bit(256) AS h FROM copies;
CREATE INDEX ON wide USING simhash (h);
CREATE TABLE texts AS SELECT i AS id, (SELECT string_agg(md5((CASE WHEN i % 5 = 0 AND k <> i % 30 THEN i - 1 ELSE i END) || ' ' || k), ' ') FROM generate_series(1, 40) AS k) AS body
    FROM generate_series(1, 1000) AS i;
CREATE INDEX ON texts USING simhash (body);
CREATE TABLE asked AS SELECT id, CASE WHEN id % 4 = 0 THEN body ELSE reverse(body) END AS body FROM texts;
ANALYZE numbers, wide, texts, asked;
SELECT verdict(query) FROM unnest(ARRAY[
    'SELECT FROM numbers AS a, numbers AS b WHERE a.h <@> b.h <= 3 AND a.id < b.id',
    'SELECT FROM numbers AS a WHERE NOT EXISTS (SELECT FROM numbers AS b WHERE a.h ~= b.h AND a.id <> b.id)',
    'SELECT FROM wide AS a, wide AS b WHERE a.h <@> b.h <= 16 AND a.id < b.id',
    'SELECT FROM wide AS a, wide AS b WHERE a.h <@| signature_ball(b.h, 10) AND a.id < b.id',
    'SELECT FROM wide AS a WHERE NOT EXISTS (SELECT FROM wide AS b WHERE a.h <@> b.h <= 16 AND a.id <> b.id)',
    'SELECT FROM texts AS a, texts AS b WHERE a.body ~= b.body',
    'SELECT FROM texts AS a, texts AS b WHERE a.body ~= b.body AND a.id < b.id',
    'SELECT FROM asked AS a, texts AS b WHERE a.body ~= b.body',
    'SELECT FROM asked AS a WHERE NOT EXISTS (SELECT FROM texts AS b WHERE a.body ~= b.body)',
    'SELECT FROM texts AS a WHERE EXISTS (SELECT FROM texts AS b WHERE a.body ~= b.body AND a.id <> b.id)']) AS query;

\echo '-- an index of several columns knows the neighbors with the same values of the others'
CREATE TABLE tenants AS SELECT id, part, h FROM templates;
CREATE INDEX tenants_h ON tenants USING simhash (part, h);
ANALYZE tenants;
SELECT verdict(query) FROM unnest(ARRAY[
    'SELECT FROM tenants AS a, tenants AS b WHERE a.h <@> b.h <= 8 AND a.part = b.part',
    'SELECT FROM tenants AS a, tenants AS b WHERE a.h <@> b.h <= 8 AND a.part = b.part AND a.id < b.id',
    'SELECT FROM tenants AS a, tenants AS b WHERE a.h <@> b.h <= 8 AND a.part = 3 AND b.part = 3 AND a.id < b.id']) AS query;

\echo '-- a partitioned table: near rows are in any partition, or in the same one'
CREATE TABLE anywhere (id int, part int, other int, h simhash) PARTITION BY HASH (id);
CREATE TABLE anywhere_0 PARTITION OF anywhere FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE anywhere_1 (h simhash, gone int, other int, id int, part int);
ALTER TABLE anywhere_1 DROP COLUMN gone;
ALTER TABLE anywhere ATTACH PARTITION anywhere_1 FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE anywhere_2 PARTITION OF anywhere FOR VALUES WITH (MODULUS 2, REMAINDER 1) PARTITION BY HASH (id);
CREATE TABLE anywhere_20 PARTITION OF anywhere_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE anywhere_21 PARTITION OF anywhere_2 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO anywhere SELECT * FROM copies;
CREATE TABLE together (id int, part int, other int, h simhash) PARTITION BY LIST (part);
SELECT format('CREATE TABLE together_%1$s PARTITION OF together FOR VALUES IN (%1$s)', i) FROM generate_series(0, 9) AS i \gexec
INSERT INTO together SELECT * FROM templates;
CREATE INDEX ON anywhere USING simhash (h);
CREATE INDEX ON together USING simhash (h);
CREATE VIEW parted_verdicts AS
SELECT kind, number, radius, verdict(format(form, kind, radius), 5, 40) FROM forms, unnest('{anywhere,together}'::text[]) AS kind, unnest('{0,3,8}'::int[]) AS radius;
SELECT * FROM parted_verdicts WHERE number <= 5 AND verdict <> 'ok';
ANALYZE anywhere, together;
SELECT * FROM parted_verdicts WHERE verdict <> 'ok';
SELECT count(*) AS forms FROM parted_verdicts;
SELECT number, verdict(format(form, 'anywhere', 8), 3) FROM forms WHERE number BETWEEN 2 AND 4 ORDER BY number;
SELECT verdict(format('SELECT FROM altered AS a, anywhere AS b WHERE a.h <@> b.h <= %s', r)) AS another, verdict(format('SELECT FROM anywhere_2 AS a, anywhere AS b WHERE a.h <@> b.h <= %s', r)) AS part,
    verdict(format('SELECT FROM together AS a, together AS b WHERE a.h <@> b.h <= %s AND a.part = 3 AND b.part < 5', r)) AS pruned FROM unnest('{3,8}'::int[]) AS r;
\echo '-- of an expression there are no values to search for, and no partition knows of the near rows in others: some are expected'
CREATE TABLE apart (id int, b bigint) PARTITION BY RANGE (id);
CREATE TABLE apart_0 PARTITION OF apart FOR VALUES FROM (0) TO (3000);
CREATE TABLE apart_1 PARTITION OF apart FOR VALUES FROM (3000) TO (10000);
INSERT INTO apart SELECT id + side * 4000, h::bigint # side FROM uniform, generate_series(0, 1) AS side WHERE id < 3000;
CREATE INDEX ON apart USING simhash ((b::simhash));
ANALYZE apart;
SELECT verdict('SELECT FROM apart AS a, apart AS b WHERE a.b::simhash <@> b.b::simhash <= 3 AND a.id < b.id', 40), verdict('SELECT FROM apart AS a WHERE EXISTS (SELECT FROM apart AS b WHERE a.b::simhash <@> b.b::simhash <= 3 AND a.id <> b.id)', 40);

\echo '-- an unknown query has as many near rows as a row of the table'
SET plan_cache_mode = force_generic_plan;
PREPARE near (simhash) AS SELECT FROM templates WHERE h <@> $1 <= 8;
SELECT expected($$ EXECUTE near('0000000000000001') $$) BETWEEN mean / 3 AND mean * 3 AS near FROM (SELECT count(*) / 3000.0 AS mean FROM templates AS a, templates AS b WHERE a.h <@> b.h <= 8) AS m;
DEALLOCATE near;

\echo '-- the other side has weights or balls, of whose statistics no value is searched for'
CREATE TABLE words AS SELECT to_simhash('word' || i || ' some other text') AS h FROM generate_series(1, 3000) i;
CREATE TABLE weighted AS SELECT to_simhash_weights('word' || i || ' some other text') AS w, simhash_ball(to_simhash('word' || i || ' some other text'), 3) AS ball
    FROM generate_series(1, 3000) i;
CREATE INDEX ON words USING simhash (h);
ANALYZE words, weighted;
SELECT verdict('SELECT FROM words JOIN weighted ON h <@> w <= 3') AS weights, verdict('SELECT FROM words JOIN weighted ON h <@| ball') AS balls;

DROP TABLE words, weighted, kinds, forms, uniform, copies, templates, growing, numbers, wide, texts, asked, tenants, anywhere, together, apart, strange, altered, repeated, templated, two_forms CASCADE;
DROP ROLE regress_simhash_asker;
DROP FUNCTION flip, spread, compare, verdict, expected;
