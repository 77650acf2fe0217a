// Inserting and removing a row. Each of the trees has an entry with the row's key and its tid; a NULL has
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
    LeafKey key[kMaxTrees + 1] = {};
    if (stored.null) {
        insert_entries(open, meta.null_tree(), meta.all_trees(), key, tid_of(pointer), {into, nullptr});
    } else {
        for (int tree = 0; tree < meta.trees; tree++)
            key[tree].word[0] = meta.key(tree, datum_fingerprint(stored.value));
        insert_entries(open, 0, meta.trees, key, tid_of(pointer), {into, nullptr});
    }
    return false;
}

IndexBulkDeleteResult *bulk_delete_fingerprints(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                                IndexBulkDeleteCallback callback, void *callback_state)
{
    if (stats == nullptr)
        stats = allocate_zero<IndexBulkDeleteResult>();
    DeadEntries entries = {callback, callback_state, nullptr};
    vacuum_trees(info, stats, &entries);
    return stats;
}

} // namespace simhash
