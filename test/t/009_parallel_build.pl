# Builds with parallel workers give the same index as serial ones: for all kinds of rows and tables, under load, with
# little memory and after a crash. A failed build leaves nothing.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);
use SimhashTest;

my @settings = ('min_parallel_table_scan_size = 0', 'max_parallel_workers = 8', 'max_worker_processes = 12',
    "maintenance_work_mem = '128MB'", "shared_buffers = '128MB'", 'autovacuum = off', 'fsync = off');
my $node = start_node('main', settings => [ @settings, 'wal_level = replica' ]);
prepare_database($node);

# 150,000 rows are enough for two ranges of one table. Bit j is set with probability (j + 1) / 128, so that the order
# of the bits depends on every part of the sample; some rows are NULL, and some are dead.
my $fill_page = <<'SQL';
CREATE TABLE page (id bigint, h simhash);
WITH skewed AS MATERIALIZED (SELECT n, (SELECT bit_or((get_byte(digest, j) < 2 * j + 2)::int::bigint << j)
        FROM generate_series(0, 63) AS j) AS h
    FROM (SELECT n, sha512(n::text::bytea) AS digest FROM generate_series(1, 50000) AS n) AS digests)
INSERT INTO page SELECT 3 * n - part, CASE WHEN (n + part) % 50 <> 0 THEN (h # part)::simhash END
    FROM skewed, generate_series(0, 2) AS part;
DELETE FROM page WHERE id % 10 = 7;
UPDATE query SET h = page.h FROM page WHERE query.id < 10000 AND page.id = query.id * 300 + 1;
ANALYZE page;
SQL
$node->safe_psql('postgres', $fill_page);

# Runs SQL with a maximum number of workers; returns how many took part in index builds, and the error.
sub build
{
    my ($on, $workers, $sql, @more) = @_;
    my ($status, undef, $log) = $on->psql('postgres', join("\n", "SET max_parallel_maintenance_workers = $workers;",
        'SET client_min_messages = debug1;', @more, $sql));
    my $launched = 0;
    $launched += $1 while $log =~ /is built using (\d+) parallel workers/g;
    my ($error) = $log =~ /^.*?(ERROR: .*)$/m;
    return ($launched, $status == 0 ? '' : $error // $log);
}

# Three tests: the number of workers that took part, and that the index is correct.
sub builds
{
    my ($on, $name, $workers, $expected, $sql, @more) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($launched, $error) = build($on, $workers, $sql, @more);
    is($error eq '' ? "$launched workers" : $error, "$expected workers", $name);
    index_is_sound($on, 'page_h', "$name: sound");
    return;
}

# The metapage after the header: the design and the order of bits.
sub meta
{
    return $node->safe_psql('postgres',
        "CHECKPOINT; SELECT encode(pg_read_binary_file(pg_relation_filepath('page_h'), 24, 832), 'hex')");
}

for my $tables (1, 4, 5) {
    my (@meta, @stats);
    for my $workers (0, 1, 2) {
        builds($node, "$tables tables, $workers workers", $workers, $workers,
            "CREATE INDEX page_h ON page USING simhash (h) WITH (trees = $tables)");
        answers_agree($node, 'page', "$tables tables, $workers workers: answers", 0, 3, 7);
        push @meta, meta();
        push @stats, $node->safe_psql('postgres',
            "SELECT name, value FROM simhash_index_stats('page_h') WHERE name IN ('rows', 'nulls', 'leaf_pages', 'inner_pages', 'unused_pages', 'height', 'leaf_fill')");
        $node->safe_psql('postgres', 'DROP INDEX page_h');
    }
    is($meta[1], $meta[0], "$tables tables: one worker does not change the order of bits");
    is($meta[2], $meta[0], "$tables tables: nor do two");
    is($stats[1], $stats[0], "$tables tables: nor what the leaves hold") if $tables == 4;
}

# The leader reads few rows, because it waits while the worker reads. Its sample is thinned like that of the worker. The entropy
# of each bit is halfway between two steps, so that the order of the bits depends on all rows of the sample.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE even AS SELECT n AS id, (SELECT bit_or((hashint8extended(n * 64 + j, 1) & 65535 < 27954)::int::bigint << j)::simhash
    FROM generate_series(0, 63) AS j) AS h FROM generate_series(1, 100000) AS n;
CREATE FUNCTION leader_naps(id int, h simhash) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
BEGIN
    IF pg_backend_pid()::text = current_setting('test.leader') AND id > 16000 AND id % 500 = 0 THEN PERFORM pg_sleep(2); END IF;
    RETURN h;
END $$;
SQL
{
    my @meta;
    for my $case ([ 0, "'nobody'" ], [ 1, 'pg_backend_pid()::text' ]) {
        my ($workers, $leader) = @$case;
        is(join(' ', build($node, $workers, 'CREATE INDEX page_h ON even USING simhash (public.leader_naps(id, h))',
            "SELECT set_config('test.leader', $leader, false);")), "$workers ", "a leader that waits, $workers workers");
        push @meta, meta();
        $node->safe_psql('postgres', 'DROP INDEX page_h');
    }
    is($meta[1], $meta[0], 'the shares of the processes do not change the order of bits');
}

# Classes that extract, and several columns: the workers compute what is stored.
$node->safe_psql('postgres', "CREATE TABLE document AS SELECT id, id % 5 AS tenant, h, 'some words of ' || h AS body FROM page");
my %keys = (body => 'body', several => 'tenant, h', ball => 'simhash_ball(h, 3)');
for my $name (sort keys %keys) {
    my ($launched, $error) = build($node, 2, "CREATE INDEX document_$name ON document USING simhash ($keys{$name}) WITH (trees = 2)");
    is($error eq '' ? $launched : $error, 2, "$name: built by workers");
    index_is_sound($node, "document_$name", "$name: sound");
}
$node->safe_psql('postgres', 'DROP TABLE document');

# Equal fingerprints: ranges are then cut by tid.
for my $kind (["'00000000ffffffff'", 'one fingerprint'], ['NULL', 'only NULLs'], ['fingerprint(id % 3)', 'three']) {
    $node->safe_psql('postgres', "CREATE TABLE full_page AS TABLE page; UPDATE page SET h = $kind->[0]; VACUUM FULL page");
    builds($node, "$kind->[1], no workers", 0, 0, 'CREATE INDEX page_h ON page USING simhash (h)');
    $node->safe_psql('postgres', 'DROP INDEX page_h');
    builds($node, $kind->[1], 1, 1, 'CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 1)');
    is($node->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM page WHERE h IS NULL OR h <@> fingerprint(1) <= 64'),
        $node->safe_psql('postgres', 'SELECT count(*) FROM page'), "$kind->[1]: every row is found");
    $node->safe_psql('postgres', 'DROP TABLE page; ALTER TABLE full_page RENAME TO page');
}
$node->safe_psql('postgres', 'CREATE TABLE empty (LIKE page)');
is((build($node, 2, 'CREATE INDEX empty_h ON empty USING simhash (h)'))[1], '', 'no rows');
index_is_sound($node, 'empty_h', 'no rows: sound');

# Less memory than the rows take: each worker has a third of 1 MB.
for my $tables (1, 4) {
    builds($node, "$tables tables, short of memory", 2, 2,
        "CREATE INDEX page_h ON page USING simhash (h) WITH (trees = $tables)",
        "SET maintenance_work_mem = '1MB'; ALTER TABLE page SET (parallel_workers = 2);");
    answers_agree($node, 'page', "$tables tables, short of memory: answers", 3, 7);
    $node->safe_psql('postgres', 'DROP INDEX page_h; ALTER TABLE page RESET (parallel_workers)');
}

# And with very little memory, for any number of workers.
builds($node, 'seven workers and 1 MB', 7, 7, 'CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 6)',
    "SET maintenance_work_mem = '1MB'; ALTER TABLE page SET (parallel_workers = 7);");
answers_agree($node, 'page', 'seven workers and 1 MB: answers', 3, 7);
$node->safe_psql('postgres', 'DROP INDEX page_h; ALTER TABLE page RESET (parallel_workers)');

# The trees of signatures are built one after the other in the same memory. The pages of the trees count, too, some 20 MB.
$node->safe_psql('postgres', 'CREATE TABLE wide AS SELECT (h::bit(64) || h::bit(64) || h::bit(64))::bit(192) AS s FROM page');
my %peak = map {
    $_ => $node->safe_psql('postgres', "SET max_parallel_maintenance_workers = 0; SET maintenance_work_mem = '8MB';
        CREATE INDEX wide_s ON wide USING simhash (s) WITH (trees = $_, lists = 0); SELECT " . session_memory() . '; DROP INDEX wide_s')
} 1, 8;
cmp_ok($peak{8} - $peak{1}, '<', 30e6, 'the memory for one tree');
$node->safe_psql('postgres', 'DROP TABLE wide');

# No workers available, or none allowed.
builds($node, 'no workers to be had', 2, 0, 'CREATE INDEX page_h ON page USING simhash (h)', 'SET max_parallel_workers = 0;');
builds($node, 'REINDEX', 2, 2, 'REINDEX INDEX page_h');
$node->safe_psql('postgres', 'DROP INDEX page_h');
builds($node, 'too little memory for two', 2, 1, 'CREATE INDEX page_h ON page USING simhash (h)', "SET maintenance_work_mem = '64MB';");
$node->safe_psql('postgres', 'DROP INDEX page_h; ALTER TABLE page SET (parallel_workers = 0)');
builds($node, 'parallel_workers = 0', 2, 0, 'CREATE INDEX page_h ON page USING simhash (h)');
$node->safe_psql('postgres', 'DROP INDEX page_h; ALTER TABLE page RESET (parallel_workers)');
my ($launched, $error) = build($node, 2, 'CREATE TEMP TABLE temporary AS TABLE page;
    CREATE INDEX temporary_h ON temporary USING simhash (h);
    SELECT simhash_index_check($$temporary_h$$, true)');
is($error eq '' ? $launched : $error, 0, 'temporary table');
($launched, $error) = build($node, 2, 'BEGIN; CREATE TABLE truncated AS TABLE page;
    CREATE INDEX truncated_h ON truncated USING simhash (h); TRUNCATE truncated;
    INSERT INTO truncated SELECT * FROM page LIMIT 5000; COMMIT; SELECT simhash_index_check($$truncated_h$$, true)');
is($error eq '' ? $launched : $error, 2, 'TRUNCATE in the same transaction');

# The workers load the library by the name that the catalog has for the handler, not by a bare one.
sub set_library_path
{
    my ($to) = @_;
    my $before = $node->safe_psql('postgres', 'SHOW dynamic_library_path');
    $node->safe_psql('postgres', "ALTER SYSTEM $to");
    $node->reload;
    $node->poll_query_until('postgres', "SELECT current_setting('dynamic_library_path') <> '$before'");
    return;
}
SKIP: {
    skip 'since 18 dynamic_library_path applies to all names', 2 if $node->safe_psql('postgres', 'SHOW server_version_num') >= 180000;
    skip 'the catalog has a bare name', 2 if $node->safe_psql('postgres', q{SELECT probin FROM pg_proc WHERE proname = 'simhash_internal_handler'}) !~ m{/};
    set_library_path(q{SET dynamic_library_path = '/nowhere'});
    builds($node, 'another dynamic_library_path', 2, 2, 'CREATE INDEX page_h ON page USING simhash (h)');
    set_library_path('RESET dynamic_library_path');
    $node->safe_psql('postgres', 'DROP INDEX IF EXISTS page_h');
}

# An old snapshot still needs the former version of a row, of which the index has an entry only in the place of the new
# one: until that snapshot is gone the index must not be used. One page of many has such a row, and the process that
# scans it is most often a worker.
$node->safe_psql('postgres', 'CREATE TABLE hot (id bigint, h simhash) WITH (fillfactor = 50, autovacuum_enabled = off);
    INSERT INTO hot SELECT n, fingerprint(n) FROM generate_series(1, 30000) AS n');
my $old = open_session($node);
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM query');
$node->safe_psql('postgres', 'UPDATE hot SET h = fingerprint(-id) WHERE id = 20000');
my $unmarked = 0;
for (1 .. 8) {
    build($node, 3, 'CREATE INDEX hot_h ON hot USING simhash (h)', 'ALTER TABLE hot SET (parallel_workers = 3);');
    $unmarked += $node->safe_psql('postgres', q{SELECT count(*) FROM pg_index WHERE indexrelid = 'hot_h'::regclass AND NOT indcheckxmin});
    $node->safe_psql('postgres', 'DROP INDEX hot_h');
}
is($unmarked, 0, 'an index that must not be used yet says so');
$old->quit;
$node->safe_psql('postgres', 'DROP TABLE hot');

# Partial indexes and expressions.
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION shifted(h simhash) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
$$ SELECT (h::bigint # 255)::public.simhash $$;
CREATE FUNCTION unsafely_shifted(h simhash) RETURNS simhash IMMUTABLE PARALLEL UNSAFE LANGUAGE plpgsql AS
$$ BEGIN RETURN (h::bigint # 255)::public.simhash; END $$;
SQL
builds($node, 'partial', 2, 2, 'CREATE INDEX page_h ON page USING simhash (h) WHERE id % 2 = 0');
is($node->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM page WHERE h <@> fingerprint(1) <= 40 AND id % 2 = 0'),
    $node->safe_psql('postgres', 'SELECT count(*) FROM page WHERE (h <@> fingerprint(1))::int <= 40 AND id % 2 = 0'), 'partial: answers');
$node->safe_psql('postgres', 'DROP INDEX page_h');
builds($node, 'expression', 2, 2, 'CREATE INDEX page_h ON page USING simhash (public.shifted(h))');
is($node->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM page WHERE shifted(h) <@> fingerprint(1) <= 30'),
    $node->safe_psql('postgres', 'SELECT count(*) FROM page WHERE (shifted(h) <@> fingerprint(1))::int <= 30'), 'expression: answers');
$node->safe_psql('postgres', 'DROP INDEX page_h');
builds($node, 'expression that is not parallel safe', 2, 0, 'CREATE INDEX page_h ON page USING simhash (public.unsafely_shifted(h))');
$node->safe_psql('postgres', 'DROP INDEX page_h');

($launched, $error) = build($node, 2, 'ALTER TABLE page ADD CONSTRAINT page_alone EXCLUDE USING simhash (h WITH ~=)');
like($error, qr/could not create exclusion constraint "page_alone"/, 'exclusion constraint: violated');
is($launched, 2, 'exclusion constraint: workers');

# CONCURRENTLY, alone and with writers.
builds($node, 'CONCURRENTLY', 2, 2, 'CREATE INDEX CONCURRENTLY page_h ON page USING simhash (h)');
answers_agree($node, 'page', 'CONCURRENTLY: answers', 0, 3, 7);
my $load = start_pgbench($node, int(test_seconds() / 2), 3,
    insert => { weight => 1, sql => "INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(200000, 200020) AS n;\n" },
    update => { weight => 1, sql => "\\set part random(0, 9999)\nUPDATE page SET h = shifted(h) WHERE id IN (SELECT id FROM page WHERE id = :part FOR UPDATE SKIP LOCKED);\n" },
    delete => { weight => 1, sql => "\\set part random(0, 9999)\nDELETE FROM page WHERE id = 30000 + :part;\n" });
my @wrong;
my $rounds = 0;
while ($load->{handle}->pumpable && $rounds < 8) {
    my $workers = 1 + $rounds++ % 2;
    for my $sql ('REINDEX INDEX CONCURRENTLY page_h',
        'CREATE INDEX CONCURRENTLY page_h_2 ON page USING simhash (h) WITH (trees = 1)') {
        ($launched, $error) = build($node, $workers, $sql);
        push @wrong, "$sql: $launched workers, $error" if $launched != $workers || $error ne '';
    }
    (undef, undef, $error) = $node->psql('postgres', q{SELECT simhash_index_check('page_h_2', true)});
    push @wrong, $error if $error ne '';
    $node->safe_psql('postgres', 'DROP INDEX page_h_2');
}
my ($status, $output) = stop_pgbench($load);
is($status, 0, 'the writers saw no error') or diag($output);
is(join("\n", @wrong), '', 'built and rebuilt concurrently under writers');
index_is_sound($node, 'page_h', 'concurrently under writers: sound');
answers_agree($node, 'page', 'concurrently under writers: answers', 0, 3, 7);
$node->safe_psql('postgres', 'DROP INDEX page_h');

# A crash right after the commit. The first statement of the session ends when its WAL is written.
builds($node, 'before a crash', 2, 2, 'CREATE INDEX page_h ON page USING simhash (h)');
# One table cut into two ranges, whose leaves are linked in the end: it needs 65,536 rows for each.
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM page WHERE h IS NOT NULL'), '>=', 2 * 65536, 'rows for two ranges');
is((build($node, 1, 'CREATE INDEX cut_h ON page USING simhash (h) WITH (trees = 1)'))[0], 1, 'before a crash, ranges: workers');
$node->safe_psql('postgres', 'CREATE UNLOGGED TABLE unlogged AS TABLE page');
is((build($node, 2, 'CREATE INDEX unlogged_h ON unlogged USING simhash (h)'))[0], 2, 'unlogged: workers');
index_is_sound($node, 'unlogged_h', 'unlogged: sound');
answers_agree($node, 'unlogged', 'unlogged: answers', 3);
my $in_page = $node->safe_psql('postgres', 'SELECT count(*) FROM page');
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', 'SELECT count(*) FROM page'), $in_page, 'after a crash: rows');
index_is_sound($node, $_, "after a crash: $_ sound") for qw(page_h cut_h);
$node->safe_psql('postgres', 'DROP INDEX cut_h');
answers_agree($node, 'page', 'after a crash: answers', 3);
is($node->safe_psql('postgres', 'SELECT count(*) FROM unlogged'), 0, 'unlogged after a crash: empty');
$node->safe_psql('postgres', 'INSERT INTO unlogged SELECT * FROM page LIMIT 1000');
index_is_sound($node, 'unlogged_h', 'unlogged after a crash: sound');
$node->safe_psql('postgres', 'DROP INDEX page_h; DROP TABLE unlogged');

# A failed build leaves nothing: no index, no worker, no file.
sub leftovers
{
    return $node->safe_psql('postgres', <<'SQL');
CHECKPOINT;
SELECT 'index ' || relname FROM pg_class WHERE relname = 'page_h';
SELECT 'worker ' || pid FROM pg_stat_activity WHERE backend_type = 'parallel worker';
SELECT 'temporary file ' || name FROM pg_ls_tmpdir();
SELECT 'file ' || file FROM pg_database d, pg_ls_dir('base/' || d.oid) AS file
    WHERE datname = current_database() AND file ~ '^[0-9]+$' AND
        pg_filenode_relation(0, file::oid) IS NULL AND (pg_stat_file('base/' || d.oid || '/' || file)).size > 0;
SQL
}
is(leftovers(), '', 'no files without a relation before');
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION slow(h simhash) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS
$$ BEGIN PERFORM pg_sleep(0.001); RETURN h; END $$;
CREATE FUNCTION failing(id bigint, h simhash) RETURNS simhash IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS
$$ BEGIN IF 1 / (id - 120001) > 1 THEN RETURN NULL; END IF; RETURN h; END $$;
SQL
($launched, $error) = build($node, 2, 'CREATE INDEX page_h ON page USING simhash (public.failing(id, h))');
like($error, qr/division by zero/, 'an error in one process');
is($launched, 2, 'an error in one process: workers');
is(leftovers(), '', 'an error in one process leaves nothing');

($launched, $error) = build($node, 2, 'CREATE INDEX page_h ON page USING simhash (public.slow(h))', "SET statement_timeout = '2s';");
like($error, qr/canceling statement due to statement timeout/, 'cancelled in the scan');
is($launched, 2, 'cancelled in the scan: workers');
is(leftovers(), '', 'cancelled in the scan: nothing is left');

my $killed = open_session($node, on_error_stop => 0);
$killed->query_until(qr/started/, "SET max_parallel_maintenance_workers = 2;\n\\echo started\nCREATE INDEX page_h ON page USING simhash (public.slow(h));\n");
$node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'parallel worker'});
like($node->safe_psql('postgres', q{SELECT phase || ' ' || (blocks_total > 0) FROM pg_stat_progress_create_index}),
    qr/^building index: scanning table true/, 'progress');
$node->safe_psql('postgres', q{SELECT pg_terminate_backend(min(pid)) FROM pg_stat_activity WHERE backend_type = 'parallel worker'});
$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'parallel worker' OR query LIKE 'CREATE INDEX%' AND state = 'active' AND pid <> pg_backend_pid()});
$killed->quit;
is(leftovers(), '', 'a worker that is killed: nothing is left');

# At points in all phases.
my ($cancelled, $done) = (0, 0);
for my $milliseconds (map { 10 * $_ } 1 .. 40) {
    ($launched, $error) = build($node, 2, 'CREATE INDEX page_h ON page USING simhash (h)', "SET statement_timeout = $milliseconds;");
    if ($error eq '') {
        $done++;
        $node->safe_psql('postgres', 'DROP INDEX page_h');
    } elsif ($error =~ /canceling statement due to statement timeout/) {
        $cancelled++;
    } else {
        fail("after $milliseconds ms: $error");
    }
    last if $done >= 3;
}
note("$cancelled cancelled, $done done");
cmp_ok($cancelled, '>', 0, 'cancelled somewhere');
is(leftovers(), '', 'cancelled anywhere: nothing is left');
builds($node, 'after all that', 2, 2, 'CREATE INDEX page_h ON page USING simhash (h)');
$node->stop;

# Without WAL, if the table or the index is new: the pages must be on disk when the transaction commits.
my $minimal = start_node('minimal', settings => [ @settings, 'wal_level = minimal', 'max_wal_senders = 0', 'fsync = on' ]);
prepare_database($minimal);
$minimal->safe_psql('postgres', $fill_page);
for my $threshold ('0', '1GB') { # pages are synced, or logged at the end
    builds($minimal, "minimal, wal_skip_threshold = $threshold", 2, 2, 'CREATE INDEX page_h ON page USING simhash (h)', "SET wal_skip_threshold = '$threshold';");
    $minimal->stop('immediate');
    $minimal->start;
    index_is_sound($minimal, 'page_h', "minimal, wal_skip_threshold = $threshold: sound after a crash");
    answers_agree($minimal, 'page', "minimal, wal_skip_threshold = $threshold: answers after a crash", 3);
    $minimal->safe_psql('postgres', 'DROP INDEX page_h');
}
($launched, $error) = build($minimal, 2, 'BEGIN; CREATE TABLE new_page AS TABLE page; CREATE INDEX new_page_h ON new_page USING simhash (h); COMMIT');
is($error eq '' ? $launched : $error, 2, 'minimal, table of the same transaction');
$minimal->stop('immediate');
$minimal->start;
index_is_sound($minimal, 'new_page_h', 'minimal, table of the same transaction: sound after a crash');
answers_agree($minimal, 'new_page', 'minimal, table of the same transaction: answers after a crash', 3);
$minimal->stop;

done_testing();
