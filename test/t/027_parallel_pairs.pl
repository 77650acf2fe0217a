# Joins and matches with parallel workers return what they return without: for all kinds of rows, plans and places of the
# call. They end with their statement, whatever ends it, and leave nothing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

# Shared memory in files, which can be counted. Since 14 a part of it might be none.
my @reserved = `pg_config --version` =~ /PostgreSQL (\d+)/ && $1 >= 14 ? 'min_dynamic_shared_memory = 0' : ();
my $node = start_node('main', settings => [ 'autovacuum = off', 'fsync = off', 'max_parallel_workers = 8', 'max_worker_processes = 12',
        'parallel_setup_cost = 0', 'dynamic_shared_memory_type = mmap', @reserved ]);
prepare_database($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE uniform AS SELECT n AS id, fingerprint(n) AS h FROM generate_series(1, 4000) AS n
    UNION ALL SELECT -n, flipped(fingerprint(n), n, 3) FROM generate_series(1, 40) AS n;
CREATE TABLE near AS SELECT n AS id, CASE WHEN n % 40 <> 0 THEN flipped(fingerprint(n % 700), n, (n % 6)::int) END AS h FROM generate_series(1, 3000) AS n;
-- most rows agree in half of their bits, many in all
CREATE TABLE skewed AS SELECT n AS id, ((fingerprint(n % 1000)::bigint & x'00000000ffffff0f'::bit(64)::bigint) | (n % 5 = 0)::int::bigint << 60)::simhash AS h
    FROM generate_series(1, 2000) AS n;
CREATE TABLE parted (LIKE near) PARTITION BY RANGE (id);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (100);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (100) TO (MAXVALUE);
INSERT INTO parted TABLE near;
CREATE TABLE few AS SELECT * FROM near WHERE id <= 1000;
CREATE INDEX ON uniform USING simhash (h);
CREATE INDEX ON near USING simhash (h);
CREATE INDEX near_one ON near USING simhash (h) WITH (trees = 1);
CREATE INDEX ON skewed USING simhash (h);
CREATE INDEX ON parted USING simhash (h);
CREATE INDEX ON few USING simhash (h);
-- dead rows, some of which are in the index
DELETE FROM near WHERE id % 13 = 0;
UPDATE near SET id = id + 10000 WHERE id % 17 = 0;
UPDATE near SET h = flipped(h, id, 1) WHERE id % 19 = 0;
ANALYZE;

-- What the statement returns, as one text.
CREATE FUNCTION answer(statement text, workers int) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE result text;
BEGIN
    PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
    EXECUTE format('SELECT count(*) || '' '' || md5(string_agg(r::text, '','' ORDER BY r::text)) FROM (%s) AS r', statement) INTO result;
    RETURN result;
END
$$;
-- The same with workers and without; the number of rows then.
CREATE FUNCTION compared(statement text, workers int DEFAULT 2) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
    alone text := answer(statement, 0);
    together text := answer(statement, workers);
BEGIN
    RETURN CASE WHEN alone = together THEN 'same ' || split_part(alone, ' ', 1) ELSE alone || ' and ' || together END;
END
$$;
SQL

# Runs SQL; returns the output, the number of workers that took part in joins, and the error.
sub run
{
    my ($sql, @settings) = @_;
    my ($status, $output, $log) = $node->psql('postgres', join("\n", (map {"SET $_;"} @settings), 'SET client_min_messages = debug1;', $sql));
    my @launched = $log =~ /simhash works with (\d+) parallel workers/g;
    my ($error) = $log =~ /ERROR:  (.*)$/m;
    return ($output, "@launched", $error // '');
}

# Two tests: the statement returns the same with two workers, which took part, and returns rows.
sub agrees
{
    my ($name, $statement, @settings) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($output, $launched, $error) = run("SELECT compared(\$statement\$$statement\$statement\$)", @settings);
    like($error || $output, qr/^same [1-9]\d*$/, "$name: the same pairs");
    # In little memory a plan may have a budget, and then its rows do not fit into the memory of each process.
    my $little = grep { /work_mem = '64kB'/ } @settings;
    like($launched, $little && $name !~ /within 0/ ? qr/^(2( 2)*)?$/ : qr/^2( 2)*$/, "$name: two workers");
    return;
}

agrees('uniform rows', "SELECT * FROM simhash_pairs('uniform_h_idx', 3)");
for my $memory ('64kB', '64MB') {
    # Slower comparisons make finer cells.
    my @settings = ("work_mem = '$memory'", "simhash.simd = 'scalar'");
    # With a budget, rows must fit into the memory of each process.
    for my $radius (0, 3, $memory eq '64MB' ? 5 : ()) {
        for my $index (qw(near_h_idx near_one parted_h_idx), $memory eq '64MB' && $radius < 5 ? "skewed_h_idx" : ()) {
            agrees("$index within $radius, $memory", "SELECT * FROM simhash_pairs('$index', $radius)", @settings);
        }
        agrees("two tables within $radius, $memory", "SELECT * FROM simhash_join('near_h_idx', 'parted_h_idx', $radius)", @settings);
    }
    agrees("a table and a small one, $memory", "SELECT * FROM simhash_join('few_h_idx', 'near_one', 4)", @settings) if $memory eq '64MB';
}
# Balls are matched in rounds of as many as fit into memory. With weights, and for large radii, without workers.
my $balls = 'SELECT id, simhash_ball(h, (id % 4)::int) FROM near WHERE h IS NOT NULL UNION ALL SELECT -id, simhash_ball(h, 6) FROM uniform WHERE id % 40 = 0';
for my $memory ('64kB', '64MB') {
    my @settings = ("work_mem = '$memory'");
    for my $index (qw(near_h_idx parted_h_idx)) {
        agrees("balls and $index, $memory", "SELECT * FROM simhash_match('$index', '$balls')", @settings);
        agrees("first matches of balls in $index, $memory", "SELECT number FROM simhash_match('$index', '$balls', true)", @settings);
    }
    my ($output) = run("SELECT compared(\$s\$SELECT * FROM simhash_match('skewed_h_idx', 'SELECT id, simhash_ball(h, id % 3) FROM skewed')\$s\$)", @settings);
    like($output, qr/^same [1-9]\d*$/, "balls of skewed rows, $memory");
}
# Also what a nested loop finds; the cast prevents the use of the index.
is($node->safe_psql('postgres', <<'SQL'), '0', 'the pairs of a nested loop');
SELECT differing_rows('SELECT x.ctid, y.ctid, (x.h <@> y.h)::int FROM near x JOIN near y ON x.ctid < y.ctid AND (x.h <@> y.h)::int <= 4',
    $$SELECT a, b, distance FROM simhash_pairs('near_h_idx', 4)$$)
SQL

# Where parallel workers cannot be used, the same without.
sub alone
{
    my ($name, $sql, @settings) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($output, $launched, $error) = run($sql, @settings);
    like($error || $output, qr/^same [1-9]\d*$/, $name);
    is($launched, '', "$name: no workers");
    return;
}
my $pairs = "SELECT * FROM simhash_pairs(''near_h_idx'', 3)";
alone('no workers allowed in a query', "SELECT compared('$pairs', 0)");
alone('no workers allowed', "SELECT compared('$pairs')", 'max_parallel_workers = 0');
alone('too little work', "SELECT compared('$pairs')", 'parallel_setup_cost = 1000');
alone('nothing to divide', "SELECT compared('SELECT * FROM simhash_pairs(''uniform_h_idx'', 20) AS p WHERE distance < 10')");
alone('too little memory', "SELECT compared('SELECT * FROM simhash_pairs(''near_one'', 12)')", "work_mem = '64kB'", "simhash.simd = 'scalar'");
alone('a temporary table', "CREATE TEMP TABLE own AS TABLE near; CREATE INDEX own_h ON own USING simhash (h);
    SELECT compared('SELECT * FROM simhash_join(''own_h'', ''near_h_idx'', 3)')");

# Within transactions that have written, in functions, and from cursors that end early.
my ($output, $launched, $error) = run(<<"SQL");
BEGIN;
INSERT INTO near SELECT 20000 + n, flipped(fingerprint(n % 900), n, 2) FROM generate_series(1, 300) AS n;
DELETE FROM near WHERE id % 7 = 0;
SAVEPOINT s;
UPDATE near SET id = id + 30000 WHERE id % 11 = 0;
SELECT compared('$pairs');
ROLLBACK TO s;
SELECT compared('$pairs');
CREATE TABLE own AS TABLE near;
CREATE INDEX own_h ON own USING simhash (h);
SELECT compared('SELECT * FROM simhash_join(''own_h'', ''near_h_idx'', 3)');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT compared('$pairs');
COMMIT;
SQL
is($error, '', 'in transactions');
is(join(' ', grep { !/^same [1-9]/ } split /\n/, $output), '', 'in transactions: the same pairs');
is($launched, '2 2 2 2', 'in transactions: two workers each time');

($output, $launched, $error) = run(<<'SQL');
BEGIN;
DECLARE c CURSOR FOR SELECT 1 FROM simhash_pairs('near_h_idx', 3);
FETCH 2 FROM c;
CLOSE c;
COMMIT;
SELECT 1 FROM simhash_pairs('near_h_idx', 3) LIMIT 1;
SELECT count(*) FROM (VALUES (0), (2), (3)) AS v(r), LATERAL (SELECT 1 FROM simhash_pairs('near_h_idx', v.r) LIMIT 1) AS p;
INSERT INTO few SELECT -1, NULL FROM simhash_pairs('near_h_idx', 0) LIMIT 1;
SQL
is($error, '', 'results that are not read to their end');
is($output, "1\n1\n1\n3", 'results that are not read to their end: rows');
is($launched, '2 2 2 2 2 2', 'results that are not read to their end: workers');

# All that a statement leaves: processes, files, shared memory. A worker that ends leaves the view of activity before it
# gives its shared memory back, so that is waited for.
my $segments = 'NULL';
sub leftovers
{
    $node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker'});
    $node->poll_query_until('postgres', "SELECT count(*) <= coalesce($segments, count(*)) FROM pg_ls_dir('pg_dynshmem')");
    $segments = $node->safe_psql('postgres', "SELECT count(*) FROM pg_ls_dir('pg_dynshmem')");
    return $node->safe_psql('postgres', "SELECT 'temporary file ' || name FROM pg_ls_tmpdir()") . " shared memory: $segments";
}
my $nothing = leftovers();
# Four billion pairs.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE alike AS SELECT fingerprint(n % 12) AS h FROM generate_series(1, 300000) AS n;
CREATE INDEX alike_h ON alike USING simhash (h);
SQL
(undef, $launched, $error) = run("SELECT count(*) FROM simhash_pairs('alike_h')", "statement_timeout = '300ms'");
like($error, qr/canceling statement due to statement timeout/, 'cancelled');
is($launched, '2', 'cancelled: workers');
is(leftovers(), $nothing, 'cancelled: nothing is left');
(undef, $launched, $error) = run("SELECT count(*) FROM simhash_pairs('alike_h')", "work_mem = '64kB'", "temp_file_limit = '64kB'");
like($error, qr/temporary file size exceeds "?temp_file_limit/, 'too many temporary files');
is(leftovers(), $nothing, 'too many temporary files: nothing is left');

my $killed = open_session($node, on_error_stop => 0);
$killed->query_until(qr/started/, "\\echo started\nSELECT count(*) FROM simhash_pairs('alike_h');\n");
ok($node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND query ~ 'simhash_pairs'}),
    'the view of activity shows the workers');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(min(pid)) FROM pg_stat_activity WHERE backend_type = 'parallel worker'});
$killed->query('SELECT 1');
like($killed->{stderr}, qr/terminating .*due to administrator command/, 'a worker that is terminated ends the statement');
$killed->quit;
is(leftovers(), $nothing, 'a worker that is terminated: nothing is left');
agrees('after all that', "SELECT * FROM simhash_pairs('near_h_idx', 3)");

# No process can be started.
$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
alone('no processes', "SELECT compared('$pairs')");
$node->stop;

done_testing();
