# An index file that is damaged on disk: searches give the answers of a sequential scan or report the corruption,
# writers and VACUUM report it or continue, nothing crashes or hangs, and simhash_index_check finds all damage that
# matters.
#
# Each round copies a database, damages one index in the copy before anything has read it, and uses it. SEED
# chooses others; TEST_SECONDS is its length; DAMAGE="child,high" uses only these kinds.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use SimhashTest;

begin_random();

my ($version) = `pg_config --version` =~ /(\d+)/;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => $version >= 18 ? ['--no-data-checksums'] : []);
$node->append_conf('postgresql.conf', "jit = off\nautovacuum = off\nstatement_timeout = '20s'\n");
$node->start;
prepare_database($node);
prepare_signatures($node);

# Four tables: a small one with every kind of row, one with an inner level between root and leaves, and two with
# signatures, whose indexes have a store, with trees or with lists alone.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE small (id int, h simhash) WITH (autovacuum_enabled = off);
INSERT INTO small SELECT n, CASE WHEN n % 5 = 0 THEN NULL WHEN n % 7 = 0 THEN fingerprint(7) ELSE fingerprint(n) END
    FROM generate_series(1, 6000) AS n;
CREATE INDEX small_h ON small USING simhash (h) WITH (trees = 2);
DELETE FROM small WHERE id % 11 = 0; -- whose entries stay
CREATE TABLE tall (id int, h simhash) WITH (autovacuum_enabled = off);
INSERT INTO tall SELECT n, fingerprint(n) FROM generate_series(1, 140000) AS n;
CREATE INDEX tall_h ON tall USING simhash (h) WITH (trees = 1, fillfactor = 50);
CREATE TABLE signed (id int, h bit(260)) WITH (autovacuum_enabled = off);
INSERT INTO signed SELECT n, CASE WHEN n % 5 = 0 THEN NULL WHEN n % 7 = 0 THEN signature(7, 260) ELSE signature(n, 260) END
    FROM generate_series(1, 6000) AS n;
CREATE INDEX signed_h ON signed USING simhash (h) WITH (trees = 4);
DELETE FROM signed WHERE id % 11 = 0;
CREATE TABLE listed (id int, h bit(260)) WITH (autovacuum_enabled = off);
INSERT INTO listed SELECT n, CASE WHEN n % 50 > 0 THEN flipped_signature(signature(n % 9, 260), n, (n % 40)::int) END FROM generate_series(1, 4000) AS n;
CREATE INDEX listed_h ON listed USING simhash (h) WITH (trees = 0, lists = 9);
INSERT INTO listed SELECT n, flipped_signature(signature(n % 9, 260), n, (n % 40)::int) FROM generate_series(4001, 6000) AS n;
DELETE FROM listed WHERE id % 11 = 0;
ANALYZE;

-- A value of the table's column.
CREATE FUNCTION value(indexed text, n bigint) RETURNS text LANGUAGE sql AS
$$ SELECT quote_literal(CASE WHEN indexed IN ('signed', 'listed') THEN signature(n, 260)::text ELSE fingerprint(n)::text END) ||
    CASE WHEN indexed IN ('signed', 'listed') THEN '::bit(260)' ELSE '::simhash' END $$;

CREATE TABLE search (number int GENERATED ALWAYS AS IDENTITY, indexed text, settings text, query text, part bool, answer text);
CREATE FUNCTION add_search(indexed text, settings text, query text, part bool DEFAULT false) RETURNS void LANGUAGE sql AS
$$ INSERT INTO search (indexed, settings, query, part) VALUES (indexed, settings, query, part) $$;
-- An answer is a hash of the rows, or the rows themselves for a search by weights, which need not find all.
DO $$
DECLARE
    indexed text;
    h text;
BEGIN
    FOREACH indexed IN ARRAY ARRAY['small', 'tall'] LOOP
        FOR h IN SELECT quote_literal(flipped(fingerprint(n * 37 + 1), n, n % 4)) FROM generate_series(1, 12) AS n LOOP
            PERFORM add_search(indexed, 'bitmapscan', format('SELECT id FROM %s WHERE h <@> %s <= 3', indexed, h));
            PERFORM add_search(indexed, 'indexscan', format('SELECT id FROM %s WHERE h <@> %s <= 8', indexed, h));
            PERFORM add_search(indexed, 'bitmapscan', format('SELECT h <@> %s FROM (SELECT h FROM %s ORDER BY h <@> %s LIMIT 5) AS near', h, indexed, h));
            PERFORM add_search(indexed, 'bitmapscan',
                format('SELECT id FROM %s WHERE h <@| simhash_ball(to_simhash_weights(%L), 6, 0.9)', indexed, md5(h)), true);
        END LOOP;
        PERFORM add_search(indexed, 'bitmapscan', format('SELECT id FROM %s WHERE h <@> ''00000000000000ff'' <= 64', indexed));
        PERFORM add_search(indexed, 'indexscan', format('SELECT id FROM %s WHERE h <@> ''00000000000000ff'' <= 64', indexed));
        PERFORM add_search(indexed, 'bitmapscan', format('SELECT (a.h <@> b.h)::int FROM %1$s a JOIN %1$s b ON a.h <@> b.h <= 4 AND a.ctid < b.ctid AND a.id <= %2$s', indexed, CASE indexed WHEN 'tall' THEN 200 ELSE 6000 END));
        PERFORM add_search(indexed, 'bitmapscan', format('SELECT (a.h <@> b.h)::int FROM %1$s a JOIN %1$s b ON a.h <@> b.h <= 0 AND a.ctid < b.ctid AND a.id <= %2$s', indexed, CASE indexed WHEN 'tall' THEN 200 ELSE 6000 END));
        PERFORM add_search(indexed, 'bitmapscan',
            format('SELECT (p.h <@> q.h)::int FROM (SELECT fingerprint(n) AS h FROM generate_series(1, 100) AS n OFFSET 0) AS q JOIN %s p ON p.h <@> q.h <= 4', indexed));
        PERFORM add_search(indexed, 'bitmapscan', format('SELECT id FROM %s WHERE h IS NULL', indexed));
        PERFORM add_search(indexed, 'indexscan', format('SELECT id FROM %s WHERE h = ''%s''', indexed, fingerprint(7)));
    END LOOP;
    FOREACH indexed IN ARRAY ARRAY['signed', 'listed'] LOOP
        FOR h IN SELECT quote_literal(flipped_signature(signature(n * 37 % 900 + 1, 260), n, (n % 4)::int)) || '::bit(260)' FROM generate_series(1, 12) AS n LOOP
            PERFORM add_search(indexed, 'bitmapscan', format('SELECT id FROM %s WHERE h <@> %s <= 3', indexed, h));
            PERFORM add_search(indexed, 'indexscan', format('SELECT id FROM %s WHERE h <@> %s <= 60', indexed, h));
            PERFORM add_search(indexed, 'bitmapscan', format('SELECT h <@> %s FROM (SELECT h FROM %s ORDER BY h <@> %s LIMIT 5) AS near', h, indexed, h));
            PERFORM add_search(indexed, 'bitmapscan', format('SELECT id FROM %s WHERE h <@> %s <= 120', indexed, h));
            PERFORM add_search(indexed, 'bitmapscan', format('SELECT id FROM %s ORDER BY h <@> signature_nearest(%s, 0.8, 10) LIMIT 50', indexed, h), true);
        END LOOP;
        PERFORM add_search(indexed, 'bitmapscan', format('SELECT id FROM %s WHERE h <@> %s <= 260', indexed, h));
        PERFORM add_search(indexed, 'indexscan', format('SELECT id FROM %s WHERE h <@> %s <= 260', indexed, h));
        PERFORM add_search(indexed, 'bitmapscan', format('SELECT id FROM %s WHERE h IS NULL', indexed));
        PERFORM add_search(indexed, 'indexscan', format('SELECT id FROM %s WHERE h = %s', indexed, value(indexed, 7)));
    END LOOP;
END
$$;

CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    found text;
BEGIN
    EXECUTE format('SELECT count(*) || '' '' || coalesce(sum(hashint4(a)::bigint), 0) FROM (%s) AS found(a)', query) INTO found;
    RETURN found;
END
$$;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET statement_timeout = 0;
UPDATE search SET answer = answer(query) WHERE NOT part;

-- Everything that is not an answer, each kind once: an error as SQLSTATE, message, detail and hint.
CREATE FUNCTION errors_of(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    message text;
    detail text;
    hint text;
BEGIN
    EXECUTE command;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws('|', SQLSTATE, message, detail, hint);
END
$$;
CREATE FUNCTION try_search(search search) RETURNS text LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    message text;
    detail text;
    hint text;
    found text;
BEGIN
    PERFORM set_config('enable_' || search.settings, 'off', true);
    IF search.part THEN
        EXECUTE format('SELECT count(*) FROM (%s) AS found', search.query) INTO found;
        RETURN NULL;
    END IF;
    found := answer(search.query);
    RETURN CASE WHEN found IS DISTINCT FROM search.answer THEN
        format('wrong|%s: %s instead of %s', search.query, found, search.answer) END;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws('|', SQLSTATE, message, detail, hint);
END
$$;
CREATE FUNCTION try_searches(of text) RETURNS SETOF text LANGUAGE sql
    AS
$$ SELECT DISTINCT result FROM search, try_search(search) AS result WHERE indexed = of AND result IS NOT NULL $$;
SQL
$node->safe_psql('template1', 'CHECKPOINT');

my $page_size = 8192;
my $tail = $page_size - 40;
my %index;
for my $name (qw(small tall signed listed))
{
    my $path = $node->safe_psql('postgres', "SELECT pg_relation_filepath('${name}_h')");
    $index{$name} = { file => $path =~ s/.*\///r, tables => { small => 2, tall => 1, signed => 4, listed => 0 }->{$name} };
    $index{$name}{image} = slurp_file($node->data_dir . "/$path");
    $index{$name}{blocks} = length($index{$name}{image}) / $page_size;
}

$index{signed}{living} = { map { ("0,$_" => 1) } split /\n/, $node->safe_psql('postgres', q(SELECT trim('()' FROM ctid::text) FROM signed)) };
$index{signed}{null} = [ $node->safe_psql('postgres', 'SELECT ctid FROM signed WHERE h IS NULL LIMIT 1') =~ /\((\d+),(\d+)\)/ ];

# Fields of pages, see src/am/format.md.
my %field = (
    lower => [ 12, 'S' ], upper => [ 14, 'S' ], special => [ 16, 'S' ], size => [ 18, 'S' ], magic => [ 24, 'L' ],
    version => [ 28, 'L' ], zero => [ $tail + 14, 'S' ], high_key => [ $tail + 16, 'Q' ],
    flags => [ $tail + 30, 'S' ], right => [ $tail + 32, 'L' ], table => [ $tail + 36, 'C' ], level => [ $tail + 37, 'C' ]);

sub get
{
    my ($image, $block, $name) = @_;
    my ($at, $type) = @{ $field{$name} };
    return unpack($type, substr($$image, $block * $page_size + $at, 8));
}

sub set
{
    my ($image, $block, $name, $value) = @_;
    my ($at, $type) = @{ $field{$name} };
    my $bytes = pack($type, $value);
    substr($$image, $block * $page_size + $at, length $bytes) = $bytes;
    return;
}

sub set_bytes
{
    my ($image, $block, $at, $bytes) = @_;
    substr($$image, $block * $page_size + $at, length $bytes) = $bytes;
    return;
}

sub flip
{
    my ($image, $at) = @_;
    substr($$image, $at, 1) ^= chr(1 << int(rand 8));
    return;
}

sub one_of { return $_[ rand @_ ] }

# Blocks of a kind: leaf, inner, map, plane, body, list, or any but the metapage.
my %flag = (leaf => 1, inner => 2, map => 16, plane => 32, body => 64, list => 512);

sub blocks_of
{
    my ($index, $kind) = @_;
    return grep {
        my $flags = get(\$index->{image}, $_, 'flags');
        $kind eq 'any' || $flags & $flag{$kind}
    } 1 .. $index->{blocks} - 1;
}

# Of an inner page.
sub count_of { my ($image, $block) = @_; return (get($image, $block, 'lower') - 24) / 8 }

# How a leaf of a build stores its entries, all in columns.
sub layout_of
{
    my ($image, $block) = @_;
    my %leaf;
    @leaf{qw(prefix prefix_bits tid_bytes offset_bits)} = unpack('QCCC', substr($$image, $block * $page_size + 24, 11));
    my $words = get($image, $block, 'flags') & 128 ? 2 : 1;
    my $suffix = 64 - $leaf{prefix_bits};
    $leaf{whole} = $leaf{prefix_bits} == 0;
    $leaf{key_bytes} = $leaf{whole} ? 8 * $words : int($suffix / 8);
    $leaf{subs} = $leaf{whole} ? 1 : 1 << $suffix % 8;
    $leaf{end} = [ unpack("S$leaf{subs}", substr($$image, $block * $page_size + 36, 2 * $leaf{subs})) ];
    $leaf{count} = $leaf{end}[-1];
    $leaf{columns} = int((36 + 2 * $leaf{subs} + 7) / 8) * 8;
    $leaf{tids} = $leaf{columns} + $leaf{key_bytes} * $leaf{count};
    return \%leaf;
}

# The first words of the keys.
sub keys_of
{
    my ($image, $block) = @_;
    my $leaf = layout_of($image, $block);
    my ($at, $n, $bytes) = ($block * $page_size + $leaf->{columns}, $leaf->{count}, $leaf->{key_bytes});
    return map { unpack('Q', substr($$image, $at + $_ * $bytes, 8)) } 0 .. $n - 1 if $leaf->{whole};
    my (@keys, $sub);
    for my $i (0 .. $n - 1)
    {
        $sub++ while $i >= $leaf->{end}[ $sub // 0 ];
        my $key = $sub // 0;
        $key = $key << 32 | unpack('L', substr($$image, $at + 4 * $i, 4)) if $bytes & 4;
        $key = $key << 16 | unpack('S', substr($$image, $at + ($bytes & 4) * $n + 2 * $i, 2)) if $bytes & 2;
        $key = $key << 8 | unpack('C', substr($$image, $at + ($bytes & 6) * $n + $i, 1)) if $bytes & 1;
        push @keys, $leaf->{prefix} | $key;
    }
    return @keys;
}

# The fingerprint with a key.
sub fingerprint_of
{
    my ($image, $table, $key) = @_;
    my $blocks = unpack('C', substr($$image, 34, 1));
    my @width = unpack("C$blocks", substr($$image, 36, $blocks));
    my @order = unpack("C$blocks", substr($$image, 132 + 18 * $table + 2, $blocks));
    my @bit = unpack('C64', substr($$image, 708, 64));
    my @first = (0);
    push @first, $first[-1] + $_ for @width;
    my @source = map { my $block = $_; map { $bit[ $first[$block] + $_ ] } 0 .. $width[$block] - 1 } @order;
    my $fingerprint = 0;
    $fingerprint |= ($key >> (63 - $_) & 1) << $source[$_] for 0 .. 63;
    return $fingerprint;
}

sub set_tids
{
    my ($i, $image, $tid_block, $offset) = @_;
    my $block = one_of(grep { get($image, $_, 'table') == 0 } blocks_of($i, 'leaf'));
    my $leaf = layout_of($image, $block);
    my $tid = pack('Q', $tid_block << $leaf->{offset_bits} | $offset & (1 << $leaf->{offset_bits}) - 1);
    set_bytes($image, $block, $leaf->{tids}, substr($tid, 0, $leaf->{tid_bytes}) x $leaf->{count});
    return $block;
}

# A leaf whose columns have keys.
sub leaf_with_keys
{
    my ($i, $image) = @_;
    return one_of(grep { my $leaf = layout_of($image, $_); $leaf->{count} > 3 && $leaf->{key_bytes} > 0 } blocks_of($i, 'leaf'));
}

# The state between the two steps of a leaf's split: removes the downlink of a leaf from its parent. Returns its left
# sibling, and the key and tid at which each of them ends. Some rows of the leaf will be searched for.
sub cut_short
{
    my ($i, $image) = @_;
    my $parent = one_of(grep { get($image, $_, 'table') == 0 && get($image, $_, 'level') == 1 && count_of($image, $_) > 2 } blocks_of($i, 'inner'));
    my $count = count_of($image, $parent);
    my $at = $parent * $page_size;
    my @keys = unpack('Q*', substr($$image, $at + 24, 8 * $count));
    my @links = reverse unpack('(a10)*', substr($$image, $at + $tail - 10 * $count, 10 * $count));
    my $taken = 1 + int rand($count - 2);
    my ($high, $low) = unpack('x6SS', $links[ $taken - 1 ]);
    my $left = $high << 16 | $low;
    my $right = get($image, $left, 'right');
    $i->{centers} = [ map { sprintf '%016x', fingerprint_of($image, 0, $_) } (keys_of($image, $right))[ 0 .. 4 ] ];
    my $upper = pack('Qa6', $keys[ $taken + 1 ], $links[ $taken + 1 ]);
    splice @keys, $taken, 1;
    splice @links, $taken, 1;
    set_bytes($image, $parent, 24, pack('Q*', @keys) . "\0" x 8);
    set_bytes($image, $parent, $tail - 10 * $count, "\0" x 10 . join('', reverse @links));
    set($image, $parent, 'lower', get($image, $parent, 'lower') - 8);
    set($image, $parent, 'upper', get($image, $parent, 'upper') + 10);
    set($image, $left, 'flags', get($image, $left, 'flags') | 8);
    return ($left, $upper);
}

sub body_slots { my ($image, $block) = @_; return ($tail - get($image, $block, 'upper')) / 6 }
sub sketches { my ($image, $block) = @_; return (get($image, $block, 'lower') - 24) / 16 }

# A body page of the signature store and a slot that is in use.
sub used_slot
{
    my ($i, $image) = @_;
    my $block = one_of(grep { body_slots($image, $_) > 0 } blocks_of($i, 'body'));
    return ($block, int rand body_slots($image, $block));
}

# Kinds of damage; each damages an index and returns where.
my @right = (0, 1, 2, 3, 4, 5, 0x7FFFFFFF, 0xFFFFFFFE);
my %damage = (
    'no bytes at all' => sub { my ($i) = @_; ${ $_[1] } = ''; return 'an empty file' },
    'truncated' => sub {
        my ($i, $image) = @_;
        my $to = 1 + int rand($i->{blocks} - 1);
        substr($$image, $to * $page_size) = '';
        return "to $to blocks";
    },
    'cut in a page' => sub {
        my ($i, $image) = @_;
        my $to = int rand($i->{blocks} * $page_size);
        substr($$image, $to) = '';
        return "to $to bytes";
    },
    'magic' => sub { my ($i, $image) = @_; set($image, 0, 'magic', int rand 2**32); return '' },
    'version' => sub { my ($i, $image) = @_; set($image, 0, 'version', 6); return '' },
    'another format' => sub { my ($i, $image) = @_; set($image, 0, 'version', one_of(0 .. 4, 4711)); return '' },
    'design' => sub { my ($i, $image) = @_; flip($image, 32 + int rand 500); return '' },
    'bit order' => sub { my ($i, $image) = @_; flip($image, 24 + 684 + int rand 64); return '' },
    'zero page' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'any'));
        set_bytes($image, $block, 0, "\0" x $page_size);
        return $block;
    },
    'noise page' => sub {
        my ($i, $image) = @_;
        my $block = one_of(0, blocks_of($i, 'any'));
        set_bytes($image, $block, 0, join '', map { chr int rand 256 } 1 .. $page_size);
        return $block;
    },
    'half a page of noise' => sub {
        my ($i, $image) = @_;
        my $block = one_of(0, blocks_of($i, 'inner'));
        set_bytes($image, $block, 4096, join '', map { chr int rand 256 } 1 .. 4096);
        return $block;
    },
    'swapped pages' => sub {
        my ($i, $image) = @_;
        my ($a, $b);
        do { ($a, $b) = map { one_of(blocks_of($i, 'any')) } 1 .. 2 } while $a == $b;
        my ($page_a, $page_b) = map { substr($$image, $_ * $page_size, $page_size) } $a, $b;
        set_bytes($image, $a, 0, $page_b);
        set_bytes($image, $b, 0, $page_a);
        return "$a and $b";
    },
    'copied page' => sub {
        my ($i, $image) = @_;
        my ($a, $b);
        do { ($a, $b) = map { one_of(blocks_of($i, 'any')) } 1 .. 2 } while $a == $b;
        set_bytes($image, $b, 0, substr($$image, $a * $page_size, $page_size));
        return "$a over $b";
    },
    # It would be a tree of one leaf.
    'last leaf over its root' => sub {
        my ($i, $image) = @_;
        my $block = one_of(grep { $_ > $i->{tables} + 1 && get($image, $_, 'right') == 0xFFFFFFFF } blocks_of($i, 'leaf'));
        my $root = 1 + get($image, $block, 'table');
        set_bytes($image, $root, 0, substr($$image, $block * $page_size, $page_size));
        return "$block over $root";
    },
    'right link' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, one_of('leaf', 'inner')));
        my $to = one_of($block, $block - 1, 1 + int rand($i->{blocks} - 1), $i->{blocks}, @right);
        $to = 0 if $to == get($image, $block, 'right');
        set($image, $block, 'right', $to);
        return "of $block to $to";
    },
    'no right link' => sub {
        my ($i, $image) = @_;
        my $block = one_of(grep { get($image, $_, 'right') != 0xFFFFFFFF } blocks_of($i, 'any'));
        set($image, $block, 'right', 0xFFFFFFFF);
        return $block;
    },
    'high' => sub {
        my ($i, $image) = @_;
        my $block = one_of(grep { get($image, $_, 'right') != 0xFFFFFFFF } blocks_of($i, 'any'));
        flip($image, $block * $page_size + $tail + 16 + int rand 14);
        return $block;
    },
    'low' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, one_of('leaf', 'inner')));
        flip($image, $block * $page_size + $tail + int rand 14);
        return $block;
    },
    'zeros of the tail' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, one_of('leaf', 'inner')));
        set($image, $block, 'zero', 1 << int rand 16);
        return $block;
    },
    'root with a right link' => sub {
        my ($i, $image) = @_;
        my $block = 1 + int rand($i->{tables} + 1);
        set($image, $block, 'right', 1 + int rand($i->{blocks} - 1));
        set($image, $block, 'flags', get($image, $block, 'flags') | 8) if rand() < 0.5;
        return $block;
    },
    'level' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'any'));
        set($image, $block, 'level', get($image, $block, 'level') ^ 1 << int rand 8);
        return $block;
    },
    'table' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'any'));
        set($image, $block, 'table', get($image, $block, 'table') ^ 1 << int rand 8);
        return $block;
    },
    'flags' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'any'));
        set($image, $block, 'flags', get($image, $block, 'flags') ^ 1 << int rand 16);
        return $block;
    },
    'incomplete split' => sub {
        my ($i, $image) = @_;
        my $block = one_of(grep { get($image, $_, 'right') != 0xFFFFFFFF } blocks_of($i, 'any'));
        set($image, $block, 'flags', get($image, $block, 'flags') | 8);
        return $block;
    },
    'child' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'inner'));
        my $at = $tail - 10 * (1 + int rand count_of($image, $block)) + 6;
        my $to = one_of(0 .. 5, $block, int rand $i->{blocks}, $i->{blocks}, 0xFFFFFFFF, 0xFFFFFFFE);
        set_bytes($image, $block, $at, pack('SS', $to >> 16, $to & 0xFFFF));
        return "of $block to $to";
    },
    'a root below itself' => sub {
        my ($i, $image) = @_;
        set_bytes($image, 1, $tail - 10 + 6, pack('SS', 0, 1));
        return '';
    },
    'bound' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'inner'));
        flip($image, $block * $page_size + 24 + int rand 8 * count_of($image, $block));
        return $block;
    },
    'tid of a bound' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'inner'));
        flip($image, $block * $page_size + $tail - 10 * (1 + int rand count_of($image, $block)) + int rand 6);
        return $block;
    },
    'counts' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'any'));
        my $name = one_of(qw(lower upper special size));
        my $old = get($image, $block, $name);
        my @values = (0, 0xFFFF, 8192, 8168, $tail, map { $old ^ 1 << $_ } 0 .. 15);
        # The marks of removed entries begin at `upper`, and the zeros of free space mark none.
        if ($name eq 'upper' && get($image, $block, 'flags') & $flag{leaf})
        {
            my $marks = int((layout_of($image, $block)->{count} + 7) / 8);
            @values = grep { $_ >= $old || $_ < $old - $marks } @values;
        }
        set($image, $block, $name, one_of(@values));
        return "$name of $block";
    },
    'tids that no row has' => sub { return set_tids(@_, 0, one_of(0, 292, 300, 0xFFFF)) },
    'tids beyond the table' => sub { return set_tids(@_, one_of(0xFFFFFFFF, 0xFFFFFFFE, 0x7FFF0000, 5000), 1) },
    'fingerprint' => sub {
        my ($i, $image) = @_;
        my $block = leaf_with_keys($i, $image);
        my $leaf = layout_of($image, $block);
        flip($image, $block * $page_size + $leaf->{columns} + int rand $leaf->{key_bytes} * $leaf->{count});
        return $block;
    },
    'tid' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'leaf'));
        my $leaf = layout_of($image, $block);
        flip($image, $block * $page_size + $leaf->{tids} + int rand $leaf->{tid_bytes} * $leaf->{count});
        return $block;
    },
    'head of a leaf' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'leaf'));
        flip($image, $block * $page_size + 24 + int rand 12);
        return $block;
    },
    'sub-ranges' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'leaf'));
        flip($image, $block * $page_size + 36 + int rand 2 * layout_of($image, $block)->{subs});
        return $block;
    },
    'lost entries' => sub {
        my ($i, $image) = @_;
        my $block = one_of(grep { layout_of($image, $_)->{count} > 8 } blocks_of($i, 'leaf'));
        my $lost = 1 + int rand 3;
        set($image, $block, 'upper', $tail - 1);
        set_bytes($image, $block, $tail - 1, chr((1 << $lost) - 1));
        return "$lost of $block";
    },
    'marks beyond the entries' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'leaf'));
        set($image, $block, 'upper', $tail - 1 - int((layout_of($image, $block)->{count} + 7) / 8));
        return $block;
    },
    'repeated entries' => sub {
        my ($i, $image) = @_;
        my $block = leaf_with_keys($i, $image);
        my $leaf = layout_of($image, $block);
        my ($at, $n) = ($leaf->{columns}, $leaf->{count});
        for my $bytes ($leaf->{whole} ? $leaf->{key_bytes} : grep({ $leaf->{key_bytes} & $_ } 4, 2, 1), $leaf->{tid_bytes})
        {
            set_bytes($image, $block, $at, substr($$image, $block * $page_size + $at, $bytes) x $n);
            $at += $bytes * $n;
        }
        return $block;
    },
    # An interrupted split is sound; but if the left half reaches too far, nothing leads to the right half.
    'split cut short' => sub { return (cut_short(@_))[0] },
    'a left half to the end' => sub {
        my ($i, $image) = @_;
        my ($left, $upper) = cut_short($i, $image);
        set_bytes($image, $left, $tail + 16, $upper);
        return $left;
    },
    # No search can detect this: it would have to read the right half.
    'a left half that ends late' => sub {
        my ($i, $image) = @_;
        my ($left, $upper) = cut_short($i, $image);
        my ($key) = unpack('Q', $upper);
        set_bytes($image, $left, $tail + 16, pack('QSSS', (get($image, $left, 'high_key') >> 1) + ($key >> 1), 0xFFFF, 0xFFFF, 0xFFFF));
        return $left;
    },
    'a leaf past its end' => sub {
        my ($i, $image) = @_;
        my ($left, $upper) = cut_short($i, $image);
        my ($key, @tid) = unpack('QSSS', $upper);
        set_bytes($image, $left, $tail + 16, pack('QSSS', $key + 1, @tid));
        set($image, $left, 'flags', get($image, $left, 'flags') & ~8);
        return $left;
    },
    'a leaf without an end' => sub {
        my ($i, $image) = @_;
        my ($left) = cut_short($i, $image);
        set($image, $left, 'right', 0xFFFFFFFF);
        set($image, $left, 'flags', get($image, $left, 'flags') & ~8);
        return $left;
    },
    # A row equal to one in the leaf is inserted into that leaf first, and through the damaged link once more.
    'a link to a locked leaf' => sub {
        my ($i, $image) = @_;
        my %leaves;
        for my $block (blocks_of($i, 'leaf'))
        {
            my $table = get($image, $block, 'table');
            next if $table == $i->{tables};
            push @{ $leaves{ fingerprint_of($image, $table, $_) }[$table] }, $block for keys_of($image, $block);
        }
        my $row = one_of(sort grep { $_ != 0 && grep({ defined && @$_ == 1 } @{ $leaves{$_} }[ 0, 1 ]) == 2 } keys %leaves);
        my ($to, $instead) = map { $_->[0] } @{ $leaves{$row} };
        for my $parent (blocks_of($i, 'inner'))
        {
            for my $n (1 .. count_of($image, $parent))
            {
                my $at = $parent * $page_size + $tail - 10 * $n + 6;
                my ($high, $low) = unpack('SS', substr($$image, $at, 4));
                substr($$image, $at, 4) = pack('SS', $to >> 16, $to & 0xFFFF) if ($high << 16 | $low) == $instead;
            }
        }
        $i->{insert} = sprintf "'%016x'", $row;
        return "of $instead to $to";
    },
    # The signature store: 33 bytes for a signature, 16 for a sketch.
    'signature' => sub {
        my ($i, $image) = @_;
        my ($block, $slot) = used_slot($i, $image);
        flip($image, $block * $page_size + 24 + 33 * $slot + int rand 33);
        return "$slot of $block";
    },
    'row tid' => sub {
        my ($i, $image) = @_;
        my ($block, $slot) = used_slot($i, $image);
        my $at = $tail - 6 * ($slot + 1);
        # Or that of another row, which must be alive: of two entries for a deleted row no search returns any.
        my @others = grep { $i->{living}{ join ',', unpack 'SSS', $_ } }
          map { substr($$image, $block * $page_size + $tail - 6 * ($_ + 1), 6) } grep { $_ != $slot } 0 .. body_slots($image, $block) - 1;
        set_bytes($image, $block, $at, one_of(pack('SSS', 0, 0, 0xFFFF), pack('SSS', 0x7FFF, 0, 1), pack('SSS', 0, 5000, 1), "\0" x 6, one_of("\0" x 6, @others)));
        return "$slot of $block";
    },
    # Only the comparison with the table finds these.
    'swapped tids' => sub {
        my ($i, $image) = @_;
        # Of five rows, since some are dead. Each gets the address of a row with another signature: equal rows stand
        # beside each other, and which of them has which address is the same.
        my @places;
        for my $block (blocks_of($i, 'body'))
        {
            my @signature = unpack('(a33)*', substr($$image, $block * $page_size + 24, 33 * body_slots($image, $block)));
            for my $slot (0 .. @signature - 5)
            {
                my @five = @signature[ $slot .. $slot + 4 ];
                push @places, [ $block, $slot ] unless grep { $five[ $_ - 1 ] eq $five[$_] } 0 .. 4;
            }
        }
        my ($block, $slot) = @{ one_of(@places) };
        my $at = $block * $page_size + $tail - 6 * ($slot + 5);
        substr($$image, $at, 30) = substr($$image, $at + 6, 24) . substr($$image, $at, 6);
        return "from $slot of $block";
    },
    'tid of a NULL' => sub {
        my ($i, $image) = @_;
        my ($block, $slot) = used_slot($i, $image);
        set_bytes($image, $block, $tail - 6 * ($slot + 1), pack 'SSS', 0, $i->{null}[0], $i->{null}[1]);
        return "$slot of $block";
    },
    'used bit' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'plane'));
        flip($image, $block * $page_size + get($image, $block, 'upper') + int rand(sketches($image, $block) / 8));
        return $block;
    },
    # The pages of a list that have free slots have none by their plane pages.
    'all used bits' => sub {
        my ($i, $image) = @_;
        set_bytes($image, $_, get($image, $_, 'upper'), "\xFF" x (sketches($image, $_) / 8)) for blocks_of($i, 'plane');
        return '';
    },
    'sketch' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'plane'));
        # Of a row: no search looks at the sketch of a free slot.
        my $used = $block * $page_size + get($image, $block, 'upper');
        my $slot = one_of(grep { vec($$image, 8 * $used + $_, 1) } 0 .. sketches($image, $block) - 1);
        flip($image, $block * $page_size + 24 + 16 * $slot + int rand 16);
        return "$slot of $block";
    },
    'plane link' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'body'));
        set($image, $block, 'right', one_of(0, $block, get($image, $block, 'right') + 1, 0xFFFFFFFF));
        return $block;
    },
    'segment' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'map'));
        my $segments = (get($image, $block, 'lower') - 24) / 8;
        my $at = 24 + 8 * int rand $segments;
        my $old = unpack('L', substr($$image, $block * $page_size + $at, 4));
        my $to = one_of(grep { $_ != $old } 0, 1, $block, $old + 1, $old - 1, blocks_of($i, 'plane'), $i->{blocks}, 0xFFFFFFFF, 0xFFFFFFF0);
        set_bytes($image, $block, $at, pack 'L', $to);
        return "$old to $to in $block";
    },
    # The last segment, which the next insert finds full, although both entries have a hint of free slots.
    'repeated segment' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'map'));
        my $segments = (get($image, $block, 'lower') - 24) / 8;
        my $last = unpack('L', substr($$image, $block * $page_size + 24 + 8 * ($segments - 1), 4));
        my $other = int rand($segments - 1);
        set_bytes($image, $block, 24 + 8 * $_, pack('LL', $last, 7)) for $other, $segments - 1;
        set_bytes($image, $last, get($image, $last, 'upper'), "\xFF" x (sketches($image, $last) / 8));
        return "$other in $block";
    },
    'map link' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'map'));
        my $to = one_of(0, 1, $block, $block + 1, $i->{blocks}, 0xFFFFFFFE);
        set($image, $block, 'right', $to);
        return "of $block to $to";
    },
    # What a map page says of free slots is a hint.
    'free slots' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'map'));
        set_bytes($image, $block, 28 + 8 * $_, pack 'L', one_of(0, 1, 7, 0xFFFFFFFF)) for 0 .. (get($image, $block, 'lower') - 24) / 8 - 1;
        return $block;
    },
    'lost signatures' => sub {
        my ($i, $image) = @_;
        my $block = one_of(grep { body_slots($image, $_) > 3 } blocks_of($i, 'body'));
        my $lost = 1 + int rand 3;
        set($image, $block, 'lower', get($image, $block, 'lower') - 33 * $lost);
        set($image, $block, 'upper', get($image, $block, 'upper') + 6 * $lost);
        return "$lost of $block";
    },
    'bounds of a store page' => sub {
        my ($i, $image) = @_;
        my $block = one_of(map { blocks_of($i, $_) } qw(map plane body));
        my $name = one_of(qw(lower upper special size flags table));
        set($image, $block, $name, get($image, $block, $name) ^ 1 << int rand($name eq 'table' ? 8 : 16));
        return "$name of $block";
    },
    # Lists: 33 bytes for a center.
    'center' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'list'));
        my $at = $block * $page_size + 24 + 33 * int rand((get($image, $block, 'lower') - 24) / 33);
        flip($image, $at + int rand 32) for 1 .. 60;
        return $block;
    },
    'link of a list' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'list'));
        my $at = $tail - 4 * (1 + int rand(($tail - get($image, $block, 'upper')) / 4));
        my $old = unpack 'L', substr($$image, $block * $page_size + $at, 4);
        my $to = one_of(grep { $_ != $old } 0, 1, 2, 5, $block, blocks_of($i, 'body'), $i->{blocks}, 0xFFFFFFFF);
        set_bytes($image, $block, $at, pack 'L', $to);
        return "$old to $to in $block";
    },
    'next list page' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'list'));
        my $old = get($image, $block, 'right');
        set($image, $block, 'right', one_of(grep { $_ != $old } 0, 1, $block, $block + 1, $i->{blocks}, 0xFFFFFFFF));
        return $block;
    },
    'list of a page' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'body'));
        my ($next, $list) = unpack 'LL', substr($$image, $block * $page_size + $tail + 16, 8);
        set_bytes($image, $block, $tail + 20, pack 'L', one_of(grep { $_ != $list } 0, 1, 2, 1000, 0xFFFFFFFF));
        return $block;
    },
    'chain' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'body'));
        my $next = unpack 'L', substr($$image, $block * $page_size + $tail + 16, 4);
        set_bytes($image, $block, $tail + 16, pack 'L', one_of(grep { $_ != $next } 0, 1, $block, blocks_of($i, 'body'), $i->{blocks}, 0xFFFFFFFF));
        return $block;
    },
    # Where inserts look for free slots: what leads out of the list is noticed by the insert.
    'open page' => sub {
        my ($i, $image) = @_;
        my $block = one_of(blocks_of($i, 'body'));
        my $to = one_of(0, 1, $block, blocks_of($i, 'body'), $i->{blocks}, 0xFFFFFFFE);
        set_bytes($image, $block, $tail + 24, pack 'SSS', $to >> 16, $to & 0xFFFF, 1);
        return "$to in $block";
    },
    'recall' => sub { my ($i, $image) = @_; flip($image, 40 + int rand 144); return '' },
    'layout' => sub { my ($i, $image) = @_; flip($image, one_of(184, 185, 186, 187 + int rand 1137)); return '' },
    'map block' => sub { my ($i, $image) = @_; set_bytes($image, 0, 36, pack 'L', one_of(0, 1, 5, 7, 0xFFFFFFFF)); return '' },
    'flipped bits' => sub {
        my ($i, $image) = @_;
        flip($image, int rand length $$image) for 1 .. one_of(1, 8, 100);
        return '';
    });
# Searches may give wrong answers: the damage is in entries, or in links to those of an unfinished split.
my %in_entries = map { $_ => 1 } 'fingerprint', 'tid', 'tids that no row has', 'tids beyond the table', 'lost entries', 'repeated entries', 'sub-ranges', 'head of a leaf', 'flipped bits',
    'a left half that ends late', 'signature', 'row tid', 'swapped tids', 'tid of a NULL', 'used bit', 'sketch', 'segment', 'repeated segment', 'lost signatures', 'bounds of a store page', 'layout';
# It may have changed nothing that matters, for example the only entry of a deleted row.
my %harmless = map { $_ => 1 } 'flipped bits', 'tid', 'sub-ranges', 'head of a leaf', 'lost entries', 'cut in a page', 'half a page of noise', 'design', 'split cut short', 'free slots', 'open page', 'recall', 'link of a list', 'center';
my %sound = map { $_ => 1 } 'none', 'split cut short', 'free slots';
# Kinds that need more than one level of inner pages, or two tables.
my %only = ('a root below itself' => 'tall', 'a link to a locked leaf' => 'small', (map { $_ => 'signed' } 'signature', 'row tid', 'swapped tids', 'tid of a NULL',
    'used bit', 'sketch', 'plane link', 'segment', 'repeated segment', 'map link', 'free slots', 'lost signatures', 'bounds of a store page', 'layout', 'map block'),
    map { $_ => 'listed' } 'all used bits', 'center', 'link of a list', 'next list page', 'list of a page', 'chain', 'open page', 'recall');
# The other kinds that damage indexes on signatures, too.
my %both = map { $_ => 1 } 'no bytes at all', 'truncated', 'cut in a page', 'magic', 'another format', 'zero page', 'noise page', 'half a page of noise',
    'swapped pages', 'copied page', 'last leaf over its root', 'right link', 'child', 'flipped bits';
# Those that need a tree with inner pages.
my %of_trees = map { $_ => 1 } 'last leaf over its root', 'right link', 'child';
sub signed_for { my ($kind) = @_; return $of_trees{$kind} ? 'signed' : qw(signed listed) }
sub index_for { my ($kind) = @_; return $only{$kind} // one_of(qw(small tall), $both{$kind} ? signed_for($kind) : ()) }

# Errors that report corruption. The server itself rejects pages with an invalid header.
sub is_report
{
    my ($line) = @_;
    return $line =~ /^XX002\b.*\bblock \d+.*REINDEX/
      || $line =~ /^0A000\b.*has the format of another version of simhash.*REINDEX/
      || $line =~ /^XX002\b.*lacks an entry for a row.*REINDEX/
      || $line =~ /^XX001\b.*invalid page in block \d+ of relation/
      || $line =~ /^55000\b.*does not have the length of its column.*REINDEX/; # or the catalogue is at fault
}

my $number = 0;
my %seen;

sub round
{
    my ($kind, $name) = @_;
    my $index = $index{$name};
    my $db = 'damaged_' . ++$number;
    my $strategy = $version >= 15 ? ' STRATEGY file_copy' : '';
    $node->safe_psql('template1', "CREATE DATABASE $db TEMPLATE postgres$strategy");
    my $oid = $node->safe_psql('template1', "SELECT oid FROM pg_database WHERE datname = '$db'");
    my $image = $index->{image};
    delete @$index{qw(insert centers)};
    my $where = $damage{$kind}->($index, \$image);
    my $what = "round $number, ${name}_h: $kind" . ($where eq '' ? '' : " ($where)");
    my $changed = $image ne $index->{image};
    my $file = $node->data_dir . "/base/$oid/$index->{file}";
    open my $out, '>:raw', $file or die "$file: $!";
    print $out $image;
    close $out;
    # Through table 0 an equal row is found first.
    for my $center (@{ $index->{centers} // [] })
    {
        $node->safe_psql($db, "SET enable_indexscan = off; SET enable_bitmapscan = off;
            SELECT add_search('$name', 'bitmapscan', 'SELECT id FROM $name WHERE h <@> ''$center'' <= 3');
            UPDATE search SET answer = answer(query) WHERE answer IS NULL AND NOT part");
    }

    my @faults;
    my $ask = sub {
        my ($sql) = @_;
        my ($out, $timed_out) = ('', 0);
        my $start = time;
        my $status = $node->psql($db, $sql, stdout => \$out, stderr => \my $error, timeout => 45, timed_out => \$timed_out);
        push @faults, 'hangs: ' . substr($sql, 0, 60) if $timed_out || time - $start > 30;
        push @faults, "server: $error" if $error =~ /server closed|terminated|connection to server/;
        # A process that waits for its own lock cannot be cancelled, and blocks everything that follows.
        if ($timed_out)
        {
            fail("$what: hangs");
            diag($sql);
            $node->stop('immediate');
            done_testing();
            exit 1;
        }
        return grep { $_ ne '' } split /\n/, $out . ($error // '');
    };
    my $report = sub {
        my ($lines, $phase, $wrong) = @_;
        for my $line (@$lines) {
            next if is_report($line);
            next if $wrong && $line =~ /^wrong/;
            push @faults, "$phase: $line";
        }
    };
    # Twice in a session: the second time with cached pages.
    my @found = $ask->("SELECT * FROM try_searches('$name'); SELECT * FROM try_searches('$name')");
    $report->(\@found, 'search', $in_entries{$kind});
    push @faults, map { "a sound index: $_" } @found if $sound{$kind};
    $seen{ $found[0] =~ /^wrong/ ? 'wrong answers' : 'refused' }++ if @found;
    # Beside writers it finds what is wrong with the pages themselves and with their links.
    my @beside = $ask->("SELECT errors_of(\$\$SELECT simhash_index_check('${name}_h')\$\$)");
    $report->(\@beside, 'check beside writers');
    my @check = $ask->("SELECT errors_of(\$\$SELECT simhash_index_check('${name}_h', true)\$\$)");
    push @faults, "found only without writers: @check" if @check && !@beside && !$in_entries{$kind};
    $report->(\@check, 'check');
    push @faults, "not the error of another format: @check" if $kind eq 'another format' && "@check" !~ /^0A000/;
    # An entry of a deleted row is harmless, and is counted.
    @check = grep { $_ ne '0' } $ask->("SELECT partial_entries FROM simhash_index_check('${name}_h', true)") unless @check;
    push @faults, 'simhash_index_check found nothing' if $changed && !@check && (!$harmless{$kind} || grep { /^wrong/ } @found);
    $seen{'found by the check'}++ if @check;
    for my $look ("SELECT * FROM simhash_index_stats('${name}_h')",
        $name =~ /ed$/ ? () : "SELECT count(*) FROM simhash_index_trace('${name}_h', simhash_ball('00000000000000ff'::simhash, 64))")
    {
        my @lines = $ask->("SELECT errors_of(\$\$$look\$\$)");
        $report->(\@lines, 'look');
    }
    my $new = sub { return $name =~ /ed$/ ? "signature($_[0], 260)" : "fingerprint($_[0])" };
    for my $write (
        map({ "INSERT INTO $name SELECT 3000000, $_" } grep { defined } $index->{insert}),
        "INSERT INTO $name SELECT n, CASE WHEN n % 10 > 0 THEN " . $new->('n') . " END FROM generate_series(1000001, 1000800) AS n",
        map { "INSERT INTO $name SELECT $_, CASE WHEN $_ % 10 > 0 THEN " . $new->($_) . " END" } 2000001 .. 2000012)
    {
        my @lines = $ask->("SELECT errors_of(\$\$$write\$\$)");
        $report->(\@lines, 'insert');
        last if @lines;
    }
    my @vacuum = map { s/^.*ERROR: +(\w+): /$1 /r } grep { !/^(LOCATION|CONTEXT|DETAIL):/ }
      $ask->("\\set VERBOSITY verbose\nDELETE FROM $name WHERE id % 3 = 0;\nVACUUM $name;");
    $report->([ join ' ', @vacuum ], 'vacuum') if @vacuum;
    push @faults, 'VACUUM notices nothing' if $kind eq 'tids that no row has' && !@vacuum;
    my @after = $ask->("SELECT * FROM try_searches('$name')");
    $report->(\@after, 'search after writes', 1);
    $node->safe_psql('template1', "DROP DATABASE $db");

    is(join("\n", @faults), '', $what);
    return !@faults;
}

# The undamaged index first.
$damage{'none'} = sub { return '' };
round('none', $_) for qw(small tall signed listed);
is($seen{'refused'} // 0, 0, 'searches of an undamaged index');
delete $damage{'none'};

# Every kind of damage, then random kinds until the time is up.
my $end = time + test_seconds();
my @kinds = $ENV{DAMAGE} ? split /,/, $ENV{DAMAGE} : sort keys %damage;
for my $kind (@kinds)
{
    round($kind, $_) for $both{$kind} ? (one_of(qw(small tall)), signed_for($kind)) : index_for($kind);
}
while (time < $end)
{
    my $kind = one_of(@kinds);
    round($kind, index_for($kind));
}
note("$number rounds: ", join ', ', map { "$seen{$_} $_" } sort keys %seen);
cmp_ok($seen{'refused'} // 0, '>', 5, 'searches notice much') unless $ENV{DAMAGE};

my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC|TRAP|was terminated by/, 'no server process died');

done_testing();
