-- The false matches that simhash_report expects, beside those that there are: pairs within a radius that neither a cosine
-- of 0.9 (with frequencies) nor a Jaccard index of 0.8 calls near. See README.md.
--
--   psql -v texts=frames.tsv.gz -f bench/features/report.sql
CREATE EXTENSION IF NOT EXISTS simhash;
CREATE TEMP TABLE page (id int PRIMARY KEY, body text, h simhash);
\set copy '\\copy page (id, body) from program \'zcat -f ' :texts ' | cut -f 1,8\''
:copy
UPDATE page SET h = to_simhash(body);
CREATE INDEX page_h ON page USING simhash (h);
CREATE TEMP TABLE collection AS SELECT feature_frequencies_agg(body) AS f FROM page;
CREATE TEMP TABLE pair AS
    SELECT x.h <@> y.h AS distance, feature_cosine(features(f, x.body), features(f, y.body)) >= 0.9 OR feature_jaccard(x.body, y.body, 'word', 3) >= 0.8 AS near
    FROM page x JOIN page y ON x.h <@> y.h <= 8 AND x.id < y.id, collection;
SELECT item::int AS radius, value AS reported,
    round((SELECT count(*) FROM pair WHERE distance <= item::int AND NOT near) * 2.0 / (SELECT count(*) FROM page), 3) AS measured, meaning
FROM simhash_report('page', 'h', details => true) WHERE topic = 'false matches' AND item::int <= 8 ORDER BY 1;
SELECT value AS suggested_radius FROM simhash_report('page', 'h') WHERE topic = 'suggestion' AND item = 'radius';
