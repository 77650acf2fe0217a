\pset footer off
\echo
\echo Texts: the radius with the best harmonic mean of precision and recall
SELECT label, measure, best.radius, found, round(precision::numeric, 3) AS precision, round(recall::numeric, 3) AS recall
FROM best JOIN kind ON name = kind ORDER BY measure, place;
\echo Time per text
SELECT label, round(min(value)::numeric) AS us FROM result JOIN kind ON name = item WHERE part = 'make' GROUP BY place, label ORDER BY place;
\echo Documents
SELECT part, item, measure, round(value::numeric, 4) AS value FROM result WHERE part <> 'make' AND part <> 'sketch' ORDER BY n;
SELECT item, measure, round(max(value)::numeric) AS value FROM result WHERE part = 'sketch' GROUP BY 1, 2 ORDER BY min(n);
