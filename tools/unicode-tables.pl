#!/usr/bin/env perl
# Writes src/core/text/unicode_tables.inc, the character data of the text profile, from three files of the Unicode
# Character Database: UnicodeData.txt, DerivedNormalizationProps.txt and LineBreak.txt.
#
#   tools/unicode-tables.pl DIRECTORY > src/core/text/unicode_tables.inc
#
# https://www.unicode.org/Public/17.0.0/ucd/ has those of the version that is in use. Stored fingerprints depend on the
# output, so another version is another unit: see src/core/text/unicode.hpp.
use v5.30;
use warnings;

use constant { BLOCK => 32, SEPARATOR => 0, WORD => 1, SPACELESS => 2, MARK => 3 };
use constant { BOUNDARY => 4, CLASS_SHIFT => 3, MAPPED => 0x8000 };
use constant { GAP => 0x33480, GAP_END => 0xE0000 };

my ($directory) = @ARGV;
die "usage: $0 DIRECTORY\n" unless @ARGV == 1;
my $version;

# Calls $take with the first and the last code point of a line, and its other fields.
sub read_database {
    my ($name, $take) = @_;
    open my $file, '<', "$directory/$name.txt" or die "$directory/$name.txt: $!\n";
    while (my $line = <$file>) {
        if ($line =~ /^# $name-([\d.]+)\.txt/) {
            $version //= $1;
            die "$name.txt is of version $1, not $version\n" unless $version eq $1;
        }
        my ($points, @fields) = split /\s*;\s*/, $line =~ s/\s*(#.*)?$//sr, -1;
        next unless length $points;
        my ($first, $last) = map { hex } split /\.\./, $points;
        $take->($first, $last // $first, @fields);
    }
}

# What is assigned: general category, combining class, and canonical decomposition.
my (@category, @class, %decomposition, $range);
read_database('UnicodeData', sub {
    my ($first, $last, $name, $category, $class, undef, $decomposition) = @_;
    $first = $range if $name =~ /, Last>$/;
    $range = $first;
    @category[$first .. $last] = ($category) x ($last - $first + 1);
    @class[$first .. $last] = ($class) x ($last - $first + 1);
    $decomposition{$first} = [map { hex } split ' ', $decomposition] if $decomposition =~ /^[^<]/;
});

my (%folded, %excluded);
read_database('DerivedNormalizationProps', sub {
    my ($first, $last, $property, $value) = @_;
    for my $point ($first .. $last) {
        $excluded{$point} = 1 if $property eq 'Full_Composition_Exclusion';
        $folded{$point} = [map { hex } split ' ', $value] if $property eq 'NFKC_CF' && $category[$point];
    }
});

my @spaceless;
read_database('LineBreak', sub {
    my ($first, $last, $class) = @_;
    @spaceless[$first .. $last] = (1) x ($last - $first + 1) if $class =~ /^(SA|ID|CJ|NS|AK|AP|AS)$/;
});

# The pairs that compose canonically, without Hangul, which is arithmetic.
my (@pairs, %second);
for my $point (sort { $a <=> $b } keys %decomposition) {
    next if $excluded{$point};
    my @parts = @{ $decomposition{$point} };
    die "odd decomposition" unless @parts == 2 && !$decomposition{ $parts[1] };
    push @pairs, [$point, @parts];
    $second{ $parts[1] } = 1;
}
$second{$_} = 1 for 0x1161 .. 0x1175, 0x11A8 .. 0x11C2;

# Whether a character may combine with, or move before, the preceding one. So may a composite whose first part may.
sub joins {
    my ($point) = @_;
    return 1 if $class[$point] || $second{$point};
    return $decomposition{$point} ? joins($decomposition{$point}[0]) : 0;
}

my (@pool, %index, $longest); # lengths, each followed by so many characters
$longest = 0;
sub mapping_index {
    my $key = join ' ', @_;
    return $index{$key} //= do {
        $longest = @_ if @_ > $longest;
        my $at = @pool;
        push @pool, scalar @_, @_;
        $at;
    };
}

sub property {
    my ($point) = @_;
    my $category = $category[$point];
    return SEPARATOR | BOUNDARY if !$category || $category eq 'Cs';
    return MAPPED | mapping_index(@{ $folded{$point} }) if $folded{$point};
    my $kind = $category =~ /^M/ ? MARK : $category !~ /^[LN]/ ? SEPARATOR : $spaceless[$point] ? SPACELESS : WORD;
    return $kind | (joins($point) ? 0 : BOUNDARY) | $class[$point] << CLASS_SHIFT;
}

# Nothing is assigned between the ideographs and the tags of plane 14; src/core/text/unicode.cpp leaves that gap out, too.
my (@blocks, %block, @stage);
for (my $at = 0; $at < 0x110000; $at += BLOCK) {
    if ($at >= GAP && $at < GAP_END) {
        die "a character in the gap" if grep { defined } @category[$at .. $at + BLOCK - 1];
        next;
    }
    my @values = map { property($_) } $at .. $at + BLOCK - 1;
    my $key = join ',', @values;
    $block{$key} //= do { push @blocks, \@values; $#blocks };
    push @stage, $block{$key};
}

# Everything past the last block with data has the default.
pop @stage while @stage > 1 && $stage[-1] == $stage[-2];
die "too many blocks or mappings" if @blocks > 0xFFFF || @pool > MAPPED;

# Characters are written in hexadecimal.
sub table {
    my ($type, $name, @values) = @_;
    say "inline constexpr $type $name\[" . scalar(@values) . "] = {";
    my $line = '';
    for (@values) {
        my $item = ($_ < 10 || $type ne 'char32_t' ? $_ : sprintf '0x%x', $_) . ',';
        if (length($line) + length($item) > 109) { say $line; $line = '' }
        $line .= $item;
    }
    say $line;
    say "};";
}

say "// Written by tools/unicode-tables.pl. Frozen: Unicode $version.";
my $joining = 1;
for my $to (values %folded) {
    $joining = @$to if @$to > $joining && joins($to->[0]);
}
say "inline constexpr std::size_t kLongestMapping = $longest;";
say "// Of those that begin with a character which combines with what precedes it.";
say "inline constexpr std::size_t kLongestJoiningMapping = $joining;";
table('std::uint16_t', 'kStage', @stage);
table('std::uint16_t', 'kProperty', map { @$_ } @blocks);
say "// The length of each mapping, and then its characters.";
table('char32_t', 'kMapped', @pool);
say "// Canonical composition: first, second, composite; in the order of first and second.";
table('char32_t', 'kComposition', map { @$_[1, 2, 0] } sort { $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] } @pairs);
say "// The same, as rows of kComposition in the order of composites.";
my @by_pair = sort { $pairs[$a][1] <=> $pairs[$b][1] || $pairs[$a][2] <=> $pairs[$b][2] } 0 .. $#pairs;
my %row = map { $by_pair[$_] => $_ } 0 .. $#by_pair;
table('std::uint16_t', 'kDecomposition', map { $row{$_} } sort { $pairs[$a][0] <=> $pairs[$b][0] } 0 .. $#pairs);
