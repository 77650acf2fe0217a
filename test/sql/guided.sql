\set ECHO none
-- Searches by weights: guided by volatility, at the recall that the ball carries.
SET max_parallel_workers_per_gather = 0;

-- 2000 documents of 80 words, and 1000 revisions with one to eight words changed
CREATE FUNCTION word(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT 'w' || (hashint8extended(n, 7) & 4095)::text $$;
CREATE TABLE doc AS
    SELECT i AS id, string_agg(word(i * 1000 + j), ' ') AS body
    FROM generate_series(1, 2000) i, generate_series(1, 80) j GROUP BY i
    UNION ALL
    SELECT 2000 + i, string_agg(CASE WHEN j <= 1 + i % 8 THEN word(-(i * 1000 + j)) ELSE word(i * 1000 + j) END, ' ')
    FROM generate_series(1, 1000) i, generate_series(1, 80) j GROUP BY i;
ALTER TABLE doc ADD h simhash, ADD w simhash_weights;
UPDATE doc SET h = to_simhash(body), w = to_simhash_weights(body);
INSERT INTO doc (id) VALUES (0);
-- more rows, so that the tables have leaves to choose from
INSERT INTO doc (id, h)
    SELECT 10000 + i, hashint8extended(i, 1)::simhash FROM generate_series(1, 30000) i;
CREATE INDEX doc_h ON doc USING simhash (h);
VACUUM ANALYZE doc;
SET enable_seqscan = off;

\echo '-- the distance to weights is the distance to their signs'
SELECT count(*), count(*) FILTER (WHERE h <@> w = 0), count(*) FILTER (WHERE w <@> h = 0) FROM doc WHERE w IS NOT NULL;
SELECT hamming_within(h, w, 0), h <@| simhash_ball(w, 0), hamming_within(h, w, -1)
FROM doc WHERE id = 1;

\echo '-- plans: a condition on a distance to weights is one on that to their signs; a ball shows its recall'
RESET enable_seqscan;
SET simhash.enable_join = off;
EXPLAIN (COSTS OFF) SELECT a.id FROM doc b JOIN doc a ON a.h <@> b.w <= 3 WHERE b.id < 10;
EXPLAIN (COSTS OFF) SELECT a.id FROM doc b JOIN doc a ON b.w <@> a.h < 4 WHERE b.id < 10;
EXPLAIN (COSTS OFF) SELECT a.id FROM doc b JOIN doc a ON a.h <@| simhash_ball(b.w, 3, 0.95) WHERE b.id < 10;
EXPLAIN (COSTS OFF) SELECT a.id FROM doc b JOIN doc a ON a.h <@| simhash_ball(b.w, 3, recall => 1, max_probes => 2) WHERE b.id < 10;
RESET simhash.enable_join;
EXPLAIN (COSTS OFF) SELECT a.id FROM doc b, LATERAL (SELECT id FROM doc ORDER BY h <@> b.w LIMIT 1) a WHERE b.id < 10;
SET enable_seqscan = off;
PREPARE near(simhash_weights, float8) AS SELECT id FROM doc WHERE h <@| simhash_ball($1, 3, recall => $2);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE near(NULL, NULL);
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) EXECUTE near(array_fill(1, ARRAY[64])::real[]::simhash_weights, 0.95);
RESET plan_cache_mode;
SELECT simhash_ball(w, 3), simhash_ball(w, 99) FROM doc WHERE id = 77;

\echo '-- the share of all pairs within the radius that each target finds'
CREATE FUNCTION found(target float8, radius integer, OUT rows bigint, OUT wrong bigint, OUT twice bigint)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT count(*), count(*) FILTER (WHERE d > radius), count(*) - count(DISTINCT (b, a))
    INTO rows, wrong, twice
    FROM (SELECT b.id AS b, a.id AS a, a.h <@> b.h AS d FROM doc b JOIN doc a ON a.h <@| simhash_ball(b.w, radius, target)
          WHERE b.id BETWEEN 1 AND 1000) s;
END $$;
CREATE FUNCTION exact(radius integer) RETURNS bigint LANGUAGE sql AS
    $$ SELECT count(*) FROM doc b JOIN doc a ON a.h <@> b.h <= radius WHERE b.id BETWEEN 1 AND 1000 $$;
SELECT radius, target, wrong, twice, rows <= exact AS "not more than exact",
       CASE WHEN target = 1 THEN rows = exact ELSE rows >= exact * (target - 0.04) END AS "recall as promised"
FROM unnest(ARRAY[3, 5, 8]) radius, exact(radius) AS exact, unnest(ARRAY[0.8, 0.9, 0.99, 1]) target,
     found(target, radius)
ORDER BY radius, target;

\echo '-- an approximate search finds fewer; what is no recall below 1 is exact'
SELECT target, rows < exact AS fewer, rows = exact AS equal
FROM exact(8) AS exact, unnest('{0.8, 1, 95, Infinity, NaN}'::float8[]) WITH ORDINALITY t(target, n), found(target, 8) ORDER BY n;

\echo '-- where an exact search reads few leaves, every search is exact'
SELECT count(*) AS missed FROM doc b
WHERE id BETWEEN 1 AND 1000 AND (SELECT count(*) FROM doc a WHERE a.h <@| simhash_ball(b.w, 3, 0.01)) <>
                                (SELECT count(*) FROM doc a WHERE a.h <@> b.h <= 3);

\echo '-- the number of leaves: smaller with a lower target, and far smaller than for an exact search at a large radius'
CREATE FUNCTION leaves(target float8, radius integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT count(*) FROM doc, simhash_index_trace('doc_h', simhash_ball(w, radius, target)) WHERE id BETWEEN 1 AND 100);
END $$;
SELECT leaves(0.9, 8) <= leaves(0.95, 8), leaves(0.95, 8) <= leaves(0.99, 8), leaves(0.99, 8) < leaves(1, 8),
       leaves(0.9, 8) * 3 < leaves(1, 8) AS "a third";
SELECT leaves(1, 8) = count(*) AS "exact plans agree"
FROM doc, simhash_index_trace('doc_h', simhash_ball(h, 8)) WHERE id BETWEEN 1 AND 100;
SELECT step, flipped_bits = '{}' AS nothing_flipped, probability > 0 AND probability <= 1 AS probable,
       recall >= 0.95 AS reached
FROM doc, simhash_index_trace('doc_h', simhash_ball(w, 3, 0.95)) WHERE id = 77 AND step = 1;
SELECT max(step) FROM doc, simhash_index_trace('doc_h', simhash_ball(w, 8, 0.95, max_probes => 1)) WHERE id = 77;
SELECT max(step) > 1 FROM doc, simhash_index_trace('doc_h', simhash_ball(w, 8, 0.9999, -1)) WHERE id = 77;
\echo '-- the probabilities add up to the recall'
SELECT target, count(*) AS searches, bool_and(abs(sum - last) < 1e-9) AS "adds up", bool_and(least >= 0) AS rising,
       avg(sum) BETWEEN target - 0.02 AND 1 AS reached
FROM unnest(ARRAY[0.8, 0.9, 0.99]) target, LATERAL (
    SELECT id, sum(probability), max(recall) AS last, min(probability) AS least
    FROM doc, simhash_index_trace('doc_h', simhash_ball(w, 8, target)) WHERE id BETWEEN 1 AND 200 GROUP BY id) s
GROUP BY target ORDER BY target;

\echo '-- a limit of probes also holds at a recall of 1: fewer rows are found, and more with more probes'
CREATE FUNCTION found_by(probes integer) RETURNS bigint LANGUAGE sql AS
    $$ SELECT count(*) FROM doc b JOIN doc a ON a.h <@| simhash_ball(b.w, 8, 1, probes) WHERE b.id BETWEEN 1 AND 1000 $$;
SELECT probes, found < exact AS fewer, found > lag(found, 1, 999::bigint) OVER (ORDER BY probes) AS more
FROM exact(8) AS exact, unnest(ARRAY[1, 2, 4, 8]) probes, found_by(probes) AS found ORDER BY probes;
\echo '-- also at a radius at which there is no model of near-duplicates'
SELECT radius, max(steps) BETWEEN 1 AND 4 AS limited FROM unnest(ARRAY[16, 17, 40, 64]) radius, LATERAL (
    SELECT count(*) AS steps FROM doc, simhash_index_trace('doc_h', simhash_ball(w, radius, 0.95, 2)) WHERE id BETWEEN 1 AND 20 GROUP BY id) s
GROUP BY radius ORDER BY radius;
SELECT count(*) BETWEEN 1 AND 2000 AS limited, count(*) FILTER (WHERE d < lag) AS out_of_order
FROM (SELECT d, lag(d) OVER (ORDER BY n) FROM (SELECT row_number() OVER () AS n, d FROM
      (SELECT a.h <@> b.w AS d FROM doc a, (SELECT w FROM doc WHERE id = 5) b
        WHERE a.h <@| simhash_ball(b.w, 64, 0.95, 1) ORDER BY a.h <@> b.w) s) s) s;
SELECT found_by(0) = exact AS unlimited, found_by(2000000000) = exact AS unreached FROM exact(8) AS exact;
SELECT probes, max(steps) <= 2 * probes AS limited FROM unnest(ARRAY[1, 2, 4]) probes, LATERAL (
    SELECT count(*) AS steps FROM doc, simhash_index_trace('doc_h', simhash_ball(w, 8, 1, probes)) WHERE id BETWEEN 1 AND 200 GROUP BY id) s
GROUP BY probes ORDER BY probes;

\echo '-- first and nearest'
SELECT count(*) FROM doc b, LATERAL (SELECT id FROM doc WHERE h <@| simhash_ball(b.w, 3, 0.95) LIMIT 1) a WHERE b.id BETWEEN 1 AND 100;
SELECT a.id FROM doc b, LATERAL (SELECT id FROM doc WHERE h <@| simhash_ball(b.w, 64, 0.95) ORDER BY h <@> b.w LIMIT 1) a
WHERE b.id IN (77, 1500);
SELECT count(*), count(*) FILTER (WHERE d < lag) AS out_of_order
FROM (SELECT d, lag(d) OVER (ORDER BY n) FROM
      (SELECT row_number() OVER () AS n, d FROM
       (SELECT a.h <@> b.w AS d FROM doc a, (SELECT w FROM doc WHERE id = 5) b
        WHERE a.h <@| simhash_ball(b.w, 64, 0.95) ORDER BY a.h <@> b.w LIMIT 300) s) s) s;
\echo '-- ORDER BY alone is exact: here are the nearest of all, also those that the ball passes over'
CREATE FUNCTION ordered(target float8) RETURNS bigint LANGUAGE sql AS $$
    SELECT sum(d) FROM doc b, LATERAL (SELECT a.h <@> b.w AS d FROM doc a
        WHERE target IS NULL OR a.h <@| simhash_ball(b.w, 16, target) ORDER BY a.h <@> b.w LIMIT 5) n WHERE b.id BETWEEN 1 AND 30 $$;
SELECT ordered(NULL) = (SELECT sum(d) FROM doc b, LATERAL (SELECT a.h <@> b.h AS d FROM doc a ORDER BY a.h <@> b.h LIMIT 5) n
                        WHERE b.id BETWEEN 1 AND 30) AS exact;

\echo '-- together with an exact condition that is as narrow, in any order, the search is exact'
CREATE FUNCTION together(condition text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE rows bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM doc b JOIN doc a ON ' || condition || ' WHERE b.id BETWEEN 1 AND 1000' INTO rows;
    RETURN rows;
END $$;
-- A join by all pairs would be exact.
SET simhash.enable_join = off;
SELECT condition, together(condition) = exact(8) AS exact FROM unnest(ARRAY[
    'a.h <@| simhash_ball(b.w, 8, 0.01, 1)',
    'a.h <@| simhash_ball(b.w, 8, 0.01, 1) AND a.h <@> b.h <= 9',
    'a.h <@| simhash_ball(b.w, 8, 0.01, 1) AND a.h <@> b.h <= 8',
    'a.h <@> b.w <= 8 AND a.h <@| simhash_ball(b.w, 8, 0.01, 1)',
    'a.h <@> b.w <= 8 AND a.h <@| simhash_ball(b.w, 9, 0.01, 1)',
    'a.h <@| simhash_ball(b.w, 9, 0.01, 1) AND a.h <@> b.w <= 8 AND a.h <@> b.h <= 10']) condition;

\echo '-- special cases'
SELECT count(*) FROM doc WHERE h <@> NULL::simhash_weights <= 3;
SELECT count(*) FROM doc a, (SELECT w FROM doc WHERE id = 77) b WHERE a.h <@> b.w <= -1;
SELECT count(*) FROM doc a, (SELECT w FROM doc WHERE id = 77) b WHERE a.h <@> b.w <= 64;
SELECT count(*) FROM doc a WHERE h <@> (array_fill(0, ARRAY[64])::real[])::simhash_weights <= 3;

\echo '-- the type: what is dumped comes back, and what is damaged does not'
CREATE FUNCTION ball(terms text, w text DEFAULT 'w') RETURNS text LANGUAGE sql AS
    $$ SELECT '<' || replace((SELECT array_agg(i)::real[]::simhash_weights::text FROM generate_series(-32, 31) i), '-32', w) || terms $$;
SELECT ball(',8,0.95,0>', '-32.5')::simhash_ball;
SELECT replace(ball(',8 ,  9.5e-1 , 7 > ', '-32.5'), ',', ' , ')::simhash_ball::text = ball(',8,0.95,7>', '-32.5') AS same;
SELECT simhash_ball(w, r, c, p)::text::simhash_ball::text = simhash_ball(w, r, c, p)::text AS same
FROM (VALUES (-5, 0.1 + 0.2, -7), (99, 1e-9, 0), (16, 1 / 3.0::float8, 2147483647), (0, 'NaN', 1)) v(r, c, p),
     (SELECT w FROM doc WHERE id = 77) d;
CREATE TABLE balls AS SELECT id, simhash_ball(w, id % 66 - 1, 1.0 / id, id) AS b FROM doc WHERE id BETWEEN 1 AND 300;
CREATE TABLE copied (LIKE balls);
DO $$
DECLARE form text; file text := current_setting('data_directory') || '/balls';
BEGIN
    FOREACH form IN ARRAY ARRAY['text', 'csv', 'binary'] LOOP
        EXECUTE format('COPY balls TO %L (FORMAT %s)', file, form);
        EXECUTE format('COPY copied FROM %L (FORMAT %s)', file, form);
    END LOOP;
END $$;
SELECT count(*) AS copied, count(*) FILTER (WHERE simhash_internal_ball_send(c.b) = simhash_internal_ball_send(b.b)) AS same
FROM copied c JOIN balls b USING (id);
SELECT count(*) FROM doc JOIN balls ON h <@| b WHERE balls.id = 20; -- radius 19, a recall of 0.05, 20 probes
\set VERBOSITY terse
DO $$
DECLARE damaged text;
BEGIN
    FOREACH damaged IN ARRAY ARRAY['', '<>', '<[],3>', '<[],3,1,0>', ball(',8,0.95,0', '1'), ball(',8,0.95>', '1'),
            ball(',8,0.95,0>', 'x'), ball(',8,0.95,0>', '1e30'), ball(',8,0.95,0> x', '1'), ball(',8,0.95,0,0>', '1'), ball(',8.5,0.95,0>', '1'),
            ball(',,0.95,0>', '1'), ball(',0x8,0.95,0>', '1'), ball(',8,NaN,0>', '1'), ball(',8,0.95,0.5>', '1'), ball(',65,0.95,0>', '1'),
            ball(',-2,0.95,0>', '1'), ball(',8,0,0>', '1'), ball(',8,1.1,0>', '1'), ball(',8,0.95,-1>', '1'),
            ball(',8,0.95,2147483648>', '1'), ball(',8,1e999,0>', '1')] LOOP
        BEGIN
            RAISE WARNING 'accepted: %', damaged::simhash_ball;
        EXCEPTION WHEN OTHERS THEN
            RAISE NOTICE '% %', SQLSTATE, regexp_replace(regexp_replace(SQLERRM, '\[.*\]', '[...]'), ': .*', '');
        END;
    END LOOP;
END $$;
\set VERBOSITY default
DROP TABLE balls, copied;
DROP FUNCTION ball;

\echo '-- Leaves that split after they were located and before they are read, and equal keys that fill several leaves: no row is'
\echo '-- lost or repeated. An unreachable target ends in an exact search, which skips what was read.'
CREATE TABLE crowd (id bigint, h simhash);
CREATE FUNCTION crowded(i bigint) RETURNS simhash LANGUAGE sql AS $$
    SELECT (-1::bigint # (1::bigint << (hashint8extended(i, 1) & 63)::int)
                       # (1::bigint << (hashint8extended(i, 2) & 63)::int)
                       # (1::bigint << (hashint8extended(i, 3) & 63)::int))::simhash $$;
INSERT INTO crowd SELECT i, crowded(i) FROM generate_series(1, 10000) i;
INSERT INTO crowd SELECT -i, 'ffffffffffffffff' FROM generate_series(1, 2000) i;
CREATE INDEX crowd_h ON crowd USING simhash (h);
SET enable_bitmapscan = off;
DO $$
DECLARE
    query simhash_weights := (SELECT array_agg(((j * 37) % 64 + 1)::real ORDER BY j)::simhash_weights FROM generate_series(0, 63) j);
    near CURSOR (radius integer) FOR SELECT id FROM crowd WHERE h <@| simhash_ball(query, radius, 0.999999999);
    radius integer; expected bigint; found bigint[]; next_id bigint := 10001;
BEGIN
    FOREACH radius IN ARRAY ARRAY[0, 2, 3] LOOP
        SELECT count(*) INTO expected FROM crowd WHERE h <@> query::simhash <= radius;
        found := '{}';
        FOR row IN near(radius) LOOP
            found := found || row.id;
            IF cardinality(found) % 1500 = 1 THEN
                INSERT INTO crowd SELECT i, crowded(i) FROM generate_series(next_id, next_id + 4000) i;
                next_id := next_id + 4001;
            END IF;
        END LOOP;
        RAISE NOTICE 'radius %: complete: %, twice: %', radius, cardinality(found) = expected,
            (SELECT count(*) - count(DISTINCT id) FROM unnest(found) id);
    END LOOP;
END $$;
RESET enable_bitmapscan;
DROP TABLE crowd;
DROP FUNCTION crowded;

\echo '-- With all weights equal, the memory for probes ends before the target is reached, and before all rows are found.'
CREATE FUNCTION found_at_random(n integer, target float8) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM doc WHERE h <@| simhash_ball((
        SELECT array_agg(CASE WHEN hashint8extended(n * 64 + bit, 5) > 0 THEN 1 ELSE -1 END ORDER BY bit)
        FROM generate_series(0, 63) AS bit)::real[]::simhash_weights, 16, target) $$;
SELECT sum(found_at_random(n, 0.9999999)) = sum(found_at_random(n, 1)) AS complete, sum(found_at_random(n, 1)) > 700 AS many
FROM generate_series(1, 600) AS n;
DROP FUNCTION found_at_random;

\echo '-- calibration'
CREATE TABLE pair AS
    SELECT a.w, b.h FROM doc a JOIN doc b ON b.id = a.id + 2000 WHERE a.id <= 1000
    ORDER BY hashint8(a.id); -- every second pair is used for fitting
SELECT radius, target, pairs, measured BETWEEN target - 0.05 AND 1 AS "recall as promised",
       abs(measured - predicted) < 0.05 AS "as predicted", leaves >= 1 AS read
FROM simhash_index_calibrate('doc_h', 'pair', 'w', 'h') ORDER BY 1, 2;
SELECT value AS fitted FROM simhash_index_stats('doc_h') WHERE name = 'fitted';
\echo '-- the model is not transactional, so a read-only transaction must not store one'
BEGIN READ ONLY;
SELECT count(*) FROM simhash_index_calibrate('doc_h', 'pair', 'w', 'h', store => false);
SELECT simhash_index_calibrate('doc_h', 'pair', 'w', 'h');
ROLLBACK;
SELECT simhash_index_calibrate('doc_h', 'pair', 'w', 'nothing');
SELECT simhash_index_calibrate('doc_h', 'pair', 'h', 'w');
SELECT simhash_index_calibrate('pair', 'pair', 'w', 'h');
CREATE TABLE few AS SELECT * FROM pair LIMIT 10;
SELECT simhash_index_calibrate('doc_h', 'few', 'w', 'h');
CREATE SEQUENCE called;
CREATE FUNCTION once(simhash_weights) RETURNS simhash_weights LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN CASE WHEN nextval('called') % 2 = 1 THEN $1 END; END $$;
CREATE VIEW not_again AS SELECT once(w) AS w, h FROM pair;
SELECT simhash_index_calibrate('doc_h', 'not_again', 'w', 'h');
DROP VIEW not_again;
CREATE ROLE guided_stranger;
SET ROLE guided_stranger;
SELECT simhash_index_calibrate('doc_h', 'pair', 'w', 'h');
RESET ROLE;
DROP ROLE guided_stranger;
\echo '-- Indexes that store what they extract are not searched by weights, and a column of another type is no fingerprint.'
CREATE TABLE extracted (w simhash_weights, body text, ball simhash_ball, h simhash);
CREATE INDEX extracted_body ON extracted USING simhash (body);
CREATE INDEX extracted_ball ON extracted USING simhash (ball);
SELECT simhash_index_calibrate('extracted_body', 'extracted', 'w', 'body');
SELECT simhash_index_calibrate('extracted_body', 'extracted', 'w', 'h', false);
SELECT simhash_index_calibrate('extracted_ball', 'extracted', 'w', 'ball');
SELECT value AS fitted FROM simhash_index_stats('extracted_body') WHERE name = 'fitted';

DROP TABLE doc, pair, few, extracted;
DROP FUNCTION word, found, found_by, exact, leaves, ordered, together;
