#!/usr/bin/perl
# Checks the prose of documents: no line longer than 120 columns outside tables and code, no sentence of more than
# 35 words, and no link to a file or heading that does not exist.
#
#   tools/prose.pl FILE ...
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));
use File::Basename;

use constant { COLUMNS => 120, WORDS => 35 };

my $faults = 0;

sub fault {
    my ($file, $line, $what) = @_;
    print "$file:$line: $what\n";
    $faults++;
}

sub check_sentences {
    my ($file, $line, $text) = @_;
    # Code, links and abbreviations count as one word.
    $text =~ s/`[^`]*`/code/g;
    $text =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
    $text =~ s/\b(?:e\.g|i\.e|cf|et al|vs)\./abbreviation/g;
    for my $sentence (split /(?<=[.!?:;])["')\]*]*\s+/, $text) {
        my @words = grep { /\w/ } split ' ', $sentence;
        fault($file, $line, scalar(@words) . " words: $sentence") if @words > WORDS;
    }
}

# The anchors that a page's headings have on GitHub.
sub anchors {
    my ($file) = @_;
    my %anchors;
    my $code = 0;
    open my $handle, '<', $file or die "$file: $!\n";
    while (<$handle>) {
        $code = !$code if /^\s*```/;
        next if $code || !/^#+ (.*\S)/;
        my $heading = lc $1 =~ s/\[([^\]]*)\]\([^)]*\)/$1/gr;
        $anchors{ $heading =~ s/[^\w\- ]//gr =~ tr/ /-/r } = 1;
    }
    return \%anchors;
}

sub check_links {
    my ($file, $line, $text) = @_;
    while ($text =~ /\]\(([^)\s]+)\)/g) {
        my $link = $1;
        next if $link =~ /^[a-z]+:/;
        my ($path, $anchor) = split /#/, $link;
        my $target = $path eq '' ? $file : dirname($file) . "/$path";
        fault($file, $line, "broken link: $link")
            if !-e $target || defined $anchor && !anchors($target)->{$anchor};
    }
}

for my $file (@ARGV) {
    open my $handle, '<', $file or die "$file: $!\n";
    my ($code, $comment, $start, @paragraph) = (0, 0, 0);
    my $finish = sub { check_sentences($file, $start, "@paragraph") if @paragraph; @paragraph = () };
    while (my $line = <$handle>) {
        chomp $line;
        if ($line =~ /^\s*```/) { $finish->(); $code = !$code; next }
        next if $code;
        check_links($file, $., $line);
        $comment = 1 if $line =~ /^<!--/;
        if ($comment) { $comment = 0 if $line =~ /-->/; next }
        if ($line =~ /^\s*\||^#|^\s*$|^!\[|^</) { $finish->(); next }
        next if $line =~ /^    / && !@paragraph;
        # A line of one link or one piece of code cannot be broken.
        fault($file, $., length($line) . " columns") if length $line > COLUMNS && $line =~ /^\s*(?:[-*] )?\S+\s+\S/;
        $finish->() if $line =~ /^\s*(?:[-*]|\d+\.)\s/;
        $start = $. if !@paragraph;
        push @paragraph, $line;
    }
    $finish->();
}
exit($faults ? 1 : 0);
