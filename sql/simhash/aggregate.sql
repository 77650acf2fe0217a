    SFUNC = @step@, STYPE = pg_catalog.internal, SSPACE = @space@,
    COMBINEFUNC = simhash_internal_@state@_combine, SERIALFUNC = simhash_internal_@state@_serialize,
    DESERIALFUNC = simhash_internal_@state@_deserialize, FINALFUNC = @final@, PARALLEL = SAFE);
