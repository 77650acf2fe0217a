# The earlier release's SQL objects work with the present library, and ALTER EXTENSION UPDATE makes of them what
# CREATE EXTENSION makes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $release = '0.1.0';
my $node = start_node('main');

# -- The catalogue --------------------------------------------------------------------------------------------

# Every row of the catalogues that is not of initdb, with names instead of OIDs. The databases contain nothing else.
my $catalogue = <<'SQL';
SET search_path = pg_catalog;
WITH ours AS (
    SELECT 'type' AS kind, format_type(oid, -1) AS name, to_jsonb(t) - '{typarray,typelem,typrelid,typbasetype}'::text[]
        || jsonb_build_object('array', typarray::regtype, 'element', typelem::regtype, 'base', typbasetype::regtype) AS row
    FROM pg_type AS t WHERE oid >= 16384 UNION ALL
    SELECT 'function', oid::regprocedure::text, to_jsonb(p) - '{prorettype,proargtypes,proallargtypes,proargdefaults,prolang}'::text[]
        || jsonb_build_object('is', CASE WHEN prokind = 'a' THEN pg_get_function_arguments(oid) ELSE pg_get_functiondef(oid) END,
            'returns', prorettype::regtype)
    FROM pg_proc AS p WHERE oid >= 16384 UNION ALL
    SELECT 'aggregate', aggfnoid::regprocedure::text, to_jsonb(a) - '{aggfnoid,aggsortop,aggtranstype,aggmtranstype}'::text[]
        || jsonb_build_object('sort', aggsortop::regoperator, 'state', aggtranstype::regtype, 'moving state', aggmtranstype::regtype)
    FROM pg_aggregate AS a WHERE aggfnoid >= 16384 UNION ALL
    SELECT 'operator', oid::regoperator::text, to_jsonb(o) - '{oprleft,oprright,oprresult,oprcom,oprnegate,oprcode}'::text[]
        || jsonb_build_object('result', oprresult::regtype, 'commutator', oprcom::regoperator, 'negator', oprnegate::regoperator,
            'function', oprcode::regprocedure)
    FROM pg_operator AS o WHERE oid >= 16384 UNION ALL
    SELECT 'cast', pg_describe_object('pg_cast'::regclass, oid, 0), to_jsonb(c) - '{castsource,casttarget,castfunc}'::text[]
        || jsonb_build_object('function', castfunc::regprocedure)
    FROM pg_cast AS c WHERE oid >= 16384 UNION ALL
    SELECT 'access method', amname, to_jsonb(a) FROM pg_am AS a WHERE oid >= 16384 UNION ALL
    SELECT 'operator family', pg_describe_object('pg_opfamily'::regclass, oid, 0), to_jsonb(f) - 'opfmethod'
    FROM pg_opfamily AS f WHERE oid >= 16384 UNION ALL
    SELECT 'operator class', pg_describe_object('pg_opclass'::regclass, oid, 0), to_jsonb(o) - '{opcmethod,opcfamily,opcintype,opckeytype}'::text[]
        || jsonb_build_object('family', pg_describe_object('pg_opfamily'::regclass, opcfamily, 0), 'type', opcintype::regtype,
            'key', opckeytype::regtype)
    FROM pg_opclass AS o WHERE oid >= 16384 UNION ALL
    SELECT 'operator of a class', pg_describe_object('pg_amop'::regclass, oid, 0),
        to_jsonb(a) - '{amopfamily,amoplefttype,amoprighttype,amopopr,amopmethod,amopsortfamily}'::text[]
        || jsonb_build_object('operator', amopopr::regoperator, 'sorted by', pg_describe_object('pg_opfamily'::regclass, nullif(amopsortfamily, 0), 0))
    FROM pg_amop AS a WHERE oid >= 16384 UNION ALL
    SELECT 'function of a class', pg_describe_object('pg_amproc'::regclass, oid, 0),
        to_jsonb(a) - '{amprocfamily,amproclefttype,amprocrighttype,amproc}'::text[] || jsonb_build_object('function', amproc::regprocedure)
    FROM pg_amproc AS a WHERE oid >= 16384 UNION ALL
    SELECT 'comment', pg_describe_object(classoid, objoid, objsubid), to_jsonb(description)
    FROM pg_description WHERE objoid >= 16384 UNION ALL
    SELECT 'privileges', pg_describe_object(classoid, objoid, objsubid), to_jsonb(initprivs)
    FROM pg_init_privs WHERE objoid >= 16384 UNION ALL
    SELECT 'dependency', pg_describe_object(classid, objid, objsubid), to_jsonb(pg_describe_object(refclassid, refobjid, refobjsubid) || ', ' || deptype::text)
    FROM pg_depend WHERE objid >= 16384)
SELECT kind || ' ' || name || ': ' || CASE WHEN jsonb_typeof(row) = 'object'
    THEN (SELECT string_agg(key || ' ' || value, ', ' ORDER BY key) FROM jsonb_each_text(row) WHERE key NOT IN ('oid', 'opfnamespace', 'opcnamespace', 'oprnamespace', 'pronamespace', 'typnamespace'))
    ELSE row #>> '{}' END FROM ours ORDER BY 1
SQL

# Installed by the owner of the database, who is no superuser, in another schema than the usual one.
$node->safe_psql('postgres', 'CREATE ROLE db_owner LOGIN');
my @as_owner = (extra_params => [ '-U', 'db_owner' ]);
sub install
{
    my ($database, $with) = @_;
    $node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0 OWNER db_owner");
    $node->safe_psql($database, "CREATE SCHEMA \"Other\"; CREATE EXTENSION simhash SCHEMA \"Other\" $with", @as_owner);
    return;
}

install('fresh', '');
install('upgraded', "VERSION '$release'");
my $version = $node->safe_psql('fresh', "SELECT extversion FROM pg_extension WHERE extname = 'simhash'");

# Only as many lines as a reader takes in.
sub differences
{
    my ($have, $want) = @_;
    my (%have, %want);
    $have{$_} = 1 for split /\n/, $have;
    $want{$_} = 1 for split /\n/, $want;
    my @lines = ((map { "only after the upgrade: $_" } sort grep { !$want{$_} } keys %have),
        (map { "only in a new installation: $_" } sort grep { !$have{$_} } keys %want));
    my $more = @lines - 20;
    @lines = (@lines[0 .. 19], "and $more more") if $more > 0;
    return join "\n", @lines;
}

my $fresh = $node->safe_psql('fresh', $catalogue);
isnt(differences($node->safe_psql('upgraded', $catalogue), $fresh), '', "the catalogue of $release differs from that of $version");

# A C function that is called with fewer arguments than before must not read those that are not there.
is($node->safe_psql('upgraded', <<'SQL', @as_owner) =~ s/\n/, /gr, 'simhash_report, simhash_url_features', 'functions that got further arguments');
CREATE TEMP TABLE old AS SELECT proname, prosrc, pronargs FROM pg_proc WHERE oid >= 16384 AND prosrc <> '';
ALTER EXTENSION simhash UPDATE;
SELECT old.proname FROM old WHERE NOT EXISTS (
    SELECT FROM pg_proc WHERE oid >= 16384 AND prosrc = old.prosrc AND pronargs = old.pronargs) ORDER BY 1
SQL
is($node->safe_psql('upgraded', "SELECT extversion FROM pg_extension WHERE extname = 'simhash'"), $version, 'updated');
is(differences($node->safe_psql('upgraded', $catalogue), $fresh), '', 'ALTER EXTENSION UPDATE ends in the catalogue of a new installation');

# -- The earlier release's objects with the present library ----------------------------------------------------

prepare_database($node, version => $release);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE page (id bigint, h simhash);
INSERT INTO page SELECT n, fingerprint(n / 2) FROM generate_series(1, 5000) AS n;
INSERT INTO page SELECT 10000 + n, to_simhash('number ' || n) FROM generate_series(1, 100) AS n;
INSERT INTO page SELECT -n, NULL FROM generate_series(1, 10) AS n;
CREATE INDEX page_h ON page USING simhash (h);
ANALYZE page;
CREATE TABLE link (url text, h simhash GENERATED ALWAYS AS (to_simhash(url)) STORED);
INSERT INTO link VALUES ('http://a.example/b/index.html');
SQL

# The same queries for both versions. What got further columns is asked for the earlier ones.
my $queries = <<'SQL';
SET enable_seqscan = off;
SELECT simhash_url_features(url, '{b}') FROM link;
SELECT simhash_url_features(url) FROM link;
SELECT topic, item, value FROM simhash_report('page', 'h') WHERE topic = 'rows';
SELECT distance, tables, header_bits, fillfactor, rows, nulls, reindex_pending, fitted FROM simhash_index_stats('page_h');
SELECT count(*) FROM simhash_probe_plan('page_h', fingerprint(7), 3);
SELECT count(*) FROM simhash_probe_plan('page_h', simhash_ball(to_simhash_weights('number 7'), 3, 0.5));
SELECT id FROM page ORDER BY h <@> fingerprint(7) LIMIT 2;
SELECT count(*) FROM page WHERE h <@> to_simhash_weights('number 7') <= 2;
SELECT count(*), min(distance), max(distance) FROM simhash_pairs('page_h', 3);
SELECT count(*) FROM simhash_groups('page_h', 3);
SELECT * FROM simhash_index_check('page_h', true);
SELECT h = 'ffffffffffffffff', count(*) FROM page WHERE h ~= '0000000000000000' OR h IS NULL GROUP BY 1;
SQL
my $before = $node->safe_psql('postgres', $queries);
answers_agree($node, 'page', "an index of $release, by the present library");
$node->safe_psql('postgres', 'CREATE VIEW stats AS SELECT * FROM simhash_index_stats(0)');
my ($status, undef, $error) = $node->psql('postgres', 'ALTER EXTENSION simhash UPDATE');
isnt($status, 0, 'a view on a function that changes stops the update');
like($error, qr/view stats depends on function simhash_index_stats/, 'and the error names it');
$node->safe_psql('postgres', 'DROP VIEW stats; ALTER EXTENSION simhash UPDATE');
is($node->safe_psql('postgres', $queries), $before, 'all answers are the same after the update');
answers_agree($node, 'page', "an index of $release after the update");
$node->safe_psql('postgres', "INSERT INTO page SELECT n, fingerprint(n / 2) FROM generate_series(5001, 6000) AS n; DELETE FROM page WHERE id % 10 = 0; VACUUM page");
answers_agree($node, 'page', 'and after inserts and VACUUM');
index_is_sound($node, 'page_h', 'it is sound');

# What the new version adds.
prepare_signatures($node);
$node->safe_psql('postgres', 'CREATE TABLE wide AS SELECT n AS id, signature(n, 128)::bit(128) AS h FROM generate_series(1, 1000) AS n; CREATE INDEX wide_h ON wide USING simhash (h)');
signatures_agree($node, 'wide', 'indexes on bit strings, after the update');

$node->stop;
done_testing();
