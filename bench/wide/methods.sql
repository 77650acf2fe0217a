-- The searches to measure. Variables: kinds (whose tables exist), bits, radii (such as "16 31"), scan_radius.

-- Rows within a radius.
INSERT INTO method (part, kind, label, setting, radius, exact, statement)
SELECT 'range', name, label, 'r = ' || radius, radius, true,
       format('SELECT count(*) FROM page_%s WHERE sig <@> q.sig <= %s', name, radius)
FROM kind, unnest(string_to_array(:'radii', ' ')::int[]) radius
WHERE ours;
INSERT INTO method (part, kind, label, setting, radius, exact, statement)
SELECT 'range', name, label, format('r = %s, recall %s', radius, recall), radius, false,
       format('SELECT count(*) FROM page_%s WHERE sig <@| signature_ball(q.sig, %s, %s)', name, radius, recall)
FROM kind, unnest(string_to_array(:'radii', ' ')::int[]) radius, unnest('{0.95}'::float8[]) recall
WHERE ours;
-- With a radius so large that the index scans its store.
INSERT INTO method (part, kind, label, setting, radius, exact, statement)
SELECT 'range', name, label, format('r = %s: scan of the store', :scan_radius), :scan_radius, true,
       format('SELECT count(*) FROM page_%s WHERE sig <@> q.sig <= %s', name, :scan_radius)
FROM kind WHERE ours;

-- Without an index.
INSERT INTO method (part, kind, label, setting, radius, exact, statement)
SELECT 'range', 'none', 'sequential scan, ' || name, 'r = ' || radius, radius, true,
       format('SELECT count(*) FROM page_none WHERE ' || condition, radius)
FROM (VALUES ('bit_count', 'bit_count(sig # q.sig) <= %s'), ('<@>', 'sig <@> q.sig <= %s')) c(name, condition),
     unnest(string_to_array(:'radii', ' ')::int[]) WITH ORDINALITY r(radius, n)
WHERE 'none' = ANY (string_to_array(:'kinds', ' ')) AND n = 1;
INSERT INTO method (part, kind, label, setting, exact, statement)
SELECT 'ten', 'none', 'sequential scan, ' || name, 'exact', true,
       format('SELECT count(*) FILTER (WHERE d <= q.tenth) FROM (SELECT %1$s AS d FROM page_none ORDER BY %1$s LIMIT 10) x', distance)
FROM (VALUES ('bit_count', 'bit_count(sig # q.sig)'), ('<@>', 'sig <@> q.sig'), ('pgvector <~>', 'sig <~> q.sig')) c(name, distance)
WHERE 'none' = ANY (string_to_array(:'kinds', ' ')) AND (name <> 'pgvector <~>' OR to_regtype('vector') IS NOT NULL);

-- The ten nearest.
INSERT INTO method (part, kind, label, setting, exact, statement)
SELECT 'ten', k.name, label, setting, setting = 'exact',
       format('SELECT count(*) FILTER (WHERE d <= q.tenth) FROM (SELECT sig <@> q.sig AS d FROM page_%s ORDER BY sig <@> %s LIMIT 10) x',
              k.name, ball)
FROM kind k, (
    SELECT 'exact' AS setting, 'q.sig' AS ball
    UNION ALL SELECT 'recall ' || recall, format('signature_nearest(q.sig, %s)', recall)
    FROM unnest('{0.8,0.9,0.95,0.99}'::float8[]) recall) balls
WHERE ours;

-- Peers.
INSERT INTO method (part, kind, label, setting, exact, guc, statement)
SELECT 'ten', name, label, value || what, false, format('%s = %s', guc, value),
       format('SELECT count(*) FILTER (WHERE d <= q.tenth) FROM (SELECT sig <~> q.sig AS d FROM page_%s ORDER BY sig <~> q.sig LIMIT 10) x', name)
FROM kind JOIN (
    SELECT 'ivf' AS name, ' probes' AS what, 'ivfflat.probes' AS guc, value FROM unnest('{1,2,4,8,16,32,64}'::int[]) value
    UNION ALL SELECT 'hnsw', ' ef', 'hnsw.ef_search', value FROM unnest('{10,20,40,80,160,320}'::int[]) value) p USING (name)
WHERE name = ANY (string_to_array(:'kinds', ' '));
