\set ECHO none
-- Which leaves VACUUM unites with their right siblings: those at most half full, where both together are at most 85 % full,
-- or as full as fillfactor says. A build fills leaves to fillfactor, by default 90 %.

CREATE FUNCTION leaves(index regclass) RETURNS float8 LANGUAGE sql AS $$
    SELECT value FROM simhash_index_stats(index) WHERE name = 'leaf_pages' $$;
CREATE TABLE case_of (fillfactor integer, gone integer, built float8);
INSERT INTO case_of VALUES (90, 60), (100, 52), (90, 25), (50, 20), (50, 60);

SELECT format($$CREATE TABLE page_%1$s_%2$s (id, h) WITH (autovacuum_enabled = off) AS
        SELECT i, substr(md5(i::text), 1, 16)::simhash FROM generate_series(1, 20000) i;
    CREATE INDEX ON page_%1$s_%2$s USING simhash (h) WITH (trees = 4, fillfactor = %1$s);
    UPDATE case_of SET built = leaves('page_%1$s_%2$s_h_idx') WHERE fillfactor = %1$s AND gone = %2$s;
    DELETE FROM page_%1$s_%2$s WHERE id %% 100 < %2$s$$, fillfactor, gone) FROM case_of \gexec
SELECT format('VACUUM page_%s_%s', fillfactor, gone) FROM case_of \gexec
\echo '-- percent of the rows that are gone, and, in tens, of the leaves that are left'
SELECT fillfactor, gone, round(leaves(format('page_%s_%s_h_idx', fillfactor, gone)::regclass) / built * 10) * 10 AS left
FROM case_of ORDER BY 1 DESC, 2;
