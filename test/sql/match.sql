\set ECHO none
-- simhash_match: the matches of many balls, each leaf read once for all of them, as a nested loop finds them.
SET max_parallel_workers_per_gather = 0;
SET simhash.enable_join = off;

-- 2000 documents of 80 words, and 1000 revisions with one to eight words changed
CREATE FUNCTION word(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT 'w' || (hashint8extended(n, 7) & 4095)::text $$;
CREATE TABLE doc AS
    SELECT i AS id, to_simhash_weights(string_agg(word(i * 1000 + j), ' ')) AS w
    FROM generate_series(1, 2000) i, generate_series(1, 80) j GROUP BY i
    UNION ALL
    SELECT 2000 + i, to_simhash_weights(string_agg(CASE WHEN j <= 1 + i % 8 THEN word(-(i * 1000 + j)) ELSE word(i * 1000 + j) END, ' '))
    FROM generate_series(1, 1000) i, generate_series(1, 80) j GROUP BY i;
ALTER TABLE doc ADD h simhash;
UPDATE doc SET h = w::simhash;
-- skewed fingerprints, leaves of equal ones, and NULLs
INSERT INTO doc (id, h)
    SELECT 10000 + i, (hashint8extended(i, 1) & hashint8extended(i, 2) & hashint8extended(i, 3))::simhash FROM generate_series(1, 12000) i;
INSERT INTO doc (id, h) SELECT 40000 + i, 4711::bigint::simhash FROM generate_series(1, 1100) i;
INSERT INTO doc (id) SELECT 50000 + i FROM generate_series(1, 100) i;
INSERT INTO doc (id, h) SELECT 60000 + i, (4711 # (1 << i % 16))::bigint::simhash FROM generate_series(1, 100) i;
-- rows up to 8 bits from the equal ones, so that a search of many leaves finds the same rows in several places
CREATE FUNCTION flips(n bigint, bits bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    flips bigint := 0;
BEGIN
    FOR i IN 1 .. bits LOOP
        flips := flips # (1::bigint << (hashint8extended(n, i) & 63)::int);
    END LOOP;
    RETURN flips;
END $$;
INSERT INTO doc (id, h) SELECT 70000 + i, (4711::bigint # flips(i, 1 + i % 8))::simhash FROM generate_series(1, 900) i;
CREATE TABLE query AS SELECT id, w, h FROM doc WHERE w IS NOT NULL AND id % 10 = 1 OR id % 997 = 0 OR id BETWEEN 60080 AND 60086;

INSERT INTO query SELECT id, w, w::simhash FROM (
    SELECT 80000 + i AS id, array_agg((CASE WHEN (4711::bigint # flips(i, 3)) >> j & 1 = 1 THEN 1 ELSE -1 END)
               * (1 + (hashint8extended(j, i) & 255)) ORDER BY j)::real[]::simhash_weights AS w
    FROM generate_series(1, 6) i, generate_series(0, 63) j GROUP BY i) q;

-- Compares the matches with those of a nested loop: the missing, the wrong ones, those given twice, and all. By weights,
-- what more they are than the nested loop's: a search of few leaves is made exactly.
CREATE FUNCTION compare(ball text, OUT missing bigint, OUT wrong bigint, OUT twice bigint, OUT more bigint, OUT matches bigint) LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = off;
    EXECUTE format('CREATE TEMP TABLE want AS SELECT q.id AS number, d.ctid AS match, d.h <@> q.h AS distance, d.tableoid::regclass AS match_table
                    FROM query q JOIN doc d ON d.h <@| %s', ball);
    EXECUTE format('CREATE TEMP TABLE got AS SELECT * FROM simhash_match(''doc_h'', %L)',
                   'SELECT id, ' || ball || ' FROM query q');
    SELECT (SELECT count(*) FROM (TABLE want EXCEPT TABLE got) x), (SELECT count(*) - count(DISTINCT (number, match, match_table)) FROM got),
           (SELECT count(*) FROM (TABLE got EXCEPT TABLE want) x), (SELECT count(*) FROM got)
        INTO missing, twice, more, matches;
    EXECUTE format('SELECT count(*) FILTER (WHERE distance <> d.h <@> q.h OR NOT d.h <@| %s)
                    FROM got JOIN doc d ON d.ctid = match AND d.tableoid = match_table JOIN query q ON q.id = number', ball) INTO wrong;
    DROP TABLE want, got;
END $$;
\echo '-- The same for one match of each ball.'
CREATE FUNCTION compare_first(ball text, OUT missing bigint, OUT extra bigint, OUT twice bigint, OUT wrong bigint, OUT matches bigint)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TEMP TABLE one AS SELECT * FROM simhash_match(''doc_h'', %1$L, first_only => true);
                    CREATE TEMP TABLE got AS SELECT * FROM simhash_match(''doc_h'', %1$L)',
                   'SELECT id, ' || ball || ' FROM query q');
    SELECT (SELECT count(*) FROM (SELECT number FROM got EXCEPT SELECT number FROM one) x),
           (SELECT count(*) FROM (TABLE one EXCEPT TABLE got) x),
           (SELECT count(*) - count(DISTINCT number) FROM one),
           (SELECT count(*) FROM one JOIN query q ON q.id = number JOIN doc d ON d.ctid = match AND d.tableoid = match_table WHERE d.h <@> q.h <> distance),
           (SELECT count(*) FROM one)
        INTO missing, extra, twice, wrong, matches;
    DROP TABLE one, got;
END $$;

CREATE INDEX doc_h ON doc USING simhash (h);
SELECT compare('simhash_ball(q.w, 3, 0.95)'), compare('simhash_ball(q.w, 8, 0.8)'), compare('simhash_ball(q.h, 3)');
SELECT compare('simhash_ball(q.w, q.id % 12, 0.9, q.id % 3)'), compare('simhash_ball(q.h, q.id % 9 - 1)'), compare('simhash_ball(q.w, 0, 1)');
SELECT compare_first('simhash_ball(q.w, 3, 0.95)'), compare_first('simhash_ball(q.h, 3)'), compare_first('simhash_ball(q.h, 7)');
\echo '-- little memory: many rounds, and queries that one round cannot hold'
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('simhash_ball(q.w, 3, 0.95)'), compare('simhash_ball(q.w, q.id % 20, 0.99)'), compare('simhash_ball(q.h, q.id % 7)');
\echo '-- each query reads all that it can by weights, and the rest exactly: no row may come twice'
SELECT compare('simhash_ball(q.w, 7, 1, 1000000)'), compare('simhash_ball(q.w, q.id % 11, 1, 20)');
SELECT compare_first('simhash_ball(q.w, 8, 0.9)'), compare_first('simhash_ball(q.h, q.id % 20)');
DROP INDEX doc_h;
\echo '-- an index that grows by splits, of one table; and one of many'
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = 1, fillfactor = 50);
INSERT INTO doc (id, h) SELECT id + 100000, h FROM doc WHERE id % 3 = 0;
UPDATE doc SET id = id + 1 WHERE id % 10 = 0;
DELETE FROM doc WHERE id % 7 = 0;
SELECT compare('simhash_ball(q.w, 5, 0.95)'), compare('simhash_ball(q.w, 16, 0.5)'), compare('simhash_ball(q.h, 4)');
VACUUM doc;
SELECT compare('simhash_ball(q.w, 5, 0.95)'), compare_first('simhash_ball(q.w, 5, 0.95)');
DROP INDEX doc_h;
CREATE INDEX doc_h ON doc USING simhash (h) WITH (trees = 10);
RESET work_mem;
SELECT compare('simhash_ball(q.w, 4, 0.95)'), compare('simhash_ball(q.h, 5)'), compare_first('simhash_ball(q.w, 4, 0.95)');

\echo '-- leaves that split after they were noted: the query inserts rows when most of it has been read'
CREATE FUNCTION grow(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO doc (id, h) SELECT 1000000 + i, CASE WHEN i % 2 = 0 THEN hashint8extended(i, 3) ELSE 4711::bigint # flips(i, 1 + i % 8) END::simhash
        FROM generate_series(n * 100, n * 100 + 60) i;
    RETURN n;
END $$;
CREATE TABLE want AS SELECT q.id AS number, d.ctid AS match, d.h <@> q.h AS distance, d.tableoid::regclass AS match_table FROM query q JOIN doc d ON d.h <@> q.h <= 5;
SET work_mem = '64MB';
CREATE TABLE got AS SELECT * FROM simhash_match('doc_h', 'SELECT id, simhash_ball(h, 5) FROM query, generate_series(1, 9)
    UNION ALL SELECT grow(id), simhash_ball(h, 5) FROM query');
RESET work_mem;
SELECT (SELECT count(*) FROM (TABLE want EXCEPT ALL TABLE got) x) AS missing, (SELECT count(*) FROM (TABLE got EXCEPT TABLE want) x) AS wrong,
       (SELECT count(*) FROM got) = 10 * (SELECT count(*) FROM want) AS as_many, (SELECT count(*) FROM doc WHERE id > 1000000) AS inserted;
DROP TABLE want, got;

\echo '-- no queries, no rows, no ball; all rows; equal numbers'
SELECT * FROM simhash_match('doc_h', 'SELECT id, simhash_ball(h, 3) FROM query WHERE false');
SELECT count(*) FROM simhash_match('doc_h', 'SELECT 1, NULL::simhash_ball UNION ALL SELECT 2, simhash_ball(1::bigint::simhash, -1)');
SELECT number, count(*) = (SELECT count(h) FROM doc) AS everything
FROM simhash_match('doc_h', 'SELECT 1::smallint, simhash_ball(h, 64) FROM query WHERE id = 1') GROUP BY number;
SELECT number, count(*) FROM simhash_match('doc_h', 'SELECT 7, simhash_ball(h, 0) FROM query, generate_series(1, 2) WHERE id = 60081') GROUP BY number;
CREATE TABLE empty (h simhash);
CREATE INDEX empty_h ON empty USING simhash (h);
SELECT * FROM simhash_match('empty_h', 'SELECT id, simhash_ball(h, 3) FROM query');
SELECT simhash_match('empty_h', NULL);

\echo '-- errors'
SELECT * FROM simhash_match('doc_h', 'SELECT 1');
SELECT * FROM simhash_match('doc_h', 'SELECT 1.5, simhash_ball(h, 3) FROM query');
SELECT * FROM simhash_match('doc_h', 'SELECT id, h FROM query');
SELECT * FROM simhash_match('doc_h', 'SELECT NULL::int, simhash_ball(h, 3) FROM query');
SELECT * FROM simhash_match('doc_h', 'SELECT 1; SELECT 2');
SELECT * FROM simhash_match('doc_h', 'DELETE FROM query');
SELECT * FROM simhash_match('doc_h', 'DELETE FROM query RETURNING id, simhash_ball(h, 3)');
SELECT * FROM simhash_match('doc', 'SELECT id, simhash_ball(h, 3) FROM query');
CREATE TABLE wide (s bit(256));
CREATE INDEX wide_s ON wide USING simhash (s);
SELECT * FROM simhash_match('wide_s', 'SELECT id, simhash_ball(h, 3) FROM query');

\echo '-- partitions: one nested, one without rows; the query runs once'
ALTER TABLE doc RENAME TO doc_whole;
ALTER INDEX doc_h RENAME TO doc_whole_h;
CREATE TABLE doc (LIKE doc_whole) PARTITION BY RANGE (id);
CREATE TABLE doc_1 PARTITION OF doc FOR VALUES FROM (MINVALUE) TO (2000);
CREATE TABLE doc_2 PARTITION OF doc FOR VALUES FROM (2000) TO (30000) PARTITION BY HASH (id);
CREATE TABLE doc_2_1 PARTITION OF doc_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE doc_2_2 PARTITION OF doc_2 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE doc_3 PARTITION OF doc FOR VALUES FROM (30000) TO (65000);
CREATE TABLE doc_4 PARTITION OF doc FOR VALUES FROM (65000) TO (MAXVALUE);
CREATE TABLE doc_5 PARTITION OF doc DEFAULT;
CREATE INDEX doc_h ON doc USING simhash (h);
SELECT * FROM simhash_match('doc_h', 'SELECT id, simhash_ball(h, 3) FROM query');
INSERT INTO doc TABLE doc_whole;
DELETE FROM doc WHERE id % 17 = 0;
ANALYZE doc;
SELECT ball, c.missing, c.wrong, c.twice, c.matches > 5000 AS many
FROM unnest(ARRAY['simhash_ball(q.w, 3, 0.95)', 'simhash_ball(q.w, 8, 0.8)', 'simhash_ball(q.h, q.id % 9)']) ball, compare(ball) c;
SELECT ball, c.missing, c.extra, c.twice, c.wrong, c.matches > 150 AS many
FROM unnest(ARRAY['simhash_ball(q.w, 5, 0.95)', 'simhash_ball(q.h, 7)']) ball, compare_first(ball) c;
SET work_mem = '64kB';
SELECT ball, c.missing, c.wrong, c.twice, c.matches > 5000 AS many
FROM unnest(ARRAY['simhash_ball(q.w, q.id % 20, 0.99)', 'simhash_ball(q.h, q.id % 7)']) ball, compare(ball) c;
SELECT ball, c.missing, c.extra, c.twice, c.wrong, c.matches > 150 AS many FROM unnest(ARRAY['simhash_ball(q.w, 8, 0.9)']) ball, compare_first(ball) c;
RESET work_mem;
SELECT count(DISTINCT match_table) AS tables FROM simhash_match('doc_h', 'SELECT 1::smallint, simhash_ball(h, 64) FROM query WHERE id = 1');
CREATE SEQUENCE run;
SELECT count(*) = 3 * (SELECT count(*) FROM doc WHERE (h <@> 4711::bigint::simhash)::int <= 2) AS as_many, currval('run') AS run
FROM simhash_match('doc_h', 'SELECT nextval(''run''), simhash_ball(4711::bigint::simhash, 2) FROM generate_series(1, 3)');
SELECT * FROM simhash_match('doc_h', 'SELECT id, h FROM query');
SELECT * FROM simhash_match('doc_h', 'SELECT id, simhash_ball(h, 3) FROM query WHERE false');
DROP SEQUENCE run;
DROP TABLE doc;
ALTER TABLE doc_whole RENAME TO doc;
ALTER INDEX doc_whole_h RENAME TO doc_h;

\echo '-- The estimate is one match a ball: few matches are fetched by ctid. The query is planned, not run.'
ANALYZE doc, query;
CREATE SEQUENCE run;
SELECT nextval('run');
EXPLAIN (COSTS OFF) SELECT doc.id FROM simhash_match('doc_h', 'SELECT id, simhash_ball(h, 3) FROM query WHERE id <= 5') m JOIN doc ON doc.ctid = m.match;
\echo '-- A twentieth of a table, too, if random pages cost what they do in memory.'
CREATE TABLE long_doc AS SELECT n AS id, hashint8extended(n, 5)::simhash AS h, repeat('x', 1000) AS body FROM generate_series(1, 4000) n;
CREATE INDEX long_doc_h ON long_doc USING simhash (h);
VACUUM ANALYZE long_doc;
SET random_page_cost = 1.1;
EXPLAIN (COSTS OFF) SELECT d.id FROM simhash_match('long_doc_h', 'SELECT id, simhash_ball(h, 3) FROM long_doc WHERE id <= 200') m JOIN long_doc d ON d.ctid = m.match;
SELECT count(*), count(*) FILTER (WHERE d.id = m.number) FROM simhash_match('long_doc_h', 'SELECT id, simhash_ball(h, 3) FROM long_doc WHERE id <= 200') m
    JOIN long_doc d ON d.ctid = m.match;
RESET random_page_cost;
DROP TABLE long_doc;
EXPLAIN SELECT FROM simhash_match('doc_h', 'SELECT nextval(''run''), simhash_ball(h, 3) FROM query LIMIT 7');
EXPLAIN SELECT FROM simhash_match('doc_h', 'SELECT number, simhash_ball(h, 3) FROM simhash_match(''doc_h'', ''SELECT id, simhash_ball(h, 3) FROM query LIMIT 4'') m, LATERAL (SELECT h FROM query LIMIT 1) q');
EXPLAIN SELECT FROM simhash_match('doc_h', 'DELETE FROM query');
EXPLAIN SELECT FROM simhash_match('doc_h', 'nonsense');
SELECT currval('run');
DROP SEQUENCE run;

\echo '-- privileges, and row-level security'
CREATE ROLE regress_match;
GRANT SELECT ON query TO regress_match;
SET ROLE regress_match;
SELECT * FROM simhash_match('doc_h', 'SELECT id, simhash_ball(h, 3) FROM query');
RESET ROLE;
GRANT SELECT ON doc TO regress_match;
REVOKE SELECT ON query FROM regress_match;
SET ROLE regress_match;
SELECT * FROM simhash_match('doc_h', 'SELECT id, simhash_ball(h, 3) FROM query');
SELECT count(*) > 0 FROM simhash_match('doc_h', 'SELECT 1, simhash_ball(4711::bigint::simhash, 3)');
RESET ROLE;
ALTER TABLE doc ENABLE ROW LEVEL SECURITY;
SET ROLE regress_match;
SELECT * FROM simhash_match('doc_h', 'SELECT 1, simhash_ball(4711::bigint::simhash, 3)');
RESET ROLE;
\echo '-- Queries that have no match in their likeliest leaf are planned again, here with a larger index.'
CREATE TABLE growing (h simhash NOT NULL);
CREATE INDEX growing_h ON growing USING simhash (h);
CREATE FUNCTION grow_to(rows integer) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO growing SELECT (hashint8extended(g, 5))::simhash FROM generate_series(1, rows) g;
    ANALYZE growing;
    RETURN 1;
END $$;
SELECT count(*) FROM simhash_match('growing_h', 'SELECT g, simhash_ball((hashint8extended(g, 9))::simhash, 3)
    FROM generate_series(1, 2000) g WHERE g <> 1500 OR grow_to(40000) = 1', true);
SELECT count(*) FROM simhash_match('growing_h', 'SELECT g, simhash_ball((hashint8extended(g, 5) # 7)::simhash, 3) FROM generate_series(1, 200) g', true);
DROP TABLE growing;
DROP FUNCTION grow_to;

DROP TABLE doc, query, empty, wide;
DROP FUNCTION word, flips, grow, compare, compare_first;
DROP ROLE regress_match;
