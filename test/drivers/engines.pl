# The statements of doc/engines find the pairs that simhash_block_pairs finds. Engines that are not installed are skipped;
# `tools/setup.sh engines` installs them. Nobody runs Spark and Trino here.
use strict;
use warnings;
use File::Basename;
use FindBin;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

my $top = dirname(dirname($FindBin::RealBin));
my $node = start_node('engines');
prepare_database($node);
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE row_of_test AS SELECT n AS id, flipped(fingerprint(n % 697), n, (n % 5)::int) AS h FROM generate_series(1, 2000) n;
CREATE VIEW routed_row AS SELECT id, h, block FROM row_of_test, unnest(simhash_blocks(h, 3)) block;
SQL
my $insert = 'INSERT INTO page VALUES '
  . $node->safe_psql('postgres', "SELECT string_agg(format('(%s, %s)', id, h::bigint), ', ') FROM row_of_test");
my $routed = $node->safe_psql('postgres', 'SELECT id, h::bigint, block FROM routed_row ORDER BY 1, 3');
my $pairs = $node->safe_psql('postgres', "SELECT * FROM simhash_block_pairs('TABLE routed_row', 3) ORDER BY 1, 2");
cmp_ok(scalar(split /\n/, $pairs), '>', 200, 'there are pairs');

# Programs that run the statements of argument 1, a file, and print the answer of the last as lines of "a|b".
my $directory = PostgreSQL::Test::Utils::tempdir();
my $statements = 'require("fs").readFileSync(process.argv[2], "utf8").split(";\n").filter(text => text.trim())';
my %program = (
    duckdb => [ 'require("@duckdb/node-api")', <<"JS" ],
const { DuckDBInstance } = require("\@duckdb/node-api");
(async () => {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    let answer;
    for (const text of $statements) answer = await connection.runAndReadAll(text);
    for (const row of answer.getRows()) console.log(row.join("|"));
})();
JS
    clickhouse => [ 'require("chdb")', <<"JS" ],
const session = new (require("chdb").Session)();
let answer;
for (const text of $statements) answer = session.query(text, "CSV");
console.log(answer.trim().replaceAll(",", "|"));
session.cleanup();
JS
);
my %table = (clickhouse => 'CREATE TABLE page (id Int64, h Int64) ENGINE = MergeTree ORDER BY id');
local $ENV{NODE_PATH} = join ':', grep { defined } $ENV{NODE_PATH}, '/usr/local/lib/node_modules';

# The answer of an engine to statements.
sub answer
{
    my ($engine, $text) = @_;
    if ($engine eq 'postgresql') {
        $node->safe_psql('postgres', 'SET client_min_messages = warning; DROP SCHEMA IF EXISTS plain CASCADE; CREATE SCHEMA plain');
        return $node->safe_psql('postgres', "SET search_path = plain; $text");
    }
    my ($output, $error) = ('', '');
    my ($file, $script) = ("$directory/$engine.sql", "$directory/$engine.js");
    unlink $file, $script;
    append_to_file($file, $text);
    append_to_file($script, $program{$engine}[1]);
    IPC::Run::run [ 'timeout', '300', 'node', $script, $file ], '<', \'', '>', \$output, '2>', \$error
      or die "$engine: $error";
    chomp $output;
    return $output;
}

my %unrun = map { $_ => 1 } qw(spark trino);
for my $path (sort glob "$top/doc/engines/*.sql") {
    my $engine = basename($path, '.sql');
    my $text = slurp_file($path);
    is($text =~ /^-- Not run by a test\./ ? 1 : 0, $unrun{$engine} // 0, "$engine: the file says whether a test runs it");
    next if $unrun{$engine};
  SKIP: {
        skip 'bit_count of bits came with PostgreSQL 14', 2
          if $engine eq 'postgresql' && $node->safe_psql('postgres', 'SHOW server_version_num') < 140000;
        if ($program{$engine} && !succeeds('node', '-e', $program{$engine}[0])) {
            diag "$engine is not installed: skipped; tools/setup.sh engines installs it";
            skip "$engine is not installed", 2;
        }
        my ($create, $select) = $text =~ /^(CREATE.*?;\n)\n(.*)$/ms;
        my $begin = ($table{$engine} // 'CREATE TABLE page (id bigint, h bigint)') . ";\n$insert;\n$create";
        is(answer($engine, "${begin}SELECT id, h, block FROM routed ORDER BY id, block;\n"), $routed, "$engine: block values");
        is(answer($engine, $begin . $select =~ s/;\s*$/\nORDER BY a, b;\n/r), $pairs, "$engine: pairs");
    }
}
done_testing();
