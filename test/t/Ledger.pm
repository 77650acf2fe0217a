# Writers whose commits are known outside the server, for tests that crash it: the output of each session records its
# acknowledged commits, so after recovery every row can be checked.
#
# The tables page, wide and signed get the same rows, in batches: a batch is absent or has a version, on which its rows'
# fingerprints depend. A transaction changes one batch in all tables. At most one transaction of a session is in doubt
# after a crash; it must have changed all of its rows or none.
package Ledger;

use strict;
use warnings;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);
use SimhashTest;

my @tables = qw(page wide signed);

# A fingerprint as a value for the table: signed has signatures of 300 bits.
sub value { my ($table, $h) = @_; return $table eq 'signed' ? "signed($h)" : $h }

# The index of page has the default options; entries of the index of wide are logged in three groups.
sub create
{
    my ($class, $node, %options) = @_;
    my $self = bless {
        node => $node, clients => $options{clients} // 3, state => {}, next => 1, round => 0,
        directory => $node->basedir, committed => 0
    }, $class;
    prepare_signatures($node);
    $node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION signed(h simhash) RETURNS varbit IMMUTABLE LANGUAGE sql AS
$$ SELECT substring(repeat(h::bigint::bit(64)::text, 5)::varbit FROM 1 FOR 300) $$;
CREATE FUNCTION batch_rows(batch int, version int) RETURNS TABLE (id bigint, h simhash) IMMUTABLE LANGUAGE sql AS
$$ SELECT n, CASE (n + version) % 29 WHEN 0 THEN NULL WHEN 1 THEN fingerprint(101)
    WHEN 2 THEN flipped(fingerprint(n % 9 * 100 + 1), n, (n % 7)::int) ELSE fingerprint(n * 10 + version) END
   FROM generate_series(batch * 200::bigint, batch * 200 + 20 + batch * 37 % 140) AS n $$;
CREATE TABLE page (id bigint, batch int, version int, h simhash) WITH (autovacuum_enabled = off);
CREATE INDEX page_h ON page USING simhash (h);
CREATE INDEX ON page (batch);
CREATE TABLE wide (LIKE page) WITH (autovacuum_enabled = off);
CREATE INDEX wide_h ON wide USING simhash (h) WITH (trees = 10);
CREATE INDEX ON wide (batch);
CREATE TABLE signed (id bigint, batch int, version int, h bit(300)) WITH (autovacuum_enabled = off);
CREATE INDEX signed_h ON signed USING simhash (h) WITH (trees = 6);
CREATE INDEX ON signed (batch);
SQL
    return $self;
}

# The same rows on another server, which is a copy.
sub with_node
{
    my ($self, $node) = @_;
    return bless { %$self, node => $node, directory => $node->basedir }, ref $self;
}

# Starts again with empty tables, so that the roots grow.
sub clear
{
    my ($self) = @_;
    $self->{node}->safe_psql('postgres', 'TRUNCATE page, wide, signed');
    $self->{state} = {};
    return;
}

sub insertion
{
    my ($batch, $version) = @_;
    return join '', map { "INSERT INTO $_ SELECT id, $batch, $version, " . value($_, 'h') . " FROM batch_rows($batch, $version);\n" }
      @tables;
}

# A transaction: its text, its batch, and the versions before and after (0: absent).
sub transaction
{
    my ($self, $state, $mine) = @_;
    my $kind = rand;
    my @present = grep { $state->{$_} } @$mine;
    if ($kind < 0.5 || !@present) {
        my $batch = $self->{next}++;
        push @$mine, $batch;
        my $insert = insertion($batch, 1);
        if ($kind < 0.05) {
            return { batch => $batch, before => 0, after => 0, sql => "BEGIN;\n${insert}ROLLBACK;\n" };
        }
        if ($kind < 0.12) {
            my $other = insertion($batch, 9);
            return { batch => $batch, before => 0, after => 1,
                sql => "BEGIN;\nSAVEPOINT a;\n${other}ROLLBACK TO a;\nSAVEPOINT b;\n${insert}RELEASE b;\nCOMMIT;\n" };
        }
        return { batch => $batch, before => 0, after => 1, sql => "BEGIN;\n${insert}COMMIT;\n" };
    }
    my $batch = $present[ rand @present ];
    my $before = $state->{$batch};
    if ($kind < 0.8) {
        my $delete = join '', map { "DELETE FROM $_ WHERE batch = $batch;\n" } @tables;
        return { batch => $batch, before => $before, after => 0, sql => "BEGIN;\n${delete}COMMIT;\n" };
    }
    my $after = $before % 8 + 1;
    my $update = join '', map { "UPDATE $_ SET version = $after, h = " . value($_, 'r.h') . " FROM batch_rows($batch, $after) AS r
        WHERE $_.batch = $batch AND $_.id = r.id;\n" } @tables;
    return { batch => $batch, before => $before, after => $after, sql => "BEGIN;\n${update}COMMIT;\n" };
}

sub start_psql
{
    my ($self, $name, $sql) = @_;
    my $file = "$self->{directory}/$name";
    unlink "$file.sql", "$file.out", "$file.err";
    append_to_file("$file.sql", $sql);
    my $node = $self->{node};
    my $run = IPC::Run::start(
        [
            'psql', '--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set', 'ON_ERROR_STOP=1',
            '--host', $node->host, '--port', $node->port, '--file', "$file.sql", 'postgres'
        ],
        '<', '/dev/null', '>', "$file.out", '2>', "$file.err");
    return { run => $run, file => $file };
}

# Starts the sessions of a round. setting: by session (0 … clients - 1, or "other"), statements to begin with;
# other: what one more session does over and over.
sub start
{
    my ($self, %options) = @_;
    $self->{sessions} = [];
    $self->{log_size} = -s $self->{node}->logfile;
    my %expected = %{ $self->{state} };
    # A batch is changed by one session in a round.
    my @old = sort { $a <=> $b } grep { $expected{$_} } keys %expected;
    for my $client (0 .. $self->{clients} - 1) {
        my @mine = grep { $_ % $self->{clients} == $client } @old;
        my @transactions;
        my $sql = $options{setting}{$client} // '';
        for my $n (0 .. ($options{transactions} // 150) - 1) {
            my $transaction = $self->transaction(\%expected, \@mine);
            $expected{ $transaction->{batch} } = $transaction->{after};
            push @transactions, $transaction;
            $sql .= "$transaction->{sql}\\echo $n\n";
        }
        push @{ $self->{sessions} },
          { %{ $self->start_psql("client$client", $sql) }, transactions => \@transactions };
    }
    if ($options{other}) {
        $self->{other} = $self->start_psql('other', ($options{setting}{other} // '') . $options{other} x 20);
    }
    return;
}

# Waits for the sessions to end and records their acknowledged commits. Returns how many ended before their work was
# done, and their errors.
sub finish
{
    my ($self) = @_;
    my ($broken, $said) = (0, '');
    $self->{doubt} = [];
    for my $session (@{ $self->{sessions} }) {
        $session->{run}->finish;
        my @done = split /\n/, slurp_file("$session->{file}.out");
        my $done = grep { /^\d+$/ } @done;
        my @transactions = @{ $session->{transactions} };
        $self->{state}{ $_->{batch} } = $_->{after} for @transactions[ 0 .. $done - 1 ];
        $self->{committed} += $done;
        if ($done < @transactions) {
            $broken++;
            push @{ $self->{doubt} }, $transactions[$done];
        }
        $said .= slurp_file("$session->{file}.err");
    }
    if ($self->{other}) {
        $self->{other}{run}->finish;
        $said .= slurp_file("$self->{other}{file}.err");
        delete $self->{other};
    }
    $self->{crashed} = $said =~ /server closed the connection|because of crash of another server process/;
    return ($broken, $said);
}

# The errors in the rows of a table, given the acknowledged commits; '' if there are none. Resolves transactions in
# doubt, so it is called for all tables before anything else happens.
sub wrong_rows
{
    my ($self, $table, $node) = @_;
    $node //= $self->{node};
    my %found;
    my $wrong = '';
    my $expected = value($table, 'r.h');
    my $rows = $node->safe_psql('postgres', <<SQL);
WITH expected AS MATERIALIZED (SELECT b.batch, r.id, $expected AS h FROM
    (SELECT batch, min(version) AS version FROM $table GROUP BY batch) AS b, batch_rows(b.batch, b.version) AS r)
SELECT batch, min(version), max(version), bool_and(t.version IS NOT NULL AND e.id IS NOT NULL) AND
    count(*) = count(DISTINCT id), bool_and(t.h IS NOT DISTINCT FROM e.h)
FROM $table AS t FULL JOIN expected AS e USING (batch, id) GROUP BY batch
SQL
    for (split /\n/, $rows) {
        my ($batch, $least, $most, $count, $same) = split /\|/;
        $wrong .= "batch $batch is incomplete or wrong: $_\n"
          unless $least == $most && $count eq 't' && $same eq 't';
        $found{$batch} = $least;
    }
    for my $transaction (@{ $self->{doubt} // [] }) {
        my $is = $found{ $transaction->{batch} } // 0;
        next if $is != $transaction->{after};
        $self->{state}{ $transaction->{batch} } = $is; # otherwise unchanged, as in the state
    }
    my $state = $self->{state};
    my %all = (%$state, %found);
    for my $batch (sort { $a <=> $b } keys %all) {
        my ($told, $is) = ($state->{$batch} // 0, $found{$batch} // 0);
        $wrong .= "batch $batch has version $is and not $told\n" if $told != $is;
    }
    return $wrong;
}

# The checks after a round: rows as committed, sound indexes, answers of a sequential scan. Returns the errors.
sub faults
{
    my ($self, @radii) = @_;
    my $node = $self->{node};
    my @wrong;
    for my $table (@tables) {
        my $rows = $self->wrong_rows($table);
        push @wrong, "$table: $rows" if $rows ne '';
        my @checks = ("SELECT simhash_index_check('${table}_h', true)");
        my $differing = $table eq 'signed' ? 'differing_signatures' : 'differing_answers';
        push @checks, map { "SELECT 1 / ($differing('$table', $_) = 0)::int" } @radii;
        # A scan of everything finds each row once. An entry that recovery should have removed leads to a row that has
        # reused the place of its own.
        push @checks, "SELECT count(*) AS n FROM $table \\gset\nSET enable_seqscan = off; SET enable_sort = off",
          "SELECT 1 / (count(*) = :n)::int FROM (SELECT id FROM $table ORDER BY h <@> " . value($table, 'fingerprint(0)') . ($table eq 'signed' ? '::bit(300)' : '') . " OFFSET 0) AS t";
        my ($status, undef, $error) = $node->psql('postgres', join(";\n", @checks) . ';', on_error_stop => 1);
        push @wrong, "$table: $error" if $status != 0;
    }
    $self->{doubt} = [];
    return join '', @wrong;
}

# Waits until the server answers again after a crash.
sub recover
{
    my ($self) = @_;
    my $node = $self->{node};
    for (1 .. 20 * $PostgreSQL::Test::Utils::timeout_default) {
        my $alive = -e $node->data_dir . '/postmaster.pid';
        if (!$alive) {
            $node->stop('immediate', fail_ok => 1);
            $node->start(fail_ok => 1) or die 'recovery fails: ' . join "\n",
              grep { /FATAL|PANIC|CONTEXT/ } split /\n/, slurp_file($node->logfile);
        }
        if ((!$self->{crashed} || has_recovered($node, $self->{log_size})) && server_answers($node)) {
            $self->{crashed} = 0;
            return;
        }
        sleep(0.05);
    }
    die "the server does not come back";
}

1;
