\set ECHO none
-- Constraints at any radius: an index on balls stores their centers, and each row found is checked again.'
CREATE TABLE page (id int, h simhash, EXCLUDE USING simhash (simhash_ball(h, 5) WITH ~=));
INSERT INTO page VALUES (1, '0000000000000000'), (2, '000000000000003f');
INSERT INTO page VALUES (3, '000000000000001f');
INSERT INTO page VALUES (3, '000000000000001f') ON CONFLICT DO NOTHING;
INSERT INTO page VALUES (4, NULL), (5, NULL), (6, '0000000000ff0000');
SELECT id FROM page ORDER BY id;
SELECT * FROM simhash_index_check('page_simhash_ball_excl', true);
\echo '-- Each ball has a radius: both must reach the other center.'
CREATE TABLE own (id int, b simhash_ball, EXCLUDE USING simhash (b WITH ~=));
INSERT INTO own VALUES (1, '<0000000000000000,2>'), (2, '<000000000000007f,10>'), (3, '<ffffffffffffffff,-1>'), (4, '<ffffffffffffffff,-1>');
INSERT INTO own VALUES (5, '<0000000000000003,2>');
INSERT INTO own VALUES (6, '<0000000000000007,2>');
INSERT INTO own VALUES (7, '<000000000000003f,1>');
SELECT id FROM own ORDER BY id;

\echo '-- A greedy loop keeps the same rows, and none of them is within the radius of another.'
CREATE TABLE given (id int PRIMARY KEY, h simhash);
INSERT INTO given
    SELECT i, (('x' || substr(md5((i / 20)::text), 1, 16))::bit(64)::bigint # (1::bigint << (i % 64)) # (1::bigint << (i * 7 % 64))
        # (1::bigint << (i * 13 % 61)) # (1::bigint << (i * 29 % 59)))::simhash
    FROM generate_series(1, 2000) AS i;
CREATE TABLE kept (id int, h simhash, EXCLUDE USING simhash (simhash_ball(h, 5) WITH ~=));
INSERT INTO kept SELECT * FROM given ORDER BY id ON CONFLICT DO NOTHING;
CREATE TABLE greedy (id int, h simhash);
DO $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM given ORDER BY id LOOP
        INSERT INTO greedy SELECT r.id, r.h WHERE NOT EXISTS (SELECT FROM greedy AS g WHERE g.h <@> r.h <= 5);
    END LOOP;
END $$;
SELECT count(*) BETWEEN 200 AND 1900 AS several, count(*) = (SELECT count(*) FROM kept) AS as_many, count(*) = (SELECT count(*) FROM kept JOIN greedy USING (id)) AS same
FROM greedy;
SELECT count(*) FROM kept AS a JOIN kept AS b ON a.id < b.id AND a.h <@> b.h <= 5;
SELECT * FROM simhash_index_check('kept_simhash_ball_excl', true);

\echo '-- Searches by the index and by scans find the same: plain, by a bitmap, of NULLs and in joins.'
CREATE TABLE ball (id int, b simhash_ball);
INSERT INTO ball SELECT id, simhash_ball(h, id % 9 - 1) FROM given;
INSERT INTO ball VALUES (0, NULL), (-1, NULL);
CREATE INDEX ball_b ON ball USING simhash (b);
ANALYZE ball;
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
        EXECUTE format('SELECT count(*) || '' '' || coalesce(md5(string_agg(x::text, '','' ORDER BY x::text)), '''') FROM (%s) AS x', query) INTO found;
        FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
            plans := plans || coalesce(' ' || substring(line FROM 'Index Scan|Bitmap Heap Scan'), '');
        END LOOP;
        rows := rows || found;
    END LOOP;
    PERFORM set_config('enable_' || p, 'true', true) FROM unnest('{seqscan,indexscan,bitmapscan}'::text[]) AS p;
    RETURN format('%s rows,%s: %s', split_part(rows[1], ' ', 1), plans, CASE WHEN rows[1] = ALL (rows) THEN 'equal' ELSE rows::text END);
END $$;
SELECT condition, same('SELECT id FROM ball WHERE ' || condition)
FROM unnest(ARRAY['b ~= (SELECT b FROM ball WHERE id = 8)', 'b ~= (SELECT simhash_ball(h, 64) FROM given WHERE id = 8)', 'b IS NULL', 'b IS NOT NULL',
    'b IS NULL OR b ~= (SELECT b FROM ball WHERE id = 17)', 'b ~= ANY (ARRAY(SELECT b FROM ball WHERE id % 100 = 8))', 'b ~= NULL',
    'b ~= ''<0000000000000000,-1>''', 'b IS NOT NULL AND b ~= (SELECT b FROM ball WHERE id = 8)']) AS condition;
SELECT same('SELECT x.id, y.id AS other FROM ball AS x JOIN ball AS y ON y.b ~= x.b WHERE x.id % 7 = 0');
SELECT * FROM simhash_index_check('ball_b', true);

\echo '-- Bit strings: the length is that of the centers.'
CREATE TABLE image (id int, pdq bit(256), EXCLUDE USING simhash (signature_ball(pdq, 31) WITH ~=));
INSERT INTO image SELECT i, ('x' || repeat(md5((i / 10)::text), 2))::bit(256) # (~0::bit(256) >> (256 - i % 10 * 4)) FROM generate_series(1, 300) AS i
ON CONFLICT DO NOTHING;
SELECT count(*), count(*) FILTER (WHERE id % 10 IN (0, 8)) AS "0 or 8" FROM image;
SELECT count(*) FROM image AS a JOIN image AS b ON a.id < b.id AND a.pdq <@> b.pdq <= 31;
SELECT * FROM simhash_index_check('image_signature_ball_excl', true);
\set VERBOSITY terse
INSERT INTO image SELECT 301, pdq # 1::bit(256) FROM image WHERE id = 10;
\set VERBOSITY default
CREATE INDEX image_ball ON image USING simhash (signature_ball(radius => 31, center => pdq));
REINDEX INDEX CONCURRENTLY image_ball;
SELECT * FROM simhash_index_check('image_ball', true);
\echo '-- Each of their radii must reach the other center, too, which has as many bits.'
SELECT signature_ball(repeat('0', 100)::bit(100), 5) ~= signature_ball((repeat('0', 97) || '111')::bit(100), 2) AS one,
    signature_ball(repeat('0', 100)::bit(100), 5) ~= signature_ball((repeat('0', 97) || '111')::bit(100), 3) AS both,
    signature_ball(repeat('0', 100)::bit(100), 5) ~= signature_ball(repeat('0', 99)::bit(99), 5) AS shorter;
SET enable_seqscan = off;
SELECT count(*) FILTER (WHERE signature_ball(pdq, 31) ~= signature_ball(repeat('0', 128)::bit(128), 2000)) AS shorter, count(*) FROM image;
SELECT count(*) FROM image WHERE signature_ball(pdq, 31) ~= signature_ball(repeat('0', 128)::bit(128), 2000);
SELECT count(*) FROM image WHERE signature_ball(pdq, 31) ~= signature_ball((SELECT pdq FROM image WHERE id = 10), -1);
RESET enable_seqscan;
CREATE TABLE of_any_length (b signature_ball);
CREATE INDEX ON of_any_length USING simhash (b);
CREATE FUNCTION twice(bit, int) RETURNS signature_ball IMMUTABLE LANGUAGE sql SET search_path FROM CURRENT AS $$ SELECT signature_ball(($1 || $1)::bit(512), $2) $$;
CREATE INDEX ON image USING simhash (twice(pdq, 31));
DROP FUNCTION twice;
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') AND opcname LIKE '%ball%' ORDER BY 1;
