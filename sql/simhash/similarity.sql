CREATE FUNCTION minhash_similarity(bit, bit) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_minhash_similarity_of_bits' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION minhash_similarity(bit, bit)
    IS 'estimated Jaccard similarity of the sets with these min-hash signatures: 1 - 2 h / n if h of n bits differ';
CREATE FUNCTION minhash_at_least(bit, bit, double precision) RETURNS boolean
    AS 'MODULE_PATHNAME', 'simhash_minhash_at_least' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    SUPPORT simhash_internal_support;
COMMENT ON FUNCTION minhash_at_least(bit, bit, double precision)
    IS 'whether minhash_similarity is at least the threshold';

CREATE FUNCTION minhash_radius(similarity double precision, bits integer) RETURNS integer
    AS 'MODULE_PATHNAME', 'simhash_minhash_radius' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION minhash_radius(similarity double precision, bits integer, recall double precision) RETURNS integer
    AS 'MODULE_PATHNAME', 'simhash_minhash_radius_of_recall' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION minhash_radius(double precision, integer)
    IS 'largest Hamming distance of signatures with at least this minhash_similarity, -1 if there is none';
COMMENT ON FUNCTION minhash_radius(double precision, integer, double precision)
    IS 'Hamming distance within which signatures of sets of this Jaccard similarity are, with the probability recall';
