\set ECHO none
-- Min-hash of other libraries. The vectors are written by tools/minhash-vectors.py, which computes the definitions once
-- more, with NumPy, and compares them with the libraries. The list shows the expected and the actual minima of each.

\set VERBOSITY default
CREATE EXTENSION simhash_compat;
\pset null '(null)'
SET client_encoding = 'UTF8';

CREATE TEMP TABLE feature_set (n int, features text[]);
INSERT INTO feature_set VALUES
    (1, ARRAY['Hello']),
    (2, ARRAY['']),
    (3, ARRAY['a', 'b', 'a', 'a']),
    (4, ARRAY['née', '東京', '🙂', U&'e\0301']),
    (5, string_to_array('minhash is a probabilistic data structure for estimating the similarity between datasets', ' ')),
    (6, (SELECT array_agg(repeat('x', length))
         FROM unnest(ARRAY[3, 8, 9, 16, 17, 55, 56, 63, 64, 65, 119, 120, 128, 129, 240, 241, 1000]) AS length));

CREATE TEMP TABLE vector (n int GENERATED ALWAYS AS IDENTITY, profile text, input text, expected bigint[], got bigint[]);

-- datasketch's own test prints this.
INSERT INTO vector (profile, input, expected, got) VALUES
    ('datasketch', 'Hello', '{734825475,960773806,359816889,342714745}', to_minhash_as('datasketch', ARRAY['Hello'], 4));

-- Five minima of each set.
INSERT INTO vector (profile, input, expected, got)
SELECT profile, 'set ' || set, expected::bigint[], to_minhash_as(profile, features, 5)
FROM (VALUES
    ('datasketch', 1, '{734825475,960773806,359816889,342714745,1045589802}'),
    ('datasketch', 2, '{3147327809,1384602639,2713099230,3633335119,27338559}'),
    ('datasketch', 3, '{297616339,739114274,2013617805,1974455217,943679155}'),
    ('datasketch', 4, '{100113521,201347699,1629222126,76887868,53064619}'),
    ('datasketch', 5, '{297616339,279951299,113505080,311917730,1735256}'),
    ('datasketch', 6, '{28686358,83240099,330416150,453827201,105774358}'),
    ('text-dedup', 1, '{3199034720,2191819797,2480483036,3210055382,1478629605}'),
    ('text-dedup', 2, '{1802723967,1819564057,2554015877,3271092385,4165573786}'),
    ('text-dedup', 3, '{2450799724,3272321987,1380086295,115672612,2391830730}'),
    ('text-dedup', 4, '{607143355,2588438547,464099088,2205212072,46114021}'),
    ('text-dedup', 5, '{507993482,913538274,1380086295,646138340,18030672}'),
    ('text-dedup', 6, '{53351063,375073545,107772532,485714370,650308689}'),
    ('text-dedup-32', 1, '{3760992074,1045897024,1126898661,889455793,2715850640}'),
    ('text-dedup-32', 2, '{2500902085,3944553572,974578270,517200052,3987129407}'),
    ('text-dedup-32', 3, '{3013722227,297662028,957046456,1969957978,1533469629}'),
    ('text-dedup-32', 4, '{1038882450,2748972960,181819043,1286074536,1529152696}'),
    ('text-dedup-32', 5, '{744931221,297662028,449708160,307022401,151709677}'),
    ('text-dedup-32', 6, '{648877516,264638584,1280490139,56591695,4154321}'),
    ('text-dedup-16', 1, '{17369,51023,60238,2978,63024}'),
    ('text-dedup-16', 2, '{32884,60681,33266,39025,42249}'),
    ('text-dedup-16', 3, '{1980,8441,35190,18760,34209}'),
    ('text-dedup-16', 4, '{2801,13061,17418,858,10680}'),
    ('text-dedup-16', 5, '{569,6287,3050,9679,1124}'),
    ('text-dedup-16', 6, '{773,5627,670,22403,452}'),
    ('text-dedup-sha1', 1, '{4247243142,2285901895,1102935795,2373541547,355714108}'),
    ('text-dedup-sha1', 2, '{2288620576,4218395537,2827533000,365306447,1892328039}'),
    ('text-dedup-sha1', 3, '{2014113038,35035507,1450220290,3826167177,1287595618}'),
    ('text-dedup-sha1', 4, '{446176765,1183404434,457318629,484854255,184988303}'),
    ('text-dedup-sha1', 5, '{257371994,75445659,656784930,259852119,260951544}'),
    ('text-dedup-sha1', 6, '{457103399,9507711,595187794,84609660,7735476}'),
    ('text-dedup-sha1-32', 1, '{966923432,2094105448,2686193103,983537887,3272835254}'),
    ('text-dedup-sha1-32', 2, '{3482809085,135482884,1194901062,2916031532,1624051351}'),
    ('text-dedup-sha1-32', 3, '{1052700422,2081555344,2301340098,2846512448,2777892219}'),
    ('text-dedup-sha1-32', 4, '{457315299,256249228,1422855840,796534398,71495153}'),
    ('text-dedup-sha1-32', 5, '{80561468,15593792,25764548,347739634,505407138}'),
    ('text-dedup-sha1-32', 6, '{189948503,30933396,49744556,56553889,49677385}'),
    ('text-dedup-sha1-16', 1, '{54639,53251,51478,36896,46594}'),
    ('text-dedup-sha1-16', 2, '{13252,10089,37810,46209,26233}'),
    ('text-dedup-sha1-16', 3, '{21496,16807,18750,13669,20981}'),
    ('text-dedup-sha1-16', 4, '{12518,3949,7562,7095,6159}'),
    ('text-dedup-sha1-16', 5, '{1539,5429,12010,4035,4248}'),
    ('text-dedup-sha1-16', 6, '{702,10595,134,2642,1322}'),
    ('datatrove', 1, '{1278023343274969905,513366669564651182,663149214263856292,2192787670128592567,2124734710286733661}'),
    ('datatrove', 2, '{777041847481084306,634216017043959529,1525961113684799864,1302494246250656053,1632035680414370931}'),
    ('datatrove', 3, '{916617923725266027,886341003538903617,172625186787117071,324429429894474430,362266261370865846}'),
    ('datatrove', 4, '{629123741791489526,475796500884844649,876023202657750715,663071278029919196,232906968263683627}'),
    ('datatrove', 5, '{167194742012726886,263761511872757217,172625186787117071,9065647375456879,21842200686178865}'),
    ('datatrove', 6, '{48787373039974929,162684570257397849,251612625139213680,88123263117638854,76371895563070952}'),
    ('datatrove-32', 1, '{3284200539,2193052947,4286113813,2592962041,681635814}'),
    ('datatrove-32', 2, '{4023488801,478480564,2557832622,1965278142,353539294}'),
    ('datatrove-32', 3, '{1978830797,342033102,47620086,1728214564,1646554094}'),
    ('datatrove-32', 4, '{1116345770,330140644,602183095,208483534,26323073}'),
    ('datatrove-32', 5, '{38662491,342033102,20001327,866575515,476030509}'),
    ('datatrove-32', 6, '{132920128,43456902,259626588,154238651,10586462}'),
    ('datatrove-sha1', 1, '{974559860653213749,1121109056497936315,616897065782843940,419986236026874470,858980138502841166}'),
    ('datatrove-sha1', 2, '{1727092855503234429,702404734097991025,245544396974110598,1784556556722983227,1642406360607367284}'),
    ('datatrove-sha1', 3, '{236914637470662667,989378675748955065,879723940068784701,283998904798727951,183496395698135840}'),
    ('datatrove-sha1', 4, '{1260841121227102306,564291140288899573,32873183093462544,60778440580727607,147853658326404370}'),
    ('datatrove-sha1', 5, '{236914637470662667,114871084679808058,9563095797484492,141803250092412465,131676066123529729}'),
    ('datatrove-sha1', 6, '{48552655386425313,172538964334141447,283031843280237984,363940122819481083,20173606136356032}'),
    ('datatrove-sha1-32', 1, '{2727790652,990406584,3841432101,2834262630,2291393356}'),
    ('datatrove-sha1-32', 2, '{845325690,1484170609,4265260934,3172028728,349708400}'),
    ('datatrove-sha1-32', 3, '{259316559,2438409085,875887162,476102973,865740479}'),
    ('datatrove-sha1-32', 4, '{2093078698,1725032944,765369385,503259911,1642542608}'),
    ('datatrove-sha1-32', 5, '{152320514,444924415,109147832,476102973,63355226}'),
    ('datatrove-sha1-32', 6, '{20297693,12889405,13826683,137050355,52687331}')
    ) AS v(profile, set, expected) JOIN feature_set ON n = set ORDER BY profile COLLATE "C", set;

-- As many minima as the library computes by default: the keys of two bands, which depend on all of them.
INSERT INTO vector (profile, input, expected, got)
SELECT profile, 'set ' || set || ', ' || size || ' minima', expected::bigint[],
       minhash_bands(to_minhash_as(profile, features), size / 2)
FROM (VALUES
    ('datasketch', 5, 128, '{7406719084858617106,3278213069303769264}'),
    ('text-dedup', 5, 240, '{1439683439647107403,-6584831675073330279}'),
    ('text-dedup-32', 5, 240, '{889386998741313433,-5911254943447386717}'),
    ('text-dedup-16', 5, 240, '{3159547493070785816,3654791527399139545}'),
    ('text-dedup-sha1', 5, 240, '{9067937015153758516,-468001711469716725}'),
    ('text-dedup-sha1-32', 5, 240, '{1667735381882319614,8835715966927655857}'),
    ('text-dedup-sha1-16', 5, 240, '{6374643173287677324,4567697822744925174}'),
    ('datatrove', 5, 112, '{5448595007813632622,-8361124984296032165}'),
    ('datatrove-32', 5, 112, '{7507197668207693979,5476903726556394240}'),
    ('datatrove-sha1', 5, 112, '{-1258663648952947307,-3023612957272880791}'),
    ('datatrove-sha1-32', 5, 112, '{-7118642970244519346,-7477032415657980404}')
    ) AS v(profile, set, size, expected) JOIN feature_set ON n = set ORDER BY profile COLLATE "C";

\echo '-- The most minima, and the largest seed.'
INSERT INTO vector (profile, input, expected, got)
SELECT profile, 'set ' || set || ', ' || size || ' minima, seed', expected::bigint[],
       minhash_bands(to_minhash_as(profile, features, size, 4294967295), size / 2)
FROM (VALUES
    ('datasketch', 5, 4096, '{-439656093544476239,1416417056090557251}'),
    ('text-dedup', 5, 4096, '{-4283863473440423481,299080544678820011}'),
    ('text-dedup-32', 5, 4096, '{-7556116323945766555,9083565571049510435}'),
    ('text-dedup-16', 5, 4096, '{-5869382017884355877,-8011439832372565924}'),
    ('text-dedup-sha1', 5, 4096, '{-8945050344638348368,2630992154289755545}'),
    ('text-dedup-sha1-32', 5, 4096, '{1480643976038356324,1249705824868828868}'),
    ('text-dedup-sha1-16', 5, 4096, '{3462682852725698276,281530991467316143}'),
    ('datatrove', 5, 4096, '{-4718612487149839202,2512049229936118482}'),
    ('datatrove-32', 5, 4096, '{7907205432266556920,1060391410533453256}'),
    ('datatrove-sha1', 5, 4096, '{395485372982240021,1115052989624430128}'),
    ('datatrove-sha1-32', 5, 4096, '{-8945050344638348368,2630992154289755545}')
    ) AS v(profile, set, size, expected) JOIN feature_set ON n = set ORDER BY profile COLLATE "C";

SELECT profile, input, expected, got, expected = got AS ok FROM vector ORDER BY n;
SELECT count(*) AS vectors, count(*) FILTER (WHERE expected = got) AS ok FROM vector;

\echo '-- Order and repetition do not matter, NULLs are skipped, names are not case-sensitive, the defaults are the profile''s.'
SELECT name, to_minhash_as(name, ARRAY['a', 'b', 'c']) = to_minhash_as(name, ARRAY['c', NULL, 'a', 'b', 'a']) AS set,
       to_minhash_as(name, ARRAY['a']) = to_minhash_as(upper(name), ARRAY['a'], minima, seed) AS defaults,
       cardinality(to_minhash_as(name, ARRAY['a'])) = minima AS minima,
       to_minhash_as(name, ARRAY['a'], minima, seed) <> to_minhash_as(name, ARRAY['a'], minima, seed + 1) AS seeds
FROM minhash_profiles();
\echo '-- The minima of a union are the smaller ones.'
SELECT name, (SELECT array_agg(least(a, b) ORDER BY place)
              FROM unnest(to_minhash_as(name, ARRAY['a', 'b']), to_minhash_as(name, ARRAY['b', 'c']))
                  WITH ORDINALITY AS m(a, b, place)) = to_minhash_as(name, ARRAY['a', 'b', 'c']) AS union
FROM minhash_profiles();
\echo '-- Without features there are no minima. datasketch keeps the largest number in every place.'
SELECT to_minhash_as('datasketch', '{}'::text[]), to_minhash_as('datasketch', ARRAY[NULL]::text[], 4),
       minhash_from_hashes_as('text-dedup', '{}'), to_minhash_as(NULL, ARRAY['a']), to_minhash_as('datasketch', NULL::text[]),
       to_minhash_as('datasketch', ARRAY['a'], NULL), to_minhash_as('datasketch', ARRAY['a'], 4, NULL);
\echo '-- Hashes of features, for libraries with another hash function: unsigned, and cut to the integers of the arithmetic.'
SELECT minhash_from_hashes_as('datasketch', ARRAY[12], 4) AS twelve, minhash_from_hashes_as('datatrove', ARRAY[-1], 2) AS all_ones,
       minhash_from_hashes_as('text-dedup-16', ARRAY[65536 * 3 + 12], 4) = minhash_from_hashes_as('text-dedup-16', ARRAY[12], 4, 42) AS low_bits;

\echo '-- The table of profiles.'
SELECT * FROM minhash_profiles();

\echo '-- Errors.'
SELECT to_minhash_as('minhash', ARRAY['a']);
\echo :SQLSTATE
SELECT to_minhash_as('datasketch', ARRAY['a'], 0);
\echo :SQLSTATE
SELECT to_minhash_as('datasketch', ARRAY['a'], 16385);
\echo :SQLSTATE
SELECT to_minhash_as('datasketch', ARRAY['a'], 4, -1);
\echo :SQLSTATE
SELECT minhash_from_hashes_as('datasketch', ARRAY[1, 2], 4, 4294967296);
\echo :SQLSTATE
SELECT to_minhash_as('datasketch', ARRAY[1, 2]);
\echo :SQLSTATE
SELECT to_minhash_as('datasketch', ARRAY[['a'], ['b']]);
\echo :SQLSTATE
DROP EXTENSION simhash_compat;
