# Draws bench/issl/*.svg from the CSV files in the current directory. Variable: out, the directory to write to.
# Columns of table1.csv and figure3.csv: rows width slices i j order lists postings candidates ms scan_ms ratio cdr1 cdr10
# cdr30 recall10 lists_mb signatures_mb build_s.
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

# Figure 2
set output out . '/cdr.svg'
set title 'Cumulative distance ratio by expansion (Figure 2)'
set xlabel 'p'
set ylabel 'CDR(p)'
plot for [i in '0 1 2 3 4 5 8'] of('figure2.csv', '$1 == ' . i) using 2:3 with lines lw 2 title i . ' bits'

# Table 1
set output out . '/threshold.svg'
set title 'Quality and time by expansion i and candidate threshold j (Table 1)'
set xlabel 'ms per query'
set ylabel '1 - CDR(10)'
set logscale xy
set format y '%g'
plot for [j = 0:4] of('table1.csv', sprintf('$6 == "distances" && $5 == %d', j)) using 10:(1 - $14) title sprintf('j = %d', j)

# Figure 3
set output out . '/growth.svg'
set title 'Time of a search as the collection grows (Figure 3)'
set xlabel 'rows'
set format x '%.0s%c'
set ylabel 'ms per query'
plot of('figure3.csv', '$2 == int(log($1) / log(2) + 0.5) - 3') using 1:10 lc rgb blue pt 7 title 'width log2(rows) - 3', \
     of('figure3.csv', '$2 == 16') using 1:10 lc rgb orange pt 7 title 'width 16', \
     of('figure3.csv', '$2 == 16') using 1:11 lc rgb grey dt 2 pt 6 title 'exhaustive'
