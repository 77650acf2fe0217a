-- Recall of signature_nearest by the number of neighbors: of those wanted, the share that is as near as the last true one.
-- psql -v bits=1024 -v options='(trees = 8)' -f bench/wide/more_neighbors.sql; /tmp/revisions.tsv is as bench/texts writes it
CREATE TEMP TABLE line (id bigint, doc text, fam text, rev int, repo text, path text, words int, body text);
\copy line FROM '/tmp/revisions.tsv'
CREATE TEMP TABLE text AS SELECT id, to_signature(body, :bits)::bit(:bits) AS s FROM line;
CREATE INDEX text_s ON text USING simhash (s) :options;
ANALYZE text;
CREATE TEMP TABLE query AS SELECT id, s FROM text ORDER BY hashint8(id + 5) LIMIT 300;
CREATE TEMP TABLE last AS SELECT id, count, (SELECT max(d) FROM (SELECT (text.s <@> query.s)::int AS d FROM text ORDER BY d LIMIT count) AS near) AS d
    FROM query, unnest('{10,30,60,100}'::int[]) AS count;
SET enable_seqscan = off;
SELECT count, recall, round(avg((SELECT count(*) FROM (SELECT (text.s <@> query.s)::int AS d FROM text
        ORDER BY text.s <@> signature_nearest(query.s, recall, count) LIMIT count) AS near WHERE near.d <= last.d)::numeric / count), 3) AS found
FROM query JOIN last USING (id), unnest('{0.7,0.8,0.9,0.95}'::float8[]) AS recall GROUP BY count, recall ORDER BY count, recall;
