# Every page whose contents a change modifies has the LSN of a record of that change; all others keep theirs. A modified
# page with an old LSN could be written out before its record, and after a crash in between recovery would not know of
# the change.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

# Streaming: with wal_level = minimal builds are not logged.
my $node = start_node('main', streaming => 1, settings => [ 'autovacuum = off', 'maintenance_work_mem = 1MB',
    'max_parallel_maintenance_workers = 2', 'min_parallel_table_scan_size = 0' ]);
plan(skip_all => 'pageinspect is not installed')
  if $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'pageinspect'") == 0;
prepare_database($node, queries => 3);
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION pageinspect;

-- The pages of an index: contents are everything after LSN and checksum.
CREATE FUNCTION pages(index regclass, OUT block int, OUT lsn pg_lsn, OUT contents text) RETURNS SETOF record LANGUAGE sql AS
$$ SELECT block, (page_header(page)).lsn, md5(substr(page, 11))
   FROM generate_series(0, (pg_relation_size(index) / current_setting('block_size')::int)::int - 1) AS block,
        LATERAL get_raw_page(index::text, 'main', block) AS page $$;

CREATE TABLE before (block int, lsn pg_lsn, contents text);
-- Compared with "before": the number of changed and new pages, and the pages with a wrong LSN.
CREATE FUNCTION compare(index regclass, since pg_lsn, OUT changed bigint, OUT added bigint, OUT wrong text) LANGUAGE sql AS
$$ SELECT count(*) FILTER (WHERE b.block IS NOT NULL AND b.contents <> n.contents), count(*) FILTER (WHERE b.block IS NULL),
       string_agg(format('block %s, %s: LSN %s, was %s; the change began at %s', n.block,
               CASE WHEN b.block IS NULL THEN 'new' WHEN b.contents <> n.contents THEN 'changed' ELSE 'unchanged' END,
               n.lsn, b.lsn, since), E'\n' ORDER BY n.block)
           FILTER (WHERE CASE WHEN b.contents = n.contents THEN n.lsn <> b.lsn
               ELSE n.lsn <= since OR n.lsn > pg_current_wal_insert_lsn() END)
   FROM pages(index) AS n LEFT JOIN before AS b USING (block) $$;
SQL

# One test: a change sets the LSNs of exactly the pages that it modifies. Returns how many it changed and added.
sub sets_lsns
{
    my ($index, $name, $sql, %options) = @_;
    # A new file has none of the previous pages.
    my $before = $options{new_file} ? '' : "INSERT INTO before SELECT * FROM pages('$index');";
    my $out = $node->safe_psql('postgres', <<SQL);
SET client_min_messages = error;
TRUNCATE before;
$before
SELECT pg_current_wal_insert_lsn() AS since \\gset
\\o /dev/null
$sql;
\\o
SELECT changed, added, coalesce(wrong, '') FROM compare('$index', :'since');
SQL
    my ($changed, $added, $wrong) = split /\|/, $out, 3;
    $wrong = 'no page was touched' if $changed + $added == 0;
    is($wrong, '', $name);
    return ($changed, $added);
}

my $height = sub { return $node->safe_psql('postgres', "SELECT value FROM simhash_index_stats('$_[0]') WHERE name = 'height'") };

# -- From nothing, row by row ---------------------------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE TABLE page (id int, h simhash, w simhash_weights)');
sets_lsns('page_h', 'build of an empty index', 'CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 6)', new_file => 1);
for my $n (1 .. 5)
{
    my ($changed) = sets_lsns('page_h', "row $n", "INSERT INTO page VALUES ($n, fingerprint($n))");
    is($changed, 6, "row $n: a leaf of each table");
}
my ($changed) = sets_lsns('page_h', 'a NULL', 'INSERT INTO page VALUES (0, NULL)');
is($changed, 1, 'a NULL: its leaf');
sets_lsns('page_h', 'several rows', 'INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(6, 100) AS n');
my (undef, $added) = sets_lsns('page_h', 'growth of the roots', 'INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(101, 700) AS n');
is($added, 12, 'growth of the roots: two pages for each');
my $splits = 0;
for my $round (0 .. 9)
{
    (undef, $added) = sets_lsns('page_h', "splits of leaves, round $round",
        "INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(701 + 100 * $round, 800 + 100 * $round) AS n");
    $splits += $added;
}
cmp_ok($splits, '>', 6, 'leaves have split');
sets_lsns('page_h', 'NULLs', 'INSERT INTO page SELECT n, NULL FROM generate_series(10001, 12000) AS n');
sets_lsns('page_h', 'equals', 'INSERT INTO page SELECT n, fingerprint(1) FROM generate_series(20001, 22000) AS n');
sets_lsns('page_h', 'an insert that is rolled back',
    'BEGIN; INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(30001, 30100) AS n; ROLLBACK');
sets_lsns('page_h', 'COPY', "COPY page (id, h) FROM PROGRAM 'echo 1,0123456789abcdef; echo 2,fedcba9876543210' (FORMAT csv)");

# -- VACUUM, a model ------------------------------------------------------------------------------------------

($changed) = sets_lsns('page_h', 'VACUUM of one row', 'DELETE FROM page WHERE id = 50; VACUUM (INDEX_CLEANUP on) page');
cmp_ok($changed, '>=', 6, 'VACUUM of one row: a leaf of each table');
sets_lsns('page_h', 'VACUUM of many', 'DELETE FROM page WHERE id % 3 = 0; VACUUM (INDEX_CLEANUP on) page');
$node->safe_psql('postgres', "CREATE TABLE pair AS SELECT to_simhash_weights('a ' || n || ' b c d e f ' || n % 7) AS w,
    to_simhash('a ' || n || ' b c d e f') AS h FROM generate_series(1, 300) AS n");
($changed, $added) = sets_lsns('page_h', 'a fitted model', "SELECT * FROM simhash_index_calibrate('page_h', 'pair', 'w', 'h')");
is("$changed $added", '1 0', 'a fitted model: the metapage');

# -- Builds on rows -------------------------------------------------------------------------------------------

sets_lsns('page_h', 'REINDEX', 'REINDEX INDEX page_h', new_file => 1);
sets_lsns('page_h', 'REINDEX CONCURRENTLY', 'REINDEX INDEX CONCURRENTLY page_h', new_file => 1);
sets_lsns('page_h', 'TRUNCATE and rows', 'TRUNCATE page; INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(1, 900) AS n', new_file => 1);
$node->safe_psql('postgres', 'CREATE TABLE tall (id int, h simhash);
    INSERT INTO tall SELECT n, fingerprint(n) FROM generate_series(1, 110000) AS n');
for my $workers (0, 2)
{
    sets_lsns('tall_h', "build with $workers workers", "DROP INDEX IF EXISTS tall_h; SET max_parallel_maintenance_workers = $workers;
        CREATE INDEX tall_h ON tall USING simhash (h) WITH (trees = 1, fillfactor = 50)", new_file => 1);
}

# -- A third level --------------------------------------------------------------------------------------------

# A few rows at a time, so that the growth of the root is seen on its own.
my ($was, $is, $round) = ($height->('tall_h'), 0, 0);
while ($round < 30 && ($is = $height->('tall_h')) <= $was)
{
    my $from = 200000 + 5000 * $round++;
    sets_lsns('tall_h', "rows for a tall tree, $round", "INSERT INTO tall SELECT n, fingerprint(n) FROM generate_series($from, $from + 4999) AS n");
}
cmp_ok($is, '>', $was, "the tree has grown from $was levels");

index_is_sound($node, $_, "$_: sound at the end") for qw(page_h tall_h);
done_testing();
