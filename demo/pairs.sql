-- The variable radius is the greatest distance of a pair; any says whether there are pairs.
\pset footer off
\pset numericlocale on
SELECT clock_timestamp() AS start \gset
\set ECHO queries
CREATE TABLE pair AS
    SELECT x.id AS a, y.id AS b, (x.h <@> y.h)::int AS distance
    FROM page x JOIN page y ON x.h <@> y.h <= :radius AND x.id < y.id;
\set ECHO none
SELECT round(extract(epoch FROM clock_timestamp() - :'start') * 1000) AS milliseconds \gset
\echo
\set ECHO queries
CREATE TABLE member AS
    SELECT x.id, leader, feature_jaccard(x.body, y.body, 'word', 3) AS jaccard
    FROM (SELECT id, leader, count(*) OVER (PARTITION BY leader) AS size
        FROM (SELECT id, simhash_group(id, h, :radius) OVER (ORDER BY id) AS leader FROM page) g) g
        JOIN page x USING (id) JOIN page y ON y.id = leader WHERE size > 1;
\set ECHO none
ANALYZE pair, member;

-- Fingerprints propose, the texts decide: a confirmed near-duplicate shares four of five sequences of three words with the
-- first document of its group, the leader.
CREATE VIEW confirmed AS SELECT * FROM member WHERE id <> leader AND jaccard >= 0.8;

\if :any
\echo
SELECT count(*) AS pairs, :milliseconds AS "found in ms",
    (SELECT count(DISTINCT leader) FROM member WHERE id <> leader) AS groups,
    (SELECT count(*) FROM member WHERE id <> leader) AS "near-duplicates in them", (SELECT count(*) FROM confirmed) AS confirmed,
    (SELECT count(*) FROM member WHERE id <> leader AND jaccard < 0.8) AS "not confirmed", (SELECT count(h) FROM page) AS documents
FROM pair;
\echo Confirmed are those whose texts have a Jaccard similarity of at least 0.8 with the first document of their group, by
\echo sequences of three words. The largest groups of these:
\echo
SELECT count(*) + 1 AS documents, trunc(min(n.jaccard)::numeric, 2) AS "least similarity", min(p.kind) AS kind,
    CASE WHEN length(min(p.path)) > 80 THEN '…' || right(min(p.path), 79) ELSE min(p.path) END AS "one of them"
FROM confirmed n JOIN page p USING (id) GROUP BY leader ORDER BY count(*) DESC, leader LIMIT 6;
\endif

-- Examples: one or two of each kind, long texts from different groups.
CREATE TABLE example AS
SELECT row_number() OVER (ORDER BY kind, best, a) AS place, a, b, distance, kind FROM
    (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY md5(a::text)) AS best FROM
        (SELECT DISTINCT ON (m.leader) p.*, x.kind
         FROM pair p JOIN confirmed m ON (m.id = p.b AND m.leader = p.a) JOIN page x ON x.id = p.a JOIN page y ON y.id = p.b
         WHERE length(x.body) BETWEEN 1500 AND 50000 AND distance > 0 AND x.kind = y.kind
             AND abs(length(x.body) - length(y.body)) < length(x.body) / 30
         ORDER BY m.leader, distance DESC, a, b) AS one_a_group) AS ranked
WHERE best <= CASE kind WHEN 'manual page' THEN 2 WHEN 'HTML page' THEN 2 ELSE 1 END;
