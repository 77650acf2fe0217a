# Logical replication of a table without a key finds the rows to change by the equality of all columns: a column of each
# type that the extension has, in the text and the binary form. Indexes of each operator class follow the changes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use SimhashTest;

my $publisher = start_node('publisher', streaming => 'logical');
my $subscriber = start_node('subscriber');
my $table = 'CREATE TABLE document (id int, h simhash, w simhash_weights, b simhash_ball,
    wb simhash_ball, sb signature_ball, f feature_frequencies, tb text_ball, fv feature_vector)';
for ($publisher, $subscriber) {
    prepare_database($_);
    prepare_classes($_);
    $_->safe_psql('postgres', "$table; ALTER TABLE item ADD PRIMARY KEY (id)");
}

# Rows that are equal but for one column.
$publisher->safe_psql('postgres', <<'SQL');
ALTER TABLE document REPLICA IDENTITY FULL;
CREATE PUBLICATION documents FOR TABLE document;
INSERT INTO document SELECT 0, to_simhash(h), to_simhash_weights(w), simhash_ball(to_simhash(b), 3),
    simhash_ball(to_simhash_weights(wb), 3, 0.9), signature_ball(to_signature(sb, 512), 20, 0.9),
    (SELECT feature_frequencies_agg(f || n) FROM generate_series(1, 2000) n), text_ball('some text ' || sb, 0.9), features(ARRAY['a', sb])
FROM (SELECT h, w, b, wb, sb, f FROM unnest('{x,y}'::text[]) h, unnest('{x,y}'::text[]) w, unnest('{x,y}'::text[]) b,
    unnest('{x,y}'::text[]) wb, unnest('{x,y}'::text[]) sb, unnest('{x,y}'::text[]) f OFFSET 0) s;
INSERT INTO document (id) VALUES (-1);
SQL

my $connection = $publisher->connstr . ' dbname=postgres';
# Binary copies exist from PostgreSQL 16 on, and binary changes from 14 on.
my $binary = $publisher->safe_psql('postgres', "SELECT current_setting('server_version_num')::int >= 140000") eq 't';
for my $form ($binary ? ('false', 'true') : ('false'))
{
    my $option = $form eq 'true' ? ', binary = true, copy_data = false' : '';
    $subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION documents CONNECTION '$connection' PUBLICATION documents WITH (slot_name = s_$form$option)");
    $subscriber->poll_query_until('postgres', "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel");
    my $same = sub {
        my ($change, $name) = @_;
        $publisher->safe_psql('postgres', $change);
        $publisher->wait_for_catchup('documents');
        my $rows = 'SELECT md5(string_agg(document::text, E\'\n\' ORDER BY document::text)), count(*) FROM document';
        is($subscriber->safe_psql('postgres', $rows), $publisher->safe_psql('postgres', $rows), "$name, binary $form");
    };
    $same->("UPDATE document SET id = id + 1 WHERE id = -1 OR (w = to_simhash_weights('x') AND f::text LIKE '%a%')", 'updated');
    $same->("UPDATE document SET w = w + w WHERE h = to_simhash('x')", 'weights updated');
    $same->("DELETE FROM document WHERE sb = signature_ball(to_signature('x', 512), 20, 0.9) AND b = simhash_ball(to_simhash('$form'), 3)
        OR ctid IN (SELECT ctid FROM document WHERE id = 0 LIMIT 3)", 'deleted');
    $subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION documents');
}
cmp_ok($publisher->safe_psql('postgres', 'SELECT count(DISTINCT w) FROM document'), '>', 2, 'rows changed');

$publisher->safe_psql('postgres', 'SELECT add_items(1, 300); CREATE PUBLICATION items FOR TABLE item');
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION items CONNECTION '$connection' PUBLICATION items");
$subscriber->poll_query_until('postgres', "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel");
$publisher->safe_psql('postgres', 'SELECT add_items(301, 600); UPDATE item SET h = flipped(h, id, 1) WHERE id % 5 = 0; DELETE FROM item WHERE id % 7 = 0');
$publisher->wait_for_catchup('items');
my $items = 'SELECT md5(string_agg(item::text, E\'\n\' ORDER BY id)), count(*) FROM item';
is($subscriber->safe_psql('postgres', $items), $publisher->safe_psql('postgres', $items), 'rows with indexes of each class');
$subscriber->safe_psql('postgres', 'ALTER TABLE item DROP CONSTRAINT item_pkey');
classes_agree($subscriber, 'the indexes of the subscriber agree with a sequential scan');
done_testing();
