\set ECHO none
-- text ~= text and text <@| text_ball, without an index.
SELECT simhash_internal_text_sketch('To be, or not to be'), to_minhash('To be, or not to be', 'word', 2, 64)::simhash,
    simhash_internal_text_sketch('... !') AS none;

\echo '-- Texts of one to three words are near if they have the same words.'
SELECT 'One TWO!'::text ~= 'one two' AS same, 'one two three'::text ~= 'one two' AS other, ''::text ~= '' AS empty,
    '!!!'::text ~= '!!!' AS no_words, NULL::text ~= 'a' AS unknown;

\echo '-- The answers are those of the definition, for texts of any length, in both orders, whichever text is kept.'
CREATE FUNCTION near(a text, b text, similarity float8, bits int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(feature_jaccard(a, b, 'word', 3) >= similarity
        AND to_minhash(a, 'word', 2, 64)::simhash <@> to_minhash(b, 'word', 2, 64)::simhash <= bits, false) $$;
CREATE TABLE t (id int PRIMARY KEY, body text);
ALTER TABLE t ALTER body SET STORAGE EXTERNAL;
\echo '-- Families of eight: a text of 2 to 120 words, or of 2,000, and copies with 0 to 4 changes for each 25 words.'
INSERT INTO t SELECT f * 8 + v, string_agg(CASE WHEN hashint8extended(w, f * 100 + v) & 127 < v * (1 + f % 3)
        THEN 'new' || v || w ELSE 'w' || (hashint8extended(w, f) & 1023) END, ' ' ORDER BY w)
    FROM generate_series(0, 24) f, generate_series(0, 7) v,
        generate_series(1, CASE WHEN f % 8 = 7 THEN 2000 ELSE 2 + f * 5 END) w GROUP BY f, v;
INSERT INTO t VALUES (1000, ''), (1001, '...'), (1002, repeat('again ', 5000)), (1003, 'again'), (1004, NULL);
SELECT count(*) FILTER (WHERE a.body ~= b.body) AS near, count(*) AS pairs,
    count(*) FILTER (WHERE (a.body ~= b.body) IS DISTINCT FROM near(a.body, b.body, .8, 8)) AS wrong
    FROM t a, t b WHERE a.id < 1004 AND b.id < 1004 AND (a.id / 8 = b.id / 8 OR (a.id * 7 + b.id) % 20 = 0 OR a.id > 999);
SELECT count(*) FILTER (WHERE (a.body ~= b.body) IS DISTINCT FROM (b.body ~= a.body)) AS asymmetric,
    count(*) FILTER (WHERE (a.body COLLATE "C" ~= b.body COLLATE "C") IS DISTINCT FROM (a.body ~= b.body)) AS collation
    FROM t a, t b WHERE a.id / 8 = b.id / 8;
\echo '-- Texts with a sixth left out at one end have a Jaccard index just above the threshold: 5 to 12 % are lost (doc/texts.md).'
SELECT words, 1 - avg((array_to_string(w, ' ') ~= array_to_string(w[: words * 5 / 6], ' '))::int) BETWEEN .045 AND .125 AS lost
FROM unnest('{12,18,24,60,120,240}'::int[]) words, generate_series(1, 400) i,
    LATERAL (SELECT array_agg(md5(words || ' ' || i || ' ' || j)) FROM generate_series(1, words) j) t(w)
GROUP BY words ORDER BY words;

\echo '-- A text is a set of shingles: what it says twice counts once.'
CREATE TABLE twice AS SELECT id, body, array_to_string(w[1 : n] || w[1 : n], ' ') AS again
    FROM t, string_to_array(body, ' ') w, LATERAL (SELECT (cardinality(w) * 0.8)::int) n(n) WHERE id < 1000 AND id / 8 >= 10;
SELECT count(*) AS pairs, count(*) FILTER (WHERE (body ~= again) IS DISTINCT FROM near(body, again, .8, 8)) AS wrong,
    count(*) FILTER (WHERE (again <@| text_ball(body, .8)) IS DISTINCT FROM near(body, again, .8, 8)) AS wrong,
    count(*) FILTER (WHERE NOT body ~= again AND to_minhash(body, 'word', 2, 64)::simhash <@> to_minhash(again, 'word', 2, 64)::simhash <= 8) > 20 AS some_by_words
    FROM twice;
\echo '-- The query on either side, as a parameter, as a row, and varchar.'
SELECT id FROM t WHERE body ~= (SELECT body FROM t WHERE id = 56) ORDER BY id;
SELECT id FROM t WHERE (SELECT body FROM t WHERE id = 56) ~= body ORDER BY id;
SELECT a.id FROM t q, t a WHERE q.id = 56 AND a.body::varchar ~= q.body::varchar(100000) ORDER BY a.id;
\echo '-- A kept text is known by its pointer no longer than it is stored.'
CREATE TABLE as_long (id int, body text);
ALTER TABLE as_long ALTER body SET STORAGE EXTERNAL;
INSERT INTO as_long SELECT i, string_agg(md5((i * 100 + j)::text), ' ') FROM generate_series(1, 3) i, generate_series(1, 100) j GROUP BY i;
SELECT count(*) FILTER (WHERE (a.body ~= b.body) = (a.id = b.id)) AS right FROM as_long a, as_long b;
BEGIN;
SELECT count(*) FROM t WHERE body ~= (SELECT body FROM t WHERE id = 56);
UPDATE t SET body = (SELECT body FROM t WHERE id = 120) WHERE id = 56;
SELECT count(*) FROM t WHERE body ~= (SELECT body FROM t WHERE id = 56);
ROLLBACK;
SELECT count(*) FROM t WHERE body ~= (SELECT body FROM t WHERE id = 56);

\echo '-- Other thresholds.'
SELECT text_ball('Some, text > here', similarity => 0.6), '<0.6,Some, text > here>'::text_ball, text_ball('', 1);
SELECT count(*) FILTER (WHERE a.body <@| text_ball(b.body, s)) AS near, count(*) AS pairs,
    count(*) FILTER (WHERE (a.body <@| text_ball(b.body, s)) IS DISTINCT FROM near(a.body, b.body, s, bits)) AS wrong
    FROM t a, t b, (VALUES (1.0::float8, 0), (.95, 3), (.9, 5), (.8, 8), (.7, 12), (.6, 16), (.5, 20), (0, 64)) v(s, bits)
    WHERE a.id < 1004 AND b.id < 1004 AND (a.id / 8 = b.id / 8 OR (a.id + b.id) % 50 = 0);
SELECT count(*) FROM t a, t b WHERE a.id / 8 = b.id / 8 AND (a.body ~= b.body) <> (a.body <@| text_ball(b.body, .8));
SELECT text_ball('a', -0.1);
SELECT text_ball('a', 'NaN');
\echo '-- With one argument it is a cast.'
SELECT text_ball('Some text');
SELECT '<2,a>'::text_ball;
SELECT '<.5>'::text_ball;
SELECT '<.5,a'::text_ball;
CREATE TABLE balls AS SELECT id, text_ball(body, .7) AS ball FROM t WHERE id < 1004;
SELECT count(*) FROM balls WHERE ball::text::text_ball::text <> ball::text OR ball::text <> '<0.7,' || (SELECT body FROM t WHERE t.id = balls.id) || '>';
CREATE TABLE copied (LIKE balls);
SELECT current_setting('data_directory') || '/near_texts.copy' AS file \gset
COPY balls TO :'file' (FORMAT binary);
COPY copied FROM :'file' (FORMAT binary);
SELECT 'rm ' || :'file' AS remove \gset
COPY (SELECT WHERE false) TO PROGRAM :'remove';
SELECT count(*) AS copied, count(*) FILTER (WHERE c.ball::text = b.ball::text) AS equal FROM copied c JOIN balls b USING (id);
SELECT '<0x1p-1,x>'::text_ball;
SELECT '< 0.5,x>'::text_ball;
SELECT '<nan,x>'::text_ball;
SELECT ('<2,' || repeat('x', 1000) || '>')::text_ball;
SELECT simhash_internal_text_ball_send('<0.5,ab>');
SELECT count(*) AS balls, count(*) FILTER (WHERE (a.ball = b.ball) = (a.ball::text = b.ball::text)) AS right,
    count(*) FILTER (WHERE a.ball = b.ball AND simhash_internal_hash(a.ball) = simhash_internal_hash(b.ball)) AS equal,
    count(DISTINCT simhash_internal_hash(b.ball)) AS hashes
    FROM (SELECT id, ball FROM balls UNION ALL SELECT id, text_ball(body, .75) FROM t WHERE id < 100 AND id <> 56) a, balls b
    WHERE a.id / 8 = b.id / 8 OR a.id = b.id + 1;
SELECT text_ball('a', 0) = text_ball('a', -0.0), text_ball('a', 0.5) <> text_ball('a', 0.6), simhash_internal_hash('<0.5,some text>'::text_ball);

\echo '-- Estimates: a few rows.'
CREATE FUNCTION estimate(condition text) RETURNS int LANGUAGE plpgsql AS $$ DECLARE line text; BEGIN
    EXECUTE 'EXPLAIN SELECT FROM t ' || condition INTO line;
    RETURN substring(line FROM 'rows=(\d+)'); END $$;
INSERT INTO t SELECT i, 'text ' || i FROM generate_series(2000, 11999) i;
ANALYZE t;
SELECT estimate('WHERE body ~= ''some text'''), estimate('WHERE body ~= (SELECT ''some text''::text)'),
    estimate('WHERE body <@| text_ball(''some text'', 0.8)'), estimate('WHERE body <@| text_ball(''some text'', 0.5)'),
    estimate('WHERE body <@| (SELECT text_ball(''some text'', 0.5))'), estimate('WHERE body ~= NULL'),
    estimate(', t b WHERE t.body ~= b.body');
