#!/usr/bin/env perl
# Reads the JSON object of report.sql from standard input and writes the report, an HTML page that needs no other file.
# Paths and texts are untrusted: all that is printed of them goes through escaped(). Needs diff and an empty directory to
# work in: report.pl DIRECTORY.
use strict;
use warnings;
use utf8;
use JSON::PP ();

use constant {
    CONTEXT  => 10,           # words before and after a difference
    RUN      => 60,           # words of a difference
    PIECES   => 12,           # differences of a passage
    PASSAGES => 6,            # of a comparison
    WORD     => 80,           # characters of a word
    PATHS    => 200,          # characters of a path
    BYTES    => 1_500_000,    # of the page, after which differences are left out
    RADIUS   => 3,            # bits within which fingerprints are near
};

my $directory = $ARGV[0] // die "usage: report.pl DIRECTORY\n";
my $written = 0;

sub put
{
    my $text = join '', @_;
    $written += length $text;
    print $text;
}

# Invisible characters could change the order or the look of what surrounds them.
sub escaped
{
    my ($text) = @_;
    $text =~ s/[\x{0}-\x{8}\x{b}-\x{1f}\x{7f}-\x{9f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}\x{feff}]/\x{fffd}/g;
    my %entity = ('&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;');
    $text =~ s/([&<>"'])/$entity{$1}/g;
    return $text;
}

sub number
{
    my $text = reverse $_[0];
    $text =~ s/(\d{3})(?=\d)/$1,/g;
    return scalar reverse $text;
}

sub counted
{
    my ($count, $noun, $plural) = @_;
    return number($count) . ' ' . ($count == 1 ? $noun : $plural // "${noun}s");
}

# The end of a path says more than its beginning.
sub path
{
    my ($path) = @_;
    $path = '…' . substr($path, 1 - PATHS) if length $path > PATHS;
    return '<span class="path">' . escaped($path) . '</span>';
}

# -- differences ------------------------------------------------------------------------------------------------

# The pieces of a text that are compared, words and punctuation, with the white space before each, and the number of the
# word that each belongs to. As readers count, "-3.2.2" is one word, and "--" is none.
sub words
{
    my ($text) = @_;
    my (@word, @space, @number);
    my $number = -1;
    while ($text =~ /(\s*)(\w+|[^\w\s]+)/g) {
        push @space, $1;
        push @word, $2;
        $number++ if $1 ne '' || $number < 0;
        push @number, $number;
    }
    my %counts;
    $counts{ $number[$_] } = 1 for grep { $word[$_] =~ /\w/ } 0 .. $#word;
    return { word => \@word, space => \@space, number => \@number, counts => \%counts };
}

# How many words the pieces [from, to), [from, to), … belong to.
sub word_count
{
    my ($words, @ranges) = @_;
    my %seen;
    while (my ($from, $to) = splice @ranges, 0, 2) {
        $seen{$_} = 1 for grep { $words->{counts}{$_} } @{ $words->{number} }[ $from .. $to - 1 ];
    }
    return scalar keys %seen;
}

sub write_words
{
    my ($path, $words) = @_;
    open(my $file, '>:encoding(UTF-8)', $path) or die "$path: $!\n";
    print $file "$_\n" for @{ $words->{word} };
    close $file or die "$path: $!\n";
}

# The places where the words differ: [from, to, from, to], ends excluded.
sub differences
{
    my ($left, $right) = @_;
    write_words("$directory/left", $left);
    write_words("$directory/right", $right);
    open(my $diff, '-|', 'diff', '-a', "$directory/left", "$directory/right") or die "diff: $!\n";
    my @places;
    while (<$diff>) {
        my ($a, $to_a, $how, $b, $to_b) = /^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$/ or next;
        $to_a //= $a;
        $to_b //= $b;
        push @places, [ $how eq 'a' ? $a : $a - 1, $to_a, $how eq 'd' ? $b : $b - 1, $to_b ];
    }
    close $diff;
    return @places;
}

# Single words that are the same between differences make no sense.
sub joined
{
    my @joined;
    for my $place (@_) {
        my $last = $joined[-1];
        if ($last && $place->[0] - $last->[1] <= 1) { @$last[ 1, 3 ] = @$place[ 1, 3 ] }
        else                                        { push @joined, [@$place] }
    }
    return @joined;
}

# Differences that are near each other are shown as one passage, with some words before and after. The number of words
# between the last passage and this one is the same on both sides.
sub passages
{
    my @passages;
    my $end = 0;
    for my $place (@_) {
        my $last = $passages[-1];
        my $gap = $place->[0] - $end;
        $end = $place->[1];
        if ($last && $gap <= 2 * CONTEXT && @{ $last->{places} } < PIECES) {
            push @{ $last->{places} }, $place;
            next;
        }
        my $after = !$last ? 0 : $gap < CONTEXT ? $gap : CONTEXT;
        my $before = $gap - $after < CONTEXT + 5 ? $gap - $after : CONTEXT;    # not worth leaving out
        $last->{after} = $after if $last;
        push @passages, { places => [$place], before => $before, after => CONTEXT, skipped => $gap - $after - $before };
    }
    return @passages;
}

# words [from, to) as HTML.
sub span
{
    my ($words, $from, $to, $element) = @_;
    return '' if $from >= $to;
    my $left_out = $element && $to - $from > RUN ? $to - $from - RUN : 0;
    my $text = '';
    my $space = $from == 0 ? '' : $words->{space}[$from];
    for my $i ($from .. $to - 1 - $left_out) {
        my $word = $words->{word}[$i];
        $word = substr($word, 0, WORD) . '…' if length $word > WORD;
        $text .= ($i == $from ? '' : $words->{space}[$i] =~ s/\n\s+/\n/r) . $word;
    }
    $space =~ s/\n\s+/\n/;
    $text = escaped($text);
    $text .= sprintf ' <small>… %s more</small>', counted(word_count($words, $to - $left_out, $to), 'word') if $left_out;
    return $space . ($element ? "<$element>$text</$element>" : $text);
}

# One side of a passage: differences and the words between and around them.
sub side
{
    my ($words, $passage, $at, $element) = @_;
    my @places = @{ $passage->{places} };
    my $from = $places[0][$at] - $passage->{before};
    my $html = '';
    for my $place (@places) {
        $html .= span($words, $from, $place->[$at]) . span($words, $place->[$at], $place->[ $at + 1 ], $element);
        $from = $place->[ $at + 1 ];
    }
    my ($count, $end) = (scalar @{ $words->{word} }, $from + $passage->{after});
    $html .= span($words, $from, $end < $count ? $end : $count);
    return $html =~ s/^\s+//r;
}

# How many words of one side differ.
sub changed
{
    my ($words, $at, @places) = @_;
    return word_count($words, map { @$_[ $at, $at + 1 ] } @places);
}

sub bits { return counted($_[0], 'bit') }

sub comparison
{
    my ($group, $other, $open) = @_;
    my ($left, $right) = (words($group->{text}), words($other->{text}));
    my @places = differences($left, $right);
    my @passages = passages(joined(@places));
    my ($of_a, $of_b) = (changed($left, 0, @places), changed($right, 2, @places));
    my $summary =
        !@places ? 'the same words'
      : $of_a + $of_b == 0 ? 'only punctuation differs'
      : counted($of_a, 'word') . ' of A and ' . counted($of_b, 'word') . ' of B differ';
    put('<details class="comparison"', $open ? ' open' : '', '><summary><b>similarity ', $other->{similarity} // '?', '</b>, ',
        bits($other->{distance}), " apart: $summary</summary>\n");
    put('<div class="sides heads"><div><b>A</b> ', path($group->{path}), '</div><div><b>B</b> ', path($other->{path}),
        "</div></div>\n");
    put("<p class=\"note\">Only white space, or what comes after the part that is compared, differs.</p>\n") unless @places;
    my $shown = @passages > PASSAGES ? PASSAGES : @passages;
    for my $passage (@passages[ 0 .. $shown - 1 ]) {
        my $from = $passage->{places}[0][0] - $passage->{before};
        put('<p class="same">', counted(word_count($left, $from - $passage->{skipped}, $from), 'word'), " the same</p>\n")
            if $passage->{skipped};
        put('<div class="sides both"><div>', side($left, $passage, 0, 'del'), '</div><div>', side($right, $passage, 2, 'ins'),
            "</div></div>\n");
    }
    put('<p class="note">', counted(@passages - $shown, 'more passage'), " with differences.</p>\n") if @passages > $shown;
    put("</details>\n");
}

# -- parts of the page --------------------------------------------------------------------------------------------

sub style
{
    return <<'CSS';
:root {
    color-scheme: light dark;
    --page: #fbfbfa; --card: #fff; --line: #dcdcd8; --text: #1d1f21; --quiet: #62666a;
    --near: #b3261e; --related: #c98500; --chance: #a9adb1;
    --del: #fcdedb; --ins: #d6f1dc; --del-line: #b3261e; --ins-line: #1a7f37;
}
@media (prefers-color-scheme: dark) {
    :root {
        --page: #16181a; --card: #1e2124; --line: #363a3e; --text: #e4e5e6; --quiet: #a0a5aa;
        --near: #f2867d; --related: #e0b04a; --chance: #666c72;
        --del: #58241f; --ins: #1b4728; --del-line: #f2867d; --ins-line: #57c273;
    }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 68rem; background: var(--page); color: var(--text);
    font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; }
p { margin: .5rem 0; max-width: 46rem; }
.quiet, .note, .same, figcaption { color: var(--quiet); font-size: .875rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; padding: 0; list-style: none; }
.tiles li { flex: 1 1 9rem; padding: .6rem .9rem; border: 1px solid var(--line); border-radius: .4rem;
    background: var(--card); color: var(--quiet); font-size: .875rem; }
.tiles b { display: block; color: var(--text); font-size: 1.4rem; font-weight: 600; }
figure { margin: 1rem 0; }
.bars { position: relative; display: flex; align-items: flex-end; gap: 1px; height: 12rem; margin-left: 7.5rem;
    border-bottom: 1px solid var(--quiet); }
.bars i { position: relative; flex: 1; }
.near { background: var(--near); } .related { background: var(--related); } .chance { background: var(--chance); }
.grid { position: absolute; left: 0; right: 0; border-top: 1px solid var(--line); }
.grid span { position: absolute; right: 100%; padding-right: .5rem; text-align: right; white-space: nowrap;
    transform: translateY(-50%); color: var(--quiet); font-size: .75rem; line-height: 1; }
.axis { position: relative; height: 1.4rem; margin-left: 7.5rem; color: var(--quiet); font-size: .75rem; }
.axis span { position: absolute; transform: translateX(-50%); }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: .25rem 0 0; padding: 0; list-style: none;
    font-size: .875rem; }
.bars b { position: absolute; width: 1.54%; }
.bars b, .key b { border-top: 2px solid var(--text); }
.key b { display: inline-block; width: .75rem; margin-right: .4rem; vertical-align: .25rem; }
.key i { display: inline-block; width: .75rem; height: .75rem; margin-right: .4rem; }
pre { overflow-x: auto; font-size: .8125rem; }
.group { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); }
a { color: inherit; }
summary { cursor: pointer; padding: .3rem 0; font-size: .9375rem; }
.group ul { margin: .25rem 0 .5rem; padding-left: 1.25rem; font-size: .875rem; }
.path { font-family: ui-monospace, monospace; font-size: .8125rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1px; border: 1px solid var(--line); background: var(--line);
    font: .8125rem/1.5 ui-monospace, monospace; }
.sides + .sides { border-top: 0; }
.sides > div { min-width: 0; padding: .4rem .6rem; background: var(--card); white-space: pre-wrap; overflow-wrap: anywhere;
    unicode-bidi: isolate; }
.heads > div { background: var(--page); }
.same { margin: 0; max-width: none; padding: .1rem .6rem; border: 1px solid var(--line); border-width: 0 1px; font-size: .75rem;
    text-align: center; }
.same + .sides { border-top: 1px solid var(--line); }
del, ins { text-decoration: underline 1px; text-underline-offset: 3px; }
del { background: var(--del); text-decoration-color: var(--del-line); }
ins { background: var(--ins); text-decoration-color: var(--ins-line); }
del small, ins small { color: inherit; }
@media (max-width: 40rem) {
    .sides { grid-template-columns: 1fr; }
    .both > div::before { content: "A "; color: var(--quiet); font-weight: 700; }
    .both > div + div::before { content: "B "; }
    .group { margin-left: -.5rem; margin-right: -.5rem; padding: .6rem; }
}
CSS
}

# What most pairs of a distance are, if a share of them is expected by chance; it is not known beyond 16 bits.
sub class
{
    my ($report, $distance, $share, $expected) = @_;
    return 'chance' if defined $expected ? $expected > $share / 2 : $distance >= $report->{chance};
    return $distance <= RADIUS ? 'near' : 'related';
}

# One pair in how many, a power of ten.
sub one_in
{
    my ($power) = @_;
    my ($unit, $zeros) = $power >= 9 ? ('billion', 9) : $power >= 6 ? ('million', 6) : ('', 0);
    return '1 in ' . number(10**($power - $zeros)) . ($unit ? " $unit" : '');
}

# A share of pairs in percent of the height of the scale, which begins at 10^-powers.
sub height
{
    my ($share, $powers) = @_;
    return 0 if $share <= 0;
    my $height = 100 * (1 + log($share) / log(10) / $powers);
    return $height < 1 ? 1 : $height;
}

# The scale is logarithmic: unrelated pairs are a million times as many as near-duplicates.
sub histogram
{
    my ($report) = @_;
    my @share = (0) x 65;
    $share[ $_->[0] ] = $_->[1] for @{ $report->{distances} };
    my ($least) = sort { $a <=> $b } grep { $_ > 0 } @share;
    # What a search finds by chance, which is cumulative, as shares of pairs.
    my @unrelated = map { $_->[1] / $report->{documents} } @{ $report->{unrelated} };
    $unrelated[$_] -= $unrelated[ $_ - 1 ] for reverse 1 .. $#unrelated;
    my @class = map { class($report, $_, $share[$_], $unrelated[$_]) } 0 .. 64;
    my $powers = 1;
    $powers++ while 10**-$powers > $least && $powers < 12;
    put("<figure>\n<figcaption>Share of all pairs of documents</figcaption>\n<div class=\"bars\" role=\"img\" aria-label=\"Histogram of the distances of pairs\">\n");
    for (my $power = 1; $power < $powers; $power += $powers > 6 ? 2 : 1) {
        put(sprintf "<div class=\"grid\" style=\"bottom:%.1f%%\"><span>%s</span></div>\n",
            100 * (1 - $power / $powers), one_in($power));
    }
    for my $distance (0 .. 64) {
        my $share = $share[$distance];
        my $height = height($share, $powers);
        my $title = bits($distance) . ': ' . ($share > 0 ? '1 pair in ' . number(sprintf '%.0f', 1 / $share) : 'no pair');
        put(sprintf "<i class=\"%s\" style=\"height:%.1f%%\" title=\"%s\"></i>\n", $class[$distance], $height, $title);
        my $level = height($unrelated[$distance] // 0, $powers);
        put(sprintf "<b style=\"left:%.2f%%;bottom:%.1f%%\"></b>\n", 100 * $distance / 65, $level) if $level > 1;
    }
    put("</div>\n<div class=\"axis\">");
    put(sprintf '<span style="left:%.2f%%">%d</span>', 100 * ($_ + 0.5) / 65, $_) for map { 8 * $_ } 0 .. 8;
    put("</div>\n<ul class=\"key\"><li><i class=\"near\"></i>up to " . RADIUS . " bits</li>");
    put('<li><i class="related"></i>probably related</li>') if grep { $class[$_] eq 'related' && $share[$_] > 0 } 0 .. 64;
    put("<li><i class=\"chance\"></i>half or more by chance</li>",
        "<li><b></b>what chance alone would give, up to 16 bits</li></ul>\n");
    put("<figcaption>Distance in bits of 64, of sampled pairs. The scale is logarithmic.</figcaption>\n",
        "</figure>\n<details><summary>The figures</summary><ul>\n");
    put('<li>', bits($_), ': one pair in ', number(sprintf '%.0f', 1 / $share[$_]), "</li>\n") for grep { $share[$_] > 0 } 0 .. 64;
    put("</ul></details>\n");
}

# Links to the groups.
sub contents
{
    my @groups = @_;
    put("<details><summary>Contents</summary><ul>\n");
    for my $number (1 .. @groups) {
        my $group = $groups[ $number - 1 ];
        put("<li><a href=\"#g$number\">", counted($group->{documents}, $group->{kind}), '</a> ', path($group->{path}), "</li>\n");
    }
    put("</ul></details>\n");
}

sub group
{
    my ($group, $number) = @_;
    my @others = @{ $group->{others} };
    put("<section class=\"group\" id=\"g$number\"><h3>", counted($group->{documents}, $group->{kind}), "</h3>\n");
    put("<details><summary>Their paths</summary><ul>\n<li>", path($group->{path}), "</li>\n");
    put('<li>', path($_->{path}), ' <span class="quiet">', $_->{similarity} // '?', "</span></li>\n") for @others;
    put("</ul>\n");
    my $more = $group->{documents} - 1 - @others;
    put('<p class="note">', number($more), " more</p>\n") if $more > 0;
    put("</details>\n");
    put("<p class=\"note\">The differences are left out: this page has grown large.</p>\n") unless defined $group->{text};
    my $open = 1;
    for my $other (grep { defined $_->{text} } @others) {
        if ($written > BYTES) {
            put("<p class=\"note\">The differences are left out: this page has grown large.</p>\n");
            last;
        }
        comparison($group, $other, $open);
        $open = 0;
    }
    put("</section>\n");
}

sub tile
{
    my ($count, $what) = @_;
    put('<li><b>', number($count), "</b>$what</li>\n");
}

sub page
{
    my ($report) = @_;
    put(<<"HTML", style(), "</style>\n</head>\n<body>\n");
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Near-duplicate documents</title>
<style>
HTML
    my $share = 100 * $report->{least};
    put("<h1>Near-duplicate documents</h1>\n<p>Found by the PostgreSQL extension simhash, with an index on their texts: near-copies ",
        "share at least $share % of their sequences of three words. Exact copies were left out before.</p>\n<ul class=\"tiles\">\n");
    tile($report->{documents}, 'documents');
    tile($report->{pairs}, 'pairs of near-copies');
    tile($report->{groups}, 'groups');
    tile($report->{copies}, 'near-copies in them, beside the first document');
    put("</ul>\n");
    put("<h2>Distances of fingerprints</h2>\n");
    put('<p class="false">Of the ', number(sprintf '%.0f', $report->{near}), ' pairs whose fingerprints differ in at most ', RADIUS, ' of 64 bits <b>',
        sprintf('%.0f', 100 * $report->{false} / $report->{near}), " %</b> are false matches: their texts share less than 80 %.</p>\n") if $report->{near} > 0;
    put('<p>Among ', number($report->{documents}), ' documents, a search by fingerprint is expected to find ',
        $report->{chance} <= 16 ? "unrelated ones from about $report->{chance} bits on" : 'no unrelated ones within 16 bits',
        '. That depends on how many documents there are and on what all of them have in common.', "</p>\n");
    histogram($report) if $report->{distances};
    my @groups = @{ $report->{shown} // [] };
    put("<h2>Groups</h2>\n");
    put('<p>',
        @groups < $report->{groups}
        ? counted(scalar @groups, 'group') . ' of ' . number($report->{groups}) . ', the largest and those of each kind in turn. '
        : 'All groups, the largest first and then those of each kind in turn. ',
        'Each begins with its first document, to which the others are compared: the first ', number($report->{compared}),
        " characters of the texts.</p>\n") if @groups;
    put("<p>No two documents are near-copies.</p>\n") unless @groups;
    contents(@groups) if @groups > 1;
    group($groups[$_], $_ + 1) for 0 .. $#groups;
    put("<h2>In SQL</h2>\n<pre>", escaped(<<"SQL"), "</pre>\n");
CREATE EXTENSION simhash;
CREATE INDEX ON page USING simhash (body);
SELECT m.path, l.path AS first, feature_jaccard(m.body, l.body, 'word', 3) AS similarity
FROM (SELECT array_agg(x.id) AS a, array_agg(y.id) AS b FROM page x JOIN page y ON x.body ~= y.body AND x.id < y.id) p,
    simhash_pair_groups(p.a, p.b) g JOIN page m ON m.id = member JOIN page l ON l.id = leader WHERE member <> leader;
SQL
    put('<p class="quiet">simhash ', escaped($report->{version} // ''), ', ', escaped($report->{day} // ''), "</p>\n");
    put("</body>\n</html>\n");
}

binmode STDOUT, ':encoding(UTF-8)';
my $json = do { local $/; <STDIN> };
page(JSON::PP->new->utf8->decode($json));
