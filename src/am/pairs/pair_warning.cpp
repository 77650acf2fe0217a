#include "am/pairs/pair_warning.hpp"

#include "am/index/kind.hpp"

#include "core/bits/ball_volume.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

// Calls visit(rows, count) for the rows of each table with the same word.
template <typename Visit> void visit_equal(const RowSample &sample, Visit visit)
{
    for (Size i = 0, end; i < sample.count; i = end) {
        for (end = i + 1; end < sample.count && sample.row[end].table == sample.row[i].table &&
                          sample.row[end].word == sample.row[i].word;)
            end++;
        visit(sample.row + i, end - i);
    }
}

double sampled_rows(const RowSample &sample)
{
    double rows = 0;
    for (Size i = 0; i < sample.count; i++)
        rows += sample.row[i].weight;
    return rows;
}

// The pairs of rows of a page are as many in other pages. Pairs of rows of different pages come from groups so large
// that every part of the table has their share. Each of the index's tables has all rows.
double equal_pairs_within(const RowSample &sample, double rows)
{
    double within = 0, across = 0, all_across = 0, sampled = sampled_rows(sample);
    visit_equal(sample, [&](const SampledRow *row, Size count) {
        double all = 0, squares = 0;
        for (Size i = 0, end; i < count; i = end) {
            double page = 0;
            for (end = i; end < count && row[end].page == row[i].page; end++)
                page += row[end].weight;
            // A lone row of the sample says nothing of the others.
            within += end - i > 1 ? page * (page - 1) / 2 : 0;
            all += page;
            squares += page * page;
        }
        across += (all * all - squares) / 2;
    });
    for (Size i = 0, end; i < sample.count; i = end) {
        double table = 0;
        for (end = i; end < sample.count && sample.row[end].table == sample.row[i].table; end++)
            table += sample.row[end].weight;
        all_across += table * table / 2;
    }
    return sampled == 0 ? 0 : within * rows / sampled + across * (rows * rows / 2) / all_across;
}

// Of two sides. A word that is seldom in both samples may be there because they are of the same part of the keys.
double equal_pairs_between(const RowSample &x, const RowSample &y, double x_rows, double y_rows)
{
    constexpr Size kOften = 3;
    double pairs = 0;
    Size at = 0;
    std::sort(x.row, x.row + x.count,
              [](const SampledRow &a, const SampledRow &b) { return a.word < b.word; });
    std::sort(y.row, y.row + y.count,
              [](const SampledRow &a, const SampledRow &b) { return a.word < b.word; });
    for (Size i = 0, end; i < x.count; i = end) {
        double x_weight = 0, y_weight = 0;
        for (end = i; end < x.count && x.row[end].word == x.row[i].word; end++)
            x_weight += x.row[end].weight;
        while (at < y.count && y.row[at].word < x.row[i].word)
            at++;
        Size from = at;
        for (; at < y.count && y.row[at].word == x.row[i].word; at++)
            y_weight += y.row[at].weight;
        if (std::max(end - i, at - from) >= kOften)
            pairs += x_weight * y_weight;
    }
    return pairs == 0 ? 0 : pairs * (x_rows / sampled_rows(x)) * (y_rows / sampled_rows(y));
}

double equal_pairs(const PairOutput &output, const RowSample sample[2])
{
    if (output.sides == 2)
        return equal_pairs_between(sample[0], sample[1], output.side[0].rows, output.side[1].rows);
    std::sort(sample[0].row, sample[0].row + sample[0].count, [](const SampledRow &a, const SampledRow &b) {
        return a.table != b.table ? a.table < b.table : a.word != b.word ? a.word < b.word : a.page < b.page;
    });
    return equal_pairs_within(sample[0], output.side[0].rows);
}

} // namespace

void warn_of_many_pairs(const PairOutput &output, int radius, RowSample sample[2])
{
    constexpr double kManyPairs = 100000, kManyOfRow = 10;
    const double x = output.side[0].rows, y = output.side[output.sides - 1].rows;
    const double many = Max(kManyPairs, kManyOfRow * Max(x, y));
    const double all = output.sides == 1 ? x * (x - 1) / 2 : x * y;
    const double chance = all * ball_volume(output.side[0].meta().bits, radius);
    if (chance >= many) {
        ereport(WARNING, errmsg("about %.0f pairs of unrelated rows are within radius %d", chance, radius),
                errhint("Use a smaller radius. simhash_report suggests one."));
        return;
    }
    const double equal = output.wanted == PairsWanted::all ? Min(equal_pairs(output, sample), all) : 0;
    if (equal >= many)
        ereport(WARNING,
                errmsg("about %.0f pairs of rows have equal %s", equal, output.side[0].meta().kind->values),
                output.sides == 1
                    ? errhint("simhash_group finds the groups of equal rows without their pairs. Or use a "
                              "partial index without the most frequent values.")
                    : errhint("Use partial indexes without the most frequent values."));
}

} // namespace simhash
