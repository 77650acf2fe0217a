-- One round of one variant. Variables: variant, round, batch, single. The rows are the same for all variants.
SELECT (SELECT count(*) FROM page_:variant) + 1 AS next \gset
CALL measure(:'variant', 'many rows', :round, :batch,
             format('INSERT INTO page_%s SELECT * FROM random_rows(%s, %s)', :'variant', :next, :batch));
SELECT :next + :batch AS next \gset
CALL measure(:'variant', 'one row', :round, :single,
             format('DO $$ DECLARE x simhash; BEGIN
                         FOR x IN SELECT * FROM random_rows(%s, %s) LOOP INSERT INTO page_%s VALUES (x); END LOOP;
                     END $$', :next, :single, :'variant'));
