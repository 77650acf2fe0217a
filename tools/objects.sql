-- Writes doc/objects.md: all objects of simhash and simhash_compat, by subject, from the catalogue of a database that has
-- both extensions in the schema public.
--
--   psql -XAtq -f tools/objects.sql database >doc/objects.md
--
-- A name belongs to the last subject whose pattern matches it. An object without a description is an error.
SET search_path = pg_catalog, public;

CREATE TEMP TABLE subject (place int, title text, pattern text);
INSERT INTO subject VALUES
    (1, 'Features of documents', '^to_(.*_)?features$'),
    (2, 'Fingerprints', '^(to_simhash|simhash_agg|simhash_project|simhash$)'),
    (3, 'Weights of fingerprints', '^(to_simhash_weights|simhash_weights|simhash_project_weights|simhash_volatility|\+$)'),
    (4, 'Signatures', '^(to_signature|signature_)'),
    (5, 'Min-hash', '^(to_minhash|minhash_|jaccard_estimate|descending_similarity|>@<$)'),
    (6, 'Hamming distance', '^(hamming_|simhash_ball|simhash_near|<@>|<@\||~=)'),
    (7, 'Exact measures of features', '^feature_'),
    (8, 'Index: statistics, checks, searches explained', '^(simhash_index_|simhash_report$)'),
    (9, 'Pairs, joins and groups', '^simhash_(pairs|join|groups|match|pair_groups|pair_sample)$'),
    (10, 'Routing to tables and servers, tenants', '^(simhash_(blocks|first_block|block_pairs)|tenant_.*)$'),
    (11, 'Locality-sensitive hashing', '^lsh_'),
    (12, 'Order, hash, minimum and maximum', '^(min|max)$'),
    (13, 'Weights by rarity', '^feature_(frequenc|rarity)'),
    (14, 'Fingerprints and min-hash of other libraries, in the extension simhash_compat', '(_as|_profiles)$');
CREATE TEMP TABLE member AS
    SELECT classid, objid FROM pg_depend
    WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
        AND refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ('simhash', 'simhash_compat'));
-- Functions that are called by name. The others implement types, operators, casts, aggregates and operator classes.
CREATE TEMP TABLE implementation AS
    SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend]::oid[]) AS oid
        FROM pg_type JOIN member ON classid = 'pg_type'::regclass AND objid = pg_type.oid
    UNION SELECT unnest(ARRAY[oprrest, oprjoin]::oid[] || CASE WHEN proname !~ '(distance|similarity)$' THEN oprcode::oid END)
        FROM pg_operator JOIN pg_proc ON pg_proc.oid = oprcode JOIN member ON classid = 'pg_operator'::regclass AND objid = pg_operator.oid
    UNION SELECT castfunc FROM pg_cast JOIN member ON classid = 'pg_cast'::regclass AND objid = pg_cast.oid
    UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn]::oid[])
        FROM pg_aggregate JOIN member ON classid = 'pg_proc'::regclass AND objid = aggfnoid
    UNION SELECT amproc FROM pg_amproc JOIN member ON classid = 'pg_opfamily'::regclass AND objid = amprocfamily
    UNION SELECT amhandler FROM pg_am JOIN member ON classid = 'pg_am'::regclass AND objid = pg_am.oid
    UNION SELECT prosupport FROM pg_proc JOIN member ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid;
CREATE TEMP TABLE object AS
    SELECT CASE prokind WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END AS kind, proname::text AS name,
        format('%s(%s)', proname, regexp_replace(pg_get_function_identity_arguments(p.oid), '(, )?OUT .*', '')) AS form,
        EXISTS (SELECT FROM implementation AS i WHERE i.oid = p.oid) AS internal, obj_description(p.oid, 'pg_proc') AS description
    FROM pg_proc AS p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid
    UNION ALL
    SELECT CASE typtype WHEN 'd' THEN 'domain' ELSE 'type' END, typname, typname, false, obj_description(t.oid, 'pg_type')
    FROM pg_type AS t JOIN member ON classid = 'pg_type'::regclass AND objid = t.oid WHERE typelem = 0 OR typtype = 'd'
    UNION ALL
    SELECT 'operator', oprname, format('%s %s %s', oprleft::regtype, oprname, oprright::regtype), oprname IN ('=', '<>', '<', '<=', '>', '>='),
        obj_description(o.oid, 'pg_operator')
    FROM pg_operator AS o JOIN member ON classid = 'pg_operator'::regclass AND objid = o.oid
    UNION ALL
    SELECT 'cast', castsource::regtype::text, format('%s AS %s', castsource::regtype, casttarget::regtype), true, obj_description(c.oid, 'pg_cast')
    FROM pg_cast AS c JOIN member ON classid = 'pg_cast'::regclass AND objid = c.oid
    UNION ALL
    SELECT 'operator class', opcname, format('%s for %s using %s', opcname, opcintype::regtype, amname), true, obj_description(c.oid, 'pg_opclass')
    FROM pg_opclass AS c JOIN member ON classid = 'pg_opclass'::regclass AND objid = c.oid JOIN pg_am ON pg_am.oid = opcmethod
    UNION ALL
    SELECT 'access method', amname, amname, true, obj_description(a.oid, 'pg_am')
    FROM pg_am AS a JOIN member ON classid = 'pg_am'::regclass AND objid = a.oid;
ALTER TABLE object ADD place int;
UPDATE object SET place = (SELECT max(s.place) FROM subject AS s WHERE name ~ pattern);
-- Raises an error if an object has no description, or no subject.
SELECT CASE WHEN description IS NULL OR NOT internal AND place IS NULL THEN (kind || ' ' || form || ' has no description or no subject')::int END
    FROM object WHERE description IS NULL OR NOT internal AND place IS NULL;

SELECT '# All objects

This page is written by `tools/objects.sql` from the catalogue of a database that has the extensions `simhash` and
`simhash_compat`. The names follow a scheme:

| name | what it is |
|---|---|
| `to_T(input, …)`, `to_T_weights`, `to_T_as(profile, …)` | makes a value of T: `simhash`, `signature`, `minhash`, `features` |
| `T_…` | a function of a value of T, an aggregate of T, or T of a vector (`T_project`) |
| `hamming_…` | distances and conditions on them, for all types that have one |
| `feature_…` | exact measures of features |
| `simhash_index_…` | inspects an index |
| `simhash_pairs`, `_join`, `_groups`, `_match` | searches of a whole index |

The distance of bit strings is `signature_distance`, not `hamming_distance`: pgvector has a function
`hamming_distance(bit, bit)`, and both extensions are often in one schema.';

SELECT E'\n## ' || title || E'\n\n| | |\n|---|---|\n' || string_agg(line, E'\n' ORDER BY rank, form COLLATE "C")
FROM subject JOIN (
    SELECT place, form, array_position('{type,domain,function,aggregate,operator}', kind) AS rank,
        format('| `%s`%s | %s |', replace(form, '|', '\|'), CASE WHEN kind <> 'function' THEN ', ' || kind ELSE '' END,
            replace(replace(description, '|', '\|'), '<', '&lt;')) AS line
    FROM object WHERE NOT internal) AS listed USING (place)
GROUP BY place, title ORDER BY place;

SELECT E'\n## Comparisons, casts, operator classes\n\n' || string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM (
    SELECT '- Comparisons of ' || pair || ': ' || string_agg('`' || name || '`', ' ' ORDER BY name COLLATE "C") AS line
    FROM (SELECT name, replace(form, ' ' || name || ' ', ' and ') AS pair FROM object WHERE kind = 'operator' AND internal) AS comparison
    GROUP BY pair
    UNION ALL SELECT '- Cast `' || form || '`: ' || description FROM object WHERE kind = 'cast'
    UNION ALL SELECT '- ' || upper(left(kind, 1)) || substr(kind, 2) || ' `' || form || '`: ' || description
        FROM object WHERE kind IN ('operator class', 'access method')) AS listed;

SELECT E'\n## Functions behind these\n\nThey implement types, operators, casts, aggregates and operator classes, and are not called by name:\n'
    || string_agg('`' || name || '`', E',\n' ORDER BY name COLLATE "C") || '.' FROM (SELECT DISTINCT name FROM object WHERE internal AND kind = 'function') AS listed;
