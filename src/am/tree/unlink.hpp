// Deleting pages: VACUUM unites a page that has few entries with its right sibling, and splits use its block again.
// README.md tells why no reader and no writer misses anything.
#pragma once

#include "am/tree/tree_page.hpp"

namespace simhash
{

// The pages that a walk has found to have few entries.
struct SparsePages {
    Size count;
    Size capacity;
    BlockNumber *block;
};

// Notes a locked page if it has few entries.
void note_sparse(SparsePages *sparse, const char *page, BlockNumber block);

// Unites the pages with their right siblings where that is possible. Only while nobody walks over the blocks: entries may
// move to an earlier one. Returns the number of pages that have been deleted.
BlockNumber unlink_sparse(Relation index, const IndexMeta &meta, const SparsePages &sparse);

} // namespace simhash
