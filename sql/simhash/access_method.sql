CREATE FUNCTION simhash_internal_handler(pg_catalog.internal) RETURNS pg_catalog.index_am_handler
    AS 'MODULE_PATHNAME', 'simhash_handler' LANGUAGE c;
COMMENT ON FUNCTION simhash_internal_handler(pg_catalog.internal) IS 'handler of index access method simhash';

CREATE ACCESS METHOD simhash TYPE INDEX HANDLER simhash_internal_handler;
COMMENT ON ACCESS METHOD simhash IS 'finds fingerprints within a Hamming distance';

CREATE OPERATOR CLASS simhash_ops DEFAULT FOR TYPE simhash USING simhash AS
    OPERATOR 1 <@| (simhash, simhash_ball),
    OPERATOR 2 ~= (simhash, simhash),
    OPERATOR 3 = (simhash, simhash),
    OPERATOR 4 <@> (simhash, simhash) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 5 <@> (simhash, simhash_weights) FOR ORDER BY pg_catalog.integer_ops;
COMMENT ON OPERATOR CLASS simhash_ops USING simhash IS 'near-duplicate search';
COMMENT ON OPERATOR FAMILY simhash_ops USING simhash IS 'near-duplicate search';
CREATE OPERATOR CLASS simhash_bigint_ops DEFAULT FOR TYPE bigint USING simhash AS
    OPERATOR 1 <@| (simhash, simhash_ball),
    OPERATOR 2 ~= (bigint, bigint),
    OPERATOR 3 pg_catalog.= (bigint, bigint),
    OPERATOR 4 <@> (bigint, bigint) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 6 pg_catalog.= (bigint, integer),
    OPERATOR 7 pg_catalog.= (bigint, smallint);
COMMENT ON OPERATOR CLASS simhash_bigint_ops USING simhash IS 'near-duplicate search by the bits of integers';
COMMENT ON OPERATOR FAMILY simhash_bigint_ops USING simhash IS 'near-duplicate search by the bits of integers';
CREATE OPERATOR CLASS simhash_ball_ops DEFAULT FOR TYPE simhash_ball USING simhash AS
    OPERATOR 8 ~= (simhash_ball, simhash_ball),
    FUNCTION 1 simhash_internal_ball_center(simhash_ball),
    STORAGE simhash;
COMMENT ON OPERATOR CLASS simhash_ball_ops USING simhash IS 'constraints on fingerprints with any radius';
COMMENT ON OPERATOR FAMILY simhash_ball_ops USING simhash IS 'constraints on fingerprints with any radius';
CREATE OPERATOR CLASS signature_ball_ops DEFAULT FOR TYPE signature_ball USING simhash AS
    OPERATOR 8 ~= (signature_ball, signature_ball),
    FUNCTION 1 simhash_internal_signature_ball_center(signature_ball),
    STORAGE bit;
COMMENT ON OPERATOR CLASS signature_ball_ops USING simhash IS 'constraints on bit strings with any radius';
COMMENT ON OPERATOR FAMILY signature_ball_ops USING simhash IS 'constraints on bit strings with any radius';
CREATE OPERATOR CLASS simhash_text_ops DEFAULT FOR TYPE pg_catalog.text USING simhash AS
    OPERATOR 10 ~= (pg_catalog.text, pg_catalog.text),
    OPERATOR 11 <@| (pg_catalog.text, text_ball),
    FUNCTION 1 simhash_internal_text_sketch(pg_catalog.text),
    STORAGE simhash;
COMMENT ON OPERATOR CLASS simhash_text_ops USING simhash IS 'near-duplicate texts';
COMMENT ON OPERATOR FAMILY simhash_text_ops USING simhash IS 'near-duplicate texts';
CREATE OPERATOR CLASS simhash_title_ops FOR TYPE pg_catalog.text USING simhash AS
    OPERATOR 12 <@| (pg_catalog.text, text_ball),
    FUNCTION 1 simhash_internal_title_sketch(pg_catalog.text),
    STORAGE simhash;
COMMENT ON OPERATOR CLASS simhash_title_ops USING simhash IS 'short texts with typing errors, by characters';
COMMENT ON OPERATOR FAMILY simhash_title_ops USING simhash IS 'short texts with typing errors, by characters';
CREATE OPERATOR CLASS simhash_text_ball_ops DEFAULT FOR TYPE text_ball USING simhash AS
    OPERATOR 13 ~= (text_ball, text_ball),
    FUNCTION 1 simhash_internal_text_ball_center(text_ball),
    STORAGE simhash;
COMMENT ON OPERATOR CLASS simhash_text_ball_ops USING simhash IS 'constraints on texts with any similarity';
COMMENT ON OPERATOR FAMILY simhash_text_ball_ops USING simhash IS 'constraints on texts with any similarity';
CREATE OPERATOR CLASS simhash_bit_ops DEFAULT FOR TYPE bit USING simhash AS
    OPERATOR 1 <@| (bit, signature_ball),
    OPERATOR 3 pg_catalog.= (bit, bit),
    OPERATOR 4 <@> (bit, bit) FOR ORDER BY pg_catalog.integer_ops,
    OPERATOR 5 <@> (bit, signature_ball) FOR ORDER BY pg_catalog.integer_ops;
COMMENT ON OPERATOR CLASS simhash_bit_ops USING simhash IS 'search for similar bit strings';
COMMENT ON OPERATOR FAMILY simhash_bit_ops USING simhash IS 'search for similar bit strings';

-- The columns before the searched one, for conditions of equality: of a tenant, for example. Of a type that is searched, or
-- may be, too, the class has to be named.

CREATE OPERATOR CLASS simhash_equal_int2_ops DEFAULT FOR TYPE smallint USING simhash AS
    OPERATOR 3 pg_catalog.= (smallint, smallint),
    OPERATOR 6 pg_catalog.= (smallint, integer),
    OPERATOR 9 pg_catalog.= (smallint, bigint);
COMMENT ON OPERATOR CLASS simhash_equal_int2_ops USING simhash IS 'equality, before the searched column';
COMMENT ON OPERATOR FAMILY simhash_equal_int2_ops USING simhash IS 'equality, before the searched column';
CREATE OPERATOR CLASS simhash_equal_int4_ops DEFAULT FOR TYPE integer USING simhash AS
    OPERATOR 3 pg_catalog.= (integer, integer),
    OPERATOR 7 pg_catalog.= (integer, smallint),
    OPERATOR 9 pg_catalog.= (integer, bigint);
COMMENT ON OPERATOR CLASS simhash_equal_int4_ops USING simhash IS 'equality, before the searched column';
COMMENT ON OPERATOR FAMILY simhash_equal_int4_ops USING simhash IS 'equality, before the searched column';
\include equal_class.sql name=text type=pg_catalog.text default=
\include equal_class.sql name=bpchar type=pg_catalog.bpchar default=
\include equal_class.sql name=name type=pg_catalog.name default=DEFAULT
\include equal_class.sql name=uuid type=pg_catalog.uuid default=DEFAULT
\include equal_class.sql name=date type=pg_catalog.date default=DEFAULT
\include equal_class.sql name=boolean type=boolean default=DEFAULT
\include equal_class.sql name=oid type=pg_catalog.oid default=DEFAULT
