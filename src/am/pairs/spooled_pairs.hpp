// Pairs of rows that are in no index.
#pragma once

#include "am/pairs/pair_spool.hpp"
#include "am/pairs/pairs.hpp"

namespace simhash
{

struct WordSample {
    const Fingerprint *word;
    Size count;
};

// Finds pairs of rows within a radius: those of the first store of a spool, whose tags are any numbers, each marked
// kVisible. Rows with equal words are each linked to one; so these are not all pairs, but enough to find the groups.
void link_spooled_rows(PairSpool *spool, WordSample sample, int radius, Size bytes, PairSink sink);

} // namespace simhash
