-- The variable radius is the greatest distance of a pair; any says whether there are pairs.
\pset footer off
\pset numericlocale on
SELECT clock_timestamp() AS start \gset
\set ECHO queries
CREATE TABLE pair AS
    SELECT x.id AS a, y.id AS b, p.distance
    FROM simhash_pairs('page_h', :radius) p JOIN page x ON x.ctid = p.a JOIN page y ON y.ctid = p.b;
\set ECHO none
SELECT round(extract(epoch FROM clock_timestamp() - :'start') * 1000) AS milliseconds \gset
\echo
\set ECHO queries
CREATE TABLE member AS
    SELECT x.id, y.id AS leader
    FROM simhash_groups('page_h', :radius, star => true) g JOIN page x ON x.ctid = g.member JOIN page y ON y.ctid = g.leader;
\set ECHO none
ANALYZE pair, member;

\if :any
\echo
SELECT count(*) AS pairs, :milliseconds AS "found in ms",
    (SELECT count(DISTINCT leader) FROM member WHERE id <> leader) AS groups,
    (SELECT count(*) FROM member WHERE id <> leader) AS "documents to leave out", (SELECT count(h) FROM page) AS "of"
FROM pair;
\echo The largest groups:
\echo
SELECT count(*) AS documents, min(p.kind) AS kind,
    CASE WHEN length(min(p.path)) > 80 THEN '…' || right(min(p.path), 79) ELSE min(p.path) END AS "one of them"
FROM member m JOIN page p USING (id) GROUP BY leader HAVING count(*) > 1
ORDER BY count(*) DESC, leader LIMIT 6;
\endif

-- Examples: one or two of each kind, long texts from different groups.
CREATE TABLE example AS
SELECT row_number() OVER (ORDER BY kind, best, a) AS place, a, b, distance, kind FROM
    (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY md5(a::text)) AS best FROM
        (SELECT DISTINCT ON (m.leader) p.*, x.kind
         FROM pair p JOIN member m ON m.id = p.a JOIN page x ON x.id = p.a JOIN page y ON y.id = p.b
         WHERE length(x.body) BETWEEN 1500 AND 50000 AND distance > 0 AND x.kind = y.kind
             AND abs(length(x.body) - length(y.body)) < length(x.body) / 30
         ORDER BY m.leader, distance DESC, a, b) AS one_a_group) AS ranked
WHERE best <= CASE kind WHEN 'manual page' THEN 2 WHEN 'HTML page' THEN 2 ELSE 1 END;
