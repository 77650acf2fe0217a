-- Searches or a batch join in elapsed time, once, by a server with little memory. Variables: rows, tables, how (loop or match),
-- source (query or batch), queries, method, by, target, radius.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_material = off;
SET enable_memoize = off;
SELECT :'by' = 'h' AS by_fingerprint, :'how' = 'match' AS match \gset
\if :by_fingerprint
\set ball 'simhash_ball(q.h, ':radius')'
\else
\set ball 'simhash_ball(q.w, ':radius', ':target')'
\endif
\set part '(SELECT * FROM ':source' ORDER BY id LIMIT ':queries') q'
\if :match
SELECT format('SELECT number AS found FROM simhash_match(%L, %L)', 'doc_h', 'SELECT id, ' || :'ball' || ' FROM ' || :'part') AS join \gset
\else
\set join 'SELECT 1 AS found FROM ':part' JOIN doc d ON d.h <@| ':ball
\endif
SELECT count(q.:by::simhash) FROM :part \g /dev/null
SELECT clock_timestamp() AS begun \gset
SELECT count(found) AS found FROM (:join) j \gset
INSERT INTO limited
SELECT :rows, :tables, :'how', :'method', :target, :radius, :queries, extract(epoch FROM clock_timestamp() - :'begun'), :found;
