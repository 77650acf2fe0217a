-- The batch join, one method. Variables: rows, tables, method, by, target, find.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_material = off;
SET enable_memoize = off;
SELECT :'by' = 'h' AS by_fingerprint \gset
\if :by_fingerprint
\set ball 'simhash_ball(q.h, 3)'
\else
\set ball 'simhash_ball(q.w, 3, ':target')'
\endif
SELECT :'find' = 'first' AS first \gset
\if :first
\set join 'SELECT f.id AS found FROM batch q LEFT JOIN LATERAL (SELECT d.id FROM doc d WHERE d.h <@| ':ball' LIMIT 1) f ON true'
\else
\set join 'SELECT d.id AS found FROM batch q JOIN doc d ON d.h <@| ':ball
\endif
SELECT count(:by::simhash) AS queries FROM batch \gset
SELECT processor_seconds() AS begun \gset
SELECT count(:by::simhash) FROM batch \g /dev/null
SELECT processor_seconds() AS between \gset
SELECT count(found) AS found FROM (:join) j \gset
INSERT INTO batched
SELECT :rows, :tables, :'method', :target, :'find', :queries,
       (processor_seconds() - :between) - (:between - :begun), :found;
