-- Statements to go on with, in a transaction that is rolled back. The variable radius is the greatest distance of a pair;
-- any says whether there are pairs.
\pset footer off
\pset numericlocale on
BEGIN;
\set QUIET off
\if :any
\echo The groups. Each document is a near-duplicate of the first one:
\echo
\set ECHO queries
SELECT first_path, count(*) AS documents
    FROM (SELECT simhash_group(path, h, :radius) OVER (ORDER BY id) AS first_path FROM page) g
    GROUP BY first_path HAVING count(*) > 1 ORDER BY count(*) DESC, 1 LIMIT 3;
\set ECHO none
\echo
\echo Delete the confirmed ones and keep the others. Their texts are compared before:
\echo
\set ECHO queries
DELETE FROM page USING (SELECT id, simhash_group(id, h, :radius) OVER (ORDER BY id) AS leader FROM page) g JOIN page l ON l.id = g.leader
    WHERE page.id = g.id AND g.id <> g.leader AND feature_jaccard(page.body, l.body, 'word', 3) >= 0.8;
\set ECHO none
\echo
\endif
\echo Keep near-duplicates out by a constraint on the texts. A copy is not inserted:
\echo
\set ECHO queries
CREATE TABLE kept (path text, body text, EXCLUDE USING simhash (body WITH ~=));
INSERT INTO kept SELECT path, body FROM page WHERE h IS NOT NULL ORDER BY id LIMIT 1000 ON CONFLICT DO NOTHING;
INSERT INTO kept SELECT 'a copy', body FROM page WHERE path = (SELECT path FROM kept ORDER BY length(body) DESC LIMIT 1) ON CONFLICT DO NOTHING;
\set ECHO none
SELECT count(*) > 0 AS some FROM (SELECT path FROM page WHERE h IS NOT NULL ORDER BY id LIMIT 1000) p
    WHERE path NOT IN (SELECT path FROM kept) \gset
\if :some
\echo
\echo 'What it refused of these documents has one that was kept and shares 80 % of its three-word shingles:'
\echo
\set ECHO queries
SELECT trunc(max(feature_jaccard(p.body, k.body, 'word', 3))::numeric, 2) AS similarity, p.path AS refused
    FROM (SELECT * FROM page WHERE h IS NOT NULL ORDER BY id LIMIT 1000) p JOIN kept k ON k.body ~= p.body
    WHERE p.path NOT IN (SELECT path FROM kept) GROUP BY p.path ORDER BY 1, 2 LIMIT 5;
\set ECHO none
\endif
\set QUIET on
ROLLBACK;
\echo
\echo 'All of this was rolled back. doc/recipes.md has more: joining two tables, ON CONFLICT, checks that hold when several'
\echo 'sessions insert, other ways of grouping.'
