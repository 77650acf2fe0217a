-- Precision and recall of signatures of the texts, and the time to make them. Writes signature_<kind> files.
DO $$
DECLARE
    k kind;
    round int;
BEGIN
    EXECUTE (SELECT 'CREATE UNLOGGED TABLE signature AS SELECT id, ' ||
        string_agg(format('(%s)::%s::bit(%s) AS %I', expression, column_type(kind), bits, name), ', ') || ' FROM text' FROM kind);
    FOR round IN 1..3 LOOP
        FOR k IN SELECT * FROM kind ORDER BY place LOOP
            DECLARE
                busy float8 := processor_seconds();
                made bigint;
            BEGIN
                EXECUTE format('SELECT count(%s) FROM text', k.expression) INTO made;
                PERFORM note('make', k.name, 'us', (processor_seconds() - busy) / made * 1e6);
            END;
        END LOOP;
    END LOOP;
END $$;
ALTER TABLE signature ADD PRIMARY KEY (id);
ANALYZE;
SELECT format($$\copy (SELECT %I FROM signature ORDER BY id) TO '%s/%1$s.bits'$$, name, :'directory') FROM kind \g :commands
