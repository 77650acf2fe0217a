# A streaming standby compares every page that it replays with the primary's image (wal_consistency_checking), and
# gives the same answers as the primary after every kind of change.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);
use SimhashTest;

# Every record then contains an image of each of its pages: 1,000 rows take some 100 MB.
my $primary = start_node('primary', streaming => 1,
    settings => [ "wal_consistency_checking = 'generic'", "wal_keep_size = '4GB'" ]);
prepare_database($primary);
prepare_classes($primary);
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# The answers of a node in one line: within 3, within 8, and the distances of the nearest rows.
sub answers
{
    my ($node, $table) = @_;
    return $node->safe_psql('postgres', <<SQL);
SET enable_seqscan = off;
SELECT md5(string_agg(q.id || ':' || t.id, ' ' ORDER BY q.id, t.id)) FROM query q JOIN $table t ON t.h <@> q.h <= 3;
SELECT md5(string_agg(q.id || ':' || t.id, ' ' ORDER BY q.id, t.id)) FROM query q JOIN $table t ON t.h <@> q.h <= 8;
SELECT md5(string_agg(q.id || ':' || n.distance, ' ' ORDER BY q.id, n.distance)) FROM query q,
    LATERAL (SELECT t.h <@> q.h AS distance FROM $table t ORDER BY t.h <@> q.h LIMIT 5) AS n;
SQL
}

# Whether the standby catches up with the primary. It does not if it stops at the first page that differs.
sub caught_up
{
    my $target = $primary->lsn('insert');
    for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
        my ($status, $reached) = $standby->psql('postgres', "SELECT pg_last_wal_replay_lsn() >= '$target'");
        return $status == 0 if $status != 0 || $reached eq 't';
        sleep(0.1);
    }
    return 0;
}

# Default options, and one with another design and NULLs.
my %table = (page => '', odd => 'WITH (trees = 6, fillfactor = 60)');
my @rounds = (
    [ 'build on rows' => 'INSERT INTO %1$s SELECT n, fingerprint(n) FROM generate_series(1, 2000) n;
        CREATE INDEX %1$s_h ON %1$s USING simhash (h) %2$s' ],
    [ 'insert' => 'INSERT INTO %1$s SELECT n, fingerprint(n) FROM generate_series(2001, 5000) n' ],
    [ 'insert near-duplicates' => 'INSERT INTO %1$s SELECT 20000 + n, flipped(fingerprint(n %% 50 * 100 + 1), n, n %% 5)
        FROM generate_series(1, 600) n' ],
    [ 'insert NULLs' => 'INSERT INTO %1$s SELECT 30000 + n, NULL FROM generate_series(1, 500) n' ],
    [ 'insert equals' => 'INSERT INTO %1$s SELECT 40000 + n, fingerprint(101) FROM generate_series(1, 900) n' ],
    [ 'delete' => 'DELETE FROM %1$s WHERE id %% 3 = 0' ],
    [ 'vacuum' => 'VACUUM %1$s' ],
    [ 'update' => 'UPDATE %1$s SET h = flipped(h, id, 1) WHERE id %% 5 = 0' ],
    [ 'insert after vacuum' => 'INSERT INTO %1$s SELECT 50000 + n, fingerprint(n) FROM generate_series(1, 1500) n' ],
    [ 'aborted insert' => 'BEGIN; INSERT INTO %1$s SELECT 60000 + n, fingerprint(n) FROM generate_series(1, 1000) n;
        ROLLBACK' ],
    [ 'vacuum again' => 'VACUUM %1$s' ],
    [ 'reindex' => 'REINDEX INDEX %1$s_h' ],
    [ 'delete all' => 'DELETE FROM %1$s WHERE id < 50000' ],
    [ 'vacuum all' => 'VACUUM %1$s' ],
    [ 'insert again' => 'INSERT INTO %1$s SELECT 70000 + n, fingerprint(n) FROM generate_series(1, 1000) n' ]);

for my $table (sort keys %table) {
    $primary->safe_psql('postgres', "CREATE TABLE $table (id bigint, h simhash)");
    for my $round (@rounds) {
        my ($name, $sql) = @$round;
        $primary->safe_psql('postgres', sprintf($sql, $table, $table{$table}));
        if (!caught_up()) {
            fail("$table, $name: the standby replays");
            diag(join "\n", grep { /FATAL|PANIC|CONTEXT/ } split /\n/, slurp_file($standby->logfile));
            $standby->stop('immediate', fail_ok => 1);
            done_testing();
            exit;
        }
        answers_agree($primary, $table, "$table, $name: primary");
        answers_agree($standby, $table, "$table, $name: standby");
        is(answers($standby, $table), answers($primary, $table), "$table, $name: both alike");
    }
    index_is_sound($primary, "${table}_h", "$table: sound at the end");
    my $nulls = "SET enable_seqscan = off; SELECT count(*) FROM $table WHERE h IS NULL";
    is($standby->safe_psql('postgres', $nulls), $primary->safe_psql('postgres', $nulls), "$table: NULLs alike");
}

# The other operator classes.
$primary->safe_psql('postgres', 'SELECT add_items(1, 400); REINDEX TABLE item; DELETE FROM item WHERE id % 3 = 0; VACUUM item; SELECT add_items(401, 600)');
ok(caught_up(), 'other classes: the standby replays');
classes_agree($standby, 'other classes: standby');

# A session on the standby learns of neighbors that ANALYZE measures, also if the transaction is rolled back.
my $join = 'EXPLAIN SELECT FROM near AS a, near AS b WHERE a.h <@> b.h <= 3 AND a.id < b.id';
my $expected = sub { $_[0] =~ /rows=(\d+)/ ? $1 : -1 };
$primary->safe_psql('postgres', <<'SQL');
CREATE TABLE near (id bigint, h simhash);
INSERT INTO near SELECT n, fingerprint(n) FROM generate_series(1, 1000) n;
CREATE INDEX near_h ON near USING simhash (h);
ANALYZE near;
SQL
ok(caught_up(), 'neighbors: the standby replays');
my $reader = open_session($standby);
cmp_ok($expected->($reader->query_safe($join)), '<', 50, 'neighbors: none on the standby');
$primary->safe_psql('postgres', 'BEGIN; INSERT INTO near SELECT n, fingerprint(n % 10) FROM generate_series(1, 1000) n; ANALYZE near; ROLLBACK');
ok(caught_up(), 'neighbors: the standby replays more');
cmp_ok($expected->($reader->query_safe($join)), '>', 5000, 'neighbors: many on the standby');
$reader->quit;

# The standby is promoted: its copy is writable.
$standby->promote;
$standby->safe_psql('postgres', 'INSERT INTO page SELECT 80000 + n, fingerprint(n) FROM generate_series(1, 2000) n');
answers_agree($standby, 'page', 'promoted standby');
index_is_sound($standby, 'page_h', 'promoted standby: sound');
$standby->safe_psql('postgres', 'SELECT add_items(601, 800)');
classes_agree($standby, 'promoted standby: other classes');

done_testing();
