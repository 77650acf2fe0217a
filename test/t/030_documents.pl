# The SQL of README.md, doc/*.md and compat/README.md runs as printed and gives the printed answers.
#
# Each document is one psql session in its own database, which runs what a reader sees: the blocks marked sql, in their
# order. An unmarked block right after a block marked sql is its answer. Then come the statements that are quoted within a
# sentence, each in a transaction that is rolled back, and what is hidden in comments that begin with "<!-- check". What
# the document has made is dumped and restored.
use strict;
use warnings;
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Utils;
use Documents;
use SimhashTest;
use Test::More;

my ($version) = `pg_config --version` =~ /PostgreSQL (\d+)/;

# Statements within sentences, unless they have gaps, cannot run in a transaction, or are for older versions.
sub quoted_statements
{
    my ($file) = @_;
    my @sql;
    my $text = slurp_file($file) =~ s/^```.*?^```$/$& =~ tr{\n}{}cdr/emsgr;
    while ($text =~ /`((?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|ANALYZE|REINDEX|SET)\s[^`]*)`/g) {
        my $statement = $1 =~ s/\s+/ /gr;
        next if $statement =~ /…|CONCURRENTLY/ || ($version >= 17 && $statement =~ /ADD TYPE simhash\[\]/);
        my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
        $statement = "PREPARE quoted AS $statement" if $statement =~ /\$\d/;
        push @sql, { line => "$line quoted", sql => "BEGIN;\n$statement;\nROLLBACK;\nDEALLOCATE ALL;" };
    }
    return @sql;
}

# The SQL of a document: hashes with line, sql and, where one is printed, answer.
sub read_sql
{
    my ($file) = @_;
    my (@sql, @checks, $last);
    for my $block (read_blocks($file)) {
        if ($block->{mark} eq 'sql') {
            push @sql, { line => $block->{line}, sql => $block->{text} };
        }
        elsif ($block->{mark} eq 'check') {
            push @checks, { line => $block->{line}, sql => $block->{text} };
        }
        elsif ($block->{mark} eq '') {
            die "$file:$block->{line}: an unmarked block follows no SQL\n" unless $last eq 'sql' && $block->{follows};
            $sql[-1]{answer} = $block->{text};
        }
        $last = $block->{mark};
    }
    return @sql == 0 ? () : (@sql, quoted_statements($file), @checks);
}

# The output of psql without trailing spaces and empty lines.
sub plain
{
    return join "\n", grep { /\S/ } map { s/\s+$//r } split /\n/, $_[0];
}

my $node = start_node('documents', settings => ['autovacuum = off']);
my $top = dirname(dirname($FindBin::RealBin));
my $checked = 0;

for my $file ("$top/README.md", "$top/compat/README.md", sort glob "$top/doc/*.md") {
    my @blocks = read_sql($file) or next;
    my $name = $file =~ s{^\Q$top\E/}{}r;
    my $database = $name =~ s/\W/_/gr;
    $node->safe_psql('postgres', qq(CREATE DATABASE "$database"));

    # The README creates the extension itself.
    my $script = "\\pset footer off\n";
    $script .= "CREATE EXTENSION simhash;\n" unless $name eq 'README.md';
    $script .= "\\echo == $_->{line}\n$_->{sql}\n" for @blocks;
    my ($status, $output, $error) =
      $node->psql($database, $script, extra_params => [ '-P', 'tuples_only=off', '-P', 'format=aligned' ]);
    is($status == 0 ? '' : $error, '', "$name runs");
    my (undef, %found) = split /^== (\d+(?: quoted)?)\n?/m, $output;
    for my $block (grep { defined $_->{answer} } @blocks) {
        is(plain($found{ $block->{line} } // ''), plain($block->{answer}), "$name, the answer at line $block->{line}");
        $checked++;
    }
    survives_dump($node, $database, $name);
}
cmp_ok($checked, '>', 10, 'answers were compared');

# What recipes.md says how to draw.
for my $of ([ 'page', 'h' ], [ 'page', "to_simhash(body || '<&>')" ]) {
    my $page = $node->safe_psql('doc_recipes_md', slurp_file("$top/doc/histogram.sql"),
        extra_params => [ '-v', "table=$of->[0]", '-v', "column=$of->[1]" ]);
    my $distances = $node->safe_psql('doc_recipes_md',
        "SELECT count(*) FROM simhash_report('$of->[0]', \$\$$of->[1]\$\$, details => true) WHERE topic = 'distance'");
    is(scalar(() = $page =~ /<rect[^>]* height="[0-9.]+">/g), $distances, "histogram of $of->[1]: a bar for each distance");
    unlike($page, qr/<&>|NaN/, 'names are quoted');
}
done_testing();
