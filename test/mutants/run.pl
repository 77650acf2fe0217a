#!/usr/bin/env perl
# Breaks the code in the ways that test/mutants/list describes, one at a time, and runs the tests that should notice.
#
#   make mutants                           all mutations
#   make mutants ONLY="unit"               those of a stage, or several: ONLY="unit regress"
#   make mutants ONLY="leaf_scalar"        some, by name
#   make mutants ONLY="leaf_scalar..cut"   from one name to another, in the order of the list
#   test/mutants/run.pl --control [ONLY]   the tests of these mutations with the unbroken code: they have to pass
#   test/mutants/run.pl --check            only whether each mutation can still be made; `make test` runs this
#   test/mutants/run.pl --report           the results so far
#
# MUTANTS names the working directory: a copy of the checkout, its builds, the logs and the results. Only what a mutation
# changes is compiled again. Results are kept there until the sources or tests change, so a run that was interrupted
# continues. The exit status is 0 if no mutation survived and every one could be tested.
#
# An entry of the list has a name and a file, one or more lines that name tests, a reason, and the text before and after:
#
#   name src/file.cpp
#   test unit LeafMatch*                   a filter of GoogleTest
#   test tap 009 012                       a stage of test/run.sh and what the names of its tests contain
#   test layers above                      tools/layers.pl, and a word of the fault that it finds
#   why Rows would be lost.
#   -text that occurs in the file once, of one or more lines
#   +the text that replaces it; without such lines it is deleted
#
# A line "equivalent reason" in place of the tests says why no test can notice.
use strict;
use warnings;

use Cwd qw(abs_path);
use Digest::SHA qw(sha256_hex);
use File::Basename;
use File::Path qw(make_path remove_tree);

my $top = abs_path(dirname(__FILE__) . '/../..');
my $work = $ENV{MUTANTS} || ($ENV{TMPDIR} || '/tmp') . '/simhash.mutants';
my ($tree, $log_directory, $results_file) = ("$work/tree", "$work/log", "$work/results");
my %directory_of = (
    regress => 'test/sql',
    isolation => 'test/isolation/specs',
    pgtap => 'test/pgtap',
    tap => 'test/t',
    failpoints => 'test/failpoints/t');
my $unit_limit = 120;    # seconds
my $child;               # the command that runs

sub slurp
{
    my ($file) = @_;
    open my $in, '<:raw', $file or die "cannot read $file: $!\n";
    local $/;
    return <$in> // '';
}

sub spew
{
    my ($file, $text) = @_;
    make_path(dirname($file));
    open my $out, '>:raw', $file or die "cannot write $file: $!\n";
    print $out $text;
    close $out or die "cannot write $file: $!\n";
}

# -- the list -------------------------------------------------------------------------------------------------

sub read_list
{
    my ($file) = @_;
    my @list;
    for my $entry (split /\n\n+/, slurp($file) =~ s/^#.*\n//mgr)
    {
        my %mutation = (tests => [], before => [], after => []);
        for (split /\n/, $entry)
        {
            if (/^-(.*)/) { push @{ $mutation{before} }, $1; }
            elsif (/^\+(.*)/) { push @{ $mutation{after} }, $1; }
            elsif (/^test (\S+) (.+)/) { push @{ $mutation{tests} }, [ $1, $2 ]; }
            elsif (/^(why|equivalent) (.+)/) { $mutation{$1} = $2; }
            elsif (/^(\w+) (\S+)$/) { @mutation{qw(name file)} = ($1, $2); }
            elsif (/\S/) { die "$file: cannot read '$_'\n"; }
        }
        next unless $mutation{name};
        $mutation{$_} = join "\n", @{ $mutation{$_} } for qw(before after);
        $mutation{text} = $entry;
        push @list, \%mutation;
    }
    return @list;
}

# Returns what keeps a mutation from being made, or nothing.
sub fault_of
{
    my ($mutation) = @_;
    return "$mutation->{file} does not exist" unless -f "$top/$mutation->{file}";
    my $count = () = slurp("$top/$mutation->{file}") =~ /\Q$mutation->{before}\E/g;
    return "its text occurs $count times in $mutation->{file}" if $count != 1 || $mutation->{before} eq '';
    return 'it changes nothing' if $mutation->{before} eq $mutation->{after};
    return 'it has no reason' unless $mutation->{why};
    return 'it has no test' unless @{ $mutation->{tests} } || $mutation->{equivalent};
    for (@{ $mutation->{tests} })
    {
        my ($stage, $names) = @$_;
        next if $stage eq 'unit' || $stage eq 'layers';
        my $directory = $directory_of{$stage} or return "there is no stage $stage";
        for my $name (split ' ', $names)
        {
            my @found = glob "$top/{,compat/}$directory/*$name*";
            return "no test of $stage is called $name" unless @found;
        }
    }
    return;
}

sub check_list
{
    my (%seen, $bad);
    for my $mutation (@_)
    {
        my $fault = $seen{ $mutation->{name} }++ ? 'there are two of that name' : fault_of($mutation);
        next unless $fault;
        print "$mutation->{name}: $fault\n";
        $bad = 1;
    }
    return !$bad;
}

# The mutations that the arguments ask for.
sub select_from
{
    my ($list, @words) = @_;
    return @$list unless @words;
    my %number = map { $list->[$_]{name} => $_ } 0 .. $#$list;
    my %chosen;
    for my $word (@words)
    {
        if ($word eq 'unit' || $word eq 'layers' || $directory_of{$word})
        {
            for my $i (0 .. $#$list)
            {
                $chosen{$i} = 1 if grep { $_->[0] eq $word } @{ $list->[$i]{tests} };
            }
            next;
        }
        my ($first, $last) = split /\.\./, $word, 2;
        $last = $first unless defined $last;
        defined $number{$_} or die "No mutation or stage is called '$_'.\n" for $first, $last;
        $chosen{$_} = 1 for $number{$first} .. $number{$last};
    }
    return map { $list->[$_] } sort { $a <=> $b } keys %chosen;
}

# -- the working directory ------------------------------------------------------------------------------------

# Digests of what the results of unit tests, and those of other tests, depend on. Brings the copy up to date if `copy` says
# so; files that have not changed keep their times, so that their objects are used again.
sub read_checkout
{
    my ($copy) = @_;
    my %file = map { $_ => 1 } grep { -f "$top/$_" } split /\0/,
      qx(git -C '$top' ls-files -z --cached --others --exclude-standard);
    die "The checkout's files cannot be listed.\n" unless %file;
    my ($of_unit, $of_others) = (Digest::SHA->new(256), Digest::SHA->new(256));
    for my $name (sort keys %file)
    {
        my $text = slurp("$top/$name");
        if ($copy && (!-f "$tree/$name" || slurp("$tree/$name") ne $text))
        {
            spew("$tree/$name", $text);
            chmod((stat "$top/$name")[2] & 0777, "$tree/$name");
        }
        $of_unit->add($name, "\0", $text) if $name =~ m{^(src/core|compat/src/profiles|(compat/)?test/unit|(compat/)?test/fuzz)/};
        $of_others->add($name, "\0", $text)
          if $name =~ m{^(compat/)?(src|sql|expected|test)/} && $name !~ m{^(compat/)?test/(mutants|unit|fuzz)/};
    }
    for my $name ($copy ? split /\n/, qx(cd '$tree' && find src sql expected test compat -type f) : ())
    {
        unlink "$tree/$name" unless $file{$name};
    }
    return ($of_unit->hexdigest, $of_others->hexdigest);
}

# Returns the exit status of a command, whose output goes to the log; 124 if it took too long.
sub run
{
    my ($log, %option) = @_;
    open my $out, '>>', $log or die "cannot write $log: $!\n";
    defined($child = fork) or die "cannot fork: $!\n";
    if (!$child)
    {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>&', $out;
        open STDERR, '>&', $out;
        %ENV = (%ENV, %{ $option{environment} || {} });
        chdir($option{directory} || $tree) or die;
        exec @{ $option{command} } or die;
    }
    waitpid $child, 0;
    $child = undef;
    die "interrupted\n" if $? & 127;
    return $? >> 8;
}

sub processors { return qx(nproc) =~ /(\d+)/ ? $1 : 1; }

# The builds, by stage. Those of a server are made as test/run.sh makes them, which then finds nothing to do.
sub build
{
    my ($stage, $log) = @_;
    my @make = ('make', '-s', '-j' . processors());
    if ($stage eq 'unit')
    {
        make_path("$work/unit");
        return run($log, command => [ @make, '-C', "$work/unit", '-f', "$tree/test/unit/Makefile" ]) == 0;
    }
    my $pg_config = qx(bash -c 'TOP=$tree; . "\$TOP/tools/postgresql.sh"; find_postgresql; echo "\$PG_CONFIG"');
    chomp $pg_config;
    for ([ 'build', '' ], [ 'build/compat', '/compat' ], $stage eq 'failpoints' ? [ 'build-failpoints', '', 'FAILPOINTS=1' ] : ())
    {
        my ($name, $directory, @flags) = @$_;
        make_path("$work/$name");
        run($log,
            command => [
                @make, '-C', "$work/$name", '-f', "$tree$directory/Makefile", "PG_CONFIG=$pg_config", 'COPT=-Werror', @flags, 'all' ])
          == 0 or return 0;
    }
    return 1;
}

# Runs tests. Returns a result and the tests that failed.
sub test
{
    my ($stage, $names, $log) = @_;
    return ('does not compile', '') unless build($stage, $log);
    if ($stage eq 'unit')
    {
        my $filter = join ':', split ' ', $names;
        my $status = run($log, environment => { UNIT_BUILD => "$work/unit" },
            command => [ 'timeout', $unit_limit, 'test/unit/run.sh', "--gtest_filter=$filter" ]);
        my $text = slurp($log);
        return ('killed', 'takes too long') if $status == 124;
        return ('not run', 'no such test') unless $text =~ /Running [1-9]\d* tests? /;
        return ('survived', '') if $status == 0;
        my %failed = map { $_ => 1 } $text =~ /^\[  FAILED  \] ([\w\/]+\.[\w\/]+)/mg;
        my @last = $text =~ /^\[ RUN      \] (\S+)/mg;
        %failed = ($last[-1] => 1) unless %failed;
        return ('killed', join ' ', sort keys %failed);
    }
    if ($stage eq 'layers')
    {
        return ('survived', '') if run($log, command => [ 'tools/layers.pl', '.', "$work/build" ]) == 0;
        return slurp($log) =~ /\b\Q$names\E\b/ ? ('killed', $names) : ('not run', '');
    }
    run($log, environment => { ONLY => $stage, TESTS => $names, BUILD_DIRECTORY => "$work/build" },
        command => ['test/run.sh']);
    my $text = slurp($log);
    return ('not run', '') unless $text =~ /^(\d+) passed, (\d+) failed, \d+ skipped\n*\z/m;
    return ('survived', '') if $2 == 0 && $1 > 1;
    my ($list) = $text =~ /^Failed:\n((?:    .*\n)+)\n\d+ passed/m;
    my %failed = map { $_ => 1 } ($list // '') =~ /^    (?:$stage: *)?(.+)$/mg;
    return ('not run', join ', ', sort keys %failed) if !%failed || grep { /^build/ } keys %failed;
    return ('killed', join ', ', map { s/.*\/|\.pl$//gr } sort keys %failed);
}

# Makes a mutation, runs its tests until one fails, and unmakes it.
sub try_mutation
{
    my ($mutation, $log) = @_;
    my $file = "$tree/$mutation->{file}";
    my $text = slurp($file);
    my ($result, $failed);
    local $SIG{INT} = local $SIG{TERM} = sub {
        if ($child) { kill TERM => $child; waitpid $child, 0; }
        spew($file, $text);
        exit 130;
    };
    my $broken = $text =~ s/\Q$mutation->{before}\E/$mutation->{after}/r;
    spew($file, $broken);
    for (@{ $mutation->{tests} })
    {
        ($result, $failed) = eval { test(@$_, $log) };
        my $error = $@;
        if ($error) { spew($file, $text); die $error; }
        $failed = "$_->[0]: $failed" if $failed;
        last if $result ne 'survived';
    }
    spew($file, $text);
    return ($result, $failed);
}

# -- results --------------------------------------------------------------------------------------------------

# What a result depends on: the mutation, the sources and the tests.
my @digest;
sub key_of
{
    my ($mutation) = @_;
    my $unit = grep { $_->[0] eq 'unit' } @{ $mutation->{tests} };
    return substr sha256_hex($mutation->{text} . $digest[ $unit ? 0 : 1 ]), 0, 16;
}

sub read_results
{
    my %result;
    return \%result unless -f $results_file;
    for (split /\n/, slurp($results_file))
    {
        my ($name, $key, $word, $seconds, $failed) = split /\t/;
        $result{"$name $key"} = [ $word, $seconds, $failed ];
    }
    return \%result;
}

sub add_result
{
    my (@fields) = @_;
    open my $out, '>>', $results_file or die "cannot write $results_file: $!\n";
    print $out join("\t", @fields), "\n";
    close $out;
}

sub print_line
{
    my ($name, $word, $seconds, $failed) = @_;
    my $shown = $word eq 'survived' ? 'SURVIVED' : $word;
    printf "%-28s %-16s %5s  %s\n", $name, $shown, $seconds ne '' ? "$seconds s" : '', $failed;
}

# Prints the table. Returns whether nothing survived and nothing is missing.
sub report
{
    my ($results, @list) = @_;
    my %count;
    print "\n";
    for my $mutation (@list)
    {
        my $result = $results->{"$mutation->{name} " . key_of($mutation)};
        my ($word, $seconds, $failed) =
            $mutation->{equivalent} ? ('equivalent', '', $mutation->{equivalent})
          : $result ? @$result
          : ('not run', '', '');
        print_line($mutation->{name}, $word, $seconds, $failed // '');
        $count{$word}++;
    }
    print "\n", join(', ', map { "$count{$_} $_" } sort keys %count), "\n";
    return !grep { $_ ne 'killed' && $_ ne 'equivalent' } keys %count;
}

# Runs the tests of the mutations once each, with the code as it is.
sub control
{
    my (@list) = @_;
    my (%seen, $bad);
    for (map { @{ $_->{tests} } } @list)
    {
        my ($stage, $names) = @$_;
        next if $seen{"$stage $names"}++;
        my $log = "$log_directory/control-$stage-" . ($names =~ s/\W+/_/gr) . '.log';
        unlink $log;
        my ($result, $failed) = test($stage, $names, $log);
        print_line("$stage $names", $result eq 'survived' ? 'passes' : 'FAILS', '', $failed);
        $bad = 1 if $result ne 'survived';
    }
    return !$bad;
}

$| = 1;
my @list = read_list("$top/test/mutants/list");
my %option = map { $_ => 1 } grep { /^--/ } @ARGV;
my @chosen = select_from(\@list, grep { !/^--/ } @ARGV);
/^--(check|control|report)$/ or die "There is no option $_.\n" for keys %option;

my $sound = check_list(@list);
exit($sound ? 0 : 1) if $option{'--check'} || !$sound;

@digest = read_checkout(!$option{'--report'});
exit(report(read_results(), @chosen) ? 0 : 1) if $option{'--report'};
make_path($log_directory);
chmod 0755, $work;
exit(control(@chosen) ? 0 : 1) if $option{'--control'};

my $results = read_results();
for my $mutation (@chosen)
{
    my $key = key_of($mutation);
    next if $mutation->{equivalent} || $results->{"$mutation->{name} $key"};
    my ($log, $start) = ("$log_directory/$mutation->{name}.log", time);
    unlink $log;
    my ($result, $failed) = try_mutation($mutation, $log);
    my $seconds = time - $start;
    print_line($mutation->{name}, $result, $seconds, $failed);
    add_result($mutation->{name}, $key, $result, $seconds, $failed);
    $results->{"$mutation->{name} $key"} = [ $result, $seconds, $failed ];
}
exit(report($results, @chosen) ? 0 : 1);
