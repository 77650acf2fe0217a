#include "core/likely/list_calibration.hpp"

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// The neighbors of the searches that are simulated, and those of the sightings.
constexpr int kWanted = 10;
constexpr int kSightedRows[kSightings] = {1, 3, 10, 30, 100};

bool nearer(const NearRow &a, const NearRow &b) { return a.distance < b.distance; }

NearRow *rows_of(const ListMeasure &measure, int query) { return measure.near + query * kMostCalibrated; }

void note_row(ListMeasure *measure, int q, std::uint16_t distance, std::uint32_t list)
{
    NearRow *near = rows_of(*measure, q);
    if (distance == 0 && !measure->self[q]) {
        measure->self[q] = true;
        return;
    }
    if (measure->found[q] == kMostCalibrated)
        std::pop_heap(near, near + kMostCalibrated, nearer);
    else
        measure->found[q]++;
    near[measure->found[q] - 1] = {distance, list, 0};
    std::push_heap(near, near + measure->found[q], nearer);
    if (measure->found[q] == kMostCalibrated)
        measure->limit[q] = near[0].distance;
}

// How many lists are read at a distance: a line through three nodes, in logarithms.
struct Curve {
    double distance[kDistanceNodes];
    double lists[kDistanceNodes];

    double at(double d) const
    {
        const int i = d > distance[1] ? 1 : 0;
        const double step = distance[i + 1] - distance[i];
        const double fraction = step > 0 ? (d - distance[i]) / step : 0;
        return lists[i] + (lists[i + 1] - lists[i]) * std::max(0.0, fraction);
    }
};

// Evenly spread over the queries, instead of by a hash (chance_of).
double chance_of_number(int query)
{
    constexpr double kGolden = 0.6180339887498949;
    return std::fmod((query + 1) * kGolden, 1.0);
}

// Sorts the rows of each query by distance, and sets the ranks of their lists.
void rank_rows(ListMeasure *measure, const CenterSet &set, const CalibrationMemory &memory)
{
    for (int q = 0; q < measure->queries; q++) {
        memory.pause();
        NearRow *near = rows_of(*measure, q);
        nearest_lists(set, measure->distances, measure->query + static_cast<std::size_t>(measure->bytes) * q,
                      set.lists, memory.distance, memory.list);
        for (std::uint32_t i = 0; i < set.lists; i++)
            memory.rank[memory.list[i]] = i;
        for (int i = 0; i < measure->found[q]; i++) {
            near[i].list = memory.rank[near[i].list];
            near[i].rank = near[i].list == 0 ? -1 : std::log(near[i].list + chance_of_number(q));
        }
        std::sort_heap(near, near + measure->found[q], nearer);
    }
}

// The sightings of all queries, the nearest first. Returns their number.
int sight(const ListMeasure &measure, Sighting *sighting)
{
    int count = 0;
    for (int q = 0; q < measure.queries; q++) {
        for (int rows : kSightedRows) {
            if (rows <= measure.found[q])
                sighting[count++] = {rows_of(measure, q)[rows - 1].distance, static_cast<std::uint16_t>(rows),
                                     static_cast<std::uint32_t>(q)};
        }
    }
    std::sort(sighting, sighting + count, [](const Sighting &a, const Sighting &b) {
        return a.distance != b.distance ? a.distance < b.distance : a.query < b.query;
    });
    return count;
}

// Sets which part of the rows of some sightings the first lists hold, for each number of lists.
void add_up(const ListMeasure &measure, const Sighting *begin, const Sighting *end, std::uint32_t lists,
            float *found)
{
    std::fill(found, found + lists, 0.0F);
    for (const Sighting *s = begin; s < end; s++) {
        const NearRow *near = rows_of(measure, static_cast<int>(s->query));
        const float fraction = 1.0F / static_cast<float>(s->rows) / static_cast<float>(end - begin);
        for (int i = 0; i < s->rows; i++)
            found[near[i].list] += fraction;
    }
    for (std::uint32_t i = 1; i < lists; i++)
        found[i] += found[i - 1];
}

// Each node's lists are those that hold the part `level` of the rows near its distance.
void set_lists(Curve *curve, const float *found, std::uint32_t lists, double level)
{
    for (int node = 0; node < kDistanceNodes; node++, found += lists) {
        const float *at = std::lower_bound(found, found + lists - 1, static_cast<float>(level));
        const double before = at == found ? 0 : at[-1];
        const double fraction = *at > before ? std::clamp((level - before) / (*at - before), 0.0, 1.0) : 1;
        curve->lists[node] = std::log(std::max(static_cast<double>(at - found) + fraction, 1.0));
        if (node > 0)
            curve->lists[node] = std::max(curve->lists[node], curve->lists[node - 1]);
    }
}

// A search for the query, with these rows in the order of their lists. `limit` is the distance of the rows that are not known.
struct Simulation {
    int wanted;
    std::uint16_t limit;
    int kept = 0;
    std::uint16_t nearest[kWanted] = {};

    void add(std::uint16_t distance)
    {
        if (kept == wanted && distance >= nearest[kept - 1])
            return;
        int at = kept < wanted ? kept++ : kept - 1;
        for (; at > 0 && nearest[at - 1] > distance; at--)
            nearest[at] = nearest[at - 1];
        nearest[at] = distance;
    }
    // Whether it ends before the list of this rank. A list also has rows that are not known.
    bool ends(const Curve &curve, double rank) const
    {
        const std::uint16_t last = kept == wanted ? nearest[kept - 1] : limit;
        return last != kNoLimit && curve.at(last) <= rank;
    }
};

// The part of the neighbors that a search for a query finds. The rows are in the order of their lists, and the distance is
// that of the last neighbor.
double found_part(const ListMeasure &measure, int query, const Curve &curve)
{
    const NearRow *near = rows_of(measure, query);
    const int rows = measure.found[query];
    const std::uint16_t last = measure.distance[query];
    Simulation search = {std::min(kWanted, rows), measure.limit[query]};
    double read = -1;
    int good = 0;
    for (int i = 0; i < rows; read = near[i++].rank) {
        if (near[i].rank > read && search.ends(curve, near[i].rank))
            break;
        search.add(near[i].distance);
        good += near[i].distance <= last;
    }
    return std::min(good, search.wanted) / static_cast<double>(search.wanted);
}

// The mean of the queries, without those that look for equal rows, which are in one list: they would make up for others.
double simulated_recall(const ListMeasure &measure, const Curve &curve)
{
    double sum = 0;
    int queries = 0;
    for (int q = 0; q < measure.queries; q++) {
        if (measure.found[q] == 0 || measure.distance[q] == 0)
            continue;
        sum += found_part(measure, q, curve);
        queries++;
    }
    return queries == 0 ? 1 : sum / queries;
}

// The curve with which searches have the recall.
void fit_curve(const ListMeasure &measure, const float *found, std::uint32_t lists, double recall,
               Curve *curve)
{
    constexpr int kHalvings = 10;
    double low = 0, high = 1;
    for (int i = 0; i < kHalvings; i++) {
        const double middle = (low + high) / 2;
        set_lists(curve, found, lists, middle);
        (simulated_recall(measure, *curve) < recall ? low : high) = middle;
    }
    set_lists(curve, found, lists, high);
    // Lists that hold all rows of the sightings may not be enough for all queries.
    if (high == 1 && simulated_recall(measure, *curve) < recall)
        std::fill(curve->lists, curve->lists + kDistanceNodes, std::log(static_cast<double>(lists)));
}

// Orders each query's rows by list, and sets the distance of its last neighbor.
void order_by_list(ListMeasure *measure)
{
    for (int q = 0; q < measure->queries; q++) {
        NearRow *near = rows_of(*measure, q);
        if (measure->found[q] > 0)
            measure->distance[q] = near[std::min(kWanted, measure->found[q]) - 1].distance;
        std::sort(near, near + measure->found[q],
                  [](const NearRow &a, const NearRow &b) { return a.list < b.list; });
    }
}

} // namespace

void measure_row(ListMeasure *measure, const std::uint8_t *signature, std::uint32_t list)
{
    measure->distances(signature, measure->bytes, measure->query, static_cast<std::size_t>(measure->bytes),
                       measure->queries, measure->distance);
    for (int q = 0; q < measure->queries; q++) {
        if (measure->distance[q] < measure->limit[q])
            note_row(measure, q, measure->distance[q], list);
    }
}

ListRecall measured_recall(ListMeasure *measure, const CenterSet &set, const CalibrationMemory &memory)
{
    constexpr double kNearlyAll =
        0.995; // of the rows are nearer than those that a query unlike the rows finds
    // A sample of queries gives the recall to a point or two. This much of what would be missed is found in addition.
    constexpr double kMargin = 0.1;
    rank_rows(measure, set, memory);
    const int count = sight(*measure, memory.sighting);
    if (count == 0)
        return {};
    ListRecall recall = {};
    Curve curve;
    for (int node = 0; node < kDistanceNodes; node++) {
        const Sighting *begin = memory.sighting + count * node / kDistanceNodes,
                       *end = memory.sighting + std::max(count * (node + 1) / kDistanceNodes, 1);
        begin = std::min(begin, end - 1);
        const Sighting *median = begin + (end - begin) / 2;
        curve.distance[node] = median->distance;
        recall.distance[node] = median->distance;
        add_up(*measure, begin, end, set.lists, memory.found + static_cast<std::size_t>(node) * set.lists);
    }
    recall.distance[kDistanceNodes - 1] =
        memory.sighting[std::min(count - 1, static_cast<int>(count * kNearlyAll))].distance;
    order_by_list(measure);
    for (int i = 0; i < kRecallSteps; i++) {
        fit_curve(*measure, memory.found, set.lists, kRecallLevels[i] + (1 - kRecallLevels[i]) * kMargin,
                  &curve);
        for (int node = 0; node < kDistanceNodes; node++) {
            const double lists =
                std::min(std::exp(curve.at(recall.distance[node])), static_cast<double>(set.lists));
            recall.lists[node][i] = std::max(static_cast<std::uint32_t>(std::round(lists * kListParts)),
                                             i > 0 ? recall.lists[node][i - 1] : kListParts);
        }
    }
    recall.queries = static_cast<std::uint16_t>(measure->queries);
    return recall;
}

} // namespace simhash
