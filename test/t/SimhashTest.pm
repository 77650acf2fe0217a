# Shared by the TAP tests: nodes with the extension, fingerprints to index, and the comparison of an index with a
# sequential scan.
package SimhashTest;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(start_node prepare_database answers_agree index_is_sound test_seconds start_pgbench stop_pgbench);

# A started node. streaming, initdb: as init takes them; settings: lines of its configuration.
sub start_node
{
    my ($name, %options) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(allows_streaming => $options{streaming} // 0, extra => $options{initdb} // []);
    $node->append_conf('postgresql.conf', join("\n", @{ $options{settings} // [] }, 'jit = off', ''));
    $node->start;
    return $node;
}

# Functions for the tests, in the database postgres:
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
    $node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash;

CREATE FUNCTION fingerprint(n bigint) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT ('x' || left(md5(n::text), 16))::bit(64)::bigint::simhash $$;

CREATE FUNCTION flipped(h simhash, n bigint, bits int) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT (h::bigint # coalesce((SELECT bit_or(1::bigint << place) FROM
        (SELECT place FROM generate_series(0, 63) AS place ORDER BY md5(n || ' ' || place) LIMIT bits) AS chosen),
        0))::simhash $$;

CREATE TABLE query (id int PRIMARY KEY, h simhash);

CREATE FUNCTION differing_answers(indexed regclass, radius int) RETURNS bigint LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 AS
$$
DECLARE
    -- The cast to integer prevents the use of the index.
    expected text := format('SELECT q.id AS query, t.id FROM query q JOIN %s t ON (t.h <@> q.h)::int <= %s',
        indexed, radius);
    found text := format('SELECT q.id AS query, t.id FROM query q JOIN %s t ON t.h <@> q.h <= %s', indexed, radius);
    line text;
    by_index boolean := false;
    difference bigint;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || found LOOP
        by_index := by_index OR line ~ 'Index Cond: .*<@\|';
    END LOOP;
    IF NOT by_index THEN
        RAISE 'the index on % is not used', indexed;
    END IF;
    EXECUTE format('WITH expected AS MATERIALIZED (%s), found AS MATERIALIZED (%s)
        SELECT count(*) FROM ((TABLE expected EXCEPT ALL TABLE found) UNION ALL
                              (TABLE found EXCEPT ALL TABLE expected)) AS difference', expected, found)
        INTO difference;
    RETURN difference;
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
    my @wrong;
    for my $radius (@radii) {
        my ($status, $difference, $error) =
          $node->psql('postgres', "SELECT differing_answers('$table', $radius)");
        push @wrong, "r = $radius: " . ($status == 0 ? "$difference rows differ" : $error)
          if $status != 0 || $difference ne '0';
    }
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is(join("\n", @wrong), '', $name);
}

# One test: the index holds every row of its table in all its trees, and its pages are in order.
sub index_is_sound
{
    my ($node, $index, $name) = @_;
    my ($status, undef, $error) = $node->psql('postgres', "SELECT simhash_index_check('$index', true)");
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($status == 0 ? '' : $error, '', $name);
}

# The duration of a test under load.
sub test_seconds { return $ENV{TEST_SECONDS} // 15 }

# Starts pgbench in the background; scripts are texts. stop_pgbench waits for its end and returns its exit status and
# output.
sub start_pgbench
{
    my ($node, $seconds, $clients, %scripts) = @_;
    my @files;
    for my $name (sort keys %scripts) {
        my $file = $node->basedir . "/$name.sql";
        append_to_file($file, $scripts{$name}{sql});
        push @files, '--file', "$file\@$scripts{$name}{weight}";
    }
    my ($in, $out) = ('', '');
    my $handle = IPC::Run::start(
        [
            'pgbench', '--no-vacuum', '--time', $seconds, '--client', $clients, '--jobs', 1,
            '--host', $node->host, '--port', $node->port, @files, 'postgres'
        ],
        '<', \$in, '>&', \$out);
    return { handle => $handle, out => \$out };
}

sub stop_pgbench
{
    my ($run) = @_;
    $run->{handle}->finish;
    return ($run->{handle}->result(0), ${ $run->{out} });
}

1;
