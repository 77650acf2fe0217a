-- The recipes of doc/recipes.md.
CREATE TABLE page (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    site    text,
    added   date,
    body    text,
    h       simhash GENERATED ALWAYS AS (to_simhash(body)) STORED
);
CREATE INDEX page_h ON page USING simhash (h);
CREATE FUNCTION lorem(n int) RETURNS text IMMUTABLE LANGUAGE sql AS
$$ SELECT string_agg('word' || abs(hashint8extended(i, n)) % 5000, ' ' ORDER BY i) FROM generate_series(1, 400) i $$;
INSERT INTO page (site, added, body) SELECT 'a.example', '2026-01-01'::date + i, lorem(i) FROM generate_series(1, 2000) i;
-- pages 2001 to 2003 are copies of pages 1 to 3 with another last word, 2004 and 2005 of 2001 with other last two words
INSERT INTO page (site, added, body) SELECT 'b.example', '2026-02-01', regexp_replace(body, '\S+$', 'changed') FROM page WHERE id <= 3 ORDER BY id;
INSERT INTO page (site, added, body) SELECT 'c.example', '2025-12-24', regexp_replace(body, '\S+ \S+$', w) FROM page, unnest('{once more,now}'::text[]) w WHERE id = 2001;
ANALYZE page;

-- Find: all, the first, whether there is one
SELECT p.id, p.h <@> q.h AS distance FROM page p, (SELECT h FROM page WHERE id = 2) q WHERE p.h <@> q.h <= 3 ORDER BY 2, 1;
SELECT id FROM page WHERE h <@> (SELECT h FROM page WHERE id = 4) <= 3 LIMIT 1;
SELECT EXISTS (SELECT FROM page WHERE h <@> to_simhash('a text that is nowhere') <= 3);

-- Find for an array in one statement
PREPARE find_all(simhash[]) AS
    SELECT q.n, p.id, p.h <@> q.h AS distance
    FROM unnest($1) WITH ORDINALITY q(h, n) JOIN page p ON p.h <@> q.h <= 3 ORDER BY 1, 3, 2;
PREPARE find_first(simhash[]) AS
    SELECT q.n, p.id
    FROM unnest($1) WITH ORDINALITY q(h, n)
    LEFT JOIN LATERAL (SELECT id FROM page WHERE page.h <@> q.h <= 3 ORDER BY page.h <@> q.h, id LIMIT 1) p ON true ORDER BY 1;
SELECT array_agg(h ORDER BY id) AS queries FROM page WHERE id IN (2, 3, 2004) \gset
EXECUTE find_all(:'queries');
EXECUTE find_first((:'queries'::simhash[] || 'ffffffffffffffff'::simhash));
PREPARE find(simhash[]) AS SELECT p.id FROM unnest($1) q(h) JOIN page p ON p.h <@> q.h <= 3;
EXPLAIN (COSTS OFF) EXECUTE find(:'queries');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE find(:'queries');
-- the expected number of rows: about one per fingerprint
CREATE FUNCTION planned_rows(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan; RETURN (plan->0->'Plan'->>'Plan Rows')::numeric; END $$;
SELECT planned_rows('EXECUTE find(''{0123456789abcdef}'')') BETWEEN 1 AND 100 AS sane;
RESET plan_cache_mode;
SELECT planned_rows(format('EXECUTE find(%L)', :'queries')) BETWEEN 1 AND 30 AS sane;

-- Nearest neighbours: the nearest, all ties with the third, with a radius and a filter, for each row of another table
SELECT id, h <@> (SELECT h FROM page WHERE id = 1) AS distance FROM page WHERE id <> 1 ORDER BY 2, 1 LIMIT 4;
SELECT count(*) >= 3 AS complete, count(DISTINCT distance) AS distances FROM (SELECT h <@> 'ffffffffffffffff' AS distance FROM page
    ORDER BY h <@> 'ffffffffffffffff' FETCH FIRST 3 ROWS WITH TIES) t;
SELECT (SELECT count(*) FROM (SELECT FROM page ORDER BY h <@> 'ffffffffffffffff' FETCH FIRST 3 ROWS WITH TIES) t)
     = (SELECT count(*) FROM page WHERE (h <@> 'ffffffffffffffff')::int <=
           (SELECT (h <@> 'ffffffffffffffff')::int FROM page ORDER BY 1 OFFSET 2 LIMIT 1)) AS ties_complete;
SELECT id, site FROM page WHERE site <> 'a.example' AND h <@> (SELECT h FROM page WHERE id = 1) <= 6
    ORDER BY h <@> (SELECT h FROM page WHERE id = 1), id LIMIT 2;
SELECT o.id, n.id AS nearest, n.distance
FROM page o CROSS JOIN LATERAL (SELECT id, h <@> o.h AS distance FROM page n WHERE n.id <> o.id ORDER BY n.h <@> o.h, n.id LIMIT 1) n
WHERE o.id IN (1, 2, 2004) ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT o.id, n.id FROM page o CROSS JOIN LATERAL (SELECT id FROM page n WHERE n.id <> o.id ORDER BY n.h <@> o.h LIMIT 1) n
WHERE o.id IN (1, 2, 2004);

-- Pairs and groups
SELECT x.id, y.id, p.distance FROM simhash_pairs('page_h') p JOIN page x ON x.ctid = p.a JOIN page y ON y.ctid = p.b ORDER BY 1, 2;
SELECT min(p.id) AS first, count(*) AS pages, array_agg(p.id ORDER BY p.id) AS members
FROM simhash_groups('page_h') g JOIN page p ON p.ctid = g.member GROUP BY g.leader ORDER BY 1;
-- groups of verified pairs
SELECT member, leader FROM simhash_pair_groups($$
    SELECT x.id, y.id FROM simhash_pairs('page_h', 6) p JOIN page x ON x.ctid = p.a JOIN page y ON y.ctid = p.b
    WHERE x.site <> y.site AND length(x.body) - length(y.body) BETWEEN -20 AND 20 $$) ORDER BY 1;

-- Keep one of each group: the first in the table; the oldest
BEGIN;
DELETE FROM page USING simhash_groups('page_h', 3, star => true) g WHERE page.ctid = g.member AND g.member <> g.leader RETURNING id;
SELECT count(*) AS pairs_left FROM simhash_pairs('page_h');
ROLLBACK;
BEGIN;
DELETE FROM page USING (
    SELECT p.id, row_number() OVER (PARTITION BY g.leader ORDER BY p.added, p.id) AS place
    FROM simhash_groups('page_h') g JOIN page p ON p.ctid = g.member) d
WHERE page.id = d.id AND d.place > 1 RETURNING page.id;
SELECT count(*) AS pairs_left FROM simhash_pairs('page_h');
ROLLBACK;

-- Why are two pages near-duplicates, or not? Features that only one has
SELECT feature, a.n AS in_2001, b.n AS in_2004
FROM (SELECT feature, count(*) AS n FROM page, unnest(simhash_features(body)) feature WHERE id = 2001 GROUP BY 1) a
FULL JOIN (SELECT feature, count(*) AS n FROM page, unnest(simhash_features(body)) feature WHERE id = 2004 GROUP BY 1) b USING (feature)
WHERE a.n IS DISTINCT FROM b.n ORDER BY feature COLLATE "C";
-- and the bits that differ, with their sums: sums near 0 flip easily
SELECT bit, round(a.w[bit + 1]::numeric, 2) AS in_2001, round(b.w[bit + 1]::numeric, 2) AS in_2004
FROM generate_series(0, 63) bit, (SELECT to_simhash_weights(body)::real[] AS w FROM page WHERE id = 2001) a,
    (SELECT to_simhash_weights(body)::real[] AS w FROM page WHERE id = 2004) b
WHERE (a.w[bit + 1] >= 0) <> (b.w[bit + 1] >= 0) ORDER BY 1;

-- Statistics of the table
SELECT item, value FROM simhash_report('page', 'h') WHERE topic = 'suggestion';

-- Keep near-duplicates out
CREATE TABLE kept (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text,
    h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED, EXCLUDE USING simhash (h WITH ~=));
INSERT INTO kept (body) SELECT body FROM page WHERE id > 1998 ORDER BY id ON CONFLICT DO NOTHING;
SELECT count(*) FROM kept;
-- … and return the existing row. In READ COMMITTED each statement of the function sees what has been committed.
CREATE FUNCTION kept_id(text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE found_id bigint;
BEGIN
    LOOP
        INSERT INTO kept (body) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id INTO found_id;
        EXIT WHEN found_id IS NOT NULL;
        SELECT id INTO found_id FROM kept WHERE h <@> to_simhash($1) <= 3 ORDER BY h <@> to_simhash($1), id LIMIT 1;
        EXIT WHEN found_id IS NOT NULL; -- otherwise it was deleted in between
    END LOOP;
    RETURN found_id;
END $$;
SELECT kept_id(body) FROM page WHERE id = 2000;
SELECT kept_id('something quite different') > 7 AS new;

-- Other radii: a writer locks its blocks, of which near-duplicates share one, and then searches.
CREATE TABLE apart (id bigint PRIMARY KEY, h simhash);
CREATE INDEX apart_h ON apart USING simhash (h);
CREATE FUNCTION keep_apart() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    radius int := TG_ARGV[0];
    key bigint;
    near bigint;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'keep_apart works in READ COMMITTED only' USING ERRCODE = 'feature_not_supported';
    END IF;
    FOR key IN
        SELECT hashtextextended(block || ':' || substring(NEW.h::bit(64) FROM 64 * block / (radius + 1) + 1
                   FOR 64 * (block + 1) / (radius + 1) - 64 * block / (radius + 1))::text, TG_RELID::bigint)
        FROM generate_series(0, radius) block ORDER BY 1
    LOOP
        PERFORM pg_advisory_xact_lock(key);
    END LOOP;
    -- The snapshot of this query is taken after the locks.
    SELECT id INTO near FROM apart WHERE h <@> NEW.h <= radius AND (TG_OP = 'INSERT' OR id <> OLD.id) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'row % is within % of row %', NEW.id, radius, near USING ERRCODE = 'exclusion_violation';
    END IF; -- RETURN NULL instead would skip the row, as ON CONFLICT DO NOTHING does
    RETURN NEW;
END $$;
CREATE TRIGGER keep_apart BEFORE INSERT OR UPDATE OF h ON apart FOR EACH ROW EXECUTE FUNCTION keep_apart(6);
INSERT INTO apart VALUES (1, '0000000000000000'), (2, '00000000000000ff');
INSERT INTO apart VALUES (3, '1000000000000fff');
INSERT INTO apart VALUES (3, '100000000003ffff'), (4, '100000000000ffff');
UPDATE apart SET h = '00000000000000fe' WHERE id = 1;
UPDATE apart SET h = '8000000000000000' WHERE id = 1;
INSERT INTO apart VALUES (5, NULL);
SELECT count(*) FROM apart;
BEGIN ISOLATION LEVEL REPEATABLE READ;
INSERT INTO apart VALUES (6, 'ffffffffffffffff');
ROLLBACK;

-- Loading: COPY into a table without indexes, then build
CREATE TABLE loaded (id int, body text);
COPY loaded FROM STDIN;
1	the first text
2	the second text
\.
ALTER TABLE loaded ADD h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED;
CREATE INDEX ON loaded USING simhash (h);
SELECT count(h) FROM loaded;
DROP TABLE page, kept, apart, loaded;
DROP FUNCTION lorem, kept_id, keep_apart, planned_rows;
