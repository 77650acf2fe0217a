-- simhash_pair_sample: some pairs of each distance with their exact similarity.
CREATE TABLE page (id int PRIMARY KEY, title text, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED);
INSERT INTO page SELECT i, 'page ' || i % 2, (SELECT string_agg('word' || (i / 4) * 1000 + n, ' ') FROM generate_series(1, 60) AS n)
    || repeat(' other' || i, i % 4) FROM generate_series(1, 400) AS i;
INSERT INTO page VALUES (1000, NULL, NULL);
CREATE INDEX page_h ON page USING simhash (h);
-- Each is a pair of the table at its distance, with the measures of its documents.
SELECT count(*) > 50 AS many, bool_and((x.h <@> y.h)::int = s.distance AND s.a < s.b) AS pairs, bool_and(s.distance <= 8) AS near,
    bool_and(s.cosine = feature_cosine(x.body, y.body)) AS cosine, bool_and(s.jaccard = feature_jaccard(x.body, y.body, 'word', 3)) AS jaccard,
    bool_and(s.a_table = 'page'::regclass AND s.b_table = 'page'::regclass) AS tables
FROM simhash_pair_sample('page_h', 'body') AS s JOIN page AS x ON x.ctid = s.a JOIN page AS y ON y.ctid = s.b;
-- At each distance as many as asked for, or all that there are, and none twice.
WITH found AS (SELECT distance, count(*) AS pairs FROM simhash_pairs('page_h', 5) GROUP BY 1),
     sample AS (SELECT distance, min(pairs) AS pairs, count(*) AS taken, count(DISTINCT (a, b)) AS different
                FROM simhash_pair_sample('page_h', 'body', 5, 7) GROUP BY 1)
SELECT count(*) > 2 AS several, bool_and(s.pairs = f.pairs AND taken = least(f.pairs, 7) AND different = taken) AS right
FROM found AS f FULL JOIN sample AS s USING (distance);
SELECT count(DISTINCT sample) > 1 AS random FROM (SELECT (SELECT string_agg(a::text || b, ',' ORDER BY a, b)
    FROM simhash_pair_sample('page_h', 'body', 8, i)) AS sample FROM unnest('{3,3,3,3}'::int[]) AS i) AS s;
-- The document is any expression of the table's columns.
SELECT bool_and(cosine = 1 OR cosine = 0.5) AS titles FROM simhash_pair_sample('page_h', 'coalesce(title, '''') -- a comment') AS s;
SELECT count(*) > 0 AS any, count(cosine) FROM simhash_pair_sample('page_h', 'NULL');
-- Partitions.
CREATE TABLE part (id int, body text, h simhash) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (10) TO (20);
INSERT INTO part SELECT i, 'text ' || i / 2 % 5, to_simhash('text ' || i / 2 % 5) FROM generate_series(0, 19) AS i;
CREATE INDEX part_h ON part USING simhash (h);
SELECT distance, pairs, count(*), count(*) FILTER (WHERE a_table <> b_table) AS across, min(cosine) AS cosine FROM simhash_pair_sample('part_h', 'part.body', 0) GROUP BY 1, 2;
SELECT distance, pairs, count(*), count(*) FILTER (WHERE a_table <> b_table) AS across, min(cosine) AS cosine FROM simhash_pair_sample('part_h', 'body', 0) GROUP BY 1, 2;
-- Errors.
\set VERBOSITY terse
SELECT * FROM simhash_pair_sample('page', 'body');
SELECT * FROM simhash_pair_sample('page_h', 'body', 8, 0);
SELECT * FROM simhash_pair_sample('page_h', 'missing');
SELECT count(*) FROM simhash_pair_sample('page_h', NULL);
SELECT * FROM simhash_pair_sample('page_pkey', 'body');
