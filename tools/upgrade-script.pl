#!/usr/bin/env perl
# Writes the upgrade scripts of the extensions from a release to the present version.
#
#   tools/upgrade-script.pl [directory]            sql/simhash--A--B.sql, B being the version of simhash.control and A the
#                                                  latest release before it of which there is a script sql/simhash--A.sql;
#                                                  the same for simhash_compat in compat
#   tools/upgrade-script.pl --check [directory]    changes nothing, and fails if a script is out of date
#
# The directory is that of a control file; by default, both. Without an earlier release there is nothing to do.
#
# The first part of an upgrade script, down to the line of the mark below, is written by hand: it drops and alters
# what cannot be replaced. The rest is written here: the statements of sql/simhash.sql that the release lacks, in their
# order. A function that the release has with the same arguments is replaced. A type, operator, cast, aggregate or
# operator class that the release has is left to the first part. test/t/040_upgrade.pl tries this on an invented next
# version.
use strict;
use warnings;
use FindBin;

my $mark = "-- What follows is written by tools/upgrade-script.pl.\n";
my $check = @ARGV && $ARGV[0] eq '--check' && shift @ARGV;
my @directories = @ARGV ? @ARGV : map { "$FindBin::Bin/../$_" } '.', 'compat';

sub content
{
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return scalar <$in>;
}

# An install script whose parts may be in other files.
sub install_script
{
    my ($file) = @_;
    open my $in, '-|', 'awk', '-f', "$FindBin::Bin/../src/install-script.awk", $file or die "awk: $!\n";
    local $/;
    my $script = <$in>;
    close $in or die "$file: awk failed\n";
    return $script;
}

# The statements of a script: pairs of the text and of the same in one line without comments.
sub statements
{
    my ($script) = @_;
    $script =~ s/^\\.*$//mg;
    my ($text, $line, @found) = ('', '');
    while ($script =~ /\G(?:(--[^\n]*)|('(?:[^']|'')*'|"[^"]*"|\$(\w*)\$.*?\$\g{3}\$)|(\s+)|(;)|(.[^\s;'"-]*))/gcs) {
        my ($comment, $quoted, undef, $space, $end, $other) = ($1, $2, $3, $4, $5, $6);
        # In front of a statement, comments and spaces are no part of it.
        $text .= $& if $line ne '' || defined $quoted || defined $other;
        if (defined $end) {
            $line =~ s/ $//;
            push @found, [$text, $line];
            ($text, $line) = ('', '');
        } elsif (defined $space) {
            $line .= ' ' if $line ne '' && $line !~ / $/;
        } elsif (!defined $comment) {
            $line .= $quoted // $other;
        }
    }
    die "no semicolon after: $line\n" if $line ne '';
    return @found;
}

# The types of a function's arguments, as they identify it: without names, defaults and what is returned.
sub argument_types
{
    my ($list) = @_;
    my @types;
    for my $argument (split /,(?![^'{(]*['})])\s*/, $list) {
        next if $argument =~ /^OUT /;
        $argument =~ s/ DEFAULT .*//;
        $argument =~ s/double precision/double_precision/;
        $argument =~ s/^.* //;
        push @types, $argument;
    }
    return join ',', @types;
}

# What a statement makes, drops or comments on; otherwise, and for shell types, the statement itself.
sub object
{
    my ($statement) = @_;
    return "$1 $2(" . argument_types($3) . ')'
        if $statement =~ /^CREATE (FUNCTION|PROCEDURE) (\w+)\((.*?)\) ?(?:RETURNS|AS|LANGUAGE)/ ||
        $statement =~ /^(?:DROP|COMMENT ON) (FUNCTION|PROCEDURE) (\w+)\((.*?)\)/;
    return "AGGREGATE $1(" . argument_types($2) . ')' if $statement =~ /^CREATE AGGREGATE (\w+)\((.*?)\) \(/;
    return "CAST $1" if $statement =~ /^CREATE CAST (\(.*?\))/;
    return "OPERATOR $1 ($2, $3)"
        if $statement =~ /^CREATE OPERATOR (\S+) \(.*LEFTARG = ([\w. ]+).*RIGHTARG = ([\w. ]+)/;
    return "TYPE $1" if $statement =~ /^CREATE TYPE (\w+) \(/;
    return "$1 $2" if $statement =~ /^CREATE (DOMAIN|ACCESS METHOD) (\w+)/;
    return "OPERATOR $1 $2" if $statement =~ /^CREATE OPERATOR (CLASS|FAMILY) (\w+ .*?USING \w+)/;
    return $statement;
}

my $stale = 0;
sub update
{
    my ($top, $extension) = @_;
    my $sql = "$top/sql";
    my ($version) = content("$top/$extension.control") =~ /^default_version *= *'(.*)'/m or die "no version\n";
    my ($release) = sort { version->parse("v$b") <=> version->parse("v$a") }
        grep { version->parse("v$_") < version->parse("v$version") }
        map { m{/\Q$extension\E--([0-9.]+)\.sql$} ? $1 : () } glob("$sql/$extension--*.sql");
    return if !defined $release;

    my $script = "$sql/$extension--$release--$version.sql";
    my $old = -e $script ? content($script) : '';
    my $first = "\\echo Use \"ALTER EXTENSION $extension UPDATE TO '$version'\" to load this file. \\quit\n\n";
    my $at = index $old, $mark;
    $first = substr $old, 0, $at if $at >= 0;

    # What the release has after the first part.
    my (%same, %has, %dropped);
    for (statements($first)) {
        my (undef, $line) = @$_;
        $dropped{object($line)} = 1 if $line =~ /^DROP /;
    }
    for (statements(content("$sql/$extension--$release.sql"))) {
        my (undef, $line) = @$_;
        my $object = object($line);
        next if $dropped{$object};
        $same{$line} = 1;
        $has{$object} = 1;
    }

    my $rest = '';
    for (statements(install_script("$sql/$extension.sql"))) {
        my ($text, $line) = @$_;
        next if $same{$line};
        my $object = object($line);
        if ($line =~ /^CREATE / && $has{$object} && $text !~ s/^CREATE (FUNCTION|PROCEDURE)/CREATE OR REPLACE $1/) {
            $rest .= "-- Altered above: $object\n";
        } else {
            $rest .= "$text\n";
        }
    }

    my $new = $first . $mark . $rest;
    if ($check) {
        return if $old eq $new;
        print "$script is not what sql/$extension.sql asks for: run tools/upgrade-script.pl\n";
        $stale = 1;
        return;
    }
    open my $out, '>', $script or die "$script: $!\n";
    print $out $new;
    close $out or die "$script: $!\n";
    return;
}

update(m{(.*)/([^/]*)\.control$}) for map { glob "$_/*.control" } @directories;
exit $stale;
