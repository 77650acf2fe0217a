\set ECHO none
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
-- Titles: balls of texts by characters, and the class simhash_title_ops. Index and scan of the table find the same rows.
SET client_min_messages = warning;
\echo '-- Balls by characters.'
SELECT text_ball('Some, title > here', 0.6, 'character'), '<0.6 character,Some, title > here>'::text_ball,
    '<0.6 character,a>'::text_ball = text_ball('a', similarity => 0.6, unit => 'character') AS same,
    text_ball('a', 0.6) <> text_ball('a', 0.6, 'character') AS other, text_ball('a', 0.6) = text_ball('a', 0.6, 'word') AS words;
SELECT text_ball('a', 0.6, 'line');
SELECT text_ball('a', 0.6, NULL) IS NULL AS unknown;
SELECT '<0.6 characters,a>'::text_ball;
SELECT simhash_internal_text_ball_send('<0.5 character,ab>'), simhash_internal_hash('<0.5 character,some text>'::text_ball);
SELECT simhash_internal_title_sketch('To be') = to_minhash(features(to_features('To be', 'character', 1) || to_features('To be', 'character', 2)), 64)::simhash AS sketch,
    simhash_internal_title_sketch('...') AS none;

\echo '-- What is near.'
SELECT title <@| text_ball('Straße nach Köln', 0.6, 'character') AS near, title
    FROM unnest('{STRASSE NACH KÖLN,Strasse nahc Köln,"Köln, Straße nach",Straße,"",...,NULL}'::text[]) title;
SELECT '東京都庁舎案内'::text <@| text_ball('東京都庁舍案内', 0.5, 'character') AS one_other, 'a'::text <@| text_ball('A!', 1, 'character') AS one_character,
    ''::text <@| text_ball('', 0, 'character') AS empty;

\echo '-- The answers are those of the definition.'
CREATE FUNCTION near(a text, b text, similarity float8, bits int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(feature_jaccard(a, b, 'character', 2) >= similarity
        AND to_minhash(features(to_features(a, 'character', 1) || to_features(a, 'character', 2)), 64)::simhash
            <@> to_minhash(features(to_features(b, 'character', 1) || to_features(b, 'character', 2)), 64)::simhash <= bits, false) $$;
\echo '-- Families of six: a title of 1 to 5 words, and copies with ever more errors.'
CREATE TABLE book (id int, shelf int, title text);
INSERT INTO book SELECT f * 6 + v, f % 3, string_agg(CASE WHEN hashint8extended(c, f * 10 + v) & 63 < v * 2 THEN chr(97 + (hashint8extended(c, v) & 15)::int)
        ELSE substr(base, c, 1) END, '' ORDER BY c)
    FROM generate_series(0, 99) f, generate_series(0, 5) v, LATERAL (SELECT string_agg(word, ' ' ORDER BY w) FROM generate_series(1, 1 + f % 5) w,
        LATERAL (SELECT (ARRAY['history','of','the','common','garden','snail','in','northern','vineyards','cooking','pigeons','atlas','der','Straßen','Köln','新编','中文','语法'])
            [1 + (hashint8extended(w, f) & 15)::int + (f & 2)] word) words) AS b(base),
        LATERAL generate_series(1, length(base)) c GROUP BY f, v;
INSERT INTO book SELECT 1000 + i, 0, (ARRAY['', '...', NULL, 'x', 'X!', NULL])[i] FROM generate_series(1, 6) i;
SELECT s AS similarity, count(*) FILTER (WHERE a.title <@| text_ball(b.title, s, 'character')) AS near, count(*) AS pairs,
    count(*) FILTER (WHERE (a.title <@| text_ball(b.title, s, 'character')) IS DISTINCT FROM near(a.title, b.title, s, bits)) AS wrong
    FROM book a, book b, (VALUES (1.0::float8, 0), (.9, 5), (.8, 7), (.7, 9), (.6, 11), (.5, 13), (0, 64)) v(s, bits)
    WHERE a.title IS NOT NULL AND b.title IS NOT NULL AND (a.id / 6 = b.id / 6 OR (a.id + b.id) % 40 = 0 OR a.id > 999) GROUP BY s ORDER BY s;

\echo '-- Searches by an index of titles, one of words, or both: right in each, and by the one of the ball if there are both.'
CREATE FUNCTION check_search(query text, OUT rows bigint, OUT same boolean, OUT indexed text) LANGUAGE plpgsql AS $$
DECLARE scanned text; line text; found text; BEGIN
    SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off;
    EXECUTE 'SELECT string_agg(r::text, '','' ORDER BY r::text) FROM (' || query || ') r' INTO scanned;
    SET LOCAL enable_indexscan = on; SET LOCAL enable_bitmapscan = on; SET LOCAL enable_seqscan = off;
    EXECUTE 'SELECT string_agg(r::text, '','' ORDER BY r::text), count(*) FROM (' || query || ') r' INTO found, rows;
    same := found IS NOT DISTINCT FROM scanned;
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP indexed := coalesce(indexed, substring(line FROM 'book_\w+')); END LOOP;
    SET LOCAL enable_seqscan = on; END $$;
CREATE TABLE query(number int GENERATED ALWAYS AS IDENTITY, code text);
INSERT INTO query (code) VALUES
    ('SELECT id FROM book WHERE title <@| text_ball((SELECT title FROM book WHERE id = 57), 0.6, ''character'')'),
    ('SELECT id FROM book WHERE title <@| text_ball(''snail northen Straßen 新编'', 0.5, ''character'')'),
    ('SELECT id FROM book WHERE title <@| text_ball(''x'', 0.5, ''character'')'),
    ('SELECT id FROM book WHERE title <@| text_ball('''', 0, ''character'')'),
    ('SELECT id FROM book WHERE title <@| ANY (ARRAY[text_ball(''atlas'', 0.4, ''character''), NULL, ''<0.1,atlas>''])'),
    ('SELECT a.id, b.id FROM book b JOIN book a ON a.title <@| text_ball(b.title, 0.5, ''character'') WHERE b.id % 9 = 0'),
    ('SELECT a.id, b.id FROM book b JOIN book a ON a.title <@| text_ball(b.title, 0.5, CASE WHEN b.id % 2 = 0 THEN ''word'' ELSE ''character'' END) WHERE b.id % 9 = 0'),
    ('SELECT id FROM book WHERE title <@| text_ball(''Snail northern Straßen'', 0.3)'),
    ('SELECT id FROM book WHERE title ~= ''x'''),
    ('SELECT id FROM book WHERE title IS NULL'),
    ('SELECT id FROM book WHERE title IS NOT NULL AND title <@| text_ball(''x'', 0.5, ''character'')'),
    ('SELECT id FROM book WHERE title <@| ANY (ARRAY[text_ball(''atlas'', 0.8, ''character''), ''<0.9 character,x>''])'),
    ('SELECT id FROM book WHERE title <@| ANY (ARRAY[text_ball(''atlas'', 0.8), ''<0.9,x>''])'),
    ('SELECT id FROM book WHERE title <@| ANY (ARRAY[text_ball((SELECT ''atlas''), 0.8), NULL])'),
    ('SELECT id FROM book WHERE title <@| ANY (ARRAY(SELECT text_ball(''atlas'', 0.8)))');
CREATE INDEX book_by_title ON book USING simhash (title simhash_title_ops);
ANALYZE book;
SELECT number, (check_search(code)).* FROM query ORDER BY number;
CREATE INDEX book_by_word ON book USING simhash (title);
ANALYZE book;
SELECT number, (check_search(code)).* FROM query ORDER BY number;
DROP INDEX book_by_title;
SELECT number, (check_search(code)).* FROM query ORDER BY number;
\echo '-- An unknown ball is assumed to be by words, whichever index is older.'
CREATE INDEX book_by_title ON book USING simhash (title simhash_title_ops);
SELECT number, (check_search(code)).* FROM query WHERE number > 12 ORDER BY number;
DROP INDEX book_by_title;
DROP INDEX book_by_word;
CREATE INDEX book_by_shelf ON book USING simhash (shelf, title simhash_title_ops);
SELECT number, (check_search(replace(code, 'WHERE', 'WHERE book.shelf = 0 AND'))).* FROM query WHERE number IN (1, 2, 8) ORDER BY number;
EXPLAIN (COSTS OFF) SELECT id FROM book WHERE shelf = 1 AND title COLLATE "C" <@| text_ball('snail', 0.5, 'character');

\echo '-- The class.'
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname IN ('simhash_title_ops', 'simhash_text_ball_ops') ORDER BY 1;
SELECT rows, heap_rows FROM simhash_index_check('book_by_shelf', true);
CREATE INDEX book_by_title ON book USING simhash (title simhash_title_ops);
SELECT value FROM simhash_index_stats('book_by_title') WHERE name = 'design_radius';
CREATE OPERATOR CLASS pg_temp.other_ops FOR TYPE text USING simhash AS
    OPERATOR 12 <@| (text, text_ball), FUNCTION 1 simhash_internal_text_sketch(text), STORAGE simhash;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'other_ops';
SELECT refused('CREATE INDEX ON book USING simhash (title pg_temp.other_ops)');

\echo '-- Constraints by balls, of either unit.'
CREATE TABLE kept (id int, title text, EXCLUDE USING simhash (text_ball(title, 0.6, 'character') WITH ~=));
INSERT INTO kept SELECT id, title FROM book ORDER BY id ON CONFLICT DO NOTHING;
SELECT count(*) AS kept, count(title) AS titles FROM kept;
SELECT count(*) AS refused, count(*) FILTER (WHERE EXISTS (SELECT FROM kept k WHERE near(b.title, k.title, .6, 11))) AS near FROM book b
    WHERE id NOT IN (SELECT id FROM kept);
SELECT count(*) AS both FROM kept a JOIN kept b ON a.id < b.id AND near(a.title, b.title, .6, 11);
INSERT INTO kept VALUES (2000, 'The quick brown fox');
INSERT INTO kept VALUES (2001, 'the quikc brown fox');
CREATE TABLE kept_text (body text, EXCLUDE USING simhash (text_ball(body, 0.5) WITH ~=));
INSERT INTO kept_text VALUES ('one two three four five six seven'), ('one two three four five six eight');
\echo '-- Balls meet if they are of one unit and each has the other''s text.'
SELECT a, b, a ~= b AS meet, b ~= a AS commuted FROM (VALUES
    ('<0.6 character,quick brown fox>'::text_ball, '<0.6 character,quikc brown fox>'::text_ball),
    ('<0.9 character,quick brown fox>', '<0.6 character,quikc brown fox>'), ('<0.6 character,fox>', '<0.6,fox>'), ('<0.6,fox>', '<0.9,FOX>'),
    ('<0,>', '<0,>')) v(a, b);
SELECT rows, heap_rows FROM simhash_index_check('kept_text_ball_excl', true);

\echo '-- A join of texts by words neither finds pairs by an index of words and one of titles, nor estimates by one of titles.'
CREATE TABLE first (id int, body text);
CREATE TABLE second (id int, body text);
INSERT INTO first SELECT f * 6 + v, (SELECT string_agg('w' || abs(hashint8(f * 100 + i)) % 3000, ' ') FROM generate_series(1, 40) i) || repeat(' x', v)
    FROM generate_series(1, 500) f, generate_series(1, 6) v;
INSERT INTO second SELECT id, body || ' y' FROM first WHERE id % 2 = 0;
CREATE INDEX first_words ON first USING simhash (body);
CREATE INDEX second_titles ON second USING simhash (body simhash_title_ops);
ANALYZE first, second;
CREATE FUNCTION planned(query text, name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan; RETURN plan -> 0 -> 'Plan' ->> name; END $$;
SELECT planned(join_of, 'Pairs of') AS pairs_of, (check_search(join_of)).rows
    FROM unnest('{SELECT a.id\, b.id FROM first a JOIN second b ON a.body ~= b.body,SELECT a.id\, b.id FROM first a JOIN second b ON b.body ~= a.body}'::text[]) join_of;
SET simhash.enable_join = off;
SELECT count(*) FROM first a JOIN second b ON a.body ~= b.body;
RESET simhash.enable_join;
CREATE INDEX second_words ON second USING simhash (body);
ANALYZE second;
SET enable_nestloop = off;
SET enable_seqscan = off;
SELECT planned('SELECT FROM first a JOIN second b ON a.body ~= b.body', 'Pairs of') AS pairs_of;
RESET enable_nestloop;
RESET enable_seqscan;
SELECT planned('SELECT FROM first a JOIN first b ON a.body ~= b.body AND a.id < b.id', 'Plan Rows') AS rows \gset
CREATE INDEX first_titles ON first USING simhash (body simhash_title_ops);
ANALYZE first;
SELECT abs(planned('SELECT FROM first a JOIN first b ON a.body ~= b.body AND a.id < b.id', 'Plan Rows')::float8 / :rows - 1) < 0.1 AS same_estimate,
    abs(planned('SELECT FROM first a JOIN first b ON a.body <@| text_ball(b.body, 0.6, ''character'') AND a.id < b.id', 'Plan Rows')::float8 / :rows - 1) > 0.1 AS other_estimate;
DROP TABLE book, kept, kept_text, first, second;
