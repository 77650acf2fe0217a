\echo Use "CREATE EXTENSION simhash" to load this file. \quit

-- Sections, in order: the type, weights, fingerprints from features, distance, the access method, inspection, joins,
-- tuning. The extension is relocatable: every core object is schema-qualified, and nothing is replaced.

-- ---------------------------------------------------------------------------------------------------------
-- The type
-- ---------------------------------------------------------------------------------------------------------

CREATE TYPE simhash;

CREATE FUNCTION simhash_in(pg_catalog.cstring) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_out(simhash) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_recv(pg_catalog.internal) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_send(simhash) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE simhash (
    INPUT = simhash_in, OUTPUT = simhash_out, RECEIVE = simhash_recv, SEND = simhash_send,
    LIKE = pg_catalog.int8,
    -- a category shared with simhash_weights, in which an unknown literal is a simhash
    CATEGORY = 'h', PREFERRED = true);

COMMENT ON TYPE simhash IS '64-bit fingerprint of a document: those of similar documents differ in few bits';
COMMENT ON FUNCTION simhash_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_out(simhash) IS 'I/O';
COMMENT ON FUNCTION simhash_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION simhash_send(simhash) IS 'I/O';

-- All casts are explicit: an implicit one would let h < 5 compare as signed integers and q <@> 5 measure the
-- distance to a number.

CREATE FUNCTION simhash_from_bit(bit) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_to_bit(simhash, integer, boolean) RETURNS bit
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_from_bytea(pg_catalog.bytea) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_to_bytea(simhash) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_from_numeric(numeric) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_to_numeric(simhash) RETURNS numeric
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
-- the core's conversions to bigint
CREATE FUNCTION simhash_from_smallint(smallint) RETURNS simhash
    AS 'int28' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_from_integer(integer) RETURNS simhash
    AS 'int48' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION simhash_from_bit(bit) IS 'convert bit(64) to fingerprint';
COMMENT ON FUNCTION simhash_to_bit(simhash, integer, boolean) IS 'convert fingerprint to bit(64)';
COMMENT ON FUNCTION simhash_from_bytea(pg_catalog.bytea) IS 'convert 8 bytes, big-endian, to fingerprint';
COMMENT ON FUNCTION simhash_to_bytea(simhash) IS 'convert fingerprint to 8 bytes, big-endian';
COMMENT ON FUNCTION simhash_from_numeric(numeric) IS 'convert unsigned number to fingerprint';
COMMENT ON FUNCTION simhash_to_numeric(simhash) IS 'convert fingerprint to unsigned number';
COMMENT ON FUNCTION simhash_from_smallint(smallint) IS 'convert smallint to fingerprint, like the equal bigint';
COMMENT ON FUNCTION simhash_from_integer(integer) IS 'convert integer to fingerprint, like the equal bigint';

CREATE CAST (simhash AS bigint) WITHOUT FUNCTION;
CREATE CAST (bigint AS simhash) WITHOUT FUNCTION;
CREATE CAST (integer AS simhash) WITH FUNCTION simhash_from_integer(integer);
CREATE CAST (smallint AS simhash) WITH FUNCTION simhash_from_smallint(smallint);
CREATE CAST (bit AS simhash) WITH FUNCTION simhash_from_bit(bit);
CREATE CAST (simhash AS bit) WITH FUNCTION simhash_to_bit(simhash, integer, boolean);
CREATE CAST (pg_catalog.bytea AS simhash) WITH FUNCTION simhash_from_bytea(pg_catalog.bytea);
CREATE CAST (simhash AS pg_catalog.bytea) WITH FUNCTION simhash_to_bytea(simhash);
CREATE CAST (numeric AS simhash) WITH FUNCTION simhash_from_numeric(numeric);
CREATE CAST (simhash AS numeric) WITH FUNCTION simhash_to_numeric(simhash);

COMMENT ON CAST (simhash AS bigint) IS 'bit for bit: the top bit is the sign';
COMMENT ON CAST (bigint AS simhash) IS 'bit for bit: the sign is the top bit';
COMMENT ON CAST (integer AS simhash) IS 'like the equal bigint';
COMMENT ON CAST (smallint AS simhash) IS 'like the equal bigint';
COMMENT ON CAST (bit AS simhash) IS '64 bits, most significant first';
COMMENT ON CAST (simhash AS bit) IS '64 bits, most significant first';
COMMENT ON CAST (pg_catalog.bytea AS simhash) IS '8 bytes, big-endian';
COMMENT ON CAST (simhash AS pg_catalog.bytea) IS '8 bytes, big-endian';
COMMENT ON CAST (numeric AS simhash) IS 'unsigned number, 0 to 18446744073709551615';
COMMENT ON CAST (simhash AS numeric) IS 'unsigned number, 0 to 18446744073709551615';

-- Order, as unsigned integers, and hash.

CREATE FUNCTION simhash_eq(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ne(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_lt(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_le(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_gt(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_ge(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION simhash_eq(simhash, simhash) IS 'implementation of = operator';
COMMENT ON FUNCTION simhash_ne(simhash, simhash) IS 'implementation of <> operator';
COMMENT ON FUNCTION simhash_lt(simhash, simhash) IS 'implementation of < operator';
COMMENT ON FUNCTION simhash_le(simhash, simhash) IS 'implementation of <= operator';
COMMENT ON FUNCTION simhash_gt(simhash, simhash) IS 'implementation of > operator';
COMMENT ON FUNCTION simhash_ge(simhash, simhash) IS 'implementation of >= operator';

CREATE FUNCTION simhash_cmp(simhash, simhash) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_sortsupport(pg_catalog.internal) RETURNS pg_catalog.void
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_hash(simhash) RETURNS integer
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_hash_extended(simhash, bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;

COMMENT ON FUNCTION simhash_cmp(simhash, simhash) IS 'less-equal-greater';
COMMENT ON FUNCTION simhash_sortsupport(pg_catalog.internal) IS 'sort support';
COMMENT ON FUNCTION simhash_hash(simhash) IS 'hash';
COMMENT ON FUNCTION simhash_hash_extended(simhash, bigint) IS 'hash with seed';

CREATE OPERATOR = (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_eq, COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel, HASHES, MERGES);
CREATE OPERATOR <> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_ne, COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel);
CREATE OPERATOR < (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_lt, COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel);
CREATE OPERATOR <= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_le, COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel);
CREATE OPERATOR > (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_gt, COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel);
CREATE OPERATOR >= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_ge, COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel);

COMMENT ON OPERATOR = (simhash, simhash) IS 'equal';
COMMENT ON OPERATOR <> (simhash, simhash) IS 'not equal';
COMMENT ON OPERATOR < (simhash, simhash) IS 'less than';
COMMENT ON OPERATOR <= (simhash, simhash) IS 'less than or equal';
COMMENT ON OPERATOR > (simhash, simhash) IS 'greater than';
COMMENT ON OPERATOR >= (simhash, simhash) IS 'greater than or equal';

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 simhash_cmp(simhash, simhash),
    FUNCTION 2 simhash_sortsupport(pg_catalog.internal),
    FUNCTION 4 pg_catalog.btequalimage(pg_catalog.oid);
CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 simhash_hash(simhash),
    FUNCTION 2 simhash_hash_extended(simhash, bigint);

COMMENT ON OPERATOR CLASS simhash_ops USING btree IS 'fingerprints as unsigned integers';
COMMENT ON OPERATOR FAMILY simhash_ops USING btree IS 'fingerprints as unsigned integers';
COMMENT ON OPERATOR CLASS simhash_ops USING hash IS 'equal fingerprints';
COMMENT ON OPERATOR FAMILY simhash_ops USING hash IS 'equal fingerprints';

CREATE FUNCTION simhash_smaller(simhash, simhash) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE FUNCTION simhash_larger(simhash, simhash) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
CREATE AGGREGATE min(simhash) (
    SFUNC = simhash_smaller, STYPE = simhash, COMBINEFUNC = simhash_smaller, SORTOP = <, PARALLEL = SAFE);
CREATE AGGREGATE max(simhash) (
    SFUNC = simhash_larger, STYPE = simhash, COMBINEFUNC = simhash_larger, SORTOP = >, PARALLEL = SAFE);

COMMENT ON FUNCTION simhash_smaller(simhash, simhash) IS 'smaller of two';
COMMENT ON FUNCTION simhash_larger(simhash, simhash) IS 'larger of two';
COMMENT ON AGGREGATE min(simhash) IS 'minimum of all fingerprints as unsigned integers';
COMMENT ON AGGREGATE max(simhash) IS 'maximum of all fingerprints as unsigned integers';

-- ---------------------------------------------------------------------------------------------------------
-- Weights
-- ---------------------------------------------------------------------------------------------------------

CREATE TYPE simhash_weights;

CREATE FUNCTION simhash_weights_in(pg_catalog.cstring) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION simhash_weights_out(simhash_weights) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION simhash_weights_recv(pg_catalog.internal) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_send(simhash_weights) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;

-- With MAIN the value, typically 136 bytes, stays in the row; if a row is too long, its other columns are moved out
-- first. PLAIN would never allow moving it out.
CREATE TYPE simhash_weights (
    INPUT = simhash_weights_in, OUTPUT = simhash_weights_out,
    RECEIVE = simhash_weights_recv, SEND = simhash_weights_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main,
    CATEGORY = 'h');

COMMENT ON TYPE simhash_weights
    IS '64 sums of a document''s weighted features, whose signs are its fingerprint; can be added';
COMMENT ON FUNCTION simhash_weights_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_out(simhash_weights) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_send(simhash_weights) IS 'I/O';

CREATE FUNCTION simhash_from_weights(simhash_weights) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_weights_from_real(real[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_to_real(simhash_weights) RETURNS real[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_from_weights(simhash_weights) IS 'the fingerprint: the signs of the weights';
COMMENT ON FUNCTION simhash_weights_from_real(real[]) IS 'convert an array of 64 numbers to weights';
COMMENT ON FUNCTION simhash_weights_to_real(simhash_weights) IS 'convert weights to an array of 64 numbers';

CREATE CAST (simhash_weights AS simhash) WITH FUNCTION simhash_from_weights(simhash_weights);
CREATE CAST (real[] AS simhash_weights) WITH FUNCTION simhash_weights_from_real(real[]);
CREATE CAST (simhash_weights AS real[]) WITH FUNCTION simhash_weights_to_real(simhash_weights);
COMMENT ON CAST (simhash_weights AS simhash) IS 'the signs: a bit is 1 if its weight is at least 0';
COMMENT ON CAST (real[] AS simhash_weights) IS '64 elements; element j+1 is the weight of the bit 1 << j';
COMMENT ON CAST (simhash_weights AS real[]) IS '64 elements; element j+1 is the weight of the bit 1 << j';

CREATE FUNCTION simhash_weights_add(simhash_weights, simhash_weights) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_weights_add(simhash_weights, simhash_weights) IS 'implementation of + operator';
CREATE OPERATOR + (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_weights_add, COMMUTATOR = +);
COMMENT ON OPERATOR + (simhash_weights, simhash_weights) IS 'sum, exact';

-- ---------------------------------------------------------------------------------------------------------
-- Fingerprints from features
-- ---------------------------------------------------------------------------------------------------------

-- Fingerprints and weights of features. Without features, as for an empty document, the result is NULL.

CREATE FUNCTION to_simhash(document pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash(document pg_catalog.text, unit pg_catalog.text, size integer) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash(features pg_catalog.text[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash(features pg_catalog.text[], weights double precision[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash(document pg_catalog.tsvector) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash(features pg_catalog.jsonb) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_jsonb' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash(pg_catalog.text)
    IS 'fingerprint of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash(pg_catalog.text, pg_catalog.text, integer)
    IS 'fingerprint of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_simhash(pg_catalog.text[])
    IS 'fingerprint of features, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash(pg_catalog.text[], double precision[])
    IS 'fingerprint of features with weights';
COMMENT ON FUNCTION to_simhash(pg_catalog.tsvector)
    IS 'fingerprint of lexemes, weighted by 1 + ln of their frequency; labels C, B, A count 2, 4, 10 times';
COMMENT ON FUNCTION to_simhash(pg_catalog.jsonb)
    IS 'fingerprint of an object of features and weights';

CREATE FUNCTION to_simhash_weights(document pg_catalog.text) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights(document pg_catalog.text, unit pg_catalog.text, size integer)
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights(features pg_catalog.text[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash_weights(features pg_catalog.text[], weights double precision[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash_weights(document pg_catalog.tsvector) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_tsvector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash_weights(features pg_catalog.jsonb) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'to_simhash_weights_jsonb' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash_weights(pg_catalog.text)
    IS 'weights of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash_weights(pg_catalog.text, pg_catalog.text, integer)
    IS 'weights of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_simhash_weights(pg_catalog.text[])
    IS 'weights of features, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash_weights(pg_catalog.text[], double precision[])
    IS 'weights of features with weights';
COMMENT ON FUNCTION to_simhash_weights(pg_catalog.tsvector)
    IS 'weights of lexemes, weighted by 1 + ln of their frequency; labels C, B, A count 2, 4, 10 times';
COMMENT ON FUNCTION to_simhash_weights(pg_catalog.jsonb)
    IS 'weights of an object of features and weights';

-- Fingerprints of other libraries. The table of profiles is in src/core/compat/compat_profiles.cpp.

CREATE FUNCTION to_simhash_as(profile pg_catalog.text, document pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_as_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_simhash_as(profile pg_catalog.text, document pg_catalog.text, size integer) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_as_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000;
CREATE FUNCTION to_simhash_as(profile pg_catalog.text, features pg_catalog.text[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_as_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_as(profile pg_catalog.text, features pg_catalog.text[], weights double precision[])
    RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_as_weighted_array' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_as(profile pg_catalog.text, hashes bigint[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_as_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;
CREATE FUNCTION to_simhash_as(profile pg_catalog.text, hashes bigint[], weights double precision[]) RETURNS simhash
    AS 'MODULE_PATHNAME', 'to_simhash_as_weighted_hashes' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, pg_catalog.text)
    IS 'another library''s fingerprint of a text';
COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, pg_catalog.text, integer)
    IS 'another library''s fingerprint of a text, with shingles of size units';
COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, pg_catalog.text[])
    IS 'another library''s fingerprint of features';
COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, pg_catalog.text[], double precision[])
    IS 'another library''s fingerprint of features with weights';
COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, bigint[])
    IS 'another library''s fingerprint of feature hashes';
COMMENT ON FUNCTION to_simhash_as(pg_catalog.text, bigint[], double precision[])
    IS 'another library''s fingerprint of feature hashes with weights';

CREATE FUNCTION simhash_profiles(OUT name pg_catalog.text, OUT features pg_catalog.text, OUT shingle_size integer,
    OUT hash pg_catalog.text, OUT tie integer, OUT empty simhash, OUT weights pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION simhash_profiles() IS 'the profiles of to_simhash_as and their properties';

-- Features as arrays, for to_simhash and simhash_agg and for inspection.

CREATE FUNCTION simhash_features(document pg_catalog.text, unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1)
    RETURNS pg_catalog.text[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION simhash_anchored_shingles(document pg_catalog.text,
    anchors pg_catalog.text[] DEFAULT
        '{a,an,are,be,been,can,did,do,does,had,has,have,is,said,that,the,there,this,was,were,will,would}',
    size integer DEFAULT 2, distance integer DEFAULT 1)
    RETURNS pg_catalog.text[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION simhash_url_features(url pg_catalog.text,
    stop_components pg_catalog.text[] DEFAULT
        '{asp,aspx,bin,cgi,default,home,htm,html,index,jsp,main,php,shtml,txt,www,xhtml}')
    RETURNS pg_catalog.text[]
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION simhash_features(pg_catalog.text, pg_catalog.text, integer)
    IS 'the features of a text: shingles of size units, word or character';
COMMENT ON FUNCTION simhash_anchored_shingles(pg_catalog.text, pg_catalog.text[], integer, integer)
    IS 'stop words of a text, each with the words that follow it: features that are rare in navigation and banners';
COMMENT ON FUNCTION simhash_url_features(pg_catalog.text, pg_catalog.text[])
    IS 'positional bigrams of the components of a URL, without its host: features that mirrors share';

-- Vectors, such as embeddings, by random hyperplanes.

CREATE FUNCTION simhash_project(embedding real[], seed bigint DEFAULT 0) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5000;
CREATE FUNCTION simhash_project_weights(embedding real[], seed bigint DEFAULT 0) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION simhash_project(real[], bigint)
    IS 'fingerprint of a vector: on which sides of 64 random hyperplanes it lies';
COMMENT ON FUNCTION simhash_project_weights(real[], bigint)
    IS 'weights of a vector: the distances of the vector, normalised to length 1, from 64 random hyperplanes';

-- Aggregates. Sums are exact and independent of order, and the state is an ordinary type, so partial aggregates can be
-- combined anywhere. The state of moving aggregates also counts rows, to detect an empty frame.

CREATE FUNCTION simhash_weights_accumulate(simhash_weights, pg_catalog.text) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_accumulate(simhash_weights, pg_catalog.text, double precision)
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_combine(simhash_weights, simhash_weights) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_final(simhash_weights) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_weights_accumulate(simhash_weights, pg_catalog.text)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_weights_accumulate(simhash_weights, pg_catalog.text, double precision)
    IS 'aggregate transition function';
COMMENT ON FUNCTION simhash_weights_combine(simhash_weights, simhash_weights)
    IS 'aggregate transition and combine function';
COMMENT ON FUNCTION simhash_weights_final(simhash_weights) IS 'aggregate final function';

CREATE FUNCTION simhash_weights_move_in(pg_catalog.internal, pg_catalog.text)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_in' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_in(pg_catalog.internal, pg_catalog.text, double precision)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_in' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_in(pg_catalog.internal, simhash_weights)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_in_weights' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_out(pg_catalog.internal, pg_catalog.text)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_out' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_out(pg_catalog.internal, pg_catalog.text, double precision)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_out' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_move_out(pg_catalog.internal, simhash_weights)
    RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME', 'simhash_weights_move_out_weights' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_moving_final(pg_catalog.internal) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_moving_final(pg_catalog.internal) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_weights_move_in(pg_catalog.internal, pg_catalog.text)
    IS 'moving-aggregate transition function';
COMMENT ON FUNCTION simhash_weights_move_in(pg_catalog.internal, pg_catalog.text, double precision)
    IS 'moving-aggregate transition function';
COMMENT ON FUNCTION simhash_weights_move_in(pg_catalog.internal, simhash_weights)
    IS 'moving-aggregate transition function';
COMMENT ON FUNCTION simhash_weights_move_out(pg_catalog.internal, pg_catalog.text)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION simhash_weights_move_out(pg_catalog.internal, pg_catalog.text, double precision)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION simhash_weights_move_out(pg_catalog.internal, simhash_weights)
    IS 'moving-aggregate inverse transition function';
COMMENT ON FUNCTION simhash_weights_moving_final(pg_catalog.internal) IS 'moving-aggregate final function';
COMMENT ON FUNCTION simhash_moving_final(pg_catalog.internal) IS 'moving-aggregate final function';

CREATE AGGREGATE simhash_agg(feature pg_catalog.text) (
    SFUNC = simhash_weights_accumulate, STYPE = simhash_weights, SSPACE = 520,
    COMBINEFUNC = simhash_weights_combine, FINALFUNC = simhash_from_weights, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 520, MFINALFUNC = simhash_moving_final);
CREATE AGGREGATE simhash_agg(feature pg_catalog.text, weight double precision) (
    SFUNC = simhash_weights_accumulate, STYPE = simhash_weights, SSPACE = 520,
    COMBINEFUNC = simhash_weights_combine, FINALFUNC = simhash_from_weights, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 520, MFINALFUNC = simhash_moving_final);
CREATE AGGREGATE simhash_agg(weights simhash_weights) (
    SFUNC = simhash_weights_combine, STYPE = simhash_weights, SSPACE = 520,
    COMBINEFUNC = simhash_weights_combine, FINALFUNC = simhash_from_weights, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 520, MFINALFUNC = simhash_moving_final);
CREATE AGGREGATE simhash_weights_agg(feature pg_catalog.text) (
    SFUNC = simhash_weights_accumulate, STYPE = simhash_weights, SSPACE = 520,
    COMBINEFUNC = simhash_weights_combine, FINALFUNC = simhash_weights_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 520, MFINALFUNC = simhash_weights_moving_final);
CREATE AGGREGATE simhash_weights_agg(feature pg_catalog.text, weight double precision) (
    SFUNC = simhash_weights_accumulate, STYPE = simhash_weights, SSPACE = 520,
    COMBINEFUNC = simhash_weights_combine, FINALFUNC = simhash_weights_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 520, MFINALFUNC = simhash_weights_moving_final);
CREATE AGGREGATE simhash_weights_agg(weights simhash_weights) (
    SFUNC = simhash_weights_combine, STYPE = simhash_weights, SSPACE = 520,
    COMBINEFUNC = simhash_weights_combine, FINALFUNC = simhash_weights_final, PARALLEL = SAFE,
    MSFUNC = simhash_weights_move_in, MINVFUNC = simhash_weights_move_out, MSTYPE = pg_catalog.internal,
    MSSPACE = 520, MFINALFUNC = simhash_weights_moving_final);

COMMENT ON AGGREGATE simhash_agg(pg_catalog.text)
    IS 'fingerprint of features with weight 1, one per row';
COMMENT ON AGGREGATE simhash_agg(pg_catalog.text, double precision)
    IS 'fingerprint of features with weights, one per row';
COMMENT ON AGGREGATE simhash_agg(simhash_weights)
    IS 'fingerprint of the sum of weights';
COMMENT ON AGGREGATE simhash_weights_agg(pg_catalog.text)
    IS 'weights of features with weight 1, one per row';
COMMENT ON AGGREGATE simhash_weights_agg(pg_catalog.text, double precision)
    IS 'weights of features with weights, one per row';
COMMENT ON AGGREGATE simhash_weights_agg(simhash_weights)
    IS 'sum of weights';

-- ---------------------------------------------------------------------------------------------------------
-- Distance
-- ---------------------------------------------------------------------------------------------------------

-- The result of <@> is a domain, so that comparisons with it resolve to our operators, whose support functions let the
-- planner use the index. For everything else it is an integer.

CREATE DOMAIN hamming_distance AS integer;
COMMENT ON DOMAIN hamming_distance IS 'number of differing bits, the result of <@>';

-- Planner support and selectivity estimation.

CREATE FUNCTION simhash_distance_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_within_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_at_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hamming_distance_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_distance_support(pg_catalog.internal) IS 'planner support for <@>';
COMMENT ON FUNCTION simhash_within_support(pg_catalog.internal) IS 'planner support for simhash_within';
COMMENT ON FUNCTION simhash_at_support(pg_catalog.internal) IS 'planner support for simhash_at';
COMMENT ON FUNCTION hamming_distance_support(pg_catalog.internal) IS 'planner support for comparisons of <@>';

CREATE FUNCTION simhash_ball_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_ball_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_near_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_near_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hamming_distance_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION hamming_distance_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_ball_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    IS 'restriction selectivity of <@|';
COMMENT ON FUNCTION simhash_ball_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    IS 'join selectivity of <@|';
COMMENT ON FUNCTION simhash_near_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    IS 'restriction selectivity of ~=';
COMMENT ON FUNCTION simhash_near_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, smallint,
        pg_catalog.internal)
    IS 'join selectivity of ~=';
COMMENT ON FUNCTION hamming_distance_sel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal, integer)
    IS 'restriction selectivity of comparisons of <@>';
COMMENT ON FUNCTION hamming_distance_joinsel(pg_catalog.internal, pg_catalog.oid, pg_catalog.internal,
        smallint, pg_catalog.internal)
    IS 'join selectivity of comparisons of <@>';

-- The functions of conditions cannot raise errors and are LEAKPROOF: otherwise row-level security would keep
-- conditions away from the index.

CREATE FUNCTION simhash_distance(simhash, simhash) RETURNS hamming_distance
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_distance_support;
COMMENT ON FUNCTION simhash_distance(simhash, simhash) IS 'implementation of <@> operator';
CREATE OPERATOR <@> (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (simhash, simhash) IS 'Hamming distance, 0 to 64';

CREATE FUNCTION simhash_within(simhash, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_within_support;
COMMENT ON FUNCTION simhash_within(simhash, simhash, bigint) IS 'whether the Hamming distance is at most the radius';
CREATE FUNCTION simhash_at(simhash, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_at_support;
COMMENT ON FUNCTION simhash_at(simhash, simhash, bigint) IS 'whether the Hamming distance is exactly the radius';
CREATE FUNCTION simhash_radius_below(bigint) RETURNS bigint
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_radius_below(bigint) IS 'radius that is equivalent to "less than", saturating';

-- A ball is the query of an index condition: centre and radius in one value.

CREATE TYPE simhash_ball;
CREATE FUNCTION simhash_ball_in(pg_catalog.cstring) RETURNS simhash_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_ball_out(simhash_ball) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_ball_recv(pg_catalog.internal) RETURNS simhash_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_ball_send(simhash_ball) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE simhash_ball (
    INPUT = simhash_ball_in, OUTPUT = simhash_ball_out, RECEIVE = simhash_ball_recv, SEND = simhash_ball_send,
    INTERNALLENGTH = 16, ALIGNMENT = double, STORAGE = plain,
    CATEGORY = 'b', PREFERRED = true);
COMMENT ON TYPE simhash_ball IS 'the fingerprints within a Hamming distance of a centre: <centre,radius>';
COMMENT ON FUNCTION simhash_ball_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_ball_out(simhash_ball) IS 'I/O';
COMMENT ON FUNCTION simhash_ball_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION simhash_ball_send(simhash_ball) IS 'I/O';

CREATE FUNCTION simhash_ball(simhash, bigint) RETURNS simhash_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball(simhash, bigint) IS 'ball with a centre and a radius, which is clamped to -1 and 64';

CREATE FUNCTION simhash_in_ball(simhash, simhash_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_in_ball(simhash, simhash_ball) IS 'implementation of <@| operator';
CREATE OPERATOR <@| (
    LEFTARG = simhash, RIGHTARG = simhash_ball, FUNCTION = simhash_in_ball,
    RESTRICT = simhash_ball_sel, JOIN = simhash_ball_joinsel);
COMMENT ON OPERATOR <@| (simhash, simhash_ball) IS 'whether the fingerprint is in the ball';

CREATE FUNCTION simhash_near(simhash, simhash) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_near(simhash, simhash) IS 'implementation of ~= operator';
CREATE OPERATOR ~= (
    LEFTARG = simhash, RIGHTARG = simhash, FUNCTION = simhash_near, COMMUTATOR = ~=,
    RESTRICT = simhash_near_sel, JOIN = simhash_near_joinsel);
COMMENT ON OPERATOR ~= (simhash, simhash) IS 'near-duplicate: whether the Hamming distance is at most 3';

-- The distance to weights is exactly the distance to their signs. Only a simhash_weights_ball permits the index to probe
-- only the likely places, with the recall in its value. Nothing else, in particular no setting, makes a condition
-- approximate.

CREATE FUNCTION simhash_distance(simhash, simhash_weights) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance_to_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_distance_support;
CREATE FUNCTION simhash_distance(simhash_weights, simhash) RETURNS hamming_distance
    AS 'MODULE_PATHNAME', 'simhash_distance_from_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_distance_support;
COMMENT ON FUNCTION simhash_distance(simhash, simhash_weights) IS 'implementation of <@> operator';
COMMENT ON FUNCTION simhash_distance(simhash_weights, simhash) IS 'implementation of <@> operator';
CREATE OPERATOR <@> (
    LEFTARG = simhash, RIGHTARG = simhash_weights, FUNCTION = simhash_distance, COMMUTATOR = <@>);
CREATE OPERATOR <@> (
    LEFTARG = simhash_weights, RIGHTARG = simhash, FUNCTION = simhash_distance, COMMUTATOR = <@>);
COMMENT ON OPERATOR <@> (simhash, simhash_weights) IS 'Hamming distance to the signs of weights, 0 to 64';
COMMENT ON OPERATOR <@> (simhash_weights, simhash) IS 'Hamming distance from the signs of weights, 0 to 64';

CREATE FUNCTION simhash_within(simhash, simhash_weights, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_within_of_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_within_support;
CREATE FUNCTION simhash_within(simhash_weights, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_weights_within' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_within_support;
COMMENT ON FUNCTION simhash_within(simhash, simhash_weights, bigint)
    IS 'whether the Hamming distance to the signs of the weights is at most the radius';
COMMENT ON FUNCTION simhash_within(simhash_weights, simhash, bigint)
    IS 'whether the Hamming distance from the signs of the weights is at most the radius';

CREATE FUNCTION simhash_at(simhash, simhash_weights, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_at_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_at_support;
CREATE FUNCTION simhash_at(simhash_weights, simhash, bigint) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_weights_at' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT simhash_at_support;
COMMENT ON FUNCTION simhash_at(simhash, simhash_weights, bigint)
    IS 'whether the Hamming distance to the signs of the weights is exactly the radius';
COMMENT ON FUNCTION simhash_at(simhash_weights, simhash, bigint)
    IS 'whether the Hamming distance from the signs of the weights is exactly the radius';

CREATE FUNCTION simhash_ball(simhash_weights, bigint) RETURNS simhash_ball
    AS 'MODULE_PATHNAME', 'simhash_ball_of_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball(simhash_weights, bigint)
    IS 'ball around the signs of weights with a radius, which is clamped to -1 and 64';

CREATE TYPE simhash_weights_ball;
CREATE FUNCTION simhash_weights_ball_in(pg_catalog.cstring) RETURNS simhash_weights_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION simhash_weights_ball_out(simhash_weights_ball) RETURNS pg_catalog.cstring
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION simhash_weights_ball_recv(pg_catalog.internal) RETURNS simhash_weights_ball
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_weights_ball_send(simhash_weights_ball) RETURNS pg_catalog.bytea
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE TYPE simhash_weights_ball (
    INPUT = simhash_weights_ball_in, OUTPUT = simhash_weights_ball_out,
    RECEIVE = simhash_weights_ball_recv, SEND = simhash_weights_ball_send,
    INTERNALLENGTH = 536, ALIGNMENT = double, STORAGE = plain,
    CATEGORY = 'b');
COMMENT ON TYPE simhash_weights_ball
    IS 'ball around weights, which an index may search with a recall below 1: <[w0,...,w63],radius,recall,max_probes>';
COMMENT ON FUNCTION simhash_weights_ball_in(pg_catalog.cstring) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_ball_out(simhash_weights_ball) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_ball_recv(pg_catalog.internal) IS 'I/O';
COMMENT ON FUNCTION simhash_weights_ball_send(simhash_weights_ball) IS 'I/O';

CREATE FUNCTION simhash_ball(center simhash_weights, radius bigint, recall double precision,
        max_probes integer DEFAULT 0) RETURNS simhash_weights_ball
    AS 'MODULE_PATHNAME', 'simhash_weights_to_ball' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_ball(simhash_weights, bigint, double precision, integer)
    IS 'ball around weights, which an index may search with this recall and at most max_probes probes';
CREATE FUNCTION simhash_in_ball(simhash, simhash_weights_ball) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_in_weights_ball' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF;
COMMENT ON FUNCTION simhash_in_ball(simhash, simhash_weights_ball) IS 'implementation of <@| operator';
CREATE OPERATOR <@| (
    LEFTARG = simhash, RIGHTARG = simhash_weights_ball, FUNCTION = simhash_in_ball,
    RESTRICT = simhash_ball_sel, JOIN = simhash_ball_joinsel);
COMMENT ON OPERATOR <@| (simhash, simhash_weights_ball) IS 'whether the fingerprint is in the ball';

-- Comparisons of a distance with every integer type, since drivers send different types. The code is the core's own;
-- the support function is ours.

CREATE FUNCTION hamming_distance_eq(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ne(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(hamming_distance, hamming_distance) RETURNS boolean
    AS 'int4ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(hamming_distance, hamming_distance) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_ne(hamming_distance, hamming_distance) IS
    'implementation of <> operator';
COMMENT ON FUNCTION hamming_distance_lt(hamming_distance, hamming_distance) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(hamming_distance, hamming_distance) IS
    'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(hamming_distance, hamming_distance) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(hamming_distance, hamming_distance) IS
    'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR < (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR <= (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR > (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR >= (
    LEFTARG = hamming_distance, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (hamming_distance, hamming_distance) IS 'equal';
COMMENT ON OPERATOR <> (hamming_distance, hamming_distance) IS 'not equal';
COMMENT ON OPERATOR < (hamming_distance, hamming_distance) IS 'less than';
COMMENT ON OPERATOR <= (hamming_distance, hamming_distance) IS 'less than or equal';
COMMENT ON OPERATOR > (hamming_distance, hamming_distance) IS 'greater than';
COMMENT ON OPERATOR >= (hamming_distance, hamming_distance) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(hamming_distance, smallint) RETURNS boolean
    AS 'int42eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ne(hamming_distance, smallint) RETURNS boolean
    AS 'int42ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(hamming_distance, smallint) RETURNS boolean
    AS 'int42lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(hamming_distance, smallint) RETURNS boolean
    AS 'int42le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(hamming_distance, smallint) RETURNS boolean
    AS 'int42gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(hamming_distance, smallint) RETURNS boolean
    AS 'int42ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(hamming_distance, smallint) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_ne(hamming_distance, smallint) IS 'implementation of <> operator';
COMMENT ON FUNCTION hamming_distance_lt(hamming_distance, smallint) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(hamming_distance, smallint) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(hamming_distance, smallint) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(hamming_distance, smallint) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR < (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR <= (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR > (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR >= (
    LEFTARG = hamming_distance, RIGHTARG = smallint, FUNCTION = hamming_distance_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (hamming_distance, smallint) IS 'equal';
COMMENT ON OPERATOR <> (hamming_distance, smallint) IS 'not equal';
COMMENT ON OPERATOR < (hamming_distance, smallint) IS 'less than';
COMMENT ON OPERATOR <= (hamming_distance, smallint) IS 'less than or equal';
COMMENT ON OPERATOR > (hamming_distance, smallint) IS 'greater than';
COMMENT ON OPERATOR >= (hamming_distance, smallint) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(smallint, hamming_distance) RETURNS boolean
    AS 'int24eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ne(smallint, hamming_distance) RETURNS boolean
    AS 'int24ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(smallint, hamming_distance) RETURNS boolean
    AS 'int24lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(smallint, hamming_distance) RETURNS boolean
    AS 'int24le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(smallint, hamming_distance) RETURNS boolean
    AS 'int24gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(smallint, hamming_distance) RETURNS boolean
    AS 'int24ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(smallint, hamming_distance) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_ne(smallint, hamming_distance) IS 'implementation of <> operator';
COMMENT ON FUNCTION hamming_distance_lt(smallint, hamming_distance) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(smallint, hamming_distance) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(smallint, hamming_distance) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(smallint, hamming_distance) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR < (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR <= (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR > (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR >= (
    LEFTARG = smallint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (smallint, hamming_distance) IS 'equal';
COMMENT ON OPERATOR <> (smallint, hamming_distance) IS 'not equal';
COMMENT ON OPERATOR < (smallint, hamming_distance) IS 'less than';
COMMENT ON OPERATOR <= (smallint, hamming_distance) IS 'less than or equal';
COMMENT ON OPERATOR > (smallint, hamming_distance) IS 'greater than';
COMMENT ON OPERATOR >= (smallint, hamming_distance) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(hamming_distance, integer) RETURNS boolean
    AS 'int4eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ne(hamming_distance, integer) RETURNS boolean
    AS 'int4ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(hamming_distance, integer) RETURNS boolean
    AS 'int4lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(hamming_distance, integer) RETURNS boolean
    AS 'int4le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(hamming_distance, integer) RETURNS boolean
    AS 'int4gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(hamming_distance, integer) RETURNS boolean
    AS 'int4ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(hamming_distance, integer) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_ne(hamming_distance, integer) IS 'implementation of <> operator';
COMMENT ON FUNCTION hamming_distance_lt(hamming_distance, integer) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(hamming_distance, integer) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(hamming_distance, integer) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(hamming_distance, integer) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR < (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR <= (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR > (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR >= (
    LEFTARG = hamming_distance, RIGHTARG = integer, FUNCTION = hamming_distance_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (hamming_distance, integer) IS 'equal';
COMMENT ON OPERATOR <> (hamming_distance, integer) IS 'not equal';
COMMENT ON OPERATOR < (hamming_distance, integer) IS 'less than';
COMMENT ON OPERATOR <= (hamming_distance, integer) IS 'less than or equal';
COMMENT ON OPERATOR > (hamming_distance, integer) IS 'greater than';
COMMENT ON OPERATOR >= (hamming_distance, integer) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(integer, hamming_distance) RETURNS boolean
    AS 'int4eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ne(integer, hamming_distance) RETURNS boolean
    AS 'int4ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(integer, hamming_distance) RETURNS boolean
    AS 'int4lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(integer, hamming_distance) RETURNS boolean
    AS 'int4le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(integer, hamming_distance) RETURNS boolean
    AS 'int4gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(integer, hamming_distance) RETURNS boolean
    AS 'int4ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(integer, hamming_distance) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_ne(integer, hamming_distance) IS 'implementation of <> operator';
COMMENT ON FUNCTION hamming_distance_lt(integer, hamming_distance) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(integer, hamming_distance) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(integer, hamming_distance) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(integer, hamming_distance) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR < (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR <= (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR > (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR >= (
    LEFTARG = integer, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (integer, hamming_distance) IS 'equal';
COMMENT ON OPERATOR <> (integer, hamming_distance) IS 'not equal';
COMMENT ON OPERATOR < (integer, hamming_distance) IS 'less than';
COMMENT ON OPERATOR <= (integer, hamming_distance) IS 'less than or equal';
COMMENT ON OPERATOR > (integer, hamming_distance) IS 'greater than';
COMMENT ON OPERATOR >= (integer, hamming_distance) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(hamming_distance, bigint) RETURNS boolean
    AS 'int48eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ne(hamming_distance, bigint) RETURNS boolean
    AS 'int48ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(hamming_distance, bigint) RETURNS boolean
    AS 'int48lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(hamming_distance, bigint) RETURNS boolean
    AS 'int48le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(hamming_distance, bigint) RETURNS boolean
    AS 'int48gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(hamming_distance, bigint) RETURNS boolean
    AS 'int48ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(hamming_distance, bigint) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_ne(hamming_distance, bigint) IS 'implementation of <> operator';
COMMENT ON FUNCTION hamming_distance_lt(hamming_distance, bigint) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(hamming_distance, bigint) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(hamming_distance, bigint) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(hamming_distance, bigint) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR < (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR <= (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR > (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR >= (
    LEFTARG = hamming_distance, RIGHTARG = bigint, FUNCTION = hamming_distance_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (hamming_distance, bigint) IS 'equal';
COMMENT ON OPERATOR <> (hamming_distance, bigint) IS 'not equal';
COMMENT ON OPERATOR < (hamming_distance, bigint) IS 'less than';
COMMENT ON OPERATOR <= (hamming_distance, bigint) IS 'less than or equal';
COMMENT ON OPERATOR > (hamming_distance, bigint) IS 'greater than';
COMMENT ON OPERATOR >= (hamming_distance, bigint) IS 'greater than or equal';

CREATE FUNCTION hamming_distance_eq(bigint, hamming_distance) RETURNS boolean
    AS 'int84eq' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ne(bigint, hamming_distance) RETURNS boolean
    AS 'int84ne' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_lt(bigint, hamming_distance) RETURNS boolean
    AS 'int84lt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_le(bigint, hamming_distance) RETURNS boolean
    AS 'int84le' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_gt(bigint, hamming_distance) RETURNS boolean
    AS 'int84gt' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
CREATE FUNCTION hamming_distance_ge(bigint, hamming_distance) RETURNS boolean
    AS 'int84ge' LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT hamming_distance_support;
COMMENT ON FUNCTION hamming_distance_eq(bigint, hamming_distance) IS 'implementation of = operator';
COMMENT ON FUNCTION hamming_distance_ne(bigint, hamming_distance) IS 'implementation of <> operator';
COMMENT ON FUNCTION hamming_distance_lt(bigint, hamming_distance) IS 'implementation of < operator';
COMMENT ON FUNCTION hamming_distance_le(bigint, hamming_distance) IS 'implementation of <= operator';
COMMENT ON FUNCTION hamming_distance_gt(bigint, hamming_distance) IS 'implementation of > operator';
COMMENT ON FUNCTION hamming_distance_ge(bigint, hamming_distance) IS 'implementation of >= operator';
CREATE OPERATOR = (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_eq,
    COMMUTATOR = =, NEGATOR = <>, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel, HASHES);
CREATE OPERATOR <> (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ne,
    COMMUTATOR = <>, NEGATOR = =, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR < (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_lt,
    COMMUTATOR = >, NEGATOR = >=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR <= (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_le,
    COMMUTATOR = >=, NEGATOR = >, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR > (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_gt,
    COMMUTATOR = <, NEGATOR = <=, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
CREATE OPERATOR >= (
    LEFTARG = bigint, RIGHTARG = hamming_distance, FUNCTION = hamming_distance_ge,
    COMMUTATOR = <=, NEGATOR = <, RESTRICT = hamming_distance_sel, JOIN = hamming_distance_joinsel);
COMMENT ON OPERATOR = (bigint, hamming_distance) IS 'equal';
COMMENT ON OPERATOR <> (bigint, hamming_distance) IS 'not equal';
COMMENT ON OPERATOR < (bigint, hamming_distance) IS 'less than';
COMMENT ON OPERATOR <= (bigint, hamming_distance) IS 'less than or equal';
COMMENT ON OPERATOR > (bigint, hamming_distance) IS 'greater than';
COMMENT ON OPERATOR >= (bigint, hamming_distance) IS 'greater than or equal';

-- Row comparisons, as in (h <@> q, id) > (3, 17), and ORDER BY ... USING need a btree operator family; IN with a long
-- list needs a hash operator family. The families have no operator class: an index on a stored distance is an index on
-- an integer. The equalities are not declared MERGES: the family does not order plain integers, and where they might
-- be merged, the support function has replaced them by the core's operators.

CREATE OPERATOR FAMILY hamming_distance_ops USING btree;
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (hamming_distance, hamming_distance),
    OPERATOR 2 <= (hamming_distance, hamming_distance),
    OPERATOR 3 = (hamming_distance, hamming_distance),
    OPERATOR 4 >= (hamming_distance, hamming_distance),
    OPERATOR 5 > (hamming_distance, hamming_distance),
    FUNCTION 1 (hamming_distance, hamming_distance) pg_catalog.btint4cmp(integer, integer);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (hamming_distance, smallint),
    OPERATOR 2 <= (hamming_distance, smallint),
    OPERATOR 3 = (hamming_distance, smallint),
    OPERATOR 4 >= (hamming_distance, smallint),
    OPERATOR 5 > (hamming_distance, smallint),
    FUNCTION 1 (hamming_distance, smallint) pg_catalog.btint42cmp(integer, smallint);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (smallint, hamming_distance),
    OPERATOR 2 <= (smallint, hamming_distance),
    OPERATOR 3 = (smallint, hamming_distance),
    OPERATOR 4 >= (smallint, hamming_distance),
    OPERATOR 5 > (smallint, hamming_distance),
    FUNCTION 1 (smallint, hamming_distance) pg_catalog.btint24cmp(smallint, integer);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (hamming_distance, integer),
    OPERATOR 2 <= (hamming_distance, integer),
    OPERATOR 3 = (hamming_distance, integer),
    OPERATOR 4 >= (hamming_distance, integer),
    OPERATOR 5 > (hamming_distance, integer),
    FUNCTION 1 (hamming_distance, integer) pg_catalog.btint4cmp(integer, integer);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (integer, hamming_distance),
    OPERATOR 2 <= (integer, hamming_distance),
    OPERATOR 3 = (integer, hamming_distance),
    OPERATOR 4 >= (integer, hamming_distance),
    OPERATOR 5 > (integer, hamming_distance),
    FUNCTION 1 (integer, hamming_distance) pg_catalog.btint4cmp(integer, integer);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (hamming_distance, bigint),
    OPERATOR 2 <= (hamming_distance, bigint),
    OPERATOR 3 = (hamming_distance, bigint),
    OPERATOR 4 >= (hamming_distance, bigint),
    OPERATOR 5 > (hamming_distance, bigint),
    FUNCTION 1 (hamming_distance, bigint) pg_catalog.btint48cmp(integer, bigint);
ALTER OPERATOR FAMILY hamming_distance_ops USING btree ADD
    OPERATOR 1 < (bigint, hamming_distance),
    OPERATOR 2 <= (bigint, hamming_distance),
    OPERATOR 3 = (bigint, hamming_distance),
    OPERATOR 4 >= (bigint, hamming_distance),
    OPERATOR 5 > (bigint, hamming_distance),
    FUNCTION 1 (bigint, hamming_distance) pg_catalog.btint84cmp(bigint, integer);
CREATE OPERATOR FAMILY hamming_distance_ops USING hash;
ALTER OPERATOR FAMILY hamming_distance_ops USING hash ADD
    OPERATOR 1 = (hamming_distance, hamming_distance),
    OPERATOR 1 = (hamming_distance, smallint),
    OPERATOR 1 = (smallint, hamming_distance),
    OPERATOR 1 = (hamming_distance, integer),
    OPERATOR 1 = (integer, hamming_distance),
    OPERATOR 1 = (hamming_distance, bigint),
    OPERATOR 1 = (bigint, hamming_distance),
    FUNCTION 1 (hamming_distance, hamming_distance) pg_catalog.hashint4(integer),
    FUNCTION 2 (hamming_distance, hamming_distance) pg_catalog.hashint4extended(integer, bigint),
    FUNCTION 1 (smallint, smallint) pg_catalog.hashint2(smallint),
    FUNCTION 2 (smallint, smallint) pg_catalog.hashint2extended(smallint, bigint),
    FUNCTION 1 (integer, integer) pg_catalog.hashint4(integer),
    FUNCTION 2 (integer, integer) pg_catalog.hashint4extended(integer, bigint),
    FUNCTION 1 (bigint, bigint) pg_catalog.hashint8(bigint),
    FUNCTION 2 (bigint, bigint) pg_catalog.hashint8extended(bigint, bigint);
COMMENT ON OPERATOR FAMILY hamming_distance_ops USING btree IS 'distances compared with integers';
COMMENT ON OPERATOR FAMILY hamming_distance_ops USING hash IS 'distances compared with integers';

-- ---------------------------------------------------------------------------------------------------------
-- The access method
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION simhash_handler(pg_catalog.internal) RETURNS pg_catalog.index_am_handler
    AS 'MODULE_PATHNAME' LANGUAGE c;
COMMENT ON FUNCTION simhash_handler(pg_catalog.internal) IS 'handler of index access method simhash';

CREATE ACCESS METHOD simhash TYPE INDEX HANDLER simhash_handler;
COMMENT ON ACCESS METHOD simhash IS 'finds fingerprints within a Hamming distance';

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING simhash AS
    OPERATOR 1 <@| (simhash, simhash_ball),
    OPERATOR 2 ~= (simhash, simhash),
    OPERATOR 3 = (simhash, simhash),
    OPERATOR 4 <@> (simhash, simhash) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 5 <@| (simhash, simhash_weights_ball),
    OPERATOR 6 <@> (simhash, simhash_weights) FOR ORDER BY pg_catalog.integer_ops;
COMMENT ON OPERATOR CLASS simhash_ops USING simhash IS 'near-duplicate search';
COMMENT ON OPERATOR FAMILY simhash_ops USING simhash IS 'near-duplicate search';

-- ---------------------------------------------------------------------------------------------------------
-- Inspection
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION simhash_index_stats(index pg_catalog.regclass,
    OUT distance integer, OUT tables integer, OUT header_bits integer[], OUT fillfactor integer,
    OUT rows bigint, OUT nulls bigint, OUT pages bigint, OUT leaf_pages bigint, OUT inner_pages bigint,
    OUT empty_leaf_pages bigint, OUT unused_pages bigint, OUT height integer,
    OUT leaf_fill double precision, OUT bytes_per_row double precision, OUT reindex_pending boolean,
    OUT fitted boolean)
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_index_stats(pg_catalog.regclass) IS 'statistics of a simhash index; reads all of its pages';

CREATE FUNCTION simhash_index_check(index pg_catalog.regclass, heapallindexed boolean DEFAULT false,
    OUT rows bigint, OUT nulls bigint, OUT partial_entries bigint, OUT incomplete_splits bigint,
    OUT unused_pages bigint, OUT heap_rows bigint)
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT;
COMMENT ON FUNCTION simhash_index_check(pg_catalog.regclass, boolean) IS
    'raises an error if a simhash index is corrupted or lacks a row of its table; blocks writers while it runs';

CREATE FUNCTION simhash_probe_plan(index pg_catalog.regclass, query simhash, distance integer,
    OUT step integer, OUT "table" integer, OUT leaf bigint, OUT matches integer)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_probe_plan' LANGUAGE c VOLATILE STRICT ROWS 10;
COMMENT ON FUNCTION simhash_probe_plan(pg_catalog.regclass, simhash, integer) IS
    'the leaf pages that an exact search of an index reads';
CREATE FUNCTION simhash_probe_plan(index pg_catalog.regclass, query simhash_weights_ball,
    OUT step integer, OUT "table" integer, OUT leaf bigint, OUT matches integer,
    OUT flipped_bits integer[], OUT probability double precision, OUT recall double precision)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME', 'simhash_probe_plan_of_weights' LANGUAGE c VOLATILE STRICT ROWS 10;
COMMENT ON FUNCTION simhash_probe_plan(pg_catalog.regclass, simhash_weights_ball) IS
    'the leaf pages that a search by weights reads, with the flipped bits that lead to them and the recall that they add';

CREATE FUNCTION simhash_calibrate(index pg_catalog.regclass, pairs_table pg_catalog.regclass,
    weights_column pg_catalog.name, simhash_column pg_catalog.name, store boolean DEFAULT true,
    OUT distance integer, OUT target double precision, OUT predicted double precision,
    OUT measured double precision, OUT leaves double precision, OUT pairs bigint)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c VOLATILE STRICT ROWS 12;
COMMENT ON FUNCTION simhash_calibrate(pg_catalog.regclass, pg_catalog.regclass, pg_catalog.name, pg_catalog.name,
        boolean) IS
    'fits the volatility model of an index to pairs of near-duplicates: weights of one, fingerprint of the other';

-- ---------------------------------------------------------------------------------------------------------
-- Joins
-- ---------------------------------------------------------------------------------------------------------

-- Not parallel safe: a worker cannot read the session's temporary tables, and each would compute the whole join.

CREATE FUNCTION simhash_pairs(index pg_catalog.regclass, distance integer DEFAULT 3,
    OUT a pg_catalog.tid, OUT b pg_catalog.tid, OUT distance integer)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_pairs(pg_catalog.regclass, integer) IS
    'all pairs of rows of an indexed table within a distance: each pair once, as ctids';

CREATE FUNCTION simhash_join("left" pg_catalog.regclass, "right" pg_catalog.regclass, distance integer DEFAULT 3,
    OUT a pg_catalog.tid, OUT b pg_catalog.tid, OUT distance integer)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_join(pg_catalog.regclass, pg_catalog.regclass, integer) IS
    'all pairs of rows of two indexed tables within a distance, as ctids';

CREATE FUNCTION simhash_groups(index pg_catalog.regclass, distance integer DEFAULT 3, star boolean DEFAULT false,
    OUT member pg_catalog.tid, OUT leader pg_catalog.tid)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_groups(pg_catalog.regclass, integer, boolean) IS
    'groups of near-duplicates, as ctids: connected components, or stars whose members are near the leader';

CREATE FUNCTION simhash_pair_groups(query pg_catalog.text, star boolean DEFAULT false, OUT member bigint, OUT leader bigint)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL UNSAFE COST 100000 ROWS 10000;
COMMENT ON FUNCTION simhash_pair_groups(pg_catalog.text, boolean) IS
    'groups of the pairs of numbers that a query returns: connected components, or stars whose members pair with the leader';

-- ---------------------------------------------------------------------------------------------------------
-- Tuning
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION simhash_report(relation pg_catalog.regclass, column_name pg_catalog.name, distance integer DEFAULT 3,
    OUT topic pg_catalog.text, OUT item pg_catalog.text, OUT value double precision, OUT meaning pg_catalog.text)
    RETURNS SETOF record
    AS 'MODULE_PATHNAME' LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 100000 ROWS 150;
COMMENT ON FUNCTION simhash_report(pg_catalog.regclass, pg_catalog.name, integer) IS
    'statistics of a sample of fingerprints: bits, distances, expected false matches, buckets, suggested options';
