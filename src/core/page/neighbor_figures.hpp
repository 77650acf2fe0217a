// How many neighbors the rows of an index have, measured on some of them. The planner's estimates of joins use them. They
// are on the metapage of every kind of index, before its tail. DO NOT CHANGE the layout without new format versions.
#pragma once

#include "core/page/page.hpp"

#include <cmath>

namespace simhash
{

// The distances: so many 64ths of the length of the values, from 0.
inline constexpr int kNeighborSteps = 17;
inline int neighbor_distance(int bits, int step) { return bits * step / kBits; }

// A row is not its own neighbor. The figures of a step count the rows within its distance.
struct NeighborFigures {
    std::uint32_t rows;  // that were looked at; 0 if nothing is known
    std::uint32_t steps; // that were measured
    float mean[kNeighborSteps];
    float share[kNeighborSteps]; // of the rows that have a neighbor
    float typical
        [kNeighborSteps]; // the mean over the values instead of the rows, so that frequent ones count once
    std::uint32_t zero;
};
static_assert(sizeof(NeighborFigures) == 216 && alignof(NeighborFigures) == 4);

inline NeighborFigures *page_neighbors(char *page)
{
    return reinterpret_cast<NeighborFigures *>(page + page_header(page)->special) - 1;
}
inline const NeighborFigures *page_neighbors(const char *page)
{
    return reinterpret_cast<const NeighborFigures *>(page + page_header(page)->special) - 1;
}

// Makes room for the figures on a new metapage.
inline void init_neighbors(char *page)
{
    page_header(page)->upper =
        static_cast<std::uint16_t>(page_header(page)->special - sizeof(NeighborFigures));
}

// What is wrong with those of a metapage whose header is sound, or nullptr.
inline const char *check_neighbors(const char *page)
{
    if (page_header(page)->upper != page_header(page)->special - sizeof(NeighborFigures))
        return "The metapage has no room for the figures of neighbors.";
    const NeighborFigures &figures = *page_neighbors(page);
    bool valid = figures.steps <= kNeighborSteps && (figures.steps == 0) == (figures.rows == 0);
    for (int i = 0; i < kNeighborSteps; i++)
        valid = valid && std::isfinite(figures.mean[i]) && figures.mean[i] >= 0 && figures.share[i] >= 0 &&
                figures.share[i] <= 1 && std::isfinite(figures.typical[i]) && figures.typical[i] >= 0;
    return valid ? nullptr : "The figures of neighbors are not valid.";
}

} // namespace simhash
