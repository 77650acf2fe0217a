# Indexes on bit(n): the answers are those of a sequential scan for every length and kind of data, after every kind of
# change, on a standby, after a crash, in unlogged and temporary tables, and under load.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);
use SimhashTest;

my $node = start_node('main', streaming => 1,
    settings => [ "wal_keep_size = '1GB'", "max_wal_size = '256MB'", 'autovacuum = off', "shared_buffers = '64MB'" ]);
prepare_signatures($node);

sub sql { my ($sql) = @_; return $node->safe_psql('postgres', $sql) }

# -- every length and kind of data ---------------------------------------------------------------------------

my %kind = (
    uniform => 'signature(%1$s, %2$d)',
    clustered => 'flipped_signature(signature(%1$s %% 20, %2$d), %1$s, (%1$s %% (%2$d / 8))::int)',
    skewed => 'signature(%1$s, %2$d) & signature(%1$s + 7000000, %2$d) & signature(%1$s + 9000000, %2$d)',
    repeated => 'CASE WHEN %1$s %% 10 > 0 THEN signature(%1$s %% 3, %2$d) END');

my %lists = (clustered => 9, repeated => 5, skewed => 0, uniform => 0);
my %no_tables = map { $_ => 1 } qw(repeated_65 clustered_300 uniform_300 repeated_1024);

for my $bits (65, 128, 256, 300, 576, 1024, 4096) {
    for my $kind (sort keys %kind) {
        my $name = "${kind}_$bits";
        my $value = sub { return sprintf $kind{$kind}, $_[0], $bits };
        my $rows = $bits == 4096 ? 800 : 1600;
        my $options = "lists = $lists{$kind}" . ($no_tables{$name} ? ', trees = 0' : '');
        sql("CREATE TABLE $name (id bigint, h bit($bits)) WITH (autovacuum_enabled = off);
            INSERT INTO $name SELECT n, " . $value->('n') . " FROM generate_series(1, $rows) AS n;
            CREATE INDEX ${name}_h ON $name USING simhash (h) WITH ($options);
            INSERT INTO $name SELECT n, " . $value->('n') . " FROM generate_series(10001, 10000 + $rows / 2) AS n;
            INSERT INTO $name VALUES (-1, NULL), (-2, NULL)");
        signatures_agree($node, $name, "$name: new");
        sql("DELETE FROM $name WHERE id % 3 = 0; UPDATE $name SET h = " . $value->('(id + 500)') . " WHERE id % 4 = 1");
        index_is_sound($node, "${name}_h", "$name: dead rows");
        sql("VACUUM $name");
        signatures_agree($node, $name, "$name: after VACUUM");
        my ($before, $segments) = split /\n/, sql("SELECT value FROM simhash_index_stats('${name}_h') WHERE name IN ('free_slots', 'segments') ORDER BY name");
        sql("INSERT INTO $name SELECT n, " . $value->('n') . " FROM generate_series(20001, 20200) AS n");
        is(sql("SELECT value FROM simhash_index_stats('${name}_h') WHERE name = 'segments'"), $segments, "$name: inserts use free slots")
          if $before > 200 && $lists{$kind} == 0;
        signatures_agree($node, $name, "$name: slots that are used again");
    }
}

# An empty index has no sample to choose a layout from.
sql('CREATE TABLE late (id bigint, h bit(192)); CREATE INDEX late_h ON late USING simhash (h) WITH (trees = 5)');
signatures_agree($node, 'late', 'empty');
sql('INSERT INTO late SELECT n, flipped_signature(signature(n % 50, 192), n, (n % 20)::int) FROM generate_series(1, 3000) AS n');
signatures_agree($node, 'late', 'filled by inserts');
sql('DELETE FROM late; VACUUM late');
signatures_agree($node, 'late', 'empty again');
is(sql("SELECT bool_and(CASE name WHEN 'rows' THEN value = 0 ELSE value > 0 END) FROM simhash_index_stats('late_h') WHERE name IN ('rows', 'free_slots')"), 't', 'all slots are free');
sql('INSERT INTO late SELECT n, signature(n % 1000, 192) FROM generate_series(1, 2000) AS n');
signatures_agree($node, 'late', 'filled again');

# -- REINDEX, CREATE INDEX CONCURRENTLY, partial indexes, expressions --------------------------------------------

for my $change (
    'REINDEX INDEX clustered_256_h', 'REINDEX INDEX CONCURRENTLY clustered_256_h',
    'DROP INDEX clustered_256_h; CREATE INDEX clustered_256_h ON clustered_256 USING simhash (h) WITH (trees = 7, fillfactor = 60)',
    'VACUUM FULL clustered_256', 'CLUSTER clustered_256 USING clustered_256_id')
{
    sql('CREATE INDEX clustered_256_id ON clustered_256 (id)') if $change =~ /^CLUSTER/;
    sql($change);
    signatures_agree($node, 'clustered_256', $change);
}
sql('DROP INDEX clustered_256_h');
sql('CREATE INDEX CONCURRENTLY clustered_256_h ON clustered_256 USING simhash (h)');
signatures_agree($node, 'clustered_256', 'CREATE INDEX CONCURRENTLY');
sql('CREATE INDEX part ON clustered_256 USING simhash (h) WHERE id % 2 = 0;
     CREATE INDEX computed ON clustered_256 USING simhash (((~h)::bit(256)))');
index_is_sound($node, $_, "$_: sound") for qw(part computed);
sql('UPDATE clustered_256 SET id = id + 1 WHERE id % 5 = 0; UPDATE clustered_256 SET h = NULL WHERE id % 7 = 0');
index_is_sound($node, $_, "$_: sound after changes") for qw(part computed clustered_256_h);
sql('DROP INDEX part, computed');

# Small memory: the check reads the store's rows in several batches.
sql("CREATE TABLE many (id bigint, h bit(128));
    INSERT INTO many SELECT n, signature(n, 128) FROM generate_series(1, 60000) AS n;
    CREATE INDEX many_h ON many USING simhash (h) WITH (trees = 4)");
is(sql("SET maintenance_work_mem = '1MB'; SELECT heap_rows FROM simhash_index_check('many_h', true)"), 60000, 'batches');

# -- a standby, which compares every page that it replays with the primary's image ------------------------------

sql("ALTER SYSTEM SET wal_consistency_checking = 'all'; SELECT pg_reload_conf()");
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\n");
$standby->start;

sub standby_agrees
{
    my ($name, @tables) = @_;
    my $target = $node->lsn('insert');
    for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default) {
        my ($status, $reached) = $standby->psql('postgres', "SELECT pg_last_wal_replay_lsn() >= '$target'");
        if ($status != 0) {
            fail("$name: the standby replays");
            diag(join "\n", grep { /FATAL|PANIC|CONTEXT/ } split /\n/, slurp_file($standby->logfile));
            done_testing();
            exit;
        }
        last if $reached eq 't';
        sleep(0.1);
    }
    for my $table (@tables) {
        signatures_agree($standby, $table, "$name: $table on the standby");
    }
    return;
}

for my $bits (65, 300, 1024) {
    my $tables = $bits == 300 ? 0 : 5;
    my $value = "flipped_signature(signature(n % 20, $bits), n, (n % 10)::int)";
    sql("CREATE TABLE sent_$bits (id bigint, h bit($bits)) WITH (autovacuum_enabled = off);
        CREATE INDEX sent_${bits}_h ON sent_$bits USING simhash (h) WITH (trees = $tables, lists = " . ($bits == 1024 ? 0 : 6) . ')');
    for my $change (
        "INSERT INTO sent_$bits SELECT n, $value FROM generate_series(1, 800) AS n",
        "BEGIN; INSERT INTO sent_$bits SELECT n, $value FROM generate_series(10001, 10400) AS n; ROLLBACK",
        "DELETE FROM sent_$bits WHERE id % 2 = 0", "VACUUM sent_$bits",
        "INSERT INTO sent_$bits SELECT n, $value FROM generate_series(801, 1400) AS n",
        "REINDEX INDEX sent_${bits}_h", "INSERT INTO sent_$bits SELECT n, $value FROM generate_series(20001, 24000) AS n",
        "DELETE FROM sent_$bits WHERE id % 3 = 0", "VACUUM sent_$bits",
        "INSERT INTO sent_$bits SELECT n, $value FROM generate_series(30001, 32000) AS n", "INSERT INTO sent_$bits SELECT n, NULL FROM generate_series(1, 50) AS n",
        "DELETE FROM sent_$bits; VACUUM sent_$bits", "INSERT INTO sent_$bits SELECT n, $value FROM generate_series(1, 3000) AS n",
        # Inserts fill segments, which VACUUM leaves as they are.
        "DELETE FROM sent_$bits WHERE id % 2 = 0; VACUUM sent_$bits",
        "INSERT INTO sent_$bits SELECT n, $value FROM generate_series(40001, 41300) AS n",
        "DELETE FROM sent_$bits WHERE id < 12; VACUUM (INDEX_CLEANUP ON) sent_$bits")
    {
        sql($_) for split /; (?=VACUUM)/, $change;
        standby_agrees($change =~ s/ FROM.*//r, "sent_$bits");
    }
}
$standby->stop;

# -- a crash ---------------------------------------------------------------------------------------------------

sql("ALTER SYSTEM SET wal_consistency_checking = ''; ALTER SYSTEM SET autovacuum = on");
$node->restart;
sql('CREATE SEQUENCE number; ALTER INDEX late_h SET (lists = 20); REINDEX INDEX late_h');
for my $round (1 .. 3) {
    my $load = start_pgbench($node, 60, 3,
        "crash_insert$round" => { weight => 20, sql =>
            "INSERT INTO late SELECT n, signature(n, 192) FROM (SELECT nextval('number') AS n FROM generate_series(1, 50)) AS n;\n" },
        "crash_abort$round" => { weight => 3, sql =>
            "BEGIN;\nINSERT INTO late SELECT -n, signature(n, 192) FROM generate_series(1, 50) AS n;\nROLLBACK;\n" },
        "crash_delete$round" => { weight => 3, sql => "\\set part random(0, 63)\nDELETE FROM late WHERE id % 64 = :part;\n" },
        "crash_vacuum$round" => { weight => 1, sql => "VACUUM late;\n" });
    sleep(0.7 + 0.4 * $round);
    $node->stop('immediate');
    my ($status) = stop_pgbench($load);
    isnt($status, 0, "crash $round: under load");
    $node->start;
    signatures_agree($node, 'late', "crash $round");
}
sql('VACUUM late');
is(sql("SELECT partial_entries FROM simhash_index_check('late_h', true)"), 0, 'VACUUM removes what the crashes left');
signatures_agree($node, 'late', 'VACUUM after the crashes');

# -- a recall below 1 --------------------------------------------------------------------------------------------

# Groups of bits that are equal, so that keys depend on each other; clusters, and queries with and without near rows.
sub wide
{
    my ($bits) = @_;
    return "replace(replace(replace(($bits)::text, '0', 'x'), '1', '11111111'), 'x', '00000000')::bit(1024)";
}
my $row = 'flipped_signature(signature(n % 200, 128), n, (n % 30)::int)';
sql('CREATE TABLE grouped (id bigint, h bit(1024)) WITH (autovacuum_enabled = off);
    INSERT INTO grouped SELECT n, flipped_signature(' . wide($row) . ', n, (n % 90)::int) FROM generate_series(1, 24000) AS n;
    CREATE TABLE asked (n bigint, q bit(1024));
    INSERT INTO asked SELECT n, CASE WHEN n % 3 = 0 THEN signature(n, 1024) ELSE flipped_signature(' .
    wide('flipped_signature(signature(n % 200, 128), n + 77777, (n % 15)::int)') . ', n, 40) END FROM generate_series(1, 60) AS n');
for my $lists ('fillfactor = 85', 'lists = 0') {
    sql("DROP INDEX IF EXISTS grouped_h; CREATE INDEX grouped_h ON grouped USING simhash (h) WITH ($lists)");
    for my $recall (0.8, 0.95) {
        my @found = split /\|/, sql("SET enable_seqscan = off; SET enable_bitmapscan = off;
            SELECT avg(f.close / 10.0) >= $recall, bool_and(f.each_once), bool_and(f.sorted) FROM asked,
                LATERAL (SELECT max(d) AS tenth FROM (SELECT h <@> q AS d FROM grouped ORDER BY h <@> q LIMIT 10) e) AS exact,
                LATERAL (SELECT count(*) FILTER (WHERE d <= tenth) AS close, count(DISTINCT id) = 10 AS each_once,
                        array_agg(d ORDER BY place) = array_agg(d ORDER BY d) AS sorted
                    FROM (SELECT id, h <@> q AS d, row_number() OVER () AS place
                          FROM (SELECT id, h FROM grouped ORDER BY h <@> signature_nearest(q, $recall) LIMIT 10) x) y) AS f");
        is("@found", 't t t', "ten nearest with recall $recall, $lists: enough of them, each once, sorted");
        # The forecast is somewhat too high for bits that depend on each other so much.
        @found = split /\|/, sql("SET enable_seqscan = off; SET enable_bitmapscan = off;
            SELECT sum(f.rows) >= ($recall - 0.02) * sum(f.within), bool_and(f.each_once), bool_and(f.inside) FROM asked,
                LATERAL (SELECT count(*) AS rows, count(DISTINCT id) = count(*) AS each_once, coalesce(bool_and((h <@> q) <= 160), true) AS inside,
                        (SELECT count(*) FROM grouped WHERE h <@> q <= 160) AS within
                    FROM grouped WHERE h <@| signature_ball(q, 160, $recall)) AS f");
        is("@found", 't t t', "rows within a radius with recall $recall, $lists: enough of them, each once, none outside");
    }
    # Without lists the search becomes exact, and continues behind the rows that it has returned.
    is(sql("SET enable_seqscan = off; SET enable_bitmapscan = off;
        SELECT count(*) FROM asked, LATERAL (SELECT count(*) AS rows, count(DISTINCT id) AS ids, count(*) FILTER (WHERE d < last) AS back
            FROM (SELECT id, d, lag(d) OVER () AS last FROM (SELECT id, h <@> q AS d FROM grouped
                  ORDER BY h <@> signature_nearest(q, 0.9) LIMIT 5000) x) y) AS f
        WHERE rows <> 5000 OR ids <> 5000 OR back > 0"), 0, "far more rows than were asked for, $lists: each once, in order");
}

# -- unlogged and temporary tables, dump and restore --------------------------------------------------------------

sql('CREATE UNLOGGED TABLE fleeting (id bigint, h bit(256));
    INSERT INTO fleeting SELECT n, signature(n % 700, 256) FROM generate_series(1, 1500) AS n;
    CREATE INDEX fleeting_h ON fleeting USING simhash (h);
    INSERT INTO fleeting SELECT n, signature(n, 256) FROM generate_series(1501, 2500) AS n;
    DELETE FROM fleeting WHERE id % 3 = 0');
sql('VACUUM fleeting');
signatures_agree($node, 'fleeting', 'unlogged');
$node->stop('immediate');
$node->start;
is(sql('SELECT count(*) FROM fleeting'), 0, 'unlogged: emptied by a crash');
sql('INSERT INTO fleeting SELECT n, signature(n % 90, 256) FROM generate_series(1, 1500) AS n');
signatures_agree($node, 'fleeting', 'unlogged: used after a crash');
is($node->safe_psql('postgres', <<'SQL'), '0', 'a temporary table');
CREATE TEMP TABLE brief (id bigint, h bit(256));
CREATE INDEX brief_h ON brief USING simhash (h);
INSERT INTO brief SELECT n, flipped_signature(signature(n % 70, 256), n, (n % 20)::int) FROM generate_series(1, 3000) AS n;
DELETE FROM brief WHERE id % 3 = 0;
VACUUM brief;
INSERT INTO brief SELECT n, signature(n, 256) FROM generate_series(1, 500) AS n;
SELECT sum(differing_signatures('brief', r)) FROM unnest('{0, 3, 30, 100}'::int[]) AS r;
SQL
my $dump = $node->basedir . '/dump.sql';
$node->command_ok([ 'pg_dump', '--file', $dump, '--port', $node->port, '--host', $node->host,
    '--table', 'clustered_300', '--table', 'repeated_65', 'postgres' ], 'dump');
$node->safe_psql('postgres', 'DROP TABLE clustered_300, repeated_65');
$node->command_ok([ 'psql', '-q', '-X', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-p', $node->port, '-h', $node->host, 'postgres' ], 'restore');
signatures_agree($node, $_, "$_: restored") for qw(clustered_300 repeated_65);

# -- load -----------------------------------------------------------------------------------------------------------

sql("TRUNCATE late; INSERT INTO late SELECT n, flipped_signature(signature(n % 20, 192), n, (n % 15)::int) FROM generate_series(1, 1000) AS n;
    REINDEX INDEX late_h;
    CREATE FUNCTION found_near(q bit, radius int) RETURNS bigint[] LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS
    \$\$ BEGIN RETURN ARRAY(SELECT id FROM late WHERE h <@> q <= radius ORDER BY id); END \$\$");
my $near = 'flipped_signature(signature(n % 20, 192), n, (n % 15)::int)';
my $load = start_pgbench($node, test_seconds(), 4,
    insert => { weight => 20, sql => "INSERT INTO late SELECT n, CASE WHEN n % 30 > 0 THEN $near END
        FROM (SELECT nextval('number') AS n FROM generate_series(1, 20)) AS n;\n" =~ s/\n +/ /r },
    abort => { weight => 4, sql => "BEGIN;\nINSERT INTO late SELECT -n, $near FROM generate_series(1, 20) AS n;\nROLLBACK;\n" },
    update => { weight => 8, sql => "\\set part random(0, 99)\nUPDATE late SET h = flipped_signature(h, id, 1) WHERE id IN (SELECT id FROM late WHERE id % 100 = :part LIMIT 10 FOR UPDATE SKIP LOCKED);\n" },
    delete => { weight => 8, sql => "\\set part random(0, 99)\nDELETE FROM late WHERE id IN (SELECT id FROM late WHERE id % 100 = :part LIMIT 30 FOR UPDATE SKIP LOCKED);\n" },
    vacuum => { weight => 2, sql => "VACUUM late;\n" },
    # A wrong answer divides by zero, which ends pgbench with an error.
    compare => { weight => 20, sql => <<'SQL' });
\set center random(0, 19)
\set radius random(0, 60)
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT 1 / (found_near(signature(:center, 192), :radius) = ARRAY(SELECT id FROM late WHERE (h <@> signature(:center, 192))::int <= :radius ORDER BY id))::int;
SELECT pg_sleep(0.002);
SELECT 1 / (found_near(signature(:center, 192), :radius) = ARRAY(SELECT id FROM late WHERE (h <@> signature(:center, 192))::int <= :radius ORDER BY id))::int;
COMMIT;
SQL
my $end = time + test_seconds() - 1;
my @errors;
while (time < $end) {
    for my $change ('REINDEX INDEX CONCURRENTLY late_h', 'CREATE INDEX CONCURRENTLY extra ON late USING simhash (h)',
        q{SELECT simhash_index_check('extra', true)}, 'DROP INDEX CONCURRENTLY extra')
    {
        my ($status, undef, $error) = $node->psql('postgres', $change);
        push @errors, "$change: $error" if $status != 0;
    }
}
my ($status, $output) = stop_pgbench($load);
is($status, 0, 'no session saw an error or a wrong answer') or diag($output);
is(join("\n", @errors), '', 'indexes were built and rebuilt under load');
signatures_agree($node, 'late', 'after the load');
sql('VACUUM late');
signatures_agree($node, 'late', 'after VACUUM');

done_testing();
