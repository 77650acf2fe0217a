// The children of an inner page in a private copy of it, and the search among them.
#pragma once

#include "core/bits/contract.hpp"
#include "core/page/page.hpp"

namespace simhash
{

struct CachedChild {
    Position lower;
    std::uint32_t block;
    int buffer;        // which last held it, if it is a leaf
    std::uint64_t lsn; // of a leaf that has been checked and has this range, 0 if none has
};

// Children per key, from which find_child makes its first guess.
inline double child_density(const CachedChild *child, int count, bool rightmost, Position high)
{
    std::uint64_t last = rightmost ? ~std::uint64_t{0} : high.key;
    return count / (static_cast<double>(last - child[0].lower.key) + 1);
}

// Where the child for the key would be if fingerprints were spread evenly, as they often are.
inline int guess_child(const CachedChild *child, int count, double density, std::uint64_t key)
{
    SIMHASH_ASSERT(count >= 1);
    std::uint64_t first = child[0].lower.key;
    double guess = key <= first ? 0 : static_cast<double>(key - first) * density;
    return guess < count - 1 ? static_cast<int>(guess) : count - 1;
}

// The last child whose lower bound is <= position; the first if none is. The search starts at the guess and proceeds by
// growing steps: it touches few cache lines.
// Even if the bounds do not ascend, it reads only these children and returns one of them.
[[gnu::always_inline]] inline int find_child(const CachedChild *child, int count, double density,
                                             Position position)
{
    int low = guess_child(child, count, density, position.key), high = low;
    for (int step = 1; low > 0 && child[low].lower > position; step *= 2) {
        high = low;
        low = low > step ? low - step : 0;
    }
    for (int step = 1; high < count && child[high].lower <= position; step *= 2) {
        low = high;
        high = step < count - high ? high + step : count;
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
