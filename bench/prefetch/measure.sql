-- One round of one variant. Variables: variant, probes, batch.
SET plan_cache_mode = force_generic_plan;
-- A first join fills the session's caches.
SELECT count(*) FROM probe q JOIN page p ON p.h <@> q.h <= 3 \g /dev/null
CALL measure(:'variant', 'searches of a join', :probes, 'SELECT count(*) FROM probe q JOIN page p ON p.h <@> q.h <= 3');
CALL measure(:'variant', 'searches, a statement each', :probes, format('SELECT search(%s)', :probes));
CALL measure(:'variant', 'inserts, many rows a statement', :batch,
             format('WITH inserted AS (INSERT INTO page SELECT 0, hashint8extended(i, 4)::simhash
                         FROM (SELECT (random() * 1e18)::bigint + i AS i FROM generate_series(1, %s) i) r RETURNING 1)
                     SELECT count(*) FROM inserted', :batch));
