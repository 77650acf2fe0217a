\set ECHO none
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
-- The type simhash: text and binary form, casts.

\echo '-- 16 hexadecimal digits of either case, with or without 0x'
SELECT '0123456789abcdef'::simhash, '0x0123456789ABCDEF'::simhash, '0XffffFFFFffffFFFF'::simhash,
       E' \t0000000000000000\n'::simhash;
SELECT pg_typeof(simhash '0123456789abcdef'), pg_column_size(simhash '0123456789abcdef');
\echo '-- 16 decimal digits are read as hexadecimal digits'
SELECT '1234567890123456'::simhash::bigint;

\echo '-- anything else is an error that shows the text'
SELECT ''::simhash;
SELECT '0123456789abcde'::simhash;
SELECT '0123456789abcdef0'::simhash;
SELECT '0x123456789abcdef'::simhash;
SELECT '0123456789abcdeg'::simhash;
SELECT '-123456789abcdef'::simhash;
SELECT '01234567 89abcdef'::simhash;
SELECT '0x0x0123456789abcdef'::simhash;
SELECT 'simhash'::text::simhash;
\echo '-- ... and says what to write instead'
CREATE FUNCTION hint_of(value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    hint text;
BEGIN
    PERFORM value::simhash;
    RETURN 'valid';
EXCEPTION WHEN invalid_text_representation THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN hint;
END $$;
SELECT left(value, 24) AS value, hint_of(value) AS hint FROM unnest(ARRAY['', ' ', repeat('10', 32), 'B' || repeat('10', 32), repeat('1', 63), repeat('0', 32), repeat('10', 33), E'\\x13f06f47a6f80983',
    E' \\x13f0', 'x13f06f47a6f80983', 'X13f06f47a6f80983', 'x13f0', '0x13f06f47a6f8098', '13f0', '4039471674891636236', '18446744073709551615', '-2', '+7', '7',
    '1311768467463790', '13f06f47a6f8098313f06f47a6f80983', '0x13f06f47a6f8098313f06f47a6f80983', '13f06f47-a6f80983', '13 f0 6f 47 a6 f8 09 83', '13:f0:6f:47:a6:f8:09:83',
    '-', 'x', '0x', 'x13f06f47a6f8098313f06f47a6f80983', '1e5', '1.5', 'null', 'The quick brown fox', '<0123456789abcdef,3>', E'\t13f06f47a6f80983\n']) AS value;
\echo '-- each does'
SELECT repeat('10', 32)::bit(64)::simhash, repeat('0', 32)::bit(64)::simhash, B'1010'::bit(64)::simhash, (-2::numeric)::bigint::simhash, E'\\x13f06f47a6f80983'::bytea::simhash, '13f06f47a6f80983'::simhash, '0x13f06f47a6f80983'::simhash,
    '4039471674891636236'::bigint::simhash, '18446744073709551615'::numeric::simhash, '-2'::bigint::simhash;
DROP FUNCTION hint_of;

\echo '-- bigint, bit for bit'
SELECT x, x::simhash, x::simhash::bigint = x AS back
FROM unnest('{0,1,-1,9223372036854775807,-9223372036854775808,1311768467463790320}'::bigint[]) AS x;

\echo '-- smallint and integer, as the bigint of the same value: drivers send small numbers so'
SELECT x, x::simhash, x::simhash = x::bigint::simhash AS same
FROM unnest('{0,42,-1,2147483647,-2147483648}'::integer[]) AS x;
SELECT x, x::simhash, x::simhash = x::bigint::simhash AS same
FROM unnest('{0,42,-1,32767,-32768}'::smallint[]) AS x;
SELECT 42::simhash, (-42)::simhash, 4294967296::simhash, '{1,-1}'::integer[]::simhash[], '{1,-1}'::smallint[]::simhash[];
PREPARE by_number (integer) AS SELECT $1::simhash;
EXECUTE by_number(-7);
DEALLOCATE by_number;

\echo '-- numeric, unsigned'
SELECT x, x::simhash, x::simhash::numeric = x AS back
FROM unnest('{0,1,1.000,9223372036854775807,9223372036854775808,18446744073709551615}'::numeric[]) AS x;
SELECT 18446744073709551615::simhash;
SELECT 18446744073709551616::simhash;
SELECT 1e30::simhash;
SELECT (-1)::numeric::simhash;
SELECT 0.5::simhash;
SELECT 'NaN'::numeric::simhash;
SELECT repeat('9', 1000)::numeric::simhash;

\echo '-- bit(64), most significant first, and no other length'
SELECT '8000000000000001'::simhash::bit(64);
SELECT '8000000000000001'::simhash::bit(64)::simhash, ('x' || 'fedcba9876543210')::bit(64)::simhash;
SELECT B'1000000000000000000000000000000000000000000000000000000000000001'::bit varying::simhash, repeat('10', 32)::bit varying(100)::simhash;
SELECT B'101'::bit varying::simhash;
SELECT '8000000000000001'::simhash::bit(32);
SELECT '8000000000000001'::simhash::bit;
SELECT '8000000000000001'::simhash::bit(65);
SELECT B'1'::simhash;
SELECT repeat('1', 65)::bit(65)::simhash;

\echo '-- bytea, 8 bytes, big-endian'
SELECT '0123456789abcdef'::simhash::bytea, '\x0123456789abcdef'::bytea::simhash;
SELECT '\x01234567'::bytea::simhash;
SELECT ''::bytea::simhash;
SELECT '\x0123456789abcdef01'::bytea::simhash;

\echo '-- values stored out of line or with a short header'
CREATE TEMP TABLE stored (b bytea, v bit(64), n numeric);
INSERT INTO stored VALUES ('\x0123456789abcdef', x'0123456789abcdef', 81985529216486895);
SELECT b::simhash, v::simhash, n::simhash FROM stored;

\echo '-- the SQLSTATEs of these errors'
\set VERBOSITY sqlstate
SELECT 'x'::simhash;
SELECT 18446744073709551616::simhash;
SELECT B'1'::simhash;
SELECT '8000000000000001'::simhash::bit(32);
SELECT '\x01'::bytea::simhash;

\echo '-- no cast is implicit or applies on assignment'
SELECT '0000000000000005'::simhash = 5;
SELECT '0000000000000005'::simhash < 5::bigint;
SELECT 5::bigint = '0000000000000005'::simhash;
SELECT '0000000000000005'::simhash <@> 5;
SELECT '0000000000000005'::simhash <@> 5::bigint;
SELECT '0000000000000005'::simhash <@> 5.0;
SELECT '0000000000000005'::simhash <@> '\x0000000000000005'::bytea;
SELECT '0000000000000005'::simhash = B'101';
CREATE TEMP TABLE assigned (h simhash);
INSERT INTO assigned VALUES (5);
INSERT INTO assigned VALUES (5::smallint);
INSERT INTO assigned VALUES (5::bigint);
INSERT INTO assigned VALUES (5.0);
INSERT INTO assigned VALUES ('\x0000000000000005'::bytea);
\set VERBOSITY default
INSERT INTO assigned VALUES ('0000000000000005'), (NULL), (5::bigint::simhash);
SELECT * FROM assigned;

\echo '-- round trips through text and binary COPY'
CREATE TEMP TABLE original AS
    SELECT i AS id, ('x' || md5(i::text))::bit(64)::simhash AS h FROM generate_series(1, 100) AS i
    UNION ALL VALUES (101, NULL::simhash), (102, '0000000000000000'), (103, 'ffffffffffffffff');
CREATE TEMP TABLE copied (LIKE original);
\copy original TO PROGRAM 'cat >"${TMPDIR:-/tmp}/simhash.$PPID"' (FORMAT binary)
\copy copied FROM PROGRAM 'cat "${TMPDIR:-/tmp}/simhash.$PPID"; rm "${TMPDIR:-/tmp}/simhash.$PPID"' (FORMAT binary)
SELECT count(*), count(h) FROM copied;
SELECT * FROM original EXCEPT SELECT * FROM copied;
TRUNCATE copied;
\copy original TO PROGRAM 'cat >"${TMPDIR:-/tmp}/simhash.$PPID"'
\copy copied FROM PROGRAM 'cat "${TMPDIR:-/tmp}/simhash.$PPID"; rm "${TMPDIR:-/tmp}/simhash.$PPID"'
SELECT count(*), count(h) FROM copied;
SELECT * FROM original EXCEPT SELECT * FROM copied;
SELECT simhash_internal_send('0123456789abcdef');
\echo '-- binary data of 4, 9 and 8 bytes'
TRUNCATE assigned;
\copy assigned FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\4\1\2\3\4\377\377"' (FORMAT binary)
\copy assigned FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\11\1\2\3\4\5\6\7\10\11\377\377"' (FORMAT binary)
\copy assigned FROM PROGRAM 'printf "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\1\0\0\0\10\1\2\3\4\5\6\7\10\377\377"' (FORMAT binary)
SELECT * FROM assigned;

\echo '-- arrays, composites, domains, JSON, generated columns and defaults'
SELECT ARRAY['0000000000000001', NULL]::simhash[], '{0000000000000001,0xffffffffffffffff}'::simhash[];
SELECT ROW('0000000000000001'::simhash, 1);
SELECT to_jsonb('0000000000000001'::simhash), jsonb_build_object('h', '0000000000000001'::simhash);
CREATE DOMAIN pg_temp.nonzero AS simhash CHECK (VALUE <> '0000000000000000');
SELECT '0000000000000001'::pg_temp.nonzero <@> '0000000000000003';
SELECT '0000000000000000'::pg_temp.nonzero;
CREATE TEMP TABLE generated (
    b bigint, h simhash GENERATED ALWAYS AS (b::simhash) STORED, d simhash DEFAULT '00000000000000ff');
INSERT INTO generated (b) VALUES (-2);
SELECT * FROM generated;

\echo '-- What PostgreSQL says of usual mistakes, which doc/troubleshooting.md quotes, and what works.'
CREATE TABLE mistaken (body text, h simhash, phash bigint, u uuid);
INSERT INTO mistaken VALUES ('some text', 4039471674891636236::bigint::simhash, 4039471674891636236);
CREATE INDEX ON mistaken USING simhash (u);
CREATE INDEX ON mistaken USING simhash (body simhash_ops);
SELECT count(*) FROM mistaken WHERE body <@> 'some text' <= 3;
SELECT count(*) FROM mistaken WHERE h = 4039471674891636236;
SELECT count(*) FROM mistaken WHERE h ~= 5;
SELECT count(*) FROM mistaken WHERE phash <@> '380f1616162b0e0c'::simhash <= 3;
SELECT count(*) FROM mistaken WHERE h <@> x'380f1616162b0e0c' <= 3;
CREATE INDEX ON mistaken USING simhash (to_simhash(body));
CREATE INDEX ON mistaken USING simhash ((phash::simhash));
SELECT count(*) FROM mistaken WHERE to_simhash(body) <@> to_simhash('some text') <= 3 AND h = 4039471674891636236::bigint::simhash
    AND phash::simhash <@> 4039471674891636236::simhash <= 3 AND h <@> x'380f1616162b0e0c'::simhash <= 3;
\echo '-- A radius of a domain over integer is a filter, and its cast a condition.'
CREATE DOMAIN radius AS integer CHECK (VALUE >= 0);
CREATE INDEX ON mistaken USING simhash (h);
SET enable_seqscan = off;
SELECT plan_of($$SELECT FROM mistaken WHERE h <@> '0123456789abcdef' <= 3::radius$$);
SELECT plan_of($$SELECT FROM mistaken WHERE h <@> '0123456789abcdef' <= 3::radius::int$$);
RESET enable_seqscan;
DROP TABLE mistaken;
DROP DOMAIN radius;
