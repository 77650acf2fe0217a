\set ECHO none
-- What the recipes of doc/recipes.md for bit strings rely on, beyond the answers that it shows: plans, checks, and the
-- comparison with sequential scans.
SET client_min_messages = warning;

\echo '-- Image hashes of 256 bits, as hexadecimal digits'
CREATE TABLE photo (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, pdq text NOT NULL CHECK (pdq ~ '^[0-9a-f]{64}$'),
    sig bit(256) GENERATED ALWAYS AS (('x' || pdq)::bit(256)) STORED);
CREATE INDEX photo_sig ON photo USING simhash (sig);
INSERT INTO photo (pdq) SELECT md5(i::text) || md5('b' || i) FROM generate_series(1, 2000) i;
INSERT INTO photo (pdq) SELECT 'fffffff' || substr(pdq, 8) FROM photo WHERE id <= 3 ORDER BY id;
INSERT INTO photo (pdq) SELECT left(pdq, 50) || '00000000000000' FROM photo WHERE id = 2001;
INSERT INTO photo (pdq) VALUES ('0123');
INSERT INTO photo (pdq) VALUES (repeat('0', 63) || 'g');
ANALYZE photo;
SELECT pdq FROM photo WHERE id = 1 \gset
PREPARE same_image(text) AS SELECT id, sig <@> ('x' || $1)::bit(256) AS distance
    FROM photo WHERE sig <@> ('x' || $1)::bit(256) <= 31 ORDER BY distance, id;
EXECUTE same_image(:'pdq');
SET enable_seqscan = off;
SET plan_cache_mode = force_generic_plan;
SET enable_bitmapscan = off;
PREPARE same_ids(text) AS SELECT id FROM photo WHERE sig <@> ('x' || $1)::bit(256) <= 31;
EXPLAIN (COSTS OFF) EXECUTE same_ids(:'pdq');
EXECUTE same_image(:'pdq');
RESET plan_cache_mode;
RESET enable_seqscan;
SELECT id, (sig <@> ('x' || :'pdq')::bit(256))::int AS distance FROM photo WHERE (sig <@> ('x' || :'pdq')::bit(256))::int <= 31
    ORDER BY distance, id;

\echo '-- the same from bytea, by a generated column and by an expression'
CREATE TABLE scanned (id bigint, hash bytea CHECK (octet_length(hash) = 32),
    sig bit(256) GENERATED ALWAYS AS (('x' || encode(hash, 'hex'))::bit(256)) STORED);
CREATE INDEX scanned_sig ON scanned USING simhash (sig);
CREATE INDEX scanned_hash ON scanned USING simhash ((('x' || encode(hash, 'hex'))::bit(256)));
INSERT INTO scanned SELECT id, decode(pdq, 'hex') FROM photo;
INSERT INTO scanned VALUES (-1, NULL);
INSERT INTO scanned VALUES (-2, '\x00');
SELECT count(*), count(s.sig), bool_and(s.sig = p.sig) FROM scanned s LEFT JOIN photo p USING (id);
SET enable_seqscan = off;
SELECT id FROM scanned WHERE sig <@> ('x' || :'pdq')::bit(256) <= 31 ORDER BY 1;
SELECT id FROM scanned WHERE ('x' || encode(hash, 'hex'))::bit(256) <@> ('x' || :'pdq')::bit(256) <= 31 ORDER BY 1;
PREPARE by_expression(text) AS SELECT id FROM scanned WHERE ('x' || encode(hash, 'hex'))::bit(256) <@> ('x' || $1)::bit(256) <= 31;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE by_expression('');
RESET plan_cache_mode;

-- Row-level security keeps a condition away from the index if the query's length is not declared, but not the order or
-- an equality.
CREATE ROLE regress_photo_reader;
GRANT SELECT ON scanned TO regress_photo_reader;
ALTER TABLE scanned ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON scanned USING (id > 0);
\set common `echo "$PG_ABS_SRCDIR/common.sql"`
\i :common
SET ROLE regress_photo_reader;
SET plan_cache_mode = force_generic_plan;
PREPARE hidden(varbit) AS SELECT id FROM scanned WHERE sig <@> $1 <= 31;
PREPARE ordered(varbit) AS SELECT id FROM scanned ORDER BY sig <@> $1 LIMIT 1;
PREPARE equal(varbit) AS SELECT id FROM scanned WHERE sig = $1::bit(256);
SELECT plan_of($$ EXECUTE hidden('x00') $$);
EXPLAIN (COSTS OFF) EXECUTE ordered('x00');
EXPLAIN (COSTS OFF) EXECUTE equal('x00');
RESET plan_cache_mode;
RESET ROLE;
DEALLOCATE ALL;
DROP TABLE scanned;
DROP ROLE regress_photo_reader;

\echo '-- Embeddings: candidates by signatures, order by vectors'
CREATE FUNCTION vector_cosine(a real[], b real[]) RETURNS double precision IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT sum(x::float8 * y) / sqrt(sum(x::float8 * x) * sum(y::float8 * y)) FROM unnest(a, b) AS u(x, y) $$;
CREATE FUNCTION random_vector(i bigint) RETURNS real[] IMMUTABLE LANGUAGE sql AS
$$ SELECT array_agg((('x' || substr(md5(i || ' ' || d), 1, 4))::bit(16)::int - 32768)::real ORDER BY d) FROM generate_series(1, 48) d $$;
CREATE TABLE item (id bigint PRIMARY KEY, embedding real[], sig bit(1024) GENERATED ALWAYS AS (signature_project(embedding, 1024)) STORED);
INSERT INTO item SELECT i, array(SELECT a + 0.5 * b FROM unnest(random_vector(i / 10), random_vector(100000 + i)) AS u(a, b))
FROM generate_series(1, 1000) i;
CREATE INDEX item_sig ON item USING simhash (sig);
PREPARE rerank(real[], float8) AS
WITH candidate AS MATERIALIZED (
    SELECT id, embedding FROM item
    ORDER BY sig <@> signature_nearest(signature_project($1, 1024), $2, 100) LIMIT 100)
SELECT id, round(vector_cosine(embedding, $1)::numeric, 3) AS cosine FROM candidate ORDER BY cosine DESC, id LIMIT 9;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE rerank('{}', 1);
SELECT embedding AS q FROM item WHERE id = 503 \gset
EXECUTE rerank(:'q', 0.95);
EXECUTE rerank(:'q', 1);
SELECT id, round(vector_cosine(embedding, :'q')::numeric, 3) AS cosine FROM item ORDER BY cosine DESC, id LIMIT 9;
RESET plan_cache_mode;

\echo '-- Image hashes of 576 bits: exact copies, groups'
CREATE FUNCTION random_hash(i bigint) RETURNS bit(576) IMMUTABLE LANGUAGE sql AS
$$ SELECT ('x' || string_agg(md5(i || ' ' || d), '' ORDER BY d))::bit(576) FROM generate_series(1, 5) d $$;
CREATE TABLE picture (id bigint PRIMARY KEY, hash bit(576));
INSERT INTO picture SELECT i, random_hash(i) FROM generate_series(1, 1000) i;
CREATE INDEX picture_hash ON picture USING simhash (hash);
INSERT INTO picture SELECT 1000 + id, hash FROM picture;
INSERT INTO picture SELECT 2000 + id, set_bit(set_bit(hash, 100, 1 - get_bit(hash, 100)), 500, 1 - get_bit(hash, 500)) FROM picture
    WHERE id IN (7, 8);
ANALYZE picture;
SELECT id, hash <@> random_hash(7) AS distance FROM picture ORDER BY hash <@> random_hash(7), id LIMIT 4;
\echo '-- of each picture, the copy and itself are the nearest two'
SELECT count(*), count(*) FILTER (WHERE n.ids @> ARRAY[p.id, p.id % 1000 + CASE WHEN p.id < 1000 THEN 1000 ELSE 0 END]) AS found
FROM picture p CROSS JOIN LATERAL (SELECT array_agg(id) AS ids FROM
    (SELECT id FROM picture n ORDER BY n.hash <@> p.hash LIMIT 2) n) n WHERE p.id < 2000 AND p.id % 1000 > 0;
SELECT count(*) FROM picture a JOIN picture b ON a.hash = b.hash AND a.id < b.id;
SELECT count(*) FROM picture a JOIN picture b ON a.hash <@> b.hash <= 30 AND a.id < b.id;
SELECT count(*) FROM picture a JOIN picture b ON (a.hash <@> b.hash)::int <= 30 AND a.id < b.id;
SELECT leader, array_agg(id ORDER BY id) AS members
FROM (SELECT id, simhash_group(id, hash, 30) OVER (ORDER BY id) AS leader FROM picture) g GROUP BY leader HAVING count(*) > 2 ORDER BY 1;

\echo '-- the operator class by name'
CREATE INDEX picture_named ON picture USING simhash (hash simhash_bit_ops);
SELECT pg_typeof(hash <@> hash) FROM picture LIMIT 1;

DROP TABLE photo, item, picture;
DROP FUNCTION vector_cosine, random_vector, random_hash;
