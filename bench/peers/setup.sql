-- Tables and procedures of a run. Variables: kinds (such as "none btree four gin t1 t4 t6"), data, rows.
-- Every kind of index has its own table page_<kind> with the same rows, so that no plan can use another's index.
CREATE EXTENSION simhash;

CREATE TABLE result (part text, data text, method text, variant text, measure text, value float8);
CREATE TABLE wrong (message text);
CREATE TABLE setting (data text, rows bigint);
INSERT INTO setting VALUES (:'data', :rows);

CREATE FUNCTION note(part text, method text, variant text, measure text, value float8) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO result SELECT part, data, method, variant, measure, value FROM setting $$;

-- The processor time of this session: on a busy machine elapsed time means little.
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT coalesce(split_part(pg_read_file('/proc/self/schedstat', 0, 1000, true), ' ', 1)::float8 / 1e9,
                       extract(epoch FROM clock_timestamp())) $$;

CREATE FUNCTION median(x float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS
    $$ SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM unnest(x) v $$;

-- -- methods in plain SQL ----------------------------------------------------------------------------------

CREATE FUNCTION block(fingerprint text, number integer) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT format('(%s::bigint >> %s & 65535)::integer', fingerprint, 48 - 16 * number) $$;

CREATE FUNCTION blocks(fingerprint text) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT 'ARRAY[' || string_agg(format('%s + %s', b * 65536, block(fingerprint, b)), ', ' ORDER BY b) || ']'
       FROM generate_series(0, 3) b $$;

-- The number of bits in which a block may differ so that all rows within the radius are found: the sum of (budget + 1)
-- is radius + 1. NULL: the block is not searched.
CREATE FUNCTION budget(radius integer, block integer) RETURNS integer LANGUAGE sql IMMUTABLE AS
    $$ SELECT nullif((radius + 1) / 4 - 1 + (block < (radius + 1) % 4)::integer, -1) $$;

-- What an application would compute beforehand: the blocks of a query; for blocks with a budget of one bit all 17 values
-- within it; all of these for GIN.
CREATE TYPE query_keys AS (h simhash, b0 integer, b1 integer, b2 integer, b3 integer,
    f0 integer[], f1 integer[], f2 integer[], f3 integer[], g integer[]);

CREATE FUNCTION values_within(value integer, bits integer) RETURNS integer[] LANGUAGE sql IMMUTABLE AS
    $$ SELECT CASE bits WHEN 0 THEN ARRAY[value]
              WHEN 1 THEN value || ARRAY(SELECT value # (1 << bit) FROM generate_series(0, 15) bit) END $$;

CREATE FUNCTION keys_of(h simhash, radius integer) RETURNS query_keys LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE b integer[]; f integer[]; g integer[] := '{}'; k query_keys;
BEGIN
    FOR i IN 0..3 LOOP
        b[i] := (h::bigint >> 48 - 16 * i & 65535)::integer;
        f := values_within(b[i], budget(radius, i));
        g := g || ARRAY(SELECT i * 65536 + v FROM unnest(f) v);
        IF budget(radius, i) = 1 THEN
            CASE i WHEN 0 THEN k.f0 := f; WHEN 1 THEN k.f1 := f; WHEN 2 THEN k.f2 := f; ELSE k.f3 := f; END CASE;
        END IF;
    END LOOP;
    k.h := h;
    k.b0 := b[0];
    k.b1 := b[1];
    k.b2 := b[2];
    k.b3 := b[3];
    k.g := g;
    RETURN k;
END $$;

-- Conditions on h. The arguments are the query's fingerprint, its blocks, its values within one bit, its keys for GIN.
CREATE FUNCTION near_by_bit_count(radius integer, fingerprint text) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT format('bit_count((h::bigint # %s::bigint)::bit(64)) <= %s', fingerprint, radius) $$;

CREATE FUNCTION near_by_btrees(radius integer, fingerprint text, b text[], f text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT '(' || string_agg(block('h', i) || CASE budget(radius, i) WHEN 0 THEN ' = ' || b[i + 1]
                                              ELSE format(' = ANY (%s)', f[i + 1]) END, ' OR ' ORDER BY i)
           || ') AND ' || near_by_bit_count(radius, fingerprint)
    FROM generate_series(0, 3) i WHERE budget(radius, i) IS NOT NULL $$;

CREATE FUNCTION near_by_gin(radius integer, fingerprint text, keys text) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT format('%s && %s AND %s', blocks('h'), keys, near_by_bit_count(radius, fingerprint)) $$;

-- -- the kinds ---------------------------------------------------------------------------------------------

CREATE TABLE kind (place serial, name text, label text, definitions text[]);
INSERT INTO kind (name, label, definitions)
SELECT name,
       CASE WHEN name ~ '^t\d+$' THEN 'simhash, trees = ' || substr(name, 2)
            ELSE '{"none": "no index", "btree": "btree on h", "four": "four btrees, BitmapOr", "gin": "GIN on four blocks"}'::jsonb
                 ->> name END,
       CASE WHEN name ~ '^t\d+$' THEN ARRAY[format('simhash (h) WITH (trees = %s)', substr(name, 2))]
            WHEN name = 'btree' THEN ARRAY['btree (h)']
            WHEN name = 'four' THEN ARRAY(SELECT format('btree ((%s))', block('h', b)) FROM generate_series(0, 3) b)
            WHEN name = 'gin' THEN ARRAY[format('gin ((%s))', blocks('h'))]
            ELSE '{}' END
FROM unnest(string_to_array(:'kinds', ' ')) WITH ORDINALITY k(name, n) ORDER BY n;

-- -- rows and queries --------------------------------------------------------------------------------------

CREATE TABLE page (id integer, h simhash);
CREATE UNLOGGED TABLE query (query_set text DEFAULT 'all', id integer, h simhash);
CREATE UNLOGGED TABLE probe (id integer, h simhash);
-- The expected answers, from memory.cpp.
CREATE UNLOGGED TABLE expected (query_set text, radius integer, id integer, found bigint);

CREATE FUNCTION expected_of(of_set text, of_radius integer, first_queries integer) RETURNS bigint LANGUAGE sql STABLE AS
    $$ SELECT sum(found)::bigint FROM expected WHERE query_set = of_set AND radius = of_radius AND id <= first_queries $$;

CREATE PROCEDURE compare(what text, is_found bigint, is_expected bigint) LANGUAGE plpgsql AS $$
BEGIN
    IF is_found IS DISTINCT FROM is_expected THEN
        INSERT INTO wrong SELECT format('%s: %s, found %s, expected %s', data, what, is_found, is_expected) FROM setting;
        RAISE WARNING 'wrong: %, found %, expected %', what, is_found, is_expected;
    END IF;
END $$;

-- -- searches in a loop ------------------------------------------------------------------------------------

-- A method is a statement that returns a number for the fingerprint q and the number i of a query or, with keys, for the
-- query_keys k; the sum over the queries is checked.
CREATE TABLE method (id serial, part text, label text, variant text, query_set text, radius integer, keys boolean,
    statement text, queries integer, repeats integer, seconds float8[], clock_seconds float8[]);

-- The condition of a method on the table of a kind.
CREATE FUNCTION near_by_kind(name text, radius integer) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE name WHEN 'four' THEN near_by_btrees(radius, 'k.h', '{k.b0,k.b1,k.b2,k.b3}', '{k.f0,k.f1,k.f2,k.f3}')
                     WHEN 'gin' THEN near_by_gin(radius, 'k.h', 'k.g')
                     ELSE format('h <@> q <= %s', radius) END $$;

-- The loop over the first queries of the method's set, timed inside, so that reading the queries is excluded.
CREATE PROCEDURE make_loop(name text, m method) LANGUAGE plpgsql AS $f$
BEGIN
    EXECUTE format($$CREATE FUNCTION %I(queries integer, repeats integer, OUT total bigint, OUT seconds float8,
                                        OUT clock_seconds float8) LANGUAGE plpgsql AS $loop$
        DECLARE qs %s[]; %s; i integer := 0; n bigint := 0; begun timestamptz;
        BEGIN
            SELECT array_agg(%s ORDER BY id) INTO qs FROM query WHERE query_set = %L AND id <= queries;
            total := 0;
            begun := clock_timestamp();
            seconds := processor_seconds();
            FOR repeat IN 1..repeats LOOP
                FOREACH %s IN ARRAY qs LOOP
                    i := i + 1;
                    %s;
                    total := total + n;
                END LOOP;
            END LOOP;
            seconds := processor_seconds() - seconds;
            clock_seconds := extract(epoch FROM clock_timestamp() - begun);
        END $loop$ $$, name,
        CASE WHEN m.keys THEN 'query_keys' ELSE 'simhash' END, CASE WHEN m.keys THEN 'k query_keys' ELSE 'q simhash' END,
        CASE WHEN m.keys THEN format('keys_of(h, %s)', m.radius) ELSE 'h' END, m.query_set,
        CASE WHEN m.keys THEN 'k' ELSE 'q' END, coalesce(m.statement || ' INTO n', 'n := 0'));
END $f$;

-- Times every method of a part, one after the other, in rounds; stores the medians minus that of the empty loop. Every
-- method runs with its generic plan, so planning is excluded.
CREATE PROCEDURE time_methods(of_part text, rounds integer, round_seconds float8) LANGUAGE plpgsql AS $$
DECLARE m method; r record; n integer; again integer; most integer; empty float8; empty_clock float8;
BEGIN
    SET plan_cache_mode = force_generic_plan;
    m.query_set := 'all';
    CALL make_loop('empty_loop', m);
    m.keys := true;
    m.radius := 3;
    CALL make_loop('empty_keys_loop', m);
    FOR m IN SELECT * FROM method WHERE part = of_part LOOP
        CALL make_loop('loop_' || m.id, m);
        most := max(id) FROM query WHERE query_set = m.query_set;
        -- As many queries as fit in the time; this also warms the cache.
        n := least(2, most);
        LOOP
            EXECUTE format('SELECT * FROM loop_%s(%s, 1)', m.id, n) INTO r;
            r.seconds := greatest(r.seconds, r.clock_seconds);
            EXIT WHEN n = most OR r.seconds > round_seconds / 4;
            n := least(n * 2, most);
        END LOOP;
        again := greatest(round_seconds / r.seconds, 1);
        n := greatest(least(n * round_seconds / r.seconds, most), least(2, most));
        UPDATE method SET queries = n, repeats = CASE WHEN n = most THEN again ELSE 1 END, seconds = '{}', clock_seconds = '{}'
        WHERE id = m.id;
        COMMIT;
    END LOOP;
    FOR round IN 1..rounds LOOP
        FOR m IN SELECT * FROM method WHERE part = of_part ORDER BY (id * 7 + round * 3) % 11, id LOOP
            EXECUTE format('SELECT * FROM loop_%s(%s, %s)', m.id, m.queries, m.repeats) INTO r;
            EXECUTE format('SELECT seconds / 5e4, clock_seconds / 5e4 FROM %I(5000, 10)',
                           CASE WHEN m.keys THEN 'empty_keys_loop' ELSE 'empty_loop' END) INTO empty, empty_clock;
            UPDATE method SET seconds = method.seconds || r.seconds / (m.queries * m.repeats) - empty,
                   clock_seconds = method.clock_seconds || r.clock_seconds / (m.queries * m.repeats) - empty_clock
            WHERE id = m.id;
            IF round = 1 AND m.radius IS NOT NULL THEN
                CALL compare(format('%s, %s, %s queries', m.label, m.variant, m.queries), r.total / m.repeats,
                             expected_of(m.query_set, m.radius, m.queries));
            END IF;
        END LOOP;
        COMMIT;
    END LOOP;
    FOR m IN SELECT * FROM method WHERE part = of_part LOOP
        PERFORM note(of_part, m.label, m.variant, 'us', median(m.seconds) * 1e6);
        PERFORM note(of_part, m.label, m.variant, 'us elapsed', median(m.clock_seconds) * 1e6);
        PERFORM note(of_part, m.label, m.variant, 'queries', m.queries);
        EXECUTE format('DROP FUNCTION loop_%s', m.id);
    END LOOP;
    DROP FUNCTION empty_loop, empty_keys_loop;
    DELETE FROM method WHERE part = of_part;
END $$;

-- -- indexes -----------------------------------------------------------------------------------------------

CREATE FUNCTION index_bytes(of_kind text) RETURNS numeric LANGUAGE sql STABLE AS
    $$ SELECT pg_indexes_size(format('page_%s', of_kind)::regclass) $$;

-- Builds the indexes of every kind repeatedly, one kind after the other, and keeps the last.
CREATE PROCEDURE build(names text[], times integer) LANGUAGE plpgsql AS $$
DECLARE k kind; definition text; begun timestamptz; busy float8; spent float8[]; on_clock float8[];
BEGIN
    CREATE TEMP TABLE built (name text, busy float8, on_clock float8);
    FOR time IN 1..times LOOP
        FOR k IN SELECT * FROM kind WHERE name = ANY (names) AND definitions <> '{}' ORDER BY place LOOP
            FOR i IN 1..cardinality(k.definitions) LOOP
                EXECUTE format('DROP INDEX IF EXISTS page_%s_%s', k.name, i);
            END LOOP;
            COMMIT;
            begun := clock_timestamp();
            busy := processor_seconds();
            FOR i IN 1..cardinality(k.definitions) LOOP
                EXECUTE format('CREATE INDEX page_%s_%s ON page_%s USING %s', k.name, i, k.name, k.definitions[i]);
            END LOOP;
            INSERT INTO built
            SELECT k.name, processor_seconds() - busy, extract(epoch FROM clock_timestamp() - begun);
            COMMIT;
        END LOOP;
    END LOOP;
    FOR k IN SELECT * FROM kind WHERE name = ANY (names) AND definitions <> '{}' ORDER BY place LOOP
        PERFORM note('build', k.label, '', 's', (SELECT min(b.busy) FROM built b WHERE name = k.name));
        PERFORM note('build', k.label, '', 's elapsed', (SELECT min(b.on_clock) FROM built b WHERE name = k.name));
        PERFORM note('build', k.label, '', 'bytes per row', index_bytes(k.name) / (SELECT rows FROM setting));
    END LOOP;
    DROP TABLE built;
END $$;
