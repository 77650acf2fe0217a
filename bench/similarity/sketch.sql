-- The time to sketch the documents of `feature`.
DO $$
DECLARE
    call text;
    round int;
    busy float8;
    made bigint;
BEGIN
    FOR round IN 1..3 LOOP
        FOR call IN SELECT format(f, size) FROM unnest('{128,256,1024}'::int[]) size,
            unnest('{"to_minhash(features(features), %s)","to_minhash_values(features(features), %s)","to_minhash(body, ''word'', 3, %s)"}'::text[]) f LOOP
            busy := processor_seconds();
            EXECUTE format('SELECT count(%s) FROM feature', call) INTO made;
            PERFORM note('sketch', call, 'documents/s', made / (processor_seconds() - busy));
        END LOOP;
    END LOOP;
END $$;
