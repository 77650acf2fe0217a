#!/usr/bin/env perl
# Makes documents: distinct passages of the texts on standard input (as written by demo/read_documents.pl), then copies of
# them with one to four words changed, up to the requested number. Rows for COPY: id, the id of the original, body. The
# copies follow the originals in random order.
use strict;
use warnings;

use constant WORDS => 100; # per passage

my ($rows, $seed, $part) = @ARGV; # the largest share of originals
srand($seed);
my @passage;
while (my $line = <STDIN>) {
    chomp $line;
    my (undef, undef, $text) = split /\t/, $line, 3;
    $text =~ s/\\n/ /g;
    $text =~ tr/\\//d; # COPY's
    my @word = split ' ', $text;
    for (my $i = 0; $i + WORDS <= @word && @passage < $rows * $part; $i += WORDS) {
        push @passage, join ' ', @word[$i .. $i + WORDS - 1];
    }
    last if @passage >= $rows * $part;
}
die "There is no text on this machine.\n" unless @passage;
print STDERR scalar(@passage), " passages\n";
print $_ + 1, "\t", $_ + 1, "\t$passage[$_]\n" for 0 .. $#passage;
for my $id (@passage + 1 .. $rows) {
    my $original = int(rand(@passage));
    my @word = split ' ', $passage[$original];
    for (1 .. 1 + int(rand(4))) {
        my $at = int(rand(@word));
        my $kind = int(rand(3));
        if ($kind == 0) { $word[$at] = 'changed' . int(rand(1000)) }
        elsif ($kind == 1) { splice @word, $at, 1 }
        else { splice @word, $at, 0, 'added' . int(rand(1000)) }
    }
    print $id, "\t", $original + 1, "\t@word\n";
}
