# The oracle of the TAP tests: what an index answers is compared, row by row, with what a sequential scan of the same table
# does, for fingerprints and for signatures. Random fingerprints and signatures to index are here, too.
package ExactAnswers;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use Test::More;

our @EXPORT = qw(prepare_database prepare_signatures prepare_classes answers_agree signatures_agree classes_agree index_is_sound);

# In the database postgres:
#
#   differing_rows(wanted, got)      the number of rows of one query that the other misses, invents or repeats
#   by_index(query)                  the conditions and orders of its plan that an index evaluates
sub prepare_oracle
{
    my ($node) = @_;
    $node->safe_psql('postgres', <<'SQL');
CREATE OR REPLACE FUNCTION differing_rows(wanted text, got text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    difference bigint;
BEGIN
    EXECUTE format('WITH expected AS MATERIALIZED (%s), found AS MATERIALIZED (%s)
        SELECT count(*) FROM ((TABLE expected EXCEPT ALL TABLE found) UNION ALL
                              (TABLE found EXCEPT ALL TABLE expected)) AS difference', wanted, got) INTO difference;
    RETURN difference;
END
$$;

CREATE OR REPLACE FUNCTION by_index(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    line text;
    parts int := 0;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        parts := parts + (line ~ 'Index Cond: .*(<@\||~=)')::int + (line ~ 'Order By: .*<@>')::int;
    END LOOP;
    RETURN parts;
END
$$;
SQL
    return;
}

# The extension, of another version if asked for, and functions for the tests, in the database postgres:
#
#   fingerprint(n)                  the n-th of a fixed sequence of random fingerprints
#   flipped(h, n, bits)             h with that many bits flipped, the n-th choice of them
#   query (id, h)                   queries: fingerprints 1, 101, 201, … with 0 to 10 flips, and 20 others
#   differing_answers(table, r)     the number of answers to "query within r" that the index misses, invents or repeats
#
# Every table of the tests has columns id and h.
sub prepare_database
{
    my ($node, %options) = @_;
    $node->safe_psql('postgres', 'CREATE EXTENSION simhash' . ($options{version} ? " VERSION '$options{version}'" : ''));
    prepare_oracle($node);
    $node->safe_psql('postgres', <<'SQL');

CREATE FUNCTION fingerprint(n bigint) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT ('x' || left(md5(n::text), 16))::bit(64)::bigint::simhash $$;

CREATE FUNCTION flipped(h simhash, n bigint, bits int) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT (h::bigint # coalesce((SELECT bit_or(1::bigint << place) FROM
        (SELECT place FROM generate_series(0, 63) AS place ORDER BY md5(n || ' ' || place) LIMIT bits) AS chosen),
        0))::simhash $$;

CREATE TABLE query (id int PRIMARY KEY, h simhash);

CREATE FUNCTION differing_answers(indexed regclass, radius int) RETURNS bigint LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 SET simhash.enable_join = off AS
$$
DECLARE
    -- The cast to integer prevents the use of the index.
    expected text := format('SELECT q.id AS query, t.id FROM query q JOIN %s t ON (t.h <@> q.h)::int <= %s',
        indexed, radius);
    found text := format('SELECT q.id AS query, t.id FROM query q JOIN %s t ON t.h <@> q.h <= %s', indexed, radius);
BEGIN
    IF by_index(found) = 0 THEN
        RAISE 'the index on % is not used', indexed;
    END IF;
    RETURN differing_rows(expected, found);
END
$$;
SQL
    my $queries = $options{queries} // 30;
    $node->safe_psql('postgres', <<SQL);
INSERT INTO query SELECT n, flipped(fingerprint(n * 100 + 1), n, n % 11) FROM generate_series(0, $queries - 1) AS n;
INSERT INTO query SELECT 10000 + n, fingerprint(-n) FROM generate_series(1, 10) AS n;
SQL
    return;
}

# One test: for these radii the index on the table gives the same answers as a sequential scan.
sub answers_agree
{
    my ($node, $table, $name, @radii) = @_;
    @radii = (0, 1, 3, 5, 8) unless @radii;
    my ($status, $wrong, $error) = $node->psql('postgres', "SELECT format('r = %s: %s rows differ', radius, answers)
        FROM unnest(ARRAY[" . join(', ', @radii) . "]) AS radius, differing_answers('$table', radius) AS answers WHERE answers <> 0");
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($status == 0 ? $wrong : $error, '', $name);
}

# One test: the index holds every row of its table in all its trees, and its pages are in order.
sub index_is_sound
{
    my ($node, $index, $name) = @_;
    my ($status, undef, $error) = $node->psql('postgres', "SELECT simhash_index_check('$index', true)");
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($status == 0 ? '' : $error, '', $name);
}

# Functions for tests of indexes on bit(n), in the database postgres:
#
#   signature(n, bits)               the n-th of a fixed sequence of random signatures
#   flipped_signature(h, n, flips)   h with up to that many bits flipped, the n-th choice of them
#   differing_signatures(table, r)   the number of answers to "within r" and of places among the nearest that are wrong
#
# Every table has columns id and h. The queries are some of its rows, these with flips, and signatures of no row.
sub prepare_signatures
{
    my ($node) = @_;
    $node->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS simhash');
    prepare_oracle($node);
    $node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION signature(n bigint, bits int) RETURNS varbit IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT substring(('x' || string_agg(md5(n || ' ' || i), ''))::varbit FROM 1 FOR bits) FROM generate_series(0, bits / 128) AS i $$;

CREATE FUNCTION flipped_signature(h varbit, n bigint, flips int) RETURNS varbit IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
DECLARE
    place int;
BEGIN
    FOR i IN 1 .. flips LOOP
        place := abs(hashint8extended(n, i) % length(h));
        h := set_bit(h::bit varying, place, 1 - get_bit(h, place));
    END LOOP;
    RETURN h;
END
$$;

CREATE FUNCTION differing_signatures(indexed regclass, radius int) RETURNS bigint LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 SET enable_sort = off
    SET simhash.enable_join = off AS
$$
DECLARE
    length int := (SELECT atttypmod FROM pg_attribute WHERE attrelid = indexed AND attname = 'h');
    queries varbit[];
    q varbit;
    line text;
    parts int := 0;
    differing bigint := 0;
    expected text;
    found text;
    center varbit;
BEGIN
    EXECUTE format('SELECT array_agg(CASE WHEN id %% 3 = 0 THEN h ELSE flipped_signature(h, id, (id %% 17)::int) END) FROM
        (SELECT id, h FROM %s WHERE h IS NOT NULL ORDER BY md5(id::text) LIMIT 6) AS chosen', indexed) INTO queries;
    queries := queries || signature(-1, length) || repeat('0', length)::varbit;
    FOREACH q IN ARRAY queries LOOP
        center := flipped_signature(q, 5, length / 16);
        -- The cast to integer prevents the use of the index.
        FOREACH line IN ARRAY ARRAY[
            'SELECT id, 0 FROM %1$s WHERE (h <@> %2$L::bit(%5$s))%6$s <= %3$s',
            'SELECT row_number() OVER (), d FROM (SELECT (h <@> %2$L::bit(%5$s))%6$s AS d FROM %1$s ORDER BY (h <@> %2$L::bit(%5$s))%6$s LIMIT %3$s + 3) AS near',
            'SELECT row_number() OVER (), d FROM (SELECT (h <@> %4$L::bit(%5$s))%6$s AS d FROM %1$s WHERE (h <@> %2$L::bit(%5$s))%6$s <= %3$s ORDER BY (h <@> %4$L::bit(%5$s))%6$s) AS found']
        LOOP
            expected := format(line, indexed, q, radius, center, length, '::int');
            found := format(line, indexed, q, radius, center, length, '');
            -- Both conditions and orders of the last one must be the index's.
            parts := parts + by_index(found);
            differing := differing + differing_rows(expected, found);
        END LOOP;
    END LOOP;
    IF parts <> 4 * cardinality(queries) THEN
        RAISE 'the index on % is not used: % times', indexed, parts;
    END IF;
    EXECUTE format('SELECT %s + abs(count(*) - (SELECT count(*) FROM %2$s WHERE (h IS NULL) IS TRUE)) FROM %2$s WHERE h IS NULL',
        differing, indexed) INTO differing;
    RETURN differing;
END
$$;
SQL
    return;
}

# One test: the index on the table, called table_h, gives the answers of a sequential scan and is sound.
sub signatures_agree
{
    my ($node, $table, $name) = @_;
    # One session for all radii: there are hundreds of these comparisons, and a new one compiles the functions again.
    my ($status, $wrong, $error) = $node->psql('postgres', <<"SQL");
SELECT format('r = %s: %s differ', radius, answers) FROM pg_attribute,
    unnest(ARRAY[0, 1, 5, atttypmod / 16, atttypmod / 8, atttypmod / 3, atttypmod]) AS radius,
    differing_signatures('$table', radius) AS answers
    WHERE attrelid = '$table'::regclass AND attname = 'h' AND answers <> 0;
DO \$\$ BEGIN PERFORM simhash_index_check('${table}_h', true); END \$\$;
SQL
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($status == 0 ? $wrong : "$wrong\n$error", '', $name);
}

# A table with an index of each operator class that is searched but is not simhash's or bit's own, in the database postgres,
# after prepare_database: item (id, h) and columns computed of these. Rows are inserted by add_items(from, to). The argument
# is what stands before TABLE.
sub prepare_classes
{
    my ($node, $kind) = @_;
    $kind //= '';
    $node->safe_psql('postgres', <<"SQL");
-- A word for each bit: texts are near if few bits differ.
CREATE FUNCTION text_of(h simhash) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
\$\$ SELECT string_agg(i || substring(h::bit(64)::text FROM i FOR 1), ' ' ORDER BY i) FROM generate_series(1, 64) AS i \$\$;
-- Some texts are long, and stored outside of the table. A ball's radius depends on the row.
CREATE $kind TABLE item (id bigint, h simhash, tenant text GENERATED ALWAYS AS ('t' || id % 3) STORED, b bigint GENERATED ALWAYS AS (h::bigint) STORED,
    body text GENERATED ALWAYS AS (repeat(text_of(h) || ' ', CASE WHEN id % 9 = 0 THEN 40 ELSE 1 END)) STORED,
    ball simhash_ball GENERATED ALWAYS AS (simhash_ball(h, (id % 7)::int)) STORED,
    image bit(128) GENERATED ALWAYS AS ((h::bit(64) || h::bit(64))::bit(128)) STORED);
ALTER TABLE item ALTER body SET STORAGE EXTERNAL;
CREATE INDEX item_body ON item USING simhash (body);
CREATE INDEX item_tenant ON item USING simhash (tenant simhash_equal_text_ops, h);
CREATE INDEX item_tenant_body ON item USING simhash (tenant simhash_equal_text_ops, body);
CREATE INDEX item_tenant_image ON item USING simhash (tenant simhash_equal_text_ops, image);
CREATE INDEX item_title ON item USING simhash (body simhash_title_ops);
CREATE INDEX item_b ON item USING simhash (b);
CREATE INDEX item_ball ON item USING simhash (ball);
CREATE INDEX item_image ON item USING simhash (signature_ball(image, 9));
CREATE FUNCTION add_items(first bigint, last bigint) RETURNS void LANGUAGE sql AS
\$\$ INSERT INTO item SELECT n, CASE WHEN n % 40 <> 0 THEN flipped(fingerprint(n % 37 * 100 + 1), n, (n % 6)::int) END FROM generate_series(first, last) AS n \$\$;
CREATE FUNCTION differing_items(ours text, truth text) RETURNS bigint LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 SET simhash.enable_join = off AS
\$\$
DECLARE
    every text := 'WITH q AS MATERIALIZED (SELECT id, h, text_of(h) AS body FROM query) SELECT q.id AS query, t.id FROM q JOIN item t ON ';
BEGIN
    IF by_index(every || ours) = 0 THEN
        RAISE 'no index is used for %', ours;
    END IF;
    RETURN differing_rows(every || truth, every || ours);
END
\$\$;
SQL
    return;
}

# One test: each index on item gives the answers of a sequential scan. Each is sound, unless the server is a standby.
sub classes_agree
{
    my ($node, $name, $database) = @_;
    $database //= 'postgres';
    # Casts and empty strings prevent the use of an index.
    my @conditions = (
        [ 't.body ~= q.body', "(t.body || '') ~= q.body" ],
        [ 't.body <@| text_ball(q.body, 0.7)', "(t.body || '') <@| text_ball(q.body, 0.7)" ],
        [ "t.tenant = 't' || q.id % 3 AND t.h <@> q.h <= 4", "t.tenant || '' = 't' || q.id % 3 AND (t.h <@> q.h)::int <= 4" ],
        [ "t.tenant = 't' || q.id % 3 AND t.body ~= q.body", "t.tenant || '' = 't' || q.id % 3 AND (t.body || '') ~= q.body" ],
        [ "t.tenant = 't' || q.id % 3 AND t.image <@> (q.h::bit(64) || q.h::bit(64))::bit(128) <= 9", "t.tenant || '' = 't' || q.id % 3 AND (t.h <@> q.h)::int <= 4" ],
        [ "t.body <@| text_ball(q.body, 0.8, 'character')", "(t.body || '') <@| text_ball(q.body, 0.8, 'character')" ],
        [ 't.b <@> q.h::bigint <= 5', '(t.h <@> q.h)::int <= 5' ],
        [ 't.ball ~= simhash_ball(q.h, 4)', '(t.h <@> q.h)::int <= least(4, t.id % 7)' ],
        [ 'signature_ball(t.image, 9) ~= signature_ball((q.h::bit(64) || q.h::bit(64))::bit(128), 6)', '(t.h <@> q.h)::int <= 3' ]);
    my @wrong;
    for (@conditions) {
        my ($found, $expected) = map { s/'/''/gr } @$_;
        my ($status, $difference, $error) = $node->psql($database, "SELECT differing_items('$found', '$expected')");
        push @wrong, "$found: " . ($status == 0 ? "$difference rows differ" : $error) if $status != 0 || $difference ne '0';
    }
    my ($status, undef, $error) = $node->psql($database, "SELECT simhash_index_check(indexrelid, true) FROM pg_index WHERE indrelid = 'item'::regclass");
    push @wrong, $error if $status != 0 && $error !~ /during recovery/;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is(join("\n", @wrong), '', $name);
}

1;
