-- Inserts into the indexed table, right after a checkpoint: each page that they change is logged in full.
CHECKPOINT;
DO $$
DECLARE begun timestamptz := clock_timestamp(); busy float8 := processor_seconds(); wal pg_lsn := pg_current_wal_insert_lsn(); n float8;
BEGIN
    INSERT INTO page SELECT id, h FROM fresh;
    GET DIAGNOSTICS n = ROW_COUNT;
    PERFORM note('insert', 'insert', '', 'us', (processor_seconds() - busy) / n * 1e6);
    PERFORM note('insert', 'insert', '', 'us elapsed', extract(epoch FROM clock_timestamp() - begun) / n * 1e6);
    PERFORM note('insert', 'insert', '', 'WAL bytes per row', (pg_current_wal_insert_lsn() - wal) / n);
END $$;
