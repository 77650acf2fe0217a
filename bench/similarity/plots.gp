# Draws similarity.svg from curve.csv: kind measure radius found hits precision recall. Variable: out, the file to write.
set datafile separator ','
set terminal svg size 900,440 font 'sans,12' background '#ffffff' linewidth 1.2
set output out
set border 3
set tics nomirror
set grid lc rgb '#dddddd'
set style data lines
set xlabel 'recall'
set ylabel 'precision'
set xrange [0.7:1.003]
set yrange [0.7:1.006]
kinds = 'simhash_64 simhash_256 simhash_1024 minhash_256 minhash_1024'
titles = '"simhash, 64 bits" "simhash, 256 bits" "simhash, 1,024 bits" "min-hash, 256 bits" "min-hash, 1,024 bits"'
colours = '#777777 #2f8f4e #1f5fa8 #e0a030 #c0392b'
of(kind, measure) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\"' curve.csv", kind, measure)
set multiplot layout 1,2
do for [panel in 'jaccard cosine'] {
    set title (panel eq 'jaccard' ? 'Jaccard index of three-word shingles at least 0.8' : 'cosine of weighted words at least 0.9')
    set key left bottom reverse Left samplen 2
    if (panel eq 'cosine') { set key off }
    plot for [i = 1:5] of(word(kinds, i), panel) using 7:6 lw 2 dt i <= 3 ? 1 : 2 lc rgb word(colours, i) title word(titles, i)
}
unset multiplot
