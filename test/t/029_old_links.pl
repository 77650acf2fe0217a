# A cursor knows where the next leaves are, and its session has copies of the inner pages. Meanwhile VACUUM deletes pages, and
# splits use them again. The cursor returns the rows of its snapshot, each once.
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

sub sql { return $node->safe_psql('postgres', $_[0]) }
sub stats { return sql("SELECT value FROM simhash_index_stats('page_h') WHERE name = '$_[0]'") }

# Rows whose h is NULL, so that the index has them in the order of the table: about 812 in each leaf.
sub fill_table
{
    my ($rows, $text, $fillfactor) = @_;
    sql(<<SQL);
DROP TABLE IF EXISTS page;
CREATE TABLE page (id bigint, text text, h simhash);
INSERT INTO page SELECT n, $text FROM generate_series(1, $rows) AS n;
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 2, fillfactor = $fillfactor);
SQL
    return;
}

# Begins to read, calls `change`, and reads the rest.
sub read_meanwhile
{
    my ($name, $change) = @_;
    my $session = open_session($node, on_error_stop => 0);
    my $expected = sql('SELECT id FROM page WHERE h IS NULL ORDER BY id');
    $session->query_safe('SET enable_seqscan = off; SET enable_bitmapscan = off; BEGIN');
    $session->query_safe('SELECT count(*) FROM page WHERE h IS NULL'); # the session then knows how each leaf was
    $session->query_safe('DECLARE rows CURSOR FOR SELECT id FROM page WHERE h IS NULL');
    my $first = $session->query_safe('FETCH 1 FROM rows');
    $change->();
    my @found = sort { $a <=> $b } split /\n/, $first . "\n" . $session->query('FETCH ALL FROM rows');
    is($session->{stderr}, '', "$name: no error");
    ok(join("\n", @found) eq $expected, "$name: each row once") or diag(scalar(@found) . ' rows');
    $session->quit;
    index_is_sound($node, 'page_h', "$name: sound");
    return;
}

# The third leaf is united with the fourth, which is then divided twice. First the upper part gets the old page of the
# third leaf. Then that part is divided within the range that the third leaf had. The page now begins later than it did.
fill_table(6500, "repeat('-', 180)", 90);
sql('DELETE FROM page WHERE id BETWEEN 2437 AND 3248 AND id % 4 <> 0');
sql('VACUUM page');
sql("INSERT INTO page SELECT 10000 + n, repeat('-', 180), fingerprint(n) FROM generate_series(1, 700) AS n");
sql('DELETE FROM page WHERE id BETWEEN 1625 AND 2436 AND id % 10 <> 0');
my $leaves = stats('leaf_pages');
read_meanwhile('a page that begins later', sub {
    sql('VACUUM page');
    is(stats('unused_pages'), 1, 'VACUUM deletes a leaf');
    sql('INSERT INTO page SELECT 20000 + n FROM generate_series(1, 3000) AS n');
    is(stats('unused_pages'), 0, 'a split uses its page');
    cmp_ok(stats('leaf_pages'), '>', $leaves + 1, 'and there are more splits');
});

# The tree has three inner pages below its root. Each has one leaf left. VACUUM unites the inner pages, and leaves.
# The copy of the root leads to inner pages that are deleted.
fill_table(350000, 'NULL', 60);
sql('DELETE FROM page WHERE id % 1000 <> 0');
sql('VACUUM page');
is(stats('height'), 3, 'the tree has two levels of inner pages');
my $inner = stats('inner_pages');
$leaves = stats('leaf_pages');
read_meanwhile('deleted inner pages', sub {
    sql('BEGIN; INSERT INTO page VALUES (0); ROLLBACK'); # a dead row that no snapshot sees
    sql('VACUUM (INDEX_CLEANUP on) page');
    is(stats('inner_pages'), $inner - 2, 'VACUUM deletes inner pages');
    cmp_ok(stats('leaf_pages'), '<', $leaves, 'and leaves');
});
done_testing();
