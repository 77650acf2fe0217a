\set ECHO none
-- jaccard, containment and cosine: exact measures of sets and vectors of features.

\set VERBOSITY default
SET extra_float_digits = 1;

\echo '-- Sets: common elements, divided by those of both sets or of the first one.'
SELECT feature_jaccard(features(ARRAY['a', 'b', 'c']), features(ARRAY['b', 'c', 'd', 'e'])) AS text, feature_jaccard(features(ARRAY[1, 2, 3]::bigint[]), features(ARRAY[2, 3, 4, 5])) AS numbers,
       feature_jaccard(features('a b c'::tsvector), features('b c d e'::tsvector)) AS lexemes, feature_jaccard('a b c'::text, 'b, c, d; E') AS words,
       feature_jaccard('a b c'::text, 'b c d e', 'word', 2) AS shingles, feature_jaccard('abcd'::text, 'abce', size => 2, unit => 'character') AS characters;
SELECT feature_containment(features(ARRAY['a', 'b', 'c']), features(ARRAY['b', 'c', 'd', 'e'])) AS text,
       feature_containment(features(ARRAY[1, 2, 3]::bigint[]), features(ARRAY[2, 3, 4, 5])) AS numbers,
       feature_containment(features('a b c'::tsvector), features('b c d e'::tsvector)) AS lexemes, feature_containment('a b c'::text, 'b, c, d; E') AS words,
       feature_containment('a b c'::text, 'b c d e', 'word', 2) AS shingles,
       feature_containment('abcd'::text, 'abce', size => 2, unit => 'character') AS characters;
SELECT feature_jaccard(features(a), features(b)), feature_containment(features(a), features(b)), feature_containment(features(b), features(a)) AS reverse
FROM (VALUES ('{a,b}'::text[], '{a,b}'::text[]), ('{a}', '{b}'), ('{a}', '{a,b,c,d}'), ('{a}', '{}'), ('{}', '{}'), ('{NULL}', '{a}'),
             ('{NULL}', '{NULL,NULL}'), ('{""}', '{""}'), (NULL, '{a}'), ('{}', NULL), ('{a,NULL,b,a}', '{b,b,b,a}'),
             ('{{a,b},{b,c}}', '[5:7]={c,b,a}')) AS v(a, b);
SELECT feature_jaccard(features(a), features(b)), feature_containment(features(a), features(b)), feature_containment(features(b), features(a)) AS reverse
FROM (VALUES ('{0,1}'::bigint[], '{1,0}'::bigint[]), ('{0}', '{1}'), ('{0}', '{}'), ('{}', '{}'), ('{NULL}', '{0}'), (NULL, '{0}'),
             ('{0,NULL,0,-1}', '{-1,-1}'), ('{{9223372036854775807,-9223372036854775808}}', '{-9223372036854775808}')) AS v(a, b);
SELECT feature_jaccard(features(a), features(b)), feature_containment(features(a), features(b)), feature_containment(features(b), features(a)) AS reverse, feature_cosine(features(a), features(b))
FROM (VALUES ('b:1A a:2'::tsvector, 'a b'::tsvector), ('a', 'b'), ('', ''), ('', 'a'), (NULL, 'a')) AS v(a, b);
SELECT feature_jaccard(a, b), feature_containment(a, b), feature_containment(b, a) AS reverse, feature_cosine(a, b)
FROM (VALUES ('The cat', 'the CAT, the cat!'), ('東京都', '京都'), ('', ''), ('?!', 'a'), (NULL, 'a')) AS v(a, b);
SELECT feature_jaccard('a'::text, 'a', NULL), feature_jaccard('a'::text, 'a', 'word', NULL), feature_containment('a'::text, 'a', NULL), feature_cosine('a'::text, 'a', 'word', NULL);
\echo '-- Documents are what they are everywhere.'
SELECT feature_jaccard(a, b, unit, size) = feature_jaccard(features(to_features(a, unit, size)), features(to_features(b, unit, size))) AS jaccard,
       feature_containment(a, b, unit, size) = feature_containment(features(to_features(a, unit, size)), features(to_features(b, unit, size))) AS containment,
       feature_cosine(a, b, unit, size) = feature_cosine(features(to_features(a, unit, size)), features(to_features(b, unit, size))) AS cosine
FROM (VALUES ('Die Straße heißt Maßstraße'::text, 'Die STRASSE ist die Maßstraße'::text)) AS d(a, b),
     (VALUES ('word', 1), ('word', 2), ('character', 1), ('character', 4)) AS s(unit, size);

\echo '-- Vectors.'
SELECT feature_cosine(features('{a,b}'::text[], '{3,4}'::float8[]), features('{b,a}'::text[], '{4,3}'::float8[])) AS same, feature_cosine(features('{a}'::text[], '{2}'::float8[]), features('{a}'::text[], '{-0.5}'::float8[])) AS opposite,
       feature_cosine(features('{a}'::text[], '{1}'::float8[]), features('{b}'::text[], '{1}'::float8[])) AS orthogonal,
       feature_cosine(features('{a,b}'::text[], '{3,4}'::float8[]), features('{a,c}'::text[], '{1,7}'::float8[])) = 3 / sqrt(25 * 50) AS other,
       feature_cosine(features('{"a": 3, "b": 4}'::jsonb), features('{"b": 4, "a": 3}'::jsonb)) AS jsonb, feature_cosine(features('{"a": 3, "b": 4}'::jsonb), features('{"a": 1, "c": 7}'::jsonb)) = 3 / sqrt(25 * 50) AS jsonb_other;
\echo '-- The weights of a repeated feature are added, and may cancel out. NULLs are skipped. A zero vector has no direction.'
SELECT feature_cosine(features('{a,b,a}'::text[], '{1,4,2}'::float8[]), features('{b,a}'::text[], '{4,3}'::float8[])) AS added,
       feature_cosine(features('{a,b,a}'::text[], '{1,4,-1}'::float8[]), features('{b}'::text[], '{4}'::float8[])) AS cancelled,
       feature_cosine(features('{a,NULL,b,c}'::text[], '{1,1,NULL,0}'::float8[]), features('{a}'::text[], '{7}'::float8[])) AS skipped,
       feature_cosine(features('{a,a}'::text[], '{1,-1}'::float8[]), features('{a}'::text[], '{1}'::float8[])) AS zero, feature_cosine(features('{}'::text[], '{}'::float8[]), features('{a}'::text[], '{1}'::float8[])) AS empty,
       feature_cosine(features('{a}'::text[], NULL::float8[]), features('{a}'::text[], '{1}'::float8[])) AS missing,
       feature_cosine(features('{"a": null, "b": 0}'::jsonb), features('{"a": 1}'::jsonb)) AS jsonb_zero, feature_cosine(features('{}'::jsonb), features('{}'::jsonb)) AS jsonb_empty,
       feature_cosine(features('{"a": 1, "b": null}'::jsonb), features('{"a": 2}'::jsonb)) AS jsonb_skipped, feature_cosine(features(NULL), features('{"a": 1}'::jsonb)) AS jsonb_missing;
\echo '-- A feature whose weights cancel is none.'
SELECT features('{a,b,b}'::text[], '{1,1,-1}') = features('{a}'::text[], '{1}') AS one, features('{a,a}'::text[], '{1,-1}') AS none, to_simhash(features('{a,a}'::text[], '{1,-1}')) AS fingerprint,
       feature_jaccard(features('{a,b,b}'::text[], '{1,1,-1}'), features('{a}'::text[], '{1}')) AS jaccard;
\echo '-- Extreme weights: the largest ones, the smallest ones, and both.'
SELECT feature_cosine(features(ARRAY['a', 'b'], ARRAY[549755813887.9999, -549755813887.9999]), features(ARRAY['a', 'b'], ARRAY[549755813887.9999, -549755813887.9999])) AS largest,
       feature_cosine(features(ARRAY['a', 'b'], ARRAY[549755813887.9999, 549755813887.9999]), features(ARRAY['a', 'b'], ARRAY[549755813887.9999, -549755813887.9999])) AS orthogonal,
       feature_cosine(features(ARRAY['a', 'b'], ARRAY[2^(-24), 0]), features(ARRAY['a', 'b'], ARRAY[-(2^(-24)), 2^(-24)])) = -1 / sqrt(2) AS smallest,
       feature_cosine(features(ARRAY['a', 'b'], ARRAY[2^(-24), 2^38]), features(ARRAY['a'], ARRAY[1])) = 2^(-62) AS both;
\echo '-- A feature that occurs tf times weighs 1 + ln tf, rounded to 1/256.'
SELECT tf, feature_cosine(features(array_fill('a'::text, ARRAY[tf]) || '{b}'::text[]), features('{b}'::text[])) - 1 / sqrt(1 + (round(256 * (1 + ln(tf))) / 256) ^ 2) AS difference
FROM unnest(ARRAY[1, 2, 3, 10, 1000]) AS tf;
\echo '-- Labels count 1, 2, 4 or 10 times.'
SELECT label, feature_cosine(features(('a:1' || label || ' b')::tsvector), features('b'::tsvector)) = feature_cosine(features(array_fill('a'::text, ARRAY[times]) || '{b}'::text[]), features('{b}'::text[])) AS same
FROM (VALUES ('', 1), ('D', 1), ('C', 2), ('B', 4), ('A', 10), (',2B', 5)) AS v(label, times);

\echo '-- Errors.'
SELECT feature_jaccard('a'::text, 'a', 'sentence');
\echo :SQLSTATE
SELECT feature_containment('a'::text, 'a', 'word', 26);
\echo :SQLSTATE
SELECT feature_cosine('a'::text, 'a', 'word', 0);
\echo :SQLSTATE
SELECT feature_cosine(features('{a,b}'::text[], '{1,2}'::float8[]), features('{a,b}'::text[], '{1}'::float8[]));
\echo :SQLSTATE
SELECT feature_cosine(features('{{a,b}}'::text[], '{{1,2}}'::float8[]), features('{a,b}'::text[], '{1}'::float8[]));
\echo :SQLSTATE
SELECT feature_cosine(features('{a}'::text[], '{1}'::float8[]), features('{a}'::text[], '{NaN}'::float8[]));
\echo :SQLSTATE
SELECT feature_cosine(features('{a}'::text[], '{1e12}'::float8[]), features('{a}'::text[], '{1}'::float8[]));
\echo :SQLSTATE
SELECT feature_cosine(features('{a}'::text[], '{1}'::float8[]), features('{a,b,a}'::text[], '{5e11,5e11,5e11}'::float8[]));
\echo :SQLSTATE
SELECT feature_cosine(features('{a}'::text[], '{1}'::float8[]), features('{a,a}'::text[], '{-549755813887,-1}'::float8[]));
\echo :SQLSTATE
SELECT feature_cosine(features('{a}'::text[], '{1}'::float8[]), features('{a}'::text[], '{-549755813888}'::float8[]));
\echo :SQLSTATE
SELECT features('{"a": -549755813888}'::jsonb);
\echo :SQLSTATE
SELECT feature_cosine(features('{"a": 1}'::jsonb), features('[1]'::jsonb));
\echo :SQLSTATE
SELECT feature_cosine(features('1'::jsonb), features('{"a": 1}'::jsonb));
\echo :SQLSTATE
SELECT feature_cosine(features('{"a": 1}'::jsonb), features('{"a": "1"}'::jsonb));
\echo :SQLSTATE
SELECT feature_cosine(features('{"a": 1e12}'::jsonb), features('{"a": 1}'::jsonb));
\echo :SQLSTATE

\echo '-- Random sets, with duplicates and NULLs, against plain SQL. Sizes and overlaps vary; some sets are empty.'
CREATE FUNCTION pg_temp.pseudorandom(key text, seed int) RETURNS float8 LANGUAGE sql IMMUTABLE
    AS $$ SELECT (hashtextextended(key, seed) & 1048575) / 1048576.0 $$;
CREATE TEMP TABLE random_set AS
SELECT id, array_agg(CASE WHEN n % 17 <> 0 THEN n END ORDER BY key) AS a
FROM (SELECT id, key, (pg_temp.pseudorandom(key, 2) * range)::bigint * 4294967296 - 3 AS n
      FROM (SELECT id, id || '/' || k AS key, (pg_temp.pseudorandom(id::text, 1) * 2000)::int AS range
            FROM generate_series(1, 40) AS id, generate_series(1, id * id / 2 + 1) AS k) AS r) AS n
GROUP BY id;
INSERT INTO random_set VALUES (41, '{}'), (42, '{NULL}');
CREATE TEMP VIEW random_pair AS
SELECT x.id AS x, y.id AS y, x.a, y.a AS b, x.a::text[] AS ta, y.a::text[] AS tb, common, either, first
FROM random_set AS x, random_set AS y,
    LATERAL (SELECT count(*) FROM (SELECT unnest(x.a) INTERSECT SELECT unnest(y.a)) AS s WHERE unnest IS NOT NULL) AS c(common),
    LATERAL (SELECT count(*) FROM (SELECT unnest(x.a) UNION SELECT unnest(y.a)) AS s WHERE unnest IS NOT NULL) AS u(either),
    LATERAL (SELECT count(DISTINCT e) FROM unnest(x.a) AS e) AS f(first);
SELECT count(*) AS pairs, count(*) FILTER (WHERE common > 0) AS overlap, count(*) FILTER (WHERE either = 0) AS empty,
       bool_and(feature_jaccard(features(a), features(b)) IS NOT DISTINCT FROM common::float8 / nullif(either, 0)) AS jaccard,
       bool_and(feature_jaccard(features(ta), features(tb)) IS NOT DISTINCT FROM common::float8 / nullif(either, 0)) AS jaccard_text,
       bool_and(feature_containment(features(a), features(b)) IS NOT DISTINCT FROM common::float8 / nullif(first, 0)) AS containment,
       bool_and(feature_containment(features(ta), features(tb)) IS NOT DISTINCT FROM common::float8 / nullif(first, 0)) AS containment_text,
       bool_and(feature_jaccard(features(a), features(b)) IS NOT DISTINCT FROM feature_jaccard(features(b), features(a))) AS symmetry,
       bool_and(x <> y OR either = 0 OR (feature_jaccard(features(a), features(b)) = 1 AND feature_containment(features(a), features(b)) = 1)) AS itself
FROM random_pair;
\echo '-- The union contains both sets: the similarity to it is |A| / |A or B|.'
SELECT bool_and(feature_containment(features(a), features(a || b)) = 1 AND feature_containment(features(b), features(a || b)) = 1 AND feature_jaccard(features(a), features(a || b)) = first::float8 / either) AS union_contains
FROM random_pair WHERE x < 41 AND y < 41;
\echo '-- The Jaccard distance is a metric.'
SELECT count(*) AS violations FROM random_set AS x, random_set AS y, random_set AS z
WHERE x.id % 5 = 0 AND y.id % 5 = 1 AND z.id % 5 = 2
    AND (1 - feature_jaccard(features(x.a), features(y.a))) + (1 - feature_jaccard(features(y.a), features(z.a))) < (1 - feature_jaccard(features(x.a), features(z.a))) - 1e-15;

\echo '-- Random vectors, whose weights are eighths, against plain SQL; each repeats some features.'
CREATE TEMP TABLE random_vector AS
SELECT id, array_agg(f ORDER BY key) AS f, array_agg(w ORDER BY key) AS w, array_agg(f ORDER BY f, key) AS sorted_f, array_agg(w ORDER BY f, key) AS sorted_w
FROM (SELECT id, key, 'f' || (pg_temp.pseudorandom(key, 1) ^ 2 * 300)::int AS f, (pg_temp.pseudorandom(key, 2) * 200 - 90)::int / 8.0::float8 AS w
      FROM (SELECT id, id || '/' || k AS key FROM generate_series(1, 40) AS id, generate_series(1, id * 10) AS k) AS r) AS v
GROUP BY id;
CREATE TEMP TABLE random_component AS
SELECT id, c.f, sum(c.w) AS w FROM random_vector AS r, unnest(r.f, r.w) AS c(f, w) GROUP BY id, c.f;
CREATE TEMP TABLE random_object AS SELECT id, jsonb_object_agg(f, w) AS o FROM random_component GROUP BY id;
CREATE TEMP TABLE plain_product AS
SELECT x.id AS x, y.id AS y, sum(x.w * y.w) AS product FROM random_component AS x JOIN random_component AS y USING (f) GROUP BY 1, 2;
SELECT count(*) AS pairs, count(*) FILTER (WHERE product < 0) AS negative,
       max(abs(feature_cosine(features(x.f, x.w), features(y.f, y.w)) - product / sqrt(xx * yy))) < 1e-14 AS cosine,
       bool_and(feature_cosine(features(x.f, x.w), features(y.f, y.w)) = feature_cosine(features(y.f, y.w), features(x.f, x.w))) AS symmetry,
       bool_and(feature_cosine(features(x.f, x.w), features(y.f, y.w)) = feature_cosine(features(x.sorted_f, x.sorted_w), features(y.f, y.w))) AS any_order,
       bool_and(feature_cosine(features(x.f, x.w), features(y.f, y.w)) = feature_cosine(features(xo.o), features(yo.o))) AS jsonb,
       bool_and(x.id <> y.id OR feature_cosine(features(x.f, x.w), features(y.f, y.w)) = 1) AS itself
FROM random_vector AS x JOIN random_object AS xo USING (id), random_vector AS y JOIN random_object AS yo USING (id),
    LATERAL (SELECT max(product) FILTER (WHERE p.x = x.id AND p.y = y.id) AS product, max(product) FILTER (WHERE p.x = x.id AND p.y = x.id) AS xx,
                    max(product) FILTER (WHERE p.x = y.id AND p.y = y.id) AS yy FROM plain_product AS p
             WHERE p.x IN (x.id, y.id) AND p.y IN (x.id, y.id)) AS p;
\echo '-- The same with weights 1 + ln tf.'
CREATE TEMP TABLE plain_frequency AS
SELECT id, c.f, round(256 * (1 + ln(count(*)))) / 256 AS w FROM random_vector AS r, unnest(r.f) AS c(f) GROUP BY id, c.f;
SELECT count(*) AS pairs, max(abs(feature_cosine(features(x.f), features(y.f)) - (SELECT sum(a.w * b.w) FROM plain_frequency AS a JOIN plain_frequency AS b USING (f)
                                      WHERE a.id = x.id AND b.id = y.id)
                                     / sqrt((SELECT sum(w * w) FROM plain_frequency WHERE id = x.id)
                                            * (SELECT sum(w * w) FROM plain_frequency WHERE id = y.id)))) < 1e-14 AS cosine,
       bool_and(feature_cosine(features(x.f), features(y.f)) = feature_cosine(features(y.f), features(x.f)) AND feature_cosine(features(x.f), features(y.f)) = feature_cosine(features(x.sorted_f), features(y.f))) AS symmetry_and_order,
       bool_and(feature_cosine(features(x.f), features(y.f)) = feature_cosine(array_to_string(x.f, ' '), array_to_string(y.f, ' '))) AS documents
FROM random_vector AS x, random_vector AS y WHERE x.id % 3 = 0 AND y.id % 4 = 0;
\echo '-- The sums are exact: weights 2^60 apart, whose sum in double precision would depend on the order.'
SELECT feature_cosine(features(f, w), features(f2, w2)) = feature_cosine(features((SELECT array_agg(e ORDER BY i DESC) FROM unnest(f) WITH ORDINALITY AS u(e, i)),
                                     (SELECT array_agg(e ORDER BY i DESC) FROM unnest(w) WITH ORDINALITY AS u(e, i))), features(f2, w2)) AS any_order,
       feature_cosine(features(f, w), features(f2, w2)) * 2^60 = 1 / sqrt(6) AS exact
FROM (SELECT ARRAY['a', 'b', 'c'], ARRAY[2^38, 2^(-22), -(2^38)], ARRAY['c', 'b', 'a'], ARRAY[1, 1, 1]::float8[]) AS v(f, w, f2, w2);

\echo '-- Large sets. Numbers in sequence, with steps, and with the same lower half.'
SELECT feature_jaccard(features(array_agg(n)), features(array_agg(n + 500000))) = 1 / 3.0::float8 AS sequence,
       feature_jaccard(features(array_agg(n * 4294967296)), features(array_agg((n + 500000) * 4294967296))) = 1 / 3.0::float8 AS same_lower_half,
       feature_jaccard(features(array_agg(-n * 1000)), features(array_agg(-(n + 500000) * 1000))) = 1 / 3.0::float8 AS steps,
       feature_jaccard(features(array_agg(n)), features(ARRAY[1, 0, NULL])) = 1 / 1000001.0::float8 AS with_a_small_one,
       feature_containment(features(ARRAY[1, 0, NULL]), features(array_agg(n))) AS small_one, feature_containment(features(array_agg(n / 1000)), features(array_agg(n / 2000))) = 501 / 1001.0::float8 AS repeated
FROM generate_series(1::bigint, 1000000) AS n;
SELECT feature_jaccard(features(array_agg('x' || n)), features(array_agg('x' || n + 100000))) = 1 / 3.0::float8 AS text,
       feature_cosine(features(array_agg('x' || n)), features(array_agg('x' || n + 100000))) AS cosine,
       feature_cosine(features(array_agg('x' || n), array_agg(5e11::float8)), features(array_agg('x' || n + 100000), array_agg(-5e11::float8))) AS largest_weights,
       feature_jaccard(string_agg('x' || n, ' '), string_agg('x' || n + 100000, ' ')) = 1 / 3.0::float8 AS documents
FROM generate_series(1, 200000) AS n;

\echo '-- They can be cancelled: otherwise all would return, and the sequence would be advanced before anything else handles interrupts.'
CREATE TEMP TABLE large (a bigint[]);
ALTER TABLE large ALTER a SET STORAGE EXTERNAL;
INSERT INTO large SELECT array_agg(n) FROM generate_series(1, 2000000) AS n;
CREATE TEMP SEQUENCE calls;
SELECT nextval('calls');
SET statement_timeout = '200ms';
DO $$
BEGIN
    PERFORM nextval(CASE feature_jaccard(features(a), features(a)) + feature_jaccard(features(a), features(a)) + feature_jaccard(features(a), features(a)) + feature_jaccard(features(a), features(a)) + feature_jaccard(features(a), features(a)) + feature_jaccard(features(a), features(a)) + feature_jaccard(features(a), features(a))
                    WHEN 7 THEN 'calls'::regclass END)
    FROM (SELECT a || '{}' AS a FROM large OFFSET 0) AS in_memory;
EXCEPTION WHEN query_canceled THEN
    RAISE NOTICE 'cancelled';
END $$;
RESET statement_timeout;
SELECT last_value FROM calls;
