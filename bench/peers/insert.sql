-- Inserts into filled and indexed tables, batch by batch, each batch into every kind's table. Variables: kinds, batch
-- (rows), batches.
--
-- The first batch follows a checkpoint, with full_page_writes on: each page that it changes is logged in full. For the
-- others it is off, so only the changes are logged.
CREATE TEMP TABLE inserted (batch integer, name text, busy float8, on_clock float8, wal numeric);

CREATE PROCEDURE insert_batch(names text[], number integer) LANGUAGE plpgsql AS $$
DECLARE k kind; begun timestamptz; busy float8; wal pg_lsn; spent float8; on_clock float8;
BEGIN
    FOR k IN SELECT * FROM kind WHERE name = ANY (names) ORDER BY (place + number) % cardinality(names), place LOOP
        COMMIT;
        wal := pg_current_wal_insert_lsn();
        begun := clock_timestamp();
        busy := processor_seconds();
        EXECUTE format('INSERT INTO page_%s SELECT id, h FROM fresh_%s', k.name, number);
        COMMIT;
        spent := processor_seconds() - busy;
        on_clock := extract(epoch FROM clock_timestamp() - begun);
        INSERT INTO inserted VALUES (number, k.name, spent, on_clock, pg_current_wal_insert_lsn() - wal);
    END LOOP;
END $$;

SELECT format('CREATE UNLOGGED TABLE IF NOT EXISTS fresh_%s AS SELECT id, h FROM fresh WHERE id > %s AND id <= %s',
              b, rows + :batch * (b - 1), rows + :batch * b)
FROM generate_series(1, :batches) b, setting \gexec

-- The checkpointer must have seen the setting: it logs that in the WAL, at the latest at the second checkpoint.
ALTER SYSTEM SET full_page_writes = on;
SELECT pg_reload_conf() \g /dev/null
SELECT pg_sleep(1) \g /dev/null
CHECKPOINT;
CALL insert_batch(string_to_array(:'kinds', ' '), 1);
ALTER SYSTEM SET full_page_writes = off;
SELECT pg_reload_conf() \g /dev/null
SELECT pg_sleep(1) \g /dev/null
CHECKPOINT;
SELECT format('CALL insert_batch(string_to_array(%L, '' ''), %s)', :'kinds', b) FROM generate_series(2, :batches) b \gexec
ALTER SYSTEM RESET full_page_writes;
SELECT pg_reload_conf() \g /dev/null

DO $$
DECLARE k record; batch_rows float8;
BEGIN
    batch_rows := count(*) FROM fresh_1;
    FOR k IN SELECT label, name, sum(busy) FILTER (WHERE batch > 1) AS busy, sum(on_clock) FILTER (WHERE batch > 1) AS on_clock,
                    sum(wal) FILTER (WHERE batch > 1) AS wal, sum(wal) FILTER (WHERE batch = 1) AS full_wal,
                    count(*) - 1 AS batches,
                    array_agg(on_clock ORDER BY batch) AS each, array_agg(wal ORDER BY batch) AS each_wal
             FROM inserted JOIN kind USING (name) GROUP BY place, label, name ORDER BY place LOOP
        PERFORM note('insert', k.label, '', 'rows/s', k.batches * batch_rows / k.busy);
        PERFORM note('insert', k.label, '', 'rows/s elapsed', k.batches * batch_rows / k.on_clock);
        PERFORM note('insert', k.label, '', 'WAL bytes per row', k.wal / (k.batches * batch_rows));
        PERFORM note('insert', k.label, '', 'WAL bytes per row with full pages', k.full_wal / batch_rows);
        PERFORM note('insert', k.label, '', 'bytes per row',
                     index_bytes(k.name) / ((SELECT rows FROM setting) + (k.batches + 1) * batch_rows));
        FOR i IN 1..k.batches + 1 LOOP
            PERFORM note('insert', k.label, 'batch ' || i, 'rows/s elapsed', batch_rows / k.each[i]);
            PERFORM note('insert', k.label, 'batch ' || i, 'WAL bytes per row', k.each_wal[i] / batch_rows);
        END LOOP;
    END LOOP;
END $$;
DROP TABLE inserted;
DROP PROCEDURE insert_batch;
