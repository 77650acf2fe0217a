# Large texts: memory stays a small multiple of the text, whatever is made of it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

plan skip_all => 'memory is read from /proc' if !-r '/proc/self/status';

my $node = start_node('main');
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

for my $try (
    [ 'to_simhash(TEXT)', "'some words of a text '", 3 ],
    [ "cardinality(to_features(TEXT, 'word', 1))", "'a b '", 13 ],
    [ "(SELECT t ~= (t || '!') FROM (SELECT TEXT) s(t))", "'a b '", 6 ])
{
    my ($call, $unit, $limit) = @$try;
    my $multiple = memory_multiple($node, $call, $unit);
    cmp_ok($multiple, '<', $limit, "$call of $unit takes less than $limit times the text") or diag($multiple);
    note(sprintf '%s of %s: %.1f times', $call, $unit, $multiple);
}

# Shingles that are all different.
my $bytes = 1 << 22;
my $different = "(SELECT string_agg(md5(i::text), '') FROM generate_series(1, $bytes / 32) i)";
my ($before, $after) = split /\n/, $node->safe_psql('postgres', "SELECT @{[ session_memory ]} FROM (SELECT length($different) OFFSET 0) s;
    SELECT @{[ session_memory ]} FROM (SELECT to_simhash($different, 'character', 25) OFFSET 0) s(x) WHERE x IS NOT NULL;");
my $multiple = ($after - $before) / $bytes;
cmp_ok($multiple, '<', 40, 'different shingles take less than 40 times the text');
note(sprintf 'different shingles: %.1f times', $multiple);

# text ~= text keeps the shingles of a text. If that is cancelled, nothing is kept; a large text is kept until the end of
# the transaction.
$node->safe_psql('postgres', "CREATE TABLE large AS SELECT i AS id, string_agg(md5(j::text), ' ') AS body
    FROM generate_series(1, 2) i, generate_series(i * 5000, 250000) j GROUP BY i");
my $kept = "SELECT coalesce(sum(total_bytes), 0) FROM pg_backend_memory_contexts WHERE name = 'simhash text'";
my ($out, $err);
$node->psql('postgres', <<"SQL", stdout => \$out, stderr => \$err, on_error_stop => 0);
SELECT 'before', 'one'::text ~= 'ONE';
SET statement_timeout = 1;
SELECT 'one' ~= body FROM large WHERE id = 1;
SELECT a.body ~= b.body FROM large a, large b WHERE a.id = 1 AND b.id = 2;
RESET statement_timeout;
SELECT 'after', 'one'::text ~= 'ONE', 'one'::text ~= 'two', (SELECT body ~= 'one' FROM large WHERE id = 1);
BEGIN;
SELECT 'kept', 'one'::text ~= 'ONE';
SAVEPOINT s;
SET LOCAL statement_timeout = 1;
SELECT body ~= body FROM large WHERE id = 1;
ROLLBACK TO s;
SELECT 'in the transaction', 'one'::text ~= 'ONE';
COMMIT;
SELECT 'large', a.id, b.id, a.body ~= b.body, a.body ~= (b.body || ' end') FROM large a, large b ORDER BY a.id, b.id;
@{[ $version >= 140000 ? "SELECT 'kept', b < 1024 * 1024 FROM ($kept) k(b)" : "SELECT 'kept', true" ]};
SQL
is($out, "before|t\nafter|t|f|f\nkept|t\nin the transaction|t\nlarge|1|1|t|t\nlarge|1|2|t|t\nlarge|2|1|t|t\nlarge|2|2|t|t\nkept|t", 'answers after comparisons were cancelled');
is(() = $err =~ /canceling statement due to statement timeout/g, 3, 'all were cancelled') or diag($err);

done_testing();
