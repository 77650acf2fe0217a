# Parallel workers of a join: an error in one ends the statement, and so does a cancellation while the workers wait.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => [ 'autovacuum = off', 'parallel_setup_cost = 0', 'max_parallel_workers_per_gather = 2' ]);
prepare_database($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page AS SELECT n AS id, flipped(fingerprint(n % 500), n, (n % 5)::int) AS h FROM generate_series(1, 3000) AS n;
CREATE INDEX page_h ON page USING simhash (h);
SQL

# The error of a statement with a failpoint; workers have it armed, too.
sub error_with
{
    my ($failpoint, $statement) = @_;
    my (undef, undef, $error) = $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = '$failpoint'; $statement");
    return $error;
}
sub workers { return $node->poll_query_until('postgres', "SELECT count(*) = $_[0] FROM pg_stat_activity WHERE backend_type = 'parallel worker'") }

my $pairs = "SELECT count(*) FROM simhash_pairs('page_h', 3)";
my $expected = $node->safe_psql('postgres', "SET max_parallel_workers_per_gather = 0; $pairs");
like(error_with('join-worker=error', $pairs), qr/failpoint.*CONTEXT: +parallel worker/s, 'an error in a worker');
ok(workers(0), 'an error in a worker: no workers are left');
is($node->safe_psql('postgres', $pairs), $expected, 'the next statement');

my $keeper = open_session($node);
$keeper->query_safe('SELECT pg_advisory_lock(21320, 0)');
like(error_with('join-worker=wait', "SET statement_timeout = '2s'; $pairs"), qr/statement timeout/, 'cancelled while the workers wait');
ok(workers(0), 'cancelled while the workers wait: no workers are left');

# The leader does all of the work if the workers come too late.
my $late = open_session($node);
$late->query_until(qr/started/, "LOAD 'simhash';\nSET simhash.failpoint = 'join-worker=wait';\n\\echo started\n$pairs;\n");
ok(workers(2), 'workers wait');
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 0)');
like($late->query('SELECT 1'), qr/^$expected$/m, 'workers that come late');
$_->quit for $keeper, $late;

done_testing();
