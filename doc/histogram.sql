-- Draws the distances of a table's rows, and what share of the matches within each radius is expected to be false, from a
-- sample, as a page for a browser:
--
--   psql -XAtq -v table=page -v column=h -f doc/histogram.sql database > histogram.html
--
-- Bars have the height of the logarithm, so that few near pairs can be seen beside many far ones. Near-duplicates are bars
-- on the left, before the valley in front of the large hill of unrelated pairs. The shaded bars are distances at which a
-- search finds more than one false match in ten searches.
CREATE TEMP TABLE figure AS SELECT topic, item, value FROM simhash_report(:'table', :'column', details => true);
WITH bar AS (
    SELECT item::int AS distance, value AS share,
        greatest(2, 300 * (1 + log(value::numeric) / 9))::numeric(9, 1) AS height,
        coalesce((SELECT value FROM figure matches WHERE topic = 'false matches' AND item = figure.item), 1) AS false_matches
    FROM figure WHERE topic = 'distance'
), width AS (SELECT greatest(max(distance), 16) + 1 AS bars FROM bar)
SELECT format($html$<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Distances of %1$s</title>
<style>
:root { color-scheme: light dark; --ink: #222; --bar: #2563a8; --far: #a9c1dc }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --bar: #7db4f0; --far: #3d5670 } body { background: #16181b } }
body { font: 16px/1.5 sans-serif; color: var(--ink); max-width: 60em; margin: 2em auto; padding: 0 1em }
svg { width: 100%%; height: auto } rect { fill: var(--bar) } .far { fill: var(--far) }
text { fill: var(--ink); font-size: 13px; text-anchor: middle }
table { border-collapse: collapse } th, td { padding: .1em 1.2em .1em 0; text-align: right }
</style>
<h1>Distances of %1$s</h1>
<p>Of a sample of %2$s rows. Each bar is the share of the pairs with so many different bits, on a logarithmic scale.</p>
<svg viewBox="0 0 %3$s 345" role="img" aria-label="Histogram of distances">%4$s</svg>
<h2>Expected false matches of a search</h2>
<table><tr><th>radius<th>false matches</tr>%5$s</table>
</html>$html$,
    replace(replace(:'table' || '.' || :'column', '&', '&amp;'), '<', '&lt;'),
    (SELECT value FROM figure WHERE (topic, item) = ('rows', 'sampled')),
    16 * bars,
    (SELECT string_agg(format('<rect%s x="%s" y="%s" width="12" height="%s"><title>%s bits: %s</title></rect>',
            CASE WHEN false_matches > 0.1 THEN ' class="far"' END, 16 * distance + 2, 320 - height, height, distance, share), '')
        || string_agg(format('<text x="%s" y="340">%s</text>', 16 * distance + 8, distance), '')
            FILTER (WHERE distance % 4 = 0) FROM bar),
    (SELECT string_agg(format('<tr><td>%s<td>%s</tr>', item, value), '' ORDER BY item::int)
        FROM figure WHERE topic = 'false matches' AND item::int <= 12))
FROM width;
