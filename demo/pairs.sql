-- The variable condition says which texts are near-copies; any is set to whether there are some.
\pset footer off
\pset numericlocale on
SELECT clock_timestamp() AS start \gset
\set ECHO queries
CREATE TABLE pair AS
    SELECT x.id AS a, y.id AS b FROM page x JOIN page y ON :condition AND x.id < y.id;
\set ECHO none
SELECT round(extract(epoch FROM clock_timestamp() - :'start') * 1000) AS milliseconds \gset
\echo
\set ECHO queries
CREATE TABLE member AS
    SELECT g.member AS id, g.leader, feature_jaccard(x.body, y.body, 'word', 3) AS jaccard
    FROM (SELECT array_agg(a) AS a, array_agg(b) AS b FROM pair) p, simhash_pair_groups(p.a, p.b) g
        JOIN page x ON x.id = g.member JOIN page y ON y.id = g.leader;
\set ECHO none
ANALYZE pair, member;

SELECT count(*) > 0 AS any FROM pair \gset
\if :any
\echo
SELECT count(*) AS pairs, :milliseconds AS "found in ms", (SELECT count(DISTINCT leader) FROM member WHERE id <> leader) AS groups,
    (SELECT count(*) FROM member WHERE id <> leader) AS "near-copies in them", (SELECT count(*) FROM page) AS documents
FROM pair;
\echo A group has a first document, the leader, and its near-copies. The largest groups:
\echo
SELECT count(*) AS documents, trunc(min(m.jaccard)::numeric, 2) AS "least similarity", min(p.kind) AS kind,
    CASE WHEN length(min(p.path)) > 80 THEN '…' || right(min(p.path), 79) ELSE min(p.path) END AS "one of them"
FROM member m JOIN page p USING (id) GROUP BY leader ORDER BY count(*) DESC, leader LIMIT 6;
\endif

-- Examples: one or two of each kind, long texts from different groups.
CREATE TABLE example AS
SELECT row_number() OVER (ORDER BY kind, best, a) AS place, a, b, trunc(jaccard::numeric, 2) AS similarity, kind FROM
    (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY md5(a::text)) AS best FROM
        (SELECT DISTINCT ON (m.leader) m.leader AS a, m.id AS b, m.jaccard, x.kind
         FROM member m JOIN page x ON x.id = m.leader JOIN page y ON y.id = m.id
         WHERE m.id <> m.leader AND length(x.body) BETWEEN 1500 AND 50000 AND x.kind = y.kind
             AND abs(length(x.body) - length(y.body)) < length(x.body) / 30
         ORDER BY m.leader, m.jaccard, m.id) AS one_a_group) AS ranked
WHERE best <= CASE kind WHEN 'manual page' THEN 2 WHEN 'HTML page' THEN 2 ELSE 1 END;
