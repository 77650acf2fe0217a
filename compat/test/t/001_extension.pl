# The extension beside simhash: it does not take the types of others, it survives dumps, goes without a trace, and reads
# large texts in little memory.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $node = start_node('main');
my $version = int($node->safe_psql('postgres', 'SHOW server_version_num') / 10000);

# -- Schemas --------------------------------------------------------------------------------------------------

# Types of the same names stand in front of those of simhash.
$node->safe_psql('postgres', 'CREATE ROLE db_owner LOGIN; CREATE DATABASE trapped TEMPLATE template0 OWNER db_owner');
my @as_owner = (extra_params => [ '-U', 'db_owner' ]);
$node->safe_psql('trapped', 'CREATE EXTENSION simhash SCHEMA public; CREATE SCHEMA trap AUTHORIZATION db_owner;
    CREATE DOMAIN trap.simhash AS integer; CREATE DOMAIN trap.simhash_weights AS integer; GRANT CREATE ON SCHEMA public TO db_owner');
my ($status, undef, $error) = $node->psql('trapped', 'CREATE EXTENSION simhash_compat SCHEMA trap', @as_owner);
isnt($status, 0, 'it does not take the types of others');
like($error, qr/the types of extension simhash are hidden by others; use its schema/, 'and says so');
for my $schema ('public', 'aside') {
    ($status, undef, $error) = $node->psql('trapped', "SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS aside AUTHORIZATION db_owner;
        SET search_path = trap, public, pg_catalog; DROP EXTENSION IF EXISTS simhash_compat; CREATE EXTENSION simhash_compat SCHEMA $schema", @as_owner);
    is("$status|$error", '0|', "in the schema $schema");
    is($node->safe_psql('trapped', "SELECT count(*) FROM pg_proc JOIN pg_type t ON t.oid = prorettype
        WHERE probin = '\$libdir/simhash_compat' AND typnamespace = 'trap'::regnamespace"), '0', 'it returns the types of simhash');
}

# A type that appears while the script waits for a function of another session.
$node->safe_psql('postgres', 'CREATE SCHEMA own; CREATE EXTENSION simhash SCHEMA own; CREATE SCHEMA open');
my $holder = open_session($node);
$holder->query_safe("BEGIN; CREATE FUNCTION open.to_simhash_as(text, text, integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'");
my $creator = open_session($node, on_error_stop => 0);
$creator->query_until(qr/begun/, "\\echo begun\nCREATE EXTENSION simhash_compat SCHEMA open;\n\\echo ended\n");
ok(waits($node, 'CREATE EXTENSION simhash_compat', 'transactionid'), 'the script waits');
$node->safe_psql('postgres', 'CREATE DOMAIN open.simhash AS text');
$holder->query_safe('ROLLBACK');
$holder->quit;
$creator->query_until(qr/ended/, '');
$creator->quit;
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_extension WHERE extname = 'simhash_compat'"), '0', 'it does not take a type that has appeared');
$node->safe_psql('postgres', 'DROP SCHEMA own, open CASCADE');

# -- Dumps ----------------------------------------------------------------------------------------------------

$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash_compat CASCADE;
CREATE TABLE text (id int, body text, h simhash GENERATED ALWAYS AS (to_simhash(body)) STORED,
    other simhash GENERATED ALWAYS AS (to_simhash_as('1e0ng', body)) STORED);
INSERT INTO text (id, body) SELECT n, 'number ' || n || ' of some words that are ' || md5(n::text) FROM generate_series(1, 200) AS n;
CREATE INDEX text_other ON text USING simhash (other);
SQL
survives_dump($node, 'postgres', 'a generated column');

# Without CASCADE nothing is lost. PostgreSQL 13 and 14 drop generated columns with the function that they call, whether or
# not CASCADE is given.
if ($version >= 15) {
    (undef, undef, $error) = $node->psql('postgres', 'DROP EXTENSION simhash_compat');
    like($error, qr/cannot drop extension simhash_compat because other objects depend on it/, 'it is needed');
}
$node->safe_psql('postgres', 'DROP EXTENSION simhash_compat CASCADE');
is($node->safe_psql('postgres', "SELECT count(h), count(*) FROM pg_attribute, text WHERE attrelid = 'text'::regclass AND attname = 'other' AND NOT attisdropped"),
    '0|0', 'the column that it generates goes with it');
is($node->safe_psql('postgres', "SELECT (SELECT count(h) FROM text), (SELECT count(*) FROM pg_proc WHERE probin LIKE '%simhash_compat%')"), '200|0', 'and nothing else');

# -- The catalogue --------------------------------------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE EXTENSION simhash_compat');
is($node->safe_psql('postgres', "SELECT count(*), bool_and(provolatile = 'i' AND proparallel = 's' AND proisstrict AND NOT proleakproof
        AND obj_description(p.oid, 'pg_proc') <> '' AND probin = '\$libdir/simhash_compat') FROM pg_proc p
    JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
    JOIN pg_extension e ON refobjid = e.oid AND extname = 'simhash_compat'"),
    '20|t', 'every function is immutable, strict, parallel safe and described, and of its own library');
$node->safe_psql('postgres', 'DROP EXTENSION simhash CASCADE');
is($node->safe_psql('postgres', "SELECT count(*) FROM pg_extension WHERE extname LIKE 'simhash%'"), '0', 'DROP EXTENSION simhash CASCADE drops it, too');

# -- Large texts ----------------------------------------------------------------------------------------------

$node->safe_psql('postgres', 'CREATE EXTENSION simhash_compat CASCADE');
(undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT to_simhash_as('go-dedup-utf', 'a' || repeat(chr(769), 100000))");
like($error, qr/ERROR: +54000: +too many combining characters in a row/, 'combining characters without end');

SKIP: {
    skip 'memory is read from /proc', 3 if !-r '/proc/self/status';
    for my $try (
        [ 'go-dedup-utf', "'n\xc3\xa9 pas trop vite '", 6 ],
        [ 'go-dedup-utf', "'e' || chr(769)", 6 ],
        [ 'text-dedup', "'some words of a text '", 6 ])
    {
        my ($profile, $unit, $limit) = @$try;
        my $multiple = memory_multiple($node, "to_simhash_as('$profile', TEXT)", $unit);
        cmp_ok($multiple, '<', $limit, "$profile of $unit takes less than $limit times the text");
    }
}
done_testing();
