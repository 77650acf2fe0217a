-- Times the plans among which the planner chooses, each forced by settings, and compares them with its choice.
-- psql variable: sizes, numbers of rows separated by blanks.
\set ON_ERROR_STOP 1
\pset border 0
SET client_min_messages = warning;
CREATE EXTENSION simhash;
SELECT setseed(0.5) \g /dev/null

-- Rows -----------------------------------------------------------------------------------------------------

CREATE FUNCTION random_bits() RETURNS bigint VOLATILE LANGUAGE sql AS
$$ SELECT ('x' || left(md5(random()::text), 16))::bit(64)::bigint $$;

-- with up to this many bits flipped
CREATE FUNCTION nearby(h simhash, most int) RETURNS simhash VOLATILE LANGUAGE plpgsql AS
$$
DECLARE
    bits bigint := h::bigint;
BEGIN
    FOR i IN 1 .. floor(random() * (most + 1)) LOOP
        bits := bits # (1::bigint << floor(random() * 64)::int);
    END LOOP;
    RETURN bits::simhash;
END
$$;

-- Signatures of 1,024 bits.
CREATE FUNCTION random_signature() RETURNS bit VOLATILE LANGUAGE sql AS
$$ SELECT ('x' || md5(random()::text) || md5(random()::text) || md5(random()::text) || md5(random()::text) || md5(random()::text)
    || md5(random()::text) || md5(random()::text) || md5(random()::text))::bit(1024) $$;
CREATE FUNCTION group_signature(n bigint) RETURNS bit IMMUTABLE LANGUAGE sql AS
$$ SELECT ('x' || string_agg(md5(n || '.' || i), ''))::varbit::bit(1024) FROM generate_series(1, 8) AS i $$;
CREATE FUNCTION nearby(s bit, most int) RETURNS bit VOLATILE LANGUAGE plpgsql AS
$$
DECLARE
    place int;
BEGIN
    FOR i IN 1 .. floor(random() * (16 * most + 1)) LOOP
        place := floor(random() * 1024);
        s := set_bit(s, place, 1 - get_bit(s, place));
    END LOOP;
    RETURN s;
END
$$;

-- spread: uniform; half: one half is a cluster; skewed: three bits in four are rarely set; equal: each fingerprint a
-- hundred times. In the first and the third one row in five is near another. wide: signatures in groups of a hundred, whose
-- members differ in about a fifth of the bits.
CREATE TABLE kind (name text, fingerprint text, near boolean, type text DEFAULT 'simhash');
INSERT INTO kind VALUES
    ('wide', '(group_signature(i * 7919::bigint % greatest(:size / 100, 1))
        # (random_signature() & random_signature() & random_signature()))::bit(1024)', false, 'bit(1024)');
INSERT INTO kind VALUES
    ('spread', 'random_bits()::simhash', true),
    ('half', 'CASE WHEN random() < 0.5 THEN nearby(''5555aaaa3333cccc'', 6) ELSE random_bits()::simhash END', false),
    ('skewed', '(random_bits() & (random_bits() & random_bits() | x''1111222244448888''::bigint))::simhash', true),
    ('equal', '(''x'' || left(md5((i % greatest(:size / 100, 1))::text), 16))::bit(64)::simhash', false);
CREATE TABLE filled AS
SELECT name AS kind, size::int, name || '_' || size AS name, replace(fingerprint, ':size', size) AS fingerprint, near,
    type
FROM kind, unnest(string_to_array(:'sizes', ' ')) AS size;

SELECT command FROM filled, LATERAL (VALUES
    (1, format('CREATE TABLE %I AS SELECT i AS id, %s AS h, i * 7919::bigint %% 1000 AS label
        FROM generate_series(1, %s) AS i', name, fingerprint, size)),
    (2, CASE WHEN near THEN format('CREATE TABLE changed AS SELECT a.id, nearby(b.h, 3) AS h FROM %1$I AS a
        JOIN %1$I AS b ON b.id = a.id * 104729::bigint %% %2$s + 1 WHERE a.id %% 5 = 0', name, size) END),
    (3, CASE WHEN near THEN format('UPDATE %1$I AS t SET h = c.h FROM changed AS c WHERE c.id = t.id', name) END),
    (4, CASE WHEN near THEN format('CREATE TABLE again AS TABLE %I ORDER BY id', name) END),
    (5, CASE WHEN near THEN format('DROP TABLE changed, %I', name) END),
    (6, CASE WHEN near THEN format('ALTER TABLE again RENAME TO %I', name) END),
    (7, format('CREATE TABLE %I AS TABLE %I', 'plain_' || name, name)),
    (8, format('CREATE INDEX ON %I USING simhash (h)', name)),
    (9, format('CREATE INDEX ON %I (label)', name)),
    (10, format('CREATE TABLE %I AS SELECT i AS id, nearby(h, 5)::%s AS h FROM %I JOIN generate_series(1, 1000) AS i
        ON id = 1 + i * 617::bigint %% %s', 'asked_' || name, type, name, size)),
    (11, format('CREATE TABLE %I AS TABLE %I', 'plain_asked_' || name, 'asked_' || name)),
    (12, format('CREATE INDEX ON %I USING simhash (h)', 'asked_' || name)),
    (13, 'VACUUM ANALYZE')) AS step (number, command)
WHERE command IS NOT NULL ORDER BY name, number
\gexec

-- Cases ----------------------------------------------------------------------------------------------------

-- In a query, %1$s is the table and %2$s the fingerprint. Each plan is a name and the settings that force it.
CREATE TABLE case_ (number int GENERATED ALWAYS AS IDENTITY, shape text, kind text, size int, query text, plans json,
    centers text[]);
CREATE FUNCTION centers(name text, size int, kind text) RETURNS text[] LANGUAGE plpgsql AS
$$
DECLARE
    near text[];
BEGIN
    EXECUTE format('SELECT array_agg(nearby(h, 3)::text) FROM %I WHERE id IN (%s)', name,
        (SELECT string_agg((1 + i * 617::bigint % size)::text, ',') FROM generate_series(1, 2) AS i)) INTO near;
    RETURN near || CASE kind WHEN 'half' THEN '5555aaaa3333cccc' WHEN 'wide' THEN random_signature()::text
        ELSE random_bits()::simhash::text END;
END
$$;
INSERT INTO case_ (shape, kind, size, query, plans, centers)
SELECT shape, kind, size, query, plans, centers(name, size, kind) FROM filled, LATERAL (
    SELECT 'within ' || r, 'SELECT id FROM %1$s WHERE h <@> %2$s <= ' || r, json_build_object(
        'seq scan', 'enable_indexscan enable_bitmapscan', 'index scan', 'enable_seqscan enable_bitmapscan',
        'bitmap', 'enable_seqscan enable_indexscan') FROM unnest(ARRAY[0, 1, 3, 5, 7, 8, 10, 12, 15, 20]) AS r
    UNION ALL
    SELECT 'within ' || r || ', one', 'SELECT id FROM %1$s WHERE h <@> %2$s <= ' || r || ' LIMIT 1', json_build_object(
        'seq scan', 'enable_indexscan enable_bitmapscan', 'index scan', 'enable_seqscan enable_bitmapscan',
        'bitmap', 'enable_seqscan enable_indexscan') FROM unnest(ARRAY[3, 20]) AS r
    UNION ALL
    SELECT 'within ' || r || ', labelled', 'SELECT id FROM %1$s WHERE h <@> %2$s <= ' || r || ' AND label = 5',
        json_build_object('seq scan', 'enable_indexscan enable_bitmapscan',
        'index scan', 'enable_seqscan enable_bitmapscan', 'bitmap', 'enable_seqscan enable_indexscan')
        FROM unnest(ARRAY[3, 12]) AS r
    UNION ALL
    SELECT 'nearest ' || k, 'SELECT id FROM %1$s ORDER BY h <@> %2$s LIMIT ' || k, json_build_object(
        'sort', 'enable_indexscan', 'index scan', 'enable_seqscan enable_sort')
        FROM unnest(ARRAY[1, 10, 100, 1000000000]) AS k
    UNION ALL
    SELECT 'nearest 10, labelled', 'SELECT id FROM %1$s WHERE label = 5 ORDER BY h <@> %2$s LIMIT 10', json_build_object(
        'sort', 'enable_indexscan', 'index scan', 'enable_seqscan enable_bitmapscan enable_sort',
        'seq scan', 'enable_indexscan enable_bitmapscan')) AS cases (shape, query, plans)
WHERE kind <> 'wide';
INSERT INTO case_ (shape, kind, size, query, plans, centers)
SELECT 'wide: ' || shape, kind, size, query, plans, centers(name, size, kind) FROM filled, LATERAL (
    SELECT 'within ' || r, 'SELECT id FROM %1$s WHERE h <@> %2$s <= ' || r, json_build_object(
        'seq scan', 'enable_indexscan enable_bitmapscan', 'index scan', 'enable_seqscan enable_bitmapscan',
        'bitmap', 'enable_seqscan enable_indexscan') FROM unnest(ARRAY[0, 32, 64, 128, 230, 300, 420, 470, 480, 490, 512]) AS r
    UNION ALL
    SELECT format('within %s, recall %s', r, recall),
        format('SELECT id FROM %%1$s WHERE h <@| signature_ball(%%2$s, %s, %s)', r, recall), json_build_object(
        'seq scan', 'enable_indexscan enable_bitmapscan', 'index scan', 'enable_seqscan enable_bitmapscan')
        FROM unnest(ARRAY[128, 230]) AS r, unnest(ARRAY[0.5, 0.9, 0.99]) AS recall
    UNION ALL
    SELECT 'within 128, label < ' || label, 'SELECT id FROM %1$s WHERE h <@> %2$s <= 128 AND label < ' || label,
        json_build_object('seq scan', 'enable_indexscan enable_bitmapscan',
        'index scan', 'enable_seqscan enable_bitmapscan', 'bitmap', 'enable_seqscan enable_indexscan')
        FROM unnest(ARRAY[1, 10, 100]) AS label
    UNION ALL
    SELECT 'nearest ' || k, 'SELECT id FROM %1$s ORDER BY h <@> %2$s LIMIT ' || k, json_build_object(
        'sort', 'enable_indexscan', 'index scan', 'enable_seqscan enable_sort')
        FROM unnest(ARRAY[1, 10, 100, 1000000000]) AS k
    UNION ALL
    SELECT 'nearest 10, label < ' || label, format('SELECT id FROM %%1$s WHERE label < %s ORDER BY h <@> %%2$s LIMIT 10', label),
        json_build_object('sort', 'enable_indexscan', 'index scan', 'enable_seqscan enable_bitmapscan enable_sort',
        'seq scan', 'enable_indexscan enable_bitmapscan')
        FROM unnest(ARRAY[1, 10, 100, 500]) AS label) AS cases (shape, query, plans)
WHERE kind = 'wide';

-- Joins of a thousand rows, each near a row of the table: which side searches the other's index. The tables without an
-- index force the choice.
CREATE TABLE join_ (number int GENERATED ALWAYS AS IDENTITY, shape text, kind text, size int, plan text, settings text,
    query text);
INSERT INTO join_ (shape, kind, size, plan, settings, query)
SELECT 'join, ' || condition, kind, size, plan, settings,
    format('SELECT count(*) FROM (SELECT a.id FROM %s AS a JOIN %s AS b ON %s) AS pairs', left_ || name,
        right_ || name, condition)
FROM filled, unnest(ARRAY[0, 3, 8, 20]) AS r, LATERAL (VALUES
    ('the small index', '', 'asked_', 'plain_'), ('the large index', '', 'plain_asked_', ''),
    ('bitmaps', 'enable_indexscan', 'plain_asked_', ''), ('no index', 'enable_indexscan enable_bitmapscan', 'asked_', ''),
    ('chosen', '', 'asked_', '')) AS plans (plan, settings, left_, right_),
    LATERAL (SELECT 'a.h <@> b.h <= ' || r) AS condition (condition)
WHERE kind IN ('spread', 'equal') AND (plan <> 'no index' OR size <= 10000);

-- Measuring ------------------------------------------------------------------------------------------------

CREATE TABLE result (shape text, kind text, size int, plan text, center int, us float8, node text, cost float8,
    expected float8, rows float8);

CREATE FUNCTION plan_name(plan json) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    name text := plan ->> 'Node Type';
    part json;
BEGIN
    IF name LIKE 'Bitmap Heap%' THEN
        RETURN 'bitmap';
    END IF;
    IF name IN ('Limit', 'Aggregate', 'Gather', 'Gather Merge') THEN
        name := '';
    END IF;
    IF name = 'Index Scan' THEN
        name := 'index scan' || CASE WHEN plan ->> 'Index Name' LIKE '%label%' THEN ' on label'
            WHEN plan ->> 'Index Name' LIKE 'asked%' THEN ' on the small table' ELSE '' END;
    END IF;
    FOR part IN SELECT * FROM json_array_elements(plan -> 'Plans') LOOP
        name := name || CASE WHEN name = '' THEN '' ELSE ' / ' END || plan_name(part);
    END LOOP;
    RETURN name;
END
$$;

-- Runs a query once and returns its plan as executed.
CREATE FUNCTION executed(query text, off text) RETURNS json LANGUAGE plpgsql AS
$$
DECLARE
    setting text;
    result json;
BEGIN
    FOREACH setting IN ARRAY string_to_array(off, ' ') LOOP
        PERFORM set_config(setting, 'off', true);
    END LOOP;
    EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY, FORMAT JSON) ' || query INTO result;
    FOREACH setting IN ARRAY string_to_array(off, ' ') LOOP
        PERFORM set_config(setting, 'on', true);
    END LOOP;
    RETURN result -> 0;
END
$$;

CREATE PROCEDURE measure() LANGUAGE plpgsql AS
$$
DECLARE
    one record;
    plan record;
    run json;
    least json;
BEGIN
    FOR one IN SELECT * FROM case_ JOIN filled USING (kind, size) ORDER BY number LOOP
        -- The first round warms the caches. The runs of a plan follow each other, so that they share a warm cache.
        FOR round IN 0 .. 1 LOOP
            FOR plan IN SELECT key, value FROM json_each_text(one.plans) WHERE round > 0 OR key NOT IN ('seq scan', 'sort')
                    UNION ALL SELECT 'chosen', '' LOOP
                FOR i IN 1 .. array_length(one.centers, 1) LOOP
                    FOR repeat IN 1 .. CASE WHEN plan.key IN ('seq scan', 'sort') AND one.size > 10000 THEN 1 ELSE 4 END LOOP
                        run := executed(format(one.query, one.name, quote_literal(one.centers[i]) || '::' || one.type),
                            plan.value);
                        IF repeat = 1 OR (run ->> 'Execution Time')::float8 < (least ->> 'Execution Time')::float8 THEN
                            least := run;
                        END IF;
                    END LOOP;
                    IF round > 0 THEN
                        INSERT INTO result SELECT one.shape, one.kind, one.size, plan.key, i,
                            1000 * (least ->> 'Execution Time')::float8, plan_name(least -> 'Plan'),
                            (least -> 'Plan' ->> 'Total Cost')::float8, (least -> 'Plan' ->> 'Plan Rows')::float8,
                            (least -> 'Plan' ->> 'Actual Rows')::float8;
                    END IF;
                END LOOP;
            END LOOP;
        END LOOP;
        COMMIT;
    END LOOP;
    FOR one IN SELECT * FROM join_ ORDER BY number LOOP
        FOR repeat IN 1 .. CASE WHEN one.plan = 'no index' THEN 1 ELSE 3 END LOOP
            run := executed(one.query, one.settings);
            INSERT INTO result SELECT one.shape, one.kind, one.size, one.plan, 0,
                1000 * (run ->> 'Execution Time')::float8, plan_name(run -> 'Plan'),
                (run -> 'Plan' ->> 'Total Cost')::float8, (run -> 'Plan' -> 'Plans' -> 0 ->> 'Plan Rows')::float8,
                (run -> 'Plan' -> 'Plans' -> 0 ->> 'Actual Rows')::float8;
        END LOOP;
        COMMIT;
    END LOOP;
END
$$;
CALL measure();

-- Results --------------------------------------------------------------------------------------------------

-- The minimum time of each query with each plan. The planner's choice has its own time or that of the same plan when
-- forced, whichever is less.
CREATE TABLE compared AS
WITH best AS (
    SELECT shape, kind, size, center, plan, min(us) AS us, min(node) AS node, min(cost) AS cost, min(expected) AS expected,
        min(rows) AS rows FROM result GROUP BY 1, 2, 3, 4, 5)
SELECT c.shape, c.kind, c.size, c.center, c.node, c.expected, c.rows,
    least(c.us, min(b.us) FILTER (WHERE b.node = c.node)) AS chosen, min(b.us) AS least,
    (array_agg(b.plan ORDER BY b.us))[1] AS fastest
FROM best AS c JOIN best AS b USING (shape, kind, size, center) WHERE c.plan = 'chosen'
GROUP BY 1, 2, 3, 4, 5, 6, 7, c.us;

\echo Choices: their number, the geometric mean of the time of the chosen plan over the minimum, and the number that take 1.5, 2, 4 times as long
SELECT CASE WHEN center = 0 THEN 'join' ELSE regexp_replace(shape, '[0-9]+', 'n') END AS shape, count(*),
    round(exp(avg(ln(chosen / least)))::numeric, 2) AS mean, count(*) FILTER (WHERE chosen >= 1.5 * least) AS "1.5 times",
    count(*) FILTER (WHERE chosen >= 2 * least) AS "2 times", count(*) FILTER (WHERE chosen >= 4 * least) AS "4 times",
    round(max(chosen / least)::numeric, 1) AS worst
FROM compared GROUP BY ROLLUP (1) ORDER BY 1;
\echo The worst choices
SELECT shape, kind, size, expected, rows, node AS chosen, round(chosen) AS "us", fastest, round(least) AS "us",
    round((chosen / least)::numeric, 1) AS times
FROM compared WHERE chosen >= 1.5 * least ORDER BY chosen / least DESC, 1, 2, 3 LIMIT 40;
