-- Random hashes and queries, and one design of the index. Variables: rows, queries (random or near), tables.
DROP TABLE IF EXISTS hash, query;
CREATE UNLOGGED TABLE hash (id bigint, h simhash);
INSERT INTO hash SELECT i, hashint8extended(i, 1)::simhash FROM generate_series(1, :rows) i;
CREATE UNLOGGED TABLE query (id bigint, h simhash);
INSERT INTO query
    SELECT i, CASE WHEN :'queries' = 'near'
                   THEN (h::bigint # (SELECT bit_xor(CASE WHEN j <= i % 5 THEN 1::bigint << (hashint8extended(i, j) & 63)::int ELSE 0 END)
                                      FROM generate_series(1, 4) j))::simhash
                   ELSE hashint8extended(i, 2)::simhash END
    FROM hash, LATERAL (SELECT id) x(i);
VACUUM ANALYZE hash, query;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_material = off;
CREATE TEMP TABLE step (number serial, name text, seconds float8, answer bigint);
CREATE UNLOGGED TABLE corpus (id bigint, h simhash);
CREATE INDEX corpus_h ON corpus USING simhash (h) WITH (trees = :tables);

SELECT processor_seconds() AS begun \gset
INSERT INTO corpus SELECT * FROM hash;
INSERT INTO step (name, seconds) VALUES ('insertion into the index', processor_seconds() - :begun);
DROP INDEX corpus_h;
SELECT processor_seconds() AS begun \gset
CREATE INDEX corpus_h ON corpus USING simhash (h) WITH (trees = :tables);
INSERT INTO step (name, seconds) VALUES ('build of the index instead', processor_seconds() - :begun);
VACUUM ANALYZE corpus;
SELECT processor_seconds() AS begun \gset
SELECT count(*) AS answer FROM query q WHERE EXISTS (SELECT FROM corpus c WHERE c.h <@> q.h <= 3) \gset
INSERT INTO step (name, seconds, answer) VALUES ('find first: a semi join', processor_seconds() - :begun, :answer);
SELECT processor_seconds() AS begun \gset
SELECT count(f.id) AS answer FROM query q LEFT JOIN LATERAL (SELECT id FROM corpus WHERE h <@> q.h <= 3 LIMIT 1) f ON true \gset
INSERT INTO step (name, seconds, answer) VALUES ('find first: a search for each', processor_seconds() - :begun, :answer);
SELECT processor_seconds() AS begun \gset
SELECT count(*) AS answer FROM query q JOIN corpus c ON c.h <@> q.h <= 3 \gset
INSERT INTO step (name, seconds, answer) VALUES ('find all: a join', processor_seconds() - :begun, :answer);
SET simhash.enable_join = off;
SELECT processor_seconds() AS begun \gset
SELECT count(*) AS answer FROM query q JOIN corpus c ON c.h <@> q.h <= 3 \gset
RESET simhash.enable_join;
INSERT INTO step (name, seconds, answer) VALUES ('find all: a search for each', processor_seconds() - :begun, :answer);
CREATE INDEX query_h ON query USING simhash (h);
SELECT processor_seconds() AS begun \gset
SELECT count(*) AS answer FROM query q JOIN corpus c ON c.h <@> q.h <= 3 \gset
INSERT INTO step (name, seconds, answer) VALUES ('find all: a join of two indexes', processor_seconds() - :begun, :answer);
DROP INDEX query_h;
SELECT processor_seconds() AS begun \gset
DELETE FROM corpus USING hash WHERE corpus.h = hash.h;
INSERT INTO step (name, seconds) VALUES ('removal: DELETE', processor_seconds() - :begun);
SELECT processor_seconds() AS begun \gset
VACUUM corpus;
INSERT INTO step (name, seconds) VALUES ('removal: VACUUM', processor_seconds() - :begun);
\echo trees = :tables
SELECT name, round(seconds::numeric, 2) AS seconds, answer FROM step ORDER BY number;
DROP TABLE corpus;
