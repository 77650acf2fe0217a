#include "am/inspect/index_stats.hpp"

#include "am/index/kind.hpp"
#include "am/index/open_index.hpp"
#include "am/index/options.hpp"
#include "am/tree/tree_page.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "access/relation.h"
#include "utils/builtins.h"
}

#include <algorithm>
#include <cmath>
#include <limits>

namespace simhash
{

namespace
{

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

void count_page(const char *page, const IndexMeta &meta, Counts *counts)
{
    if (!in_trees(meta, page)) {
        meta.kind->stats->count_page(meta, page, counts);
        return;
    }
    int tree = page_tail(page)->tree;
    if (!is_leaf(page)) {
        counts->inner++;
        counts->height = Max(counts->height, page_tail(page)->level + 1);
        return;
    }
    int entries = leaf_count(page);
    counts->leaves++;
    counts->empty_leaves += entries == 0;
    counts->entries += entries;
    counts->room += leaf_room(page);
    if (tree == meta.null_tree())
        counts->nulls += entries;
    else if (tree == 0)
        counts->rows += entries;
}

Traits unknown_traits()
{
    Traits traits;
    std::fill(traits.value, traits.value + Traits::count, kUnknown);
    return traits;
}

Traits traits_of(const IndexMeta &meta)
{
    Traits traits = unknown_traits();
    traits.value[Traits::trees] = meta.trees;
    traits.value[Traits::fillfactor] = meta.fillfactor;
    traits.value[Traits::bits] = meta.bits;
    meta.kind->stats->describe(meta, &traits);
    return traits;
}

void drop_differences(const Traits &other, Traits *common)
{
    for (int i = 0; i < Traits::count; i++)
        if (common->value[i] != other.value[i])
            common->value[i] = kUnknown;
}

void count_index(Relation index, const IndexMeta &meta, Counts *counts)
{
    BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
    BlockNumber blocks = RelationGetNumberOfBlocks(index);
    const int64 before = counts->rows; // of other partitions
    for (BlockNumber block = kMetaBlock + 1; block < blocks; block++) {
        CHECK_FOR_INTERRUPTS();
        Buffer buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        const char *page = buffer_page(buffer);
        if (PageIsNew(const_cast<Page>(page))) {
            counts->unused++;
        } else {
            const char *fault = check_any_page(meta, page, block);
            if (fault != nullptr)
                report_corruption(index, block, fault);
            if (is_deleted(page))
                counts->unused++;
            else
                count_page(page, meta, counts);
        }
        UnlockReleaseBuffer(buffer);
    }
    FreeAccessStrategy(strategy);
    counts->blocks += blocks;
    counts->reindex_pending = counts->reindex_pending || index_options(index).fillfactor != meta.fillfactor ||
                              meta.kind->stats->options_changed(index_options(index), meta,
                                                                static_cast<double>(counts->rows - before));
}

void put_rows(const ResultRows &rows, const Counts &counts, const Traits &traits)
{
    auto put = [&](const char *name, double value, const char *unit) {
        Datum values[] = {CStringGetTextDatum(name), Float8GetDatum(value), CStringGetTextDatum(unit)};
        bool nulls[] = {false, std::isnan(value), false};
        rows.put(values, nulls);
    };
    auto ratio = [](double dividend, int64 divisor) {
        return divisor == 0 ? kUnknown : dividend / static_cast<double>(divisor);
    };
    auto number = [](int64 count) { return static_cast<double>(count); };
    auto of_store = [&](int64 count) { return counts.store == 0 ? kUnknown : number(count); };
    constexpr const char *kTruth = "0 or 1";
    put("design_radius", traits.value[Traits::distance], "bits");
    put("trees", traits.value[Traits::trees], "trees");
    put("fillfactor", traits.value[Traits::fillfactor], "percent");
    put("fitted", traits.value[Traits::fitted], kTruth);
    put("bits", traits.value[Traits::bits], "bits");
    put("rows", number(counts.rows), "rows");
    put("nulls", number(counts.nulls), "rows");
    put("pages", number(counts.blocks), "pages");
    put("leaf_pages", number(counts.leaves), "pages");
    put("inner_pages", number(counts.inner), "pages");
    put("empty_leaf_pages", number(counts.empty_leaves), "pages");
    put("unused_pages", number(counts.unused), "pages");
    put("height", counts.height, "levels");
    put("leaf_fill", ratio(number(counts.entries), counts.room), "fraction");
    put("bytes_per_row", ratio(number(counts.blocks) * BLCKSZ, counts.rows + counts.nulls), "bytes");
    put("reindex_pending", counts.reindex_pending, kTruth);
    put("store_pages", of_store(counts.store), "pages");
    put("segments", of_store(counts.segments), "segments");
    put("free_slots", of_store(counts.free_slots), "rows");
    for (int i = 0; i < traits.value[Traits::trees]; i++) // none where partitions differ in it
        put(psprintf("header_bits_%d", i + 1), traits.value[Traits::header_bits + i], "bits");
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_stats)
{
    using namespace simhash;
    const ResultRows rows = begin_rows(fcinfo);
    IndexSet set = open_indexes(PG_GETARG_OID(0), AccessShareLock, check_inspection_rights, nullptr);
    Counts counts = {};
    Traits traits = unknown_traits(); // of no partitions
    for (int i = 0; i < set.count; i++) {
        IndexMeta *meta = use_index(set.index[i], CurrentMemoryContext).meta;
        count_index(set.index[i], *meta, &counts);
        counts.height = Max(counts.height, 1);
        if (i == 0)
            traits = traits_of(*meta);
        else
            drop_differences(traits_of(*meta), &traits);
        pfree(meta);
    }
    close_indexes(set);
    put_rows(rows, counts, traits);
    PG_RETURN_NULL();
}
