\set ECHO none
-- Equality, order and hashes of weights, balls, features and frequencies.

-- Different values of each type, in order, and another text of the first.
CREATE TABLE sample (type regtype, value text[], again text);
INSERT INTO sample VALUES
    ('simhash_weights', (SELECT array_agg(format('[%s%s]', w, repeat(',0', 63))) FROM unnest('{-7,-1.5,0,1,2,300,70000}'::text[]) w)
        || format('[%s7]', repeat('70000,', 63)), '[-7.0' || repeat(', 0', 63) || ']'),
    ('simhash_ball', '{"<0000000000000001,-1>","<0000000000000001,0>","<0000000000000001,3>","<8000000000000000,0>","<ffffffffffffffff,64>"}',
        '<0000000000000001, -1>'),
    ('simhash_ball', (SELECT array_agg(CASE WHEN terms = '3' THEN '<ffffffffffffffff,3>' ELSE format('<[%s%s],%s>', w, repeat(',0', 63), terms) END
            ORDER BY w <> '-1', n, w::int)
        FROM unnest('{-1,0,5}'::text[]) w, unnest('{"-1,0.5,0",3,"3,0.25,7","3,0.5,0","3,0.5,9","3,1,0","64,1,0"}'::text[]) WITH ORDINALITY t(terms, n)
        WHERE terms <> '3' OR w = '0'),
        '<[-1.0' || repeat(',0', 63) || '],-1,0.50,0>'),
    ('signature_ball', ARRAY['<,-1,1,0>', '<,0,1,0>', '<0,0,1,0>', '<1,0,1,0>', '<01,-1,1,0>', '<01,0,0.5,0>', '<01,0,1,0>', '<01,0,1,0,[-1,0]>',
        '<01,0,1,0,[0,0]>', '<01,0,1,0,[0,2]>', '<01,0,1,1>', '<10,2,1,0>']
        || format('<%s,64,1,0,[%s]>', repeat('0', 4096), substr(repeat(',1', 4096), 2))
        || format('<%s1,64,1,0,[%s]>', repeat('0', 4095), substr(repeat(',1', 4096), 2)),
        '< ,-1, 1.0, 0>'),
    ('feature_frequencies', ARRAY['<word,1,0,0,{}>', '<word,1,9,0,{}>', '<word,1,9,0,{0000000000000001:9}>', '<word,1,9,0,{0000000000000001:9,00000000000000ff:1}>',
        '<word,1,9,0,{0000000000000001:9,00000000000000ff:2}>', '<word,1,9,1,{}>', '<word,2,9,0,{}>', '<character,2,9,0,{}>']
        || (SELECT format('<given,1,2,0,{%s}>', string_agg(lpad(to_hex(i), 16, '0') || ':1', ',' ORDER BY i)) FROM generate_series(1, 20000) i)
        || (SELECT format('<given,1,2,0,{%s:2}>', string_agg(lpad(to_hex(i), 16, '0'), ':1,' ORDER BY i)) FROM generate_series(1, 20000) i),
        '<word,1,0,0,{}>'),
    ('feature_vector', ARRAY['<counts,{}>', '<counts,{0000000000000001:1}>', '<counts,{0000000000000001:2}>', '<counts,{8000000000000000:1}>',
        '<counts,{0000000000000001:1,0000000000000002:1}>', '<weights,{}>', '<weights,{0000000000000001:-0.5}>', '<weights,{0000000000000001:2}>'],
        '<counts,{}>'),
    ('text_ball', ARRAY['<0.5,b>', '<0.5,ab>', '<0.5,ac>', '<0.5,' || repeat('ab', 4000) || '>', '<0.5,' || repeat('ab', 3999) || 'ac>',
        '<0.5 character,b>', '<0.8,>', '<1,a>'], '<0.50,b>');

\echo '-- What is wrong with a type. Its values are stored in every way that PostgreSQL has.'
CREATE FUNCTION faults(type regtype, value text[], again text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    distinct_values int := cardinality(value);
    storage text := CASE WHEN (SELECT typlen FROM pg_type WHERE oid = type) = -1 THEN 'external' ELSE 'plain' END;
    query text;
    found bigint;
BEGIN
    EXECUTE format('CREATE TABLE a (n int, v %1$s); CREATE TABLE b (n int, v %1$s);
        ALTER TABLE b ALTER v SET STORAGE %2$s', type, storage);
    EXECUTE format('INSERT INTO a SELECT n, v::%s FROM unnest($1) WITH ORDINALITY u(v, n)', type) USING value;
    INSERT INTO b SELECT * FROM a UNION ALL SELECT * FROM a;
    EXECUTE format('INSERT INTO b SELECT 1, $1::%s', type) USING again;
    FOREACH query IN ARRAY ARRAY[
        'SELECT count(*) FROM a x, a y WHERE (x.v = y.v) <> (x.n = y.n) OR (x.v <> y.v) <> (x.n <> y.n)',
        'SELECT count(*) - $1 FROM (SELECT DISTINCT v FROM b) s',
        'SELECT count(*) - $1 FROM (SELECT DISTINCT b FROM b) s',
        'SELECT count(*) - $1 FROM (SELECT v FROM a UNION SELECT v FROM b) s',
        'SELECT count(*) FROM (SELECT v FROM b EXCEPT SELECT v FROM a) s',
        'SELECT count(*) - $1 FROM (SELECT v FROM b GROUP BY v HAVING count(*) = CASE WHEN min(n) = 1 THEN 3 ELSE 2 END) s',
        'SELECT count(*) FROM b JOIN a USING (n) WHERE a.v IS DISTINCT FROM b.v OR a IS DISTINCT FROM b OR ROW(a.v) <> ROW(b.v) OR NOT a.v = ANY (ARRAY[b.v])',
        'SELECT count(*) - 2 * $1 - 1 FROM a JOIN b USING (v)',
        'SELECT count(*) - 2 * $1 - 1 FROM b JOIN a ON b.v = a.v',
        'SELECT count(*) - $1 FROM (SELECT DISTINCT v, n::bit(96), n::text::tsvector FROM b) s',
        'SELECT count(*) FROM a x, a y WHERE (x.v < y.v) <> (x.n < y.n)
            OR (x.v <= y.v) <> (x.n <= y.n) OR (x.v > y.v) <> (x.n > y.n) OR (x.v >= y.v) <> (x.n >= y.n)',
        'SELECT count(DISTINCT v) - $1 FROM b',
        'SELECT count(*) FROM (SELECT n, row_number() OVER (ORDER BY v) r FROM a) s WHERE n <> r']
    LOOP
        FOR plan IN 0 .. 2 LOOP
            PERFORM set_config('enable_hashagg', (plan IN (0, 1))::text, true), set_config('enable_hashjoin', (plan = 0)::text, true),
                set_config('enable_mergejoin', (plan = 1)::text, true), set_config('enable_nestloop', (plan = 2)::text, true);
            EXECUTE query INTO found USING distinct_values;
            IF found <> 0 THEN
                RETURN NEXT format('%s: %s, plan %s: %s', type, query, plan, found);
            END IF;
        END LOOP;
    END LOOP;
    -- Indexes. A value must fit into a btree's page.
    CREATE INDEX ON b USING hash (v);
    CREATE TABLE d AS SELECT * FROM a WHERE pg_column_size(v) <= 2000;
    CREATE UNIQUE INDEX ON d (v);
    INSERT INTO d SELECT * FROM b WHERE pg_column_size(v) <= 2000 ON CONFLICT (v) DO NOTHING;
    PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_nestloop', 'on', true), set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true);
    EXECUTE 'SELECT count(*) FROM d WHERE (SELECT count(*) FROM b WHERE b.v = d.v) <> CASE n WHEN 1 THEN 3 ELSE 2 END
        OR (SELECT count(*) FROM d x WHERE x.v <= d.v) <> n' INTO found;
    IF found <> 0 THEN
        RETURN NEXT format('%s: indexes: %s', type, found);
    END IF;
    DROP TABLE a, b, d;
    PERFORM set_config('enable_seqscan', 'on', true);
END $$;
SELECT type, cardinality(value), f.* FROM sample LEFT JOIN LATERAL faults(type, value, again) f ON true ORDER BY type::text, cardinality;

\echo '-- A hash must never change, on any machine.'
SELECT simhash_internal_hash('0123456789abcdef'::simhash), simhash_internal_hash(to_simhash_weights('a b')), simhash_internal_hash('<0123456789abcdef,3>'::simhash_ball),
    simhash_internal_hash(simhash_ball(to_simhash_weights('a b'), 3, 0.5)), simhash_internal_hash(('<x0123456789abcdef01,3,0.5,7,[' || repeat('0.5,', 71) || '-1]>')::signature_ball),
    simhash_internal_hash('<word,1,9,0,{0000000000000001:9,0123456789abcdef:1}>'::feature_frequencies),
    simhash_internal_hash('<weights,{0000000000000001:-0.5}>'::feature_vector), simhash_internal_hash('<0.5 character,ab>'::text_ball);
SELECT simhash_internal_hash_extended('0123456789abcdef', 42);

\echo '-- Other stored forms of the same weights, and a zero with a sign.'
CREATE CAST (bytea AS simhash_weights) WITHOUT FUNCTION;
CREATE TABLE form (w simhash_weights);
INSERT INTO form SELECT decode(header || repeat(body, 64), 'hex')::simhash_weights
    FROM (VALUES ('01010100', '01'), ('01000100', '02'), ('01000800', repeat('00', 8)), ('01030100', '00')) v(header, body);
SELECT count(*), count(DISTINCT w), count(DISTINCT simhash_internal_hash(w)), count(DISTINCT w::text) FROM form;
DROP CAST (bytea AS simhash_weights);
SELECT a = b AS equal, simhash_internal_hash(a) = simhash_internal_hash(b) AS same_hash FROM (VALUES
    ('<01,0,1,0,[0,-0]>'::signature_ball, '<01,0,1,0,[-0,0]>'::signature_ball)) v(a, b);

\echo '-- Every type, but for domains, whose base types are PostgreSQL''s, can be hashed and sorted.'
SELECT t.typname, array_agg(amname ORDER BY amname) FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
    LEFT JOIN (pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod) ON c.opcintype = t.oid AND c.opcdefault AND amname IN ('btree', 'hash') AND amvalidate(c.oid)
WHERE t.typtype = 'b' AND t.typelem = 0 GROUP BY 1 ORDER BY 1;
SELECT proname FROM pg_amproc p JOIN pg_proc f ON f.oid = p.amproc JOIN pg_type t ON t.oid = p.amproclefttype
    JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.deptype = 'e'
WHERE proname ~ '^simhash_internal_(cmp|hash|hash_extended)$' AND NOT (proleakproof AND proparallel = 's' AND provolatile = 'i' AND proisstrict);

\echo '-- Usual statements.'
CREATE TABLE page (id int PRIMARY KEY, w simhash_weights, b simhash_ball, n int);
INSERT INTO page VALUES (1, to_simhash_weights('a'), '<0000000000000001,3>', 0), (2, NULL, NULL, 0);
CREATE FUNCTION changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% changed', NEW.id; RETURN NEW; END $$;
CREATE TRIGGER changed BEFORE UPDATE ON page FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION changed();
UPDATE page SET n = 0;
UPDATE page SET n = 1 WHERE id = 1;
INSERT INTO page VALUES (1, to_simhash_weights('b'), NULL, 1) ON CONFLICT (id) DO UPDATE SET w = excluded.w WHERE page.w IS DISTINCT FROM excluded.w;
INSERT INTO page VALUES (1, to_simhash_weights('b'), NULL, 1) ON CONFLICT (id) DO UPDATE SET w = excluded.w WHERE page.w IS DISTINCT FROM excluded.w;
ANALYZE page;
SELECT n_distinct FROM pg_stats WHERE tablename = 'page' AND attname = 'w';
DROP TABLE page, form, sample;
