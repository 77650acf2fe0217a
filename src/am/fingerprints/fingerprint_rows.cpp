// Inserting and removing a row. Each of the tables has an entry with the row's key and its tid; a NULL has
// one in the tree of the NULLs. So a row that VACUUM finds dead is known by its tid in every tree.
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/index/heap_tid.hpp"
#include "am/tree/insert.hpp"
#include "am/tree/vacuum.hpp"

#include "pg/server/postgres.hpp"

namespace simhash
{

bool insert_fingerprint(Relation index, const StoredValue &stored, ItemPointer pointer,
                        const InsertedInto &into, IndexInfo *info)
{
    const OpenIndex &open = use_in_statement(index, info);
    const IndexMeta &meta = *open.meta;
    LeafKey key[kMaxTables + 1] = {};
    if (stored.null) {
        insert_entries(open, meta.null_table(), meta.trees(), key, tid_of(pointer), {into, nullptr});
    } else {
        for (int table = 0; table < meta.tables; table++)
            key[table].word[0] = meta.key(table, datum_fingerprint(stored.value));
        insert_entries(open, 0, meta.tables, key, tid_of(pointer), {into, nullptr});
    }
    return false;
}

IndexBulkDeleteResult *bulk_delete_fingerprints(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                                IndexBulkDeleteCallback callback, void *callback_state)
{
    if (stats == nullptr)
        stats = static_cast<IndexBulkDeleteResult *>(palloc0(sizeof(IndexBulkDeleteResult)));
    DeadEntries entries = {callback, callback_state, nullptr};
    vacuum_trees(info, stats, &entries);
    return stats;
}

} // namespace simhash
