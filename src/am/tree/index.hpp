// The trees of an index: the interface for the other folders of the access method. README.md in src/am
// explains locks, splits, VACUUM and WAL. core/page/page.hpp defines the format on disk.
//
//   options      WITH (...)                          meta         the metapage, cached
//   tree         pages and descents                  inner_cache  a backend's copies of inner pages
//   insert       inserting a row                     split        splits and downlinks
//   vacuum       removing rows                       unused       pages that a crash left unused
//   open_index   for SQL functions that take one     rights       who may call these functions
//   failpoint    for tests; empty in ordinary builds
#pragma once

#include "pg/server/compat.hpp"

#include "core/kernels/signature_match.hpp"
#include "core/page/page.hpp"
#include "core/signature_tables/store_page.hpp"
#include "core/tables/bit_order.hpp"
#include "core/tables/key_order.hpp"
#include "core/tables/search_plan.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/genam.h"
#include "access/generic_xlog.h"
#include "access/xlogrecord.h"
#include "nodes/execnodes.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
}

namespace simhash
{

inline constexpr int kDefaultDistance = 3;
inline constexpr int kDefaultFillfactor = 90;

// options.cpp

// The options in WITH (...), in the form of rd_options.
struct IndexOptions {
    int32 vl_len_;
    int distance;
    int tables; // 0 for the distance's default
    int fillfactor;
};
bytea *parse_index_options(Datum reloptions, bool validate);
IndexOptions index_options(Relation index);
// Whether the option "distance" is set.
bool distance_given(Relation index);
// The number of tables of an index on signatures of n bits: as many as wanted, or as fit.
int signature_tables(const IndexOptions &options, int bits);
// Chooses the design for these options. Raises an error with a hint if there is none.
void design_from_options(const IndexOptions &options, TableDesign *design);

// meta.cpp

// The metapage's data, ready for use. A copy needs only the first size() bytes.
//
// The trees of an index on signatures ("wide") hold keys instead of fingerprints, and store positions instead of
// tids. Only the tree of NULLs holds tids.
struct IndexMeta {
    int fillfactor;
    bool wide;
    int declared;    // length of the signatures by the column's type, or -1; of a wide index
    BlockNumber map; // of a wide index
    VolatilityModel model;
    bool fitted; // the model was fitted by simhash_index_calibrate
    union {
        KeyOrder order;
        SignatureLayout layout; // of a wide index
    };

    std::size_t size() const
    {
        return wide ? offsetof(IndexMeta, layout) + layout.size() : offsetof(IndexMeta, order) + order.size();
    }
    int tables() const { return wide ? layout.tables : order.design.tables; }
    int null_table() const { return tables(); }
    int trees() const { return tables() + 1; }
    StoreShape shape() const { return store_shape(layout.bytes(), BLCKSZ); }
    // Whether the tids of a table's entries are store positions.
    bool in_store(int table) const { return wide && table != null_table(); }
    // The number of words of the keys in a table's leaves.
    int words(int table) const { return in_store(table) ? layout.words : 1; }
    std::uint64_t key(int table, Fingerprint fingerprint) const
    {
        return table == null_table() ? 0 : wide ? fingerprint : order.key(table, fingerprint);
    }
    // Bit 63 - i of a key is bit source[i] of the fingerprint. NULLs have key and fingerprint 0.
    void sources(int table, std::uint8_t source[kBits]) const
    {
        if (wide || table == null_table())
            identity_sources(source);
        else
            order.sources(table, source);
    }
    Position position(int table, Fingerprint fingerprint, Tid tid) const
    {
        return {key(table, fingerprint), tid.packed()};
    }
};
// Returns the metapage's data, cached in the relcache entry. Any invalidation may free it, so a caller must
// make a copy unless it only accesses buffers.
const IndexMeta *index_meta(Relation index);
IndexMeta *copy_index_meta(Relation index, MemoryContext context);
// Returns a number that identifies the data in the relcache entry; nothing else that this backend caches or
// has cached has the same number. Returns 0 if there is no such data.
std::uint32_t cache_number(Relation index);
// Returns an estimate of the number of leaves in one of the index's tables.
double index_leaves(Relation index);
// Whether the block exists in the index. It asks the operating system only if necessary.
bool block_exists(Relation index, BlockNumber block);
// Whether the block exists in the index's table, which the caller has locked. It asks the operating system
// only if necessary.
bool heap_block_exists(Relation index, BlockNumber block);
// Returns the plan for a radius of 0 to 64.
void index_plan(Relation index, int radius, SearchPlan *plan);
// Whether the index is one on signatures, which its column's type decides.
bool is_wide_index(Relation index);
// The length of the signatures to index, from the type of the column or expression: bit(n) or a domain over it.
// Returns -1 if there is none.
int declared_bits(Relation index);
// Raises 55000 if the column's type declares another length than the index's. Without a declared length, as after
// ALTER COLUMN TYPE varbit, which rewrites nothing, the metapage decides.
void check_declared_bits(Relation index, const IndexMeta &meta);
// What is wrong with a page that is not new, or null.
const char *check_any_page(const IndexMeta &meta, const char *page, BlockNumber block);
MetaData make_meta_data(const IndexOptions &options, const TableDesign &design,
                        const std::uint8_t bit_order[kBits]);
void use_meta_data(const MetaData &data, IndexMeta *meta);
void use_meta_data(const SignatureMetaData &data, IndexMeta *meta);

// The store's segment that this backend used last, and its map page, both kNoBlock if unknown.
struct StorePlace {
    BlockNumber map;
    BlockNumber plane;
};
StorePlace *store_place(Relation index);

// tree.cpp

inline Page buffer_page(Buffer buffer) { return BufferGetPage(buffer); }

// Notes in a page which block it is. `page` is the buffer's, or a copy that will be written there.
inline void set_own_block(Page page, Buffer buffer)
{
    page_header(page)->block = BufferGetBlockNumber(buffer);
}

// Raises an error. `what` is a complete sentence with a capital and a period.
[[noreturn]] void report_corruption(Relation index, BlockNumber block, const char *what);

// Locks and checks a page in a buffer.
void lock_tree_page(Relation index, Buffer buffer, BlockNumber block, int mode, int table, int level);

// Reads and locks a page, and checks that it belongs to the table and level (any level if -1).
Buffer read_tree_page(Relation index, BlockNumber block, int mode, int table, int level);

// Returns the page of the given level for `position`, locked in `mode` (BUFFER_LOCK_SHARE or _EXCLUSIVE).
// Sets *lower to its lower bound, unless `lower` is null. Locks one page at a time on the way. In exclusive
// mode, incomplete splits found at that level are finished first.
Buffer descend(Relation index, int table, Position position, int mode, int level = 0,
               Position *lower = nullptr);

// Releases a locked page. Returns its right sibling, locked in the same mode.
Buffer step_right(Relation index, Buffer buffer, int mode);

// Returns a new page, all zeros, locked exclusively: at the end of the relation, or one beyond block `after`
// that a crash left unused.
Buffer extend_index(Relation index, BlockNumber after = kNoBlock);

// Copies whole pages into buffers, which are locked exclusively, logs them in one record and releases the
// buffers. Page i is image + i * BLCKSZ. Requires: 1 <= pages <= kMostImages.
inline constexpr int kMostImages = XLR_MAX_BLOCK_ID + 1;
void write_page_images(Relation index, const Buffer *buffer, const char *image, int pages);

// Returns the relation's length. It waits for extensions in progress, so that none is missed.
BlockNumber index_blocks(Relation index);

// Returns an estimate of the number of leaves in one table.
double estimated_leaves(BlockNumber blocks, int tables);

// insert.cpp, vacuum.cpp

// Returns a copy of the metapage's data that is valid until the end of the statement: the relcache's copy may be
// freed at any time.
const IndexMeta &statement_meta(Relation index, IndexInfo *info);
bool insert_row(Relation index, Datum *values, bool *isnull, ItemPointer pointer, IndexInfo *info);
// Inserts a row's entries into the trees from `table` to before `end`; key[i] is what the leaf of tree i stores.
void insert_entries(Relation index, const IndexMeta &meta, int table, int end, const LeafKey *key, Tid tid);

// Decides for the walk of VACUUM which entries are dead.
struct DeadEntries {
    // Whether an entry of this table is dead.
    bool (*dead)(const DeadEntries *entries, int table, Tid tid, const IndexMeta &meta);
    IndexBulkDeleteCallback callback;
    void *state; // of the callback

    // Whether the row at this tid of the index's table is dead.
    bool dead_row(Tid tid) const;
};
// Walks all blocks and removes the dead entries from the trees. Counts the rows of the first table and the NULLs.
void vacuum_trees(IndexVacuumInfo *info, IndexBulkDeleteResult *stats, const DeadEntries *entries);

IndexBulkDeleteResult *bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                   IndexBulkDeleteCallback callback, void *callback_state);
IndexBulkDeleteResult *vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);

// open_index.cpp

// Raises an error unless the current user owns the index's table or has the privileges of
// pg_stat_scan_tables.
void check_inspection_rights(Oid index, Oid table);

// The indexes that an SQL function reads: the one that it is given or, if that is partitioned, those of the leaf
// partitions, in the order of the OIDs of their tables.
struct IndexSet {
    Oid named; // the one given
    Oid table; // its table, on which privileges and row-level security are checked
    int count;
    Relation *index;
};

// Opens and locks an index for an SQL function, and locks its table, with all partitions. Raises an error if the
// relation is not a simhash index, or if check_rights raises one, or if the index is wide and `wide` is false.
IndexSet open_indexes(Oid oid, LOCKMODE lock,
                      void (*check_rights)(Oid index, Oid table) = check_inspection_rights,
                      bool wide = false);
// The same for a function that reads one index: raises an error if it is partitioned. Sets count to 1.
IndexSet open_one_index(Oid oid, LOCKMODE lock, void (*check_rights)(Oid index, Oid table));
// Closes them. The locks stay until the end of the transaction.
void close_indexes(const IndexSet &set);

inline Tid tid_of(ItemPointer pointer)
{
    Tid tid;
    std::memcpy(&tid, pointer, sizeof(tid));
    return tid;
}
inline ItemPointerData pointer_of(Tid tid)
{
    ItemPointerData pointer;
    std::memcpy(&pointer, &tid, sizeof(pointer));
    return pointer;
}
inline bool is_tid(std::uint64_t packed, int most_offset)
{
    return static_cast<std::uint16_t>(static_cast<std::uint16_t>(packed) - 1) < most_offset &&
           packed >> 16 != InvalidBlockNumber;
}
// Whether a table can have a row at this tid. The executor does not check tids, and a bitmap raises an internal
// error for an offset above the most rows of a heap page.
inline bool is_heap_tid(std::uint64_t packed) { return is_tid(packed, MaxHeapTuplesPerPage); }
// Whether an entry of this table can have this tid. A body page of the store may have more slots than a heap page
// has rows.
inline bool is_entry_tid(const IndexMeta &meta, int table, std::uint64_t packed)
{
    return is_tid(packed, meta.in_store(table) ? MaxOffsetNumber : MaxHeapTuplesPerPage);
}
static_assert(sizeof(ItemPointerData) == sizeof(Tid));

// Checks the tids of a leaf before the table is accessed: the executor would fail on offsets that no row can
// have or on blocks beyond the end of the table.
class TidCheck
{
public:
    void add(std::uint64_t packed)
    {
        valid_ &= is_heap_tid(packed);
        last_ = Max(last_, packed);
    }
    // Raises an error if one of the tids is invalid.
    void finish(Relation index, BlockNumber leaf) const
    {
        if (!valid_ || (last_ > 0 && !heap_block_exists(index, static_cast<BlockNumber>(last_ >> 16))))
            report_corruption(index, leaf, "An entry has an invalid tid.");
    }

private:
    bool valid_ = true;
    std::uint64_t last_ = 0;
};

} // namespace simhash
