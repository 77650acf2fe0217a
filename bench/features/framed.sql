-- The false matches that simhash_report expects in texts with a common frame, beside those that there are: pairs of which
-- neither is a copy of the other's text, or of the text that the other is a copy of. See README.md.
--
--   psql -f bench/features/framed.sql
CREATE EXTENSION IF NOT EXISTS simhash;
SELECT setseed(0.5);
-- 8,000 texts: words of one of so many frames, and words of their own. zipf: word number n is n times as rare as the first.
-- Each text has up to so many copies in which one to five of its own words are replaced.
CREATE TEMP TABLE kind (id int, frames int, frame_words int, fewest int, most int, vocabulary int, zipf bool, copies int, bits int);
INSERT INTO kind VALUES
    (1, 1, 120, 60, 60, 20000, false, 1, 64),
    (2, 1, 120, 60, 60, 20000, true, 1, 64),
    (3, 1, 300, 20, 200, 20000, true, 1, 64),
    (4, 1, 50, 200, 200, 20000, false, 1, 64),
    (5, 5, 120, 40, 100, 20000, true, 2, 64),
    (6, 20, 200, 40, 100, 20000, true, 5, 64),
    (7, 1, 0, 150, 150, 20000, true, 5, 64),
    (8, 1, 120, 60, 60, 20000, false, 1, 256),
    (9, 1, 150, 20, 200, 20000, true, 1, 256),
    (10, 5, 200, 40, 100, 20000, true, 2, 256);

CREATE FUNCTION pg_temp.word(vocabulary int, zipf bool) RETURNS text LANGUAGE sql VOLATILE AS
$$ SELECT 'w' || floor(CASE WHEN zipf THEN exp(random() * ln(vocabulary)) ELSE random() * vocabulary END)::int $$;

-- Fills page with texts of the kind, and returns what simhash_report states and what there is, for each radius.
CREATE FUNCTION pg_temp.compare(k kind) RETURNS TABLE (radius int, stated float8, measured float8, pairs float8) LANGUAGE plpgsql AS $$
DECLARE
    frame text;
    own text[];
    edited text[];
    texts int := 0;
    number int := 0;
BEGIN
    DROP TABLE IF EXISTS page;
    EXECUTE format('CREATE TEMP TABLE page (number int, h %s)', CASE k.bits WHEN 64 THEN 'simhash' ELSE format('bit(%s)', k.bits) END);
    WHILE texts < 8000 LOOP
        frame := floor(random() * k.frames);
        SELECT string_agg(format('f%s_%s', frame, i), ' ') INTO frame FROM generate_series(1, k.frame_words) i;
        SELECT array_agg(pg_temp.word(k.vocabulary, k.zipf)) INTO own FROM generate_series(1, k.fewest + floor(random() * (k.most - k.fewest + 1))::int);
        FOR copy IN 0..1 + floor(random() * k.copies)::int LOOP
            edited := own;
            FOR edit IN 1..CASE copy WHEN 0 THEN 0 ELSE 1 + floor(random() * 5)::int END LOOP
                edited[1 + floor(random() * cardinality(own))::int] := pg_temp.word(k.vocabulary, k.zipf);
            END LOOP;
            EXECUTE format('INSERT INTO page SELECT $1, %s($2%s)', CASE k.bits WHEN 64 THEN 'to_simhash' ELSE 'to_signature' END,
                CASE k.bits WHEN 64 THEN '' ELSE format(', bits => %s', k.bits) END) USING number, concat_ws(' ', frame, array_to_string(edited, ' '));
            texts := texts + 1;
        END LOOP;
        number := number + 1;
    END LOOP;
    CREATE TEMP TABLE unrelated ON COMMIT DROP AS SELECT (x.h <@> y.h)::int AS distance, count(*) AS n FROM page x JOIN page y ON x.number < y.number GROUP BY 1;
    RETURN QUERY SELECT s.item::int, s.value, 2.0::float8 * sum(n) / texts, sum(n)::float8
        FROM simhash_report('page', 'h', details => true) s JOIN unrelated ON distance <= s.item::int WHERE topic = 'false matches' GROUP BY 1, 2;
    DROP TABLE unrelated;
END $$;

-- At radii for which at least 100 pairs were counted.
SELECT kind.*, radius, stated, round(measured::numeric, 3) AS measured, round((stated / measured)::numeric, 2) AS ratio
FROM kind, LATERAL (SELECT * FROM pg_temp.compare(kind) WHERE pairs >= 100 ORDER BY radius LIMIT 5) c ORDER BY id, radius;
