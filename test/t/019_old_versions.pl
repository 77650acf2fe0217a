# Updates that leave the fingerprint as it is, and rows that are deleted and inserted again: full leaves get rid of the old
# versions' entries instead of splitting, the size of an index and the work of a search stay bounded, and snapshots see
# their rows, also on a standby.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('primary', streaming => 1, settings => ['autovacuum = off']);
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
plan skip_all => 'PostgreSQL 13 does not tell an index which rows are dead' if $version < 140000;
prepare_database($node);
prepare_signatures($node);
# The indexes on n make every update touch the other one.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id int PRIMARY KEY, n int, h simhash) WITH (autovacuum_enabled = off);
INSERT INTO page SELECT n, 0, CASE WHEN n % 100 = 0 THEN NULL WHEN n % 10 = 1 THEN flipped(fingerprint(1), n, 3) ELSE fingerprint(n) END
    FROM generate_series(1, 5000) AS n;
CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 4);
CREATE INDEX page_n ON page (n);
CREATE TABLE signed (id int PRIMARY KEY, n int, h bit(300)) WITH (autovacuum_enabled = off);
INSERT INTO signed SELECT n, 0, signature(n, 300) FROM generate_series(1, 2000) AS n;
CREATE INDEX signed_h ON signed USING simhash (h);
CREATE INDEX signed_n ON signed (n);
VACUUM ANALYZE page, signed;

-- Blocks that a search reads.
CREATE FUNCTION blocks(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    line json;
BEGIN
    SET LOCAL enable_seqscan = off;
    EXECUTE query;
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO line;
    RETURN (line -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (line -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END
$$;
SQL

sub value { my ($sql) = @_; return $node->safe_psql('postgres', $sql) }
sub churn
{
    my ($table, $times, $condition) = @_;
    return value("DO \$\$ BEGIN FOR i IN 1 .. $times LOOP UPDATE $table SET n = n + 1 WHERE $condition; COMMIT; END LOOP; END \$\$");
}

for my $case ([ 'page', 'fingerprint(2)', 3 ], [ 'signed', 'signature(2, 300)::bit(300)', 9 ]) {
    my ($table, $value, $radius) = @$case;
    my $size = "SELECT pg_relation_size('${table}_h') / 8192";
    my $blocks = "SELECT blocks('SELECT count(*) FROM $table WHERE h <@> $value <= $radius')";
    my ($pages, $work) = (value($size), value($blocks));
    churn($table, 6000, 'id = 2');
    cmp_ok(value($size), '<=', 1.2 * $pages + 30, "$table: the size after 6,000 updates of a row");
    cmp_ok(value($blocks), '<=', 3 * $work + 80, "$table: the blocks that a search reads");
    # A leaf has room for about 800 entries.
    cmp_ok(value("SELECT rows + nulls - heap_rows FROM simhash_index_check('${table}_h', true)"), '<=', 900, "$table: the versions left");
    note("$pages pages, then " . value($size) . "; a search reads $work blocks, then " . value($blocks));
    # Several rows, those of near fingerprints among them.
    churn($table, 200, 'id % 100 IN (1, 2, 3, 11)');
    index_is_sound($node, "${table}_h", "$table: sound");
}
answers_agree($node, 'page', 'page: the index answers');
signatures_agree($node, 'signed', 'signed: the index answers');

# The row is deleted and inserted again, which no update announces.
for my $case ([ 'page', 'fingerprint(2)', 3 ], [ 'signed', 'signature(2, 300)::bit(300)', 9 ]) {
    my ($table, $value, $radius) = @$case;
    my $size = "SELECT pg_relation_size('${table}_h') / 8192";
    my $blocks = "SELECT blocks('SELECT count(*) FROM $table WHERE h <@> $value <= $radius')";
    value("VACUUM $table");
    my ($pages, $work) = (value($size), value($blocks));
    value("DO \$\$ DECLARE old $table; BEGIN FOR i IN 1 .. 6000 LOOP DELETE FROM $table WHERE id = 2 RETURNING * INTO old;
        INSERT INTO $table VALUES (old.*); COMMIT; END LOOP; END \$\$");
    note("$pages pages, then " . value($size) . "; a search reads $work blocks, then " . value($blocks));
    cmp_ok(value($size), '<=', 1.2 * $pages + 30, "$table: the size after a row was replaced 6,000 times");
    cmp_ok(value($blocks), '<=', 4 * $work + 100, "$table: the blocks that a search reads then");
    cmp_ok(value("SELECT rows + nulls - heap_rows FROM simhash_index_check('${table}_h', true)"), '<=', 900, "$table: the versions left then");
    index_is_sound($node, "${table}_h", "$table: sound after replacing");
}

# NULLs are entries of their own tree.
my $pages = value("SELECT pg_relation_size('page_h')");
churn('page', 3000, 'id = 100');
cmp_ok(value("SELECT pg_relation_size('page_h')"), '<=', $pages + 2 * 8192, 'updates of a row without a fingerprint');
is(value("SET enable_seqscan = off; SELECT count(*) FROM page WHERE h IS NULL"), 50, 'the NULLs');

# A snapshot keeps its versions, in the index, too.
my $reader = open_session($node);
my $search = 'SELECT n FROM page WHERE h <@> fingerprint(2) <= 0';
$reader->query_safe($_) for 'SET enable_seqscan = off', 'BEGIN ISOLATION LEVEL REPEATABLE READ';
my $seen = $reader->query_safe($search);
churn('page', 2000, 'id = 2');
is($reader->query_safe($search), $seen, 'an old snapshot finds its version');
$reader->query_safe('COMMIT');
is($reader->query_safe($search), $seen + 2000, 'a new one finds the last');
$reader->quit;
index_is_sound($node, 'page_h', 'sound');

# Writers and readers together, then VACUUM.
my $run = start_pgbench($node, test_seconds() > 15 ? 20 : 5, 4,
    update => { weight => 8, sql => "\\set id random(1, 20)\nUPDATE page SET n = n + 1 WHERE id = :id;\n" },
    signed => { weight => 2, sql => "\\set id random(1, 5)\nUPDATE signed SET n = n + 1 WHERE id = :id;\n" },
    search => { weight => 2, sql => "SET enable_seqscan = off;\n\\set id random(1, 20)\n"
          . "SELECT 1 / count(*) FROM page WHERE h <@> (SELECT p.h FROM page AS p WHERE p.id = :id) <= 0;\n" });
my ($status, $output) = stop_pgbench($run);
is($status, 0, 'each search finds its row during updates') or diag($output);
unlike($output, qr/ERROR/, 'no error');
index_is_sound($node, $_, "$_ sound after concurrent updates") for qw(page_h signed_h);
value('VACUUM page; VACUUM signed');
is(value("SELECT rows + nulls - heap_rows, partial_entries FROM simhash_index_check('$_', true)"), '0|0', "$_ after VACUUM")
  for qw(page_h signed_h);
answers_agree($node, 'page', 'page: answers after VACUUM');
signatures_agree($node, 'signed', 'signed: answers after VACUUM');

# A standby. Each version has a page of its own, which updates by its place do not visit again, so none is pruned; and
# there is no other index: nothing but the index on fingerprints removes what its snapshots see. Replay has to wait for
# the reader.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE broad (n int, h simhash, filler text) WITH (autovacuum_enabled = off);
ALTER TABLE broad ALTER filler SET STORAGE plain;
INSERT INTO broad VALUES (0, fingerprint(7), repeat('x', 4500));
CREATE INDEX broad_h ON broad USING simhash (h) WITH (trees = 2);
SQL
$node->backup('copy');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->append_conf('postgresql.conf', "max_standby_streaming_delay = -1\nhot_standby_feedback = off");
$standby->start;
my $bump = sub {
    my ($times, $place) = @_;
    value("DO \$\$ DECLARE place tid := '$place'; BEGIN FOR i IN 1 .. $times LOOP
        UPDATE broad SET n = n + 1 WHERE ctid = place RETURNING ctid INTO place; COMMIT; END LOOP; END \$\$");
};
$bump->(5, value('SELECT ctid FROM broad'));
my $place = value('SELECT ctid FROM broad');
$node->wait_for_catchup($standby);
$reader = open_session($standby);
$search = 'SELECT n FROM broad WHERE h <@> fingerprint(7) <= 0';
$reader->query_safe($_) for 'SET enable_seqscan = off', 'BEGIN ISOLATION LEVEL REPEATABLE READ';
is($reader->query_safe($search), 5, 'a reader on the standby');
$bump->(1000, $place);
ok($standby->poll_query_until('postgres',
        "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'startup' AND wait_event = 'RecoveryConflictSnapshot'"),
    'replay waits for it');
is($reader->query_safe($search), 5, 'it still finds its version');
$reader->query_safe('COMMIT');
$node->wait_for_catchup($standby);
is($reader->query_safe($search), 1005, 'then replay goes on');
$reader->quit;
is($standby->safe_psql('postgres', "SET enable_seqscan = off; $search"), 1005, 'and a new reader finds the last version');
cmp_ok(value("SELECT rows FROM simhash_index_check('broad_h')"), '<', 700, 'entries have been removed');
$standby->stop;
done_testing();
