# Every function of the extension with unusual arguments, as test/t/022_random_calls.pl calls those of simhash.
use strict;
use warnings;
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our %beside = (extension => 'simhash_compat', delicate => qr/to_simhash(?:_weights)?_as|simhash(?:_weights)?_from_hashes_as/);
my (@profiles, @minhash_profiles);
my $profile = sub {
    @profiles = map { $_->[0] } rows('SELECT name FROM simhash_profiles()') if !@profiles;
    return quoted(one_of(@profiles)) . '::text';
};
my $minhash_profile = sub {
    @minhash_profiles = map { $_->[0] } rows('SELECT name FROM minhash_profiles()') if !@minhash_profiles;
    return quoted(one_of(@minhash_profiles)) . '::text';
};
my $bits = sub { one_of(63 .. 66, 100, 256, 1024, 4095 .. 4097) };
my $permutation_seed = sub { one_of(0, 1, 42, 4294967295, 4294967296, -1) };
my $minima = sub { one_of("'{}'::bigint[]", 'ARRAY[1, -1, 9223372036854775807, 0]::bigint[]', 'ARRAY[1, NULL]::bigint[]', "array_fill(7::bigint, ARRAY[4096])") };
my $prose = sub { one_of("'The quick fox is said to be a dog that was there'::text", "repeat('this is what a cat does, ', 1000)", "''::text") };
my $bag = sub { one_of("ARRAY['a', 'b', 'c']", "ARRAY['the', 'is', 'a']", "ARRAY['a', '', NULL]") . '::text[]' };
my $three = sub { one_of("ARRAY[1, 2.5, 0.25]", "ARRAY[1, -1, 0]", "ARRAY[1e300, 1e300, 1]") . '::double precision[]' };
$beside{arguments} = {
    (map { ("to_simhash${_}_as(text;text)" => [ $profile ],
         "to_simhash${_}_as(text;text;integer)" => [ $profile, $prose, sub { one_of(1 .. 6) } ],
         "to_simhash${_}_as(text;text[])" => [ $profile, $bag ],
         "to_simhash${_}_as(text;text[];double precision[])" => [ $profile, $bag, $three ],
         "simhash${_}_from_hashes_as(text;bigint[])" => [ $profile, sub { 'ARRAY[1, -1, 9223372036854775807]::bigint[]' } ],
         "simhash${_}_from_hashes_as(text;bigint[];double precision[])" => [ $profile, sub { 'ARRAY[1, -1, 0]::bigint[]' }, $three ]) } '', '_weights'),
    'to_minhash_as(text;text[])' => [ $minhash_profile, $bag ],
    'to_minhash_as(text;text[];integer)' => [ $minhash_profile, $bag, $bits ],
    'to_minhash_as(text;text[];integer;bigint)' => [ $minhash_profile, $bag, $bits, $permutation_seed ],
    'minhash_from_hashes_as(text;bigint[])' => [ $minhash_profile, $minima ],
    'minhash_from_hashes_as(text;bigint[];integer)' => [ $minhash_profile, $minima, $bits ],
    'minhash_from_hashes_as(text;bigint[];integer;bigint)' => [ $minhash_profile, $minima, $bits, $permutation_seed ] };

my $calls = "$FindBin::RealBin/../../../test/t/022_random_calls.pl";
do $calls or die $@ || "$calls: $!";
