#!/usr/bin/env perl
# Writes src/core/text/unicode_tables.inc: the frozen Unicode data of the text profile.
#
#   tools/unicode-tables.pl > src/core/text/unicode_tables.inc
#
# Only characters assigned in Unicode 13.0 count, even if this perl knows a newer version. The properties used -
# NFKC_Casefold mapping, canonical composition, general category and line-breaking class of letters - are covered by
# Unicode's stability policies or have not changed since. The output is still committed and frozen: stored fingerprints
# depend on it. Run again only to verify it.
use v5.30;
use warnings;
use Unicode::Normalize qw(NFC NFD NFKC getCombinClass);
use Unicode::UCD qw(prop_invmap charinfo);

use constant { BLOCK => 64, SEPARATOR => 0, WORD => 1, SPACELESS => 2, MARK => 3 };
use constant { BOUNDARY => 4, CLASS_SHIFT => 3, MAPPED => 0x8000 };

my @points = grep { $_ < 0xD800 || $_ > 0xDFFF } 0 .. 0x10FFFF;
my %assigned = map { $_ => 1 } grep { chr($_) =~ /\p{Present_In: 13.0}/ } @points;

# NFKC_Casefold, from perl's own table of the property.
my %folded;
{
    my ($starts, $maps, $format, $default) = prop_invmap("NFKC_Casefold");
    die "unexpected format $format" unless $format eq 'ale';
    for my $i (0 .. $#$starts) {
        my $map = $maps->[$i];
        next if !ref $map && $map eq $default;    # itself
        my $end = ($starts->[$i + 1] // 0x110000) - 1;
        for my $point ($starts->[$i] .. $end) {
            next unless $assigned{$point};
            my @to = ref $map ? @$map : $map eq '' ? () : $map + $point - $starts->[$i];
            next if @to == 1 && $to[0] == $point;
            $folded{$point} = \@to;
        }
    }
}

# The pairs that compose canonically, without Hangul, which is arithmetic.
my (@pairs, %second);
for my $point (grep { $assigned{$_} } @points) {
    next if $point >= 0xAC00 && $point <= 0xD7A3;
    my $char = chr $point;
    next if NFD($char) eq $char || NFC($char) ne $char;
    my @parts = map { hex } split ' ', charinfo($point)->{decomposition};
    die "odd decomposition" unless @parts == 2 && NFD(chr $parts[1]) eq chr $parts[1];
    push @pairs, [$point, @parts];
    $second{ $parts[1] } = 1;
}
$second{$_} = 1 for 0x1161 .. 0x1175, 0x11A8 .. 0x11C2;

my (@pool, @starts, %index, $longest);
$longest = 0;
sub mapping_index {
    my $key = join ' ', @_;
    return $index{$key} //= do {
        $longest = @_ if @_ > $longest;
        push @starts, scalar @pool;
        push @pool, @_;
        $#starts;
    };
}

sub property {
    my ($point) = @_;
    return SEPARATOR | BOUNDARY if ($point >= 0xD800 && $point <= 0xDFFF) || !$assigned{$point};
    return MAPPED | mapping_index(@{ $folded{$point} }) if $folded{$point};
    my $char = chr $point;
    my $kind =
          $char =~ /\p{M}/                                                         ? MARK
        : $char =~ /[\p{L}\p{N}]/ && $char =~ /\p{LB=SA}|\p{LB=ID}|\p{LB=CJ}|\p{LB=NS}/ ? SPACELESS
        : $char =~ /[\p{L}\p{N}]/                                                  ? WORD
        :                                                                            SEPARATOR;
    my $class = getCombinClass($point);
    return $kind | ($class || $second{$point} ? 0 : BOUNDARY) | $class << CLASS_SHIFT;
}

my (@blocks, %block, @stage);
for (my $at = 0; $at < 0x110000; $at += BLOCK) {
    my @values = map { property($_) } $at .. $at + BLOCK - 1;
    my $key = join ',', @values;
    $block{$key} //= do { push @blocks, \@values; $#blocks };
    push @stage, $block{$key};
}
push @starts, scalar @pool;

# Everything past the last block with data has the default.
pop @stage while @stage > 1 && $stage[-1] == $stage[-2];
die "too many blocks" if @blocks > 0xFFFF;

sub table {
    my ($type, $name, @values) = @_;
    say "inline constexpr $type $name\[" . scalar(@values) . "] = {";
    my $line = '';
    for (@values) {
        my $item = ($_ < 10 ? $_ : sprintf '0x%x', $_) . ',';
        if (length($line) + length($item) > 109) { say $line; $line = '' }
        $line .= $item;
    }
    say $line;
    say "};";
}

say "// Written by tools/unicode-tables.pl. Frozen: Unicode 13.0.0.";
my $joining = 1;
for my $to (values %folded) {
    $joining = @$to if @$to > $joining && (getCombinClass($to->[0]) || $second{ $to->[0] });
}
say "inline constexpr std::size_t kLongestMapping = $longest;";
say "// Of those that begin with a character which combines with what precedes it.";
say "inline constexpr std::size_t kLongestJoiningMapping = $joining;";
table('std::uint16_t', 'kStage',    @stage);
table('std::uint16_t', 'kProperty', map { @$_ } @blocks);
table('std::uint16_t', 'kMapping',  @starts);
table('char32_t',      'kMapped',   @pool);
say "// Canonical composition: first, second, composite; in the order of first and second.";
table('char32_t', 'kComposition', map { @$_[1, 2, 0] } sort { $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] } @pairs);
say "// The same, as rows of kComposition in the order of composites.";
my @by_pair = sort { $pairs[$a][1] <=> $pairs[$b][1] || $pairs[$a][2] <=> $pairs[$b][2] } 0 .. $#pairs;
my %row = map { $by_pair[$_] => $_ } 0 .. $#by_pair;
table('std::uint16_t', 'kDecomposition', map { $row{$_} } sort { $pairs[$a][0] <=> $pairs[$b][0] } 0 .. $#pairs);
