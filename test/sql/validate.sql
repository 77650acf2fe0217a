-- Operator classes that the access method cannot work with.
SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') ORDER BY opcname;

CREATE OPERATOR CLASS few_ops FOR TYPE simhash USING simhash AS OPERATOR 3 = (simhash, simhash);
CREATE OPERATOR CLASS wrong_ops FOR TYPE simhash USING simhash AS
    OPERATOR 1 = (simhash, simhash),
    OPERATOR 2 < (simhash, simhash),
    OPERATOR 3 <@> (simhash, simhash) FOR ORDER BY integer_ops,
    OPERATOR 4 ~= (simhash, simhash),
    OPERATOR 5 <@| (simhash, simhash_weights_ball),
    OPERATOR 6 <@> (simhash, simhash_weights) FOR ORDER BY text_ops;
CREATE OPERATOR CLASS words_ops FOR TYPE text USING simhash AS OPERATOR 3 = (text, text);
SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') AND opcname NOT IN ('simhash_ops', 'simhash_bit_ops')
ORDER BY opcname;
DROP OPERATOR FAMILY few_ops USING simhash;
DROP OPERATOR FAMILY wrong_ops USING simhash;
DROP OPERATOR FAMILY words_ops USING simhash;

-- Those for bit have other operators than those for fingerprints, and no others.
CREATE OPERATOR CLASS few_ops FOR TYPE bit USING simhash AS OPERATOR 4 <@> (bit, bit) FOR ORDER BY integer_ops;
CREATE OPERATOR CLASS more_ops FOR TYPE bit USING simhash AS
    OPERATOR 1 <@| (bit, signature_ball),
    OPERATOR 2 <> (bit, bit),
    OPERATOR 3 = (bit, bit),
    OPERATOR 4 <@> (bit, bit) FOR ORDER BY integer_ops,
    OPERATOR 5 < (bit, bit),
    OPERATOR 6 <@> (bit, signature_ball) FOR ORDER BY integer_ops;
CREATE OPERATOR CLASS wrong_ops FOR TYPE bit USING simhash AS
    OPERATOR 1 < (bit, bit),
    OPERATOR 3 <@| (bit, signature_ball),
    OPERATOR 4 <@> (bit, signature_ball) FOR ORDER BY text_ops,
    OPERATOR 6 <@> (bit, bit) FOR ORDER BY integer_ops;
CREATE OPERATOR CLASS fingerprint_ops FOR TYPE simhash USING simhash AS
    OPERATOR 1 <@| (bit, signature_ball),
    OPERATOR 2 ~= (simhash, simhash),
    OPERATOR 3 = (simhash, simhash),
    OPERATOR 4 <@> (bit, bit) FOR ORDER BY integer_ops,
    OPERATOR 5 <@| (simhash, simhash_weights_ball),
    OPERATOR 6 <@> (bit, signature_ball) FOR ORDER BY integer_ops;
SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'simhash') AND opcname NOT IN ('simhash_ops', 'simhash_bit_ops')
ORDER BY opcname;
DROP OPERATOR FAMILY few_ops USING simhash;
DROP OPERATOR FAMILY more_ops USING simhash;
DROP OPERATOR FAMILY wrong_ops USING simhash;
DROP OPERATOR FAMILY fingerprint_ops USING simhash;

-- Strategy and support numbers that the access method does not have.
CREATE OPERATOR CLASS wrong_ops FOR TYPE simhash USING simhash AS OPERATOR 9 < (simhash, simhash);
CREATE OPERATOR CLASS wrong_ops FOR TYPE simhash USING simhash AS FUNCTION 1 simhash_cmp(simhash, simhash);
