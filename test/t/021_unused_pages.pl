# VACUUM finds all-zero pages left behind by a crash, and splits use them; a page with incoming links that damage turned
# to zeros is not mistaken for one.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => ['autovacuum = off']);
prepare_database($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id bigint, h simhash);
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 2);
INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(1, 5000) AS n;
SQL

my $path = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('page_h')");
my $page_size = $node->safe_psql('postgres', 'SHOW block_size');

sub change_file
{
    my ($change) = @_;
    $node->stop;
    open my $file, '+<:raw', $path or die "$path: $!";
    $change->($file);
    close $file;
    $node->start;
    return;
}

sub stats
{
    my ($column) = @_;
    return $node->safe_psql('postgres', "SELECT value FROM simhash_index_stats('page_h') WHERE name = '$column'");
}

change_file(sub { my ($file) = @_; seek $file, 0, 2; print $file "\0" x (5 * $page_size) });
my $pages = stats('pages');
is(stats('unused_pages'), 5, 'five unused pages');
is($node->safe_psql('postgres', "SELECT unused_pages FROM simhash_index_check('page_h', true)"), 5, 'the check counts them');
$node->safe_psql('postgres', 'DELETE FROM page WHERE id % 10 = 0; VACUUM page');
is(stats('unused_pages'), 5, 'VACUUM leaves them');
my $from = 10001;
for (; $from < 20000 && stats('unused_pages') == 5; $from += 200)
{
    my $to = $from + 199;
    $node->safe_psql('postgres', "INSERT INTO page SELECT n, fingerprint(n) FROM generate_series($from, $to) AS n");
}
my $left = stats('unused_pages');
cmp_ok($left, '<', 5, 'splits use them');
is(stats('pages'), $pages, 'and so the index does not grow') if $left > 0;
$node->safe_psql('postgres', 'INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(20001, 26000) AS n');
is(stats('unused_pages'), 0, 'all of them');
cmp_ok(stats('pages'), '>', $pages, 'then it grows');
index_is_sound($node, 'page_h', 'sound');
answers_agree($node, 'page', 'answers');

# The use of unused pages is replayed.
$node->stop('immediate');
$node->start;
index_is_sound($node, 'page_h', 'sound after a crash');
answers_agree($node, 'page', 'answers after a crash');

# A leaf becomes zeros on disk. (Block 4 is the first after the roots.)
change_file(sub { my ($file) = @_; seek $file, 4 * $page_size, 0; print $file "\0" x $page_size });
my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nDELETE FROM page WHERE id % 7 = 0; VACUUM page");
like($error, qr/XX002: index "page_h" is corrupted at block \d+\n.*all zeros/, 'VACUUM notices a lost page');
is($node->safe_psql('postgres', 'SELECT count(*) FROM page WHERE id % 7 = 0'), 0, 'the rows are deleted');
(undef, undef, $error) = $node->psql('postgres', "SELECT simhash_index_check('page_h')");
like($error, qr/corrupted at block 4/, 'and so does the check');
$node->safe_psql('postgres', 'REINDEX INDEX page_h');
$node->safe_psql('postgres', 'VACUUM page');
index_is_sound($node, 'page_h', 'sound after REINDEX');

done_testing();
