# A split has taken an unused page out of the free space map when VACUUM comes by, notes the page as unused, and then
# finds a link to it: the split's. That is not damage.
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

sub stats { my ($column) = @_; return $node->safe_psql('postgres', "SELECT value FROM simhash_index_stats('page_h') WHERE name = '$column'") }

# Waits until the server's log says so from a place on.
sub logged
{
    my ($text, $from) = @_;
    for (1 .. 600) {
        return 1 if substr(slurp_file($node->logfile), $from) =~ /$text/;
        select undef, undef, undef, 0.1;
    }
    return 0;
}


my $keeper = open_session($node);

# Equal fingerprints are ordered by tid: only the last leaf splits.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id bigint, h simhash) WITH (autovacuum_enabled = off);
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 1);
INSERT INTO page SELECT n, '5555555555555555' FROM generate_series(1, 2000) AS n;
SQL

# A failed split leaves a page at the end, which VACUUM puts into the free space map.
my (undef, undef, $error) = $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = 'split-extended=error';
    INSERT INTO page SELECT n, '5555555555555555' FROM generate_series(2001, 4000) AS n");
like($error, qr/failpoint split-extended/, 'a split fails');
is(stats('unused_pages'), 1, 'an unused page');
my $last = stats('pages') - 1;
$node->safe_psql('postgres', 'DELETE FROM page WHERE id <= 100; VACUUM page; DELETE FROM page WHERE id <= 200');

# VACUUM stops in front of that page, having passed all leaves; a split takes it out of the map, and stops.
$keeper->query_safe('SELECT pg_advisory_lock(21320, 0), pg_advisory_lock(21320, 1)');
my $cleaner = session_at($node, "vacuum-page=wait:$last");
$cleaner->query_until(qr/cleaning/, "\\echo cleaning\nVACUUM page;\n");
ok(waits($node, 'VACUUM'), 'VACUUM waits in front of the unused page');
my $from = -s $node->logfile;
my $writer = session_at($node, 'unused-found=hold');
$writer->query_until(qr/inserting/, "\\echo inserting\nINSERT INTO page SELECT n, '5555555555555555' FROM generate_series(4001, 6000) AS n;\n");
ok(logged('failpoint unused-found', $from), 'a split has the page in hand');
# VACUUM comes by, notes the page, and has to wait for the leaf that is being split when it looks for links.
# PostgreSQL 19 has a name for each kind of lock; VACUUM wants to share this one.
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 0)');
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE query ~ '^VACUUM' AND wait_event IN ('BufferContent', 'BufferShared')"),
    'VACUUM waits for the split leaf');
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 1)');
$cleaner->query('SELECT 1');
is($cleaner->{stderr}, '', 'VACUUM does not take the page for damaged');
$writer->query('SELECT 1');
is($writer->{stderr}, '', 'the split takes it');
is(stats('unused_pages'), 0, 'it is in use');
index_is_sound($node, 'page_h', 'sound');
$node->safe_psql('postgres', "INSERT INTO page SELECT n, '5555555555555555' FROM generate_series(6001, 9000) AS n");
index_is_sound($node, 'page_h', 'sound after more splits');
$_->quit for $cleaner, $writer;
$keeper->quit;
done_testing();
