// The children of an inner page, as a copy of it holds them, and the search among them.
#pragma once

#include "core/page/page.hpp"

#include <algorithm>

namespace simhash
{

struct CachedChild {
    Position lower;
    std::uint32_t block;
    int buffer; // where it was last seen, if it is a leaf
};

// How many children there are to a key; find_child guesses by it.
inline double child_density(const CachedChild *child, int count, bool rightmost, Position high)
{
    std::uint64_t last = rightmost ? ~std::uint64_t{0} : high.key;
    return count / (static_cast<double>(last - child[0].lower.key) + 1);
}

// The last child whose lower bound is <= position; the first if none is. Fingerprints are often spread
// evenly, so the search sets out from where the child then is, by growing steps, and reads few lines of
// memory.
//
// Whatever the bounds are, it reads none but the `count` children and finds one of them. count >= 1.
inline int find_child(const CachedChild *child, int count, double density, Position position)
{
    std::uint64_t first = child[0].lower.key;
    double guess = position.key <= first ? 0 : static_cast<double>(position.key - first) * density;
    int low = static_cast<int>(std::min<double>(guess, count - 1)), high = low;
    for (int step = 1; low > 0 && child[low].lower > position; step *= 2) {
        high = low;
        low = std::max(0, low - step);
    }
    for (int step = 1; high < count && child[high].lower <= position; step *= 2) {
        low = high;
        high = std::min(count, high + step);
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (child[middle].lower <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

} // namespace simhash
