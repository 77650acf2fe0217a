# Churn reaches a steady size; neither long scans and joins nor long sessions of inserts accumulate memory.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => ['autovacuum = off']);
prepare_database($node);
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
my $longer = test_seconds() > 15;

# Churn: as many rows are inserted as deleted; the deleted ones are the oldest, or random. Fingerprints are spread evenly,
# like those of texts; some are always in the same few leaves.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id bigint, h simhash) WITH (autovacuum_enabled = off);
INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(1, 20000) AS n;
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX page_id ON page (id);
SQL
my $rounds = $longer ? 150 : 50;
my @size;
for my $round (1 .. $rounds) {
    my $first = 20000 + 2000 * ($round - 1);
    my $gone = $round % 2
      ? 'id IN (SELECT id FROM page ORDER BY id LIMIT 2000)'
      : "id IN (SELECT id FROM page ORDER BY md5(id || '$round') LIMIT 2000)";
    $node->safe_psql('postgres', <<SQL);
DELETE FROM page WHERE $gone;
INSERT INTO page SELECT n, CASE WHEN n % 40 = 0 THEN flipped(fingerprint(1), n, 2) WHEN n % 41 = 0 THEN NULL
    ELSE fingerprint(n) END FROM generate_series($first + 1, $first + 2000) AS n;
SQL
    $node->safe_psql('postgres', 'VACUUM page');
    push @size, $node->safe_psql('postgres', "SELECT pg_relation_size('page_h')");
}
note('pages after each round: ' . join ' ', map { $_ / 8192 } @size);
my ($half) = sort { $b <=> $a } @size[ $rounds / 2 - 5 .. $rounds / 2 ];
cmp_ok($size[-1], '<=', 1.04 * $half, 'the index has stopped growing halfway');
# Random inserts leave leaves about two thirds full, and VACUUM unites those that become less full; freshly built ones are
# 90 % full.
$node->safe_psql('postgres', 'CREATE INDEX fresh ON page USING simhash (h)');
my $fresh = $node->safe_psql('postgres', "SELECT pg_relation_size('fresh')");
cmp_ok($size[-1], '<', 1.6 * $fresh, 'and is less than 1.6 times a fresh one');
note(sprintf '%.2f times a fresh index', $size[-1] / $fresh);
$node->safe_psql('postgres', 'DROP INDEX fresh');
is($node->safe_psql('postgres', "SELECT rows + nulls, partial_entries FROM simhash_index_check('page_h', true)"),
    '20000|0', 'it holds the rows and nothing else');
answers_agree($node, 'page', 'and answers');

# Pages that a build has left half empty for inserts stay so.
$node->safe_psql('postgres', <<'SQL');
CREATE INDEX roomy ON page USING simhash (h) WITH (fillfactor = 50);
CREATE TABLE leaves AS SELECT value AS leaf_pages FROM simhash_index_stats('roomy') WHERE name = 'leaf_pages';
DELETE FROM page WHERE id % 5 = 1; -- as many on each leaf
SQL
$node->safe_psql('postgres', 'VACUUM page');
is($node->safe_psql('postgres', "SELECT value = leaf_pages FROM simhash_index_stats('roomy'), leaves WHERE name = 'leaf_pages'"),
    't', 'VACUUM keeps the room that fillfactor has left');
$node->safe_psql('postgres', 'DROP INDEX roomy; DROP TABLE leaves');

# Memory as counted by the server: the memory of a session must not depend on how long it has been working.
SKIP: {
    skip 'the server does not say before 14', 1 if $version < 140000;
    $node->safe_psql('postgres', 'INSERT INTO page SELECT n, flipped(fingerprint(n % 200 * 100 + 1), n, (n % 5)::int)
        FROM generate_series(1, 30000) AS n; VACUUM ANALYZE page;
        CREATE TABLE weights AS SELECT n AS id, to_simhash_weights(features(ARRAY[n::text, (n * 7)::text, (n % 5)::text])) AS w
            FROM generate_series(1, 3000) AS n');
    my $session = open_session($node);
    my $used = 'SELECT sum(used_bytes) FROM pg_backend_memory_contexts';
    $session->query_safe($_)
      for 'SET enable_seqscan = off', 'SET enable_bitmapscan = off', 'SET enable_hashjoin = off',
      'SET enable_mergejoin = off', 'SET enable_material = off', 'SET enable_memoize = off', 'SET jit = off',
      q(SET work_mem = '64kB'), $used; # a scan collects rows within work_mem
    my %cursor = (
        'a scan' => [ 'SELECT id FROM page WHERE h <@> fingerprint(1) <= 40', 2000, 20000 ],
        'a join' => [ 'SELECT a.id, b.id FROM page AS a JOIN page AS b ON b.h <@> a.h <= 3', 5000, 500000 ],
        'a join by distance' => [ 'SELECT a.id, n.id FROM page AS a, LATERAL (SELECT b.id FROM page AS b
            ORDER BY b.h <@> a.h LIMIT 3) AS n', 1500, 15000 ],
        'a join by weights' => [ 'SELECT a.id, b.id FROM weights AS a, LATERAL (SELECT count(*) AS id FROM page AS b
            WHERE b.h <@| simhash_ball(a.w, 8, 0.9)) AS b', 300, 2600 ]);
    for my $name (sort keys %cursor) {
        my ($sql, $few, $many) = @{ $cursor{$name} };
        $session->query_safe('BEGIN');
        $session->query_safe("DECLARE c NO SCROLL CURSOR FOR $sql");
        $session->query_safe("MOVE $few FROM c");
        my $before = $session->query_safe($used);
        like($session->query_safe("MOVE $many FROM c"), qr/^$|MOVE/, "$name goes on");
        my $after = $session->query_safe($used);
        my $rest = $session->query_safe('FETCH 1 FROM c');
        isnt($rest, '', "$name is not at its end");
        $session->query_safe('COMMIT');
        cmp_ok($after - $before, '<', 100000, "$name gathers no memory") or diag("$before, $after");
        note("$name: $before bytes after $few rows, $after after $many more");
    }
    my $insert = 'INSERT INTO page SELECT -n, fingerprint(-n) FROM generate_series(1, 100) AS n';
    my $one = "DO \$\$ BEGIN FOR i IN 1 .. 3000 LOOP INSERT INTO page VALUES (-i, fingerprint(-i)); END LOOP; END \$\$";
    $session->query_safe($_) for $insert, $one;
    my $before = $session->query_safe($used);
    $session->query_safe($_) for ($insert) x 40, $one;
    my $after = $session->query_safe($used);
    cmp_ok($after - $before, '<', 100000, 'inserts gather no memory') or diag("$before, $after");
    note("inserts: $before bytes, $after after 7,000 more");
    $session->quit;
}

done_testing();
