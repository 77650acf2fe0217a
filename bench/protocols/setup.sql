-- Rows in groups of ten near-duplicates, which differ in a sixteenth of their bits. Variables: rows, vector (whether pgvector
-- is there).
CREATE EXTENSION simhash;
CREATE FUNCTION word(id bigint, seed bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashint8extended(id / 10, seed) #
        (hashint8extended(id, seed + 100) & hashint8extended(id, seed + 200) & hashint8extended(id, seed + 300) &
            hashint8extended(id, seed + 400))
$$;
CREATE TABLE item AS
    SELECT id::int, word(id, 0)::simhash AS h,
        (SELECT string_agg(word(id, seed)::bit(64)::text, '' ORDER BY seed) FROM generate_series(1, 4) AS seed)::bit(256) AS s,
        (SELECT string_agg(word(id, seed)::bit(64)::text, '' ORDER BY seed) FROM generate_series(1, 16) AS seed)::bit(1024) AS w
    FROM generate_series(1, :rows) AS id;
ALTER TABLE item ADD PRIMARY KEY (id);
CREATE INDEX ON item USING simhash (h);
CREATE INDEX ON item USING simhash (s);
CREATE INDEX ON item USING simhash (w);
\if :vector
CREATE EXTENSION vector;
CREATE INDEX ON item USING hnsw (w bit_hamming_ops);
\endif
VACUUM ANALYZE item;

-- The median planning time of a query in a session that has planned it before, in milliseconds.
CREATE FUNCTION planning(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    times float8[];
BEGIN
    FOR i IN 1 .. 100 LOOP
        EXECUTE 'EXPLAIN (SUMMARY, FORMAT JSON) ' || query INTO plan;
        times[i] := plan -> 0 ->> 'Planning Time';
    END LOOP;
    RETURN (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) FROM unnest(times) AS t);
END $$;
-- The part of the ten nearest rows that a query finds, if %L in it is the signature of one of 100 rows.
CREATE FUNCTION recall(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
    center bit(1024);
    farthest int;
    here float8;
    total float8 := 0;
BEGIN
    FOR i IN 1 .. 100 LOOP
        SELECT w INTO center FROM item WHERE id = i * (SELECT max(id) / 100 FROM item);
        SELECT max(d) INTO farthest FROM (SELECT (w <@> center)::int AS d FROM item ORDER BY 1 LIMIT 10) AS x;
        EXECUTE format('SELECT count(*) / 10.0 FROM item JOIN (%s) AS x USING (id) WHERE (w <@> $1)::int <= $2',
            format(query, center)) INTO here USING center, farthest;
        total := total + here / 100;
    END LOOP;
    RETURN total;
END $$;
