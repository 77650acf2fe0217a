# Queries made at random, over tables of every kind and with the planner's methods switched on and off, answer as the
# same queries do in integer arithmetic without indexes (GeneratedQueries.pm; in every other world ClassQueries.pm). TEST_SECONDS sets how long (15 unless
# given). A wrong answer is shown with the seed of its world: SEED=… begins with that world.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use ClassQueries;
use GeneratedQueries;
use SimhashTest;

my $kQueries = 300; # of a world
my $kMode = 12;     # queries between two changes of the settings
my $kExplained = 10;

my $node = start_node('main', initdb => ['--encoding=UTF8'], settings => [ "shared_buffers = '64MB'", 'autovacuum = off', 'fsync = off', 'max_wal_size = 4GB',
        'log_statement = none' ]);
my $version = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);
my $count = $version >= 14 ? 'bit_count(($1 # $2)::bit(64))::int' : q{length(replace(($1 # $2)::bit(64)::text, '0', ''))};
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION simhash;
CREATE ROLE regress_reader;
CREATE FUNCTION dist(bigint, bigint) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS \$\$ SELECT $count \$\$;
ALTER DATABASE postgres SET search_path = world, public;
SQL

# What psql prints for these statements, each followed by what it failed with.
sub with_errors { return join '', map { "$_;\n\\if :ERROR\n\\echo \@! :SQLSTATE :LAST_ERROR_MESSAGE\n\\endif\n" } @_ }

# The statements of one side of query number n. The answer of each of them begins with "@- n".
sub side_script
{
    my ($number, $before, $statements, $after) = @_;
    return with_errors(@{ $before // [] }) . join('', map { "\\echo \@- $number\n" . with_errors($_) } @$statements) .
        "\\echo \@.\n" . with_errors(@{ $after // [] });
}

# Runs a script. Returns the answers, [number][statement] a list of rows, and the plans; what went wrong outside of
# an answer goes with the answers of the query before.
sub run_script
{
    my ($script) = @_;
    my ($status, $out, $error) = $node->psql('postgres', "\\pset null ~\n$script\\echo \@end\n", on_error_stop => 0,
        timeout => 900);
    my (@answer, @plan, $rows);
    my $stray = [];
    for (split /\n/, $out) {
        if (/^\@- (\d+)$/) { push @{ $answer[$1] }, $rows = []; }
        elsif (/^\@E$/) { push @plan, $rows = []; }
        elsif (/^\@\.$/) { $stray = $rows; $rows = undef; }
        elsif (/^\@!/ && !defined $rows) { push @$stray, $_; }
        elsif (defined $rows) { push @$rows, $_; }
    }
    return { answer => \@answer, plan => \@plan, ended => $out =~ /^\@end$/m, error => $error };
}

# Whether the rows are the nearest ones of all, from an offset on: their distances are, and they are rows.
sub nearest
{
    my ($rows, $all, $offset, $limit) = @_;
    my @expected = @$all;
    splice @expected, 0, $offset;
    splice @expected, $limit if @expected > $limit;
    return 0 if join(',', map { s/.*\|//r } @$rows) ne join(',', map { s/.*\|//r } @expected);
    my %left;
    $left{$_}++ for @$all;
    return !grep { $left{$_}-- <= 0 } @$rows;
}

sub same
{
    my ($query, $ours, $truth) = @_;
    my $compare = $query->{compare};
    return 0 if @{ $ours // [] } != @{ $query->{ours} } || @{ $truth // [] } != @{ $query->{truth} };
    return 0 if grep { @$_ && $_->[-1] =~ /^\@!/ } @$ours, @$truth;
    return $compare->($ours, $truth) if ref $compare eq 'CODE';
    for my $i (0 .. $#$ours) {
        my ($x, $y) = ($ours->[$i], $truth->[$i]);
        if (ref $compare) { return 0 if !nearest($x, $y, @$compare); next; }
        ($x, $y) = ([ sort @$x ], [ sort @$y ]) if $compare eq 'set';
        return 0 if join("\n", @$x) ne join("\n", @$y);
    }
    return 1;
}

sub show_difference
{
    my ($seed, $world, $mode, $query, $ours, $truth) = @_;
    my $shown = sub { join "\n", map { my $rows = $_; scalar(@$rows) . ' rows: ' .
        join('  ', @$rows > 20 ? (@$rows[ 0 .. 19 ], '…') : @$rows) } @{ $_[0] // [] } };
    my %in = map { $_ => 1 } map { @$_ } @{ $ours // [] };
    my %expected = map { $_ => 1 } map { @$_ } @{ $truth // [] };
    diag(join "\n", "wrong answer to: $query->{name}; SEED=$seed; $world", 'settings: ' . join('; ', @$mode), 'query:',
        (map { "  $_;" } @{ $query->{before} // [] }, @{ $query->{ours} }, @{ $query->{after} // [] }), 'truth:',
            (map { "  $_;" } @{ $query->{truth} }),
        'answers:', $shown->($ours), 'the truth:', $shown->($truth),
        'only in the answers: ' . join('  ', (grep { !$expected{$_} } sort keys %in)[ 0 .. 9 ]) =~ s/ +$//r,
        'only in the truth: ' . join('  ', (grep { !$in{$_} } sort keys %expected)[ 0 .. 9 ]) =~ s/ +$//r);
    return;
}

my $first_seed = begin_random();
my $end = time + test_seconds();
my ($seed, $wrong, $compared, $answered, $explained, $by_index) = ($first_seed, 0, 0, 0, 0, 0);
my %asked;
while ((time < $end || $seed == $first_seed) && $wrong < 5) {
    my $made_by = $seed % 2 ? 'ClassQueries' : 'GeneratedQueries';
    my $world = $made_by->can('begin_world')->($seed, $version);
    my ($made, undef, $error) = $node->psql('postgres', join('', map { "$_;\n" } "SET client_min_messages = warning",
        $made_by->can('world_script')->()));
    if ($made != 0) {
        fail("the tables of SEED=$seed, $world: $error");
        last;
    }
    my (@query, @mode, $mode);
    my ($ours, $truth) = ('', '');
    for my $number (0 .. $kQueries - 1) {
        if ($number % $kMode == 0) {
            $mode = [ plan_mode() ];
            $ours .= with_errors(@$mode);
        }
        my $query = $made_by->can('next_query')->();
        push @query, $query;
        push @mode, $mode;
        $asked{ $query->{name} }++;
        $ours .= side_script($number, @$query{qw(before ours after)});
        $truth .= side_script($number, @$query{qw(truth_before truth truth_after)});
        $ours .= "\\echo \@E\n" . with_errors("EXPLAIN (COSTS OFF) $query->{ours}[0]") . "\\echo \@.\n"
            if $number % $kExplained == 0 && !$query->{before};
    }
    my ($found, $expected) = (run_script($ours), run_script("SET jit = off;\n$truth"));
    for my $number (0 .. $#query) {
        $compared++;
        $answered++ if grep { @$_ } @{ $expected->{answer}[$number] // [] };
        next if same($query[$number], $found->{answer}[$number], $expected->{answer}[$number]);
        show_difference($seed, $world, $mode[$number], $query[$number], $found->{answer}[$number], $expected->{answer}[$number]);
        last if ++$wrong >= 5;
    }
    if (!$found->{ended} || !$expected->{ended}) {
        fail("the session ended: SEED=$seed, $world: $found->{error} $expected->{error}");
        last;
    }
    $explained += @{ $found->{plan} };
    $by_index += grep { "@$_" =~ /Index Cond: [^)]*(<@\||~=)|Order By: / } @{ $found->{plan} };
    $seed++;
}
is($wrong, 0, 'every answer is that of integer arithmetic');
cmp_ok($compared, '>=', $kQueries, 'queries were compared') if $wrong == 0;
cmp_ok($by_index, '>', $explained / 10, 'many of them by an index') if $explained >= 100;
diag(sprintf 'queries: %d compared, %d of them with rows, of %d kinds, in %d worlds, SEED=%d to %d; %d of %d plans read a simhash index',
    $compared, $answered, scalar(keys %asked), $seed - $first_seed, $first_seed, $seed - 1, $by_index, $explained);
done_testing();
