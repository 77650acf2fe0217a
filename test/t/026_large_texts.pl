# Large texts: memory stays a small multiple of the text, whatever is made of it, and limits are errors of their own kind.
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
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION simhash;
CREATE EXTENSION simhash_compat;
CREATE FUNCTION memory() RETURNS bigint LANGUAGE sql AS
    $$ SELECT substring(pg_read_file('/proc/self/status', 0, 10000) FROM 'VmHWM:\s+(\d+)')::bigint * 1024 $$;
SQL

# A call with a text of some bytes, repeated to 16 MB: what it takes in a session of its own, beyond a short text, in units of
# the long one.
my $size = 16 * 1024 * 1024;
sub multiple
{
    my ($call, $unit) = @_;
    my $few = $call =~ s/TEXT/repeat($unit, 100)/r;
    my $times = "($size / octet_length($unit))";
    my $many = $call =~ s/TEXT/repeat($unit, $times)/r;
    my @memory = split /\n/, $node->safe_psql('postgres', "SELECT memory() FROM (SELECT $few OFFSET 0) s(x) WHERE x IS NOT NULL;
        SELECT memory() FROM (SELECT $many OFFSET 0) s(x) WHERE x IS NOT NULL;");
    return ($memory[1] - $memory[0]) / $size;
}

for my $try (
    [ 'to_simhash(TEXT)', "'some words of a text '", 3 ],
    [ "to_simhash_as('go-dedup-utf', TEXT)", "'n\xc3\xa9 pas trop vite '", 6 ],
    [ "to_simhash_as('go-dedup-utf', TEXT)", "'e' || chr(769)", 6 ],
    [ "to_simhash_as('text-dedup', TEXT)", "'some words of a text '", 6 ],
    [ "cardinality(to_features(TEXT, 'word', 1))", "'a b '", 13 ])
{
    my ($call, $unit, $limit) = @$try;
    my $multiple = multiple($call, $unit);
    cmp_ok($multiple, '<', $limit, "$call of $unit takes less than $limit times the text") or diag($multiple);
    note(sprintf '%s of %s: %.1f times', $call, $unit, $multiple);
}

# Shingles that are all different.
my $bytes = 1 << 22;
my $different = "(SELECT string_agg(md5(i::text), '') FROM generate_series(1, $bytes / 32) i)";
my ($before, $after) = split /\n/, $node->safe_psql('postgres', "SELECT memory() FROM (SELECT length($different) OFFSET 0) s;
    SELECT memory() FROM (SELECT to_simhash($different, 'character', 25) OFFSET 0) s(x) WHERE x IS NOT NULL;");
my $multiple = ($after - $before) / $bytes;
cmp_ok($multiple, '<', 40, 'different shingles take less than 40 times the text');
note(sprintf 'different shingles: %.1f times', $multiple);

my (undef, undef, $error) = $node->psql('postgres', "\\set VERBOSITY verbose\nSELECT to_simhash_as('go-dedup-utf', 'a' || repeat(chr(769), 100000))");
like($error, qr/ERROR: +54000: +too many combining characters in a row/, 'combining characters without end');

done_testing();
