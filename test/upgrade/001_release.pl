# Tables and indexes made by the library of the earlier release: the present library gives the same answers, before
# and after ALTER EXTENSION UPDATE, and a dump of them can be restored.
use strict;
use warnings;
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $release = '0.1.0';
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', slurp_file($ENV{RELEASE_CONFIG}));
$node->append_conf('postgresql.conf', "jit = off\nautovacuum = off\n");
{
    local $ENV{PATH} = "$ENV{RELEASE_PROGRAMS}:$ENV{PATH}";
    $node->start;
}
prepare_database($node);
is($node->safe_psql('postgres', "SELECT extversion FROM pg_extension WHERE extname = 'simhash'"), $release, "made by $release");
$node->safe_psql('postgres', <<'SQL');
SET max_parallel_maintenance_workers = 2;
SET min_parallel_table_scan_size = 0;
CREATE TABLE page (id bigint, h simhash);
INSERT INTO page SELECT n, CASE WHEN n % 100 <> 0 THEN flipped(fingerprint(n % 5000), n, n::int % 5) END FROM generate_series(1, 20000) AS n;
CREATE TABLE grown (LIKE page);
CREATE INDEX grown_h ON grown USING simhash (h) WITH (distance = 4, tables = 5, fillfactor = 80);
INSERT INTO grown TABLE page;
CREATE TABLE ordered AS TABLE page;
CREATE INDEX ordered_h ON ordered USING simhash (h) WITH (tables = 1);
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE partial AS TABLE page;
CREATE INDEX partial_h ON partial USING simhash (h) WHERE id > 0;
CREATE INDEX partial_b ON partial (h);
CREATE INDEX partial_a ON partial USING hash (h);
CREATE TABLE text (id bigint, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED,
    w simhash_weights, url text, u simhash GENERATED ALWAYS AS (to_simhash(simhash_features(url))) STORED);
INSERT INTO text (id, body, w, url)
    SELECT n, body, to_simhash_weights(body), 'http://example.org/' || n % 10 || '/' || n
    FROM (SELECT n, 'number ' || n || ' of some words that are ' || md5(n::text) AS body FROM generate_series(1, 1000) AS n) AS bodies;
CREATE INDEX text_h ON text USING simhash (h);
CREATE TABLE pair AS SELECT w, to_simhash(body || ' too') AS h FROM text;
SELECT count(*) FROM simhash_calibrate('text_h', 'pair', 'w', 'h');
CREATE TABLE single (id bigint, h simhash, EXCLUDE USING simhash (h WITH ~=));
INSERT INTO single SELECT n, fingerprint(n) FROM generate_series(1, 500) AS n;
CREATE TABLE divided (id bigint, h simhash) PARTITION BY HASH (h);
CREATE TABLE divided_0 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE divided_1 PARTITION OF divided FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX divided_h ON divided USING simhash (h);
INSERT INTO divided SELECT n, fingerprint(n) FROM generate_series(1, 1000) AS n;
CREATE VIEW near AS SELECT a.id AS a, b.id AS b FROM single AS a JOIN page AS b ON a.h <@> b.h <= 3;
DELETE FROM page WHERE id % 7 = 0;
VACUUM ANALYZE;
SQL

# The same for all versions, in an order of their own.
my $answers = <<'SQL';
SET enable_seqscan = off;
SELECT md5(string_agg(id || h::text || w::text, ' ' ORDER BY id)), bool_and(h = to_simhash(body)) FROM text;
SELECT md5(string_agg(a || ' ' || b, ', ' ORDER BY a, b)) FROM near;
SELECT count(*), sum(distance) FROM simhash_pairs('page_h', 3);
SELECT count(*), count(DISTINCT leader) FROM simhash_groups('grown_h', 3);
SELECT array_agg(d) FROM (SELECT h <@> '00000000000000ff' AS d FROM page ORDER BY h <@> '00000000000000ff' LIMIT 20) AS near;
SELECT count(*) FROM text AS a JOIN text AS b ON b.h <@> a.w <= 8 WHERE a.id <= 50;
SELECT step, "table", leaf, matches, flipped_bits
    FROM simhash_probe_plan('text_h', simhash_ball((SELECT w FROM text WHERE id = 1), 8, 0.99));
SELECT rows, nulls, pages, leaf_pages, inner_pages, height, fillfactor, header_bits, reindex_pending, fitted
    FROM unnest('{page_h,grown_h,ordered_h,partial_h,text_h,divided_0_h_idx}'::regclass[]) AS i, simhash_index_stats(i);
SELECT simhash_hash_extended(h, 7) FROM page WHERE id = 1;
SELECT tableoid::regclass FROM divided WHERE id <= 10 ORDER BY id;
SELECT to_simhash_as('1e0ng', 'some text'), simhash_project('{1,2,3}'), '1'::bigint::simhash::bytea;
SQL
my $before = $node->safe_psql('postgres', $answers);
is($node->safe_psql('postgres', "SELECT fitted FROM simhash_index_stats('text_h')"), 't', 'an index has a model of its own');

sub indexes_answer
{
    my ($when) = @_;
    is($node->safe_psql('postgres', $answers), $before, "$when: the same answers");
    for my $table (qw(page grown ordered text single divided)) {
        answers_agree($node, $table, "$when: the index on $table answers");
    }
    for my $index (qw(page_h grown_h ordered_h partial_h text_h single_h_excl divided_0_h_idx)) {
        index_is_sound($node, $index, "$when: $index is sound");
    }
    return;
}

my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '-f', $dump, '-d', $node->connstr('postgres') ], 'dumped');

$node->append_conf('postgresql.conf', slurp_file($ENV{TEMP_CONFIG}));
$node->stop;
$node->start;
indexes_answer('present library');
$node->safe_psql('postgres', 'ALTER EXTENSION simhash UPDATE');
isnt($node->safe_psql('postgres', "SELECT extversion FROM pg_extension WHERE extname = 'simhash'"), $release, 'updated');
indexes_answer('updated');
$node->safe_psql('postgres', <<'SQL');
INSERT INTO page SELECT n, flipped(fingerprint(n % 5000), n, n::int % 5) FROM generate_series(20001, 40000) AS n;
DELETE FROM grown WHERE id % 3 = 0;
INSERT INTO ordered SELECT n, fingerprint(n) FROM generate_series(20001, 25000) AS n;
VACUUM;
SQL
for my $table (qw(page grown ordered)) {
    answers_agree($node, $table, "after inserts and VACUUM: the index on $table answers");
    index_is_sound($node, "${table}_h", "after inserts and VACUUM: ${table}_h is sound");
}

$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d', $node->connstr('restored') ],
    "a dump made with $release is restored");
is($node->safe_psql('restored', "SELECT md5(string_agg(id || h::text || w::text, ' ' ORDER BY id)), bool_and(h = to_simhash(body)) FROM text"),
    (split /\n/, $before)[0], 'with the same values');

$node->stop;
done_testing();
