\set ECHO none
-- Joins by batches of searches: the matches of many balls, each leaf read once for all of them, as a nested loop finds them.
SET max_parallel_workers_per_gather = 0;
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common

-- 2000 documents of 80 words, and 1000 revisions with one to eight words changed
CREATE FUNCTION word(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT 'w' || (hashint8extended(n, 7) & 4095)::text $$;
CREATE TABLE doc AS SELECT id, w, w::simhash AS h FROM (
    SELECT i AS id, to_simhash_weights(string_agg(word(i * 1000 + j), ' ')) AS w
    FROM generate_series(1, 2000) i, generate_series(1, 80) j GROUP BY i
    UNION ALL
    SELECT 2000 + i, to_simhash_weights(string_agg(CASE WHEN j <= 1 + i % 8 THEN word(-(i * 1000 + j)) ELSE word(i * 1000 + j) END, ' '))
    FROM generate_series(1, 1000) i, generate_series(1, 80) j GROUP BY i) d;
-- skewed fingerprints, leaves of equal ones, and NULLs
INSERT INTO doc (id, h)
    SELECT 10000 + i, (hashint8extended(i, 1) & hashint8extended(i, 2) & hashint8extended(i, 3))::simhash FROM generate_series(1, 12000) i;
INSERT INTO doc (id, h) SELECT 40000 + i, 4711::bigint::simhash FROM generate_series(1, 1100) i;
INSERT INTO doc (id) SELECT 50000 + i FROM generate_series(1, 100) i;
INSERT INTO doc (id, h) SELECT 60000 + i, (4711 # (1 << i % 16))::bigint::simhash FROM generate_series(1, 100) i;
-- rows up to 8 bits from the equal ones, so that a search of many leaves finds the same rows in several places
INSERT INTO doc (id, h) SELECT 70000 + i, (4711::bigint # flips(i, 1 + i % 8))::simhash FROM generate_series(1, 900) i;
CREATE TABLE query AS SELECT id, w, h FROM doc WHERE w IS NOT NULL AND id % 10 = 1 OR id % 997 = 0 OR id BETWEEN 60080 AND 60086;

INSERT INTO query SELECT id, w, w::simhash FROM (
    SELECT 80000 + i AS id, array_agg((CASE WHEN (4711::bigint # flips(i, 3)) >> j & 1 = 1 THEN 1 ELSE -1 END)
               * (1 + (hashint8extended(j, i) & 255)) ORDER BY j)::real[]::simhash_weights AS w
    FROM generate_series(1, 6) i, generate_series(0, 63) j GROUP BY i) q;

-- Compares the matches with those of a nested loop: the missing, the wrong ones, those given twice, and all. By weights,
-- what more they are than the nested loop's: a search of few leaves is made exactly.
CREATE FUNCTION compare_balls(ball text, OUT missing bigint, OUT wrong bigint, OUT twice bigint, OUT more bigint, OUT matches bigint) LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = off;
    SET LOCAL simhash.enable_join = off;
    EXECUTE format('CREATE TEMP TABLE want AS SELECT q.id AS number, d.ctid AS match, d.h <@> q.h AS distance, d.tableoid::regclass AS match_table
                    FROM query q JOIN doc d ON d.h <@| %s', ball);
    SET LOCAL simhash.enable_join = on;
    SET LOCAL enable_nestloop = off;
    EXECUTE by_batches(format('CREATE TEMP TABLE got AS SELECT q.id AS number, d.ctid AS match, d.h <@> q.h AS distance, d.tableoid::regclass AS match_table
                    FROM query q JOIN doc d ON d.h <@| %s', ball));
    SELECT (SELECT count(*) FROM (TABLE want EXCEPT TABLE got) x), (SELECT count(*) - count(DISTINCT (number, match, match_table)) FROM got),
           (SELECT count(*) FROM (TABLE got EXCEPT TABLE want) x), (SELECT count(*) FROM got)
        INTO missing, twice, more, matches;
    EXECUTE format('SELECT count(*) FILTER (WHERE distance <> d.h <@> q.h OR NOT d.h <@| %s)
                    FROM got JOIN doc d ON d.ctid = match AND d.tableoid = match_table JOIN query q ON q.id = number', ball) INTO wrong;
    DROP TABLE want, got;
END $$;
-- The same for balls with a match, and for those without.
CREATE FUNCTION compare_first(ball text, OUT missing bigint, OUT extra bigint, OUT neither bigint, OUT matched bigint) LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL enable_nestloop = off;
    EXECUTE by_batches(format('CREATE TEMP TABLE got AS SELECT DISTINCT q.id FROM query q JOIN doc d ON d.h <@| %s', ball));
    EXECUTE by_batches(format('CREATE TEMP TABLE one AS SELECT id FROM query q WHERE EXISTS (SELECT FROM doc d WHERE d.h <@| %s)', ball));
    EXECUTE by_batches(format('CREATE TEMP TABLE none AS SELECT id FROM query q WHERE NOT EXISTS (SELECT FROM doc d WHERE d.h <@| %s)', ball));
    SELECT (SELECT count(*) FROM (TABLE got EXCEPT TABLE one) x), (SELECT count(*) FROM (TABLE one EXCEPT ALL TABLE got) x),
           (SELECT count(*) FROM (TABLE query_id EXCEPT ALL (TABLE one UNION ALL TABLE none)) x), (SELECT count(*) FROM one)
        INTO missing, extra, neither, matched;
    DROP TABLE got, one, none;
END $$;

CREATE TABLE query_id AS SELECT id FROM query;
CREATE INDEX doc_h ON doc USING simhash (h);
SELECT compare_balls('simhash_ball(q.w, 3, 0.95)'), compare_balls('simhash_ball(q.w, 8, 0.8)'), compare_balls('simhash_ball(q.h, 3)');
SELECT compare_balls('simhash_ball(q.w, q.id % 12, 0.9, q.id % 3)'), compare_balls('simhash_ball(q.h, q.id % 9 - 1)'), compare_balls('simhash_ball(q.w, 0, 1)');
SELECT compare_first('simhash_ball(q.w, 3, 0.95)'), compare_first('simhash_ball(q.h, 3)'), compare_first('simhash_ball(q.h, 7)');
\echo '-- little memory: many rounds, and queries that one round cannot hold'
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare_balls('simhash_ball(q.w, 3, 0.95)'), compare_balls('simhash_ball(q.w, q.id % 20, 0.99)'), compare_balls('simhash_ball(q.h, q.id % 7)');
\echo '-- each query reads all that it can by weights, and the rest exactly: no row may come twice'
SELECT compare_balls('simhash_ball(q.w, 7, 1, 1000000)'), compare_balls('simhash_ball(q.w, q.id % 11, 1, 20)');
SELECT compare_first('simhash_ball(q.w, 8, 0.9)'), compare_first('simhash_ball(q.h, q.id % 20)');
DROP INDEX doc_h;
\echo '-- an index that grows by splits, of one table; and one of many'
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = 1, fillfactor = 50);
INSERT INTO doc (id, h) SELECT id + 100000, h FROM doc WHERE id % 3 = 0;
UPDATE doc SET id = id + 1 WHERE id % 10 = 0;
DELETE FROM doc WHERE id % 7 = 0;
SELECT compare_balls('simhash_ball(q.w, 5, 0.95)'), compare_balls('simhash_ball(q.w, 16, 0.5)'), compare_balls('simhash_ball(q.h, 4)');
VACUUM doc;
SELECT compare_balls('simhash_ball(q.w, 5, 0.95)'), compare_first('simhash_ball(q.w, 5, 0.95)');
DROP INDEX doc_h;
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = 10);
RESET work_mem;
SELECT compare_balls('simhash_ball(q.w, 4, 0.95)'), compare_balls('simhash_ball(q.h, 5)'), compare_first('simhash_ball(q.w, 4, 0.95)');

\echo '-- leaves that split after they were noted: the query inserts rows when most of it has been read'
CREATE FUNCTION grow(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO doc (id, h) SELECT 1000000 + i, CASE WHEN i % 2 = 0 THEN hashint8extended(i, 3) ELSE 4711::bigint # flips(i, 1 + i % 8) END::simhash
        FROM generate_series(n * 100, n * 100 + 60) i;
    RETURN n;
END $$;
SET enable_nestloop = off;
CREATE TABLE want AS SELECT q.id AS number, d.ctid AS match, d.h <@> q.h AS distance, d.tableoid::regclass AS match_table FROM query q JOIN doc d ON (d.h <@> q.h)::int <= 5;
SET work_mem = '64MB';
CREATE TABLE got AS SELECT q.id AS number, d.ctid AS match, d.h <@> q.h AS distance, d.tableoid::regclass AS match_table
    FROM (SELECT id, h FROM query, generate_series(1, 9) UNION ALL SELECT grow(id), h FROM query OFFSET 0) q JOIN doc d ON d.h <@> q.h <= 5;
RESET work_mem;
RESET enable_nestloop;
SELECT (SELECT count(*) FROM (TABLE want EXCEPT ALL TABLE got) x) AS missing, (SELECT count(*) FROM (TABLE got EXCEPT TABLE want) x) AS wrong,
       (SELECT count(*) FROM got) = 10 * (SELECT count(*) FROM want) AS as_many, (SELECT count(*) FROM doc WHERE id > 1000000) AS inserted;
DROP TABLE want, got;

\echo '-- Queries that have no match in their likeliest leaf are planned again, here with a larger index.'
CREATE TABLE growing (h simhash NOT NULL);
CREATE INDEX growing_h ON growing USING simhash (h);
CREATE FUNCTION grow_to(rows integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO growing SELECT (hashint8extended(g, 5))::simhash FROM generate_series(1, rows) g;
    ANALYZE growing;
    RETURN 1;
END $$;
SET enable_nestloop = off;
SELECT count(*) FROM (SELECT (hashint8extended(g, 9))::simhash AS h FROM generate_series(1, 2000) g WHERE g <> 1500 OR grow_to(40000) = 1 OFFSET 0) q
    WHERE EXISTS (SELECT FROM growing d WHERE d.h <@| simhash_ball(q.h, 3));
SELECT count(*) FROM (SELECT (hashint8extended(g, 5) # 7)::simhash AS h FROM generate_series(1, 200) g OFFSET 0) q
    WHERE EXISTS (SELECT FROM growing d WHERE d.h <@| simhash_ball(q.h, 3));
DROP TABLE growing;
DROP FUNCTION grow_to;

DROP TABLE doc, query, query_id;
DROP FUNCTION word, flips, grow, compare_balls, compare_first;
