-- Run by run.sh with the variables module, rows, tables, rounds, memory,
-- partitions and join_memory.
\pset footer off
CREATE FUNCTION order_rows(way text, rows bigint, tables integer, kilobytes integer, index regclass) RETURNS bigint
    LANGUAGE c AS :'module';
CREATE FUNCTION keep_rows(way text, rows bigint, bits integer, kilobytes integer) RETURNS bigint
    LANGUAGE c AS :'module';

-- What this session has spent of a processor: on a busy machine the time on the clock says little.
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 1000, true), ' ', 1)::float8 / 1e9 $$;
CREATE FUNCTION median(x float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS
    $$ SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM unnest(x) v $$;

-- For the sort of index tuples, which asks an index for its columns and their order.
CREATE TABLE model (key bigint);
CREATE INDEX model_key ON model (key);

CREATE TABLE method (place serial, part text, memory text, bits integer, label text, statement text,
    seconds float8[] DEFAULT '{}', result bigint);

INSERT INTO method (part, memory, label, statement)
SELECT 'order', memory, label, format('SELECT order_rows(%L, %s, %s, %s, ''model_key'')', way, :rows, :tables,
                                      pg_size_bytes(memory) / 1024)
FROM unnest(string_to_array(:'memory', ' ')) memory,
     (VALUES ('divide', 'divided into runs'), ('index tuples', 'tuplesort, index tuples of a btree'),
             ('tuples', 'tuplesort, rows of two bigint'), ('datums', 'tuplesort, keys without tids')) v(way, label);

INSERT INTO method (part, memory, bits, label, statement)
SELECT 'keep', memory, bits, label, format('SELECT keep_rows(%L, %s, %s, %s)', way, :rows, bits, pg_size_bytes(memory) / 1024)
FROM unnest(string_to_array(:'join_memory', ' ')) memory, unnest(string_to_array(:'partitions', ' ')::integer[]) bits,
     (VALUES ('pair_spool', 'pair_spool'), ('tuples', 'tuplestores, a tuple for each row'),
             ('batches', 'tuplestores, a tuple for 120 rows'), ('files', 'temporary files alone')) v(way, label)
WHERE pg_size_bytes(memory) >> bits >= 65536; -- what a tuplestore takes at the least

-- All methods in turn, so that what else the machine does meets all of them.
CREATE PROCEDURE measure(rounds integer) LANGUAGE plpgsql AS $$
DECLARE m method; busy float8; sum bigint;
BEGIN
    FOR round IN 1..rounds LOOP
        FOR m IN SELECT * FROM method ORDER BY place LOOP
            busy := processor_seconds();
            EXECUTE m.statement INTO sum;
            UPDATE method SET seconds = seconds || processor_seconds() - busy, result = sum WHERE place = m.place;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
CALL measure(:rounds);

-- The sums of the keys must agree.
DO $$
BEGIN
    IF (SELECT max(n) FROM (SELECT count(DISTINCT result) n FROM method GROUP BY part) p) > 1 THEN
        RAISE 'the methods give different rows';
    END IF;
END $$;

\echo
\echo A build: :rows rows in the order of each of :tables tables; processor time
SELECT memory AS maintenance_work_mem, label AS method, round(median(seconds)::numeric, 2) AS "s",
       round((median(seconds) * 1e9 / :rows / :tables)::numeric, 1) AS "ns a row and table",
       round((median(seconds) / first_value(median(seconds)) OVER (PARTITION BY memory ORDER BY place))::numeric, 2) AS "times the first"
FROM method WHERE part = 'order' ORDER BY place;
\echo
\echo A step of a join: :rows rows into partitions, and read from them; processor time
SELECT memory AS work_mem, 1 << bits AS partitions, label AS method, round(median(seconds)::numeric, 2) AS "s",
       round((median(seconds) * 1e9 / :rows)::numeric, 1) AS "ns a row",
       round((median(seconds) / first_value(median(seconds)) OVER (PARTITION BY memory, bits ORDER BY place))::numeric, 2) AS "times the first"
FROM method WHERE part = 'keep' ORDER BY bits, pg_size_bytes(memory), place;
