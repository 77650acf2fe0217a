\set ECHO none
-- An index that is used while it is being built, by a function in its expression or predicate.

CREATE TABLE t (id int, h simhash, s bit(256));
INSERT INTO t SELECT i, hashint8extended(i, 1)::simhash, ('x' || md5(i::text) || md5(i || 'b'))::bit(256) FROM generate_series(1, 3) AS i;
CREATE INDEX ON t (id); -- the planner looks for indexes only if there is one
SET enable_seqscan = off;
\echo '-- Returns its argument. Runs the query in the setting test.query, which gets it as parameter, and shows the answer.'
CREATE FUNCTION probe(value anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE SET search_path FROM CURRENT AS $$
DECLARE
    query text := current_setting('test.query', true);
    answer text;
BEGIN
    PERFORM set_config('test.query', '', false); -- the query may call this function
    IF query <> '' THEN
        BEGIN
            EXECUTE query INTO answer USING value;
            RAISE NOTICE '%: %', query, answer;
        EXCEPTION WHEN OTHERS THEN
            RAISE NOTICE '%: % %', query, SQLSTATE, SQLERRM;
        END;
    END IF;
    RETURN value;
END $$;
SET test.query = 'SELECT count(*) FROM t WHERE probe(h) <@> $1 <= 3';
CREATE INDEX t_h ON t USING simhash (probe(h));
SET test.query = 'SELECT count(*) FROM t WHERE probe(s)::bit(256) <@> $1 <= 3';
CREATE INDEX t_s ON t USING simhash ((probe(s)::bit(256)));
SET test.query = 'SELECT count(*) FROM t WHERE s <@> (SELECT s FROM t WHERE id = 1) <= 3 AND probe(s::text) IS NOT NULL';
CREATE INDEX t_p ON t USING simhash (s) WHERE probe(s::text) IS NOT NULL;
\echo '-- wide indexes compute the values twice, for the sample and for the store'
CREATE FUNCTION probe_later(value bit) RETURNS bit LANGUAGE plpgsql IMMUTABLE SET search_path FROM CURRENT AS $$
DECLARE calls int := current_setting('test.calls')::int + 1;
BEGIN
    PERFORM set_config('test.calls', calls::text, false);
    RETURN CASE WHEN calls = 5 THEN probe(value) ELSE value END;
END $$;
SET test.calls = 0;
SET test.query = 'SELECT count(*) FROM t WHERE probe_later(s)::bit(256) <@> (SELECT s FROM t WHERE id = 1) <= 3';
CREATE INDEX t_l ON t USING simhash ((probe_later(s)::bit(256)));
SET test.calls = 0;
SET test.query = $$ SELECT count(*) FROM simhash_pair_sample('t_l', 's::text', 3) $$;
REINDEX INDEX t_l;
SET test.calls = 0;
SET test.query = $$ SELECT count(*) FROM simhash_index_check('t_l') $$;
REINDEX INDEX t_l;
SET test.query = $$ SELECT count(*) FROM simhash_pair_sample('t_h', 's::text', 3) $$;
REINDEX INDEX t_h;
SET test.query = $$ SELECT count(*) FROM simhash_index_stats('t_s') $$;
REINDEX INDEX t_s;
\echo '-- the indexes are complete and can be used now, in the same transaction, too'
RESET test.query;
SET test.calls = 0;
BEGIN;
REINDEX TABLE t;
SELECT i, rows, nulls FROM unnest('{t_h,t_s,t_p,t_l}'::regclass[]) AS i, simhash_index_check(i, true);
SELECT count(*) FROM t WHERE probe(s)::bit(256) <@> (SELECT s FROM t WHERE id = 1) <= 3;
COMMIT;
DROP TABLE t;
DROP FUNCTION probe, probe_later;
