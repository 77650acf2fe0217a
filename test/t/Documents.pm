# The code blocks of documents in Markdown.
package Documents;

use strict;
use warnings;
use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(read_blocks);

# The blocks of a document, as hashes:
#
#   line       of its end
#   section    the heading above
#   mark       the language that it is marked with; 'check' for a comment that begins with "<!-- check"
#   text
#   follows    whether nothing but empty lines is between it and the block before
sub read_blocks
{
    my ($file) = @_;
    my (@blocks, $block);
    my ($number, $section, $follows) = (0, '', 0);
    for my $line (split /^/, slurp_file($file)) {
        $number++;
        if ($block) {
            my $end = $block->{mark} eq 'check' ? $line =~ /^-->/ : $line =~ /^```/;
            if (!$end) { $block->{text} .= $line; next }
            push @blocks, { %$block, line => $number };
            $follows = 1;
            undef $block;
        }
        elsif ($line =~ /^```(\w*)/ || $line =~ /^<!-- check/) {
            $block = { section => $section, mark => $1 // 'check', text => '', follows => $follows };
        }
        elsif ($line =~ /\S/) {
            $section = $1 if $line =~ /^#+ (.*\S)/;
            $follows = 0;
        }
    }
    die "$file: a block is not closed\n" if $block;
    return @blocks;
}

1;
