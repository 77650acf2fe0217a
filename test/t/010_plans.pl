# The plans that the planner chooses with default costs. Each case has a clear winner: with everything in memory the
# rejected plans take at least twice as long (bench/plans/choices.sh). For few rows the plain index scan is required
# although a bitmap takes only a little longer: it is chosen by construction.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('primary',
    settings => [ "shared_buffers = '256MB'", "maintenance_work_mem = '256MB'", 'max_parallel_workers_per_gather = 0',
        'max_parallel_maintenance_workers = 0', 'autovacuum = off', 'fsync = off' ]);
prepare_database($node, queries => 1);

# spread_n: n rows, uniform; asked: 1,000 of them; cluster: half of the rows within 6 of one fingerprint; equal: each
# fingerprint a hundred times; common: one row in twenty has the same fingerprint; tenants: wide rows, a quarter of them near
# one fingerprint, and 400 to a tenant.
my $center = '5555aaaa3333cccc';
$node->safe_psql('postgres', <<"SQL");
CREATE TABLE spread_1000000 AS SELECT n AS id, fingerprint(n) AS h, n * 7919::bigint % 1000 AS label
    FROM generate_series(1, 1000000) AS n;
CREATE TABLE spread_100000 AS SELECT * FROM spread_1000000 LIMIT 100000;
CREATE TABLE spread_10000 AS SELECT * FROM spread_1000000 LIMIT 10000;
CREATE TABLE spread_1000 AS SELECT * FROM spread_1000000 LIMIT 1000;
CREATE TABLE asked AS SELECT * FROM spread_1000000 WHERE id % 1000 = 0;
CREATE TABLE asked_unindexed AS TABLE asked;
CREATE TABLE unindexed AS SELECT * FROM spread_100000;
CREATE TABLE cluster AS SELECT id, CASE WHEN id % 2 = 0 THEN h ELSE ('$center'::simhash::bigint #
    (1::bigint << (h::bigint & 63)::int) # (1::bigint << (h::bigint >> 6 & 63)::int) #
    (1::bigint << (h::bigint >> 12 & 63)::int) # (1::bigint << (h::bigint >> 18 & 63)::int))::simhash END AS h
    FROM spread_1000000 WHERE id <= 400000;
CREATE TABLE equal AS SELECT id, fingerprint(id % 4000) AS h FROM spread_1000000 WHERE id <= 400000;
CREATE TABLE common AS SELECT id, CASE WHEN id % 20 = 0 THEN '$center'::simhash ELSE h END AS h FROM spread_100000;
CREATE INDEX spread_1000000_h ON spread_1000000 USING simhash (h);
CREATE INDEX spread_1000000_label ON spread_1000000 (label);
CREATE INDEX spread_1000000_id ON spread_1000000 (id);
CREATE TABLE tenants AS SELECT id, (id * 7919::bigint % 750)::int AS tenant, repeat('x', 80) AS body,
    CASE WHEN id % 4 = 1 THEN ('$center'::simhash::bigint # (1::bigint << (h::bigint & 63)::int) #
        (1::bigint << (h::bigint >> 6 & 63)::int) # (1::bigint << (h::bigint >> 12 & 63)::int))::simhash ELSE h END AS h
    FROM spread_1000000 WHERE id <= 300000;
CREATE INDEX tenants_h ON tenants USING simhash (h);
CREATE INDEX tenants_tenant ON tenants (tenant);
CREATE INDEX tenants_some ON tenants USING simhash (h) WHERE id % 100 = 0;
CREATE INDEX spread_100000_h ON spread_100000 USING simhash (h);
CREATE INDEX spread_10000_h ON spread_10000 USING simhash (h);
CREATE INDEX spread_1000_h ON spread_1000 USING simhash (h);
CREATE INDEX asked_h ON asked USING simhash (h);
CREATE INDEX cluster_h ON cluster USING simhash (h);
CREATE INDEX equal_h ON equal USING simhash (h);
CREATE INDEX common_h ON common USING simhash (h);
SQL
$node->safe_psql('postgres', 'VACUUM ANALYZE');
my $stored = $node->safe_psql('postgres', 'SELECT fingerprint(4711)');

# A plan in one line: Nested Loop (Seq Scan asked, Index Scan spread_h).
sub describe
{
    my ($plan) = @_;
    my $text = $plan->{'Node Type'};
    my @below = map { describe($_) } @{ $plan->{Plans} // [] };
    unshift @below, $plan->{'Index Name'} // ($text eq 'Seq Scan' ? $plan->{'Relation Name'} : ());
    $text .= ' by distance' if $plan->{'Order By'};
    return @below ? "$text (" . join(', ', @below) . ')' : $text;
}

# The plan of a query must match.
sub plan_is
{
    my ($query, $expected, %options) = @_;
    my $settings = join '', map { "SET $_;" } @{ $options{settings} // [] };
    my $plan = decode_json($node->safe_psql('postgres', "$settings EXPLAIN (FORMAT JSON) $query"))->[0]{Plan};
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $query =~ s/\s+/ /g;
    return like(describe($plan), $expected, join(', ', $query, @{ $options{settings} // [] }));
}

my $ssd = [ 'random_page_cost = 1.1' ];
for my $settings ([], $ssd) {
    my %with = (settings => $settings);

    # All within a radius: the index, for any radius that finds few rows.
    for my $size (1000, 10000, 100000, 1000000) {
        for my $radius (0, 1, 3, 5, 8, 12, 15) {
            plan_is("SELECT * FROM spread_$size WHERE h <@> '$stored' <= $radius", qr/^Index Scan \(spread_${size}_h\)$/,
                %with);
        }
        plan_is("SELECT * FROM spread_$size WHERE h <@> '$stored' <= 20", qr/^(Index|Bitmap Heap) Scan/, %with);
    }
    plan_is("SELECT * FROM equal WHERE h <@> '$stored' <= 3", qr/^Index Scan \(equal_h\)$/, %with);

    # Many rows are fetched faster in physical order.
    for my $radius (4, 8, 16) {
        plan_is("SELECT * FROM cluster WHERE h <@> '$center' <= $radius", qr/^(Bitmap Heap|Seq) Scan/, %with);
    }
    plan_is("SELECT * FROM spread_1000000 WHERE h <@> '$stored' <= 32", qr/^(Bitmap Heap|Seq) Scan/, %with);
    plan_is("SELECT * FROM cluster WHERE h <@> '$stored' <= 3", qr/Scan \(cluster_h\)/, %with);

    # The first few; EXISTS.
    plan_is("SELECT * FROM spread_1000000 WHERE h <@> '$stored' <= 3 LIMIT 1", qr/^Limit \(Index Scan/, %with);
    plan_is("SELECT EXISTS (SELECT FROM spread_1000000 WHERE h <@> '$stored' <= 8)", qr/Index Scan \(spread_1000000_h\)/,
        %with);

    # Another condition with its own index, satisfied by 1,000 rows.
    plan_is("SELECT * FROM spread_1000000 WHERE label = 5 AND h <@> '$stored' <= 3", qr/^Index Scan \(spread_1000000_h\)$/,
        %with);
    plan_is("SELECT * FROM spread_1000000 WHERE label = 5 ORDER BY h <@> '$stored' LIMIT 30",
        qr/^Limit \(Result \(Append \(Result \(Materialize \(Index Scan by distance \(spread_1000000_h\)\)\), Sort \(.*spread_1000000_label/, %with);
    # Of 20,000 rows: the 10 nearest are among the 500 nearest of all, if they are not all far, and 300 among 15,000.
    plan_is("SELECT * FROM spread_1000000 WHERE label < 20 ORDER BY h <@> '$stored' LIMIT 10",
        qr/^Limit \(Result \(Append \(Result \(Materialize \(Index Scan by distance \(spread_1000000_h\)\)\), Sort \(/, %with);
    plan_is("SELECT * FROM spread_1000000 WHERE label < 20 ORDER BY h <@> '$stored' LIMIT 300", qr/^Limit \(Sort \(/,
        %with);

    # Nearest neighbors: a few by the index, all of many rows by a sort.
    for my $size (1000, 10000, 100000, 1000000) {
        plan_is("SELECT * FROM spread_$size ORDER BY h <@> '$stored' LIMIT 10",
            qr/^Limit \(Index Scan by distance \(spread_${size}_h\)\)$/, %with);
        plan_is("SELECT * FROM spread_$size ORDER BY h <@> '$stored', id LIMIT 10",
            qr/^Limit \(Incremental Sort \(Index Scan by distance \(spread_${size}_h\)\)\)$/, %with);
    }
    # Neighbors of a stored and of a random fingerprint; among few recent rows and among many; and very many.
    for my $query ($stored, '123456789abcdef0') {
        plan_is("SELECT * FROM spread_1000000 ORDER BY h <@> '$query' LIMIT 10",
            qr/^Limit \(Index Scan by distance \(spread_1000000_h\)\)$/, %with);
        plan_is("SELECT * FROM spread_1000000 WHERE id > 999900 ORDER BY h <@> '$query' LIMIT 10",
            qr/^Limit \(Sort \(.*spread_1000000_id/, %with);
        plan_is("SELECT * FROM spread_1000000 WHERE id > 970000 ORDER BY h <@> '$query' LIMIT 10",
            qr/^Limit \(Result \(Append \(Result \(Materialize \(Index Scan by distance \(spread_1000000_h\)\)\), Sort \(/, %with);
        for my $recent (900000, 500000) {
            plan_is("SELECT * FROM spread_1000000 WHERE id > $recent ORDER BY h <@> '$query' LIMIT 10",
                qr/^Limit \(Index Scan by distance \(spread_1000000_h\)\)$/, %with);
        }
        plan_is("SELECT * FROM spread_1000000 ORDER BY h <@> '$query' LIMIT 900000", qr/^Limit \(Sort \(Seq Scan/, %with);
    }
    plan_is("SELECT * FROM cluster ORDER BY h <@> '$center' LIMIT 10", qr/^Limit \(Index Scan by distance/, %with);
    plan_is("SELECT * FROM spread_1000000 ORDER BY h <@> '$stored'", qr/^Sort \(Seq Scan/, %with);

    # A large ball is not combined with a selective index.
    plan_is("SELECT * FROM tenants WHERE tenant = 7 AND h <@> '$center' <= 3",
        qr/^(Bitmap Heap Scan \(Bitmap Index Scan|Index Scan) \(tenants_tenant\)\)?$/, %with);

    # A count over a partial index.
    plan_is('SELECT count(*) FROM tenants WHERE id % 100 = 0', qr/^Aggregate \((Index|Bitmap Heap) Scan.*tenants_some\)/, %with);

    # Joins use the large table's index, whichever is named first, and the small one's if there is no other. Searches for many
    # rows together take less time than a nested loop if they share leaves; for some radii both take as long.
    for my $radius (0, 3, 8, 12) {
        my $loop = qr/Nested Loop \(Seq Scan \(asked\), Index Scan \(spread_1000000_h\)\)/;
        my $large = $radius == 0 ? qr/^$loop$/ : qr/^(?:$loop|Custom Scan \(Seq Scan \(asked\)\))$/;
        plan_is("SELECT * FROM asked AS a JOIN spread_1000000 AS b ON a.h <@> b.h <= $radius", $large, %with);
        plan_is("SELECT * FROM spread_1000000 AS b JOIN asked AS a ON b.h <@> a.h <= $radius", $large, %with);
        plan_is("SELECT * FROM unindexed AS b JOIN asked AS a ON b.h <@> a.h <= $radius",
            qr/^Custom Scan \(Seq Scan \(unindexed\)\)$/, %with);
        plan_is("SELECT * FROM asked AS a JOIN spread_1000 AS b ON a.h <@> b.h <= $radius",
            qr/^Custom Scan$|^(Custom Scan|Nested Loop) \(Seq Scan \(\w+\)(\)$|, (Memoize \()?Index Scan)/, %with);
    }
    plan_is("SELECT * FROM asked AS a WHERE EXISTS (SELECT FROM spread_1000000 AS b WHERE a.h <@> b.h <= 3)",
        qr/Index Scan \(spread_1000000_h\)|^Custom Scan \(Seq Scan \(asked\)\)$/, %with);
    plan_is("SELECT * FROM asked_unindexed AS a, LATERAL (SELECT id FROM spread_1000000 AS b ORDER BY b.h <@> a.h LIMIT 1) AS b",
        qr/^Nested Loop \(Seq Scan \(asked_unindexed\), Limit \(Index Scan by distance \(spread_1000000_h\)\)\)$/, %with);

    # One search per array element.
    plan_is("SELECT * FROM spread_1000000 WHERE h = ANY ('{$stored,$center}')", qr/Scan \(spread_1000000_h\)/, %with);
}

# The cost of the plan's index scan.
sub index_cost
{
    my ($query) = @_;
    my $plan = decode_json($node->safe_psql("postgres", "SET enable_seqscan = off; SET simhash.enable_join = off; EXPLAIN (FORMAT JSON) $query"))->[0]{Plan};
    $plan = $plan->{Plans}[-1] while $plan->{Plans};
    return $plan->{'Total Cost'};
}
my $array = join ',', ($stored) x 200;
cmp_ok(index_cost("SELECT * FROM spread_1000000 WHERE h = ANY ('{$array}')"),
    '>', 20 * index_cost("SELECT * FROM spread_1000000 WHERE h = ANY ('{$stored}')"), 'each element of an array is a search');
cmp_ok(10 * index_cost("SELECT * FROM unindexed AS b JOIN asked AS a ON b.h <@> a.h <= 3"),
    '<', index_cost("SELECT * FROM asked WHERE h <@> '$stored' <= 3"), 'pages read repeatedly are cached');

# The more rows are wanted, the more is searched before the first comes out.
sub startup_cost
{
    my ($query) = @_;
    my $settings = 'SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off;';
    return decode_json($node->safe_psql('postgres', "$settings EXPLAIN (FORMAT JSON) $query"))->[0]{Plan}{'Startup Cost'};
}
my @nearest = map { startup_cost("SELECT * FROM spread_1000000 ORDER BY h <@> '$stored' LIMIT $_") } 1, 100, 1000000;
cmp_ok(10 * $nearest[0], '<', $nearest[1], 'one neighbor costs much less than a hundred');
cmp_ok(2 * $nearest[1], '<', $nearest[2], 'and a hundred less than all');
cmp_ok(startup_cost("SELECT * FROM spread_1000000 WHERE label < 10 ORDER BY h <@> '$stored' LIMIT 1"),
    '>', 10 * $nearest[0], 'with a filter more rows are searched');

# Signatures of 1,024 bits: 100,000 rows, uniform. A ball of radius 481 contains one row in forty.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION signature(n bigint) RETURNS bit IMMUTABLE LANGUAGE sql AS
    $$ SELECT string_agg(fingerprint(16 * n + i)::bit(64)::text, '')::bit(1024) FROM generate_series(1, 16) AS i $$;
CREATE TABLE wide AS SELECT n AS id, n * 7919::bigint % 1000 AS label, signature(n)::bit(1024) AS s
    FROM generate_series(1, 100000) AS n;
CREATE INDEX wide_s ON wide USING simhash (s);
CREATE INDEX wide_label ON wide (label);
VACUUM ANALYZE wide;
SQL
my $signature = $node->safe_psql('postgres', 'SELECT signature(4711)');
for my $settings ([], $ssd) {
    my %with = (settings => $settings);
    for my $radius (0, 64, 128, 300, 420) {
        plan_is("SELECT * FROM wide WHERE s <@> '$signature' <= $radius", qr/^Index Scan \(wide_s\)$/, %with);
    }
    plan_is("SELECT * FROM wide WHERE s <@> '$signature' <= 481", qr/^(Index|Bitmap Heap) Scan/, %with);
    plan_is("SELECT * FROM wide WHERE s <@> '$signature' <= 600", qr/^Seq Scan/, %with);
    plan_is("SELECT * FROM wide ORDER BY s <@> '$signature' LIMIT 10", qr/^Limit \(Index Scan by distance/, %with);
    plan_is("SELECT * FROM wide WHERE label < 500 ORDER BY s <@> '$signature' LIMIT 10",
        qr/^Limit \(Index Scan by distance/, %with);
    plan_is("SELECT * FROM wide WHERE label = 5 ORDER BY s <@> '$signature' LIMIT 10", qr/^Limit \(Sort \(.*wide_label/, %with);
}
plan_is("SELECT * FROM wide WHERE label < 10 ORDER BY s <@> '$signature' LIMIT 10",
    qr/^Limit \(Result \(Append \(Result \(Materialize \(Index Scan by distance \(wide_s\)\)\), Sort \(.*wide_label/, settings => $ssd);
my @recall = map { index_cost("SELECT * FROM wide WHERE s <@| signature_ball('$signature', 128, $_)") } 0.5, 0.9, 0.99, 1;
cmp_ok($recall[$_], '<', $recall[ $_ + 1 ], 'the cost of a ball grows with its recall') for 0 .. 2;
cmp_ok(10 * $recall[1], '<', $recall[3], 'and an exact search costs much more');
# Without lists neighbors are found exactly.
$node->safe_psql('postgres', 'DROP INDEX wide_s; CREATE INDEX wide_s ON wide USING simhash (s) WITH (lists = 0)');
@nearest = map { startup_cost("SELECT * FROM wide ORDER BY s <@> signature_nearest('$signature', $_) LIMIT 10") } 0.5, 1;
is($nearest[0], $nearest[1], 'without lists the cost of neighbors does not depend on the recall');

# What is computed from the statistics is kept for the session until they change: the values, compared with a known query,
# and the distances of all pairs, for one that is not known.
sub statistics_read
{
    my ($what, @statements) = @_;
    my $debug;
    $node->psql('postgres', join('; ', 'SET client_min_messages = debug2', @statements),
        stderr => \$debug, on_error_die => 1);
    return scalar(() = $debug =~ /$what the statistics of column/g);
}
my ($of_array, $of_another) = map { "EXPLAIN SELECT * FROM $_ WHERE h ~= ANY ('{$array}')" } 'spread_10000', 'spread_1000';
is(statistics_read('loading', $of_array), 1, 'the statistics are loaded once for an array');
is(statistics_read('loading', $of_array, $of_array), 1, 'and once for two statements');
is(statistics_read('loading', $of_array, $of_another, $of_array), 2, 'and again for another table, but not twice');
is(statistics_read('loading', $of_array, 'ANALYZE spread_10000', $of_array), 2, 'and after ANALYZE');
my $for_each = 'EXPLAIN SELECT * FROM asked AS a, LATERAL (SELECT id FROM spread_10000 AS b ORDER BY b.h <@> a.h LIMIT 1) AS b';
is(statistics_read('comparing', $for_each), 1, 'pairs are compared once');
is(statistics_read('comparing', $for_each, $of_another, $for_each), 1, 'and once for two statements');
is(statistics_read('comparing', $for_each, 'ANALYZE spread_10000', $for_each), 2, 'and again after ANALYZE');
# Each partition has its own, and the memory for them is bounded.
$node->safe_psql('postgres', q{
    CREATE TABLE parts (n int, s bit(4096)) PARTITION BY LIST (n);
    DO $$ BEGIN FOR i IN 1..300 LOOP EXECUTE format('CREATE TABLE parts_%1$s PARTITION OF parts FOR VALUES IN (%1$s)', i); END LOOP; END $$;
    INSERT INTO parts SELECT i % 300 + 1, repeat('01', 2048)::bit(4096) # (i::bit(4096)) FROM generate_series(1, 2000) AS i;
    ANALYZE parts;
});
my $of_parts = 'EXPLAIN SELECT * FROM parts WHERE n <= %s AND s <@> (SELECT s FROM parts_1 LIMIT 1) <= 9';
my @of_parts = map { sprintf($of_parts, $_) } 50, 300;
is(statistics_read('comparing', $of_parts[0], $of_parts[0]), 50, 'the statistics of 50 partitions are compared once');
SKIP:
{
    skip 'no view of memory', 1 if $node->safe_psql('postgres', 'SHOW server_version_num') < 140000;
    my $kept = $node->safe_psql('postgres', "\\o /dev/null\n$of_parts[1];\n\\o\n" .
        "SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name = 'simhash statistics'");
    cmp_ok($kept, '<=', 16 * 1024 * 1024, 'what is kept of 300 has no more than 16 MB');
}
for my $query ("wide ORDER BY s <@> signature_nearest('$signature', 0.9)", "asked ORDER BY h <@> to_simhash_weights('a b c')",
    "wide ORDER BY s <@> signature_nearest('$signature')")
{
    is(statistics_read('loading', "EXPLAIN SELECT * FROM $query LIMIT 10"), 1, "the query is known: $query");
    is(statistics_read('comparing', "EXPLAIN SELECT * FROM $query LIMIT 10"), 0, 'so no pairs are compared');
}

# A prepared statement is replanned five times, then cached, unless the plans for values cost less. Those of ORDER BY
# cost about as much, and which is less depends on the rows that ANALYZE reads.
for my $case (
    [ 'SELECT id FROM %s WHERE h <@> $1 <= 3', qr/Index Scan/ ],
    [ 'SELECT id FROM %s WHERE h <@> $1 <= $2', qr/Index Scan/ ],
    [ 'SELECT id FROM %s WHERE h ~= $1', qr/Index Scan/ ],
    [ 'SELECT id FROM %s ORDER BY h <@> $1 LIMIT 10', qr/Order By/, 'SET plan_cache_mode = force_generic_plan;' ])
{
    my ($query, $expected, $setting) = @$case;
    my $types = $query =~ /\$2/ ? 'simhash, int' : 'simhash';
    my $radius = $query =~ /\$2/ ? ', 3' : '';
    for my $table (qw(spread_1000 spread_10000 spread_1000000 equal common)) {
        my $execute = join '', map { "EXECUTE s (fingerprint($_ * 100 + 1)$radius);" } 1 .. 6;
        my $out = $node->safe_psql('postgres', sprintf(($setting // '') . "PREPARE s ($types) AS $query; %s EXPLAIN (COSTS OFF) EXECUTE s ('%s'%s)",
            $table, $execute, $stored, $radius));
        like($out, qr/\$1/, sprintf("generic plan: $query", $table));
        like($out, $expected, sprintf("by the index: $query", $table));
    }
}

# The nearest rows of a query with near-duplicates within 8 bits, but none within 7, are found without reading a whole table.
$node->safe_psql('postgres', "INSERT INTO spread_1000000 SELECT 2000000 + n, ('$center'::simhash::bigint # (255::bigint << n))::simhash
    FROM generate_series(1, 12) AS n");
my $nearest = $node->safe_psql('postgres', "SET enable_seqscan = off;
    EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT id FROM spread_1000000 ORDER BY h <@> '$center' LIMIT 10");
my $blocks = decode_json($nearest)->[0]{Plan}{'Shared Hit Blocks'};
cmp_ok($blocks, '<', $node->safe_psql('postgres', "SELECT value / 16 FROM simhash_index_stats('spread_1000000_h') WHERE name = 'leaf_pages'"),
    'the ten nearest at 8 bits need a quarter of a table at most');

done_testing();
