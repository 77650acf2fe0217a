// How many lists a search for the nearest rows reads, by what a build measured with rows of the table.
//
// A build sets some rows aside as queries, compares each with all rows, and notes for several numbers of neighbors how
// many lists hold the wanted part of them, the nearest lists first. Queries that are unlike the rows need more lists. Such
// a query is recognized by its neighbors: they are farther away than those of nearly all rows.
#pragma once

#include <cstdint>

namespace simhash
{

inline constexpr int kNeighborCounts[] = {1, 10, 100};
inline constexpr int kNeighborClasses = 3;
inline constexpr int kMostCalibrated = kNeighborCounts[kNeighborClasses - 1];
inline constexpr double kRecallLevels[] = {0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995};
inline constexpr int kRecallSteps = 10;

// Also the form on the metapage. DO NOT CHANGE without a new version.
struct ListRecall {
    std::uint32_t lists[kNeighborClasses][kRecallSteps]; // ascending, at least 1
    std::uint16_t farthest[kNeighborClasses]; // the distance of the last neighbor, of nearly all rows
    std::uint16_t queries;                    // from which this was measured
};
static_assert(sizeof(ListRecall) == 128);

// The number of lists in which a search finds the part `recall` of so many neighbors, or `most` if that is not known.
double lists_for(const ListRecall &recall, double wanted, double neighbors, std::uint32_t most);
// The recall of a search that reads so many lists.
double recall_within(const ListRecall &recall, double lists, double neighbors);
// The distance of the last of so many neighbors beyond which a query is unlike the rows.
int farthest_for(const ListRecall &recall, double neighbors);

// What is wrong with the figures of an index with so many lists, or null.
const char *check_list_recall(const ListRecall &recall, std::uint32_t lists, int bits);

} // namespace simhash
