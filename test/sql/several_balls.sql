\set ECHO none
-- Several balls in one condition, and several distances in one order: each of them counts, whichever leads the search.

-- Around a, and around b, which is three bits away: rows in one of the balls, in both, at their edges and outside.
CREATE TABLE around AS SELECT row_number() OVER () AS id, (x'0123456789abcdef'::bigint # shift # (1::bigint << x) # (1::bigint << y))::simhash AS h
    FROM unnest('{0,7,1,3,5}'::bigint[]) AS shift, generate_series(0, 63) AS x, generate_series(0, 63, 9) AS y;
CREATE INDEX around_h ON around USING simhash (h);
ANALYZE around;
\echo '-- a: 0123456789abcdef, b: 0123456789abcde8, c: 0123456789abcdff'
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM around WHERE h <@> '0123456789abcdef' <= 1 AND h <@> '0123456789abcde8' <= 2;
\echo '-- The rows that each condition finds, how many of them it should not have, and how many it lacks.'
CREATE FUNCTION by_index(condition text, OUT rows bigint, OUT wrong bigint, OUT missed bigint) LANGUAGE plpgsql AS $$
DECLARE
    -- the cast keeps the index out
    expected text := regexp_replace(condition, '(h <@> ''\w+'')', '(\1)::int', 'g');
BEGIN
    EXECUTE format('WITH found AS MATERIALIZED (SELECT id FROM around WHERE %s),
            expected AS MATERIALIZED (SELECT id FROM around WHERE %s)
        SELECT (SELECT count(*) FROM found), (SELECT count(*) FROM (TABLE found EXCEPT ALL TABLE expected) AS d),
            (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE found) AS d)', condition, expected) INTO rows, wrong, missed;
END $$;
SELECT c, f.* FROM unnest(ARRAY[
    $$ h <@> '0123456789abcdef' <= 1 $$,
    $$ h <@> '0123456789abcde8' <= 1 $$,
    $$ h <@> '0123456789abcdef' <= 2 AND h <@> '0123456789abcde8' <= 1 $$,
    $$ h <@> '0123456789abcde8' <= 1 AND h <@> '0123456789abcdef' <= 2 $$,
    $$ h <@> '0123456789abcdef' <= 2 AND h <@> '0123456789abcde8' <= 2 $$,
    $$ h <@> '0123456789abcdef' <= 1 AND h <@> '0123456789abcde8' <= 3 $$,
    $$ h <@> '0123456789abcdef' <= 3 AND h <@> '0123456789abcde8' <= 1 $$,
    $$ h <@> '0123456789abcdef' <= 1 AND h <@> '0123456789abcde8' <= 1 $$,
    $$ h <@> '0123456789abcdef' <= 3 AND h <@> '0123456789abcde8' <= 3 AND h <@> '0123456789abcdff' <= 2 $$,
    $$ h <@> '0123456789abcdff' <= 2 AND h <@> '0123456789abcdef' <= 3 AND h <@> '0123456789abcde8' <= 3 $$,
    $$ h <@> '0123456789abcde8' <= 3 AND h <@> '0123456789abcdff' <= 2 AND h <@> '0123456789abcdef' <= 3 $$,
    $$ h <@> '0123456789abcdef' = 2 AND h <@> '0123456789abcde8' = 1 $$
]) AS c, by_index(c) AS f;

\echo '-- More rows at one distance of the first key than are sorted at a time: the second key orders them all the same.'
CREATE TABLE ring AS SELECT i AS id, (x'0123456789abcdef'::bigint # (31::bigint << (i * 7 % 59)))::simhash AS h FROM generate_series(1, 5000) AS i;
CREATE INDEX ring_h ON ring USING simhash (h);
ANALYZE ring;
CREATE FUNCTION bits_between(simhash, simhash) RETURNS int LANGUAGE sql AS
$$ SELECT length(replace(($1::bigint # $2::bigint)::bit(64)::text, '0', '')) $$;
CREATE FUNCTION out_of_order(first simhash, second simhash, most int) RETURNS bigint LANGUAGE sql AS
$$ SELECT count(*) FROM
    (SELECT row_number() OVER () AS place, d, e FROM
        (SELECT h <@> first AS d, h <@> second AS e FROM ring ORDER BY h <@> first, h <@> second LIMIT most) AS f) AS found
    FULL JOIN
    (SELECT row_number() OVER () AS place, d, e FROM
        (SELECT bits_between(h, first) AS d, bits_between(h, second) AS e FROM ring ORDER BY 1, 2 LIMIT most) AS f) AS expected
    USING (place) WHERE found.d IS DISTINCT FROM expected.d OR found.e IS DISTINCT FROM expected.e $$;
EXPLAIN (COSTS OFF) SELECT id FROM ring ORDER BY h <@> '0123456789abcdef', h <@> '0000000000000000' LIMIT 10;
SELECT most, out_of_order('0123456789abcdef', '0000000000000000', most), out_of_order('0123456789abcdef', '00000000ffffffff', most),
    out_of_order('0000000000000000', '0123456789abcdef', most) FROM unnest('{10,1000,5000}'::int[]) AS most;

-- Two balls around weights: the smaller one leads and is searched by its own weights, whichever is written first.
CREATE FUNCTION weights_of(signs bigint, likely bigint) RETURNS simhash_weights IMMUTABLE LANGUAGE sql AS $$
    SELECT ('[' || string_agg(CASE WHEN signs >> i & 1 = 1 THEN '' ELSE '-' END || CASE WHEN likely >> i & 1 = 1 THEN '0.1' ELSE '9' END, ',' ORDER BY i)
        || ']')::simhash_weights FROM generate_series(0, 63) AS i $$;
CREATE TABLE flipped AS SELECT i AS id, (x'0123456789abcdef'::bigint # (1::bigint << (i % 64)) # (1::bigint << (i / 64 % 64)))::simhash AS h
    FROM generate_series(0, 4095) AS i UNION ALL SELECT i, hashint8extended(i, 5)::simhash FROM generate_series(5000, 25000) AS i;
CREATE INDEX flipped_h ON flipped USING simhash (h);
ANALYZE flipped;
PREPARE own(simhash_ball) AS SELECT count(*), sum(id) FROM flipped WHERE h <@| $1 AND h <@| simhash_ball(weights_of(x'0123456789abcde8'::bigint, 31::bigint << 50), 6, 0.9, 3);
PREPARE other_first(simhash_ball) AS SELECT count(*), sum(id) FROM flipped WHERE h <@| simhash_ball(weights_of(x'0123456789abcde8'::bigint, 31::bigint << 50), 6, 0.9, 3) AND h <@| $1;
PREPARE afterwards(simhash_ball) AS WITH found AS MATERIALIZED (SELECT * FROM flipped WHERE h <@| $1)
    SELECT count(*), sum(id) FROM found WHERE h <@| simhash_ball(weights_of(x'0123456789abcde8'::bigint, 31::bigint << 50), 6, 0.9, 3);
EXECUTE afterwards(simhash_ball(weights_of(x'0123456789abcdef'::bigint, 31::bigint << 40), 4, 0.9, 3));
EXECUTE own(simhash_ball(weights_of(x'0123456789abcdef'::bigint, 31::bigint << 40), 4, 0.9, 3));
EXECUTE other_first(simhash_ball(weights_of(x'0123456789abcdef'::bigint, 31::bigint << 40), 4, 0.9, 3));
DEALLOCATE ALL;
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE around, ring, flipped;
DROP FUNCTION by_index, bits_between, out_of_order, weights_of;
