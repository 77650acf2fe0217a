-- Values of different tenants in one index, as far apart as random ones.

CREATE FUNCTION tenant_simhash(h simhash, tenant pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME', 'tenant_simhash_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tenant_simhash(h simhash, tenant bigint) RETURNS simhash
    AS 'MODULE_PATHNAME', 'tenant_simhash_number' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION tenant_signature(signature bit, tenant pg_catalog.text) RETURNS bit
    AS 'MODULE_PATHNAME', 'tenant_signature_text' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION tenant_signature(signature bit, tenant bigint) RETURNS bit
    AS 'MODULE_PATHNAME', 'tenant_signature_number' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tenant_simhash(simhash, pg_catalog.text)
    IS 'fingerprint whose distances within a tenant are the same, and to others those of random ones';
COMMENT ON FUNCTION tenant_simhash(simhash, bigint)
    IS 'fingerprint whose distances within a tenant are the same, and to others those of random ones';
COMMENT ON FUNCTION tenant_signature(bit, pg_catalog.text)
    IS 'signature whose distances within a tenant are the same, and to others those of random ones';
COMMENT ON FUNCTION tenant_signature(bit, bigint)
    IS 'signature whose distances within a tenant are the same, and to others those of random ones';
