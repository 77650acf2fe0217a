// A backend's copies of inner pages, so that a descent reads no buffer except the leaf's.
//
// A copy may be old: pages may have split since, or been deleted and become other pages. So a copy only suggests where a
// leaf is; the leaf itself tells whether it is the one (leaf_place.hpp). If not, or if it has split, the process removes
// its copy of the parent and reads that page again.
//
// REINDEX and TRUNCATE create a new file, or empty the old one, and invalidate the relcache entry.
//
// All indexes share one table of copies of limited memory, enough for about a million leaves. Copies that have not
// been used lately are replaced. Copies belong to the data of the index's relcache entry that OpenIndex was taken from, by
// its number: an invalidation removes both. Invalidations are processed only where a heavyweight lock is taken or a
// catalog is read, and no pointer to a copy is kept across such a place. A scan or statement that goes on after one makes
// new copies with the old number, for itself.
//
// Each child is stored with the buffer in which the leaf was last found. If the leaf is still there, no lookup in the
// buffer table is needed, and its memory can be prefetched before it is pinned. A leaf without the maximum usage
// count is looked up as usual, which raises the count: so buffer replacement is not affected.
#pragma once

#include "am/tree/tree_page.hpp"
#include "core/page/inner_copy.hpp"

extern "C" {
#include "lib/ilist.h"
}

namespace simhash
{

struct InnerCopy {
    dlist_node of_index; // must be the first member
    std::uint64_t key;   // see copy_key
    Position high;
    BlockNumber right; // kNoBlock if rightmost
    int tree;
    int level;
    int count;
    bool used;      // since the replacement hand last passed it
    double density; // children per key
    Oid index;
    CachedChild child[FLEXIBLE_ARRAY_MEMBER];

    bool belongs_right(Position position) const { return right != kNoBlock && position >= high; }
};

// Returns the copy of an inner page, and makes one if necessary. Returns null if the page is a root that is a leaf, or no
// page of this tree and level, which *stale tells. A copy is valid until invalidation messages are accepted or another
// copy is made.
InnerCopy *copy_of(const OpenIndex &index, BlockNumber block, int tree, int level, const char **stale);
// The copy if there is one, otherwise null.
InnerCopy *present_copy(const OpenIndex &index, BlockNumber block);
void forget_copy(const OpenIndex &index, BlockNumber block);

// Calls visit for each index of which there are copies, with their number and size. It must not read catalogs.
void visit_copies(void (*visit)(void *context, Oid index, int64 copies, int64 bytes), void *context);

} // namespace simhash
