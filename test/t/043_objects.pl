# doc/objects.md lists the objects that the extension has, and the results of its examples are those of this build.
use strict;
use warnings;
use File::Basename qw(dirname);
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $top = dirname(dirname($FindBin::RealBin));
my $node = start_node('main');
$node->safe_psql('postgres', 'CREATE EXTENSION simhash');
my $written = $node->safe_psql('postgres', slurp_file("$top/tools/objects.sql"));
my $page = slurp_file("$top/doc/objects.md");
chomp $page;
is($page, $written, 'doc/objects.md is what tools/objects.sql writes');
cmp_ok(scalar(() = $page =~ /\S+/g), '<=', 5000, 'no more words than one can read');
done_testing();
