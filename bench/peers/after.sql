-- After the inserts: the indexes still give the expected answers.
DO $$
DECLARE k kind; m method; found bigint; queries integer := 500;
BEGIN
    FOR k IN SELECT * FROM kind WHERE to_regclass('page_' || name) IS NOT NULL AND (name IN ('four', 'gin') OR name ~ '^t\d+$') LOOP
        m.query_set := 'all';
        m.radius := 3;
        m.keys := k.name IN ('four', 'gin');
        m.statement := format('SELECT count(*) FROM page_%s WHERE %s', k.name, near_by_kind(k.name, 3));
        CALL make_loop('after_loop', m);
        found := total FROM after_loop(queries, 1);
        CALL compare('after inserts, ' || k.label, found, expected_of('after', 3, queries));
        DROP FUNCTION after_loop;
        IF k.name ~ '^t\d+$' AND (SELECT rows FROM setting) <= 1000000 THEN
            PERFORM simhash_index_check(format('page_%s_1', k.name)::regclass, true);
        END IF;
    END LOOP;
END $$;
