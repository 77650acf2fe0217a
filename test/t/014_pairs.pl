# Joins by pairs and by batches under load, also of a partitioned table: while sessions insert,
# update, delete and vacuum, and indexes are rebuilt, readers compare their results with those of a join in one snapshot.
# TEST_SECONDS sets the duration (default 15).
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use SimhashTest;

my $node = start_node('main', settings => [ 'autovacuum_naptime = 1s', "shared_buffers = '64MB'" ]);
prepare_database($node);
$node->safe_psql('postgres', <<'SQL');
CREATE SEQUENCE number;
CREATE SEQUENCE compared;
CREATE TABLE page (id bigint PRIMARY KEY, note text, h simhash) WITH (autovacuum_vacuum_scale_factor = 0.05, fillfactor = 80);
INSERT INTO page SELECT n, '', flipped(fingerprint(n % 800), n, (n % 7)::int) FROM generate_series(1, 3000) AS n;
SELECT setval('number', 3000);
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX page_one ON page USING simhash (h) WITH (trees = 1);
CREATE INDEX query_h ON query USING simhash (h);
-- partitions that grow while they are read
CREATE TABLE log (id bigint, h simhash) PARTITION BY HASH (id);
CREATE TABLE log_0 PARTITION OF log FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE log_1 PARTITION OF log FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE log_2 PARTITION OF log FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO log SELECT id, h FROM page;
CREATE INDEX log_h ON log USING simhash (h);

-- Counts the comparisons.
CREATE FUNCTION counted_differing_rows(wanted text, got text) RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM nextval('compared');
    RETURN differing_rows(wanted, got);
END
$$;
-- The nested loop searches the index once per row.
CREATE FUNCTION nested(x text, y text, radius int) RETURNS text LANGUAGE sql AS
$$ SELECT format('SELECT x.ctid AS a, y.ctid AS b, (x.h <@> y.h)::int AS distance FROM %I x, LATERAL (SELECT ctid, tableoid, h FROM %I y WHERE y.h <@> x.h <= %s OFFSET 0) y', x, y, radius) $$;
CREATE FUNCTION joined(x text, y text, radius int) RETURNS text LANGUAGE sql AS
$$ SELECT format('SELECT x.ctid AS a, y.ctid AS b, (x.h <@> y.h)::int AS distance FROM %I x JOIN %I y ON x.h <@> y.h <= %s', x, y, radius) $$;
CREATE FUNCTION differing_pairs(radius int) RETURNS bigint LANGUAGE plpgsql
    SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = off AS
$$
BEGIN
    RETURN counted_differing_rows(nested('page', 'page', radius) || ' WHERE x.ctid < y.ctid', joined('page', 'page', radius) || ' AND x.ctid < y.ctid');
END
$$;
CREATE FUNCTION differing_pairs_of_partitions(radius int) RETURNS bigint LANGUAGE plpgsql
    SET enable_hashjoin = off SET enable_mergejoin = off AS
$$
BEGIN
    RETURN counted_differing_rows(nested('log', 'log', radius) || ' WHERE (x.tableoid, x.ctid) < (y.tableoid, y.ctid)',
        joined('log', 'log', radius) || ' AND (x.tableoid, x.ctid) < (y.tableoid, y.ctid)');
END
$$;
CREATE FUNCTION differing_joins(radius int) RETURNS bigint LANGUAGE plpgsql AS
$$
BEGIN
    RETURN counted_differing_rows(nested('query', 'page', radius), joined('query', 'page', radius));
END
$$;
SQL

my %script = (
    insert => { weight => 20, sql => <<'SQL' },
INSERT INTO page SELECT n, '', CASE WHEN n % 30 = 0 THEN NULL ELSE flipped(fingerprint(n % 800), n, (n % 7)::int) END
    FROM (SELECT nextval('number') AS n FROM generate_series(1, 20)) AS numbers;
SQL
    abort => { weight => 5, sql => <<'SQL' },
BEGIN;
INSERT INTO page SELECT -nextval('number'), '', fingerprint(n) FROM generate_series(1, 20) AS n;
ROLLBACK;
SQL
    update => { weight => 10, sql => <<'SQL' },
\set part random(0, 999)
UPDATE page SET h = flipped(h, id, 1) WHERE id IN
    (SELECT id FROM page WHERE id % 1000 = :part LIMIT 10 FOR UPDATE SKIP LOCKED);
SQL
    note => { weight => 10, sql => <<'SQL' },
\set part random(0, 299)
UPDATE page SET note = 'n' || :part WHERE id IN
    (SELECT id FROM page WHERE id % 300 = :part LIMIT 30 FOR UPDATE SKIP LOCKED);
SQL
    delete => { weight => 15, sql => <<'SQL' },
\set part random(0, 99)
DELETE FROM page WHERE id IN
    (SELECT id FROM page WHERE id % 100 = :part LIMIT 40 FOR UPDATE SKIP LOCKED);
SQL
    vacuum => { weight => 2, sql => "VACUUM page;\nVACUUM log;\n" },
    log => { weight => 20, sql => <<'SQL' },
INSERT INTO log SELECT n, flipped(fingerprint(n % 800), n, (n % 7)::int)
    FROM (SELECT nextval('number') AS n FROM generate_series(1, 20)) AS numbers;
SQL
    forget => { weight => 15, sql => <<'SQL' },
\set part random(0, 99)
DELETE FROM log WHERE id IN
    (SELECT id FROM log WHERE id % 100 = :part LIMIT 40 FOR UPDATE SKIP LOCKED);
SQL
    pairs_of_log => { weight => 6, sql => <<'SQL' },
\set radius random(0, 6)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 1 / (differing_pairs_of_partitions(:radius) = 0)::int;
COMMIT;
SQL
    # A wrong answer divides by zero, which ends pgbench with an error.
    pairs => { weight => 6, sql => <<'SQL' },
\set radius random(0, 6)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM query;
SELECT pg_sleep(0.002);
SELECT 1 / (differing_pairs(:radius) = 0)::int;
SET LOCAL work_mem = '64kB';
SELECT 1 / (differing_pairs(:radius) = 0)::int;
COMMIT;
SQL
    join => { weight => 6, sql => <<'SQL' });
\set radius random(0, 8)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 1 / (differing_joins(:radius) = 0)::int;
SET LOCAL enable_nestloop = off;
SELECT 1 / (differing_joins(:radius) = 0)::int;
COMMIT;
SQL

my $seconds = test_seconds();
my $load = start_pgbench($node, $seconds, 6, %script);
my $end = time + $seconds - 1;
my ($rebuilds, @errors) = (0);
while (time < $end) {
    for my $index ('page_h', 'page_one') {
        my ($status, undef, $error) = $node->psql('postgres', "REINDEX INDEX CONCURRENTLY $index");
        push @errors, "$index: $error" if $status != 0;
        $rebuilds++;
    }
}
my ($status, $output) = stop_pgbench($load);
is($status, 0, 'no session saw an error or a wrong answer') or diag($output);
is(join("\n", @errors), '', 'indexes were rebuilt under load');
cmp_ok($rebuilds, '>', 0, 'at least once');
my ($transactions) = $output =~ /number of transactions actually processed: (\d+)/;
note("$transactions transactions, $rebuilds rebuilds in $seconds s");
my $compared = $node->safe_psql('postgres', "SELECT nextval('compared')");
cmp_ok($compared, '>', 20, "answers were compared ($compared times)");
unlike($output, qr/number of failed transactions: [1-9]/, 'no failed transactions');
is($node->safe_psql('postgres', "SELECT sum(differing_pairs(r) + differing_pairs_of_partitions(r)) FROM generate_series(0, 8) AS r"),
    '0', 'pairs after the load');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM page x JOIN page y ON x.h <@> y.h <= 6 AND x.ctid < y.ctid'), '>', 100, 'there are some pairs');
like($node->safe_psql('postgres', 'SET enable_nestloop = off; EXPLAIN SELECT FROM page x JOIN page y ON x.h <@> y.h <= 6 AND x.ctid < y.ctid'),
    qr/Pairs of: page/, 'by pairs');

done_testing();
