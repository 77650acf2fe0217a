// Deleting pages: VACUUM unites a page that has few entries with its right sibling, and splits use its block again.
// README.md tells why no reader and no writer misses anything.
#pragma once

#include "am/tree/tree_page.hpp"

namespace simhash
{

// What a walk has found.
struct SparsePages {
    struct Page {
        BlockNumber block;
        BlockNumber right; // its right sibling
    };
    Page *page; // those that have few entries
    Size count;
    Size capacity;
    std::uint8_t *filled; // by block: 1 + the part of it that is filled, in percent; 0 if that is unknown
    Size blocks;
};

// Notes how full a locked page of a tree is.
void note_page(SparsePages *sparse, const char *page, BlockNumber block);

// Unites the pages with their right siblings where that is possible. Only while nobody walks over the blocks: entries may
// move to an earlier one. Returns the number of pages that have been deleted.
BlockNumber unlink_sparse(const OpenIndex &index, SparsePages *sparse);

} // namespace simhash
