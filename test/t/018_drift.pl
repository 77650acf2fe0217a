# Fingerprints that drift: each generation has its own center and replaces the one before. The pages of a generation that
# is gone are used again, so that the index stops growing, while searches and inserts go on, also on a standby.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', streaming => 1, settings => [ 'autovacuum = off', 'wal_keep_size = 1GB' ]);
prepare_database($node);
$node->safe_psql('postgres', <<'SQL');
-- The n-th fingerprint of a generation: its center with an eighth of the bits flipped. A signature has it four times.
CREATE FUNCTION drifting(n bigint, g int) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT (fingerprint(-1000 - g)::bigint # (fingerprint(n)::bigint & fingerprint(n + 1000000)::bigint & fingerprint(n + 2000000)::bigint))::simhash $$;
CREATE FUNCTION wide(n bigint, g int) RETURNS bit(256) IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT (drifting(n, g)::bit(64) || drifting(n + 3000000, g)::bit(64) || drifting(n + 6000000, g)::bit(64) || drifting(n + 9000000, g)::bit(64))::bit(256) $$;
CREATE TABLE page (id bigint, g int, h simhash) WITH (autovacuum_enabled = off);
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 4);
CREATE TABLE signed (id bigint, g int, h bit(256)) WITH (autovacuum_enabled = off);
CREATE INDEX signed_h ON signed USING simhash (h) WITH (trees = 4);
CREATE TABLE spare (LIKE page);

-- Fails if the index misses a row, or finds one twice, that a sequential scan of the same snapshot finds.
CREATE FUNCTION compare(indexed text, radius int) RETURNS void LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_bitmapscan = off SET max_parallel_workers_per_gather = 0 AS
$$
DECLARE
    query text;
    found text;
    expected text;
BEGIN
    EXECUTE format('SELECT quote_literal(h) FROM %s WHERE h IS NOT NULL OFFSET floor(random() * 3000) LIMIT 1', indexed) INTO query;
    IF query IS NULL THEN
        RETURN;
    END IF;
    query := query || CASE WHEN indexed = 'signed' THEN '::bit(256)' ELSE '::simhash' END;
    EXECUTE format('SELECT * FROM
        (SELECT count(*) || $a$ $a$ || coalesce(sum(id), 0) FROM %1$s WHERE h <@> %2$s <= %3$s) AS a,
        (SELECT count(*) || $a$ $a$ || coalesce(sum(id), 0) FROM %1$s WHERE (h <@> %2$s)::int <= %3$s) AS b', indexed, query, radius)
        INTO found, expected;
    IF found <> expected THEN
        RAISE 'rows of % within % of %: % instead of %', indexed, radius, query, found, expected;
    END IF;
END
$$;
SQL
$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->append_conf('postgresql.conf', "hot_standby_feedback = on\nmax_standby_streaming_delay = -1\n");
$standby->start;

my $searches = $node->basedir . '/searches.sql';
append_to_file($searches, join '', map { "SELECT compare('$_', 64);\nSELECT compare('$_', 3);\n" } qw(page signed));
my $inserts = $node->basedir . '/inserts.sql';
append_to_file($inserts, <<'SQL');
\set n random(1, 1000000000)
BEGIN;
INSERT INTO page SELECT -:n - i, -1, CASE WHEN i = 0 THEN NULL ELSE drifting(:n + i, :n % 7) END FROM generate_series(0, 9) AS i;
INSERT INTO signed SELECT -:n - i, -1, CASE WHEN i = 0 THEN NULL ELSE wide(:n + i, :n % 7) END FROM generate_series(0, 9) AS i;
COMMIT;
DELETE FROM page WHERE g = -1 AND id BETWEEN -:n - 100000000 AND -:n + 100000000;
DELETE FROM signed WHERE g = -1 AND id BETWEEN -:n - 100000000 AND -:n + 100000000;
SQL

my $rows = 8000;
my $loaded = test_seconds() > 15 ? 10 : 4;

sub next_generation
{
    my ($g) = @_;
    $node->safe_psql('postgres', "INSERT INTO page SELECT n, $g, drifting(n, $g) FROM generate_series($g * $rows + 1, ($g + 1) * $rows) AS n;
        INSERT INTO signed SELECT n, $g, wide(n, $g) FROM generate_series($g * $rows + 1, ($g + 1) * $rows) AS n");
    $node->safe_psql('postgres', "DELETE FROM page WHERE g < $g; DELETE FROM signed WHERE g < $g");
    $node->safe_psql('postgres', 'VACUUM page; VACUUM signed');
    return;
}

# Under load.
for my $g (0 .. $loaded - 1)
{
    my @running;
    for ([ $node, $searches, 2 ], [ $node, $inserts, 1 ], [ $standby, $searches, 1 ])
    {
        my ($where, $script, $clients) = @$_;
        my $said = '';
        push @running, [ IPC::Run::start([ 'pgbench', '-n', '-c', $clients, '-T', 2, '-h', $where->host, '-p', $where->port, '-f', $script, 'postgres' ], '>&', \$said), \$said ];
        last if $g == 0;
    }
    next_generation($g);
    for (@running)
    {
        my ($run, $said) = @$_;
        IPC::Run::finish($run);
        unlike($$said, qr/ERROR|aborted|PANIC|FATAL/, "generation $g: searches and inserts go on") or diag($$said);
    }
    $node->safe_psql('postgres', 'VACUUM page; VACUUM signed');
    index_is_sound($node, $_, "generation $g: $_ is sound") for qw(page_h signed_h);
    answers_agree($node, 'page', "generation $g: answers", 3, 8);
}
$node->wait_for_catchup($standby);
index_is_sound($standby, $_, "$_ is sound on the standby") for qw(page_h signed_h);
$standby->stop;

# Without load, so that no snapshot holds back VACUUM.
$node->safe_psql('postgres', 'TRUNCATE page, signed');
my %pages;
for my $g (100 .. 107)
{
    next_generation($g);
    push @{ $pages{$_} }, $node->safe_psql('postgres', "SELECT value FROM simhash_index_stats('${_}_h') WHERE name = 'pages'") for qw(page signed);
}
for my $table (qw(page signed))
{
    my @pages = @{ $pages{$table} };
    note("pages of $table: @pages");
    cmp_ok($pages[-1], '<', 1.25 * $pages[3], "${table}_h does not grow");
    index_is_sound($node, "${table}_h", "${table}_h is sound");
    $node->safe_psql('postgres', "REINDEX INDEX ${table}_h");
    my $fresh = $node->safe_psql('postgres', "SELECT value FROM simhash_index_stats('${table}_h') WHERE name = 'pages'");
    cmp_ok($pages[-1], '<', 4 * $fresh, "${table}_h has at most four times the pages of a fresh index, $fresh");
}

# The pages that one VACUUM deletes are there for the inserts before the next one.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE emptied (h simhash) WITH (autovacuum_enabled = off);
INSERT INTO emptied SELECT fingerprint(n) FROM generate_series(1, 30000) AS n;
CREATE INDEX emptied_h ON emptied USING simhash (h);
DELETE FROM emptied;
SQL
$node->safe_psql('postgres', 'VACUUM emptied');
$node->safe_psql('postgres', 'SELECT txid_current()'); # no snapshot is as old as the deleted pages
my $emptied = $node->safe_psql('postgres', "SELECT pg_relation_size('emptied_h')");
$node->safe_psql('postgres', 'INSERT INTO emptied SELECT fingerprint(n) FROM generate_series(30001, 45000) AS n');
is($node->safe_psql('postgres', "SELECT pg_relation_size('emptied_h')"), $emptied, 'deleted pages are used again');

done_testing();
