\set ECHO none
-- Distances: the operators, the domain that <@> returns, hamming_within and balls.

SELECT '0000000000000000'::simhash <@> '0000000000000000', '0000000000000000'::simhash <@> 'ffffffffffffffff',
       '8000000000000001'::simhash <@> '0000000000000001', '00000000000000ff' <@> '0000000000000000'::simhash;
SELECT pg_typeof('0000000000000000'::simhash <@> '0000000000000000'),
       pg_typeof(('0000000000000000'::simhash <@> '0000000000000000') + 1);
SELECT NULL::simhash <@> '0000000000000000', '0000000000000000' <@> NULL::simhash;
\echo '-- bit by bit, compared with the number of ones in the text form of the XOR'
SELECT count(*) FROM generate_series(1, 1000) AS i,
    LATERAL (SELECT ('x' || md5(i::text))::bit(64) AS a, ('x' || md5((-i)::text))::bit(64) AS b) AS pair
WHERE a::simhash <@> b::simhash IS DISTINCT FROM length(replace((a # b)::text, '0', ''));

\echo '-- + binds more tightly than <@>, so the distance takes parentheses'
SELECT ('0000000000000000'::simhash <@> '0000000000000003') + 1;
\set VERBOSITY terse
SELECT '0000000000000000'::simhash <@> '0000000000000003' + 1;
\set VERBOSITY default

\echo '-- hamming_within: any radius is valid; NULL gives no row'
SELECT r, hamming_within('0000000000000000', '0000000000000007', r) AS within
FROM unnest('{-9223372036854775808,-1,0,2,3,4,64,65,9223372036854775807,NULL}'::bigint[]) WITH ORDINALITY AS u (r, i)
ORDER BY i;
SELECT hamming_within('0000000000000000', '0000000000000007', 3::smallint),
       hamming_within('0000000000000000', '0000000000000007', 3), hamming_within('0000000000000000', NULL, 3);

\echo '-- comparisons agree with those of plain integers, for every type, in both orders, at every bound'
CREATE TABLE bounds (r bigint);
INSERT INTO bounds VALUES (-9223372036854775808), (-2147483648), (-32768), (-1), (0), (1), (3), (4), (64), (65),
    (32767), (2147483647), (9223372036854775807), (NULL);
CREATE TABLE pairs AS SELECT ('x' || md5(i::text))::bit(64)::simhash AS a,
    (('x' || md5(i::text))::bit(64)::bigint # (2 ^ (i % 8) - 1)::bigint)::simhash AS b FROM generate_series(1, 32) AS i;
INSERT INTO pairs VALUES (NULL, '0000000000000000'), ('0000000000000000', 'ffffffffffffffff');
CREATE FUNCTION differences(op text, type text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    sum bigint := 0;
    n bigint;
BEGIN
    -- a bound from a table, and each bound as a constant
    FOR n IN EXECUTE format('SELECT r FROM bounds WHERE r IS NULL OR r BETWEEN %L AND %L',
        CASE type WHEN 'smallint' THEN -32768 WHEN 'bigint' THEN -9223372036854775808 ELSE -2147483648 END,
        CASE type WHEN 'smallint' THEN 32767 WHEN 'bigint' THEN 9223372036854775807 ELSE 2147483647 END)
    LOOP
        EXECUTE format($q$
            SELECT %4$s + count(*) FROM pairs, bounds
            WHERE r IS NOT DISTINCT FROM %3$L AND (
                (a <@> b %1$s r::%2$s) IS DISTINCT FROM ((a <@> b)::int %1$s r::%2$s::bigint)
                OR (r::%2$s %1$s a <@> b) IS DISTINCT FROM (r::%2$s::bigint %1$s (a <@> b)::int)
                OR (a <@> b %1$s %3$L::%2$s) IS DISTINCT FROM ((a <@> b)::int %1$s %3$L::bigint)
                OR (%3$L::%2$s %1$s a <@> b) IS DISTINCT FROM (%3$L::bigint %1$s (a <@> b)::int)
                OR (NOT a <@> b %1$s %3$L::%2$s) IS DISTINCT FROM (NOT (a <@> b)::int %1$s %3$L::bigint))
            $q$, op, type, n, sum) INTO sum;
    END LOOP;
    RETURN sum;
END $$;
SELECT op, type, differences(op, type) FROM unnest('{<,<=,=,<>,>=,>}'::text[]) AS op,
    unnest('{smallint,integer,bigint,hamming_distance}'::text[]) AS type ORDER BY 1, 2;
\echo '-- no error, not even below the smallest integer'
SELECT count(*) FROM pairs WHERE a <@> b < -9223372036854775808;
SELECT count(*) FROM pairs WHERE a <@> b < (SELECT min(r) FROM bounds);
SELECT count(*) FROM pairs WHERE a <@> b >= (SELECT min(r) FROM bounds);
SELECT simhash_internal_radius_below(3), simhash_internal_radius_below(-9223372036854775808);
\echo '-- other types compare as integers do'
SELECT count(*) AS "numeric" FROM pairs WHERE a <@> b <= 3.5;
SELECT count(*) AS float8 FROM pairs WHERE a <@> b <= 3.5::float8;
SELECT count(*) AS unknown FROM pairs WHERE a <@> b <= '3';
SELECT count(*) AS in_list FROM pairs WHERE a <@> b IN (1, 2, 3);
SELECT count(*) AS in_long_list FROM pairs WHERE a <@> b IN (0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 16);
SELECT count(*) AS any_bigint FROM pairs WHERE a <@> b = ANY (ARRAY[1, 2, 3]::bigint[]);
SELECT count(*) AS not_in_query FROM pairs WHERE a <@> b NOT IN (SELECT r FROM bounds WHERE r IS NOT NULL);
SELECT count(*) AS in_query FROM pairs WHERE (a <@> b) IN (SELECT r FROM bounds);
SELECT count(*) AS all_query FROM pairs WHERE a <@> b <= ALL (SELECT r FROM bounds WHERE r >= 3);
\echo '-- distances on both sides'
SELECT count(*) AS equal FROM pairs WHERE a <@> b = b <@> a;
SELECT count(*) AS at_most FROM pairs WHERE a <@> b <= b <@> a;
\echo '-- a volatile bound is read once for each row'
CREATE SEQUENCE reads;
SELECT count(*) FROM pairs WHERE a <@> b = nextval('reads');
SELECT last_value FROM reads;
\echo '-- row comparisons, and ORDER BY ... USING'
SELECT count(*) AS at_most FROM pairs WHERE (a <@> b, 1) <= (3, 1);
SELECT count(*) AS above FROM pairs WHERE (a <@> b, 1::bigint) > (3::bigint, 0);
SELECT a <@> b AS d FROM pairs ORDER BY a <@> b USING >, a LIMIT 3;
SELECT max(a <@> b), min(a <@> b), sum(a <@> b), avg(a <@> b), count(DISTINCT a <@> b) FROM pairs;

\echo '-- ~='
SELECT b, '0000000000000000' ~= b AS near, b ~= '0000000000000000' AS reversed
FROM unnest('{0000000000000000,0000000000000007,000000000000000f,8000000000000003,ffffffffffffffff,NULL}'::simhash[]) AS b;

\echo '-- balls'
SELECT '<0123456789abcdef,3>'::simhash_ball, ' < 0x0123456789ABCDEF , -1 > '::simhash_ball,
       '<0123456789abcdef,64>'::simhash_ball, '<0123456789abcdef,-0>'::simhash_ball;
SELECT r, simhash_ball('0123456789abcdef', r)
FROM unnest('{-9223372036854775808,-2,-1,0,3,64,65,9223372036854775807,NULL}'::bigint[]) WITH ORDINALITY AS u (r, i)
ORDER BY i;
SELECT simhash_ball(NULL, 3), pg_column_size(simhash_ball('0123456789abcdef', 3));
SELECT ''::simhash_ball;
SELECT '<>'::simhash_ball;
SELECT '0123456789abcdef,3'::simhash_ball;
SELECT '<0123456789abcde,3>'::simhash_ball;
SELECT '<0123456789abcdef>'::simhash_ball;
SELECT '<0123456789abcdef,>'::simhash_ball;
SELECT '<0123456789abcdef,-->'::simhash_ball;
SELECT '<0123456789abcdef,3'::simhash_ball;
SELECT '<0123456789abcdef,3> 4'::simhash_ball;
SELECT '<0123456789abcdef,3,4>'::simhash_ball;
SELECT '<0123456789abcdef,65>'::simhash_ball;
SELECT '<0123456789abcdef,-2>'::simhash_ball;
SELECT '<0123456789abcdef,99999999999999999999999999>'::simhash_ball;
\set VERBOSITY sqlstate
SELECT '<0123456789abcdef>'::simhash_ball;
SELECT '<0123456789abcdef,65>'::simhash_ball;
\set VERBOSITY default
SELECT r, '0000000000000007' <@| simhash_ball('0000000000000000', r) AS inside
FROM unnest('{-1,0,2,3,64,NULL}'::bigint[]) WITH ORDINALITY AS u (r, i) ORDER BY i;
SELECT count(*) FROM pairs, bounds
WHERE (a <@| simhash_ball(b, r)) IS DISTINCT FROM hamming_within(a, b, r);
\echo '-- binary form'
SELECT simhash_internal_ball_send('<0123456789abcdef,3>'), simhash_internal_ball_send('<0123456789abcdef,-1>');
CREATE TEMP TABLE balls AS SELECT simhash_ball('0123456789abcdef', r) AS b FROM generate_series(-1, 64) AS r;
CREATE TEMP TABLE copied (LIKE balls);
\copy balls TO PROGRAM 'cat >"${TMPDIR:-/tmp}/simhash.$PPID"' (FORMAT binary)
\copy copied FROM PROGRAM 'cat "${TMPDIR:-/tmp}/simhash.$PPID"; rm "${TMPDIR:-/tmp}/simhash.$PPID"' (FORMAT binary)
SELECT count(*), count(DISTINCT b::text) FROM copied WHERE b::text IN (SELECT b::text FROM balls);

\echo '-- the domain accepts integers, and integers accept it'
CREATE TEMP TABLE measured (d hamming_distance, i int);
INSERT INTO measured SELECT a <@> b, a <@> b FROM pairs;
INSERT INTO measured VALUES (3, 3), (NULL, NULL);
SELECT count(*) FROM measured WHERE d = i;
\echo '-- PL/pgSQL''s strict RETURN QUERY, and arrays'
SELECT pg_typeof(array_agg(a <@> b)), pg_typeof(array_agg((a <@> b)::int)) FROM pairs;
CREATE FUNCTION strict_rows() RETURNS TABLE (d int) LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY SELECT a <@> b FROM pairs WHERE a <@> b > 60; END $$;
\set VERBOSITY terse
SELECT * FROM strict_rows();
\set VERBOSITY default
CREATE OR REPLACE FUNCTION strict_rows() RETURNS TABLE (d int) LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY SELECT (a <@> b)::int FROM pairs WHERE a <@> b > 60; END $$;
SELECT * FROM strict_rows();

DROP FUNCTION strict_rows, differences;
DROP SEQUENCE reads;
DROP TABLE bounds, pairs;
