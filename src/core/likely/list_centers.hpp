// Lists of rows that are near each other, each around a *center*, a signature. A row belongs to the list of the nearest
// center. Centers are in *groups*, each with a center of its own: so few of them are compared to find the list of a row.
//
// Centers are majorities: each bit is that of most of the rows around the center, which makes the sum of their distances
// smallest. They are found as means are by Lloyd's algorithm, from a sample, first those of the groups and then those of the
// lists of each group (k-majority; Grana et al., "A fast approach for integrating ORB descriptors in the bag of words
// model", 2013).
#pragma once

#include "core/kernels/signature_match.hpp"

#include <cstdint>

namespace simhash
{

struct CenterSet {
    int bytes; // of a signature
    std::uint32_t groups;
    std::uint32_t lists;
    const std::uint8_t *group;  // the groups' centers
    const std::uint32_t *first; // list of each group, and the number of lists
    const std::uint8_t *center; // the lists' centers, those of each group together

    const std::uint8_t *list_center(std::uint32_t list) const
    {
        return center + static_cast<std::size_t>(bytes) * list;
    }
};

// What is wrong with the numbers in `first`, or null.
const char *check_groups(const CenterSet &set);

// The list of a signature: that of the nearest center of the nearest groups. `distance` has room for one number for each
// group and for each list.
std::uint32_t nearest_list(const CenterSet &set, SignatureDistances distances, const std::uint8_t *signature,
                           std::uint16_t *distance);

// Writes the `wanted` lists whose centers are nearest to a signature to `list`, the nearest first. `wanted` is at most the
// number of lists. `distance` as above.
void nearest_lists(const CenterSet &set, SignatureDistances distances, const std::uint8_t *signature,
                   std::uint32_t wanted, std::uint16_t *distance, std::uint32_t *list);

// The sample of rows from which centers are chosen, and the memory for it.
struct CenterSample {
    const std::uint8_t *row; // signatures, `bytes` apart
    std::uint32_t rows;
    int bytes;
    SignatureDistances distances;
    void (*pause)();          // called now and then; it need not return
    std::uint32_t *chosen;    // the numbers of the rows to use; they are put into another order
    std::uint32_t count;      // how many there are
    std::uint32_t *center_of; // for `count` rows
    std::uint16_t *distance;  // for most_centers()
    std::uint32_t *size;      // the same
    std::uint32_t *sum;       // for a number for each bit of the bytes of most_centers()
    std::uint32_t *moved;     // for `count` rows
};

// The most lists that can be asked for.
inline constexpr int kMostLists = 1000000;

// The number of groups for so many lists, the most centers that are compared at once, and the most lists that result.
std::uint32_t groups_for(std::uint32_t lists);
std::uint32_t most_centers(std::uint32_t lists);
inline std::uint32_t most_lists(std::uint32_t lists) { return lists + groups_for(lists); }

// Chooses about `lists` centers. `group`, `first` and `center` have room for groups_for(), one more, and most_lists().
// Requires: lists >= 1, count >= 1.
CenterSet choose_centers(const CenterSample &sample, std::uint32_t lists, std::uint8_t *group,
                         std::uint32_t *first, std::uint8_t *center);

} // namespace simhash
