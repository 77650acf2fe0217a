# Shared by the TAP tests: nodes with the extension, fingerprints to index, and the comparison of an index with a
# sequential scan.
package SimhashTest;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(start_node open_session prepare_database answers_agree index_is_sound test_seconds start_pgbench stop_pgbench
  prepare_signatures signatures_agree succeeds server_answers has_recovered survives_dump
  session_memory memory_multiple);

# Whether a command ends well within a minute; one that is not installed does not.
sub succeeds
{
    my (@command) = @_;
    return run_log([ 'timeout', '60', @command ], '>', '/dev/null', '2>', '/dev/null');
}

# Whether the server accepts connections. The query is an argument, not input: writing to a psql that the server has
# refused, and that has exited, would end the test.
sub server_answers
{
    my ($node) = @_;
    return IPC::Run::run(
        [
            'psql', '--no-psqlrc', '--host', $node->host, '--port', $node->port, '--command', 'SELECT 1', 'postgres'
        ],
        '<', '/dev/null', '>&', '/dev/null');
}

# Whether the server has been ready again since its log had this size. After a session was killed it answers for a moment
# more, until the postmaster notices.
sub has_recovered
{
    my ($node, $from) = @_;
    return substr(slurp_file($node->logfile), $from) =~ /database system is ready to accept connections/;
}

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

# A session in the background, with the parameters of background_psql. Its time limit holds for each statement. Otherwise it
# would hold for the session, and on a busy machine end one that waits while others work.
sub open_session
{
    my ($node, %parameters) = @_;
    my $session = $node->background_psql('postgres', %parameters);
    $session->set_query_timer_restart if $session->can('set_query_timer_restart');
    return $session;
}

# Dumps a database with pg_dump, restores it with psql, which stops at the first error, and dumps the result: that the
# two dumps are the same is a test.
sub survives_dump
{
    my ($node, $database, $name) = @_;
    my $file = $node->basedir . '/dump';
    my $dump = sub {
        system_or_bail('pg_dump', '--file', $file, $node->connstr($_[0]));
        return slurp_file($file) =~ s/^\\(?:un)?restrict .*\n//gmr;
    };
    my $before = $dump->($database);
    $node->safe_psql('postgres', 'CREATE DATABASE restored TEMPLATE template0');
    my ($output, $error);
    IPC::Run::run([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, $node->connstr('restored') ], '>', \$output, '2>', \$error);
    is($error, '', "$name: restored");
    # Without the text, which may be long.
    ok($dump->('restored') eq $before, "$name: the same");
    $node->safe_psql('postgres', 'DROP DATABASE restored');
}

# An expression: the most memory that the session has had, in bytes.
sub session_memory
{
    return q{(substring(pg_read_file('/proc/self/status', 0, 10000) FROM 'VmHWM:\s+(\d+)')::bigint * 1024)};
}

# A call with a text of some bytes, repeated to 16 MB: what it takes in a session of its own, beyond a short text, in
# units of the long one.
sub memory_multiple
{
    my ($node, $call, $unit) = @_;
    my $size = 16 * 1024 * 1024;
    my $few = $call =~ s/TEXT/repeat($unit, 100)/r;
    my $times = "($size / octet_length($unit))";
    my $many = $call =~ s/TEXT/repeat($unit, $times)/r;
    my @memory = split /\n/, $node->safe_psql('postgres', join ';',
        map { 'SELECT ' . session_memory() . " FROM (SELECT $_ OFFSET 0) s(x) WHERE x IS NOT NULL" } $few, $many);
    return ($memory[1] - $memory[0]) / $size;
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
    $node->safe_psql('postgres', <<'SQL');

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
    $node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION IF NOT EXISTS simhash;

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
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 SET enable_sort = off AS
$$
DECLARE
    length int := (SELECT atttypmod FROM pg_attribute WHERE attrelid = indexed AND attname = 'h');
    queries varbit[];
    q varbit;
    line text;
    by_index int := 0;
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
            FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || found LOOP
                by_index := by_index + (line ~ 'Index Cond: .*<@\|')::int + (line ~ 'Order By: .*<@>')::int;
            END LOOP;
            EXECUTE format('WITH expected AS MATERIALIZED (%s), found AS MATERIALIZED (%s)
                SELECT %s + count(*) FROM ((TABLE expected EXCEPT ALL TABLE found) UNION ALL
                                      (TABLE found EXCEPT ALL TABLE expected)) AS difference', expected, found, differing)
                INTO differing;
        END LOOP;
    END LOOP;
    IF by_index <> 4 * cardinality(queries) THEN
        RAISE 'the index on % is not used: % times', indexed, by_index;
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
    my $bits = $node->safe_psql('postgres', "SELECT atttypmod FROM pg_attribute WHERE attrelid = '$table'::regclass AND attname = 'h'");
    my @wrong;
    for my $radius (0, 1, 5, int($bits / 16), int($bits / 8), int($bits / 3), $bits) {
        my ($status, $difference, $error) = $node->psql('postgres', "SELECT differing_signatures('$table', $radius)");
        push @wrong, "r = $radius: " . ($status == 0 ? "$difference differ" : $error) if $status != 0 || $difference ne '0';
    }
    my ($status, undef, $error) = $node->psql('postgres', "SELECT simhash_index_check('${table}_h', true)");
    push @wrong, $error if $status != 0;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is(join("\n", @wrong), '', $name);
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
