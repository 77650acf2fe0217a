\set ECHO none
-- Fingerprints in columns of type bigint, searched without a cast.

\echo '-- No operator between PostgreSQL types changes its meaning: of the names that the extension has operators of, too, each'
\echo '-- that PostgreSQL resolves without the extension is resolved alike with it.'
CREATE FUNCTION resolutions() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    pair record;
    line text;
    found text := '';
BEGIN
    FOR pair IN
        SELECT op, l.oid::regtype AS a, r.oid::regtype AS b
        FROM unnest('{=,<,~=}'::text[]) AS op, pg_type AS l, pg_type AS r
        WHERE l.typtype = 'b' AND r.typtype = 'b' AND l.typcategory <> 'A' AND r.typcategory <> 'A'
            AND l.typnamespace = 'pg_catalog'::regnamespace AND r.typnamespace = 'pg_catalog'::regnamespace
            AND l.typname !~ '^(pg_|reg[^p]|gtsvector)' AND r.typname !~ '^(pg_|reg[^p]|gtsvector)'
        ORDER BY 1, l.oid, r.oid
    LOOP
        BEGIN
            FOR line IN EXECUTE format('EXPLAIN (VERBOSE, COSTS OFF) SELECT x %s y FROM (SELECT NULL::%s AS x, NULL::%s AS y OFFSET 0) AS v', pair.op, pair.a, pair.b) LOOP
                IF line LIKE '%Output: (%' THEN
                    found := found || format('%s %s %s %s', pair.op, pair.a, pair.b, trim(line)) || E'\n';
                END IF;
            END LOOP;
        EXCEPTION WHEN undefined_function OR ambiguous_function THEN
            found := found || format('%s %s %s %s', pair.op, pair.a, pair.b, SQLSTATE) || E'\n';
        END;
    END LOOP;
    RETURN found;
END $$;
BEGIN;
DROP EXTENSION simhash;
SELECT resolutions() AS before \gset
ROLLBACK;
SELECT resolutions() AS after \gset
SELECT count(*) > 7000 AS tried, count(*) FILTER (WHERE b <> a AND b !~ '42883$') AS changed
FROM unnest(string_to_array(:'before', E'\n'), string_to_array(:'after', E'\n')) AS r(b, a);
DROP FUNCTION resolutions;

CREATE TABLE image (id int PRIMARY KEY, algorithm text, phash bigint);
INSERT INTO image
    SELECT i, CASE WHEN i % 3 = 0 THEN 'MD5' ELSE 'PHASH' END,
        ('x' || substr(md5((i / 10)::text), 1, 16))::bit(64)::bigint # (1::bigint << (i % 64)) # (1::bigint << (i * 7 % 64))
    FROM generate_series(1, 20000) AS i;
INSERT INTO image VALUES (0, 'PHASH', NULL), (-1, 'PHASH', -1), (-2, 'PHASH', '-9223372036854775808'), (-3, 'PHASH', 0), (-4, 'PHASH', 7);
CREATE INDEX image_phash ON image USING simhash (phash);
ANALYZE image;
SELECT * FROM simhash_index_check('image_phash', true);

\echo '-- The queries that pg-spgist_hamming users have (phash <@ (q, r)::bktree_area), with the operator exchanged.'
EXPLAIN (COSTS OFF) SELECT id FROM image WHERE phash <@> 7::bigint <= 1;
SELECT id, phash <@> 7::bigint AS distance FROM image WHERE phash <@> 7::bigint <= 3 ORDER BY phash <@> 7::bigint, id;
SELECT id FROM image WHERE phash <@> -1 <= 1 ORDER BY id;
SELECT id FROM image WHERE phash <@> '-9223372036854775808' < 2 ORDER BY id;
SELECT id FROM image WHERE 9223372036854775807 <@> phash <= 1 ORDER BY id;
SELECT id FROM image WHERE phash = 7 ORDER BY id;
EXPLAIN (COSTS OFF) SELECT id FROM image WHERE phash = 7;
EXPLAIN (COSTS OFF) SELECT id FROM image WHERE phash = 7::bigint;
EXPLAIN (COSTS OFF) SELECT id FROM image WHERE 7::smallint = phash;
SELECT id FROM image WHERE phash = (-1)::smallint OR phash = -1 OR phash = (-1)::bigint ORDER BY id;
SELECT id FROM image WHERE phash = ANY ('{0,7}'::int[]) ORDER BY id;
EXPLAIN (COSTS OFF) SELECT id FROM image ORDER BY phash <@> 7 LIMIT 3;
SELECT phash <@> 7 AS distance FROM image ORDER BY phash <@> 7 LIMIT 3;
SELECT id FROM image WHERE phash IS NULL;
PREPARE near AS SELECT count(*) FROM image WHERE phash <@> $1 <= $2;
EXECUTE near(7, 1);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE near(7, 1);
EXECUTE near(7, 1);
RESET plan_cache_mode;
\echo '-- Those of stash-box: a list of hashes, each with its radius, and another condition.'
CREATE TABLE asked (hash bigint, distance int);
INSERT INTO asked SELECT phash, id % 5 FROM image WHERE id % 1000 = 1;
EXPLAIN (COSTS OFF) SELECT a.hash, f.id FROM asked AS a JOIN image AS f ON f.phash <@> a.hash <= a.distance AND f.algorithm = 'PHASH';
SELECT count(*) FROM asked AS a JOIN image AS f ON f.phash <@> a.hash <= a.distance AND f.algorithm = 'PHASH';
SELECT count(*) FROM unnest(ARRAY(SELECT hash FROM asked)) AS a(hash) JOIN image AS f ON f.phash <@> a.hash <= 4;
EXPLAIN (COSTS OFF) SELECT f.id FROM asked AS a JOIN image AS f ON f.phash ~= a.hash;
SELECT count(*) FROM asked AS a JOIN image AS f ON f.phash ~= a.hash;
SELECT count(*) FROM image WHERE phash ~= ANY (ARRAY(SELECT hash FROM asked));

\echo '-- The index and a scan find the same, also on an index of the cast, and with a cast by this index.'
CREATE FUNCTION same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    scanned text;
    found text;
    planned text;
    line text;
BEGIN
    PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true);
    EXECUTE format('SELECT count(*) || '' '' || md5(string_agg(x::text, '','' ORDER BY x::text)) FROM (%s) AS x', query) INTO scanned;
    PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'on', true), set_config('enable_seqscan', 'off', true);
    EXECUTE format('SELECT count(*) || '' '' || md5(string_agg(x::text, '','' ORDER BY x::text)) FROM (%s) AS x', query) INTO found;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        planned := concat(planned, line, ' ');
    END LOOP;
    PERFORM set_config('enable_seqscan', 'on', true);
    RETURN format('%s %s', CASE WHEN planned !~ 'image_phash' THEN 'no index' WHEN found IS NOT DISTINCT FROM scanned THEN 'equal' ELSE 'differs' END,
        coalesce(split_part(found, ' ', 1), '0'));
END $$;
SELECT same(format('SELECT id FROM image WHERE %s', condition)), condition
FROM unnest(ARRAY['phash <@> -5 <= 20', 'phash <@> (SELECT phash FROM image WHERE id = 11) <= 6', 'phash <@> 7 < 20 AND phash <@> -1 < 50',
    'phash::simhash <@> ''000000000000000f'' <= 3', 'phash ~= 5', 'phash <@> 3 BETWEEN 1 AND 9', 'phash <@> 3 = 1', 'phash IS NOT NULL AND phash <@> 7 <= 2'])
    AS condition;
SELECT same('SELECT a.id, b.id AS other FROM image AS a JOIN image AS b ON a.phash <@> b.phash <= 2 WHERE a.id % 97 = 0');
SELECT same('SELECT a.id, n.distance FROM image AS a, LATERAL (SELECT b.phash <@> a.phash AS distance FROM image AS b ORDER BY b.phash <@> a.phash LIMIT 5) AS n WHERE a.id % 997 = 0');
DROP INDEX image_phash;
CREATE INDEX image_phash ON image USING simhash ((phash::simhash));
SELECT same('SELECT id FROM image WHERE phash <@> 7 <= 3'), same('SELECT id FROM image WHERE phash::simhash <@> ''0000000000000007'' <= 3');

\echo '-- Constraints, joins and groups.'
CREATE TABLE kept (h bigint, EXCLUDE USING simhash (h WITH ~=));
INSERT INTO kept VALUES (15) ON CONFLICT DO NOTHING;
INSERT INTO kept VALUES (-8);
INSERT INTO kept VALUES (-16), (-1023);
SELECT * FROM kept ORDER BY h;
CREATE TABLE pair (id int, h bigint);
INSERT INTO pair VALUES (1, -1), (2, -2), (3, 12), (4, 13), (5, NULL);
CREATE INDEX pair_h ON pair USING simhash (h);
SELECT a.id, b.id, a.h <@> b.h AS distance FROM pair AS a JOIN pair AS b ON a.h <@> b.h <= 1 AND a.id < b.id ORDER BY 1;

\echo '-- A domain, and what has no meaning.'
CREATE DOMAIN hash AS bigint CHECK (VALUE <> 0);
CREATE TABLE of_domain (h hash);
CREATE INDEX ON of_domain USING simhash (h);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM of_domain WHERE h <@> 5 <= 3;
EXPLAIN (COSTS OFF) SELECT * FROM of_domain WHERE h ~= 5;
RESET enable_seqscan;
SELECT '1' <@> '2';
SELECT 1::bigint <@> '000000000000000f';
SELECT 1::bigint <@> '000000000000000f'::simhash;

\echo '-- An operator of the user''s own between a bigint and something else is left alone.'
CREATE FUNCTION text_distance(bigint, text) RETURNS hamming_distance LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 <@> length($2)::bigint; END';
CREATE OPERATOR <@> (LEFTARG = bigint, RIGHTARG = text, FUNCTION = text_distance);
EXPLAIN (COSTS OFF) SELECT * FROM pair WHERE h <@> 'twelve'::text <= 3;
SELECT id FROM pair WHERE h <@> 'twelve'::text <= 3 ORDER BY id;
DROP OPERATOR <@> (bigint, text);
