\set ECHO none
-- Indexes on bit strings: every answer equals that of a sequential scan.

SET client_min_messages = warning;
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
\echo '-- Compares the rows of a query, as text, by index and by sequential scan.'
CREATE FUNCTION differing(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    all_rows text := format('SELECT array_agg(r::text) FROM (%s OFFSET 0) AS r', query);
    by_index text[]; by_scan text[]; line text; indexed bool := false;
BEGIN
    PERFORM scan_by(true);
    FOR line IN EXECUTE 'EXPLAIN ' || all_rows LOOP
        indexed := indexed OR line ~ 'Index Scan';
    END LOOP;
    IF NOT indexed THEN RAISE WARNING 'not by index: %', query; END IF;
    EXECUTE all_rows INTO by_index;
    PERFORM scan_by(false);
    EXECUTE all_rows INTO by_scan;
    RETURN (SELECT count(*) FROM ((SELECT unnest(by_index) EXCEPT ALL SELECT unnest(by_scan)) UNION ALL
        (SELECT unnest(by_scan) EXCEPT ALL SELECT unnest(by_index))) AS d);
END $$;
CREATE FUNCTION check_table(t regclass, bits int, queries int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE q varbit; sum bigint := 0; r int;
BEGIN
    FOR i IN 1 .. queries LOOP
        EXECUTE format('SELECT s FROM %s WHERE s IS NOT NULL ORDER BY hashint4extended(id, %s), id LIMIT 1', t, i) INTO q;
        q := CASE WHEN i % 7 = 0 THEN random_bits(i, bits) ELSE flipped_bits(q, i, i % 5) END;
        FOREACH r IN ARRAY ARRAY[-1, 0, 1, i % 20, 15, 31, bits / 8, bits / 4, bits / 2, bits] LOOP
            sum := sum + differing(format('SELECT id FROM %s WHERE s <@> %L <= %s', t, q, r));
        END LOOP;
        sum := sum + differing(format('SELECT id FROM %s WHERE s <@> %L = %s', t, q, i % 9));
        sum := sum + differing(format('SELECT id FROM %s WHERE s <@> %L <= %s AND s <@> %L <= %s', t, q, bits / 3,
            flipped_bits(q, i, 3), bits / 3 + i));
        sum := sum + differing(format('SELECT (s <@> %L)::int AS d, row_number() OVER () AS n FROM '
            '(SELECT s FROM %s ORDER BY s <@> %L LIMIT %s) AS x', q, t, q, 3 ^ (i % 7)));
        sum := sum + differing(format('SELECT (s <@> %L)::int AS d, row_number() OVER () AS n FROM '
            '(SELECT s FROM %s WHERE s <@> %L <= %s ORDER BY s <@> %L LIMIT 20) AS x', q, t, flipped_bits(q, i, 5), bits / 3, q));
    END LOOP;
    RETURN CASE sum WHEN 0 THEN 'equal' ELSE sum || ' rows differ' END;
END $$;
CREATE PROCEDURE fill(t regclass, bits int, kind text, from_id int, to_id int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('INSERT INTO %s SELECT i, CASE %L
            WHEN ''uniform'' THEN random_bits(i, %s)
            WHEN ''clustered'' THEN flipped_bits(random_bits(i / 20, %3$s), i, i %% 20 * %3$s / 100)
            WHEN ''skewed'' THEN flipped_bits(random_bits(i / 3, %3$s) & random_bits(-1 - i / 3, %3$s) & random_bits(1000000 + i / 3, %3$s) & random_bits(2000000 + i / 3, %3$s), i, i %% 3 * 4)
            WHEN ''repeated'' THEN random_bits(i %% 5, %3$s) END
        FROM generate_series(%s, %s) AS i', t, kind, bits, from_id, to_id);
END $$;

CREATE TABLE result (bits int, kind text, state text, answer text);
DO $$
DECLARE bits int; kind text;
BEGIN
    FOREACH bits IN ARRAY ARRAY[65, 128, 256, 300, 576, 1024, 4096] LOOP
        FOREACH kind IN ARRAY ARRAY['uniform', 'clustered', 'skewed', 'repeated'] LOOP
            CONTINUE WHEN bits IN (128, 300, 4096) AND kind <> 'clustered';
            EXECUTE format('CREATE TABLE t (id int, s bit(%s))', bits);
            CALL fill('t', bits, kind, 1, CASE bits WHEN 4096 THEN 200 ELSE 600 END);
            INSERT INTO t VALUES (-1, NULL), (-2, NULL);
            CREATE INDEX t_s ON t USING simhash (s);
            INSERT INTO result VALUES (bits, kind, 'built', check_table('t', bits, 3));
            CALL fill('t', bits, kind, 5001, CASE bits WHEN 4096 THEN 5050 ELSE 5300 END);
            UPDATE t SET s = flipped_bits(s, id, 1)::varbit WHERE id % 5 = 0;
            INSERT INTO result VALUES (bits, kind, 'changed', check_table('t', bits, 3));
            DROP TABLE t;
        END LOOP;
    END LOOP;
END $$;
SELECT state, answer, count(*) FROM result GROUP BY 1, 2 ORDER BY 1, 2;
SELECT * FROM result WHERE answer <> 'equal';

\echo '-- after VACUUM, slots are used again'
CREATE TABLE t (id int, s bit(256));
CALL fill('t', 256, 'clustered', 1, 2000);
CREATE INDEX t_s ON t USING simhash (s);
DELETE FROM t WHERE id % 3 > 0;
VACUUM t;
SELECT check_table('t', 256, 4);
SELECT pg_relation_size('t_s') AS size \gset
CALL fill('t', 256, 'uniform', 3001, 4000);
SELECT pg_relation_size('t_s') <= :size + 20 * 8192 AS used_again, check_table('t', 256, 4);
REINDEX INDEX CONCURRENTLY t_s;
SELECT check_table('t', 256, 4);
\echo '-- with workers'
SET max_parallel_maintenance_workers = 2;
SET min_parallel_table_scan_size = 0;
ALTER TABLE t SET (parallel_workers = 2);
INSERT INTO t SELECT 10000 + i, NULL FROM generate_series(1, 500) AS i;
REINDEX INDEX t_s;
RESET max_parallel_maintenance_workers;
SELECT check_table('t', 256, 4), count(*) FROM t WHERE s IS NULL;
DELETE FROM t WHERE s IS NULL;

\echo '-- NULLs come last'
SELECT scan_by(true);
INSERT INTO t VALUES (-1, NULL), (-2, NULL);
SELECT count(*), count(s), bool_and(s IS NOT NULL OR n > 1666) FROM
    (SELECT s, row_number() OVER () AS n FROM (SELECT s FROM t ORDER BY s <@> random_bits(7, 256)) AS x) AS y;
SELECT count(*) FROM t WHERE s IS NULL;
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE s IS NULL;
SELECT count(*) FROM t WHERE s <@> NULL <= 3;

\echo '-- two ORDER BY keys: the executor computes the second distance'
PREPARE two_keys(bit(256), bit(256)) AS SELECT id FROM t ORDER BY s <@> $1, s <@> $2 LIMIT 3;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE two_keys(random_bits(3, 256), random_bits(6, 256));
RESET plan_cache_mode;
SELECT differing('SELECT d, e, row_number() OVER () AS n FROM (SELECT (s <@> random_bits(3, 256))::int AS d,
    (s <@> random_bits(6, 256))::int AS e FROM t ORDER BY s <@> random_bits(3, 256), s <@> random_bits(6, 256) LIMIT 200) AS x');

\echo '-- Searches with a recall below 1 are approximate only where an exact one is not cheap. Clusters of 30 rows, of which'
\echo '-- each bit differs from the center with probability 1/8.'
CREATE FUNCTION hashed_bits(seed text) RETURNS bit(256) LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || md5(seed) || md5('-' || seed))::bit(256) $$;
CREATE TABLE large (id int, s bit(256));
INSERT INTO large SELECT i, hashed_bits((i / 30)::text) # (hashed_bits('a' || i) & hashed_bits('b' || i) & hashed_bits('c' || i))
FROM generate_series(1, 60000) AS i;
INSERT INTO large SELECT -i, NULL FROM generate_series(1, 10) AS i;
CREATE INDEX large_s ON large USING simhash (s);
ANALYZE large;
SELECT scan_by(true);
CREATE FUNCTION nearest(q varbit, recall float8, k int) RETURNS SETOF int LANGUAGE sql AS $$
    SELECT id FROM large ORDER BY s <@> signature_nearest(q, recall, k) LIMIT k $$;
CREATE FUNCTION recalled(target float8, k int) RETURNS float8 LANGUAGE sql AS $$
    SELECT avg(CASE WHEN id IN (SELECT nearest(q, target, k)) THEN 1.0 ELSE 0 END)
    FROM (SELECT s AS q FROM large WHERE id % 1511 = 7) AS query,
        LATERAL (SELECT id FROM large ORDER BY s <@> q LIMIT k) AS truth $$;
SELECT target, recalled(target, 10) >= target - 0.05 AS reached
FROM unnest(ARRAY[0.5, 0.8, 0.9, 0.95, 1]) AS target;
SELECT recalled(0.5, 10) < 1 AS approximate;
\echo '-- planned for any number of rows, also for so many that they are expected within 64 bits'
CREATE TABLE short AS SELECT i AS id, (hashint8extended(i, 2)::bit(64)::text || hashint8extended(i, 3)::bit(64)::text)::bit(128) AS s FROM generate_series(1, 20000) i;
CREATE INDEX ON short USING simhash (s);
ANALYZE short;
DO $$ BEGIN
    FOR k IN 1 .. 200 LOOP
        EXECUTE format('EXPLAIN SELECT id FROM short ORDER BY s <@> signature_nearest(repeat(''01'', 64)::bit(128), 0.9, 10) LIMIT %s', k * 100);
    END LOOP;
END $$;
DROP TABLE short;
\echo '-- they come in order, even if more are fetched than were asked for; each row comes once or, found too late, not at all'
SELECT bool_and(d >= before), count(*) = count(DISTINCT id), count(*) BETWEEN 5000 AND 60010 FROM
    (SELECT id, d, lag(d, 1, -1) OVER (ORDER BY n) AS before FROM
        (SELECT id, (s <@> hashed_bits('7'))::int AS d, row_number() OVER () AS n FROM
            (SELECT id, s FROM large WHERE s IS NOT NULL ORDER BY s <@> signature_nearest(hashed_bits('7'), 0.5, 5)) AS x) AS y) AS z;
\echo '-- within a radius'
SELECT target, sum(found)::float8 / sum(every) >= target - 0.05 AS reached FROM unnest(ARRAY[0.5, 0.8, 0.95, 1]) AS target, LATERAL
    (SELECT (SELECT count(*) FROM large WHERE s <@| signature_ball(q, 60, target)) AS found,
        (SELECT count(*) FROM large WHERE s <@> q <= 60) AS every
     FROM (SELECT s AS q FROM large WHERE id % 1511 = 7) AS query) AS counts GROUP BY 1 ORDER BY 1;
SELECT count(*) = 0 FROM large WHERE s <@| signature_ball(hashed_bits('7'), 60, 0.8) AND s <@> hashed_bits('7') > 60;
\echo '-- by weights: the bits that differ have small ones'
CREATE FUNCTION weighted(q int, recall float8) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(*) FROM large, (SELECT hashed_bits(q::text) AS c, array_agg(1 + abs(hashint4(i + q)) % 9 / 3.0)::real[] AS w
        FROM generate_series(1, 256) AS i) AS query
    WHERE s <@| signature_ball(c, 60, recall, w) $$;
SELECT sum(weighted(q, 0.9)) >= 0.8 * sum(weighted(q, 1)), sum(weighted(q, 1)) > 500 FROM generate_series(1, 20) AS q;

\echo '-- what searches read'
SELECT part, count(*) > 0 AS any, bool_and(recall IS NULL) AS exact
FROM simhash_index_trace('large_s', signature_ball(hashed_bits('7'), 20)) GROUP BY 1;
SELECT part, bool_and(recall IS NULL) AS exact, sum(candidates) >= count(*) AS compared
FROM simhash_index_trace('large_s', signature_ball(hashed_bits('7'), 256)) GROUP BY 1 ORDER BY min(step);
SELECT bool_and(rising) AS rising, max(recall) >= 0.9 AS reached, bool_and(part = 'tree') AS trees FROM
    (SELECT part, recall, recall >= lag(recall) OVER (ORDER BY step) AS rising
     FROM simhash_index_trace('large_s', signature_ball(hashed_bits('7'), 50, 0.9))) AS p;
SELECT part, count(*) > 0 AS any, bool_or(recall > 0) AS estimated
FROM simhash_index_trace('large_s', signature_nearest(hashed_bits('7'), 0.8, 10)) GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM simhash_index_trace('large_s', signature_ball(B'01', 1));
SELECT count(*) FROM simhash_index_trace('large_s', simhash_ball('0000000000000000'::simhash, 3));
\echo '-- a near-duplicate is found to be the nearest row without a scan'
DROP INDEX large_s;
CREATE INDEX large_s ON large USING simhash (s) WITH (trees = 4, lists = 0);
SELECT part, count(*) < 50 AS few FROM simhash_index_trace('large_s', signature_nearest((SELECT s FROM large WHERE id = 7), 1, 1)) GROUP BY 1;
\echo '-- without lists a search for the nearest rows is exact'
SELECT bool_and(recall IS NULL) AS exact FROM simhash_index_trace('large_s', signature_nearest(hashed_bits('7'), 0.5, 10));
SELECT recalled(0.5, 10) AS recall;
DROP TABLE large;
DROP FUNCTION nearest, recalled, weighted, hashed_bits;

\echo '-- forms of conditions'
SELECT scan_by(true);
SET plan_cache_mode = force_generic_plan;
PREPARE within(varbit, int) AS SELECT count(*) FROM t WHERE s <@> $1 <= $2;
EXPLAIN (COSTS OFF) EXECUTE within(random_bits(3, 256), 100);
EXECUTE within(random_bits(3, 256), 100);
EXECUTE within(random_bits(3, 256), NULL);
EXECUTE within(B'01', 100);
SET max_parallel_workers_per_gather = 0;
SELECT plan_of('SELECT count(*) FROM t AS a JOIN t AS b ON a.s <@> b.s <= 10');
RESET max_parallel_workers_per_gather;
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE s = random_bits(3, 256)::bit(256);
EXPLAIN (COSTS OFF) SELECT count(*) FROM t WHERE s <@| signature_ball(random_bits(3, 256), 10, 0.9);
SELECT count(*) FROM t WHERE s = B'01';
RESET plan_cache_mode;

\echo '-- lengths'
INSERT INTO t VALUES (1, B'01');
CREATE TABLE other (b bit(64), l bit(4097), v varbit, w varbit(256), s bit(256));
CREATE INDEX ON other USING simhash (b);
CREATE INDEX ON other USING simhash (l);
CREATE INDEX ON other USING simhash (v);
CREATE INDEX ON other USING simhash (w);
CREATE INDEX other_w ON other USING simhash ((w::bit(256)));
CREATE INDEX other_s ON other USING simhash (s) WHERE b IS NULL;
INSERT INTO other (w, s) SELECT s, s FROM t;
SELECT scan_by(true);
EXPLAIN (COSTS OFF) SELECT count(*) FROM other WHERE w::bit(256) <@> random_bits(3, 256) <= 20;
EXPLAIN (COSTS OFF) SELECT count(*) FROM other WHERE s <@> random_bits(3, 256) <= 20 AND b IS NULL;
SELECT differing('SELECT w FROM other WHERE w::bit(256) <@> random_bits(3, 256) <= 120');
SELECT differing('SELECT w FROM other WHERE s <@> random_bits(3, 256) <= 120 AND b IS NULL');
\echo '-- tables'
CREATE INDEX ON t USING simhash (s) WITH (trees = 40);
CREATE INDEX ON t USING simhash (s) WITH (trees = 5);
CREATE INDEX ON t USING simhash (s) WITH (trees = 17);
CREATE INDEX ON t USING simhash (s) WITH (design_radius = 3);
\echo '-- a distance is a warning with all other options, whether or not fingerprints can have it'
CREATE INDEX t_warned ON t USING simhash (s) WITH (design_radius = 15, trees = 0, lists = 0);
ALTER INDEX t_warned SET (design_radius = 1, trees = 7, fillfactor = 70);
REINDEX INDEX t_warned;
ALTER INDEX t_warned SET (design_radius = 2, trees = 32);
REINDEX INDEX t_warned;
ALTER INDEX t_warned SET (trees = -1);
DROP INDEX t_warned;
CREATE INDEX t_options ON t USING simhash (s);
ALTER INDEX t_options SET (trees = 32);
REINDEX INDEX t_options;
SELECT name, value FROM simhash_index_stats('t_options') WHERE name IN ('trees', 'reindex_pending');
ALTER INDEX t_options RESET (trees);
ALTER INDEX t_options SET (design_radius = 3);
REINDEX INDEX t_options;

\echo '-- domains over bit(n), over other domains, with constraints'
CREATE DOMAIN image_hash AS bit(256);
CREATE DOMAIN known_hash AS image_hash CHECK (VALUE IS NOT NULL);
CREATE TABLE image (id int, s image_hash, k known_hash);
INSERT INTO image SELECT id, s, s FROM t WHERE length(s) = 256 AND id < 10000;
INSERT INTO image SELECT -i, NULL, random_bits(i, 256)::bit(256) FROM generate_series(1, 3) AS i;
CREATE INDEX image_s ON image USING simhash (s);
CREATE INDEX image_k ON image USING simhash (k);
CREATE INDEX image_cast ON image USING simhash ((overlay(k PLACING B'1' FROM 1)::bit(256)::known_hash));
CREATE INDEX image_longer ON image USING simhash ((s::bit(300)));
ANALYZE image;
INSERT INTO image SELECT 20000 + i, q, q FROM generate_series(1, 300) AS i, LATERAL flipped_bits(random_bits(i, 256), i, 1) AS q;
SELECT check_table('image', 256, 3);
SELECT differing(format('SELECT id FROM image WHERE %s', c)) FROM unnest(ARRAY['k <@> random_bits(1, 256) <= 120',
    'random_bits(1, 256)::bit(256)::known_hash <@> k <= 120', 's = random_bits(3, 256)::bit(256)::image_hash',
    's <@| signature_ball(random_bits(1, 256), 110)', 's::bit(300) <@> random_bits(3, 300) <= 130',
    'overlay(k PLACING B''1'' FROM 1)::bit(256)::known_hash <@> random_bits(1, 256) <= 115']) AS c;
SELECT name, value FROM simhash_index_stats('image_s') WHERE name IN ('bits', 'rows');
SELECT * FROM simhash_index_check('image_s', true);
SELECT count(*) FROM simhash_index_check('image_k', true);
SELECT count(*) = (SELECT count(*) FROM image AS a JOIN image AS b ON a.s <@> b.s <= 10 AND a.id < b.id) AS pairs
FROM pairs_by('image_s', 10);
SELECT count(*) = (SELECT count(*) FROM image AS a JOIN image AS b ON a.s <@> b.k <= 10) AS joined
FROM joined_by('image_s', 'image_k', 10);
SELECT count(*) < (SELECT count(*) FROM image) AS grouped FROM (SELECT DISTINCT simhash_group(id, s, 10) OVER (ORDER BY id) FROM image) g;
REINDEX TABLE image;
VACUUM image;
SELECT check_table('image', 256, 2);
\echo '-- lengths of domains'
CREATE DOMAIN any_bits AS varbit;
CREATE DOMAIN short_hash AS bit(64);
CREATE TABLE unsuitable (a any_bits, b short_hash);
CREATE INDEX ON unsuitable USING simhash (a);
CREATE INDEX ON unsuitable USING simhash (b);
CREATE INDEX ON unsuitable USING simhash ((b::bit(64)::simhash));
INSERT INTO image VALUES (1, B'01');
\echo '-- over simhash'
CREATE DOMAIN fingerprint AS simhash;
CREATE TABLE page (id int, h fingerprint);
INSERT INTO page SELECT i, (i / 4 * 7919::bigint)::simhash FROM generate_series(1, 400) AS i;
CREATE INDEX page_h ON page USING simhash (h);
SELECT differing('SELECT id FROM page WHERE h <@> 79190::bigint::simhash <= 3');
SELECT differing('SELECT id FROM page WHERE h = 79190::bigint::simhash::fingerprint');
SELECT count(*) > 0 AS pairs FROM pairs_by('page_h', 3);
DROP TABLE image, unsuitable, page;
DROP DOMAIN known_hash, image_hash, any_bits, short_hash, fingerprint;

\echo '-- ALTER COLUMN TYPE keeps an index if the table is not rewritten. Then the column may declare no length.'
CREATE DOMAIN any_bits AS varbit;
CREATE DOMAIN checked_bits AS any_bits CHECK (length(VALUE) > 100);
CREATE DOMAIN hash128 AS bit(128);
CREATE TABLE new_type (name name, type text, file oid);
INSERT INTO new_type VALUES ('c_varbit', 'varbit'), ('c_bit', '"bit"'), ('c_domain', 'any_bits'), ('c_fixed', 'hash128');
CREATE FUNCTION rows_or_error(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint; detail text; hint text;
BEGIN
    EXECUTE command;
    GET DIAGNOSTICS n = ROW_COUNT;
    RETURN n || ' rows';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
SELECT format('CREATE TABLE %1$I (id int, s bit(128)); CALL fill(%1$L, 128, ''clustered'', 1, 1000);
    CREATE INDEX %2$I ON %1$I USING simhash (s)', name, name || '_s') FROM new_type \gexec
UPDATE new_type SET file = pg_relation_filenode(concat(name, '_s')::regclass);
SELECT format('ALTER TABLE %I ALTER s TYPE %s', name, type) FROM new_type \gexec
SELECT name, file = pg_relation_filenode(concat(name, '_s')::regclass) AS kept,
    (SELECT pg_get_indexdef(concat(name, '_s')::regclass)) FROM new_type ORDER BY 1;
SELECT name, check_table(name::text::regclass, 128, 2) FROM new_type ORDER BY 1;
SELECT format('CALL fill(%1$L, 128, ''uniform'', 2001, 2200); INSERT INTO %1$I VALUES (-1, NULL);
    UPDATE %1$I SET s = flipped_bits(s, id, 2)::bit(128) WHERE id %% 7 = 0; DELETE FROM %1$I WHERE id %% 3 = 0',
    name) FROM new_type \gexec
SELECT format('VACUUM %I', name) FROM new_type \gexec
SELECT name, check_table(name::text::regclass, 128, 2), (SELECT value FROM simhash_index_stats(concat(t.name, '_s')::regclass) WHERE name = 'bits') AS bits,
    (SELECT count(*) > 0 FROM simhash_index_check(concat(name, '_s')::regclass, true)) AS checked,
    (SELECT count(*) FROM pairs_by(concat(name, '_s')::regclass, 10)) > 100 AS pairs
FROM new_type AS t ORDER BY 1;
\echo '-- other lengths'
SELECT scan_by(true);
SELECT name, command, rows_or_error(format(command, name)) FROM new_type, unnest(ARRAY[
    'INSERT INTO %I VALUES (1, random_bits(1, 129))',
    'SELECT FROM %I WHERE s <@> B''01'' <= 3', 'REINDEX TABLE %I', 'TRUNCATE %I',
    'ALTER TABLE %I ALTER s TYPE bit(100)', 'ALTER TABLE %I ALTER s TYPE varbit(200)',
    'ALTER TABLE %I ALTER s TYPE bit(64) USING s::bit(64)', 'ALTER TABLE %I ALTER s TYPE checked_bits'])
    WITH ORDINALITY AS c(command, n) WHERE name <> 'c_fixed' ORDER BY 1, n;
SELECT name, check_table(name::text::regclass, 128, 1) FROM new_type ORDER BY 1;
\echo '-- the way out'
SELECT format('ALTER TABLE %1$I ALTER s TYPE bit(128); REINDEX TABLE %1$I', name) FROM new_type \gexec
SELECT name, check_table(name::text::regclass, 128, 1) FROM new_type ORDER BY 1;
SELECT format('ALTER TABLE %1$I ALTER s TYPE bit(256) USING s || ~s', name) FROM new_type \gexec
SELECT name, check_table(name::text::regclass, 256, 1) FROM new_type ORDER BY 1;
\echo '-- an index that has another length than its column, as only a change of the catalogue can bring about'
CREATE TABLE misdeclared (id int, s bit(128));
INSERT INTO misdeclared SELECT i, NULL FROM generate_series(1, 10) AS i;
CREATE INDEX misdeclared_s ON misdeclared USING simhash (s);
DELETE FROM misdeclared;
UPDATE pg_attribute SET atttypmod = 256
WHERE attrelid IN ('misdeclared'::regclass, 'misdeclared_s'::regclass) AND attname = 's';
VACUUM misdeclared;
SELECT value AS bits FROM simhash_index_stats('misdeclared_s') WHERE name = 'bits';
SELECT scan_by(true);
INSERT INTO misdeclared VALUES (1, random_bits(1, 256));
SELECT FROM misdeclared WHERE s <@> random_bits(1, 256) <= 3;
\echo :LAST_ERROR_SQLSTATE
REINDEX INDEX misdeclared_s;
INSERT INTO misdeclared SELECT i, random_bits(i, 256) FROM generate_series(1, 100) AS i;
SELECT check_table('misdeclared', 256, 1);
DROP TABLE c_varbit, c_bit, c_domain, c_fixed, new_type, misdeclared;
DROP DOMAIN checked_bits, any_bits, hash128;
DROP FUNCTION rows_or_error;

\echo '-- equality can be excluded'
CREATE TABLE excluded (s bit(256), EXCLUDE USING simhash (s WITH =));
INSERT INTO excluded SELECT s FROM t WHERE id = 3;
INSERT INTO excluded SELECT s FROM t WHERE id = 3;
INSERT INTO excluded SELECT s FROM t WHERE id = 6;

DROP TABLE t, other, excluded, result;
DROP PROCEDURE fill;
DROP FUNCTION differing, check_table;
