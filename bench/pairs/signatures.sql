-- Run by run.sh with the variable rows.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION simhash;

CREATE FUNCTION random_signature(i bigint, salt integer) RETURNS varbit LANGUAGE sql IMMUTABLE AS
    $$ SELECT hashint8extended(i, salt)::bit(64) || hashint8extended(i, salt + 1)::bit(64)
        || hashint8extended(i, salt + 2)::bit(64) || hashint8extended(i, salt + 3)::bit(64) $$;
-- a signature in which one in 2 ^ i bits is set
CREATE FUNCTION sparse_signature(i bigint, power integer) RETURNS varbit LANGUAGE sql IMMUTABLE AS
    $$ SELECT bit_and(random_signature(i, 100 + 4 * n)::bit(256))::varbit FROM generate_series(1, power) AS n $$;

-- 80 % uniform signatures, 20 % copies of an earlier one with about 32, 16, 8 or 4 flipped bits
CREATE UNLOGGED TABLE page (id integer, s bit(256), h simhash);
INSERT INTO page (id, s) SELECT i, random_signature(i, 1) FROM generate_series(1, :rows * 4 / 5) AS i;
INSERT INTO page (id, s) SELECT :rows * 4 / 5 + id, s # sparse_signature(id, 3 + id % 4) FROM page WHERE id <= :rows / 5;
UPDATE page SET h = (s::bit(64)::bigint)::simhash;
VACUUM FULL ANALYZE page;
CREATE INDEX page_s ON page USING simhash (s);
CREATE INDEX page_h ON page USING simhash (h);
-- a thousand rows for the nested loops
CREATE TABLE query AS SELECT id, s FROM page WHERE id % (:rows / 1000) = 0;
ANALYZE query;

\ir measure.sql

SELECT format('CALL measure(''join'', %L, %s, ''SELECT count(*) FROM page a JOIN page b ON a.s <@> b.s <= $r AND a.id < b.id'')', memory, r)
FROM unnest('{0,3,15,31,48}'::integer[]) AS r, unnest('{4MB,256MB}'::text[]) AS memory \gexec
CALL measure('simhash_group', '256MB', 31, 'SELECT count(*) FROM (SELECT id, simhash_group(id, s, $r, ''connected'') OVER (ORDER BY id) AS leader FROM page) g WHERE leader <> id');
CALL measure('fingerprints of 64 bits', '256MB', 3, 'SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= $r AND a.id < b.id');
CALL measure('fingerprints of 64 bits', '256MB', 8, 'SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= $r AND a.id < b.id');
CALL measure('nested loop by the index, 1000 rows', '4MB', 31,
    'SELECT count(*) FROM query AS a JOIN page AS b ON b.s <@> a.s <= $r AND a.id <> b.id');
CALL measure('nested loop by sequential scan, 10 rows', '4MB', 31,
    'SELECT count(*) FROM (SELECT * FROM query LIMIT 10) AS a JOIN page AS b ON (b.s <@> a.s)::integer <= $r AND a.id <> b.id');

\echo
\echo Pairs of :rows signatures of 256 bits
SELECT method, memory AS work_mem, radius, round(seconds::numeric, 3) AS "s", pairs FROM measured ORDER BY number;
