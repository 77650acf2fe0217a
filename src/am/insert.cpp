// Inserting one row: its entry goes into a leaf of each table.
#include "am/index.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// The leaf for a position, locked exclusively, with room for one entry.
Buffer leaf_with_room(Relation index, int table, Position position)
{
    for (;;) {
        Buffer buffer = descend(index, table, position, BUFFER_LOCK_EXCLUSIVE);
        if (leaf_has_room(buffer_page(buffer)))
            return buffer;
        split_page(index, buffer);
    }
}

} // namespace

bool insert_row(Relation index, Datum *values, bool *isnull, ItemPointer pointer, IndexInfo *info)
{
    // For the statement's length; the relcache's copy could be freed under us.
    if (info->ii_AmCache == NULL)
        info->ii_AmCache = copy_index_meta(index, info->ii_Context);
    const IndexMeta &meta = *static_cast<const IndexMeta *>(info->ii_AmCache);

    Fingerprint fingerprint = isnull[0] ? 0 : datum_fingerprint(values[0]);
    Tid tid = tid_of(pointer);
    int table = isnull[0] ? meta.null_table() : 0;
    int end = isnull[0] ? meta.trees() : meta.tables();

    // Up to four leaves at a time are locked, in the order of the tables, and logged as one record.
    while (table < end) {
        Buffer leaf[MAX_GENERIC_XLOG_PAGES];
        int leaves = 0;
        for (; leaves < MAX_GENERIC_XLOG_PAGES && table < end; leaves++, table++)
            leaf[leaves] = leaf_with_room(index, table, meta.position(table, fingerprint, tid));

        GenericXLogState *state = GenericXLogStart(index);
        for (int i = 0; i < leaves; i++)
            leaf_add(GenericXLogRegisterBuffer(state, leaf[i], 0), fingerprint, tid);
        GenericXLogFinish(state);
        for (int i = 0; i < leaves; i++)
            UnlockReleaseBuffer(leaf[i]);
    }
    return false;
}

} // namespace simhash
