-- Near-duplicate texts. Which texts are near is a matter of their words, or characters, alone: not of a collation, a setting
-- or an index.
-- The functions of conditions are LEAKPROOF, since row-level security would else keep them from the index. They raise
-- errors only for want of memory.

CREATE FUNCTION simhash_internal_text_sketch(pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION simhash_internal_text_sketch(pg_catalog.text)
    IS 'what an index stores of a text: to_minhash(text, ''word'', 2, 64)';

CREATE FUNCTION simhash_internal_title_sketch(pg_catalog.text) RETURNS simhash
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION simhash_internal_title_sketch(pg_catalog.text)
    IS 'what an index by characters stores of a text: bits of 64 minima of its shingles of one and two characters';

CREATE FUNCTION simhash_internal_text_support(pg_catalog.internal) RETURNS pg_catalog.internal
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION simhash_internal_text_support(pg_catalog.internal) IS 'planner support for ~= and <@|';

CREATE FUNCTION simhash_internal_text_near(pg_catalog.text, pg_catalog.text) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 1000
    SUPPORT simhash_internal_text_support;
COMMENT ON FUNCTION simhash_internal_text_near(pg_catalog.text, pg_catalog.text)
    IS 'implementation of ~= operator';
CREATE OPERATOR ~= (
    LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text, FUNCTION = simhash_internal_text_near, COMMUTATOR = ~=,
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
COMMENT ON OPERATOR ~= (pg_catalog.text, pg_catalog.text)
    IS 'near-duplicate: whether feature_jaccard(a, b, ''word'', 3) is at least .8, and the sketches differ in at most 8 of 64 bits';

\include type_functions.sql type=text_ball name=text_ball_ text=1 binary=1

CREATE TYPE text_ball (
    INPUT = simhash_internal_text_ball_in, OUTPUT = simhash_internal_text_ball_out, RECEIVE = simhash_internal_text_ball_recv, SEND = simhash_internal_text_ball_send,
    INTERNALLENGTH = VARIABLE, STORAGE = extended, CATEGORY = 'V');

COMMENT ON TYPE text_ball IS 'the texts that are near a text: a query with a threshold of its own';

\include order.sql type=text_ball prefix=simhash_ cost=10

CREATE FUNCTION text_ball(center pg_catalog.text, similarity double precision, unit pg_catalog.text DEFAULT 'word')
    RETURNS text_ball
    AS 'MODULE_PATHNAME', 'simhash_text_ball' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION text_ball(pg_catalog.text, double precision, pg_catalog.text)
    IS 'the texts near a text, at this least Jaccard similarity of shingles of three words, or of two characters';

CREATE FUNCTION simhash_internal_text_in_ball(pg_catalog.text, text_ball) RETURNS boolean
    AS 'MODULE_PATHNAME' LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF COST 1000
    SUPPORT simhash_internal_text_support;
COMMENT ON FUNCTION simhash_internal_text_in_ball(pg_catalog.text, text_ball) IS 'implementation of <@| operator';
CREATE OPERATOR <@| (
    LEFTARG = pg_catalog.text, RIGHTARG = text_ball, FUNCTION = simhash_internal_text_in_ball,
    RESTRICT = simhash_internal_sel, JOIN = simhash_internal_joinsel);
COMMENT ON OPERATOR <@| (pg_catalog.text, text_ball) IS 'whether the text is in the ball';

\include balls_meet.sql type=text_ball meet=simhash_internal_text_balls_meet center=simhash_internal_text_ball_center stored=simhash cost=1000
