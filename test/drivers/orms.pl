# The programs of doc/orms.md run, print what the page says, and make indexes of this access method. Those whose library
# is not installed are skipped. Libraries are looked for as in programs.pl.
use strict;
use warnings;
use File::Basename;
use FindBin;
use Documents;
use PostgreSQL::Test::Utils;
use SimhashTest;
use Test::More;

my $top = dirname(dirname($FindBin::RealBin));
my $directory = PostgreSQL::Test::Utils::tempdir();
my ($python) = grep { succeeds($_, '-c', 'import psycopg2') } 'python3', '/usr/bin/python3';
my @modules = grep { defined && -d } split(/:/, $ENV{NODE_PATH} // ''), '/usr/local/lib/node_modules', '/usr/share/nodejs';

my %text;
push @{ $text{ $_->{section} } }, $_->{text} for read_blocks("$top/doc/orms.md");

# What the page leaves to the reader's project: for Django an application, whose first migration makes the extension; for
# Alembic and Drizzle the migration that they write from the declarations.
my $django = <<'PYTHON';
import os, sys
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.postgres", "app"], DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
                   DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"]}})
import django
django.setup()
from django.core.management import call_command
quiet = {"verbosity": 0}
call_command("makemigrations", "app", **quiet)
call_command("migrate", **quiet)
call_command("makemigrations", check=True, dry_run=True, **quiet)
PYTHON
my $saved = <<'PYTHON';
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
call_command("dumpdata", "app", output="dump.json", **quiet)
Page.objects.all().delete()
call_command("loaddata", "dump.json", **quiet)
assert list(Page.objects.order_by("id").values_list("h", flat=True)) == [255, 2**64 - 2]

# Both operands of every lookup may be expressions, in subqueries, too.
from django.db.models import Exists, F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, Mod
from pg_simhash.django import FingerprintField
pages = Page.objects.order_by("id")
first, second = pages
radius = Mod("id", 2) * 64    # 64 for the first, 0 for the second
for condition, found in (
        ({"h__within": (F("h"), 0)}, [first, second]), ({"h__within": (254, F("id"))}, [first]),
        ({"h__within": (Value(-2), Value(0))}, [second]), ({"h__within": (Value("00000000000000ff"), radius)}, [first]),
        ({"h__within": (-2, radius)}, [first, second]), ({"h__within": [Coalesce("h", Value("0" * 16)), 0]}, [first, second]),
        ({"h__within": (pages.filter(id=first.id).values("h"), 1)}, [first]),
        ({"h__near": F("h")}, [first, second]), ({"h__near": Value(254)}, [first]), ({"body__near": F("body")}, [first, second]),
        ({"h__near": Subquery(pages.filter(id=first.id).values("h"))}, [first]), ({"h": F("h"), "h__in": [F("h"), 5]}, [first, second])):
    assert list(pages.filter(**condition)) == found, condition
    assert list(pages.exclude(**condition)) == [page for page in pages if page not in found], condition
for condition in ({"h__within": (OuterRef("h"), 3)}, {"h__within": (OuterRef("h"), OuterRef("id"))}, {"h__near": OuterRef("h")}, {"h": OuterRef("h")}):
    assert list(pages.filter(Exists(pages.filter(**condition)))) == [first, second], condition
    assert not pages.filter(Exists(pages.filter(**condition).exclude(id=OuterRef("id")))), condition
    assert list(pages.filter(Exists(pages.filter(Exists(pages.filter(**condition)), id=OuterRef("id"))))) == [first, second], condition
apart = pages.annotate(bits=HammingDistance("h", Value(254)), same=HammingDistance("h", F("h")))
assert list(apart.values_list("bits", "same")) == [(1, 0), (56, 0)]
assert not pages.filter(h__within=(Value(None), 64))

# Arrays, on a connection that registers them.
from django.contrib.postgres.aggregates import ArrayAgg
from django.db import connection
from django.db.backends.signals import connection_created
from pg_simhash.psycopg2 import register_arrays
connection_created.connect(lambda connection, **_: register_arrays(connection.connection), weak=False)
connection.close()
arrays = Page.objects.aggregate(h=ArrayAgg("h", ordering="id"), bits=ArrayAgg(HammingDistance("h", 254), ordering="id"))
assert arrays == {"h": [255, 2**64 - 2], "bits": [1, 56]}, arrays

# A form reads what it has shown, whatever its digits.
from django.forms import modelform_factory
from pg_simhash.django import SignatureField
form = modelform_factory(Page, fields=["body", "h"])
for h in (10, 2**64 - 1):
    row = Page.objects.create(body=f"A sentence with the number {h}", h=h)
    posted = form({"body": row.body, "h": form(instance=row)["h"].value()}, instance=row)
    assert posted.is_valid() and not posted.has_changed(), posted.errors
    posted.save()
    row.refresh_from_db()
    assert row.h == h, row.h
    row.delete()
for h in ("", "1" * 17, "x"):
    assert not form({"body": "A sentence", "h": h}).is_valid(), h
signature = SignatureField(bits=3, null=True, blank=True).formfield()
assert signature.clean("") is None
for digits in ("-101", " 101", "0b1", "1_0"):
    try:
        SignatureField(bits=3).clean(digits, None)
        sys.exit(f"{digits} is a signature")
    except ValidationError:
        pass
try:
    with transaction.atomic():
        Page.objects.create(body="the quick brown fox jumps over the lazy dog")
    sys.exit("a near-copy was inserted")
except IntegrityError:
    pass
PYTHON
my $alembic = <<'PYTHON';
import alembic.operations, sqlalchemy as sa, pg_simhash.sqlalchemy
from alembic.autogenerate import compare_metadata, produce_migrations, render_python_code
from alembic.migration import MigrationContext
options = {"render_item": pg_simhash.sqlalchemy.render_item, "compare_type": True}
with create_engine("postgresql+psycopg2://").begin() as db:
    context = MigrationContext.configure(db, opts=options)
    script = produce_migrations(context, Base.metadata)
    code = render_python_code(script.upgrade_ops, render_item=options["render_item"], migration_context=context)
    op = alembic.operations.Operations(context)
    for line in script.imports:
        exec(line)
    exec("if True:\n    " + code)
    assert compare_metadata(context, Base.metadata) == []

# Arrays, on connections that register them, which are left as they were.
from pg_simhash.psycopg2 import register_arrays
from psycopg2.extensions import STATUS_READY
from sqlalchemy import event
from sqlalchemy.dialects.postgresql import ARRAY
for schema, path in ((None, "public"), ("public", "pg_catalog")):
    engine = create_engine("postgresql+psycopg2://", connect_args={"options": f"-csearch_path={path}"})
    @event.listens_for(engine, "connect")
    def connected(db, record):
        register_arrays(db, schema)
        assert db.status == STATUS_READY
    lists = sa.Table("lists", sa.MetaData(), sa.Column("h", ARRAY(Simhash)), sa.Column("sig", ARRAY(pg_simhash.sqlalchemy.Bits(8))), prefixes=["TEMP"])
    written = [{"h": [255, None, 2**64 - 2], "sig": [pg_simhash.Signature(b"1"), None]}, {"h": [], "sig": None}]
    with engine.connect() as db:
        db.execute(sa.text("SET search_path = public"))
        lists.create(db)
        db.execute(insert(lists), written)
        assert [dict(row) for row in db.execute(select(lists)).mappings()] == written
        distance = sa.cast(255, Simhash).distance(254)
        assert db.execute(select(sa.func.array_agg(distance))).scalar() == [1]

# Statements are cached, and no literal ends early.
from sqlalchemy.dialects import postgresql
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("error")
    signature = sa.Table("photo", sa.MetaData(), sa.Column("sig", pg_simhash.sqlalchemy.Bits(8))).c.sig
    for condition in (Page.h.within(1, 3), signature.within(b"1", 3)):
        assert select(Page.id).where(condition)._generate_cache_key() is not None
literal = select(Page.id).where(Page.h.within("0' OR true --", 3)).compile(dialect=postgresql.dialect(), compile_kwargs={"literal_binds": True})
assert "'0'' OR true --'" in str(literal), literal
PYTHON
my $drizzle = <<'JS';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
const migrating = drizzle(new pg.Pool({ max: 1, allowExitOnIdle: true }));
for (const statement of await generateMigration(generateDrizzleJson({}), generateDrizzleJson({ page })))
    await migrating.execute(statement);
JS

# A file of an application's directory, and how it is run; modules that npm installs; a command that succeeds if they are here.
my %orm = (
    Django => {
        files => {
            'app/__init__.py' => '', 'app/migrations/__init__.py' => '', 'app/models.py' => $text{Django}[0],
            'app/migrations/0001_extension.py' => "from django.db import migrations\nfrom pg_simhash.django import SimhashExtension\n"
              . "class Migration(migrations.Migration):\n    operations = [SimhashExtension()]\n",
            'program.py' => $django . ($text{Django}[1] // '') . $saved },
        here => [ $python // 'false', '-c', 'import django, psycopg2' ], run => [ $python, '-W', 'ignore', 'program.py' ] },
    SQLAlchemy => {
        files => { 'program.py' => $text{SQLAlchemy}[0] . $alembic . ($text{SQLAlchemy}[1] // '') },
        here => [ $python // 'false', '-c', 'import sqlalchemy, alembic, psycopg2' ], run => [ $python, '-W', 'ignore', 'program.py' ] },
    Rails => {
        files => { 'program.rb' => $text{Rails}[0] },
        here => [ 'ruby', '-e', 'require "active_record"; require "pg"' ], run => [ 'ruby', 'program.rb' ] },
    sqlx => {
        files => { 'main.go' => $text{sqlx}[0] },
        here => [ 'go', 'list', 'github.com/jmoiron/sqlx' ], run => [ 'go', 'run', 'main.go' ] },
    Drizzle => { files => { 'program.mjs' => $text{Drizzle}[0] . $drizzle . ($text{Drizzle}[1] // '') }, modules => [qw(drizzle-orm drizzle-kit pg)] },
    map { $_ => { files => { 'program.mjs' => $text{$_}[0] }, modules => [ lc, 'pg' ] } } qw(Kysely Knex Sequelize TypeORM));
is_deeply([ sort grep { $_ ne 'ORMs' } keys %text ], [ sort keys %orm ], 'every program of the page is run');

my $node = start_node('orms');
%ENV = (%ENV,
    PYTHONPATH => join(':', grep { defined } $ENV{PYTHONPATH}, "$top/clients/python", '.'),
    PYTHONDONTWRITEBYTECODE => 1,
    RUBYLIB => join(':', grep { defined } $ENV{RUBYLIB}, "$top/clients/ruby/lib"),
    GOPATH => join(':', grep { defined } $ENV{GOPATH}, '/usr/share/gocode'),
    GO111MODULE => 'off',
    GOCACHE => "$directory/go",
    PGUSER => scalar getpwuid $>,
    PGHOST => $node->host,
    PGPORT => $node->port);

for my $name (sort keys %orm) {
    my ($orm, $here) = ($orm{$name}, "$directory/" . lc $name);
    my %found;
    for my $module (@{ $orm->{modules} // [] }) {
        ($found{$module}) = grep { -d "$_/$module" } @modules;
    }
  SKIP: {
        if ((grep { !defined } values %found) || $orm->{here} && !succeeds(@{ $orm->{here} })) {
            diag "$name is not installed: skipped; tools/setup.sh drivers installs it";
            skip "$name is not installed", 3;
        }
        mkdir $_ or die for $here, "$here/node_modules", "$here/app", "$here/app/migrations";
        symlink "$found{$_}/$_", "$here/node_modules/$_" or die for keys %found;
        symlink "$top/clients/javascript", "$here/node_modules/pg-simhash" or die;
        append_to_file("$here/$_", $orm->{files}{$_}) for keys %{ $orm->{files} };
        local $ENV{PGDATABASE} = lc $name;
        $node->safe_psql('postgres', "CREATE DATABASE $ENV{PGDATABASE}");
        # Django and Rails make it themselves.
        $node->safe_psql($ENV{PGDATABASE}, 'CREATE EXTENSION simhash') if $text{$name}[0] !~ /extension/i;
        chdir $here or die;
        my ($output, $error) = ('', '');
        my $ended = IPC::Run::run [ 'timeout', '400', @{ $orm->{run} // [ 'node', 'program.mjs' ] } ], '<', \'', '>', \$output, '2>', \$error;
        is($output, "near 1\nnearest 1:1 2:56\n", "$name: the output") or diag $error;
        ok($ended, "$name: no assertion fails") or diag $error;
        is($node->safe_psql($ENV{PGDATABASE}, "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_index
            JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON relam = pg_am.oid WHERE amname = 'simhash'"),
            'page_body page_h', "$name: the indexes");
        chdir $top;
    }
}
done_testing();
