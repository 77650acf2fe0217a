#!/usr/bin/env perl
# Makes near-duplicates if there are no revisions: reads rows of path, kind and text, as written by
# demo/read_documents.pl, and writes two files for COPY.
#
#   edit_words.pl TEXTS PAIRS <ROWS
#
# TEXTS: id, family, text: each text and three versions with 0.5, 2 and 6 % of its words replaced, removed or inserted
# form a family. PAIRS: id1, id2 of each pair of a family.
use strict;
use warnings;

use constant { FEWEST_WORDS => 100, MOST_TEXTS => 5000 };
my @share = (0.005, 0.02, 0.06);

srand(1);
open(my $texts, '>', $ARGV[0]) or die "$ARGV[0]: $!";
open(my $pairs, '>', $ARGV[1]) or die "$ARGV[1]: $!";
my ($id, $family, @known) = (0, 0);
while (my $row = <STDIN>) {
    chomp $row;
    my $text = (split /\t/, $row)[2];
    $text =~ s/\\n/ /g;
    my @words = split ' ', $text;
    next if @words < FEWEST_WORDS || $family >= MOST_TEXTS;
    push @known, @words[map { int rand @words } 1 .. 20];
    $family++;
    my @ids = ++$id;
    print $texts "$id\t$family\t@words\n";
    for my $share (@share) {
        my @version;
        for my $word (@words) {
            if (rand() >= $share) { push @version, $word; next }
            my $edit = int rand 3;
            push @version, $word if $edit == 1;
            push @version, $known[int rand @known] if $edit > 0;
        }
        $id++;
        print $texts "$id\t$family\t@version\n";
        print $pairs "$_\t$id\n" for @ids;
        push @ids, $id;
    }
}
close($texts) && close($pairs) or die $!;
