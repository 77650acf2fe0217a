# simhash_index_check without heapallindexed blocks nobody. Beside inserts, splits, VACUUM and its deletion of pages it
# reports nothing that is not there, on the primary and on a standby. TEST_SECONDS sets the duration (default 15).
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use SimhashTest;

my $primary = start_node('primary', streaming => 1,
    settings => [ 'autovacuum = off', "shared_buffers = '32MB'", "wal_keep_size = '4GB'", 'vacuum_cost_delay = 0' ]);
prepare_database($primary);
prepare_signatures($primary);
# Leaves of few entries, so that trees grow and shrink: rows of a narrow range of fingerprints come and go.
$primary->safe_psql('postgres', <<'SQL');
CREATE SEQUENCE number;
CREATE TABLE page (id bigint PRIMARY KEY, h simhash, s bit(200), l bit(200));
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 2, fillfactor = 50);
CREATE INDEX page_s ON page USING simhash (s) WITH (trees = 2, fillfactor = 50);
INSERT INTO page SELECT n, fingerprint(n), signature(n, 200), flipped_signature(signature(n % 9, 200), n, (n % 20)::int) FROM generate_series(-3000, -1) n;
CREATE INDEX page_l ON page USING simhash (l) WITH (trees = 0, lists = 9);
CREATE FUNCTION add(numbers bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO page SELECT n, CASE WHEN n % 20 > 0 THEN (n % 16 << 60 | hashint8(n))::bigint::simhash END,
        CASE WHEN n % 20 > 0 THEN signature(n, 200) END, flipped_signature(signature(n % 9, 200), n, (n % 20)::int)
    FROM (SELECT nextval('number') AS n FROM generate_series(1, numbers)) numbers $$;
SQL
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\n");
$standby->start;

my $seconds = test_seconds();
my $load = start_pgbench($primary, $seconds, 3,
    insert => { weight => 10, sql => "SELECT add(300);\n" },
    delete => { weight => 3, sql => "\\set part random(0, 15)\nDELETE FROM page WHERE id % 16 = :part AND id > 0;\n" },
    vacuum => { weight => 2, sql => "VACUUM (TRUNCATE off) page;\n" });
my $end = time + $seconds - 1;
my ($checks, %error) = (0);
while (time < $end) {
    for my $node ($primary, $standby) {
        for my $call (map({ "'page_$_'" } qw(h s l)), $node == $standby ? map({ "'page_$_', true" } qw(h s l)) : ()) {
            my ($status, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT simhash_index_check($call)");
            $error{ $node->name . " $call: $error" }++ if $status != 0 || $error ne '';
            $checks++;
        }
    }
}
my ($status, $output) = stop_pgbench($load);
is($status, 0, 'no session saw an error') or diag($output);
is(join("\n", sort keys %error), '', 'the check reports nothing');
cmp_ok($checks, '>', 3, 'it ran');
my $stats = $primary->safe_psql('postgres', "SELECT string_agg(concat_ws(' ', i, name, value), ', ') FROM unnest('{page_h,page_s,page_l}'::regclass[]) i, simhash_index_stats(i) WHERE name IN ('pages', 'unused_pages')");
note("$checks checks; index, pages, unused pages: $stats");
index_is_sound($primary, $_, "$_ in the end") for qw(page_h page_s page_l);

# Nor does it wait for a writer's lock on the table, or a writer for it.
my $writer = open_session($primary);
$writer->query_safe('BEGIN; LOCK TABLE page IN ROW EXCLUSIVE MODE');
is(scalar($primary->psql('postgres', "SET lock_timeout = '5s'; SELECT simhash_index_check('page_h')", on_error_stop => 1)), 0, 'it does not wait for writers');
isnt(scalar($primary->psql('postgres', "SET lock_timeout = '50ms'; SELECT simhash_index_check('page_h', true)", on_error_stop => 1)), 0, 'with heapallindexed it does');
$writer->query_safe('COMMIT');
$writer->quit;

done_testing();
