// The pages of the trees: reading and locking, extending the index, and writing pages whole.
//
// Every page is checked when it is locked, and its place even before: a writer may hold locks on other pages, and a link
// must not lead it to one of these, or against the order in which pages are locked. A link may be out of date: its page
// has been deleted and may be another page by now. Whoever followed it starts again from the root.
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

// Locks and checks a page in a buffer. Returns null; or, if it is not a page of this tree and level (any level if
// -1), what it is instead, and does not lock it.
const char *lock_tree_page(const OpenIndex &index, Buffer buffer, BlockNumber block, int mode, int tree,
                           int level);

// Reads and locks a page. Returns an invalid buffer and sets *stale if it is not a page of this tree and level.
Buffer read_tree_page(const OpenIndex &index, BlockNumber block, int mode, int tree, int level,
                      const char **stale);

// Releases a locked page. Returns its right sibling, locked in the same mode; or an invalid buffer, and sets *stale, if
// that has been deleted meanwhile.
Buffer step_right(const OpenIndex &index, Buffer buffer, int mode, const char **stale);

// The lower bound and the block of a page, for its downlink.
struct ChildPage {
    Position bound;
    BlockNumber block;
};

// Some pages of a level, from left to right.
struct Children {
    Size count;
    Size capacity;
    ChildPage *child;
};
void begin_children(Children *children);
void add_child(Children *children, Position bound, BlockNumber block);

// The links that a descent has found to be out of date. A hundred in a row are damage.
struct StaleLinks {
    int met = 0;

    // Raises an error if there were too many. `stale` says what the last one led to, `block`.
    void start_again(Relation index, BlockNumber block, const char *stale);
};

// Returns a page to be initialized, locked exclusively: a new one at the end of the relation, or an unused one for a split
// of block `after`.
Buffer extend_index(Relation index, BlockNumber after = kNoBlock);

// Copies 1 to kMostImages whole pages into buffers, which are locked exclusively, logs them in one record and releases
// the buffers. Page i is image + i * BLCKSZ.
inline constexpr int kMostImages = XLR_MAX_BLOCK_ID + 1;
void write_page_images(Relation index, const Buffer *buffer, const char *image, int pages);

// Returns the relation's length. It waits for extensions in progress, so that none is missed.
BlockNumber index_blocks(Relation index);

} // namespace simhash
