-- Reads the output of latency.cpp from standard input and compares the answers.
CREATE TEMP TABLE latency (method text, variant text, measure text, value float8);
\copy latency FROM pstdin CSV
INSERT INTO result SELECT 'latency', data, method, variant, measure, value FROM latency, setting;
DO $$
DECLARE m record;
BEGIN
    FOR m IN SELECT method, max(value) FILTER (WHERE measure = 'found')::bigint AS found,
                    expected_of('all', 3, max(value) FILTER (WHERE measure = 'queries')::integer) AS expected
             FROM latency WHERE variant = 'r = 3' GROUP BY method LOOP
        CALL compare('latency, ' || m.method, m.found, m.expected);
    END LOOP;
END $$;
