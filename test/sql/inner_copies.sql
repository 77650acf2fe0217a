\set ECHO none
-- A backend keeps copies of inner pages. They become stale as the tree grows; no row may be lost.
CREATE FUNCTION pg_temp.scattered(i bigint) RETURNS simhash LANGUAGE sql
    AS $$ SELECT hashint8extended(i, 7)::simhash $$;
-- Whether the index and a sequential scan find the same rows.
CREATE PROCEDURE pg_temp.compare(name text, radius integer) LANGUAGE plpgsql AS $$
DECLARE by_index bigint[]; by_scan bigint[];
    query text := format('SELECT array_agg(p.id * 100 + q.i ORDER BY p.id, q.i) FROM generate_series(1, 60) q(i), %I p
        WHERE p.h <@> (pg_temp.scattered(q.i * 500)::bigint # 5)::simhash <= %s', name, radius);
BEGIN
    SET LOCAL enable_seqscan = off;
    EXECUTE query INTO by_index;
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    EXECUTE query INTO by_scan;
    SET LOCAL enable_indexscan = on;
    SET LOCAL enable_bitmapscan = on;
    RAISE NOTICE '% rows, same: %', cardinality(by_scan), by_index IS NOT DISTINCT FROM by_scan;
END $$;

\echo '-- From a single root to three levels, with a search after each step.'
CREATE TABLE growing (id bigint, h simhash);
CREATE INDEX growing_h ON growing USING simhash (h);
CALL pg_temp.compare('growing', 3);
INSERT INTO growing SELECT i, pg_temp.scattered(i) FROM generate_series(1, 500) i;
CALL pg_temp.compare('growing', 3);
INSERT INTO growing SELECT i, pg_temp.scattered(i) FROM generate_series(501, 3000) i;
CALL pg_temp.compare('growing', 3);
INSERT INTO growing SELECT i, pg_temp.scattered(i) FROM generate_series(3001, 30000) i;
CALL pg_temp.compare('growing', 3);
CALL pg_temp.compare('growing', 9);
\echo '-- Many more rows near the existing ones: their leaves split repeatedly.'
INSERT INTO growing SELECT 100000 + i, (pg_temp.scattered(i % 60 * 500)::bigint # (i & 7))::simhash
    FROM generate_series(1, 30000) i;
CALL pg_temp.compare('growing', 3);
CALL pg_temp.compare('growing', 9);

\echo '-- A cursor has located leaves that split before it reads them.'
DO $$
DECLARE far CURSOR FOR SELECT id FROM growing WHERE h <@> 'ffffffff00000000' <= 24;
    before bigint; fetched bigint := 0;
BEGIN
    SELECT count(*) INTO before FROM growing WHERE h <@> 'ffffffff00000000' <= 24;
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = off;
    FOR row IN far LOOP
        IF fetched = 0 THEN
            INSERT INTO growing SELECT i, pg_temp.scattered(i) FROM generate_series(200001, 240000) i;
        END IF;
        fetched := fetched + 1;
    END LOOP;
    RAISE NOTICE '% of % rows', fetched, before;
END $$;
CALL pg_temp.compare('growing', 3);
SELECT * FROM simhash_index_check('growing_h', true);

\echo '-- The relation is truncated and rebuilt under the same relcache entry.'
BEGIN;
CREATE TEMP TABLE emptied (id bigint, h simhash) ON COMMIT DELETE ROWS;
INSERT INTO emptied SELECT i, (i::bigint << 40)::simhash FROM generate_series(1, 3000) i;
CREATE INDEX ON emptied USING simhash (h);
SET LOCAL enable_seqscan = off;
SELECT count(*) FROM emptied WHERE h <@> (7::bigint << 40)::simhash <= 1;
COMMIT;
INSERT INTO emptied SELECT i, pg_temp.scattered(i) FROM generate_series(1, 3000) i;
BEGIN;
INSERT INTO emptied SELECT i, pg_temp.scattered(i) FROM generate_series(1, 3000) i;
CALL pg_temp.compare('emptied', 9);
COMMIT;
BEGIN;
CREATE TABLE truncated (id bigint, h simhash);
CREATE INDEX ON truncated USING simhash (h);
INSERT INTO truncated SELECT i, (i::bigint << 40)::simhash FROM generate_series(1, 3000) i;
SET LOCAL enable_seqscan = off;
SELECT count(*) FROM truncated WHERE h <@> (7::bigint << 40)::simhash <= 1;
TRUNCATE truncated;
INSERT INTO truncated SELECT i, pg_temp.scattered(i) FROM generate_series(1, 3000) i;
CALL pg_temp.compare('truncated', 9);
COMMIT;
\echo '-- What a session holds: nothing for a plan.'
\c -
EXPLAIN (COSTS OFF) SELECT count(*) FROM growing WHERE h <@> 'ffffffff00000000' <= 3;
SELECT count(*) FROM simhash_index_memory();
SET enable_seqscan = off;
SELECT count(*) FROM growing WHERE h <@> 'ffffffff00000000' <= 3;
SELECT index, inner_pages BETWEEN 1 AND 30 AS few, bytes BETWEEN 1000 AND 200000 AS small FROM simhash_index_memory();
REINDEX INDEX growing_h;
SELECT count(*) FROM simhash_index_memory();
DROP TABLE growing, truncated;
