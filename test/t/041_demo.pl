# The demo: its page escapes what it shows and stays small, and directories that hold little give a clear message.
use strict;
use warnings;
use utf8;
use Encode qw(encode_utf8);
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP ();
use PostgreSQL::Test::Utils;
use Test::More;

my $top = dirname(dirname($FindBin::RealBin));
my $directory = PostgreSQL::Test::Utils::tempdir;
my @elements = qw(html head meta title style body h1 h2 h3 p ul li b i div span figure figcaption section details summary del
  ins small pre a);

# text(seed, words): words from a fixed sequence of random numbers.
sub text
{
    my ($seed, $words) = @_;
    my @word;
    for (1 .. $words) {
        $seed = ($seed * 1103515245 + 12345) % 2**31;
        push @word, 'word' . ($seed >> 16) % 5000;
    }
    return join ' ', @word;
}

sub write_file
{
    my ($path, $text) = @_;
    mkdir dirname($path);
    open(my $file, '>:raw', $path) or die "$path: $!";
    print $file encode_utf8($text);
    close $file;
}

# The page that report.pl makes of one group: a leader and others.
sub report
{
    my (@texts) = @_;
    my $leader = shift @texts;
    my $report = {
        least => 0.8, chance => 8, compared => 40000, documents => 1000, pairs => 1, groups => 1, copies => 8, near => 8, false => 3,
        distances => [ [ 1, 0.001 ], [ 2, 1e-6 ], [ 30, 0.9 ] ], unrelated => [ [ 0, 1e-9 ], [ 1, 1e-7 ], [ 2, 1e-3 ] ],
        shown => [ { kind => 'text file', documents => 1 + @texts, %$leader, others => \@texts } ],
    };
    write_file("$directory/report.json", JSON::PP->new->encode($report));
    mkdir "$directory/differences";
    my ($page, $error);
    IPC::Run::run([ $^X, "$top/demo/report.pl", "$directory/differences" ], '<', "$directory/report.json", '>', \$page, '2>',
        \$error)
      or die $error;
    return $page;
}

# Tags of a page that it should not have: unknown elements, and attributes that load or run something.
sub foreign_tags
{
    my ($page) = @_;
    my $known = join '|', @elements;
    return grep { !m{^(?:!DOCTYPE html|/?(?:$known)(?: [^>]*)?)$} || /\b(?:on\w+|src|href)\s*=(?!"#g\d+")/ } $page =~ /<([^<>]*)>?/g;
}

# Like like(), but without the page in the log.
sub shows
{
    my ($page, $pattern, $name) = @_;
    return ok($page =~ $pattern, $name) || diag("no $pattern in the page");
}

# -- the page ---------------------------------------------------------------------------------------------------

my $evil = qq(<script>alert("1")</script> <img src=x onerror='alert(2)'> & &lt; \x{202e}reversed\x{202c} </del></div>);
my $page = report(
    { path => qq(/tmp/<b onclick="x">&'.txt), text => "one" },
    { path => qq(/tmp/"><script>), text => "$evil two", distance => 1 });
is(join("\n", foreign_tags($page)), '', 'texts and paths are escaped');
shows($page, qr/&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;/, 'and shown');
shows($page, qr/&amp;lt;/, 'entities of the texts are shown as such');
ok($page !~ /\xe2\x80[\xaa-\xae]/, 'characters that reverse the text are not in the page');
ok($page !~ /https?:|url\(|\@import/, 'the page needs nothing else');

$page = report({ path => 'a', text => 'The quick brown fox' }, { path => 'b', text => 'The slow brown fox jumps', distance => 2 });
shows($page, qr{<div>The <del>quick</del> brown fox</div><div>The <ins>slow</ins> brown fox <ins>jumps</ins></div>},
    'differing words are marked');
shows($page, qr{<b>similarity [^:]*</b>, 2 bits apart: 1 word of A and 2 words of B differ}, 'and counted');

$page = report(
    { path => 'a', text => join ' ', text(1, 50), 'left', text(2, 50) },
    { path => 'b', text => join ' ', text(1, 50), 'right', text(2, 50), distance => 0 });
my ($side) = $page =~ m{<div>(word\d+[^<]*<del>left</del>[^<]*)</div>};
is(scalar split(' ', $side =~ s/<[^>]*>//gr), 21, 'with ten words before and after');
shows($page, qr{>40 words the same<}, 'the others are counted');

shows($page, qr{Of the 8 pairs [^<]* 3 of 64 bits <b>38 %</b> are false}, 'the share of false matches is stated');
$page = report({ path => 'a', text => 'pkg -3.2.1 -- it' }, { path => 'b', text => 'pkg -4.2.2 - it', distance => 1 });
shows($page, qr{: 1 word of A and 1 word of B differ}, 'a word with punctuation and digits is one word');
# Of the bars at 1 and 2 bits, only that is drawn as near-duplicates of which chance explains less than half.
is(join(' ', ($page =~ /<i class="(\w+)" style/g)[ 1, 2, 30 ]), 'near chance chance', 'what chance explains is drawn so');
$page = report({ path => 'a', text => 'to be' }, { path => 'b', text => 'to, be', distance => 1 });
shows($page, qr{: 0 words of A and 1 word of B differ}, 'punctuation belongs to its word');
$page = report({ path => 'a', text => 'to - be' }, { path => 'b', text => 'to -- be', distance => 1 });
shows($page, qr{: only punctuation differs}, 'and is no word alone');

$page = report({ path => 'a', text => "one\ntwo" }, { path => 'b', text => 'one two', distance => 0 });
shows($page, qr/the same words/, 'white space is no difference');

my $long = 'x' x 40000;
$page = report({ path => 'a' x 5000, text => $long },
    map { { path => 'b' x 5000, text => $_ % 2 ? 'y' x 40000 : text($_, 5000), distance => 3 } } 1 .. 3);
cmp_ok(length $page, '<', 40000, 'long words, texts and paths are cut');

# Differences with two words between them, as long as are shown.
sub long_words
{
    my ($letter) = @_;
    return join ' ', map { my $n = $_; ("x$n", "y$n", map { $letter x 70 . $n . $_ } 1 .. 20) } 1 .. 25;
}
$page = report({ path => 'a', text => long_words('a') }, map { { path => 'b', text => long_words('b'), distance => 3 } } 1 .. 40);
cmp_ok(length $page, '<', 1_700_000, 'differences are left out of large pages');
shows($page, qr/The differences are left out: this page has grown large/, 'and the page says so');

# -- the page in a browser --------------------------------------------------------------------------------------

# What Chromium, where it is installed, says of a page at two widths: its colors, how much wider it is than the window, and
# the least contrast of a text with its background, as WCAG defines it.
my ($browser) = grep { -x } map { ("$_/chromium", "$_/chromium-browser", "$_/google-chrome") } split /:/, $ENV{PATH};
my $look = <<'HTML';
<!DOCTYPE html><body><pre id="result"></pre><script>
const channels = (color) => color.match(/[\d.]+/g).map(Number);
const luminance = (color) => color.slice(0, 3).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
function background(element) {
    if (!element) return [255, 255, 255];
    const color = channels(getComputedStyle(element).backgroundColor);
    return color[3] === 0 ? background(element.parentElement) : color;
}
async function look(width) {
    const frame = document.createElement('iframe');
    Object.assign(frame, { width, height: 900, src: 'page.html' });
    document.body.append(frame);
    await new Promise((loaded) => frame.onload = loaded);
    const page = frame.contentDocument;
    page.querySelectorAll('details').forEach((details) => details.open = true);
    const texts = [...page.querySelectorAll('body *')].filter((element) => element.getClientRects().length
        && [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\w/.test(node.data)));
    const contrasts = texts.map((element) => [getComputedStyle(element).color, background(element)])
        .map(([text, ground]) => [luminance(channels(text)) + 0.05, luminance(ground) + 0.05])
        .map((pair) => Math.max(...pair) / Math.min(...pair));
    return [luminance(background(page.body)) < 0.2 ? 'dark' : 'light', 'overflow', Math.max(0, page.documentElement.scrollWidth - page.documentElement.clientWidth),
        texts.length > 20 && Math.min(...contrasts) >= 4.5 ? 'readable' : `contrast ${Math.min(...contrasts)}`].join(' ');
}
(async () => { result.textContent = `${await look(360)}, ${await look(1280)}.`; })();
</script>
HTML

sub looked_at
{
    my ($page, $name) = @_;
  SKIP: {
        skip 'Chromium is not installed', 2 unless $browser;
        my $home = PostgreSQL::Test::Utils::tempdir;
        local $ENV{HOME} = $home;
        write_file("$home/look.html", $look);
        open(my $file, '>:raw', "$home/page.html") or die $!;
        print $file $page;
        close $file;
        for my $scheme ([ 'dark', 0 ], [ 'light', 1 ]) {
            my ($dom, $error) = ('', '');
            IPC::Run::run([ 'timeout', '120', $browser, '--headless', '--no-sandbox', '--disable-gpu', '--allow-file-access-from-files',
                    "--user-data-dir=$home/$scheme->[0]", "--blink-settings=preferredColorScheme=$scheme->[1]",
                    '--virtual-time-budget=20000', '--dump-dom', "file://$home/look.html" ], '>', \$dom, '2>', \$error);
            my ($found) = $dom =~ /<pre id="result">([^<.]*)\./;
            my $wanted = "$scheme->[0] overflow 0 readable";
            is($found // $error, "$wanted, $wanted", "$name: $scheme->[0], on a phone and on a screen");
        }
    }
    return;
}
looked_at($page, 'a large page');

# -- directories ------------------------------------------------------------------------------------------------

# demo(directories): exit status, standard output, standard error and the page of a run of the demo.
my $shown = 0;

sub demo
{
    my (@directories) = @_;
    my $report = "$directory/page.html";
    unlink $report;
    my ($output, $error) = ('', '');
    local %ENV = (%ENV, TEXTS => "@directories", REPORT => $report, SHOWN => $shown);
    delete @ENV{qw(KEEP MOST)};
    IPC::Run::run([ 'bash', "$top/demo/run.sh" ], '<', '/dev/null', '>', \$output, '2>', \$error);
    return ($? >> 8, $output, $error, -e $report ? slurp_file($report) : '');
}

my $common = "$evil " . text(3, 600);
write_file("$directory/near/a.txt", "$common one end");
write_file("$directory/near/b.txt", "$common another end");
write_file("$directory/near/<svg onload=x>&c.txt", "$common yet another end");
write_file("$directory/near/$_.txt", text($_, 300)) for 4 .. 9;
# The same words in another order, which fingerprints do not tell apart; and one word of many.
write_file("$directory/near/order.txt", join ' ', reverse split / /, "$common one end");
write_file("$directory/near/long$_.txt", text(10, 3000) . " and $_") for 1, 2;
my ($status, $output, $error);
($status, $output, $error, $page) = demo("$directory/near", "$directory/nowhere");
is($status, 0, 'the demo runs') or diag($output, $error);
is($error, "Warning: cannot read $directory/nowhere, which is left out.\n", 'a missing directory gives a warning');
like($output, qr{in this page, for your browser:\n    \Q$directory/page.html\E$}m, 'the path of the page is printed');
like($output, qr/^DELETE 3$/m, 'the copies can be deleted');
like($output, qr/^Of the 7 pairs within 3 bits 43 % are false/m, 'the share of false matches is printed');
like($output, qr/^INSERT 0 9$/m, 'a constraint on texts keeps a text whose words have another order');
like($output, qr/^INSERT 0 0$/m, 'and kept out');
is(join("\n", foreign_tags($page)), '', 'the page is escaped');
shows($page, qr/<h3>3 text files<\/h3>/, 'it shows the group, without the text whose words have another order');
shows($page, qr/<h3>2 text files<\/h3>/, 'and another');
shows($page, qr/similarity 0\.99<\/b>, [^:]*: 1 word of A and 1 word of B differ/, 'no similarity is rounded up to 1');
shows($page, qr{<b>43 %</b> are false matches}, 'it says what share of matches by fingerprints is false');
shows($page, qr/<a href="#g1">3 text files<\/a>.*<a href="#g2">2 text files<\/a>/s, 'and has a table of contents');
shows($page, qr/&lt;svg onload=x&gt;&amp;c\.txt/, 'with its paths');
looked_at($page, 'the page of the demo');
$shown = 1;
$page = (demo("$directory/near"))[3];
shows($page, qr/1 group of 2, the largest.*<h3>3 text files/s, 'of fewer groups the largest are shown');
$shown = 0;

write_file("$directory/wide/a.txt", text(3, 300));
write_file("$directory/wide/b.txt", text(3, 230) . ' ' . text(5, 70));
write_file("$directory/wide/$_.txt", text($_, 300)) for 4 .. 9;
($status, $output, $error, $page) = demo("$directory/wide");
is($status, 0, 'without near-duplicates it runs, too') or diag($output, $error);
like($output, qr/^No two documents share 80 % of .*\n(?:.*\n)*.*text_ball\(y\.body, 0\.5\)/m, 'the similarity is lowered');
shows($page, qr/<h3>2 text files<\/h3>/, 'to find a pair');

write_file("$directory/apart/$_.txt", text($_, 300)) for 4 .. 9;
($status, $output, $error, $page) = demo("$directory/apart");
is($status, 0, 'without any pairs it runs, too') or diag($output, $error);
like($output, qr/share 50 % of their sequences of three words\.\nThey have little in common\. Try more texts/, 'and says so');
shows($page, qr/No two documents are near-copies/, 'also in the page');

write_file("$directory/same/$_.txt", text(4, 300)) for 1, 2;
($status, $output, $error) = demo("$directory/same");
is($status, 1, 'copies of one text are not enough');
like($error, qr/needs two different texts of at least 200 characters; it found 1/, 'the message says so');

write_file("$directory/one/a.txt", text(4, 300));
($status, $output, $error) = demo("$directory/one");
is($status, 1, 'one file is not enough');
like($error, qr/^The demo needs two text files or more; there are 1 in /m, 'the message says so');

mkdir "$directory/empty";
($status, $output, $error) = demo("$directory/empty");
is($status, 1, 'an empty directory fails');
like($error, qr/^The demo needs two text files or more; there are 0 in \Q$directory\E\/empty\.$/m, 'the message names it');

($status, $output, $error) = demo("$directory/nowhere");
is($status, 1, 'no directory at all fails');
like($error, qr/^None of the directories of TEXTS can be read\.$/m, 'the message says so');
done_testing();
