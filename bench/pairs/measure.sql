-- Included by the others: measure(method, work_mem, radius, statement) runs a statement and notes the best of its times.
CREATE TABLE measured (number serial, method text, memory text, radius integer, seconds float8, pairs bigint);
CREATE PROCEDURE measure(method text, memory text, radius integer, statement text) LANGUAGE plpgsql AS $$
DECLARE begun timestamptz; took float8; best float8; found bigint;
BEGIN
    PERFORM set_config('work_mem', memory, true);
    FOR run IN 1..3 LOOP
        begun := clock_timestamp();
        EXECUTE replace(statement, '$r', radius::text) INTO found;
        took := extract(epoch FROM clock_timestamp() - begun);
        best := least(best, took);
        EXIT WHEN took > 20;
    END LOOP;
    INSERT INTO measured (method, memory, radius, seconds, pairs) VALUES (method, memory, radius, best, found);
END $$;
