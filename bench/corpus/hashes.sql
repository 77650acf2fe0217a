-- Random hashes and queries. Variables: rows, queries (random or near).
CREATE EXTENSION simhash;
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql AS $$
    SELECT (split_part(line, ' ', 12)::float8 + split_part(line, ' ', 13)::float8) / 100
    FROM regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', '') line $$;
CREATE UNLOGGED TABLE hash (id bigint, h simhash);
INSERT INTO hash SELECT i, hashint8extended(i, 1)::simhash FROM generate_series(1, :rows) i;
CREATE UNLOGGED TABLE query (id bigint, h simhash);
INSERT INTO query
    SELECT i, CASE WHEN :'queries' = 'near'
                   THEN (h::bigint # (SELECT bit_xor(CASE WHEN j <= i % 5 THEN 1::bigint << (hashint8extended(i, j) & 63)::int ELSE 0 END)
                                      FROM generate_series(1, 4) j))::simhash
                   ELSE hashint8extended(i, 2)::simhash END
    FROM hash, LATERAL (SELECT id) x(i);
VACUUM ANALYZE hash, query;
