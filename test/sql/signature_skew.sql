\set ECHO none
-- Signatures of which half vary in 32 bits only: the leaves near them hold more candidates than the plan of a search
-- expects. An exact search changes to a scan of the store when the rest of the trees would cost more, and finds every row once.
CREATE TABLE skewed_s (id integer, s bit(256));
INSERT INTO skewed_s
SELECT i, CASE WHEN i % 2 = 0 THEN substr(m, 1, 32) || repeat('0', 224) ELSE m END::bit(256)
FROM generate_series(1, 40000) i,
    LATERAL (SELECT string_agg(('x' || md5(i || ' ' || part))::bit(128)::text, '') AS m FROM generate_series(1, 2) part) x;
CREATE INDEX skewed_s_index ON skewed_s USING simhash (s);
ANALYZE skewed_s;
CREATE TABLE asked AS SELECT id, s FROM skewed_s WHERE id IN (1, 2, 3, 40, 1000, 20002, 40000);

SELECT a.id, radius, bool_or(p.part = 'tree') AS trees, bool_or(p.part <> 'tree') AS scan
FROM asked a, unnest('{2,6,8,10}'::int[]) radius, simhash_index_trace('skewed_s_index', signature_ball(a.s, radius)) p
WHERE a.id IN (2, 3) GROUP BY 1, 2 ORDER BY 1, 2;

CREATE TABLE scanned AS
SELECT a.id AS asked, b.id, a.s <@> b.s AS distance FROM asked a, skewed_s b WHERE a.s <@> b.s <= 12;
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT plan_of('SELECT a.id, b.id FROM asked a, skewed_s b WHERE b.s <@> a.s <= 6');
SELECT radius, count(*) AS found, count(*) - count(DISTINCT (asked, id)) AS twice,
       count(*) - (SELECT count(*) FROM scanned WHERE distance <= radius) AS missing
FROM unnest('{0,2,4,6,8,12}'::int[]) radius,
    LATERAL (SELECT a.id AS asked, b.id FROM asked a, skewed_s b WHERE b.s <@> a.s <= radius) f
GROUP BY radius ORDER BY radius;
\echo '-- Rings of nearest neighbors change, too.'
SELECT a.id, n.distances, n.distances = (SELECT array_agg(distance) FROM (
        SELECT distance::int FROM scanned WHERE asked = a.id ORDER BY distance LIMIT cardinality(n.distances)) f) AS same
FROM asked a, LATERAL (SELECT array_agg(d::int) AS distances FROM (
        SELECT b.s <@> a.s AS d FROM skewed_s b WHERE b.s <@> a.s <= 12 ORDER BY b.s <@> a.s LIMIT 20) f) n
ORDER BY a.id;
\echo '-- Bitmap scans, and cursors that move on while rows change'
RESET enable_bitmapscan;
SET enable_indexscan = off;
SELECT count(*) - (SELECT count(*) FROM scanned WHERE asked = 2 AND distance <= 6) AS missing
FROM skewed_s WHERE s <@> (SELECT s FROM asked WHERE id = 2) <= 6;
RESET enable_indexscan;
SET enable_bitmapscan = off;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM skewed_s WHERE s <@> (SELECT s FROM asked WHERE id = 40) <= 6;
FETCH 2 IN c;
UPDATE skewed_s SET id = -id WHERE id % 2 = 0 AND id < 5000;
FETCH ALL IN c;
SELECT array_agg(id ORDER BY id) AS scanned FROM scanned WHERE asked = 40 AND distance <= 6;
ROLLBACK;
DROP TABLE skewed_s, asked, scanned;

\echo '-- More equal signatures than a leaf has room for: only all their leaves together count as read.'
CREATE FUNCTION wide(i integer) RETURNS bit(1024) IMMUTABLE LANGUAGE sql AS
    $$ SELECT ('x' || encode(sha512(i::text::bytea) || sha512((-i)::text::bytea), 'hex'))::bit(1024) $$;
CREATE TABLE repeated_s (id integer, s bit(1024));
INSERT INTO repeated_s SELECT i, wide(CASE WHEN i % 50 = 0 THEN 0 ELSE i END) FROM generate_series(1, 100000) i;
CREATE INDEX repeated_s_index ON repeated_s USING simhash (s) WITH (trees = 2);
SET enable_seqscan = off;
SELECT radius, recall, count(*) >= 2000 * recall AS enough
FROM unnest('{6,8,16}'::int[]) radius, unnest('{0.5,0.9,0.99}'::float8[]) recall,
    LATERAL (SELECT FROM repeated_s WHERE s <@| signature_ball(wide(0), radius, recall)) f
GROUP BY radius, recall ORDER BY radius, recall;
DROP TABLE repeated_s;

\echo '-- Copies of a row lie beside each other in every tree, in leaves of their own if they are many: none is missed more often'
\echo '-- than a single row, also if nearer rows share these leaves.'
CREATE TABLE copied_s (copy_of integer, s bit(1024));
INSERT INTO copied_s SELECT NULL, wide(i) FROM generate_series(1, 20000) i;
INSERT INTO copied_s SELECT i, wide(-i) FROM generate_series(1, 36) i, LATERAL generate_series(1, CASE WHEN i <= 24 THEN 50 ELSE 2000 END);
CREATE TABLE asked AS
    SELECT i AS copy_of, flipped_bits(wide(-i), i * 100 + n, 100)::bit(1024) AS s FROM generate_series(1, 36) i, generate_series(1, 5) n;
INSERT INTO copied_s SELECT NULL, flipped_bits(a.s, near, 60) FROM asked a, generate_series(1, 3) near;
CREATE INDEX copied_s_index ON copied_s USING simhash (s);
SELECT copies, recall, avg(found::float8 / copies) >= recall - 0.02 AS enough
FROM unnest('{0.5,0.9,0.99}'::float8[]) recall, asked a, LATERAL (SELECT CASE WHEN a.copy_of <= 24 THEN 50 ELSE 2000 END AS copies) c,
    LATERAL (SELECT count(*) AS found FROM copied_s c
             WHERE c.s <@| signature_ball(a.s, (a.s <@> wide(-a.copy_of))::int, recall) AND c.copy_of = a.copy_of) f
GROUP BY copies, recall ORDER BY copies, recall;
DROP TABLE copied_s, asked;
DROP FUNCTION wide;

\echo '-- By weights that differ much, a search of few trees reads all their leaves, each once, before it looks further.'
CREATE TABLE few AS SELECT i AS id, ('x' || md5(i::text) || md5(i::text || 'x'))::bit(256) AS s FROM generate_series(1, 50000) AS i;
CREATE INDEX few_s ON few USING simhash (s) WITH (trees = 1);
SELECT max(leaves) - (SELECT value - 1 FROM simhash_index_stats('few_s') WHERE name = 'leaf_pages') AS unread, bool_and(leaves = once) AS once FROM few,
    LATERAL (SELECT array_agg((hashint4(id + i) & 1) * 5::real) AS w FROM generate_series(1, 256) AS i) AS v,
    LATERAL (SELECT count(*) AS leaves, count(DISTINCT block) AS once FROM simhash_index_trace('few_s', signature_ball(s, 55, 0.999, w::real[]))
             WHERE part = 'tree') AS t WHERE id <= 20;
DROP TABLE few;
