\set ECHO none
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
-- Operator classes that the access method cannot work with.
SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') ORDER BY opcname;

CREATE OPERATOR CLASS few_ops FOR TYPE simhash USING simhash AS OPERATOR 3 = (simhash, simhash);
CREATE OPERATOR CLASS wrong_ops FOR TYPE simhash USING simhash AS
    OPERATOR 1 = (simhash, simhash),
    OPERATOR 2 < (simhash, simhash),
    OPERATOR 3 <@> (simhash, simhash) FOR ORDER BY integer_ops,
    OPERATOR 4 ~= (simhash, simhash),
    OPERATOR 5 <@> (simhash, simhash_weights) FOR ORDER BY text_ops;
CREATE OPERATOR CLASS words_ops FOR TYPE bytea USING simhash AS OPERATOR 3 = (bytea, bytea);
SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') AND opcname !~ '^(simhash|signature)_'
ORDER BY opcname;
DROP OPERATOR FAMILY few_ops USING simhash;
DROP OPERATOR FAMILY wrong_ops USING simhash;
DROP OPERATOR FAMILY words_ops USING simhash;

\echo '-- Those for bit have other operators than those for fingerprints, and no others.'
CREATE OPERATOR CLASS few_ops FOR TYPE bit USING simhash AS OPERATOR 4 <@> (bit, bit) FOR ORDER BY integer_ops;
CREATE OPERATOR CLASS more_ops FOR TYPE bit USING simhash AS
    OPERATOR 1 <@| (bit, signature_ball),
    OPERATOR 2 <> (bit, bit),
    OPERATOR 3 = (bit, bit),
    OPERATOR 4 <@> (bit, bit) FOR ORDER BY integer_ops,
    OPERATOR 5 <@> (bit, signature_ball) FOR ORDER BY integer_ops;
CREATE OPERATOR CLASS wrong_ops FOR TYPE bit USING simhash AS
    OPERATOR 1 < (bit, bit),
    OPERATOR 3 <@| (bit, signature_ball),
    OPERATOR 4 <@> (bit, signature_ball) FOR ORDER BY text_ops,
    OPERATOR 5 <@> (bit, bit) FOR ORDER BY integer_ops;
CREATE OPERATOR CLASS fingerprint_ops FOR TYPE simhash USING simhash AS
    OPERATOR 1 <@| (bit, signature_ball),
    OPERATOR 2 ~= (simhash, simhash),
    OPERATOR 3 = (simhash, simhash),
    OPERATOR 4 <@> (bit, bit) FOR ORDER BY integer_ops,
    OPERATOR 5 <@> (bit, signature_ball) FOR ORDER BY integer_ops;
SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') AND opcname !~ '^(simhash|signature)_'
ORDER BY opcname;
DROP OPERATOR FAMILY few_ops USING simhash;
DROP OPERATOR FAMILY more_ops USING simhash;
DROP OPERATOR FAMILY wrong_ops USING simhash;
DROP OPERATOR FAMILY fingerprint_ops USING simhash;

\echo '-- Strategy and support numbers that the access method does not have.'
CREATE OPERATOR CLASS wrong_ops FOR TYPE simhash USING simhash AS OPERATOR 90 < (simhash, simhash);
CREATE OPERATOR CLASS wrong_ops FOR TYPE simhash USING simhash AS FUNCTION 2 simhash_internal_cmp(simhash, simhash);

\echo '-- Classes that extract need the function of the extension for the type, and store what it returns.'
CREATE FUNCTION other_center(simhash_ball) RETURNS simhash LANGUAGE sql IMMUTABLE AS 'SELECT ''00000000000000ff''::simhash';
CREATE OPERATOR CLASS no_center_ops FOR TYPE simhash_ball USING simhash AS OPERATOR 8 ~= (simhash_ball, simhash_ball), STORAGE simhash;
CREATE OPERATOR CLASS other_center_ops FOR TYPE simhash_ball USING simhash AS
    OPERATOR 8 ~= (simhash_ball, simhash_ball), FUNCTION 1 other_center(simhash_ball), STORAGE simhash;
CREATE OPERATOR CLASS other_storage_ops FOR TYPE simhash_ball USING simhash AS
    OPERATOR 8 ~= (simhash_ball, simhash_ball), FUNCTION 1 simhash_internal_ball_center(simhash_ball), STORAGE bigint;
CREATE OPERATOR CLASS extracting_ops FOR TYPE simhash USING simhash AS
    OPERATOR 1 <@| (simhash, simhash_ball), OPERATOR 2 ~= (simhash, simhash), OPERATOR 3 = (simhash, simhash),
    OPERATOR 4 <@> (simhash, simhash) FOR ORDER BY integer_ops, OPERATOR 5 <@> (simhash, simhash_weights) FOR ORDER BY integer_ops,
    FUNCTION 1 simhash_internal_hash(simhash);
SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') AND opcname ~ '^(no|other|extracting)_' ORDER BY opcname;
CREATE TABLE ball (b simhash_ball);
SELECT refused('CREATE INDEX ON ball USING simhash (b no_center_ops)');
SELECT refused('CREATE INDEX ON ball USING simhash (b other_center_ops)');
SELECT refused('CREATE INDEX ON ball USING simhash (b other_storage_ops)');
DROP TABLE ball;
DROP OPERATOR FAMILY no_center_ops USING simhash;
DROP OPERATOR FAMILY other_center_ops USING simhash;
DROP OPERATOR FAMILY other_storage_ops USING simhash;
DROP OPERATOR FAMILY extracting_ops USING simhash;
\echo '-- CREATE INDEX refuses them and says why. Types that are stored like fingerprints or like bit strings are no exception.'
CREATE DOMAIN fingerprint AS simhash;
CREATE DOMAIN signature AS bit(96);
CREATE TYPE pair AS (a int, b int);
CREATE FUNCTION pair_eq(pair, pair) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).a = ($2).a';
CREATE OPERATOR === (LEFTARG = pair, RIGHTARG = pair, FUNCTION = pair_eq, COMMUTATOR = ===);
CREATE FUNCTION bigint_in_ball(bigint, point) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR <@| (LEFTARG = bigint, RIGHTARG = point, FUNCTION = bigint_in_ball, RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
CREATE OPERATOR CLASS bigint_ops FOR TYPE bigint USING simhash AS OPERATOR 1 <@| (bigint, point), OPERATOR 3 = (bigint, bigint);
CREATE TABLE strange (i int, l bigint, d double precision, s timestamptz, m money, t text, v bit varying, u uuid, b bytea,
    f fingerprint, g signature, p pair, h simhash);
INSERT INTO strange (i, l, d, t, v, h) VALUES (5, 5, 0, 'a', B'101', '0000000000000005');
ANALYZE strange;
DO $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT * FROM (VALUES ('i', 'int4', 1, '='), ('i', 'int4', 3, '='), ('d', 'float8', 3, '='), ('s', 'timestamptz', 3, '='),
            ('m', 'money', 3, '='), ('t', 'text', 3, '='), ('t', 'text', 1, '='), ('v', 'bit varying', 3, '='), ('u', 'uuid', 3, '='),
            ('b', 'bytea', 3, '='), ('p', 'pair', 3, '==='), ('f', 'fingerprint', NULL, NULL), ('g', 'signature', NULL, NULL)) AS c (col, type, number, op)
    LOOP
        BEGIN
            EXECUTE format('CREATE OPERATOR CLASS strange_ops FOR TYPE %s USING simhash AS %s', c.type,
                CASE WHEN c.op IS NULL THEN 'STORAGE ' || c.type ELSE format('OPERATOR %s %s (%s, %s)', c.number, c.op, c.type, c.type) END);
            EXECUTE format('CREATE INDEX ON strange USING simhash (%s strange_ops)', c.col);
            RAISE WARNING '% is indexed', c.type;
        EXCEPTION WHEN others THEN
            RAISE NOTICE '% %', SQLSTATE, replace(SQLERRM, 'public.', '');
        END;
    END LOOP;
END $$;
SELECT refused('CREATE INDEX ON strange USING simhash (l bigint_ops)');
CREATE UNLOGGED TABLE strange_too (l bigint);
SELECT refused('CREATE INDEX ON strange_too USING simhash (l bigint_ops)');
CREATE TABLE strange_parts (l bigint) PARTITION BY RANGE (l);
CREATE TABLE strange_part PARTITION OF strange_parts DEFAULT;
SELECT refused('CREATE INDEX ON strange_parts USING simhash (l bigint_ops)');
\echo '-- So is one with our operators at other places, with fewer, or with others of the same types.'
CREATE OPERATOR CLASS few_ops FOR TYPE simhash USING simhash AS OPERATOR 3 = (simhash, simhash);
SELECT refused('CREATE INDEX ON strange USING simhash (h few_ops)');
CREATE OPERATOR CLASS swapped_ops FOR TYPE simhash USING simhash AS
    OPERATOR 1 <@| (simhash, simhash_ball), OPERATOR 2 = (simhash, simhash), OPERATOR 3 ~= (simhash, simhash),
    OPERATOR 4 <@> (simhash, simhash) FOR ORDER BY integer_ops,
    OPERATOR 5 <@> (simhash, simhash_weights) FOR ORDER BY integer_ops;
SELECT refused('CREATE INDEX ON strange USING simhash (h swapped_ops)');
\echo '-- A copy of ours will do.'
CREATE OPERATOR CLASS equal_ops FOR TYPE simhash USING simhash AS
    OPERATOR 1 <@| (simhash, simhash_ball), OPERATOR 2 ~= (simhash, simhash), OPERATOR 3 = (simhash, simhash),
    OPERATOR 4 <@> (simhash, simhash) FOR ORDER BY integer_ops,
    OPERATOR 5 <@> (simhash, simhash_weights) FOR ORDER BY integer_ops;
CREATE INDEX strange_h ON strange USING simhash (h equal_ops);
CREATE TABLE near_five AS SELECT i, i::bigint AS l, i::bigint::simhash AS h FROM generate_series(4, 7) AS i;
CREATE INDEX ON near_five USING simhash (h equal_ops);
CREATE INDEX ON near_five USING simhash (l);
SET enable_seqscan = off;
SELECT i FROM strange WHERE h ~= '0000000000000004';

\echo '-- Operators added later: the index is not used for them, not even if it has to be, and a constant is not read as what it'
\echo '-- is not. It can be used for the others, and not be built again.'
CREATE FUNCTION simhash_is(simhash, bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1::bigint = $2; END';
CREATE FUNCTION simhash_is(simhash, text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 = simhash_internal_in($2::cstring); END';
CREATE FUNCTION simhash_from(simhash, text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN length($2); END';
CREATE OPERATOR === (LEFTARG = simhash, RIGHTARG = bigint, FUNCTION = simhash_is, RESTRICT = simhash_internal_sel);
CREATE OPERATOR === (LEFTARG = simhash, RIGHTARG = text, FUNCTION = simhash_is, RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
CREATE OPERATOR <-> (LEFTARG = simhash, RIGHTARG = text, FUNCTION = simhash_from);
CREATE FUNCTION is_five(simhash) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$SELECT $1 = '0000000000000005'$$;
CREATE OPERATOR !!! (RIGHTARG = simhash, FUNCTION = is_five, RESTRICT = simhash_internal_sel);
ALTER OPERATOR FAMILY equal_ops USING simhash ADD OPERATOR 1 === (simhash, text), OPERATOR 3 === (simhash, bigint),
    OPERATOR 4 <-> (simhash, text) FOR ORDER BY integer_ops;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'equal_ops';
SET client_min_messages = error;
-- Since PostgreSQL 18 a bitmap scan has to be taken if sequential scans are disabled, whatever it costs.
SELECT set_config('enable_seqscan', (current_setting('server_version_num')::int >= 180000)::text, false) AS set \gset
SELECT i FROM strange WHERE h === 5;
SELECT i FROM strange WHERE h === '0000000000000005'::text;
SELECT i FROM strange WHERE h === ANY ('{0000000000000005}'::text[]);
SELECT i FROM strange WHERE !!! h;
SELECT a.i FROM strange AS a JOIN strange AS b ON a.h === b.l;
SELECT i FROM strange ORDER BY h <-> 'far';
SELECT i FROM strange WHERE h = '0000000000000005';
SELECT i FROM strange ORDER BY h <@> '0000000000000007' LIMIT 1;
-- Nor are pairs found for one that has the number of another.
CREATE OPERATOR ==== (LEFTARG = simhash, RIGHTARG = bigint, FUNCTION = simhash_is, RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
ALTER OPERATOR FAMILY equal_ops USING simhash ADD OPERATOR 2 ==== (simhash, bigint);
SET enable_nestloop = off;
SELECT a.i, b.i AS other FROM near_five AS a JOIN near_five AS b ON a.h ==== b.l ORDER BY 1, 2;
RESET enable_nestloop;
ALTER OPERATOR FAMILY equal_ops USING simhash DROP OPERATOR 2 (simhash, bigint);
RESET client_min_messages;
EXPLAIN (COSTS OFF) SELECT i FROM strange WHERE h === 5;
SELECT refused('REINDEX INDEX strange_h');
RESET enable_seqscan;

\echo '-- A constraint searches without a plan. Its operator may get another strategy number.'
CREATE OPERATOR FAMILY loose_ops USING simhash;
CREATE OPERATOR CLASS loose_ops FOR TYPE simhash USING simhash FAMILY loose_ops AS STORAGE simhash;
ALTER OPERATOR FAMILY loose_ops USING simhash ADD
    OPERATOR 1 <@| (simhash, simhash_ball), OPERATOR 2 ~= (simhash, simhash), OPERATOR 3 = (simhash, simhash),
    OPERATOR 4 <@> (simhash, simhash) FOR ORDER BY integer_ops,
    OPERATOR 5 <@> (simhash, simhash_weights) FOR ORDER BY integer_ops;
CREATE TABLE apart (h simhash, EXCLUDE USING simhash (h loose_ops WITH =));
INSERT INTO apart VALUES ('0000000000000001');
ALTER OPERATOR FAMILY loose_ops USING simhash DROP OPERATOR 3 (simhash, simhash);
ALTER OPERATOR FAMILY loose_ops USING simhash DROP OPERATOR 1 (simhash, simhash_ball);
ALTER OPERATOR FAMILY loose_ops USING simhash ADD OPERATOR 1 = (simhash, simhash);
\c
INSERT INTO apart VALUES ('0000000000000002');
SELECT * FROM apart;

\echo '-- Tools can see that the index orders by distance.'
SELECT pg_index_column_has_property(i, 1, 'distance_orderable') AS orderable, pg_index_column_has_property(i, 1, 'returnable') AS returnable,
    pg_index_column_has_property(i, 1, 'search_nulls') AS nulls, pg_index_column_has_property(i, 2, 'distance_orderable') AS second,
    pg_index_has_property(i, 'distance_orderable') AS index
FROM (VALUES ('strange_h'::regclass)) AS x (i);
CREATE TABLE wide (sig bit(96));
CREATE INDEX wide_sig ON wide USING simhash (sig);
SELECT pg_index_column_has_property('wide_sig', 1, 'distance_orderable');
CREATE TABLE several (tenant int, p bigint, body text, h simhash, ball simhash_ball);
CREATE INDEX several_h ON several USING simhash (tenant, p, h);
CREATE INDEX several_p ON several USING simhash (p, p);
CREATE INDEX several_body ON several USING simhash (tenant, body);
CREATE INDEX several_ball ON several USING simhash (ball);
SELECT indexrelid::regclass AS index, number, pg_index_column_has_property(indexrelid, number, 'distance_orderable') AS orderable
FROM pg_index, generate_series(1, indnatts) AS number WHERE indrelid = 'several'::regclass ORDER BY 1::text, 2;
\echo '-- A column before the searched one needs a hash function, too.'
CREATE INDEX ON wide USING simhash (sig, (sig::bit(64)::bigint));
CREATE INDEX ON several USING simhash (ball, h);
CREATE INDEX ON several USING simhash (body simhash_text_ops, h);

\echo '-- Nor may the function that extracts be lost or exchanged later: what is stored would be garbage.'
CREATE FUNCTION other_sketch(text) RETURNS simhash LANGUAGE sql IMMUTABLE AS 'SELECT ''00000000000000ff''::simhash';
CREATE OPERATOR FAMILY loose_text_ops USING simhash;
CREATE OPERATOR CLASS loose_text_ops FOR TYPE text USING simhash FAMILY loose_text_ops AS STORAGE simhash;
ALTER OPERATOR FAMILY loose_text_ops USING simhash ADD OPERATOR 10 ~= (text, text), OPERATOR 11 <@| (text, text_ball),
    FUNCTION 1 (text, text) simhash_internal_text_sketch(text);
CREATE TABLE loose (body text);
INSERT INTO loose VALUES ('a text');
CREATE INDEX loose_body ON loose USING simhash (body loose_text_ops);
ALTER OPERATOR FAMILY loose_text_ops USING simhash DROP FUNCTION 1 (text);
\c
SET enable_seqscan = off;
INSERT INTO loose VALUES ('another text');
SELECT * FROM loose WHERE body ~= 'a text';
ALTER OPERATOR FAMILY loose_text_ops USING simhash ADD FUNCTION 1 (text, text) other_sketch(text);
\c
SET enable_seqscan = off;
INSERT INTO loose VALUES ('another text');
SELECT * FROM loose WHERE body ~= 'a text';
SELECT refused('REINDEX INDEX loose_body');
ALTER OPERATOR FAMILY loose_text_ops USING simhash DROP FUNCTION 1 (text);
ALTER OPERATOR FAMILY loose_text_ops USING simhash ADD FUNCTION 1 (text, text) simhash_internal_text_sketch(text);
\c
SET enable_seqscan = off;
SELECT * FROM loose WHERE body ~= 'a text';
