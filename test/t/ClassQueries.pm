# Random queries of the operator classes whose indexes do not store the column: of texts, of bigints, of balls, and behind
# columns for equality. As in GeneratedQueries.pm, each query has two forms; the second reads copies of the tables without
# an index, with integer arithmetic and the definition of near texts in place of the operators.
#
#   t (id, grp, tenant, h, b, body, ball)   the searched table; b is h as a bigint, ball one around h
#   u                                       a small table of the same columns, and a radius, to join with
#   …_truth                                 the same rows: no h and no ball but b and r, the ball's radius; tenant as text;
#                                           m: the sketch of the text
package ClassQueries;

use strict;
use warnings;
no warnings 'portable'; # numbers of 64 bits
use POSIX ();
use GeneratedQueries qw(pick chance between random_bits flipped hex_of bigint_of replaced insert_rows);

my (%world, @center, @template, @text, $parameters);

# -- values -----------------------------------------------------------------------------------------------------------

my @words = (
    (map { sprintf 'w%02x', $_ } 0 .. 199), "\xc3\x89ric", "caf\xc3\xa9", "\xe6\x9d\xb1\xe4\xba\xac", "\xd0\xbc\xd0\xb8\xd1\x80", "don't",
    "\xe2\x82\xac5", "A\xcc\x8a", "\xf0\x9f\x98\x80x", '100%', 'C++');

sub random_words { my ($count, $most) = @_; return map { $words[ rand($most // @words) ] } 1 .. $count }

# A text with that many words exchanged, removed or added.
sub changed
{
    my ($text, $changes) = @_;
    my @word = split / /, $text;
    for (1 .. $changes) {
        my $at = rand(@word + 1);
        splice @word, $at, pick(0, 1, 1), chance(0.75) ? random_words(1) : ();
    }
    return join ' ', @word;
}

sub random_text
{
    my ($kind) = @_;
    return undef if chance($kind eq 'NULLs' ? 0.4 : 0.02);
    return pick('', '', '...', ' ', 'one', 'One!', 'one two', "\xe6\x9d\xb1") if chance($kind eq 'short' ? 0.5 : 0.04);
    return join ' ', random_words(between(1, 4), 12) if $kind eq 'short';
    return join ' ', random_words(between(1, 40)) if $kind eq 'uniform';
    return join ' ', random_words(between(3, 30), 4) if $kind eq 'skewed';
    return pick(@template[ 0 .. 2 ]) if $kind eq 'equal';
    return join ' ', map { chance(0.15) ? random_words(1) : $_ } split / /, pick(@template[ 0 .. 3 ]) if $kind eq 'templated';
    # Longer than a row may be: stored elsewhere, compressed or not.
    return join ' ', changed(pick(@template), between(0, 3)), ($template[0]) x between(1, 400) if $kind eq 'long' && chance(0.1);
    return join ' ', changed($template[4], between(0, 30)), random_words(between(2000, 2100)) if $kind eq 'long' && chance(0.05);
    return changed(pick(@template), between(0, 5));
}

sub quoted { my ($text) = @_; return defined $text ? "'" . $text =~ s/'/''/gr . "'" : 'NULL' }

sub query_text
{
    return random_text('short') // '' if chance(0.1);
    my $text = chance(0.5) ? pick(@template) : pick(@text);
    return chance(0.4) ? $text : changed($text, pick(1, 1, 2, 4));
}

# The bits within which text_ball searches (core/features/text_sketch.hpp).
sub text_radius
{
    my ($similarity) = @_;
    my @measured = $world{title} ? ([ 1, 0 ], [ .9, 5 ], [ .8, 7 ], [ .7, 9 ], [ .6, 11 ], [ .5, 13 ], [ 0, 64 ]) : ([ 1, 0 ], [ .9, 5 ], [ .8, 8 ], [ .7, 12 ], [ .6, 16 ], [ .5, 20 ], [ 0, 64 ]);
    my $next = 1;
    $next++ while $next < $#measured && $similarity < $measured[$next][0];
    my ($above, $below) = @measured[ $next - 1, $next ];
    return POSIX::ceil($above->[1] + ($below->[1] - $above->[1]) * ($above->[0] - $similarity) / ($above->[0] - $below->[0]) - 1e-6);
}

sub random_fingerprint
{
    return chance(0.05) ? undef : chance(0.7) ? flipped(pick(@center), between(0, 6)) : random_bits();
}
sub query_fingerprint { return chance(0.85) ? flipped(pick(@center), pick(0, 0, 1, 2, 4)) : pick(0, ~0, random_bits()) }

# The types of a tenant: values as they are written and as text compares them, and the function of their hash.
my %tenants = (
    int => [ 'hashint4extended', map { [ $_, $_ ] } 1, 2, -7, 0, 2147483647 ],
    smallint => [ 'hashint2extended', map { [ $_, $_ ] } 1, 2, -7, 0, 32767 ],
    bigint => [ 'hashint8extended', map { [ "'$_'", $_ ] } 1, 2, -7, '9223372036854775807', '-9223372036854775808' ],
    oid => [ 'hashoidextended', map { [ "'$_'", $_ ] } 1, 2, 0, 4294967295 ],
    text => [ 'hashtextextended', map { [ quoted($_), $_ ] } '', 'a', 'A', "caf\xc3\xa9", 'x' x 3000 ],
    'text COLLATE no_case' => [ '', [ "'a'", 'a' ], [ "'A'", 'a' ], [ "'bC'", 'bc' ], [ "'Bc'", 'bc' ], [ "''", '' ] ],
    'varchar(20)' => [ '', map { [ "'$_'", $_ ] } '', 'a', 'b ', 'b' ],
    'char(6)' => [ '', [ "'a'", 'a' ], [ "'a  '", 'a' ], [ "''", '' ], [ "'b c'", 'b c' ] ],
    name => [ '', map { [ "'$_'", $_ ] } 'a', 'b', '' ],
    uuid => [ 'uuid_hash_extended', map { my $u = $_ x 8 . '-0000' x 3 . '-000000000000'; [ "'$u'", $u ] } 0, 1, 'f' ],
    date => [ '', map { [ "'$_'", $_ ] } '2026-01-01', '2026-02-28', '1999-12-31', 'infinity' ],
    boolean => [ '', [ 'true', 'true' ], [ 'false', 'false' ] ],
    chat => [ '', map { [ $_, $_ ] } 5, 6, 7 ]);

sub tenant { return chance(0.06) ? [ 'NULL', undef ] : pick(@{ $world{tenants} }) }

# -- conditions: each is a function of the form, 0 as the user writes it, 1 the truth ----------------------------------------

# A text to search for: what the user writes, the text, and its sketch.
sub text_query
{
    my (%options) = @_;
    return sub { return $_[0] ? ('u.body', 'u.m') : pick('u.body', 'u.body', 'u.body::varchar') } if $options{with} && chance(0.8);
    if ($parameters && chance(0.8)) {
        return sub { return $_[0] ? ($parameters->[0], "sketch($parameters->[0])") : '$1' };
    }
    my $text = quoted(chance(0.02) ? undef : query_text());
    my $form = pick('Q', 'Q::text', '(SELECT Q::text)', 'Q::varchar');
    return sub { return $_[0] ? ($text, "sketch($text)") : $form =~ s/Q/$text/r };
}

sub near_text
{
    my ($alias, %options) = @_;
    my $q = text_query(%options);
    my $column = pick("$alias.body", "$alias.body", $world{column} // "$alias.body");
    my $truth = sub {
        my ($similarity) = @_;
        my ($text, $sketch) = $q->(1);
        return "near($alias.body, $alias.m, $text, $sketch, $similarity, " . text_radius($similarity) . ')';
    };
    if (!$world{title} && chance(0.6)) {
        my $form = pick('X ~= Y', 'X ~= Y', 'Y ~= X', 'X COLLATE "C" ~= Y', '(X ~= Y) IS TRUE', '(X ~= Y) IS UNKNOWN');
        $column =~ s/^t/$alias/;
        return sub {
            return replaced($form =~ s/X.*?Y|Y.*?X/X/r, X => $truth->('0.8')) if $_[0];
            return replaced($form, X => $column, Y => ($q->(0))[0]);
        };
    }
    if (!$world{title} && chance(0.15)) {
        my @some = map { quoted(query_text()) } 1 .. between(1, 4);
        push @some, 'NULL::text' if chance(0.2);
        return sub { return $_[0] ? '(' . join(' OR ', map { "near($alias.body, $alias.m, $_, sketch($_), 0.8, 8)" } @some) . ')' :
            "$alias.body ~= ANY (ARRAY[" . join(', ', @some) . '])' };
    }
    my $similarity = pick('0.9', '0.8', '0.7', '0.95', '1', '0.6', chance(0.3) ? ('0.5', '0.25', '0') : ());
    return sub { return $_[0] ? $truth->($similarity) : "$alias.body <@| text_ball(" . ($q->(0))[0] .
        ", $similarity" . ($world{title} ? ", 'character')" : ')') };
}

# A fingerprint to search for, as a number: of the type that the column has.
sub number_query
{
    my ($type, %options) = @_;
    return sub { return $_[0] ? 'u.b' : $type eq 'bigint' ? 'u.b' : 'u.h' } if $options{with} && chance(0.8);
    return sub { return $_[0] ? $parameters->[0] : $type eq 'bigint' ? '$1::bigint' : '$1' } if $parameters && chance(0.8);
    my $bits = query_fingerprint();
    my $hex = hex_of($bits);
    return sub { return $_[0] ? bigint_of($bits) : $type eq 'bigint' ? bigint_of($bits) : "'$hex'::simhash" };
}

# Bit strings that have each bit of a number three times. Behind other columns a recall is 1.
sub near_wide
{
    my ($alias, %options) = @_;
    my ($q, $r) = (number_query('bigint', %options), pick(0, 3, 9, 12, 20, 60, -1, 192));
    my ($form, $truth) = @{ pick((([ 'X <@> Y <= R', '3 * D <= R' ]) x 3), [ 'Y <@> X < R', '3 * D < R' ], [ 'X = Y', 'D = 0' ],
        [ 'X <@| signature_ball(Y, R)', '3 * D <= R' ], [ 'X <@| signature_ball(Y, R, 0.5)', '3 * D <= R' ]) };
    return sub {
        my $y = $q->($_[0]);
        return $_[0] ? replaced($truth, D => "dist($alias.b, $y)", R => $r) :
            replaced($form, X => "wide($alias.b)::bit(192)", Y => "wide($y)::bit(192)", R => $r) };
}

sub near_number
{
    my ($alias, %options) = @_;
    return near_wide(@_) if $world{wide} && chance(0.9);
    my $type = $world{class} eq 'bigint' ? 'bigint' : pick('simhash', 'simhash', 'simhash', 'bigint');
    my ($column, $q, $r) = ("$alias." . ($type eq 'bigint' ? 'b' : 'h'), number_query($type, %options), pick(0 .. 4, 3, 6, 10, 20, -1, 64));
    my ($form, $truth) = @{ pick((([ 'X <@> Y <= R', 'dist(X, Y) <= R' ]) x 4), [ 'Y <@> X < R', 'dist(X, Y) < R' ], [ 'X ~= Y', 'dist(X, Y) <= 3' ],
        [ 'X = Y', 'X = Y' ], [ 'NOT X ~= Y', 'dist(X, Y) > 3' ], [ 'X <@> Y = R', 'dist(X, Y) = R' ], [ 'X IS NULL', 'X IS NULL' ],
        [ 'X IS NOT NULL', 'X IS NOT NULL' ], [ "X ~= ANY (ARRAY[Y, NULL]::$type\[])", '(dist(X, Y) <= 3 OR NULL)' ],
        [ 'X <@| simhash_ball(Y, R)', 'dist(X, Y) <= R' ], [ 'X <@> Y BETWEEN 1 AND R', 'dist(X, Y) BETWEEN 1 AND R' ]) };
    ($form, $truth) = ('X <@> Y <= R', 'dist(X, Y) <= R') if $form =~ /<@\|/ && $type eq 'bigint';
    return sub { return replaced($_[0] ? $truth : $form, X => $_[0] ? "$alias.b" : $column, Y => $q->($_[0]), R => $r) };
}

sub near_ball
{
    my ($alias, %options) = @_;
    my ($q, $r) = (number_query('simhash', %options), pick(0 .. 6, 3, 5, 12, -1, 64));
    return sub { return "$alias.b IS " . ($_[0] ? '' : '') . 'NULL' } if chance(0.05);
    if ($world{signatures}) {
        my $of = sub { "signature_ball(wide($_[0])::bit(192), $_[1])" };
        return sub {
            my $y = $q->($_[0]);
            return "3 * dist($alias.b, $y) <= least($world{radius}, $r)" if $_[0];
            return join ' ~= ', $of->("$alias.b", $world{radius}), $of->("($y)::bigint", $r);
        };
    }
    my ($x, $own) = $world{column} =~ /\(/ ? ("simhash_ball($alias.h, $world{radius})", $world{radius}) : ("$alias.ball", "$alias.r");
    return sub { return $_[0] ? "dist($alias.b, u.b) <= least($own, u.r)" : "$x ~= u.ball" } if $options{with} && chance(0.3);
    my $form = pick('X ~= Y', 'X ~= Y', 'Y ~= X', 'NOT X ~= Y', 'X ~= ANY (ARRAY[Y])');
    return sub {
        my $y = $q->($_[0]);
        return ($form =~ /NOT/ ? 'NOT ' : '') . "dist($alias.b, $y) <= least($own, $r)" if $_[0];
        return replaced($form, X => $x, Y => "simhash_ball($y, $r)");
    };
}

sub near
{
    return near_text(@_) if $world{class} eq 'text';
    return near_ball(@_) if $world{class} eq 'ball' && chance(0.9);
    return near_number(@_);
}

sub of_tenant
{
    my ($alias, %options) = @_;
    return sub { return "$alias.tenant = u.tenant" } if $options{with} && chance(0.8);
    my @some = map { pick(@{ $world{tenants} }) } 1 .. 3;
    my $type = $world{type} =~ s/ COLLATE.*//r;
    my $is = sub { my ($tenant) = @_; return "$alias.tenant = " . (defined $tenant->[1] ? quoted($tenant->[1]) : 'NULL') };
    my $cast = pick('', '', $type =~ /int/ ? pick('::bigint', '::int', "::$type") : "::$type");
    $cast = '' if $cast eq '::int' && $some[0][1] =~ /\d{11}/;
    my $form = pick((('=') x 6), 'IN', 'ANY', 'NULL', 'NOT NULL', '<>', 'two');
    return sub {
        my ($f) = @_;
        return "$alias.tenant IS $form" if $form =~ /NULL/;
        return 'NOT (' . $is->($some[0]) . ')' if $f && $form eq '<>';
        return "$alias.tenant <> $some[0][0]" if $form eq '<>';
        return '(' . join(' OR ', map { $is->($_) } @some) . ')' if $f && $form =~ /IN|ANY/;
        return "$alias.tenant IN (" . join(', ', map { "$_->[0]" } @some) . ')' if $form eq 'IN';
        return "$alias.tenant = ANY (ARRAY[" . join(', ', map { $_->[0] } @some) . "]::$type\[])" if $form eq 'ANY';
        return $is->($some[0]) . ($form eq 'two' ? ' AND ' . $is->($some[1]) : '') if $f;
        return "$alias.tenant = $some[0][0]$cast" . ($form eq 'two' ? " AND $alias.tenant = $some[1][0]" : '');
    };
}

sub condition
{
    my ($alias, %options) = @_;
    my $depth = $options{depth} // 0;
    my $near = near($alias, %options);
    my $other = $world{several} && chance(0.8) ? of_tenant($alias, %options) : do {
        my $form = pick('grp < 5', 'grp = ' . between(0, 9), 'id % ' . between(2, 5) . ' = 1', $world{class} eq 'text' ? 'body IS NULL' : 'b IS NULL',
            $world{class} eq 'text' ? 'body IS NOT NULL' : 'b IS NOT NULL');
        sub { return "$alias.$form" } };
    return $near if chance($world{several} ? 0.15 : 0.5);
    return sub { return '(' . $near->($_[0]) . ') AND (' . $other->($_[0]) . ')' } if $depth > 1 || chance(0.6);
    my $more = condition($alias, %options, depth => $depth + 1);
    my $form = pick('(X) OR (Y)', '(X) OR (Y)', '(X) AND (Y)', '(X) AND (Z) AND (Y)', 'NOT (X)', '(X) OR (Y) AND (Z)', '(X) AND NOT (Y)');
    return sub { return replaced($form, X => $near->($_[0]), Y => $more->($_[0]), Z => $other->($_[0])) };
}

# -- queries ----------------------------------------------------------------------------------------------------------

sub tables { my ($name, $f, $alias) = @_; return ($f ? "${name}_truth" : $name) . ' AS ' . ($alias // $name) }

my %shape = (
    rows => [ 20, sub { my $c = condition('t');
        return ('set', sub { return 'SELECT t.id FROM ' . tables('t', $_[0]) . ' WHERE ' . $c->($_[0]) }) } ],
    counts => [ 5, sub { my ($c, $e) = (condition('t'), near('t'));
        my $form = pick('count(*), min(t.id), sum(t.grp)', 'count(*) FILTER (WHERE E), count(*)', 't.grp, count(*)', 'bool_or(E), bool_and(E)');
        return ('set', sub { return 'SELECT ' . replaced($form, E => $e->($_[0])) . ' FROM ' . tables('t', $_[0]) . ' WHERE ' . $c->($_[0]) .
            ($form =~ /^t/ ? ' GROUP BY 1' : '') }) } ],
    first => [ 4, sub { my ($c, $n) = (condition('t'), pick(1, 3, 20));
        return ('set', sub { return 'SELECT t.id FROM ' . tables('t', $_[0]) . ' WHERE ' . $c->($_[0]) . " ORDER BY t.id LIMIT $n" }) } ],
    locked => [ 1, sub { my $c = condition('t');
        return ('set', sub { return 'SELECT t.id FROM ' . tables('t', $_[0]) . ' WHERE ' . $c->($_[0]) . ' FOR UPDATE' }) } ],
    join => [ 10, sub {
        my ($c, $form, $few) = (condition('t', with => 1), pick('JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN'), pick(8, 20));
        # Also of the table with itself, by an index that both sides have.
        my $of = $world{both} && chance(0.4) ? 't' : 'u';
        return ('set', sub { return "SELECT u.id, t.id FROM " . ($form eq 'RIGHT JOIN' ? tables('t', $_[0]) . " RIGHT JOIN " . tables($of, $_[0], 'u') :
            tables($of, $_[0], 'u') . " $form " . tables('t', $_[0])) . ' ON ' . $c->($_[0]) . " WHERE u.id <= $few" }) } ],
    exists => [ 5, sub { my ($c, $not) = (condition('t', with => 1), pick('', 'NOT '));
        return ('set', sub { return 'SELECT u.id FROM ' . tables('u', $_[0]) . " WHERE ${not}EXISTS (SELECT FROM " . tables('t', $_[0]) .
            ' WHERE ' . $c->($_[0]) . ')' }) } ],
    lateral => [ 3, sub { my ($c, $n) = (condition('t', with => 1), pick(1, 4));
        return ('set', sub { return 'SELECT u.id, n.id FROM ' . tables('u', $_[0]) . ', LATERAL (SELECT t.id FROM ' . tables('t', $_[0]) .
            ' WHERE ' . $c->($_[0]) . " ORDER BY t.id LIMIT $n) AS n" }) } ],
    union => [ 2, sub { my @c = map { condition('t') } 1, 2; my $form = pick('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT');
        return ('set', sub { my ($f) = @_; return join " $form ", map { 'SELECT t.id FROM ' . tables('t', $f) . ' WHERE ' . $_->($f) } @c }) } ]);

# ORDER BY a distance: of a bigint, or of a fingerprint behind other columns.
sub nearest
{
    my $type = $world{class} eq 'bigint' ? 'bigint' : 'simhash';
    my ($q, $limit, $offset) = (number_query($type), pick(1, 3, 10, 50, 3000), chance(0.8) ? 0 : between(1, 20));
    my $c = chance(0.5) ? condition('t') : $world{several} ? of_tenant('t') : sub { 'true' };
    my $column = $type eq 'bigint' ? 't.b' : 't.h';
    my $wide = $world{wide} && chance(0.9);
    $q = number_query('bigint') if $wide;
    my $nearest = pick('wide(Q)::bit(192)', 'wide(Q)::bit(192)', 'signature_nearest(wide(Q)::bit(192), 0.5)');
    return ([ $offset, $limit ], sub { my ($f) = @_;
        my $d = $f ? ($wide ? '3 * ' : '') . 'dist(t.b, ' . $q->(1) . ')' : $wide ? '(wide(t.b)::bit(192) <@> ' . replaced($nearest, Q => $q->(0)) . ')' :
            "($column <@> " . $q->(0) . ')';
        return "SELECT t.id, $d FROM " . tables('t', $f) . ' WHERE ' . $c->($f) . " ORDER BY $d" . ($f ? '' : " LIMIT $limit OFFSET $offset") });
}

sub any_shape
{
    return nearest() if $world{ordered} && chance(0.25);
    my @names = map { ($_) x $shape{$_}[0] } sort keys %shape;
    return $shape{ pick(@names) }[1]->();
}

sub parameter { return $world{class} eq 'text' ? quoted(query_text()) : bigint_of(query_fingerprint()) . ($world{class} eq 'bigint' ? '' : '::simhash') }

sub prepared
{
    my $type = $world{class} eq 'text' ? 'text' : $world{class} eq 'bigint' ? 'bigint' : 'simhash';
    my $own = sub { my ($ours) = @_; return [ $ours =~ s/::simhash//r ] };
    my $first = parameter();
    $parameters = $own->($first);
    my ($compare, $form) = any_shape();
    my $prepare = "PREPARE p ($type) AS " . $form->(0);
    my (@ours, @truth);
    for my $value ($first, map { parameter() } 1 .. pick(1, 6)) {
        $parameters = $own->($value);
        push @ours, "EXECUTE p ($value)";
        push @truth, $form->(1);
    }
    $parameters = undef;
    return { name => 'prepared', compare => $compare, before => [$prepare], ours => \@ours, truth => \@truth, after => ['DEALLOCATE p'] };
}

sub cursor
{
    my ($compare, $form) = $shape{rows}[1]->();
    my $step = between(1, 50);
    return { name => 'cursor', before => [ 'BEGIN', 'DECLARE c SCROLL CURSOR FOR ' . $form->(0) ], after => ['COMMIT'],
        ours => [ "FETCH $step FROM c", 'FETCH FORWARD ALL FROM c', 'FETCH BACKWARD ALL FROM c' ], truth => [ $form->(1) ],
        compare => sub { my ($ours, $truth) = @_;
            my @rows = (@{ $ours->[0] }, @{ $ours->[1] });
            my $expected = join "\n", sort @{ $truth->[0] };
            return join("\n", sort @rows) eq $expected && join("\n", sort @{ $ours->[2] }) eq $expected } };
}

# Changes of what is indexed and of what is not, and queries in the same transaction, which is rolled back.
sub changes
{
    my ($c, $bits) = (condition('t'), random_bits() & random_bits());
    my $change = pick('update', 'update', 'delete', 'insert', 'HOT');
    my $new = sub { my ($f) = @_; my $b = 'b # ' . bigint_of($bits); my $text = "body || ' and w01 w02'";
        return $f ? [ [ b => $b ], [ body => $text ], [ m => "sketch($text)" ] ] : [ [ b => $b ], [ body => $text ], [ h => "($b)::simhash" ],
            [ ball => "simhash_ball(($b)::simhash, " . ($world{radius} // 3) . ')' ] ] };
    my $form = sub { my ($f) = @_;
        my @columns = (@{ $new->($f) }, $f ? [ r => $world{radius} // 3 ] : ());
        my $table = $f ? 't_truth' : 't';
        return "DELETE FROM $table AS t WHERE " . $c->($f) . ' RETURNING t.id' if $change eq 'delete';
        return "UPDATE $table AS t SET grp = (grp + 1) % 10 WHERE " . $c->($f) . ' RETURNING t.id, grp' if $change eq 'HOT';
        return "UPDATE $table AS t SET " . join(', ', map { "$_->[0] = $_->[1]" } @columns) . ' WHERE ' . $c->($f) . ' RETURNING t.id' if $change eq 'update';
        return "INSERT INTO $table (id, grp, tenant, " . join(', ', map { $_->[0] } @columns) . ') SELECT id + 100000, grp, tenant, ' .
            join(', ', map { $_->[1] } @columns) . " FROM $table AS t WHERE " . $c->($f) . ' RETURNING id' };
    my @forms = ($form, map { ($shape{ pick(qw(rows counts join)) }[1]->())[1] } 1, 2);
    my @undone = chance(0.3) ? ('SAVEPOINT s', 'DELETE FROM t WHERE id % 3 = 0', 'ROLLBACK TO s') : ();
    return { name => 'changes', compare => 'set', before => [ 'BEGIN', @undone ], after => ['ROLLBACK'], truth_before => ['BEGIN'],
        truth_after => ['ROLLBACK'], ours => [ map { $_->(0) } @forms ], truth => [ map { $_->(1) } @forms ] };
}

sub next_query
{
    my $kind = rand();
    return prepared() if $kind < 0.06;
    return cursor() if $kind < 0.1;
    return changes() if $kind < 0.15;
    if ($kind < 0.16) {
        my @work = ('VACUUM t', 'REINDEX TABLE t', 'UPDATE t SET grp = grp WHERE id % 3 = 0', 'VACUUM (FREEZE) t', 'ANALYZE t');
        push @work, 'REINDEX TABLE CONCURRENTLY t', 'REINDEX INDEX CONCURRENTLY t_key', 'VACUUM FULL t' if $world{shape} ne 'hash partitions';
        return { name => 'maintenance', compare => 'set', ours => ["SELECT heap_rows <= rows + nulls FROM simhash_index_check('t_key', true)"],
            truth => ['SELECT true'], before => [ pick(@work) ] };
    }
    my ($compare, $form) = any_shape();
    return { name => 'class query', compare => $compare, ours => [ $form->(0) ], truth => [ $form->(1) ] };
}

# -- worlds -----------------------------------------------------------------------------------------------------------

sub begin_world
{
    my ($seed, $version) = @_;
    GeneratedQueries::begin_world($seed, $version); # what plan_mode needs
    srand($seed);
    $parameters = undef;
    @center = map { random_bits() } 1 .. 12;
    @template = map { join ' ', random_words(pick(5, 12, 30, 60)) } 1 .. 12;
    my $class = pick(qw(text text text text bigint number number number ball));
    %world = (class => $class, rows => pick(60, 300, 600, 1200), data => pick(qw(uniform near near templated skewed short equal NULLs long)),
        shape => pick('plain', 'plain', 'unlogged', 'hash partitions', 'children'), dead => chance(0.4), late => chance(0.4), both => chance(0.5), radius => pick(0, 3, 5, 12));
    my $type = pick(sort keys %tenants);
    @world{qw(type tenants hash)} = ($type, [ @{ $tenants{$type} }[ 1 .. $#{ $tenants{$type} } ] ], $tenants{$type}[0]);
    my $tenant = 'tenant' . ($type =~ /^(text|varchar)/ ? ' simhash_equal_text_ops' : $type =~ /^char/ ? ' simhash_equal_bpchar_ops' : '');
    $world{key} = pick(@{ {
        text => [ (('(body)') x 4), "($tenant, body)", "($tenant, grp, body)", '((lower(t.body)))', '((t.body::document))', '(body COLLATE "C")',
            '(body) WHERE grp < 5', '(body) WHERE body IS NOT NULL', (('(body simhash_title_ops)') x 2), "($tenant, body simhash_title_ops)" ],
        bigint => [ '(b)', "($tenant, b)", '(b) WHERE grp < 5' ],
        number => [ ("($tenant, h)") x 4, "(grp, $tenant, h)", "($tenant, h) WHERE grp < 5", '(b, h)', "($tenant, b)", ("($tenant, (wide(t.b)::bit(192)))") x 4 ],
        ball => [ '(ball)', '((simhash_ball(t.h, R)))', "($tenant, ball)", '((signature_ball(wide(t.b)::bit(192), R)))' ] }->{$class} });
    $world{key} =~ s/\bR\b/$world{radius}/;
    ($world{column}) = $world{key} =~ /\(\((.*)\)\)/ ? $1 : 't.body';
    $world{signatures} = $world{key} =~ /signature/;
    $world{wide} = $world{key} =~ /, \(wide/;
    $world{title} = $world{key} =~ /title/;
    $world{several} = $world{key} =~ /tenant/;
    $world{ordered} = $class =~ /bigint|number/;
    $world{class} = 'bigint' if $world{key} =~ /, b\)/;
    $world{key} =~ s/\bt\.//g;
    return join ', ', "$world{rows} rows", $world{data}, $world{shape}, "index $world{key}", "tenant $type", grep { $world{$_} } qw(dead late both);
}

sub row
{
    my ($id, $data) = @_;
    my ($bits, $tenant, $text, $radius) = (random_fingerprint(), tenant(), random_text($data), pick(-1, 0, 2, 3, 5, 9, 64));
    push @text, $text if defined $text && length $text < 2000;
    my ($b, $h) = defined $bits ? (bigint_of($bits), "'" . hex_of($bits) . "'::simhash") : ('NULL', 'NULL');
    return ("($id, " . join(', ', $id % 10, $tenant->[0], $h, $b, quoted($text), "simhash_ball($h, $radius)") . ')',
        "($id, " . join(', ', $id % 10, quoted($tenant->[1]), $b, quoted($text), "sketch(" . quoted($text) . ")", defined $bits ? $radius : 'NULL') . ')');
}

sub world_script
{
    @text = ($template[0]);
    my (@rows, @truth, @small, @small_truth);
    for (1 .. $world{rows}) { my ($row, $truth) = row($_, $world{data}); push @rows, $row; push @truth, $truth; }
    for (1 .. 20) { my ($row, $truth) = row($_, 'near'); push @small, $row; push @small_truth, $truth; }
    my @dead = $world{dead} ? map { (row(-$_, $world{data}))[0] } 1 .. $world{rows} : ();
    my $options = pick('', '', 'WITH (trees = 2)', 'WITH (design_radius = 2)', 'WITH (fillfactor = 50)');
    $world{key} =~ /^(.*\))( WHERE .*)?$/;
    my @tables = $world{shape} eq 'children' ? qw(t t_0) : ('t');
    my @indexes = map { "CREATE INDEX ${_}_key ON $_ USING simhash $1 $options" . ($2 // '') } @tables, $world{both} ? 'u' : ();
    my @insert = $world{shape} eq 'children' ? (insert_rows('t_0', @rows[ grep { $_ % 3 } 0 .. $#rows ]),
        insert_rows('t', @dead, @rows[ grep { !($_ % 3) } 0 .. $#rows ])) : insert_rows('t', @dead, @rows);
    my $columns = "(id int, grp int, tenant $world{type}, h simhash, b bigint, body text, ball simhash_ball)";
    # Rows of one tenant whose entries are those of rows of another one.
    my ($hash, $type) = ($world{hash}, $world{type});
    my ($x, $y) = map { "$hash($_->[0]" . ($type =~ /int|oid|uuid/ ? "::$type" : '') . ', 0)' } @{ $world{tenants} }[ 0, 1 ];
    my $entries = !$hash || $world{key} !~ /^\(tenant[^,]*,/ ? '' : "SELECT id + 200000 AS id, grp, %s, b # $x # $y AS b, body, %s FROM %s WHERE tenant = %s AND id %% 2 = 0";
    my ($one, $other) = @{ $world{tenants} }[ 0, 1 ];
    return (
        'DROP SCHEMA IF EXISTS world CASCADE', 'CREATE SCHEMA world', 'SET search_path = world, public',
        'CREATE DOMAIN document AS text', 'CREATE DOMAIN chat AS int CHECK (VALUE > 0)',
        $type =~ /no_case/ ? "CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)" : (),
        'CREATE FUNCTION wide(bigint) RETURNS varbit LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT $1::bit(64) || $1::bit(64) || $1::bit(64) $$',
        'CREATE FUNCTION sketch(text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT ' . ($world{title} ?
            q{to_minhash(features(to_features($1, 'character', 1) || to_features($1, 'character', 2)), 64)} : q{to_minhash($1, 'word', 2, 64)}) .
            q{::bit(64)::bigint WHERE to_features($1) <> '{}' $$},
        q{CREATE FUNCTION near(text, bigint, text, bigint, float8, int) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT CASE WHEN $1 IS NULL OR $3 IS NULL THEN NULL WHEN dist($2, $4) <= $6 THEN feature_jaccard($1, $3, } .
            ($world{title} ? "'character', 2" : "'word', 3") . q{) >= $5 ELSE false END $$},
        $world{shape} eq 'hash partitions' ? ("CREATE TABLE t $columns PARTITION BY HASH (id)",
            map { "CREATE TABLE t_$_ PARTITION OF t FOR VALUES WITH (MODULUS 3, REMAINDER $_)" } 0 .. 2) :
        $world{shape} eq 'children' ? ("CREATE TABLE t $columns", 'CREATE TABLE t_0 () INHERITS (t)') :
        'CREATE ' . ($world{shape} eq 'unlogged' ? 'UNLOGGED ' : '') . "TABLE t $columns",
        $world{data} eq 'long' && chance(0.5) && $world{shape} ne 'hash partitions' ? 'ALTER TABLE t ALTER body SET STORAGE EXTERNAL' : (),
        "CREATE TABLE u $columns",
        $world{late} ? (@insert, @indexes) : (@indexes, @insert), insert_rows('u', @small),
        'DELETE FROM t WHERE id < 0', $world{dead} ? 'UPDATE t SET b = b WHERE id % 2 = 0' : (),
        map({ ("CREATE TABLE ${_}_truth (id int, grp int, tenant text, b bigint, body text, m bigint, r int)") } qw(t u)),
        insert_rows('t_truth', @truth), insert_rows('u_truth', @small_truth),
        $entries ? ('INSERT INTO t (id, grp, tenant, h, b, body, ball) SELECT id, grp, tenant, b::simhash, b, body, simhash_ball(b::simhash, r) FROM (' .
            sprintf($entries, "$other->[0]" . ($type =~ /int|oid|uuid/ ? "::$type" : '') . ' AS tenant', '3 AS r', 't', $one->[0]) . ') AS s',
            'INSERT INTO t_truth (id, grp, tenant, b, body, m, r) ' . sprintf($entries, quoted($other->[1]), 'm, 3', 't_truth', quoted($one->[1]))) : (),
        'ANALYZE');
}

1;
