\include type_functions.sql type=simhash_weights name=weights_ text=20 binary=10

-- With MAIN the value, typically 136 bytes, stays in the row; if a row is too long, its other columns are moved out
-- first. PLAIN would never allow moving it out.
CREATE TYPE simhash_weights (
    INPUT = simhash_internal_weights_in, OUTPUT = simhash_internal_weights_out,
    RECEIVE = simhash_internal_weights_recv, SEND = simhash_internal_weights_send,
    INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = main,
    CATEGORY = 'V');

COMMENT ON TYPE simhash_weights
    IS '64 sums of a document''s weighted features, whose signs are its fingerprint; can be added';

CREATE FUNCTION simhash_internal_from_weights(simhash_weights) RETURNS simhash
    AS 'MODULE_PATHNAME', 'simhash_from_weights' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION simhash_internal_weights_from_real(real[]) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_weights_from_real' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION simhash_internal_weights_to_real(simhash_weights) RETURNS real[]
    AS 'MODULE_PATHNAME', 'simhash_weights_to_real' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_internal_from_weights(simhash_weights) IS 'the fingerprint: the signs of the weights';
COMMENT ON FUNCTION simhash_internal_weights_from_real(real[]) IS 'convert an array of 64 numbers to weights';
COMMENT ON FUNCTION simhash_internal_weights_to_real(simhash_weights) IS 'convert weights to an array of 64 numbers';

CREATE CAST (simhash_weights AS simhash) WITH FUNCTION simhash_internal_from_weights(simhash_weights);
CREATE CAST (real[] AS simhash_weights) WITH FUNCTION simhash_internal_weights_from_real(real[]);
CREATE CAST (simhash_weights AS real[]) WITH FUNCTION simhash_internal_weights_to_real(simhash_weights);
COMMENT ON CAST (simhash_weights AS simhash) IS 'the signs: a bit is 1 if its weight is at least 0';
COMMENT ON CAST (real[] AS simhash_weights) IS '64 elements; element j+1 is the weight of the bit 1 << j';
COMMENT ON CAST (simhash_weights AS real[]) IS '64 elements; element j+1 is the weight of the bit 1 << j';

CREATE FUNCTION simhash_internal_weights_add(simhash_weights, simhash_weights) RETURNS simhash_weights
    AS 'MODULE_PATHNAME', 'simhash_weights_add' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION simhash_internal_weights_add(simhash_weights, simhash_weights) IS 'implementation of + operator';
CREATE OPERATOR + (
    LEFTARG = simhash_weights, RIGHTARG = simhash_weights, FUNCTION = simhash_internal_weights_add, COMMUTATOR = +);
COMMENT ON OPERATOR + (simhash_weights, simhash_weights) IS 'sum, exact';

-- Equality by value: stored forms of the same weights may differ. With it, and with that of the other types that columns can
-- have, DISTINCT, UNION and IS DISTINCT FROM work, and so does replication of tables without a key.

\include order.sql type=simhash_weights prefix= cost=10
