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
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');

for my $try (
    [ 'to_simhash(TEXT)', "'some words of a text '", 3 ],
    [ "cardinality(to_features(TEXT, 'word', 1))", "'a b '", 13 ])
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

done_testing();
