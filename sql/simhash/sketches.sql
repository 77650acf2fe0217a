-- Fingerprints and weights of features. Without features, as for an empty document, the result is NULL. Counted features
-- have the weight 1 + ln of their count. The functions of texts save making a feature_vector.

CREATE FUNCTION to_simhash(document pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash(document pg_catalog.text, unit pg_catalog.text, size integer) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash(features feature_vector) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash(pg_catalog.text)
    IS 'fingerprint of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash(pg_catalog.text, pg_catalog.text, integer)
    IS 'fingerprint of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_simhash(feature_vector)
    IS 'fingerprint of features';

CREATE FUNCTION to_simhash_weights(document pg_catalog.text) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights(document pg_catalog.text, unit pg_catalog.text, size integer)
    RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_simhash_weights(features feature_vector) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_to_simhash_weights_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION to_simhash_weights(pg_catalog.text)
    IS 'weights of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_simhash_weights(pg_catalog.text, pg_catalog.text, integer)
    IS 'weights of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_simhash_weights(feature_vector)
    IS 'weights of features';

-- Signatures, of 64 to 4096 bits: bit strings, the first 64 bits of which are the fingerprint. A function's result
-- has no type modifier. Columns of type bit(n) check the length; indexes on an expression need a cast to bit(n).

CREATE FUNCTION to_signature(document pg_catalog.text, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_to_signature_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_signature(document pg_catalog.text, unit pg_catalog.text, size integer, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_to_signature_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_signature(features feature_vector, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_to_signature_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_signature_weights(features feature_vector, bits integer) RETURNS real[]
    AS 'MODULE_PATHNAME', 'simhash_to_signature_weights_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION to_signature(pg_catalog.text, integer)
    IS 'signature of the words of a text, weighted by 1 + ln of their frequency';
COMMENT ON FUNCTION to_signature(pg_catalog.text, pg_catalog.text, integer, integer)
    IS 'signature of the shingles of a text, each of size units, word or character';
COMMENT ON FUNCTION to_signature(feature_vector, integer)
    IS 'signature of features';
COMMENT ON FUNCTION to_signature_weights(feature_vector, integer)
    IS 'weights of the bits of the signature of features';

-- Min-hash sketches of sets of features: of each element, only whether it occurs counts. Without features the result
-- is NULL.

CREATE FUNCTION to_minhash(document pg_catalog.text, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_minhash(document pg_catalog.text, unit pg_catalog.text, size integer, bits integer)
    RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_shingles' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION to_minhash(features feature_vector, bits integer) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION to_minhash_values(features feature_vector, minima integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_to_minhash_values_vector' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION to_minhash(pg_catalog.text, integer)
    IS 'min-hash signature of the set of the words of a text: one bit of each minimum';
COMMENT ON FUNCTION to_minhash(pg_catalog.text, pg_catalog.text, integer, integer)
    IS 'min-hash signature of the set of shingles of a text, of size words or characters: one bit of each minimum';
COMMENT ON FUNCTION to_minhash(feature_vector, integer)
    IS 'min-hash signature of the set of features: one bit of each minimum';
COMMENT ON FUNCTION to_minhash_values(feature_vector, integer)
    IS 'min-hash sketch of the set of features: its minima';

-- Minima, also those of other libraries.

CREATE FUNCTION minhash_bits(minima bigint[]) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_minhash_bits' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_union(bigint[], bigint[]) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_minhash_union' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION minhash_similarity(bigint[], bigint[]) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_minhash_values_similarity' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION minhash_bits(bigint[]) IS 'one bit of each minimum, as to_minhash returns them';
COMMENT ON FUNCTION minhash_union(bigint[], bigint[])
    IS 'the minima of the union of two sets: the lesser in each place';
COMMENT ON FUNCTION minhash_similarity(bigint[], bigint[])
    IS 'estimate of the Jaccard index of two sets: the fraction of equal minima';

-- Keys of bands of minima. They are compared with = alone, so a btree or GIN index finds candidates.

CREATE FUNCTION minhash_bands(minima bigint[], rows integer) RETURNS bigint[]
    AS 'MODULE_PATHNAME', 'simhash_minhash_bands' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION minhash_bands(bigint[], integer)
    IS 'keys of bands of minima, the same number of rows each: sets with a key in common are candidates';

-- Features as arrays, for to_simhash and simhash_agg and for inspection.

CREATE FUNCTION to_features(document pg_catalog.text, unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1)
    RETURNS pg_catalog.text[]
    AS 'MODULE_PATHNAME', 'simhash_to_features' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION to_features(pg_catalog.text, pg_catalog.text, integer)
    IS 'the features of a text: shingles of size units, word or character';

-- Vectors, such as embeddings, by random hyperplanes. An array of real or integer elements is cast, which changes
-- nothing: elements are rounded to real. A second function of real[] would make arguments of no known type ambiguous.

CREATE FUNCTION simhash_project(embedding double precision[], seed bigint DEFAULT 0) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5000;
CREATE FUNCTION simhash_project_weights(embedding double precision[], seed bigint DEFAULT 0) RETURNS simhash_weights
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION simhash_project(double precision[], bigint)
    IS 'fingerprint of a vector: on which sides of 64 random hyperplanes it lies';
COMMENT ON FUNCTION simhash_project_weights(double precision[], bigint)
    IS 'weights of a vector: the distances of the vector, normalised to length 1, from 64 random hyperplanes';

CREATE FUNCTION signature_project(embedding double precision[], bits integer, seed bigint DEFAULT 0) RETURNS bit
    AS 'MODULE_PATHNAME', 'simhash_signature_project' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30000;
CREATE FUNCTION signature_project_weights(embedding double precision[], bits integer, seed bigint DEFAULT 0)
    RETURNS real[]
    AS 'MODULE_PATHNAME', 'simhash_signature_project_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 30000;
COMMENT ON FUNCTION signature_project(double precision[], integer, bigint)
    IS 'signature of a vector: on which sides of random hyperplanes it lies';
COMMENT ON FUNCTION signature_project_weights(double precision[], integer, bigint)
    IS 'weights of a vector''s signature: the distances of the vector, normalised to length 1, from random hyperplanes';
