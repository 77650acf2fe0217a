// Splits and the unused pages that they take; only for the files of this folder.
//
// A split must leave every entry where a reader finds it at each moment, even if the server crashes between its two
// records. It moves entries only to the right in the tree and to a later block of the file: searches that have passed
// rely on the former, and the walk of VACUUM on the latter.
#pragma once

#include "am/tree/tree_page.hpp"

namespace simhash
{

// split.cpp

// Splits a page that has no room. The page is locked exclusively and is released. The caller must descend
// again.
void split_page(const OpenIndex &index, Buffer buffer);

// Adds the downlink of the right sibling of a page marked kIncompleteSplit. The page is locked exclusively
// and is released.
void finish_split(const OpenIndex &index, Buffer buffer);

// unused.cpp

// All-zero pages that VACUUM has found, in ascending order. Those beyond the first kMostUnused wait for the
// next VACUUM.
inline constexpr int kMostUnused = 1000;
struct UnusedPages {
    int count;
    BlockNumber block[kMostUnused];
};
void note_unused(Relation index, UnusedPages *unused, BlockNumber block);
// Adds the pages to the free space map. Raises an error if a link leads to one of them, because the index is
// damaged then.
void recycle_unused(const OpenIndex &index, const UnusedPages &unused, BufferAccessStrategy strategy);
// Returns an unused page, locked exclusively, for a split of block `after`; or an invalid buffer if there is none. Call
// end_reuse when the split is logged.
Buffer take_unused(Relation index, BlockNumber after);
void end_reuse(Relation index, BlockNumber after, Buffer buffer);
// Adds a deleted page to the free space map; removes one that is in use.
void note_deleted(Relation index, BlockNumber block);
void note_used(Relation index, BlockNumber block);
// Notes in the metapage how many unused pages there are.
void note_unused_pages(Relation index, BlockNumber pages);
// Whether the free space map lacks many of these pages.
bool map_lacks_pages(Relation index);
// While VACUUM walks, splits move entries only to blocks beyond their own.
void begin_walk(Relation index);
void end_walk(Relation index);

} // namespace simhash
