-- See search.sh. Each line: what, milliseconds of processor time each, rows found each.
CREATE EXTENSION IF NOT EXISTS simhash;
CREATE EXTENSION IF NOT EXISTS pg_trgm;
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_maintenance_workers = 0;
SET max_parallel_workers_per_gather = 0;
DROP SCHEMA IF EXISTS text_bench CASCADE;
CREATE SCHEMA text_bench;
SET search_path = text_bench, public;

-- Processor time of this process, in milliseconds.
CREATE FUNCTION used() RETURNS float8 LANGUAGE sql VOLATILE AS $$
    SELECT 10 * (f[12]::float8 + f[13]::float8) FROM regexp_split_to_array(regexp_replace(pg_read_file('/proc/self/stat', 0, 4096), '^.*\) ', ''), ' ') AS f $$;
-- Runs a query with each of some texts as $1, for a second at least, and returns the time of one, and the mean of what it
-- returns.
CREATE FUNCTION measure(what text, query text, texts text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE start float8; one text; found bigint; total bigint := 0; runs bigint := 0; BEGIN
    FOR i IN 1..2 LOOP
        EXECUTE query INTO found USING texts[i]; -- into memory
    END LOOP;
    start := used();
    WHILE used() < start + 1000 LOOP
        FOREACH one IN ARRAY texts LOOP
            EXECUTE query INTO found USING one;
            total := total + found;
        END LOOP;
        runs := runs + cardinality(texts);
    END LOOP;
    RETURN format('%s: %s ms, %s found', what, round(((used() - start) / runs)::numeric, 3), round(total::numeric / runs, 2)); END $$;
CREATE FUNCTION timed(what text, statement text, rows bigint DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE start float8 := used(); inserted bigint; BEGIN
    EXECUTE statement;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    rows := coalesce(rows, inserted);
    RETURN format('%s: %s ms', what, round(((used() - start) / rows)::numeric, 4)); END $$;

CREATE TABLE real (id text, doc text, fam text, rev int, repo text, path text, words int, body text);
\set load '\\copy real FROM PROGRAM ''' :copy ''''
:load
CREATE TABLE real_page AS SELECT row_number() OVER () AS id, body, to_simhash(body) AS h FROM real;
DROP TABLE real;
-- Texts of a template of 80 words, of which each replaces some in a row.
CREATE FUNCTION make_page(page text, texts bigint, templates bigint, replaced int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    EXECUTE format('CREATE TABLE %s AS SELECT id, body, to_simhash(body) AS h FROM (SELECT id, string_agg(
        CASE WHEN i - 1 - (hashint8extended(id, 0) & 63) BETWEEN 0 AND %s THEN ''v'' || (hashint8extended(i, id) & 16383)
        ELSE ''w'' || (hashint8extended(i, 1 + id %% %s) & 16383) END, '' '' ORDER BY i) AS body
        FROM generate_series(1, %s) AS id, generate_series(1, 80) AS i GROUP BY id) AS made', page, replaced - 1, templates, texts); END $$;
SELECT make_page('templated_page', :n, 500, 16), make_page('framed_page', :n, greatest(:n / 2000, 1), 8) \g /dev/null
CREATE TABLE query AS
    SELECT 'real_page' AS page, array_agg(regexp_replace(body, '\S+$', 'other')) AS texts FROM (SELECT body FROM real_page WHERE length(body) > 300 ORDER BY md5(id::text) LIMIT 300) AS chosen
    UNION ALL SELECT 'templated_page', array_agg(regexp_replace(body, '\S+$', 'other')) FROM (SELECT body FROM templated_page ORDER BY md5(id::text) LIMIT 300) AS chosen
    UNION ALL SELECT 'framed_page', array_agg(regexp_replace(body, '\S+$', 'other')) FROM (SELECT body FROM framed_page ORDER BY md5(id::text) LIMIT 300) AS chosen;
SELECT count(*) AS real FROM real_page \gset
SELECT page, timed('index of texts, a row', format('CREATE INDEX %s_text ON %1$s USING simhash (body)', page), rows),
    timed('index of fingerprints, a row', format('CREATE INDEX %s_h ON %1$s USING simhash (h)', page), rows)
FROM (VALUES ('real_page', :real), ('templated_page', :n), ('framed_page', :n)) AS v(page, rows);
VACUUM ANALYZE real_page;
VACUUM ANALYZE templated_page;
VACUUM ANALYZE framed_page;
SELECT relname, reltuples::bigint, pg_size_pretty(pg_relation_size(oid)) FROM pg_class WHERE relname ~ '_page_' AND relkind = 'i' ORDER BY 1;
SET enable_seqscan = off;
SELECT page, s FROM query, LATERAL (
    SELECT measure('body ~= q', format('SELECT count(*) FROM %s WHERE body ~= $1', page), texts) UNION ALL
    SELECT measure('EXISTS', format('SELECT count(*) WHERE EXISTS (SELECT FROM %s WHERE body ~= $1 OFFSET 0)', page), texts) UNION ALL
    SELECT measure('h <@> q <= 7, and the texts read', format('SELECT count(length(body) + nullif(strpos(body, ''no such text''), -1)) FROM %s WHERE h <@> to_simhash($1) <= 7', page), texts) UNION ALL
    SELECT measure('the same with feature_jaccard', format('SELECT count(*) FROM %s WHERE h <@> to_simhash($1) <= 7 AND feature_jaccard(body, $1, ''word'', 3) >= 0.8', page), texts) UNION ALL
    SELECT measure('sketches alone', format('SELECT count(*) FROM (SELECT simhash_internal_text_sketch($1)) AS s(q)', page), texts)) AS m(s);
-- Fingerprints of all texts, and builds with a worker.
CREATE FUNCTION speed(what text, page text, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE bytes float8; start float8; since timestamptz; lasted float8; BEGIN
    EXECUTE format('SELECT sum(octet_length(body)) FROM %s', page) INTO bytes; -- into memory
    start := used(); since := clock_timestamp();
    EXECUTE statement;
    lasted := extract(epoch FROM clock_timestamp() - since);
    RETURN format('%s: %s MB a second of processor time of this process, %s elapsed', what, round((bytes / (used() - start + 1) / 1e3)::numeric), round((bytes / lasted / 1e6)::numeric)); END $$;
SELECT page, s FROM query, LATERAL (
    SELECT speed('reading alone', page, format('SELECT count(body COLLATE "C" < '''') FROM %s', page)) UNION ALL
    SELECT speed('to_simhash', page, format('SELECT count(to_simhash(body)) FROM %s', page)) UNION ALL
    SELECT speed('to_minhash, 64 bits', page, format('SELECT count(to_minhash(body, 64)) FROM %s', page)) UNION ALL
    SELECT speed('sketch', page, format('SELECT count(simhash_internal_text_sketch(body)) FROM %s', page)) UNION ALL
    SELECT speed('sketch of titles', page, format('SELECT count(simhash_internal_title_sketch(body)) FROM %s', page)) UNION ALL
    SELECT speed('CREATE INDEX', page, format('CREATE INDEX %s_serial ON %1$s USING simhash (body)', page))) AS m(s);
SET max_parallel_maintenance_workers = 1;
SET maintenance_work_mem = '1GB';
SET min_parallel_table_scan_size = 0;
SELECT page, speed('CREATE INDEX with a worker', page, format('CREATE INDEX %s_parallel ON %1$s USING simhash (body)', page)) FROM query;
DROP INDEX real_page_serial, templated_page_serial, framed_page_serial, real_page_parallel, templated_page_parallel, framed_page_parallel;
-- pg_trgm, for the templated texts.
SELECT timed('GIN of trigrams, for a row', 'CREATE INDEX templated_trgm ON templated_page USING gin (body gin_trgm_ops)', :n);
SET pg_trgm.similarity_threshold = 0.8;
SELECT measure('pg_trgm: body % q', 'SELECT count(*) FROM templated_page WHERE body % $1', texts[1:10]) FROM query WHERE page = 'templated_page';
-- Inserts.
CREATE TABLE by_text (id bigint, body text);
CREATE INDEX ON by_text USING simhash (body);
CREATE TABLE by_column (id bigint, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED);
CREATE INDEX ON by_column USING simhash (h);
SELECT page, part, timed('insert, index of texts', format('INSERT INTO by_text SELECT id, body FROM %s WHERE id %% 4 = %s', page, part)),
    timed('insert, generated column', format('INSERT INTO by_column SELECT id, body FROM %s WHERE id %% 4 = %s', page, part))
FROM query, generate_series(0, 1) AS part ORDER BY page, part;
DROP SCHEMA text_bench CASCADE;
