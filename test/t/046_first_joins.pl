# The planner knows the joins' node from the first query of a session on, in whatever form it comes, in parallel workers, and
# through a pooler: the library is loaded before joins are planned, and there is nothing to preload.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);
use SimhashTest;

my $node = start_node('main', settings => [ 'autovacuum = off', "session_preload_libraries = 'auto_explain'",
        'auto_explain.log_min_duration = 0', 'auto_explain.log_nested_statements = on', 'auto_explain.log_level = notice',
        'max_worker_processes = 16', 'max_parallel_workers = 16' ]);
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash;
CREATE TABLE page AS SELECT i AS id, hashint8extended(i, 1)::simhash AS h, 'some words of page number ' || i AS body FROM generate_series(1, 5000) AS i;
CREATE TABLE asked AS SELECT i AS id, (hashint8extended(i * 3, 1) # (1 << i % 4))::simhash AS h, i % 3 AS r, 'some words of page number ' || i AS body FROM generate_series(1, 1000) AS i;
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX page_body ON page USING simhash (body);
ANALYZE page, asked;
CREATE FUNCTION by_sql(OUT bigint) LANGUAGE sql AS 'SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= 3';
CREATE FUNCTION by_plpgsql(OUT n bigint) LANGUAGE plpgsql AS 'BEGIN n := count(*) FROM asked a JOIN page p ON p.h <@> a.h <= 3; END';
ALTER DATABASE postgres SET enable_nestloop = off;
ALTER DATABASE postgres SET enable_mergejoin = off;
ALTER DATABASE postgres SET enable_hashjoin = off;
SQL

my $by_column = 'SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= 3';
my %form = (
    'a distance' => $by_column,
    'a radius from a column' => 'SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= a.r',
    'the function' => 'SELECT count(*) FROM asked a JOIN page p ON hamming_within(p.h, a.h, 3)',
    'a ball' => 'SELECT count(*) FROM asked a JOIN page p ON p.h <@| simhash_ball(a.h, a.r)',
    'near fingerprints' => 'SELECT count(*) FROM asked a JOIN page p ON p.h ~= a.h',
    'near texts' => 'SELECT count(*) FROM asked a JOIN page p ON p.body ~= a.body',
    'no match' => 'SELECT count(*) FROM asked a WHERE NOT EXISTS (SELECT FROM page p WHERE p.h <@> a.h <= 1)',
    'a prepared statement' => "PREPARE q AS $by_column; EXECUTE q",
    'a generic plan' => 'SET plan_cache_mode = force_generic_plan; PREPARE q(int) AS SELECT count(*) FROM asked a JOIN page p ON p.h <@> a.h <= $1; EXECUTE q(2)',
    'after DISCARD' => "DISCARD ALL; $by_column",
    'a function in SQL' => 'SELECT by_sql()',
    'a function in PL/pgSQL' => 'SELECT by_plpgsql()',
    'a cursor' => "BEGIN; DECLARE c CURSOR FOR $by_column; FETCH c; CLOSE c; COMMIT",
    'parallel workers' => 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off; '
        . $by_column,
);

# The answer of statements in a session of their own, and whether they have used the node.
sub answer
{
    my ($server, $statements, %options) = @_;
    my ($out, $error);
    $server->psql('postgres', $statements, stdout => \$out, stderr => \$error, on_error_die => 1, %options);
    return ($out, $error =~ /Simhash Join/ ? 1 : 0);
}

my %expected;
for my $name (sort keys %form) {
    my ($found, $used) = answer($node, $form{$name});
    ok($used, "$name: in the first query of a session");
    ($expected{$name}, $used) = answer($node, "SET simhash.enable_join = off; $form{$name}");
    is($found, $expected{$name}, "$name: the same answer");
    ok(!$used, "$name: the node can be switched off") if $name ne 'after DISCARD';
}

my $pooler;
END { kill 'INT', $pooler if $pooler }

SKIP: {
    my $pgbouncer = `sh -c 'command -v pgbouncer || ls /usr/sbin/pgbouncer' 2>/dev/null`;
    chomp $pgbouncer;
    skip 'pgbouncer is not installed', 1 if $pgbouncer eq '';
    my $directory = PostgreSQL::Test::Utils::tempdir();
    my $port = PostgreSQL::Test::Cluster::get_free_port();
    my ($host, $server_port) = ($node->host, $node->port);
    my $user = getpwuid($<);
    append_to_file("$directory/pgbouncer.ini", <<"INI");
[databases]
postgres = host=$host port=$server_port user=$user
[pgbouncer]
unix_socket_dir = $directory
listen_port = $port
auth_type = any
pool_mode = transaction
default_pool_size = 1
server_reset_query_always = 1
ignore_startup_parameters = extra_float_digits
logfile = $directory/log
pidfile = $directory/pid
INI
    system_or_bail($pgbouncer, '-q', '-d', "$directory/pgbouncer.ini");
    for (1 .. 600) {
        last if -S "$directory/.s.PGSQL.$port" && -s "$directory/pid";
        usleep(100_000);
    }
    $pooler = 0 + slurp_file("$directory/pid");
    my $uri = "host=$directory port=$port dbname=postgres user=$user";
    # One server session serves them all, and is reset in between.
    for my $name ('a distance', 'after DISCARD', 'near texts', 'a distance') {
        my ($found, $used) = answer($node, $form{$name}, connstr => $uri);
        is($found, $expected{$name}, "$name: the same answer through a pooler");
        ok($used, "$name: by the node");
    }
}
done_testing();
