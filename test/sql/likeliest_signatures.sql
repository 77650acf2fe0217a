\set ECHO none
-- Exact searches of signatures that read the likeliest leaves first: each row of a sequential scan once, and the first row early.
SET max_parallel_workers_per_gather = 0;
SET jit = off;
SET enable_bitmapscan = off;
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
-- one bit in 32
CREATE FUNCTION few_bits(n bigint) RETURNS bit IMMUTABLE LANGUAGE sql AS
    $$ SELECT random_bits(n, 4096) & random_bits(n + 1000000, 4096) & random_bits(n + 2000000, 4096) & random_bits(n + 3000000, 4096) & random_bits(n + 4000000, 4096) $$;

-- uniform rows, near-duplicates, and runs of equal rows
CREATE TABLE wide (id bigint, s bit(4096));
INSERT INTO wide SELECT i, random_bits(i, 4096) FROM generate_series(1, 9000) i;
INSERT INTO wide SELECT 100000 + i, random_bits(i % 30, 4096) # (few_bits(i) & CASE i % 4 WHEN 0 THEN random_bits(3, 4096) WHEN 1 THEN random_bits(3, 4096) & random_bits(4, 4096) ELSE few_bits(i) END)
    FROM generate_series(1, 1200) i;
INSERT INTO wide SELECT 200000 + i, CASE i % 2 WHEN 0 THEN random_bits(3, 4096) ELSE ~random_bits(3, 4096) END FROM generate_series(1, 1500) i;
INSERT INTO wide VALUES (0, NULL);
-- Queries with weights, the small ones of which are those of the bits that some near-duplicate flips.
CREATE TABLE query AS
    SELECT id, s, (SELECT array_agg(CASE WHEN get_bit(few_bits(id + 60), j) = 1 THEN 0.1 ELSE 1 + j % 7 END ORDER BY j) FROM generate_series(0, 4095) j)::real[] AS w
    FROM (SELECT i AS id, CASE WHEN i <= 30 THEN random_bits(i % 30, 4096) WHEN i <= 35 THEN random_bits(-i, 4096) ELSE ~random_bits(3, 4096) END AS s
          FROM generate_series(1, 36) i) q;
CREATE TABLE want AS SELECT q.id AS query, d.id, (d.s <@> q.s)::int AS distance FROM query q JOIN wide d ON (d.s <@> q.s)::int <= 200;
ANALYZE;

\echo '-- By trees, and by a scan of the store: the rows that are missing, wrong or repeated, the queries whose first row is wrong, and'
\echo '-- those for which EXISTS is.'
CREATE FUNCTION wrong(radii int[]) RETURNS TABLE (form text, missing bigint, wrong bigint, firsts bigint, existing bigint) LANGUAGE plpgsql AS $$
DECLARE r int; condition text;
BEGIN
    SET LOCAL enable_seqscan = off;
    FOREACH r IN ARRAY radii LOOP
        FOR form, condition IN VALUES ('s', 'd.s <@> q.s <= %s'), ('ball', 'd.s <@| signature_ball(q.s, %s)'), ('weights', 'd.s <@| signature_ball(q.s, %s, 1, q.w)') LOOP
            condition := format(condition, r);
            EXECUTE format('CREATE TEMP TABLE got AS SELECT q.id AS query, d.id FROM query q JOIN wide d ON %s', condition);
            EXECUTE format('SELECT count(*) FROM query q LEFT JOIN LATERAL (SELECT d.id FROM wide d WHERE %s LIMIT 1) f ON true
                WHERE CASE WHEN f.id IS NULL THEN (q.id IN (SELECT query FROM want WHERE distance <= %2$s))
                           ELSE (q.id, f.id) NOT IN (SELECT query, id FROM want WHERE distance <= %2$s) END', condition, r) INTO firsts;
            EXECUTE format('SELECT count(*) FROM query q WHERE EXISTS (SELECT FROM wide d WHERE %s) <> EXISTS (SELECT FROM want WHERE query = q.id AND distance <= %s)',
                condition, r) INTO existing;
            SELECT count(*) INTO missing FROM (SELECT query, id FROM want WHERE distance <= r EXCEPT ALL TABLE got) x;
            SELECT count(*) INTO wrong FROM (TABLE got EXCEPT ALL SELECT query, id FROM want WHERE distance <= r) x;
            form := form || ' ' || r;
            RETURN NEXT;
            DROP TABLE got;
        END LOOP;
    END LOOP;
END $$;
CREATE INDEX wide_s ON wide USING simhash (s);
SELECT * FROM wrong('{0, 16, 50, 64, 200}');

\echo '-- Leaves before the first row, and leaves of the trees if a scan follows: few.'
CREATE FUNCTION leaves(ball text, OUT first numeric, OUT most bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT avg(first), max(leaves) FROM query q, LATERAL (
        SELECT min(step) FILTER (WHERE candidates > 0) AS first, count(*) FILTER (WHERE part = ''tree'') AS leaves
        FROM simhash_index_trace(''wide_s'', %s)) p WHERE q.id <= 30', ball) INTO first, most;
END $$;
SELECT r, s.first < 2 AS few, w.first < 2 AS "by weights", s.most BETWEEN 1 AND 64 AS "then a scan"
FROM unnest('{64,200}'::int[]) r, LATERAL leaves(format('signature_ball(q.s, %s)', r)) s, LATERAL leaves(format('signature_ball(q.s, %s, 1, q.w)', r)) w;
