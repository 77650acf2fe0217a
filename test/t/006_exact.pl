# The index never misses, invents or repeats a row: for every design, on uniform and skewed data, after a build that
# spills and after inserts, its answers within 0 to 10 bits and its nearest neighbors are those of a sequential scan.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

# The smallest memory for builds, so that the large ones spill.
my $node = start_node('main', settings => [ "maintenance_work_mem = '1MB'", "work_mem = '64MB'",
    "shared_buffers = '256MB'", 'max_wal_size = 4GB', 'autovacuum = off' ]);
prepare_database($node);

$node->safe_psql('postgres', <<'SQL');
CREATE TABLE data (id bigint, h simhash);
CREATE TABLE expected (query int, id bigint, distance int);
CREATE TABLE nearest (query int, place int, distance int);
CREATE FUNCTION bits(h simhash) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$ SELECT h::bigint $$;

-- Queries: rows with 0 to 10 flips, and others; and the answers of a sequential scan. The cast to integer prevents the
-- use of indexes.
CREATE PROCEDURE take_data(queries int) LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE query, expected, nearest;
    INSERT INTO query SELECT row_number() OVER (), flipped(h, id, (row_number() OVER ())::int % 11) FROM
        (SELECT id, h FROM data WHERE h IS NOT NULL ORDER BY md5(id::text) LIMIT queries) AS chosen;
    INSERT INTO query VALUES (1001, '0000000000000000'), (1002, 'ffffffffffffffff'), (1003, fingerprint(-1)),
        (1004, '00000000ffffffff');
    INSERT INTO expected SELECT q.id, d.id, d.h <@> q.h FROM query q JOIN data d ON (d.h <@> q.h)::int <= 10;
    INSERT INTO nearest SELECT q.id, place, distance FROM query q,
        LATERAL (SELECT row_number() OVER (ORDER BY distance) AS place, distance FROM
            (SELECT (d.h <@> q.h)::int AS distance FROM data d ORDER BY 1 LIMIT 30) AS first) AS ranked
        WHERE q.id % 7 = 0;
    ANALYZE query, expected, nearest;
END $$;

-- Inserts the rows of data in two halves around CREATE INDEX ... WITH (options). Returns the errors in the answers, or
-- that there is no such design.
CREATE FUNCTION wrong_answers(options text, radii int[]) RETURNS text LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_bitmapscan = off SET simhash.enable_join = off AS $$
DECLARE
    wrong text := '';
    difference bigint;
    radius int;
    half bigint := (SELECT count(*) / 2 FROM data);
    problem text;
BEGIN
    CREATE TABLE indexed (LIKE data);
    INSERT INTO indexed SELECT * FROM data WHERE id <= half;
    BEGIN
        EXECUTE format('CREATE INDEX indexed_h ON indexed USING simhash (h) %s', options);
    EXCEPTION WHEN invalid_parameter_value THEN
        GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT;
        DROP TABLE indexed;
        RETURN problem;
    END;
    INSERT INTO indexed SELECT * FROM data WHERE id > half;
    FOREACH radius IN ARRAY radii LOOP
        -- A parameter would work too; users write a literal.
        difference := differing_rows(format('SELECT query, id FROM expected WHERE distance <= %s', radius),
            format('SELECT q.id AS query, t.id FROM query q JOIN indexed t ON t.h <@> q.h <= %s', radius));
        IF difference <> 0 THEN
            wrong := wrong || format('within %s: %s rows differ; ', radius, difference);
        END IF;
    END LOOP;
    difference := differing_rows('SELECT query, place, distance FROM nearest',
        'SELECT q.id, row_number() OVER (PARTITION BY q.id ORDER BY ranked.distance), ranked.distance::int FROM query q,
            LATERAL (SELECT t.h <@> q.h AS distance FROM indexed t ORDER BY t.h <@> q.h LIMIT 30) AS ranked WHERE q.id % 7 = 0');
    IF difference <> 0 THEN
        wrong := wrong || format('nearest: %s differ; ', difference);
    END IF;
    -- In order of distance every row is returned, those without a fingerprint last.
    SELECT count(*) INTO difference FROM (SELECT id FROM indexed ORDER BY h <@> fingerprint(-1)) AS ordered;
    IF difference <> (SELECT count(*) FROM data) THEN
        wrong := wrong || format('ORDER BY: %s rows; ', difference);
    END IF;
    -- No condition and no column: what an index-only scan would do.
    SELECT count(*) INTO difference FROM indexed;
    IF difference <> (SELECT count(*) FROM data) THEN
        wrong := wrong || format('count: %s rows; ', difference);
    END IF;
    SELECT count(*) INTO difference FROM indexed WHERE h IS NULL;
    IF difference <> (SELECT count(*) FROM data WHERE h IS NULL) THEN
        wrong := wrong || format('IS NULL: %s rows; ', difference);
    END IF;
    IF by_index('SELECT q.id, t.id FROM query q JOIN indexed t ON t.h <@> q.h <= 3') +
        by_index('SELECT id FROM indexed ORDER BY h <@> fingerprint(-1) LIMIT 5') <> 2 THEN
        wrong := wrong || 'the index is not used; ';
    END IF;
    PERFORM simhash_index_check('indexed_h', true);
    DROP TABLE indexed;
    RETURN wrong;
END $$;
SQL

# Creates the table data; h is an expression over n.
sub data
{
    my ($rows, $expression, $queries) = @_;
    $node->safe_psql('postgres', "TRUNCATE data;
        INSERT INTO data SELECT n, $expression FROM generate_series(1, $rows) AS n;
        ANALYZE data;
        CALL take_data($queries)");
    return;
}

# One test per design. Not every design exists; those that must exist are listed.
my %missing;

sub exact
{
    my ($kind, $distance, $tables, $fillfactor, $radii) = @_;
    my $options = "WITH (design_radius = $distance, fillfactor = $fillfactor" . ($tables > 0 ? ", trees = $tables)" : ')');
    my ($status, $wrong, $error) =
      $node->psql('postgres', "SELECT wrong_answers('$options', '$radii')");
    $wrong = $error if $status != 0;
    if ($wrong =~ /^there is no design/) {
        $missing{"$distance/$tables"} = $wrong;
        return;
    }
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is($wrong, '', "$kind, distance = $distance, trees = $tables, fillfactor = $fillfactor");
}

my $planted = 'CASE WHEN n % 5 = 0 THEN flipped(fingerprint(n % 200 + 1), n, (n % 11)::int) ELSE fingerprint(n) END';
my $all = '{0,1,2,3,4,5,6,7,8,9,10}';

# Every design, on uniform data with near-duplicates. 0: the default number of tables.
data(8000, $planted, 40);
for my $distance (1 .. 8) {
    for my $tables (0, 1 .. 8, 10, 20) {
        exact('planted', $distance, $tables, $tables % 2 || !$tables ? 100 : 50, $all);
    }
}
for my $design ((map { "$_/0" } 1 .. 8), (map { "3/$_" } 1, 4, 5, 6, 7, 8, 10, 20)) {
    ok(!$missing{$design}, "design $design exists") or diag($missing{$design});
}

# Other data, with some designs.
my %kind = (
    'uniform' => 'fingerprint(n)',
    'dead bits' => '(bits(fingerprint(n % 3000)) & 4294967295)::simhash',
    'skewed' => '(bits(fingerprint(n)) & ((bits(fingerprint(n + 1000000)) & bits(fingerprint(n + 2000000))) | 7))::simhash',
    'all equal' => "'00000000ffffffff'",
    'NULLs' => 'CASE WHEN n % 3 <> 0 THEN flipped(fingerprint(n % 500), n, (n % 4)::int) END',
    'only NULLs' => 'NULL::simhash');
for my $kind (sort keys %kind) {
    data(6000, $kind{$kind}, 20);
    for my $distance (1, 3, 5, 8) {
        for my $tables (0, 1, 2, 6, 10, 20) {
            exact($kind, $distance, $tables, $tables % 4 || !$tables ? 100 : 50, '{0,1,3,4,6,8,10}');
        }
    }
}

# Large enough for trees of three levels and builds that spill.
data(250000, $planted, 60);
exact('large, planted', 3, $_, 90, '{0,3,5,7}') for 1, 4, 6, 10;
data(100100, "CASE WHEN n % 1000 = 0 THEN fingerprint(n) ELSE fingerprint(7) END", 6);
exact('one fingerprint 100,000 times', 3, $_, 90, '{0,3}') for 1, 4, 6, 10;

done_testing();
