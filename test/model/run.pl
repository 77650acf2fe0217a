#!/usr/bin/perl
# The models of the page protocol in the model checker Spin. pages.pml: all interleavings of two writers, VACUUM and a scan
# on three leaves; claim.pml: a page that becomes one of another tree. The intact protocol has no error in any scenario;
# broken in each of the ways that the files list, it has one. Prints TAP.
#
#   make model                 all, some minutes on one core and up to 2 GB of memory
#   make model ONLY=unlink     what has this in its name
use strict;
use warnings;
use File::Basename;
use File::Spec;
use File::Temp 'tempdir';
use Test::More;

my $here = dirname(File::Spec->rel2abs(__FILE__));
my $top = dirname(dirname($here));
my $only = $ARGV[0] // '';
plan skip_all => 'spin is not installed' if system('spin -V >/dev/null 2>&1') != 0;
my $directory = tempdir(CLEANUP => 1);

sub slurp { open my $file, '<', $_[0] or die "$_[0]: $!"; local $/; return <$file> }

# Searches the states of the model with these macros. Returns the failed assertion, or '' if there is none.
sub failure
{
    my ($model, $search, @macros) = @_;
    my $define = join ' ', map { "-D$_" } @macros;
    my $output = `cd $directory && spin $define -a $here/$model 2>&1`;
    $output .= `cd $directory && gcc -O2 -DSAFETY -DCOLLAPSE $search -o pan pan.c 2>&1 && ./pan -m100000 -w24 2>&1`;
    die "$model $define: $output" if $output !~ /errors: (\d+)/ || $output =~ /max search depth too small/;
    return '' if $1 == 0;
    return $output =~ /pan:\d+: (.*)/ ? $1 : 'an error';
}

# Which row dies, and which later; where the second writer inserts; whether the scan relies on its pins.
my @scenario = map { my ($dead, $later) = @$_; map { [ "DEAD=$dead", "LATER=$later", "WRITES=$_", 'PINS=false' ] } 3, 5, 6 }
    [ 4, 2 ], [ 7, 4 ], [ 2, 7 ];
push @scenario, [qw(DEAD=2 LATER=4 ONE_WRITER PINS=true ROUNDS=2)], [qw(DEAD=4 LATER=2 WRITES=3 PINS=false RESTARTS=8)];
for my $scenario (@scenario) {
    is(failure('pages.pml', '', @$scenario), '', "pages: @$scenario") if !$only;
}
is(failure('claim.pml', ''), '', 'claim') if !$only;

my %mutation = map { $_ => 1 } slurp("$top/test/mutants/list") =~ /^(\w+) src/mg;
my %alone = map { $_ => 1 } qw(scan_link unlocked_look look_order claim_order);    # no mutation of the code
for my $model (qw(pages.pml claim.pml)) {
    my %broken = map { $_ => 1 } slurp("$here/$model") =~ /(?:ifn?def|defined\() ?BREAK_(\w+)/g;
    for my $name (sort grep { /(?:$only)/ } keys %broken) {
        ok($mutation{$name} || $alone{$name}, "$name is a mutation");
        my @with = $model eq 'claim.pml' ? () : @{ $scenario[ $name =~ /pin/ ? 9 : $name =~ /front|length/ ? 6 : 0 ] };
        push @with, 'RESTARTS=20' if $name eq 'copy_deleted';
        # What a scan meets is found sooner by a search in breadth.
        my $failure = failure($model, $name =~ /^scan|pin/ ? '-DBFS' : '', "BREAK_$name", @with);
        isnt($failure, '', "broken: $name");
        note $failure;
    }
}
done_testing();
