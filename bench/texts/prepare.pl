#!/usr/bin/env perl
# Writes texts of public repositories, at fixed commits, for the measurements of bench/: see README.md.
#
#   prepare.pl list               the repositories and commits
#   prepare.pl KIND DIRECTORY     the texts of a kind, as COPY reads them: id doc fam rev repo path words text
#
# DIRECTORY has a clone of each repository, with its history, as owner/name or owner+name; so it does not matter how
# they came there. KIND is one of those in %kinds. Texts are chosen by the MD5 of where they are, so everyone gets the
# same. doc: one file, followed through renames; fam: the same path once folders of versions are removed; rev: number
# of the revision among those chosen.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Encode qw(decode encode);
use IPC::Open2;

my %commits = (
    '18F/handbook' => '1e4955634d0369f17e5bbc0ebbf8f62e2a3dfe4b',
    'DCCouncil/law-xml' => '9123af018003a6666851734d92eb3a81862a0f33',
    'apache/kafka-site' => '49c301385a841f2b5eac00c2fe3971bd5fa24add',
    'apple/swift-evolution' => 'a4e4e8cf4f6ae98737bd45e023e18a2f299a700f',
    'bitcoin/bips' => '7fe0b034ec967b52a5a28276419117326df93263',
    'bundestag/gesetze' => '77abca2ceea3b7b89ea70afb13b5dd55415eb124',
    'cert-manager/website' => '776e5dba56510fc9de84206b806b568447077f25',
    'citusdata/citus' => 'a3d5708a6ae8bc8ed7129f8256b4585c01b917f3',
    'dapr/docs' => '0748da594aae03529034fd4aa1d10d96199df0c1',
    'etcd-io/website' => '824597935df6e95992ef61c07e3222f4f796ca6c',
    'ethereum/EIPs' => 'f767a1e8078e17c9b381a91d35a09492189ede1b',
    'facebook/react-native-website' => '2f3a5ac1cd665031313d115e8c940a22a58332e6',
    'helm/helm-www' => '227f41447a683545325e87aedf10c67096d11004',
    'jestjs/jest' => '52db46e50404c993d3f10dd1481e861cc04ae22e',
    'knative/docs' => 'de125bfad88b6f8f5ff037866a5436d64051898f',
    'kubernetes/community' => '24e7d8f5409c1a0121394a613746e524f781e044',
    'kubernetes/enhancements' => '64765b4b02389318f2113119dd9e491479f978a0',
    'laravel/docs' => '86077535bbfdc2ab29cd9f202ee1ab3e7e6e18e6',
    'linkerd/website' => '93f001753363bba09eafd81e290512f89f4697ed',
    'longhorn/website' => '0f622500d3b8233f6f160932851f7189e3f8ba0e',
    'milvus-io/milvus-docs' => '54a32fdaebb0cd177619e76959d1e842dff3bbb1',
    'pingcap/docs-cn' => 'ae9ab0fd89873986fabc4c8873d77d46ba76f066',
    'python/peps' => 'ba4deeb7969588d937da609008d05bb83a47b1ab',
    'reactjs/react.dev' => '12d692da47e77cdc558b928fcfbaf4e71c6d0cec',
    'redis/redis' => '4f8cdc2a1ea53e42955af758aabffee67cb455dd',
    'rust-lang/book' => '917544888a55e4da7109bdba8c88c893c0da70f4',
    'rust-lang/rfcs' => '354518a8c9025f40be6f730452c1bfe71a12dc22',
    'rust-lang/rustc-dev-guide' => '2cbf04342b4611800be07d4942db42be824cd899',
    'stdlib-js/datasets-spam-assassin' => '1b84d49ab4b28092ead009b3ceeb67ae525289d1',
    'vitessio/website' => 'ad92a7c1ae28a1fd510ab2349f83d72f0f34b3b5',
);

my @manuals = qw(cert-manager/website etcd-io/website facebook/react-native-website jestjs/jest knative/docs linkerd/website
    longhorn/website vitessio/website);
my @revised = grep { !m{^(?:apache/kafka-site|citusdata/citus|pingcap/docs-cn|redis/redis|stdlib-js/)} } sort keys %commits;

my @collections = qw(citusdata/citus jestjs/jest redis/redis python/peps rust-lang/rfcs);
my $heading = qr/^(?:#{1,6} +|title: *)(.+?)(?: *\{#.*)?$/m;

# from: all revisions of files, the files of the commit, their names, or what git log prints of commits. lines: the texts of
# a file. most: texts in all, and in each repository. shortest and longest: in characters.
my %kinds = (
    revisions => { from => 'history', repos => \@revised, files => qr/\.(?:md|mdx|rst|txt|xml|mediawiki|html|adoc)$/,
        words => 200, longest => 63000, most => 15000, each => 1100 },
    manuals => { from => 'tree', repos => \@manuals, files => qr/\.mdx?$/, words => 100, longest => 63000, most => 10000, each => 2000 },
    frames => { from => 'tree', repos => ['apache/kafka-site'], files => qr{javadoc/.*\.html$}, text => \&without_tags, words => 1,
        shortest => 200, longest => 4000, most => 5400 },
    mail => { from => 'tree', repos => ['stdlib-js/datasets-spam-assassin'], files => qr{^data/.*\.txt$}, text => \&mail_body,
        words => 20, longest => 63000, most => 10000 },
    code => { from => 'history', repos => [qw(citusdata/citus jestjs/jest redis/redis)], files => qr/\.(?:c|h|js|ts|tsx)$/,
        words => 50, longest => 63000, most => 10000, each => 4000 },
    cjk => { from => 'history', repos => ['pingcap/docs-cn'], files => qr/\.md$/, words => 20, shortest => 400, longest => 63000,
        most => 8000 },
    titles => { from => '%s', repos => \@collections, words => 3, longest => 200, most => 15000, each => 4000 },
    headings => { from => 'tree', repos => \@manuals, files => qr/\.mdx?$/, lines => $heading, words => 1, shortest => 4,
        longest => 200, most => 15000, each => 4000 },
    laws => { from => 'tree', repos => ['bundestag/gesetze'], files => qr/\.md$/, lines => qr/^Title: *(.+?)$/m, words => 1,
        shortest => 4, longest => 200, most => 15000 },
    chinese => { from => 'tree', repos => ['pingcap/docs-cn'], files => qr/\.md$/, lines => $heading, words => 1, shortest => 4,
        longest => 200, most => 15000 },
    people => { from => '%an', repos => [ @collections, @manuals ], words => 1, shortest => 4, longest => 200, most => 15000 },
    files => { from => 'names', repos => [ @collections, @manuals ], files => qr/./, words => 1, shortest => 4, longest => 200,
        most => 15000, each => 2000 },
);
use constant REVISIONS => 6;    # of a file, at most

sub without_tags
{
    my ($text) = @_;
    $text =~ s/<(script|style)\b.*?<\/\1>//gis;
    $text =~ s/<!--.*?-->//gs;
    $text =~ s/<[^>]*>/ /g;
    $text =~ s/&(?:nbsp|#160);/ /g;
    $text =~ s/&lt;/</g;
    $text =~ s/&gt;/>/g;
    $text =~ s/&amp;/&/g;
    return $text;
}

sub mail_body
{
    my ($text) = @_;
    $text =~ s/^.*?\r?\n\r?\n//s;
    return without_tags($text);
}

sub git
{
    my ($repo, @command) = @_;
    open(my $out, '-|', 'git', '-C', $repo, '-c', 'core.quotePath=false', @command) or die "git: $!\n";
    return $out;
}

# Lists of [path, blob], the revisions of a file in each.
sub tree
{
    my ($repo, $commit, $files) = @_;
    my $out = git($repo, 'ls-tree', '-r', $commit);
    return map { my ($blob, $path) = /^100\d+ blob (\S+)\t(.*)/; defined $path && $path =~ $files ? [ [ $path, $blob ] ] : () } <$out>;
}

sub history
{
    my ($repo, $commit, $files) = @_;
    my $out = git($repo, 'log', '--reverse', '--topo-order', '--no-merges', '--raw', '--no-abbrev', '-M100%', '--format=', $commit);
    my (%at, @all);
    while (<$out>) {
        my ($blob, $status, $path, $to) = /^:\d+ 100\d+ \S+ (\S+) ([AMR])\d*\t([^\t\n]+)(?:\t([^\n]+))?/ or next;
        next if ($to // $path) !~ $files;
        my $file = $status eq 'A' ? undef : $at{$path};
        push @all, $file = [] if !$file;
        $at{$to // $path} = $file;
        push @$file, [ $to // $path, $blob ];
    }
    return @all;
}

# At most so many elements, evenly spaced, the last one included.
sub spread
{
    my ($most, @list) = @_;
    return @list if @list <= $most;
    return map { $list[ int($_ * $#list / ($most - 1) + 0.5) ] } 0 .. $most - 1;
}

sub family
{
    my ($path) = @_;
    my @parts = grep { !/^(?:version-)?v?\d+(?:\.[\dx]+)*(?:-docs)?$|^archives$|^2-edge$/ } split m{/}, $path;
    return join '/', @parts;
}

my ($name, $directory) = @ARGV;
if (@ARGV == 1 && $name eq 'list') {
    print "$_\t$commits{$_}\n" for sort keys %commits;
    exit;
}
my $kind = @ARGV == 2 && $kinds{$name} or die "usage: $0 list | " . join('|', sort keys %kinds) . " DIRECTORY\n";
my (@texts, %seen);
for my $owner_name (@{ $kind->{repos} }) {
    my ($plus) = $owner_name =~ s{/}{+}r;
    my ($repo) = grep { -e } map { ("$directory/$_/repo", "$directory/$_") } $owner_name, $plus;
    die "$directory has no clone of $owner_name\n" if !$repo;
    my $commit = $commits{$owner_name};
    my @found;
    my $keep = sub {
        my ($doc, $family, $revision, $path, $text) = @_;
        $text =~ s/[\s\0]+/ /g;
        $text =~ s/^ | $//g;
        my $words = () = $text =~ /\S+/g;
        return if $words < $kind->{words} || length($text) < ($kind->{shortest} // 0) || length($text) > $kind->{longest};
        return if $seen{ md5_hex(encode('UTF-8', $text)) }++;
        push @found, [ $doc, $family, $revision, $owner_name, $path, $words, $text ];
    };
    my $enough = $kind->{each} // $kind->{most};
    if ($kind->{from} =~ /^%|^names$/) {
        my %text;
        if ($kind->{from} eq 'names') {
            %text = map { my $path = $_->[0][0]; $path => $path =~ s{.*/}{}r } tree($repo, $commit, $kind->{files});
        } else {
            my $out = git($repo, 'log', '--no-merges', "--format=%H%x09$kind->{from}", $commit);
            %text = map { chomp; split /\t/, $_, 2 } <$out>;
        }
        for my $id (sort { md5_hex($a) cmp md5_hex($b) } keys %text) {
            last if @found >= $enough;
            $keep->(md5_hex($id), md5_hex($id), 0, $id, decode('UTF-8', $text{$id}));
        }
    } else {
        my @files = $kind->{from} eq 'history' ? history($repo, $commit, $kind->{files}) : tree($repo, $commit, $kind->{files});
        # A file may have been added several times.
        my %key = map { $_ => md5_hex("$owner_name $_->[0][0] $_->[0][1]") } @files;
        my $pid = open2(my $out, my $in, 'git', '-C', $repo, 'cat-file', '--batch');
        for my $file (sort { $key{$a} cmp $key{$b} } @files) {
            last if @found >= $enough;
            my $revision = 0;
            for my $version (spread(REVISIONS, @$file)) {
                my ($path, $blob) = @$version;
                print $in "$blob\n";
                $in->flush;
                my ($type, $size) = (<$out> // '') =~ /^\S+ (\w+) (\d+)$/;
                next if !defined $size;
                read($out, my $bytes, $size + 1);
                next if $type ne 'blob' || $size > 4 * $kind->{longest} + 100000;
                my $text = decode('UTF-8', substr($bytes, 0, $size));
                $text = $kind->{text}->($text) if $kind->{text};
                my @where = (substr($key{$file}, 0, 12), substr(md5_hex("$owner_name " . family($path)), 0, 12), $revision++, $path);
                $keep->(@where, $_) for $kind->{lines} ? $text =~ /$kind->{lines}/g : $text;
            }
        }
        close $in;
        close $out;
        waitpid $pid, 0;
    }
    printf STDERR "%s: %d texts\n", $owner_name, scalar @found;
    push @texts, @found;
}
# In random order, without those beyond the limit.
@texts = map { $_->[1] } sort { $a->[0] cmp $b->[0] } map { [ md5_hex("$_->[3] $_->[4] $_->[0] $_->[2]"), $_ ] } @texts;
splice @texts, $kind->{most} if @texts > $kind->{most};
binmode STDOUT, ':encoding(UTF-8)';
my $id = 0;
for my $text (@texts) {
    $text->[$_] =~ s/([\\\t\n\r])/ /g for 4, 6;
    print join("\t", ++$id, @$text), "\n";
}
