# Crash rounds at random and chosen points, for ROUNDS rounds or TORTURE_SECONDS. After each one the rows must be as
# acknowledged to the clients, the indexes sound and complete, and the answers those of a sequential scan; the next round
# continues with the recovered data. SEED repeats a run's choices.
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
my @kinds = split / /, $ENV{KINDS} || 'failpoint failpoint failpoint kill stop torn tall';
diag("crash: SEED=$seed");

# Few buffers and a busy background writer, so that pages of all ages are on disk at the crash. Only rounds request
# checkpoints, so that recovery can repair every torn page.
my $node = start_node('crash', initdb => ['--data-checksums'],
    settings => [ "shared_buffers = '2MB'", 'restart_after_crash = on', 'bgwriter_delay = 10ms', 'autovacuum = off',
        "checkpoint_timeout = '1h'", "max_wal_size = '4GB'", 'log_min_messages = log' ]);
prepare_database($node, queries => 20);
my $ledger = Ledger->create($node);
my $end = time + ($ENV{TORTURE_SECONDS} || 60);
is($node->safe_psql('postgres', 'SHOW data_checksums'), 'on', 'checksums are on');

my %other = (
    vacuum => "VACUUM page;\nVACUUM wide;\nVACUUM signed;\n",
    build => "CREATE INDEX extra ON page USING simhash (h) WITH (fillfactor = 50);\nDROP INDEX extra;\n",
    spill => "SET maintenance_work_mem = '1MB';\n" .
      "CREATE INDEX extra ON wide USING simhash (h) WITH (trees = 6);\nDROP INDEX extra;\n",
    concurrently => "CREATE INDEX CONCURRENTLY extra ON page USING simhash (h);\nDROP INDEX extra;\n",
    reindex => "REINDEX INDEX CONCURRENTLY wide_h;\nREINDEX INDEX CONCURRENTLY signed_h;\n",
    checkpoint => "CHECKPOINT;\nSELECT pg_sleep(0.05);\n");
# Failpoints that a session reaches often enough, and about how often it does in a round.
my %point = (
    insert => [ 3000, '' ], 'insert-group' => [ 6000, '' ], 'leaf-found' => [ 20000, '' ],
    'split-extended' => [ 10, '' ], 'split-downlink' => [ 10, '' ], 'split-done' => [ 10, '' ],
    'root-extended' => [ 4, 'clear' ], 'root-grown' => [ 4, 'clear' ],
    'segment-extended' => [ 5, '' ], 'store-insert' => [ 800, '' ], 'vacuum-slots' => [ 6, 'vacuum' ],
    'vacuum-page' => [ 60, 'vacuum' ], 'vacuum-delete' => [ 30, 'vacuum' ],
    'build-scanned' => [ 3, 'build' ], 'build-tree' => [ 8, 'spill' ], 'build-batch' => [ 8, 'concurrently' ],
    'build-root' => [ 8, 'reindex' ]);

sub pick { return $_[ int rand @_ ] }

# The files of the tables and their indexes, as they are on disk.
sub files
{
    my $files = $node->safe_psql('postgres',
        "SELECT pg_relation_filepath(c) FROM unnest('{page,page_h,wide,wide_h,signed,signed_h}'::regclass[]) AS c");
    return map { $node->data_dir . "/$_" } split /\n/, $files;
}

sub contents { return -e $_[0] ? slurp_file($_[0]) : '' }

# Tears every other page that was written since: some sectors old, some new. Returns how many.
sub tear
{
    my (%old) = @_;
    my $torn = 0;
    for my $file (sort keys %old) {
        my $new = contents($file);
        for (my $at = 0; $at < length $new; $at += 8192) {
            my $page = substr $new, $at, 8192;
            my $before = $at < length $old{$file} ? substr($old{$file}, $at, 8192) : "\0" x 8192;
            next if $page eq $before || rand() < 0.5;
            my $cut = 512 * (1 + int rand 15);
            my $mixed = rand() < 0.5
              ? substr($page, 0, $cut) . substr($before, $cut)
              : substr($before, 0, $cut) . substr($page, $cut);
            next if $mixed eq $page;
            substr($new, $at, 8192) = $mixed;
            $torn++;
        }
        open my $handle, '>', $file or die $!;
        binmode $handle;
        print $handle $new;
        close $handle;
    }
    return $torn;
}

# Sessions whose server is killed after a while.
sub load_for_a_while
{
    my ($what) = @_;
    $ledger->start(transactions => 400, other => $other{$what});
    sleep(0.05 + rand 0.6);
    return;
}

my %round = (
    failpoint => sub {
        my $point = pick(sort keys %point);
        my ($passes, $other) = @{ $point{$point} };
        my $action = pick(qw(kill kill lose stop));
        my $nth = 1 + int rand $passes;
        my $set = "SET simhash.failpoint = '$point=$action:$nth';\n";
        if ($other eq 'clear') {
            $ledger->clear;
            $other = '';
        }
        my $runs = $other || pick('', '', sort keys %other);
        $ledger->start(
            transactions => 150, other => $runs ? $other{$runs} : '',
            setting => $other ? { other => $set } : { map { $_ => $set } 0 .. 2 });
        return "$point=$action:$nth, $runs";
    },
    kill => sub {
        my $what = pick(sort keys %other);
        load_for_a_while($what);
        # Any server process but the postmaster and the logger.
        my @victims = split /\n/, $node->safe_psql('postgres', "SELECT pid || ' ' || backend_type
            FROM pg_stat_activity WHERE pid <> pg_backend_pid() ORDER BY backend_start");
        my ($pid, $type) = split / /, pick(@victims), 2;
        kill 'KILL', $pid;
        return "kill -9 of a $type, $what";
    },
    stop => sub {
        my $what = pick(sort keys %other);
        load_for_a_while($what);
        $node->stop('immediate');
        return "immediate stop, $what";
    },
    torn => sub {
        my $what = pick(grep { $_ ne 'checkpoint' && $_ ne 'reindex' } sort keys %other);
        $node->safe_psql('postgres', 'CHECKPOINT');
        my %old = map { $_ => contents($_) } files();
        load_for_a_while($what);
        $node->stop('immediate');
        my $torn = tear(%old);
        return "immediate stop, $torn torn pages, $what";
    });

# Roots and inner pages above the parents of leaves need several hundred thousand rows, so they have their own table: 451
# leaves fill the root, 904 two inner pages.
my $tall = 0;
sub tall_round
{
    my ($size) = pick(238000, 476000);
    my $point = pick(qw(split-extended split-downlink root-extended root-grown));
    my $action = pick(qw(kill lose stop));
    my $nth = $point =~ /root/ ? 1 : 1 + int rand 150;
    my $from = 1000000 * ++$tall;
    $node->safe_psql('postgres', "DROP TABLE IF EXISTS tall; CREATE TABLE tall (id bigint, h simhash);
        INSERT INTO tall SELECT n, fingerprint(n) FROM generate_series(1, $size) AS n;
        CREATE INDEX tall_h ON tall USING simhash (h) WITH (trees = 1, fillfactor = 100)");
    $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = '$point=$action:$nth';
        INSERT INTO tall SELECT n, fingerprint(n) FROM generate_series($from, $from + 20000) AS n");
    $ledger->recover;
    my ($status, undef, $error) = $node->psql('postgres', "SELECT simhash_index_check('tall_h', true);
        INSERT INTO tall SELECT n, fingerprint(-n) FROM generate_series(1, 15000) AS n;
        SELECT simhash_index_check('tall_h', true);
        SELECT 1 / (differing_answers('tall', 3) = 0)::int; TRUNCATE tall", on_error_stop => 1);
    return ("tall: $point=$action:$nth, $size rows", $status == 0 ? '' : $error);
}

my %done = map { $_ => 0 } keys %round, 'tall';
my ($number, $crashes, $comparisons, $torn, $wrong) = (0, 0, 0, 0, '');
while ($number < $rounds && time < $end && $wrong eq '') {
    srand($seed * 1000 + ++$number);
    my $kind = pick(@kinds);
    my ($what, $broken);
    if ($kind eq 'tall') {
        next if rand() < 0.8; # it takes longer
        ($what, $wrong) = tall_round();
        $crashes++;
        $comparisons += 30;
    } else {
        $ledger->clear if rand() < 0.2;
        $what = $round{$kind}->();
        ($broken) = $ledger->finish;
        $ledger->recover;
        $torn += $1 if $what =~ /(\d+) torn/;
        $crashes++ if $broken;
        my @radii = rand() < 0.5 ? (3) : (0, 5);
        $wrong = $ledger->faults(@radii);
        $comparisons += 2 * 30 * @radii;
        # Left by a build that crashed.
        $node->safe_psql('postgres', 'DROP INDEX IF EXISTS extra, wide_h_ccnew, wide_h_ccold, signed_h_ccnew, signed_h_ccold') if $wrong eq '';
    }
    $done{$kind}++;
    note("round $number: $what");
    diag("round $number: $what\n$wrong") if $wrong ne '';
    diag("crash: $number rounds, $crashes crashes") if $number % 50 == 0;
}
is($wrong, '', 'rows as committed, indexes sound, answers exact after every crash');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pg_index WHERE NOT indisvalid'), '0', 'no invalid index is left');
cmp_ok($crashes, '>', $number / 2, 'most rounds crashed');
my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC|TRAP|page verification failed|invalid page/, 'nothing of that in the log');
diag("crash: SEED=$seed: " . join(', ', map { "$done{$_} $_" } sort keys %done) .
      "; $crashes crashes, $torn torn pages, $ledger->{committed} transactions committed, " .
      "$comparisons answers compared, " . ($wrong eq '' ? 'nothing lost' : 'FAULTS'));
done_testing();
