-- Statements to go on with, in a transaction that is rolled back. The variable any says whether there are pairs.
\pset footer off
\pset numericlocale on
BEGIN;
\set QUIET off
\if :any
\echo Delete the near-copies and keep the first document of each group:
\echo
\set ECHO queries
DELETE FROM page USING member m WHERE page.id = m.id AND m.id <> m.leader;
\set ECHO none
\echo
\endif
\echo Keep near-duplicates out by a constraint on the texts. A copy is not inserted:
\echo
\set ECHO queries
CREATE TABLE kept (path text, body text, EXCLUDE USING simhash (body WITH ~=));
INSERT INTO kept SELECT path, body FROM page ORDER BY id LIMIT 1000 ON CONFLICT DO NOTHING;
INSERT INTO kept SELECT 'a copy', body FROM page WHERE path = (SELECT path FROM kept ORDER BY length(body) DESC LIMIT 1) ON CONFLICT DO NOTHING;
\set ECHO none
\set QUIET on
ROLLBACK;
\echo
\echo 'All of this was rolled back. doc/recipes.md has more: joining two tables, ON CONFLICT, checks that hold when several'
\echo 'sessions insert, other ways of grouping.'
