#!/usr/bin/env perl
# Writes src/profiles/compat_tables.inc: the character data of the profiles of other libraries.
#
#   tools/compat-tables.pl > src/profiles/compat_tables.inc
#
# Only characters assigned in Unicode 13.0 count, even if this perl knows a newer version. The output is committed
# and frozen: stored fingerprints depend on it. Run again only to verify it.
use v5.30;
use warnings;
use Unicode::UCD qw(prop_invmap);

my @points = grep { ($_ < 0xD800 || $_ > 0xDFFF) && chr($_) =~ /\p{Present_In: 13.0}/ } 0x80 .. 0x10FFFF;

sub table {
    my ($name, @rows) = @_;
    say "inline constexpr char32_t $name\[][2] = {";
    my $line = '';
    for (@rows) {
        my $item = sprintf '{0x%x,0x%x},', @$_;
        if (length($line) + length($item) > 109) { say $line; $line = '' }
        $line .= $item;
    }
    say $line;
    say "};";
}

sub ranges {
    my ($pattern) = @_;
    my @ranges;
    for my $point (grep { chr($_) =~ $pattern } @points) {
        if (@ranges && $ranges[-1][1] + 1 == $point) { $ranges[-1][1] = $point }
        else { push @ranges, [$point, $point] }
    }
    return @ranges;
}

my @lower;
{
    my ($starts, $maps, $format, $default) = prop_invmap("Simple_Lowercase_Mapping");
    die "unexpected format $format" unless $format eq 'a';
    my %assigned = map { $_ => 1 } @points;
    for my $i (0 .. $#$starts) {
        next if $maps->[$i] eq $default;    # itself
        my $end = ($starts->[$i + 1] // 0x110000) - 1;
        for my $point ($starts->[$i] .. $end) {
            push @lower, [$point, $maps->[$i] + $point - $starts->[$i]] if $assigned{$point};
        }
    }
}

say "// Written by tools/compat-tables.pl. Frozen: Unicode 13.0.0, without ASCII.";
say "// What is assigned: first and last.";
table('kAssigned', ranges(qr/./s));
say "// General category L.";
table('kLetters', ranges(qr/\p{L}/));
say "// General category N.";
table('kNumbers', ranges(qr/\p{N}/));
say "// Cased and Case_Ignorable, for the final sigma.";
table('kCased', ranges(qr/\p{Cased}/));
table('kCaseIgnorable', ranges(qr/\p{Case_Ignorable}/));
say "// Simple_Lowercase_Mapping: from and to.";
table('kLower', @lower);
