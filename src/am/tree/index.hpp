// The index access method `simhash`: what its files share. README.md in this folder explains locks, splits,
// VACUUM and WAL; core/page/page.hpp defines what is on disk.
//
//   handler   the routine table          options  WITH (...)           meta      the metapage, cached
//   tree      pages, descents            insert   one row              split     splits and downlinks
//   build, parallel_build: CREATE INDEX   spool    its rows, in order   tree_writer: its pages
//   scan      finding rows
//   search    which leaves to read       guided   the same by weights  ordered   ORDER BY distance
//   inner_cache  a backend's copies of inner pages
//   vacuum    deleting rows              unused   pages that a crash left
//   cost      planner's estimate         validate operator classes
//   pairs, pair_*, groups: all pairs at once, and what hangs together by them
//   inspect   statistics                 check, check_heap: is it sound?
//   probe_plan, calibrate: for searches by weights
//   failpoint for tests, nothing in an ordinary build
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

// Strategy numbers of the operator class.
enum Strategy : StrategyNumber {
    kInBall = 1,    // simhash <@| simhash_ball
    kNearDuplicate, // simhash ~= simhash
    kEqual,         // simhash = simhash
    kDistanceOrder, // ORDER BY simhash <@> simhash
    kInGuidedBall,  // simhash <@| simhash_weights_ball
    kGuidedOrder,   // ORDER BY simhash <@> simhash_weights
    kStrategies = kGuidedOrder
};

// Phases for pg_stat_progress_create_index; 1 is the core's "initializing".
enum BuildPhase { kPhaseScan = 2, kPhaseWriteFirst = 3 }; // then one for each table

inline constexpr int kDefaultDistance = 3;
inline constexpr int kDefaultFillfactor = 90;

// options.cpp

// What WITH (...) says, as rd_options holds it.
struct IndexOptions {
    int32 vl_len_;
    int distance;
    int tables; // 0: the default for the distance
    int fillfactor;
    double target_recall; // of searches by weights; 1: exact
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
    Position position(int table, Fingerprint fingerprint, Tid tid) const
    {
        return {key(table, fingerprint), tid.packed()};
    }
};
// Cached in the relcache entry: any invalidation may free it, so keep a copy across anything but buffer
// access.
const IndexMeta *index_meta(Relation index);
IndexMeta *copy_index_meta(Relation index, MemoryContext context);
// An estimate of the number of leaves of one of its tables.
double index_leaves(Relation index);
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

// unused.cpp

// All-zero pages that VACUUM came upon, in ascending order; those beyond the first few wait for the next one.
inline constexpr int kMostUnused = 1000;
struct UnusedPages {
    int count;
    BlockNumber block[kMostUnused];
};
void note_unused(Relation index, UnusedPages *unused, BlockNumber block);
// Puts them into the free space map, unless a link leads to one of them: then the index is damaged.
void recycle_unused(Relation index, const UnusedPages &unused, BufferAccessStrategy strategy);
// An unused page beyond a block, locked exclusively; invalid if there is none.
Buffer take_unused(Relation index, BlockNumber after);

// split.cpp

// Splits a page, locked exclusively, that has no room; releases it. The caller descends again.
void split_page(Relation index, Buffer buffer);

// Gives the right sibling of a page that carries kIncompleteSplit its downlink; the page is locked
// exclusively and is released.
void finish_split(Relation index, Buffer buffer);

// Callbacks

IndexBuildResult *build(Relation heap, Relation index, IndexInfo *info);
void build_empty(Relation index);
bool insert_row(Relation index, Datum *values, bool *isnull, ItemPointer tid, IndexInfo *info);
IndexBulkDeleteResult *bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                   IndexBulkDeleteCallback callback, void *callback_state);
IndexBulkDeleteResult *vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats);
IndexScanDesc begin_scan(Relation index, int nkeys, int norderbys);
void rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys);
bool get_tuple(IndexScanDesc scan, ScanDirection direction);
int64 get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap);
void end_scan(IndexScanDesc scan);
void estimate_cost(struct PlannerInfo *root, struct IndexPath *path, double loop_count, Cost *startup_cost,
                   Cost *total_cost, Selectivity *selectivity, double *correlation, double *pages);
bool validate_opclass(Oid opclass);
char *build_phase_name(int64 phase);

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
            report_corruption(index, leaf, "an entry has no valid tid");
    }

private:
    bool valid_ = true;
    std::uint64_t last_ = 0;
};

} // namespace simhash
