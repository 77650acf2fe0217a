CREATE EXTENSION simhash;

-- What is compared. `expression` makes a signature of body.
CREATE TABLE kind (place serial, name text, label text, bits int, expression text);
INSERT INTO kind (name, label, bits, expression) VALUES
    ('simhash_64', 'simhash, 64 bits', 64, 'to_simhash(body)'),
    ('simhash_256', 'simhash, 256 bits', 256, 'to_signature(body, 256)'),
    ('simhash_1024', 'simhash, 1,024 bits', 1024, 'to_signature(body, 1024)'),
    ('shingles_64', 'simhash of shingles, 64 bits', 64, 'to_simhash(body, ''word'', 3)'),
    ('shingles_256', 'simhash of shingles, 256 bits', 256, 'to_signature(body, ''word'', 3, 256)'),
    ('shingles_1024', 'simhash of shingles, 1,024 bits', 1024, 'to_signature(body, ''word'', 3, 1024)'),
    ('minhash_256', 'min-hash of shingles, 256 bits', 256, 'to_minhash(body, ''word'', 3, 256)'),
    ('minhash_1024', 'min-hash of shingles, 1,024 bits', 1024, 'to_minhash(body, ''word'', 3, 1024)');

CREATE FUNCTION column_type(k kind) RETURNS text LANGUAGE sql AS
    $$ SELECT CASE k.bits WHEN 64 THEN 'simhash' ELSE format('bit(%s)', k.bits) END $$;

-- The processor time of this session: on a busy machine elapsed time means little.
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat', 0, 1000), ' ', 1)::float8 / 1e9 $$;

CREATE TABLE result (n serial, part text, item text, measure text, value float8);
-- The schema is the number of documents in pairs.sql.
CREATE FUNCTION note(part text, item text, measure text, value float8) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO result (part, item, measure, value) VALUES (coalesce(nullif(current_schema(), 'public') || ', ', '') || part, item, measure, value) $$;

-- Runs a statement and notes what it took.
CREATE PROCEDURE step(part text, item text, statement text) LANGUAGE plpgsql AS $$
DECLARE
    busy float8 := processor_seconds();
    begun timestamptz := clock_timestamp();
    rows bigint;
BEGIN
    EXECUTE statement;
    GET DIAGNOSTICS rows = ROW_COUNT;
    PERFORM note(part, item, 'seconds', processor_seconds() - busy);
    PERFORM note(part, item, 'elapsed', extract(epoch FROM clock_timestamp() - begun));
    PERFORM note(part, item, 'rows', rows);
    COMMIT;
END $$;

-- Texts, and documents made of them.
CREATE UNLOGGED TABLE text (id int PRIMARY KEY, body text);
CREATE UNLOGGED TABLE document (id int PRIMARY KEY, original int, body text);
ALTER TABLE text ALTER body SET STORAGE EXTERNAL; -- no decompression is timed

-- Pairs with a < b that are similar by an exact measure.
CREATE UNLOGGED TABLE listed (a int, b int, label int, cos_u float8, h_u int, cos_l float8, h_l int, cos_s float8, h_s int);
CREATE UNLOGGED TABLE truth (measure text, a int, b int);
CREATE UNLOGGED TABLE true_pair (a int, b int, jaccard float8); -- of documents

-- The number of all pairs of texts at a distance.
CREATE UNLOGGED TABLE distance (kind text, distance int, pairs bigint);

-- For each kind, measure and radius: the pairs within the radius, and those of them that are similar by the measure.
CREATE TABLE curve (kind text, measure text, radius int, found bigint, hits bigint, precision float8, recall float8);

-- The radius with the largest harmonic mean of precision and recall.
CREATE VIEW best AS
SELECT DISTINCT ON (kind, measure) *, 2 * precision * recall / nullif(precision + recall, 0) AS f1
FROM curve ORDER BY kind, measure, 2 * precision * recall / nullif(precision + recall, 0) DESC NULLS LAST, radius;
