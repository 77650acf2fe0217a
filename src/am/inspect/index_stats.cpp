#include "am/inspect/index_stats.hpp"

#include "am/index/kind.hpp"
#include "am/index/open_index.hpp"
#include "am/index/options.hpp"
#include "am/tree/tree_page.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/datum.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

void count_page(const char *page, const IndexMeta &meta, Counts *counts)
{
    if (!in_trees(meta, page)) {
        meta.kind->stats->count_page(meta, page, counts);
        return;
    }
    int table = page_tail(page)->table;
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
    if (table == meta.null_table())
        counts->nulls += entries;
    else if (table == 0)
        counts->rows += entries;
}

Traits traits_of(const IndexMeta &meta)
{
    Traits traits = {};
    int header_bits[kMaxTables];
    traits.null[Traits::distance] = traits.null[Traits::fitted] = true;
    traits.value[Traits::tables] = Int32GetDatum(meta.tables);
    traits.value[Traits::fillfactor] = Int32GetDatum(meta.fillfactor);
    traits.value[Traits::bits] = Int32GetDatum(meta.bits);
    meta.kind->stats->describe(meta, header_bits, &traits);
    Datum element[kMaxTables];
    std::transform(header_bits, header_bits + meta.tables, element,
                   [](int bits) { return Int32GetDatum(bits); });
    traits.value[Traits::header_bits] =
        PointerGetDatum(construct_array(element, meta.tables, INT4OID, 4, true, TYPALIGN_INT));
    return traits;
}

void drop_differences(const Traits &other, Traits *common)
{
    for (int i = 0; i < Traits::count; i++) {
        const bool array = i == Traits::header_bits;
        common->null[i] = common->null[i] || other.null[i] ||
                          !datumIsEqual(common->value[i], other.value[i], !array,
                                        array ? -1 : static_cast<int>(sizeof(int32)));
    }
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

Datum stats_row(FunctionCallInfo fcinfo, const Counts &counts, const Traits &traits)
{
    Datum values[20];
    bool nulls[20] = {};
    int at = 0;
    auto put_trait = [&](int trait) {
        nulls[at] = traits.null[trait];
        values[at++] = traits.value[trait];
    };
    auto put_ratio = [&](double dividend, int64 divisor) {
        nulls[at] = divisor == 0;
        values[at++] = Float8GetDatum(dividend / static_cast<double>(Max(divisor, 1)));
    };
    put_trait(Traits::distance);
    put_trait(Traits::tables);
    put_trait(Traits::header_bits);
    put_trait(Traits::fillfactor);
    values[at++] = Int64GetDatum(counts.rows);
    values[at++] = Int64GetDatum(counts.nulls);
    values[at++] = Int64GetDatum(counts.blocks);
    values[at++] = Int64GetDatum(counts.leaves);
    values[at++] = Int64GetDatum(counts.inner);
    values[at++] = Int64GetDatum(counts.empty_leaves);
    values[at++] = Int64GetDatum(counts.unused);
    values[at++] = Int32GetDatum(counts.height);
    put_ratio(static_cast<double>(counts.entries), counts.room);
    put_ratio(static_cast<double>(counts.blocks) * BLCKSZ, counts.rows + counts.nulls);
    values[at++] = BoolGetDatum(counts.reindex_pending);
    put_trait(Traits::fitted);
    put_trait(Traits::bits);
    nulls[at] = nulls[at + 1] = nulls[at + 2] = counts.store == 0;
    values[at++] = Int64GetDatum(counts.store);
    values[at++] = Int64GetDatum(counts.segments);
    values[at++] = Int64GetDatum(counts.free_slots);
    return HeapTupleGetDatum(heap_form_tuple(result_row(fcinfo), values, nulls));
}

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_stats)
{
    using namespace simhash;
    IndexSet set = open_indexes(PG_GETARG_OID(0), AccessShareLock, check_inspection_rights, nullptr);
    Counts counts = {};
    Traits traits = {};
    std::fill(traits.null, traits.null + Traits::count, true);
    for (int i = 0; i < set.count; i++) {
        IndexMeta *meta = copy_index_meta(set.index[i], CurrentMemoryContext);
        count_index(set.index[i], *meta, &counts);
        counts.height = Max(counts.height, 1);
        if (i == 0)
            traits = traits_of(*meta);
        else
            drop_differences(traits_of(*meta), &traits);
        pfree(meta);
    }
    close_indexes(set);
    PG_RETURN_DATUM(stats_row(fcinfo, counts, traits));
}
