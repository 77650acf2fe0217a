#!/usr/bin/env perl
# Checks the architecture: which folder of src/ may know which. The stage "layers" of make test calls this.
#
#   tools/layers.pl sources objects     the directories above src/ of the checkout and of a build
#
#   1. A file includes headers of its own folder, of those below it in the order of @levels, and of folders on its
#      own level.
#   2. The same holds for the functions and variables that its object refers to.
#   3. No folders include each other, or refer to each other, in a circle.
#   4. A header declares functions of its own folder only.
#
# Every fault names the two folders, a file and the header or symbol.
use v5.30;
use warnings;

# From the top down. A file directly in src/am is on the level of "am".
my @levels = (
    qr{^\.$},              # module.cpp
    qr{^am$},              # handler.cpp, validate.cpp
    qr{^am/(?!tree$)},
    qr{^am/tree$},
    qr{^pg/},
    qr{^core/},
);

@ARGV == 2 or die "usage: $0 sources objects\n";
my ($sources, $objects) = map { "$_/src" } @ARGV;
my @files = sort split /\n/, qx{cd '$sources' && find . -name '*.?pp' -printf '%P\\n'};
my $faults = 0;

sub fault { say "$_[0]"; $faults++ }
sub folder { return $_[0] =~ m{^(.*)/} ? $1 : '.' }

sub level
{
    my ($folder) = @_;
    for my $level (0 .. $#levels) { return $level if $folder =~ $levels[$level] }
    return;
}

defined level(folder($_)) or fault("src/$_: its folder has no place in the order of folders (tools/layers.pl)") for @files;

# -- edges: from a folder to another, with the places that make it ------------------------------------------

# check what edges: @edges are [file, folder, text].
sub check
{
    my ($kind, @edges) = @_;
    my (%places, %reach);
    for my $edge (@edges) {
        my ($from, $to) = (folder($edge->[0]), $edge->[1]);
        next if $from eq $to;
        push @{ $places{$from}{$to} }, "src/$edge->[0] $edge->[2]";
        $reach{$from}{$to} = 1;
    }
    my @folders = sort keys %{ { map { $_ => 1 } keys %reach, map { keys %$_ } values %reach } };
    for my $via (@folders) {
        for my $from (@folders) {
            next unless $reach{$from}{$via};
            $reach{$from}{$_} = 1 for keys %{ $reach{$via} // {} };
        }
    }
    for my $from (sort keys %places) {
        for my $to (sort keys %{ $places{$from} }) {
            my $why =
                (level($to) // 0) < (level($from) // 99) ? "$from must not $kind $to, which is above it"
              : $reach{$to}{$from}                      ? "$from and $to $kind each other in a circle"
              :                                           next;
            my @places = @{ $places{$from}{$to} };
            my $more = @places > 3 ? sprintf(' (and %d more)', @places - 3) : '';
            $#places = 2 if @places > 3;
            fault(join("\n    ", "$why:", @places) . $more);
        }
    }
    return;
}

# -- what files include and declare --------------------------------------------------------------------------

my (@includes, %declared, %class_folder);
for my $file (@files) {
    open my $handle, '<', "$sources/$file" or die "$file: $!\n";
    my $text = do { local $/; <$handle> };
    while ($text =~ /^\s*#\s*include\s+"([^"]+)"/mg) {
        push @includes, [ $file, folder($1), "includes $1" ] if -e "$sources/$1";
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
    -e "$objects/$object" or die "$objects/$object does not exist: build first\n";
    open my $handle, '-|', 'nm', '-C', "$objects/$object" or die "nm: $!\n";
    while (<$handle>) {
        # Weak symbols are functions of headers, compiled where they are used.
        if (/^[0-9a-f]* +([TDBR]) (.*)$/) { $definer{$2} = $file }
        elsif (/^ +U (.*)$/) { push @{ $wanted{$file} }, $1 }
    }
    close $handle or die "nm failed on $objects/$object\n";
}
my @references;
for my $file (sort keys %wanted) {
    for my $symbol (@{ $wanted{$file} }) {
        my $definer = $definer{$symbol} // next;
        push @references, [ $file, folder($definer), "refers to $symbol, of src/$definer" ];
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
        fault("src/$file defines $class\::$name, of a class of src/$home") if $home ne folder($file);
    } else {
        $defined{$name}{$file} = 1;
    }
}
for my $name (sort keys %declared) {
    my @definers = sort keys %{ $defined{$name} // {} } or next;
    for my $header (sort keys %{ $declared{$name} }) {
        next if grep { folder($_) eq folder($header) } @definers;
        fault("src/$header declares $name, which src/$definers[0] defines");
    }
}

say "$faults faults" if $faults;
exit($faults ? 1 : 0);
