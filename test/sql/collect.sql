-- All pairs part by part, each part in a transaction of its own: against simhash_pairs of the same rows.
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;
CREATE FUNCTION flipped(h simhash, n int, bits int) RETURNS simhash IMMUTABLE LANGUAGE sql AS
$$ SELECT (h::bigint # coalesce(bit_or(1::bigint << (abs(hashint8extended(n, i)) % 64)::int), 0))::simhash
   FROM generate_series(1, bits) AS i $$;
CREATE TABLE page AS SELECT i AS id, i % 10 AS batch, CASE WHEN i % 50 = 0 THEN NULL WHEN i % 3 = 0 THEN hashint8extended(i, 1)::simhash
    -- 150 nearly equal
    WHEN i % 20 = 1 THEN (x'00000000ffffffff'::bit(64)::bigint # (i % 4))::simhash
    ELSE flipped(hashint8extended(i % 400, 2)::simhash, i, i % 6) END AS h FROM generate_series(1, 3000) i;
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE routed (id int, batch int, h simhash, block bigint) PARTITION BY HASH (block);
SELECT format('CREATE TABLE routed_%s PARTITION OF routed FOR VALUES WITH (MODULUS 3, REMAINDER %s)', i, i) FROM generate_series(0, 2) i \gexec
INSERT INTO routed SELECT id, batch, h, block FROM page, unnest(simhash_blocks(h, 3)) block;
CREATE INDEX ON routed (block, h) INCLUDE (id);
ANALYZE routed;
CREATE VIEW expected AS SELECT least(x.id, y.id) AS a, greatest(x.id, y.id) AS b, p.distance, x.batch AS a_batch, y.batch AS b_batch
    FROM simhash_pairs('page_h', 3) p JOIN page x ON x.ctid = p.a JOIN page y ON y.ctid = p.b;
CREATE TABLE pair (a int, b int, distance int);
CREATE FUNCTION differences(of_table text, condition text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE wrong bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM ((SELECT a, b, distance FROM expected WHERE %1$s EXCEPT ALL TABLE %2$s)
        UNION ALL (TABLE %2$s EXCEPT ALL SELECT a, b, distance FROM expected WHERE %1$s)) d', condition, of_table) INTO wrong;
    RETURN wrong;
END $$;

-- One notice for each part.
SET client_min_messages = notice;
CALL simhash_collect_pairs('pair', 'routed', 3);
SET client_min_messages = warning;
SELECT count(*) > 5000 AS many, differences('pair', 'true') FROM pair;
SELECT part, routed, distance, tables, added, relation, first_block, end_block, pid = pg_backend_pid() AS own, finished >= started AS timed, pairs > 0 AS found, error
FROM pair_parts ORDER BY part;
SELECT sum(pairs) = (SELECT count(*) FROM pair) AS counted FROM pair_parts;

-- Not twice.
\set SHOW_CONTEXT never
\set VERBOSITY default
CALL simhash_collect_pairs('pair', 'routed', 3);
SELECT differences('pair', 'true');

-- What is unfinished is collected: nothing is lost or comes twice.
DELETE FROM pair; -- as if the pairs of the parts below had not been collected
UPDATE pair_parts SET finished = NULL WHERE part % 2 = 0;
CALL simhash_collect_pairs('pair', 'routed', 3);
SELECT count(*) = (SELECT sum(pairs) FROM pair_parts WHERE part % 2 = 0) AS even_parts FROM pair;
UPDATE pair_parts SET finished = NULL WHERE part % 2 = 1;
CALL simhash_collect_pairs('pair', 'routed', 3);
SELECT differences('pair', 'true');

-- New rows against all: those of a batch, whatever their ids are; of several conditions, each is a run of its own.
CREATE TABLE pair_of_batch (LIKE pair);
CALL simhash_collect_pairs('pair_of_batch', 'routed', 3, added => 'batch = 1 -- the first');
SELECT count(*) > 100 AS many, differences('pair_of_batch', 'a_batch = 1 OR b_batch = 1') FROM pair_of_batch;
CREATE TABLE pair_growing (LIKE pair);
CALL simhash_collect_pairs('pair_growing', 'routed', 3, added => 'id > 2000');
SELECT differences('pair_growing', 'b > 2000');
DELETE FROM pair_growing;
CALL simhash_collect_pairs('pair_growing', 'routed', 3, added => 'id <= 1000 AND NULLIF(id % 7, 3) < 5');
SELECT differences('pair_growing', 'a <= 1000 AND NULLIF(a % 7, 3) < 5 OR b <= 1000 AND NULLIF(b % 7, 3) < 5');
SELECT count(*) AS runs, sum(parts) AS parts FROM (SELECT count(*) AS parts FROM pair_growing_parts GROUP BY added) r;

-- Another design, other columns, a table without partitions, a name that must be quoted.
CREATE TABLE "Routed rows" AS SELECT id::text AS "Page", h AS "print ", block AS "the block" FROM page, unnest(simhash_blocks(h, 3, 8)) block;
CREATE TABLE "Found pairs" (a text, b text, distance int, seen date DEFAULT '2000-01-01');
CALL simhash_collect_pairs('"Found pairs"', '"Routed rows"', 3, 8, id => 'Page', fingerprint => 'print ', block => 'the block');
CREATE TABLE numbers AS SELECT least(a::int, b::int) a, greatest(a::int, b::int) b, distance FROM "Found pairs";
SELECT differences('numbers', 'true'), (SELECT count(*) FROM "Found pairs_parts") AS parts;

-- Groups.
SELECT count(*) AS members, count(*) FILTER (WHERE g.leader IS DISTINCT FROM l.id) AS wrong
FROM simhash_pair_groups('SELECT a, b FROM pair') g
FULL JOIN (SELECT m.id AS member, l.id FROM simhash_groups('page_h', 3) s JOIN page m ON m.ctid = s.member JOIN page l ON l.ctid = s.leader) l
    USING (member);

-- Errors keep what was collected.
\set VERBOSITY terse
CREATE TABLE pair_wrong (LIKE pair);
CALL simhash_collect_pairs('pair_wrong', 'routed', 3, 5);
CALL simhash_collect_pairs('pair_wrong', 'routed', 2);
CALL simhash_collect_pairs('pair_wrong', 'routed', 3, 3);
CALL simhash_collect_pairs('pair_wrong', 'routed', 16);
CALL simhash_collect_pairs('pair_wrong', 'routed', NULL);
CALL simhash_collect_pairs('pair_wrong', 'routed', 3, id => 'nothing');
CALL simhash_collect_pairs('pair_wrong', 'routed', 3, added => 'nothing');
CALL simhash_collect_pairs('pair_wrong', 'page', 3);
CALL simhash_collect_pairs('page_h', 'routed', 3);
BEGIN;
CALL simhash_collect_pairs('pair_wrong', 'routed', 3);
ROLLBACK;
SELECT count(*) FROM pair_wrong;
CREATE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(finished) FROM pair_wrong_parts WHERE distance = 3 AND tables = 0 AND added IS NULL) > 4 THEN RAISE 'late'; END IF;
    RETURN new;
END $$;
CREATE TRIGGER fail_late BEFORE INSERT ON pair_wrong FOR EACH ROW EXECUTE FUNCTION fail_late();
CALL simhash_collect_pairs('pair_wrong', 'routed', 3);
SELECT count(*) BETWEEN 5 AND 11 AS some_finished, sum(pairs) = (SELECT count(*) FROM pair_wrong) AS counted
FROM pair_wrong_parts WHERE finished IS NOT NULL;
DROP TRIGGER fail_late ON pair_wrong;
CALL simhash_collect_pairs('pair_wrong', 'routed', 3);
SELECT differences('pair_wrong', 'true');

-- A role without rights.
CREATE ROLE regress_collector;
SET ROLE regress_collector;
CALL simhash_collect_pairs('pair', 'routed', 3);
CALL simhash_collect_pairs('pair', 'routed', 3, added => 'id > 2');
RESET ROLE;
DROP ROLE regress_collector;

-- An extension in another schema, and a search path that does not name it.
CREATE SCHEMA elsewhere;
ALTER EXTENSION simhash SET SCHEMA elsewhere;
CREATE SCHEMA answers;
CREATE TABLE answers.pair (LIKE pair);
CALL elsewhere.simhash_collect_pairs('answers.pair', 'routed', 3);
ALTER EXTENSION simhash SET SCHEMA public;
SELECT differences('answers.pair', 'true'), (SELECT count(*) FROM answers.pair_parts) AS parts;
DROP SCHEMA elsewhere, answers CASCADE;
DROP VIEW expected;
DROP TABLE page, routed, pair, pair_parts, pair_of_batch, pair_of_batch_parts, pair_growing, pair_growing_parts, "Routed rows",
    "Found pairs", "Found pairs_parts", numbers, pair_wrong, pair_wrong_parts;
DROP FUNCTION flipped, differences, fail_late;
