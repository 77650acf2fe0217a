-- Run by run.sh with the variable rows.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION simhash;

\ir page.sql
CREATE TABLE parted (id integer, h simhash) PARTITION BY HASH (id);
SELECT format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES WITH (MODULUS 16, REMAINDER %s)', i, i)
FROM generate_series(0, 15) AS i \gexec
INSERT INTO parted SELECT * FROM page;
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX parted_h ON parted USING simhash (h);
VACUUM ANALYZE page;
VACUUM ANALYZE parted;

\ir measure.sql
SELECT format('CALL measure(%L, %L, %s, %L)', name, memory, r, statement)
FROM unnest('{3,6}'::integer[]) AS r, unnest('{4MB,256MB}'::text[]) AS memory,
     (VALUES ('one table', 'SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= $r AND a.id < b.id'),
             ('16 partitions', 'SELECT count(*) FROM parted a JOIN parted b ON a.h <@> b.h <= $r AND a.id < b.id')) AS v(name, statement) \gexec

\echo
\echo Pairs of :rows rows, in one table and in partitions
SELECT method, memory AS work_mem, radius, round(seconds::numeric, 3) AS "s", pairs FROM measured ORDER BY radius, memory DESC, number;
