\set ECHO none
-- Features that a client sends as text of no known type are taken for a document, with a warning.
\set VERBOSITY default
SELECT to_simhash('{invoice,urgent}') IS NOT NULL AS hashed;
SELECT to_simhash_weights('{"invoice": 2.5, "urgent": 1}') IS NOT NULL AS hashed;
SELECT to_signature('["invoice", "urgent"]', 64) IS NOT NULL AS hashed;
SELECT to_signature_weights(features('{"two words",b}', 'word', 2), 64) IS NOT NULL AS hashed;
SELECT to_minhash('{1,2,3}', 64) IS NOT NULL AS hashed;
SELECT to_minhash_values(features('{1,2,3}'), 8) IS NOT NULL AS hashed;
SELECT feature_jaccard('a b', '{a,b}'), feature_containment('{a,b}', 'a b'), feature_cosine('{a,b}', '{b,a}');
SELECT to_features('{invoice,urgent}');
SELECT features('{invoice,urgent}', '{2,1}');

\echo '-- Parameters, whether the plan knows them or not. A cast prevents it.'
PREPARE untyped AS SELECT to_simhash($1) = to_simhash('invoice urgent') AS as_document;
PREPARE typed AS SELECT to_simhash(features($1::text[])) = to_simhash('invoice urgent') AS as_document;
EXECUTE untyped('{"Invoice","urgent"}');
EXECUTE typed('{"Invoice","urgent"}');
SET plan_cache_mode = force_generic_plan;
EXECUTE untyped('{"Invoice","urgent"}');
EXECUTE typed('{"Invoice","urgent"}');
RESET plan_cache_mode;

\echo '-- Once in a statement, whatever it does.'
SELECT to_simhash('{a,b}') = to_simhash('{b,a}') AS same;
DO $$
DECLARE
    document text := '{a,b}';
BEGIN
    FOR i IN 1..3 LOOP
        PERFORM to_simhash(document);
    END LOOP;
END $$;

\echo '-- Not for other texts: empty lists, and JSON that can''t be features.'
SELECT to_simhash('{}') IS NULL AS empty, to_simhash('[edit] an article') IS NOT NULL AS article,
    to_simhash('{"title": "An article"}') IS NOT NULL AS json;
\echo '-- Nor for columns: they hold what was declared.'
CREATE TEMP TABLE document (body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED);
INSERT INTO document VALUES ('{a,b}');
INSERT INTO document SELECT '["a", "b"]' FROM generate_series(1, 3);
SELECT count(to_simhash(body)), count(DISTINCT h) FROM document;
