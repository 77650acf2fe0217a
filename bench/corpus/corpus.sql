-- One design of the index. Variable: tables.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_material = off;
CREATE TEMP TABLE step (number serial, name text, seconds float8, answer bigint);
CREATE UNLOGGED TABLE corpus (id bigint, h simhash);
CREATE INDEX corpus_h ON corpus USING simhash (h) WITH (tables = :tables);

SELECT processor_seconds() AS begun \gset
INSERT INTO corpus SELECT * FROM hash;
INSERT INTO step (name, seconds) VALUES ('insertion into the index', processor_seconds() - :begun);
DROP INDEX corpus_h;
SELECT processor_seconds() AS begun \gset
CREATE INDEX corpus_h ON corpus USING simhash (h) WITH (tables = :tables);
INSERT INTO step (name, seconds) VALUES ('build of the index instead', processor_seconds() - :begun);
VACUUM ANALYZE corpus;
SELECT processor_seconds() AS begun \gset
SELECT count(*) AS answer FROM simhash_match('corpus_h', 'SELECT id, simhash_ball(h, 3) FROM query', first_only => true) \gset
INSERT INTO step (name, seconds, answer) VALUES ('find first: simhash_match', processor_seconds() - :begun, :answer);
SELECT processor_seconds() AS begun \gset
SELECT count(f.id) AS answer FROM query q LEFT JOIN LATERAL (SELECT id FROM corpus WHERE h <@> q.h <= 3 LIMIT 1) f ON true \gset
INSERT INTO step (name, seconds, answer) VALUES ('find first: a search for each', processor_seconds() - :begun, :answer);
SELECT processor_seconds() AS begun \gset
SELECT count(*) AS answer FROM simhash_match('corpus_h', 'SELECT id, simhash_ball(h, 3) FROM query') \gset
INSERT INTO step (name, seconds, answer) VALUES ('find all: simhash_match', processor_seconds() - :begun, :answer);
SELECT processor_seconds() AS begun \gset
SELECT count(*) AS answer FROM query q JOIN corpus c ON c.h <@> q.h <= 3 \gset
INSERT INTO step (name, seconds, answer) VALUES ('find all: a search for each', processor_seconds() - :begun, :answer);
CREATE INDEX query_h ON query USING simhash (h);
SELECT processor_seconds() AS begun \gset
SELECT count(*) AS answer FROM simhash_join('query_h', 'corpus_h', 3) \gset
INSERT INTO step (name, seconds, answer) VALUES ('find all: simhash_join', processor_seconds() - :begun, :answer);
DROP INDEX query_h;
SELECT processor_seconds() AS begun \gset
DELETE FROM corpus USING hash WHERE corpus.h = hash.h;
INSERT INTO step (name, seconds) VALUES ('removal: DELETE', processor_seconds() - :begun);
SELECT processor_seconds() AS begun \gset
VACUUM corpus;
INSERT INTO step (name, seconds) VALUES ('removal: VACUUM', processor_seconds() - :begun);
\echo tables = :tables
SELECT name, round(seconds::numeric, 2) AS seconds, answer FROM step ORDER BY number;
DROP TABLE corpus;
