# The recipes of doc/scale.md for Citus, on a coordinator and two workers. Skipped where Citus is not installed.
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
        "citus.node_conninfo = 'sslmode=prefer'", 'max_prepared_transactions = 50', 'fsync = off', 'autovacuum = off' ])
} qw(coordinator worker1 worker2);
my $coordinator = $nodes[0];
sub answer { return $coordinator->safe_psql('postgres', $_[0]) }
$_->safe_psql('postgres', 'CREATE EXTENSION citus') for @nodes;
answer("SELECT citus_set_coordinator_host('127.0.0.1', " . $coordinator->port . ')');
answer("SELECT citus_add_node('127.0.0.1', " . $_->port . ')') for @nodes[1, 2];

my $document = slurp_file(dirname(dirname($FindBin::RealBin)) . '/doc/scale.md');
sub recipe
{
    my ($mark) = @_;
    $document =~ /^<!-- citus: \Q$mark\E -->\n```text\n(.*?);?\s*^```$/ms or die "doc/scale.md has no recipe for Citus marked $mark";
    return $1;
}

my ($extension, @setup) = split /\n/, recipe('setup');
prepare_database($coordinator);
like($extension, qr/^CREATE EXTENSION simhash;$/, 'the recipe begins with the extension');
answer(join "\n", @setup);
is($_->safe_psql('postgres', "SELECT count(*) FROM pg_extension WHERE extname = 'simhash'"), '1', $_->name . ' has the extension') for @nodes;
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
my $expected = "SELECT least(x.id, y.id) AS a, greatest(x.id, y.id) AS b, p.distance::int
    FROM simhash_pairs('whole_h', 3) p JOIN whole x ON x.ctid = p.a JOIN whole y ON y.ctid = p.b";
my $pairs = recipe('pairs');
my $found = answer("SELECT a, b, distance::int FROM ($pairs) AS p ORDER BY a, b");
is($found, answer("SELECT * FROM ($expected) AS p ORDER BY a, b"), 'all pairs over the shards');
cmp_ok(scalar(split /\n/, $found), '>', 200, 'there are pairs');
is(answer("SELECT * FROM simhash_pair_groups(\$\$ SELECT a, b FROM ($pairs) AS p \$\$) ORDER BY 1"),
    answer("SELECT * FROM simhash_pair_groups(\$\$ SELECT a, b FROM ($expected) AS p \$\$) ORDER BY 1"), 'and groups');

# Routing is safe to repeat.
answer((split /;\s*/, recipe('routed'))[-1]);
is(answer("SELECT a, b, distance::int FROM ($pairs) AS p ORDER BY a, b"), $found, 'all pairs, routed twice');

# The coordinator has an index of the same name, without rows.
for my $reader ("simhash_pairs('page_h', 3)", "simhash_join('whole_h', 'page_h', 3)", "simhash_groups('page_h', 3)", "simhash_index_stats('page_h')",
    "simhash_index_check('page_h')", "simhash_index_probe_plan('page_h', '0123456789abcdef', 3)", "simhash_match('page_h', 'SELECT id, simhash_ball(h, 3) FROM query')")
{
    my (undef, undef, $error) = $coordinator->psql('postgres', "SELECT * FROM $reader");
    like($error, qr/ERROR: .*"page".*HINT: .*run_command_on_shards/s, "$reader raises an error that names the way");
}

# Shards that move while rows are written take their indexes along.
for my $table ('page', 'routed') {
    answer("SELECT citus_move_shard_placement(shardid, nodename, nodeport, '127.0.0.1', " . $nodes[2]->port . ")
        FROM pg_dist_shard JOIN pg_dist_shard_placement USING (shardid) WHERE logicalrelid = '$table'::regclass AND nodeport = " . $nodes[1]->port . ' LIMIT 1');
}
shards_agree('a shard that has moved');
is(answer("SELECT a, b, distance::int FROM ($pairs) AS p ORDER BY a, b"), $found, 'all pairs after the move');
done_testing();
