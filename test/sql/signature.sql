\set ECHO none
-- Signatures: bit strings of any length, their distances, balls, and how conditions on them are planned.

SELECT B'0000' <@> B'0000', B'0000' <@> B'1111', B'10000001' <@> B'00000001', B'' <@> B'';
SELECT pg_typeof(B'01' <@> B'11'), pg_typeof((B'01' <@> B'11') + 1);
SELECT NULL::bit(4) <@> B'0000', B'0000' <@> NULL, hamming_within(B'0', NULL, 3), simhash_internal_at(B'0', B'1', NULL);
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
\echo '-- compared with the number of ones in the text form of the XOR'
CREATE FUNCTION ones(bit) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT length(replace($1::text, '0', '')) $$;
SELECT count(*), count(*) FILTER (WHERE (a <@> b) IS DISTINCT FROM ones(a # b)) AS wrong
FROM generate_series(0, 700) AS bits, LATERAL (SELECT random_bits(1, bits), random_bits(2, bits)) AS pair (a, b);
SELECT bits, length(a), a <@> b = ones(a # b) AS right, a <@> ~a AS opposite
FROM unnest('{64,65,1000,1024,4096,100001}'::int[]) AS bits,
    LATERAL (SELECT random_bits(3, bits), random_bits(4, bits)) AS pair (a, b);
\echo '-- compressed and out of line'
CREATE TABLE stored (s bit varying);
INSERT INTO stored VALUES (repeat('0', 100000)::varbit), (random_bits(5, 100000)), (random_bits(6, 100000));
SELECT count(*), count(*) FILTER (WHERE a.s <@> b.s = ones(a.s # b.s)) FROM stored AS a, stored AS b;
DROP TABLE stored;

\echo '-- bit strings of different lengths have no distance'
SELECT B'0101' <@> B'010';
SELECT B'' <@> B'0';
SELECT hamming_within(B'0101', B'010', 3);
SELECT hamming_within(B'0101', B'010', -1);
SELECT simhash_internal_at(B'0101', B'010', 3);
SELECT B'0101' <@| signature_ball(B'010', 3);
SELECT B'0101' <@| signature_ball(B'010', -1);
SELECT B'0101' <@> signature_ball(B'010', 3);
\set VERBOSITY sqlstate
SELECT B'0101' <@> B'010';
\set VERBOSITY default

\echo '-- literals of unknown type'
SELECT pg_typeof('0123456789abcdef'::simhash <@> '0123456789abcdee'), '0123456789abcdef' <@> '0123456789abcdee'::simhash AS simhash,
       '0101' <@> B'0111' AS bit, B'0101' <@> '0111' AS bit, B'0101' <@> 'x7' AS bit, 'x7' <@> 'b0101'::varbit AS varbit,
       'b0101'::varbit <@> '0111' AS varbit, B'0101'::varbit <@> B'0111'::varbit AS varbit;
SELECT hamming_distance('0123456789abcdef', '0123456789abcdee'), hamming_within('0123456789abcdef', '0123456789abcdee', 1),
       simhash_internal_at('0123456789abcdef', '0123456789abcdee', 2), simhash_internal_in_ball('0123456789abcdef', '<0123456789abcdee,1>'),
       '0123456789abcdef'::simhash <@| '<0123456789abcdee,1>', simhash_ball('0123456789abcdef', 3);
SELECT B'0101' <@| '<0111,1,1,0>' AS inside, '0101' <@| signature_ball('0111', 0) AS outside, B'01'::varbit <@| '<01,0,1,0>' AS varbit,
       hamming_within('0101', B'0111', 1), signature_distance(B'0101', '0111'), signature_distance('0101', '0111'), signature_ball('0101', 3);
PREPARE distance AS SELECT signature_distance($1, $2);
EXECUTE distance('0101', '0111');
DEALLOCATE distance;
SELECT '0101' <@> '0111';
\set VERBOSITY terse
SELECT 'cafe'::bytea <@> B'0101';
\echo '-- bit(64) is not a simhash without a cast'
SELECT '0123456789abcdef'::simhash <@> x'0123456789abcdef';
\set VERBOSITY default

\echo '-- balls: the radius is clamped'
SELECT r, signature_ball(B'01011', r), signature_ball(B'01011', r, 0.95)
FROM unnest('{-9223372036854775808,-2,-1,0,3,5,6,9223372036854775807,NULL}'::bigint[]) WITH ORDINALITY AS u (r, i)
ORDER BY i;
\echo '-- so is the recall'
SELECT c, signature_ball(B'01011', 3, c), signature_nearest(B'01011', c)
FROM unnest('{-Infinity,0,0.01,0.5,0.95,1,2,NaN,NULL}'::float8[]) WITH ORDINALITY AS u (c, i) ORDER BY i;
SELECT signature_nearest(B'01011'), signature_nearest('01011', 0.9, 1), signature_nearest('', count => 2147483647),
       signature_ball(B'01', 2, 1, '{1.5,-2}'), signature_ball(B'01', 1, 1, '{0.1,3e38}'), signature_ball(B'', 0, 1, '{}');
SELECT signature_nearest(B'01', 1, 0);
SELECT signature_nearest(B'01', 1, -5);
SELECT signature_nearest(NULL), signature_nearest(B'01', 1, NULL), signature_ball(NULL, 1), signature_ball(NULL, 1, 1),
       signature_ball(B'01', 1, 1, NULL);
SELECT signature_ball(B'01', 1, 1, '{1}');
SELECT signature_ball(B'01', 1, 1, '{1,2,3}');
SELECT signature_ball(B'01', 1, 1, '{}');
SELECT signature_ball(B'01', 1, 1, '{{1,2}}');
SELECT signature_ball(B'01', 1, 1, '{1,NULL}');
SELECT signature_ball(B'01', 1, 1, '{1,NaN}');
SELECT signature_ball(B'01', 1, 1, '{-Infinity,1}');
SELECT r, B'00111' <@| signature_ball(B'00000', r) AS inside, B'00111' <@| signature_ball(B'00000', r, 0.01) AS too,
       B'00111' <@> signature_ball(B'00000', r) AS distance
FROM unnest('{-1,0,2,3,5,NULL}'::bigint[]) WITH ORDINALITY AS u (r, i) ORDER BY i;

\echo '-- the text form'
SELECT '<0101,3,0.95,10>'::signature_ball, ' < 0101 , -1 , 1e0 , 0 > '::signature_ball, '<,0,1,0>'::signature_ball,
       '<01,2,.5,2147483647, [ 1 , -2.5e-3 ] >'::signature_ball, '<,-1,1,0,[]>'::signature_ball;
\echo '-- hexadecimal digits, as in a literal of a bit string; so is a center whose length is a multiple of four'
SELECT '<x0fA9,3,1,0>'::signature_ball, '<Xf,3,1,0,[1,2,3,4]>'::signature_ball, '<0000111110101001,3,1,0>'::signature_ball,
       '<000011111010100,3,1,0>'::signature_ball, '<x,0,1,0>'::signature_ball;
CREATE FUNCTION input_error(value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM value::signature_ball;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;
SELECT t, input_error(t) FROM unnest(ARRAY[
    '', '<', '<>', '0101,3,1,0', '<0101,3,1,0', '<0101,3,1>', '<0101,3>', '<0101>', '<0121,3,1,0>', '<01 01,3,1,0>',
    '<0101,3,1,0> 4', '<0101,3.5,1,0>', '<0101,3,1,0.5>', '<0101,x,1,0>', '<0101,,1,0>', '<0101,3,NaN,0>', '<0101,3,1,0,>',
    '<0101,3,1,0,[1,2,3]>', '<0101,3,1,0,[1,2,3,4,5]>', '<0101,3,1,0,[1,2,3,4>', '<0101,3,1,0,[1,2,3,x]>',
    '<0101,3,1,0,[1,2,3,]>', '<0101,3,1,0,[]>', '<0101,3,1,0,[1,2,3,4],>', '<0101,3,1,0,{1,2,3,4}>', '<,0,1,0,[1]>',
    '<0101,5,1,0>', '<0101,-2,1,0>', '<0101,99999999999999999999,1,0>', '<0101,3,0.009,0>', '<0101,3,1.01,0>',
    '<0101,3,1,-1>', '<0101,3,1,2147483648>', '<0101,3,1,0,[1,2,3,1e39]>', '<0101,3,1e999,0>'
]) AS t;
SELECT '<0101,3,1>'::signature_ball;
SELECT '<0101,5,1,0>'::signature_ball;

\echo '-- round trips: text, binary, and storage of every kind'
CREATE TABLE balls (id int, b signature_ball);
INSERT INTO balls SELECT bits * 3, signature_ball(random_bits(bits, bits), bits / 3) FROM generate_series(0, 200) AS bits;
INSERT INTO balls SELECT bits * 3 + 1, signature_nearest(random_bits(bits, bits), 0.01 + bits / 300.0, 1 + bits)
    FROM generate_series(0, 200) AS bits;
INSERT INTO balls SELECT bits * 3 + 2, signature_ball(random_bits(bits, bits), bits, 1.0 / 3,
        ARRAY(SELECT (sin(j * bits) * 10 ^ (j % 20))::real FROM generate_series(1, bits) AS j))
    FROM unnest('{0,1,7,64,65,200,4096}'::int[]) AS bits;
INSERT INTO balls VALUES (20000, signature_ball(repeat('0', 50000)::varbit, 7, 1, array_fill(1.5::real, ARRAY[50000])));
SELECT count(*), count(*) FILTER (WHERE b::text::signature_ball::text = b::text
        AND simhash_internal_signature_ball_send(b::text::signature_ball) = simhash_internal_signature_ball_send(b)) AS same FROM balls;
CREATE TABLE copied (LIKE balls);
\copy balls TO PROGRAM 'cat >"${TMPDIR:-/tmp}/simhash.$PPID"' (FORMAT binary)
\copy copied FROM PROGRAM 'cat "${TMPDIR:-/tmp}/simhash.$PPID"; rm "${TMPDIR:-/tmp}/simhash.$PPID"' (FORMAT binary)
SELECT count(*), count(*) FILTER (WHERE balls.b::text = copied.b::text) AS same FROM balls JOIN copied USING (id);
SELECT count(*) FROM balls WHERE id % 3 = 0 AND id < 600
    AND NOT (random_bits(id / 3, id / 3) <@| b AND random_bits(id / 3, id / 3) <@> b = 0);
SELECT simhash_internal_signature_ball_send('<0101,3,0.5,10,[1,2,3,-4]>'), simhash_internal_signature_ball_send('<,-1,1,0>');
\echo '-- binary values that are refused: a negative length, a length beyond the end, an unused bit that is set, a radius out of'
\echo '-- range, a recall of NaN, weights for half of the bits, weights beyond the end; the third one is valid'
TRUNCATE copied;
\set VERBOSITY sqlstate
\copy copied (b) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\31\1\377\377\377\377\0\0\0\0\77\360\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377"' (FORMAT binary)
\copy copied (b) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\31\1\177\377\377\377\0\0\0\0\77\360\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377"' (FORMAT binary)
\copy copied (b) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\32\1\0\0\0\4\120\0\0\0\1\77\360\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377"' (FORMAT binary)
\copy copied (b) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\32\1\0\0\0\4\130\0\0\0\1\77\360\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377"' (FORMAT binary)
\copy copied (b) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\32\1\0\0\0\4\120\0\0\0\5\77\360\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377"' (FORMAT binary)
\copy copied (b) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\32\1\0\0\0\4\120\0\0\0\1\177\370\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377"' (FORMAT binary)
\copy copied (b) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\42\1\0\0\0\4\120\0\0\0\1\77\360\0\0\0\0\0\0\0\0\0\0\0\0\0\2\77\200\0\0\77\200\0\0\377\377"' (FORMAT binary)
\copy copied (b) FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\32\1\0\0\0\4\120\0\0\0\1\77\360\0\0\0\0\0\0\0\0\0\0\0\0\0\4\377\377"' (FORMAT binary)
\set VERBOSITY default
SELECT b FROM copied;
DROP TABLE balls, copied;
DROP FUNCTION input_error;

\echo '-- every form of a condition; d is the distance to the query, found without <@>'
CREATE TABLE page (id int, s bit(80), d int);
INSERT INTO page SELECT i, random_bits(i, 80) FROM generate_series(1, 300) AS i;
INSERT INTO page SELECT 1000 + i, overlay(X'0123456789abcdef0123' PLACING repeat('1', i)::varbit FROM 20) FROM generate_series(1, 20) AS i;
INSERT INTO page VALUES (2000, X'0123456789abcdef0123'), (2001, X'0123456789abcdef0123'), (2002, NULL);
UPDATE page SET d = ones(s # X'0123456789abcdef0123');
ANALYZE page;
CREATE FUNCTION ids(query text) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
    found int[];
BEGIN
    EXECUTE 'SELECT array_agg(id ORDER BY id) FROM (' || query || ') AS q' INTO found;
    RETURN found;
END $$;
CREATE FUNCTION functions(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        plan := plan || line;
    END LOOP;
    RETURN (SELECT string_agg(name[1], ' ') FROM regexp_matches(plan, 'NOT \w+_within|\w+_(?:within|at)|<@.|[<>=]+ [0-9]+', 'g') AS name);
END $$;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE s <@> X'0123456789abcdef0123' <= 3;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE s <@> X'0123456789abcdef0123' = 3;
EXPLAIN (COSTS OFF) SELECT id FROM page ORDER BY s <@> X'0123456789abcdef0123' LIMIT 3;
EXPLAIN (COSTS OFF) SELECT a.id, b.id FROM page AS a JOIN page AS b ON a.s <@> b.s <= 3 AND a.id < b.id;
SELECT c, functions('SELECT id FROM page WHERE ' || c) AS plan, cardinality(ids('SELECT id FROM page WHERE ' || c)) AS rows,
       ids('SELECT id FROM page WHERE ' || c) IS NOT DISTINCT FROM ids('SELECT id FROM page WHERE ' || truth) AS same
FROM (VALUES
    ($$ s <@> X'0123456789abcdef0123' <= 3 $$, 'd <= 3'),
    ($$ X'0123456789abcdef0123' <@> s <= 3 $$, 'd <= 3'),
    ($$ 3 >= s <@> X'0123456789abcdef0123' $$, 'd <= 3'),
    ($$ 3 >= X'0123456789abcdef0123' <@> s $$, 'd <= 3'),
    ($$ s <@> X'0123456789abcdef0123' < 4::smallint $$, 'd < 4'),
    ($$ 4 > s <@> X'0123456789abcdef0123' $$, 'd < 4'),
    ($$ s <@> X'0123456789abcdef0123' = 3 $$, 'd = 3'),
    ($$ 3 = s <@> X'0123456789abcdef0123' $$, 'd = 3'),
    ($$ s <@> X'0123456789abcdef0123' = 0 $$, 'd = 0'),
    ($$ s <@> X'0123456789abcdef0123' <> 0 $$, 'd <> 0'),
    ($$ s <@> X'0123456789abcdef0123' > 3 $$, 'd > 3'),
    ($$ NOT 4 <= s <@> X'0123456789abcdef0123' $$, 'd < 4'),
    ($$ s <@> X'0123456789abcdef0123' BETWEEN 2 AND 5 $$, 'd BETWEEN 2 AND 5'),
    ($$ s <@> X'0123456789abcdef0123' IN (1, 2, 3) $$, 'd IN (1, 2, 3)'),
    ($$ s <@> 'x0123456789abcdef0123' <= 3 $$, 'd <= 3'),
    ($$ s <@> X'0123456789abcdef0123'::varbit <= 3 $$, 'd <= 3'),
    ($$ s::varbit <@> X'0123456789abcdef0123' <= 3 $$, 'd <= 3'),
    ($$ s <@> X'0123456789abcdef0123' <= (SELECT 3) $$, 'd <= 3'),
    ($$ s <@> (SELECT s FROM page WHERE id = 2000) <= 3 $$, 'd <= 3'),
    ($$ s <@> X'0123456789abcdef0123' <= 80 $$, 'd <= 80'),
    ($$ s <@> X'0123456789abcdef0123' <= 9223372036854775807 $$, 'd <= 80'),
    ($$ s <@> X'0123456789abcdef0123' < -9223372036854775808 $$, 'd < 0'),
    ($$ s <@> NULL <= 3 $$, 'NULL'),
    ($$ s <@> X'0123456789abcdef0123' <= NULL::int $$, 'NULL'),
    ($$ hamming_within(s, X'0123456789abcdef0123', 3) $$, 'd <= 3'),
    ($$ hamming_within('x0123456789abcdef0123', s, 3) $$, 'd <= 3'),
    ($$ simhash_internal_at(s, X'0123456789abcdef0123', 3) $$, 'd = 3'),
    ($$ s <@| signature_ball(X'0123456789abcdef0123', 3) $$, 'd <= 3'),
    ($$ s <@| signature_ball(X'0123456789abcdef0123', 3, 0.5) $$, 'd <= 3'),
    ($$ s <@> signature_ball(X'0123456789abcdef0123', 3) <= 5 $$, 'd <= 5'),
    ($$ s = X'0123456789abcdef0123' $$, 'd = 0')
) AS v (c, truth);
SELECT s <@> X'0123456789abcdef0123' = d AS same, id FROM page ORDER BY s <@> X'0123456789abcdef0123', id LIMIT 3;
SELECT id FROM page ORDER BY s <@> signature_nearest(X'0123456789abcdef0123', 0.9), id LIMIT 3;
SELECT id FROM page WHERE s <@> X'01' <= 3;
\echo '-- parameters, with custom and generic plans'
PREPARE near (bit, int) AS SELECT id FROM page WHERE s <@> $1 <= $2 ORDER BY s <@> $1, id;
EXECUTE near (X'0123456789abcdef0123', 1);
SET plan_cache_mode = force_generic_plan;
EXECUTE near (X'0123456789abcdef0123', 1);
EXPLAIN (COSTS OFF) EXECUTE near (X'0123456789abcdef0123', 1);
EXECUTE near (X'01', 1);
RESET plan_cache_mode;
DEALLOCATE near;
\echo '-- views, joins, EXISTS, a domain over bit'
CREATE VIEW seen AS SELECT id, s, s <@> X'0123456789abcdef0123' AS distance FROM page;
EXPLAIN (COSTS OFF) SELECT id FROM seen WHERE distance <= 3;
SELECT count(*) FROM page AS a JOIN page AS b ON a.s <@> b.s <= 3 AND a.id < b.id;
SELECT count(*) FROM page AS a, page AS b WHERE ones(a.s # b.s) <= 3 AND a.id < b.id;
SELECT count(*) FROM page AS a WHERE EXISTS (SELECT FROM page AS b WHERE a.s <@> b.s < 4 AND a.id <> b.id);
CREATE DOMAIN image_hash AS bit(80);
SELECT functions($$ SELECT id FROM page WHERE s::image_hash <@> X'0123456789abcdef0123' <= 3 $$);
\echo '-- an index on the distance'
CREATE INDEX page_distance ON page ((s <@> X'0123456789abcdef0123'));
ANALYZE page;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE s <@> X'0123456789abcdef0123' <= 3;
RESET enable_bitmapscan;
RESET enable_seqscan;
DROP VIEW seen;

\echo '-- random, many equal, a tenth NULL; 4096 bits; without statistics and with'
CREATE TABLE skewed (id int, s bit(256), l bit(4096));
INSERT INTO skewed SELECT i, CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 <= 2 THEN random_bits(0, 256)
        WHEN i % 10 = 3 THEN overlay(random_bits(0, 256) PLACING B'0000' FROM 1) ELSE random_bits(i, 256) END,
    CASE WHEN i <= 500 THEN random_bits(i, 4096) END FROM generate_series(1, 5000) AS i;
SELECT expected(format('SELECT FROM skewed WHERE s <@> %L <= 31', random_bits(0, 256)), 1, 30),
       expected(format('SELECT FROM skewed WHERE s <@> %L <= 128', random_bits(0, 256)), 300, 4000),
       expected(format('SELECT FROM skewed WHERE l <@> %L <= 512', random_bits(0, 4096)), 1, 40),
       expected(format('SELECT FROM skewed WHERE l <@> %L <= 2047', random_bits(0, 4096)), 300, 4000),
       expected(format('SELECT FROM skewed WHERE s <@> %L <= 256', random_bits(0, 256)), 1000, 8000);
ANALYZE skewed;
SELECT c, expected('SELECT FROM skewed WHERE ' || replace(replace(c, '$1', quote_literal(random_bits(0, 256))),
    '$2', quote_literal(random_bits(1, 4096))), low, high)
FROM (VALUES ('s <@> $1 <= 31', 1400, 1700), ('$1 <@> s <= 31', 1400, 1700), ('s <@> $1 < 32', 1400, 1700),
    ('NOT s <@> $1 > 31', 1400, 1700), ('hamming_within(s, $1, 31)', 1400, 1700),
    ('s <@| signature_ball($1, 31)', 1400, 1700), ('s <@| signature_ball($1, 31, 0.5)', 1400, 1700),
    ('s <@| signature_nearest($1)', 4400, 4600), ('s <@> $1 <= 0', 950, 1100), ('s <@> $1 = 0', 950, 1100),
    ('s <@> $1 <= -1', 1, 1), ('s <@> $1 <= 256', 4400, 4600), ('s <@> $1 > 31', 3200, 3700),
    ('s <@> $1 <= 128', 2300, 3600), ('s <@> ~$1::varbit <= 31', 1, 30), ('s <@> $1 <= NULL::int', 0, 1),
    ('s <@| NULL', 0, 1), ('s <@> (SELECT random_bits(1, 256)) <= 31', 1, 60), ('l <@> $2 <= 512', 1, 40),
    ('l <@> $2 <= 2047', 150, 350),
    -- the length of the column counts
    ('l <@> (SELECT random_bits(1, 4096)) <= 512', 1, 40), ('l <@> s <= 512', 1, 40),
    -- of another length: an error when it is run
    ('s <@> B''01'' <= 1', 1, 5000)) AS v (c, low, high);
\echo '-- a domain has the same statistics and length'
CREATE DOMAIN long_hash AS bit(4096);
CREATE TABLE by_domain (l long_hash);
INSERT INTO by_domain SELECT random_bits(i / 5, 4096) FROM generate_series(0, 499) AS i;
ANALYZE by_domain;
SELECT expected(format('SELECT FROM by_domain WHERE l <@> %L <= 512', random_bits(7, 4096)), 4, 10),
       expected(format('SELECT FROM by_domain WHERE l <@> %L::bit(4096)::long_hash <= 4000', random_bits(7, 4096)), 400, 500),
       expected('SELECT FROM by_domain WHERE l <@> (SELECT random_bits(1, 4096)) <= 1024', 1, 10);
DROP TABLE by_domain;
DROP DOMAIN long_hash;
SELECT expected('SELECT FROM skewed AS a JOIN skewed AS b ON a.s <@> b.s <= 31', 1000000, 3500000);
DROP TABLE skewed;

DROP TABLE page;
DROP DOMAIN image_hash;
DROP FUNCTION ones, ids, functions, expected;

\echo '-- Bytes become the bits of a signature, the highest of a byte first, and come back.'
SELECT signature_from_bytea('\x80ff01') AS bits, signature_to_bytea(B'100000000') AS bytes, signature_from_bytea('') AS none,
    signature_to_bytea(B'') AS back, signature_from_bytea(NULL) AS null_bytes, signature_to_bytea(NULL) AS null_bits;
SELECT count(*), bool_and(signature_from_bytea(b) = ('x' || encode(b, 'hex'))::bit varying
        AND signature_to_bytea(signature_from_bytea(b)) = b) AS equal
FROM generate_series(1, 600) i, substr(decode(repeat(md5(i::text), 40), 'hex'), 1, i) b;
CREATE TABLE hashed (hash bytea);
INSERT INTO hashed SELECT decode(md5(i::text) || md5('b' || i), 'hex') FROM generate_series(1, 1000) i;
CREATE INDEX ON hashed USING simhash ((signature_from_bytea(hash)::bit(256)));
SET enable_seqscan = off;
PREPARE near (bytea) AS SELECT count(*) FROM hashed WHERE signature_from_bytea(hash)::bit(256) <@> signature_from_bytea($1) <= 9;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE near('\x00');
EXECUTE near(decode(md5('1') || md5('b1'), 'hex'));
DEALLOCATE near;
RESET plan_cache_mode;
RESET enable_seqscan;
DROP TABLE hashed;

\echo '-- A uuid becomes its 128 bits, in the order in which it is written and sent.'
SELECT '8f3c0000-0000-0000-0000-000000000001'::uuid::bit(128) = x'8f3c0000000000000000000000000001' AS written, NULL::uuid::bit(128) AS none;
CREATE TABLE hashed (id int, u uuid);
INSERT INTO hashed SELECT i, overlay(md5((i % 300)::text) PLACING lpad(to_hex(i), 4, '0') FROM 9)::uuid FROM generate_series(1, 3000) i;
SELECT count(*) FROM hashed WHERE u::bit(128) <> signature_from_bytea(uuid_send(u))::bit(128);
CREATE TABLE found AS SELECT a.id, b.id AS near FROM hashed a JOIN hashed b ON a.u::bit(128) <@> b.u::bit(128) <= 31 WHERE a.id <= 20;
CREATE INDEX ON hashed USING simhash ((u::bit(128)));
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM hashed WHERE u::bit(128) <@> '8f3c0000-0000-0000-0000-000000000001'::uuid::bit(128) <= 31;
SELECT count(*) > 100 AS some, count(*) FILTER (WHERE f IS NULL OR s IS NULL) AS unlike FROM found f
    FULL JOIN (SELECT a.id, b.id AS near FROM hashed a, LATERAL (SELECT id FROM hashed b WHERE b.u::bit(128) <@> a.u::bit(128) <= 31) b WHERE a.id <= 20) s USING (id, near);
RESET enable_seqscan;
DROP TABLE hashed, found;
