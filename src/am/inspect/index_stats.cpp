// simhash_index_stats(regclass): statistics of an index's contents.
#include "am/tree/index.hpp"

#include "pg/server/result_rows.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
}

namespace simhash
{

namespace
{

struct Counts {
    int64 rows, nulls, leaves, empty_leaves, inner, unused, entries, room;
    int height;
    int64 store, segments, free_slots;
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

} // namespace

} // namespace simhash

SIMHASH_FUNCTION(simhash_index_stats)
{
    using namespace simhash;
    Relation index = open_index(PG_GETARG_OID(0), AccessShareLock, check_inspection_rights, true);
    IndexMeta *meta = copy_index_meta(index, CurrentMemoryContext);
    Counts counts = {};
    counts.height = 1;

    BufferAccessStrategy strategy = GetAccessStrategy(BAS_BULKREAD);
    BlockNumber blocks = RelationGetNumberOfBlocks(index);
    for (BlockNumber block = kMetaBlock + 1; block < blocks; block++) {
        CHECK_FOR_INTERRUPTS();
        Buffer buffer = ReadBufferExtended(index, MAIN_FORKNUM, block, RBM_NORMAL, strategy);
        LockBuffer(buffer, BUFFER_LOCK_SHARE);
        const char *page = buffer_page(buffer);
        if (PageIsNew(const_cast<Page>(page))) {
            counts.unused++;
        } else {
            const char *fault = check_any_page(*meta, page);
            if (fault != nullptr)
                report_corruption(index, block, fault);
            count_page(page, *meta, &counts);
        }
        UnlockReleaseBuffer(buffer);
    }

    Datum header_bits[kMaxTables];
    for (int i = 0; i < meta->tables(); i++)
        header_bits[i] =
            Int32GetDatum(meta->wide ? meta->layout.header_bits(i) : meta->order.design.table[i].header_bits);
    int64 rows = counts.rows + counts.nulls;
    double full = static_cast<double>(counts.room);

    Datum values[20];
    bool nulls[20] = {};
    int at = 0;
    nulls[at] = meta->wide;
    values[at++] = Int32GetDatum(meta->wide ? 0 : meta->order.design.distance);
    values[at++] = Int32GetDatum(meta->tables());
    values[at++] =
        PointerGetDatum(construct_array(header_bits, meta->tables(), INT4OID, 4, true, TYPALIGN_INT));
    values[at++] = Int32GetDatum(meta->fillfactor);
    values[at++] = Int64GetDatum(counts.rows);
    values[at++] = Int64GetDatum(counts.nulls);
    values[at++] = Int64GetDatum(blocks);
    values[at++] = Int64GetDatum(counts.leaves);
    values[at++] = Int64GetDatum(counts.inner);
    values[at++] = Int64GetDatum(counts.empty_leaves);
    values[at++] = Int64GetDatum(counts.unused);
    values[at++] = Int32GetDatum(counts.height);
    values[at++] = Float8GetDatum(static_cast<double>(counts.entries) / full);
    nulls[at] = rows == 0;
    values[at++] =
        Float8GetDatum(rows == 0 ? 0 : static_cast<double>(blocks) * BLCKSZ / static_cast<double>(rows));
    values[at++] = BoolGetDatum(options_changed(index, *meta));
    nulls[at] = meta->wide;
    values[at++] = BoolGetDatum(meta->fitted);
    values[at++] = Int32GetDatum(meta->wide ? meta->layout.bits : kBits);
    nulls[at] = nulls[at + 1] = nulls[at + 2] = !meta->wide;
    values[at++] = Int64GetDatum(counts.store);
    values[at++] = Int64GetDatum(counts.segments);
    values[at++] = Int64GetDatum(counts.free_slots);

    HeapTuple tuple = heap_form_tuple(result_row(fcinfo), values, nulls);
    relation_close(index, AccessShareLock);
    PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}
