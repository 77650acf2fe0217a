# pg_upgrade moves a database that has the extension: its values, indexes, constraints and views work as before.
#
# The old server is of the same version. Where UPGRADE_FROM names the pg_config of an older server, in which the
# extension is installed, its database is moved as well. From 18 on pg_upgrade looks for a library only where the server's
# own are: there the extension has to be installed, too.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

chomp(my ($new_programs, $version, $libraries) = map { `pg_config $_` } '--bindir', '--version', '--pkglibdir');
plan skip_all => 'pg_upgrade needs the extension in the directory of the server'
    if $version =~ /PostgreSQL (\d+)/ && $1 >= 18 && !-e "$libraries/simhash.so";

my $data = <<'SQL';
CREATE TABLE page (id bigint PRIMARY KEY, h simhash);
INSERT INTO page SELECT n, CASE WHEN n % 100 <> 0 THEN flipped(fingerprint(n % 4000), n, n::int % 5) END
    FROM generate_series(1, 8000) AS n;
CREATE INDEX page_h ON page USING simhash (h) WITH (design_radius = 4, fillfactor = 80);
CREATE TABLE picture (id bigint, h bit(256));
INSERT INTO picture SELECT n, flipped_signature(signature(n % 300, 256), n, n::int % 9)::bit(256)
    FROM generate_series(1, 1200) AS n;
CREATE INDEX picture_h ON picture USING simhash (h);
CREATE TABLE distinct_page (h simhash, EXCLUDE USING simhash (h WITH ~=));
INSERT INTO distinct_page SELECT fingerprint(n) FROM generate_series(1, 200) AS n;
CREATE TABLE document (id int, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED,
    weights simhash_weights);
INSERT INTO document (id, body, weights) SELECT n, body, to_simhash_weights(body)
    FROM (SELECT n, 'number ' || n || ' of ' || md5(n::text) AS body FROM generate_series(1, 200) AS n) AS bodies;
CREATE VIEW near AS SELECT a.id AS a, b.id AS b, a.h <@> b.h AS distance
    FROM page AS a JOIN page AS b ON a.h <@> b.h <= 3 AND a.id < b.id;
CREATE VIEW alike AS SELECT a.id AS a, b.id AS b, minhash_similarity(a.h, b.h) AS similarity
    FROM picture AS a JOIN picture AS b ON minhash_at_least(a.h, b.h, 0.95) AND a.id < b.id;
CREATE TABLE pairs AS TABLE alike;
SELECT add_items(1, 400);
SQL

my @questions = (
    'SELECT count(*), md5(string_agg(id || h::text, \' \' ORDER BY id)) FROM page',
    'SELECT count(*), md5(string_agg(id || h::text, \' \' ORDER BY id)) FROM picture',
    'SELECT md5(string_agg(id || h::text || weights::text, \' \' ORDER BY id)) FROM document',
    'SELECT count(*) FROM document WHERE h IS DISTINCT FROM to_simhash(body)',
    'SELECT count(*), sum(distance), md5(string_agg(a || \' \' || b, \' \' ORDER BY a, b)) FROM near',
    'SELECT count(*), sum(similarity), md5(string_agg(a || \' \' || b, \' \' ORDER BY a, b)) FROM alike',
    'SELECT count(*), sum(similarity) FROM pairs WHERE similarity >= 0.95',
    'SELECT array_agg(distance) FROM (SELECT h <@> fingerprint(7) AS distance FROM page
        ORDER BY h <@> fingerprint(7) LIMIT 20) AS nearest',
    'SELECT pg_get_viewdef(\'near\'), pg_get_viewdef(\'alike\')');

sub answers
{
    my ($node) = @_;
    return join "\n", map { $node->safe_psql('postgres', $_) } @questions;
}

# Whether the objects are those that CREATE EXTENSION makes.
sub objects
{
    my ($node) = @_;
    return $node->safe_psql('postgres', <<'SQL');
SELECT string_agg(pg_describe_object(classid, objid, objsubid), E'\n' ORDER BY pg_describe_object(classid, objid, objsubid))
FROM pg_depend WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'simhash') AND deptype = 'e'
SQL
}

sub upgrade
{
    my ($name, $old, $old_programs) = @_;
    prepare_database($old);
    prepare_signatures($old);
    prepare_classes($old);
    $old->safe_psql('postgres', $data);
    my ($answers, $objects) = (answers($old), objects($old));
    $old->stop;

    my $new = PostgreSQL::Test::Cluster->new("new_$name");
    $new->init;
    chdir ${PostgreSQL::Test::Utils::tmp_check};
    my ($status, $output) = do {
        my $output = '';
        delete local $ENV{PGHOST};
        my $done = IPC::Run::run([ "$new_programs/pg_upgrade", '--old-bindir', $old_programs, '--new-bindir', $new_programs,
            '--old-datadir', $old->data_dir, '--new-datadir', $new->data_dir, '--socketdir', $new->host,
            '--old-port', $old->port, '--new-port', $new->port ], '>', \$output, '2>&1');
        ($done, $output);
    };
    ok($status, "$name: pg_upgrade succeeds") or return diag($output);

    $new->append_conf('postgresql.conf', "jit = off\n");
    $new->start;
    is(answers($new), $answers, "$name: values, indexes and views give the same answers");
    is(objects($new), $objects, "$name: the extension has its objects");
    answers_agree($new, 'page', "$name: the index on fingerprints agrees with a sequential scan");
    is($new->safe_psql('postgres', "SELECT differing_signatures('picture', $_)"), 0,
        "$name: the index on signatures agrees with a sequential scan, distance $_") for 0, 8;
    classes_agree($new, "$name: other classes agree with a sequential scan");
    index_is_sound($new, $_, "$name: $_ is sound") for qw(page_h picture_h distinct_page_h_excl);
    my (undef, undef, $error) = $new->psql('postgres', 'INSERT INTO distinct_page SELECT flipped(fingerprint(5), 1, 2)');
    like($error, qr/conflicting key value violates exclusion constraint/, "$name: the constraint rejects a near-duplicate");
    $new->safe_psql('postgres', 'INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(10001, 11000) AS n');
    answers_agree($new, 'page', "$name: rows can be added");
    $new->safe_psql('postgres', 'DROP VIEW near, alike; DROP TABLE page, picture, distinct_page, document, pairs, query, item;
        DROP FUNCTION add_items, text_of, fingerprint, flipped, signature, flipped_signature; DROP EXTENSION simhash');
    $new->stop;
    return;
}

upgrade('same', start_node('old_same'), $new_programs);

SKIP: {
    my $older = $ENV{UPGRADE_FROM} // '';
    skip 'UPGRADE_FROM does not name the pg_config of an older server', 1 unless -x $older;
    chomp(my ($programs, $share) = map { `$older $_` } qw(--bindir --sharedir));
    skip "the extension is not installed in the server of $older", 1 unless -e "$share/extension/simhash.control";
    my $old = do {
        # The settings lead to the library of the new version.
        local $ENV{TEMP_CONFIG} = '/dev/null';
        my $node = PostgreSQL::Test::Cluster->new('old_other', install_path => $programs =~ s{/bin$}{}r);
        $node->init;
        $node->append_conf('postgresql.conf', "jit = off\n");
        $node->start;
        $node;
    };
    upgrade('other', $old, $programs);
}

done_testing();
