-- Three tables with the same rows, one for each variant. Variables: rows, tables.
CREATE EXTENSION simhash;
CREATE FUNCTION random_rows(first bigint, count bigint) RETURNS SETOF simhash LANGUAGE sql STABLE AS
    $$ SELECT hashint8extended(i, 1)::simhash FROM generate_series(first, first + count - 1) i $$;

-- What this session has spent of a processor: on a busy machine the time on the clock says little.
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 1000, true), ' ', 1)::float8 / 1e9 $$;
CREATE FUNCTION median(x float8[]) RETURNS float8 LANGUAGE sql IMMUTABLE AS
    $$ SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM unnest(x) v $$;

CREATE TABLE measured (variant text, kind text, round integer, rows bigint, seconds float8, wal_bytes numeric);
CREATE TABLE page_none AS SELECT h FROM random_rows(1, :rows) h;
CREATE TABLE page_written AS TABLE page_none;
CREATE TABLE page_generic AS TABLE page_none;
CREATE INDEX page_written_h ON page_written USING simhash (h) WITH (tables = :tables);
CREATE INDEX page_generic_h ON page_generic USING simhash (h) WITH (tables = :tables);
VACUUM ANALYZE page_none, page_written, page_generic;
CHECKPOINT;

-- Measures a statement that inserts rows.
CREATE PROCEDURE measure(variant text, kind text, round integer, rows bigint, statement text) LANGUAGE plpgsql AS $$
DECLARE begun pg_lsn := pg_current_wal_insert_lsn(); busy float8 := processor_seconds();
BEGIN
    EXECUTE statement;
    busy := processor_seconds() - busy;
    INSERT INTO measured VALUES (variant, kind, round, rows, busy, pg_current_wal_insert_lsn() - begun);
END $$;
