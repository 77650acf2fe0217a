# The isolation specs of this directory: sessions that wait at a failpoint until another one releases them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::RealBin/../../t";
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

plan skip_all => 'pg_isolation_regress is not installed' unless -x $ENV{PG_ISOLATION};

my $node = start_node('main', settings => ['autovacuum = off']);
my $directory = "$FindBin::RealBin/..";
my @specs = $ENV{SPEC} || map { s/.*\///r =~ s/\.spec$//r } sort glob "$directory/specs/*.spec";
chomp(my $programs = `pg_config --bindir`);
my $out = $node->basedir . '/isolation';
mkdir $out;
local $ENV{PGISOLATIONTIMEOUT} = 60;
my $output = '';
IPC::Run::run(
    [
        $ENV{PG_ISOLATION}, '--host', $node->host, '--port', $node->port, '--dbname', 'isolation',
        '--load-extension', 'simhash', '--inputdir', $directory, '--outputdir', $out,
        '--bindir', $programs, @specs
    ],
    '>&', \$output);
for my $spec (@specs) {
    # "test name ... ok" up to PostgreSQL 15, "ok 1 - name" since.
    like($output, qr/^(test $spec +\.\.\. +ok|ok \d+ +- +$spec) /m, $spec);
}
diag(slurp_file("$out/regression.diffs")) if -s "$out/regression.diffs";
done_testing();
