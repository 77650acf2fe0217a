-- How similar two sets or vectors of features are. Where a measure is undefined, as of two empty sets, it is NULL.

CREATE FUNCTION feature_jaccard(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_jaccard_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION feature_jaccard(a feature_vector, b feature_vector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_jaccard_vectors' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION feature_jaccard(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'Jaccard similarity of the sets of two documents'' features: the fraction of all features that both have';
COMMENT ON FUNCTION feature_jaccard(feature_vector, feature_vector)
    IS 'Jaccard similarity of two sets of features: the fraction of all features that both have';

CREATE FUNCTION feature_containment(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_containment_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION feature_containment(a feature_vector, b feature_vector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_containment_vectors' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION feature_containment(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'the fraction of document a''s features that document b contains';
COMMENT ON FUNCTION feature_containment(feature_vector, feature_vector)
    IS 'the fraction of the features a that b contains';

CREATE FUNCTION feature_cosine(a pg_catalog.text, b pg_catalog.text,
    unit pg_catalog.text DEFAULT 'word', size integer DEFAULT 1) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_cosine_documents' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 2000;
CREATE FUNCTION feature_cosine(a feature_vector, b feature_vector) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_cosine_vectors' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 200;

COMMENT ON FUNCTION feature_cosine(pg_catalog.text, pg_catalog.text, pg_catalog.text, integer)
    IS 'cosine of the features of two documents, each with the weight 1 + ln tf';
COMMENT ON FUNCTION feature_cosine(feature_vector, feature_vector)
    IS 'cosine of two vectors of features';

-- How alike the sums behind two fingerprints are: it ranks what a search has found, without the texts.

CREATE FUNCTION simhash_cosine(simhash_weights, simhash_weights) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_cosine_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
CREATE FUNCTION simhash_cosine(simhash_weights, simhash) RETURNS double precision
    AS 'MODULE_PATHNAME', 'simhash_cosine_weights_bits' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION simhash_cosine(simhash_weights, simhash_weights)
    IS 'cosine of the weights of two documents: sum(a_j b_j) / sqrt(sum(a_j^2) sum(b_j^2)), -1 to 1';
COMMENT ON FUNCTION simhash_cosine(simhash_weights, simhash)
    IS 'the same if only the fingerprint of the other document is known: b_j is a_j, or -a_j where the bits differ';
