-- What before.sh needs on both sides.
CREATE OR REPLACE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS
    $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 $$;

-- Queries by radius, with and without a row within it, and the searches for them.
CREATE TABLE form (number serial, radius integer, kind text, form text, statement text, overhead text);
CREATE PROCEDURE choose_queries(radii integer[]) LANGUAGE plpgsql AS $$
DECLARE r integer; of_kind text; queries text;
BEGIN
    TRUNCATE form;
    FOREACH r IN ARRAY radii LOOP
        FOREACH of_kind IN ARRAY '{near,none}'::text[] LOOP
            queries := format('asked_%s_%s', of_kind, r);
            EXECUTE format('DROP TABLE IF EXISTS %I', queries);
            EXECUTE format('CREATE TABLE %I AS SELECT id, w, h FROM query q WHERE EXISTS (SELECT FROM doc d WHERE d.h <@> q.h <= %s) = %L ORDER BY id',
                queries, r, of_kind = 'near');
            EXECUTE format('ANALYZE %I', queries);
            INSERT INTO form (radius, kind, form, statement, overhead)
                SELECT r, of_kind, rows || '_' || by,
                       format(CASE rows WHEN 'all' THEN 'SELECT count(d.id) FROM %1$I q JOIN doc d ON d.h <@> q.%2$s <= %3$s'
                              WHEN 'nearest' THEN 'SELECT sum(n.distance) FROM %1$I q, LATERAL (SELECT (d.h <@> q.h)::integer AS distance FROM doc d
                                                   WHERE d.h <@> q.%2$s <= %3$s ORDER BY d.h <@> q.%2$s LIMIT 1) n'
                              ELSE 'SELECT count(*) FROM %1$I q WHERE EXISTS (SELECT FROM doc d WHERE d.h <@> q.%2$s <= %3$s)' END, queries, by, r),
                       format('SELECT count(%s::simhash) FROM %I', by, queries)
                FROM unnest('{first,nearest,all}'::text[]) rows, unnest('{w,h}'::text[]) by;
        END LOOP;
    END LOOP;
END $$;

-- Runs a statement on all queries of a form for so long. For each query, the microseconds and the pages of the index.
CREATE FUNCTION measure(statement text, overhead text, seconds float8,
                        OUT queries bigint, OUT microseconds float8, OUT pages float8, OUT answer bigint) LANGUAGE plpgsql AS $$
DECLARE begun float8; spent float8[]; runs integer; text text; blocks bigint;
BEGIN
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_bitmapscan = off;
    SET LOCAL enable_material = off;
    SET LOCAL enable_memoize = off;
    EXECUTE overhead INTO queries;
    EXECUTE statement INTO answer; -- fills the caches
    blocks := pg_stat_get_xact_blocks_fetched('doc_h'::regclass);
    EXECUTE statement INTO answer;
    pages := (pg_stat_get_xact_blocks_fetched('doc_h'::regclass) - blocks)::float8 / greatest(queries, 1);
    FOREACH text IN ARRAY ARRAY[overhead, statement] LOOP
        begun := processor_seconds();
        runs := 0;
        LOOP
            EXECUTE text INTO answer;
            runs := runs + 1;
            EXIT WHEN processor_seconds() - begun > seconds * CASE WHEN text = overhead THEN 0.2 ELSE 1 END;
        END LOOP;
        spent := spent || (processor_seconds() - begun) / runs;
    END LOOP;
    microseconds := (spent[2] - spent[1]) * 1e6 / greatest(queries, 1);
END $$;
