// The keys of a tree that an exact search has to read, visited in ascending order by seeking.
//
// A step of a search plan asks one tree for the keys with at most `header_budget` errors among the leading
// `header_bits` bits and at most `radius` errors in all. next_key() jumps to the first such key at or after a
// given one. Called with the upper bound of the leaf just read, it yields the next leaf worth reading. So a
// search visits exactly the leaves whose ranges contain such a key: flips of bits that do not lead to another
// leaf cost nothing, and long runs of equal or skewed keys are skipped, whatever the data.
#pragma once

#include "core/bits/fingerprint.hpp"

namespace simhash
{

struct KeyBall {
    std::uint64_t center; // the query's key in this tree
    int header_bits;      // 0 to 64
    int header_budget;    // at least 0
    int radius;           // at least 0
};

// Sets *key to the smallest key >= from that lies in the ball; false if there is none.
bool next_key(const KeyBall &ball, std::uint64_t from, std::uint64_t *key);

} // namespace simhash
