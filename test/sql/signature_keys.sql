\set ECHO none
-- The index's answers for bit strings of each kind equal those of a sequential scan: with keys of two words in the
-- leaves (256 bits) and of one (1024), after a build, inserts, deletes and VACUUM.
SELECT setseed(0.3);

CREATE FUNCTION biased_bits(bits integer, ones double precision) RETURNS bit varying LANGUAGE sql VOLATILE AS
  $$SELECT string_agg(CASE WHEN random() < ones THEN '1' ELSE '0' END, '')::bit varying
    FROM generate_series(1, bits)$$;

-- Half of the bits are set, 64 at a time.
CREATE FUNCTION even_bits(bits integer) RETURNS bit varying LANGUAGE sql VOLATILE AS
  $$SELECT string_agg(hashint8extended(i, (random() * 1e15)::bigint)::bit(64)::text, '')::bit varying
    FROM generate_series(1, bits / 64) i$$;

-- Flips at most `flips` of a signature's bits.
CREATE FUNCTION near(signature bit varying, flips integer) RETURNS bit varying LANGUAGE plpgsql VOLATILE AS
$$
DECLARE
  place integer;
BEGIN
  FOR i IN 1 .. flips LOOP
    place := floor(random() * length(signature));
    signature := set_bit(signature, place, 1 - get_bit(signature, place));
  END LOOP;
  RETURN signature;
END
$$;

CREATE TABLE short_signatures (id integer, sig bit(256));
CREATE TABLE long_signatures (id integer, sig bit(1024));
-- Unrelated ones, near-duplicates of them, skewed ones, and NULLs.
INSERT INTO short_signatures SELECT i, even_bits(256) FROM generate_series(1, 3000) i;
INSERT INTO short_signatures SELECT 3000 + i, near(sig, i % 60) FROM generate_series(1, 3000) i JOIN short_signatures
  ON id = 1 + i % 300;
INSERT INTO short_signatures SELECT 6000 + i, biased_bits(256, 0.05) FROM generate_series(1, 3000) i;
INSERT INTO short_signatures SELECT 9000 + i, NULL FROM generate_series(1, 5) i;
INSERT INTO long_signatures SELECT i, even_bits(1024) FROM generate_series(1, 800) i;
INSERT INTO long_signatures SELECT 800 + i, near(sig, i % 130) FROM generate_series(1, 800) i JOIN long_signatures
  ON id = 1 + i % 100;
INSERT INTO long_signatures SELECT 1600 + i, biased_bits(1024, 0.02) FROM generate_series(1, 400) i;

CREATE INDEX short_index ON short_signatures USING simhash (sig);
-- Through temporary files.
SET maintenance_work_mem = '1MB';
CREATE INDEX long_index ON long_signatures USING simhash (sig);
RESET maintenance_work_mem;
-- One word in each key, of fewer than 128 bits.
CREATE INDEX narrow_index ON short_signatures USING simhash ((sig::bit(100)));

\echo '-- Returns for how many queries, every 193rd row, the index and the scan find different rows.'
CREATE FUNCTION differences(tab regclass, expression text, radius integer) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
  query text := format('SELECT array_agg(t.id ORDER BY t.id) FROM %s t WHERE %s <@> $1 <= %s', tab, expression, radius);
  center bit varying;
  by_scan integer[];
  by_index integer[];
  differences bigint := 0;
BEGIN
  FOR center IN EXECUTE format('SELECT %s FROM %s t WHERE id %% 193 = 0 AND sig IS NOT NULL', expression, tab) LOOP
    SET LOCAL enable_seqscan = on;
    SET LOCAL enable_indexscan = off;
    SET LOCAL enable_bitmapscan = off;
    EXECUTE query INTO by_scan USING center;
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_indexscan = on;
    EXECUTE query INTO by_index USING center;
    differences := differences + (by_scan IS DISTINCT FROM by_index)::integer;
  END LOOP;
  RETURN differences;
END
$$;

CREATE VIEW check_all AS
  SELECT tab, radius, differences(tab::regclass, expression, radius)
  FROM (VALUES ('short_signatures', 't.sig'), ('short_signatures', 't.sig::bit(100)'), ('long_signatures', 't.sig'))
    AS form (tab, expression), unnest('{0, 3, 15, 31, 60, 128}'::integer[]) radius
  WHERE differences(tab::regclass, expression, radius) <> 0;

SELECT * FROM check_all;

\echo '-- Inserts split the leaves.'
INSERT INTO short_signatures SELECT 10000 + i, near(sig, i % 20) FROM generate_series(1, 6000) i JOIN short_signatures
  ON id = 1 + i % 500;
INSERT INTO long_signatures SELECT 10000 + i, near(sig, i % 20) FROM generate_series(1, 1000) i JOIN long_signatures
  ON id = 1 + i % 50;
SELECT * FROM check_all;

DELETE FROM short_signatures WHERE id % 3 = 0;
DELETE FROM long_signatures WHERE id % 3 = 0;
VACUUM short_signatures, long_signatures;
SELECT * FROM check_all;
INSERT INTO short_signatures SELECT 20000 + id, near(sig, 2) FROM short_signatures WHERE id < 3000;
INSERT INTO long_signatures SELECT 20000 + id, near(sig, 2) FROM long_signatures WHERE id < 800;
SELECT * FROM check_all;

\echo '-- The metapage has no room for the keys of 32 tables.'
CREATE INDEX ON short_signatures USING simhash (sig) WITH (trees = 32);

DROP TABLE short_signatures, long_signatures;
DROP VIEW check_all;
DROP FUNCTION differences, near, biased_bits, even_bits;
