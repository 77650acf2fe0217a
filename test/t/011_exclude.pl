# EXCLUDE USING simhash, of fingerprints, texts, balls and tenants, under concurrent inserts: no two near-duplicates are admitted; ON CONFLICT DO NOTHING
# never raises an exclusion violation; a deferred constraint is checked at commit. TEST_SECONDS sets the duration.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => [ 'max_prepared_transactions = 2', 'deadlock_timeout = 20ms', 'autovacuum_naptime = 1s' ]);
prepare_database($node);
# The second table inserts a row in three groups of tables: it can be visible in some and not in others.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id bigserial, h simhash, EXCLUDE USING simhash (h WITH ~=));
CREATE TABLE wide (id bigserial, h simhash, EXCLUDE USING simhash (h WITH ~=) WITH (trees = 10));
CREATE TABLE late (id bigserial, h simhash, EXCLUDE USING simhash (h WITH ~=) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE texts (id bigserial, h simhash, tenant int, body text, EXCLUDE USING simhash (body WITH ~=)) WITH (toast_tuple_target = 128);
ALTER TABLE texts ALTER body SET STORAGE EXTERNAL;
CREATE TABLE balls (id bigserial, h simhash, tenant int, body text, EXCLUDE USING simhash (simhash_ball(h, 5) WITH ~=) DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE tenants (id bigserial, h simhash, tenant int, body text, EXCLUDE USING simhash (tenant WITH =, h WITH ~=));
CREATE TABLE images (id bigserial, h simhash, tenant int, body text,
    EXCLUDE USING simhash (signature_ball((h::bit(64) || h::bit(64))::bit(128), 6) WITH ~=));
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
-- A word for each bit: texts are near if few bits differ.
CREATE FUNCTION text_of(h simhash) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT string_agg(i || substring(h::bit(64)::text FROM i FOR 1), ' ' ORDER BY i) FROM generate_series(1, 64) AS i $$;
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
    (map { ("skip_$_" => { weight => 4, sql => "${random}INSERT INTO $_ (h, tenant, body)
    SELECT h, :m % 3, text_of(h) FROM near(:center, :n) AS h ON CONFLICT DO NOTHING;\n" =~ s/\n +/ /r }) } qw(texts tenants images)),
    (map { ("plain_$_" => { weight => 3, sql => "${random}SELECT try(format('INSERT INTO $_ (h, tenant, body)
    SELECT h, %s %% 3, text_of(h) FROM near(%s, %s) AS h', :m, :center, :n));\n" =~ s/\n +/ /r }) } qw(texts tenants balls images)),
    (map { ("remove_$_" => { weight => 2, sql => "${random}DELETE FROM $_ WHERE id IN
    (SELECT id FROM $_ WHERE h ~= near(:center, :n) FOR UPDATE SKIP LOCKED);\n" =~ s/\n +/ /r }) } qw(texts tenants balls images)),
    vacuum => { weight => 1, sql => "VACUUM (TRUNCATE false, SKIP_LOCKED) page, wide, late, texts, balls, tenants, images;\n" });
my ($status, $output) = stop_pgbench($load);
is($status, 0, 'ON CONFLICT DO NOTHING raises nothing') or diag($output);
unlike($output, qr/number of failed transactions: [1-9]/, 'no failed transactions');
my ($transactions) = $output =~ /number of transactions actually processed: (\d+)/;

my %near = (
    texts => "(a.body || '') ~= (b.body || '')", balls => '(a.h <@> b.h)::int <= 5',
    tenants => 'a.tenant = b.tenant AND (a.h <@> b.h)::int <= 3', images => '(a.h <@> b.h)::int <= 3');
for my $table (qw(page wide late texts balls tenants images)) {
    my $rows = $node->safe_psql('postgres', "SELECT count(*) FROM $table");
    cmp_ok($rows, '>', $near{$table} ? 20 : 60, "$table: rows got in");
    my $near = $near{$table} // '(a.h <@> b.h)::int <= 3';
    is($node->safe_psql('postgres', "SELECT count(*) FROM $table AS a JOIN $table AS b ON $near AND a.id < b.id"),
        '0', "$table: no two near-duplicates");
    my $index = $node->safe_psql('postgres', "SELECT indexrelid::regclass FROM pg_index WHERE indrelid = '$table'::regclass");
    index_is_sound($node, $index, "$table: sound");
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

# A prepared transaction holds what it has inserted, also after a crash.
$node->safe_psql('postgres', "TRUNCATE texts, balls");
$node->safe_psql('postgres', "BEGIN; INSERT INTO texts (body) VALUES ('one two three four'); INSERT INTO balls (h) VALUES ('00000000000000ff'); PREPARE TRANSACTION 'p'");
my @near = ("INSERT INTO texts (body) VALUES ('One, two, three: four')", "SET CONSTRAINTS ALL IMMEDIATE; INSERT INTO balls (h) VALUES ('00000000000000f0')");
for my $state ('prepared', 'after a crash', 'committed') {
    $node->stop('immediate') if $state eq 'after a crash';
    $node->start if $state eq 'after a crash';
    $node->safe_psql('postgres', "COMMIT PREPARED 'p'") if $state eq 'committed';
    for my $insert (@near) {
        my ($status, undef, $error) = $node->psql('postgres', "SET statement_timeout = '300ms'; BEGIN; $insert; COMMIT", on_error_stop => 1);
        like($error, $state eq 'committed' ? qr/conflicting key value/ : qr/statement timeout/, "$state: $insert");
    }
}
is($node->safe_psql('postgres', "INSERT INTO texts (body) VALUES ('other words') ON CONFLICT DO NOTHING; SELECT count(*) FROM texts"), '2', 'other texts got in');

done_testing();
