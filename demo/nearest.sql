\pset footer off
-- A well-known document if there is one.
SELECT path AS known, h AS q FROM page WHERE h IS NOT NULL
ORDER BY path ~ '/man1/ls\.1' DESC, path ~ '/man3/printf\.3' DESC, path ~ '/man1/' DESC, path LIMIT 1 \gset
\echo What is most like :known ?
\echo
\set ECHO queries
SELECT h <@> :'q' AS distance, path FROM page ORDER BY h <@> :'q' LIMIT 8;
\set ECHO none
\echo 'Distances up to 3 mean near-duplicates; up to about 10, texts that have much in common. Farther ones are mostly'
\echo 'chance: some document is always the nearest.'
