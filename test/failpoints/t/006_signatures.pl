# Sessions that stop at the moments of an insert into a signature store, and of its VACUUM, while others insert, search
# and vacuum. A map page of this build lists three segments, so the indexes have many.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main', settings => ['autovacuum = off']);
prepare_signatures($node);

sub sql { my ($sql) = @_; return $node->safe_psql('postgres', $sql) }

# Starts a command in a session of its own, which it returns at once.
sub starts
{
    my ($command) = @_;
    my $session = open_session($node, on_error_stop => 0);
    $session->query_until(qr/started/, "\\echo started\n$command;\n");
    return $session;
}

# Starts a command in a session and waits until the session has stopped.
sub stops
{
    my ($session, $command, $name) = @_;
    my $from = -s $node->logfile;
    $session->query_until(qr/started/, "\\echo started\n$command;\n");
    my $stopped = 0;
    for (1 .. 600) {
        $stopped = substr(slurp_file($node->logfile), $from) =~ /failpoint [a-z-]+\n/
          || sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory'") > 0;
        last if $stopped;
        select undef, undef, undef, 0.1;
    }
    ok($stopped, $name);
    return;
}

sub ends
{
    my ($session, $name) = @_;
    $session->query('SELECT 1');
    is($session->{stderr}, '', $name);
    $session->quit;
    return;
}

my ($first, $second, $cleaner);
my $keeper = open_session($node);
sub hold { return $keeper->query_safe('SELECT pg_advisory_lock(21320, 0), pg_advisory_lock(21320, 1)') }
sub let_go { return $keeper->query_safe('SELECT pg_advisory_unlock(21320, 0), pg_advisory_unlock(21320, 1)') }

# Builds and inserts that fill many map pages.
sql("CREATE TABLE page (id bigint, h bit(1024)) WITH (autovacuum_enabled = off);
    INSERT INTO page SELECT n, signature(n % 1500, 1024) FROM generate_series(1, 6000) AS n;
    CREATE INDEX page_h ON page USING simhash (h) WITH (trees = 8)");
cmp_ok(sql("SELECT value FROM simhash_index_stats('page_h') WHERE name = 'segments'"), '>', 12, 'a build of many map pages');
signatures_agree($node, 'page', 'built');
sql('INSERT INTO page SELECT n, signature(n, 1024) FROM generate_series(6001, 12000) AS n');
cmp_ok(sql("SELECT value FROM simhash_index_stats('page_h') WHERE name = 'segments'"), '>', 24, 'inserts add map pages');
signatures_agree($node, 'page', 'inserted');
sql('DELETE FROM page WHERE id % 2 = 0; VACUUM page');
my $segments = sql("SELECT value FROM simhash_index_stats('page_h') WHERE name = 'segments'");
sql('INSERT INTO page SELECT n, signature(n, 1024) FROM generate_series(20001, 24000) AS n');
is(sql("SELECT value FROM simhash_index_stats('page_h') WHERE name = 'segments'"), $segments, 'free slots behind all map pages are used');
signatures_agree($node, 'page', 'filled up');

# An insert has its row in the store, but not in the trees: others insert and VACUUM runs meanwhile.
for my $group (1, 2) {
    hold();
    my $writer = session_at($node, "insert-group=wait:$group");
    stops($writer, "INSERT INTO page VALUES (30000 + $group, signature(777, 1024))", 'an insert stops between store and trees');
    sql('DELETE FROM page WHERE id % 10 = 1');
    sql('INSERT INTO page SELECT n, signature(n, 1024) FROM generate_series(31001, 32000) AS n; VACUUM page');
    let_go();
    ends($writer, 'it goes on');
    is(sql("SET enable_seqscan = off; SELECT count(*) FROM page WHERE h <@> signature(777, 1024)::bit(1024) <= 0 AND id = 30000 + $group"), 1, 'its row is found');
    signatures_agree($node, 'page', 'all rows are in all trees');
}

# An insert fails between store and trees.
my (undef, undef, $error) = $node->psql('postgres',
    "LOAD 'simhash'; SET simhash.failpoint = 'insert-group=error'; INSERT INTO page VALUES (40000, signature(777, 1024))");
like($error, qr/failpoint insert-group/, 'an insert fails');
is(sql("SELECT partial_entries FROM simhash_index_check('page_h', true)"), 1, 'it leaves a row in the store');
sql('VACUUM page');
is(sql("SELECT partial_entries FROM simhash_index_check('page_h', true)"), 0, 'VACUUM removes it');

# Two inserts, one of which holds the pages of the store; then a search that finds its row uncommitted.
hold();
$first = session_at($node, 'store-insert=hold');
stops($first, "INSERT INTO page VALUES (50001, signature(888, 1024))", 'an insert holds its pages of the store');
$second = starts("INSERT INTO page SELECT n, signature(n, 1024) FROM generate_series(51001, 51400) AS n");
let_go();
ends($first, 'the first insert goes on');
ends($second, 'and the second');
signatures_agree($node, 'page', 'both inserts');

# Two sessions create segments at the same time.
hold();
$first = session_at($node, 'segment-extended=hold');
stops($first, 'INSERT INTO page SELECT n, signature(n, 1024) FROM generate_series(60001, 64000) AS n', 'an insert creates a segment');
$second = starts("INSERT INTO page SELECT n, signature(n, 1024) FROM generate_series(65001, 69000) AS n");
let_go();
ends($first, 'it goes on');
ends($second, 'another one, too');
signatures_agree($node, 'page', 'two sessions create segments');

# Two sessions link pages into the same lists, and VACUUM opens lists that an insert looks through.
sql("CREATE TABLE listed (id bigint, h bit(1024)) WITH (autovacuum_enabled = off);
    INSERT INTO listed SELECT n, flipped_signature(signature(n % 4, 1024), n, 40) FROM generate_series(1, 600) AS n;
    CREATE INDEX listed_h ON listed USING simhash (h) WITH (trees = 3, lists = 4)");
my $insert = 'INSERT INTO listed SELECT n, flipped_signature(signature(n % 4, 1024), n, 40)';
for my $nth (1, 3) {
    hold();
    $first = session_at($node, "list-page=hold:$nth");
    stops($first, "$insert FROM generate_series(${nth}0001, ${nth}0800) AS n", 'an insert links a page');
    $second = starts("$insert FROM generate_series(${nth}5001, ${nth}5800) AS n");
    let_go();
    ends($first, 'it goes on');
    ends($second, 'another one, too');
    signatures_agree($node, 'listed', 'two sessions link pages');
}
(undef, undef, $error) = $node->psql('postgres',
    "LOAD 'simhash'; SET simhash.failpoint = 'list-page=error'; $insert FROM generate_series(50001, 51000) AS n");
like($error, qr/failpoint list-page/, 'an insert fails in front of the link');
signatures_agree($node, 'listed', 'answers after an insert that failed');
sql('DELETE FROM listed WHERE id % 3 = 0');
hold();
$cleaner = session_at($node, 'vacuum-slots=hold:2');
stops($cleaner, 'VACUUM listed', 'VACUUM stops in front of the slots of a list');
$second = starts("$insert FROM generate_series(60001, 61000) AS n");
let_go();
ends($cleaner, 'it goes on');
ends($second, 'an insert goes on, too');
signatures_agree($node, 'listed', 'slots of lists are freed and used');
my $pages = sql("SELECT value FROM simhash_index_stats('listed_h') WHERE name = 'segments'");
sql("VACUUM listed; DELETE FROM listed WHERE id > 60000; VACUUM listed; $insert FROM generate_series(70001, 71000) AS n");
is(sql("SELECT value FROM simhash_index_stats('listed_h') WHERE name = 'segments'"), $pages, 'inserts use the freed slots of their lists');
signatures_agree($node, 'listed', 'lists that were opened');

# VACUUM frees slots of a segment that an insert has found full, and notes them after the insert has noted that it is full.
# Signatures of 4,096 bits have 450 slots in a segment.
for my $lists (0, 1) {
    my $rows = 'INSERT INTO crowded SELECT n, flipped_signature(signature(0, 4096), n, 40) FROM generate_series';
    sql("DROP TABLE IF EXISTS crowded; CREATE TABLE crowded (id bigint, h bit(4096)) WITH (autovacuum_enabled = off);
        $rows(1, 15) AS n; CREATE INDEX crowded_h ON crowded USING simhash (h) WITH (trees = 1, lists = $lists); $rows(16, 450) AS n");
    sql('DELETE FROM crowded WHERE id <= 300');
    hold();
    $first = session_at($node, 'segment-full=hold');
    stops($first, "$rows(1001, 1001) AS n", "lists = $lists: an insert finds a segment full");
    $cleaner = starts("VACUUM (INDEX_CLEANUP ON) crowded");
    ok($node->poll_query_until('postgres', "SELECT count(*) FILTER (WHERE query ~ '^VACUUM' AND state = 'active' AND wait_event IS DISTINCT FROM 'BufferContent') = 0
        FROM pg_stat_activity"), 'VACUUM waits for it');
    let_go();
    ends($first, 'the insert goes on');
    ends($cleaner, 'and VACUUM');
    sql("$rows(2001, 2680) AS n");
    is(sql("SELECT value FROM simhash_index_stats('crowded_h') WHERE name = 'segments'"), 2, 'inserts use what VACUUM has freed');
    signatures_agree($node, 'crowded', 'a segment that was found full');
}

# VACUUM frees slots behind an insert that looks for one and that knows the list to be open already. Signatures of 4,096 bits
# have 15 slots on a page, and 30 pages in a segment. The build writes the first page of each list, and inserts link others.
sub is_full
{
    my ($name) = @_;
    return is(sql("SELECT string_agg(value::text, ' ') FROM simhash_index_stats('opened_h') WHERE name IN ('segments', 'free_slots')"), '1 0', $name);
}
sub opened
{
    my ($lists) = @_;
    my $rows = "INSERT INTO opened SELECT n, flipped_signature(signature(n % $lists, 4096), n, 40) FROM generate_series";
    sql("DROP TABLE IF EXISTS opened; CREATE TABLE opened (id bigint, h bit(4096)) WITH (autovacuum_enabled = off);
        $rows(1, 15 * $lists) AS n;
        CREATE INDEX opened_h ON opened USING simhash (h) WITH (trees = 1, lists = $lists);
        $rows(15 * $lists + 1, 450) AS n");
    is_full('full lists');
    return;
}
my $vacuum = 'VACUUM (INDEX_CLEANUP ON) opened';
sub vacuum_fails
{
    my ($point, $name) = @_;
    (undef, undef, my $said) = $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = '$point=error:2'; $vacuum");
    like($said, qr/failpoint $point/, $name);
    return;
}
sub is_sound { my ($name) = @_; ok(sql("SELECT simhash_index_check('opened_h', true)"), $name); return }
my $add = 'INSERT INTO opened SELECT n, flipped_signature(signature(0, 4096), n, 40) FROM generate_series';
my $no_page = "LOAD 'simhash'; SET simhash.failpoint = 'list-page=error'";
opened(1);
sql('DELETE FROM opened WHERE id = 1');
sql($vacuum);
sql("$add(1001, 1001) AS n");
sql('DELETE FROM opened WHERE id IN (200, 201)');
hold();
$first = session_at($node, 'list-searched=wait');
stops($first, "$add(1002, 1002) AS n", 'an insert has found no free slot');
sql($vacuum);
let_go();
ends($first, 'it goes on');
sql("$add(1003, 1016) AS n");
sql("$no_page; $add(1017, 1018) AS n");
is_sound('inserts find the slots that VACUUM has freed meanwhile');

# VACUUM fails after it has freed slots of one of two lists, and before it opens the list. The next one opens it.
opened(2);
sql('DELETE FROM opened WHERE id IN (224, 225)');
vacuum_fails('vacuum-slots', 'VACUUM fails between the slots of two lists');
sql($vacuum);
sql("$no_page; INSERT INTO opened SELECT 2000 + n, flipped_signature(signature(n, 4096), n, 40) FROM generate_series(0, 1) AS n");
is_sound('inserts find the slots of both');

# Lists in which nothing is freed are not written, though they have unused slots.
sql("CREATE TABLE holed AS SELECT n AS id, flipped_signature(signature(n % 100, 4096), n, 40)::bit(4096) AS h FROM generate_series(1, 1500) AS n;
    ALTER TABLE holed SET (autovacuum_enabled = off);
    CREATE INDEX holed_h ON holed USING simhash (h) WITH (trees = 1, lists = 100);
    DELETE FROM holed WHERE id % 3 = 0");
sql('VACUUM (INDEX_CLEANUP ON) holed');
sql('DELETE FROM holed WHERE id = 1; CHECKPOINT');
my $before_vacuum = sql('SELECT pg_current_wal_insert_lsn()');
sql('VACUUM (INDEX_CLEANUP ON) holed');
cmp_ok(sql("SELECT pg_current_wal_insert_lsn() - '$before_vacuum'"), '<', 300_000, 'VACUUM writes the lists in which it frees slots');

# Pages of a list whose rows are gone are used by another list, or by the same again, while a search is on the way to one of
# them. Of the first list the first two pages and the last one keep their rows.
my $near = sub {
    my ($n) = @_;
    return "SELECT 1 / (count(*) = 40 AND count(DISTINCT id) = 40 AND max(abs(id % 2 - $n)) = 0)::int FROM
        (SELECT id FROM opened ORDER BY h <@> signature_nearest(signature($n, 4096)::bit(4096), 0.9, 40) LIMIT 40) AS near";
};
for my $user (1, 0) {
    opened(2);
    sql('DELETE FROM opened WHERE id % 2 = 0 AND id BETWEEN 61 AND 420');
    hold();
    $first = session_at($node, 'list-read=wait:2');
    $first->query_safe('SET enable_seqscan = off');
    stops($first, $near->(0), 'a search is between two pages of a list');
    vacuum_fails('list-left', 'VACUUM fails between two pages');
    is_sound('the chain is whole');
    sql($vacuum);
    sql("INSERT INTO opened SELECT 3000 + 2 * n + $user, flipped_signature(signature($user, 4096), n, 400) FROM generate_series(1, 180) AS n");
    is_full('all pages are used again');
    let_go();
    ends($first, 'the search goes on');
    sql("SET enable_seqscan = off; " . $near->($_)) for 0, 1;
    is_sound('the index is sound');
}

# The check has followed the chain of a list, and is in that of the next one, when pages leave this and come to the former.
opened(2);
sql('DELETE FROM opened WHERE id BETWEEN 61 AND 420');
hold();
$first = session_at($node, 'check-page=wait:17');
stops($first, q(SELECT simhash_index_check('opened_h')), 'the check follows the chain of a list');
sql($vacuum);
sql("INSERT INTO opened SELECT 3000 + n, flipped_signature(signature(n % 2, 4096), n, 40) FROM generate_series(1, 300) AS n");
let_go();
ends($first, 'it goes on');

# An insert has found a slot on a page that leaves its list meanwhile. (Rows 196 to 210 are on one page.)
opened(1);
sql('DELETE FROM opened WHERE id BETWEEN 197 AND 210');
sql($vacuum);
sql('DELETE FROM opened WHERE id = 196');
hold();
$first = session_at($node, 'list-searched=wait');
stops($first, "$add(1001, 1001) AS n", 'an insert has found a free slot');
sql($vacuum);
let_go();
ends($first, 'it goes on');
is_sound('its row is on a page of its list');

# The same, but VACUUM fails behind that page, before it opens the list anew: inserts begin to look at a page of no list.
opened(1);
sql('DELETE FROM opened WHERE id BETWEEN 197 AND 210');
sql($vacuum);
sql('DELETE FROM opened WHERE id = 196 OR id BETWEEN 31 AND 45');
hold();
$first = session_at($node, 'list-searched=wait');
$first->query_safe("SET statement_timeout = '60s'");
stops($first, "$add(1001, 1001) AS n", 'an insert has found a free slot');
vacuum_fails('list-left', 'VACUUM fails after the first of two pages');
let_go();
ends($first, 'it goes on');
sql("SET statement_timeout = '20s'; $add(1002, 1040) AS n");
is_sound('inserts find other slots');

# A page that VACUUM has found empty is used before it leaves its list.
opened(1);
sql('DELETE FROM opened WHERE id BETWEEN 436 AND 450');
hold();
$cleaner = session_at($node, 'list-left=wait');
stops($cleaner, $vacuum, 'VACUUM has found an empty page');
sql("$add(1001, 1001) AS n");
let_go();
ends($cleaner, 'it goes on');
is_sound('the page stays');

# A page is linked in front of one that VACUUM has found empty, by an insert that had found no slot before.
opened(1);
sql('DELETE FROM opened WHERE id BETWEEN 1 AND 15 OR id BETWEEN 31 AND 45');
sql($vacuum);
sql("$add(1001, 1015) AS n");
sql('DELETE FROM opened WHERE id BETWEEN 436 AND 450');
hold();
$first = session_at($node, 'list-searched=wait');
stops($first, "$add(1016, 1016) AS n", 'an insert has found no free slot');
$cleaner = session_at($node, 'list-left=hold');
stops($cleaner, $vacuum, 'VACUUM has found an empty page');
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 0)');
ends($first, 'the insert links a page');
$keeper->query_safe('SELECT pg_advisory_unlock(21320, 1)');
ends($cleaner, 'VACUUM goes on');
is_sound('the chain has both');

# Two sessions have found no free slot: one of them creates a segment, and both use it.
sql("CREATE TABLE filled (id bigint, h bit(1024)) WITH (autovacuum_enabled = off);
    CREATE INDEX filled_h ON filled USING simhash (h) WITH (trees = 4);
    INSERT INTO filled VALUES (1, signature(1, 1024));
    INSERT INTO filled SELECT 1 + n, signature(n, 1024) FROM simhash_index_stats('filled_h'), generate_series(1, value::int) AS n WHERE name = 'free_slots'");
my $size = "SELECT string_agg(value::text, ' ') FROM simhash_index_stats('filled_h') WHERE name IN ('segments', 'free_slots')";
is(sql($size), '1 0', 'a full segment');
hold();
my @writers = map { session_at($node, 'segment-wanted=wait') } 1, 2;
$writers[$_]->query_until(qr/started/, "\\echo started\nINSERT INTO filled VALUES (1000000 + $_, signature(999, 1024));\n") for 0, 1;
ok($node->poll_query_until('postgres', "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event = 'advisory'"), 'two inserts want a segment');
let_go();
ends($_, 'both go on') for @writers;
like(sql($size), qr/^2 /, 'there is one more segment');
signatures_agree($node, 'filled', 'two sessions want a segment');

# VACUUM has found the dead rows: rows that are inserted now must stay, in new segments and in free slots.
sql('DELETE FROM page WHERE id % 3 = 0');
hold();
$cleaner = session_at($node, 'vacuum-page=wait:10');
stops($cleaner, 'VACUUM page', 'VACUUM stops in front of the trees');
sql('INSERT INTO page SELECT n, signature(n, 1024) FROM generate_series(70001, 72000) AS n');
let_go();
ends($cleaner, 'it goes on');
signatures_agree($node, 'page', 'rows inserted during VACUUM');

# VACUUM has removed the entries and is about to free the slots.
sql('DELETE FROM page WHERE id % 5 = 0');
hold();
$cleaner = session_at($node, 'vacuum-slots=hold:2');
stops($cleaner, 'VACUUM page', 'VACUUM stops in front of the slots');
$second = starts("INSERT INTO page SELECT n, signature(n, 1024) FROM generate_series(80001, 82000) AS n");
let_go();
ends($cleaner, 'it goes on');
ends($second, 'an insert goes on, too');
signatures_agree($node, 'page', 'slots are freed and used');
sql('DELETE FROM page WHERE id % 7 = 0');
(undef, undef, $error) = $node->psql('postgres', "LOAD 'simhash'; SET simhash.failpoint = 'vacuum-slots=error:2'; VACUUM page");
like($error, qr/failpoint vacuum-slots/, 'VACUUM fails in front of the slots');
cmp_ok(sql("SELECT partial_entries FROM simhash_index_check('page_h', true)"), '>', 0, 'rows without entries are left');
signatures_agree($node, 'page', 'answers after a VACUUM that failed');
sql('VACUUM page');
is(sql("SELECT partial_entries FROM simhash_index_check('page_h', true)"), 0, 'the next one removes them');
signatures_agree($node, 'page', 'answers after VACUUM');

# A transaction that began before a slot was freed and used again.
sql("CREATE TABLE slow (id bigint, h bit(1024)) WITH (autovacuum_enabled = off);
    INSERT INTO slow SELECT n, signature(n % 3, 1024) FROM generate_series(1, 2000) AS n;
    CREATE INDEX slow_h ON slow USING simhash (h) WITH (trees = 4);
    DELETE FROM slow WHERE id % 2 = 0");
hold();
# It waits at its first leaf. That holds so many equal rows that the search changes to a scan of the store.
my $reader = session_at($node, 'scan-leaf=wait:1');
$reader->query_safe('SET enable_seqscan = off; SET enable_bitmapscan = off');
stops($reader, "CREATE TABLE seen AS SELECT id FROM slow WHERE h <@> signature(1, 1024)::bit(1024) <= 0", 'a search stops');
sql('VACUUM slow; INSERT INTO slow SELECT n, signature(n % 3, 1024) FROM generate_series(10001, 12000) AS n');
let_go();
ends($reader, 'it goes on');
is(sql('SELECT count(*), count(DISTINCT id), max(id) < 3000 FROM seen'),
    sql('SELECT count(*), count(*), true FROM slow WHERE id < 3000 AND (h <@> signature(1, 1024)::bit(1024))::int <= 0'),
    'it finds each row of its snapshot once, and no other');
signatures_agree($node, 'slow', 'slots that were used again');
$keeper->quit;

# A cancel that arrives while a layout is chosen is obeyed before the choice is done, early in it and late.
sql("CREATE TABLE long (h bit(4096)); INSERT INTO long SELECT signature(n, 4096) FROM generate_series(1, 200) AS n");
for my $nth (1, 201, 600)
{
    (undef, undef, $error) = $node->psql('postgres', "LOAD 'simhash';
        SET simhash.failpoint = 'layout-step=cancel:$nth, layout-chosen=error'; CREATE INDEX ON long USING simhash (h)");
    like($error, qr/canceling statement due to user request/, "cancelled in step $nth of choosing a layout");
}

done_testing();
