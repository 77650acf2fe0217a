# The index of an unlogged table is empty after a crash, as its table is, and usable; SET LOGGED and SET UNLOGGED
# preserve it; a logged one survives.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main');
prepare_database($node);
prepare_classes($node, 'UNLOGGED');
$node->safe_psql('postgres', 'SELECT add_items(1, 300)');

sub rows
{
    my ($table) = @_;
    return $node->safe_psql('postgres', "SELECT count(*) FROM $table");
}

sub fill
{
    my ($table) = @_;
    $node->safe_psql('postgres', "INSERT INTO $table SELECT n, fingerprint(n) FROM generate_series(1, 9990) AS n;
        INSERT INTO $table SELECT 10000 + n, NULL FROM generate_series(1, 10) AS n");
    return;
}

sub crash
{
    $node->stop('immediate');
    $node->start;
    return;
}

sub usable
{
    my ($table, $name) = @_;
    answers_agree($node, $table, "$name: answers");
    index_is_sound($node, "${table}_h", "$name: sound");
    return;
}

for my $table (qw(volatile kept turned grown)) {
    my $persistence = $table eq 'kept' ? '' : 'UNLOGGED';
    $node->safe_psql('postgres', "CREATE $persistence TABLE $table (id bigint, h simhash);
        CREATE INDEX ${table}_h ON $table USING simhash (h)");
    fill($table);
    usable($table, "$table, before");
}
# Also an index built on rows: its init fork is written by a different code path.
$node->safe_psql('postgres', 'CREATE UNLOGGED TABLE built (id bigint, h simhash)');
fill('built');
$node->safe_psql('postgres', 'CREATE INDEX built_h ON built USING simhash (h) WITH (trees = 7)');
usable('built', 'built, before');

$node->safe_psql('postgres', 'ALTER TABLE turned SET LOGGED');
usable('turned', 'turned logged');

# A clean stop keeps unlogged rows.
$node->restart;
is(rows('volatile'), '10000', 'clean restart: unlogged rows kept');
usable('volatile', 'clean restart');

crash();
for my $table (qw(volatile grown built)) {
    is(rows($table), '0', "crash: $table is empty");
    usable($table, "crash: empty $table");
    is($node->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM $table WHERE h IS NULL"),
        '0', "crash: $table has no NULLs");
    fill($table);
    usable($table, "crash: $table filled again");
}
is(rows('item'), '0', 'crash: other classes are empty');
$node->safe_psql('postgres', 'SELECT add_items(1, 300); ALTER TABLE item SET LOGGED');
classes_agree($node, 'crash: other classes filled again');
for my $table (qw(kept turned)) {
    is(rows($table), '10000', "crash: logged $table kept its rows");
    usable($table, "crash: logged $table");
}

# The other direction, and a round trip.
$node->safe_psql('postgres', 'ALTER TABLE kept SET UNLOGGED');
usable('kept', 'turned unlogged');
$node->safe_psql('postgres', 'ALTER TABLE grown SET LOGGED');
crash();
is(rows('kept'), '0', 'crash: rows of a table turned unlogged are gone');
fill('kept');
usable('kept', 'crash: turned unlogged, filled again');
is(rows('grown'), '10000', 'crash: rows of a table turned logged are there');
usable('grown', 'crash: turned logged');
is(rows('item'), '300', 'crash: other classes, turned logged');
classes_agree($node, 'crash: other classes, turned logged');
is($node->safe_psql('postgres', "SELECT array_to_string(reloptions, ',') FROM pg_class WHERE relname = 'built_h'"),
    'trees=7', 'options kept');

done_testing();
