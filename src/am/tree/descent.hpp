// Descents: from a tree's root to the page for a position.
//
// A descent holds one lock at a time. It may be overtaken by splits, and then steps right. It goes to a leaf through
// the copied inner pages, so that it reads no other buffer, and to an inner page through the pages themselves: only a
// split looks for one, to add a downlink, and must see the page as it is.
#pragma once

#include "am/tree/leaf_place.hpp"

namespace simhash
{

// Returns the page of the given level for `position`, locked in `mode` (BUFFER_LOCK_SHARE or _EXCLUSIVE). Locks one page
// at a time on the way. In exclusive mode, incomplete splits found at that level are finished first.
Buffer descend(const OpenIndex &index, int tree, Position position, int mode, int level = 0);

// Returns the leaf for the position, locked: that of the place, which is pinned, or one to its right. Returns an invalid
// buffer if the descent must be restarted: the root has split, an incomplete split had to be finished, or, if *stale is
// set, a link was out of date.
Buffer lock_place(const OpenIndex &index, const LeafPlace &place, Buffer buffer, int tree, Position position,
                  int mode, const char **stale);

} // namespace simhash
