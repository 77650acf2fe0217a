# The free space map is not logged, and a promoted standby or a server after a crash may have an old one. VACUUM finds the
# unused pages also if it has no rows to remove, and inserts use them; so it is with free slots of a signature store.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

# Of the map nothing is logged or written between two checkpoints. With wal_log_hints and the few buffers of the tests of
# standbys some of it would be.
my $primary = start_node(
    'primary',
    streaming => 1,
    settings => [ 'autovacuum = off', 'wal_log_hints = off', 'shared_buffers = 128MB', 'bgwriter_lru_maxpages = 0', 'max_wal_size = 1GB' ]);
prepare_database($primary);
prepare_signatures($primary);
my $rows = 20000;
my %value = (page => 'fingerprint(n)', stale => 'fingerprint(n)', wide => 'signature(n, 256)::bit(256)', listed => 'signature(n % 7, 256)::bit(256)');
my @tables = sort keys %value;
my $node;

sub sql { my ($sql) = @_; return $node->safe_psql('postgres', $sql) }
sub fill
{
    my ($from, $to, @filled) = @_;
    sql("INSERT INTO $_ SELECT n, $value{$_} FROM generate_series($from, $to) AS n") for @filled;
    return;
}
sub stats { my ($table) = @_; return split /\n/, sql("SELECT value FROM simhash_index_stats('${table}_h') WHERE name IN ('pages', 'unused_pages', 'segments') ORDER BY name = 'segments', name") }

# Whether VACUUM walks through the index of a table.
sub walks
{
    my ($table) = @_;
    my (undef, undef, $debug) = $node->psql('postgres', "SET client_min_messages = debug2; VACUUM $table");
    return $debug =~ /vacuum of index "${table}_h"/ ? 1 : 0;
}

# Few rows are left, and no VACUUM has rows to remove. Inserts of as many as before do not make an index grow.
sub uses_all
{
    my ($name) = @_;
    my %before = map { $_ => [ stats($_) ] } @tables;
    is(join(' ', map { walks($_) } @tables), '1 1 1 1', "$name: VACUUM walks");
    is(join(' ', map { walks($_) } @tables), '0 0 0 0', "$name: once");
    fill(300001, 300000 + 0.8 * $rows, @tables);
    for my $table (@tables)
    {
        my ($pages, $unused, $segments) = stats($table);
        cmp_ok($pages, '<=', $before{$table}[0], "$name: $table does not grow");
        cmp_ok($unused, '<', $before{$table}[1] / 2, "$name: inserts use its pages");
        is($segments, $before{$table}[2], "$name: and its slots") if $segments ne '';
        index_is_sound($node, "${table}_h", "$name: sound");
    }
    return;
}

$node = $primary;
sql('CREATE TABLE page (id bigint, h simhash); CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 2);
    CREATE TABLE stale (id bigint, h simhash); CREATE INDEX stale_h ON stale USING simhash (h) WITH (trees = 2);
    CREATE TABLE wide (id bigint, h bit(256)); CREATE INDEX wide_h ON wide USING simhash (h) WITH (trees = 4);
    CREATE TABLE listed (id bigint, h bit(256))');
sql("INSERT INTO listed SELECT n, $value{listed} FROM generate_series(1, 700) AS n;
    CREATE INDEX listed_h ON listed USING simhash (h) WITH (trees = 4, lists = 7)");
fill(1, $rows, @tables);
# The standby begins with a map of other unused pages than those that there will be in the end, for one table of more pages,
# and without free slots.
sub remove { my ($table, $which) = @_; return sql("DELETE FROM $table WHERE $which; VACUUM (INDEX_CLEANUP ON) $table") }
remove($_, $_ eq 'stale' ? 'id > 1000' : "id > 0.3 * $rows") for @tables;
fill(100001, 100000 + $rows, qw(wide listed));
sql('CHECKPOINT');
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
fill(100001, 100000 + $rows, qw(page stale));
walks($_) for @tables;
is(join(' ', map { walks($_) } @tables), '0 0 0 0', 'VACUUM does not walk if nothing is missing');
sql('CHECKPOINT');
remove($_, $_ eq 'stale' ? 'id % 10 < 8' : 'id > 1000') for @tables;
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));

$standby->promote;
$primary->stop('immediate');
$primary->start;
uses_all('after a crash');
$node = $standby;
uses_all('after a promotion');
done_testing();
