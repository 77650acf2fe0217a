# Draws what report.sql wrote to the current directory. Variable: out, the beginning of the files' names.
# scale.dat: rows, µs for a row by primary key, within 3, within 7, and for the ten nearest.
set datafile separator tab
set terminal svg size 620,400 font 'sans,12' background '#ffffff' linewidth 1.2
set key outside right
set border 3
set tics nomirror
set grid lc rgb '#dddddd'
set style data linespoints
set pointsize 0.6
set logscale xy
set format x '%.0s%c'
set format y '%g'
set xlabel 'rows'
set output out . 'searches.svg'
set title 'Processor time of a search, warm'
set ylabel 'µs'
plot 'scale.dat' using 1:2 lc rgb '#000000' dt 3 pt 7 title 'primary key', '' using 1:3 lc rgb '#1f5fa8' pt 7 title 'r = 3', \
     '' using 1:4 lc rgb '#2f8f4e' pt 7 title 'r = 7', '' using 1:5 lc rgb '#d9701a' pt 7 title 'ten nearest'
set output out . 'ratio.svg'
set title 'The same, as a multiple of a look-up by primary key'
set ylabel 'times'
plot 'scale.dat' using 1:($3/$2) lc rgb '#1f5fa8' pt 7 title 'r = 3', '' using 1:($4/$2) lc rgb '#2f8f4e' pt 7 title 'r = 7', \
     '' using 1:($5/$2) lc rgb '#d9701a' pt 7 title 'ten nearest'
