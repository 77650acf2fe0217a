# The recipes of doc/scale.md and doc/shards.sql on three servers and a coordinator with postgres_fdw: what ships, the
# answers, inserts, updates and deletes, all pairs, and shards that fail.
use strict;
use warnings;
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use SimhashTest;

my @settings = ('max_parallel_workers_per_gather = 0', 'autovacuum = off', 'fsync = off');
my %node = map { $_ => start_node($_, streaming => $_ eq 'shard0', settings => \@settings) } qw(shard0 shard1 shard2 coordinator);
my $coordinator = $node{coordinator};
my @shards = @node{qw(shard0 shard1 shard2)};
plan skip_all => 'needs the extension postgres_fdw'
  if $coordinator->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
my $version = $coordinator->safe_psql('postgres', 'SHOW server_version_num');

# -- the recipes of the document ------------------------------------------------------------------------------

my $document = join '', map { slurp_file(dirname(dirname($FindBin::RealBin)) . "/doc/$_") } 'scale.md', 'shards.sql';

# The blocks with a mark: "node: shard" or "recipe: pairs". Those of the script end with an empty line. A mark that ends
# with ", each" is for each shard. Hosts become those of our nodes.
sub recipe
{
    my ($mark) = @_;
    my $text = '';
    while ($document =~ /^(?|<!-- \Q$mark\E(, each)? -->\n```text\n(.*?)^```$|-- \Q$mark\E(, each)?\n(.*?)(?:^\n|\z))/msg) {
        my ($each, $block) = ($1, $2);
        $text .= $block =~ s/shard0|_0\b|REMAINDER 0/$& =~ s{0}{$_}r/egr for $each ? (0 .. 2) : 0;
    }
    $text ne '' or die "no recipe is marked $mark";
    $text =~ s/host '([\w,]+)', ((?:SET )?)port '[\d,]+'/
        my @hosts = map { $node{$_} } split m{,}, $1;
        sprintf "host '%s', $2port '%s'", join(',', map { $_->host } @hosts), join(',', map { $_->port } @hosts)/eg;
    $text =~ s/, (?:async_capable|batch_size) '\w+'//g if $version < 140000;
    $text =~ s/^TRUNCATE (.*);$/join ' ', map { "DELETE FROM $_;" } split m{, }, $1/meg if $version < 140000;
    return $text;
}

# Runs a statement on the coordinator, or on another node.
sub answer { return ($_[1] // $coordinator)->safe_psql('postgres', $_[0]) }

prepare_database($coordinator);
for my $shard (@shards) {
    answer(recipe('node: every') . recipe('node: shard'), $shard);
    # An index on an expression, too.
    answer('ALTER TABLE page ADD phash bigint; CREATE INDEX page_phash ON page USING simhash ((phash::simhash))', $shard);
}
answer(recipe('node: coordinator') . 'ALTER TABLE page ADD phash bigint');

# whole has the same rows on the coordinator.
answer(<<'SQL');
CREATE TABLE whole (id bigint PRIMARY KEY, body text, h simhash, phash bigint);
INSERT INTO whole SELECT n, 'text ' || n, h, h::bigint FROM (SELECT n,
    CASE WHEN n % 100 = 0 THEN NULL ELSE flipped(fingerprint(n % 4000), n, (n % 8)::int) END AS h FROM generate_series(1, 6000) AS n) AS rows;
CREATE INDEX whole_h ON whole USING simhash (h);
INSERT INTO page SELECT * FROM whole WHERE id % 2 = 0;
SQL
my $copied = answer('COPY (SELECT * FROM whole WHERE id % 2 = 1) TO STDOUT');
answer("COPY page FROM STDIN;\n$copied\n\\.\n");
answer('VACUUM ANALYZE', $_) for @shards, $coordinator;
answer('ANALYZE page');

# -- comparisons ----------------------------------------------------------------------------------------------

# The remote queries of a statement's plan.
sub remote { return answer("EXPLAIN (VERBOSE, COSTS OFF) $_[0]", $_[1]) =~ /Remote SQL: (.*)/g }

# One test: a query of table %s has the same answer on the shards as on the coordinator.
sub answers_equal
{
    my ($query, $name, $settings) = @_;
    my ($found, $expected) = map { answer(($settings // '') . sprintf($query =~ s/%(?!s)/%%/gr, $_)) } 'page', 'whole';
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($found, $expected, $name);
}

# One test: the shards hold the rows of the coordinator, and their indexes are sound.
sub shards_agree
{
    my ($name) = @_;
    my @wrong;
    for my $shard (@shards) {
        for my $index ('page_h', 'page_phash') {
            my ($status, undef, $error) = $shard->psql('postgres', "SELECT simhash_index_check('$index', true)");
            push @wrong, $shard->name . ": $error" if $status != 0;
        }
    }
    push @wrong, 'rows differ: ' . answer('SELECT count(*) FROM ((TABLE whole EXCEPT ALL TABLE page) UNION ALL (TABLE page EXCEPT ALL TABLE whole)) d');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is(join("\n", @wrong), 'rows differ: 0', $name);
}

shards_agree('the rows are on the shards');
cmp_ok(answer('SELECT count(*) FROM page', $_), '>', 1500, $_->name . ' has a share of them') for @shards;

# -- what ships -----------------------------------------------------------------------------------------------

my $q = "'" . answer('SELECT h FROM whole WHERE id = 77') . "'";
my $w = "to_simhash_weights('some text')";
my @forms = (
    [ "h <@> $q <= 5", qr/WHERE \(public\.hamming_within\(h, '\w{16}'::public\.simhash, 5::bigint\)\)$/, 'page_h' ],
    [ "h <@> $q < 6", qr/WHERE \(public\.hamming_within\(h, '\w{16}'::public\.simhash, 5::bigint\)\)$/, 'page_h' ],
    [ "h <@> $q BETWEEN 1 AND 6", qr/NOT public\.hamming_within\(h, .*, 0::bigint.*public\.hamming_within\(h, .*, 6::bigint/, 'page_h' ],
    [ "h <@> $q = 2", qr/public\.simhash_internal_at\(h, .*, 2::bigint\)/, 'page_h' ],
    [ "phash::simhash <@> $q <= 5", qr/public\.hamming_within\(.*phash.*::public\.simhash.*, 5::bigint\)/, 'page_phash' ],
    [ "h ~= $q", qr/h OPERATOR\(public\.~=\)/, 'page_h' ],
    [ "h <@| simhash_ball($q, 5)", qr/h OPERATOR\(public\.<@\|\) '<\w{16},5>'::public\.simhash_ball/, 'page_h' ],
    [ "h <@| simhash_ball($w, 12)", qr/h OPERATOR\(public\.<@\|\) '<\[[-\d,]+\],12,1,0>'::public\.simhash_ball/, 'page_h' ],
    [ "h = $q", qr/h = '/, 'page_h' ],
    [ "NOT (h IS DISTINCT FROM $q)", qr/h IS DISTINCT FROM/, undef ],
    [ 'h IS NULL', qr/h IS NULL/, 'page_h' ],
    [ "h <@> $w <= 12", qr/hamming_within\(h, '\[[-\d,]+\]'::public\.simhash_weights, 12::bigint\)/, 'page_h' ],
    [ "h <@> $q <= 8 AND id % 3 = 0", qr/hamming_within.*id % 3/, 'page_h' ]);
for my $form (@forms) {
    my ($condition, $ships, $index) = @$form;
    my @remote = remote("SELECT id FROM page WHERE $condition");
    is(scalar(@remote), 3, "$condition: on three shards");
    like($_, $ships, "$condition: ships") for @remote[0, 1, 2];
    like(answer("SET enable_seqscan = off; EXPLAIN $remote[0]", $shards[0]), qr/Index Scan (?:using|on) $index\b/,
        "$condition: the shard uses its index") if $index;
    answers_equal("SELECT id FROM %s WHERE $condition ORDER BY id", "$condition: the same rows");
    answers_equal("SELECT h <@> $q, count(*) FROM %s WHERE $condition GROUP BY 1 ORDER BY 1", "$condition: the same counts");
}
for my $distance (0, 3, 6) {
    answers_equal("PREPARE s (simhash) AS SELECT id FROM %s WHERE h <@> \$1 <= $distance ORDER BY id;" .
        join('', map { "EXECUTE s (fingerprint($_));" } 1 .. 50), "generic plans within $distance", 'SET plan_cache_mode = force_generic_plan;');
}
my @generic = answer("SET plan_cache_mode = force_generic_plan; PREPARE s (simhash, bigint) AS SELECT id FROM page WHERE h <@> \$1 <= \$2;
    EXPLAIN (VERBOSE, COSTS OFF) EXECUTE s ($q, 3)") =~ /Remote SQL: (.*)/g;
is(scalar(grep { /hamming_within\(h, \$1::public\.simhash, \$2::bigint\)/ } @generic), 3, 'a generic plan ships with parameters');

# A recall goes with the ball. The weights are those of row 77, all alike.
my $alike = "'" . answer("SELECT '[' || string_agg(((h::bigint >> j & 1) * 2 - 1)::text, ',' ORDER BY j) || ']' FROM whole, generate_series(0, 63) j WHERE id = 77") . "'::simhash_weights";
is(answer("SELECT $alike\::simhash"), $q =~ s/'//gr, 'weights of a row');
my $guided = "h <@| simhash_ball($alike, 8, 0.9)";
like($_, qr/<@\|\) '<\[[-\d,]+\],8,0\.9,0>'::public\.simhash_ball/, 'a recall ships') for remote("SELECT id FROM page WHERE $guided");
is(answer("SELECT count(*) > 0 AND bool_and((h <@> $q)::int <= 8) FROM page WHERE $guided"), 't', 'rows of the ball are found');

# Arrays ship if their type is a member of the extension.
my $array = "h = ANY (ARRAY[$q, '0123456789abcdef']::simhash[])";
answers_equal("SELECT id FROM %s WHERE $array ORDER BY id", 'an array of fingerprints');
answer('ALTER EXTENSION simhash ADD TYPE simhash[]') if $version < 170000;
like($_, qr/h = ANY/, 'an array ships') for remote("SELECT id FROM page WHERE $array");
answers_equal("SELECT id FROM %s WHERE $array ORDER BY id", 'the array on the shards');

# Without the server option nothing ships, and the answers are the same.
answer("ALTER SERVER shard$_ OPTIONS (DROP extensions)") for 0 .. 2;
unlike($_, qr/WHERE/, 'without the option nothing ships') for (remote("SELECT id FROM page WHERE h <@> $q <= 5"))[0, 1, 2];
answers_equal("SELECT id FROM %s WHERE h <@> $q <= 5 ORDER BY id", 'the same rows without the option');
answer("ALTER SERVER shard$_ OPTIONS (ADD extensions 'simhash')") for 0 .. 2;

# The setting of the server option, not of the shard.
answer('ALTER SYSTEM SET jit = on', $_), $_->reload for @shards;
answer("CREATE FOREIGN TABLE shard_setting (name text, setting text) SERVER shard0 OPTIONS (schema_name 'pg_catalog', table_name 'pg_settings')");
is(answer("SELECT setting FROM shard_setting WHERE name = 'jit'"), 'off', 'a setting comes with the connection');

# -- nearest neighbors ---------------------------------------------------------------------------------------

my $nearest = recipe('recipe: nearest');
like((remote('SELECT id FROM page_0 ORDER BY h <@> ' . $q . ' LIMIT 10'))[0], qr/ORDER BY .*<@>.* LIMIT 10/, 'one table: the limit ships');
my @remote = remote("SELECT id FROM page ORDER BY h <@> $q LIMIT 10");
is(scalar(grep { /ORDER BY \(h OPERATOR\(public\.<@>\)/ && !/LIMIT/ } @remote), 3, 'partitions: the order ships without the limit');
is(scalar(grep { /ORDER BY .*<@>.* LIMIT 10/ } remote($nearest =~ s/\$1/$q/gr)), 3, 'the recipe ships both');
SKIP: {
    skip 'asynchronous scans in subqueries came with PostgreSQL 15', 1 if $version < 150000;
    is(scalar(() = answer('EXPLAIN (COSTS OFF) ' . $nearest =~ s/\$1/$q/gr) =~ /Async Foreign Scan/g), 3, 'the shards search at the same time');
}
answers_equal("SELECT h <@> $_ FROM %s ORDER BY h <@> $_ LIMIT 10", "the nearest of $_") for $q, $w, "'0123456789abcdef'";
for my $id (1, 77, 4711) {
    my $stored = "'" . answer("SELECT h FROM whole WHERE id = $id") . "'";
    is(answer('SELECT distance FROM (' . ($nearest =~ s/\$1/$stored/gr =~ s/;\s*$//r) . ') AS n ORDER BY 1'),
        answer("SELECT h <@> $stored FROM whole ORDER BY h <@> $stored LIMIT 10"), "the recipe finds the nearest of row $id");
}
# The rows that each shard sends.
answer("ALTER SERVER shard0 OPTIONS (ADD fetch_size '7', SET options '-c jit=off -c log_statement=all')");
answer("SELECT id FROM page ORDER BY h <@> $q LIMIT 5");
like(slurp_file($shards[0]->logfile), qr/FETCH 7 FROM/, 'rows are fetched as fetch_size says');
answer("ALTER SERVER shard0 OPTIONS (DROP fetch_size, SET options '-c jit=off')");

# -- joins and batches ----------------------------------------------------------------------------------------

answer('CREATE TABLE asked AS SELECT n AS id, flipped(fingerprint(n * 7), n, (n % 5)::int) AS h FROM generate_series(1, 300) AS n; ANALYZE asked');
my $join = 'SELECT a.id, p.id FROM asked a JOIN %s p ON p.h <@> a.h <= 3';
answers_equal("$join ORDER BY 1, 2", 'a join with a local table');
answers_equal('SELECT id FROM %s p WHERE EXISTS (SELECT FROM asked a WHERE p.h <@> a.h <= 3) ORDER BY id', 'EXISTS');
answer("ALTER SERVER shard$_ OPTIONS (ADD use_remote_estimate 'true')") for 0 .. 2;
is(scalar(grep { /hamming_within\(h, \$1/ } remote(sprintf "$join WHERE a.id = 5", 'page')), 3,
    'with remote estimates the shards are searched for each row');
answers_equal("$join ORDER BY 1, 2", 'the join with remote estimates');
answers_equal("SELECT h <@> $q FROM %s ORDER BY h <@> $q LIMIT 10", 'the nearest with remote estimates');
answer("ALTER SERVER shard$_ OPTIONS (DROP use_remote_estimate)") for 0 .. 2;

answer(recipe('recipe: batch'));
answer('ANALYZE batch', $_) for @shards;
answer(recipe('recipe: batch view'));
my $batch_match = 'SELECT query, id FROM found';
is(answer("SELECT * FROM ($batch_match) AS j ORDER BY 1, 2"), answer(sprintf "$join ORDER BY 1, 2", 'whole'), 'each shard finds what a join finds');

# -- changes --------------------------------------------------------------------------------------------------

# Each is made on both.
sub change
{
    my ($name, $statement) = @_;
    answer(sprintf $statement =~ s/%(?!s)/%%/gr, $_) for 'page', 'whole';
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    shards_agree($name);
    return answers_equal('SELECT q.id, p.id FROM query q JOIN %s p ON p.h <@> q.h <= 4 ORDER BY 1, 2', "$name: the same answers");
}
change('INSERT', "INSERT INTO %s SELECT n, 'new', h, h::bigint FROM (SELECT n, flipped(fingerprint(n % 300), n, 2) AS h FROM generate_series(7001, 7600) AS n) AS rows");
change('a row', "INSERT INTO %s VALUES (8000, 'one', '0123456789abcdef', x'0123456789abcdef'::bit(64)::bigint)");
change('UPDATE of some', 'UPDATE %s SET h = flipped(h, id, 1), phash = flipped(h, id, 1)::bigint WHERE id % 7 = 0');
change('UPDATE by distance', "UPDATE %s SET body = 'near', h = $q, phash = $q\::simhash::bigint WHERE h <@> $q <= 4");
change('DELETE by distance', "DELETE FROM %s WHERE h <@> fingerprint(11) <= 8");
change('DELETE of some', 'DELETE FROM %s WHERE id % 5 = 0');
like((remote("DELETE FROM page WHERE h <@> $q <= 3"))[0], qr/^DELETE FROM public\.page WHERE .*hamming_within/, 'DELETE by distance ships');
answer('VACUUM page', $_) for @shards;
shards_agree('VACUUM on the shards');

answer('CREATE TABLE kept (id bigint, h simhash, EXCLUDE USING simhash (h WITH ~=))', $shards[1]);
answer("CREATE FOREIGN TABLE kept (id bigint, h simhash) SERVER shard1 OPTIONS (table_name 'kept')");
is(answer("INSERT INTO kept SELECT n, flipped('0123456789abcdef', n, (n % 2)::int) FROM generate_series(1, 9) AS n ON CONFLICT DO NOTHING; SELECT id FROM kept"),
    '1', "ON CONFLICT DO NOTHING by the shard's constraint");
my ($status, undef, $error) = $coordinator->psql('postgres', "INSERT INTO kept VALUES (0, '0123456789abcdef')");
like($error, qr/conflicting key value violates exclusion constraint/, 'the constraint is that of the shard');

# -- all pairs ------------------------------------------------------------------------------------------------

answer(recipe('recipe: routed'));
answer('VACUUM ANALYZE page', $_) for @shards;
my $expected = 'SELECT x.id AS a, y.id AS b, (x.h <@> y.h)::int AS distance FROM whole x JOIN whole y ON x.h <@> y.h <= 3 AND x.id < y.id';
my $all = answer("SELECT * FROM ($expected) AS p ORDER BY a, b");
cmp_ok(scalar(split /\n/, $all), '>', 500, 'there are pairs');

# The statement of a recipe.
sub query { return $_[0] eq 'pairs' ? 'SELECT a, b, distance FROM routed_pairs' : recipe("recipe: $_[0]") =~ s/;\s*$//r }
sub groups_of { return "SELECT g.* FROM (SELECT array_agg(a) AS a, array_agg(b) AS b FROM ($_[0]) AS p) AS p, simhash_pair_groups(p.a, p.b) AS g ORDER BY 1" }
sub pairs_are_all
{
    my ($recipe, $name) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(answer('SELECT * FROM (' . query($recipe) . ') AS p ORDER BY a, b'), $all, "$name: all pairs");
    return is(answer(groups_of(query($recipe))), answer(groups_of($expected)), "$name: groups");
}
answer(recipe('recipe: pairs by id'));
pairs_are_all('all pairs by id', 'by id');

# A shard is lost while rows are routed: those of other shards may be kept. Then routing is repeated, and once more.
$shards[1]->stop('immediate');
my ($code, undef, $refusal) = $coordinator->psql('postgres', recipe('recipe: route'));
like($refusal, qr/ERROR:  could not connect to server "shard1"/, 'routing without a shard');
$shards[1]->start;
answer(recipe('recipe: route') =~ s/FROM page/FROM (SELECT * FROM page WHERE id % 2 = 0) AS page/r);
answer(recipe('recipe: route')) for 1, 2;
is(answer('SELECT count(*) FROM routed'), answer('SELECT 4 * count(h) FROM whole'), 'routing is safe to repeat');
pairs_are_all('pairs', 'by block');
is(answer("SELECT * FROM simhash_block_pairs('SELECT id, h, block FROM routed', 3) ORDER BY a, b"), $all, 'the coordinator compares the rows of foreign tables');
SKIP: {
    skip 'asynchronous scans came with PostgreSQL 14', 1 if $version < 140000;
    is(scalar(() = answer('EXPLAIN (COSTS OFF) ' . query('pairs')) =~ /Async Foreign Scan/g), 3, 'the shards work at the same time');
}

# Whatever fails on one shard, the pairs of the others are collected; a second run collects the rest.
answer(recipe('recipe: parts'));
my $parts = recipe('recipe: part by part');
my $collected = 'SELECT a, b, distance FROM pair ORDER BY a, b';
$shards[1]->stop('immediate');
($code, undef, $refusal) = $coordinator->psql('postgres', $parts, on_error_stop => 0);
like($refusal, qr/ERROR:  could not connect to server "shard1"/, 'the part of a lost shard');
cmp_ok(answer('SELECT count(*) FROM pair'), '>', 0, 'the pairs of others are kept');
cmp_ok(answer('SELECT count(*) FROM pair'), '<', scalar(split /\n/, $all), 'which are not all');
$shards[1]->start;
answer($parts);
is(answer($collected), $all, 'the second run collects the rest');

# Two runs at the same time, one of which is cancelled.
answer(<<'SQL');
CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF current_setting('application_name') = 'napper' THEN PERFORM pg_sleep(600); END IF; RETURN NULL; END $$;
CREATE TRIGGER nap AFTER INSERT ON pair EXECUTE FUNCTION nap();
TRUNCATE pair;
SQL
my $file = $coordinator->basedir . '/parts.sql';
append_to_file($file, "SET application_name = napper;\n$parts");
my $run = IPC::Run::start([ 'psql', '-XAtq', '-f', $file, '-d', $coordinator->connstr('postgres') ], '>', \my $output, '2>', \$refusal,
    IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default));
$coordinator->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
my $other = IPC::Run::start([ 'psql', '-XAtq', '-c', $parts, '-d', $coordinator->connstr('postgres') ], '>', \my $nothing, '2>', \my $errors,
    IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default));
$coordinator->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
answer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
$run->finish;
$other->finish;
is($errors, '', 'the other run waits for the keys and goes on');
is(answer($collected), $all, 'each pair once');
answer('DROP TRIGGER nap ON pair');

# Searches in the routed table, each planned with its fingerprint.
is(answer(<<'SQL'), "0\nt", 'searches by block');
CREATE TABLE searched (q simhash, distance int, id bigint);
DO $$
DECLARE q simhash;
BEGIN
    FOR q IN SELECT h FROM query LOOP
        EXECUTE format('INSERT INTO searched SELECT %1$L, d, id FROM routed, unnest(ARRAY[0, 2, 3]) d
            WHERE block = ANY (simhash_blocks(%1$L, 3)) AND simhash_first_block(h, %1$L, 3) = block AND h <@> %1$L::simhash <= d', q);
    END LOOP;
END $$;
WITH expected AS MATERIALIZED (SELECT q.h, d, w.id FROM query q, whole w, unnest(ARRAY[0, 2, 3]) d WHERE (w.h <@> q.h)::int <= d)
SELECT count(*) FROM ((TABLE expected EXCEPT ALL TABLE searched) UNION ALL (TABLE searched EXCEPT ALL TABLE expected)) d;
SELECT count(*) > 20 FROM searched;
SQL
is(scalar(remote("SELECT id FROM routed WHERE block = ANY ((simhash_blocks($q, 3))[1:1])")), 1, 'one block is on one shard');

# -- a shard that is down -------------------------------------------------------------------------------------

# The answer and the error of a statement that may fail.
sub attempt
{
    my ($query) = @_;
    my ($result, $out, $err) = $coordinator->psql('postgres', "\\set VERBOSITY verbose\n$query");
    return ($out, $err);
}
my @place = map { answer("SELECT min(id) FROM page_$_") } 0 .. 2;
$shards[1]->stop('immediate');
for my $query ("SELECT id FROM page WHERE h <@> $q <= 20", 'SELECT count(*) FROM page', $nearest =~ s/\$1/$q/gr, "SELECT id FROM page WHERE id = $place[1]") {
    my ($out, $err) = attempt($query);
    is($out, '', 'no rows without the shard');
    like($err, qr/ERROR:  08001: could not connect to server "shard1"/, "an error: $query");
}
is(answer("SELECT id FROM page WHERE id = $place[0] AND h <@> h <= 0"), $place[0], 'other shards answer');
$shards[1]->start;
shards_agree('after recovery');
answers_equal("SELECT id FROM %s WHERE h <@> $q <= 20 ORDER BY id", 'and the same answers');

# -- a shard that is frozen -----------------------------------------------------------------------------------

my $postmaster = (split /\n/, slurp_file($shards[2]->data_dir . '/postmaster.pid'))[0];
kill 'STOP', $postmaster;
# Since 16 postgres_fdw waits for a connection without a limit of its own.
my $limited = $version >= 160000;
my ($frozen_rows, $frozen) = attempt(($limited ? "SET statement_timeout = '3s';" : '') . " SELECT id FROM page WHERE h <@> $q <= 20");
kill 'CONT', $postmaster;
is($frozen_rows, '', 'no rows without the frozen shard');
like($frozen, $limited ? qr/ERROR:  57014: canceling statement due to statement timeout/
    : qr/ERROR:  08001: could not connect to server "shard2"\s+DETAIL:.*(?:timeout|timed out)/s, 'an error in seconds');
answers_equal("SELECT id FROM %s WHERE h <@> $q <= 20 ORDER BY id", 'the shard goes on');

# -- promotion of a standby in mid-query ----------------------------------------------------------------------

$shards[0]->backup('base');
$node{standby0} = PostgreSQL::Test::Cluster->new('standby0');
$node{standby0}->init_from_backup($shards[0], 'base', has_streaming => 1);
$node{standby0}->start;
answer(recipe('recipe: standby'));
change('INSERT with a standby', "INSERT INTO %s SELECT n, 'late', h, h::bigint FROM (SELECT n, flipped(fingerprint(n % 300), n, 1) AS h FROM generate_series(9001, 9200) AS n) AS rows");
$shards[0]->wait_for_catchup('standby0');

my ($in, $out, $err) = ('', '', '');
my $session = IPC::Run::start([ 'psql', '-XAtq', '-d', $coordinator->connstr('postgres') ], '<', \$in, '>', \$out, '2>', \$err,
    my $timer = IPC::Run::timer($PostgreSQL::Test::Utils::timeout_default));
# Sends a command and returns what it printed.
sub say_to_session
{
    ($out, $err) = ('', '');
    $in .= "$_[0]\n\\echo done\n\\warn done\n";
    $session->pump until ($out =~ /done\n/ && $err =~ /done\n/) || $timer->is_expired;
    return ($out =~ s/done\n//r, $err =~ s/done\n//r);
}
my ($rows) = say_to_session('BEGIN; DECLARE c CURSOR FOR SELECT id FROM page_0 WHERE h <@> ' . $q . ' <= 64; FETCH 10 FROM c;');
is(scalar(split /\n/, $rows), 10, 'rows of the primary');
$shards[0]->stop('immediate');
$node{standby0}->promote;
my ($more, $failure) = say_to_session('FETCH ALL FROM c;');
unlike($failure, qr/^$/, 'the query fails');
cmp_ok(scalar(split /\n/, $more), '<', 100, 'and returns no more than it had fetched');
note($failure);
my ($again) = say_to_session("ROLLBACK; SELECT count(*) FROM page WHERE h <@> $q <= 64;");
is($again, answer("SELECT count(*) FROM whole WHERE (h <@> $q)::int <= 64") . "\n", 'the session goes on with the promoted server');
$in .= "\\q\n";
$session->finish;
@shards = @node{qw(standby0 shard1 shard2)};
shards_agree('after the promotion');
change('UPDATE after the promotion', 'UPDATE %s SET h = flipped(h, id, 2), phash = flipped(h, id, 2)::bigint WHERE id % 11 = 0');
change('DELETE after the promotion', 'DELETE FROM %s WHERE id % 13 = 0');

# -- a partition that moves -----------------------------------------------------------------------------------

answer(recipe('node: target'), $shards[1]);
answer(recipe('recipe: move'));
answer(recipe('node: target after'), $shards[1]);
is(scalar($shards[1]->psql('postgres', "SELECT simhash_index_check('page_2_h', true)")), 0, 'the moved index is sound');
change('UPDATE after the move', 'UPDATE %s SET h = flipped(h, id, 1), phash = flipped(h, id, 1)::bigint WHERE id % 17 = 0');
cmp_ok(answer('SELECT count(*) FROM page_2', $shards[1]), '>', 500, 'the rows are on the other server');
$shards[2]->stop('immediate');
answers_equal("SELECT id FROM %s WHERE h <@> $q <= 20 ORDER BY id", 'the old server is not needed');
done_testing();
