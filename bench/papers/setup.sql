CREATE EXTENSION simhash;
-- The processor time of this session: on a busy machine elapsed time means little.
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 $$;
