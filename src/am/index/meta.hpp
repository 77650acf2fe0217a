// The metapage, in the form in which the rest of the access method uses it.
//
// It is read when the index is first used, and kept in the relcache entry: so planning and descents read no metapage.
// Any invalidation may free it there. Therefore whoever keeps it, or accesses more than buffers while using it, makes
// a copy. After the build only a calibration and VACUUM write it, and nobody locks another page with it. Every page that
// is read is checked with what stands here, and trees know no more of an index than this: what the values are, the kind
// of the index knows (kind.hpp).
#pragma once

#include "core/page/leaf.hpp"
#include "core/page/neighbor_figures.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "nodes/execnodes.h"
#include "utils/rel.h"
}

namespace simhash
{

struct IndexKind;

// What all kinds of indexes have. The struct of a kind begins with it. A row has a word for each tree; the key that
// orders the tree's entries, and that its leaves hold, is the word with its bits permuted as the tree requires.
struct IndexMeta {
    const IndexKind *kind;
    Size bytes; // of the kind's struct, whose end may be unused
    int bits;   // of a value
    int fillfactor;
    int trees;
    int words;       // of a key in the trees' leaves; one in those of the NULLs
    int most_offset; // the highest in the tids of the trees' entries
    NeighborFigures neighbors;
    std::uint64_t (*key_of)(const IndexMeta &meta, int tree, std::uint64_t word);
    std::uint64_t (*word_of)(const IndexMeta &meta, int tree, std::uint64_t key); // the inverse
    // Bit 63 - i of a key is bit source[i] of the word.
    void (*sources_of)(const IndexMeta &meta, int tree, std::uint8_t source[kBits]);

    int null_tree() const { return trees; }
    int all_trees() const { return trees + 1; }
    int words_of(int tree) const { return tree == null_tree() ? 1 : words; }
    // NULLs have the key and the word 0.
    std::uint64_t key(int tree, std::uint64_t word) const
    {
        Assert(tree >= 0 && tree < all_trees());
        return tree == null_tree() ? 0 : key_of(*this, tree, word);
    }
    std::uint64_t word(int tree, std::uint64_t key) const
    {
        Assert(tree >= 0 && tree < all_trees());
        return tree == null_tree() ? key : word_of(*this, tree, key);
    }
    void sources(int tree, std::uint8_t source[kBits]) const;
};

// The metapage's data, cached in the relcache entry.
const IndexMeta *index_meta(Relation index);
// Makes all sessions, here and on standbys, read the metapage again. CacheInvalidateRelcache would do so only at the end of
// the transaction, and not at all if it aborts. But the page has been changed already, and an abort does not undo that.
void reread_meta(Relation index);
// Makes this backend read it again, from a new file: nothing else tells of that if it belongs to the same transaction.
void forget_meta(Relation index);
// Memory of the index's kind beside this data: IndexKind::state_bytes, zeros at first.
void *kind_state(Relation index);
// Returns a number that identifies the data in the relcache entry, which there is; nothing else that this backend caches
// or has cached has the same number.
std::uint32_t cache_number(Relation index);
// Gives the data another number if the index is known to have doubled its length, so that no scan uses what was planned for
// a much smaller one.
void follow_growth(Relation index);

// An index in use: what a scan or a statement knows of it, which hands it down as one value. It stays valid when an
// invalidation frees the data in the relcache entry, and the number remains what identifies this use in caches.
struct OpenIndex {
    Relation relation;
    IndexMeta *meta;      // a copy
    std::uint32_t number; // of the data that was copied

    operator Relation() const { return relation; }
    Relation operator->() const { return relation; }
};
OpenIndex use_index(Relation index, MemoryContext context);
// The same until the end of the statement.
const OpenIndex &use_in_statement(Relation index, IndexInfo *info);

// Whether the block exists in the index. It asks the operating system only if necessary.
bool block_exists(Relation index, BlockNumber block);
// The same for the index's table, which the caller has locked.
bool heap_block_exists(Relation index, BlockNumber block);

// Estimates of the number of leaves in one of the index's trees.
double estimated_leaves(BlockNumber blocks, int trees);
double index_leaves(Relation index);

// What is wrong with a page that is not new and not the metapage, or null.
const char *check_any_page(const IndexMeta &meta, const char *page, BlockNumber block);
// The same, of a page that must belong to a tree.
const char *check_page_of_trees(const IndexMeta &meta, const char *page);
// Whether a page that passed belongs to a tree.
inline bool in_trees(const IndexMeta &meta, const char *page)
{
    return page_tail(page)->tree < meta.all_trees();
}

// Raises an error. `what` is a complete sentence with a capital and a period.
[[noreturn]] void report_corruption(Relation index, BlockNumber block, const char *what);

// Locks the metapage. Raises an error unless its header says what is where.
Buffer lock_meta_page(Relation index, int mode);

} // namespace simhash
