#!/usr/bin/env perl
# Reads file names from standard input, one per line, and writes their text as rows for COPY: path, kind, body.
# Tags of HTML and the markup of manual pages are removed; files that are not text are skipped.
use strict;
use warnings;
use Compress::Zlib ();
use Unicode::Normalize qw(NFC);

use constant {
    SHORTEST => 200,       # characters; shorter texts are stubs
    LONGEST  => 100_000,   # characters; longer ones, changelogs mostly, are cut
};

my %entity = (lt => '<', gt => '>', amp => '&', quot => '"', apos => "'", nbsp => ' ');

sub content
{
    my ($path) = @_;
    open(my $file, '<:raw', $path) or return;
    my $data = do { local $/; <$file> };
    return unless defined $data;
    if (substr($data, 0, 2) eq "\x1f\x8b") {
        $data = Compress::Zlib::memGunzip($data);
        return unless defined $data;
    }
    # Text has no NUL, and no other control characters near its start.
    return if substr($data, 0, 8192) =~ /[\x00-\x06\x0e-\x1a]/ || index($data, "\0") >= 0;
    utf8::upgrade($data) unless utf8::decode($data);    # anything that is not UTF-8 is read as Latin-1
    return $data;
}

sub html_text
{
    my ($text) = @_;
    $text =~ s/<!--.*?-->//gs;
    $text =~ s/<(script|noscript|style|head|nav|header|footer)\b.*?<\/\1\s*>//gis;
    $text =~ s/\s*\n\s*/ /g unless $text =~ /<pre/i;
    $text =~ s/<\/?(?:p|div|br|li|tr|h\d|pre|table|ul|ol|dl|dt|dd|section|body)\b[^>]*>/\n/gi;
    $text =~ s/<[^>]*>//g;
    $text =~ s/&#(\d{1,6});/chr($1)/ge;
    $text =~ s/&#x([0-9a-f]{1,5});/chr(hex $1)/gie;
    $text =~ s/&(\w+);/$entity{$1} \/\/ ''/ge;
    return $text;
}

my %glyph = (aq => "'", dq => '"', lq => '"', rq => '"', oq => "'", cq => "'", bu => '*', em => '--', en => '-',
    ss => "\x{df}", ha => '^', ti => '~', rs => '\\', bv => '|', co => '(c)', mi => '-', hy => '-', '>=' => '>=', '<=' => '<=');

my %accent = (':' => "\x{308}", "'" => "\x{301}", '`' => "\x{300}", '^' => "\x{302}", '~' => "\x{303}", ',' => "\x{327}");

sub glyph
{
    my ($name) = @_;
    return $glyph{$name} if exists $glyph{$name};
    return chr(hex $1) if $name =~ /^u([0-9A-F]{4,5})$/;
    return NFC($2 . $accent{$1}) if $name =~ /^([:'`^~,])([A-Za-z])$/;
    return '';
}

sub manual_text
{
    my ($source) = @_;
    my $text = '';
    my $definition = 0;
    for my $line (split /\n/, $source) {
        if ($definition) {
            $definition = 0 if $line =~ /^\.\.\s*$/;
            next;
        }
        if ($line =~ /^['.]\s*(?:de|ig|am)\b/) {
            $definition = 1;
            next;
        }
        # Requests that print nothing; then comments.
        next if $line =~ /^['.]\s*(?:ie|el|if|ds|nr|tr|rm|so|TH|Dd|Os|hw|ad|nh|ft|ta|ps|pc|rr|rn|als|do|IX)\b/;
        next if $line =~ /^['.]\s*(?:RS|RE|TP|sp|in|ne|nf|fi|PP|P|LP|br|Sp|Vb|Ve|HP|PD|Pp|El|Bl|Ed|Bd|tm|ce)\b/;
        next if $line =~ /^['.]?\s*(?:\\[\"#}]|$)/;
        $line =~ s/ -?\d+$// if $line =~ /^\.\s*IP\b/;
        my $request = $line =~ s/^['.]\s*([A-Za-z]{1,3})\b\s*// ? $1 : '';
        $line =~ s/(?<!\\)"//g if $request ne '';
        if (index($line, '\\') >= 0) {
            $line =~ s/\\["#].*//;
            $line =~ s/\\f(?:\(..|\[[^\]]*\]|.)//g;
            $line =~ s/\\(?:\((..)|\[([^\]]*)\])/glyph($1 \/\/ $2)/ge;
            $line =~ s/\\\*(?:\(..|\[[^\]]*\]|.)//g;
            $line =~ s/\\s[-+]?\d//g;
            $line =~ s/\\[&|^%:)\/,cp]//g;
            $line =~ s/\\-/-/g;
            $line =~ s/\\e/\\/g;
            $line =~ s/\\(.)/$1/g;
        }
        if ($request =~ /^(?:SH|SS|Sh|Ss)$/) { $text .= "\n$line\n" }
        elsif ($request =~ /^(?:BR|IR|RB|RI|BI|IB)$/ && $line =~ /^(\S+) (\S*)$/) { $text .= "$1$2\n" }
        elsif ($line ne '') { $text .= "$line\n" }
    }
    return $text;
}

sub kind
{
    my ($path) = @_;
    return 'manual page' if $path =~ m{/man/(?:[^/]+/)?man\w+/[^/]+$};
    return 'HTML page' if $path =~ /\.x?html?(?:\.gz)?$/i;
    return 'copyright file' if $path =~ m{/(?:copyright|LICEN[SC]E|COPYING)[^/]*$};
    return 'changelog' if $path =~ m{/(?:changelog|changes|news)[^/]*$}i;
    return 'source file' if $path =~ /\.(?:h|hpp|c|cc|cpp|py|pm|pl|pod|js|sh|rs|go|java)(?:\.gz)?$/;
    return 'text file';
}

binmode STDOUT, ':encoding(UTF-8)';
# With their number as an argument, a mark goes to descriptor 3 at each tenth of the paths.
my ($total, $tenths, $marks) = (shift(@ARGV) // 0, 0, undef);
if ($total > 0) { open($marks, '>&=', 3) or die "descriptor 3: $!\n" }
while (my $path = <STDIN>) {
    for (; $total > 0 && $tenths < 10 && $. * 10 >= $total * ($tenths + 1); $tenths++) {
        syswrite $marks, 10 * ($tenths + 1) . ' % ';
    }
    chomp $path;
    next if $path =~ /[\\\t]/ || !utf8::decode(my $name = $path);
    my $text = content($path) // next;
    $text = substr($text, 0, LONGEST) if length $text > LONGEST;
    my $kind = kind($path);
    $text = $kind eq 'HTML page' ? html_text($text) : $kind eq 'manual page' ? manual_text($text) : $text;
    $text =~ tr/\t\r\f\x{a0}/ /;
    $text =~ tr/\x{0}-\x{9}\x{b}-\x{1f}\x{d800}-\x{dfff}//d;
    $text =~ tr/ //s;
    $text =~ s/ \n/\n/g;
    $text =~ s/\n /\n/g;
    $text =~ s/\n\n\n+/\n\n/g;
    $text =~ s/^\s+//;
    $text =~ s/\s+$//;
    next if length $text < SHORTEST;
    $text =~ s/\\/\\\\/g;
    $text =~ s/\n/\\n/g;
    print "$name\t$kind\t$text\n";
}
