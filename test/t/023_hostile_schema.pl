# CREATE EXTENSION by a database owner who is not a superuser, with schemas prepared by others: a hostile one first in the
# search_path, and conflicting objects. The script, which runs with superuser privileges, must use none of them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main');
$node->safe_psql('postgres', <<'SQL');
CREATE ROLE db_owner LOGIN;
CREATE ROLE attacker LOGIN;
SQL

# Objects that a script could mistake for the core's: functions, operators, types and casts of the same names, with
# arguments that match better. Each of them reports its use.
my $trap = <<'SQL';
CREATE SCHEMA trap AUTHORIZATION attacker;
GRANT USAGE ON SCHEMA trap TO PUBLIC;
SET SESSION AUTHORIZATION attacker;
SET search_path = trap, pg_catalog;
CREATE FUNCTION sprung(what text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the trap was sprung as % by %', current_user, what; END $$;
-- types that the script names
CREATE DOMAIN integer AS pg_catalog.int4 CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "int4" AS pg_catalog.int4 CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "bigint" AS pg_catalog.int8 CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "int8" AS pg_catalog.int8 CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "text" AS pg_catalog.text CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "bytea" AS pg_catalog.bytea CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "jsonb" AS pg_catalog.jsonb CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "tsvector" AS pg_catalog.tsvector CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "regclass" AS pg_catalog.regclass CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "regtype" AS pg_catalog.regtype CHECK (trap.sprung('a domain') IS NULL);
CREATE DOMAIN "name" AS pg_catalog.name CHECK (trap.sprung('a domain') IS NULL);
CREATE TYPE simhash AS (x pg_catalog.int4);
CREATE TYPE simhash_weights AS (x pg_catalog.int4);
CREATE TYPE simhash_ball AS (x pg_catalog.int4);
CREATE DOMAIN hamming_distance AS pg_catalog.int4 CHECK (trap.sprung('hamming_distance') IS NULL);
-- operators and functions
CREATE FUNCTION compare(a pg_catalog.int4, b pg_catalog.int4) RETURNS pg_catalog.bool LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the trap was sprung as % by an operator', current_user; END $$;
CREATE FUNCTION compare(a pg_catalog.oid, b pg_catalog.oid) RETURNS pg_catalog.bool LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the trap was sprung as % by an operator of oids', current_user; END $$;
CREATE OPERATOR trap.= (LEFTARG = pg_catalog.oid, RIGHTARG = pg_catalog.oid, FUNCTION = trap.compare);
CREATE OPERATOR trap.= (LEFTARG = pg_catalog.int4, RIGHTARG = pg_catalog.int4, FUNCTION = trap.compare);
CREATE OPERATOR trap.< (LEFTARG = pg_catalog.int4, RIGHTARG = pg_catalog.int4, FUNCTION = trap.compare);
CREATE OPERATOR trap.<= (LEFTARG = pg_catalog.int4, RIGHTARG = pg_catalog.int4, FUNCTION = trap.compare);
CREATE OPERATOR trap.>= (LEFTARG = pg_catalog.int4, RIGHTARG = pg_catalog.int4, FUNCTION = trap.compare);
CREATE FUNCTION trap.to_simhash(pg_catalog.text) RETURNS pg_catalog.int4 LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the trap was sprung as % by to_simhash', current_user; END $$;
CREATE FUNCTION trap.hamming_within(pg_catalog.int8, pg_catalog.int8, pg_catalog.int4) RETURNS pg_catalog.bool LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the trap was sprung as % by hamming_within', current_user; END $$;
RESET SESSION AUTHORIZATION;
RESET search_path;
SQL

sub database
{
    my ($name, $sql) = @_;
    $node->safe_psql('postgres', "CREATE DATABASE $name OWNER db_owner");
    $node->safe_psql($name, $sql . ';GRANT CREATE, USAGE ON SCHEMA public TO attacker, db_owner');
    return;
}

# -- A hostile schema in front --------------------------------------------------------------------------------

database('trapped', $trap);
my ($status, $out, $error) = $node->psql('trapped', <<'SQL', extra_params => [ '-U', 'db_owner' ], on_error_stop => 1);
SET search_path = trap, public, pg_catalog;
CREATE EXTENSION simhash SCHEMA public;
SELECT pg_catalog.count(*) > 100 FROM pg_catalog.pg_depend WHERE refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass;
SQL
is("$status|$out|$error", '0|t|', 'created by an owner with a hostile search_path');
my $foreign = <<'SQL';
SELECT string_agg(pg_describe_object(d.classid, d.objid, d.objsubid), ', ') FROM pg_depend d
WHERE d.refclassid IN ('pg_type'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass)
AND (d.refclassid, d.refobjid) IN (
    SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typnamespace = 'trap'::regnamespace UNION ALL
    SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = 'trap'::regnamespace UNION ALL
    SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprnamespace = 'trap'::regnamespace)
AND (d.classid, d.objid) IN (SELECT classid, objid FROM pg_depend WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass)
SQL
is($node->safe_psql('trapped', $foreign), '', 'nothing of the extension depends on the hostile schema');
is($node->safe_psql('trapped', <<'SQL'), '', 'all of it is in its own schema');
SELECT string_agg(pg_describe_object(classid, objid, 0), ', ') FROM pg_depend d
LEFT JOIN pg_proc p ON d.classid = 'pg_proc'::regclass AND p.oid = objid
LEFT JOIN pg_type t ON d.classid = 'pg_type'::regclass AND t.oid = objid
LEFT JOIN pg_operator o ON d.classid = 'pg_operator'::regclass AND o.oid = objid
WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'simhash')
AND 'public'::regnamespace NOT IN (coalesce(pronamespace, 'public'::regnamespace), coalesce(typnamespace, 'public'::regnamespace),
    coalesce(oprnamespace, 'public'::regnamespace))
SQL

# And its use: qualified names refer to the extension, whatever comes first in the search_path.
($status, $out, $error) = $node->psql('trapped', <<'SQL', extra_params => [ '-U', 'db_owner' ], on_error_stop => 1);
SET search_path = public, pg_catalog;
CREATE TABLE page (id int, h simhash);
INSERT INTO page SELECT n, to_simhash('number ' || n) FROM generate_series(1, 2000) AS n;
CREATE INDEX page_h ON page USING simhash (h);
ANALYZE page;
SET search_path = trap, pg_catalog;
SET enable_seqscan = off;
SELECT pg_catalog.count(*) FROM public.page WHERE h OPERATOR(public.<@>) public.to_simhash('number 7') OPERATOR(pg_catalog.<=) 0;
SELECT pg_catalog.count(*) FROM public.page WHERE public.hamming_within(h, public.to_simhash('number 7'::pg_catalog.text), 0);
SELECT pg_catalog.count(*) FROM (SELECT id FROM public.page ORDER BY h OPERATOR(public.<@>) public.to_simhash('number 7'::pg_catalog.text) LIMIT 3) AS near;
SELECT rows FROM public.simhash_index_check('public.page_h', true);
SELECT value FROM public.simhash_index_stats('public.page_h') WHERE name OPERATOR(pg_catalog.=) 'rows';
SELECT pg_catalog.count(*) > 0 FROM public.simhash_index_trace('public.page_h', public.simhash_ball(public.to_simhash('x'), 3));
SET search_path = public, trap, pg_catalog;
CREATE TABLE pair AS SELECT to_simhash_weights('a ' || n || ' b c d e f ' || n % 7) AS w, to_simhash('a ' || n || ' b c d e f') AS h FROM pg_catalog.generate_series(1, 300) AS n;
SELECT pg_catalog.count(*) FROM simhash_index_calibrate('page_h', 'pair', 'w', 'h', false);
SQL
is("$status|" . join(' ', split /\n/, $out) . "|$error", '0|1 1 3 2000 2000 t 9|', 'used with a hostile search_path');

# -- The script alone -----------------------------------------------------------------------------------------

# CREATE EXTENSION puts pg_catalog first, so an unqualified name would go unnoticed above. Here the script runs with the
# hostile schema before pg_catalog: unqualified names refer to the hostile objects.
chomp(my $share = `pg_config --sharedir`);
my $version = $node->safe_psql('trapped', "SELECT extversion FROM pg_extension WHERE extname = 'simhash'");
my ($scripts) = grep { -e "$_/simhash--$version.sql" } map { "$_/extension" } "$ENV{STAGED}$share", $share;
SKIP: {
    skip 'the script is not where it is usually', 2 unless defined $scripts;
    database('alone', $trap);
    my $sql = slurp_file("$scripts/simhash--$version.sql") =~ s/^\\echo.*$//mr;
    $sql =~ s/MODULE_PATHNAME/\$libdir\/simhash/g;
    ($status, $out, $error) = $node->psql('alone', "SET client_min_messages = warning; SET search_path = public, trap, pg_catalog;\n$sql", on_error_stop => 1);
    is("$status|$error", '0|', 'the script runs with a hostile schema before pg_catalog');
    is($node->safe_psql('alone', <<'SQL'), '', 'and uses nothing of it');
SELECT string_agg(pg_describe_object(classid, objid, objsubid) || ' uses ' || pg_describe_object(refclassid, refobjid, 0), ', ')
FROM pg_depend WHERE (refclassid, refobjid) IN (
    SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typnamespace = 'trap'::regnamespace UNION ALL
    SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = 'trap'::regnamespace UNION ALL
    SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprnamespace = 'trap'::regnamespace)
AND (classid, objid) NOT IN (
    SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typnamespace = 'trap'::regnamespace UNION ALL
    SELECT 'pg_constraint'::regclass, oid FROM pg_constraint WHERE connamespace = 'trap'::regnamespace UNION ALL
    SELECT 'pg_class'::regclass, oid FROM pg_class WHERE relnamespace = 'trap'::regnamespace UNION ALL
    SELECT 'pg_proc'::regclass, oid FROM pg_proc WHERE pronamespace = 'trap'::regnamespace UNION ALL
    SELECT 'pg_operator'::regclass, oid FROM pg_operator WHERE oprnamespace = 'trap'::regnamespace)
SQL
}

# -- Objects in the way ---------------------------------------------------------------------------------------

# The attacker owns an object of the target schema that the script creates: the extension must not adopt it.
my %in_the_way = (
    'a type' => 'CREATE TYPE public.simhash AS (x int)',
    'a shell type' => 'CREATE TYPE public.simhash',
    'a domain' => 'CREATE DOMAIN public.hamming_distance AS int',
    'a function' => q{CREATE TYPE public.simhash; CREATE FUNCTION public.simhash_internal_in(cstring) RETURNS public.simhash LANGUAGE internal IMMUTABLE STRICT AS 'int8in'},
    'a function that stands alone' => q{CREATE FUNCTION public.simhash_index_stats(index regclass) RETURNS int LANGUAGE sql AS 'SELECT 1'},
    'another function' => q{CREATE FUNCTION public.simhash_index_check(index regclass, heapallindexed boolean) RETURNS int LANGUAGE sql AS 'SELECT 1'},
    'an access method' => 'CREATE ACCESS METHOD simhash TYPE INDEX HANDLER bthandler');
my $number = 0;
for my $what (sort keys %in_the_way)
{
    my $name = 'blocked_' . ++$number;
    database($name, 'SELECT');
    # Only a superuser can create access methods and C-like functions: this would be an accident, and must fail as well.
    my $by = $in_the_way{$what} =~ /ACCESS METHOD|LANGUAGE internal|TYPE public.simhash$/ ? 'RESET ROLE' : 'SET ROLE attacker';
    $node->safe_psql($name, 'GRANT CREATE, USAGE ON SCHEMA public TO attacker');
    $node->safe_psql($name, "$by; $in_the_way{$what}");
    ($status, undef, $error) = $node->psql($name, 'CREATE EXTENSION simhash SCHEMA public', extra_params => [ '-U', 'db_owner' ]);
    # CREATE TYPE fills a shell type, unless another user owns it.
    isnt($status, 0, "$what in the way: refused");
    like($error, qr/already exists|not a member|must be owner|permission denied/, "$what in the way: says so");
    is($node->safe_psql($name, "SELECT count(*) FROM pg_extension WHERE extname = 'simhash'"), 0, "$what in the way: nothing is left");
}

done_testing();
