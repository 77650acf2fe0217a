# old_snapshot_threshold (before 17): a snapshot older than what VACUUM has removed must fail and not lose rows.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $version = `pg_config --version`;
plan skip_all => 'no old_snapshot_threshold' if $version =~ /PostgreSQL (\d+)/ && $1 >= 17;

my $node = start_node('main', settings => [ 'old_snapshot_threshold = 0', 'autovacuum = off' ]);
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash;
CREATE TABLE page AS SELECT n AS id, ('x' || left(md5(n::text), 16))::bit(64)::bigint::simhash AS h FROM generate_series(1, 5000) n;
CREATE INDEX page_h ON page USING simhash (h);
SQL
my $h = $node->safe_psql('postgres', 'SELECT h FROM page WHERE id = 42');

my $reader = $node->background_psql('postgres', on_error_stop => 0);
$reader->query_safe('SET enable_seqscan = off');
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
# Some versions leave a newline after an answer.
like($reader->query_safe("SELECT id FROM page WHERE h <@> '$h' <= 0"), qr/^42$/, 'the row is there');
$node->safe_psql('postgres', 'DELETE FROM page WHERE id = 42');
$node->safe_psql('postgres', 'SELECT txid_current()') for 1 .. 3;
$node->safe_psql('postgres', 'VACUUM page');
my $answer = $reader->query("SELECT id FROM page WHERE h <@> '$h' <= 0");
ok($answer =~ /^42$/ || $reader->{stderr} =~ /snapshot too old/, 'it is not lost silently');
$reader->quit;
done_testing();
