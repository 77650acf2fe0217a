\set ECHO none
-- simhash_report: statistics of a sample of a column's fingerprints.
CREATE TABLE uniform AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 20000) i;
\echo '-- only bits 0 to 15 are set; a quarter of the rows have the same fingerprint, every tenth row has NULL'
CREATE TABLE skewed AS SELECT i AS id, CASE WHEN i % 10 = 0 THEN NULL WHEN i % 4 = 1 THEN '0000000000000001'
    ELSE (hashint8extended(i, 2) & 65535)::simhash END AS h FROM generate_series(1, 20000) i;
SELECT topic, item, round(value::numeric, 3) AS value, meaning FROM simhash_report('uniform', 'h', details => true)
    WHERE topic IN ('rows', 'bits', 'suggestion') AND item !~ '^[0-9a-f]{16}$';
SELECT topic, item, round(value::numeric, 3) AS value FROM simhash_report('skewed', 'h', details => true) WHERE topic IN ('rows', 'bits', 'suggestion');
SELECT count(*), min(value) > 0.48 AND max(value) < 0.52 AS even FROM simhash_report('uniform', 'h', details => true) WHERE topic = 'bit set';
SELECT count(*) FILTER (WHERE value = 0) AS dead, count(*) FILTER (WHERE value BETWEEN 0.4 AND 0.6) AS even FROM simhash_report('skewed', 'h', details => true) WHERE topic = 'bit set';
\echo '-- shares add up; the mean distance is that of the rows'
SELECT t, round(sum(value)::numeric, 2) AS sum, round(sum(item::int * value)::numeric, 1) AS mean
    FROM unnest('{uniform,skewed}'::text[]) t, simhash_report(t::regclass, 'h', details => true) WHERE topic = 'distance' GROUP BY t ORDER BY t;
\echo '-- the matches expected by chance are the actual ones'
WITH expected AS (SELECT item::int AS radius, value FROM simhash_report('uniform', 'h', details => true) WHERE topic = 'false matches'),
     found AS (SELECT radius, count(*) / 500.0 AS value FROM generate_series(14, 16) radius JOIN uniform q ON q.id % 40 = 0
               JOIN uniform u ON u.id <> q.id AND (u.h <@> q.h)::int <= radius GROUP BY radius)
SELECT radius, expected.value / found.value BETWEEN 0.7 AND 1.4 AS as_expected FROM expected JOIN found USING (radius) ORDER BY radius;
WITH expected AS (SELECT item::int AS radius, value FROM simhash_report('skewed', 'h', details => true) WHERE topic = 'false matches'),
     fingerprint AS (SELECT DISTINCT h FROM skewed WHERE h IS NOT NULL),
     found AS (SELECT radius, avg(n) AS value FROM (SELECT radius, q.h, count(u.h) FILTER (WHERE (u.h <@> q.h)::int <= radius) * 18000.0
                   / (SELECT count(*) FROM fingerprint) AS n
               FROM generate_series(2, 6) radius, (SELECT h FROM fingerprint ORDER BY hashint8(h::bigint) LIMIT 200) q, fingerprint u GROUP BY radius, q.h) n GROUP BY radius)
SELECT radius, expected.value / found.value BETWEEN 0.7 AND 1.4 AS as_expected FROM expected JOIN found USING (radius) ORDER BY radius;
\echo '-- the largest bucket of a single table has at least the quarter of equal fingerprints'
SELECT item AS tables, value >= 4500 AS large FROM simhash_report('skewed', 'h', details => true) WHERE topic = 'largest bucket' LIMIT 2;
SELECT item AS tables, round(value::numeric) AS pages FROM simhash_report('uniform', 'h', 1, details => true) WHERE topic = 'pages' LIMIT 2;
\echo '-- other relations'
CREATE VIEW even AS SELECT * FROM uniform WHERE id % 2 = 0;
CREATE TABLE parted (id int, h simhash) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (100);
INSERT INTO parted SELECT * FROM uniform WHERE id < 100;
CREATE TABLE empty (h simhash, other text);
SELECT t, value FROM unnest('{even,parted}'::text[]) t, simhash_report(t::regclass, 'h', details => true) WHERE item = 'with a fingerprint';
SELECT count(*) FROM simhash_report('empty', 'h', details => true);
INSERT INTO empty VALUES (NULL);
SELECT count(*) FROM simhash_report('empty', 'h', details => true);
INSERT INTO empty VALUES ('0123456789abcdef');
SELECT topic, item, value FROM simhash_report('empty', 'h', details => true) WHERE topic IN ('rows', 'suggestion');
SELECT count(*) FROM simhash_report('empty', NULL, details => true);
\echo '-- copies that are neighbors in the table'
CREATE TABLE adjacent AS SELECT hashint8extended(i / 2, 1)::simhash AS h FROM generate_series(1, 50000) AS i;
SELECT value BETWEEN 0.5 AND 1.5 AS one FROM simhash_report('adjacent', 'h') WHERE topic = 'matches';
\echo '-- a large table is sampled'
CREATE TABLE large AS SELECT hashint8extended(i, 3)::simhash AS h FROM generate_series(1, 1200000) i;
ANALYZE large;
SELECT item, CASE WHEN item = 'sampled' THEN value BETWEEN 20000 AND 65536 ELSE value BETWEEN 1150000 AND 1250000 END AS right
    FROM simhash_report('large', 'h', details => true) WHERE item IN ('sampled', 'with a fingerprint');
\echo '-- for more rows than there are: what depends on them grows in proportion, and more tables pay'
SELECT r.topic, r.item, round((r.value / s.value)::numeric, 2) AS times FROM simhash_report('uniform', 'h', 3, 100000, details => true) r
    JOIN simhash_report('uniform', 'h', details => true) s USING (topic, item)
    WHERE (r.topic, r.item) IN (('rows', 'expected'), ('rows', 'with a fingerprint'), ('false matches', '3'), ('largest bucket', '4')) ORDER BY 1, 2;
SELECT expected, item, round(value::numeric, 1) AS value FROM unnest(ARRAY[0, 20000, 1e8, 1e9, 1e10]::bigint[]) expected, simhash_report('uniform', 'h', 3, expected, details => true)
    WHERE topic = 'suggestion' OR topic = 'pages' AND item IN ('4', '8') ORDER BY expected, topic, item;
\echo '-- by default ten lines'
SELECT topic, item, round(value::numeric, 2) AS value, meaning FROM simhash_report('uniform', 'h', 12);

\echo '-- templates: rows that differ from one of five frames in few bits, which the mean and the variance of all pairs do not show'
CREATE TABLE templated AS
    SELECT i AS id, CASE WHEN i % 20 = 0 THEN (hashint8extended(i % 3, 9) # (hashint8extended(i, 4) & hashint8extended(i, 5) & hashint8extended(i, 6) & hashint8extended(i, 7)))::simhash
        ELSE hashint8extended(i, 8)::simhash END AS h FROM generate_series(1, 8000) AS i;
WITH expected AS (SELECT item::int AS radius, value, meaning FROM simhash_report('templated', 'h', details => true) WHERE topic = 'false matches'),
     found AS (SELECT radius, 2 * count(*) / 8000.0 AS value FROM generate_series(2, 12) AS radius JOIN (SELECT (x.h <@> y.h)::int AS d FROM templated x JOIN templated y ON x.id < y.id
         WHERE x.id % 20 = 0 AND y.id % 20 = 0) p ON d <= radius GROUP BY radius)
SELECT radius, expected.value / found.value BETWEEN 0.5 AND 2 AS as_found, found.value <= 0.1 AS rare, meaning ~ 'measured' AS measured FROM expected JOIN found USING (radius) ORDER BY radius;
SELECT item, value FROM simhash_report('templated', 'h') WHERE topic = 'suggestion';
\echo '-- near-duplicates, five of each document within three bits of each other, are not false matches'
CREATE TABLE copied AS SELECT i AS id, (hashint8extended(i / 5, 1) # (1::bigint << 7 * (i % 5)))::simhash AS h FROM generate_series(1, 20000) AS i;
SELECT item, CASE WHEN value > 1e-6 THEN value ELSE 0 END AS value FROM simhash_report('copied', 'h') WHERE topic IN ('suggestion', 'matches') OR topic = 'false matches' AND item = '3';
\echo '-- the same of bigint'
CREATE DOMAIN hash AS bigint;
CREATE TABLE hashes AS SELECT id, h::bigint::hash AS h FROM copied;
SELECT expression, count(*) FROM unnest('{h,(h # 0)}'::text[]) expression, simhash_report('hashes', expression)
WHERE (topic, item, value) IN (SELECT topic, item, value FROM simhash_report('copied', 'h')) GROUP BY 1 ORDER BY 1;
DROP TABLE hashes;
\echo '-- texts of one frame, with copies in which two words are replaced'
CREATE TABLE framed AS SELECT i / 2 AS text, to_simhash(frame || ' ' || string_agg('w' || abs(hashint8extended(CASE WHEN n <= 2 THEN i ELSE i / 2 END, n)) % 20000, ' ')) AS h
    FROM generate_series(1, 4000) AS i, generate_series(1, 60) AS n, (SELECT string_agg('frame' || n, ' ') AS frame FROM generate_series(1, 120) AS n) AS f GROUP BY i, frame;
WITH expected AS (SELECT item::int AS radius, value FROM simhash_report('framed', 'h', details => true) WHERE topic = 'false matches'),
     found AS (SELECT radius, 2 * count(*) / 4000.0 AS value FROM generate_series(4, 9) AS radius JOIN (SELECT (x.h <@> y.h)::int AS d FROM framed x JOIN framed y ON x.text < y.text) p ON d <= radius
         GROUP BY radius)
SELECT radius, expected.value / found.value BETWEEN 0.5 AND 2 AS as_found FROM expected JOIN found USING (radius) ORDER BY radius;
DROP TABLE framed;
\echo '-- an expression, as of an index'
CREATE TABLE texts AS SELECT i AS id, CASE WHEN i % 10 > 0 THEN 'w' || i || ' v' || i % 7 END AS body FROM generate_series(1, 500) AS i;
CREATE VIEW text_values AS SELECT to_simhash(body) AS h, to_signature(body, 256)::bit(256) AS s, to_signature(body, 256) AS undeclared FROM texts;
SELECT count(*), bool_and(e.value = c.value) AS like_the_column FROM simhash_report('texts', 'to_simhash(body)', details => true) AS e
    JOIN simhash_report('text_values', 'h', details => true) AS c USING (topic, item, meaning) WHERE topic IN ('rows', 'distance', 'false matches');
SELECT column_name, bool_and(e.value = c.value) AS like_the_column FROM unnest('{s,undeclared}'::text[]) column_name,
    simhash_report('texts', 'to_signature(body, 256)') AS e JOIN LATERAL simhash_report('text_values', column_name) AS c USING (topic, item, meaning) GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM simhash_report('texts', 'to_simhash(NULL::text)');
SELECT count(*) FROM simhash_report('texts', 'to_signature(NULL::text, 256)');
\set VERBOSITY terse
SELECT count(*) FROM simhash_report('texts', 'length(body)');
SELECT count(*) FROM simhash_report('texts', 'to_simhash(none)');
SELECT count(*) FROM simhash_report('texts', 'to_simhash(body)), (pg_sleep(0)');
SELECT count(*) FROM simhash_report('texts', 'id), (to_signature(body, 256)');
SELECT count(*) FROM simhash_report('texts', 'id) AS value FROM texts) AS s UNION ALL (SELECT (to_signature(body, 256)');
SELECT count(*) FROM simhash_report('texts', 'substring(to_signature(body, 256) FROM 1 FOR id + 64)');
\set VERBOSITY default
DROP VIEW text_values;
DROP TABLE texts;
\echo '-- errors and privileges'
SELECT * FROM simhash_report('uniform', 'h', 3, -1, details => true);
SELECT * FROM simhash_report('empty', 'other', details => true);
SELECT * FROM simhash_report('empty', 'none', details => true);
SELECT * FROM simhash_report('empty', repeat('none ', 1000));
SELECT * FROM simhash_report('empty', 'h', 0, details => true);
SELECT * FROM simhash_report('empty', 'h', 16, details => true);
CREATE INDEX empty_h ON empty USING simhash (h);
SELECT * FROM simhash_report('empty_h', 'h', details => true);
\echo '-- signatures: 200 bits, of which 150 are random and one is always set; every tenth row has NULL, a fifth the same value'
CREATE DOMAIN report_hash AS bit(200);
CREATE TABLE signed (id int, s report_hash, short bit(64), any_length varbit, l bit(4096));
INSERT INTO signed SELECT i, CASE WHEN i % 10 = 0 THEN NULL ELSE substring(('x' || md5(k::text) || md5('-' || k))::bit(256), 1, 150) || B'1' || repeat('0', 49)::bit(49) END
FROM generate_series(1, 5000) i, LATERAL (SELECT CASE WHEN i % 5 = 1 THEN 1 ELSE i END AS k) AS k;
SELECT topic, item, round(value::numeric, 1) AS value, meaning FROM simhash_report('signed', 's', 3, details => true) WHERE topic IN ('rows', 'bits', 'suggestion');
SELECT count(*), count(*) FILTER (WHERE value BETWEEN 0.45 AND 0.55) AS even, string_agg(item, ',') FILTER (WHERE value = 1) AS set
FROM simhash_report('signed', 's', details => true) WHERE topic = 'bit set';
SELECT round(sum(value)::numeric, 2) AS sum, sum(item::int * value) BETWEEN 70 AND 75 AS mean, sum(value) FILTER (WHERE item = '0') BETWEEN 0.04 AND 0.06 AS equal
FROM simhash_report('signed', 's', details => true) WHERE topic = 'distance';
WITH expected AS (SELECT item::int AS radius, value FROM simhash_report('signed', 's', details => true) WHERE topic = 'false matches'),
     found AS (SELECT radius, avg(n) * 4500 / (SELECT count(DISTINCT s) FROM signed) AS value FROM
               (SELECT radius, count(*) FILTER (WHERE q.s <@> v.s <= radius) AS n FROM unnest(ARRAY[60, 65, 70, 75]) AS radius,
                (SELECT s FROM signed WHERE s IS NOT NULL ORDER BY hashint4(id) LIMIT 200) AS q, (SELECT DISTINCT s FROM signed WHERE s IS NOT NULL) AS v
                WHERE v.s <> q.s GROUP BY radius, q.s) AS n GROUP BY radius)
SELECT radius, expected.value / found.value BETWEEN 0.7 AND 1.4 AS as_expected FROM expected JOIN found USING (radius) ORDER BY radius;
\echo '-- the pages are those of the planner''s costs: more trees read fewer, and with few a scan is cheaper'
SELECT count(*) AS tables, bool_and(value <= before) AS falling, count(DISTINCT meaning) AS kinds
FROM (SELECT value, meaning, lag(value, 1, value) OVER (ORDER BY item::int) AS before FROM simhash_report('signed', 's', 3, details => true) WHERE topic = 'pages') AS p;
SELECT value FROM simhash_report('signed', 's', 200, details => true) WHERE item = 'trees';
SELECT expected, count(*) FILTER (WHERE meaning ~ 'scans') AS scanning, round(max(value) FILTER (WHERE item = '4')) AS pages_of_4
FROM unnest(ARRAY[0, 4500, 100000000]) expected, simhash_report('signed', 's', 3, expected, details => true) WHERE topic = 'pages' GROUP BY expected ORDER BY expected;
SELECT count(*) FROM simhash_report('signed', 'l', details => true);
INSERT INTO signed (l) VALUES (repeat('01', 2048)::bit(4096));
SELECT topic, item, value FROM simhash_report('signed', 'l', 0, details => true) WHERE topic IN ('rows', 'suggestion', 'distance');
SELECT * FROM simhash_report('signed', 's', -1, details => true);
SELECT * FROM simhash_report('signed', 's', 201, details => true);
SELECT * FROM simhash_report('signed', 'short', details => true);
SELECT * FROM simhash_report('signed', 'any_length', details => true);
DROP TABLE signed;
DROP DOMAIN report_hash;
CREATE ROLE reporter;
SET ROLE reporter;
SELECT * FROM simhash_report('empty', 'h', details => true);
RESET ROLE;
DROP ROLE reporter;
DROP VIEW even;
DROP TABLE uniform, skewed, parted, empty, large;

\echo '-- An expression that becomes one of another type by being read.'
CREATE SCHEMA of_bits;
CREATE TABLE of_bits.rows AS SELECT generate_series(1, 10) AS x;
CREATE SCHEMA of_numbers;
CREATE FUNCTION of_bits.value(int) RETURNS bit LANGUAGE sql IMMUTABLE AS $$ SELECT repeat('1', 128)::bit(128) $$;
CREATE FUNCTION of_numbers.value(int) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 4096::bigint';
CREATE FUNCTION turns(first text, next text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE called text := current_schema();
BEGIN
    PERFORM set_config('search_path', format('%s, %I', first, called), true);
    RETURN (SELECT count(*) FROM simhash_report('of_bits.rows',
        format('CASE WHEN set_config(''search_path'', %L, true) IS NULL THEN NULL ELSE value(x) END', format('%s, %I', next, called))));
END $$;
\set VERBOSITY terse
SELECT turns('of_bits', 'of_numbers');
SELECT turns('of_numbers', 'of_bits');
\echo '-- A function that is declared STABLE, but is not: the condition finds a value, and NULL is read.'
CREATE SEQUENCE called;
CREATE FUNCTION once(int) RETURNS bit LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN CASE WHEN nextval('called') % 2 = 1 THEN repeat('1', 128)::bit(128) END; END $$;
SELECT count(*) FROM simhash_report('of_bits.rows', 'once(x)');
SET client_min_messages = warning;
DROP SCHEMA of_bits, of_numbers CASCADE;
