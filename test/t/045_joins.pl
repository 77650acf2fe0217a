# Joins made at random, on distances between two tables: with a Simhash Join and without one the answers are the same.
# TEST_SECONDS sets how long (15 unless given), JOINS=20000 how many instead; SEED=… begins with a seed of its own.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use SimhashTest;

my $kQueries = 50; # of a session

my $node = start_node('main', settings => [ "shared_buffers = '64MB'", 'autovacuum = off', 'fsync = off',
        'max_worker_processes = 16', 'max_parallel_workers = 16' ]);
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash;
CREATE FUNCTION leaky(integer) RETURNS boolean LANGUAGE plpgsql COST 0.1 PARALLEL SAFE AS 'BEGIN RETURN $1 % 7 <> 3; END';
CREATE FUNCTION weights(h simhash) RETURNS simhash_weights LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ('[' || string_agg(CASE WHEN $1::bigint >> i & 1 = 1 THEN '' ELSE '-' END || (1 + i % 5), ',' ORDER BY i) || ']')::simhash_weights
    FROM generate_series(0, 63) AS i $$;
CREATE FUNCTION near(n bigint, most bigint) RETURNS simhash LANGUAGE sql AS $$
    SELECT CASE WHEN n % 13 = 0 THEN NULL
        WHEN n % 5 < 3 THEN (hashint8extended(n % 40, 3) # (CASE WHEN n % most > 0 THEN 1::bigint << (hashint8extended(n, 4) & 63)::int ELSE 0 END)
            # (CASE WHEN n % most > 1 THEN 1::bigint << (hashint8extended(n, 5) & 63)::int ELSE 0 END)
            # (CASE WHEN n % most > 2 THEN 31::bigint << (hashint8extended(n, 6) & 31)::int ELSE 0 END))::simhash
        ELSE hashint8extended(n, 7)::simhash END $$;
CREATE TABLE a AS SELECT i::int AS id, near(i, 4) AS h, 'l' || i % 3 AS lang, i % 9 - 1 AS r, (i * 7 % 100)::int AS n, NULL::simhash_weights AS w FROM generate_series(1, 700) AS i;
CREATE TABLE b AS SELECT i::int AS id, near(i * 3, 5) AS h, 'l' || i % 4 AS lang, i % 5 AS r, (i * 11 % 100)::int AS n, NULL::simhash_weights AS w FROM generate_series(1, 1500) AS i;
CREATE TABLE c AS SELECT i::int AS id, near(i * 7, 3) AS h, 'l' || i % 2 AS lang, i % 6 AS r, i::int AS n, NULL::simhash_weights AS w FROM generate_series(1, 100) AS i;
CREATE INDEX a_h ON a USING simhash (h) WITH (design_radius = 3);
CREATE INDEX b_h ON b USING simhash (h) WITH (design_radius = 5);
CREATE INDEX c_h ON c USING simhash (h) WHERE n > 20;
UPDATE a SET lang = lang || repeat('x', 20) WHERE id % 10 = 0;
UPDATE b SET lang = lang || repeat('x', 20) WHERE id % 15 = 0;
UPDATE b SET n = n + 1 WHERE id % 3 = 0;
UPDATE b SET h = near(id * 5, 4) WHERE id % 17 = 0;
DELETE FROM b WHERE id % 19 = 0;
ALTER TABLE b ADD COLUMN added integer DEFAULT 5, DROP COLUMN r;
ALTER TABLE b ADD COLUMN r integer;
UPDATE b SET r = id % 5 WHERE id % 2 = 0;
UPDATE a SET w = weights(h);
UPDATE b SET w = weights(h);
UPDATE c SET w = weights(h);
CREATE FUNCTION words(n bigint, changed int) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN n % 11 = 0 THEN NULL WHEN n % 17 = 0 THEN 'two words'
        ELSE (SELECT string_agg('w' || (hashint8extended(n % 60 * 100 + CASE i WHEN changed THEN 50 ELSE i END, 8) & 255), ' ' ORDER BY i) FROM generate_series(1, 24) AS i) END $$;
ALTER TABLE a ADD COLUMN body text;
ALTER TABLE b ADD COLUMN body text;
ALTER TABLE c ADD COLUMN body text;
UPDATE a SET body = words(id, id % 9);
UPDATE b SET body = words(id * 3, id % 40);
UPDATE c SET body = words(id * 7, 30);
ALTER TABLE a ADD COLUMN s bit(96);
ALTER TABLE b ADD COLUMN s bit(96);
ALTER TABLE c ADD COLUMN s bit(96);
CREATE FUNCTION signature(h simhash, n bigint) RETURNS bit LANGUAGE sql AS 'SELECT h::bigint::bit(64) || hashint8(n % 4)::bit(32)';
UPDATE a SET s = signature(h, id);
UPDATE b SET s = signature(h, id * 3);
UPDATE c SET s = signature(h, id * 7);
CREATE INDEX a_s ON a USING simhash (s);
CREATE INDEX b_s ON b USING simhash (s);
CREATE INDEX a_body ON a USING simhash (body);
CREATE INDEX b_body ON b USING simhash (body);
-- Of several columns; partitions with columns in another order and of two levels; parents and children.
CREATE TABLE several AS TABLE b;
CREATE INDEX several_body ON several USING simhash (lang simhash_equal_text_ops, body);
CREATE INDEX several_h ON several USING simhash (lang simhash_equal_text_ops, h);
CREATE TABLE parted (gone int, id int, h simhash, lang text, r int, n int, w simhash_weights, body text, s bit(96)) PARTITION BY RANGE (n);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (40);
CREATE TABLE parted_high (body text, n int, dropped int, w simhash_weights, r int, h simhash, gone int, lang text, s bit(96), id int);
ALTER TABLE parted_high DROP COLUMN dropped;
ALTER TABLE parted ATTACH PARTITION parted_high FOR VALUES FROM (40) TO (70);
CREATE TABLE parted_rest PARTITION OF parted DEFAULT PARTITION BY HASH (id);
CREATE TABLE parted_0 PARTITION OF parted_rest FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted_rest FOR VALUES WITH (MODULUS 2, REMAINDER 1);
ALTER TABLE parted DROP COLUMN gone;
INSERT INTO parted (id, h, lang, r, n, w, body, s) SELECT id, h, lang, r, n, w, body, s FROM b;
CREATE INDEX parted_h ON parted USING simhash (h);
CREATE INDEX parted_s ON parted USING simhash (s);
CREATE INDEX parted_body ON parted USING simhash (body);
CREATE TABLE family AS SELECT id, h, lang, r, n, w, body, s FROM b WHERE id % 3 > 0;
CREATE TABLE child (more int) INHERITS (family);
INSERT INTO child SELECT id, h, lang, r, n, w, body, s, 1 FROM b WHERE id % 3 = 0;
CREATE INDEX family_h ON family USING simhash (h);
CREATE INDEX child_h ON child USING simhash (h);
CREATE VIEW united AS SELECT id, h, lang, r, n, w, body, s FROM a UNION ALL SELECT id, h, lang, r, n, w, body, s FROM c;
CREATE TABLE secret AS TABLE b;
CREATE INDEX secret_h ON secret USING simhash (h);
CREATE INDEX secret_s ON secret USING simhash (s);
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY visible ON secret USING (n % 5 <> 2);
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM b WHERE leaky(n);
CREATE ROLE reader;
GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO reader;
ANALYZE;
SQL

sub pick { return $_[ int rand @_ ] }
sub chance { return rand() < $_[0] }

my %name; # of the tables of the query, by alias

sub near
{
    my ($x, $y) = @_;
    return pick("$x.body ~= $y.body", "$x.body <@| text_ball($y.body, " . pick(.7, .8, "least(1, .7 + $y.n / 300.0)") . ")") . (chance(0.4) ? " AND $x.lang = $y.lang" : '')
        if chance(0.1) && "$name{$x} $name{$y}" !~ /c|family|united|secret|several/;
    my $k = pick(0, 1, 2, 3, 3, 3, 5, 8, 12, -1);
    my $limit = chance(0.7) ? $k : pick("$x.r", "$y.r", "$x.r + 1", "($k + $x.n % 3)", 'NULL::int', "(SELECT $k)");
    my ($p, $q) = chance(0.5) ? ($x, $y) : ($y, $x);
    return pick("$p.s <@> $q.s <= $limit", "$p.s <@> $q.s < $limit", "$p.s <@| signature_ball($q.s, $limit)") if chance(0.15);
    return pick("$p.h <@> $q.h <= $limit", "$p.h <@> $q.h <= $limit", "$p.h <@> $q.h < $limit", "$limit >= $p.h <@> $q.h",
        "hamming_within($p.h, $q.h, $limit)", "$p.h <@| simhash_ball($q.h, $limit)", "$p.h ~= $q.h", "$p.h <@> $q.h = $limit",
        "$p.h <@> $q.w <= $limit", "$p.h <@| simhash_ball($q.h, $q.n % 5 - 1)", "$p.h ~= ANY (ARRAY[$q.h, ($q.h::bigint # 255)::simhash])", "$p.h <@> ($q.h::bigint # 1)::simhash <= $limit");
}

sub extra
{
    my ($x, $y) = @_;
    return pick("$x.lang = $y.lang", "$x.lang = $y.lang", "$y.lang = 'l' || $x.n % 3", "$y.lang = 'l2'", "$x.id < $y.id", "$y.n % 3 = 0", "$x.n < 50", "leaky($x.n + $y.n)", "$x.n + $y.n > 60", "$x.lang <> $y.lang",
        "leaky($y.n)", near($x, $y), "$y.n = (SELECT max(n) FROM c WHERE c.id = $x.n)", "$y.n IN (SELECT n FROM c)");
}

sub where
{
    my ($x, $y) = @_;
    return pick("$x.n < 80", "$x.lang = 'l1'", $y ? ("$y.id IS NULL", "$y.n > 10", "coalesce($y.n, 0) % 2 = 0", "$y.lang IS DISTINCT FROM $x.lang", "leaky($y.n)") : ());
}

sub conditions
{
    my ($x, $y) = @_;
    return join ' AND ', near($x, $y), map { extra($x, $y) } 1 .. pick(0, 0, 0, 1, 1, 2);
}

sub table { return pick(qw(a b b c barrier several parted parted family united secret)) }

sub query
{
    my ($first, $second) = (table(), table());
    $second = $first if chance(0.3);
    %name = (x => $first, y => $second, z => 'c');
    my $on = conditions('x', 'y');
    # No row is joined with itself, so one index may be read.
    $on .= ' AND ' . pick('x.id < y.id', 'y.id < x.id', 'x.id <> y.id', 'x.id IS DISTINCT FROM y.id', 'x.id + 1 > y.id + 1')
        if $first eq $second && chance(0.5);
    my $columns = pick('x.id, y.id AS other', 'x, y', 'x.id, y.lang, y.n, x.h', 'x.id, y.h <@> x.h AS d', 'y.*', 'x.id, y', 'x.n + y.n AS s, y.id');
    $columns = 'x.id, y.ctid, y.tableoid' if $second !~ /barrier|united/ && chance(0.1);
    my @where = map { where('x', 'y') } 1 .. pick(0, 0, 1);
    my $kind = pick(qw(inner inner inner inner left left right semi anti in three lateral nested correlated locked delete update));
    my $from;
    if ($kind eq 'semi' || $kind eq 'anti') {
        my $not = $kind eq 'anti' ? 'NOT ' : '';
        return "SELECT " . pick('x.id', 'x', 'x.lang, x.n') . " FROM $first x WHERE ${not}EXISTS (SELECT FROM $second y WHERE $on)" .
            join '', map { " AND " . where('x') } @where;
    }
    return "SELECT x.id FROM $first x WHERE x.id IN (SELECT y.n FROM $second y WHERE $on)" if $kind eq 'in';
    return "SELECT z.id, (SELECT count(*) FROM $first x " . pick('', 'LEFT ') . "JOIN $second y ON $on WHERE x.n = z.n) FROM c z WHERE z.id < 12"
        if $kind eq 'correlated';
    return "DELETE FROM $first x USING $second y WHERE $on RETURNING x.id" if $kind eq 'delete';
    return "UPDATE $first x SET n = x.n + 100 WHERE EXISTS (SELECT FROM $second y WHERE $on) RETURNING x.id, x.n" if $kind eq 'update';
    return "SELECT $columns FROM $first x JOIN $second y ON $on FOR UPDATE OF " . pick('x', 'y', 'x, y') if $kind eq 'locked';
    $from = "$first x JOIN $second y ON $on" if $kind eq 'inner';
    $from = "$first x LEFT JOIN $second y ON $on" if $kind eq 'left';
    $from = "$first x RIGHT JOIN $second y ON $on" if $kind eq 'right';
    $from = "$first x " . pick('', 'LEFT ') . "JOIN LATERAL (SELECT y.*, y.n + x.n AS both_n, 1 AS one FROM $second y WHERE $on) y ON true" if $kind eq 'lateral';
    $from = "$first x " . pick('', 'LEFT ') . "JOIN (SELECT y.*, coalesce(y.n, -1) AS shown FROM $second y WHERE y.n % 4 > 0) y ON $on" if $kind eq 'nested';
    if ($kind eq 'three') {
        $from = "$first x " . pick('', 'LEFT ') . "JOIN $second y ON $on " . pick('', 'LEFT ') . "JOIN " . table() . " z ON " .
            pick('z.id = x.n', 'z.id = y.n', near('z', 'y'), near('z', 'x'));
    }
    return "SELECT $columns FROM $from" . (@where ? " WHERE @where" : '');
}

# Returns what psql prints for the query as a sum, or the number of rows of its beginning.
sub summed
{
    my ($query, $limit) = @_;
    return "WITH t AS ($query) SELECT count(*), sum(hashtextextended(t::text, 0)::numeric) FROM t" if $query =~ /^(DELETE|UPDATE)/;
    return "SELECT count(*) FROM ($query LIMIT $limit) AS t" if $limit && $query !~ /FOR UPDATE/;
    return "SELECT count(*), sum(hashtextextended(t::text, 0)::numeric) FROM ($query) AS t";
}

my $seed = begin_random();
my $end = time + test_seconds(15);
my ($queries, $used, $pairs, $partitions, $wrong, $failed) = (0, 0, 0, 0, 0, 0);
while ($ENV{JOINS} ? $queries < $ENV{JOINS} : time < $end) {
    srand($seed);
    my (@query, @setting, $script);
    for my $number (0 .. $kQueries - 1) {
        push @query, my $query = query();
        my $summed = summed($query, chance(0.1) ? pick(1, 5, 40) : 0);
        my $workers = chance(0.25) ? 2 : 0;
        my $by_pairs = chance(0.5);
        my $memory = pick('64kB', '64kB', '4MB');
        my ($begin, $rollback) = $summed =~ /RETURNING/ ? ("BEGIN;\n", "ROLLBACK;\n") : ('', '');
        push @setting, "work_mem $memory, workers $workers";
        my $set = (chance(0.3) ? 'SET ROLE reader; ' : 'RESET ROLE; ') . "SET work_mem = '$memory'; SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;\n";
        $script .= $set;
        for my $on ('off', 'on') {
            # The node is not disabled, so it is taken wherever it is offered; without scans of the outer side, by pairs.
            my @disabled = (qw(nestloop hashjoin mergejoin), $by_pairs ? 'seqscan' : ());
            $script .= "SET simhash.enable_join = $on;\nSET enable_seqscan = on;\n" .
                join '', map { "SET enable_$_ = " . ($on eq 'on' ? 'off' : 'on') . ";\n" } @disabled;
            $script .= "\\echo \@$on $number\n$begin$summed;\n\\if :ERROR\n\\echo error :SQLSTATE :LAST_ERROR_MESSAGE\n\\endif\n$rollback";
        }
        $script .= "\\echo \@plan $number\nEXPLAIN (COSTS OFF) $summed;\n";
    }
    my ($status, $out, $error) = $node->psql('postgres', "$script\\echo \@end\n", on_error_stop => 0, timeout => 600);
    my (%answer, $key);
    for (split /\n/, $out) {
        if (/^\@(.*)/) { $key = $1; $answer{$key} = ''; }
        else { $answer{$key} .= "$_\n"; }
    }
    ok(exists $answer{end}, "seed $seed: the session ended");
    for my $number (0 .. $kQueries - 1) {
        my ($off, $on, $plan) = map { $answer{"$_ $number"} // 'none' } qw(off on plan);
        $queries++;
        $used++ if $plan =~ /Simhash Join/;
        $pairs++ if $plan =~ /Pairs of/;
        $partitions++ if $plan =~ /Partitions:/;
        $failed++ if $off =~ /^error/;
        next if $off eq $on;
        $wrong++;
        diag("seed $seed, query $number ($setting[$number]): $query[$number]\nwithout: ${off}with: $on$plan") if $wrong <= 5;
    }
    $seed++;
}
is($wrong, 0, "$queries joins, $used by the node, $pairs of them by pairs, $partitions of partitions, $failed with errors");
cmp_ok($used, '>', $queries / 8, 'the node is used');
ok($partitions > 0 || $queries < 500, 'and by pairs, also of partitions');
cmp_ok($failed, '<', $queries / 10, 'most queries succeed');
done_testing();
