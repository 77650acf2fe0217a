#include "core/signature_tables/list_recall.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// A place in a table: between an entry and the next one, by `part`. It may lie beyond the last entry.
struct Place {
    int entry;
    double part;
};

template <typename Scale> Place place_of(double value, const double *step, int steps, Scale scale)
{
    int i = 0;
    while (i < steps - 2 && value > step[i + 1])
        i++;
    return {i, (scale(value) - scale(step[i])) / (scale(step[i + 1]) - scale(step[i]))};
}

Place neighbors_place(double neighbors)
{
    double step[kNeighborClasses];
    std::copy(kNeighborCounts, kNeighborCounts + kNeighborClasses, step);
    return place_of(std::max(1.0, neighbors), step, kNeighborClasses, [](double x) { return std::log(x); });
}

double between(double a, double b, double part) { return a + (b - a) * part; }

} // namespace

double lists_for(const ListRecall &recall, double wanted, double neighbors, std::uint32_t most)
{
    if (recall.queries == 0 || wanted > kRecallLevels[kRecallSteps - 1])
        return most;
    const Place level = place_of(std::max(wanted, kRecallLevels[0]), kRecallLevels, kRecallSteps,
                                 [](double x) { return std::log(1 - x); });
    const Place count = neighbors_place(neighbors);
    double lists[2];
    for (int i = 0; i < 2; i++) {
        const std::uint32_t *row = recall.lists[count.entry + i];
        lists[i] = between(std::log(row[level.entry]), std::log(row[level.entry + 1]), level.part);
    }
    // More neighbors are never in fewer lists.
    const double more = between(lists[0], std::max(lists[0], lists[1]), count.part);
    return std::min(std::ceil(std::exp(more) - 1e-6), static_cast<double>(most));
}

double recall_within(const ListRecall &recall, double lists, double neighbors)
{
    constexpr double kUnknown = 1e9;
    double low = 0, high = kRecallLevels[kRecallSteps - 1];
    while (high - low > 1e-4) {
        const double middle = (low + high) / 2;
        (lists_for(recall, middle, neighbors, static_cast<std::uint32_t>(kUnknown)) <= lists ? low : high) =
            middle;
    }
    return low;
}

int farthest_for(const ListRecall &recall, double neighbors)
{
    const Place count = neighbors_place(neighbors);
    return static_cast<int>(
        between(recall.farthest[count.entry], recall.farthest[count.entry + 1], count.part));
}

const char *check_list_recall(const ListRecall &recall, std::uint32_t lists, int bits)
{
    for (int i = 0; i < kNeighborClasses; i++) {
        const std::uint32_t *row = recall.lists[i];
        if (row[0] < 1 || row[kRecallSteps - 1] > lists || !std::is_sorted(row, row + kRecallSteps))
            return "The recall of the lists is not valid.";
        if (recall.farthest[i] > bits || (i > 0 && recall.farthest[i] < recall.farthest[i - 1]))
            return "The distances of neighbors are not valid.";
    }
    return nullptr;
}

} // namespace simhash
