# old_snapshot_threshold (before 17): VACUUM removes rows that an old snapshot sees. A reader with such a snapshot returns
# them while they are there, or fails; it does not lose them.
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

# With 0, as the server's own tests use it, VACUUM removes nothing early from 14 on, and with 1min it may not before.
my $threshold = $version =~ /PostgreSQL 13/ ? '0' : '1min';
my $node = start_node('main', settings => [ "old_snapshot_threshold = $threshold", 'autovacuum = off' ]);
prepare_signatures($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id int, h simhash);
INSERT INTO page SELECT n, CASE WHEN n % 10 > 1 THEN ('x' || left(md5((n / 2)::text), 16))::bit(64)::bigint::simhash END
    FROM generate_series(1, 5000) n;
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE pruned AS TABLE page;
CREATE INDEX pruned_h ON pruned USING simhash (h);
CREATE TABLE wide (id int, h bit(256));
INSERT INTO wide SELECT n, CASE WHEN n % 10 > 1 THEN signature(n / 2, 256) END FROM generate_series(1, 20000) n;
CREATE INDEX wide_h ON wide USING simhash (h);
CREATE TABLE listed AS TABLE wide;
CREATE INDEX listed_h ON listed USING simhash (h) WITH (trees = 0, lists = 20);
ANALYZE;
SQL

# Each finds rows of 42 to 59, by other pages of an index than the one before.
my $h = $node->safe_psql('postgres', 'SELECT h FROM page WHERE id = 42');
my $g = $node->safe_psql('postgres', 'SELECT h FROM wide WHERE id = 42');
my @queries = (
    [ 'a sequential scan', 'SELECT count(*) FROM page WHERE id = 42' ],
    [ 'fingerprints', "SELECT id FROM page WHERE h <@> '$h' <= 0 ORDER BY id" ],
    [ 'the nearest fingerprints', "SELECT id FROM page ORDER BY h <@> '$h' LIMIT 2" ],
    [ 'NULLs', 'SELECT count(*) FROM (SELECT FROM page ORDER BY h <@> 1::bigint::simhash OFFSET 4000) AS far' ],
    [ 'pairs of fingerprints', "SELECT count(*) FROM page a JOIN page b ON a.h <@> b.h <= 0 AND a.ctid < b.ctid" ],
    [ 'pairs of rows that the index still has', "SELECT count(*) FROM pruned a JOIN pruned b ON a.h <@> b.h <= 0 AND a.ctid < b.ctid" ],
    [ 'matches of fingerprints', "SELECT count(*) FROM (VALUES ('$h'::simhash)) q(h) JOIN page p ON p.h <@> q.h <= 0" ],
    [ 'signatures by the trees', "SELECT id FROM wide WHERE h <@> B'$g' <= 0 ORDER BY id" ],
    [ 'signatures by the planes', "SELECT id FROM wide WHERE h <@> B'$g' <= 60 ORDER BY id" ],
    [ 'signatures by the bodies', "SELECT count(*) FROM wide WHERE h <@> B'$g' <= 200" ],
    [ 'the nearest signatures', "SELECT id FROM wide ORDER BY h <@> B'$g' LIMIT 2" ],
    [ 'likely signatures', "SELECT id FROM wide ORDER BY h <@> signature_nearest(B'$g', 0.9, 2) LIMIT 2" ],
    [ 'listed signatures', "SELECT id FROM listed ORDER BY h <@> signature_nearest(B'$g', 0.9, 2) LIMIT 2" ],
    [ 'NULLs beside signatures', "SELECT count(*) FROM (SELECT FROM wide ORDER BY h <@> B'$g' OFFSET 16000) AS far" ],
    [ 'equal signatures', "SELECT count(*) FROM wide a JOIN wide b ON a.h <@> b.h <= 0 AND a.ctid < b.ctid" ],
    [ 'near signatures', "SELECT count(*) FROM listed a JOIN listed b ON a.h <@> b.h <= 60 AND a.ctid < b.ctid" ]);

my $reader = open_session($node, on_error_stop => 0);
$reader->query_safe('SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off');
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');
# Some versions leave a newline after an answer.
my @expected = map { $reader->query_safe($_->[1]) =~ s/\n+$//r } @queries;

# VACUUM goes by the snapshots of whole minutes, and removes what was dead before the first one of the last minute.
$node->safe_psql('postgres', "DELETE FROM $_ WHERE id BETWEEN 40 AND 60") for qw(page pruned wide listed);
for (1 .. 2)
{
    my $minute = int(time / 60);
    sleep 1 while int(time / 60) == $minute;
    $node->safe_psql('postgres', 'SELECT txid_current()');
}
$node->safe_psql('postgres', 'VACUUM (INDEX_CLEANUP OFF) pruned');
$node->safe_psql('postgres', "VACUUM (INDEX_CLEANUP ON) $_") for qw(page wide listed);

$reader->query_safe('SAVEPOINT before');
for my $i (0 .. $#queries)
{
    my ($name, $query) = @{ $queries[$i] };
    $reader->{stderr} = '';
    my $answer = $reader->query($query) =~ s/\n+$//r;
    my $error = $reader->{stderr};
    $reader->query('ROLLBACK TO before');
    if ($i == 0) { like($error, qr/snapshot too old/, "VACUUM has removed rows that $name sees"); }
    elsif ($error =~ /snapshot too old/) { pass("$name: an error"); }
    else { is($answer, $expected[$i], "$name: no row is lost") or diag($error); }
}
$reader->quit;
done_testing();
