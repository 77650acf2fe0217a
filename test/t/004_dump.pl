# pg_dump and pg_restore keep the column type, generated columns, weights, index options and constraints; binary
# and text COPY keep the values.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main');
prepare_database($node);
prepare_classes($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id bigint PRIMARY KEY, h simhash DEFAULT '00000000000000ff');
INSERT INTO page SELECT n, CASE WHEN n % 100 <> 0 THEN fingerprint(n) END FROM generate_series(1, 5000) AS n;
INSERT INTO page VALUES (0, DEFAULT), (-1, 'ffffffffffffffff'), (-2, '0000000000000000'), (-3, '8000000000000000');
CREATE INDEX page_h ON page USING simhash (h) WITH (design_radius = 4, trees = 5, fillfactor = 80);
CREATE INDEX page_partial ON page USING simhash (h) WHERE id % 2 = 0;
CREATE INDEX page_order ON page (h);
CREATE TABLE text (id bigint, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED,
    weights simhash_weights, ball simhash_ball, frequencies feature_frequencies);
ALTER TABLE text ADD rare simhash GENERATED ALWAYS AS (to_simhash(features('<word,1,9,2,{28c7dd2f4d9a8bc1:8}>'::feature_frequencies, body))) STORED;
INSERT INTO text (id, body, weights, ball)
    SELECT n, body, to_simhash_weights(body), simhash_ball(to_simhash_weights(body), n % 66 - 1, 1.0 / n, n) FROM
    (SELECT n, 'number ' || n || ' of some words that are ' || md5(n::text) AS body FROM generate_series(1, 200) AS n)
    AS bodies;
UPDATE text SET frequencies = (SELECT feature_frequencies_agg(body || ' ' || md5(id::text || n)) FROM text, generate_series(1, 20) AS n) WHERE id = 1;
CREATE INDEX text_h ON text USING simhash (h);
CREATE TABLE distinct_page (h simhash, EXCLUDE USING simhash (h WITH ~=));
INSERT INTO distinct_page SELECT fingerprint(n) FROM generate_series(1, 100) AS n;
SELECT add_items(1, 400);
CREATE TABLE kept (id bigint, tenant int, body text, h simhash, EXCLUDE USING simhash (body WITH ~=), EXCLUDE USING simhash (tenant WITH =, simhash_ball(h, 6) WITH ~=));
INSERT INTO kept SELECT id, id % 3, body, h FROM item ON CONFLICT DO NOTHING;
CREATE TABLE divided (id bigint, h simhash) PARTITION BY HASH (h);
CREATE TABLE divided_0 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE divided_1 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX divided_h ON divided USING simhash (h);
INSERT INTO divided SELECT n, fingerprint(n) FROM generate_series(1, 1000) AS n;
CREATE VIEW near AS SELECT a.id AS a, b.id AS b FROM page a JOIN page b ON a.h <@> b.h <= 3 AND a.id < b.id;
CREATE MATERIALIZED VIEW distances AS SELECT id, h <@> '00000000000000ff' AS distance FROM page;
SQL

my %checks = (
    'rows' => 'SELECT md5(string_agg(id || coalesce(h::text, \'-\'), \' \' ORDER BY id)) FROM page',
    'generated fingerprints' => 'SELECT md5(string_agg(id || h::text, \' \' ORDER BY id)) FROM text',
    'weights' => 'SELECT md5(string_agg(id || weights::text || ball::text, \' \' ORDER BY id)) FROM text',
    'frequencies' => 'SELECT md5(string_agg(frequencies::text, \' \')), md5(string_agg(rare::text, \' \' ORDER BY id)),
        count(DISTINCT rare) FROM text',
    'generated is what the function gives' => 'SELECT count(*) FROM text WHERE h IS DISTINCT FROM to_simhash(body)',
    'extensions' => 'SELECT string_agg(extname || extversion || extnamespace::regnamespace, \' \' ORDER BY extname) FROM pg_extension',
    'partitions' => 'SELECT md5(string_agg(tableoid::regclass || \' \' || id, \' \' ORDER BY id)) FROM divided',
    'indexes' => 'SELECT string_agg(pg_get_indexdef(indexrelid), E\'\n\' ORDER BY indexrelid::regclass::text)
        FROM pg_index WHERE indrelid::regclass::text IN
            (\'page\', \'text\', \'distinct_page\', \'item\', \'kept\', \'divided\', \'divided_0\', \'divided_1\')',
    'view' => 'SELECT count(*), pg_get_viewdef(\'near\') FROM near',
    'materialized view' => 'SELECT count(*), sum(distance), pg_typeof(min(distance)) FROM distances',
    'columns' => 'SELECT string_agg(attrelid::regclass || \'.\' || attname || \' \' || format_type(atttypid, atttypmod),
        \' \' ORDER BY attrelid::regclass::text, attnum) FROM pg_attribute
        WHERE attnum > 0 AND attrelid::regclass::text IN (\'page\', \'text\', \'distances\')',
    'default' => 'SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = \'page\'::regclass');

sub answers
{
    my ($database) = @_;
    return join "\n", map { "$_: " . $node->safe_psql($database, $checks{$_}) } sort keys %checks;
}

my $before = answers('postgres');
my $directory = $node->basedir;
for my $format (qw(custom directory plain)) {
    my $database = "restored_$format";
    my $file = "$directory/dump_$format";
    $node->command_ok([ 'pg_dump', '--format', $format, '--file', $file, $node->connstr('postgres') ],
        "$format: dumped");
    $node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
    $node->command_ok(
        $format eq 'plain'
        ? [ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file, $node->connstr($database) ]
        : [ 'pg_restore', '--exit-on-error', '--jobs', 2, '--dbname', $node->connstr($database), $file ],
        "$format: restored");
    is(answers($database), $before, "$format: the same");
    is($node->safe_psql($database, "SELECT bool_and(differing_answers(t, r) = 0)
        FROM unnest('{page,text,divided}'::regclass[]) AS t, generate_series(0, 5) AS r"),
        't', "$format: restored indexes answer");
    $node->safe_psql($database,
        "SELECT simhash_index_check(i, true) FROM unnest('{page_h,text_h,page_partial}'::regclass[]) AS i");
    my ($status) = $node->psql($database, 'INSERT INTO distinct_page VALUES (flipped(fingerprint(50), 1, 2))');
    isnt($status, 0, "$format: the exclusion constraint refuses a near-duplicate");
    is($node->safe_psql($database, 'WITH again AS (INSERT INTO kept SELECT id, id % 3, body, h FROM item WHERE h IS NOT NULL
        ON CONFLICT DO NOTHING RETURNING id) SELECT count(*) FROM again'), '0', "$format: constraints on texts and balls refuse what they have");
    classes_agree($node, "$format: other classes", $database);
}

# Forms that cannot name the schema of an operator, in every kind of object that stores an expression: a dump is restored
# with an empty search_path. All types that have an order or equality.
my $version = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);
$node->safe_psql('postgres', 'CREATE DATABASE forms');
$node->safe_psql('forms', 'CREATE EXTENSION simhash');
my @types = split /\n/, $node->safe_psql('forms', <<'SQL');
SELECT t.oid::regtype, bool_or(amname = 'btree') FROM pg_type t JOIN pg_opclass ON opcintype = t.oid AND opcdefault
JOIN pg_am a ON a.oid = opcmethod AND amname IN ('btree', 'hash')
JOIN pg_depend d ON classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e'
    AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'simhash') GROUP BY 1
UNION SELECT 'hamming_distance'::regtype, true
SQL
cmp_ok(scalar @types, '>=', 2, 'types with equality');
for (@types) {
    my ($type, $ordered) = split /\|/;
    my $other = $type eq 'simhash' ? "'0000000000000000'::simhash" : "NULL::$type";
    my %conditions = (
        distinct => "a IS DISTINCT FROM $other",
        not_distinct => "a IS NOT DISTINCT FROM b",
        whole => "(id, a) IS DISTINCT FROM (3, b)",
        nullif => "NULLIF(a, b) IS NULL",
        case => "CASE a WHEN $other THEN false WHEN b THEN true END",
        inside => "id = 3 OR (NOT coalesce(array_length(ARRAY[NULLIF(b, $other)], 1) > 0, a IS DISTINCT FROM b))",
        $ordered eq 't' ? (row => "(a, id) < (b, 3)", mixed => "(id, a) >= (3, $other)") : ());
    # Rows are compared by the operators of a btree class.
    my $row_in = $ordered eq 't' ? "(id, a) IN (SELECT id, c FROM ${type}_u)" : 'NULL';
    $node->safe_psql('forms', "CREATE TABLE ${type}_t (id int, a $type, b $type);
        CREATE TABLE ${type}_u (id int, a $type, c $type);
        CREATE VIEW ${type}_using AS SELECT a, t.id, c FROM ${type}_t t LEFT JOIN ${type}_u USING (a);
        CREATE VIEW ${type}_natural AS SELECT * FROM ${type}_t NATURAL LEFT JOIN ${type}_u;
        CREATE VIEW ${type}_in AS SELECT a IN (SELECT c FROM ${type}_u) AS i, a IN (b, $other) AS l, $row_in AS r FROM ${type}_t;
        CREATE DOMAIN ${type}_domain AS $type CHECK (VALUE IS DISTINCT FROM $other AND NULLIF(VALUE, $other) IS NULL);
        CREATE FUNCTION ${type}_tf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';");
    for my $form (sort keys %conditions) {
        my $expression = $conditions{$form};
        my $of_new = $expression =~ s/\b([ab]|id)\b/NEW.$1/gr;
        my $name = "${type}_$form";
        $node->safe_psql('forms', "CREATE TABLE $name (id int, a $type, b $type DEFAULT NULLIF($other, $other), CHECK ($expression),
                g boolean GENERATED ALWAYS AS ($expression) STORED);
            CREATE INDEX ON $name (id) WHERE $expression;
            CREATE INDEX ON $name (($expression));
            ALTER TABLE $name ADD EXCLUDE (id WITH =) WHERE ($expression);
            CREATE TABLE ${name}_p (id int, a $type, b $type) PARTITION BY LIST (($expression));
            CREATE TABLE ${name}_p1 PARTITION OF ${name}_p FOR VALUES IN (true);
            CREATE POLICY p ON $name USING ($expression) WITH CHECK ($expression);
            CREATE TRIGGER t BEFORE INSERT OR UPDATE ON $name FOR EACH ROW WHEN ($of_new) EXECUTE FUNCTION ${type}_tf();
            CREATE RULE r AS ON UPDATE TO $name WHERE $of_new DO ALSO DELETE FROM ${type}_t WHERE $expression;
            CREATE VIEW ${name}_v AS SELECT $expression AS c, count(*) FILTER (WHERE $expression) FROM $name WHERE $expression GROUP BY 1 ORDER BY 1;
            CREATE MATERIALIZED VIEW ${name}_m AS SELECT l.id FROM (SELECT 1) r LEFT JOIN $name l ON $expression;");
        $node->safe_psql('forms', "CREATE STATISTICS ${name}_s ON ($expression), id FROM $name;
            CREATE FUNCTION ${name}_f(id int, a $type, b $type) RETURNS boolean BEGIN ATOMIC SELECT $expression; END;") if $version >= 14;
    }
}
$node->safe_psql('forms', "CREATE TABLE filled (id int, body text, h simhash GENERATED ALWAYS AS (NULLIF(to_simhash(body), '0000000000000000')) STORED);
    INSERT INTO filled SELECT i, 'text ' || i FROM generate_series(1, 10) i");
survives_dump($node, 'forms', 'forms without a schema');

# Without CASCADE nothing is lost; with it, nothing of the extension is left.
my (undef, undef, $needed) = $node->psql('restored_plain', 'DROP EXTENSION simhash');
like($needed, qr/cannot drop extension simhash because other objects depend on it/, 'the extension is needed');
is(answers('restored_plain'), $before, 'nothing was dropped');
$node->safe_psql('restored_plain', 'DROP EXTENSION simhash CASCADE');
is($node->safe_psql('restored_plain', "SELECT (SELECT count(*) FROM pg_class WHERE relname IN ('page_h', 'text_h', 'near')),
    (SELECT count(*) FROM pg_proc WHERE probin LIKE '%simhash%'), (SELECT count(*) FROM page)"), '0|0|5004', 'indexes and views go with it, but no row');

# COPY, text and binary.
for my $format (qw(text binary csv)) {
    my $file = "$directory/copy_$format";
    $node->safe_psql('postgres', <<SQL);
COPY page TO '$file' (FORMAT $format);
CREATE TABLE copied (LIKE page);
COPY copied FROM '$file' (FORMAT $format);
SQL
    is($node->safe_psql('postgres', 'SELECT count(*) FROM (TABLE page EXCEPT TABLE copied) AS lost'),
        '0', "COPY, $format: every row");
    $node->safe_psql('postgres', <<SQL);
DROP TABLE copied;
COPY text (id, body, weights, ball) TO '$file' (FORMAT $format);
CREATE TABLE copied (id bigint, body text, weights simhash_weights, ball simhash_ball);
COPY copied FROM '$file' (FORMAT $format);
SQL
    is($node->safe_psql('postgres', 'SELECT count(*) FROM text JOIN copied USING (id)
        WHERE text.weights::text = copied.weights::text
            AND simhash_internal_ball_send(text.ball) = simhash_internal_ball_send(copied.ball) AND text.h = to_simhash(copied.body)'),
        '200', "COPY, $format: weights, balls and texts");
    $node->safe_psql('postgres', 'DROP TABLE copied');
}

done_testing();
