-- minhash_similarity, its comparisons with every type of number, and the radius of a threshold: what the planner makes
-- of a comparison is true for exactly the same rows as the comparison of double precision.
\set VERBOSITY terse

-- values
SELECT minhash_similarity(a, b), pg_typeof(minhash_similarity(a, b)), a >@< b AS by_operator
FROM (VALUES (B'1', B'1'), (B'1', B'0'), (B'10', B'11'), (B'0000000000', B'1110000000'), (B'', B''), (B'1', NULL),
    (repeat('0', 1000)::varbit::bit(1000), (repeat('1', 350) || repeat('0', 650))::varbit::bit(1000))) AS v (a, b);
SELECT minhash_similarity(B'1', B'10');
SELECT minhash_at_least(B'1', B'10', 0.5);
SELECT minhash_at_least(B'', B'', 0.5), minhash_at_least(B'1', B'1', NULL), minhash_at_least(B'1', B'1', 'NaN'),
    minhash_at_least(B'1', B'0', '-Infinity');

-- the standard error, and radii
SELECT j, minhash_error(j, 256) AS error, minhash_radius(j, 256) AS radius, minhash_radius(j, 256, 0.5) AS median,
    minhash_radius(j, 256, 0.95) AS most, minhash_radius(j, 256, 1) AS every
FROM unnest('{0,0.5,0.8,0.9,1}'::float8[]) AS j;
SELECT minhash_radius(-1, 64), minhash_radius(1.01, 64), minhash_radius('Infinity', 64),
    minhash_radius('-Infinity', 64), minhash_radius(NULL, 64);
-- the probability of the radius, in exact arithmetic
CREATE FUNCTION within(j numeric, n int, r int) RETURNS numeric LANGUAGE sql AS $$
    WITH RECURSIVE term (k, t) AS (
        SELECT 0, power(round((1 + j) / 2, 200), n)
        UNION ALL SELECT k + 1, round(t * (n - k) * (1 - j) / ((k + 1) * (1 + j)), 200) FROM term WHERE k < r)
    SELECT coalesce(round(sum(t), 100), 0) FROM term WHERE r >= 0 $$;
SELECT bool_and(within(j, n, r) >= recall AND (r = 0 OR within(j, n, r - 1) < recall)) AS smallest, count(*)
FROM unnest('{0,0.5,0.75,0.875}'::numeric[]) AS j, unnest('{1,64,65,256}'::int[]) AS n, unnest('{0.1,0.5,0.9,0.99}'::numeric[]) AS recall,
    LATERAL (SELECT minhash_radius(j::float8, n, recall::float8) AS r) AS radius;
SELECT minhash_error(1.1, 64);
SELECT minhash_error('NaN', 64);
SELECT minhash_error(0.5, 0);
SELECT minhash_radius(0.5, 0);
SELECT minhash_radius(0.5, 4097);
SELECT minhash_radius(-0.1, 64, 0.9);
SELECT minhash_radius('NaN', 64, 0.9);
SELECT minhash_radius('NaN', 64);
SELECT minhash_radius(0.5, 64, 1.1);
SELECT minhash_radius(0.5, 64, 'NaN');
SELECT minhash_radius(0.5, -1, 0.9);

-- A number beyond the range of double precision is infinite: the conversion is leakproof, so it raises no error.
SELECT repeat('9', 1000)::numeric::jaccard_estimate AS most, (-repeat('9', 1000)::numeric)::jaccard_estimate AS least,
    ('1e-1000'::numeric)::jaccard_estimate AS zero, 'NaN'::numeric::jaccard_estimate AS nan;

-- every distance of several lengths
CREATE TABLE pair (n int, h int, plain float8, a varbit, b varbit);
INSERT INTO pair SELECT n, h, (n - 2.0::float8 * h) / n, repeat('0', n)::varbit, (repeat('1', h) || repeat('0', n - h))::varbit
FROM unnest('{1,2,3,7,64,65,100,256,300,1000,1024}'::int[]) AS n, generate_series(0, n) AS h;
SELECT bool_and(minhash_similarity(a, b)::float8 = plain) AS same FROM pair;
SELECT bool_and(minhash_similarity(a, b) < before) AS decreasing
FROM (SELECT *, lag(minhash_similarity(a, b)::float8) OVER (PARTITION BY n ORDER BY h) AS before FROM pair) AS p WHERE h > 0;
-- Thresholds: every value, the numbers next to it, and others. A threshold is compared with the values around it.
CREATE TABLE threshold (n int, h int, t float8);
INSERT INTO threshold SELECT n, h, t FROM pair,
    unnest(ARRAY[plain, minhash_threshold_above(plain), -minhash_threshold_above(-plain), plain::real,
        round(plain::numeric, 2), round(plain::numeric, 16)]) AS t
WHERE n <= 100 OR h % 16 < 3 OR n - h < 3;
INSERT INTO threshold SELECT n, h, t FROM pair,
    unnest('{NaN,Infinity,-Infinity,0,-0,1,-1,1e300,-1e300,1e-300,0.3333333333333333}'::float8[]) AS t
WHERE n IN (3, 64) OR h IN (0, 1, n / 2, n);
ANALYZE pair, threshold;
SELECT count(*) > 5000 AS many FROM threshold;

-- The planner's form of s op t against that of the core's double precision, for a type of t and in both orders.
CREATE FUNCTION differing(type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE op text; wrong bigint; compared bigint; sum bigint := 0; plan text := ''; line text;
    source text := format($f$ FROM threshold AS t, generate_series(-2, 2) AS d, pair AS p
        WHERE p.n = t.n AND p.h = t.h + d AND CASE WHEN %1$L LIKE '%%int%%' THEN t.t BETWEEN -9 AND 9
            WHEN %1$L IN ('real', 'numeric') THEN t.t = 0 OR abs(t.t) BETWEEN 1e-30 AND 1e30 OR t.t = 'NaN' ELSE true END $f$, type);
BEGIN
    FOREACH op IN ARRAY '{=,<>,<,<=,>,>=}'::text[] LOOP
        EXECUTE format($f$ SELECT count(*) FILTER (WHERE
            (minhash_similarity(p.a, p.b) %1$s t.t::%2$s) IS DISTINCT FROM (p.plain %1$s t.t::%2$s::float8) OR
            (t.t::%2$s %1$s minhash_similarity(p.a, p.b)) IS DISTINCT FROM (t.t::%2$s::float8 %1$s p.plain) OR
            -- by the operators' own functions
            (minhash_similarity(p.a, p.b) %1$s ANY (ARRAY[t.t::%2$s])) IS DISTINCT FROM (p.plain %1$s t.t::%2$s::float8) OR
            (t.t::%2$s %1$s ANY (ARRAY[minhash_similarity(p.a, p.b)])) IS DISTINCT FROM (t.t::%2$s::float8 %1$s p.plain)), count(*) $f$, op, type)
            || source INTO wrong, compared;
        sum := sum + wrong;
        FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT FROM pair AS p WHERE minhash_similarity(a, b) %s 0.5::%s', op, type) LOOP
            plan := plan || line;
        END LOOP;
    END LOOP;
    RETURN format('%s of %s differ, rewritten: %s', sum, CASE WHEN compared > 5000 THEN 'many' ELSE compared::text END,
        (SELECT count(*) FROM regexp_matches(plan, 'minhash_at_least', 'g')));
END $$;
SELECT type, differing(type) FROM unnest('{double precision,real,numeric,smallint,integer,bigint,jaccard_estimate}'::text[]) AS type;
-- Operators, functions and common types of core types are resolved as without the extension.
CREATE FUNCTION resolved(expression text, path text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE definition text;
BEGIN
    PERFORM set_config('search_path', path, true);
    EXECUTE 'CREATE TEMP VIEW resolved_view AS SELECT ' || expression || ' AS x';
    PERFORM set_config('search_path', 'pg_catalog', true);
    definition := pg_get_viewdef('pg_temp.resolved_view'::regclass);
    DROP VIEW pg_temp.resolved_view;
    RETURN definition;
EXCEPTION WHEN undefined_function OR ambiguous_function OR datatype_mismatch OR cannot_coerce THEN
    RETURN SQLERRM;
END $$;
CREATE TABLE resolution AS SELECT e AS expression, public.resolved(e, 'public') AS ours, public.resolved(e, 'pg_catalog') AS core
FROM (SELECT format('NULL::%s %s %s', a, op, b) AS e
      FROM unnest('{smallint,integer,bigint,numeric,real,double precision,money,oid,text,interval,bit}'::text[]) AS a,
          unnest('{smallint,integer,bigint,numeric,real,double precision,money,oid,text,interval,bit}'::text[]) AS type,
          unnest('{=,<>,<,<=,>,>=,+,-,*,/}'::text[]) AS op, format('NULL::%s', type) AS b
      UNION ALL SELECT format('%s(NULL::%s, NULL::%s)', f, a, b) FROM unnest('{greatest,coalesce}'::text[]) AS f,
          unnest('{smallint,integer,bigint,numeric,real,double precision}'::text[]) AS a,
          unnest('{smallint,integer,bigint,numeric,real,double precision}'::text[]) AS b
      UNION ALL SELECT format('%s(NULL::%s)', f, a) FROM unnest('{abs,round,sum,avg,max,stddev,to_char,sqrt,hashfloat8}'::text[]) AS f,
          unnest('{smallint,integer,bigint,numeric,real,double precision}'::text[]) AS a
      UNION ALL SELECT format('%s %s NULL::%s', u, op, b) FROM unnest('{0.5,1,''1'',"NULL"}'::text[]) AS u, unnest('{=,<,>=,+,*}'::text[]) AS op,
          unnest('{smallint,integer,bigint,numeric,real,double precision}'::text[]) AS b) AS x;
SELECT expression, ours, core FROM resolution WHERE ours IS DISTINCT FROM core;
SELECT count(*) > 1300 AS many, count(*) FILTER (WHERE ours ~ 'SELECT') > 500 AS valid FROM resolution;
DROP TABLE resolution;
-- and those of similarities as for double precision
SELECT greatest(j, 0), greatest(j, 0.5), coalesce(j, 0), CASE WHEN j > 0 THEN j ELSE 0.25 END, j + 1, 2 * j, -j, round(j::numeric, 1),
    j::real, abs(j), sqrt(1 - j), round(j), pg_typeof(greatest(j, 0)), pg_typeof(j * 2)
FROM (SELECT minhash_similarity(B'1110', B'0001') AS j) AS x;
SELECT avg(j), sum(j), min(j), stddev(j) IS NOT NULL, array_agg(j), percentile_cont(0.5) WITHIN GROUP (ORDER BY j)
FROM (SELECT minhash_similarity(B'1110', b) AS j FROM unnest('{0001,0111,1110}'::bit(4)[]) AS b) AS x;

-- numerics that double precision does not have
SELECT minhash_similarity(B'00', B'00') = 1.00000000000000000001, minhash_similarity(B'00', B'00') < 1.00000000000000000001,
    minhash_similarity(B'00', B'00') >= 1e300, minhash_similarity(B'00', B'11') > -1e300, minhash_similarity(B'00', B'00') < 'NaN'::numeric;
\set VERBOSITY sqlstate
SELECT minhash_similarity(B'00', B'00') < 1e400;
SELECT minhash_similarity(a, b) < ANY (ARRAY[1e400]) FROM pair WHERE h = 0 AND n = 64;
\set VERBOSITY terse

-- the radius of a threshold, as the index uses it
SELECT count(*) FILTER (WHERE (minhash_similarity(p.a, p.b) >= t.t) IS DISTINCT FROM (p.h <= minhash_radius(t.t, t.n)))
FROM threshold AS t, generate_series(-2, 2) AS d, pair AS p WHERE p.n = t.n AND p.h = t.h + d;
CREATE TABLE stored (h int, s bit(256));
INSERT INTO stored SELECT h, b::bit(256) FROM pair WHERE n = 256;
CREATE INDEX ON stored USING simhash (s);
-- A plan, without the lines "Disabled: true", which EXPLAIN prints since PostgreSQL 18.
CREATE FUNCTION plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF line !~ '^ *Disabled: ' THEN RETURN NEXT line; END IF;
    END LOOP;
END $$;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT plan_of('SELECT s FROM threshold AS t JOIN stored ON minhash_similarity(s, t::text::varbit) > t.t');
SELECT count(*), sum(least(wrong, 1)) FROM threshold AS t, LATERAL (SELECT
    abs((SELECT count(*) FROM stored WHERE minhash_similarity(s, repeat('0', 256)::varbit) >= t) - count(*) FILTER (WHERE p.plain >= t)) +
    abs((SELECT count(*) FROM stored WHERE minhash_similarity(s, repeat('0', 256)::varbit) > t) - count(*) FILTER (WHERE p.plain > t)) +
    abs((SELECT count(*) FROM stored WHERE minhash_similarity(s, repeat('0', 256)::varbit) = t) - count(*) FILTER (WHERE p.plain = t)) AS wrong
    FROM pair AS p WHERE n = 256) AS x WHERE n = 256;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- stored similarities behave like double precision
CREATE TABLE made AS SELECT h AS id, minhash_similarity(a, b) AS j, plain AS f8, plain::real AS f4 FROM pair WHERE n = 1024;
CREATE INDEX made_j ON made (j);
ANALYZE made;
SET enable_seqscan = off;
SELECT plan_of($$ SELECT id FROM made WHERE j >= 0.99 $$);
SELECT plan_of($$ SELECT id FROM made WHERE 1::smallint = j $$);
SELECT plan_of($$ SELECT id FROM made WHERE j BETWEEN 0.5::real AND 0.6 $$);
SELECT plan_of($$ SELECT id FROM made ORDER BY j DESC LIMIT 3 $$);
RESET enable_seqscan;
SELECT count(*) FROM made WHERE j >= 0.99;
SELECT count(*) FROM made WHERE j IN (1, 0.5, 0.25, 0.3);
SELECT count(*) FROM made WHERE j NOT IN (1, 0.5, 0.25);
SELECT count(*) FROM made WHERE j IN (SELECT f8 FROM made WHERE id < 10);
SELECT count(*) FROM made WHERE j NOT IN (SELECT f8 FROM made WHERE id < 10);
SELECT count(*) FROM made WHERE j IN (SELECT f4 FROM made WHERE id < 10);
SELECT count(*) FROM made WHERE (j, id) > (0.5, 10);
SELECT count(*) FROM made WHERE (j, id) >= (0.5, 256) AND (id, j) < (1000, 1::smallint) AND (j, id) > (0::bigint, 0) AND (j, id) < (0.75::real, 0);
SELECT count(*) FROM made WHERE (0.5, 256) >= (j, id);
SELECT id FROM made ORDER BY j USING OPERATOR(>), id LIMIT 2;
SELECT count(*), max(j), min(j), avg(j)::numeric(5, 3) FROM made;
SELECT count(DISTINCT j) FROM made;
SET enable_mergejoin = off;
SELECT count(*) FROM made AS x JOIN made AS y ON x.j = y.f8;
SELECT count(*), count(x.j) FROM (SELECT * FROM made WHERE id < 100) AS x FULL JOIN made AS y USING (j);
SET enable_hashjoin = off;
RESET enable_mergejoin;
SELECT count(*), count(x.j) FROM (SELECT * FROM made WHERE id < 100) AS x FULL JOIN made AS y USING (j);
RESET enable_hashjoin;
CREATE TABLE by_similarity (j jaccard_estimate) PARTITION BY RANGE (j);
CREATE TABLE by_similarity_0 PARTITION OF by_similarity FOR VALUES FROM (-1) TO (0.5);
CREATE TABLE by_similarity_1 PARTITION OF by_similarity FOR VALUES FROM (0.5) TO ('NaN');
SELECT plan_of('SELECT * FROM by_similarity WHERE j >= 0.6');

DROP TABLE pair, threshold, stored, made, by_similarity;
DROP FUNCTION within, differing, plan_of, resolved;

-- In JSON a similarity is a number.
SELECT to_json(x), to_jsonb(x), row_to_json(r), json_agg(x) OVER () AS agg, to_json(ARRAY[x]) AS elements,
       jsonb_path_query_array(to_jsonb(x), '$ ? (@ >= 0.5)') AS path
FROM (SELECT minhash_similarity(B'1010', B'1011') AS x) r;
SELECT to_json('NaN'::float8::jaccard_estimate), to_jsonb('-infinity'::float8::jaccard_estimate), to_json(1e-7::jaccard_estimate);
