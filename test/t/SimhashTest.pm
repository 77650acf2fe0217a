# Shared by the TAP tests: nodes with the extension, sessions and load. ExactAnswers.pm compares indexes with scans.
package SimhashTest;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use ExactAnswers;

our @EXPORT = (@ExactAnswers::EXPORT, qw(start_node open_session session_at waits begin_random test_seconds start_pgbench stop_pgbench succeeds
  server_answers has_recovered survives_dump session_memory memory_multiple));

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

# A session that goes on at a failpoint when the advisory lock is free.
sub session_at
{
    my ($node, $setting) = @_;
    my $session = open_session($node, on_error_stop => 0);
    $session->query_safe("LOAD 'simhash'");
    $session->query_safe("SET simhash.failpoint = '$setting'") if $setting;
    return $session;
}

# Whether one session with such a query comes to wait for such an event, by default that of a failpoint.
# PostgreSQL 19 calls the wait for a pin BufferCleanup.
sub waits
{
    my ($node, $query, $event) = @_;
    return $node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity
        WHERE query ~ '^$query' AND wait_event ~ '^(" . ($event // 'advisory') . ")\$'");
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

# Begins the random choices of a test with SEED, or always alike, so that `make test` does what the last run did.
# make fuzz and make torture choose another seed for each run.
sub begin_random
{
    my $seed = $ENV{SEED} || 1;
    srand($seed);
    note("SEED=$seed");
    return $seed;
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
