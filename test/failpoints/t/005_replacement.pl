# Copies of inner pages that replace each other all the time: the build with failpoints has room for few. Many indexes
# are searched and written in one session, and invalidated by another.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => ['autovacuum = off']);
prepare_database($node);
for my $n (1 .. 6) {
    my $tables = 1 + $n % 4;
    $node->safe_psql('postgres', <<SQL);
CREATE TABLE page_$n (id bigint, h simhash);
INSERT INTO page_$n SELECT n, fingerprint(n) FROM generate_series(1, 60000) AS n WHERE n % $n = 0;
CREATE INDEX page_${n}_h ON page_$n USING simhash (h) WITH (trees = $tables, fillfactor = 50);
ANALYZE page_$n;
SQL
}
my $session = open_session($node);
my $wrong = 0;
for my $round (1 .. 6) {
    for my $n (1 .. 6) {
        $wrong += $session->query_safe("SELECT differing_answers('page_$n', $_)") for 1, 3;
        my $from = 100000 * $round;
        $session->query_safe("INSERT INTO page_$n SELECT n, fingerprint(n) FROM generate_series($from, $from + 2000) AS n");
    }
    $node->safe_psql('postgres', "REINDEX INDEX page_${round}_h");
    $session->query_safe('TRUNCATE page_1; INSERT INTO page_1 SELECT n, fingerprint(n) FROM generate_series(1, 30000) AS n') if $round == 4;
}
is($wrong, 0, 'answers');
my ($version) = `pg_config --version` =~ /(\d+)/;
SKIP: {
    skip 'no pg_backend_memory_contexts', 2 if $version < 14;
    my $used = $session->query_safe(
        q{SELECT used_bytes FROM pg_backend_memory_contexts WHERE name = 'simhash inner pages'});
    cmp_ok($used, '>', 8_000, 'there are copies');
    cmp_ok($used, '<', 16 * 1024 + 4_000, 'within the limit, but for the table of them');
}
$session->quit;
index_is_sound($node, "page_${_}_h", "index $_: sound") for 1 .. 6;
done_testing();
