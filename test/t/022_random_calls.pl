# Every function, operator, cast, aggregate and type of the extension, as the catalogue lists them, with unusual
# arguments: NULLs, extremes, wrong lengths and dimensions, garbage, megabytes. Errors must be those of bad arguments;
# nothing crashes, takes long or uses much memory. Leakproof functions never raise errors. A role without privileges
# gets nothing from other users' tables.
#
# SEED chooses others; TEST_SECONDS is its length. A test of another extension sets %beside and runs this file: the
# extension, a pattern of the functions that get valid arguments, and these arguments.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use SimhashTest;

our %beside;
begin_random();

my $node = start_node('main', settings => [ 'statement_timeout = 60s', 'log_min_messages = log', 'work_mem = 1MB' ]);
prepare_database($node, queries => 3);
$node->safe_psql('postgres', "CREATE EXTENSION $beside{extension}") if %beside;
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id int, h simhash, w simhash_weights);
INSERT INTO page SELECT n, CASE WHEN n % 10 > 0 THEN fingerprint(n) END, to_simhash_weights('number ' || n) FROM generate_series(1, 500) AS n;
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX page_part ON page USING simhash (h) WITH (trees = 6) WHERE id < 100;
CREATE TABLE copy AS SELECT id, flipped(h, n, n % 5) AS h FROM page, generate_series(1, 2) AS n;
CREATE INDEX copy_h ON copy USING simhash (h) WITH (design_radius = 8, trees = 12);
CREATE TABLE document AS SELECT id, id % 3 AS tenant, h, h::bigint AS b, 'some words of page ' || id / 5 AS body, simhash_ball(h, id % 9) AS ball,
    (h::bit(64) || h::bit(64))::bit(128) AS image FROM page;
CREATE INDEX document_body ON document USING simhash (body);
CREATE INDEX document_several ON document USING simhash (tenant, h);
CREATE INDEX document_b ON document USING simhash (b);
CREATE INDEX document_ball ON document USING simhash (ball);
CREATE INDEX document_image ON document USING simhash (signature_ball(image, 9));
CREATE TABLE nothing (h simhash);
CREATE INDEX nothing_h ON nothing USING simhash (h);
CREATE ROLE stranger;
GRANT CREATE, USAGE ON SCHEMA public TO stranger;

-- SQLSTATE and message of a statement, or the number of its rows and whether one of them was not null.
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    line text;
    lines bigint := 0;
    values boolean := false;
BEGIN
    RAISE LOG 'tries %', left(statement, 1000);
    FOR line IN EXECUTE 'SELECT found::text FROM (' || statement || ') AS found(a)' LOOP
        lines := lines + 1;
        values := values OR line !~ '^\(?,*\)?$';
        EXIT WHEN lines > 1000;
    END LOOP;
    RETURN 'gave|' || values;
EXCEPTION WHEN OTHERS OR query_canceled THEN
    RETURN SQLSTATE || '|' || left(SQLERRM, 200);
END
$$;
SQL

# -- The catalogue --------------------------------------------------------------------------------------------

sub rows
{
    my ($sql) = @_;
    return map { [ split /\t/, $_, -1 ] } split /\n/, $node->safe_psql('postgres', $sql, extra_params => [ '-F', "\t" ]);
}

my $extension = $beside{extension} // 'simhash';
my $members = "(SELECT classid, objid FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
    AND refobjid = (SELECT oid FROM pg_extension WHERE extname = '$extension'))";
my $arguments = sub {
    my ($list) = @_;
    return "(SELECT coalesce(string_agg(format_type(t, NULL), ';' ORDER BY n), '') FROM unnest($list\::oid[]) WITH ORDINALITY AS a(t, n))";
};
my @functions = map { { name => $_->[0], kind => $_->[1], leakproof => $_->[2] eq 't', types => [ split /;/, $_->[3] ] } }
  rows("SELECT p.oid::regproc, prokind, proleakproof, @{[ $arguments->('proargtypes') ]} FROM pg_proc p
    WHERE prokind <> 'p' AND ('pg_proc'::regclass, p.oid) IN $members ORDER BY p.oid::regprocedure::text");
my @operators = map { { name => "OPERATOR($_->[0].$_->[1])", types => [ split /;/, $_->[2] ], leakproof => $_->[3] eq 't' } }
  rows("SELECT oprnamespace::regnamespace, oprname, @{[ $arguments->('ARRAY[oprleft, oprright]') ]}, proleakproof
    FROM pg_operator o JOIN pg_proc p ON p.oid = oprcode WHERE ('pg_operator'::regclass, o.oid) IN $members ORDER BY o.oid::regoperator::text");
my @casts = map { { from => $_->[0], to => $_->[1], leakproof => $_->[2] eq 't' } }
  rows("SELECT format_type(castsource, NULL), format_type(casttarget, NULL), coalesce(proleakproof, true)
    FROM pg_cast c LEFT JOIN pg_proc p ON p.oid = castfunc WHERE ('pg_cast'::regclass, c.oid) IN $members ORDER BY 1, 2");
my @types = map { { name => $_->[0], binary => $_->[1] ne '-' } }
  rows("SELECT format_type(t.oid, NULL), typreceive FROM pg_type t
    WHERE ('pg_type'::regclass, t.oid) IN $members AND typcategory <> 'A' ORDER BY 1");
my @settings = map { $_->[0] } rows("LOAD 'simhash'; SELECT name FROM pg_settings WHERE name LIKE 'simhash.%' ORDER BY 1");
my $delicate = $beside{delicate} // qr/simhash_(?:group|pair_groups|pair_sample|report|project\w*|index_calibrate)|signature_project\w*/;
my @delicate = grep { $_->{name} =~ /^(?:public\.)?(?:$delicate)$/ } @functions;
if (!%beside) {
    cmp_ok(scalar @delicate, '>', 8, 'functions that get valid arguments');
    cmp_ok(scalar @functions, '>', 60, 'functions');
    cmp_ok(scalar @operators, '>', 20, 'operators');
    cmp_ok(scalar @casts, '>', 8, 'casts');
    cmp_ok(scalar @types, '>', 3, 'types');
    cmp_ok((grep { $_->{leakproof} } @functions), '>', 30, 'leakproof functions');
}

# -- Arguments ------------------------------------------------------------------------------------------------

sub one_of { return $_[ rand @_ ] }
sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }

sub garbage
{
    my @pieces = ('0x', 'f' x 16, 'F00', '[', ']', '<', '>', ',', '1e9999', '-', 'NaN', 'infinity', ' ', "\xc3\xa9", '{', '}', '"',
        ':', '0.95', '0>', '3', '18446744073709551616', "\\", '%', 'a b', '.', "\t");
    return join '', map { one_of(@pieces) } 1 .. int rand one_of(2, 8, 200);
}

my @integers = (0, 1, -1, 2, 3, 4, 7, 8, 15, 16, 63, 64, 65, 100, 32767, -32768, 65536, 2147483647, -2147483647);
my @floats = qw(0 1 -1 0.5 0.95 1e-300 1e300 NaN Infinity -Infinity 549755813887 -549755813889 5e-324);
my %values = (
    'smallint' => sub { one_of(@integers[ 0 .. 15 ]) },
    'integer' => sub { one_of(@integers, '-2147483647 - 1') },
    'bigint' => sub { one_of(@integers, '9223372036854775807', '-9223372036854775807 - 1') },
    'oid' => sub { one_of(0, 1, 2147483647, "'page'::regclass::oid", int rand 20000) },
    'numeric' => sub { one_of(@integers, "'NaN'", '1e300', '-1e300', '18446744073709551615', '18446744073709551616', '0.5', "repeat('9', 100000)") },
    'real' => sub { quoted(one_of(grep { !/e/ } @floats)) },
    'double precision' => sub { quoted(one_of(@floats)) },
    'boolean' => sub { one_of('true', 'false') },
    'text' => sub { one_of("''", "'word'", "'character'", quoted(garbage()), "repeat('ab cd ', 100000)", "repeat('x', 3000000)", "repeat(chr(768), 100000)", "'a'") },
    'name' => sub { one_of("'h'", "'w'", "'id'", "'tableoid'", "''", "'none'") },
    'cstring' => sub { one_of("''", "'0123456789abcdef'", quoted(garbage())) },
    'bytea' => sub { my $n = one_of(0, 1, 7, 8, 9, 64, 513, 100000); "decode(repeat('" . sprintf('%02x', int rand 256) . "', $n), 'hex')" },
    'bit' => sub { my $n = one_of(0, 1, 63, 64, 65, 10000); $n == 0 ? "B''" : "repeat('" . one_of(0, 1) . "', $n)::bit($n)" },
    'bit varying' => sub { "repeat('1', " . int(rand 100) . ")" },
    'regclass' => sub { one_of("'page_h'", "'page'", 0, 1, "'pg_class'", "'pg_class_oid_index'", 2147483647) },
    'jsonb' => sub { one_of(
            "'{}'", "'null'", "'[]'", "'1'", q('{"a": 1}'), q('{"a": 1e400}'), q('{"a": "b"}'), q('{"a": null}'), q('{"": -0.5, "b": 1e300}'),
            q('{"a": {"b": [1, 2]}}'), q('{"a": 0.00000000000000001}'), "(SELECT jsonb_object_agg('k' || n, n) FROM generate_series(1, 20000) AS n)",
            q(('{"a": ' || repeat('[', 1000) || repeat(']', 1000) || '}')), q(jsonb_build_object(repeat('k', 1000000), 1))) },
    'tsvector' => sub { one_of("''", q('a:1A b:2,3B c'), q('a:16383'), "(SELECT to_tsvector('simple', string_agg('w' || n, ' ')) FROM generate_series(1, 20000) AS n)") },
    'simhash' => sub { one_of("'0000000000000000'", "'ffffffffffffffff'", "'8000000000000000'", 'fingerprint(' . int(rand 600) . ')', 'fingerprint(1)') },
    'hamming_distance' => sub { one_of(@integers) },
    'simhash_weights' => sub { one_of(
            "to_simhash_weights('some words')", "('[' || repeat('0,', 63) || '0]')", "('[' || repeat('549755813887,', 63) || '-549755813887]')",
            "('[' || repeat('-0.00000005960464477539,', 63) || '1e11]')", "(SELECT w FROM page WHERE id = 3)") },
    'feature_frequencies' => sub { one_of(
            "'<word,1,0,0,{}>'", "'<given,1,4294967294,4294967294,{0:4294967294}>'", "'<character,25,9,2,{1:2,ffffffffffffffff:9}>'",
            "(SELECT feature_frequencies_agg('w' || n || ' some words') FROM generate_series(1, 20000) AS n)") },
    'feature_vector' => sub { one_of(
            "'<counts,{}>'", "'<counts,{0:4294967295,ffffffffffffffff:1}>'", "'<weights,{1:549755813887,2:-549755813887}>'", "features('some words')",
            "(SELECT features(array_agg('w' || n)) FROM generate_series(1, 20000) AS n)") },
    'simhash_ball' => sub { one_of("simhash_ball(" . value('simhash') . ', ' . value('integer') . ')',
            "simhash_ball(" . join(', ', map { value($_) } 'simhash_weights', 'integer', 'double precision', 'integer') . ')') },
    'text_ball' => sub { one_of("text_ball(" . value('text') . ', ' . value('double precision') . ')', "'<0.5,some words>'",
            quoted('<0.' . int(rand 99) . ',' . garbage() . '>')) },
    'signature_ball' => sub { one_of(
            'signature_ball(' . value('bit') . ', ' . value('integer') . ')', 'signature_nearest(' . value('bit') . ", 0.5, 3)",
            "signature_ball(repeat('1', 65)::bit(65), " . value('integer') . ', ' . value('double precision') . ', array_fill(-1.5::real, ARRAY[65]))') });

# Valid arguments, by function and position; for others, values of the type. Without them functions that take an index
# or a query would reject nearly everything. The unprivileged role gets those of a table that it does not own.
my $secret = 0;
my $index = sub { ($secret ? "'page_h'" : one_of("'page_h'", "'page_part'", "'copy_h'", "'nothing_h'", "'document_" .
            one_of(qw(body several b ball image)) . "'")) . '::regclass' };
my $table = sub { ($secret ? "'page'" : one_of("'page'", "'copy'", "'nothing'")) . '::regclass' };
my $column = sub { "'h'::name" };
my $radius = sub { one_of(0 .. 10, 16, 64) };
my $tables = sub { one_of(0, 4 .. 16, 32, 33) };
my $query = sub { quoted($secret ? 'SELECT id, id FROM page' : query(3)) . '::text' };
my $keys = sub { one_of("'{1,2,3}'::bigint[]", "'{3,NULL,1}'::bigint[]", "'{}'::bigint[]", "'{{b},{a},{b}}'::text[]", "'{(0,0)}'::point[]") };
my $kind = sub { one_of("'star'", "'connected'", "'other'") };
my $minima = sub { one_of("'{}'::bigint[]", 'ARRAY[1, -1, 9223372036854775807, 0]::bigint[]', 'ARRAY[1, NULL]::bigint[]', "array_fill(7::bigint, ARRAY[4096])") };
my $vector = sub { one_of(
    map({ "(SELECT array_agg(sin(n * $_)::real) FROM generate_series(1, $_) AS n)" } 1, 2, 64, 768, 65536, 65537),
    "'{1e38,-3e38,1e-45}'::real[]", "'{0.1,-2e-300,3}'::double precision[]", "'{1e300,1}'::double precision[]", "'{0,0,-0}'::real[]", "'{1,NaN}'::real[]", "'{Infinity}'::real[]", "'{1,NULL}'::real[]", "'{{1,2},{3,4}}'::real[]") };
my $bits = sub { one_of(63 .. 66, 100, 256, 1024, 4095 .. 4097) };
my %fitting = (
    'simhash_pair_sample' => [ $index, sub { one_of("'h::text'", "'id::text'", "'missing'") }, $radius ],
    'simhash_group(anyelement;simhash;integer;text)' => [ sub { one_of('n', 'n::text', 'ROW(n, 1)', 'NULL::int') }, sub { one_of('(n % 77)::bigint::simhash', 'hashint8extended(n / 3, 1)::simhash') }, $radius, $kind ],
    'simhash_group(anyelement;bit;integer;text)' => [ sub { 'n' }, sub { one_of("(n % 77)::bit(64)", "(n % 77)::bit(100)") }, $radius, $kind ],
    'simhash_pair_groups' => [ $keys, $keys, $kind ],
    'simhash_block_pairs' => [ sub { one_of('$$SELECT id, h, block FROM page, unnest(simhash_blocks(h, 3)) block$$', $query->()) }, $radius, $tables ],
    'simhash_report' => [ $table, $column, $radius, sub { one_of(0, 1000, 1000000000000) } ],
    'simhash_index_designs' => [ $radius ],
    'simhash_blocks' => [ undef, $radius, $tables ],
    'simhash_first_block' => [ undef, undef, $radius, $tables ],
    'simhash_index_stats' => [ $index ],
    'simhash_index_check' => [ $index ],
    'simhash_index_trace' => [ $index ],
    'signature_ball(bit;bigint;double precision;real[])' => [ sub { "repeat('0', 64)::bit(64)" }, undef, undef, sub { 'array_fill(0.5::real, ARRAY[64])' } ],
    'signature_nearest' => [ sub { "repeat('0', 65)::bit(65)" }, undef, sub { one_of(1, 10) } ],
    'simhash_index_calibrate' => [ $index, $table, sub { "'w'::name" }, $column ],
    'simhash_project' => [ $vector ],
    'simhash_project_weights' => [ $vector ],
    'signature_project' => [ $vector, $bits ],
    'signature_project_weights' => [ $vector, $bits ],
    (map {
        ("to_signature$_(text;integer)" => [ undef, $bits ], "to_signature$_(feature_vector;integer)" => [ undef, $bits ]) } '', '_weights'),
    'minhash_bands' => [ $minima, sub { one_of(1, 2, 4, 5) } ], %{ $beside{arguments} // {} });

# Arguments that are queries: of pairs, and everything else.
sub query
{
    my ($depth) = @_;
    my @more = $depth == 0 ? () : ('SELECT * FROM (' . query($depth - 1) . ') AS q', 'EXPLAIN ANALYZE ' . query($depth - 1), query($depth - 1) . '; ' . query($depth - 1),
        query($depth - 1) . ' UNION ALL ' . query($depth - 1), 'WITH q AS (' . query($depth - 1) . ') SELECT 1, 2 FROM q');
    my @sound = ('SELECT id, id / 2 FROM copy', 'VALUES (1, 2), (2, 3), (3, 1)');
    return one_of(
        (@sound) x 6, 'SELECT id, id + 1 FROM page', 'VALUES (1, 2), (2, 3), (-5, 3::bigint)', 'SELECT 1::smallint, 2', 'SELECT n, n / 2 FROM generate_series(1, 100000) AS n',
        'SELECT a.id, b.id FROM page a JOIN copy b ON a.h <@> b.h <= 5', 'SELECT 9223372036854775807, -9223372036854775808', 'SELECT 1, 2 WHERE false',
        'SELECT x.id, y.id FROM page x JOIN page y ON x.h <@> y.h <= 20 AND x.id < y.id',
        'SELECT 1', 'SELECT 1, NULL::int', 'SELECT NULL, NULL', "SELECT 1, 'a'", 'SELECT 1, 2, 3', 'SELECT', 'SELECT 1 / 0, 2', 'SELECT $1, 2', 'SELECT h, h FROM page',
        'SELECT 1, row(1)', 'SELECT id, ctid FROM page', 'SELECT a, b FROM page', 'TABLE page', 'TABLE missing', 'SELECT id, id FROM page FOR UPDATE',
        '', ' ', ';', '--', '/*', "'", garbage(), 'SELECT 1, 2;', 'SELECT 1, 2 ' . garbage(),
        'INSERT INTO page VALUES (7)', 'DELETE FROM page RETURNING id, id', 'UPDATE page SET id = 1 RETURNING 1, 2', 'TRUNCATE page',
        'WITH d AS (DELETE FROM page RETURNING id) SELECT id, id FROM d', 'CREATE TABLE made AS SELECT 1, 2', 'SELECT 1 AS a, 2 AS b INTO made', 'DROP TABLE page',
        'BEGIN', 'COMMIT', 'ROLLBACK', 'SAVEPOINT s', 'PREPARE TRANSACTION \'x\'', 'SET work_mem = 1', 'SHOW work_mem', 'SHOW ALL', 'RESET ROLE',
        'COPY page TO STDOUT', 'COPY page FROM STDIN', 'DO \'BEGIN COMMIT; END\'', 'VACUUM', 'CHECKPOINT', 'LISTEN x', 'LOCK TABLE page', 'DISCARD ALL',
        'DECLARE c CURSOR FOR SELECT 1, 2', 'FETCH ALL FROM c', 'CLOSE ALL', 'PREPARE p AS SELECT 1, 2', 'EXECUTE p', 'CALL page()', 'EXPLAIN SELECT 1, 2',
        'SELECT set_config(\'role\', \'stranger\', true)::int, 1', "SELECT nextval('missing'), 1", @more, @more);
}

# A literal or expression of a type.
sub value
{
    my ($type) = @_;
    my $plain = $type =~ s/^(\w+)\.//r;
    return "NULL::$type" if rand() < 0.08;
    if ($plain =~ /^(.*)\[\]$/ || $plain eq 'anyarray')
    {
        my $of = $1 // one_of('text', 'integer', 'simhash');
        my $element = value($of);
        return one_of(
            "'{}'::$of\[]", "ARRAY[$element, @{[ value($of) ]}]::$of\[]", "ARRAY[[$element], [@{[ value($of) ]}]]::$of\[]", "ARRAY[NULL, $element]::$of\[]",
            "array_fill(($element)::$of, ARRAY[@{[ $element =~ /repeat|SELECT/ ? 3 : one_of(1, 63, 64, 65, 1000) ]}])", "array_fill(($element)::$of, ARRAY[@{[ $element =~ /repeat|SELECT/ ? 3 : 64 ]}], ARRAY[-5])",
            "array_fill(NULL::$of, ARRAY[64])",
            # small elements only
            "array_fill(@{[ $of eq 'text' ? q('a'::text) : qq(NULL::$of) ]}, ARRAY[300000])",
            $of eq 'text' ? "(SELECT array_agg(n::text) FROM generate_series(1, 100000) AS n)" : "'{}'::$of\[]");
    }
    return value(one_of('text', 'integer', 'simhash', 'double precision')) if $plain =~ /^any(element|nonarray)?$|^"any"$/;
    return 'NULL' if $plain eq 'internal';
    my $make = $values{$plain};
    # Types of the extension that this list lacks: text that may or may not be valid.
    return one_of("NULL::$type", quoted(garbage()) . "::$type", "'0123456789abcdef'::$type") unless $make;
    # without a length, bit in a cast is bit(1)
    return '(' . $make->() . ')' . ($plain eq 'bit' ? '' : "::$type");
}

# -- Statements -----------------------------------------------------------------------------------------------

# Returns the statement, and the arguments alone for functions that must not raise errors.
sub make_call
{
    my ($f) = @_;
    my $plain = $f->{name} =~ s/^\w+\.//r;
    my $fitting = $secret || rand() < 0.7 ? $fitting{$plain} // $fitting{"$plain(" . join(';', @{ $f->{types} }) . ')'} // [] : [];
    my @args = map { my $make = $fitting->[$_]; $make && ($secret || rand() < 0.95) ? $make->() : value($f->{types}[$_]) } 0 .. $#{ $f->{types} };
    my $list = join ', ', @args;
    if ($f->{kind} eq 'a')
    {
        my $input = join ' UNION ALL ', map { 'SELECT ' . join(', ', map { value($_) } @{ $f->{types} }) } 1 .. one_of(1, 3);
        my $columns = join ', ', map { "c$_" } 1 .. @args;
        $input = 'SELECT 1' if !@args;
        my $call = "$f->{name}(" . one_of('', '', 'ALL ') . (@args ? $columns : '*') . ')';
        return "SELECT $call FROM ($input) AS input" . (@args ? "($columns)" : '') . one_of('', '', ' WHERE false') if rand() < 0.7;
        return "SELECT $call OVER (ROWS " . one_of('1 PRECEDING', 'UNBOUNDED PRECEDING') . ") FROM ($input) AS input" . (@args ? "($columns)" : '');
    }
    return "SELECT $f->{name}($list) OVER (PARTITION BY n % " . one_of(1, 2, 50) . ' ORDER BY n) FROM generate_series(1, ' . one_of(1, 100, 2000) . ') AS n' if $f->{kind} eq 'w';
    return ("SELECT $f->{name}($list)", @args);
}

sub make_operator
{
    my ($o) = @_;
    my @args = map { value($_) } grep { $_ ne '-' } @{ $o->{types} };
    return (@args == 1 ? "SELECT $o->{name} ($args[0])" : "SELECT ($args[0]) $o->{name} ($args[1])", @args);
}

sub make_cast
{
    my ($c) = @_;
    my $from = value($c->{from});
    my $to = $c->{to} =~ /^bit$/ && rand() < 0.7 ? 'bit(' . one_of(1, 63, 64, 65) . ')' : $c->{to};
    return ("SELECT ($from)::$to", $to eq $c->{to} ? $from : "error()");
}

sub make_other
{
    my $type = @types ? one_of(@types)->{name} : 'simhash';
    return one_of(
        'SELECT ' . quoted(garbage()) . "::$type",
        'SELECT ' . quoted('{' . garbage() . '}') . "::$type\[]" ,
        'SELECT to_simhash_weights(' . value('jsonb') . ')',
        'SELECT id FROM page WHERE h <@> ' . value('simhash') . one_of(' <= ', ' < ', ' = ', ' >= ', ' <> ') . value(one_of('integer', 'smallint', 'bigint')),
        'SELECT id FROM page WHERE h <@> ' . value('simhash_weights') . ' <= ' . value('integer'),
        'SELECT id FROM page WHERE h <@| ' . value('simhash_ball') . ' AND h <@| ' . value('simhash_ball'),
        'SELECT id FROM page WHERE h <@| ' . value('simhash_ball') . ' ORDER BY h <@> ' . value('simhash_weights') . ' LIMIT 7',
        'SELECT id FROM page ORDER BY h <@> ' . value('simhash') . ', h <@> ' . value(one_of('simhash', 'simhash_weights')) . ' LIMIT 7',
        'SELECT a.id FROM page a JOIN page b ON a.h <@> b.h <= ' . value('integer') . ' LIMIT 100',
        'SELECT id FROM page WHERE h = ANY (' . value('simhash[]') . ')',
        'SELECT id FROM document WHERE body ~= ' . value('text'),
        'SELECT id FROM document WHERE body <@| ' . value('text_ball'),
        'SELECT id FROM document WHERE body ~= ANY (ARRAY[' . value('text') . ", 'a'])",
        'SELECT id FROM document WHERE tenant = ' . value(one_of('integer', 'smallint', 'bigint')) . ' AND h <@> ' . value('simhash') . ' <= ' . value('integer'),
        'SELECT id FROM document WHERE tenant IS NULL ORDER BY h <@> ' . value('simhash') . ' LIMIT 3',
        'SELECT id FROM document WHERE b <@> ' . value('bigint') . ' < ' . value('integer') . ' OR b ~= ' . value('bigint'),
        'SELECT id FROM document WHERE ball ~= ' . value('simhash_ball'),
        'SELECT id FROM document WHERE signature_ball(image, 9) ~= ' . value('signature_ball'),
        'SELECT a.id FROM document a JOIN document b ON a.body <@| text_ball(b.body, ' . value('double precision') . ') LIMIT 100',
        'SELECT id FROM page WHERE h IS NULL OR h ~= ' . value('simhash'));
}

# -- Runs -----------------------------------------------------------------------------------------------------

# Bad arguments, limits and unsupported features; no internal errors and no system failures.
my $sane = qr/^(gave|08P01|0A000|21|22|23|42|54|55000)/;
my (%count, %called, %useful, @bad);

sub try_all
{
    my ($role, @tries) = @_;
    return if !@tries;
    my $statements = join ",\n", map { my $tag = 'q' . int rand 1e9; "(\$$tag\$$_->{sql}\$$tag\$)" } @tries;
    my ($out, $error, $timed_out) = ('', '', 0);
    my $limit = rand() < 0.5 ? 'SET enable_seqscan = off;' : '';
    $node->psql('postgres', <<SQL, stdout => \$out, stderr => \$error, timeout => 300, timed_out => \$timed_out);
SET client_min_messages = error; $limit
SET search_path = public, pg_catalog;
SET ROLE $role;
SELECT replace(outcome(statement), E'\\n', ' ') FROM (VALUES $statements) AS list(statement);
RESET ROLE;
SELECT 'memory|' || coalesce((SELECT substring(pg_read_file('/proc/self/status', 0, 10000) FROM 'VmHWM:\\s+(\\d+)')), '0');
SQL
    my @lines = split /\n/, $out;
    my $memory = pop @lines;
    if (!defined $memory || $memory !~ /^memory\|(\d+)/)
    {
        push @bad, "the session ended (timed out: $timed_out): $error: " . substr($statements, 0, 2000);
        return;
    }
    $count{memory} = $1 if $1 > ($count{memory} // 0);
    push @bad, "$1 kB of memory were used by one of: " . join(";\n", map { $_->{sql} } @tries) if $1 > 1024 * 1024;
    for my $i (0 .. $#tries)
    {
        my ($try, $line) = ($tries[$i], $lines[$i] // 'nothing');
        $count{ substr($line, 0, 2) eq 'ga' ? 'answers' : 'errors' }++;
        $useful{ $try->{name} }++ if defined $try->{name} && $line =~ /^gave\|t/;
        push @bad, "$line: $try->{sql}" unless $line =~ $sane;
        $called{ $try->{leakproof} }++ if defined $try->{leakproof} && $line =~ /^gave/;
        push @bad, "leakproof, but $line: $try->{sql}" if defined $try->{leakproof} && $line !~ /^gave/;
        push @bad, "a stranger got: $line: $try->{sql}" if $try->{secret} && $line =~ /^gave\|t/;
    }
    return;
}

# Functions that must not raise errors on valid arguments: a first check rejects invalid ones.
sub with_valid_arguments
{
    my (@tries) = @_;
    my @valid;
    my $out = $node->safe_psql('postgres', join '', 'SET search_path = public, pg_catalog;',
        map { my $list = join ', ', map { "$_" } @{ $_->{args} }; "SELECT outcome(\$args\$SELECT ROW($list)\$args\$);\n" } @tries);
    my @lines = split /\n/, $out;
    for my $i (0 .. $#tries)
    {
        push @valid, $tries[$i] if $lines[$i] =~ /^gave/;
    }
    return @valid;
}

# Returns a list of statements; each round covers every object of the catalogue once.
sub make_round
{
    my (@plain, @leakproof);
    my $add = sub {
        my ($object, $name, $sql, @args) = @_;
        if ($object->{leakproof}) { push @leakproof, { sql => $sql, leakproof => $name, args => \@args } }
        else { push @plain, { sql => $sql } }
    };
    for my $f (@functions)
    {
        my $internal = grep { $_ eq 'internal' } @{ $f->{types} };
        my ($sql, @args) = make_call($f);
        if ($f->{leakproof} && !$internal) { $add->($f, "$f->{name}(@{ $f->{types} })", $sql, @args) }
        else { push @plain, { sql => $sql } }
    }
    for my $o (@operators) { $add->($o, "$o->{name} @{ $o->{types} }", make_operator($o)) }
    for my $c (@casts) { $add->($c, "$c->{from} to $c->{to}", make_cast($c)) }
    push @plain, { sql => (make_other())[0] } for 1 .. 40;
    # Functions that do most with their arguments, several more times.
    for my $f (@delicate)
    {
        push @plain, { sql => (make_call($f))[0], name => "$f->{name}(@{ $f->{types} })" } for 1 .. 3;
    }
    return (\@plain, \@leakproof);
}

my $end = time + test_seconds();
my $rounds = 0;
while (time < $end || $rounds == 0)
{
    my ($plain, $leakproof) = make_round();
    try_all('postgres', @$plain);
    try_all('postgres', with_valid_arguments(@$leakproof));
    # An unprivileged role gets nothing by naming a relation that it does not own.
    $secret = 1;
    my @secret = map { { sql => (make_call($_))[0], secret => 1 } } grep { grep { /^(regclass|oid)$/ } @{ $_->{types} } } @functions;
    $secret = 0;
    try_all('stranger', @secret);
    $count{secret} += @secret;
    $rounds++;
    last if @bad > 20;
}
is(join("\n", @bad), '', "$rounds rounds of calls");
note(join ', ', map { "$_: $count{$_}" } sort keys %count);
cmp_ok($count{answers}, '>', $count{errors} / 10, 'many calls give answers');
cmp_ok($count{errors}, '>', 10, 'some are rejected');
cmp_ok($count{secret}, '>', 2, 'some were a stranger\'s') if !%beside;
is(join(', ', grep { !$useful{$_} } map { "$_->{name}(@{ $_->{types} })" } @delicate), '', 'each gave something') if $rounds > 20;
note("useful: ", join ', ', map { "$_ $useful{$_}" } sort keys %useful);
cmp_ok(scalar keys %called, '>', 30, 'leakproof functions were called') if !%beside;

# -- Binary input ---------------------------------------------------------------------------------------------

my @problems;
for my $type (grep { $_->{binary} } @types)
{
    $node->safe_psql('postgres', "DROP TABLE IF EXISTS sent; CREATE TABLE sent (v $type->{name})");
    for my $try (1 .. 25)
    {
        my $length = one_of(0, 1, 4, 7, 8, 9, 12, 16, 512, 513, 514, 529, 5000);
        my $bytes = join '', map { chr(rand() < 0.5 ? one_of(0, 1, 255, 3, 64) : int rand 256) } 1 .. $length;
        my $file = $node->basedir . '/sent.bin';
        open my $out, '>:raw', $file or die;
        print $out "PGCOPY\n\xff\r\n\0", pack('N N n N', 0, 0, 1, $length), $bytes, pack('n', 0xFFFF);
        close $out;
        my (undef, undef, $error) = $node->psql('postgres',
            "\\set VERBOSITY verbose\nCOPY sent FROM '$file' (FORMAT binary); SELECT v FROM sent LIMIT 1; TRUNCATE sent");
        push @problems, "$type->{name}, $length bytes: $error" if $error ne '' && $error !~ /ERROR: +(08P01|22|0A000)/;
    }
}
is(join("\n", @problems), '', 'binary input of every type');

# -- Settings and index options -------------------------------------------------------------------------------

@problems = ();
for my $try (1 .. 60)
{
    my $value = one_of(@integers, @floats, "''", quoted(garbage()), 'on', '1e400', 'default');
    my $option = one_of(qw(distance tables fillfactor none));
    my @commands = ("SET " . one_of(@settings) . " = " . ($value eq 'default' ? $value : quoted($value =~ s/'//gr)));
    push @commands, "CREATE INDEX other ON page USING simhash (h) WITH ($option = " . quoted($value =~ s/'//gr) . "); DROP INDEX other";
    push @commands, "ALTER INDEX page_h SET ($option = " . quoted($value =~ s/'//gr) . "); SELECT * FROM simhash_index_stats('page_h'); ALTER INDEX page_h RESET ($option)";
    for my $command (@commands)
    {
        my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\n$command");
        push @problems, "$command: $error" if $error =~ /(?:ERROR|FATAL|PANIC): +(\w+)/ && $1 !~ /^(22|42|0A|54)/;
    }
}
is(join("\n", @problems), '', 'settings and index options');
index_is_sound($node, 'page_h', 'the index is unchanged');

my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC|TRAP|was terminated by|server process .* exited/, 'no server process died');

done_testing();
