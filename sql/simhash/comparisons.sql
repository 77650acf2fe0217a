-- Comparisons of a distance with every integer type, since drivers send different types, and of an integer with a
-- distance. The code is PostgreSQL's own; the support function is ours.

-- Row comparisons, as in (h <@> q, id) > (3, 17), and ORDER BY ... USING need a btree operator family; IN with a long
-- list needs a hash operator family. The families have no operator class: an index on a stored distance is an index on
-- an integer. The equalities are not declared MERGES: the family does not order plain integers, and where they might
-- be merged, the support function has replaced them by PostgreSQL's operators.

CREATE OPERATOR FAMILY hamming_distance_ops USING btree;
CREATE OPERATOR FAMILY hamming_distance_ops USING hash;
ALTER OPERATOR FAMILY hamming_distance_ops USING hash ADD
    FUNCTION 1 (hamming_distance, hamming_distance) pg_catalog.hashint4(integer),
    FUNCTION 2 (hamming_distance, hamming_distance) pg_catalog.hashint4extended(integer, bigint),
    FUNCTION 1 (integer, integer) pg_catalog.hashint4(integer),
    FUNCTION 2 (integer, integer) pg_catalog.hashint4extended(integer, bigint);
COMMENT ON OPERATOR FAMILY hamming_distance_ops USING btree IS 'distances compared with integers';
COMMENT ON OPERATOR FAMILY hamming_distance_ops USING hash IS 'distances compared with integers';

\include distance_comparison.sql left=hamming_distance right=hamming_distance commuted= code=int4 leftbase=integer rightbase=integer
\include distance_comparison.sql left=hamming_distance right=smallint commuted=-- code=int42 leftbase=integer rightbase=smallint
\include distance_comparison.sql left=hamming_distance right=integer commuted= code=int4 leftbase=integer rightbase=integer
\include distance_comparison.sql left=integer right=hamming_distance commuted= code=int4 leftbase=integer rightbase=integer
\include distance_comparison.sql left=hamming_distance right=bigint commuted=-- code=int48 leftbase=integer rightbase=bigint
