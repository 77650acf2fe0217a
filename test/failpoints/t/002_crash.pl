# The server crashes at each failpoint, under load. After recovery the rows are as committed, and the indexes are sound
# and usable.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Ledger;
use SimhashTest;

begin_random();

# Few buffers, so that pages of all ages are on disk at the crash.
my $node = start_node('main', initdb => ['--data-checksums'],
    settings => [ "shared_buffers = '2MB'", 'restart_after_crash = on', 'bgwriter_delay = 10ms', 'autovacuum = off' ]);
prepare_database($node);
my $ledger = Ledger->create($node);

# A session that vacuums in a loop. The rows that it rolls back are dead at once, also if they fill few pages; without
# TRUNCATE off VACUUM could wait for a lock for five seconds, while the other sessions finish.
my $vacuum = 'BEGIN;' . Ledger::insertion(0, 1) . "ROLLBACK;\nVACUUM (INDEX_CLEANUP on, TRUNCATE off) page, wide, signed;\n";
my $build = "CREATE INDEX extra ON page USING simhash (h) WITH (fillfactor = 50);\nDROP INDEX extra;\n";
my @rounds = (
    [ 'insert', 'kill:500' ], [ 'insert', 'lose:700' ], [ 'insert-group', 'kill:777' ],
    [ 'split-extended', 'kill:2' ], [ 'split-downlink', 'kill:2' ], [ 'split-downlink', 'stop:3' ],
    [ 'split-downlink', 'lose:2' ],
    [ 'root-extended', 'kill:2', 'clear' ], [ 'root-grown', 'kill:1', 'clear' ], [ 'root-grown', 'stop:3', 'clear' ],
    [ 'segment-extended', 'kill:2', 'clear' ], [ 'segment-extended', 'lose:1', 'clear' ], [ 'segment-extended', 'stop:3', 'clear' ],
    [ 'store-insert', 'kill:400' ], [ 'store-insert', 'lose:600' ],
    [ 'vacuum-slots', 'kill:2', $vacuum ], [ 'vacuum-slots', 'lose:2', $vacuum ], [ 'vacuum-slots', 'stop:1', $vacuum ],
    [ 'vacuum-page', 'kill:20', $vacuum ], [ 'vacuum-again', 'kill:1', $vacuum ], [ 'vacuum-delete', 'kill:9', $vacuum ],
    [ 'build-scanned', 'kill:1', $build ], [ 'build-tree', 'stop:3', $build ], [ 'build-batch', 'kill:3', $build ],
    [ 'build-root', 'lose:2', $build ],
    [ 'list-page', 'kill:2', '', 'lists = 5' ], [ 'list-page', 'lose:3', '', 'lists = 9, trees = 0' ],
    [ 'list-page', 'stop:1', '', 'lists = 5, trees = 0' ], [ 'vacuum-slots', 'lose:2', $vacuum, 'lists = 9, trees = 0' ]);

for my $round (@rounds) {
    my ($point, $action, $more, $options) = @$round; # the options are those of the index of signed
    my $other = defined $more && $more ne 'clear' ? $more : '';
    $ledger->clear if ($more // '') eq 'clear';
    $node->safe_psql('postgres', "ALTER INDEX signed_h SET ($options); REINDEX INDEX signed_h") if defined $options;
    my $set = "SET simhash.failpoint = '$point=$action';\n";
    $ledger->start(
        transactions => 120, other => $other,
        setting => $other ? { other => $set } : { map { $_ => $set } 0 .. 2 });
    my ($broken) = $ledger->finish;
    $ledger->recover;
    cmp_ok($broken, '>', 0, "$point=$action: crashed");
    is($ledger->faults(0, 3, 6), '', "$point=$action: as committed, sound, exact");
}

# An error at each failpoint leaves the index sound for other sessions.
for my $point (qw(insert insert-group split-extended split-downlink root-extended segment-extended store-insert)) {
    $ledger->clear;
    my ($table, $value) = $point =~ /^s(egment|tore)-/ ? ('signed', 'signature(n, 300)') : ('wide', 'fingerprint(n)');
    my ($status, undef, $error) = $node->psql('postgres', <<SQL, on_error_stop => 1);
LOAD 'simhash';
SET simhash.failpoint = '$point=error:2';
INSERT INTO $table SELECT n, -1, 1, $value FROM generate_series(1, 8000) AS n
SQL
    like($error, qr/failpoint $point/, "$point=error");
    is($ledger->faults(0, 3), '', "$point=error: sound, exact");
    $ledger->start(transactions => 40);
    my ($broken, $said) = $ledger->finish;
    is($said, '', "$point=error: others go on");
    $node->safe_psql('postgres', "VACUUM $table");
    is($ledger->faults(3), '', "$point=error: sound after them");
}

done_testing();
