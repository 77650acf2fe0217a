// How many lists a search for the nearest rows reads, by what a build measured with rows of the table
// (list_calibration.hpp).
//
// The farther away the neighbors of a query are, the more lists they are in. So it depends on the distance of the last
// row found so far, and a search goes on until it has read enough lists for that. A query whose neighbors are farther away
// than those of nearly all rows is unlike the rows: it reads all lists.
//
// Where few lists hold all neighbors, one list more raises the recall by many points. So the number of lists is not a whole
// one: of 2.3, a query reads two or three, and three in 30 % of the queries, chosen by a hash of the query.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

inline constexpr int kDistanceNodes = 3;
inline constexpr double kRecallLevels[] = {0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995};
inline constexpr int kRecallSteps = 10;
inline constexpr std::uint32_t kListParts = 256;

// Also the form on the metapage. DO NOT CHANGE without a new version.
struct ListRecall {
    std::uint32_t lists[kDistanceNodes][kRecallSteps]; // in parts of a list; ascending, at least a list
    std::uint16_t distance[kDistanceNodes];            // ascending; the last one is that of nearly all rows
    std::uint16_t queries;                             // from which this was measured
};
static_assert(sizeof(ListRecall) == 128);

// How many of `most` lists a search with the recall `wanted` reads: typically, for so many neighbors, and if the last row
// wanted is at a distance.
double lists_for(const ListRecall &recall, double wanted, double neighbors, std::uint32_t most);
double lists_at(const ListRecall &recall, double wanted, int distance, std::uint32_t most);
// Whether a search that has read `read` lists ends, if its query has this chance, from 0 to below 1.
inline bool enough_lists(double read, double lists, double chance) { return read + chance >= lists; }
double chance_of(const std::uint8_t *query, std::size_t bytes);
// The recall of a search that has read so many lists.
double recall_at(const ListRecall &recall, double lists, int distance);

// What is wrong with the figures of an index with so many lists, or null.
const char *check_list_recall(const ListRecall &recall, std::uint32_t lists, int bits);

} // namespace simhash
