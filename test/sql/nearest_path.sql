\set ECHO none
-- ORDER BY a distance beside other conditions: the near rows by the index, then the others by a sort.
SET client_min_messages = warning;
CREATE FUNCTION spread(seed bigint, flips int) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT hashint8extended(seed, 1) # coalesce(bit_or(1::bigint << (hashint8extended(seed, 2 + i) & 63)::int), 0) FROM generate_series(1, flips) AS i $$;
-- Groups of 7 rows with up to 12 bits flipped; a tenant has a hundred rows, and some are without a fingerprint.
CREATE TABLE page AS SELECT i AS id, i / 7 % 240 AS tenant, CASE WHEN i % 50 = 0 THEN NULL ELSE v::simhash END AS h, v AS b, (v::bit(64) || v::bit(64))::bit(128) AS s
    FROM generate_series(1, 24000) AS i, LATERAL (SELECT hashint8extended(i / 7, 1) # coalesce(bit_or(1::bigint << (hashint8extended(i, n) & 63)::int), 0) AS v
        FROM generate_series(1, i / 7 % 13) AS n) AS v;
INSERT INTO page SELECT 0, 401, NULL, NULL, NULL;
CREATE TABLE asked AS SELECT id, tenant, h, b, s FROM page WHERE id % 501 = 3 AND h IS NOT NULL UNION ALL SELECT -id, tenant, hashint8(id)::simhash, hashint8(id), s FROM page WHERE id % 3001 = 3;
CREATE INDEX page_tenant ON page (tenant);
VACUUM ANALYZE page, asked;

-- Runs a query, with $1 and $2 the tenant and the value asked for, for each one asked, and compares the distances, which
-- are all that it returns, with those of a plan without an index on the fingerprints.
CREATE FUNCTION compared(of text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    one record;
    asking text;
    line text;
    plan text;
    found text[];
    expected text[];
    divided int := 0;
    enough int := 0;
    wrong int := 0;
BEGIN
    FOR one IN EXECUTE format('SELECT tenant, format(''%%L::%%s'', %I, (SELECT format_type(atttypid, atttypmod) FROM pg_attribute
        WHERE attrelid = ''asked''::regclass AND attname = %1$L)) AS value FROM asked', of) LOOP
        asking := replace(replace(query, '$1', one.tenant::text), '$2', one.value);
        plan := '';
        FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || asking LOOP
            plan := plan || line;
        END LOOP;
        EXECUTE format('SELECT array_agg(x::text) FROM (%s) AS x', asking) INTO found;
        SET LOCAL enable_indexscan = off;
        EXECUTE format('SELECT array_agg(x::text) FROM (%s) AS x', asking) INTO expected;
        SET LOCAL enable_indexscan = on;
        divided := divided + (plan ~ 'Append.*Index Scan using page_near.*Sort')::int;
        enough := enough + (plan ~ 'Append.*never executed')::int;
        wrong := wrong + (found IS DISTINCT FROM expected)::int;
    END LOOP;
    RETURN format('%s, %s wrong', CASE WHEN divided = 0 THEN 'another plan' WHEN enough > 0 AND enough < divided THEN 'with and without a sort'
        ELSE 'with or without a sort' END, wrong);
END $$;
-- A plan, without the radius, which depends on costs.
CREATE FUNCTION shown(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        RETURN NEXT regexp_replace(line, '(,|<= |'')\d+(>|\)|''::bigint)', '\1r\2');
    END LOOP;
END $$;

\echo '-- Columns before the searched one'
CREATE INDEX page_near ON page USING simhash (tenant, h);
SELECT shown($$SELECT id FROM page WHERE tenant = 5 ORDER BY h <@> '0123456789abcdef' LIMIT 5$$);
SELECT rows, compared('h', 'SELECT h <@> $2 AS d FROM page WHERE tenant = $1 ORDER BY h <@> $2 LIMIT ' || rows) FROM unnest('{3,7,12,90}'::int[]) AS rows;
SELECT compared('h', 'SELECT h <@> $2 AS d FROM page WHERE tenant = $1 ORDER BY h <@> $2 LIMIT 5 OFFSET 3'),
    compared('h', 'SELECT h <@> $2 AS d, id FROM page WHERE tenant = $1 ORDER BY h <@> $2, id LIMIT 5'),
    compared('h', 'SELECT h <@> $2 AS d FROM page WHERE tenant = $1 AND h <@> $2 <= 20 ORDER BY h <@> $2 LIMIT 5');
\echo '-- A filter beside an index of one column, and other types'
DROP INDEX page_near;
CREATE INDEX page_near ON page USING simhash (h);
SELECT compared('h', 'SELECT h <@> $2 AS d FROM page WHERE tenant = $1 ORDER BY h <@> $2 LIMIT 5');
DROP INDEX page_near;
CREATE INDEX page_near ON page USING simhash (b);
SELECT compared('b', 'SELECT b <@> $2 AS d FROM page WHERE tenant = $1 ORDER BY b <@> $2 LIMIT 5');
DROP INDEX page_near;
CREATE INDEX page_near ON page USING simhash (s);
SELECT compared('s', 'SELECT s <@> $2 AS d FROM page WHERE tenant = $1 ORDER BY s <@> $2 LIMIT 5');
DROP INDEX page_near;
CREATE INDEX page_near ON page USING simhash (tenant, h);

\echo '-- Parameters, cursors and rescans'
SET plan_cache_mode = force_generic_plan;
PREPARE nearest(int, simhash) AS SELECT h <@> $2 AS d FROM page WHERE tenant = $1 ORDER BY h <@> $2 LIMIT 5;
SELECT shown($$EXECUTE nearest(5, NULL)$$);
EXECUTE nearest(5, NULL);
EXECUTE nearest(401, 'ffffffffffffffff');
SELECT format('EXECUTE nearest(%s, %L)', tenant, h) FROM asked WHERE id > 0 ORDER BY id LIMIT 1 \gexec
RESET plan_cache_mode;
SELECT count(*) AS queries, sum((found = expected)::int) AS equal FROM asked AS a,
    LATERAL (SELECT array_agg(d) AS found FROM (SELECT h <@> a.h AS d FROM page AS p WHERE p.tenant = a.tenant ORDER BY h <@> a.h LIMIT 5) AS x) AS f,
    LATERAL (SELECT array_agg(d) AS expected FROM (SELECT h <@> a.h AS d FROM page AS p WHERE p.tenant = a.tenant ORDER BY (h <@> a.h)::int + 0 LIMIT 5) AS x) AS e;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id, h <@> '0123456789abcdef' AS d FROM page WHERE tenant = 5 ORDER BY h <@> '0123456789abcdef', id LIMIT 12;
CREATE TEMP TABLE seen AS SELECT id, h <@> '0123456789abcdef' AS d FROM page WHERE tenant = 5 ORDER BY (h <@> '0123456789abcdef')::int + 0, id LIMIT 12;
MOVE FORWARD 11 FROM c;
FETCH BACKWARD ALL FROM c \g /dev/null
FETCH FORWARD 3 FROM c;
SELECT * FROM seen ORDER BY d, id LIMIT 3;
COMMIT;
-- The current row may be one of the sort.
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM page WHERE tenant = 5 ORDER BY h <@> '0123456789abcdef' LIMIT 12;
MOVE LAST FROM c;
DELETE FROM page WHERE CURRENT OF c;
ROLLBACK;

\echo '-- Not where rows are locked or changed: a test of a new version would look for it in one part only.'
SELECT shown($$SELECT id FROM page WHERE tenant = 5 ORDER BY h <@> '0123456789abcdef' LIMIT 5 FOR UPDATE$$);
UPDATE page SET id = -1 FROM (SELECT ctid AS place FROM page WHERE tenant = 5 ORDER BY h <@> '0123456789abcdef' LIMIT 5) AS n WHERE ctid = place;
SELECT count(*), max(h <@> '0123456789abcdef') = max(expected) AS equal FROM page, (SELECT max(d) AS expected FROM (SELECT h <@> '0123456789abcdef' AS d FROM page
    WHERE tenant = 5 ORDER BY (h <@> '0123456789abcdef')::int + 0 LIMIT 5) AS x) AS e WHERE id = -1;

\echo '-- Where many rows are near, the radius of the index is smaller.'
CREATE TABLE skewed AS SELECT i AS id, i % 100 AS tenant, CASE WHEN i % 3 = 0 THEN '0000000000000000' ELSE hashint8extended(i, 1)::simhash END AS h FROM generate_series(1, 30000) AS i;
CREATE INDEX ON skewed (tenant);
CREATE INDEX ON skewed USING simhash (h);
VACUUM ANALYZE skewed;
DO $$
DECLARE
    line text;
BEGIN
    FOR line IN EXPLAIN (COSTS OFF) SELECT id FROM skewed WHERE tenant = 5 ORDER BY h <@> '0000000000000007' LIMIT 5 LOOP
        IF line ~ '<@' AND substring(line FROM ',([0-9]+)>')::int >= 3 THEN RAISE '%', line; END IF;
    END LOOP;
END $$;

\echo '-- Nor may it if all rows of the filter are far from the query, where few are expected to suffice. IS NOT NULL is no limit.'
CREATE TABLE far AS SELECT i AS id, (i % 20)::int AS tenant, CASE WHEN i % 20 = 0 THEN ~(hashint8extended(i, 1) & hashint8extended(i, 2) & hashint8extended(i, 3))
    ELSE hashint8extended(i, 1) & hashint8extended(i, 2) & hashint8extended(i, 3) END::simhash AS h FROM generate_series(1, 20000) AS i;
CREATE INDEX ON far (tenant);
CREATE INDEX ON far USING simhash (h);
VACUUM ANALYZE far;
SELECT condition, count(*) FILTER (WHERE s ~ 'Append') AS divided FROM unnest(ARRAY['', ' AND h IS NOT NULL', ' AND id > 0']) AS condition,
    LATERAL shown('SELECT id FROM far WHERE tenant = 0' || condition || ' ORDER BY h <@> ''0000000000000007'' LIMIT 1') AS s GROUP BY condition ORDER BY condition;
SELECT shown('SELECT id FROM far WHERE tenant <> 0 ORDER BY h <@> ''0000000000000007'' LIMIT 1');
SET enable_sort = off;
SELECT shown('SELECT id FROM far WHERE tenant = 0 ORDER BY h <@> ''0000000000000007'' LIMIT 1');
RESET enable_sort;
\echo '-- An index with the tenant passes over those of others. All rows of a partial index pass.'
DROP INDEX far_tenant_idx;
CREATE INDEX ON far USING simhash (tenant, h);
SELECT shown('SELECT id FROM far WHERE tenant = 0 ORDER BY h <@> ''0000000000000007'' LIMIT 1');
DROP INDEX far_h_idx, far_tenant_h_idx;
CREATE INDEX far_partial ON far USING simhash (h) WHERE tenant = 0;
CREATE INDEX ON far (tenant);
ANALYZE far;
SELECT shown('SELECT id FROM far WHERE tenant = 0 ORDER BY h <@> ''0000000000000007'' LIMIT 1');
\echo '-- Rows of a tenant that stand together are sorted fast, but the index is tried first.'
CREATE TABLE together AS SELECT i AS id, (i / 2500)::int AS tenant, hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 49999) AS i;
CREATE INDEX ON together (tenant);
CREATE INDEX ON together USING simhash (h);
VACUUM ANALYZE together;
SELECT shown('SELECT id FROM together WHERE tenant = 3 ORDER BY h <@> ''0000000000000007'' LIMIT 1');

\echo '-- A volatile filter is evaluated once.'
SELECT count(*) AS divided FROM shown('SELECT id FROM skewed WHERE tenant = 5 AND random() >= 0 ORDER BY h <@> ''0000000000000007'' LIMIT 5') AS s WHERE s ~ 'Append';

\echo '-- Row-level security'
CREATE ROLE regress_nearest;
GRANT SELECT ON page TO regress_nearest;
CREATE POLICY own ON page TO regress_nearest USING (tenant = 5);
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
SET ROLE regress_nearest;
SELECT shown($$SELECT id FROM page ORDER BY h <@> '0123456789abcdef' LIMIT 5$$);
RESET ROLE;
\echo '-- Bit strings may be of another length, of which an error would tell.'
CREATE TABLE wide AS SELECT id, id % 240 AS tenant, repeat(b::bit(64)::text, 16)::bit(1024) AS s FROM page WHERE b IS NOT NULL;
CREATE INDEX ON wide (tenant);
CREATE INDEX ON wide USING simhash (s);
VACUUM ANALYZE wide;
GRANT SELECT ON wide TO regress_nearest;
CREATE POLICY own ON wide TO regress_nearest USING (tenant < 5);
ALTER TABLE wide ENABLE ROW LEVEL SECURITY;
SELECT count(*) AS without_policy FROM shown($$SELECT id FROM wide WHERE tenant < 5 ORDER BY s <@> repeat('01', 512)::bit(1024) LIMIT 5$$) AS s WHERE s ~ 'Append';
SET ROLE regress_nearest;
SELECT count(*) AS with_policy FROM shown($$SELECT id FROM wide ORDER BY s <@> repeat('01', 512)::bit(1024) LIMIT 5$$) AS s WHERE s ~ 'Append';
RESET ROLE;
DROP OWNED BY regress_nearest;
DROP ROLE regress_nearest;
