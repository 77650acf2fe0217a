# simhash_index_check(…, true) compares entries with the rows that they lead to: it finds an entry that leads to another
# row, and reports no false errors.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

# The test damages files; clusters of PostgreSQL 18 have checksums by default.
my ($version) = `pg_config --version` =~ /(\d+)/;
my $node = start_node('main', settings => ['autovacuum = off'], initdb => $version >= 18 ? ['--no-data-checksums'] : []);
prepare_database($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id int, kind int, h simhash) WITH (fillfactor = 50);
INSERT INTO page SELECT n, n % 2, CASE WHEN n % 9 > 0 THEN fingerprint(n) END FROM generate_series(1, 300) AS n;
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 1);
CREATE INDEX page_odd ON page USING simhash (h) WITH (trees = 1) WHERE kind = 1;
CREATE INDEX page_expression ON page USING simhash ((hashint8extended(h::bigint, 1)::simhash)) WITH (trees = 1);
CREATE INDEX page_several ON page USING simhash (kind, h) WITH (trees = 1);
CREATE INDEX page_text ON page USING simhash ((h::text)) WITH (trees = 1);
CREATE INDEX page_ball ON page USING simhash (simhash_ball(h, 3)) WITH (trees = 1);
SQL

sub all_sound
{
    my ($name) = @_;
    index_is_sound($node, $_, "$name: $_") for qw(page_h page_odd page_expression page_several page_text page_ball);
    return;
}

all_sound('new');
$node->safe_psql('postgres', 'UPDATE page SET id = id + 1000');
all_sound('HOT chains');
$node->safe_psql('postgres', 'UPDATE page SET h = fingerprint(id + 5000) WHERE id % 3 = 0; DELETE FROM page WHERE id % 7 = 0');
all_sound('dead rows');
$node->psql('postgres', 'BEGIN; INSERT INTO page SELECT n, 1, fingerprint(n) FROM generate_series(1, 50) AS n; ROLLBACK');
all_sound('aborted rows');
$node->safe_psql('postgres', 'VACUUM page; INSERT INTO page SELECT n, 1, fingerprint(n) FROM generate_series(9001, 9050) AS n');
all_sound('reused places');
$node->safe_psql('postgres', 'UPDATE page SET kind = 1 - kind WHERE id % 5 = 0');
all_sound('rows that left the partial index');

# Each index is a root leaf with free space: adds an entry to block 1, for the first row that meets a condition or for a
# tid.
sub add_entry
{
    my ($index, $fingerprint, $row) = @_;
    my ($path, $ctid, $bits) = map { $node->safe_psql('postgres', $_) } "SELECT pg_relation_filepath('$index')",
      $row =~ /^\(/ ? "SELECT '$row'::tid" : "SELECT ctid FROM page WHERE $row LIMIT 1", "SELECT ($fingerprint)::bigint";
    my ($block, $offset) = $ctid =~ /\((\d+),(\d+)\)/;
    $node->stop;
    open my $file, '+<:raw', $node->data_dir . "/$path" or die "$path: $!";
    read $file, my $meta, 8192;
    my $blocks = unpack 'C', substr($meta, 34, 1);
    my @bit = unpack 'C64', substr($meta, 708, 64);
    my @first = (0);
    push @first, $first[-1] + $_ for my @width = unpack "C$blocks", substr($meta, 36, $blocks);
    my @source = map { my $of = $_; map { $bit[ $first[$of] + $_ ] } 0 .. $width[$of] - 1 } unpack "C$blocks", substr($meta, 134, $blocks);
    read $file, my $page, 8192;
    # The key in the first table, and a tid of four bytes.
    my $key = 0;
    $key |= ($bits >> $source[$_] & 1) << (63 - $_) for 0 .. 63;
    my $lower = unpack 'S', substr($page, 12, 2);
    substr($page, $lower, 12) = pack 'QL', $key, $block << 9 | $offset;
    substr($page, 12, 2) = pack 'S', $lower + 12;
    seek $file, 8192, 0;
    print $file $page;
    close $file;
    $node->start;
    return;
}

sub check_finds
{
    my ($index, $fault, $name) = @_;
    my ($status, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT simhash_index_check('$index')");
    is($status, 0, "$name: the tree alone is sound");
    (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT simhash_index_check('$index', true)");
    like($error, qr/XX002: index "$index" is corrupted at block 1\n.*$fault.*\nHINT: .*REINDEX/, "$name: the check says so");
    return;
}

$node->safe_psql('postgres', 'VACUUM FULL page');
# a row that is never updated again, so that its tid is that of its entry
add_entry('page_h', 'fingerprint(77777)', 'h IS NOT NULL AND id > 9000');
is($node->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM page WHERE h <@> fingerprint(77777) <= 0"),
    1, 'a foreign entry: searches cannot detect it');
check_finds('page_h', 'fingerprint differs from that of its row', 'an entry of another fingerprint');
add_entry('page_expression', 'fingerprint(77778)', 'h IS NULL');
check_finds('page_expression', 'fingerprint differs from that of its row', 'an entry for a NULL');
for my $index (qw(page_several page_text page_ball)) {
    add_entry($index, 'fingerprint(77777)', 'h IS NOT NULL AND id > 9000');
    check_finds($index, 'fingerprint differs from that of its row', "$index: an entry of another value");
    is($node->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM page WHERE simhash_ball(h, 3) ~= simhash_ball(fingerprint(77777), 0)"),
        0, "$index: rows are checked again") if $index eq 'page_ball';
}
add_entry('page_odd', 'fingerprint(77779)', 'kind = 0 AND h IS NOT NULL');
check_finds('page_odd', 'that should not be indexed', 'an entry of a row outside of the predicate');

# The offset is that of a line pointer but of no row, and a bitmap cannot hold it.
add_entry('page_h', 'fingerprint(77780)', '(0,292)');
for my $scan ('SET enable_indexscan = off; SET enable_seqscan = off', 'SET enable_bitmapscan = off; SET enable_seqscan = off') {
    my (undef, undef, $error) =
      $node->psql('postgres', "\\set VERBOSITY verbose\n$scan; SELECT count(id) FROM page WHERE h <@> fingerprint(77780) <= 0");
    like($error, qr/XX002: index "page_h" is corrupted at block 1\n.*invalid tid/, "an offset that no row has: $scan");
}
(undef, undef, my $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nDELETE FROM page WHERE h IS NULL;\nVACUUM (INDEX_CLEANUP on) page");
like($error, qr/XX002: index "page_h" is corrupted at block 1\n.*invalid tid/, 'an offset that no row has: VACUUM');

$node->safe_psql('postgres', 'REINDEX TABLE page');
all_sound('after REINDEX');

# A search misses rows if the end of a sub-range of a leaf is before that of the one before.
$node->safe_psql('postgres', 'CREATE TABLE ranges AS SELECT n AS id, fingerprint(n) AS h FROM generate_series(1, 10000) AS n;
    CREATE INDEX ranges_h ON ranges USING simhash (h)');
index_is_sound($node, 'ranges_h', 'ranges_h: sound');
my $ranges = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('ranges_h')");
$node->stop;
open my $leaves, '+<:raw', $ranges or die "$ranges: $!";
for (my $at = 8192; ; $at += 8192) {
    seek $leaves, $at, 0;
    read $leaves, my $leaf, 8192 or die 'no leaf with sub-ranges';
    # The layout after the header of the page and the prefix; the ends, of which one in the middle becomes 0.
    my ($prefix_bits, $tid_bytes, $offset_bits) = unpack 'C3', substr($leaf, 32, 3);
    next if $prefix_bits > 60 || $prefix_bits % 8 == 0 || $prefix_bits % 8 > 4 || $tid_bytes != 4 || $offset_bits != 9;
    next if unpack('S', substr($leaf, 36 + 2 * 7, 2)) == 0;
    seek $leaves, $at + 36 + 2 * 8, 0;
    print $leaves pack 'S', 0;
    last;
}
close $leaves;
$node->start;
(undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT simhash_index_check('ranges_h')");
like($error, qr/XX002: index "ranges_h" is corrupted at block \d+\n.*sub-ranges of the leaf are out of order/, 'the end of a sub-range');
$node->safe_psql('postgres', 'DROP TABLE ranges');

# Rows that an index lacks.
prepare_signatures($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE lacking (id int, h simhash, s bit(100));
INSERT INTO lacking SELECT n, fingerprint(n), signature(n, 100) FROM generate_series(1, 500) AS n;
CREATE INDEX lacking_h ON lacking USING simhash (h);
CREATE INDEX lacking_s ON lacking USING simhash (s);
SQL
my $ready = q{UPDATE pg_index SET indisready = %s WHERE indexrelid IN ('lacking_h'::regclass, 'lacking_s'::regclass)};
for my $value ('1, fingerprint(1), signature(1, 100)', '2, NULL, NULL') {
    index_is_sound($node, $_, "$_: sound") for qw(lacking_h lacking_s);
    $node->safe_psql('postgres', sprintf($ready, 'false'));
    $node->safe_psql('postgres', "INSERT INTO lacking VALUES ($value)");
    $node->safe_psql('postgres', sprintf($ready, 'true'));
    for my $index (qw(lacking_h lacking_s)) {
        my (undef, undef, $error) = $node->psql('postgres', "SELECT simhash_index_check('$index', true)");
        like($error, qr/index "$index" lacks an entry for a row\nDETAIL:  The row at \(\d+,\d+\) is missing from/, "$index: lacks a row");
        $node->safe_psql('postgres', "REINDEX INDEX $index");
    }
}

# What a sum over the entries might not tell: they cancel, are in one table only, or are hidden among entries of dead rows.
# The rows that were inserted after the build are in the bag of each root leaf, 12 bytes each: a key and a tid.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE exact (id int, h simhash, s bit(100));
INSERT INTO exact SELECT n, fingerprint(n), signature(n, 100) FROM generate_series(1, 40) AS n;
CREATE INDEX exact_h ON exact USING simhash (h) WITH (trees = 2);
CREATE INDEX exact_s ON exact USING simhash (s) WITH (trees = 2);
INSERT INTO exact SELECT n, fingerprint(n), signature(n, 100) FROM generate_series(41, 60) AS n;
INSERT INTO exact SELECT n, NULL, NULL FROM generate_series(61, 63) AS n;
DELETE FROM exact WHERE id % 10 = 5; -- whose entries stay
SQL
index_is_sound($node, $_, "$_: sound") for qw(exact_h exact_s);

# Returns what queries say of the damaged index: those given, or the two checks.
sub with_damage
{
    my ($index, $edit, @queries) = @_;
    @queries = map { "SELECT incomplete_splits FROM simhash_index_check('$index'$_)" } '', ', true' if !@queries;
    my $path = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('$index')");
    $node->stop;
    my $image = slurp_file($path);
    my $write = sub { open my $out, '>:raw', $path or die "$path: $!"; print $out $_[0]; close $out; return };
    $write->($edit->($image));
    $node->start;
    my @answer = map { my (undef, $out, $error) = $node->psql('postgres', $_); $out . $error } @queries;
    $node->stop;
    $write->($image);
    $node->start;
    return @answer;
}

my $lower = sub { my ($image, $block) = @_; return unpack 'S', substr($image, $block * 8192 + 12, 2) };
# Rows 41 to 60 in table 2, the block of whose root is 2; entry 0 is that of row 41.
my $entry = sub { my ($image, $i) = @_; my $at = 2 * 8192 + $lower->($image, 2) - 12 * (20 - $i); return ($at, unpack 'QL', substr($image, $at, 12)) };
my $change = sub {
    my (@changes) = @_;
    return sub {
        my ($image) = @_;
        for (@changes) {
            my ($i, $edit) = @$_;
            my ($at, $key, $tid) = $entry->($image, $i);
            substr($image, $at, 12) = pack 'QL', $edit->($key, $tid);
        }
        return $image;
    };
};
my ($differs, $lacks) = ('fingerprint differs from that of its row', 'lacks an entry for a row\n.*missing from tree 2 of 2');
my %fault = (
    'a lost entry' => [ $lacks, sub { my ($image) = @_; substr($image, 2 * 8192 + 12, 2) = pack 'S', $lower->($image, 2) - 12; return $image } ],
    'a key' => [ $differs, $change->([ 3, sub { ($_[0] ^ 1 << 20, $_[1]) } ]) ],
    'keys that cancel in a sum' => [ $differs, $change->([ 3, sub { ($_[0] + 1, $_[1]) } ], [ 5, sub { ($_[0] - 1, $_[1]) } ]) ],
    'highest bits that cancel' => [ $differs, $change->(map { [ $_, sub { ($_[0] ^ 1 << 63, $_[1]) } ] } 3, 5) ],
    'tids that cancel in a sum' => [ "$differs|$lacks", $change->([ 3, sub { ($_[0], $_[1] + 1) } ], [ 5, sub { ($_[0], $_[1] - 1) } ]) ],
    'the tid of a dead row' => [ $lacks, $change->([ 3, sub { ($_[0], $_[1] + 1) } ]) ],
    'the tid of no row' => [ $lacks, $change->([ 3, sub { ($_[0], 200) } ]) ],
    'the entry of another row, twice' => [ 'holds an entry twice', sub { my ($image) = @_; my ($from) = $entry->($image, 3); my ($to) = $entry->($image, 5);
        substr($image, $to, 12) = substr($image, $from, 12); return $image } ],
    'swapped tids' => [ $differs, sub { my ($image) = @_; my ($from) = $entry->($image, 3); my ($to) = $entry->($image, 5);
        (substr($image, $from + 8, 4), substr($image, $to + 8, 4)) = (substr($image, $to + 8, 4), substr($image, $from + 8, 4)); return $image } ]);
for my $name (sort keys %fault) {
    my ($fault, $edit) = @{ $fault{$name} };
    my ($tree, $all) = with_damage('exact_h', $edit);
    like($all, qr/$fault/, "one table has $name");
    like($tree, qr/twice|^0$/, "one table has $name: the tree alone is sound");
}

# The same of a store: the tids lie before the last 40 bytes of the page of signatures, 6 bytes each, the first one last.
my $store = sub {
    my ($image, @slots) = @_;
    my ($body) = grep { unpack('S', substr($image, $_ * 8192 + 8192 - 10, 2)) & 64 } 0 .. length($image) / 8192 - 1;
    return map { $body * 8192 + 8192 - 40 - 6 * ($_ + 1) } @slots;
};
my ($of_row, $no_row) = ('signature differs from that of its row', 'lacks an entry for a row\n.*missing from the signature store');
%fault = (
    'swapped tids' => [ $of_row, sub { my ($image) = @_; my ($a, $b) = $store->($image, 3, 5);
        (substr($image, $a, 6), substr($image, $b, 6)) = (substr($image, $b, 6), substr($image, $a, 6)); return $image } ],
    'a repeated tid' => [ $of_row, sub { my ($image) = @_; my ($a, $b) = $store->($image, 3, 5); substr($image, $a, 6) = substr($image, $b, 6); return $image } ],
    'the tid of a dead row' => [ $no_row, sub { my ($image) = @_; my ($a, $b) = $store->($image, 3, 4); substr($image, $a, 6) = substr($image, $b, 6); return $image } ],
    'the tid of no row' => [ $no_row, sub { my ($image) = @_; my ($a) = $store->($image, 3); substr($image, $a + 4, 2) = pack 'S', 200; return $image } ]);
for my $name (sort keys %fault) {
    my ($fault, $edit) = @{ $fault{$name} };
    like((with_damage('exact_s', $edit))[1], qr/$fault/, "a signature store has $name");
}
# Entries of a signature's tree, which the store tells.
like((with_damage('exact_s', sub { my ($image) = @_;
    my $words = unpack('S', substr($image, 3 * 8192 - 10, 2)) & 128 ? 2 : 1;
    substr($image, 2 * 8192 + 12, 2) = pack 'S', $lower->($image, 2) - 8 * $words - unpack 'C', substr($image, 2 * 8192 + 33, 1); return $image }))[1],
    qr/$lacks/, 'a tree of signatures lacks an entry');

# The prefix of leaves that are full of one key is another one's: so many keys of other cells that a search of pairs has no
# room for them. It finds that out before it compares any.
$node->safe_psql('postgres', "CREATE TABLE repeated AS SELECT n AS id, '00ff00ff00ff00ff'::simhash AS h FROM generate_series(1, 150000) AS n;
    CREATE INDEX repeated_h ON repeated USING simhash (h)");
my ($joined) = with_damage('repeated_h', sub { my ($image) = @_;
    for my $block (30 .. 90) {
        my $prefix = $block * 8192 + 24;
        vec($image, $prefix + 7, 8) ^= 0x40 if unpack('C', substr($image, $prefix + 8, 1)) > 8;
    }
    return $image },
    "SET statement_timeout = '60s'; SET work_mem = '4MB'; SELECT count(*) FROM simhash_pair_sample('repeated_h', 'id::text', 3)");
like($joined, qr/An entry lies outside the leaf's key range/, 'a search of pairs finds keys of another range');
$node->safe_psql('postgres', 'DROP TABLE repeated');

# A circle of pages: the last one of a list's chain leads to the first. Nothing but the length of the chain tells, of which
# only some numbers are compared, and these at any length of the index. The list is 20 bytes before the end of a page, and
# the next page 24.
for my $rows (300, 1500) {
    $node->safe_psql('postgres', "DROP TABLE IF EXISTS chained; CREATE TABLE chained (id int, s bit(1000));
        INSERT INTO chained SELECT n, flipped_signature(signature(n % 2, 1000), n, (n % 40)::int) FROM generate_series(1, $rows) AS n;
        CREATE INDEX chained_s ON chained USING simhash (s) WITH (trees = 0, lists = 2)");
    index_is_sound($node, 'chained_s', "$rows rows in lists: sound");
    my $near = $node->safe_psql('postgres', 'SELECT signature(0, 1000)');
    my @answer = with_damage('chained_s', sub { my ($image) = @_;
        my %page;
        for my $block (1 .. length($image) / 8192 - 1) {
            next if !(unpack('S', substr($image, $block * 8192 + 8192 - 10, 2)) & 64);
            my ($next, $list) = unpack 'LL', substr($image, $block * 8192 + 8192 - 24, 8);
            $page{$list}{$block} = $next;
        }
        for my $chain (values %page) {
            my %led = map { $_ => 1 } values %$chain;
            my ($first) = grep { !$led{$_} } keys %$chain;
            my ($last) = grep { $chain->{$_} == 0xFFFFFFFF } keys %$chain;
            substr($image, $last * 8192 + 8192 - 24, 4) = pack 'L', $first;
        }
        return $image },
        map { "SET statement_timeout = '30s'; SET enable_seqscan = off; $_" } "SELECT simhash_index_check('chained_s')",
        "SELECT count(*) FROM (SELECT FROM chained ORDER BY s <@> signature_nearest(B'$near', 0.9, 10) LIMIT 10) AS near",
        'DELETE FROM chained WHERE id > 20; VACUUM (INDEX_CLEANUP ON) chained', 'INSERT INTO chained SELECT n, signature(n, 1000) FROM generate_series(0, 1) AS n');
    is($answer[3], '', "$rows rows: the first pages stay in their lists");
    like($answer[$_], qr/The pages of a list form a circle/, "$rows rows: " . ('the check', 'a search', 'VACUUM')[$_] . ' finds a circle') for 0 .. 2;
}

# The first page of each list does not lead to the others.
like((with_damage('chained_s', sub { my ($image) = @_;
    for my $block (1 .. length($image) / 8192 - 1) {
        my $from = $block * 8192 + 8192 - 24;
        next if !(unpack('S', substr($image, $from + 14, 2)) & 64) || substr($image, $from + 4, 4) eq "\xFF" x 4;
        substr($image, $from, 4) = pack 'L', 0xFFFFFFFF;
    }
    return $image }))[0], qr/The page is not in the chain of its list/, 'pages of a list are in no chain');

# Bits of used slots on a plane page: of a row, of a slot that VACUUM has freed, and of one that was never used.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE slots (id int, s bit(100));
INSERT INTO slots SELECT n, signature(n, 100) FROM generate_series(1, 100) AS n;
CREATE INDEX slots_s ON slots USING simhash (s);
DELETE FROM slots WHERE id = 50;
VACUUM slots;
SQL
index_is_sound($node, 'slots_s', 'slots_s: sound');
my $file = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('slots_s')");
$node->stop;
my $image = slurp_file($file);
# The flags are 10 bytes before the end; 32 is a plane page.
my ($plane) = grep { unpack('S', substr($image, $_ * 8192 + 8192 - 10, 2)) & 32 } 0 .. length($image) / 8192 - 1;
my $used = $plane * 8192 + unpack 'S', substr($image, $plane * 8192 + 14, 2);
is(unpack('%32b*', substr($image, $used, 13)), 99, 'the bits of 99 rows');
for ([ 20, 'one of two pages only', 'a row' ], [ 49, 'one of two pages only', 'a freed slot' ], [ 101, 'without a sketch', 'a new slot' ]) {
    my ($slot, $fault, $name) = @$_;
    my $damaged = $image;
    substr($damaged, $used + int($slot / 8), 1) ^= chr(1 << $slot % 8);
    open my $out, '>:raw', $file or die "$file: $!";
    print $out $damaged;
    close $out;
    $node->start;
    my (undef, undef, $error) = $node->psql('postgres', "SELECT simhash_index_check('slots_s')");
    like($error, qr/index "slots_s" is corrupted at block \d+\n.*$fault/, "a wrong bit of $name");
    $node->stop;
}

done_testing();
