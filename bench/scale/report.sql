-- The table that run.sh prints. Variables: directory (of results.csv, and for the files of the plots).
\pset footer off
\pset null ''
CREATE TEMP TABLE result (part text, rows bigint, method text, measure text, value float8);
\copy result FROM pstdin CSV HEADER
CREATE FUNCTION pg_temp.digits(x float8) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN x IS NULL THEN NULL WHEN x = 0 THEN '0' WHEN abs(x) >= 100 THEN to_char(x, 'FM999,999,999,990')
                ELSE trim_scale(round(x::numeric, greatest(2 - floor(log(abs(x)))::int, 0)))::text END $$;
CREATE TEMP TABLE slope (part text, method text, measure text, rows bigint, slope float8);
CREATE TEMP TABLE row_of_report (place serial, title text, part text, method text, measure text, factor float8);
INSERT INTO row_of_report (title, part, method, measure, factor) VALUES
    ('build, s elapsed', 'build', 'build', 's elapsed', 1),
    ('build, MB of memory', 'build', 'build', 'MB of memory', 1),
    ('build of the primary key, s elapsed', 'primary key', 'primary key', 's elapsed', 1),
    ('index, bytes per row', 'size', 'index', 'bytes per row', 1),
    ('table, bytes per row', 'size', 'table', 'bytes per row', 1),
    ('primary key, bytes per row', 'size', 'primary key', 'bytes per row', 1),
    ('height of the trees', 'size', 'index', 'height', 1),
    ('primary key, µs', 'warm', 'primary key', 'us', 1),
    ('r = 3, µs', 'warm', 'r = 3', 'us', 1),
    ('r = 3, leaf pages', 'leaves', 'r = 3', 'leaf pages', 1),
    ('r = 3, blocks', 'warm', 'r = 3', 'blocks', 1),
    ('r = 5, µs', 'warm', 'r = 5', 'us', 1),
    ('r = 5, leaf pages', 'leaves', 'r = 5', 'leaf pages', 1),
    ('r = 7, µs', 'warm', 'r = 7', 'us', 1),
    ('r = 7, leaf pages', 'leaves', 'r = 7', 'leaf pages', 1),
    ('ten nearest, planted, µs', 'warm', 'ten nearest, planted', 'us', 1),
    ('ten nearest, µs', 'warm', 'ten nearest', 'us', 1),
    ('ten nearest, blocks', 'warm', 'ten nearest', 'blocks', 1),
    ('r = 3, times a primary-key look-up', 'ratio', 'r = 3', 'us', 1),
    ('r = 7, times a primary-key look-up', 'ratio', 'r = 7', 'us', 1),
    ('ten nearest, times a primary-key look-up', 'ratio', 'ten nearest', 'us', 1),
    ('cold: primary key, ms', 'cold', 'primary key', 'us elapsed', 0.001),
    ('cold: r = 3, ms', 'cold', 'r = 3', 'us elapsed', 0.001),
    ('cold: r = 3 by four btrees, ms', 'cold', 'four btrees', 'us elapsed', 0.001),
    ('cold: r = 7, ms', 'cold', 'r = 7', 'us elapsed', 0.001),
    ('cold: ten nearest, ms', 'cold', 'ten nearest', 'us elapsed', 0.001),
    ('cold: primary key, blocks read', 'cold', 'primary key', 'blocks read', 1),
    ('cold: r = 3, blocks read', 'cold', 'r = 3', 'blocks read', 1),
    ('cold: r = 3 by four btrees, blocks read', 'cold', 'four btrees', 'blocks read', 1),
    ('cold: r = 7, blocks read', 'cold', 'r = 7', 'blocks read', 1),
    ('insert, µs a row', 'insert', 'insert', 'us', 1),
    ('insert, WAL bytes a row, with full pages', 'insert', 'insert', 'WAL bytes per row', 1),
    ('all pairs within 3, s elapsed', 'pairs', 'pairs', 's elapsed', 1),
    ('all pairs within 3, MB of memory', 'pairs', 'pairs', 'MB of memory', 1),
    ('all pairs within 3, 64 MB, s', 'pairs', '64MB', 's', 1),
    ('all pairs within 3, 64 MB: MB of memory', 'pairs', '64MB', 'MB of memory', 1),
    ('all pairs within 3, 64 MB: MB of disk', 'pairs', '64MB', 'MB of disk', 1),
    ('all pairs within 3, 4 MB, s', 'pairs', '4MB', 's', 1),
    ('all pairs within 3, 4 MB: MB of memory', 'pairs', '4MB', 'MB of memory', 1),
    ('all pairs within 3, 4 MB: MB of disk', 'pairs', '4MB', 'MB of disk', 1),
    ('check of the index, s elapsed', 'check', 'check', 's elapsed', 1),
    ('check of index and rows, s elapsed', 'check of rows', 'check of rows', 's elapsed', 1),
    ('VACUUM, s elapsed', 'VACUUM', 'VACUUM', 's elapsed', 1),
    ('VACUUM, MB of memory', 'VACUUM', 'VACUUM', 'MB of memory', 1),
    ('routed by block: r = 3, µs', 'routed', 'all blocks', 'us', 1),
    ('routed by block: one block, µs', 'routed', 'one block', 'us', 1),
    ('routed by block: rows of a block', 'routed', 'one block', 'rows', 1),
    ('routed by block: bytes per row of the table', 'routed', 'routed', 'bytes per row', 1),
    ('all pairs within 3, s', 'pairs', 'pairs', 's', 1),
    ('all pairs within 3 by block, s', 'block pairs', 'block pairs', 's', 1);
INSERT INTO result SELECT 'ratio', s.rows, s.method, s.measure, s.value / k.value
FROM result s JOIN result k USING (rows) WHERE s.part = 'warm' AND s.measure = 'us' AND k.part = 'warm' AND k.method = 'primary key'
    AND k.measure = 'us' AND s.method <> 'primary key';
SELECT string_agg(format('max(pg_temp.digits(value * factor)) FILTER (WHERE rows = %1$s) AS "%2$s rows"', rows, to_char(rows, 'FM999,999,999,999')),
                  ', ' ORDER BY rows) AS columns FROM (SELECT DISTINCT rows FROM result) s \gset
-- The slope between a size and the one before it: 1 is in proportion to the rows.
WITH value_of AS (SELECT part, method, measure, rows, max(value) AS value FROM result GROUP BY 1, 2, 3, 4),
before AS (SELECT *, lag(rows) OVER w AS rows_before, lag(value) OVER w AS value_before FROM value_of
           WINDOW w AS (PARTITION BY part, method, measure ORDER BY rows))
INSERT INTO slope SELECT part, method, measure, rows, ln(value / value_before) / ln(rows::float8 / rows_before)
FROM before WHERE value > 0 AND value_before > 0;
SELECT coalesce(string_agg(format(
    ', (SELECT round(slope::numeric, 2) FROM slope s WHERE s.rows = %1$s AND (s.part, s.method, s.measure) = (r.part, r.method, r.measure)) AS "slope to %2$s"',
    rows, to_char(rows, 'FM999,999,999,999')), '' ORDER BY rows), '') AS slopes FROM (SELECT DISTINCT rows FROM slope) s \gset
SELECT title AS " ", :columns :slopes FROM row_of_report r JOIN result USING (part, method, measure) GROUP BY place, title, r.part, r.method, r.measure ORDER BY place;

\pset format unaligned
\pset fieldsep '\t'
\pset tuples_only on
\set to :directory '/scale.dat'
\o :to
SELECT rows, max(value) FILTER (WHERE method = 'primary key'), max(value) FILTER (WHERE method = 'r = 3'),
       max(value) FILTER (WHERE method = 'r = 7'), max(value) FILTER (WHERE method = 'ten nearest')
FROM result WHERE part = 'warm' AND measure = 'us' GROUP BY rows ORDER BY rows;
