# A backend's copies of inner pages: planning needs none, searching and inserting make them as they need them, and an
# index that is invalidated or dropped gives them back.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my ($version) = `pg_config --version` =~ /(\d+)/;
plan skip_all => 'no pg_backend_memory_contexts' if $version < 14;

my $node = start_node('main', settings => [ 'autovacuum = off', 'max_locks_per_transaction = 500' ]);
prepare_database($node);
my $partitions = 300;
$node->safe_psql('postgres', <<SQL);
CREATE TABLE page (id bigint, h simhash) PARTITION BY HASH (id);
SELECT format('CREATE TABLE page_%s PARTITION OF page FOR VALUES WITH (MODULUS $partitions, REMAINDER %s)', n, n)
    FROM generate_series(0, $partitions - 1) AS n \\gexec
INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(1, 60000) AS n;
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 20);
CREATE TABLE one (id bigint, h simhash);
INSERT INTO one SELECT n, fingerprint(n) FROM generate_series(1, 60000) AS n;
CREATE INDEX one_h ON one USING simhash (h);
CREATE TABLE other (LIKE one);
ANALYZE;
SQL

my $session = open_session($node);
$session->query_safe('SET enable_seqscan = off');
sub bytes
{
    my ($name) = @_;
    return 0 + $session->query_safe("SELECT coalesce(sum(used_bytes), 0) FROM pg_backend_memory_contexts WHERE name = '$name'");
}
my $inner = 'simhash inner pages';

$session->query_safe(q{EXPLAIN SELECT * FROM page WHERE h <@> '00000000000000ff' <= 3});
is(bytes($inner), 0, 'planning makes no copies');
# The metapage, some 20 kB of each index; the core's own caches are a third of it.
cmp_ok(bytes('index info'), '<', $partitions * 30_000, 'and takes little memory for each partition');

# Each partition has 20 roots, which are leaves: there is nothing to copy. One index of 1 MB has a few inner pages.
$session->query_safe(q{SELECT count(*) FROM page WHERE h <@> '00000000000000ff' <= 3});
cmp_ok(bytes($inner), '<', 100_000, 'searching small indexes makes none');
$session->query_safe(q{SELECT count(*) FROM one WHERE h <@> '00000000000000ff' <= 3});
my $one = bytes($inner);
cmp_ok($one, '>', 5_000, 'searching a larger one does');
cmp_ok($one, '<', 100_000, 'as many as it has inner pages');

# They go with the index, and with what was cached of it, whoever changes it.
$node->safe_psql('postgres', 'REINDEX INDEX one_h');
$session->query_safe('SELECT count(*) FROM other');
my $left = bytes($inner);
cmp_ok($left, '<', $one - 5_000, 'REINDEX takes them away');
is($session->query_safe(q{SELECT count(*) FROM one WHERE h <@> (SELECT h FROM one WHERE id = 77) <= 0}), '1', 'a search after it');
cmp_ok(bytes($inner), '>', $left, 'makes others');
$node->safe_psql('postgres', 'DROP INDEX one_h');
$session->query_safe('SELECT count(*) FROM other');
is(bytes($inner), $left, 'and so does DROP INDEX');
$session->quit;
answers_agree($node, 'page_7', 'answers of a partition', 3);
done_testing();
