#include "core/likely/list_recall.hpp"

#include "core/bits/feature_hash.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// A place in a table: between an entry and the next one, by `fraction`. It may lie beyond the last entry.
struct Place {
    int entry;
    double fraction;
};

template <typename Scale> Place place_of(double value, const double *step, int steps, Scale scale)
{
    int i = 0;
    while (i < steps - 2 && value > step[i + 1])
        i++;
    return {i, (scale(value) - scale(step[i])) / (scale(step[i + 1]) - scale(step[i]))};
}

double between(double a, double b, double fraction) { return a + (b - a) * fraction; }

// Lists are interpolated in logarithms, so that they grow by a factor with each step.
double lists_at_place(const ListRecall &recall, double wanted, const Place &node)
{
    const Place level = place_of(std::max(wanted, kRecallLevels[0]), kRecallLevels, kRecallSteps,
                                 [](double x) { return std::log(1 - x); });
    double lists[2];
    for (int i = 0; i < 2; i++) {
        const std::uint32_t *row = recall.lists[node.entry + i];
        lists[i] = between(std::log(row[level.entry]), std::log(row[level.entry + 1]), level.fraction);
    }
    return std::exp(between(lists[0], std::max(lists[0], lists[1]), node.fraction)) / kListParts;
}

Place node_at(const ListRecall &recall, int distance)
{
    const int i = distance > recall.distance[1] ? 1 : 0;
    const int step = recall.distance[i + 1] - recall.distance[i];
    const double fraction = step > 0 ? static_cast<double>(distance - recall.distance[i]) / step : 0;
    return {i, std::clamp(fraction, 0.0, 1.0)};
}

bool unknown(const ListRecall &recall, double wanted)
{
    return recall.queries == 0 || wanted > kRecallLevels[kRecallSteps - 1];
}

} // namespace

double lists_for(const ListRecall &recall, double wanted, double neighbors, std::uint32_t most)
{
    if (unknown(recall, wanted))
        return most;
    // One neighbor is typically at the distance of the first node, and ten at that of the second. Nearly all rows have a
    // hundred of them within that of the last one.
    const double power = std::log10(std::max(1.0, neighbors));
    const Place node = power < 1 ? Place{0, power} : Place{1, std::min(1.0, (power - 1) / 2)};
    return std::min(lists_at_place(recall, wanted, node), static_cast<double>(most));
}

double lists_at(const ListRecall &recall, double wanted, int distance, std::uint32_t most)
{
    if (unknown(recall, wanted) || distance > recall.distance[kDistanceNodes - 1])
        return most;
    return std::min(lists_at_place(recall, wanted, node_at(recall, distance)), static_cast<double>(most));
}

double chance_of(const std::uint8_t *query, std::size_t bytes)
{
    return static_cast<double>(feature_hash(query, bytes) >> 11) * 0x1p-53;
}

double recall_at(const ListRecall &recall, double lists, int distance)
{
    if (distance > recall.distance[kDistanceNodes - 1])
        return 0;
    const Place node = node_at(recall, distance);
    double low = 0, high = kRecallLevels[kRecallSteps - 1];
    while (high - low > 1e-4) {
        const double middle = (low + high) / 2;
        (lists_at_place(recall, middle, node) <= lists ? low : high) = middle;
    }
    return low;
}

const char *check_list_recall(const ListRecall &recall, std::uint32_t lists, int bits)
{
    for (int i = 0; i < kDistanceNodes; i++) {
        const std::uint32_t *row = recall.lists[i];
        if (row[0] < kListParts || row[kRecallSteps - 1] > std::uint64_t{lists} * kListParts ||
            !std::is_sorted(row, row + kRecallSteps))
            return "The recall of the lists is not valid.";
        if (recall.distance[i] > bits || (i > 0 && recall.distance[i] < recall.distance[i - 1]))
            return "The distances of neighbors are not valid.";
    }
    return nullptr;
}

} // namespace simhash
