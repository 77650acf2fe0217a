\set ECHO none
-- Indexes on texts: the rows that text ~= text and text <@| text_ball find are those of a scan of the table.
SET client_min_messages = warning;
CREATE DOMAIN document AS text;
\echo '-- Families of eight: a text of 2 to 100 words, or of 2,000, and copies with ever more changes.'
CREATE TABLE page (id int, tenant int, body text, short varchar(5000), long document);
INSERT INTO page SELECT f * 8 + v, f % 3, string_agg(CASE WHEN hashint8extended(w, f * 100 + v) & 127 < v * (1 + f % 3)
        THEN 'new' || v || w ELSE 'w' || (hashint8extended(w, f % 40) & 1023) END, ' ' ORDER BY w)
    FROM generate_series(0, 79) f, generate_series(0, 7) v,
        generate_series(1, CASE WHEN f = 7 OR f = 47 THEN 2000 ELSE 2 + f / 4 * 5 END) w GROUP BY f, v;
INSERT INTO page SELECT 1000 + i, 0, (ARRAY['', '...', NULL, 'one', 'One!', 'one two', NULL])[i] FROM generate_series(1, 7) i;
INSERT INTO page SELECT 2000 + i, i % 3, md5(i::text) || ' ' || md5((i * 7)::text) FROM generate_series(1, 300) i;
-- An UPDATE would leave versions that the index contains while autovacuum has a snapshot.
ALTER TABLE page ALTER short TYPE varchar(5000) USING left(body, 5000), ALTER long TYPE document USING body;
CREATE TABLE query AS SELECT id, tenant, body FROM page WHERE (id % 20 = 1 OR id IN (56, 61, 96, 1004)) AND id < 2000;
CREATE INDEX page_body ON page USING simhash (body);
ANALYZE page;
ANALYZE query;

\echo '-- The number of rows of a query, whether a scan of the table finds the same, and whether the index was used.'
CREATE FUNCTION check_search(query text, OUT rows bigint, OUT same boolean, OUT indexed boolean) LANGUAGE plpgsql AS $$
DECLARE scanned text; line text; found text; BEGIN
    SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off;
    EXECUTE 'SELECT string_agg(r::text, '','' ORDER BY r::text) FROM (' || query || ') r' INTO scanned;
    SET LOCAL enable_indexscan = on; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_seqscan = off;
    EXECUTE 'SELECT string_agg(r::text, '','' ORDER BY r::text), count(*) FROM (' || query || ') r' INTO found, rows;
    same := found IS NOT DISTINCT FROM scanned;
    indexed := false;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP indexed := indexed OR line ~ '(Index|Join) Cond: .*(~=|<@\||NULL)'; END LOOP;
    SET LOCAL enable_seqscan = on; END $$;

SELECT q, (check_search(q)).* FROM (VALUES
    ('SELECT id FROM page WHERE body ~= (SELECT body FROM query WHERE id = 56)'),
    ('SELECT id FROM page WHERE (SELECT body FROM query WHERE id = 56) ~= body'),
    ('SELECT id FROM page WHERE body ~= ''one'''),
    ('SELECT id FROM page WHERE body ~= '''''),
    ('SELECT id FROM page WHERE body ~= ''...'''),
    ('SELECT id FROM page WHERE body ~= NULL'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.body ~= q.body'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON q.body ~= p.body AND p.tenant = q.tenant'),
    ('SELECT q.id FROM query q WHERE NOT EXISTS (SELECT FROM page p WHERE p.body ~= q.body AND p.id <> q.id)'),
    ('SELECT q.id, p.id FROM query q LEFT JOIN LATERAL (SELECT id FROM page p WHERE p.body ~= q.body ORDER BY id LIMIT 2) p ON true'),
    ('SELECT id FROM page WHERE body ~= ANY (ARRAY(SELECT body FROM query WHERE id < 200))'),
    ('SELECT id FROM page WHERE body ~= ANY (ARRAY[''one'', '''', NULL, ''One two''])'),
    ('SELECT id FROM page WHERE body ~= ''one'' OR body ~= ''one two'''),
    ('SELECT id FROM page WHERE body ~= (SELECT body FROM query WHERE id = 56) AND body ~= (SELECT body FROM page WHERE id = 57)'),
    ('SELECT id FROM page WHERE body IS NULL'),
    ('SELECT id FROM page WHERE body IS NOT NULL AND id < 1500'),
    ('SELECT id FROM page WHERE body IS NOT NULL AND body ~= ''one'''),
    ('SELECT id FROM page WHERE body IS NULL AND body ~= ''one'''),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.body <@| text_ball(q.body, 0.9)'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.body <@| text_ball(q.body, 0.6)'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.body <@| text_ball(q.body, 0.3) WHERE q.id < 200'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.body <@| text_ball(q.body, 0) WHERE q.id < 20'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.body <@| text_ball(q.body, 1)'),
    ('SELECT id FROM page WHERE body <@| text_ball('''', 0)'),
    ('SELECT id FROM page WHERE body <@| NULL'),
    ('SELECT id FROM page WHERE body COLLATE "C" ~= ''one'''),
    ('SELECT id FROM page WHERE ''one'' COLLATE "C" ~= body'),
    ('SELECT id FROM page WHERE body COLLATE "C" <@| text_ball(''one'', 0.5)')) v(q);

\echo '-- Ranked by similarity.'
SELECT p.id, round(feature_jaccard(p.body, q.body, 'word', 3)::numeric, 3) AS similarity FROM page p, query q
    WHERE q.id = 96 AND p.body <@| text_ball(q.body, 0.4) ORDER BY 2 DESC, 1;

\echo '-- What may be said of the index and of its operator class.'
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'simhash_text_ops';
SELECT rows, heap_rows FROM simhash_index_check('page_body', true);

\echo '-- Groups, of the pairs of a join.'
SELECT count(*) AS copies FROM (SELECT array_agg(c.id) AS a, array_agg(d.id) AS b FROM page c JOIN page d ON c.id < d.id AND c.body ~= d.body) p, simhash_pair_groups(a, b);
SELECT name, value FROM simhash_index_stats('page_body') WHERE name IN ('design_radius', 'distance', 'trees', 'tables', 'rows');
\echo '-- A trace shows the search for fingerprints of texts.'
SELECT count(*) > 0 AS traced, sum(t.matches) = (SELECT count(*) FROM page p WHERE to_minhash(p.body, 'word', 2, 64) <@> to_minhash(q.body, 'word', 2, 64) <= 8) AS same
FROM query q, simhash_index_trace('page_body', simhash_ball(to_minhash(q.body, 'word', 2, 64)::bit(64)::simhash, 8)) t WHERE q.id = 56 GROUP BY q.body;

\echo '-- Other columns and indexes.'
DROP INDEX page_body;
CREATE INDEX page_short ON page USING simhash (short);
CREATE INDEX page_long ON page USING simhash (long);
CREATE INDEX page_part ON page USING simhash (body) WHERE tenant = 1;
CREATE INDEX page_lower ON page USING simhash ((tenant || ' ' || body));
CREATE INDEX page_tenant ON page USING simhash (tenant, body);
CREATE INDEX page_c ON page USING simhash (body COLLATE "C");
SELECT q, (check_search(q)).* FROM (VALUES
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.short ~= q.body'),
    ('SELECT id FROM page WHERE short ~= ''one''::varchar'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.long ~= q.body'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.body ~= q.body WHERE p.tenant = 1'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON (p.tenant || '' '' || p.body) ~= (''2 '' || q.body)'),
    ('SELECT q.id, p.id FROM query q JOIN page p ON p.body ~= q.body AND p.tenant = q.tenant'),
    ('SELECT id FROM page WHERE body ~= ''one''')) v(q);
SELECT count(*) FROM pg_indexes WHERE tablename = 'page' AND indexdef ~ 'USING simhash';

\echo '-- A class for equality is not for the searched column, nor that of texts for another one.'
CREATE INDEX ON page USING simhash (body simhash_equal_text_ops);
CREATE INDEX ON page USING simhash (short, body);
CREATE INDEX named ON page USING simhash (short simhash_equal_text_ops, body);
DROP INDEX named;

\echo '-- The nearest of a leaf are checked first: how many texts in vain, for the first row and for all.'
CREATE TABLE framed AS SELECT id, string_agg(CASE WHEN i - 1 - id % 64 BETWEEN 0 AND 7 THEN 'v' || (hashint8extended(i, id) & 16383)
    ELSE 'w' || i END, ' ' ORDER BY i) AS body FROM generate_series(1, 200) AS id, generate_series(1, 80) AS i GROUP BY id;
CREATE INDEX ON framed USING simhash (body);
CREATE FUNCTION checked_in_vain(part text, OUT rows bigint) LANGUAGE plpgsql AS $$
DECLARE plan json; BEGIN
    SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) SELECT FROM framed WHERE body ~= $1 OFFSET 0 ' || part INTO plan USING (SELECT body FROM framed WHERE id = 199);
    rows := substring(plan::text FROM '"Rows Removed by Index Recheck": (\d+)'); END $$;
SELECT checked_in_vain('LIMIT 1') AS first, checked_in_vain('') > 10 AS all;
DROP TABLE framed;

\echo '-- A function that returns a ball, but is not text_ball'
CREATE FUNCTION my_ball(center text, similarity float8, language text) RETURNS text_ball LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN text_ball(center, similarity); END $$;
SELECT count(*) > 0 AS found FROM page a JOIN page b ON a.body <@| my_ball(b.body, 0.8, 'de') WHERE b.id = 1;
DROP FUNCTION my_ball;

\echo '-- Constraints: every text that is refused has a kept one, and no two kept ones are near.'
CREATE TABLE kept (id int, body text, EXCLUDE USING simhash (body WITH ~=));
INSERT INTO kept SELECT id, body FROM page WHERE id < 2000 ORDER BY id ON CONFLICT DO NOTHING;
SELECT count(*) AS kept, (SELECT count(*) FROM page WHERE id < 2000) AS texts FROM kept;
SELECT count(*) AS refused, min(j) >= 0.8 AS near FROM (SELECT max(feature_jaccard(p.body, k.body, 'word', 3)) AS j
    FROM page p JOIN kept k ON k.body ~= p.body WHERE p.id < 2000 AND p.id NOT IN (SELECT id FROM kept) GROUP BY p.id) r;
SELECT count(*) AS without FROM page p WHERE id < 2000 AND id NOT IN (SELECT id FROM kept)
    AND NOT EXISTS (SELECT FROM kept k WHERE feature_jaccard(p.body, k.body, 'word', 3) >= 0.8);
SELECT count(*) AS both FROM kept a JOIN kept b ON a.id < b.id AND a.body ~= b.body;
INSERT INTO kept VALUES (3000, 'One, two?');
UPDATE kept SET body = 'One, two?' WHERE id = 1004;
SELECT id FROM kept WHERE body IN ('', '...') OR body IS NULL ORDER BY id;

\echo '-- Row-level security: the index evaluates the condition.'
CREATE ROLE regress_reader;
GRANT SELECT ON page TO regress_reader;
ALTER TABLE page ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON page USING (tenant = 2);
DROP INDEX page_c, page_tenant;
CREATE INDEX page_body ON page USING simhash (body);
SET ROLE regress_reader;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE body ~= 'some text';
EXPLAIN (COSTS OFF) SELECT id FROM page WHERE body <@| text_ball('some text', 0.5);
RESET enable_seqscan;
RESET ROLE;
DROP TABLE page;
DROP ROLE regress_reader;
