-- All pairs of documents with a Jaccard index of at least 0.8, by an index on signatures and by bands of minima, compared with
-- true_pair. Steps of a way: signatures, index, candidates, pairs (with the candidates).

-- `candidates` is a query for pairs of documents x and y.
CREATE PROCEDURE find_pairs(way text, candidates text) LANGUAGE plpgsql AS $$
DECLARE
    pairs text := candidates || ' WHERE feature_jaccard(x.body, y.body, ''word'', 3) >= 0.8';
BEGIN
    CALL step(way, 'candidates', format('CREATE UNLOGGED TABLE %I AS SELECT x.id AS a, y.id AS b FROM %s', way || ' candidates', candidates));
    CALL step(way, 'pairs', format('CREATE UNLOGGED TABLE %I AS SELECT x.id AS a, y.id AS b FROM %s', way, pairs));
    CALL compare(way, format('SELECT least(a, b), greatest(a, b) FROM %I', way));
END $$;

-- Notes the recall and precision of pairs.
CREATE PROCEDURE compare(way text, pairs text) LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    EXECUTE format('WITH found AS MATERIALIZED (%s)
        SELECT count(*) AS found, count(t.a) AS hits, (SELECT count(*) FROM true_pair WHERE greatest(a, b) <= (SELECT max(id) FROM compared)) AS total
        FROM found f(a, b) LEFT JOIN true_pair t USING (a, b)', pairs) INTO r;
    PERFORM note(way, 'pairs', 'recall', r.hits / r.total::float8);
    PERFORM note(way, 'pairs', 'precision', r.hits / r.found::float8);
END $$;

CREATE PROCEDURE find_by_index(bits int, recall float8) LANGUAGE plpgsql AS $$
DECLARE
    way text := format('%s bits, recall %s', bits, recall);
BEGIN
    CALL find_pairs(way, format('compared x JOIN compared y ON x.s%s <@> y.s%1$s <= minhash_radius(0.8, %1$s, %s) AND x.id < y.id', bits, recall));
    PERFORM note(way, 'candidates', 'radius', minhash_radius(0.8, bits, recall));
END $$;

CREATE PROCEDURE find_by_bands(bands int, rows int) LANGUAGE plpgsql AS $$
DECLARE
    way text := format('%s bands of %s', bands, rows);
BEGIN
    CALL step(way, 'keys', format('CREATE UNLOGGED TABLE %I AS
        SELECT id, unnest(minhash_bands(to_minhash_values(features(body, ''word'', 3), %s), %s)) AS key FROM compared', way || ' keys', bands * rows, rows));
    EXECUTE format('ANALYZE %I', way || ' keys');
    CALL find_pairs(way, format('(SELECT DISTINCT k.id, l.id FROM %I k JOIN %1$I l ON k.key = l.key AND k.id < l.id) p(a, b)
        JOIN compared x ON x.id = p.a JOIN compared y ON y.id = p.b', way || ' keys'));
    PERFORM note(way, 'candidates', 'expected recall', avg(1 - (1 - jaccard ^ rows) ^ bands))
        FROM true_pair WHERE greatest(a, b) <= (SELECT max(id) FROM compared);
END $$;

-- The first `rows` documents, in the current schema. The index's name is its table's and the number of bits.
CREATE PROCEDURE prepare(rows int) LANGUAGE plpgsql AS $$
BEGIN
    CREATE UNLOGGED TABLE compared AS SELECT id, body FROM document WHERE id <= rows;
    ALTER TABLE compared ADD PRIMARY KEY (id);
    COMMIT;
    CALL step('256 bits', 'signatures', 'ALTER TABLE compared ADD s256 bit(256) GENERATED ALWAYS AS (to_minhash(body, ''word'', 3, 256)) STORED');
    CALL step('256 bits', 'index', 'CREATE INDEX compared_256 ON compared USING simhash (s256)');
    CALL step('1024 bits', 'signatures', 'ALTER TABLE compared ADD s1024 bit(1024) GENERATED ALWAYS AS (to_minhash(body, ''word'', 3, 1024)) STORED');
    CALL step('1024 bits', 'index', 'CREATE INDEX compared_1024 ON compared USING simhash (s1024)');
END $$;
