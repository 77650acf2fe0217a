# An index that is many times as large as the shared buffers: leaves are located as far ahead as effective_io_concurrency
# says, and the answers stay those of a sequential scan.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => [ 'autovacuum = off', 'shared_buffers = 512kB' ]);
prepare_database($node, queries => 12);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page AS SELECT n AS id, CASE WHEN n % 4 = 0 THEN flipped(fingerprint(n / 4 % 1200 + 1), n, n % 6) ELSE fingerprint(n) END AS h
    FROM generate_series(1, 30000) AS n;
CREATE INDEX page_h ON page USING simhash (h);
-- The nearest rows of each query whose distances differ from those of a sequential scan.
CREATE FUNCTION differing_neighbors(most int) RETURNS bigint LANGUAGE sql AS
$$ SELECT count(*) FROM query q WHERE
       ARRAY(SELECT (p.h <@> q.h)::int FROM page p ORDER BY p.h <@> q.h LIMIT most) <>
       ARRAY(SELECT (p.h <@> q.h)::int AS distance FROM page p ORDER BY distance LIMIT most) $$;
SQL

for my $concurrency (0, 1, 12, 32, 1000) {
    $node->safe_psql('postgres', "ALTER DATABASE postgres SET effective_io_concurrency = $concurrency");
    answers_agree($node, 'page', "searches with effective_io_concurrency = $concurrency", 3, 7, 12);
    is($node->safe_psql('postgres', 'SET enable_seqscan = off; SELECT differing_neighbors(200)'),
        '0', "nearest neighbors with effective_io_concurrency = $concurrency");
    is($node->safe_psql('postgres', <<'SQL'), '0', "a join with effective_io_concurrency = $concurrency");
SELECT differing_rows('SELECT q.id, p.id FROM query q JOIN page p ON (p.h <@> q.h)::int <= 3
        UNION ALL SELECT -q.id, p.id FROM query q JOIN page p ON (p.h <@> q.h)::int <= 7',
    $$SELECT q.number, p.id FROM (SELECT id AS number, h, 3 AS radius FROM query UNION ALL SELECT -id, h, 7 FROM query) q JOIN page p ON p.h <@> q.h <= q.radius$$)
SQL
}
done_testing();
