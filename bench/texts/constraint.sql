-- psql -f constraint.sql database: how many of 20,000 texts a constraint on texts refuses, and the least Jaccard index of
-- one with the kept text that is nearest to it. The current directory has revisions.tsv and manuals.tsv.
CREATE EXTENSION IF NOT EXISTS simhash;
CREATE TEMP TABLE text_of_kind (id text, doc text, fam text, rev int, repo text, path text, words int, body text);
\copy text_of_kind FROM 'revisions.tsv'
\copy text_of_kind FROM 'manuals.tsv'
CREATE TEMP TABLE page AS SELECT row_number() OVER () AS id, body FROM text_of_kind LIMIT 20000;
CREATE TEMP TABLE kept (id bigint, body text, EXCLUDE USING simhash (body WITH ~=));
\timing on
INSERT INTO kept SELECT id, body FROM page ORDER BY id ON CONFLICT DO NOTHING;
SELECT count(*) AS refused, count(similarity) AS with_a_kept_one, min(similarity) AS least
FROM (SELECT page.id, max(feature_jaccard(page.body, kept.body, 'word', 3)) AS similarity
      FROM page LEFT JOIN kept ON kept.body ~= page.body
      WHERE page.id NOT IN (SELECT id FROM kept) GROUP BY page.id) AS r;
