# Searches by weights: a fitted model is WAL-logged, so a standby searches as the primary does; it survives a crash; and
# other sessions use it at once, even if the transaction that stored it is rolled back.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $primary = start_node('primary', streaming => 1, settings => ["wal_consistency_checking = 'generic'"]);
$primary->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash;
CREATE FUNCTION word(n bigint) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT left(md5(n::text), 6) $$;
CREATE TABLE page AS
    SELECT i AS id, to_simhash_weights(features(array_agg(word(i * 1000 + j)))) AS w
    FROM generate_series(1, 1000) i, generate_series(1, 100) j GROUP BY i
    UNION ALL -- revisions
    SELECT 1000 + i, to_simhash_weights(features(array_agg(CASE WHEN j <= 1 + i % 9 THEN word(-i * 1000 - j) ELSE word(i * 1000 + j) END)))
    FROM generate_series(1, 1000) i, generate_series(1, 100) j GROUP BY i;
ALTER TABLE page ADD h simhash;
UPDATE page SET h = w::simhash;
INSERT INTO page (id, h) SELECT 10000 + n, ('x' || left(md5(n::text), 16))::bit(64)::bigint::simhash FROM generate_series(1, 20000) n;
CREATE INDEX page_h ON page USING simhash (h);
CREATE TABLE pair AS SELECT a.w, b.h FROM page a JOIN page b ON b.id = a.id + 1000 WHERE a.id <= 1000;
SQL
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# The number of leaves that a session's searches read, and whether they use a fitted model.
sub searches
{
    my ($session) = @_;
    return $session->(<<'SQL');
SELECT md5(string_agg(p::text, ' ')), (SELECT value FROM simhash_index_stats('page_h') WHERE name = 'fitted')
FROM page, simhash_index_trace('page_h', simhash_ball(w, 8, 0.9)) p WHERE id <= 50;
SQL
}
my $on_primary = sub { return $primary->safe_psql('postgres', $_[0]) };
my $on_standby = sub { return $standby->safe_psql('postgres', $_[0]) };

my $before = searches($on_primary);
like($before, qr/\|0$/, 'a new index has the built-in model');

# A session that has the old model in its cache
my $other = open_session($primary);
my $probe = "SELECT md5(string_agg(p::text, ' ')) FROM page, simhash_index_trace('page_h', simhash_ball(w, 8, 0.9)) p WHERE id <= 50";
my $other_before = $other->query_safe($probe);

# It is not transactional: after a ROLLBACK, too, all sessions have the same model, those that had the old one in their caches
# and new ones, here and on the standby.
my $on_other = sub { return $other->query_safe($_[0]) };
my $reading = open_session($standby);
my $on_reading = sub { return $reading->query_safe($_[0]) };
is(searches($on_reading), $before, 'a standby begins with the same model');
$primary->safe_psql('postgres', "BEGIN; SELECT count(*) FROM simhash_index_calibrate('page_h', 'pair', 'w', 'h'); ROLLBACK");
$primary->safe_psql('postgres', 'CREATE UNLOGGED TABLE fleeting (h simhash); CREATE INDEX fleeting_h ON fleeting USING simhash (h)');
$primary->wait_for_catchup($standby);
for my $call ("simhash_index_stats('fleeting_h')", "simhash_index_check('fleeting_h')", "simhash_index_trace('fleeting_h', simhash_ball('0000000000000000', 3))")
{
    my ($status, undef, $error) = $standby->psql('postgres', "SELECT $call");
    like($error, qr/cannot access temporary or unlogged relations during recovery/, "$call of an unlogged index on a standby");
}

my $rolled_back = searches($on_primary);
like($rolled_back, qr/\|1$/, 'a ROLLBACK leaves the model');
is(searches($on_other), $rolled_back, 'and other sessions follow it');
$primary->wait_for_catchup($standby);
is(searches($on_standby), $rolled_back, 'so does a standby');
is(searches($on_reading), $rolled_back, 'and a session there');
$primary->safe_psql('postgres', 'REINDEX INDEX page_h');
$primary->wait_for_catchup($standby);
is(searches($on_reading), $before, 'after a REINDEX the built-in model is back');
$reading->quit;

my $report = $primary->safe_psql('postgres',
    "SELECT bool_and(measured >= target - 0.06) FROM simhash_index_calibrate('page_h', 'pair', 'w', 'h')");
is($report, 't', 'the fitted model meets its targets');
my $after = searches($on_primary);
like($after, qr/\|1$/, 'the index has the fitted model');
isnt($after, $before, 'searches follow it');
isnt($other->query_safe($probe), $other_before, 'other sessions follow it');
$other->quit;

$primary->wait_for_catchup($standby);
is(searches($on_standby), $after, 'a standby follows it');
my ($status, undef, $error) =
  $standby->psql('postgres', "SELECT count(*) FROM simhash_index_calibrate('page_h', 'pair', 'w', 'h')");
like($error, qr/during recovery/, 'a standby stores no model');
is($standby->safe_psql('postgres', "SELECT count(*) FROM simhash_index_calibrate('page_h', 'pair', 'w', 'h', false)"),
    '9', 'but reports');

$primary->stop('immediate');
$primary->start;
is(searches($on_primary), $after, 'the model survives a crash');
$primary->safe_psql('postgres', 'REINDEX INDEX page_h');
like(searches($on_primary), qr/\|0$/, 'a REINDEX forgets it');

done_testing();
