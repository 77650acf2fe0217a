# The harness that `prove` loads for test/run.sh. It knows which stage runs a file, ends a test that takes too long,
# runs the build before its tests, and prints the failures and the counts at the end.
package Stages;

use strict;
use warnings;
use base 'TAP::Harness';
use Cwd qw(abs_path);
use File::Basename;

my $here = dirname(abs_path(__FILE__));

# The tests of these directories are cases of a stage. Any other file is a stage without cases.
my @stage_of = (
    [ qr{^(?:compat/)?test/sql/} => 'regress' ],
    [ qr{^test/isolation/specs/} => 'isolation' ],
    [ qr{^test/pgtap/}           => 'pgtap' ],
    [ qr{^(?:compat/)?test/t/}   => 'tap' ],
    [ qr{^test/drivers/}         => 'drivers' ],
    [ qr{^test/failpoints/t/}    => 'failpoints' ]);

my %running;     # process ids, by test
my @failures;    # for the list at the end
my @lines;       # every test, as TAP

sub new
{
    my ($class, $arguments) = @_;
    my $self = $class->SUPER::new({ %$arguments, exec => \&command });
    $self->callback(after_test => \&ended);
    # Each test is a process group of its own.
    $SIG{$_} = sub { kill TERM => values %running; exit 130 } for qw(HUP INT TERM);
    return $self;
}

sub stage_of
{
    my ($file) = @_;
    for (@stage_of) { return $_->[1] if $file =~ $_->[0] }
    return basename($file, '.sh');
}

# Several tests run at once, in the order of the command line, but a build precedes its tests, and the server's log
# comes last. Tests of one server run in turn: a transaction in another database, too, keeps rows from being dead.
sub make_scheduler
{
    my ($self, @tests) = @_;
    my (%group, @one_server, @others, @crashes);
    for (@tests) {
        if (m{^test/stages/(build|server)\.sh$}) { push @{ $group{$1} }, $_ }
        elsif ($_ eq 'test/stages/failpoints.sh') { push @others, { seq => [ $_, { par => \@crashes } ] } }
        elsif (m{^test/failpoints/})              { push @crashes, $_ }
        elsif (stage_of($_) =~ /^(regress|isolation|pgtap)$/) { push @one_server, $_ }
        else                                      { push @others, { seq => $_ } } # a plain name would come first
    }
    unshift @others, { seq => \@one_server } if @one_server;
    $self->rules({ seq => [ @{ $group{build} // [] }, { par => \@others }, @{ $group{server} // [] } ] });
    return $self->SUPER::make_scheduler(@tests);
}

# The stage of a file, and what its case is called.
sub name_of
{
    my ($file) = @_;
    return (stage_of($file), $file =~ m{^test/stages/} ? () : basename($file) =~ s/\.\w+$//r);
}

sub command
{
    my (undef, $file) = @_;
    my $stage = stage_of($file);
    return [ 'timeout', '-k', 10, $ENV{STAGE_LIMIT}, 'bash', '-c', 'exec bash "$@" 2>"$0"',
        messages_of($file), "$here/$stage.sh", $file eq "test/stages/$stage.sh" ? () : $file ];
}

# Where the messages of a test go. They are shown when it has ended, and those of a failure at the end once more.
sub messages_of
{
    my ($file) = @_;
    return "$ENV{CLUSTER_SCRATCH}/" . $file =~ tr{/}{_}r . '.messages';
}

sub read_messages
{
    my ($file) = @_;
    open my $in, '<', messages_of($file) or return;
    my @lines = <$in>;
    close $in;
    return @lines;
}

sub show_failure
{
    my ($file) = @_;
    my @lines = read_messages($file);
    splice @lines, 30, @lines - 60, "...\n" if @lines > 60;
    print "\n---- $file\n", @lines;
    return;
}

# Notes what failed. A file may fail without a failed test: by its exit status, or by tests that it did not run.
sub ended
{
    my ($job, $parser) = @_;
    my $file = $job->[0];
    delete $running{$file};
    print {*STDERR} read_messages($file);
    return if !$parser->has_problems;
    return if $parser->failed && !limit_exceeded($parser);
    my $why =
        limit_exceeded($parser) ? "took more than $ENV{STAGE_LIMIT} s, which STAGE_LIMIT sets"
      : $parser->wait           ? 'ended with status ' . ($parser->exit || $parser->wait)
      :                           join '; ', $parser->parse_errors;
    push @failures, join ': ', name_of($file), $why;
    return;
}

sub limit_exceeded { return ($_[0]->exit // 0) == 124 }

# Each result, when it is read.
sub make_parser
{
    my ($self, $job) = @_;
    my ($parser, $session) = $self->SUPER::make_parser($job);
    my ($stage, @case) = name_of($job->filename);
    $running{ $job->filename } = $parser->_iterator->{pid};
    $parser->callback(
        test => sub {
            my ($test) = @_;
            my $text = $test->description =~ s/^- //r;
            my $name = join ': ', $stage, @case, "@case" eq $text ? () : $text;
            push @failures, $name unless $test->is_ok;
            push @lines, ($test->is_ok ? 'ok ' : 'not ok ') . (@lines + 1) . " - $name"
              . ($test->has_skip ? ' # SKIP ' . $test->explanation : '');
        });
    return ($parser, $session);
}

# A test that gives up has failed; the others go on, but not after a build that failed. Before Perl 5.36 nobody says
# which test it is, and all end.
sub _bailout
{
    my ($self, $result, $parser, $session, $aggregate, $job) = @_;
    return $self->SUPER::_bailout($result, $parser, $session, $aggregate, $job)
      if !$job || $job->filename eq 'test/stages/build.sh';
    return;
}

sub summary
{
    my ($self, $aggregate, $interrupted) = @_;
    $self->SUPER::summary($aggregate, $interrupted);
    my ($passed, $failed, $skipped) = (0, 0, 0);
    for my $parser ($aggregate->parsers) {
        my $skips = $parser->skipped;
        $skipped += $parser->skip_all ? 1 : $skips;
        $passed += $parser->passed - $skips;
        $failed += $parser->failed || ($parser->has_problems ? 1 : 0);
    }
    if ($ENV{STAGES_TAP}) {
        open my $out, '>', $ENV{STAGES_TAP} or die "cannot write $ENV{STAGES_TAP}: $!\n";
        print $out map { "$_\n" } @lines, '1..' . @lines;
        close $out or die "cannot write $ENV{STAGES_TAP}: $!\n";
    }
    show_failure($_) for grep { ($aggregate->parsers($_))[0]->has_problems } $aggregate->descriptions;
    print "\nFailed:\n", map { "    $_\n" } @failures if @failures;
    print "\n$passed passed, $failed failed, $skipped skipped\n";
    return;
}

1;
