# The scan of an exclusion constraint has found a dead row's entry and holds the leaf's pin; VACUUM must not remove
# the entry, nor may an insert reuse the row's place, before the scan has fetched the row. Otherwise the new row, which
# is near nothing, would be taken for a near-duplicate.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => ['autovacuum = off']);
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash;
CREATE TABLE page (id int, h simhash, EXCLUDE USING simhash (h WITH ~=)) WITH (autovacuum_enabled = off);
INSERT INTO page VALUES (1, '00000000ffffffff'), (2, 'ffffffff00000000');
SQL
$node->safe_psql('postgres', 'DELETE FROM page WHERE id = 1');

my $keeper = open_session($node);
$keeper->query_safe('SELECT pg_advisory_lock(21320, 0)');
my $writer = open_session($node, on_error_stop => 0);
$writer->query_safe("LOAD 'simhash'");
$writer->query_safe("SET simhash.failpoint = 'scan-pin=wait'");
$writer->query_until(qr/inserting/, "\\echo inserting\nINSERT INTO page VALUES (3, '00000000fffffffe');\n");

ok(waits($node, 'INSERT'), 'the scan waits with its pin');

my $cleaner = open_session($node, on_error_stop => 0);
$cleaner->query_until(qr/cleaning/, "\\echo cleaning\nVACUUM page;\n");
ok(waits($node, 'VACUUM', 'BufferPin|BufferCleanup'), 'VACUUM waits for it');
# It would reuse the dead row's place if that were free.
$node->safe_psql('postgres', "INSERT INTO page VALUES (4, '0f0f0f0f0f0f0f0f')");
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 0)');
$writer->query('SELECT 1');
is($writer->{stderr}, '', 'no false near-duplicate');
$cleaner->query('SELECT 1');
is($cleaner->{stderr}, '', 'VACUUM goes on');
is($node->safe_psql('postgres', 'SELECT string_agg(id::text, $$ $$ ORDER BY id) FROM page'), '2 3 4', 'rows');
index_is_sound($node, 'page_h_excl', 'sound');
$_->quit for $keeper, $writer, $cleaner;

# No wait while a page is locked: that would be an undetected deadlock.
my (undef, undef, $error) = $node->psql('postgres',
    "LOAD 'simhash'; SET simhash.failpoint = 'insert=wait'; INSERT INTO page VALUES (5, '1111111111111111')");
like($error, qr/cannot wait here/, 'no wait under a lock');

done_testing();
