\set ECHO none
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
-- Joins by the index's tables, whose leaves end cells of any size in front of others: cells of a few rows, of a leaf
-- and of more than memory holds, next to each other.

-- An index that is made empty takes the bits as they come: its first table's are 63, 59, 55, ..., 3.
CREATE FUNCTION fingerprint_in(cell int, rest bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS
$$ SELECT (SELECT bit_or((cell >> k & 1)::bigint << (4 * k + 3)) FROM generate_series(0, 15) AS k) | (rest & ~x'8888888888888888'::bit(64)::bigint) $$;
-- Half of the cells are the others' complements, of the same sizes, so that no bit alone tells that there are few cells.
CREATE TABLE sizes AS SELECT CASE k % 2 WHEN 0 THEN number ELSE 65535 - number END AS cell,
    ('{20,1000,50,30,600,13,500,100,133,833,166,40,1333,7,7,7,666}'::int[])[1 + k / 2 % 17] AS groups
    FROM generate_series(0, 67) AS k, LATERAL (SELECT hashint4(k / 2) & 65535 AS number) AS n;
\echo '-- Groups of three rows that differ in two bits each. A group''s rows are in one cell, and seldom in one leaf.'
CREATE TABLE celled (id int, grp int, h simhash);
CREATE INDEX celled_h ON celled USING simhash (h);
INSERT INTO celled SELECT grp * 3 + copy, grp, (fingerprint_in(cell, hashint8extended(grp, 8)) #
        (1::bigint << (4 * (hashint8extended(grp * 3 + copy, 9) & 15) + copy)::int))::simhash
    FROM (SELECT row_number() OVER (ORDER BY md5(cell || ' ' || n)) AS grp, cell FROM sizes, generate_series(1, groups) AS n) AS g,
        generate_series(0, 2) AS copy
    ORDER BY md5(grp || ' ' || copy);
CREATE TABLE celled_pairs AS SELECT a.id AS a, b.id AS b, length(replace((a.h::bigint # b.h::bigint)::bit(64)::text, '0', '')) AS distance
    FROM celled AS a JOIN celled AS b ON a.grp = b.grp AND a.id < b.id;
CREATE FUNCTION wrong_pairs(OUT missed bigint, OUT invented bigint) LANGUAGE sql AS
$$ WITH found AS MATERIALIZED (SELECT least(a.id, b.id) AS a, greatest(a.id, b.id) AS b, p.distance
       FROM pairs_by('celled_h', 3) AS p JOIN celled AS a ON a.ctid = p.a JOIN celled AS b ON b.ctid = p.b)
   SELECT (SELECT count(*) FROM (TABLE celled_pairs EXCEPT ALL TABLE found) AS d),
          (SELECT count(*) FROM (TABLE found EXCEPT ALL TABLE celled_pairs) AS d) $$;

SELECT count(*), min(distance), max(distance) FROM celled_pairs;
SET hash_mem_multiplier = 1;
SELECT * FROM wrong_pairs();
SET work_mem = '64kB';
SELECT * FROM wrong_pairs();
SET work_mem = '1MB';
SELECT * FROM wrong_pairs();
RESET work_mem;
RESET hash_mem_multiplier;
DROP TABLE celled, celled_pairs, sizes;
DROP FUNCTION fingerprint_in, wrong_pairs;
