-- Notes sizes, and the leaf pages that searches read. Variables: rows.
SELECT note('size', name, '', 'bytes per row', pg_relation_size(relation)::float8 / :rows)
FROM (VALUES ('table', 'page'), ('primary key', 'page_pkey'), ('index', 'page_h')) v (name, relation) \g /dev/null
SELECT note('size', 'index', '', replace(name, '_', ' '), value)
FROM simhash_index_stats('page_h') WHERE name IN ('leaf_pages', 'height') \g /dev/null
SELECT note('leaves', format('r = %s', r), '', 'leaf pages', avg(leaves))
FROM unnest('{3,5,7}'::int[]) r, (SELECT h FROM query WHERE query_set = 'all' ORDER BY id LIMIT 200) q,
     LATERAL (SELECT count(*) AS leaves FROM simhash_index_trace('page_h', simhash_ball(q.h, r))) p GROUP BY r \g /dev/null
