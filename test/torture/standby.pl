# A streaming standby compares every page that it replays with the primary's (wal_consistency_checking) while both
# servers crash at random. After every round it gives the same answers as the primary. During a round its replay is paused
# at random, also within splits, and its index gives the answers of its own sequential scan. At the end it is
# promoted. ROUNDS, TORTURE_SECONDS, SEED as in crash.pl.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);
use Ledger;
use SimhashTest;

my $seed = begin_random();
my $rounds = $ENV{ROUNDS} || 1e9;
diag("standby: SEED=$seed");

# Every record contains an image of each of its pages, some 100 MB for 1,000 rows.
my $primary = start_node('primary', streaming => 1, initdb => ['--data-checksums'],
    settings => [ "wal_consistency_checking = 'generic'", "wal_keep_size = '2GB'", "max_wal_size = '2GB'",
        'restart_after_crash = on', "shared_buffers = '4MB'", 'autovacuum = off' ]);
prepare_database($primary, queries => 20);
my $ledger = Ledger->create($primary);
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\nhot_standby_feedback = on\n");
$standby->start;
my $end = time + ($ENV{TORTURE_SECONDS} || 40);

my @actions = qw(none none split-downlink=error:2 split-downlink=kill:2 root-grown=kill:1 insert-group=stop:90
  vacuum-delete=kill:5);
my ($number, $pauses, $middles, $crashes, $comparisons, $wrong) = (0, 0, 0, 0, 0, '');

# The errors in the standby's answers, compared with its own sequential scan.
sub standby_faults
{
    my ($status, undef, $error) = $standby->psql('postgres', join(';', map { my $differing = $_ eq 'signed' ? 'signatures' : 'answers';
        "SELECT 1 / (differing_$differing('$_', 3) = 0)::int, simhash_index_check('${_}_h')" } qw(page wide signed)), on_error_stop => 1);
    $comparisons += 60;
    return $status == 0 ? '' : "standby: $error";
}

sub caught_up
{
    my $target = $primary->lsn('insert');
    for (1 .. 600) {
        my ($status, $reached) = $standby->psql('postgres', "SELECT pg_last_wal_replay_lsn() >= '$target'");
        return 1 if $status == 0 && $reached eq 't';
        return 0 if !-e $standby->data_dir . '/postmaster.pid';
        sleep(0.1);
    }
    return 0;
}

sub content
{
    my ($node) = @_;
    return $node->safe_psql('postgres', join ';', map { "SET enable_seqscan = off; SELECT count(*), md5(string_agg(
        q.id || ':' || t.id, ' ' ORDER BY q.id, t.id)) FROM query q JOIN $_ t ON t.h <@> q.h <= 5" } qw(page wide)) .
      q{; SELECT count(*), md5(string_agg(n::text, ' ' ORDER BY n)) FROM query q, LATERAL (SELECT (t.h <@> signed(q.h)::bit(300))::text AS n
        FROM signed t ORDER BY t.h <@> signed(q.h)::bit(300) LIMIT 5) AS near};
}

while ($number < $rounds && time < $end && $wrong eq '') {
    srand($seed * 1000 + ++$number);
    my $action = $actions[ rand @actions ];
    my $other = $action =~ /vacuum/ || rand() < 0.3 ? "VACUUM page;\nVACUUM wide;\nVACUUM signed;\n" : '';
    my $set = $action eq 'none' ? '' : "SET simhash.failpoint = '$action';\n";
    $ledger->clear if rand() < 0.3 || $action =~ /root/;
    $ledger->start(transactions => 12, other => $other,
        setting => $other ? { other => $set } : { map { $_ => $set } 0 .. 2 });
    for (1 .. 3) {
        sleep(rand 0.3);
        $standby->psql('postgres', 'SELECT pg_wal_replay_pause()');
        $wrong .= standby_faults();
        $pauses++;
        $standby->psql('postgres', 'SELECT pg_wal_replay_resume()');
    }
    if (rand() < 0.25) {
        $standby->stop('immediate', fail_ok => 1);
        $standby->start;
        $crashes++;
    }
    my ($broken) = $ledger->finish;
    $ledger->recover;
    $crashes++ if $broken && $action !~ /error/;
    $wrong .= $ledger->faults(3);
    $comparisons += 60;
    if (!caught_up()) {
        $wrong .= "the standby does not replay\n" .
          join("\n", grep { /FATAL|PANIC|CONTEXT/ } split /\n/, slurp_file($standby->logfile));
        last;
    }
    # Half a split, until a writer of the next round finishes it.
    $primary->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = 'split-downlink=error:1';
        INSERT INTO page SELECT -n, -1, 1, fingerprint($number) FROM generate_series(1, 1500) AS n");
    if (!caught_up()) {
        $wrong .= "the standby does not replay half a split\n";
        last;
    }
    $middles += $standby->safe_psql('postgres', "SELECT incomplete_splits FROM simhash_index_check('page_h')") > 0;
    $wrong .= "both differ\n" if content($primary) ne content($standby);
    $wrong .= standby_faults();
    $wrong .= $ledger->wrong_rows($_, $standby) for qw(page wide signed);
    diag("round $number, $action:\n$wrong") if $wrong ne '';
}
cmp_ok($middles, '>', 0, 'also in the middle of a split');
is($wrong, '', 'the standby answers like the primary after every round, and like itself within');
if ($wrong eq '') {
    $standby->promote;
    my $promoted = $ledger->with_node($standby);
    is($promoted->faults(0, 3, 5), '', 'promoted: as committed, sound, exact');
    $promoted->start(transactions => 100);
    my (undef, $said) = $promoted->finish;
    is($said, '', 'promoted: can be written to');
    is($promoted->faults(0, 3, 5), '', 'promoted: sound after that');
}
diag("standby: SEED=$seed: $number rounds, $crashes crashes, replay paused $pauses times, half a split in " .
      "$middles rounds, $comparisons answers compared, " . ($wrong eq '' ? 'nothing lost' : 'FAULTS'));
done_testing();
