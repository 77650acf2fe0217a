// The keys that a search has read, by tree, and when.
//
// A search that reads the likeliest leaves first comes back to a tree. It must then neither read their keys again nor
// return rows that it has returned. What counts as read are ranges of keys all of whose entries the search has read or
// is certain to read, not leaves: these may be divided, and their bounds may change, while the search goes on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

// A range of keys. `turn` tells when it is read: turns are numbered in the order of the search.
struct KeyRange {
    std::uint64_t first;
    std::uint64_t last;
    std::uint32_t tree;
    std::uint32_t turn;
};

class KeyRanges
{
public:
    // Keeps the pointer to memory for `capacity` ranges.
    void begin(KeyRange *memory, std::size_t capacity);

    // Adds a range, unless it is empty. Ranges of one turn may be added in any order and may overlap, and then must be
    // arranged. Requires: there is room for it.
    void append(const KeyRange &range);
    void arrange();

    // Adds those of the keys first … last of a tree around `key` that are in no range; nothing if that takes a range
    // of its own and there is no room. Requires: key is one of them.
    void add(int tree, std::uint32_t turn, std::uint64_t first, std::uint64_t last, std::uint64_t key);

    // Sets *key to the smallest key at or above it that is in no range. Returns false if there is none.
    bool skip(int tree, std::uint64_t *key) const;

    // The first key at or above `key` that is in a range, the largest key if there is none. Requires: `key` is in none.
    std::uint64_t next_read(int tree, std::uint64_t key) const;

    // The range that a key is in, or null.
    const KeyRange *find(int tree, std::uint64_t key) const;

    bool empty() const { return count_ == 0; }
    bool full() const { return count_ == capacity_; }
    // The trees that have ranges, a bit for each.
    std::uint32_t trees() const { return trees_; }

private:
    // The number of ranges that begin at or below a key.
    std::size_t upto(int tree, std::uint64_t key) const;

    KeyRange *range_; // disjoint, ordered by tree and key
    std::size_t count_;
    std::size_t capacity_;
    std::uint32_t trees_;
};

} // namespace simhash
