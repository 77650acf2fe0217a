# bit(n) and min-hash signatures over shards of postgres_fdw: what ships, nearest neighbors, batches and all pairs by id.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my @settings = ('max_parallel_workers_per_gather = 0', 'autovacuum = off', 'fsync = off');
my ($coordinator, @shards) = map { start_node($_, settings => \@settings) } qw(coordinator shard0 shard1);
plan skip_all => 'needs the extension postgres_fdw'
  if $coordinator->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
sub answer { return ($_[1] // $coordinator)->safe_psql('postgres', $_[0]) }

# page has the min-hash signatures of texts, and whole the same rows on the coordinator.
prepare_signatures($coordinator);
answer('CREATE EXTENSION postgres_fdw; CREATE TABLE page (id bigint NOT NULL, body text, s bit(256)) PARTITION BY HASH (id)');
for my $i (0, 1) {
    answer(<<'SQL', $shards[$i]);
CREATE EXTENSION simhash;
CREATE TABLE page (id bigint PRIMARY KEY, body text, s bit(256));
CREATE INDEX page_s ON page USING simhash (s);
CREATE TABLE batch (id bigint, s bit(256));
CREATE INDEX batch_s ON batch USING simhash (s);
CREATE VIEW found AS SELECT b.id AS query, p.id, (b.s <@> p.s)::int AS distance FROM batch b JOIN page p ON b.s <@> p.s <= 40;
CREATE VIEW pairs AS SELECT x.id AS a, y.id AS b, (x.s <@> y.s)::int AS distance FROM page x JOIN page y ON x.s <@> y.s <= 40 AND x.id < y.id;
SQL
    answer(sprintf <<"SQL", $shards[$i]->host, $shards[$i]->port);
CREATE SERVER shard$i FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%s', dbname 'postgres', extensions 'simhash');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard$i;
CREATE FOREIGN TABLE page_$i PARTITION OF page FOR VALUES WITH (MODULUS 2, REMAINDER $i) SERVER shard$i OPTIONS (table_name 'page');
CREATE FOREIGN TABLE batch_$i (id bigint, s bit(256)) SERVER shard$i OPTIONS (table_name 'batch');
CREATE FOREIGN TABLE found_$i (query bigint, id bigint, distance int) SERVER shard$i OPTIONS (table_name 'found');
CREATE FOREIGN TABLE pairs_$i (a bigint, b bigint, distance int) SERVER shard$i OPTIONS (table_name 'pairs');
SQL
}
answer(<<'SQL');
CREATE TABLE whole AS SELECT n AS id, body, to_minhash(body, 'word', 2, 256)::bit(256) AS s FROM (SELECT n,
    (SELECT string_agg('word' || CASE WHEN w % 20 = n % 7 THEN n ELSE n % 400 * 100 + w END, ' ' ORDER BY w) FROM generate_series(1, 60) w) AS body
    FROM generate_series(1, 1000) n) t;
CREATE INDEX whole_s ON whole USING simhash (s);
INSERT INTO page TABLE whole;
SQL
answer('VACUUM ANALYZE', $_) for @shards, $coordinator;

# The remote queries of a statement's plan.
sub remote { return answer("EXPLAIN (VERBOSE, COSTS OFF) $_[0]") =~ /Remote SQL: (.*)/g }
sub answers_equal
{
    my ($query, $name) = @_;
    my ($found, $expected) = map { answer($query =~ s/%s/$_/r) } 'page', 'whole';
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    isnt($found, '', "$name: there are rows");
    return is($found, $expected, $name);
}

my $q = "'" . answer('SELECT s FROM whole WHERE id = 77') . "'::bit(256)";
for my $condition ("s <@> $q <= 60", "s <@> $q BETWEEN 1 AND 60", "s <@| signature_ball($q, 60)", "minhash_at_least(s, $q, 0.6)", "s = $q")
{
    my ($name) = $condition =~ s/'[01]+'::bit\(256\)/q/r;
    my @remote = remote("SELECT id FROM page WHERE $condition");
    is(scalar(grep { /WHERE/ } @remote), 2, "$name: ships");
    like(answer("SET enable_seqscan = off; EXPLAIN $remote[0]", $shards[0]), qr/Index Scan (?:using|on) page_s\b/, "$name: the shard uses its index");
    answers_equal("SELECT id FROM %s WHERE $condition ORDER BY id", "$name: the same rows");
}
answers_equal("SELECT s <@> $q FROM %s ORDER BY s <@> $q LIMIT 10", 'the nearest');
answers_equal("SELECT minhash_similarity(s, $q)::numeric FROM %s ORDER BY minhash_similarity(s, $q) DESC NULLS LAST LIMIT 10", 'the most similar');
like((remote("SELECT id FROM page_0 ORDER BY s <@> $q LIMIT 10"))[0], qr/ORDER BY .*<@>.* LIMIT 10/, 'the limit ships');

# A batch, and all pairs: the rows of shard 0 are the batch of shard 1.
answer('CREATE TABLE asked AS SELECT id, flipped_signature(s, id, 20)::bit(256) AS s FROM whole WHERE id <= 100;
    INSERT INTO batch_0 TABLE asked; INSERT INTO batch_1 TABLE asked');
is(answer('SELECT query, id, distance FROM (TABLE found_0 UNION ALL TABLE found_1) f ORDER BY 1, 2'),
    answer('SELECT a.id, w.id, (w.s <@> a.s)::int FROM asked a JOIN whole w ON (w.s <@> a.s)::int <= 40 ORDER BY 1, 2'), 'a batch');
answer('DELETE FROM batch_0; DELETE FROM batch_1; INSERT INTO batch_1 SELECT id, s FROM page_0');
my $pairs = answer('SELECT a, b, distance FROM (TABLE pairs_0 UNION ALL TABLE pairs_1 UNION ALL SELECT least(query, id), greatest(query, id), distance FROM found_1) p ORDER BY 1, 2');
is($pairs, answer('SELECT x.id, y.id, (x.s <@> y.s)::int FROM whole x JOIN whole y ON x.id < y.id AND (x.s <@> y.s)::int <= 40 ORDER BY 1, 2'), 'all pairs by id');
cmp_ok(scalar(split /\n/, $pairs), '>', 50, 'there are pairs');
done_testing();
