-- psql -v texts=revisions.tsv.gz -f ranking.sql: of the pairs of texts within 10 bits, how well simhash_cosine ranks those
-- with a Jaccard index of .8 of three-word shingles. For each rank: precision at the rank that 90 % of the near pairs
-- reach, and how often a near pair at 5 bits ranks above one that is not near.
CREATE EXTENSION IF NOT EXISTS simhash;
CREATE TEMP TABLE text_of_kind (id text, doc text, fam text, rev int, repo text, path text, words int, body text);
\set copy '\\copy text_of_kind FROM PROGRAM ''zcat ' :texts ''''
:copy
CREATE TEMP TABLE page AS SELECT row_number() OVER () AS id, body, to_simhash_weights(body) AS w, to_simhash(body) AS h FROM text_of_kind;
CREATE INDEX page_h ON page USING simhash (h);
-- At most 50 pairs of a text, so that a few large families do not decide.
CREATE TEMP TABLE pair AS
SELECT a.h <@> b.h AS distance, simhash_cosine(a.w, b.h) AS by_one, simhash_cosine(a.w, b.w) AS by_both,
    feature_jaccard(a.body, b.body, 'word', 3) >= 0.8 AS near
FROM (SELECT a.id AS a, b.id AS b, row_number() OVER (PARTITION BY a.id ORDER BY md5(a.id || ' ' || b.id)) AS n
      FROM page AS a JOIN page AS b ON a.h <@> b.h <= 10 AND a.id < b.id) AS p
JOIN page AS a ON a.id = p.a JOIN page AS b ON b.id = p.b WHERE n <= 50;
WITH rank AS (
    SELECT name, place, near, distance FROM pair, LATERAL (VALUES ('distance', -distance::float8), ('weights of one', by_one), ('weights of both', by_both)) AS v(name, place)
), so_far AS (
    SELECT name, place, sum(near::int) OVER w AS found, count(*) OVER w AS read, sum(near::int) OVER (PARTITION BY name) AS all
    FROM rank WINDOW w AS (PARTITION BY name ORDER BY place DESC)
)
SELECT name, min("all") AS near, (SELECT count(*) FROM pair) AS pairs, round(max(found::numeric / read) FILTER (WHERE found >= 0.9 * "all"), 3) AS precision,
    (SELECT round(((sum(r) - count(*) * (count(*) + 1) / 2) / nullif(count(*) * (max(others)), 0))::numeric, 2) FROM (
        SELECT near, (rank() OVER (ORDER BY place) + count(*) OVER (PARTITION BY place) / 2.0 - 0.5) AS r, count(*) FILTER (WHERE NOT near) OVER () AS others
        FROM rank WHERE rank.name = so_far.name AND distance = 5) AS ranked WHERE near) AS auc
FROM so_far GROUP BY name ORDER BY precision;
