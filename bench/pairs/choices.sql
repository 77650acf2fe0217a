-- Run by run.sh with the variable rows: the plans that the planner chooses for some 45 joins, beside the fastest plan of
-- those that it chooses with other settings.
--
-- Times are processor time of the session, of a parallel plan that of its leader. The plans take turns, three times; the
-- least time counts. What takes more than 3 s runs once.

-- Rows -----------------------------------------------------------------------------------------------------

\ir plans.sql
ALTER TABLE page ADD COLUMN label integer, ADD COLUMN tenant integer;
UPDATE page SET label = abs(hashint4(id)) % 1000, tenant = (id % (:rows / 5)) % 20;
CREATE TABLE asked AS SELECT i AS id, flip(:new) AS h,
    abs(hashint4(i)) % 1000 AS label FROM generate_series(1, :rows / 10) i;
CREATE TABLE bigints AS SELECT id, h::bigint AS h, label FROM page WHERE id % 4 = 0 OR id > :rows * 4 / 5;
CREATE TABLE tenants AS SELECT id, tenant, h, label FROM page WHERE id % 4 = 0 OR id > :rows * 4 / 5;
CREATE TABLE parted (id integer, h simhash, label integer) PARTITION BY HASH (id);
SELECT format('CREATE TABLE parted_%s PARTITION OF parted FOR VALUES WITH (MODULUS 8, REMAINDER %s)', i, i) FROM generate_series(0, 7) i \gexec
INSERT INTO parted SELECT id, h, label FROM tenants;
CREATE TABLE texts AS SELECT i AS id, i % 1000 AS label, (SELECT string_agg('word' || abs(hashint8extended(i % (:rows / 60) * 100 + j, 7)) % 5000, ' ')
    FROM generate_series(1, 40) j) || CASE WHEN i > :rows / 60 THEN ' more' ELSE '' END AS t FROM generate_series(1, :rows / 50) i;
VACUUM FULL page;
CREATE INDEX ON page USING simhash (h);
CREATE INDEX ON page (label);
CREATE INDEX ON bigints USING simhash (h);
CREATE INDEX ON tenants USING simhash (tenant, h);
CREATE INDEX ON parted USING simhash (h);
CREATE INDEX ON texts USING simhash (t);
VACUUM ANALYZE;

-- Measuring ------------------------------------------------------------------------------------------------

CREATE TABLE measured (number integer, chosen boolean, text text, plan text, seconds float8, expected float8, found float8);
CREATE PROCEDURE measure(number integer, statement text, workers integer) LANGUAGE plpgsql AS $$
DECLARE
    plan json; known text[]; setting text; begun timestamptz; spent float8; runs integer;
BEGIN
    FOR round IN 1..3 LOOP
        known := '{}';
        FOREACH setting IN ARRAY '{simhash.enable_join=on,simhash.enable_join=off,enable_nestloop=off,random_page_cost=1000000,random_page_cost=0.001}'::text[] LOOP
            PERFORM set_config('simhash.enable_join', 'on', true),
                set_config('enable_nestloop', CASE WHEN setting ~ 'random' THEN 'off' ELSE 'on' END, true),
                set_config('random_page_cost', (SELECT reset_val FROM pg_settings WHERE name = 'random_page_cost'), true),
                set_config('max_parallel_workers_per_gather', workers::text, true), set_config('work_mem', '64MB', true);
            PERFORM set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), true);
            EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || statement INTO plan;
            CONTINUE WHEN plan::text = ANY (known) OR round > 1 AND NOT plan::text = ANY (SELECT m.text FROM measured m WHERE m.number = measure.number AND seconds < 3);
            known := known || plan::text;
            begun := clock_timestamp();
            spent := processor_seconds();
            runs := 0;
            LOOP
                EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || statement INTO plan;
                runs := runs + 1;
                EXIT WHEN clock_timestamp() > begun + interval '0.1 s';
            END LOOP;
            INSERT INTO measured VALUES (number, setting = 'simhash.enable_join=on', known[cardinality(known)], plan_name(plan -> 0 -> 'Plan'),
                (processor_seconds() - spent) / runs, (plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8, (plan -> 0 -> 'Plan' ->> 'Actual Rows')::float8);
        END LOOP;
    END LOOP;
    COMMIT;
END $$;

-- Joins ----------------------------------------------------------------------------------------------------

CREATE TABLE joined (number integer GENERATED ALWAYS AS IDENTITY, name text, statement text, workers integer DEFAULT 0);
INSERT INTO joined (name, statement)
SELECT format('self, %s %%, r = %s', round(permille / 10.0, 1), r), format('SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= %s AND a.id < b.id WHERE a.label < %s', r, permille)
FROM unnest('{1,10,100,1000}'::integer[]) permille, unnest('{3,5,8}'::integer[]) r WHERE permille < 1000 OR r < 8;
INSERT INTO joined (name, statement)
SELECT format('self, LIMIT %s, r = %s', most, r), format('SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= %s AND a.id < b.id LIMIT %s', r, most)
FROM unnest('{1,100}'::integer[]) most, unnest('{3,8}'::integer[]) r;
INSERT INTO joined (name, statement)
SELECT format('new rows, %s %%, r = %s', round(permille / 10.0, 1), r), format('SELECT a.id, b.id FROM asked a JOIN page b ON b.h <@> a.h <= %s WHERE a.label < %s', r, permille)
FROM unnest('{1,10,100,1000}'::integer[]) permille, unnest('{3,5,8}'::integer[]) r;
INSERT INTO joined (name, statement)
SELECT format('new rows, %sEXISTS, r = %s', n, r), format('SELECT a.id FROM asked a WHERE %sEXISTS (SELECT FROM page b WHERE b.h <@> a.h <= %s)', n, r)
FROM unnest('{"","NOT "}'::text[]) n, unnest('{3,5,8}'::integer[]) r;
INSERT INTO joined (name, statement)
SELECT format('%s, %s %%', name, round(permille / 10.0, 1)), replace(replace('SELECT a.id, b.id FROM $t a JOIN $t b ON $on WHERE a.id < b.id', '$t', name), '$on', condition) || format(' AND a.label < %s', permille)
FROM unnest('{10,1000}'::integer[]) permille, (VALUES ('bigints', 'a.h <@> b.h <= 3'), ('tenants', 'a.tenant = b.tenant AND a.h <@> b.h <= 3'),
    ('texts', 'a.t ~= b.t'), ('parted', 'a.h <@> b.h <= 3')) v(name, condition);
INSERT INTO joined (name, statement, workers) SELECT name || ', parallel', statement, 2 FROM joined
WHERE name IN ('self, 100.0 %, r = 3', 'self, 10.0 %, r = 3', 'new rows, 100.0 %, r = 5', 'parted, 100.0 %');
SELECT format('CALL measure(%s, %L, %s)', number, statement, workers) FROM joined ORDER BY number \gexec

\echo
\echo Joins of :rows rows: the chosen plan and the fastest
WITH least AS (SELECT number, text, max(plan) AS plan, bool_or(chosen) AS chosen, min(seconds) AS s, max(expected) AS expected, max(found) AS found
    FROM measured GROUP BY number, text)
SELECT name AS join, c.plan, round(1000 * c.s::numeric, 2) AS ms, f.plan AS fastest, round(1000 * f.s::numeric, 2) AS ms,
    round((c.s / f.s)::numeric, 2) AS times, c.found AS rows, round((c.expected / greatest(c.found, 1))::numeric, 2) AS "expected / rows"
FROM joined JOIN least c USING (number) CROSS JOIN LATERAL (SELECT * FROM least WHERE number = c.number ORDER BY s LIMIT 1) f
WHERE c.chosen ORDER BY c.number;
