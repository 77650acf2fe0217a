-- The distances of random texts of n different words from copies in which m words are replaced: the tables of doc/which.md.
WITH text AS (
    SELECT n, m, i, array_agg('w' || hashint8(i * 1000 + m * 7919 + k) ORDER BY k) AS words,
        array_agg(CASE WHEN k <= m THEN 'v' || i * 10 + k ELSE 'w' || hashint8(i * 1000 + m * 7919 + k) END ORDER BY k) AS copy
    FROM (VALUES (6, 1), (10, 1), (20, 1), (50, 1), (100, 1), (150, 1), (150, 3), (150, 5), (150, 8)) AS v (n, m),
        generate_series(1, 2000) AS i, generate_series(1, n) AS k
    GROUP BY n, m, i)
SELECT n, m, round(avg((d <= 3)::int), 2) AS "at 3", round(avg((d <= 5)::int), 2) AS "5", round(avg((d <= 7)::int), 2) AS "7",
    round(avg((d <= 9)::int), 2) AS "9", percentile_disc(0.95) WITHIN GROUP (ORDER BY d) AS "95 % at"
FROM (SELECT n, m, (to_simhash(features(words)) <@> to_simhash(features(copy)))::int AS d FROM text) AS t GROUP BY n, m ORDER BY n, m;
