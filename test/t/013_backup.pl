# Copies of a server: pg_basebackup under load, recovery to a point in time, logical replication in binary mode. The
# indexes of each are sound and answer.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);
use SimhashTest;

my $primary = start_node('primary', streaming => 'logical', initdb => ['--data-checksums'],
    settings => [ "shared_buffers = '4MB'", 'autovacuum_naptime = 1s' ]);
$primary->enable_archiving;
$primary->restart;
prepare_database($primary);
prepare_classes($primary);
$primary->safe_psql('postgres', <<'SQL');
CREATE SEQUENCE number;
CREATE TABLE page (id bigint PRIMARY KEY, h simhash, w simhash_weights);
CREATE INDEX page_h ON page USING simhash (h);
INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(1, 3000) AS n;
SELECT setval('number', 3000);
SQL

my $insert = <<'SQL';
INSERT INTO page SELECT n, CASE WHEN n % 30 = 0 THEN NULL ELSE flipped(fingerprint(n % 40 * 100 + 1), n, (n % 30)::int) END
    FROM (SELECT nextval('number') AS n FROM generate_series(1, 40)) AS numbers;
SQL
my $delete = "\\set part random(0, 63)\nDELETE FROM page WHERE id IN
    (SELECT id FROM page WHERE id % 64 = :part LIMIT 20 FOR UPDATE SKIP LOCKED);\n";
sub load
{
    my ($name) = @_;
    return start_pgbench($primary, 2, 3, "insert$name" => { sql => $insert, weight => 8 },
        "delete$name" => { sql => $delete, weight => 2 }, "vacuum$name" => { sql => "VACUUM page, item;\n", weight => 1 },
        "item$name" => { sql => "SELECT add_items(n, n + 1) FROM nextval('number') AS n;\n", weight => 3 });
}

sub rows { return $_[0]->safe_psql('postgres', "SELECT count(*), md5(string_agg(id || coalesce(h::text, '-'), ' ' ORDER BY id)) FROM page") }

# A base backup that is taken while pages change and split under it.
my $load = load('backup');
sleep(0.5);
$primary->backup('base');
my ($status) = stop_pgbench($load);
is($status, 0, 'the load went on');

my $restored = PostgreSQL::Test::Cluster->new('restored');
$restored->init_from_backup($primary, 'base', has_restoring => 1, standby => 0);
# The state to restore is a point in the archive; afterwards the primary continues.
my $then = rows($primary);
$primary->safe_psql('postgres', "SELECT pg_create_restore_point('here')");
$load = load('after');
stop_pgbench($load);
$primary->safe_psql('postgres', 'UPDATE page SET h = flipped(h, id, 3); VACUUM page');
$primary->safe_psql('postgres', 'VACUUM page');
isnt(rows($primary), $then, 'the primary has changed since');
$primary->safe_psql('postgres', 'SELECT pg_switch_wal()');
$restored->append_conf('postgresql.conf', "recovery_target_name = 'here'\nrecovery_target_action = 'promote'\n");
$restored->start;
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'recovery does not end';
is(rows($restored), $then, 'restored to the point: the rows');
index_is_sound($restored, 'page_h', 'restored to the point: sound');
answers_agree($restored, 'page', 'restored to the point: answers');
classes_agree($restored, 'restored to the point: other classes');
$restored->safe_psql('postgres', 'INSERT INTO page SELECT -n, fingerprint(-n) FROM generate_series(1, 3000) AS n');
index_is_sound($restored, 'page_h', 'restored to the point: sound after inserts');
$restored->stop;

# Logical replication, with binary values where supported.
my $subscriber = start_node('subscriber');
prepare_database($subscriber);
prepare_classes($subscriber);
$subscriber->safe_psql('postgres', 'CREATE TABLE page (id bigint PRIMARY KEY, h simhash, w simhash_weights);
    CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 6)');
# Since 18 the identity of a row may have generated columns only if they are published, to columns that are none.
my $generated = $primary->safe_psql('postgres', 'SHOW server_version_num') >= 180000;
$subscriber->safe_psql('postgres', join '; ', map { "ALTER TABLE item ALTER $_ DROP EXPRESSION" } qw(tenant b body ball image)) if $generated;
my $binary = $primary->safe_psql('postgres', 'SHOW server_version_num') >= 140000 ? 'WITH (binary = true)' : '';
$primary->safe_psql('postgres', "UPDATE page SET w = to_simhash_weights(features(ARRAY[id::text, (id % 7)::text])) WHERE id % 10 = 0;
    ALTER TABLE item REPLICA IDENTITY FULL; CREATE PUBLICATION pages FOR TABLE page, item" .
      ($generated ? ' WITH (publish_generated_columns = stored)' : ''));
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION pages CONNECTION 'host=" . $primary->host .
      ' port=' . $primary->port . " dbname=postgres' PUBLICATION pages $binary");
$subscriber->poll_query_until('postgres', "SELECT bool_and(srsubstate IN ('r', 's')) FROM pg_subscription_rel") or die 'no sync';
$load = load('logical');
stop_pgbench($load);
$primary->safe_psql('postgres', 'UPDATE page SET h = flipped(h, id, 2) WHERE id % 7 = 0; DELETE FROM page WHERE id % 11 = 0;
    UPDATE item SET h = flipped(h, id, 2) WHERE id % 7 = 0; DELETE FROM item WHERE id % 11 = 0');
$primary->wait_for_catchup('pages');
is(rows($subscriber), rows($primary), 'logical: the rows');
my $weights = "SELECT count(*), md5(string_agg(id || w::text, ' ' ORDER BY id)) FROM page WHERE w IS NOT NULL";
is($subscriber->safe_psql('postgres', $weights), $primary->safe_psql('postgres', $weights), 'logical: weights');
index_is_sound($subscriber, 'page_h', 'logical: sound');
answers_agree($subscriber, 'page', 'logical: answers');
my $items = "SELECT count(*), md5(string_agg(id || coalesce(body, '-'), ' ' ORDER BY id, body)) FROM item";
is($subscriber->safe_psql('postgres', $items), $primary->safe_psql('postgres', $items), 'logical: other classes, the rows');
classes_agree($subscriber, 'logical: other classes');
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION pages');

done_testing();
