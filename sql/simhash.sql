\echo Use "CREATE EXTENSION simhash" to load this file. \quit

-- The parts below make the install script (src/install-script.awk). Every object of PostgreSQL is schema-qualified, and
-- nothing is replaced.
--
-- Comparison operators are created in pg_catalog. NULLIF, IS DISTINCT FROM, CASE h WHEN, JOIN USING and comparisons of
-- rows cannot name the schema of an operator, and pg_dump restores them with an empty search_path: with an operator of
-- another schema, the tables, views, indexes and triggers that use these forms would be lost.

\include simhash/fingerprint.sql
\include simhash/weights.sql
\include simhash/features.sql
\include simhash/sketches.sql
\include simhash/aggregates.sql
\include simhash/frequencies.sql
\include simhash/measures.sql
\include simhash/distance.sql
\include simhash/ball.sql
\include simhash/bigint.sql
\include simhash/signature.sql
\include simhash/comparisons.sql
\include simhash/similarity.sql
\include simhash/texts.sql
\include simhash/access_method.sql
\include simhash/inspection.sql
\include simhash/pairs.sql
\include simhash/tuning.sql
