// The search in a packed leaf.
#pragma once

#include "core/kernels/leaf_match.hpp"
#include "core/kernels/signature_match.hpp"
#include "core/page/leaf.hpp"

namespace simhash
{

// What a search wants of a leaf: keys that differ from the query's in at most `radius` bits, and in at least `least` and
// at most `budget` of those in `header`.
struct LeafQuery {
    LeafKey key; // in the order of the leaf's tree
    int radius;
    std::uint64_t header; // leading bits of the key
    int budget;
    int least;
};
inline LeafQuery near_key(std::uint64_t key, int radius) { return {{{key, 0}}, radius, 0, 0, 0}; }

struct LeafKernels {
    ColumnMatch columns;
    LeafMatch words;
    PlaneMatch pairs;
};

// The search by the kernels of a level.
class LeafFind
{
public:
    // Requires: has_simd_level(level).
    explicit LeafFind(SimdLevel level);

    // Copies the entries that are wanted to `found`, in the order of their places, and returns how many there are.
    // Requires: the leaf has passed the check; found has room for leaf_capacity; 0 <= radius <= 64 times the words of
    // keys.
    int operator()(const char *page, const LeafQuery &query, LeafEntry *found) const
    {
        return find_(kernels_, page, query, found);
    }

private:
    int (*find_)(const LeafKernels &kernels, const char *page, const LeafQuery &query, LeafEntry *found);
    LeafKernels kernels_;
};

} // namespace simhash
