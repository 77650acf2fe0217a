-- Writes doc/objects.md: all objects of simhash, by subject, from the catalogue of a database that has it in the
-- schema public.
--
--   psql -XAtq -f tools/objects.sql database >doc/objects.md
--
-- A name belongs to the last subject whose pattern matches it. An object without a description is an error, and so is a
-- function without an example, or with an argument that is not explained. Examples are run, and their results written.
BEGIN;
SET LOCAL search_path = public;

CREATE TEMP TABLE subject (place int, title text, pattern text);
INSERT INTO subject VALUES
    (1, 'Features of documents', '^(to_features|features|features_from_hashes|feature_vector)$'),
    (2, 'Fingerprints', '^(to_simhash|simhash_agg|simhash_project|simhash$)'),
    (3, 'Weights of fingerprints', '^(to_simhash_weights|simhash_weights|simhash_project_weights|simhash_volatility|simhash_cosine|\+$)'),
    (4, 'Signatures', '^(to_signature|signature_)'),
    (5, 'Min-hash', '^(to_minhash|minhash_)'),
    (6, 'Hamming distance', '^(hamming_|simhash_ball|<@>|<@\||~=)'),
    (7, 'Exact measures of features', '^feature_(jaccard|containment|cosine)$'),
    (8, 'Index: statistics, checks, searches explained', '^(simhash_index_|simhash_report$)'),
    (9, 'Pairs and groups', '^simhash_(group|pair_groups|pair_sample)$'),
    (10, 'Routing to tables and servers', '^simhash_(blocks|first_block|block_pairs)$'),
    (13, 'Weights by rarity', '^feature_(frequenc|rarity)'),
    (14, 'Near-duplicate texts', '^text(_ball| ~= | <@\| )');
CREATE TEMP TABLE member AS
    SELECT classid, objid FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
        AND refobjid IN (SELECT oid FROM pg_extension WHERE extname = 'simhash');
-- Arguments with their defaults; of long ones, the beginning.
CREATE FUNCTION pg_temp.shown_arguments(function oid) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(regexp_replace(replace(pg_get_function_arguments(function), ' DEFAULT ', ' = '), '(= \S{1,40})::[a-z\[\]]+( precision)?', '\1', 'g'),
        $re$= ('[^']{20})[^']*'$re$, '= \1…''', 'g') $$;
CREATE TEMP TABLE object AS
    SELECT CASE prokind WHEN 'a' THEN 'aggregate' WHEN 'w' THEN 'window function' ELSE 'function' END AS kind, proname::text AS name,
        format('%s(%s)', proname, regexp_replace(pg_temp.shown_arguments(p.oid), '(, )?OUT .*', '')) AS form,
        CASE WHEN proargmodes IS NULL THEN pg_get_function_result(p.oid)
             ELSE CASE WHEN proretset THEN 'rows ' ELSE '' END || '(' || substring(replace(pg_temp.shown_arguments(p.oid), 'OUT ', ''),
                 1 + length(regexp_replace(pg_temp.shown_arguments(p.oid), '(, )?OUT .*', '')) + CASE WHEN pronargs > 0 THEN 2 ELSE 0 END) || ')' END AS result,
        proname LIKE 'simhash\_internal\_%' AS internal, p.oid AS function, obj_description(p.oid, 'pg_proc') AS description
    FROM pg_proc AS p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid
    UNION ALL
    SELECT CASE typtype WHEN 'd' THEN 'domain' ELSE 'type' END, typname, typname, NULL, false, NULL, obj_description(t.oid, 'pg_type')
    FROM pg_type AS t JOIN member ON classid = 'pg_type'::regclass AND objid = t.oid WHERE typelem = 0 OR typtype = 'd'
    UNION ALL
    SELECT 'operator', oprname, format('%s %s %s', oprleft::regtype, oprname, oprright::regtype), oprresult::regtype::text, oprname IN ('=', '<>', '<', '<=', '>', '>='), NULL,
        obj_description(o.oid, 'pg_operator')
    FROM pg_operator AS o JOIN member ON classid = 'pg_operator'::regclass AND objid = o.oid
    UNION ALL
    SELECT 'cast', castsource::regtype::text, format('%s AS %s', castsource::regtype, casttarget::regtype), NULL, true, NULL, obj_description(c.oid, 'pg_cast')
    FROM pg_cast AS c JOIN member ON classid = 'pg_cast'::regclass AND objid = c.oid
    UNION ALL
    SELECT 'operator class', opcname, format('%s for %s using %s', opcname, opcintype::regtype, amname), NULL, true, NULL, obj_description(c.oid, 'pg_opclass')
    FROM pg_opclass AS c JOIN member ON classid = 'pg_opclass'::regclass AND objid = c.oid JOIN pg_am ON pg_am.oid = opcmethod
    UNION ALL
    SELECT 'access method', amname, amname, NULL, true, NULL, obj_description(a.oid, 'pg_am')
    FROM pg_am AS a JOIN member ON classid = 'pg_am'::regclass AND objid = a.oid;
ALTER TABLE object ADD place int;
UPDATE object SET place = (SELECT max(s.place) FROM subject AS s WHERE CASE kind WHEN 'operator' THEN name ~ pattern OR form ~ pattern ELSE name ~ pattern END);
-- Raises an error if an object has no description, or no subject.
SELECT CASE WHEN description IS NULL OR NOT internal AND place IS NULL THEN (kind || ' ' || form || ' has no description or no subject')::int END
    FROM object WHERE description IS NULL OR NOT internal AND place IS NULL;

-- What arguments mean, by subject; 0 for all subjects. Those without a name are called by their types.
CREATE TEMP TABLE argument (place int, names text[], meaning text);
INSERT INTO argument VALUES
    (0, '{document}', 'a `text`, of which Unicode''s compatibility forms and cases are made equal and words taken, or a `tsvector` of lexemes'),
    (0, '{unit,size}', 'features are runs of `size` times `''word''` or `''character''`'),
    (0, '{features}', 'a `feature_vector`, which the functions `features` make'),
    (1, '{features}', 'an array, or a JSON array of features or object of features and their weights; an element that occurs more than once counts more, except in sets'),
    (0, '{hashes}', '64-bit hashes of features, as signed numbers'),
    (0, '{weights,weight}', 'of features: one for each, finite, also negative, between -2^39 and 2^39, and not so small that it rounds to 0; of `simhash_weights`, the sums. In aggregates ORDER BY comes after it: `simhash_agg(f ORDER BY f, w)` has no weights'),
    (0, '{frequencies}', 'the result of `feature_frequencies_agg`'),
    (0, '{feature}', 'of an aggregate: one feature of each row; those that are NULL do not count'),
    (0, '{embedding,vector}', 'an array of finite numbers, up to 65,536, which are rounded to `real`; an embedding of zeros gives NULL, and one that rounding makes zero is an error'),
    (0, '{seed}', 'which random numbers; values of different seeds cannot be compared'),
    (0, '{bits}', 'the length of the result, or of signatures'),
    (0, '{index}', 'the name of an index of this access method, also of a partitioned table'),
    (0, '{radius}', 'bits that may differ'),
    (0, '{design_radius}', 'the radius that searches seldom exceed'),
    (0, '{center}', 'what the distances are from'),
    (0, '{recall}', 'the share of the wanted rows that is found on average; of balls 0.01 to 1, and clamped to that'),
    (0, '{trees}', 'the number of trees of a design of `simhash_index_designs`; 0 for the radius + 1'),
    (0, '{query}', 'a text with an SQL query, which runs with the rights of the caller; or what is searched for'),
    (0, '{kind}', '`''star''`: every member is near its leader; `''connected''`: only connected with it'),
    (4, '{count}', 'how many rows the search will return, at least 1'),
    (4, '{weights}', 'of the bits of the center, one for each'),
    (4, '{bit}', 'bit strings, of the same length if there are two'), (4, '{signature_ball,bytea}', 'values of these types'),
    (5, '{similarity}', 'of Jaccard, 0 to 1'), (5, '{rows}', 'the number of minima in a band'),
    (5, '{minima}', 'how many, 1 to 16,384, or an array of them; an index takes bits of at most 4,096'), (5, '{bit,bigint[]}', 'signatures of the same length, or arrays of as many minima'),
    (5, '{"double precision"}', 'a threshold'), (5, '{recall}', 'a probability, 0 to 1'),
    (6, '{bit,simhash,simhash_weights}', 'what is compared; bit strings of the same length. Of weights the signs count'),
    (6, '{bigint}', 'the radius: below 0 nothing is within, from 64 (or the length) on everything'),
    (6, '{max_probes}', 'the most probes, each of one leaf page or a few; 0 or less for no limit'),
    (7, '{a,b}', 'what is compared: documents, or values of `feature_vector`'),
    (8, '{pairs_table,weights_column,simhash_column}', 'a table of pairs of near-duplicates: the weights of one, the fingerprint of the other'),
    (8, '{store}', 'whether the index is to use the model from now on'), (8, '{heapallindexed}', 'whether every row of the table is looked for'),
    (8, '{relation,expression}', 'a table or view, and its column, or an expression, of type `simhash` or `bit(n)`'),
    (8, '{expected_rows}', 'how many rows the table will have; 0 for those that it has'), (8, '{details}', 'whether all figures are returned'),
    (9, '{a,b}', 'arrays of keys; of `simhash_pair_sample` ctids'), (9, '{key}', 'what the function returns of the first row of the group'), (9, '{fingerprint,signature}', 'what is compared; a row with NULL is alone'),
    (9, '{document}', 'an SQL expression of the columns of the table, for the exact similarity'), (9, '{most}', 'pairs at each distance, at least 1'),
    (10, '{fingerprint,a,b}', 'fingerprints'),
    (13, '{feature_frequencies}', 'the result of `feature_frequencies_agg`'), (13, '{features}', 'how many of the features'), (13, '{feature}', 'one feature'),
    (3, '{simhash}', 'a fingerprint'), (3, '{simhash_weights}', 'the sums of a document'),
    (14, '{center}', 'the text that others are near'), (14, '{similarity}', 'of Jaccard, 0 to 1, of shingles of three words, or of two characters'),
    (14, '{unit}', '`''word''` for documents, `''character''` for titles');

-- One call at least of each function. What a call raises is part of the page, too.
CREATE TEMP TABLE example (number int GENERATED ALWAYS AS IDENTITY, place int, code text);
INSERT INTO example (place, code) VALUES
    (1, $$to_features('The quick, quick fox', 'word', 2)$$), (1, $$to_features('fox', 'character', 0)$$), (1, $$to_features('fox', 'line', 1)$$),
    (2, $$to_simhash('The quick brown fox')$$), (2, $$to_simhash('...')$$), (2, $$to_simhash(features(ARRAY['fox', 'brown'], ARRAY[1.5, 2]))$$),
    (1, $$features('the cat and the dog', 'word', 2)$$), (1, $$features(ARRAY['fox', 'brown'], ARRAY[1.5, 2])$$), (1, $$features(ARRAY[7, 8]) = features('{7,8}'::text[])$$),
    (1, $$features('{"fox": 1.5}'::jsonb)$$), (1, $$features_from_hashes(ARRAY[7, 8])$$), (1, $$features('fox', 'line')$$),
    (1, $$features(ARRAY['fox', 'brown'], ARRAY[1.5])$$), (1, $$features(ARRAY['fox'], ARRAY['NaN'::float8])$$),
    (1, $$features('{"fox": "two"}'::jsonb)$$), (2, $$simhash_project(ARRAY[0.1, -0.2, 0.3])$$), (2, $$simhash_project('{}')$$),
    (2, $$SELECT simhash_agg(word, 2) FROM unnest('{quick,brown,fox}'::text[]) AS word$$),
    (3, $$SELECT round(w::numeric, 3) FROM unnest(to_simhash_weights('The quick brown fox')::real[]) AS w LIMIT 2$$), (3, $$simhash_project_weights(ARRAY[0.1, -0.2, 0.3])::simhash$$),
    (3, $$to_simhash_weights(features(ARRAY[7, 8]))::simhash$$),
    (3, $$SELECT simhash_weights_agg(word)::simhash FROM unnest('{quick,brown,fox}'::text[]) AS word$$),
    (3, $$SELECT "bit", round(probability::numeric, 3) FROM simhash_volatility(to_simhash_weights('quick brown fox')) ORDER BY 2 DESC LIMIT 1$$),
    (3, $$round(simhash_cosine(to_simhash_weights('quick brown fox'), to_simhash_weights('quick brown dog'))::numeric, 3)$$),
    (3, $$round(simhash_cosine(to_simhash_weights('quick brown fox'), to_simhash('quick brown dog'))::numeric, 3)$$),
    (4, $$signature_to_bytea(to_signature('The quick brown fox', 64))$$), (4, $$to_signature('fox', 0)$$),
    (4, $$(to_signature_weights(features('The quick brown fox'), 64))[1]$$), (4, $$signature_to_bytea(signature_project(ARRAY[0.1, -0.2, 0.3], 64))$$),
    (4, $$round((signature_project_weights(ARRAY[0.1, -0.2, 0.3], 64))[1]::numeric, 3)$$),
    (4, $$SELECT signature_to_bytea(signature_agg(word, 64)) FROM unnest('{quick,brown,fox}'::text[]) AS word$$),
    (4, $$SELECT (signature_weights_agg(word, 64))[1] FROM unnest('{quick,brown,fox}'::text[]) AS word$$),
    (4, $$signature_ball('1010', 1)$$), (4, $$signature_ball('1010', 1, 0.9)$$), (4, $$signature_nearest('1010', count => 5)$$),
    (4, $$signature_nearest('1010', count => 0)$$), (4, $$signature_distance(B'1010', B'1000')$$), (4, $$signature_distance(B'1010', B'100')$$),
    (4, $$signature_from_bytea('\x8f3c')$$), (4, $$signature_to_bytea('8f3c0000-0000-0000-0000-000000000001'::uuid::bit(128))$$), (4, $$signature_to_bytea('101')$$),
    (5, $$to_minhash('The quick brown fox', 12)$$), (5, $$to_minhash_values(features('The quick brown fox'), 2)$$), (5, $$to_minhash_values(features('fox'), 0)$$),
    (5, $$SELECT minhash_agg(word, 12) FROM unnest('{the,quick,brown,fox}'::text[]) AS word$$),
    (5, $$SELECT minhash_values_agg(word, 2) FROM unnest('{the,quick,brown,fox}'::text[]) AS word$$),
    (5, $$minhash_similarity(to_minhash('a b c d', 512), to_minhash('a b c e', 512))$$), (5, $$minhash_similarity('101'::bit(3), '10')$$),
    (5, $$minhash_at_least(to_minhash('a b c d', 512), to_minhash('a b c e', 512), 0.5)$$),
    (5, $$minhash_radius(0.6, 512)$$), (5, $$minhash_radius(0.6, 512, 0.95)$$),
    (5, $$minhash_radius(2, 512, 0.95)$$),
    (5, $$minhash_bits(to_minhash_values(features('The quick brown fox'), 12))$$),
    (5, $$minhash_union(to_minhash_values(features('The quick'), 2), to_minhash_values(features('brown fox'), 2))$$),
    (5, $$minhash_bands(to_minhash_values(features('The quick brown fox'), 4), 2)$$), (5, $$minhash_bands(to_minhash_values(features('fox'), 4), 3)$$),
    (6, $$hamming_distance('000000000000000f'::simhash, '000000000000001f'::simhash)$$),
    (6, $$hamming_within('000000000000000f'::simhash, '000000000000001f'::simhash, 1)$$),
    (6, $$simhash_ball('000000000000000f'::simhash, 100)$$),
    (6, $$'000000000000000f' <@| simhash_ball(to_simhash_weights('fox'), 8, 0.95)$$), (6, $$'101'::bit(3) <@> '10'::bit(2)$$),
    (7, $$feature_jaccard('a b c', 'b c d')$$), (7, $$feature_jaccard('', '')$$), (7, $$round(feature_containment('a b c d', 'b c d e', 'word', 2)::numeric, 3)$$),
    (7, $$round(feature_cosine(features('{"a": 1, "b": 2}'::jsonb), features('{"a": 2, "b": 1}'::jsonb))::numeric, 3)$$), (7, $$feature_cosine(features(ARRAY['a'], ARRAY[1, 2]), features(ARRAY['a'], ARRAY[1]))$$),
    (8, $$SELECT name, value FROM simhash_index_stats('page_h') WHERE name IN ('rows', 'trees', 'reindex_pending')$$), (8, $$SELECT rows, heap_rows FROM simhash_index_check('page_h', true)$$),
    (8, $$SELECT count(*) FROM simhash_index_stats('page')$$),
    (8, $$SELECT trees, block_bits FROM simhash_index_designs(2) WHERE trees < 4$$), (8, $$SELECT count(*) FROM simhash_index_designs(99)$$),
    (8, $$SELECT count(*) FROM simhash_index_memory()$$),
    (8, $$SELECT count(*) FROM simhash_index_trace('page_h', simhash_ball(to_simhash('text 1'), 3))$$),

    (8, $$SELECT radius, pairs FROM simhash_index_calibrate('page_h', 'near', 'w', 'h', false) LIMIT 1$$),
    (8, $$SELECT item, value FROM simhash_report('page', 'h') LIMIT 2$$), (8, $$SELECT count(*) FROM simhash_report('page', 'body')$$),
    (9, $$SELECT id, simhash_group(id, h) OVER (ORDER BY id) FROM page$$), (9, $$SELECT id, simhash_group(body, h) OVER (ORDER BY length(body), id) = body FROM page WHERE id < 3$$),
    (9, $$SELECT member, leader FROM simhash_pair_groups('{1,2}'::int[], '{2,3}', 'connected')$$), (9, $$SELECT member, leader FROM simhash_pair_groups('{b,d}'::text[], '{c,a}')$$),
    (9, $$SELECT distance, pairs, a, b, jaccard FROM simhash_pair_sample('page_h', 'body', 3)$$),
    (10, $$simhash_blocks('8c3a5f7e9ecb3f35', 1)$$), (10, $$simhash_blocks('8c3a5f7e9ecb3f35', 99)$$), (10, $$simhash_blocks('8c3a5f7e9ecb3f35', 3, 99)$$),
    (10, $$simhash_first_block('8c3a5f7e9ecb3f35', '8c3a5f7e9ecb3f34', 1)$$),
    (10, $$SELECT a, b, distance FROM simhash_block_pairs('SELECT id, h, value FROM page, unnest(simhash_blocks(h, 3)) AS value')$$),
    (13, $$SELECT feature_frequency(feature_frequencies_agg(body), 'text') FROM page$$),
    (13, $$SELECT round(feature_rarity(feature_frequencies_agg(body), 'text')::numeric, 4) FROM page$$),
    (13, $$SELECT feature_frequency(feature_frequencies_top(feature_frequencies_agg(body), 1), 'text') FROM page$$),
    (13, $$SELECT feature_frequencies_top(feature_frequencies_agg(body), -1) IS NULL FROM page$$),
    (14, $$'To be, or not to be'::text ~= 'to be or not to be!'$$), (14, $$'to be or not to be'::text ~= 'to be or not'$$),
    (14, $$'to be or not to be'::text <@| text_ball('to be or not to be, that is', 0.6)$$), (14, $$'The quikc fox'::text <@| text_ball('the quick fox', 0.6, 'character')$$), (14, $$text_ball('fox', 1.5)$$);

-- What the examples search.
CREATE TEMP TABLE setup AS SELECT $setup$
CREATE TABLE page (id int, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED);
INSERT INTO page (id, body) SELECT i, 'text ' || i || ' of ' || repeat(md5((i / 2)::text) || ' ', 3) FROM generate_series(1, 4) AS i;
INSERT INTO page (id, body) SELECT 5, upper(body) FROM page WHERE id = 1;
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE near AS SELECT to_simhash_weights(body) AS w, to_simhash(body || ' more') AS h FROM page, generate_series(1, 100);
$setup$::text AS code;
DO $$ BEGIN EXECUTE (SELECT code FROM setup); END $$;

-- The rows of a query, or the value of an expression, or the error that it raises.
CREATE FUNCTION pg_temp.result_of(code text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found text;
    message text;
    detail text;
BEGIN
    EXECUTE format('SELECT string_agg(trim(both ''()'' FROM e::text), '' / '') FROM (%s) AS e',
        CASE WHEN code LIKE 'SELECT %' THEN code ELSE 'SELECT ' || code END) INTO found;
    RETURN coalesce('`' || replace(replace(replace(nullif(found, ''), '|', '\|'), '"', ''), '\\', '\') || '`', 'NULL');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    RETURN 'error: ' || message || coalesce('. ' || nullif(detail, ''), '');
END $$;
CREATE TEMP TABLE taken AS
    SELECT DISTINCT place, name, coalesce(argname, argtype) AS argument FROM object AS o JOIN pg_proc AS p ON o.function = p.oid,
        LATERAL (SELECT i, nullif(proargnames[i], '') AS argname, proargtypes[i - 1]::regtype::text AS argtype
                 FROM generate_series(1, pronargs) AS i) AS a
    WHERE NOT internal;
-- Raises an error if an argument is not explained, or a function has no example.
SELECT ('not explained in ' || place || ': ' || name || ', ' || argument)::int FROM taken
    WHERE NOT EXISTS (SELECT FROM argument AS a WHERE a.place IN (0, taken.place) AND taken.argument = ANY (names));
SELECT ('no example: ' || name)::int FROM object AS o
    WHERE function IS NOT NULL AND NOT internal AND NOT EXISTS (SELECT FROM example AS e WHERE e.place = o.place AND strpos(code, name || '(') > 0);

SELECT '# All functions, types and operators

This page is written by `tools/objects.sql` from the catalogue of a database that has the extension `simhash`.
For each subject it lists the objects, with defaults of arguments and what they return, explains the
arguments, and shows calls with their results or errors. The names follow a scheme:

| name | what it is |
|---|---|
| `to_T(input, …)`, `to_T_weights` | makes a value of T: `simhash`, `signature`, `minhash`, `features` |
| `T_…` | a function of a value of T, an aggregate of T, or T of a vector (`T_project`) |
| `hamming_…` | distances and conditions on them, for all types that have one |
| `feature_…` | exact measures of features |
| `simhash_index_…` | inspects an index |

Functions whose names begin with `simhash_internal_` implement types, operators, casts, aggregates and operator classes.
They are not listed: they are not called by name, and may change with any version.

The distance of bit strings is `signature_distance`, not `hamming_distance`: pgvector has a function
`hamming_distance(bit, bit)`, and both extensions are often in one schema.';

SELECT E'\n## Arguments\n\nOf all subjects:\n\n| | |\n|---|---|\n' || string_agg('|`' || array_to_string(names, '`, `') || '`|' || meaning || '|', E'\n' ORDER BY names)
FROM argument WHERE place = 0;

SELECT E'\nThe examples search these tables:\n\n```text' || code || '```' FROM setup;

SELECT E'\n## ' || title || E'\n\n| | |\n|---|---|\n' || listed.lines
    || coalesce(E'\n\n|argument||\n|---|---|\n' || (SELECT string_agg('|`' || replace(array_to_string(names, '`, `'), '"', '') || '`|' || meaning || '|', E'\n' ORDER BY names)
        FROM argument AS a WHERE a.place = subject.place), '')
    || E'\n\n|example||\n|---|---|\n' || (SELECT string_agg(format('|`%s`|%s|', replace(code, '|', '\|'), replace(pg_temp.result_of(code), '<', '&lt;')), E'\n' ORDER BY number)
        FROM example AS e WHERE e.place = subject.place)
FROM subject JOIN (SELECT place, string_agg(line, E'\n' ORDER BY rank, form COLLATE "C") AS lines FROM (
    SELECT place, form, array_position('{type,domain,function,window function,aggregate,operator}', kind) AS rank,
        format('|`%s`%s|%s|', replace(form || coalesce(' → ' || result, ''), '|', '\|'), CASE WHEN kind <> 'function' THEN ', ' || kind ELSE '' END,
            replace(replace(description, '|', '\|'), '<', '&lt;')) AS line
    FROM object WHERE NOT internal) AS line GROUP BY place) AS listed USING (place)
ORDER BY place;

SELECT E'\n## Comparisons, casts, operator classes\n\n' || string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (
    SELECT '- Comparisons of ' || pair || ': ' || string_agg('`' || name || '`', ' ' ORDER BY name COLLATE "C") AS line
    FROM (SELECT name, replace(form, ' ' || name || ' ', ' and ') AS pair FROM object WHERE kind = 'operator' AND internal) AS comparison
    GROUP BY pair
    UNION ALL SELECT '- Cast `' || form || '`: ' || description FROM object WHERE kind = 'cast'
    UNION ALL SELECT '- ' || upper(left(kind, 1)) || substr(kind, 2) || ' `' || form || '`: ' || description
        FROM object WHERE kind IN ('operator class', 'access method')) AS listed;

ROLLBACK;
