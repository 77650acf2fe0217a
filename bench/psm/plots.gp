# Draws bench/psm/*.svg from the CSV files in the current directory. Variable: out, the directory to write to.
# Columns of searched.csv: rows tables method target most_probes radius find queries leaf_pages pages microseconds recall
# partner_recall query_recall exact_rows.
set datafile separator ','
set terminal svg size 760,430 font 'sans,12' background '#ffffff' linewidth 1.2
set key outside right
set border 3
set tics nomirror
set grid lc rgb '#dddddd'
set style data linespoints
set autoscale xfix
set pointsize 0.5
blue = '#1f5fa8'
orange = '#d9701a'
green = '#2f8f4e'
grey = '#777777'
of(file, condition) = "< awk -F, '" . condition . "' " . file
search(tables, method, target, radius, find) = of('searched.csv', sprintf( \
    '$2 == %d && $3 == "%s" && $4 == "%s" && $6 == %d && $7 == "%s"', tables, method, target, radius, find))

# Figure 3
set output out . '/flips.svg'
set title 'Flips of all 64 bits tried until a near-duplicate is found (Figure 3)'
set xlabel 'flips tried'
set ylabel 'near-duplicates found'
set logscale x
set yrange [0:1.02]
plot for [d = 1:3] of('flips.csv', sprintf('$1 == %d', d)) using 2:3 with lines lw 2 lc rgb word(blue . ' ' . green . ' ' . orange, d) \
         title sprintf('distance %d, by volatility', d), \
     for [d = 1:3] of('flips.csv', sprintf('$1 == %d', d)) using 2:4 with lines lw 1.5 dt 2 lc rgb word(blue . ' ' . green . ' ' . orange, d) \
         title sprintf('distance %d, in any order', d)

# Figure 8
set output out . '/probes.svg'
set title 'Recall by probes at radius 3, without equal fingerprints (Figure 8)'
set xlabel 'header probes'
set ylabel 'recall'
set yrange [0.5:1.005]
set xrange [1:128]
plot for [t in '16 20 26'] of('probes.csv', sprintf('$1 == %s', t)) using 2:3 with lines lw 2 \
         lc rgb (t eq '16' ? blue : t eq '20' ? green : orange) title sprintf('all, t = %s', t), \
     for [t in '16 20 26'] of('probes.csv', sprintf('$1 == %s', t)) using 2:4 with lines lw 1.5 dt 2 \
         lc rgb (t eq '16' ? blue : t eq '20' ? green : orange) title sprintf('first, t = %s', t)
unset xrange

# Table 2 and Figure 7
set xlabel 'rows of the collection'
set format x '%.0s%c'
set yrange [0:*]
do for [find in 'all first'] {
    set output out . '/rate-' . find . '.svg'
    set title sprintf('Searches per second in one session, radius 3, find %s (Table 2, Figure 7)', find)
    set ylabel 'thousand searches per second'
    plot search(4, 'exact', '1', 3, find) using 1:(1000 / $11) lc rgb grey pt 7 title 'exact, 4 tables', \
         search(10, 'exact', '1', 3, find) using 1:(1000 / $11) lc rgb grey dt 2 pt 6 title 'exact, 10 tables', \
         search(1, 'guided', '0.95', 3, find) using 1:(1000 / $11) lc rgb blue pt 7 title 'weights, 1 table, 95 %', \
         search(4, 'guided', '0.95', 3, find) using 1:(1000 / $11) lc rgb orange pt 7 title 'weights, 4 tables, 95 %'
}
do for [radius in '3 8'] {
    set output out . '/pages-' . radius . '.svg'
    set title sprintf('Leaf pages per search, radius %s, find all', radius)
    set ylabel 'leaf pages'
    set yrange [1:*]
    set logscale y
    plot search(4, 'exact', '1', int(radius), 'all') using 1:9 lc rgb grey pt 7 title 'exact, 4 tables', \
         search(1, 'guided', '0.99', int(radius), 'all') using 1:9 lc rgb blue dt 2 pt 6 title 'weights, 1 table, 99 %', \
         search(1, 'guided', '0.95', int(radius), 'all') using 1:9 lc rgb blue pt 7 title 'weights, 1 table, 95 %', \
         search(4, 'guided', '0.99', int(radius), 'all') using 1:9 lc rgb orange dt 2 pt 6 title 'weights, 4 tables, 99 %', \
         search(4, 'guided', '0.95', int(radius), 'all') using 1:9 lc rgb orange pt 7 title 'weights, 4 tables, 95 %'
}
