-- From the variable chance on, distances mean little.
\pset footer off
\pset numericlocale on
-- A well-known document if there is one, or else one that has near-duplicates.
SELECT path AS known, h AS q FROM page WHERE h IS NOT NULL
ORDER BY path ~ '/man1/ls\.1' DESC, path ~ '/man3/printf\.3' DESC, id IN (SELECT id FROM member) DESC, path LIMIT 1 \gset
\echo What is most like :known ?
\echo
\echo SELECT h <@> :'q' AS distance, path FROM page ORDER BY h <@> :'q' LIMIT 8;
\echo
SELECT h <@> :'q' AS distance,
    CASE WHEN h <@> :'q' <= :radius THEN 'within 3 bits' WHEN h <@> :'q' < :chance THEN 'probably related'
        ELSE 'chance' END AS meaning,
    CASE WHEN length(path) > 80 THEN '…' || right(path, 79) ELSE path END AS path
FROM page WHERE h IS NOT NULL ORDER BY h <@> :'q' LIMIT 8;
SELECT to_char(count(h), 'FM999,999,999') AS documents, :chance <= 16 AS known_chance FROM page \gset
\if :known_chance
\echo 'Some document is always the nearest. Among' :documents 'documents, unrelated ones are expected from about' :chance 'bits on:'
\else
\echo 'Some document is always the nearest. Among' :documents 'documents, unrelated ones are not expected within 16 bits:'
\endif
\echo 'simhash_report computes that from the number of rows and from the distances of pairs.'
