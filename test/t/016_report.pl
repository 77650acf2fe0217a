# simhash_report where rows are on other servers: it counts them right without fetching all of them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => [ 'autovacuum = off', 'fsync = off' ]);
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION simhash;
CREATE EXTENSION postgres_fdw;
CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (dbname 'postgres', host '$host', port '$port', extensions 'simhash', fetch_size '10000');
CREATE USER MAPPING FOR CURRENT_USER SERVER loopback;
CREATE TABLE stored (id int, h simhash);
INSERT INTO stored SELECT i, CASE WHEN i % 10 > 0 THEN hashint8extended(i, 1)::simhash END FROM generate_series(1, 400000) AS i;
CREATE FOREIGN TABLE far (id int, h simhash) SERVER loopback OPTIONS (table_name 'stored');
CREATE TABLE page (id int, h simhash) PARTITION BY RANGE (id);
CREATE TABLE page_1 PARTITION OF page DEFAULT;
CREATE FOREIGN TABLE page_2 PARTITION OF page FOR VALUES FROM (1) TO (400001) SERVER loopback OPTIONS (table_name 'stored');
INSERT INTO page_1 SELECT id + 400000, h FROM stored WHERE id <= 100000;
CREATE ROLE reader;
GRANT SELECT (h) ON far TO reader;
CREATE USER MAPPING FOR reader SERVER loopback OPTIONS (user 'postgres', password_required 'false');
SQL
$node->safe_psql('postgres', "ALTER USER MAPPING FOR reader SERVER loopback OPTIONS (SET user '" . $node->safe_psql('postgres', 'SELECT current_user') . "')");

# The counts of a report, and how many rows were fetched from foreign tables.
sub report
{
    my ($table, $before) = @_;
    my ($status, $out, $log) = $node->psql('postgres', <<"SQL");
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_analyze = on;
SET auto_explain.log_timing = off;
SET auto_explain.log_nested_statements = on;
SET client_min_messages = log;
$before
SELECT round(value) FROM simhash_report('$table', 'h', details => true) WHERE item IN ('with a fingerprint', 'sampled');
SELECT round(10 * value::numeric, 1) FROM simhash_report('$table', 'h') WHERE item = 'without';
SQL
    is($status, 0, "$table: report") or diag($log);
    my ($rows, $sampled, $nulls) = split /\n/, $out;
    my ($fetched, $reports) = (0, 2);
    $fetched += $1 while $log =~ /Foreign Scan on .*?actual rows=([0-9.]+)/g;
    return ($rows, $sampled, $nulls, $fetched / $reports);
}

# check table, rows with a fingerprint, foreign rows: without statistics, and with them.
sub check
{
    my ($table, $expected, $foreign) = @_;
    for my $analyzed (0, 1) {
        $node->safe_psql('postgres', "ANALYZE $_") for $analyzed ? ('far', 'page_1', 'page_2') : ();
        my ($rows, $sampled, $nulls, $fetched) = report($table, '');
        cmp_ok(abs($rows / $expected - 1), '<', 0.02, "$table: rows are counted ($rows)");
        cmp_ok($sampled, '>', 30000, "$table: rows are sampled ($sampled)");
        is($nulls, '1.0', "$table: share of NULLs");
        cmp_ok($fetched, '>', 20000, "$table: rows are fetched");
        cmp_ok($fetched, '<', 80000, "$table: not all of them ($fetched of $foreign)");
    }
}
check('far', 360000, 400000);
$node->safe_psql('postgres', "UPDATE pg_class SET reltuples = -1 WHERE relname IN ('far', 'page_1', 'page_2')");
check('page', 450000, 400000);

# Who may not read the ctid reads all rows.
my ($rows, $sampled, undef, $fetched) = report('far', 'SET ROLE reader;');
is($rows, 360000, 'without the privilege for a sample all rows are counted');

# Rows that other wrappers provide are all read.
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
COPY (SELECT h FROM stored WHERE h IS NOT NULL) TO PROGRAM 'cat > rows.txt';
CREATE FOREIGN TABLE lines (h simhash) SERVER files OPTIONS (filename 'rows.txt');
SQL
($rows, $sampled, undef, $fetched) = report('lines', '');
is($rows, 360000, 'rows of a file are counted');

# The coordinator of Citus has no statistics of a table that it distributes. Here its catalog is a stand-in, and the rows are in
# the table.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE whole AS SELECT hashint8extended(i, 1)::simhash AS h FROM generate_series(1, 1200000) AS i;
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL);
SQL
for my $distributed (0, 1) {
    $node->safe_psql('postgres', "INSERT INTO pg_catalog.pg_dist_partition VALUES ('whole')") if $distributed;
    my ($status, $out, $log) = $node->psql('postgres', <<'SQL');
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_nested_statements = on;
SET client_min_messages = log;
SELECT value BETWEEN 1150000 AND 1250000 FROM simhash_report('whole', 'h') WHERE item = 'with a fingerprint';
SQL
    is($out, 't', 'rows of a table without statistics are counted');
    is($log =~ /Sample Scan on whole/ ? 1 : 0, $distributed, $distributed ? 'shards are sampled' : 'a table is read');
}
done_testing();
