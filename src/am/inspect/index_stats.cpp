// simhash_index_stats(regclass): statistics of an index's contents; for a partitioned index, the sums over its
// partitions.
#include "am/tree/index.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/datum.h"
}

namespace simhash
{

namespace
{

struct Counts {
    int64 rows, nulls, blocks, leaves, empty_leaves, inner, unused, entries, room;
    int height;
    int64 store, segments, free_slots;
    bool reindex_pending;
};

// What the indexes of partitions may have in common. What differs is NULL.
struct Traits {
    enum { distance, tables, header_bits, fillfactor, fitted, bits, count };
    Datum value[count];
    bool null[count];
};

void count_store_page(const char *page, const StoreShape &shape, Counts *counts)
{
    counts->store++;
    if (!(page_tail(page)->flags & kPlanePage))
        return;
    counts->segments++;
    counts->free_slots += shape.rows();
    for (int slot = 0; slot < shape.rows(); slot++)
        counts->free_slots -= plane_uses(page, slot);
}

void count_page(const char *page, const IndexMeta &meta, Counts *counts)
{
    if (is_store_page(page)) {
        count_store_page(page, meta.shape(), counts);
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
    counts->room += leaf_capacity(BLCKSZ, key_words(page));
    if (table == 0)
        counts->rows += entries;
    if (table == meta.null_table())
        counts->nulls += entries;
}

// Whether the options differ from those that the index was built with.
bool options_changed(Relation index, const IndexMeta &meta)
{
    IndexOptions options = index_options(index);
    if (options.fillfactor != meta.fillfactor)
        return true;
    if (meta.wide)
        return signature_tables(options, meta.layout.bits) != meta.tables();
    TableDesign design;
    design_from_options(options, &design);
    return std::memcmp(&design, &meta.order.design, sizeof(design)) != 0;
}

Traits traits_of(const IndexMeta &meta)
{
    Datum header_bits[kMaxTables];
    for (int i = 0; i < meta.tables(); i++)
        header_bits[i] =
            Int32GetDatum(meta.wide ? meta.layout.header_bits(i) : meta.order.design.table[i].header_bits);
    Traits traits = {};
    traits.null[Traits::distance] = traits.null[Traits::fitted] = meta.wide;
    traits.value[Traits::distance] = Int32GetDatum(meta.wide ? 0 : meta.order.design.distance);
    traits.value[Traits::tables] = Int32GetDatum(meta.tables());
    traits.value[Traits::header_bits] =
        PointerGetDatum(construct_array(header_bits, meta.tables(), INT4OID, 4, true, TYPALIGN_INT));
    traits.value[Traits::fillfactor] = Int32GetDatum(meta.fillfactor);
    traits.value[Traits::fitted] = BoolGetDatum(meta.fitted);
    traits.value[Traits::bits] = Int32GetDatum(meta.wide ? meta.layout.bits : kBits);
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
            count_page(page, meta, counts);
        }
        UnlockReleaseBuffer(buffer);
    }
    FreeAccessStrategy(strategy);
    counts->blocks += blocks;
    counts->reindex_pending = counts->reindex_pending || options_changed(index, meta);
}

Datum stats_row(FunctionCallInfo fcinfo, const Counts &counts, const Traits &traits, bool wide)
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
    nulls[at] = nulls[at + 1] = nulls[at + 2] = !wide;
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
    IndexSet set = open_indexes(PG_GETARG_OID(0), AccessShareLock, check_inspection_rights, true);
    Counts counts = {};
    Traits traits = {};
    std::fill(traits.null, traits.null + Traits::count, true);
    bool wide = false;
    for (int i = 0; i < set.count; i++) {
        IndexMeta *meta = copy_index_meta(set.index[i], CurrentMemoryContext);
        count_index(set.index[i], *meta, &counts);
        counts.height = Max(counts.height, 1);
        wide = meta->wide;
        if (i == 0)
            traits = traits_of(*meta);
        else
            drop_differences(traits_of(*meta), &traits);
        pfree(meta);
    }
    close_indexes(set);
    PG_RETURN_DATUM(stats_row(fcinfo, counts, traits, wide));
}
