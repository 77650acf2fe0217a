-- From texts and pairs of near-duplicates to queries, pairs for calibration, and the collection's real part.
-- Expects the tables text (id, family, body) and near (id1, id2).
SELECT :'features' = 'idf' AS idf \gset
\if :idf
-- Words weighted (1 + ln tf) * idf.
CREATE UNLOGGED TABLE word AS
    SELECT id, lexeme AS word, coalesce(array_length(positions, 1), 1) AS tf
    FROM text, unnest(to_tsvector('simple', left(body, 100000)));
CREATE UNLOGGED TABLE frequency AS
    SELECT word, ln((SELECT count(*) FROM text)::float8 / count(*)) AS idf FROM word GROUP BY word;
CREATE UNLOGGED TABLE weighed AS
    SELECT id, to_simhash_weights(features(array_agg(word), array_agg((1 + ln(tf)) * idf))) AS w, sum(tf) AS n,
           avg(idf) AS made_up_weight
    FROM word JOIN frequency USING (word) GROUP BY id;
DROP TABLE word, frequency;
\else
CREATE UNLOGGED TABLE weighed AS
    SELECT id, to_simhash_weights(body) AS w, array_length(regexp_split_to_array(body, '\s+'), 1) AS n, 1 AS made_up_weight
    FROM text;
\endif
CREATE UNLOGGED TABLE fingerprinted AS
    SELECT id, family, hashtext(family) & 1 AS half, w, w::simhash AS h, n FROM text JOIN weighed USING (id)
    WHERE w IS NOT NULL;
ALTER TABLE fingerprinted ADD PRIMARY KEY (id);
CREATE UNLOGGED TABLE partner AS
    SELECT a.id, b.id AS partner FROM near JOIN fingerprinted a ON a.id = id1 JOIN fingerprinted b ON b.id = id2
    UNION
    SELECT b.id, a.id FROM near JOIN fingerprinted a ON a.id = id1 JOIN fingerprinted b ON b.id = id2;
ANALYZE fingerprinted, partner;

-- Queries: from one half of the families, at most one text per family; they are not part of the collection.
SELECT setseed(0.25) \g /dev/null
CREATE TABLE query AS
    SELECT id, w, h FROM (
        SELECT DISTINCT ON (family) id, w, h FROM fingerprinted f
        WHERE half = 1 AND EXISTS (SELECT FROM partner p WHERE p.id = f.id) ORDER BY family, hashint4extended(id, 1)) one
    ORDER BY hashint4extended(id, 2) LIMIT :queries;
ALTER TABLE query ADD PRIMARY KEY (id);

-- Pairs for calibration: from the other half.
CREATE TABLE fit_pair AS
    SELECT a.w, b.h FROM partner JOIN fingerprinted a USING (id) JOIN fingerprinted b ON b.id = partner
    WHERE a.half = 0 AND b.half = 0 ORDER BY hashint8extended(a.id::bigint << 32 | b.id, 1);

-- The collection's real part; more rows follow from collection.cpp.
CREATE UNLOGGED TABLE doc (id integer NOT NULL, h simhash NOT NULL);
INSERT INTO doc SELECT id, h FROM fingerprinted f
    WHERE NOT EXISTS (SELECT FROM query WHERE query.id = f.id) ORDER BY hashint4extended(id, 3);

-- Queries for the batch join: texts with invented words added, up to one for every twenty words. A new feature adds to
-- the weights of a text, so the sum is that of the edited text.
CREATE TABLE made_up AS
    SELECT words, version, to_simhash_weights(features(array_agg(md5(words || ' ' || version || ' ' || i)), array_agg((SELECT avg(made_up_weight)::float8 FROM weighed)))) AS w
    FROM generate_series(1, 64) words, generate_series(1, 32) version, generate_series(1, words) i GROUP BY 1, 2;
CREATE UNLOGGED TABLE batch AS
    SELECT row_number() OVER ()::integer AS id, w, w::simhash AS h FROM (
        SELECT f.w + m.w AS w FROM (
            SELECT w, (1 + random() ^ 3 * least(63, n / 20))::integer AS words,
                   (1 + random() * 31)::integer AS version
            FROM fingerprinted,
                 generate_series(1, :batch / (SELECT count(*) FROM fingerprinted)::integer + 1)) f
        JOIN made_up m USING (words, version) ORDER BY random() LIMIT :batch) b;
CREATE INDEX ON batch (id);
ANALYZE query, fit_pair, batch;

CREATE TABLE truth (rows bigint, radius integer, query integer, found integer);
CREATE TABLE built (rows bigint, tables integer, seconds float8, bytes bigint, leaf_pages bigint, inner_pages bigint, height integer);
CREATE TABLE searched (rows bigint, tables integer, method text, target float8, most_probes integer, radius integer,
    find text, queries integer, leaf_pages float8, pages float8, microseconds float8, recall float8,
    partner_recall float8, query_recall float8, exact_rows bigint);
CREATE TABLE batched (rows bigint, tables integer, how text, method text, target float8, find text, queries integer,
    seconds float8, found bigint);
CREATE TABLE calibrated (rows bigint, tables integer, distance integer, target float8, predicted float8, measured float8,
    leaves float8, pairs bigint);

\echo Texts, near-duplicate pairs, queries, partners in the collection, pairs to calibrate with
SELECT (SELECT count(*) FROM fingerprinted) AS texts, (SELECT count(*) FROM near) AS pairs,
       (SELECT count(*) FROM query) AS queries,
       (SELECT count(*) FROM query JOIN partner USING (id) JOIN doc ON doc.id = partner) AS partners,
       (SELECT count(*) FROM fit_pair) AS "pairs to calibrate with";
\echo Share of partners within
SELECT round(avg((q.h <@> d.h <= 3)::int), 3) AS "3", round(avg((q.h <@> d.h <= 5)::int), 3) AS "5",
       round(avg((q.h <@> d.h <= 8)::int), 3) AS "8"
FROM query q JOIN partner p USING (id) JOIN doc d ON d.id = p.partner;
