// The pages of the trees: reading and locking, extending the index, and writing pages whole.
//
// Every page is checked when it is locked, and its place even before: a writer may hold locks on other pages, and a
// damaged link must not lead it to one of these, or against the order in which pages are locked.
#pragma once

#include "am/index/meta.hpp"

extern "C" {
#include "access/generic_xlog.h"
#include "access/xlogrecord.h"
#include "storage/bufmgr.h"
}

namespace simhash
{

inline Page buffer_page(Buffer buffer) { return BufferGetPage(buffer); }

// Notes in a page which block it is. `page` is the buffer's, or a copy that will be written there.
inline void set_own_block(Page page, Buffer buffer)
{
    page_header(page)->block = BufferGetBlockNumber(buffer);
}

// Locks and checks a page in a buffer.
void lock_tree_page(Relation index, Buffer buffer, BlockNumber block, int mode, int table, int level);

// Reads and locks a page, and checks that it belongs to the table and level (any level if -1).
Buffer read_tree_page(Relation index, BlockNumber block, int mode, int table, int level);

// Releases a locked page. Returns its right sibling, locked in the same mode.
Buffer step_right(Relation index, Buffer buffer, int mode);

// Returns a new page, all zeros, locked exclusively: at the end of the relation, or one beyond block `after`
// that a crash left unused.
Buffer extend_index(Relation index, BlockNumber after = kNoBlock);

// Copies 1 to kMostImages whole pages into buffers, which are locked exclusively, logs them in one record and releases
// the buffers. Page i is image + i * BLCKSZ.
inline constexpr int kMostImages = XLR_MAX_BLOCK_ID + 1;
void write_page_images(Relation index, const Buffer *buffer, const char *image, int pages);

// Returns the relation's length. It waits for extensions in progress, so that none is missed.
BlockNumber index_blocks(Relation index);

} // namespace simhash
