-- The memory of a long statement does not grow with its rows.

-- Bytes that the statements of this session use. PostgreSQL 13 does not tell them.
CREATE FUNCTION used_bytes() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE bytes bigint := 0;
BEGIN
    IF current_setting('server_version_num')::int >= 140000 THEN
        EXECUTE $q$ SELECT sum(used_bytes) FROM pg_backend_memory_contexts
            WHERE name IN ('ExecutorState', 'simhash scan') $q$ INTO bytes;
    END IF;
    RETURN bytes;
END $$;
CREATE TABLE noted (id int, bytes bigint);
CREATE FUNCTION note_memory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.id % 1000 = 0 THEN
        INSERT INTO noted VALUES (NEW.id, used_bytes());
    END IF;
    RETURN NEW;
END $$;
-- Bytes that each of the last thousand rows left.
CREATE FUNCTION bytes_per_row() RETURNS bigint LANGUAGE sql AS $$
    SELECT (max(bytes) - min(bytes)) / 1000 FROM (SELECT bytes FROM noted ORDER BY id DESC LIMIT 2) AS last $$;

-- An exclusion constraint begins a scan for each row, all in the memory of the statement.

CREATE FUNCTION key64(i int) RETURNS simhash LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || left(md5(i::text), 16))::bit(64)::simhash $$;
CREATE FUNCTION key4096(i int) RETURNS bit(4096) LANGUAGE sql IMMUTABLE AS $$
    SELECT ('x' || repeat(md5(i::text), 32))::bit(4096) $$;

-- With one table, a search has so many leaves that it begins with the likeliest.
CREATE TABLE apart (id int, h simhash);
INSERT INTO apart SELECT -i, key64(-i) FROM generate_series(1, 50000) i;
ALTER TABLE apart ADD EXCLUDE USING simhash (h WITH ~=) WITH (tables = 1);
CREATE TRIGGER note BEFORE INSERT ON apart FOR EACH ROW EXECUTE FUNCTION note_memory();
INSERT INTO apart SELECT i, key64(i) FROM generate_series(1, 4000) i;
SELECT bytes_per_row();
INSERT INTO apart SELECT i, key64(i) FROM generate_series(4001, 8000) i ON CONFLICT DO NOTHING;
SELECT bytes_per_row();
INSERT INTO apart SELECT i, key64(i - 8000) FROM generate_series(8001, 12000) i ON CONFLICT DO NOTHING;
SELECT bytes_per_row();

CREATE TABLE unequal (id int, h simhash, s bit(4096), EXCLUDE USING simhash (h WITH =), EXCLUDE USING simhash (s WITH =),
    EXCLUDE USING simhash (s WITH =) WITH (tables = 0) DEFERRABLE);
CREATE TRIGGER note BEFORE INSERT ON unequal FOR EACH ROW EXECUTE FUNCTION note_memory();
INSERT INTO unequal SELECT i, key64(i), key4096(i) FROM generate_series(12001, 16000) i;
SELECT bytes_per_row();
DROP TABLE apart, unequal, noted;
