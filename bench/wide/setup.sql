-- Tables and procedures of a run. Variables: data, bits, rows, kinds (such as "none t8 t16 ivf hnsw").
-- Every kind of index has its own table page_<kind> with the same rows, so that no plan can use another's index.
CREATE EXTENSION simhash;
CREATE EXTENSION pageinspect;

CREATE TABLE result (part text, method text, setting text, measure text, value float8);
CREATE TABLE wrong (message text);

CREATE FUNCTION note(part text, method text, setting text, measure text, value float8) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO result VALUES (part, method, setting, measure, value) $$;

-- The processor time of this session: on a busy machine elapsed time means little.
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 1000), ' ', 1)::float8 / 1e9 $$;

CREATE FUNCTION median(x float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS
    $$ SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM unnest(x) v $$;

CREATE TABLE kind (place serial, name text, ours boolean, label text, definition text);
INSERT INTO kind (name, ours, label, definition)
SELECT name, name NOT IN ('none', 'ivf', 'hnsw'),
       CASE WHEN name ~ '^t[0-9]' THEN 'simhash, trees = ' || substr(name, 2)
            ELSE '{"none": "no index", "lists": "simhash", "trees": "simhash, lists = 0", "alone": "simhash, trees = 0",
                   "ivf": "pgvector ivfflat", "hnsw": "pgvector hnsw"}'::jsonb ->> name END,
       CASE WHEN name ~ '^t[0-9]' THEN format('simhash (sig) WITH (trees = %s)', substr(name, 2))
            WHEN name = 'lists' THEN 'simhash (sig)'
            WHEN name = 'trees' THEN 'simhash (sig) WITH (lists = 0)'
            WHEN name = 'alone' THEN 'simhash (sig) WITH (trees = 0)'
            WHEN name = 'ivf' THEN format('ivfflat (sig bit_hamming_ops) WITH (lists = %s)', greatest(10, :rows / 1000))
            WHEN name = 'hnsw' THEN 'hnsw (sig bit_hamming_ops)' END
FROM unnest(string_to_array(:'kinds', ' ')) WITH ORDINALITY k(name, n) ORDER BY n;
SELECT bool_or(name IN ('ivf', 'hnsw')) AS vector FROM kind \gset
\if :vector
CREATE EXTENSION vector;
\endif

-- `question` is a query with the distance of its tenth nearest row.
SELECT format('CREATE UNLOGGED TABLE page (id integer, sig bit(%1$s));
               CREATE UNLOGGED TABLE fresh (id integer, sig bit(%1$s));
               CREATE UNLOGGED TABLE query (id integer, sig bit(%1$s), w real[]);
               CREATE TYPE question AS (sig bit(%1$s), w real[], tenth integer)', :bits) \gexec
-- Rows within a radius of each query, from memory.cpp; with radius -1 the distance of the tenth nearest row.
CREATE UNLOGGED TABLE expected (id integer, radius integer, found bigint);

-- -- searches in a loop ------------------------------------------------------------------------------------

-- A method is a statement that returns a number for a query q. What it should return is in `expected` for a radius, or is
-- ten if there is none; recall is found / expected.
CREATE TABLE method (id serial, part text, kind text, label text, setting text, radius integer, exact boolean,
    guc text, statement text, queries integer, repeats integer, seconds float8[]);

CREATE FUNCTION expected_of(of_radius integer, first integer) RETURNS float8 LANGUAGE sql AS
    $$ SELECT CASE WHEN of_radius IS NULL THEN first * 10
                   ELSE (SELECT sum(found) FROM expected WHERE radius = of_radius AND id <= first) END $$;

-- The loop over the first queries, timed inside, so that reading the queries is excluded. With no repeats it also returns
-- what each query has returned.
CREATE PROCEDURE make_loop(name text, statement text) LANGUAGE plpgsql AS $f$
BEGIN
    EXECUTE format($$CREATE FUNCTION %I(queries integer, repeats integer, OUT total bigint, OUT seconds float8, OUT each bigint[]) LANGUAGE plpgsql AS $loop$
        DECLARE qs question[]; q question; n bigint := 0;
        BEGIN
            SELECT array_agg(ROW(sig, w, expected.found)::question ORDER BY id) INTO qs
            FROM query JOIN expected USING (id) WHERE radius = -1 AND id <= queries;
            total := 0;
            seconds := processor_seconds();
            FOR repeat IN 1..greatest(repeats, 1) LOOP
                FOREACH q IN ARRAY qs LOOP
                    %s;
                    total := total + n;
                    IF repeats = 0 THEN each := each || n; END IF;
                END LOOP;
            END LOOP;
            seconds := processor_seconds() - seconds;
        END $loop$ $$, name, coalesce(statement || ' INTO n', 'n := 0'));
END $f$;

-- The pages of an index that this session has asked for and not reported yet.
CREATE FUNCTION index_pages(of_kind text) RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT coalesce(pg_stat_get_xact_blocks_fetched(to_regclass('page_' || of_kind || '_sig')), 0) $$;

-- Times every method. The first pass measures recall and pages; the rounds alternate between the methods, and medians
-- minus that of the empty loop count. A loop lasts at least round_seconds, since the kernel counts processor time in
-- ticks. Every method runs with its generic plan, so planning is excluded.
CREATE PROCEDURE time_methods(rounds integer, round_seconds float8) LANGUAGE plpgsql AS $$
DECLARE m method; r record; n integer; most integer := (SELECT count(*) FROM query); empty float8; pages bigint; expected float8;
BEGIN
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_bitmapscan = off;
    CALL make_loop('empty_loop', NULL);
    SELECT empty_loop.seconds / most / 100 INTO empty FROM empty_loop(most, 100);
    FOR m IN SELECT * FROM method ORDER BY id LOOP
        CALL make_loop('loop_' || m.id, m.statement);
        IF m.guc IS NOT NULL THEN EXECUTE 'SET ' || m.guc; END IF;
        EXECUTE format('SELECT * FROM loop_%s(2, 1)', m.id) INTO r; -- plans, warms the cache
        EXECUTE format('SELECT * FROM loop_%s(4, 1)', m.id) INTO r;
        n := least(most, greatest(4, 4 * 4 * round_seconds / greatest(r.seconds, 1e-6)));
        pages := index_pages(m.kind);
        EXECUTE format('SELECT * FROM loop_%s(%s, 0)', m.id, n) INTO r;
        PERFORM note(m.part, m.label, m.setting, 'pages', (index_pages(m.kind) - pages)::float8 / n);
        expected := expected_of(m.radius, n);
        PERFORM note(m.part, m.label, m.setting, 'recall', r.total / nullif(expected, 0)); -- NULL if there is nothing to find
        PERFORM note(m.part, m.label, m.setting, 'found', r.total::float8 / n);
        PERFORM note(m.part, m.label, m.setting, 'queries', n);
        IF m.part = 'ten' AND n >= 20 THEN
            PERFORM note(m.part, m.label, m.setting, 'worst tenth',
                         (SELECT avg(least(good, 10)) / 10 FROM (SELECT good FROM unnest(r.each) good ORDER BY good LIMIT n / 10) worst));
        END IF;
        IF m.exact AND r.total <> expected THEN
            INSERT INTO wrong VALUES (format('%s, %s: %s found, %s expected', m.label, m.setting, r.total, expected));
        END IF;
        UPDATE method SET queries = n, repeats = ceil(round_seconds / greatest(r.seconds, 0.004)), seconds = '{}' WHERE id = m.id;
        COMMIT;
    END LOOP;
    FOR round IN 1..rounds LOOP
        FOR m IN SELECT * FROM method ORDER BY (id * 7 + round * 3) % 11, id LOOP
            IF m.guc IS NOT NULL THEN EXECUTE 'SET ' || m.guc; END IF;
            EXECUTE format('SELECT * FROM loop_%s(%s, %s)', m.id, m.queries, m.repeats) INTO r;
            UPDATE method SET seconds = method.seconds || r.seconds / (m.queries * m.repeats) - empty WHERE id = m.id;
        END LOOP;
        COMMIT;
    END LOOP;
    FOR m IN SELECT * FROM method ORDER BY id LOOP
        PERFORM note(m.part, m.label, m.setting, 'us', median(m.seconds) * 1e6);
        EXECUTE format('DROP FUNCTION loop_%s', m.id);
    END LOOP;
    DROP FUNCTION empty_loop;
    DELETE FROM method;
END $$;

-- -- indexes -----------------------------------------------------------------------------------------------

CREATE PROCEDURE build(of_kind text) LANGUAGE plpgsql AS $$
DECLARE k kind; busy float8; rows float8;
BEGIN
    SELECT * INTO k FROM kind WHERE name = of_kind;
    EXECUTE format('CREATE TABLE page_%s AS TABLE page', k.name);
    COMMIT;
    rows := count(*) FROM page;
    IF k.definition IS NOT NULL THEN
        busy := processor_seconds();
        EXECUTE format('CREATE INDEX page_%s_sig ON page_%1$s USING %s', k.name, k.definition);
        PERFORM note('build', k.label, '', 's', processor_seconds() - busy);
        PERFORM note('build', k.label, '', 'bytes per row', pg_relation_size(format('page_%s_sig', k.name)) / rows);
        COMMIT;
    END IF;
    IF k.ours THEN
        CALL note_parts(k);
    END IF;
END $$;

-- The bytes of the parts of an index of ours, by the flags in the pages' tails: see core/page/page.hpp and
-- core/page/store_page.hpp.
CREATE PROCEDURE note_parts(k kind) LANGUAGE plpgsql AS $$
DECLARE index text := format('page_%s_sig', k.name); rows float8 := (SELECT count(*) FROM page);
BEGIN
    INSERT INTO result
    SELECT 'build', k.label, '', part || ' bytes per row', count(*) * current_setting('block_size')::float8 / rows
    FROM (SELECT CASE WHEN flags & 1 > 0 THEN 'leaf' WHEN flags & 2 > 0 THEN 'inner' WHEN flags & 32 > 0 THEN 'plane'
                      WHEN flags & 64 > 0 THEN 'store' ELSE 'other' END AS part
          FROM (SELECT get_byte(page, tail + 30) + 256 * get_byte(page, tail + 31) AS flags
                FROM (SELECT page, get_byte(page, 16) + 256 * get_byte(page, 17) AS tail
                      FROM generate_series(1, pg_relation_size(index) / current_setting('block_size')::int - 1) block,
                           LATERAL get_raw_page(index, block::int) page OFFSET 0) p
                WHERE tail > 0) f) parts
    GROUP BY part;
END $$;

-- -- inserts -----------------------------------------------------------------------------------------------

CREATE PROCEDURE insert_batch(number integer, from_id integer, to_id integer) LANGUAGE plpgsql AS $$
DECLARE k kind; busy float8; wal pg_lsn; rows float8;
BEGIN
    rows := count(*) FROM fresh WHERE id >= from_id AND id < to_id;
    FOR k IN SELECT * FROM kind WHERE to_regclass('page_' || name) IS NOT NULL ORDER BY place LOOP
        COMMIT;
        wal := pg_current_wal_insert_lsn();
        busy := processor_seconds();
        EXECUTE format('INSERT INTO page_%s SELECT id, sig FROM fresh WHERE id >= %s AND id < %s', k.name, from_id, to_id);
        COMMIT;
        PERFORM note('insert', k.label, 'batch ' || number, 'us', (processor_seconds() - busy) * 1e6 / rows);
        PERFORM note('insert', k.label, 'batch ' || number, 'WAL bytes per row', (pg_current_wal_insert_lsn() - wal)::float8 / rows);
    END LOOP;
END $$;
