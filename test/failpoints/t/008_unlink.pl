# VACUUM deletes pages, and splits use them again, while others hold old links to them: copies of inner pages, located
# leaves, the place where a scan has stopped, a leaf that an insert is about to lock. Nobody misses a row or finds one
# twice. A crash or an error at each point leaves the index sound.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => [ 'autovacuum = off', 'restart_after_crash = on' ]);
prepare_database($node);

# drifting(n, g): the n-th fingerprint of generation g, near the center of the generation in all tables.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION drifting(n bigint, g int) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT (fingerprint(-1000 - g)::bigint # (fingerprint(n)::bigint & fingerprint(n + 1000000)::bigint & fingerprint(n + 2000000)::bigint))::simhash $$;
SQL

sub session
{
    my $session = session_at($node, $_[0]);
    $session->query_safe('SET enable_seqscan = off; SET enable_bitmapscan = off');
    return $session;
}

sub sql { return $node->safe_psql('postgres', $_[0]) }
sub stats { return sql("SELECT value FROM simhash_index_stats('page_h') WHERE name = '$_[0]'") }

# Generation 0, and some rows of generation 1 and NULLs between which the others will be deleted.
sub fill_table
{
    sql(<<'SQL');
DROP TABLE IF EXISTS page;
CREATE TABLE page (id bigint, h simhash) WITH (autovacuum_enabled = off);
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 4);
INSERT INTO page SELECT n, CASE WHEN n % 5 = 0 THEN NULL ELSE drifting(n, 0) END FROM generate_series(1, 30000) AS n;
INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(30001, 32000) AS n;
SQL
    return;
}
my $delete = 'DELETE FROM page WHERE id <= 30000 AND id % 700 <> 0';
# Into all tables, so that pages become pages of other tables and levels, and into the ranges of the deleted ones.
my $refill = 'INSERT INTO page SELECT n, CASE WHEN n % 3 = 0 THEN NULL WHEN n % 2 = 0 THEN drifting(n, 2) ELSE drifting(n, 0) END
    FROM generate_series(40001, 60000) AS n';
my $all = "SELECT count(*), sum(id), count(DISTINCT id) FROM page WHERE h <@> '0123456789abcdef' <= 64";
my $nulls = 'SELECT count(*), sum(id), count(DISTINCT id) FROM page WHERE h IS NULL';
my $expected = "SELECT count(*), sum(id), count(DISTINCT id) FROM page WHERE ";
sub sound
{
    my ($name) = @_;
    index_is_sound($node, 'page_h', "$name: sound");
    is(sql("SET enable_seqscan = off; SET enable_bitmapscan = off; $all"), sql("SET enable_indexscan = off; SET enable_bitmapscan = off; $expected h IS NOT NULL"), "$name: all rows");
    answers_agree($node, 'page', "$name: answers", 3, 8);
    return;
}

# Old copies of inner pages.
fill_table();
my $reader = session();
my $writer = session();
$_->query_safe($all) for $reader, $writer;
my $leaves = stats('leaf_pages');
sql($delete);
sql('VACUUM page');
cmp_ok(stats('leaf_pages'), '<', $leaves / 2, 'VACUUM deletes leaves');
my $unused = stats('unused_pages');
cmp_ok($unused, '>', $leaves / 2, 'and keeps their pages');
sound('deleted');
my $pages = stats('pages');
sql($refill);
cmp_ok(stats('unused_pages'), '<', $unused / 2, 'splits use them');
is(stats('pages'), $pages, 'and the index does not grow');
for ([ 'IS NOT NULL', $all ], [ 'IS NULL', $nulls ]) {
    my ($rows, $query) = @$_;
    is($reader->query_safe($query), sql("SET enable_indexscan = off; SET enable_bitmapscan = off; $expected h $rows"), "a reader with old copies, $rows");
}
$writer->query_safe('INSERT INTO page SELECT n, CASE WHEN n % 9 > 0 THEN drifting(n, n % 3) END FROM generate_series(60001, 62000) AS n');
is($writer->{stderr}, '', 'a writer with old copies');
sound('written with old copies');
$_->quit for $reader, $writer;

# A session that stops at a point while VACUUM deletes pages and others use them.
my $keeper = open_session($node);
for (
    [ 'scan-leaf=wait:1', $all, 'IS NOT NULL' ], [ 'scan-leaf=wait:4', $all, 'IS NOT NULL' ],
    [ 'scan-leaf=wait:40', $all, 'IS NOT NULL' ], [ 'scan-leaf=wait:3', $nulls, 'IS NULL' ])
{
    my ($setting, $query, $rows) = @$_;
    fill_table();
    sql($delete);
    my $answer = sql("SET enable_indexscan = off; SET enable_bitmapscan = off; $expected h $rows");
    $keeper->query_safe('SELECT pg_advisory_lock(21320, 0)');
    my $scan = session($setting);
    $scan->query_until(qr/reading/, "\\echo reading\nCREATE TEMP TABLE found (rows, sum, ids) AS $query;\n");
    ok(waits($node, 'CREATE TEMP'), "$setting: the scan waits");
    sql('VACUUM page');
    cmp_ok(stats('unused_pages'), '>', 20, "$setting: pages are deleted meanwhile");
    sql($refill);
    $keeper->query_safe('SELECT pg_advisory_unlock(21320, 0)');
    is($scan->query('TABLE found'), $answer, "$setting: the rows of its snapshot, each once");
    $scan->quit;
}
for my $setting ('insert-group=wait:1', 'leaf-found=wait:1', 'leaf-found=wait:2')
{
    fill_table();
    sql($delete);
    $keeper->query_safe('SELECT pg_advisory_lock(21320, 0)');
    my $insert = session();
    $insert->query_safe($all);
    $insert->query_safe("SET simhash.failpoint = '$setting'");
    $insert->query_until(qr/inserting/, "\\echo inserting\nINSERT INTO page SELECT n, drifting(n, 0) FROM generate_series(70001, 73000) AS n;\n");
    ok(waits($node, 'INSERT'), "$setting: the insert waits");
    sql("VACUUM page");
    sql($refill);
    $keeper->query_safe('SELECT pg_advisory_unlock(21320, 0)');
    $insert->query('SELECT 1');
    is($insert->{stderr}, '', "$setting: the insert goes on");
    $insert->quit;
    sound($setting);
}

# An insert has located leaves that are deleted then, and pins them before it locks one. Splits leave these pages alone:
# the insert could wait for a page that comes before those it has locked.
fill_table();
sql($delete);
$keeper->query_safe('SELECT pg_advisory_lock(21320, 0), pg_advisory_lock(21320, 1)');
my $from = -s $node->logfile;
my $insert = session('leaf-found=wait:1, leaf-pinned=hold:1');
$insert->query_until(qr/inserting/, "\\echo inserting\nINSERT INTO page SELECT n, drifting(n, 0) FROM generate_series(70001, 70010) AS n;\n");
ok(waits($node, 'INSERT'), 'an insert has located leaves');
sql('VACUUM page');
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 0)');
ok($node->poll_query_until('postgres', "SELECT pg_read_file('" . $node->logfile . "', $from, 1000000, true) ~ 'failpoint leaf-pinned'"),
    'and pinned them');
for (1 .. 10) {
    sql($refill);
    last if stats('unused_pages') <= 4;
}
cmp_ok(stats('unused_pages'), '<=', 4, 'splits use the others');
cmp_ok(stats('unused_pages'), '>=', 1, 'but not these');
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 1)');
$insert->query('SELECT 1');
is($insert->{stderr}, '', 'the insert goes on');
$insert->quit;
sound('pinned pages');

# A scan of an exclusion constraint holds the pin of a sparse leaf, which stays until the next VACUUM.
sub sparse_leaves
{
    my ($pinned) = @_;
    sql(<<'SQL');
DROP TABLE IF EXISTS apart;
CREATE TABLE apart (id bigint, h simhash, EXCLUDE USING simhash (h WITH ~=)) WITH (autovacuum_enabled = off);
INSERT INTO apart SELECT n, fingerprint(n) FROM generate_series(1, 6000) AS n;
DELETE FROM apart WHERE id % 100 <> 0;
SQL
    $keeper->query_safe('SELECT pg_advisory_lock(21320, 0), pg_advisory_lock(21320, 1)');
    my $from = -s $node->logfile;
    my ($cleaner, $scan) = (session('unlink-found=hold:1'), session('scan-pin=wait:1'));
    $cleaner->query_until(qr/cleaning/, "\\echo cleaning\nVACUUM apart;\n");
    $node->poll_query_until('postgres', "SELECT pg_read_file('" . $node->logfile . "', $from, 1000000, true) ~ 'failpoint unlink-found'");
    if ($pinned) {
        $scan->query_until(qr/scanning/, "\\echo scanning\nINSERT INTO apart VALUES (0, fingerprint(3000));\n");
        ok(waits($node, 'INSERT'), 'the scan waits with its pin');
    }
    $keeper->query_safe('SELECT pg_advisory_unlock(21320, 1)');
    # It may not have removed the entries of that leaf yet. Then it waits, as that of a btree does.
    my $vacuum;
    do { $vacuum = sql("SELECT max(coalesce(wait_event, 'runs')) FROM pg_stat_activity WHERE query ~ '^VACUUM apart' AND state = 'active'") } while $vacuum ne '' && $vacuum ne 'BufferPin';
    if ($vacuum eq 'BufferPin') {
        $keeper->query_safe('SELECT pg_advisory_unlock_all()');
        $_->query('SELECT 1'), $_->quit for $scan, $cleaner;
        return sparse_leaves($pinned);
    }
    $cleaner->query('SELECT 1');
    my $leaves = sql("SELECT value FROM simhash_index_stats('apart_h_excl') WHERE name = 'leaf_pages'");
    $keeper->query_safe('SELECT pg_advisory_unlock_all()');
    $scan->query('SELECT 1');
    is($cleaner->{stderr}, '', 'VACUUM does not wait for it');
    like($scan->{stderr}, qr/conflicting key value/, 'the scan finds the row') if $pinned;
    $_->quit for $scan, $cleaner;
    index_is_sound($node, 'apart_h_excl', 'sound');
    return $leaves;
}
cmp_ok(sparse_leaves(1), '>', sparse_leaves(0), 'a leaf that a scan has pinned is not deleted');

# VACUUM stops between each pair of locks, while readers and writers go on as far as they can.
for ([ 'unlink-found', 'wait' ], [ 'unlink-page', 'hold' ], [ 'unlink-right', 'hold' ], [ 'unlink-parent', 'hold' ], [ 'unlink-log', 'hold' ], [ 'unlink-done', 'wait' ])
{
    my ($point, $action) = @$_;
    for my $nth (1, 30)
    {
        fill_table();
        sql($delete);
        $keeper->query_safe('SELECT pg_advisory_lock(21320, ' . ($action eq 'hold' ? 1 : 0) . ')');
        my $from = -s $node->logfile;
        my $cleaner = session("$point=$action:$nth");
        my ($scan, $insert) = (session(), session());
        $_->query_safe($all) for $scan, $insert;
        $cleaner->query_until(qr/cleaning/, "\\echo cleaning\nVACUUM page;\n");
        if ($action eq 'wait') {
            waits($node, 'VACUUM');
        } else {
            $node->poll_query_until('postgres', "SELECT pg_read_file('" . $node->logfile . "', $from, 1000000, true) ~ 'failpoint $point'");
        }
        $insert->query_until(qr/inserting/, "\\echo inserting\nINSERT INTO page SELECT n, CASE WHEN n % 3 > 0 THEN drifting(n, 0) END FROM generate_series(70001, 73000) AS n;\n");
        my $answer = sql("SET enable_indexscan = off; SET enable_bitmapscan = off; $expected h IS NOT NULL AND id <= 32000");
        $scan->query_until(qr/reading/, "\\echo reading\nCREATE TEMP TABLE found (rows, sum, ids) AS $all AND id <= 32000;\n");
        select undef, undef, undef, 0.2;
        $keeper->query_safe('SELECT pg_advisory_unlock_all()');
        is($scan->query('TABLE found'), $answer, "$point:$nth: a scan");
        $insert->query('SELECT 1');
        $cleaner->query('SELECT 1');
        is(join('', map { $_->{stderr} } $insert, $cleaner), '', "$point:$nth: an insert and VACUUM");
        $_->quit for $scan, $insert, $cleaner;
        index_is_sound($node, 'page_h', "$point:$nth: sound");
    }
}
$keeper->quit;

# A crash and an error at each point.
for my $point (qw(unlink-found unlink-page unlink-right unlink-parent unlink-log unlink-done unused-found))
{
    for my $action ('error:2', 'kill:2', 'lose:3', 'stop:2')
    {
        fill_table();
        sql($delete);
        sql('VACUUM page; CHECKPOINT') if $point eq 'unused-found';
        my $work = $point eq 'unused-found' ? $refill : 'VACUUM page';
        my $from = -s $node->logfile;
        $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = '$point=$action'; $work");
        if ($action =~ /^stop/) {
            $node->stop('immediate', fail_ok => 1);
            $node->start;
        }
        my $tries = 10 * $PostgreSQL::Test::Utils::timeout_default;
        select undef, undef, undef, 0.1 until ($action =~ /^error/ || has_recovered($node, $from)) && server_answers($node) || --$tries == 0;
        cmp_ok($tries, '>', 0, "$point=$action: recovered");
        index_is_sound($node, 'page_h', "$point=$action: sound");
        sql("VACUUM page");
        sql($refill);
        sound("$point=$action, used again");
    }
}
done_testing();
