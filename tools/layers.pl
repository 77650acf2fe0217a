#!/usr/bin/env perl
# Checks the architecture: which folder of src/, and of compat/src/, may know which. The stage "layers" of make test
# calls this.
#
#   tools/layers.pl sources objects     the directories of the checkout and of a build
#   tools/layers.pl --picture           prints the picture that CONTRIBUTING.md shows
#
#   1. A file includes headers of its own folder and of folders below it in the order, not of those beside it.
#   2. The same holds for the functions and variables that its object refers to.
#   3. A header declares functions of its own folder only.
#   4. No two files have the same name, so a name says which file is meant.
#   5. Nothing in src/ knows the second extension, whose folders are called compat/... here.
#   6. CONTRIBUTING.md shows the order, and the folders of test/unit have the names of those of src/core,
#      and of compat/test/unit those of compat/src.
#
# Every fault names the folders, a file and the header or symbol.
use v5.30;
use warnings;

use File::Basename;

# All folders of src/ and compat/src/ from the top down, and what is in them. Those on one line stand side by side: they
# do not depend on each other.
my $order = <<'END';
.                                            registers settings, failpoints and the two kinds of indexes
am                                           the routine table, amvalidate
am/joins                                     plain joins by pairs or batches of searches; groups of a window's rows
am/match                                     many searches at once
am/fingerprints am/signatures                the two kinds: what depends on the values that an index stores
am/create am/pairs am/inspect am/search      CREATE INDEX | pairs, groups | statistics, checks | scans, ORDER BY
am/tree                                      pages, descents, LeafReader, inserts, splits, VACUUM
am/index                                     the metapage, the functions of a kind, options, rights, failpoints
compat/functions                             to_simhash_as, to_minhash_as
pg/report pg/planner                         simhash_report, designs, blocks | planner support
pg/texts                                     near-duplicate texts
pg/features                                  documents, features and vectors to fingerprints, signatures, sketches
pg/types                                     SQL types, casts and operators
pg/server                                    settings, differences between versions, result rows
compat/profiles                              what other libraries compute
core/page                                    the on-disk format, and what a search of signatures reads of it
core/likely                                  what is likely: PSM and VOSH, probes, step order, lists; samples
core/features                                counts and sums of features, projections, sketches
core/layout core/kernels                     designs, bit orders, plans of searches and joins | SIMD kernels
core/text                                    normalisation, shingles
core/bits                                    fingerprints, signatures, hashes, sorting, assertions
END
my @lines = map { my ($names, $what) = split /  +/; [ [ split / /, $names ], $what ] } split /\n/, $order;
my %level;
for my $number (0 .. $#lines) { $level{$_} = $number for @{ $lines[$number][0] } }

my $top = dirname(__FILE__) . '/..';
if ("@ARGV" eq '--picture') { print picture($top); exit }
@ARGV == 2 or die "usage: $0 sources objects\n";
$top = $ARGV[0];
my ($sources, $objects) = @ARGV;
# compat/x/y.cpp is compat/src/x/y.cpp; other files are in src.
my @files = sort((map { "compat/$_" } found('compat/src')), found('src'));
my $faults = 0;

sub found { return split /\n/, qx{cd '$top/$_[0]' && find . -name '*.?pp' -printf '%P\\n'} }
sub place { return $_[0] =~ m{^compat/(.*)} ? "compat/src/$1" : "src/$_[0]" }
sub fault { say "$_[0]"; $faults++; return }
sub folder { return $_[0] =~ m{^(.*)/} ? $1 : '.' }
sub slurp { open my $handle, '<', $_[0] or die "$_[0]: $!\n"; local $/; return <$handle> }

# -- the picture ----------------------------------------------------------------------------------------------

# One line for each line of the order. The parts src/am, src/pg, src/core and compat/src stand apart.
sub picture
{
    my ($directory) = @_;
    my ($picture, $last) = ('', '.');
    for (@lines) {
        my ($names, $what) = @$_;
        my ($part) = $names->[0] =~ m{^(\w*)};
        my $shown = join '  ', map { m{/(.*)} ? $1 : join ', ', sources_in("$directory/src/$_") } @$names;
        my $label = $part eq $last ? '' : place("$part/") =~ s{/+$}{}r;
        $picture .= "\n" if $label && $picture;
        $picture .= sprintf "%-11s %-37s %s\n", $label, $shown, $what;
        $last = $part;
    }
    return $picture;
}

sub sources_in { return map { basename($_, '.cpp') } sort glob "$_[0]/*.cpp" }

fault('CONTRIBUTING.md does not show what tools/layers.pl --picture prints')
  if index(slurp("$top/CONTRIBUTING.md"), "```\n" . picture($top) . "```\n") < 0;

# -- folders and names ----------------------------------------------------------------------------------------

my (%files_in, %same_name);
for my $file (@files) {
    push @{ $files_in{ folder($file) } }, $file;
    push @{ $same_name{ basename($file) } }, $file;
}
for my $folder (sort keys %files_in) {
    fault(place($folder) . " has no place in the order of folders (tools/layers.pl)") unless defined $level{$folder};
}
for my $folder (sort keys %level) {
    fault('the order of folders names ' . place($folder) . ', which has no files') unless $files_in{$folder};
}
for my $name (sort keys %same_name) {
    fault(join "\n    ", "$name is the name of several files:", @{ $same_name{$name} }) if @{ $same_name{$name} } > 1;
}
for my $tests (map { basename($_) } grep { -d } glob "$top/test/unit/*") {
    fault("test/unit/$tests has tests of no folder of src/core") unless $files_in{"core/$tests"};
}
for my $tests (map { basename($_) } grep { -d } glob "$top/compat/test/unit/*") {
    fault("compat/test/unit/$tests has tests of no folder of compat/src") unless $files_in{"compat/$tests"};
}

# -- edges: from a folder to another, with the places that make it ------------------------------------------

# check what edges: @edges are [file, folder, text].
sub check
{
    my ($kind, @edges) = @_;
    my %places;
    for my $edge (@edges) {
        my ($from, $to) = (folder($edge->[0]), $edge->[1]);
        push @{ $places{$from}{$to} }, place($edge->[0]) . " $edge->[2]" if $from ne $to;
    }
    for my $from (sort keys %places) {
        for my $to (sort keys %{ $places{$from} }) {
            my ($here, $there) = map { $level{$_} // next } $from, $to;
            my $other = $to =~ /^compat/ && $from !~ /^compat/;
            next if $there > $here && !$other;
            my @places = @{ $places{$from}{$to} };
            my $more = @places > 3 ? sprintf(' (and %d more)', @places - 3) : '';
            $#places = 2 if @places > 3;
            my $where = $other ? 'of another extension' : $there < $here ? 'above it' : 'beside it';
            fault(join("\n    ", "$from must not $kind $to, which is $where:", @places) . $more);
        }
    }
    return;
}

# -- what files include and declare --------------------------------------------------------------------------

my (@includes, %declared, %class_folder);
for my $file (@files) {
    my $text = slurp("$sources/" . place($file));
    while ($text =~ /^\s*#\s*include\s+"([^"]+)"/mg) {
        my ($name) = grep { -e "$sources/" . place($_) } $1, "compat/$1" or next;
        push @includes, [ $file, folder($name), "includes $1" ];
    }
    next unless $file =~ /\.hpp$/;
    $text =~ s{/\*.*?\*/|//[^\n]*}{}gs;
    $text =~ s/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'/""/g;
    $text =~ s/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*//mg;
    # What stands in namespaces, without the bodies of functions and classes.
    1 while $text =~ s/\b(?:inline\s+)?namespace\b[\w:\s]*\{((?:[^{}]++|(\{(?:[^{}]++|(?2))*\}))*)\}/$1/;
    $class_folder{$1} = folder($file) while $text =~ /\b(?:class|struct)\s+(\w+)[^;{}()]*\{/g;
    $text =~ s/(\{(?:[^{}]++|(?1))*\})/;/g;
    for my $statement (split /;/, $text) {
        next if $statement =~ /^\s*(?:using|typedef|static_assert|extern\s*"|friend)/;
        $declared{$1}{$file} = 1 if $statement =~ /^[^=(]*?[\w>&*]\s*[\s&*](\w+)\s*\(/;
    }
}
check('include', @includes);

# -- what objects define and refer to -------------------------------------------------------------------------

my (%definer, %wanted);
for my $object (map { s/\.cpp$/.o/r } grep { /\.cpp$/ } @files) {
    (my $file = $object) =~ s/\.o$/.cpp/;
    my $built = "$objects/" . place($object);
    -e $built or die "$built does not exist: build first\n";
    open my $handle, '-|', 'nm', '-C', $built or die "nm: $!\n";
    while (<$handle>) {
        # Weak symbols are functions of headers, compiled where they are used.
        if (/^[0-9a-f]* +([TDBR]) (.*)$/) { $definer{$2} = $file }
        elsif (/^ +U (.*)$/) { push @{ $wanted{$file} }, $1 }
    }
    close $handle or die "nm failed on $built\n";
}
my @references;
for my $file (sort keys %wanted) {
    for my $symbol (@{ $wanted{$file} }) {
        my $definer = $definer{$symbol} // next;
        push @references, [ $file, folder($definer), "refers to $symbol, of " . place($definer) ];
    }
}
check('refer to', @references);

# -- declarations ---------------------------------------------------------------------------------------------

my %defined;
for my $symbol (sort keys %definer) {
    next unless $symbol =~ /^([\w:~]+)\(/;
    my @names = split /::/, $1;
    my ($name, $class) = ($names[-1], $names[-2] // '');
    my $file = $definer{$symbol};
    if (my $home = $class_folder{$class}) {
        fault(place($file) . " defines $class\::$name, of a class of " . place($home)) if $home ne folder($file);
    } else {
        $defined{$name}{$file} = 1;
    }
}
for my $name (sort keys %declared) {
    my @definers = sort keys %{ $defined{$name} // {} } or next;
    for my $header (sort keys %{ $declared{$name} }) {
        next if grep { folder($_) eq folder($header) } @definers;
        fault(place($header) . " declares $name, which " . place($definers[0]) . ' defines');
    }
}

say "$faults faults" if $faults;
exit($faults ? 1 : 0);
