# tools/upgrade-script.pl, tried on an invented next version: what ALTER EXTENSION UPDATE makes of the release is what
# CREATE EXTENSION makes of the next version.
use strict;
use warnings;
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

# -- The two versions -----------------------------------------------------------------------------------------

my $top = dirname(dirname($FindBin::RealBin));
my $control = slurp_file("$top/simhash.control");
my ($release) = $control =~ /^default_version *= *'(.*)'/m;
my $next = '1000.0.0';
my $script = `awk -f "$top/src/install-script.awk" "$top/sql/simhash.sql"`;

# The release lacks all that follows the access method. A function of it is dropped, one gets another argument, and one
# only another cost.
my ($beginning) = $script =~ /^(.*?)^CREATE ACCESS METHOD/ms;
sub invented
{
    my ($name, $arguments, $cost) = @_;
    return "CREATE FUNCTION $name($arguments) RETURNS integer\n    AS 'MODULE_PATHNAME', 'simhash_hash' LANGUAGE c IMMUTABLE STRICT COST $cost;\n"
        . "COMMENT ON FUNCTION $name(" . join(', ', map { s/^\w+ | DEFAULT.*//gr } split /, /, $arguments) . ") IS 'an invented function';\n";
}
my %content = (
    'simhash.control' => $control =~ s/^(default_version *= *)'.*'/$1'$next'/mr,
    "sql/simhash--$release.sql" => $beginning . invented('invented_dropped', 'h simhash', 1) . invented('invented_changed', 'h simhash', 1)
        . invented('invented_kept', 'h simhash', 1),
    'sql/simhash.sql' => $script . invented('invented_new', 'h simhash', 1) . invented('invented_changed', 'h simhash, seed bigint DEFAULT 0', 1)
        . invented('invented_kept', 'h simhash', 7));
my $checkout = PostgreSQL::Test::Utils::tempdir();
mkdir "$checkout/sql" or die $!;
append_to_file("$checkout/$_", $content{$_}) for keys %content;

my @tool = ($^X, "$top/tools/upgrade-script.pl");
my $update = "sql/simhash--$release--$next.sql";
ok(!run_log([ @tool, '--check', $checkout ]), 'the script is missing');
command_ok([ @tool, $checkout ], 'written for the first time');
my $written = slurp_file("$checkout/$update");
$written =~ s/^(?=-- What follows)/DROP FUNCTION invented_dropped(simhash);\nDROP FUNCTION invented_changed(simhash);\n/m;
unlink "$checkout/$update";
append_to_file("$checkout/$update", "$written-- One line more.\n");
ok(!run_log([ @tool, '--check', $checkout ]), 'out of date');
command_ok([ @tool, $checkout ], 'written again');
command_ok([ @tool, '--check', $checkout ], 'and complete');
$written = slurp_file("$checkout/$update");
like($written, qr/^CREATE OR REPLACE FUNCTION invented_kept/m, 'a function with the same arguments is replaced');
unlike($written, qr/CREATE TYPE/, 'what the release has is not repeated');

# -- A server that finds them ---------------------------------------------------------------------------------

# Links to all that the tests' server finds, and the scripts of both versions.
my $root = PostgreSQL::Test::Utils::tempdir();
chomp(my ($share, $programs) = map { `pg_config $_` } '--sharedir', '--bindir');
s/^\Q$ENV{STAGED}\E// for $share, $programs; # if the server was copied
system_or_bail('cp', '-rs', "$ENV{STAGED}/.", $root);
my $extension = "$root$share/extension";
unlink "$extension/simhash.control", glob "$extension/simhash--*.sql";
append_to_file("$extension/" . basename($_), slurp_file("$checkout/$_")) for 'simhash.control', "sql/simhash--$release.sql", $update;
append_to_file("$extension/simhash--$next.sql", slurp_file("$checkout/sql/simhash.sql"));

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
# A later setting of the same name overrides the one that all servers of the tests have.
$node->append_conf('postgresql.conf', join '', map { s/'\Q$ENV{STAGED}\E/'$root/r } grep { /^extension_/ } map { "$_\n" } split /\n/, slurp_file($ENV{TEMP_CONFIG}));
{
    # A server that was copied finds its files where its program is, which must not be a link.
    local $ENV{PATH} = $ENV{PATH};
    if (-e "$root$programs/postgres") {
        system_or_bail('cp', '--remove-destination', '-L', glob("$ENV{STAGED}$programs/*"), "$root$programs");
        $ENV{PATH} = "$root$programs:$ENV{PATH}";
    }
    $node->start;
}

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

# -- The update -----------------------------------------------------------------------------------------------

# Installed by the owner of the database, who is no superuser, in another schema than the usual one.
$node->safe_psql('postgres', 'CREATE ROLE db_owner LOGIN');
my @as_owner = (extra_params => [ '-U', 'db_owner' ]);
for my $database ([ 'fresh', $next ], [ 'upgraded', $release ]) {
    my ($name, $version) = @$database;
    $node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE template0 OWNER db_owner");
    $node->safe_psql($name, "CREATE SCHEMA \"Other\"; CREATE EXTENSION simhash SCHEMA \"Other\" VERSION '$version'", @as_owner);
}
my $fresh = $node->safe_psql('fresh', $catalogue);
isnt(differences($node->safe_psql('upgraded', $catalogue), $fresh), '', 'the catalogues of the two versions differ');

$node->safe_psql('upgraded', 'CREATE VIEW own AS SELECT "Other".invented_changed(NULL)', @as_owner);
my ($status, undef, $error) = $node->psql('upgraded', 'ALTER EXTENSION simhash UPDATE', @as_owner);
isnt($status, 0, 'a view on a function that changes stops the update');
like($error, qr/view public\.own depends on function .*invented_changed/, 'and the error names it');
$node->safe_psql('upgraded', 'DROP VIEW own; ALTER EXTENSION simhash UPDATE', @as_owner);
is($node->safe_psql('upgraded', "SELECT extversion FROM pg_extension WHERE extname = 'simhash'"), $next, 'updated');
is(differences($node->safe_psql('upgraded', $catalogue), $fresh), '', 'ALTER EXTENSION UPDATE ends in the catalogue of a new installation');

$node->stop;
done_testing();
