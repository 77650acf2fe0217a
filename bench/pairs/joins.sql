-- Run by run.sh with the variable rows: plain joins as the planner makes them, beside the best plan with
-- simhash.enable_join = off, which is nearly always the nested loop.
--
-- Times are processor time of the session, planning included, with all columns of the result computed. The two plans take
-- turns, three times, each repeated for a fifth of a second; the least mean counts. What takes more than 20 s runs once.

-- Rows -----------------------------------------------------------------------------------------------------

\ir plans.sql
ALTER TABLE page ADD COLUMN lang text, ADD COLUMN label integer;
-- a copy has the language of its original
UPDATE page SET lang = 'l' || abs(hashint4(CASE WHEN id > :rows * 4 / 5 THEN id - :rows * 4 / 5 ELSE id END)) % 5, label = abs(hashint4(id)) % 100;
-- New rows without an index, one in ten near a row of page, and three times as many with one.
CREATE TABLE asked AS SELECT i AS id, flip(:new) AS h FROM generate_series(1, least(:rows, 1000000)) i;
CREATE TABLE million AS TABLE asked;
CREATE TABLE three AS SELECT i AS id, flip(:new) AS h FROM generate_series(1, 3 * least(:rows, 1000000)) i;
-- Hashes of two algorithms, a partial index, and a hundred hashes asked for, half of them of near rows.
CREATE TABLE fingerprint AS SELECT id, h::bigint AS hash, CASE WHEN label < 80 THEN 'PHASH' ELSE 'OTHER' END AS algorithm FROM page;
SELECT array_agg(flip(h, id, id % 6)::bigint) AS hundred FROM (SELECT id, CASE WHEN id % 2 = 0 THEN h ELSE hashint8extended(id, 9)::simhash END AS h FROM page ORDER BY hashint4(id) LIMIT 100) q \gset
-- Of 100,000 rows: nothing near; three in ten near another; a third near one of a hundred templates. And others like them.
CREATE FUNCTION of_kind(kind text, i integer, salt integer) RETURNS simhash LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN kind = 'rich' AND i % 10 < 3 THEN flip(hashint8extended(i - i % 10 + 3, 1)::simhash, i * salt, i % 6)
        WHEN kind = 'templates' AND i % 3 = 0 THEN flip(hashint8extended(i % 100, 3)::simhash, i * salt, i % 12)
        ELSE hashint8extended(i, salt)::simhash END $$;
SELECT format('CREATE TABLE %1$s AS SELECT i AS id, of_kind(%1$L, i, 1) AS h FROM generate_series(1, 100000) i', kind),
       format('CREATE TABLE %1$s_new AS SELECT i AS id, of_kind(%1$L, i, 2) AS h FROM generate_series(1, 20000) i', kind),
       format('CREATE INDEX ON %s USING simhash (h)', kind)
FROM unnest('{uniform,rich,templates}'::text[]) kind \gexec
VACUUM FULL page;
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX page_label ON page (label);
CREATE INDEX million_h ON million USING simhash (h);
CREATE INDEX three_h ON three USING simhash (h);
CREATE INDEX fingerprint_hash ON fingerprint USING simhash (hash) WHERE algorithm = 'PHASH';
VACUUM ANALYZE;

-- Measuring ------------------------------------------------------------------------------------------------

CREATE TABLE measured (number integer GENERATED ALWAYS AS IDENTITY, method text, radius integer, plan text, seconds float8, other text,
    other_seconds float8, expected float8, found float8);
-- Runs a statement; returns what EXPLAIN says, and sets the time of one run.
CREATE FUNCTION execute(statement text, joins boolean, OUT took float8, OUT plan json) LANGUAGE plpgsql AS $$
DECLARE begun timestamptz := clock_timestamp(); spent float8; runs integer := 0;
BEGIN
    PERFORM set_config('simhash.enable_join', joins::text, true);
    spent := processor_seconds();
    LOOP
        EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || statement INTO plan;
        runs := runs + 1;
        EXIT WHEN clock_timestamp() > begun + interval '0.2 s';
    END LOOP;
    took := (processor_seconds() - spent) / runs;
    plan := plan -> 0 -> 'Plan';
END $$;
CREATE PROCEDURE measure(name text, r integer, statement text, memory text DEFAULT '64MB') LANGUAGE plpgsql AS $$
DECLARE mine record; theirs record; least_mine float8; least_theirs float8;
BEGIN
    PERFORM set_config('work_mem', memory, true);
    statement := replace(statement, '$r', r::text);
    FOR round IN 1..3 LOOP
        mine := execute(statement, true);
        least_mine := least(least_mine, mine.took);
        CONTINUE WHEN least_theirs > 20;
        theirs := execute(statement, false);
        least_theirs := least(least_theirs, theirs.took);
    END LOOP;
    INSERT INTO measured (method, radius, plan, seconds, other, other_seconds, expected, found)
    VALUES (name, r, plan_name(mine.plan), least_mine, plan_name(theirs.plan), least_theirs, (mine.plan ->> 'Plan Rows')::float8,
        (mine.plan ->> 'Actual Rows')::float8);
    COMMIT;
END $$;

-- Joins ----------------------------------------------------------------------------------------------------

\set self 'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= $r AND a.id < b.id'
SELECT format('CALL measure(%L, %s, %L, %L)', name, r, statement, memory) FROM (VALUES
    ('self join', 0, :'self', '64MB'), ('self join', 3, :'self', '64MB'), ('the same, work_mem 4MB', 3, :'self', '4MB'),
    ('the same, LIMIT 100', 3, :'self' || ' LIMIT 100', '64MB'),
    ('the same, same language', 3, :'self' || ' AND a.lang = b.lang', '64MB'),
    ('the same, 1 % of one side', 3, :'self' || ' AND a.label = 7', '64MB'),
    ('the same, 1 % of both', 3, :'self' || ' AND a.label = 7 AND b.label = 7', '64MB'),
    ('the same, rows with themselves', 3, 'SELECT a.id, b.id FROM page a JOIN page b ON a.h <@> b.h <= $r', '64MB'),
    ('million x three million', 3, 'SELECT a.id, b.id FROM million a JOIN three b ON a.h <@> b.h <= $r', '64MB'),
    ('unnest of 100 bigints, partial index', 8, format('SELECT q.h, f.id FROM unnest(%L::bigint[]) AS q(h) JOIN fingerprint f
        ON f.hash <@> q.h <= $r AND f.algorithm = ''PHASH''', :'hundred'), '64MB')) v(name, r, statement, memory) \gexec
SELECT format('CALL measure(%L, %s, %L)', outer_ || name, r, replace(statement, '$outer', outer_::text)) FROM unnest('{1000,10000,100000,1000000}'::integer[]) outer_,
    unnest('{3,5,8}'::integer[]) r, (VALUES
    (' new rows', 'SELECT a.id, b.id FROM asked a JOIN page b ON b.h <@> a.h <= $r WHERE a.id <= $outer'),
    (' new rows, EXISTS', 'SELECT a.id FROM asked a WHERE a.id <= $outer AND EXISTS (SELECT FROM page b WHERE b.h <@> a.h <= $r)'),
    (' new rows, NOT EXISTS', 'SELECT a.id FROM asked a WHERE a.id <= $outer AND NOT EXISTS (SELECT FROM page b WHERE b.h <@> a.h <= $r)'))
    v(name, statement)
WHERE (name = ' new rows' OR outer_ = 100000) AND outer_ <= :rows ORDER BY name, outer_, r \gexec
-- The same by hash joins on four blocks, in plain SQL without the extension's index; here the time of the plan without one.
SELECT format('CALL measure(''hash joins on four blocks'', 3, %L)', string_agg(format('SELECT a.id, b.id FROM page a
    JOIN page b ON (a.h::bigint >> %s & 65535) = (b.h::bigint >> %1$s & 65535) AND a.id < b.id AND (a.h <@> b.h)::integer <= $r', shift), ' UNION '))
FROM unnest('{0,16,32,48}'::integer[]) shift WHERE :rows <= 2000000 HAVING count(*) > 0 \gexec

\echo
\echo :rows rows: the chosen plan and the best one without the extension''s joins, processor time
SELECT method AS join, radius AS r, plan, round(seconds::numeric, 4) AS s, other AS "without", round(other_seconds::numeric, 4) AS "s",
    round((seconds / other_seconds)::numeric, 2) AS "times", found AS rows, round((expected / greatest(found, 1))::numeric, 2) AS "expected / rows"
FROM measured ORDER BY number;

TRUNCATE measured RESTART IDENTITY;
SELECT format('CALL measure(%L, %s, %L)', kind || ', ' || name, r, replace(statement, '$kind', kind)) FROM unnest('{uniform,rich,templates}'::text[]) WITH ORDINALITY k(kind, n),
    (VALUES (1, 'self', 'SELECT a.id, b.id FROM $kind a JOIN $kind b ON a.h <@> b.h <= $r AND a.id < b.id'),
            (2, 'two tables', 'SELECT a.id, b.id FROM $kind_new a JOIN $kind b ON b.h <@> a.h <= $r'),
            (3, 'semi', 'SELECT a.id FROM $kind_new a WHERE EXISTS (SELECT FROM $kind b WHERE b.h <@> a.h <= $r)'),
            (4, 'anti', 'SELECT a.id FROM $kind_new a WHERE NOT EXISTS (SELECT FROM $kind b WHERE b.h <@> a.h <= $r)')) v(m, name, statement),
    unnest('{3,8}'::integer[]) r ORDER BY n, m, r \gexec
\echo
\echo Estimates of 100,000 rows, with themselves and with 20,000 others
SELECT method AS join, radius AS r, expected, found AS rows, round((greatest(expected, 1) / greatest(found, 1))::numeric, 2) AS times, plan,
    round((seconds / other_seconds)::numeric, 2) AS "time / without"
FROM measured ORDER BY number;

-- Groups ---------------------------------------------------------------------------------------------------

DROP PROCEDURE measure;
DROP TABLE measured;
\ir measure.sql
SELECT format('CALL measure(%L, %L, %s, %L)', name, memory, r, statement)
FROM unnest('{3,5}'::integer[]) r, unnest('{4MB,256MB}'::text[]) memory, unnest('{connected,star}'::text[]) kind,
     format('simhash_group, %s', kind) name, format('SELECT count(*) FROM (SELECT id, simhash_group(id, h, $r, %L) OVER (ORDER BY id) AS leader FROM page) g WHERE leader <> id', kind) statement \gexec
\echo
\echo Groups of :rows rows, elapsed time
SELECT method, memory AS work_mem, radius, round(seconds::numeric, 3) AS "s", pairs FROM measured ORDER BY number;
