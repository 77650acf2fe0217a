// The trees of an index: what the other folders of the access method use of them. README.md in src/am
// explains locks, splits, VACUUM and WAL; core/page/page.hpp defines what is on disk.
//
//   options      WITH (...)                      meta         the metapage, cached
//   tree         pages and descents              inner_cache  a backend's copies of inner pages
//   insert       one row                         split        splits and downlinks
//   vacuum       deleting rows                   unused       pages that a crash left
//   open_index   for SQL functions that name one failpoint    for tests, nothing in an ordinary build
#pragma once

#include "pg/server/compat.hpp"

#include "core/page/page.hpp"
#include "core/tables/bit_order.hpp"
#include "core/tables/key_order.hpp"
#include "core/tables/search_plan.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/genam.h"
#include "access/generic_xlog.h"
#include "nodes/execnodes.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
}

namespace simhash
{

inline constexpr int kDefaultDistance = 3;
inline constexpr int kDefaultFillfactor = 90;

// options.cpp

// What WITH (...) says, as rd_options holds it.
struct IndexOptions {
    int32 vl_len_;
    int distance;
    int tables; // 0: the default for the distance
    int fillfactor;
};
bytea *parse_index_options(Datum reloptions, bool validate);
IndexOptions index_options(Relation index);
// The design for these options; an error with a hint where there is none.
void design_from_options(const IndexOptions &options, TableDesign *design);

// meta.cpp

// What the metapage says, ready for use. size() bytes of it are enough of a copy.
struct IndexMeta {
    int fillfactor;
    VolatilityModel model;
    bool fitted; // by simhash_calibrate
    KeyOrder order;

    std::size_t size() const { return offsetof(IndexMeta, order) + order.size(); }
    int tables() const { return order.design.tables; }
    int null_table() const { return order.design.tables; }
    int trees() const { return order.design.tables + 1; }
    std::uint64_t key(int table, Fingerprint fingerprint) const
    {
        return table == null_table() ? 0 : order.key(table, fingerprint);
    }
    // Bit 63 - i of a key is bit source[i] of the fingerprint. NULLs have key and fingerprint 0.
    void sources(int table, std::uint8_t source[kBits]) const
    {
        if (table == null_table())
            identity_sources(source);
        else
            order.sources(table, source);
    }
    Position position(int table, Fingerprint fingerprint, Tid tid) const
    {
        return {key(table, fingerprint), tid.packed()};
    }
};
// Cached in the relcache entry: any invalidation may free it, so keep a copy across anything but buffer
// access.
const IndexMeta *index_meta(Relation index);
IndexMeta *copy_index_meta(Relation index, MemoryContext context);
// A number for what the relcache entry now holds, which nothing else that this backend has cached has or had;
// 0 if it holds nothing.
std::uint32_t cache_number(Relation index);
// An estimate of the number of leaves of one of its tables.
double index_leaves(Relation index);
// Whether the index has the block. It asks the system only when it has to.
bool block_exists(Relation index, BlockNumber block);
// Whether the index's table, which the caller has locked, has the block. It asks the system only when it has
// to.
bool heap_block_exists(Relation index, BlockNumber block);
// The plan for a radius of 0 to 64.
void index_plan(Relation index, int radius, SearchPlan *plan);
MetaData make_meta_data(const IndexOptions &options, const TableDesign &design,
                        const std::uint8_t bit_order[kBits]);
void use_meta_data(const MetaData &data, IndexMeta *meta);

// tree.cpp

inline Page buffer_page(Buffer buffer) { return BufferGetPage(buffer); }

// Raises an error; `what` is a whole sentence, capitalised and with its period.
[[noreturn]] void report_corruption(Relation index, BlockNumber block, const char *what);

// Locks a page that was read, and checks it.
void lock_tree_page(Relation index, Buffer buffer, BlockNumber block, int mode, int table, int level);

// Reads and locks a page, and checks that it belongs to the table and level (any level if -1).
Buffer read_tree_page(Relation index, BlockNumber block, int mode, int table, int level);

// The page of the given level that holds `position`, locked in `mode` (BUFFER_LOCK_SHARE or _EXCLUSIVE).
// *lower, if wanted, is set to its lower bound. Locks one page at a time on the way. With the exclusive lock,
// splits that a crash left unfinished and that are met on the way at that level are finished first.
Buffer descend(Relation index, int table, Position position, int mode, int level = 0,
               Position *lower = nullptr);

// Steps from a locked page to its right sibling, which it returns locked in the same mode; releases the page.
Buffer step_right(Relation index, Buffer buffer, int mode);

// A new page, all zeros, locked exclusively: at the end of the relation, or one beyond the block `after` that
// a crash left unused.
Buffer extend_index(Relation index, BlockNumber after = kNoBlock);

// The relation's length, read so that no extension under way is missed.
BlockNumber index_blocks(Relation index);

// An estimate of the number of leaves of one table.
double estimated_leaves(BlockNumber blocks, int tables);

// insert.cpp, vacuum.cpp

bool insert_row(Relation index, Datum *values, bool *isnull, ItemPointer pointer, IndexInfo *info);
IndexBulkDeleteResult *bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                   IndexBulkDeleteCallback callback, void *callback_state);
IndexBulkDeleteResult *vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);

// open_index.cpp

// An error unless the caller owns the index's table or has the rights of pg_stat_scan_tables.
void check_inspection_rights(Oid index, Oid heap);

// Opens a simhash index for an SQL function, and locks it and its table. An error if it is none, or if
// check_rights raises one.
Relation open_index(Oid oid, LOCKMODE lock,
                    void (*check_rights)(Oid index, Oid heap) = check_inspection_rights);

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
// Whether a heap can have a row there. The executor takes tids as they come.
inline bool is_heap_tid(std::uint64_t packed)
{
    return static_cast<std::uint16_t>(static_cast<std::uint16_t>(packed) - 1) < MaxOffsetNumber &&
           packed >> 16 != InvalidBlockNumber;
}
static_assert(sizeof(ItemPointerData) == sizeof(Tid));

// Looks at tids of a leaf before the table is asked for them: the executor would fall over places that no row
// can have, or beyond the end of the table.
class TidCheck
{
public:
    void add(std::uint64_t packed)
    {
        valid_ &= is_heap_tid(packed);
        last_ = Max(last_, packed);
    }
    // An error if one of them cannot be right.
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
