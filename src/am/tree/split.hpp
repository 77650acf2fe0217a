// Splits, and the pages they take: for the files of this folder alone.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

// split.cpp

// Splits a page, locked exclusively, that has no room; releases it. The caller descends again.
void split_page(Relation index, Buffer buffer);

// Gives the right sibling of a page that carries kIncompleteSplit its downlink; the page is locked
// exclusively and is released.
void finish_split(Relation index, Buffer buffer);

// unused.cpp

// All-zero pages that VACUUM came upon, in ascending order; those beyond the first few wait for the next one.
inline constexpr int kMostUnused = 1000;
struct UnusedPages {
    int count;
    BlockNumber block[kMostUnused];
};
void note_unused(Relation index, UnusedPages *unused, BlockNumber block);
// Puts them into the free space map, unless a link leads to one of them: then the index is damaged.
void recycle_unused(Relation index, const UnusedPages &unused, BufferAccessStrategy strategy);
// An unused page beyond a block, locked exclusively; invalid if there is none.
Buffer take_unused(Relation index, BlockNumber after);

} // namespace simhash
