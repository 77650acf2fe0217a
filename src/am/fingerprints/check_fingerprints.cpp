// What simhash_index_check does for fingerprints: all tables must have the same entries, and these the fingerprints of
// their rows.
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/index/heap_tid.hpp"
#include "am/inspect/check.hpp"

#include "pg/server/postgres.hpp"

extern "C" {
#include "access/tableam.h"
#include "miscadmin.h"
}

namespace simhash
{

namespace
{

struct RowCheck {
    Check *check;
    Expected expected;
};

void check_row(Relation, ItemPointer pointer, Datum *values, bool *isnull, bool, void *context)
{
    auto *rows = static_cast<RowCheck *>(context);
    Check *check = rows->check;
    const IndexMeta &meta = *check->meta;
    Fingerprint fingerprint = isnull[0] ? 0 : datum_fingerprint(values[0]);
    int first = isnull[0] ? meta.null_table() : 0, end = isnull[0] ? meta.trees() : meta.tables;
    LeafKey keys[kMaxTables + 1] = {};
    for (int table = first; table < end; table++)
        keys[table].word[0] = meta.key(table, fingerprint);
    require_entries(*check, first, end, keys, tid_of(pointer), pointer);
    rows->expected.entries[isnull[0]]++;
    rows->expected.sum[isnull[0]] += entry_hash(fingerprint, tid_of(pointer).packed());
    check->heap_rows++;
}

Expected check_fingerprints(Check *check, Relation heap, IndexInfo *info, Snapshot snapshot)
{
    RowCheck rows = {check, {}};
    TableScanDesc scan = table_beginscan_strat(heap, snapshot, 0, nullptr, true, true);
    table_index_build_scan(heap, check->index, info, true, false, check_row, &rows, scan);
    return rows.expected;
}

// Counts entries that exist in some tables but not in others. An aborted insert or a cancelled VACUUM leaves
// them behind.
void count_partial_entries(Check *check)
{
    bool equal = true;
    for (int table = 1; table < check->meta->tables; table++)
        equal = equal && check->entries[table] == check->entries[0] && check->sum[table] == check->sum[0];
    if (equal)
        return;
    for (BlockNumber block = kMetaBlock + 1; block < check->blocks; block++) {
        CHECK_FOR_INTERRUPTS();
        PGAlignedBlock copy;
        copy_page(*check, block, &copy);
        const char *page = copy.data;
        if (PageIsNew(copy.data) || !is_leaf(page) || page_tail(page)->table == check->meta->null_table())
            continue;
        int table = page_tail(page)->table;
        visit_leaf(page, [&](int, const LeafEntry &entry) {
            std::uint64_t word = check->meta->word(table, entry.key.word[0]);
            int first = -1, holders = 0;
            for (int other = 0; other < check->meta->tables; other++) {
                if (!has_entry(*check, other, {{check->meta->key(other, word), 0}}, Tid::unpack(entry.tid)))
                    continue;
                if (first < 0)
                    first = other;
                holders++;
            }
            if (first == table && holders < check->meta->tables)
                check->partial_entries++;
        });
    }
}

bool same_fingerprint(Datum value, std::uint64_t word) { return datum_fingerprint(value) == word; }

} // namespace

const CheckKind kFingerprintCheck = {
    .check_pages = nullptr,
    .check_tid = check_heap_tid,
    .compare_trees = count_partial_entries,
    .check_rows = check_fingerprints,
    .same_value = same_fingerprint,
};

} // namespace simhash
