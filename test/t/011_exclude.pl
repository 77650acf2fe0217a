# EXCLUDE USING simhash (h WITH ~=) under concurrent inserts: no two near-duplicates are admitted; ON CONFLICT DO NOTHING
# never raises an exclusion violation; a deferred constraint is checked at commit. TEST_SECONDS sets the duration.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => [ 'deadlock_timeout = 20ms', 'autovacuum_naptime = 1s' ]);
prepare_database($node);
# The second table inserts a row in three groups of tables: it can be visible in some and not in others.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id bigserial, h simhash, EXCLUDE USING simhash (h WITH ~=));
CREATE TABLE wide (id bigserial, h simhash, EXCLUDE USING simhash (h WITH ~=) WITH (trees = 10));
CREATE TABLE late (id bigserial, h simhash, EXCLUDE USING simhash (h WITH ~=) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE outcome (what text, times bigint);
-- Runs a statement; an exclusion violation or a deadlock is allowed.
CREATE FUNCTION try(statement text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE statement;
    SET CONSTRAINTS ALL IMMEDIATE;
    RETURN 'done';
EXCEPTION WHEN exclusion_violation OR deadlock_detected THEN
    RETURN sqlstate;
END $$;
-- Runs a statement that may fail only by a deadlock.
CREATE FUNCTION skip(statement text) RETURNS text LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE statement;
    RETURN 'done';
EXCEPTION WHEN deadlock_detected THEN
    RETURN sqlstate;
END $$;
-- Fingerprints around few centers, so that inserters meet.
CREATE FUNCTION near(center int, n int) RETURNS simhash LANGUAGE sql AS
$$ SELECT flipped(fingerprint(center), n, n % 6) $$;
SQL

my $random = "\\set center random(1, 60)\n\\set n random(1, 40)\n\\set m random(1, 60)\n";
my $seconds = test_seconds();
my $load = start_pgbench($node, $seconds, 8,
    # A single row: any error ends pgbench with an error.
    skip => { weight => 10, sql => "${random}INSERT INTO page (h) VALUES (near(:center, :n)) ON CONFLICT DO NOTHING;\n" },
    skip_wide => { weight => 10, sql => "${random}INSERT INTO wide (h) VALUES (near(:center, :n)) ON CONFLICT DO NOTHING;\n" },
    several => { weight => 6, sql => $random . <<'SQL' },
SELECT skip(format('INSERT INTO page (h) SELECT near(c, %s) FROM (VALUES (%s), (%s), (%s + 60)) AS v (c) ON CONFLICT DO NOTHING',
    :n, :center, :m, :m));
SQL
    plain => { weight => 6, sql => "${random}SELECT try(format('INSERT INTO page (h) VALUES (near(%s, %s))', :center, :n));\n" },
    plain_wide => { weight => 6, sql => "${random}SELECT try(format('INSERT INTO wide (h) VALUES (near(%s, %s))', :center, :n));\n" },
    late => { weight => 8, sql => $random . <<'SQL' },
SELECT try(format('INSERT INTO late (h) SELECT near(%s, n) FROM generate_series(%s, %s + 1) AS n', :center, :n, :n));
SQL
    change => { weight => 3, sql => "${random}SELECT try(format('UPDATE late SET h = near(%s, %s) WHERE id = %s', :center, :n, :m));\n" },
    remove => { weight => 4, sql => $random . <<'SQL' },
DELETE FROM page WHERE id IN (SELECT id FROM page WHERE h ~= near(:center, :n) FOR UPDATE SKIP LOCKED);
DELETE FROM wide WHERE id IN (SELECT id FROM wide WHERE h ~= near(:center, :n) FOR UPDATE SKIP LOCKED);
DELETE FROM late WHERE id IN (SELECT id FROM late WHERE h ~= near(:center, :n) FOR UPDATE SKIP LOCKED);
SQL
    vacuum => { weight => 1, sql => "VACUUM (TRUNCATE false, SKIP_LOCKED) page, wide, late;\n" });
my ($status, $output) = stop_pgbench($load);
is($status, 0, 'ON CONFLICT DO NOTHING raises nothing') or diag($output);
unlike($output, qr/number of failed transactions: [1-9]/, 'no failed transactions');
my ($transactions) = $output =~ /number of transactions actually processed: (\d+)/;

for my $table (qw(page wide late)) {
    my $rows = $node->safe_psql('postgres', "SELECT count(*) FROM $table");
    cmp_ok($rows, '>', 60, "$table: rows got in");
    is($node->safe_psql('postgres', "SELECT count(*) FROM $table AS a JOIN $table AS b ON (a.h <@> b.h)::int <= 3 AND a.id < b.id"),
        '0', "$table: no two near-duplicates");
    index_is_sound($node, "${table}_h_excl", "$table: sound");
    note("$table: $rows rows");
}
note("$transactions transactions in $seconds s");

# Deferred, step by step: either may commit until the first does; then the second cannot.
$node->safe_psql('postgres', 'TRUNCATE late');
my @session = map { open_session($node, on_error_stop => 0) } 1 .. 2;
$_->query_safe('BEGIN') for @session;
$session[0]->query_safe("INSERT INTO late (h) VALUES ('00000000000000ff')");
$session[1]->query_safe("INSERT INTO late (h) VALUES ('00000000000000fe')");
$session[1]->query_safe("INSERT INTO late (h) VALUES ('ffffffff00000000')");
$session[0]->query_until(qr/committing/, "\\echo committing\nCOMMIT;\n");
$session[1]->query('COMMIT');
$session[0]->query('SELECT 1');
my @refused = grep { $_->{stderr} =~ /conflicting key|deadlock detected/ } @session;
is(scalar @refused, 1, 'deferred: one of the two fails');
$_->quit for @session;
is($node->safe_psql('postgres', "SELECT count(*) FROM late WHERE h ~= '00000000000000ff'"), '1', 'deferred: one is there');

done_testing();
