-- The batch join, one method. Variables: rows, tables, method, by, target, find, how (loop or match), queries.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_material = off;
SET enable_memoize = off;
SELECT :'by' = 'h' AS by_fingerprint, :'find' = 'first' AS first, :'how' = 'match' AS match \gset
\if :by_fingerprint
\set ball 'simhash_ball(q.h, 3)'
\else
\set ball 'simhash_ball(q.w, 3, ':target')'
\endif
\set part '(SELECT * FROM batch WHERE id <= ':queries') q'
\set QUIET on
SET simhash.enable_join = :match;
\if :match
SET enable_nestloop = off;
\if :first
\set join 'SELECT q.id AS found FROM ':part' WHERE EXISTS (SELECT FROM doc d WHERE d.h <@| ':ball')'
\else
\set join 'SELECT d.id AS found FROM ':part' JOIN doc d ON d.h <@| ':ball
\endif
\elif :first
\set join 'SELECT f.id AS found FROM ':part' LEFT JOIN LATERAL (SELECT d.id FROM doc d WHERE d.h <@| ':ball' LIMIT 1) f ON true'
\else
\set join 'SELECT d.id AS found FROM ':part' JOIN doc d ON d.h <@| ':ball
\endif
SELECT processor_seconds() AS begun \gset
SELECT count(q.:by::simhash) FROM :part \g /dev/null
SELECT processor_seconds() AS between \gset
SELECT count(found) AS found FROM (:join) j \gset
INSERT INTO batched
SELECT :rows, :tables, :'how', :'method', :target, :'find', :queries,
       (processor_seconds() - :between) - (:between - :begun), :found;
