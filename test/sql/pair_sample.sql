\set ECHO none
-- simhash_pair_sample: some pairs of each distance with their exact similarity.
CREATE TABLE page (id int PRIMARY KEY, title text, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED);
INSERT INTO page SELECT i, 'page ' || i % 2, (SELECT string_agg('word' || (i / 4) * 1000 + n, ' ') FROM generate_series(1, 60) AS n)
    || repeat(' other' || i, i % 4) FROM generate_series(1, 400) AS i;
INSERT INTO page VALUES (1000, NULL, NULL);
CREATE INDEX page_h ON page USING simhash (h);
\echo '-- Each is a pair of the table at its distance, with the measures of its documents.'
SELECT count(*) > 50 AS many, bool_and((x.h <@> y.h)::int = s.distance AND s.a < s.b) AS pairs, bool_and(s.distance <= 8) AS near,
    bool_and(s.cosine = feature_cosine(x.body, y.body)) AS cosine, bool_and(s.jaccard = feature_jaccard(x.body, y.body, 'word', 3)) AS jaccard,
    bool_and(s.a_table = 'page'::regclass AND s.b_table = 'page'::regclass) AS tables
FROM simhash_pair_sample('page_h', 'body') AS s JOIN page AS x ON x.ctid = s.a JOIN page AS y ON y.ctid = s.b;
\echo '-- At each distance as many as asked for, or all that there are, and none twice.'
WITH found AS (SELECT distance, count(*) AS pairs FROM (SELECT (x.h <@> y.h)::int AS distance FROM page x JOIN page y ON x.h <@> y.h <= 5 AND x.ctid < y.ctid) p GROUP BY 1),
     sample AS (SELECT distance, min(pairs) AS pairs, count(*) AS taken, count(DISTINCT (a, b)) AS different
                FROM simhash_pair_sample('page_h', 'body', 5, 7) GROUP BY 1)
SELECT count(*) > 2 AS several, bool_and(s.pairs = f.pairs AND taken = least(f.pairs, 7) AND different = taken) AS right
FROM found AS f FULL JOIN sample AS s USING (distance);
SELECT count(DISTINCT sample) > 1 AS random FROM (SELECT (SELECT string_agg(a::text || b, ',' ORDER BY a, b)
    FROM simhash_pair_sample('page_h', 'body', 8, i)) AS sample FROM unnest('{3,3,3,3}'::int[]) AS i) AS s;
\echo '-- The document is any expression of the table''s columns.'
SELECT bool_and(cosine = 1 OR cosine = 0.5) AS titles FROM simhash_pair_sample('page_h', 'coalesce(title, '''') -- a comment') AS s;
SELECT count(*) > 0 AS any, count(cosine) FROM simhash_pair_sample('page_h', 'NULL');
\echo '-- Partitions.'
CREATE TABLE part (id int, body text, h simhash) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (10) TO (20);
INSERT INTO part SELECT i, 'text ' || i / 2 % 5, to_simhash('text ' || i / 2 % 5) FROM generate_series(0, 19) AS i;
CREATE INDEX part_h ON part USING simhash (h);
SELECT distance, pairs, count(*), count(*) FILTER (WHERE a_table <> b_table) AS across, min(cosine) AS cosine FROM simhash_pair_sample('part_h', 'part.body', 0) GROUP BY 1, 2;
SELECT distance, pairs, count(*), count(*) FILTER (WHERE a_table <> b_table) AS across, min(cosine) AS cosine FROM simhash_pair_sample('part_h', 'body', 0) GROUP BY 1, 2;
\echo '-- A table whose name and columns are like those of the sample: the expression sees those of the table alone.'
CREATE TABLE pair (a int, distance text, h simhash);
INSERT INTO pair SELECT i, 'text ' || i % 3, (i % 9)::bigint::simhash FROM generate_series(1, 50) AS i;
CREATE INDEX pair_h ON pair USING simhash (h);
SELECT bool_and(cosine = feature_cosine(x.distance, y.distance)) AS right, count(*) FROM simhash_pair_sample('pair_h', 'distance') AS s
    JOIN pair AS x ON x.ctid = s.a JOIN pair AS y ON y.ctid = s.b;
DO $$ BEGIN PERFORM simhash_pair_sample('page_h', 'a::text'); EXCEPTION WHEN undefined_column THEN RAISE NOTICE '%', SQLERRM; END $$;
DO $$ BEGIN PERFORM simhash_pair_sample('page_h', 'pairs::text'); EXCEPTION WHEN undefined_column THEN RAISE NOTICE '%', SQLERRM; END $$;
\echo '-- The index of a table with children has none of their rows.'
CREATE TABLE child () INHERITS (pair);
INSERT INTO child SELECT * FROM pair;
SELECT count(*), count(DISTINCT a_table) AS tables FROM simhash_pair_sample('pair_h', 'distance');
\echo '-- Rights on the columns and on ctid are enough.'
CREATE ROLE pair_reader;
GRANT SELECT (a, h, ctid) ON pair TO pair_reader;
SET ROLE pair_reader;
SELECT count(*) FROM simhash_pair_sample('pair_h', 'a::text');
RESET ROLE;
DROP TABLE pair, child;
DROP ROLE pair_reader;
\echo '-- Errors.'
\set VERBOSITY terse
SELECT * FROM simhash_pair_sample('page', 'body');
SELECT * FROM simhash_pair_sample('page_h', 'body', 8, 0);
DO $$ BEGIN PERFORM simhash_pair_sample('page_h', 'missing'); EXCEPTION WHEN undefined_column THEN RAISE NOTICE '%', SQLERRM; END $$;
SELECT count(*) FROM simhash_pair_sample('page_h', NULL);
SELECT * FROM simhash_pair_sample('page_pkey', 'body');
SELECT * FROM simhash_pair_sample(1, 'body');
DO $$ BEGIN PERFORM simhash_pair_sample('page_h', 'generate_series(1, 2)::text'); EXCEPTION WHEN cardinality_violation THEN RAISE NOTICE '%', SQLERRM; END $$;
\echo '-- What is not one expression is refused before anything is read, whatever it would become between the parentheses.'
CREATE FUNCTION refusal(document text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN RETURN (SELECT count(*) FROM simhash_pair_sample('page_h', document)); EXCEPTION WHEN syntax_error THEN RETURN SQLERRM; END $$;
SELECT refusal(document) FROM unnest(ARRAY['', '*', 'body, title', 'body AS b', 'body b', 'body FROM page', 'body WHERE true', 'body ORDER BY 1',
    'body LIMIT 1', 'body UNION SELECT title', 'DISTINCT body', 'body INTO x', 'body; SELECT 1', 'body) || (title', '(body', 'body)',
    $$1) AS document, (SELECT 'x'$$, $x$$d$ 'x'$x$, 'body /*', '"body', 'body FOR UPDATE',
    'body GROUP BY 1', 'body HAVING true', 'body WINDOW w AS ()', 'body OFFSET 1', '-- nothing']) document;
SELECT refusal(document) > '0' AS works FROM unnest(ARRAY['(SELECT body)', 'body || title', 'CASE WHEN true THEN body END', '((body))', 'page.*', $q$'(' || body || $d$)$d$$q$,
    '/* ( */ body -- )', 'page', 'body::varchar COLLATE "C"', '(SELECT title FROM page LIMIT 1)',
    $x$ $d$ 'x') AS document, pg_sleep(0), ('$d$ $x$]) document;
\echo '-- Functions of others may have taken the place of those that the query calls.'
BEGIN;
ALTER FUNCTION feature_cosine(text, text, text, integer) RENAME TO old_cosine;
CREATE FUNCTION feature_cosine(text, text) RETURNS text LANGUAGE sql AS $$ SELECT 'far'::text $$;
SELECT * FROM simhash_pair_sample('page_h', 'body');
ROLLBACK;
\echo '-- It ends whatever the rows are: rows with equal fingerprints are not compared with each other.'
\set VERBOSITY default
SET temp_file_limit = '10MB';
CREATE TABLE blank AS SELECT i AS id, CASE WHEN i <= 30000 THEN (i % 2)::bit(64)::simhash WHEN i <= 30010 THEN 7::bit(64)::simhash
    ELSE hashint8extended(i / 2, 1)::simhash END AS h FROM generate_series(1, 40000) AS i;
CREATE INDEX blank_h ON blank USING simhash (h);
SELECT distance, pairs, count(*), count(DISTINCT (a, b)) AS different, bool_and(a < b) AS ordered
FROM simhash_pair_sample('blank_h', 'h::text', 3) GROUP BY 1, 2 ORDER BY 1;
\echo '-- The counts are those of all pairs, in every part of the memory.'
CREATE TABLE copies AS SELECT i AS id, (i % 4096)::bit(64)::simhash AS h FROM generate_series(1, 20000) AS i;
CREATE INDEX copies_h ON copies USING simhash (h);
SET work_mem = '64kB';
RESET temp_file_limit;
SELECT count(*) AS distances, bool_and(s.pairs = p.pairs) AS right FROM
    (SELECT distance, min(pairs) AS pairs FROM simhash_pair_sample('copies_h', 'h::text', 2, 10) GROUP BY 1) AS s
    FULL JOIN (WITH value AS (SELECT h, count(*) AS rows FROM copies GROUP BY 1)
        SELECT (x.h <@> y.h)::int AS distance, sum(CASE WHEN x.h = y.h THEN x.rows * (x.rows - 1) / 2 ELSE x.rows * y.rows END) AS pairs
        FROM value AS x JOIN value AS y ON x.h <= y.h AND x.h <@> y.h <= 2 GROUP BY 1) AS p USING (distance);
\echo '-- A join in parts of the rows meets some pairs of groups more than once.'
CREATE TABLE met_again AS SELECT i AS id, (i % 1400)::bit(64)::simhash AS h FROM generate_series(1, 8000) AS i;
CREATE INDEX met_again_h ON met_again USING simhash (h);
SELECT count(*) AS distances, bool_and(s.pairs = p.pairs) AS right FROM
    (SELECT distance, min(pairs) AS pairs FROM simhash_pair_sample('met_again_h', 'h::text', 7, 10) GROUP BY 1) AS s
    FULL JOIN (WITH value AS (SELECT h, count(*) AS rows FROM met_again GROUP BY 1)
        SELECT (x.h <@> y.h)::int AS distance, sum(CASE WHEN x.h = y.h THEN x.rows * (x.rows - 1) / 2 ELSE x.rows * y.rows END) AS pairs
        FROM value AS x JOIN value AS y ON x.h <= y.h AND x.h <@> y.h <= 7 GROUP BY 1) AS p USING (distance);
RESET work_mem;
\echo '-- Every pair of equal rows has the same chance.'
SELECT count(DISTINCT a) > 3000 AS a, count(DISTINCT b) > 3000 AS b FROM simhash_pair_sample('copies_h', 'h::text', 0, 10000);
\echo '-- Many near rows that are not equal.'
CREATE TABLE cluster AS SELECT i AS id, ((1::bigint << (i % 61)::int) | (1::bigint << (i / 61 % 59)::int))::simhash AS h FROM generate_series(1, 6000) AS i;
CREATE INDEX cluster_h ON cluster USING simhash (h);
SELECT s.distance, sum(s.pairs) BETWEEN 0.9 * min(t.pairs) AND 1.1 * min(t.pairs) AS right FROM
    (SELECT distance, min(pairs) AS pairs FROM simhash_pair_sample('cluster_h', 'h::text', 8, 10) GROUP BY 1) AS s
    JOIN (SELECT (x.h <@> y.h)::int AS distance, count(*) AS pairs FROM cluster AS x JOIN cluster AS y ON x.id < y.id GROUP BY 1) AS t USING (distance)
GROUP BY 1 ORDER BY 1;
CREATE TABLE picture AS SELECT i AS id, CASE WHEN i <= 20000 THEN repeat('0', 256)::bit(256) WHEN i <= 20010 THEN ('1' || repeat('0', 255))::bit(256)
    ELSE ('x' || md5(i::text) || md5('b' || i))::bit(256) END AS sig FROM generate_series(1, 25000) AS i;
CREATE INDEX picture_sig ON picture USING simhash (sig);
SELECT distance, pairs, count(*), count(DISTINCT (a, b)) AS different FROM simhash_pair_sample('picture_sig', 'sig::text', 3, 1000) GROUP BY 1, 2 ORDER BY 1;
SELECT * FROM simhash_pair_sample('picture_sig', 'sig::text', -1);
