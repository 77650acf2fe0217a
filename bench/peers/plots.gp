# Draws the files that report.sql wrote to the current directory. Variables: out (the directory to write to, with a
# trailing slash), data.
# radius.dat: method, radius, µs per query. index.dat: index, build in µs per row, bytes per row, inserted rows/s, WAL bytes
# per row, WAL bytes per row with full pages.
set datafile separator tab
set terminal svg noenhanced size 860,460 font 'sans,12' background '#ffffff' linewidth 1.2
set border 3
set tics nomirror
set grid ytics lc rgb '#dddddd'
set pointsize 0.6
colours = '#1f5fa8 #2f8f4e #d9701a #8a4fa3 #b03030 #777777 #b09a2f #4aa5a5 #000000'
colour(i) = word(colours, (i - 1) % words(colours) + 1)
has(text, part) = strstrt(text, part) > 0

methods = system("cut -f 1 radius.dat | uniq | tr ' ' '~'")
name(i) = system(sprintf("echo '%s' | tr '~' ' '", word(methods, i)))
of(i) = sprintf("< awk -F '\t' '$1 == \"%s\"' radius.dat", name(i))
if (words(methods) > 0) {
    set output out . 'radius-' . data . '.svg'
    set title 'All rows within r, ' . data . ' fingerprints'
    set key outside right Left reverse samplen 2 width -4
    set xlabel 'r'
    set xtics 1, 2, 7
    set xrange [0.7:7.3]
    set ylabel 'µs of processor time per query'
    set logscale y
    set format y '%g'
    plot for [i = 1:words(methods)] of(i) using 2:3 with linespoints lw (has(name(i), 'simhash') ? 2.5 : 1.2) \
        dt has(name(i), 'memory') ? 2 : has(name(i), 'primary') ? 3 : 1 \
        lc rgb has(name(i), 'primary') ? '#000000' : colour(i) pt 7 title name(i)
    unset logscale y
    set xrange [*:*]
    unset xlabel
}

set key off
set style fill solid 0.85
set boxwidth 0.7
set yrange [0:*]
set format y '%.0s%c'
set xtics rotate by -25
names = 'build bytes insert wal wal-full'
titles = '"Build" "Size" "Inserts into a filled table with one kind of index" "WAL of inserts, without full pages" ' . \
    '"WAL of inserts right after a checkpoint"'
units = '"µs of processor time per row" "bytes per row" "rows per second of processor time" "bytes per row" "bytes per row"'
do for [measure = 1:5] {
    file = sprintf("< awk -F '\t' '$%d > 0' index.dat", measure + 1)
    if (system(sprintf("awk -F '\t' '$%d > 0' index.dat | wc -l", measure + 1)) > 0) {
        set output out . word(names, measure) . '-' . data . '.svg'
        set title word(titles, measure) . ', ' . data . ' fingerprints'
        set ylabel word(units, measure)
        plot file using 0:(column(measure + 1)):(has(strcol(1), 'simhash') ? 0x1f5fa8 : 0x999999):xtic(1) with boxes lc rgb variable
    }
}
