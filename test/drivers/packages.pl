# The packages of clients, installed outside the checkout by the commands of their pages, without a network. The module is
# looked for where the command has put it and nowhere else. What npm or pip cannot do here is skipped.
use strict;
use warnings;
use File::Basename;
use FindBin;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

my $top = dirname(dirname($FindBin::RealBin));
my $directory = PostgreSQL::Test::Utils::tempdir();
delete @ENV{qw(NODE_PATH PYTHONPATH)};
local $ENV{HOME} = $directory;
local $ENV{npm_config_cache} = "$directory/npm";

# The commands of a page that begin so, with the checkout in place of the current directory.
sub commands
{
    my ($page, $begin) = @_;
    return map { s{\./clients}{$directory/clients}r } slurp_file("$top/clients/$page/README.md") =~ /`(\Q$begin\E [^`]*)`/g;
}

# Runs a shell command in a directory, and shows its output if it fails.
sub runs
{
    my ($where, $command, $name) = @_;
    my $output = '';
    my $ok = IPC::Run::run [ 'timeout', '300', 'sh', '-c', "cd '$where' && $command" ], '<', \'', '>', \$output, '2>', \$output;
    ok($ok, $name) or diag $output;
    return $output;
}

# An application that has pg. npm looks at its name and version; registerTypes is called with a client of our own.
my $applications = 0;
sub application
{
    my $here = "$directory/application" . ++$applications;
    mkdir $_ or die for $here, "$here/pg";
    append_to_file("$here/pg/package.json", '{"name": "pg", "version": "8.11.0"}');
    append_to_file("$here/package.json", '{"name": "application", "version": "1.0.0", "dependencies": {"pg": "file:pg"}}');
    append_to_file("$here/program.js", <<'JS');
const assert = require('assert');
const { fingerprint, Signature, registerTypes } = require('pg-simhash');
assert.strictEqual(fingerprint(-2n), 'fffffffffffffffe');
assert.strictEqual(new Signature([0xf0], 4).toString(), '1111');
const parsers = {};
const client = {
    query: async () => ({ rows: [{ oid: 1, typarray: 2, distances: 3 }] }),
    setTypeParser: (oid, parse) => { parsers[oid] = parse; },
};
registerTypes(client).then(() => {
    assert.strictEqual(parsers[1]('00000000000000ff'), 255n);
    assert.deepStrictEqual(parsers[2]('{00000000000000ff,NULL}'), [255n, null]);
    assert.deepStrictEqual(parsers[3]('{12,NULL}'), [12, null]);
    console.log('passed');
});
JS
    # For tsc the types that pg has, and what pg's have of Node's.
    append_to_file("$here/pg/index.d.ts", <<'TS');
declare global { interface Buffer extends Uint8Array {} }
export class Client {
    query<R = any>(query: string | object, values?: any[]): Promise<{ rows: R[] }>;
    escapeIdentifier(name: string): string;
}
TS
    append_to_file("$here/program.ts", <<'TS');
import { Client } from 'pg';
import { Signature, registerTypes } from 'pg-simhash';
registerTypes(new Client(), { schema: 'ext' });
const bytes: Buffer = new Signature([0xf0], 4).bytes;
TS
    mkdir "$here/other" or die;
    append_to_file("$here/other/package.json", '{"name": "other", "version": "1.0.0"}');
    append_to_file("$here/module.mjs", "import { fingerprint } from 'pg-simhash';\nconsole.log(fingerprint(255n));\n");
    return $here;
}

PostgreSQL::Test::Utils::system_or_bail('cp', '-R', "$top/clients", "$directory/clients");

SKIP: {
    skip 'npm is not installed', 1 if !succeeds('npm', '--version') || !succeeds('node', '--version');
    my ($link, $archive) = commands('javascript', 'npm install');
    my ($pack) = commands('javascript', 'npm pack');
    my %way = ('as a link' => $link, 'from npm pack' => "$pack && $archive");
    my $options = '--offline --no-audit --no-fund';
    for my $way (sort keys %way) {
        my $here = application();
        runs($here, "$way{$way} $options", "JavaScript: installed $way");
        runs($here, "npm ci $options && npm install ./other $options", "JavaScript: installed again $way");
        is(runs($here, 'node program.js', "JavaScript: loaded $way"), "passed\n", "JavaScript: works $way");
        is(runs($here, 'node module.mjs', "JavaScript: imported $way"), "00000000000000ff\n", "JavaScript: works as a module $way");
        is_deeply([ sort map { basename $_ } glob "$here/node_modules/pg-simhash/*" ], [ qw(LICENSE README.md index.d.ts index.js package.json) ],
            "JavaScript: the files $way") if $way ne 'as a link';
      SKIP: {
            skip 'tsc is not installed', 1 if !succeeds('tsc', '--version');
            runs($here, 'tsc --noEmit --strict --target es2020 --module node16 program.ts', "JavaScript: the types are checked $way");
        }
    }
}

# Of the interpreters, the system's may be the only one with psycopg.
SKIP: {
    my $offline = 'import setuptools, wheel, pip, sys; assert int(setuptools.__version__.split(".")[0]) >= 61 and sys.version_info >= (3, 7)';
    my ($python) = grep { succeeds($_, '-c', $offline) } 'python3', '/usr/bin/python3';
    skip 'pip, setuptools 61 or wheel is not installed', 1 if !$python;
    my ($command) = grep { /--no-build-isolation/ } commands('python', 'pip install');
    my $there = "$directory/python";
    runs($directory, "$python -m $command --no-index --disable-pip-version-check --target '$there'", 'Python: installed as the page says');
    is_deeply([ sort map { basename $_ } grep { -f } glob "$there/pg_simhash/*" ], [ qw(__init__.py _psycopg.py _values.py django.py psycopg2.py py.typed sqlalchemy.py) ], 'Python: the files');
    my ($metadata) = map { slurp_file($_) } glob "$there/*.dist-info/METADATA";
    my ($least) = ($metadata // '') =~ /^Requires-Python: >=3\.(\d+)$/m;
    my $parse = "import ast, sys; [ast.parse(open(path).read(), feature_version=(3, $least)) for path in sys.argv[1:]]";
    runs($directory, "$python -c '$parse' $there/pg_simhash/*.py", "Python: the syntax is that of 3.$least, which the package asks for");
    my ($with_psycopg) = grep { succeeds($_, '-c', 'import psycopg') } 'python3', '/usr/bin/python3';
  SKIP: {
        skip 'psycopg is not installed', 1 if !$with_psycopg;
        is(runs($directory, "PYTHONPATH='$there' $with_psycopg -c 'import pg_simhash; print(pg_simhash.__file__)'", 'Python: loaded'),
            "$there/pg_simhash/__init__.py\n", 'Python: from where it was installed');
    }
  SKIP: {
        my ($mypy) = grep { succeeds($_, '-c', 'import psycopg') && succeeds($_, '-m', 'mypy', '--version') } 'python3', '/usr/bin/python3';
        skip 'mypy is not installed', 1 if !$mypy;
        append_to_file("$directory/typed.py", <<'PYTHON');
import psycopg
from pg_simhash import Fingerprint, Signature, register_simhash

with psycopg.connect() as db:
    register_simhash(db, schema="ext")
    bits: int = Signature(b"\0").bits + Fingerprint(1)
    reveal_type(Signature(b"\0").data)
PYTHON
        # --strict refuses calls of functions without types.
        like(runs($directory, "MYPYPATH='$there' $mypy -m mypy --strict --no-error-summary --cache-dir='$directory/mypy' typed.py", 'Python: the types are checked'),
            qr/"(builtins\.)?bytes"/, 'Python: and known');
    }
}
done_testing();
