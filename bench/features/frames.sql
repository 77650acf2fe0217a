-- What removes a common frame from fingerprints: the table of doc/features.md.
--
--   psql -v pages=pages.tsv -f bench/features/frames.sql
--
-- pages.tsv has numbers from 1 and texts, as COPY reads them: the files javadoc/**.html of apache/kafka-site in random
-- order, without tags, equal files once, those of 200 to 4,000 characters, the first 5,400.
CREATE TEMP TABLE page (id int PRIMARY KEY, body text);
\set copy '\\copy page from ' :'pages'
:copy
CREATE TEMP TABLE collection AS SELECT 'all' AS name, feature_frequencies_agg(body) AS f FROM page;
INSERT INTO collection SELECT kept::text, feature_frequencies_top(f, kept) FROM collection, unnest('{1024,256}'::int[]) AS kept;
INSERT INTO collection SELECT 'tenth', feature_frequencies_agg(body) FROM page WHERE id % 10 = 0;
INSERT INTO collection SELECT 'pairs', feature_frequencies_agg(body, 'word', 2) FROM page;

CREATE TEMP TABLE fingerprint AS
    SELECT id, '1 words' AS features, to_simhash(body) AS h FROM page
    UNION ALL SELECT id, '2 two words', to_simhash(body, 'word', 2) FROM page
    UNION ALL SELECT id, '3 anchored', to_simhash(to_anchored_features(body)) FROM page
    UNION ALL SELECT id, '4 frequencies: ' || name, to_simhash(f, body) FROM page, collection;
CREATE TEMP TABLE pair AS
    SELECT a.id AS a, b.id AS b, feature_cosine((SELECT f FROM collection WHERE name = 'all'), a.body, b.body) >= 0.9 AS near
    FROM page a JOIN page b ON a.id <> b.id WHERE a.id <= 150;
SELECT x.features, radius,
    round(count(*) FILTER (WHERE near)::numeric / nullif(count(*), 0), 3) AS precision,
    round(count(*) FILTER (WHERE near)::numeric / (SELECT count(*) FROM pair WHERE near), 3) AS recall
FROM pair JOIN fingerprint x ON x.id = a JOIN fingerprint y ON y.id = b AND y.features = x.features
    JOIN unnest('{3,5,7}'::int[]) AS radius ON x.h <@> y.h <= radius
GROUP BY 1, 2 ORDER BY 1, 2;

-- Figure 6(b) of Sood and Loguinov: the mean cosine at each distance (bench/psm/README.md).
SELECT (x.h <@> y.h)::int AS distance, count(*), round(avg(feature_cosine(f, a.body, b.body))::numeric, 3) AS cosine
FROM fingerprint x JOIN fingerprint y ON x.features = y.features AND x.id < y.id AND x.h <@> y.h <= 10
    JOIN page a ON a.id = x.id JOIN page b ON b.id = y.id JOIN collection ON name = 'all'
WHERE x.features = '4 frequencies: all' AND x.id <= 1500 GROUP BY 1 ORDER BY 1;
