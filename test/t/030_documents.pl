# The SQL of README.md and doc/*.md runs as printed and gives the printed answers.
#
# Each document is one psql session in its own database. Blocks marked sql run in order, and so does the setup in comments
# that begin with "<!-- sql". An unmarked block right after a block marked sql is its answer.
use strict;
use warnings;
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

# The blocks of a document: hashes with line, sql and, where one is printed, answer.
sub read_blocks
{
    my ($file) = @_;
    my (@blocks, $text, $mark, $start);
    my $follows = 0;    # only blank lines since a block marked sql
    for my $line (split /^/, slurp_file($file)) {
        my $number = ++$start;
        if (defined $mark) {
            my $end = $mark eq 'setup' ? $line =~ /^-->/ : $line =~ /^```/;
            if (!$end) { $text .= $line; next }
            my $is_sql = $mark eq 'sql' || $mark eq 'setup';
            push @blocks, { line => $number, sql => $text } if $is_sql;
            if ($mark eq '') {
                die "$file:$number: an unmarked block follows no SQL\n" unless $follows;
                $blocks[-1]{answer} = $text;
            }
            $follows = $mark eq 'sql';
            undef $mark;
        }
        elsif ($line =~ /^```(\w*)/ || $line =~ /^<!-- sql/) { ($mark, $text) = ($1 // 'setup', '') }
        elsif ($line =~ /\S/) { $follows = 0 }
    }
    die "$file: a block is not closed\n" if defined $mark;
    return @blocks;
}

# The output of psql without trailing spaces and empty lines.
sub plain
{
    return join "\n", grep { /\S/ } map { s/\s+$//r } split /\n/, $_[0];
}

my $node = start_node('documents', settings => ['autovacuum = off']);
my $top = dirname(dirname($FindBin::RealBin));
my $checked = 0;

for my $file ("$top/README.md", sort glob "$top/doc/*.md") {
    my @blocks = read_blocks($file) or next;
    my $name = $file =~ s{^\Q$top\E/}{}r;
    my $database = basename($file, '.md');
    $node->safe_psql('postgres', qq(CREATE DATABASE "$database"));

    # The README creates the extension itself.
    my $script = "\\pset footer off\n";
    $script .= "CREATE EXTENSION simhash;\n" unless $name eq 'README.md';
    $script .= "\\echo == $_->{line}\n$_->{sql}\n" for @blocks;
    my ($status, $output, $error) =
      $node->psql($database, $script, extra_params => [ '-P', 'tuples_only=off', '-P', 'format=aligned' ]);
    is($status == 0 ? '' : $error, '', "$name runs");
    my (undef, %found) = split /^== (\d+)\n?/m, $output;
    for my $block (grep { defined $_->{answer} } @blocks) {
        is(plain($found{ $block->{line} } // ''), plain($block->{answer}), "$name, the answer at line $block->{line}");
        $checked++;
    }
}
cmp_ok($checked, '>', 10, 'answers were compared');
done_testing();
