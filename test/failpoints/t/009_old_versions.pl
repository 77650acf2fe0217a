# The scan of an exclusion constraint has found the entry of a dead row and holds the leaf's pin. Updates of another row
# fill the leaf and remove entries from it without waiting; VACUUM, after which the row's place could be reused, waits.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => ['autovacuum = off']);
plan skip_all => 'PostgreSQL 13 does not say that an update leaves a value unchanged'
  if $node->safe_psql('postgres', 'SHOW server_version_num') < 140000;
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash;
CREATE TABLE page (id int, n int, h simhash, EXCLUDE USING simhash (h WITH ~=)) WITH (autovacuum_enabled = off);
CREATE INDEX ON page (n);
INSERT INTO page VALUES (1, 0, '00000000ffffffff'), (2, 0, 'ffffffff00000000');
SQL
sub churn { return "DO \$\$ BEGIN FOR i IN 1 .. $_[0] LOOP UPDATE page SET n = n + 1 WHERE id = 2; COMMIT; END LOOP; END \$\$" }
$node->safe_psql('postgres', 'DELETE FROM page WHERE id = 1');
# The snapshot of the waiting session keeps what dies later.
$node->safe_psql('postgres', churn(500));

my $keeper = open_session($node);
$keeper->query_safe('SELECT pg_advisory_lock(21320, 0)');
my $writer = open_session($node, on_error_stop => 0);
$writer->query_safe("LOAD 'simhash'");
$writer->query_safe("SET simhash.failpoint = 'scan-pin=wait'");
$writer->query_until(qr/inserting/, "\\echo inserting\nINSERT INTO page VALUES (3, 0, '00000000fffffffe');\n");
ok(waits($node, 'INSERT'), 'the scan waits with its pin');

my $size = "SELECT pg_relation_size('page_h_excl')";
my $before = $node->safe_psql('postgres', $size);
$node->safe_psql('postgres', churn(300));
is($node->safe_psql('postgres', $size), $before, 'updates remove entries, so that no leaf splits');
my $cleaner = open_session($node, on_error_stop => 0);
$cleaner->query_until(qr/cleaning/, "\\echo cleaning\nVACUUM page;\n");
ok(waits($node, 'VACUUM', 'BufferPin|BufferCleanup'), 'VACUUM waits for it');
$node->safe_psql('postgres', "INSERT INTO page VALUES (4, 0, '0f0f0f0f0f0f0f0f')");
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 0)');
$writer->query('SELECT 1');
is($writer->{stderr}, '', 'no false near-duplicate');
$cleaner->query('SELECT 1');
is($cleaner->{stderr}, '', 'VACUUM goes on');
is($node->safe_psql('postgres', 'SELECT string_agg(id::text, $$ $$ ORDER BY id) FROM page'), '2 3 4', 'rows');
index_is_sound($node, 'page_h_excl', 'sound');
$_->quit for $keeper, $writer, $cleaner;

# A crash between the record for standbys and the removal, and after it.
for my $action (qw(kill:2 lose:2)) {
    $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = 'old-versions=$action'; " . churn(2000));
    for (1 .. 1800) { last unless -e $node->data_dir . '/postmaster.pid'; select undef, undef, undef, 0.1 }
    $node->stop('immediate', fail_ok => 1);
    $node->start;
    index_is_sound($node, 'page_h_excl', "sound after old-versions=$action");
    $node->safe_psql('postgres', churn(2000));
    is($node->safe_psql('postgres', "SET enable_seqscan = off; SELECT id FROM page WHERE h <@> 'ffffffff00000000' <= 0"), 2, 'the row is found');
}
done_testing();
