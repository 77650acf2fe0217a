CREATE OPERATOR CLASS simhash_equal_@name@_ops @default@ FOR TYPE @type@ USING simhash AS
    OPERATOR 3 pg_catalog.= (@type@, @type@);
COMMENT ON OPERATOR CLASS simhash_equal_@name@_ops USING simhash IS 'equality, before the searched column';
COMMENT ON OPERATOR FAMILY simhash_equal_@name@_ops USING simhash IS 'equality, before the searched column';
