// Block values: for each tree of a design its number and the bits of a fingerprint's header, in one number.
//
// Two fingerprints within the design's distance have at least one block value in common. So rows that are
// stored once for each block value, on the shard or in the partition that it selects, meet there. Unlike the
// keys of an index, block values take the fingerprint's bits in their own order: they must not depend on the
// rows. They are keys of users' partitions and shards, so they never change: see NeverChange in the unit test.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "core/layout/key_order.hpp"
#include "core/layout/tree_design.hpp"

#include <algorithm>

namespace simhash
{

class BlockValues
{
public:
    // False if near fingerprints need not have a value in common: in designs with fewer than distance + 1
    // trees a search flips bits of the headers.
    bool set(const TreeDesign &design);

    int trees() const { return order_.design.trees; }
    int distance() const { return order_.design.distance; }

    // How fingerprints become keys: a value has the number of its tree and the key's header.
    const KeyOrder &order() const { return order_; }
    // The tree of a value.
    std::uint64_t table_of(std::uint64_t value) const { return value >> longest_header_; }

    std::uint64_t value(int tree, Fingerprint fingerprint) const
    {
        return static_cast<std::uint64_t>(tree) << longest_header_ |
               order_.key(tree, fingerprint) >> (kBits - order_.tree[tree].header_bits);
    }

    // The first tree in which both have the same value, or trees().
    int first_common(Fingerprint a, Fingerprint b) const
    {
        int tree = 0;
        while (tree < trees() && ((a ^ b) & order_.tree[tree].header_mask) != 0)
            tree++;
        return tree;
    }

private:
    KeyOrder order_;
    int longest_header_;
};

inline bool BlockValues::set(const TreeDesign &design)
{
    if (design.trees <= design.distance)
        return false;
    std::uint8_t bits[kBits];
    identity_sources(bits);
    order_.set(design, bits);
    longest_header_ = 0;
    for (int tree = 0; tree < design.trees; tree++)
        longest_header_ = std::max<int>(longest_header_, design.tree[tree].header_bits);
    return true;
}

} // namespace simhash
