# Random queries, each in two forms: as a user writes it, and in integer arithmetic over copies of the tables that
# have no fingerprints and no indexes. A world is a set of tables, with their data and indexes; all that it is made
# of, and its queries, follow from its seed.
#
#   t (id, grp, h, b)    the searched table: plain, partitioned or inherited; b is h as a bigint
#   u (id, h, b, w, r)   a small table to join with; w: weights whose signs are h; r: a radius
#   v, barrier           views of t, the second one with security_barrier
#   wide(b)              a signature in which every bit of b occurs three times; some worlds have indexes on it
#   …_truth              the same rows, b only; t_policy: the rows of t that the role regress_reader sees
package GeneratedQueries;

use strict;
use warnings;
no warnings 'portable'; # numbers of 64 bits
use Exporter 'import';

our @EXPORT = qw(begin_world world_script next_query plan_mode);
our @EXPORT_OK = qw(pick chance between random_bits flipped hex_of bigint_of replaced insert_rows);

my (%world, @center, @parameter);

sub pick { return $_[ int rand @_ ] }
sub chance { return rand() < $_[0] }
sub between { my ($low, $high) = @_; return $low + int rand($high - $low + 1) }

# -- fingerprints, as unsigned integers ------------------------------------------------------------------------

sub random_bits { return (between(0, 0xFFFFFFFF) << 32) | between(0, 0xFFFFFFFF) }

sub flipped
{
    my ($bits, $flips) = @_;
    $bits ^= 1 << between(0, 63) for 1 .. $flips;
    return $bits;
}

sub hex_of { return sprintf '%016x', $_[0] }
sub bigint_of { return "'" . unpack('q', pack('Q', $_[0])) . "'::bigint" }

sub random_fingerprint
{
    my ($kind) = @_;
    return undef if $kind eq 'NULLs' && chance(0.4) || chance(0.01);
    return random_bits() if $kind eq 'uniform';
    return flipped(pick(@center), between(0, 7)) if $kind eq 'near' || $kind eq 'NULLs';
    return random_bits() & random_bits() & random_bits() & 0xFFFF0F0F00FFFFFF if $kind eq 'skewed';
    return chance(0.99) ? $center[0] : flipped($center[0], between(1, 5)) if $kind eq 'equal';
    return $center[0] ^ (31 << between(0, 59)) if $kind eq 'shell';
    return pick(@center[ 0 .. 9 ]) if $kind eq 'few';
    return random_fingerprint(pick(qw(uniform near skewed few)));
}

sub query_fingerprint
{
    return pick(0, ~0, random_bits()) if chance(0.1);
    return $center[0] if $world{data} eq 'shell' && chance(0.5);
    return flipped(chance($world{centered} ? 0.6 : 0.1) ? pick(@center) : pick(@{ $world{sample} }), pick(0, 0, 0, 1, 2, 3,
        5, 8));
}

# 64 numbers with these signs.
sub weights_of
{
    my ($bits) = @_;
    my @weight = map { ($bits >> $_ & 1 ? 1 : -1) * pick(1, 1, 2, 3, 5, 9, 20) } 0 .. 63;
    return "'{" . join(',', @weight) . "}'::real[]::simhash_weights";
}

# -- parts of queries: each is a function of the form, 0 as the user writes it, 1 the truth -----------------------

sub column
{
    my ($alias) = @_;
    my $name = $world{expression} && chance(0.7) || chance(0.03) ? "($alias.b::simhash)" : "$alias.h";
    return sub { return $_[0] ? "$alias.b" : $name };
}

sub constant
{
    my ($bits) = @_;
    my $hex = hex_of($bits);
    my $text = pick("'$hex'", "'$hex'::simhash", bigint_of($bits) . '::simhash', "(SELECT '$hex'::simhash)");
    return sub { return $_[0] ? bigint_of($bits) : $text };
}

# A fingerprint to search for. Inside of a prepared statement it may be a parameter.
sub query_value
{
    my (%options) = @_;
    return $options{with}->() if $options{with} && chance(0.8);
    return sub { return $_[0] ? bigint_of($parameter[0]) : '$1' } if @parameter && chance(0.8);
    if (chance(0.06)) {
        my $id = between(1, 30);
        return sub { return $_[0] ? "(SELECT b FROM u_truth WHERE id = $id)" : "(SELECT h FROM u WHERE id = $id)" };
    }
    return sub { return $_[0] ? 'NULL::bigint' : 'NULL::simhash' } if chance(0.01);
    return constant(query_fingerprint());
}

# A fingerprint or weights; simhash's own operators take only the first.
sub center_value
{
    my (%options) = @_;
    return query_value(%options) if chance(0.7);
    my $bits = query_fingerprint();
    my $weights = weights_of($bits);
    return sub { return $_[0] ? bigint_of($bits) : $weights };
}

sub radius_number { return chance(0.85) ? pick(0 .. 4, 3, 3, 6, 8) : pick(-1, 10, 12, 16, 20, 27, 32, 63, 64, 65, 1000) }

sub radius
{
    my (%options) = @_;
    return sub { return $_[0] ? $parameter[1] : '$2' } if @parameter && chance(0.8);
    my $number = radius_number();
    return sub { return 'u.r' } if $options{with} && chance(0.2);
    return sub { return 't.grp' } if chance(0.02);
    return sub { return 'NULL::int' } if chance(0.01);
    my $text = chance(0.7) ? $number : pick("$number\::bigint", "(SELECT $number)", "($number\::hamming_distance)",
        $number < 999 ? "$number\::smallint" : $number);
    return sub { return $_[0] ? $number : $text };
}

# Signatures of two values, see wide(): columns and weights in their integer form, a parameter as it is.
sub wide_values
{
    return map { 'wide(' . ($_->(1) =~ /\.b$/ || $_->(0) =~ /weights/ ? $_->(1) : '(' . $_->(0) . ')::simhash::bigint') .
        ')::bit(192)' } @_;
}

# Their similarity.
sub similarity_between
{
    my ($x, $y) = @_;
    ($x, $y) = ($y, $x) if chance(0.3);
    return sub {
        return '((192 - 6 * dist(' . $x->(1) . ', ' . $y->(1) . '))::float8 / 192)' if $_[0];
        return 'minhash_similarity(' . join(', ', wide_values($x, $y)) . ')';
    };
}

# A condition on it. Many thresholds are the similarity of some distance, in as many digits as it takes.
sub similar
{
    my ($column, %options) = @_;
    my ($x, $y) = ($column, center_value(%options));
    ($x, $y) = ($y, $x) if chance(0.3);
    my $number = chance(0.7) ? sprintf('%.17g', (192 - 6 * radius_number()) / 192) : pick(0, 0.5, 0.8, 0.9, 1, -1);
    my ($threshold, $type) = ($number, pick('', '', "'", '::float8', '::real'));
    $threshold = $type eq "'" ? "'$number'" : "($number)$type";
    my $truth = '(' . $number . ')' . ($type eq '::real' ? '::real' : '') . '::float8';
    my $form = pick('C', 'C', 'C', 'NOT C', 'C IS TRUE', 'C IS NOT TRUE');
    return sub {
        return replaced($form, C => '((192 - 6 * dist(' . $x->(1) . ', ' . $y->(1) . "))::float8 / 192 >= $truth)") if $_[0];
        return replaced($form, C => 'minhash_at_least(' . join(', ', wide_values($x, $y), $threshold) . ')');
    };
}

sub distance_between
{
    my ($x, $y) = @_;
    ($x, $y) = ($y, $x) if chance(0.3);
    my $operator = chance(0.9);
    # The distance of signatures, see wide().
    return sub {
        my ($truth) = @_;
        return '(3 * dist(' . $x->(1) . ', ' . $y->(1) . '))' if $truth;
        return '(' . join(' <@> ', wide_values($x, $y)) . ')';
    } if $world{signatures} && chance(0.4);
    return sub {
        my ($truth) = @_;
        return 'dist(' . $x->(1) . ', ' . $y->(1) . ')' if $truth;
        return $operator ? '(' . $x->(0) . ' <@> ' . $y->(0) . ')' : 'hamming_distance(' . $x->(0) . ', ' . $y->(0) . ')';
    };
}

# A condition on a column's distance from a value.
sub near
{
    my ($alias, %options) = @_;
    my $column = column($alias);
    return similar($column, %options) if $world{signatures} && chance(0.25);
    my $kind = between(1, 24);
    if ($kind <= 14) {
        my ($d, $r, $low) = (distance_between($column, center_value(%options)), radius(%options), between(0, 3));
        my $form = pick('D <= R', 'D <= R', 'D <= R', 'R >= D', 'D < R', 'R > D', 'D = R', 'R = D', "D BETWEEN $low AND R",
            'NOT D > R', 'D > R', 'D >= R', 'D <> R', 'NOT D < R', 'D + 0 <= R', '(D <= R) IS TRUE', '(D <= R) IS NOT TRUE',
            '(D <= R) IS UNKNOWN', 'D BETWEEN SYMMETRIC R AND 2', 'D <= R AND D >= 1');
        return sub { my ($truth) = @_; return replaced($form, D => $d->($truth), R => $r->($truth)) };
    }
    if ($kind <= 16) {
        my $d = distance_between($column, center_value(%options));
        my $form = pick('D IN (0, 1, 2)', 'D IN (2, NULL, 3)', "D = ANY ('{0,3,4}'::int[])", "D <= ANY ('{1,3}'::int[])",
            "D <= ALL ('{4,3}'::int[])", 'D NOT IN (0, 1)', 'D <= 3.0', 'D <= 2.5::float8', 'D < 4::numeric');
        return sub { return replaced($form, D => $d->($_[0])) };
    }
    if ($kind <= 18) {
        my ($q, $r, $ball) = (center_value(%options), radius(), chance(0.5));
        return sub {
            my ($x, $y, $z) = ($column->($_[0]), $q->($_[0]), $r->($_[0]));
            return "dist($x, $y) <= $z" if $_[0];
            return $ball ? "$x <@| simhash_ball($y, $z)" : "hamming_within($x, $y, $z)";
        };
    }
    if ($kind == 19) {
        my ($bits, $r) = (query_fingerprint(), between(0, 8));
        return sub { my $x = $column->($_[0]);
            return $_[0] ? "dist($x, " . bigint_of($bits) . ") <= $r" : "$x <@| '<" . hex_of($bits) . ",$r>'" };
    }
    if ($kind <= 22) {
        my $q = query_value(%options);
        my ($form, $truth) = @{ pick([ 'X ~= Y', 'dist(X, Y) <= 3' ], [ 'Y ~= X', 'dist(X, Y) <= 3' ], [ 'X = Y', 'X = Y' ],
            [ 'NOT X ~= Y', 'dist(X, Y) > 3' ], [ 'X <> Y', 'X <> Y' ], [ 'X < Y',
                'X # (1::bigint << 63) < (Y # (1::bigint << 63))' ],
            [ 'X IS NOT DISTINCT FROM Y', 'X IS NOT DISTINCT FROM Y' ]) };
        return sub { return replaced($_[0] ? $truth : $form, X => $column->($_[0]), Y => $q->($_[0])) };
    }
    if ($kind == 23) {
        my @q = map { query_value() } 1 .. between(1, 5);
        my ($form, $each, $joint) = @{ pick([ 'X = ANY (ARRAY[L]::simhash[])', 'X = Y', ' OR ' ], [ 'X IN (L)', 'X = Y', ' OR ' ],
            [ 'X ~= ANY (ARRAY[L]::simhash[])', 'dist(X, Y) <= 3', ' OR ' ], [ 'X ~= ALL (ARRAY[L]::simhash[])',
                'dist(X, Y) <= 3', ' AND ' ],
            [ 'X NOT IN (L)', 'X <> Y', ' AND ' ]) };
        return sub {
            my ($x, @y) = map { $_->($_[0]) } $column, @q;
            return '(' . join($joint, map { replaced($each, X => $x, Y => $_) } @y) . ')' if $_[0];
            return replaced($form, X => $x, L => join(', ', map { /^'/ ? "$_\::simhash" : $_ } @y));
        };
    }
    my $form = pick('X IS NULL', 'X IS NOT NULL');
    return sub { return replaced($form, X => $column->($_[0])) };
}

# Within two balls, or three, around places that are near each other.
sub near_both
{
    my ($alias) = @_;
    my ($column, $bits) = (column($alias), query_fingerprint());
    my @ball = map { [ constant(flipped($bits, between(0, 3))), between(0, 6) ] } 1 .. pick(2, 2, 3);
    return sub { my ($f) = @_;
        my $x = $column->($f);
        return join ' AND ', map { my ($q, $r) = ($_->[0]->($f), $_->[1]); $f ? "dist($x, $q) <= $r" :
            "$x <@> $q <= $r" } @ball };
}

sub replaced
{
    my ($form, %part) = @_;
    my $names = join '|', keys %part;
    $form =~ s/\b($names)\b/$part{$1}/g;
    return $form;
}

sub other_condition
{
    my ($alias) = @_;
    my $form = pick('grp < 5', 'grp = ' . between(0, 9), 'grp IN (1, 4, 7)', 'id % ' . between(2, 9) . ' = 1', 'id < ' .
        between(0, $world{rows}));
    return sub { return "$alias.$form" };
}

sub condition
{
    my ($alias, %options) = @_;
    my $depth = $options{depth} // 0;
    return near_both($alias) if !$options{with} && chance(0.08);
    return near($alias, %options) if $depth > 2 || chance(0.5);
    my ($x, $y) = map { condition($alias, %options, depth => $depth + 1) } 1, 2;
    $y = other_condition($alias) if chance(0.5);
    my $form = pick('(X) AND (Y)', '(X) AND (Y)', '(X) AND (Y)', '(X) OR (Y)', '(X) OR (Y)', 'NOT ((X) AND (Y))',
        'NOT ((X) OR (Y))', 'NOT (X)');
    return sub { return replaced($form, X => $x->($_[0]), Y => $y->($_[0])) };
}

# A table to search, as t.
sub searched
{
    my $name = pick(('t') x 8, 'v', 'barrier', 'OFFSET', 'CTE');
    return sub {
        my $table = $_[0] ? $world{policy_applies} ? 't_policy' : 't_truth' : 't';
        return "$table AS t" if $name eq 't';
        return "(SELECT * FROM $table OFFSET 0) AS t" if $name eq 'OFFSET';
        return "(WITH c AS (SELECT * FROM $table) SELECT * FROM c) AS t" if $name eq 'CTE';
        return $name . ($_[0] ? '_truth' : '') . ' AS t';
    };
}

sub joined { return sub { return $_[0] ? 'u_truth AS u' : 'u' } }
sub joined_column { return sub { return $_[0] ? 'u.b' : 'u.h' } }

# -- shapes: each returns what is compared and the form of the query -------------------------------------------------

my %shape = (
    rows => [ 20, sub {
        my ($t, $c) = (searched(), condition('t'));
        my $d = distance_between(column('t'), center_value());
        my $extra = chance(0.3);
        return ('set', sub { my ($f) = @_;
            return 'SELECT t.id' . ($extra ? ', ' . $d->($f) : '') . ' FROM ' . $t->($f) . ' WHERE ' . $c->($f) });
    } ],
    locked => [ 1, sub {
        my $c = condition('t');
        return ('set', sub { my ($f) = @_; return 'SELECT t.id FROM ' . ($f ? 't_truth' : 't') . ' AS t WHERE ' . $c->($f) .
            ' FOR UPDATE' });
    } ],
    nearest => [ 10, sub {
        my ($t, $c) = (searched(), chance(0.5) ? condition('t') : sub { 'true' });
        my $d = distance_between(column('t'), center_value());
        my ($limit, $offset) = (pick(1, 3, 10, 50, 2000), chance(0.8) ? 0 : between(1, 20));
        return ([ $offset, $limit ], sub { my ($f) = @_;
            return 'SELECT t.id, ' . $d->($f) . ' FROM ' . $t->($f) . ' WHERE ' . $c->($f) . ' ORDER BY ' .
                $d->($f) . ($f ? '' : " LIMIT $limit OFFSET $offset") });
    } ],
    ordered => [ 14, sub { ordered_shape(1) } ],
    aggregate => [ 8, sub {
        my ($t, $c, $e) = (searched(), condition('t'), near('t'));
        my $d = distance_between(column('t'), center_value());
        my $form = pick('SELECT count(*), min(D), max(D), sum(D), bool_or(D < 2) FROM T WHERE C',
            'SELECT count(*) FROM T WHERE C',
            'SELECT t.grp, count(*), sum(D) FROM T WHERE C GROUP BY t.grp', 'SELECT D, count(*) FROM T WHERE C GROUP BY D',
            'SELECT D, count(*) FROM T WHERE C GROUP BY 1 HAVING min(D) < 9', 'SELECT DISTINCT D FROM T WHERE C',
            'SELECT count(*) FILTER (WHERE E), count(*) FROM T WHERE C', 'SELECT array_agg(t.id ORDER BY D, t.id) FROM T WHERE C',
            'SELECT t.grp, min(D) FROM T GROUP BY GROUPING SETS ((t.grp), ()) HAVING min(D) <= 3',
            'SELECT sum(CASE WHEN E THEN 1 ELSE 0 END), count(*) FROM T');
        return ('set', sub { my ($f) = @_;
            return replaced($form, T => $t->($f), C => $c->($f), D => $d->($f), E => $e->($f)) });
    } ],
    ranked => [ 5, sub {
        my ($t, $c) = (searched(), condition('t'));
        my $d = distance_between(column('t'), center_value());
        my $form = pick('SELECT DISTINCT ON (t.grp) t.grp, D FROM T WHERE C ORDER BY t.grp, D',
            'SELECT t.id, rank() OVER (ORDER BY D) FROM T WHERE C',
            'SELECT t.id, D, dense_rank() OVER (PARTITION BY t.grp ORDER BY D), count(*) OVER (PARTITION BY t.grp) FROM T WHERE C',
            'SELECT s.id FROM (SELECT t.id, rank() OVER (PARTITION BY t.grp ORDER BY D, t.id) AS place FROM T WHERE C) AS s WHERE place <= 2',
            'SELECT t.id, sum(D) OVER (ORDER BY D, t.id ROWS 2 PRECEDING) FROM T WHERE C',
            'SELECT s.d FROM (SELECT D AS d FROM T ORDER BY D LIMIT 20) AS s WHERE s.d <= 3',
            'SELECT s.id, s.d FROM (SELECT t.id, D AS d FROM T) AS s WHERE s.d <= 3',
            'WITH s AS MATERIALIZED (SELECT t.id, D AS d FROM T WHERE C) SELECT id FROM s WHERE d <= 4',
            'WITH s AS NOT MATERIALIZED (SELECT t.id, D AS d FROM T WHERE C) SELECT a.id FROM s AS a JOIN s AS b USING (id) WHERE a.d <= 4');
        return ('set', sub { my ($f) = @_; return replaced($form, T => $t->($f), C => $c->($f), D => $d->($f)) });
    } ],
    union => [ 4, sub {
        my @part = map { [ searched(), condition('t') ] } 1 .. between(2, 3);
        my $operator = pick('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL');
        return ('set', sub { my ($f) = @_;
            return join " $operator ", map { 'SELECT t.id FROM ' . $_->[0]->($f) . ' WHERE ' . $_->[1]->($f) } @part });
    } ],
    join => [ 10, sub {
        my ($t, $u) = (searched(), joined());
        my $q = chance(0.85) ? joined_column() : sub { return $_[0] ? 'u.b' : 'u.w' };
        my %with = (with => sub { return $q });
        my $on = $q->(0) eq 'u.w' ? near_weights() : condition('t', %with, depth => 2);
        my $and = chance(0.6) ? condition('t') : other_condition('t');
        my $form = pick('SELECT u.id, t.id FROM U JOIN T ON O WHERE A AND t.id % 5 = 0',
            'SELECT u.id, count(*), sum(t.id) FROM T JOIN U ON O GROUP BY u.id',
            'SELECT u.id, count(t.id) FROM U LEFT JOIN T ON O AND A GROUP BY u.id',
                'SELECT t.id, count(u.id) FROM T LEFT JOIN U ON O WHERE A GROUP BY t.id',
            'SELECT count(*), sum(t.id * u.id) FROM T RIGHT JOIN U ON O AND (A)',
                'SELECT u.id FROM U WHERE EXISTS (SELECT FROM T WHERE O)',
            'SELECT u.id FROM U WHERE NOT EXISTS (SELECT FROM T WHERE (O) AND (A))',
                'SELECT t.id FROM T WHERE (A) AND EXISTS (SELECT FROM U WHERE O)',
            'SELECT t.id FROM T WHERE NOT EXISTS (SELECT FROM U WHERE O)', 'SELECT u.id, (SELECT count(*) FROM T WHERE O) FROM U',
            'SELECT u.id, s.n FROM U, LATERAL (SELECT count(*) AS n FROM T WHERE (O) AND (A)) AS s',
            'SELECT u.id, s.id FROM U CROSS JOIN LATERAL (SELECT t.id FROM T WHERE O OFFSET 0) AS s WHERE s.id < 99');
        return ('set', sub { my ($f) = @_;
            return replaced($form, T => $t->($f), U => $u->($f), O => $on->($f), A => $and->($f)) });
    } ],
    lateral => [ 3, sub {
        my ($t, $u, $c) = (searched(), joined(), chance(0.5) ? condition('t') : sub { 'true' });
        my $d = distance_between(column('t'), chance(0.8) ? joined_column() : sub { return $_[0] ? 'u.b' : 'u.w' });
        my $limit = pick(1, 2, 5);
        return ('set', sub { my ($f) = @_;
            return 'SELECT u.id, s.d FROM ' . $u->($f) . ' CROSS JOIN LATERAL (SELECT ' . $d->($f) . ' AS d FROM ' . $t->($f) .
                ' WHERE ' . $c->($f) . ' ORDER BY ' . $d->($f) . " LIMIT $limit) AS s" });
    } ],
    others => [ 3, sub {
        my ($t, $c) = (searched(), condition('t'));
        my $form = pick('SELECT t.id FROM T WHERE X IN (SELECT Y FROM U WHERE u.id < 9) AND (C)',
            'SELECT t.id FROM T WHERE X NOT IN (SELECT Y FROM U WHERE Y IS NOT NULL AND u.id < 9) AND (C)',
            'SELECT t.id, u.id FROM T FULL JOIN U ON X = Y WHERE t.id % 3 = 0 OR t.id IS NULL',
                'SELECT count(*) FROM T WHERE t.grp < 5', 'SELECT t.id FROM T WHERE X IS NULL',
            'SELECT count(*) FROM T', 'SELECT count(X) FROM T WHERE X IS NOT NULL');
        my $x = column('t');
        return ('set', sub { my ($f) = @_;
            return replaced($form, T => $t->($f), U => joined()->($f), C => $c->($f), X => $x->($f),
                Y => joined_column()->($f)) });
    } ],
    self => [ 3, sub {
        my ($id, $r) = (pick(20, 60), radius_number());
        my ($x, $y) = map { column($_) } 'a', 'b';
        my $d = distance_between($x, $y);
        my $name = pick('t', 't', 'v');
        return ('set', sub { my ($f) = @_;
            my $table = $f ? $name eq 't' && $world{policy_applies} ? 't_policy' : "${name}_truth" : $name;
            return "SELECT a.id, count(*), sum(b.id) FROM $table AS a JOIN $table AS b ON " . $d->($f) .
                " <= $r AND a.id <> b.id WHERE a.id <= $id GROUP BY a.id" });
    } ],
    recursive => [ 1, sub {
        my ($id, $r) = (between(1, $world{rows}), pick(0, 1, 2));
        return ('set', sub { my ($f) = @_;
            my $table = $f ? $world{policy_applies} ? 't_policy' : 't_truth' : 't';
            my ($h, $on) = $f ? ('b', "dist(t.b, c.b) <= $r") : ('h', "t.h <@> c.h <= $r");
            return "WITH RECURSIVE c (id, $h) AS (SELECT id, $h FROM $table WHERE id = $id " .
                "UNION SELECT t.id, t.$h FROM c JOIN $table AS t ON $on AND t.id < 500) SELECT id FROM c" });
    } ],
    function => [ 3, sub {
        my ($bits, $r, $name) = (query_fingerprint(), radius_number(), pick('near_plpgsql', 'near_sql'));
        my $each = chance(0.3);
        return ('set', sub { my ($f) = @_;
            return $f ? "SELECT u.id, t.id FROM u_truth AS u JOIN t_truth AS t ON dist(t.b, u.b) <= u.r WHERE u.id <= 12" :
                "SELECT u.id, t FROM u, LATERAL $name(u.h, u.r) AS t WHERE u.id <= 12" if $each;
            return $f ? "SELECT id FROM t_truth WHERE dist(b, " . bigint_of($bits) . ") <= $r" : "SELECT * FROM $name('" .
                hex_of($bits) . "', $r)" });
    } ],
);

sub near_weights
{
    my ($x, $r) = (column('t'), radius_number());
    my $form = pick('D', 'S', 'B');
    return sub {
        my $column = $x->($_[0]);
        return "dist($column, u.b) <= $r" if $_[0];
        return $form eq 'D' ? "$column <@> u.w <= $r" : $form eq 'S' ? "u.w <@> $column <= $r" :
            "$column <@| simhash_ball(u.w, $r)";
    };
}

# Rows in an order that ties do not change, since only the keys are selected, or the last key is the id.
sub ordered_shape
{
    my ($limited) = @_;
    my ($t, $c) = (searched(), chance(0.5) ? condition('t') : sub { 'true' });
    my @key = map { distance_between(column('t'), center_value()) } 1 .. pick(1, 1, 2, 2, 3);
    splice @key, between(0, $#key), 1, sub { 't.grp' } if chance(0.1);
    push @key, sub { 't.id' } if chance(0.3);
    my @way = map { chance(0.93) ? '' : pick(' DESC', ' NULLS FIRST', ' DESC NULLS LAST') } @key;
    if ($world{signatures} && chance(0.5)) {
        $key[0] = similarity_between(column('t'), center_value());
        $way[0] = pick(' DESC NULLS LAST', ' DESC NULLS LAST', ' DESC', '');
    }
    my $limit = $limited && chance(0.8) ? ' LIMIT ' . pick(1, 5, 20, 300) . (chance(0.7) ? '' : ' OFFSET ' . between(1, 30)) : '';
    return ('list', sub { my ($f) = @_;
        my @text = map { $_->($f) } @key;
        return 'SELECT ' . join(', ', @text) . ' FROM ' . $t->($f) . ' WHERE ' . $c->($f) . ' ORDER BY ' .
            join(', ', map { $text[$_] . $way[$_] } 0 .. $#text) . $limit });
}

my @weighted = map { ($_) x $shape{$_}[0] } sort keys %shape;

# -- queries ---------------------------------------------------------------------------------------------------------

# A query is { name, before, ours, truth, after, compare }: statements, of which the i-th of ours must answer as the
# i-th of the truth, as sets, as lists, as the nearest rows from an offset on, or as a function finds.
sub next_query
{
    my $number = rand();
    return changes() if $number < 0.05;
    return cursor() if $number < 0.10;
    return prepared() if $number < 0.16;
    return first_row() if $number < 0.20;
    return matches() if $number < 0.23 && $world{matched};
    local $world{policy_applies} = $number > 0.23 && $number < 0.31;
    my $name = $world{policy_applies} ? pick(qw(rows nearest ordered aggregate ranked join lateral self)) : pick(@weighted);
    my ($compare, $form) = $shape{$name}[1]->();
    my @role = $world{policy_applies} ? (before => ['SET ROLE regress_reader'], after => ['RESET ROLE']) : ();
    return { name => $world{policy_applies} ? "policy, $name" : $name, compare => $compare, ours => [ $form->(0) ],
        truth => [ $form->(1) ], @role };
}

# Any one row of those that there are, in several forms that stop at the first.
sub first_row
{
    my ($t, $c) = (searched(), chance(0.5) ? near('t') : condition('t'));
    my $form = pick('SELECT t.id FROM T WHERE C LIMIT 1', 'SELECT (SELECT t.id FROM T WHERE C LIMIT 1)',
        'SELECT t.id FROM T WHERE C FETCH FIRST ROW ONLY', 'SELECT s.id FROM (VALUES (1)) AS one, LATERAL (SELECT t.id FROM T WHERE C LIMIT 1) AS s');
    my $text = sub { my ($of, $f) = @_; return replaced($of, T => $t->($f), C => $c->($f)) };
    my $exists = 'SELECT EXISTS (SELECT FROM T WHERE C)';
    return { name => 'first row', ours => [ $text->($form, 0), $text->($exists, 0) ],
        truth => [ $text->('SELECT t.id FROM T WHERE C', 1), $text->($exists, 1) ],
        compare => sub { my ($ours, $truth) = @_;
            my ($row) = grep { $_ ne '~' } @{ $ours->[0] };
            return $ours->[1][0] eq $truth->[1][0] && (defined $row ? !!grep { $_ eq $row } @{ $truth->[0] } : !@{ $truth->[0] }) } };
}

# Many balls: all rows of each, or whether there is one.
sub matches
{
    my ($first, $copies, $many) = (chance(0.7), pick(1, 4, 60), pick(30, 30, 5));
    my $ball = pick('simhash_ball(u.w, u.r)', 'simhash_ball(u.w, u.r, 1)', 'simhash_ball(u.h, u.r)');
    my $balls = "(SELECT u.id + 100 * copy AS number, $ball AS ball FROM u, generate_series(1, $copies) AS copy WHERE u.id <= $many) AS q";
    return { name => 'matches', ours => [ $first ? "SELECT number FROM $balls WHERE EXISTS (SELECT FROM t WHERE t.h <@| ball)"
            : "SELECT number, t.id FROM $balls JOIN t ON t.h <@| ball" ],
        truth => [ "SELECT u.id + 100 * copy, t.id FROM t_truth AS t JOIN u_truth AS u ON dist(t.b, u.b) <= u.r, " .
            "generate_series(1, $copies) AS copy WHERE u.id <= $many" ],
        compare => !$first ? 'set' : sub { my ($ours, $truth) = @_;
            my %number = map { s/\|.*//r => 1 } @{ $truth->[0] };
            return keys %number == @{ $ours->[0] } && !grep { !$number{$_} } @{ $ours->[0] } } };
}

# Prepared once, executed with several values: enough of them for a generic plan, sometimes.
sub prepared
{
    @parameter = (query_fingerprint(), radius_number());
    my $name = pick(qw(rows rows nearest ordered aggregate join ranked));
    my ($compare, $form) = $shape{$name}[1]->();
    my $prepare = 'PREPARE p (simhash, int) AS ' . $form->(0);
    my (@ours, @truth);
    for (1 .. pick(2, 7)) {
        @parameter = (query_fingerprint(), radius_number()) if @ours;
        push @ours, "EXECUTE p ('" . hex_of($parameter[0]) . "', $parameter[1])";
        push @truth, $form->(1);
    }
    @parameter = ();
    return { name => "prepared, $name", compare => $compare, before => [$prepare], ours => \@ours, truth => \@truth,
        after => ['DEALLOCATE p'] };
}

# Changes in a transaction that is rolled back, and queries in it.
sub changes
{
    my ($c, $bits) = (condition('t'), random_bits());
    my $change = pick('UPDATE A SET grp = (grp + 1) % 10', 'UPDATE A SET B', 'DELETE FROM A', 'INSERT');
    my $form = sub { my ($f) = @_;
        my $table = $f ? 't_truth' : 't';
        return "INSERT INTO $table " . ($f ? '(id, grp, b)' : '(id, grp, h, b)') . ' SELECT id + 100000, grp' .
            ($f ? '' : ', (b # ' . bigint_of($bits) . ')::simhash') . ', b # ' . bigint_of($bits) .
            " FROM $table AS t WHERE " . $c->($f) . ' RETURNING id' if $change eq 'INSERT';
        my $set = ($f ? '' : 'h = (b # ' . bigint_of($bits) . ')::simhash, ') . 'b = b # ' . bigint_of($bits);
        return replaced($change, A => "$table AS t", B => $set) . ' WHERE ' . $c->($f) . ' RETURNING t.id, t.grp' };
    my @more = map { $shape{ pick(qw(rows aggregate join)) }[1] } 1 .. between(1, 2);
    my @forms = ($form, map { ($_->())[1] } @more);
    my @undone = chance(0.3) ? ('SAVEPOINT s', 'DELETE FROM t WHERE id % 3 = 0', 'ROLLBACK TO s') : ();
    return { name => 'changes', compare => 'set', before => [ 'BEGIN', @undone ], after => ['ROLLBACK'],
        truth_before => ['BEGIN'],
        truth_after => ['ROLLBACK'], ours => [ map { $_->(0) } @forms ], truth => [ map { $_->(1) } @forms ] };
}

sub cursor
{
    if (chance(0.4)) {
        # In no order: all of the rows, and the same ones backward. btree returns equal keys in the same order both ways.
        my ($compare, $form) = $shape{rows}[1]->();
        my $step = between(1, 50);
        return { name => 'cursor, rows', before => [ 'BEGIN', 'DECLARE c SCROLL CURSOR FOR ' . $form->(0) ], after => ['COMMIT'],
            ours => [ "FETCH $step FROM c", 'FETCH FORWARD ALL FROM c', 'FETCH BACKWARD ALL FROM c' ], truth => [ $form->(1) ],
            compare => sub { my ($ours, $truth) = @_;
                my @rows = (@{ $ours->[0] }, @{ $ours->[1] });
                my $expected = join "\n", sort @{ $truth->[0] };
                return join("\n", sort @rows) eq $expected && join("\n", sort @{ $ours->[2] }) eq $expected } };
    }
    my ($compare, $form) = ordered_shape(0);
    my $scroll = chance(0.6);
    my @moves = map { $scroll ? [ pick('FORWARD', 'FORWARD', 'BACKWARD', 'ABSOLUTE', 'RELATIVE'), between(1, 30) ] :
        [ 'FORWARD', between(1, 60) ] } 1 .. between(2, 6);
    return { name => 'cursor, ordered', after => ['COMMIT'], truth => [ $form->(1) ],
        before => [ 'BEGIN', 'DECLARE c ' . ($scroll ? 'SCROLL' : 'NO SCROLL') . ' CURSOR FOR ' . $form->(0) ],
        ours => [ map { "FETCH $_->[0] $_->[1] FROM c" } @moves ],
        compare => sub { my ($ours, $truth) = @_; return join(';', map { join ',', @$_ } @$ours) eq
            join(';', map { join ',', @$_ } moved($truth->[0], @moves)) } };
}

# What these moves of a cursor fetch.
sub moved
{
    my ($rows, @moves) = @_;
    my ($count, $at, @fetched) = (scalar @$rows, 0);
    for (@moves) {
        my ($way, $number) = @$_;
        my $to = $way eq 'ABSOLUTE' ? $number : $at + ($way eq 'BACKWARD' ? -$number : $number);
        my @place = $way eq 'FORWARD' ? ($at + 1 .. $to) : $way eq 'BACKWARD' ? reverse($to .. $at - 1) : ($to);
        push @fetched, [ map { $rows->[ $_ - 1 ] } grep { $_ >= 1 && $_ <= $count } @place ];
        $at = $to < 0 ? 0 : $to > $count ? $count + 1 : $to;
    }
    return @fetched;
}

# -- worlds ----------------------------------------------------------------------------------------------------------

# What the planner may use: settings.
sub plan_mode
{
    my @settings = 'RESET ALL';
    my $set = sub { push @settings, "SET $_[0] = $_[1]" };
    $set->('jit', 'off');
    $set->('statement_timeout', "'300s'");
    if (chance(0.9)) {
        $set->("enable_$_", 'off') for grep { chance(0.15) } qw(indexscan bitmapscan nestloop hashjoin mergejoin sort hashagg
            material incremental_sort tidscan partition_pruning), $world{version} >= 14 ? 'memoize' : ();
        $set->('enable_seqscan', 'off') if chance(0.75);
    }
    $set->('work_mem', pick("'64kB'", "'64kB'", "'1MB'", "'64MB'"));
    $set->('plan_cache_mode', pick('auto', 'force_generic_plan', 'force_custom_plan'));
    $set->('random_page_cost', pick(1, 4, 0.1, 50)) if chance(0.3);
    $set->('cursor_tuple_fraction', pick('0.0', '1.0')) if chance(0.5);
    $set->("enable_partitionwise_$_", 'on') for grep { chance(0.3) } qw(join aggregate);
    $set->($_, 1) for grep { chance(0.1) } qw(from_collapse_limit join_collapse_limit);
    $set->('constraint_exclusion', 'on') if chance(0.2);
    if (chance(0.08)) {
        $set->($_, 0) for qw(parallel_setup_cost parallel_tuple_cost min_parallel_table_scan_size min_parallel_index_scan_size);
    }
    $set->('max_parallel_workers_per_gather', 0) unless chance(0.5);
    return @settings;
}

sub values_of
{
    my ($id, $fingerprint, @more) = @_;
    my $h = defined $fingerprint ? "'" . hex_of($fingerprint) . "'" : 'NULL';
    my $b = defined $fingerprint ? bigint_of($fingerprint) : 'NULL';
    return '(' . join(', ', $id, @more, $h, $b) . ')';
}

sub insert_rows
{
    my ($table, @rows) = @_;
    my @statements;
    push @statements, "INSERT INTO $table VALUES " . join(', ', splice @rows, 0, 500) while @rows;
    return @statements;
}

sub make_table
{
    my ($shape) = @_;
    my $columns = '(id int, grp int, h simhash, b bigint)';
    return ("CREATE TABLE t $columns PARTITION BY HASH (id)",
        map { "CREATE TABLE t_$_ PARTITION OF t FOR VALUES WITH (MODULUS 3, REMAINDER $_)" } 0 .. 2)
            if $shape eq 'hash partitions';
    return ("CREATE TABLE t $columns PARTITION BY RANGE (grp)", 'CREATE TABLE t_0 PARTITION OF t FOR VALUES FROM (0) TO (4)',
        'CREATE TABLE t_1 PARTITION OF t FOR VALUES FROM (4) TO (8)', 'CREATE TABLE t_2 PARTITION OF t DEFAULT')
            if $shape eq 'range partitions';
    return ("CREATE TABLE t $columns PARTITION BY RANGE ((h <@> '" . hex_of($center[0]) . "'))",
        'CREATE TABLE t_0 PARTITION OF t FOR VALUES FROM (0) TO (3)',
            'CREATE TABLE t_1 PARTITION OF t FOR VALUES FROM (3) TO (20)',
        'CREATE TABLE t_2 PARTITION OF t DEFAULT') if $shape eq 'distance partitions';
    return ("CREATE TABLE t $columns", map { "CREATE TABLE t_$_ (CHECK (grp >= 0)) INHERITS (t)" } 0 .. 1)
        if $shape eq 'children';
    return "CREATE TABLE t $columns";
}

# Indexes of the searched table, and of children that do not get them from it.
sub make_indexes
{
    my ($shape, $kind) = @_;
    my $options = pick('', '', 'WITH (trees = 1)', 'WITH (trees = 10)', 'WITH (design_radius = 1)', 'WITH (design_radius = 6)',
        'WITH (design_radius = 5, trees = 8)',
        'WITH (fillfactor = 50)', 'WITH (trees = 1, fillfactor = 50)', 'WITH (trees = 2, fillfactor = 50)');
    my %form = (
        none => [],
        simhash => ["USING simhash (h) $options"],
        two => [ "USING simhash (h) $options", 'USING simhash (h) WITH (design_radius = 6)' ],
        'partial by group' => ["USING simhash (h) $options WHERE grp < 5"],
        'partial without NULLs' => ['USING simhash (h) WHERE h IS NOT NULL'],
        'partial by distance' => [ "USING simhash (h) $options WHERE h <@> '" . hex_of($center[0]) . "' <= 20" ],
        expression => ["USING simhash ((b::simhash)) $options"]);
    my @beside = grep { chance(0.3) } 'USING btree (h)', 'USING hash (h)', 'USING btree (id)', 'USING btree (grp)',
        'USING btree (grp, h)',
        "USING btree ((h <@> '" . hex_of($center[0]) . "'))", "USING btree (id) WHERE h <@> '" . hex_of($center[1]) . "' <= 5";
    my @tables = $shape eq 'children' ? qw(t t_0 t_1) : $shape =~ /partitions/ && chance(0.2) ? qw(t_0 t_1) : ('t');
    $world{matched} = $kind =~ /^(simhash|two)$/ && $shape ne 'children' && $tables[0] eq 't';
    my @statements;
    for my $table (@tables) {
        my $number = 0;
        for my $index (@{ $form{$kind} }, @beside, $world{signatures} ? 'USING simhash ((wide(b)::bit(192)))' : ()) {
            push @statements, sprintf 'CREATE INDEX %s_%s_%d ON %s %s', $table, $index =~ /simhash \(/ ? 'simhash' :
                'beside', ++$number, $table, $index;
        }
    }
    return @statements;
}

sub begin_world
{
    my ($seed, $version) = @_;
    srand($seed);
    @parameter = ();
    @center = map { random_bits() } 1 .. 25;
    my @kinds = qw(uniform near near near skewed equal few shell NULLs mixed);
    my $data = pick(@kinds);
    %world = (
        version => $version, data => $data, rows => pick(60, 300, 300, 600, 600, 1500, 6000),
        shape => pick('plain', 'plain', 'plain', 'hash partitions', 'range partitions', 'distance partitions', 'children'),
        indexes => pick('none', ('simhash') x 6, 'two', 'two', 'partial by group', 'partial without NULLs',
            'partial by distance', 'expression', 'expression'),
        centered => $data !~ /uniform|skewed/, dead => chance(0.4), late => chance(0.4), analyzed => chance(0.8),
            indexed_join => chance(0.5));
    $world{expression} = $world{indexes} eq 'expression';
    $world{signatures} = $seed % 3 == 1;
    # More rows at one distance than an ordered search sorts at a time.
    $world{rows} = pick(300, 1500, 2500) if $data eq 'equal' || $data eq 'shell';
    return join ', ', $world{rows} . ' rows', $data, $world{shape}, "indexes: $world{indexes}",
        grep { $world{$_} } qw(dead late analyzed signatures);
}

# Makes the tables.
sub world_script
{
    my @fingerprint = map { random_fingerprint($world{data}) } 1 .. $world{rows};
    my @rows = map { values_of_t($_, $fingerprint[ $_ - 1 ]) } 1 .. $world{rows};
    $world{sample} = [ grep { defined } @fingerprint ];
    push @{ $world{sample} }, random_bits();
    my @dead = $world{dead} ? map { values_of_t(-$_, random_fingerprint($world{data})) } 1 .. $world{rows} : ();
    my @small = map { my $f = chance(0.06) ? undef : query_fingerprint(); [ $_, $f, defined $f ? weights_of($f) : 'NULL',
        chance(0.05) ? 'NULL' : radius_number() ] } 1 .. 30;
    my @indexes = make_indexes($world{shape}, $world{indexes});
    my @insert = insert_rows('t', @dead, @rows);
    @insert = (insert_rows('t_0', @rows[ grep { $_ % 3 == 0 } 0 .. $#rows ]), insert_rows('t_1',
        @rows[ grep { $_ % 3 == 1 } 0 .. $#rows ], @dead),
        insert_rows('t', @rows[ grep { $_ % 3 == 2 } 0 .. $#rows ])) if $world{shape} eq 'children';
    my $policy = pick("grp <> 3", "h <@> '" . hex_of($center[1]) . "' > 2", "h IS NOT NULL", "id % 2 = 0 OR h <@> '" .
        hex_of($center[0]) . "' <= 5");
    my $view = pick('grp < 8', "h <@> '" . hex_of($center[0]) . "' <= 24", 'id % 3 > 0');
    return (
        'DROP SCHEMA IF EXISTS world CASCADE', 'CREATE SCHEMA world', 'GRANT USAGE ON SCHEMA world TO regress_reader',
        'CREATE FUNCTION wide(bigint) RETURNS varbit LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT $1::bit(64) || $1::bit(64) || $1::bit(64) $$',
        make_table($world{shape}), 'CREATE TABLE u (id int, h simhash, b bigint, w simhash_weights, r int)',
        $world{late} ? (@insert, @indexes) : (@indexes, @insert),
        'INSERT INTO u VALUES ' . join(', ', map { my ($id, $f, $w, $r) = @$_; '(' . join(', ', $id,
            defined $f ? ("'" . hex_of($f) . "'", bigint_of($f)) : ('NULL', 'NULL'), $w, $r) . ')' } @small),
        $world{indexed_join} ? 'CREATE INDEX u_simhash_1 ON u USING simhash (h)' : (),
        'DELETE FROM t WHERE id < 0',
        $world{dead} ? 'UPDATE t SET b = b WHERE id % 2 = 0' : (),
        'CREATE TABLE t_truth AS SELECT id, grp, b FROM t', 'CREATE TABLE u_truth AS SELECT id, b, r FROM u',
        "CREATE VIEW v AS SELECT * FROM t WHERE $view", "CREATE VIEW v_truth AS SELECT * FROM t_truth WHERE " .
            in_integers($view),
        "CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM t WHERE $policy",
        'CREATE VIEW barrier_truth AS SELECT * FROM t_truth WHERE ' . in_integers($policy),
        'CREATE VIEW t_policy AS SELECT * FROM t_truth WHERE ' . in_integers($policy),
        "CREATE POLICY p ON t FOR SELECT TO regress_reader USING ($policy)", 'ALTER TABLE t ENABLE ROW LEVEL SECURITY',
        'GRANT SELECT ON ALL TABLES IN SCHEMA world TO regress_reader',
        'CREATE FUNCTION near_sql(q simhash, r int) RETURNS SETOF int LANGUAGE sql STABLE AS $$ SELECT id FROM t WHERE h <@> q <= r $$',
        'CREATE FUNCTION near_plpgsql(q simhash, r int) RETURNS SETOF int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN QUERY SELECT id FROM t WHERE h <@> q <= r; END $$',
        $world{analyzed} ? 'ANALYZE t, u' : ());
}

sub values_of_t { my ($id, $f) = @_; return values_of($id, $f, $id % 10) }

sub in_integers
{
    my ($condition) = @_;
    $condition =~ s/h <@> '(\w+)'/'dist(b, ' . bigint_of(hex $1) . ')'/e;
    $condition =~ s/\bh IS/b IS/;
    return $condition;
}

1;
