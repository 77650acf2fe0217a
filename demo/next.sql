-- Deletes and keeps out near-duplicates, in a transaction that is rolled back.
\pset footer off
\pset numericlocale on
BEGIN;
\set QUIET off
\echo Keep one document of each group:
\echo
\set ECHO queries
DELETE FROM page USING simhash_groups('page_h', 3, star => true) g
    WHERE page.ctid = g.member AND g.member <> g.leader;
\set ECHO none
\echo
\echo Let no more near-duplicates in:
\echo
\set ECHO queries
ALTER TABLE page ADD EXCLUDE USING simhash (h WITH ~=);
\set ECHO none
\set QUIET on
ROLLBACK;
\echo
\echo 'These two statements were rolled back. doc/recipes.md has more: joining two tables, ON CONFLICT, merging groups.'
