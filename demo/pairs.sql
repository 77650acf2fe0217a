\pset footer off
\pset numericlocale on
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT clock_timestamp() AS start \gset
\set ECHO queries
CREATE TABLE pair AS
    SELECT a.id AS a, b.id AS b, a.h <@> b.h AS distance
    FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
\set ECHO none
SELECT round(extract(epoch FROM clock_timestamp() - :'start') * 1000) AS milliseconds \gset
RESET enable_seqscan;
RESET enable_bitmapscan;

-- Groups: the documents that pairs connect. Each takes the smallest number it can reach.
CREATE TABLE member AS SELECT id, id AS leader FROM (SELECT a AS id FROM pair UNION SELECT b FROM pair) AS ids;
CREATE INDEX ON member (id) INCLUDE (leader);
ANALYZE pair, member;
DO $$
DECLARE
    changed int := 1;
BEGIN
    WHILE changed > 0 LOOP
        UPDATE member SET leader = smallest FROM
            (SELECT id, min(leader) AS smallest FROM
                (SELECT p.a AS id, m.leader FROM pair p JOIN member m ON m.id = p.b
                 UNION ALL SELECT p.b, m.leader FROM pair p JOIN member m ON m.id = p.a) AS reached
             GROUP BY id) AS best
        WHERE member.id = best.id AND smallest < leader;
        GET DIAGNOSTICS changed = ROW_COUNT;
    END LOOP;
END $$;

\echo
SELECT count(*) AS pairs, :milliseconds AS "found in ms",
    (SELECT count(DISTINCT leader) FROM member) AS groups, (SELECT count(*) FROM member) AS "documents in groups",
    (SELECT count(h) FROM page) AS "of"
FROM pair;
\echo The largest groups:
\echo
SELECT count(*) AS documents, min(p.kind) AS kind, 
    CASE WHEN length(min(p.path)) > 80 THEN '…' || right(min(p.path), 79) ELSE min(p.path) END AS "one of them"
FROM member m JOIN page p USING (id) GROUP BY leader ORDER BY count(*) DESC, leader LIMIT 6;

-- Examples, of each kind one or two: long texts of different groups and different names.
CREATE TABLE example AS
SELECT row_number() OVER (ORDER BY kind, best, a) AS place, a, b, distance, kind FROM
    (SELECT *, row_number() OVER (PARTITION BY kind ORDER BY md5(a::text)) AS best FROM
        (SELECT DISTINCT ON (m.leader) p.*, x.kind
         FROM pair p JOIN member m ON m.id = p.a JOIN page x ON x.id = p.a JOIN page y ON y.id = p.b
         WHERE length(x.body) BETWEEN 1500 AND 50000 AND distance > 0 AND x.kind = y.kind
             AND abs(length(x.body) - length(y.body)) < length(x.body) / 30
         ORDER BY m.leader, distance DESC, a, b) AS one_a_group) AS ranked
WHERE best <= CASE kind WHEN 'manual page' THEN 2 WHEN 'HTML page' THEN 2 ELSE 1 END;
