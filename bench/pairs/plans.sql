-- Included by those that measure plans in one session.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION simhash;
CREATE FUNCTION processor_seconds() RETURNS float8 LANGUAGE sql VOLATILE AS $$
    SELECT split_part(pg_read_file('/proc/' || pg_backend_pid() || '/schedstat'), ' ', 1)::float8 / 1e9 $$;
CREATE FUNCTION plan_name(plan json) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN plan -> 'Pairs of' IS NOT NULL THEN 'pairs' WHEN plan ->> 'Node Type' = 'Custom Scan' THEN 'batches'
        WHEN plan ->> 'Node Type' ~ 'Loop|Join' THEN lower(plan ->> 'Node Type')
        ELSE (SELECT max(plan_name(part)) FROM json_array_elements(plan -> 'Plans') part) END $$;

\ir page.sql
-- New rows i, of which one in ten is near a row of page.
\set new 'hashint8extended(i, 1 + (i % 10 > 0)::integer)::simhash, -i, abs(hashint4(i)) % 6'
