\set ECHO none
-- Several balls in one condition on signatures. The answer is exact if an exact ball is the smallest or as small as one that
-- permits a recall below 1. Balls that are apart are answered without a search.

-- 100 centers and rows near them, which differ from theirs in an eighth of the bits.
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
CREATE TABLE sign AS SELECT i AS id,
    (random_bits(i % 100, 256) # (random_bits('a' || i, 256) & random_bits('b' || i, 256) & random_bits('c' || i, 256)))::bit(256) AS s
    FROM generate_series(1, 20000) AS i;
CREATE INDEX sign_s ON sign USING simhash (s);
ANALYZE sign;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
\echo '-- The rows that a condition finds, and those that it finds without the index.'
CREATE FUNCTION found(condition text, OUT by_index bigint, OUT by_scan bigint) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'SELECT count(*) FROM sign WHERE ' || condition INTO by_index;
    PERFORM set_config('enable_indexscan', 'off', true), set_config('enable_seqscan', 'on', true);
    EXECUTE 'SELECT count(*) FROM sign WHERE ' || condition INTO by_scan;
    PERFORM set_config('enable_indexscan', 'on', true), set_config('enable_seqscan', 'off', true);
END $$;
SELECT random_bits(7, 256) AS q, ~random_bits(7, 256) AS far \gset
SELECT by_index, by_scan FROM found(format('s <@| signature_ball(%L, 40, 0.2) AND s <@| signature_ball(%1$L, 40)', :'q'));
SELECT by_index, by_scan FROM found(format('s <@| signature_ball(%L, 40) AND s <@| signature_ball(%1$L, 40, 0.2)', :'q'));
SELECT by_index, by_scan FROM found(format('s <@| signature_ball(%L, 40, 0.2) AND s <@| signature_ball(%1$L, 39)', :'q'));

\echo '-- The blocks that a search reads.'
CREATE FUNCTION blocks_read(condition text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
    FOR i IN 1 .. 2 LOOP
        EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT id FROM sign WHERE ' || condition INTO plan;
    END LOOP;
    RETURN (plan->0->'Plan'->>'Shared Hit Blocks')::bigint + (plan->0->'Plan'->>'Shared Read Blocks')::bigint;
END $$;
SELECT blocks_read(format('s <@| signature_ball(%L, 40) AND s <@| signature_ball(%L, 215)', :'q', :'far')) AS apart,
       blocks_read(format('s <@| signature_ball(%L, 40) AND s <@| signature_ball(%L, 216)', :'q', :'far')) > 0 AS touching;
SELECT by_index, by_scan FROM found(format('s <@| signature_ball(%L, 40) AND s <@| signature_ball(%L, 215)', :'q', :'far'));
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP TABLE sign;
DROP FUNCTION found, blocks_read;
