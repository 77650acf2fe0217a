\set ECHO none
-- The versions of stored and binary forms. A value of a later version, or a damaged one, is refused; nothing else happens.
CREATE TABLE sample (number serial, type regtype, value text);
INSERT INTO sample (type, value) VALUES
    ('simhash_weights', (to_simhash_weights('a b c'))::text),
    ('simhash_ball', '<0123456789abcdef,3>'), ('simhash_ball', '<0123456789abcdef,-1>'),
    ('simhash_ball', simhash_ball(to_simhash_weights('a b c'), 64, 0.5, 7)::text), ('simhash_ball', simhash_ball(to_simhash_weights('a b c'), -1)::text),
    ('signature_ball', '<x0123456789abcdef01,3,0.5,7>'), ('signature_ball', '<01101,4,0.25,0,[0.5,-1,2,0,3]>'),
    ('feature_frequencies', '<word,2,9,1,{0000000000000001:9,0123456789abcdef:1}>');
UPDATE pg_type SET typalign = 'i' WHERE oid = 'signature_ball'::regtype; -- like bytea
CREATE CAST (bytea AS simhash_weights) WITHOUT FUNCTION;
CREATE CAST (bytea AS simhash_ball) WITHOUT FUNCTION;
CREATE CAST (bytea AS signature_ball) WITHOUT FUNCTION;
CREATE CAST (bytea AS feature_frequencies) WITHOUT FUNCTION;
CREATE CAST (simhash_weights AS bytea) WITHOUT FUNCTION;
CREATE CAST (simhash_ball AS bytea) WITHOUT FUNCTION;
CREATE CAST (signature_ball AS bytea) WITHOUT FUNCTION;
CREATE CAST (feature_frequencies AS bytea) WITHOUT FUNCTION;

-- The value as text, or the error.
CREATE FUNCTION outcome(query text, given text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text; hint text;
BEGIN
    IF query LIKE 'COPY%' THEN
        EXECUTE query;
    ELSE
        EXECUTE query INTO result USING given;
    END IF;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN SQLSTATE || ': ' || SQLERRM || CASE hint WHEN '' THEN '' ELSE ' ' || hint END;
END $$;
CREATE FUNCTION stored(type regtype, form bytea) RETURNS text LANGUAGE sql AS
    $$ SELECT outcome(format('SELECT $1::bytea::%s', type), form::text) $$;
CREATE TABLE sent (form bytea);
CREATE FUNCTION received(type regtype, form bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE file text := current_setting('data_directory') || '/forms'; result text;
BEGIN
    TRUNCATE sent;
    INSERT INTO sent VALUES (form);
    EXECUTE format('COPY sent TO %L (FORMAT binary); DROP TABLE IF EXISTS taken; CREATE TABLE taken (v %s)', file, type);
    result := outcome(format('COPY taken FROM %L (FORMAT binary)', file));
    RETURN COALESCE(result, (SELECT v::text FROM taken));
END $$;
SET client_min_messages = warning;
CREATE TABLE form AS SELECT *, 0 AS at, ''::bytea AS stored, ''::bytea AS sent FROM sample LIMIT 0;
DO $$
DECLARE s sample;
BEGIN
    FOR s IN SELECT * FROM sample LOOP
        EXECUTE format('INSERT INTO form SELECT $1, $2, $3, 0, v::bytea, %I(v) FROM (SELECT $3::%s AS v) v',
            (SELECT typsend FROM pg_type WHERE oid = s.type), s.type) USING s.number, s.type, s.value;
    END LOOP;
END $$;
UPDATE form SET at = CASE type WHEN 'signature_ball'::regtype THEN 24 ELSE 0 END;

\echo '-- what each is'
SELECT type, length(stored) AS stored_bytes, get_byte(stored, at) AS version, length(sent) AS sent_bytes, get_byte(sent, 0) AS version_sent FROM form ORDER BY number;
SELECT number FROM form WHERE stored(type, stored) <> value OR received(type, sent) <> value;
\echo '-- another version'
SELECT DISTINCT stored(type, set_byte(stored, at, 2)), received(type, set_byte(sent, 0, 2)) FROM form ORDER BY 1, 2;
SELECT DISTINCT stored(type, set_byte(stored, at, 0)) FROM form ORDER BY 1;
\echo '-- a byte more or less'
SELECT DISTINCT left(stored(type, substr(stored, 1, length(stored) - 1)), 5), left(stored(type, stored || '\x00'), 5),
    left(received(type, substr(sent, 1, length(sent) - 1)), 5), left(received(type, sent || '\x00'), 5) FROM form;
SELECT DISTINCT left(stored(type, substr(stored, 1, n)), 5), left(received(type, substr(sent, 1, n)), 5)
    FROM form, generate_series(0, 40) n WHERE n < least(length(stored), length(sent)) ORDER BY 1, 2;
\echo '-- any damage'
SELECT count(*) > 1000 AS tried, count(*) FILTER (WHERE NOT (outcome ~ '^(<|\[|0A000:|XX001:|22P03:|08P01:)')) AS strange
FROM form, generate_series(0, 30) place, unnest('{0,1,2,127,128,255}'::int[]) byte,
    LATERAL (SELECT CASE WHEN place < length(sent) THEN received(type, set_byte(sent, place, byte)) END
             UNION ALL SELECT CASE WHEN place < length(stored) AND type <> 'feature_frequencies'::regtype AND (type <> 'signature_ball'::regtype OR place = at)
                 THEN stored(type, set_byte(stored, place, byte)) END) o(outcome) WHERE outcome IS NOT NULL;

\echo '-- A ball in a table is packed, compressed or elsewhere: it is the same one, for the operator, an index and every function.'
CREATE TABLE ball (id int, way text, b simhash_ball, filler text);
ALTER TABLE ball ALTER filler SET STORAGE plain;
CREATE FUNCTION fill(way text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE ball ALTER b SET STORAGE %s', way);
    INSERT INTO ball SELECT i, way, CASE WHEN i % 2 = 0 THEN simhash_ball(to_simhash('text ' || i), 3)
        ELSE simhash_ball((SELECT array_agg((i * j) % 1000003) FROM generate_series(1, 64) j)::real[]::simhash_weights, 20, 0.9, 3) END
        , repeat('x', CASE way WHEN 'main' THEN 0 ELSE 3000 END)
    FROM generate_series(1, 40) i;
END $$;
SELECT fill('main'), fill('external'), fill('extended');
SELECT (SELECT count(*) FROM (SELECT DISTINCT b FROM ball) d), count(DISTINCT b::text), count(DISTINCT simhash_internal_hash(b)), count(*) FROM ball;
SELECT way, min(pg_column_size(b)), max(pg_column_size(b)) FROM ball GROUP BY way ORDER BY way;
SELECT count(*) > 0 AS "out of line" FROM pg_class, LATERAL (SELECT pg_relation_size(reltoastrelid) AS bytes) t WHERE relname = 'ball' AND bytes > 0;
SELECT count(*) FROM ball x JOIN ball y USING (id) WHERE x.b <> y.b OR simhash_internal_ball_send(x.b) <> simhash_internal_ball_send(y.b);
CREATE TABLE page AS SELECT i AS id, to_simhash('text ' || i % 300) AS h FROM generate_series(1, 3000) i;
CREATE INDEX page_h ON page USING simhash (h);
SET enable_seqscan = off;
SELECT way, sum((SELECT count(*) FROM page WHERE h <@| b)) FROM ball WHERE id % 2 = 0 GROUP BY way ORDER BY way;
SELECT way, sum((SELECT count(*) FROM simhash_index_trace('page_h', b) p WHERE p.recall IS NOT NULL)) > 0 AS by_weights FROM ball GROUP BY way, id % 2 ORDER BY 1, 2;
RESET enable_seqscan;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT way, sum((SELECT count(*) FROM page WHERE h <@| b)) FROM ball WHERE id % 2 = 0 GROUP BY way ORDER BY way;
DROP TABLE IF EXISTS sample, form, sent, taken, ball, page;
DROP CAST (bytea AS simhash_weights);
DROP CAST (bytea AS simhash_ball);
DROP CAST (bytea AS signature_ball);
DROP CAST (bytea AS feature_frequencies);
DROP CAST (simhash_weights AS bytea);
DROP CAST (simhash_ball AS bytea);
DROP CAST (signature_ball AS bytea);
DROP CAST (feature_frequencies AS bytea);
UPDATE pg_type SET typalign = 'd' WHERE oid = 'signature_ball'::regtype;
DROP FUNCTION outcome, stored, received, fill;
