-- The catalogue entries of the extension: complete, consistent, and where they should be.
BEGIN;
SELECT no_plan();
SET client_min_messages = warning;

-- Array types are members since PostgreSQL 18.
CREATE TEMP VIEW member AS
    SELECT classid, objid, pg_describe_object(classid, objid, 0) AS name
    FROM pg_depend
    WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
        AND refobjid IN (SELECT oid FROM pg_extension WHERE extname = 'simhash')
        AND NOT (classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type WHERE typarray = objid));
CREATE TEMP VIEW our_function AS
    SELECT p.*, p.oid::regprocedure AS name FROM pg_proc AS p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid;
CREATE TEMP VIEW our_operator AS
    SELECT o.*, o.oid::regoperator AS name FROM pg_operator AS o
    JOIN member ON classid = 'pg_operator'::regclass AND objid = o.oid;

-- Compares the rows of two queries as text, independently of the collations of names.
CREATE FUNCTION pg_temp.same_rows(have text, want text, description text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    row record;
    had text[] := '{}';
    wanted text[] := '{}';
BEGIN
    FOR row IN EXECUTE have LOOP
        had := had || row::text;
    END LOOP;
    FOR row IN EXECUTE want LOOP
        wanted := wanted || row::text;
    END LOOP;
    RETURN is(had, wanted, description);
END $$;

-- The extension as a whole.
SELECT ok(trusted, name || ' is trusted')
FROM pg_available_extension_versions WHERE name LIKE 'simhash%' AND installed;
SELECT is_empty($$
    SELECT name FROM member WHERE obj_description(objid, classid::regclass::text) IS NULL $$,
    'every object has a comment');
SELECT is_empty($$
    SELECT member.name FROM member, pg_identify_object(classid, objid, 0) AS i
    WHERE i.schema <> CASE WHEN member.name ~ '^operator ([^ ]*\.)?([<>]=?|=|<>)\(' THEN 'pg_catalog' ELSE
        (SELECT quote_ident(nspname) FROM pg_namespace, pg_extension WHERE extname = 'simhash' AND extnamespace = pg_namespace.oid) END $$,
    'every object is in the schema of the extension, and comparison operators are where a dump finds them');
SELECT is_empty($$ SELECT name FROM our_function WHERE proname = 'simhash' $$,
    'no function takes the name of the type, which would read as a cast');

-- Types.
SELECT pg_temp.same_rows($$
    SELECT typname::text, typlen::int, typbyval, typalign::text, typstorage::text, typtype::text
    FROM pg_type WHERE typname IN ('simhash', 'simhash_ball', 'signature_ball', 'hamming_distance')
    ORDER BY 1 $$,
    $$ VALUES ('hamming_distance', 4, true, 'i', 'p', 'd'), ('signature_ball', -1, false, 'd', 'x', 'b'),
              ('simhash', 8, true, 'd', 'p', 'b'),
              ('simhash_ball', -1, false, 'i', 'm', 'b') $$,
    'types are laid out as declared');
SELECT is_empty($$
    SELECT typname FROM pg_type JOIN member ON classid = 'pg_type'::regclass AND objid = pg_type.oid
    WHERE typtype = 'b' AND typcategory <> 'A' AND typname NOT LIKE 'feature\_%'
        AND (typcategory <> 'V' OR typispreferred <> (typname IN ('simhash', 'simhash_ball'))) $$,
    'types share the category of bit, and unknown literals are fingerprints or balls of them');
SELECT is(typcategory = 'U' AND NOT typispreferred, true, 'except frequencies, which are like nothing else')
FROM pg_type WHERE typname = 'feature_frequencies';
SELECT is(typbasetype, 'integer'::regtype::oid, 'a distance is an integer') FROM pg_type WHERE typname = 'hamming_distance';
SELECT is_empty($$ SELECT conname FROM pg_constraint WHERE contypid = 'hamming_distance'::regtype $$,
    'a distance has no constraint');
SELECT is_empty($$
    SELECT typname FROM pg_type JOIN member ON classid = 'pg_type'::regclass AND objid = pg_type.oid
    WHERE typtype = 'b' AND (typreceive = 0 OR typsend = 0 OR typarray = 0) $$,
    'every base type has a binary form and an array type');

-- Casts.
SELECT is_empty($$
    SELECT name FROM member JOIN pg_cast ON classid = 'pg_cast'::regclass AND objid = pg_cast.oid
    WHERE castcontext = 'i' $$,
    'no cast is implicit');
SELECT pg_temp.same_rows($$
    SELECT castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C", castcontext::text, castmethod::text
    FROM pg_cast WHERE 'simhash'::regtype IN (castsource, casttarget)
        AND '{bigint,bit,bytea,integer,numeric,smallint}'::regtype[] && ARRAY[castsource, casttarget]::regtype[] ORDER BY 1, 2 $$,
    $$ VALUES ('bigint', 'simhash', 'e', 'b'), ('bit', 'simhash', 'e', 'f'), ('bytea', 'simhash', 'e', 'f'),
              ('integer', 'simhash', 'e', 'f'), ('numeric', 'simhash', 'e', 'f'), ('simhash', 'bigint', 'e', 'b'),
              ('simhash', 'bit', 'e', 'f'), ('simhash', 'bytea', 'e', 'f'), ('simhash', 'numeric', 'e', 'f'),
              ('smallint', 'simhash', 'e', 'f') $$,
    'the casts of simhash are explicit, and those with bigint have no function');

-- Operators.
SELECT is_empty($$
    SELECT o.name, p.name FROM our_operator AS o JOIN our_function AS p ON p.oid = o.oprcode
    WHERE oprresult IN ('boolean'::regtype, 'hamming_distance'::regtype)
        AND NOT (proleakproof = (oprleft <> 'bit'::regtype) AND provolatile = 'i' AND proparallel = 's' AND proisstrict) $$,
    'operators that filter or measure are leakproof, except those of bit strings, immutable, parallel safe and strict');
SELECT is_empty($$
    SELECT o.name, p.name FROM our_operator AS o LEFT JOIN our_function AS p ON p.oid = o.oprcode
    WHERE p.oid IS NULL OR oprleft <> proargtypes[0] OR oprright <> proargtypes[1] OR oprresult <> prorettype OR proretset $$,
    'operators have functions of ours of their very types');
SELECT is_empty($$
    SELECT o.name FROM our_operator AS o WHERE oprresult = 'boolean'::regtype AND (oprrest = 0 OR oprjoin = 0) $$,
    'every condition has estimators for restrictions and joins');
SELECT is_empty($$
    SELECT a.name, b.oid::regoperator FROM our_operator AS a LEFT JOIN pg_operator AS b ON b.oid = a.oprcom
    WHERE a.oprcom <> 0 AND (b.oid IS NULL OR b.oprcom <> a.oid OR a.oprleft <> b.oprright OR a.oprright <> b.oprleft
        OR a.oprresult <> b.oprresult OR b.oprcode = 0) $$, 'commutators commute');
SELECT is_empty($$
    SELECT a.name, b.oid::regoperator FROM our_operator AS a LEFT JOIN pg_operator AS b ON b.oid = a.oprnegate
    WHERE a.oprnegate <> 0 AND (b.oid IS NULL OR b.oprnegate <> a.oid OR a.oid = b.oid OR a.oprleft <> b.oprleft
        OR a.oprright <> b.oprright OR b.oprresult <> 'boolean'::regtype OR b.oprcode = 0) $$, 'negators negate');
SELECT is_empty($$
    SELECT name FROM our_operator
    WHERE oprname IN ('=', '<>', '<', '<=', '>', '>=')
            AND (oprcom = 0 AND NOT (oprleft = 'hamming_distance'::regtype AND oprright IN ('smallint'::regtype, 'bigint'::regtype))
                OR oprnegate = 0 AND (oprname <> '=' OR oprleft = 'simhash'::regtype))
        OR oprname IN ('~=', '<@>') AND oprleft = oprright AND oprcom <> oid $$,
    'comparisons have both, except where there is no <>, or the smaller or larger integer is only on the right, and what is symmetric commutes with itself');
-- consistency with commutators and negators
SELECT is_empty($$
    SELECT a.name, b.oprname, c.oprname FROM our_operator AS a
    JOIN pg_operator AS b ON b.oid = a.oprcom JOIN pg_operator AS c ON c.oid = a.oprnegate
    WHERE (a.oprname::text, b.oprname::text, c.oprname::text) NOT IN (VALUES ('=', '=', '<>'), ('<>', '<>', '='),
        ('<', '>', '>='), ('<=', '>=', '>'), ('>', '<', '<='), ('>=', '<=', '<')) $$,
    'commutators and negators are the right ones');
SELECT pg_temp.same_rows($$
    SELECT oprname::text COLLATE "C", count(*)::int FROM our_operator
    WHERE 'hamming_distance'::regtype IN (oprleft, oprright) GROUP BY 1 ORDER BY 1 $$,
    $$ VALUES ('<', 5), ('<=', 5), ('=', 5), ('>', 5), ('>=', 5) $$,
    'distances compare with int2, int4 and int8, with int4 on either side, and with distances');
SELECT is_empty($$
    SELECT name FROM our_function
    WHERE 'hamming_distance'::regtype = ANY (proargtypes::oid[]) AND prosupport = 0 $$,
    'every comparison of a distance has planner support');
SELECT is_empty($$
    SELECT name FROM our_function
    WHERE (proname IN ('hamming_distance', 'signature_distance', 'simhash_internal_distance_to_center', 'hamming_within', 'simhash_internal_at', 'minhash_at_least')
        OR proname = 'minhash_similarity' AND proargtypes[0] = 'bit'::regtype) AND prosupport = 0 $$,
    'so have the distance, the similarity, and the functions that conditions are rewritten to');
SELECT is_empty($$
    SELECT name FROM our_function
    WHERE proname IN ('hamming_within', 'simhash_internal_at', 'simhash_ball', 'simhash_internal_radius_below', 'simhash_internal_in_ball',
            'simhash_internal_near', 'minhash_at_least')
        AND NOT (proleakproof = (proargtypes[0] <> 'bit'::regtype) AND provolatile = 'i' AND proparallel = 's' AND proisstrict) $$,
    'what conditions are rewritten to is leakproof, except for bit strings, immutable, parallel safe and strict');
SELECT is_empty($$
    SELECT name FROM our_function WHERE proname = 'simhash_internal_within'
        AND NOT (proleakproof AND provolatile = 'i' AND proparallel = 's' AND proisstrict AND prosupport <> 0) $$,
    'simhash_internal_within, which raises no error, is leakproof');
SELECT is_empty($$
    SELECT name FROM our_function WHERE proname IN ('signature_ball', 'signature_nearest')
        AND NOT (NOT proleakproof AND provolatile = 'i' AND proparallel = 's' AND proisstrict = (proname = 'signature_nearest' OR pronargs = 2)) $$,
    'balls of bit strings are immutable and parallel safe, and may have no weights');

-- Functions.
SELECT is_empty($$
    WITH implementation AS (
        SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend]::oid[]) AS oid FROM pg_type
        UNION SELECT unnest(ARRAY[oprcode, oprrest, oprjoin]::oid[]) FROM pg_operator
        UNION SELECT castfunc FROM pg_cast
        UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn]::oid[])
            FROM pg_aggregate
        UNION SELECT amproc FROM pg_amproc
        UNION SELECT amhandler FROM pg_am
        UNION SELECT prosupport FROM pg_proc)
    SELECT name FROM our_function AS p WHERE proname <> ALL ('{hamming_distance,signature_distance}')
        AND (proname LIKE 'simhash\_internal\_%') <> (EXISTS (SELECT FROM implementation AS i WHERE i.oid = p.oid)
            OR proname IN ('simhash_internal_at', 'simhash_internal_within', 'simhash_internal_radius_below', 'simhash_internal_text_sketch')) $$,
    'what implements types, operators, casts, aggregates and classes, and what the planner calls, is named simhash_internal_, and nothing else is');
SELECT cmp_ok(count(*), '<=', 272::bigint, 'no more functions than one can read') FROM our_function;
SELECT cmp_ok(count(DISTINCT proname), '<=', 60::bigint, 'no more names than one can learn')
FROM our_function WHERE proname NOT LIKE 'simhash\_internal\_%';
SELECT is_empty($$
    SELECT name FROM our_function WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'sql') $$,
    'no function is written in SQL, whose body would depend on the search_path');
SELECT is_empty($$ SELECT name FROM our_function WHERE prosecdef OR proconfig IS NOT NULL $$,
    'no function changes privileges or settings');
SELECT is_empty($$
    SELECT name FROM our_function WHERE provolatile = 'i' AND proparallel <> 's' $$,
    'every immutable function is parallel safe');

SELECT is_empty($$
    SELECT name FROM our_function
    WHERE (proname LIKE 'to\_simhash%' OR proname LIKE 'to\_signature%' OR proname LIKE 'to\_minhash%'
            OR proname LIKE '%\_project%' OR proname LIKE '%\_from\_hashes%' OR proname IN ('to_features', 'features'))
        AND NOT (provolatile = 'i' AND proparallel = 's' AND proisstrict) $$,
    'what makes fingerprints, signatures and features is immutable, parallel safe and strict');
SELECT pg_temp.same_rows($$
    SELECT proname::text COLLATE "C", count(*)::int FROM our_function
    WHERE proname LIKE 'to\_simhash%' OR proname LIKE 'to\_signature%' OR proname LIKE 'to\_minhash%'
        OR proname LIKE '%\_project%' OR proname LIKE '%\_from\_hashes%' OR proname IN ('to_features', 'features')
    GROUP BY 1 ORDER BY 1 $$,
    $$ VALUES ('features', 9), ('features_from_hashes', 2), ('signature_project', 1), ('signature_project_weights', 1),
              ('simhash_project', 1), ('simhash_project_weights', 1),
              ('to_features', 1), ('to_minhash', 3), ('to_minhash_values', 1), ('to_signature', 3),
              ('to_signature_weights', 1), ('to_simhash', 3), ('to_simhash_weights', 3) $$,
    'and there is all of it');
SELECT pg_temp.same_rows($$
    SELECT proname::text COLLATE "C", count(*)::int FROM our_function
    WHERE proname IN ('feature_jaccard', 'feature_containment', 'feature_cosine', 'simhash_cosine') AND provolatile = 'i' AND proparallel = 's' AND proisstrict
        AND NOT proleakproof
    GROUP BY 1 ORDER BY 1 $$,
    $$ VALUES ('feature_containment', 2), ('feature_cosine', 2), ('feature_jaccard', 2), ('simhash_cosine', 2) $$,
    'exact measures are immutable, parallel safe and strict');
SELECT pg_temp.same_rows($$
    SELECT proname::text COLLATE "C", count(*)::int FROM our_function
    WHERE proname LIKE 'minhash\_band%' AND provolatile = 'i' AND proparallel = 's' AND proisstrict
    GROUP BY 1 ORDER BY 1 $$,
    $$ VALUES ('minhash_bands', 1) $$,
    'so are bands of minima');

-- Operator classes and families.
SELECT pg_temp.same_rows($$
    SELECT amname::text COLLATE "C", opcname::text, opcdefault FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod
    WHERE opcintype = 'simhash'::regtype ORDER BY 1 $$,
    $$ VALUES ('btree', 'simhash_ops', true), ('hash', 'simhash_ops', true), ('simhash', 'simhash_ops', true) $$,
    'simhash has default operator classes of three access methods');
SELECT ok(amvalidate(objid), name || ' is valid') FROM member WHERE classid = 'pg_opclass'::regclass ORDER BY name;
SELECT is_empty($$
    SELECT o.name, amopfamily FROM our_operator AS o JOIN pg_amop ON amopopr = o.oid
    WHERE amopfamily NOT IN (SELECT objid FROM member WHERE classid = 'pg_opfamily'::regclass) $$,
    'no operator joins a family that is not ours');
SELECT is_empty($$
    SELECT amopopr::regoperator FROM pg_amop JOIN member ON classid = 'pg_opfamily'::regclass AND objid = amopfamily
    WHERE amopopr NOT IN (SELECT oid FROM our_operator)
        AND amopopr::regoperator::text !~ '^=\(' $$,
    'no operator of others joins our families, except equalities');
SELECT is_empty($$
    SELECT opcintype::regtype FROM pg_opclass JOIN member ON classid = 'pg_opclass'::regclass AND objid = pg_opclass.oid
    WHERE opcintype NOT IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass) 
        AND opcname NOT IN ('simhash_bit_ops', 'simhash_bigint_ops', 'simhash_text_ops', 'simhash_title_ops') AND opcname NOT LIKE 'simhash\_equal\_%' $$,
    'no operator class is for a type of others, except those for bit strings, bigint, text and equality');
SELECT is(opcdefault, true, 'which is the default') FROM pg_opclass WHERE opcname = 'simhash_bit_ops';
SELECT is_empty($$
    SELECT name FROM our_operator AS o WHERE oprcanhash AND NOT EXISTS (
        SELECT FROM pg_amop JOIN pg_am ON pg_am.oid = amopmethod WHERE amname = 'hash' AND amopopr = o.oid
            AND EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = amopfamily AND amproclefttype = oprleft
                        AND amprocrighttype = oprleft AND amprocnum = 1)
            AND EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = amopfamily AND amproclefttype = oprright
                        AND amprocrighttype = oprright AND amprocnum = 1)) $$,
    'equalities that can be hashed have hash functions for both sides');
SELECT is_empty($$
    SELECT name FROM our_operator AS o WHERE oprcanmerge AND NOT EXISTS (
        SELECT FROM pg_amop JOIN pg_am ON pg_am.oid = amopmethod
        WHERE amname = 'btree' AND amopopr = o.oid AND amopstrategy = 3) $$,
    'equalities that can be merged are in a btree family');
SELECT is_empty($$
    SELECT o.name FROM our_operator AS o JOIN pg_amop AS a ON a.amopopr = o.oid JOIN pg_am ON pg_am.oid = a.amopmethod
    WHERE amname = 'btree' AND NOT EXISTS (SELECT FROM pg_amproc AS p WHERE p.amprocfamily = a.amopfamily
        AND p.amproclefttype = oprleft AND p.amprocrighttype = oprright AND p.amprocnum = 1) $$,
    'whatever a btree family compares has a comparison function');
SELECT pg_temp.same_rows($$
    SELECT amopstrategy::int, amopopr::regoperator::text, amoppurpose::text FROM pg_amop JOIN pg_am ON pg_am.oid = amopmethod
    WHERE amname = 'simhash' AND amoplefttype NOT IN ('bit'::regtype, 'bigint'::regtype)
        AND amopfamily = (SELECT oid FROM pg_opfamily WHERE opfname = 'simhash_ops' AND opfmethod = pg_am.oid) ORDER BY 1 $$,
    $$ VALUES (1, '<@|(simhash,simhash_ball)', 's'), (2, '~=(simhash,simhash)', 's'), (3, '=(simhash,simhash)', 's'),
              (4, '<@>(simhash,simhash)', 'o'), (5, '<@>(simhash,simhash_weights)', 'o') $$,
    'strategies are numbered as in the code');
SELECT pg_temp.same_rows($$
    SELECT amopstrategy::int, amopopr::regoperator::text, amoppurpose::text FROM pg_amop JOIN pg_opfamily AS f ON f.oid = amopfamily
    WHERE opfname = 'simhash_bigint_ops' ORDER BY 1 $$,
    $$ VALUES (1, '<@|(simhash,simhash_ball)', 's'), (2, '~=(bigint,bigint)', 's'), (3, '=(bigint,bigint)', 's'),
              (4, '<@>(bigint,bigint)', 'o'), (6, '=(bigint,integer)', 's'), (7, '=(bigint,smallint)', 's') $$,
    'also those for bigint');
SELECT pg_temp.same_rows($$
    SELECT amopstrategy::int, amopopr::regoperator::text, amoppurpose::text FROM pg_amop JOIN pg_am ON pg_am.oid = amopmethod
    WHERE amname = 'simhash' AND amoplefttype = 'bit'::regtype ORDER BY 1 $$,
    $$ VALUES (1, '<@|(bit,signature_ball)', 's'), (3, '=(bit,bit)', 's'), (4, '<@>(bit,bit)', 'o'),
              (5, '<@>(bit,signature_ball)', 'o') $$,
    'also for bit strings');
SELECT ok(EXISTS (SELECT FROM pg_amproc WHERE amproc = 'simhash_internal_hash_extended'::regproc AND amprocnum = 2),
    'the hash is extended, for partitions');

SELECT is_empty($$
    SELECT a.name, b.name FROM our_function AS a JOIN our_function AS b USING (prosrc, prolang, prokind)
    WHERE a.oid < b.oid AND prokind = 'f' AND (a.provolatile, a.proparallel, a.proleakproof, a.proisstrict)
        <> (b.provolatile, b.proparallel, b.proleakproof, b.proisstrict) $$,
    'SQL functions of one C function have the same properties');
SELECT is_empty($$
    SELECT amopopr::regoperator FROM pg_amop JOIN pg_am ON pg_am.oid = amopmethod JOIN pg_operator AS o ON o.oid = amopopr
    LEFT JOIN our_function AS p ON p.oid = oprcode
    WHERE amname = 'simhash' AND (amoplefttype <> oprleft OR amoprighttype <> oprright OR amopsortfamily <> 0 AND oprresult <> 'hamming_distance'::regtype
        OR amopsortfamily = 0 AND oprresult <> 'boolean'::regtype
        OR p.oid IS NOT NULL AND NOT (provolatile = 'i' AND proisstrict AND proparallel = 's' AND proleakproof = (oprleft <> 'bit'::regtype))) $$,
    'what an index searches or orders by is immutable, strict and, except for bit strings, leakproof');
SELECT is_empty($$
    SELECT amproc::regprocedure FROM pg_amproc JOIN pg_opfamily AS f ON f.oid = amprocfamily JOIN pg_am ON pg_am.oid = opfmethod
    JOIN our_function AS p ON p.oid = amproc JOIN pg_opclass AS c ON opcfamily = f.oid
    WHERE amname = 'simhash' AND NOT (provolatile = 'i' AND proisstrict AND proparallel = 's' AND prorettype = opckeytype AND proargtypes[0] = opcintype) $$,
    'what an index stores of a value is immutable, and of the type that its class stores');

-- Aggregates.
SELECT is_empty($$
    SELECT name FROM our_function AS p JOIN pg_aggregate AS a ON a.aggfnoid = p.oid WHERE proparallel <> 's' $$,
    'every aggregate is parallel safe');
SELECT pg_temp.same_rows($$
    SELECT proname::text COLLATE "C", pronargs::int, prorettype::regtype::text, aggcombinefn <> 0 AND aggserialfn <> 0
        AND aggdeserialfn <> 0 FROM our_function AS p
    JOIN pg_aggregate AS a ON a.aggfnoid = p.oid WHERE proname LIKE 'signature\_%' ORDER BY 1, 2 $$,
    $$ VALUES ('signature_agg', 2, 'bit', true), ('signature_agg', 3, 'bit', true),
              ('signature_weights_agg', 2, 'real[]', true), ('signature_weights_agg', 3, 'real[]', true) $$,
    'aggregates of signatures combine');
SELECT pg_temp.same_rows($$
    SELECT aggfnoid::regprocedure::text COLLATE "C", prorettype::regtype::text, aggcombinefn <> 0 AND aggserialfn <> 0
        AND aggdeserialfn <> 0 FROM our_function AS p
    JOIN pg_aggregate AS a ON a.aggfnoid = p.oid WHERE proname LIKE 'minhash\_%' ORDER BY 1 $$,
    $$ VALUES ('minhash_agg(text,integer)', 'bit', true),
              ('minhash_values_agg(text,integer)', 'bigint[]', true) $$,
    'aggregates of min-hash sketches combine');

-- The planner finds the extension's objects in any schema, with any search_path.
CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    plan text := '';
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        plan := plan || line || E'\n';
    END LOOP;
    RETURN plan;
END $$;
CREATE SCHEMA "Elsewhere";
DROP EXTENSION simhash CASCADE;
CREATE EXTENSION simhash SCHEMA "Elsewhere";
SET search_path = public, "Elsewhere";
CREATE TABLE public.moved AS
    SELECT i AS id, ('x' || md5(i::text))::bit(64)::simhash AS h FROM generate_series(1, 100) AS i;
CREATE INDEX moved_h ON public.moved USING simhash (h);
SET enable_seqscan = off;
PREPARE by_distance AS SELECT count(*) FROM public.moved WHERE h <@> 'c4ca4238a0b92382' <= $1;
SET plan_cache_mode = force_generic_plan;
SELECT pg_temp.same_rows('EXECUTE by_distance(3)', 'VALUES (1::bigint)', 'a prepared statement answers');
SELECT matches(pg_temp.plan('EXECUTE by_distance(3)'), 'moved_h.*<@\|', 'by the index');

SET search_path = public;
SELECT matches(
    pg_temp.plan($$ SELECT FROM public.moved WHERE "Elsewhere".hamming_within(h, 'c4ca4238a0b92382', 3) $$),
    'moved_h.*<@\|', 'hamming_within finds the index without the schema in the search_path');
SELECT matches(pg_temp.plan($$ SELECT FROM moved WHERE h OPERATOR("Elsewhere".<@>) 'c4ca4238a0b92382' <= 3 $$), 'moved_h.*<@\|',
    'comparison operators need no schema');
SET search_path = public, "Elsewhere";
SELECT matches(pg_temp.plan(q), 'moved_h.*(<@\||<@>)', 'index used from another schema:' || q)
FROM unnest(ARRAY[
    $$ SELECT FROM moved WHERE h <@> 'c4ca4238a0b92382' <= 3 $$, $$ SELECT FROM moved WHERE 3 >= 'c4ca4238a0b92382' <@> h $$,
    $$ SELECT FROM moved WHERE h <@> 'c4ca4238a0b92382' < (SELECT 4) $$,
    $$ SELECT FROM moved WHERE h <@> 'c4ca4238a0b92382' = 2 $$, $$ SELECT h FROM moved ORDER BY h <@> 'c4ca4238a0b92382' LIMIT 1 $$
]) AS q;

DROP EXTENSION simhash CASCADE;
CREATE SCHEMA again;
CREATE EXTENSION simhash SCHEMA again;
SET search_path = public, again;
CREATE TABLE public.made_again AS
    SELECT i AS id, ('x' || md5(i::text))::bit(64)::simhash AS h FROM generate_series(1, 100) AS i;
CREATE INDEX made_again_h ON made_again USING simhash (h);
SELECT matches(pg_temp.plan($$ SELECT FROM made_again WHERE h <@> 'c4ca4238a0b92382' < 4 $$), 'made_again_h.*<@\|',
    'and after the extension was dropped and made again');
SELECT pg_temp.same_rows($$ SELECT id FROM made_again WHERE h <@> 'c4ca4238a0b92382' < 4 $$, 'VALUES (1)', 'with the right answer');

SELECT finish();
ROLLBACK;
