-- Tables for the signatures of one file; run.sh fills them and builds the index.
CREATE EXTENSION IF NOT EXISTS simhash;

-- The processor time of this session: on a busy machine elapsed time means little.
CREATE OR REPLACE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 $$;

CREATE TABLE IF NOT EXISTS searched (file text, rows bigint, trees integer, k integer, recall float8, queries integer, ms float8,
    pages float8, cdr10 float8, cdr30 float8, recall10 float8, index_bytes bigint, table_bytes bigint, build_s float8);
DROP TABLE IF EXISTS doc, query, truth, built;

CREATE UNLOGGED TABLE doc (id integer NOT NULL, sig bit(1024) NOT NULL);
CREATE UNLOGGED TABLE query (LIKE doc);
-- The 30 nearest rows of each query. Several rows can be equally near.
CREATE UNLOGGED TABLE truth (query integer, found integer, distance integer);
