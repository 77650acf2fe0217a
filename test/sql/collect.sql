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

-- A table of pairs that was emptied, or is another one of the same name, does not go with the parts.
CREATE TABLE kept AS TABLE pair;
UPDATE pair_parts SET finished = NULL WHERE part % 2 = 0;
TRUNCATE pair;
CALL simhash_collect_pairs('pair', 'routed', 3);
DROP TABLE pair;
ALTER TABLE kept RENAME TO pair;
CALL simhash_collect_pairs('pair', 'routed', 3, added => 'id < 10');
UPDATE pair_parts SET finished = started;
CALL simhash_collect_pairs('pair', 'routed', 3);
DELETE FROM pair_parts;
CALL simhash_collect_pairs('pair', 'routed', 3);
DELETE FROM pair;
CALL simhash_collect_pairs('pair', 'routed', 3);
SELECT differences('pair', 'true');
ALTER TABLE pair RENAME TO renamed;
CALL simhash_collect_pairs('renamed', 'routed', 3);
ALTER TABLE pair_parts RENAME TO renamed_parts;
CALL simhash_collect_pairs('renamed', 'routed', 3, 4);
ALTER TABLE renamed RENAME TO pair;
ALTER TABLE renamed_parts RENAME TO pair_parts;

-- New rows against all: those of a batch, whatever their ids are; of several conditions, each is a run of its own.
CREATE TABLE pair_of_batch (LIKE pair);
CALL simhash_collect_pairs('pair_of_batch', 'routed', 3, added => 'batch = 1 -- the first');
SELECT count(*) > 100 AS many, differences('pair_of_batch', 'a_batch = 1 OR b_batch = 1') FROM pair_of_batch;
CREATE TABLE pair_growing (LIKE pair);
CALL simhash_collect_pairs('pair_growing', 'routed', 3, added => 'id > 2000');
SELECT differences('pair_growing', 'b > 2000');
DELETE FROM pair_growing; -- after a run the pairs may be moved elsewhere
CALL simhash_collect_pairs('pair_growing', 'routed', 3, added => 'id <= 1000 AND NULLIF(id % 7, 3) < 5');
SELECT differences('pair_growing', 'a <= 1000 AND NULLIF(a % 7, 3) < 5 OR b <= 1000 AND NULLIF(b % 7, 3) < 5');
SELECT count(*) AS runs, sum(parts) AS parts FROM (SELECT count(*) AS parts FROM pair_growing_parts GROUP BY added) r;

-- Another design, other columns, a table without partitions, a name that must be quoted.
CREATE TABLE "Routed rows" AS SELECT id::text AS "Page", h AS "print ", block AS "the block" FROM page, unnest(simhash_blocks(h, 3, 8)) block;
CREATE TABLE "Found pairs" (a text, b text, distance int, seen date DEFAULT '2000-01-01');
CALL simhash_collect_pairs('"Found pairs"', '"Routed rows"', 3, 8, id => 'Page', fingerprint => 'print ', block => 'the block');
CREATE TABLE numbers AS SELECT least(a::int, b::int) a, greatest(a::int, b::int) b, distance FROM "Found pairs";
SELECT differences('numbers', 'true'), (SELECT count(*) FROM "Found pairs_parts") AS parts;

CREATE TABLE "%s %1$s" AS SELECT id AS "%I", h AS "50%", block AS "%2$s", '%s %' AS note FROM routed;
CREATE TABLE "%d pairs" (LIKE pair);
CALL simhash_collect_pairs('"%d pairs"', '"%s %1$s"', 3, added => 'note LIKE ''\%s%''', id => '%I', fingerprint => '50%', block => '%2$s');
SELECT differences('"%d pairs"', 'true');

-- Groups.
SELECT count(*) AS members, count(*) FILTER (WHERE g.leader IS DISTINCT FROM l.id) AS wrong
FROM simhash_pair_groups('SELECT a, b FROM pair') g
FULL JOIN (SELECT m.id AS member, l.id FROM simhash_groups('page_h', 3) s JOIN page m ON m.ctid = s.member JOIN page l ON l.ctid = s.leader) l
    USING (member);

-- Called by a DO block, which keeps its search_path.
CREATE TABLE pair_of_block (LIKE pair);
DO $$
BEGIN
    CALL simhash_collect_pairs('pair_of_block', 'routed', 3);
    RAISE WARNING '% differences', differences('pair_of_block', 'true');
END $$;

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
    IF (SELECT count(finished) FROM public.pair_wrong_parts) > 4 THEN RAISE 'late'; END IF;
    RETURN new;
END $$;
CREATE TRIGGER fail_late BEFORE INSERT ON pair_wrong FOR EACH ROW EXECUTE FUNCTION fail_late();
CALL simhash_collect_pairs('pair_wrong', 'routed', 3);
SELECT count(*) BETWEEN 5 AND 11 AS some_finished, sum(pairs) = (SELECT count(*) FROM pair_wrong) AS counted
FROM pair_wrong_parts WHERE finished IS NOT NULL;
SELECT count(DISTINCT (distance, tables, added)) AS runs FROM pair_wrong_parts;
DROP TRIGGER fail_late ON pair_wrong;
CALL simhash_collect_pairs('pair_wrong', 'routed', 3);
SELECT differences('pair_wrong', 'true');

-- Partitions by something else than the block are read together; so are those below them.
CREATE TABLE by_id (LIKE routed) PARTITION BY HASH (id);
CREATE TABLE by_id_0 PARTITION OF by_id FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_id_1 PARTITION OF by_id FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_id TABLE routed;
CREATE TABLE pair_by_id (LIKE pair);
CALL simhash_collect_pairs('pair_by_id', 'by_id', 3);
SELECT differences('pair_by_id', 'true'), (SELECT count(*) FROM pair_by_id_parts) AS parts;
CREATE TABLE nested (LIKE routed) PARTITION BY RANGE (block);
CREATE TABLE nested_0 PARTITION OF nested FOR VALUES FROM (0) TO (100000) PARTITION BY LIST (batch);
CREATE TABLE nested_0_0 PARTITION OF nested_0 FOR VALUES IN (0, 1, 2, 3, 4);
CREATE TABLE nested_0_1 PARTITION OF nested_0 DEFAULT;
CREATE TABLE nested_1 PARTITION OF nested FOR VALUES FROM (100000) TO (MAXVALUE) PARTITION BY HASH (block);
CREATE TABLE nested_1_0 PARTITION OF nested_1 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE nested_1_1 PARTITION OF nested_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO nested TABLE routed;
CREATE TABLE pair_nested (LIKE pair);
CALL simhash_collect_pairs('pair_nested', 'nested', 3);
SELECT differences('pair_nested', 'true');
SELECT relation, count(*) FROM pair_nested_parts GROUP BY relation ORDER BY relation;
-- a partition that comes or goes in between
UPDATE pair_nested_parts SET finished = NULL WHERE part = 1;
ALTER TABLE nested_1 DETACH PARTITION nested_1_1;
CALL simhash_collect_pairs('pair_nested', 'nested', 3);
DROP TABLE nested_1_1;
CALL simhash_collect_pairs('pair_nested', 'nested', 3);
-- a table that is dropped and made again
CREATE TABLE remade AS TABLE routed;
CREATE TABLE pair_remade (LIKE pair);
CALL simhash_collect_pairs('pair_remade', 'remade', 3);
UPDATE pair_remade_parts SET finished = NULL WHERE part = 4;
DROP TABLE remade;
CREATE TABLE remade AS TABLE routed;
CALL simhash_collect_pairs('pair_remade', 'remade', 3);
DELETE FROM pair_remade;
CALL simhash_collect_pairs('pair_remade', 'remade', 3);
SELECT differences('pair_remade', 'true');
CREATE TABLE nothing (LIKE routed) PARTITION BY HASH (block);
CREATE TABLE pair_of_nothing (LIKE pair);
CALL simhash_collect_pairs('pair_of_nothing', 'nothing', 3);

-- Parts that fail do not keep the others from being collected by later calls.
CREATE TABLE damaged (LIKE routed) PARTITION BY LIST (block);
CREATE TABLE damaged_0 PARTITION OF damaged FOR VALUES IN (7);
CREATE TABLE damaged_1 PARTITION OF damaged DEFAULT;
INSERT INTO damaged TABLE routed;
INSERT INTO damaged VALUES (0, 0, '0123456789abcdef', 7);
CREATE TABLE pair_damaged (LIKE pair);
CALL simhash_collect_pairs('pair_damaged', 'damaged', 3);
CALL simhash_collect_pairs('pair_damaged', 'damaged', 3);
CALL simhash_collect_pairs('pair_damaged', 'damaged', 3);
CALL simhash_collect_pairs('pair_damaged', 'damaged', 3);
CALL simhash_collect_pairs('pair_damaged', 'damaged', 3);
SELECT relation, count(finished) FROM pair_damaged_parts GROUP BY relation ORDER BY relation;
DELETE FROM damaged_0;
CALL simhash_collect_pairs('pair_damaged', 'damaged', 3);
SELECT differences('pair_damaged', 'true');

-- Ids that are NULL or occur twice, and a volatile condition: no row pairs with itself.
CREATE TABLE odd AS SELECT id, batch, h, block
    FROM (VALUES (1, 1, 0), (NULL, 1, 1), (7, 2, 3), (NULL, 2, 2), (1, 2, 0)) v (id, batch, bits), LATERAL (SELECT bits::bigint::simhash AS h) f, unnest(simhash_blocks(h, 3)) block;
CREATE TABLE pair_odd (LIKE pair);
CALL simhash_collect_pairs('pair_odd', 'odd', 3);
SELECT * FROM pair_odd ORDER BY a, b, distance;
CREATE TABLE pair_odd_added (LIKE pair);
CALL simhash_collect_pairs('pair_odd_added', 'odd', 3, added => 'batch = 2');
SELECT DISTINCT a, b FROM pair_odd_added;
CREATE TABLE pair_volatile (LIKE pair);
CALL simhash_collect_pairs('pair_volatile', 'routed', 3, added => 'random() < 0.5');
SELECT count(*) FROM pair_volatile WHERE a = b;

-- Ids of a type that is compared as text, although its order is another one; of a type without an order.
CREATE EXTENSION citext;
CREATE TABLE letter AS SELECT name::citext AS id, h, block FROM unnest('{b,B,c}'::text[]) AS name, page, unnest(simhash_blocks(h, 3)) block WHERE page.id = 1;
CREATE TABLE pair_letter (a citext, b citext, distance int);
CALL simhash_collect_pairs('pair_letter', 'letter', 3);
SELECT least(a::text COLLATE "C", b::text) AS a, greatest(a::text COLLATE "C", b::text) AS b FROM pair_letter ORDER BY a, b;
CREATE TABLE boxed AS SELECT id, box(point(id, id), point(0, 0)) AS place, h, block FROM routed;
CREATE TABLE pair_boxed (a box, b box, distance int);
CALL simhash_collect_pairs('pair_boxed', 'boxed', 3, id => 'place');

-- Columns in another order; a table without a log loses its parts with its pairs; names that are too long; no place for pairs.
CREATE TABLE pair_columns (distance int, b int, seen int DEFAULT 7, a int);
CALL simhash_collect_pairs('pair_columns', 'routed', 3);
CREATE VIEW pair_ordered AS SELECT a, b, distance FROM pair_columns WHERE seen = 7;
SELECT differences('pair_ordered', 'true');
CREATE UNLOGGED TABLE pair_unlogged (LIKE pair);
CALL simhash_collect_pairs('pair_unlogged', 'routed', 3);
SELECT relpersistence FROM pg_class WHERE relname = 'pair_unlogged_parts';
ALTER TABLE pair_unlogged SET LOGGED;
CALL simhash_collect_pairs('pair_unlogged', 'routed', 3);
CREATE TABLE pair_divided (LIKE pair) PARTITION BY RANGE (a);
CREATE TABLE pair_divided_0 PARTITION OF pair_divided FOR VALUES FROM (0) TO (1000);
CREATE UNLOGGED TABLE pair_divided_1 PARTITION OF pair_divided FOR VALUES FROM (1000) TO (10000);
CALL simhash_collect_pairs('pair_divided', 'routed', 3);
ALTER TABLE pair_divided_1 SET LOGGED;
CALL simhash_collect_pairs('pair_divided', 'routed', 3);
SELECT differences('pair_divided', 'true');
CREATE TABLE a1234567890123456789012345678901234567890123456789012345678 (LIKE pair);
CALL simhash_collect_pairs('a1234567890123456789012345678901234567890123456789012345678', 'routed', 3);
CREATE TEMP TABLE pair_temporary (LIKE pair);
CALL simhash_collect_pairs('pair_temporary', 'routed', 3);
CREATE TABLE pair_foreign (LIKE pair);
CREATE TABLE pair_foreign_parts (note text);
CALL simhash_collect_pairs('pair_foreign', 'routed', 3);
CALL simhash_collect_pairs('pair_columns', 4294967295::oid, 3);

-- Operators and tables of somebody who may create objects in a schema of the search path.
CREATE ROLE regress_collector;
CREATE SCHEMA shared;
GRANT ALL ON SCHEMA shared TO regress_collector;
CREATE TABLE shared.pair (LIKE pair);
CREATE FUNCTION lose_server() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE connection_failure USING MESSAGE = 'lost'; END $$;
SET ROLE regress_collector;
CREATE FUNCTION shared.hijacked(oid, regclass) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'hijacked'; RETURN $1 OPERATOR(pg_catalog.=) $2::oid; END $$;
CREATE OPERATOR shared.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = shared.hijacked);
CREATE FUNCTION shared.hijacked(text, bigint) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'hijacked'; RETURN $1; END $$;
CREATE OPERATOR shared.|| (LEFTARG = text, RIGHTARG = bigint, FUNCTION = shared.hijacked);
CREATE FUNCTION shared.hijacked(int, int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'hijacked'; RETURN false; END $$;
CREATE OPERATOR shared.< (LEFTARG = int, RIGHTARG = int, FUNCTION = shared.hijacked);
CREATE FUNCTION shared.hijacked(text, text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'hijacked'; RETURN $1 OPERATOR(pg_catalog.=) $2; END $$;
CREATE OPERATOR shared.= (LEFTARG = text, RIGHTARG = text, FUNCTION = shared.hijacked);
CREATE TABLE shared.pair_parts (part bigint, relation text);
RESET ROLE;
SET search_path = shared, pg_catalog, public;
CALL simhash_collect_pairs('shared.pair', 'routed', 3);
DROP TABLE shared.pair_parts;
CREATE TRIGGER lose_server BEFORE INSERT ON shared.pair EXECUTE FUNCTION lose_server();
CALL simhash_collect_pairs('shared.pair', 'routed', 3);
DROP TRIGGER lose_server ON shared.pair;
CALL simhash_collect_pairs('shared.pair', 'routed', 3);
RESET search_path;
SELECT differences('shared.pair', 'true');
DROP SCHEMA shared CASCADE;
DROP ROLE regress_collector;

-- Row-level security would leave out pairs of hidden rows.
CREATE ROLE regress_collector;
GRANT SELECT ON routed, routed_0, routed_1, routed_2 TO regress_collector;
CREATE SCHEMA own AUTHORIZATION regress_collector;
ALTER TABLE routed_1 ENABLE ROW LEVEL SECURITY;
SET ROLE regress_collector;
CREATE TABLE own.pair (a int, b int, distance int);
CALL simhash_collect_pairs('own.pair', 'routed', 3);
RESET ROLE;
ALTER TABLE routed_1 DISABLE ROW LEVEL SECURITY;
SET ROLE regress_collector;
CALL simhash_collect_pairs('own.pair', 'routed', 3);
RESET ROLE;
SELECT differences('own.pair', 'true');
DROP SCHEMA own CASCADE;
REVOKE ALL ON routed, routed_0, routed_1, routed_2 FROM regress_collector;
DROP ROLE regress_collector;

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
DROP VIEW expected, pair_ordered;
DROP TABLE letter, pair_letter, pair_letter_parts, boxed, pair_boxed;
DROP TABLE page, routed, pair, pair_parts, pair_of_batch, pair_of_batch_parts, pair_growing, pair_growing_parts, "Routed rows",
    "Found pairs", "Found pairs_parts", "%s %1$s", "%d pairs", "%d pairs_parts", numbers,
    pair_wrong, pair_wrong_parts, by_id, pair_by_id, pair_by_id_parts, nested, pair_nested,
    pair_nested_parts, nothing, pair_of_nothing, pair_of_nothing_parts, odd, pair_odd, pair_odd_parts, pair_odd_added, pair_odd_added_parts,
    pair_volatile, pair_volatile_parts, pair_of_block, pair_of_block_parts,
    pair_columns, pair_columns_parts, pair_unlogged, pair_unlogged_parts,
    pair_divided, pair_divided_parts, remade, pair_remade, pair_remade_parts, damaged, pair_damaged, pair_damaged_parts,
    a1234567890123456789012345678901234567890123456789012345678, pair_temporary, pair_foreign, pair_foreign_parts;
DROP FUNCTION flipped, differences, fail_late, lose_server;
DROP EXTENSION citext;
