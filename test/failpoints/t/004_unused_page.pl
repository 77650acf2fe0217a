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

# Splits that fail take deleted pages from their tree, until there are no more and one adds a page. VACUUM looks for links to
# that one in all pages.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pg_freespacemap;
CREATE TABLE other (id bigint, h simhash) WITH (autovacuum_enabled = off);
CREATE INDEX other_h ON other USING simhash (h) WITH (trees = 1, design_radius = 1);
INSERT INTO other SELECT n, (n << 40)::simhash FROM generate_series(1, 4000) AS n;
DELETE FROM other WHERE id BETWEEN 1000 AND 2200;
VACUUM other;
SQL
my $free = "SELECT count(*) FROM pg_freespace('other_h') WHERE avail > 0";
my $deleted = $node->safe_psql('postgres', $free);
cmp_ok($deleted, '>', 0, 'deleted pages');
for (0 .. $deleted)
{
    (undef, undef, $error) = $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = 'split-extended=error';
        INSERT INTO other SELECT n, (n << 40)::simhash FROM generate_series(5000, 9000) AS n");
    like($error, qr/failpoint split-extended/, 'a split fails');
}
is($node->safe_psql('postgres', $free), 0, 'all deleted pages were taken');
is($node->safe_psql('postgres', 'VACUUM other; SELECT 1'), 1, 'VACUUM reads them');
is($node->safe_psql('postgres', $free), $deleted + 1, 'and finds them and the added page');
index_is_sound($node, 'other_h', 'sound after failed splits');
$node->safe_psql('postgres', 'INSERT INTO other SELECT n, (n << 40)::simhash FROM generate_series(5000, 9000) AS n');
index_is_sound($node, 'other_h', 'sound after splits that use them');
done_testing();
