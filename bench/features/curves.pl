#!/usr/bin/env perl
# Draws what run.sh prints for several kinds of texts: run.sh TEXTS... | curves.pl >doc/which.svg. On the left the share of
# the pairs with a Jaccard index of 0.8 that is found within each radius, on the right the share of the pairs found that is
# false; a line for each kind.
use strict;
use warnings;

use constant { WIDTH => 300, HEIGHT => 200, FROM => 3, TO => 10 };

my @schemes = ([ 'words', 'words' ], [ 'min-hash, 64 bits', 'minhash' ]);
my (%lines, $kind);
while (<>) {
    $kind = $1 if /^(\w+): \d+ texts/;
    for my $scheme (@schemes) {
        next unless /^\| \Q$scheme->[0]\E \| (\d+) \|.*\| ([\d.]+) \/ ([\d.]+) \|$/;
        my $of = $lines{ $scheme->[1] } //= [];
        push @$of, { kind => $kind, points => [] } unless @$of && $of->[-1]{kind} eq $kind;
        push @{ $of->[-1]{points} }, [ $1, $3, 1 - $2 ];
    }
}

# Of the points of a line, the given share: 1 of near pairs, 2 of false ones.
sub polyline
{
    my ($class, $line, $left, $share) = @_;
    my @points = map { sprintf '%.0f,%.1f', $left + WIDTH * ($_->[0] - FROM) / (TO - FROM), 20 + HEIGHT * (1 - $_->[$share]) }
        @{ $line->{points} };
    return qq(<polyline class="$class" points="@points"><title>$line->{kind}</title></polyline>\n);
}

sub panel
{
    my ($left, $title, $share) = @_;
    my $svg = sprintf qq(<text x="%d" y="12">%s</text>\n), $left + WIDTH / 2, $title;
    for my $percent (0, 25, 50, 75, 100) {
        my $y = 20 + HEIGHT * (1 - $percent / 100);
        $svg .= sprintf qq(<path d="M%d %dh%d"/><text class="end" x="%d" y="%d">%d %%</text>\n), $left, $y, WIDTH, $left - 6, $y + 4, $percent;
    }
    $svg .= sprintf qq(<text x="%d" y="%d">%d</text>\n), $left + WIDTH * ($_ - FROM) / (TO - FROM), HEIGHT + 36, $_ for FROM .. TO;
    for my $scheme (@schemes) {
        $svg .= polyline($scheme->[1], $_, $left, $share) for @{ $lines{ $scheme->[1] } };
    }
    return $svg;
}

print <<'SVG';
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 275" font-family="sans-serif" font-size="12" role="img">
<title>Recall and false matches by radius</title>
<style>
text { fill: #222; text-anchor: middle } .end { text-anchor: end } path { stroke: #ccc }
polyline { fill: none; stroke-width: 1.6 } .words { stroke: #b85c00 } .minhash { stroke: #2563a8 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } path { stroke: #444 } .words { stroke: #f0a050 } .minhash { stroke: #7db4f0 } }
</style>
SVG
print panel(50, 'near pairs found', 1);
print panel(430, 'false, of the pairs found', 2);
print qq(<polyline class="words" points="200,262 230,262"/><text x="290" y="266">to_simhash(body)</text>\n);
print qq(<polyline class="minhash" points="400,262 430,262"/><text x="535" y="266">64 bits of min-hash of three words</text>\n</svg>\n);
