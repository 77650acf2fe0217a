# VACUUM with a memo that has no room for the whole table, and interrupted between the two visits of a group of leaves.
# In this build groups are of 16 blocks, and the memo has room for 64 blocks of the table.
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
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id int, h simhash) WITH (autovacuum_enabled = off);
INSERT INTO page SELECT n, CASE WHEN n % 50 = 0 THEN NULL ELSE fingerprint(n) END FROM generate_series(1, 60000) AS n;
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 4);
SQL

sub entries { return $node->safe_psql('postgres', "SELECT rows + nulls - heap_rows, partial_entries > 0 FROM simhash_index_check('page_h', true)") }

$node->safe_psql('postgres', 'DELETE FROM page WHERE id % 3 = 0');
my ($status, undef, $said) = $node->psql('postgres', 'SET client_min_messages = debug2; VACUUM page');
my ($asked) = $said =~ /looked up (\d+) tids/;
cmp_ok($asked, '>', 120000, 'most tids are looked up for every tree');
cmp_ok($asked, '<', 4 * 58800, 'but not all');
is(entries(), '0|f', 'the dead entries are gone');
answers_agree($node, 'page', 'the index answers');

# The interrupted VACUUM leaves dead rows in some trees. Those in which it found them are not the ones that keep them.
for my $round ([ 'vacuum-again=error:3', 4, 'failpoint' ], [ 'vacuum-again=cancel:20', 5, 'canceling' ], [ 'vacuum-page=error:30', 7, 'failpoint' ]) {
    my ($point, $every, $expected) = @$round;
    $node->safe_psql('postgres', "DELETE FROM page WHERE id % $every = 0");
    my (undef, undef, $error) = $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = '$point'; VACUUM page");
    like($error, qr/$expected/, "$point interrupts VACUUM");
    like(entries(), qr/^[1-9]\d*\|t$/, 'dead rows remain in some of the trees');
    answers_agree($node, 'page', 'and the index answers', 0, 3);
    $node->safe_psql('postgres', 'VACUUM page');
    is(entries(), '0|f', 'the next VACUUM removes them');
    $node->safe_psql('postgres', "INSERT INTO page SELECT n, fingerprint(n) FROM generate_series($every * 100000, $every * 100000 + 3000) AS n");
    answers_agree($node, 'page', 'rows that take their places are found as themselves', 0, 3);
}
done_testing();
