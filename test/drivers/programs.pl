# The programs of doc/drivers run, and print what doc/drivers.md says; so do the tests of the packages in clients. Those
# whose library is not installed are skipped. Libraries that are not packages of the system are found by PYTHONPATH, NODE_PATH, CLASSPATH, GOPATH and GEM_PATH.
use strict;
use warnings;
use File::Basename;
use FindBin;
use Documents;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

# The interpreters that have a module. One in front of the system's does not find the system's packages.
sub python
{
    my ($module) = @_;
    return grep { succeeds($_, '-c', "import $module") } 'python3', '/usr/bin/python3';
}

my $top = dirname(dirname($FindBin::RealBin));
my $directory = PostgreSQL::Test::Utils::tempdir();
my $jar = '/usr/share/java/postgresql.jar';
my ($crates) = glob '/usr/share/cargo/registry/tokio-postgres-0*';
my %environment = (
    PYTHONPATH => join(':', grep { defined } $ENV{PYTHONPATH}, "$top/clients/python"),
    PYTHONDONTWRITEBYTECODE => 1,
    RUBYLIB => join(':', grep { defined } $ENV{RUBYLIB}, "$top/clients/ruby/lib"),
    NODE_PATH => join(':', grep { defined } $ENV{NODE_PATH}, '/usr/local/lib/node_modules', '/usr/share/nodejs'),
    CLASSPATH => join(':', grep { defined } $ENV{CLASSPATH}, $jar),
    GOPATH => join(':', grep { defined } $ENV{GOPATH}, '/usr/share/gocode'),
    GO111MODULE => 'off',
    GOCACHE => "$directory/go",
    CARGO_HOME => "$directory/cargo",
    CARGO_TARGET_DIR => "$directory/target",
    CARGO_PROFILE_DEV_DEBUG => 0,
    PGUSER => scalar getpwuid $>,
);

# For each program: the name that it is copied to, whether the library is here, and the command that runs it.
my %runner = (
    (map { my ($program, $module) = @$_;
        $program => { file => 'program.py', here => sub { python($module) }, run => sub { [ (python($module))[0], 'program.py' ] } } }
        [ 'with_psycopg2.py', 'psycopg2' ], [ 'with_psycopg3.py', 'psycopg' ], [ 'with_asyncpg.py', 'asyncpg' ],
        [ 'with_sqlalchemy.py', 'sqlalchemy, psycopg2' ], [ 'clients/python/test.py', 'psycopg' ]),
    'Program.java' => {
        file => 'Program.java',
        here => sub { succeeds('javap', 'org.postgresql.Driver') },
        run => sub { [ 'env', 'PGHOST=127.0.0.1', 'java', 'Program.java' ] },
    },
    (map { $_ => {
        file => 'program.js',
        here => sub { succeeds('node', '-e', 'require("pg")') },
        run => sub { [ 'node', 'program.js' ] },
    } } 'node-postgres.js', 'clients/javascript/test.js'),
    (map { my ($program, $package) = @$_;
        $program => { file => 'main.go', here => sub { succeeds('go', 'list', $package) }, run => sub { [ 'go', 'run', 'main.go' ] } } }
        [ 'pgx.go', 'github.com/jackc/pgx/v5' ], [ 'lib-pq.go', 'github.com/lib/pq' ]),
    'tokio-postgres.rs' => {
        file => 'src/main.rs',
        here => sub { $crates && succeeds('/usr/bin/cargo', '--version') },
        run => sub {
            [ '/usr/bin/cargo', 'run', '--quiet', '--offline', '--',
                "host=$ENV{PGHOST} port=$ENV{PGPORT} user=$ENV{PGUSER} dbname=$ENV{PGDATABASE}" ]
        },
    },
    (map { $_ => {
        file => 'program.rb',
        here => sub { succeeds('ruby', '-e', 'require "active_record"; require "pg"') },
        run => sub { [ 'ruby', 'program.rb' ] },
    } } 'rails.rb', 'clients/ruby/test.rb'),
);

my @blocks = read_blocks("$top/doc/drivers.md");
my $tables = join "\n", map { $_->{text} } grep { $_->{mark} eq 'sql' } @blocks;
my ($printed) = map { $_->{text} } grep { $_->{section} eq 'What the programs do' && $_->{mark} eq 'text' } @blocks;
my @programs = sort((map { basename $_ } glob "$top/doc/drivers/*"), map { substr $_, length "$top/" } glob "$top/clients/*/test.*");
is_deeply(\@programs, [ sort keys %runner ], 'every program is run');

mkdir "$directory/node_modules" or die;
symlink "$top/clients/javascript", "$directory/node_modules/pg-simhash" or die;
# Java connects by TCP only.
my $node = start_node('drivers', settings => [q(listen_addresses = '127.0.0.1')]);
%ENV = (%ENV, %environment, PGHOST => $node->host, PGPORT => $node->port);

my $skipped = 0;
for my $program (@programs) {
    my $runner = $runner{$program};
  SKIP: {
        if (!$runner->{here}->()) {
            $skipped++;
            diag "$program is not installed: skipped";
            skip "$program is not installed", 1;
        }
        local $ENV{PGDATABASE} = $program =~ s/\W/_/gr;
        $node->safe_psql('postgres', qq(CREATE DATABASE "$ENV{PGDATABASE}"));
        $node->safe_psql($ENV{PGDATABASE}, "CREATE EXTENSION simhash; $tables");
        chdir write_program($program, $runner->{file}) or die;
        my ($output, $error) = ('', '');
        my $status = IPC::Run::run [ 'timeout', '400', @{ $runner->{run}->() } ], '<', \'', '>', \$output, '2>', \$error;
        note $error;
        is($output, $program =~ m{/} ? "passed\n" : $printed, "$program: the output") or diag $error;
    }
}
chdir $top;
diag 'tools/setup.sh drivers installs the libraries that the system has packages of' if $skipped;
done_testing();

# Writes the program and what builds it. Returns its directory.
sub write_program
{
    my ($program, $name) = @_;
    my $here = "$directory/" . $program =~ s/\W/_/gr;
    mkdir $here or die;
    mkdir "$here/src";
    append_to_file("$here/$name", slurp_file($program =~ m{/} ? "$top/$program" : "$top/doc/drivers/$program"));
    if ($name =~ /rs$/) {
        append_to_file("$here/Cargo.toml", <<'TOML');
[package]
name = "program"
version = "0.0.0"
edition = "2021"

[dependencies]
bytes = "1"
tokio = { version = "1", features = ["macros", "rt"] }
tokio-postgres = "0.7"
TOML
        mkdir "$directory/cargo";
        append_to_file("$directory/cargo/config.toml", <<'TOML');
[source.crates-io]
replace-with = "system"
[source.system]
directory = "/usr/share/cargo/registry"
TOML
    }
    return $here;
}
