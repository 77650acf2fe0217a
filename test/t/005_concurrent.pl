# Sessions insert, update, delete, vacuum, build and rebuild at once while readers compare the answers of the index and
# of a sequential scan in one snapshot. TEST_SECONDS sets the duration (default 15).
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
# Queries near few fingerprints, so that answers are large and keep changing.
$node->safe_psql('postgres', <<'SQL');
CREATE SEQUENCE number;
-- A word for each bit: texts are near if few bits differ. They are stored outside of the table.
CREATE FUNCTION text_of(h simhash) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT string_agg(i || substring(h::bit(64)::text FROM i FOR 1), ' ' ORDER BY i) FROM generate_series(1, 64) AS i $$;
CREATE TABLE page (id bigint PRIMARY KEY, h simhash, tenant int GENERATED ALWAYS AS (id % 4) STORED,
    body text GENERATED ALWAYS AS (text_of(h)) STORED) WITH (autovacuum_vacuum_scale_factor = 0.05, toast_tuple_target = 128);
ALTER TABLE page ALTER body SET STORAGE EXTERNAL;
INSERT INTO page SELECT n, flipped(fingerprint(n % 40), n, (n % 7)::int) FROM generate_series(1, 5000) AS n;
SELECT setval('number', 5000);
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX page_body ON page USING simhash (body);
CREATE INDEX page_tenant ON page USING simhash (tenant, h);
CREATE FUNCTION current_texts(q text) RETURNS bigint[] LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS
$$ BEGIN RETURN ARRAY(SELECT id FROM page WHERE body ~= q ORDER BY id); END $$;
CREATE FUNCTION current_rows(t int, q simhash, radius int) RETURNS bigint[] LANGUAGE plpgsql SET enable_seqscan = off AS
$$ BEGIN RETURN ARRAY(SELECT id FROM page WHERE tenant = t AND h <@> q <= radius ORDER BY id); END $$;
CREATE FUNCTION current_answers(q simhash, radius int) RETURNS bigint[] LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_bitmapscan = off AS
$$ BEGIN RETURN ARRAY(SELECT id FROM page WHERE h <@> q <= radius ORDER BY id); END $$;
SQL

my %script = (
    insert => { weight => 20, sql => <<'SQL' },
INSERT INTO page SELECT n, CASE WHEN n % 30 = 0 THEN NULL ELSE flipped(fingerprint(n % 40), n, (n % 7)::int) END
    FROM (SELECT nextval('number') AS n FROM generate_series(1, 20)) AS numbers;
SQL
    spread => { weight => 20, sql => <<'SQL' },
INSERT INTO page SELECT n, fingerprint(n) FROM (SELECT nextval('number') AS n FROM generate_series(1, 40)) AS numbers;
SQL
    abort => { weight => 5, sql => <<'SQL' },
BEGIN;
INSERT INTO page SELECT -nextval('number'), fingerprint(n) FROM generate_series(1, 20) AS n;
ROLLBACK;
SQL
    savepoint => { weight => 5, sql => <<'SQL' },
BEGIN;
SAVEPOINT one;
INSERT INTO page SELECT -nextval('number'), fingerprint(n % 40) FROM generate_series(1, 20) AS n;
ROLLBACK TO one;
INSERT INTO page SELECT nextval('number'), fingerprint(n % 40) FROM generate_series(1, 5) AS n;
SAVEPOINT two;
UPDATE page SET h = flipped(h, id, 2) WHERE id IN (SELECT id FROM page ORDER BY id DESC LIMIT 3 FOR UPDATE SKIP LOCKED);
ROLLBACK TO two;
COMMIT;
SQL
    update => { weight => 10, sql => <<'SQL' },
\set part random(0, 999)
UPDATE page SET h = flipped(h, id, 1) WHERE id IN
    (SELECT id FROM page WHERE id % 1000 = :part LIMIT 10 FOR UPDATE SKIP LOCKED);
SQL
    delete => { weight => 10, sql => <<'SQL' },
\set part random(0, 99)
DELETE FROM page WHERE id IN
    (SELECT id FROM page WHERE id % 100 = :part LIMIT 30 FOR UPDATE SKIP LOCKED);
SQL
    vacuum => { weight => 1, sql => "VACUUM page;\n" },
    # A wrong answer divides by zero, which ends pgbench with an error.
    classes => { weight => 10, sql => <<'SQL' },
\set center random(0, 39)
\set tenant random(0, 3)
\set radius random(0, 8)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 1 / (current_texts(text_of(fingerprint(:center))) =
    ARRAY(SELECT id FROM page WHERE body || '' ~= text_of(fingerprint(:center)) ORDER BY id))::int;
SELECT 1 / (current_rows(:tenant, fingerprint(:center), :radius) =
    ARRAY(SELECT id FROM page WHERE (h <@> fingerprint(:center))::int <= :radius AND tenant + 0 = :tenant ORDER BY id))::int;
COMMIT;
SQL
    compare => { weight => 30, sql => <<'SQL' });
\set center random(0, 39)
\set radius random(0, 8)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 1 / (current_answers(fingerprint(:center), :radius) =
    ARRAY(SELECT id FROM page WHERE (h <@> fingerprint(:center))::int <= :radius ORDER BY id))::int;
SELECT pg_sleep(0.002);
SELECT 1 / (current_answers(fingerprint(:center), :radius) =
    ARRAY(SELECT id FROM page WHERE (h <@> fingerprint(:center))::int <= :radius ORDER BY id))::int;
COMMIT;
SQL

my $plan = $node->safe_psql('postgres', 'SET enable_seqscan = off; SET enable_bitmapscan = off;
    EXPLAIN (COSTS OFF) SELECT id FROM page WHERE h <@> fingerprint(1) <= 3 ORDER BY id');
like($plan, qr/Index Scan using page_h/, 'readers use the index');
$plan = $node->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT id FROM page WHERE body ~= 'a';
    EXPLAIN (COSTS OFF) SELECT id FROM page WHERE tenant = 1 AND h <@> '0000000000000000' <= 3");
like($plan, qr/page_body.*page_tenant/s, 'and the others');

my $seconds = test_seconds();
my $load = start_pgbench($node, $seconds, 6, %script);
my $end = time + $seconds - 1;
my ($builds, $rebuilds, $cancelled, @errors) = (0, 0, 0);
while (time < $end) {
    for my $sql (
        'CREATE INDEX CONCURRENTLY page_new ON page USING simhash (h) WITH (trees = 6)',
        'REINDEX INDEX CONCURRENTLY page_h',
        'REINDEX INDEX CONCURRENTLY page_body',
        'REINDEX INDEX CONCURRENTLY page_tenant',
        'REINDEX INDEX CONCURRENTLY page_new',
        'DROP INDEX CONCURRENTLY page_new')
    {
        # A cancelled build leaves at most an invalid index.
        my $patience = 1 + int rand 60;
        my ($cancel) = $node->psql('postgres', "SET statement_timeout = $patience;
            CREATE INDEX CONCURRENTLY page_cut ON page USING simhash (h) WITH (trees = 8)", on_error_stop => 1);
        $cancelled++ if $cancel != 0;
        $node->safe_psql('postgres', 'DROP INDEX IF EXISTS page_cut');
        if ($sql =~ /^DROP/) {
            # Check the index that was built under load.
            my ($status, undef, $error) = $node->psql('postgres', "SELECT simhash_index_check('page_new', true)");
            push @errors, "page_new: $error" if $status != 0;
        }
        my ($status, undef, $error) = $node->psql('postgres', $sql);
        push @errors, "$sql: $error" if $status != 0;
        $sql =~ /^CREATE/ ? $builds++ : $rebuilds++;
    }
}
my ($status, $output) = stop_pgbench($load);
is($status, 0, 'no session saw an error or a wrong answer') or diag($output);
is(join("\n", @errors), '', 'indexes were built and rebuilt under load');
cmp_ok($builds, '>', 0, 'at least once');
cmp_ok($cancelled, '>', 0, 'some builds were cancelled');
my ($transactions) = $output =~ /number of transactions actually processed: (\d+)/;
note("$transactions transactions, $builds builds, $rebuilds rebuilds, $cancelled cancelled builds in $seconds s");
unlike($output, qr/number of failed transactions: [1-9]/, 'no failed transactions');

index_is_sound($node, 'page_h', 'sound after the load');
answers_agree($node, 'page', 'answers after the load');
$node->safe_psql('postgres', 'VACUUM page');
index_is_sound($node, $_, "$_: sound after VACUUM") for qw(page_h page_body page_tenant);
answers_agree($node, 'page', 'answers after VACUUM');
is($node->safe_psql('postgres', "SET enable_seqscan = off; SELECT count(*) FROM page WHERE h IS NULL"),
    $node->safe_psql('postgres', "SET enable_indexscan = off; SET enable_bitmapscan = off; SELECT count(*) FROM page WHERE h IS NULL"),
    'NULLs');

done_testing();
