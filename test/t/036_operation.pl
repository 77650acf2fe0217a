# What doc/scale.md and doc/shards.sql say about running shards: searches on standbys, an application that asks the shards
# itself, a pooler, and an extension that is newer on the coordinator.
use strict;
use warnings;
use File::Basename;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my @settings = ('max_parallel_workers_per_gather = 0', 'fsync = off');
my %node = map { $_ => start_node($_, streaming => $_ eq 'shard0', settings => \@settings) } qw(shard0 shard1 coordinator);
my $coordinator = $node{coordinator};
my @shards = @node{qw(shard0 shard1)};
plan skip_all => 'needs the extension postgres_fdw'
  if $coordinator->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") eq '0';
my $version = $coordinator->safe_psql('postgres', 'SHOW server_version_num');
my $document = join '', map { slurp_file(dirname(dirname($FindBin::RealBin)) . "/doc/$_") } 'scale.md', 'shards.sql';

# The block of the document with a mark, with the hosts of our nodes.
sub recipe
{
    my ($mark) = @_;
    $document =~ /^(?|<!-- recipe: \Q$mark\E -->\n```text\n(.*?)^```$|-- recipe: \Q$mark\E\n(.*?)(?:^\n|\z))/ms
      or die "no recipe is marked $mark";
    my $text = $1;
    $text =~ s/host '([\w,]+)', port '[\d,]+'/
        my @hosts = map { $node{$_} } split m{,}, $1;
        sprintf "host '%s', port '%s'", join(',', map { $_->host } @hosts), join(',', map { $_->port } @hosts)/eg;
    $text =~ s/, (?:async_capable|batch_size) '\w+'//g if $version < 140000;
    return $text;
}
sub answer { return ($_[1] // $coordinator)->safe_psql('postgres', $_[0]) }

prepare_database($coordinator);
answer('CREATE EXTENSION simhash; CREATE TABLE page (id bigint PRIMARY KEY, h simhash); CREATE INDEX page_h ON page USING simhash (h);
    CREATE VIEW replica AS SELECT pg_is_in_recovery() AS replica', $_) for @shards;
answer("CREATE EXTENSION postgres_fdw;
    CREATE TABLE page (id bigint NOT NULL, h simhash) PARTITION BY HASH (id)");
for my $i (0, 1) {
    answer(sprintf "CREATE SERVER shard$i FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%s', dbname 'postgres', extensions 'simhash');
        CREATE USER MAPPING FOR CURRENT_USER SERVER shard$i;
        CREATE FOREIGN TABLE page_$i PARTITION OF page FOR VALUES WITH (MODULUS 2, REMAINDER $i) SERVER shard$i OPTIONS (table_name 'page')",
        $shards[$i]->host, $shards[$i]->port);
}
answer('CREATE TABLE whole AS SELECT n AS id, flipped(fingerprint(n % 700), n, (n % 7)::int) AS h FROM generate_series(1, 1000) n;
    INSERT INTO page TABLE whole; CREATE INDEX whole_h ON whole USING simhash (h)');
my $q = "'" . answer('SELECT h FROM whole WHERE id = 77') . "'";
my $search = "SELECT id FROM page WHERE h <@> $q <= 20 ORDER BY id";
my $expected = answer("SELECT id FROM whole WHERE (h <@> $q)::int <= 20 ORDER BY id");

# -- replicas for reading -------------------------------------------------------------------------------------

$shards[0]->backup('base');
$node{standby0} = PostgreSQL::Test::Cluster->new('standby0');
$node{standby0}->init_from_backup($shards[0], 'base', has_streaming => 1);
$node{standby0}->start;
SKIP: {
    skip 'prefer-standby came with PostgreSQL 14', 4 if $version < 140000;
    answer(recipe('read replica'));
    answer("CREATE FOREIGN TABLE reader (replica boolean) SERVER reader0 OPTIONS (table_name 'replica')");
    is(answer('SELECT replica FROM reader'), 't', 'the standby is asked');
    my $near = "SELECT id FROM page_0_read WHERE h <@> $q <= 20 ORDER BY id";
    is(answer($near), answer($near =~ s/_read//r), 'and finds what its primary finds');
    $node{standby0}->stop('fast');
    is(answer('SELECT replica FROM reader'), 'f', 'without it the primary is asked');
    is(answer($near), answer($near =~ s/_read//r), 'with the same answer');
    $node{standby0}->start;
}

# -- an application that asks the shards ----------------------------------------------------------------------

is(join("\n", sort { $a <=> $b } map { split /\n/, answer($search, $_) } @shards), $expected, 'the answers of the shards together');
my $nearest = "SELECT (h <@> $q)::int || ' ' || id FROM page ORDER BY h <@> $q, id LIMIT 10";
my @near = sort { $a <=> $b } map { (split / /)[0] } map { split /\n/, answer($nearest, $_) } @shards;
is(join(' ', @near[0 .. 9]), answer("SELECT string_agg(d::text, ' ' ORDER BY d) FROM (SELECT h <@> $q AS d FROM whole ORDER BY d LIMIT 10) n"),
    'the first ten of the nearest of the shards');
my $place = recipe('place of an id') =~ s/4711/id/r =~ s/, 3, i,/, 2, i,/r =~ s/\(0, 2\)/(0, 1)/r =~ s/;\s*$//r;
is(answer("SELECT string_agg(id::text, ' ' ORDER BY id) FROM whole WHERE ($place) = 1"),
    answer("SELECT string_agg(id::text, ' ' ORDER BY id) FROM page", $shards[1]), 'the shard of an id');

# -- a pooler -------------------------------------------------------------------------------------------------

SKIP: {
    local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";
    skip 'PgBouncer is not installed', 5 unless grep { -x "$_/pgbouncer" } split /:/, $ENV{PATH};
    my $directory = PostgreSQL::Test::Utils::tempdir();
    my $port = PostgreSQL::Test::Cluster::get_free_port();
    my $user = getpwuid $>;
    append_to_file("$directory/users", qq("$user" ""\n));
    my $text = recipe('pooler');
    append_to_file("$directory/pgbouncer.ini", sprintf <<'INI', $shards[1]->host, $shards[1]->port, $directory, $port, $directory, $directory, $directory);
[databases]
postgres = host=%s port=%s
[pgbouncer]
listen_addr =
unix_socket_dir = %s
listen_port = %s
auth_type = trust
auth_file = %s/users
logfile = %s/log
pidfile = %s/pid
INI
    # Starts it with more settings.
    my $pooler;
    my $begin = sub {
        my ($file) = "$directory/pooler.ini";
        unlink $file;
        append_to_file($file, slurp_file("$directory/pgbouncer.ini") . $_[0]);
        $pooler = IPC::Run::start([ 'pgbouncer', '-q', $file ], '>', '/dev/null', '2>', '/dev/null');
        for (1 .. 100) {
            last if -S "$directory/.s.PGSQL.$port";
            select undef, undef, undef, 0.1;
        }
    };
    answer("ALTER SERVER shard1 OPTIONS (SET host '$directory', SET port '$port', ADD options '-c jit=off')");
    $begin->('');
    my (undef, undef, $error) = $coordinator->psql('postgres', $search);
    like($error, qr/unsupported startup parameter: options/, 'PgBouncer refuses options');
    answer('ALTER SERVER shard1 OPTIONS (DROP options)');
    $pooler->signal('TERM');
    $pooler->finish;
    $begin->($text);
    is(answer($search), $expected, 'without options it lets searches pass');
    answer("ALTER SERVER shard1 OPTIONS (ADD options '-c jit=off')");
    is(answer($search), $expected, 'or if it ignores them');
    answer("INSERT INTO page SELECT n, fingerprint(n) FROM generate_series(2001, 2100) n; INSERT INTO whole SELECT n, fingerprint(n) FROM generate_series(2001, 2100) n");
    is(answer('SELECT count(*) FROM (TABLE whole EXCEPT TABLE page) d'), '0', 'rows are written through it');
    SKIP: {
        skip 'keep_connections came with PostgreSQL 14', 1 if $version < 140000;
        answer("ALTER SERVER shard1 OPTIONS (ADD keep_connections 'off')");
        is(answer("$search; SELECT count(*) FROM postgres_fdw_get_connections() WHERE server_name = 'shard1'"), "$expected\n0", 'a transaction returns its connection');
        answer('ALTER SERVER shard1 OPTIONS (DROP keep_connections)');
    }
    answer(sprintf "ALTER SERVER shard1 OPTIONS (SET host '%s', SET port '%s', DROP options)", $shards[1]->host, $shards[1]->port);
    $pooler->signal('TERM');
    $pooler->finish;
}

# -- a newer extension on the coordinator ---------------------------------------------------------------------

# A function that the extension of the shards does not have yet.
my $newer = "CREATE FUNCTION newer(h simhash) RETURNS boolean IMMUTABLE STRICT SET search_path = public LANGUAGE plpgsql AS
    \$\$ BEGIN RETURN (h <@> $q)::int <= 20; END \$\$";
answer("$newer; ALTER EXTENSION simhash ADD FUNCTION newer(simhash)");
my ($status, $out, $error) = $coordinator->psql('postgres', 'SELECT id FROM page WHERE newer(h)');
is($out, '', 'no rows of a function that a shard lacks');
like($error, qr/ERROR:  function public\.newer\(public\.simhash\) does not exist/, 'but an error');
is(answer($search), $expected, 'other searches go on');
answer("$newer; ALTER EXTENSION simhash ADD FUNCTION newer(simhash)", $_) for @shards;
is(answer('SELECT id FROM page WHERE newer(h) ORDER BY id'), $expected, 'until the shards have it');
done_testing();
