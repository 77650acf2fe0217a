-- Recall of searches by weights among texts of `words` different words, one in 20 of which is replaced: of 4,000, those
-- whose edited text is within the radius, among 90,000 random fingerprints. psql -v words=20 -f bench/papers/short_texts.sql
CREATE TEMP TABLE text AS SELECT i, to_simhash_weights(string_agg('w' || i || 'x' || j, ' ')) AS w,
    to_simhash(string_agg(CASE j % 20 WHEN 1 THEN 'r' ELSE 'w' END || i || 'x' || j, ' ')) AS h
    FROM generate_series(1, 4000) AS i, generate_series(1, :words) AS j GROUP BY i;
INSERT INTO text SELECT -i, NULL, hashint8extended(i, 9)::simhash FROM generate_series(1, 90000) AS i;
CREATE INDEX text_h ON text USING simhash (h);
VACUUM ANALYZE text;
SET enable_seqscan = off;
SELECT :words AS words, radius, recall, round(avg(EXISTS (SELECT FROM (SELECT b.i FROM text AS b
        WHERE b.h <@| simhash_ball(a.w, radius, recall) OFFSET 0) AS b WHERE b.i = a.i)::int), 3) AS found, count(*) AS texts
FROM text AS a, unnest('{5,8}'::int[]) AS radius, unnest('{0.9,0.95,0.99}'::float8[]) AS recall
WHERE i > 0 AND (h <@> w)::int <= radius GROUP BY radius, recall ORDER BY radius, recall;
