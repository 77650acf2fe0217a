# The recipes of doc/citus.sql, on a coordinator, two workers and a third that is added while rows are written. Skipped where Citus is not installed.
use strict;
use warnings;
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

# A server does not start with a library that it lacks, so another one is asked.
my $asked = start_node('asked');
my (undef, undef, $answer) = $asked->psql('postgres', "LOAD 'citus'");
$asked->stop;
plan skip_all => 'Citus is not installed' if $answer =~ /could not access file/;

my @nodes = map {
    start_node($_, settings => [ "shared_preload_libraries = 'citus'", 'wal_level = logical', "listen_addresses = '127.0.0.1'",
        "citus.node_conninfo = 'sslmode=prefer'", "citus.node_connection_timeout = '3s'", 'max_prepared_transactions = 50',
        'max_wal_senders = 10', 'max_replication_slots = 10', 'max_worker_processes = 20', 'fsync = off', 'autovacuum = off' ])
} qw(coordinator worker1 worker2 worker3);
my $coordinator = $nodes[0];
sub answer { return $coordinator->safe_psql('postgres', $_[0]) }
$_->safe_psql('postgres', 'CREATE EXTENSION citus') for @nodes;
answer("SELECT citus_set_coordinator_host('127.0.0.1', " . $coordinator->port . ')');
answer("SELECT citus_add_node('127.0.0.1', " . $_->port . ')') for @nodes[1, 2];

my $document = slurp_file(dirname(dirname($FindBin::RealBin)) . '/doc/citus.sql');
sub recipe
{
    my ($mark) = @_;
    $document =~ /^-- \Q$mark\E\n(.*?);\s*(?:^\n|\z)/ms or die "doc/citus.sql has no recipe marked $mark";
    return $1;
}

my ($extension, @setup) = split /\n/, recipe('setup');
prepare_database($coordinator);
like($extension, qr/^CREATE EXTENSION simhash;$/, 'the recipe begins with the extension');
answer(join "\n", @setup);
is($_->safe_psql('postgres', "SELECT count(*) FROM pg_extension WHERE extname = 'simhash'"), '1', $_->name . ' has the extension') for @nodes[0 .. 2];
answer(<<'SQL');
CREATE TABLE whole AS SELECT n AS id, 'text ' || n AS body, CASE WHEN n % 100 = 0 THEN NULL ELSE flipped(fingerprint(n % 2000), n, (n % 8)::int) END AS h
    FROM generate_series(1, 3000) AS n;
CREATE INDEX whole_h ON whole USING simhash (h);
INSERT INTO page TABLE whole;
VACUUM ANALYZE page;
SQL

# One test: a query of table %s has the same answer on the shards as on the coordinator.
sub answers_equal
{
    my ($query) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is(answer($query =~ s/%s/page/r), answer($query =~ s/%s/whole/r), $query);
}

# One test: every shard's index is sound, and the rows are those of the coordinator.
sub shards_agree
{
    my ($name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(answer('SELECT count(*) FROM (' . recipe('check') . ') AS c WHERE NOT success'), '0', "$name: indexes are sound");
    is(answer('SELECT DISTINCT result FROM (' . (recipe('check') =~ s/simhash_index_check\(indexrelid\)/count(*)/r) . ') AS c'), '1',
        "$name: one on each shard");
    return is(answer("SELECT md5(string_agg(t::text, ' ' ORDER BY id)) FROM page AS t"),
        answer("SELECT md5(string_agg(t::text, ' ' ORDER BY id)) FROM whole AS t"), "$name: the same rows");
}

shards_agree('INSERT');
my $q = "'" . answer('SELECT h FROM whole WHERE id = 77') . "'";
for my $condition ("h <@> $q <= 5", "h <@> $q < 6", "h <@> $q BETWEEN 1 AND 6", "h ~= $q", "h = $q", "h <@| simhash_ball($q, 5)",
    "h <@> to_simhash_weights('some text') <= 12", "h = ANY (ARRAY[$q, '0123456789abcdef']::simhash[])")
{
    like(answer("SET enable_seqscan = off; SET citus.propagate_set_commands = 'local'; BEGIN; SET LOCAL enable_seqscan = off;
        EXPLAIN (COSTS OFF) SELECT id FROM page WHERE $condition; COMMIT"), qr/Index Scan (?:using|on) page_h_\d+/, "$condition: by the index of the shard");
    answers_equal("SELECT id FROM %s WHERE $condition ORDER BY id");
    answers_equal("SELECT h <@> $q, count(*) FROM %s WHERE $condition GROUP BY 1 ORDER BY 1");
}
answers_equal("SELECT h <@> $q FROM %s ORDER BY h <@> $q LIMIT 10");
like(answer("EXPLAIN (VERBOSE, COSTS OFF) SELECT id FROM page ORDER BY h <@> $q LIMIT 10"), qr/Task.*Limit/s, 'the limit ships');
answers_equal('SELECT a.id, p.id FROM query a JOIN %s p ON p.h <@> a.h <= 4 ORDER BY 1, 2');

for my $change ("UPDATE %s SET h = flipped(h, id, 1) WHERE id = 7", "UPDATE %s SET h = $q WHERE h <@> $q <= 4", "DELETE FROM %s WHERE id % 5 = 0",
    "INSERT INTO %s VALUES (9000, 'one', '0123456789abcdef')")
{
    answer($change =~ s/%s/page/r);
    answer($change =~ s/%s/whole/r);
    shards_agree($change);
}
answers_equal('SELECT a.id, p.id FROM query a JOIN %s p ON p.h <@> a.h <= 4 ORDER BY 1, 2');

answer(recipe('routed'));
my $expected = 'SELECT x.id AS a, y.id AS b, (x.h <@> y.h)::int AS distance FROM whole x JOIN whole y ON x.h <@> y.h <= 3 AND x.id < y.id';
my $pairs = recipe('pairs');
my $found = answer("SELECT a, b, distance::int FROM ($pairs) AS p ORDER BY a, b");
is($found, answer("SELECT * FROM ($expected) AS p ORDER BY a, b"), 'all pairs over the shards');
cmp_ok(scalar(split /\n/, $found), '>', 200, 'there are pairs');
sub groups_of { return "SELECT g.* FROM (SELECT array_agg(a) AS a, array_agg(b) AS b FROM ($_[0]) AS p) AS p, simhash_pair_groups(p.a, p.b) AS g ORDER BY 1" }
is(answer(groups_of($pairs)), answer(groups_of($expected)), 'and groups');

answer(recipe('batch'));
is(answer('SELECT a, b, distance FROM (' . recipe('pairs by id') . ') AS p ORDER BY a, b'), $found, 'all pairs by id');

# bit(n), whose rows have the fingerprint in their first bits.
answer(q{CREATE TABLE wide (id bigint PRIMARY KEY, s bit(128)); SELECT create_distributed_table('wide', 'id', shard_count => 4);
    CREATE INDEX wide_s ON wide USING simhash (s);
    CREATE TABLE whole_wide AS SELECT id, h::bigint::bit(64) || repeat('01', 32)::bit(64) AS s FROM whole WHERE h IS NOT NULL; INSERT INTO wide TABLE whole_wide});
my $s = "'" . answer('SELECT s FROM whole_wide WHERE id = 77') . "'::bit(128)";
for my $query ("SELECT id FROM %s WHERE s <@> $s <= 20 ORDER BY id", "SELECT s <@> $s FROM %s ORDER BY s <@> $s LIMIT 10",
    "SELECT count(*) FROM %s WHERE minhash_at_least(s, $s, 0.7)")
{
    is(answer($query =~ s/%s/wide/r), answer($query =~ s/%s/whole_wide/r), $query);
}

# Routing is safe to repeat.
answer((split /;\s*/, recipe('routed'))[-1]);
is(answer("SELECT a, b, distance::int FROM ($pairs) AS p ORDER BY a, b"), $found, 'all pairs, routed twice');

# The coordinator has an index of the same name, without rows.
for my $reader ("simhash_pair_sample('page_h', 'h::text', 3)", "simhash_index_stats('page_h')",
    "simhash_index_check('page_h')", "simhash_index_trace('page_h', simhash_ball('0123456789abcdef', 3))")
{
    my (undef, undef, $error) = $coordinator->psql('postgres', "SELECT * FROM $reader");
    like($error, qr/ERROR: .*"page".*HINT: .*run_command_on_shards/s, "$reader raises an error that names the way");
}

# A worker is added, and shards move to it while rows are written and searched, with the defaults. Each row has a number of its
# own, so rows stay equal on both sides.
answer(<<'SQL');
CREATE SEQUENCE written START 100001;
CREATE TABLE writing AS SELECT n, flipped(fingerprint(n % 2000), n, (n % 3)::int) AS h FROM generate_series(100001, 140000) AS n;
ALTER TABLE writing ADD PRIMARY KEY (n);
ALTER TABLE whole ADD PRIMARY KEY (id);
SQL
my $run = start_pgbench($coordinator, 600, 1,
    write => { weight => 1, sql => <<'SQL' }, search => { weight => 1, sql => "SELECT count(*) FROM page WHERE h <@> $q <= 3;\n" });
SELECT nextval('written') AS n \gset
SELECT h FROM writing WHERE n = :n \gset
BEGIN;
INSERT INTO page VALUES (:n, 'written', ':h');
INSERT INTO whole VALUES (:n, 'written', ':h');
END;
SQL
$coordinator->poll_query_until('postgres', "SELECT last_value > 100020 FROM written");
answer("SELECT citus_add_node('127.0.0.1', " . $nodes[3]->port . ')');
my $before = answer('SELECT last_value FROM written');
answer("SELECT rebalance_table_shards('$_')") for 'page', 'routed';
cmp_ok(answer('SELECT last_value FROM written'), '>', $before, 'rows were written meanwhile');
$run->{handle}->signal('INT');
my ($ended, $log) = stop_pgbench($run);
unlike($log, qr/ERROR|aborted/, 'no session has failed');
my $placed = "SELECT count(DISTINCT logicalrelid) FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid) WHERE logicalrelid IN ('page'::regclass, 'routed'::regclass)
    AND nodeport = " . $nodes[3]->port;
is(answer($placed), '2', 'the new worker has shards of both tables');
shards_agree('after rebalancing');
answers_equal('SELECT a.id, p.id FROM query a JOIN %s p ON p.h <@> a.h <= 4 ORDER BY 1, 2');
is(answer("SELECT a, b, distance::int FROM ($pairs) AS p ORDER BY a, b"), $found, 'all pairs after rebalancing');

# The answer and the error of a statement that may fail.
sub attempt
{
    my ($query) = @_;
    my (undef, $out, $err) = $coordinator->psql('postgres', $query);
    return ($out, $err);
}

# A lost worker, and a frozen one.
my $search = "SELECT id FROM page WHERE h <@> $q <= 20 ORDER BY id";
my $postmaster = (split /\n/, slurp_file($nodes[2]->data_dir . '/postmaster.pid'))[0];
for my $lost ('lost', 'frozen') {
    if ($lost eq 'lost') { $nodes[2]->stop('immediate') }
    else                 { kill 'STOP', $postmaster }
    for my $query ($search, $pairs) {
        my ($out, $err) = attempt($query);
        is($out, '', "no rows without the $lost worker");
        like($err, qr/ERROR:/, "an error: the worker is $lost");
        note($err);
    }
    if ($lost eq 'lost') {
        $nodes[2]->start;
        $postmaster = (split /\n/, slurp_file($nodes[2]->data_dir . '/postmaster.pid'))[0];
    }
    else { kill 'CONT', $postmaster }
    is(answer($search), answer($search =~ s/page/whole/r), "the $lost worker is back");
}
is(answer("SELECT a, b, distance::int FROM ($pairs) AS p ORDER BY a, b"), $found, 'all pairs at the end');
done_testing();
