-- Run by run.sh with the variable rows.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION simhash;

\ir page.sql
CREATE INDEX page_h ON page USING simhash (h);
-- a hundredth as many rows, half of them near a row of page
CREATE TABLE query AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN hashint8extended(i, 2)::simhash
    ELSE flip(hashint8extended(i, 1)::simhash, -i, i % 4) END AS h FROM generate_series(1, :rows / 100) i;
CREATE INDEX query_h ON query USING simhash (h);
VACUUM ANALYZE page;
VACUUM ANALYZE query;

\ir measure.sql

SELECT format('CALL measure(%L, %L, %s, %L)', name, memory, r, statement)
FROM unnest('{0,3,5,8}'::integer[]) r, unnest('{4MB,256MB}'::text[]) memory,
     (VALUES ('join, trees = 4', 'SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= $r AND a.id < b.id')) v(name, statement) \gexec
SELECT format('CALL measure(%L, %L, %s, %L)', name, memory, r, statement)
FROM unnest('{3,5}'::integer[]) r, unnest('{4MB,256MB}'::text[]) memory,
     (VALUES ('connected'), ('star')) k(kind),
     format('simhash_group, %s', kind) name, format('SELECT count(*) FROM (SELECT id, simhash_group(id, h, $r, %L) OVER (ORDER BY id) AS leader FROM page) g WHERE leader <> id', kind) statement \gexec
SET simhash.enable_join = off;
CALL measure('nested loop', '4MB', 3, 'SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= $r AND a.id < b.id');
RESET simhash.enable_join;
-- The same by hash joins on four blocks, in plain SQL without the extension's index.
SELECT format('CALL measure(%L, %L, 3, %L)', 'hash joins on four blocks', '256MB', 'SELECT count(*) FROM (' ||
    string_agg(format('SELECT a.id, b.id FROM page a JOIN page b ON (a.h::bigint >> %s & 65535) = (b.h::bigint >> %s & 65535)
        AND a.id < b.id AND (a.h <@> b.h)::integer <= $r', shift, shift), ' UNION ') || ') u')
FROM unnest('{0,16,32,48}'::integer[]) shift WHERE :rows <= 2000000 HAVING count(*) > 0 \gexec
SELECT format('CALL measure(%L, %L, %s, %L)', name, memory, r, statement)
FROM unnest('{3,8}'::integer[]) r,
     unnest('{4MB,256MB}'::text[]) memory,
     (VALUES ('join of a hundredth', 'SELECT count(*) FROM query a JOIN page b ON b.h <@> a.h <= $r')) v(name, statement) \gexec
SET simhash.enable_join = off;
SELECT format('CALL measure(''nested loop of a hundredth'', ''4MB'', %s, ''SELECT count(*) FROM query a JOIN page b ON b.h <@> a.h <= $r'')', r)
FROM unnest('{3,8}'::integer[]) r \gexec
RESET simhash.enable_join;
CALL measure('join with itself, and each row with itself', '256MB', 3, 'SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= $r');

\echo
\echo Pairs of :rows rows
SELECT method, memory AS work_mem, radius, round(seconds::numeric, 3) AS "s", pairs,
       round((seconds / (SELECT min(seconds) FROM measured m WHERE m.radius = measured.radius AND m.pairs = measured.pairs))::numeric, 1)
           AS "times the fastest"
FROM measured ORDER BY radius, pairs DESC, seconds;
