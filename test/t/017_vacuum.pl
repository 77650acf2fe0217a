# VACUUM and CREATE INDEX CONCURRENTLY look up each tid once, although every tree has an entry with it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => [ 'autovacuum = off', 'min_parallel_index_scan_size = 0' ]);
prepare_database($node);
prepare_signatures($node);

# Runs a statement. Returns how many tids were looked up for each index, in the order of their names.
sub looked_up
{
    my ($sql) = @_;
    my ($status, undef, $said) = $node->psql('postgres', "SET client_min_messages = debug2;\n$sql;");
    is($status, 0, $sql) or diag($said);
    my %tids = $said =~ /vacuum of index "(\w+)" looked up (\d+) tids/g;
    return join ' ', map { "$_:$tids{$_}" } sort keys %tids;
}

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id int, h simhash) WITH (autovacuum_enabled = off);
INSERT INTO page SELECT n, CASE WHEN n % 50 = 0 THEN NULL ELSE fingerprint(n) END FROM generate_series(1, 20000) AS n;
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 6);
CREATE TABLE signed (id int, h bit(300)) WITH (autovacuum_enabled = off);
INSERT INTO signed SELECT n, CASE WHEN n % 10 = 0 THEN NULL ELSE signature(n, 300) END FROM generate_series(1, 2000) AS n;
CREATE INDEX signed_h ON signed USING simhash (h);
SQL
$node->safe_psql('postgres', 'DELETE FROM page WHERE id % 3 = 0; DELETE FROM signed WHERE id % 3 = 0');
is(looked_up('VACUUM page'), 'page_h:20000', 'every tid once');
is(looked_up('VACUUM signed'), 'signed_h:200', 'for signatures the store knows; the tree of NULLs has 200 tids');
is($node->safe_psql('postgres', "SELECT rows, nulls, partial_entries, heap_rows FROM simhash_index_check('page_h', true)"),
    '13067|267|0|13334', 'the dead entries are gone');
answers_agree($node, 'page', 'the index answers');
signatures_agree($node, 'signed', 'so does that on signatures');

# The index has the rows when the second scan of the table asks which it has.
is(looked_up('CREATE INDEX CONCURRENTLY other ON page USING simhash (h)'), 'other:13334', 'CREATE INDEX CONCURRENTLY');
index_is_sound($node, 'other', 'its index');

# Processes with a share of the memory.
$node->safe_psql('postgres', 'DELETE FROM page WHERE id % 5 = 0');
$node->safe_psql('postgres', "SET maintenance_work_mem = '1MB'; VACUUM (PARALLEL 2) page");
for my $index (qw(page_h other)) {
    is($node->safe_psql('postgres', "SELECT rows + nulls = heap_rows, partial_entries FROM simhash_index_check('$index', true)"),
        't|0', "$index after a parallel VACUUM");
}

# VACUUM VERBOSE tells how many pages it has deleted, and how many can be used again: all of them at once. A server before
# 14 does not tell the former.
$node->safe_psql('postgres', 'DROP INDEX other');
sub unused { return $node->safe_psql('postgres', "SELECT value FROM simhash_index_stats('page_h') WHERE name = 'unused_pages'") }
my $reusable = unused();
for my $kept (20, 200) {
    my ($status, undef, $said) = $node->psql('postgres', "DELETE FROM page WHERE id % $kept <> 1; VACUUM (VERBOSE, INDEX_CLEANUP ON) page");
    my $unused = unused();
    cmp_ok($unused, '>', $reusable, 'pages become empty');
    my @pages = $said =~ /index "page_h".*?(\d+) newly deleted, (\d+) currently deleted, (\d+) (?:are currently )?reusable/s;
    is("@pages", join(' ', $unused - $reusable, $unused, $unused), 'what VACUUM reports')
      if @pages || $node->safe_psql('postgres', 'SHOW server_version_num') >= 140000;
    $reusable = $unused;
}
done_testing();
