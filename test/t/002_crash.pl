# A server that is killed during inserts, splits and vacuums has a sound index after recovery.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);
use SimhashTest;

# Checkpoints are frequent, so that recovery starts during the load. Pages are not torn here, but full-page images and
# deltas alternate.
my $node = start_node('main', settings => [ 'checkpoint_timeout = 30s', 'max_wal_size = 32MB', 'autovacuum_naptime = 1s' ]);
prepare_database($node);
prepare_classes($node);
$node->safe_psql('postgres', <<'SQL');
CREATE SEQUENCE number;
CREATE TABLE page (id bigint, h simhash) WITH (autovacuum_vacuum_scale_factor = 0.01);
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE wide (id bigint, h simhash);
CREATE INDEX wide_h ON wide USING simhash (h) WITH (trees = 10);
SQL

my $insert = <<'SQL';
BEGIN;
INSERT INTO page SELECT n, CASE n % 50 WHEN 0 THEN NULL WHEN 1 THEN fingerprint(101) ELSE fingerprint(n) END
    FROM (SELECT nextval('number') AS n FROM generate_series(1, 100)) AS numbers;
INSERT INTO wide SELECT n, fingerprint(n) FROM (SELECT nextval('number') AS n FROM generate_series(1, 30)) AS numbers;
SELECT add_items(n, n + 1) FROM nextval('number') AS n;
END;
SQL
my $abort = <<'SQL';
BEGIN;
INSERT INTO page SELECT -n, fingerprint(-n) FROM generate_series(1, 100) AS n;
ROLLBACK;
SQL
my $delete = "\\set part random(0, 63)\nDELETE FROM page WHERE id % 64 = :part;\nDELETE FROM item WHERE id % 64 = :part;\n";
my $vacuum = "VACUUM page, item;\n";

my $rounds = 5;
for my $round (1 .. $rounds) {
    my $load = start_pgbench(
        $node, 60, 4,
        "insert$round" => { sql => $insert, weight => 30 },
        "abort$round" => { sql => $abort, weight => 3 },
        "delete$round" => { sql => $delete, weight => 1 },
        "vacuum$round" => { sql => $vacuum, weight => 1 });
    sleep(1 + 0.37 * $round);
    $node->safe_psql('postgres', 'CHECKPOINT') if $round % 2 == 0;
    sleep(0.5);
    $node->stop('immediate');
    my ($status) = stop_pgbench($load);
    isnt($status, 0, "round $round: killed under load");
    $node->start;
    cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM page'), '>', 1000 * $round, "round $round: has rows");
    index_is_sound($node, $_, "round $round: $_ is sound") for qw(page_h wide_h);
    answers_agree($node, $_, "round $round: answers from $_", 0, 3, 6) for qw(page wide);
    classes_agree($node, "round $round: other classes");
}

# The recovered index can be written to, vacuumed and rebuilt.
$node->safe_psql('postgres', 'INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(1, 20000) AS n');
$node->safe_psql('postgres', 'DELETE FROM page WHERE id % 2 = 0');
$node->safe_psql('postgres', 'VACUUM page');
index_is_sound($node, 'page_h', 'sound after more work');
answers_agree($node, 'page', 'answers after more work');
$node->safe_psql('postgres', 'REINDEX INDEX page_h');
index_is_sound($node, 'page_h', 'sound after REINDEX');
answers_agree($node, 'page', 'answers after REINDEX');

# A crash during CREATE INDEX leaves no index, and the next build works.
my $build = open_session($node, on_error_stop => 0);
$build->query_until(qr/building/, "\\echo building\nBEGIN; CREATE INDEX second ON page USING simhash (h); CREATE INDEX third ON item USING simhash (body); SELECT pg_sleep(60);\n");
sleep(0.4);
$node->stop('immediate');
eval { $build->quit };
$node->start;
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_class WHERE relname IN ('second', 'third')"), '0', 'no half-built index');
$node->safe_psql('postgres', 'CREATE INDEX second ON page USING simhash (h)');
index_is_sound($node, 'second', 'built again');

done_testing();
