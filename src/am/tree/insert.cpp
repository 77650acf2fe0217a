// Inserting one row: its entry goes into a leaf of each table.
#include "am/tree/failpoint.hpp"
#include "am/tree/inner_cache.hpp"
#include "am/tree/prefetch.hpp"
#include "am/tree/split.hpp"

extern "C" {
#include "access/xloginsert.h"
#include "miscadmin.h"
#include "storage/predicate.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// A row's leaves in consecutive tables, as many as one generic WAL record may change.
struct Leaves {
    int count;
    Position position[MAX_GENERIC_XLOG_PAGES];
    LeafPlace place[MAX_GENERIC_XLOG_PAGES];
    Buffer buffer[MAX_GENERIC_XLOG_PAGES];
};

// Locates the leaves, prefetches them together and pins them, so that under a lock only splits read from
// disk.
void pin_leaves(Relation index, const IndexMeta &meta, int table, int end, Fingerprint fingerprint, Tid tid,
                Leaves *leaves)
{
    Buffer buffer[MAX_GENERIC_XLOG_PAGES];
    int buffers = 0;
    leaves->count = Min(end - table, MAX_GENERIC_XLOG_PAGES);
    for (int i = 0; i < leaves->count; i++) {
        LeafPlace *place = &leaves->place[i];
        leaves->position[i] = meta.position(table + i, fingerprint, tid);
        find_leaf(index, table + i, leaves->position[i], place);
        fetch_leaf(index, place);
        if (BufferIsValid(place->buffer))
            buffer[buffers++] = place->buffer;
    }
    prefetch_buffers(buffer, buffers);
    failpoint(Failpoint::leaf_found);
    for (int i = 0; i < leaves->count; i++)
        leaves->buffer[i] = pin_leaf(index, leaves->place[i]);
}

// Locks leaf i exclusively. If it has no room for an entry it is split, and the leaf that holds the position
// afterwards replaces it.
void lock_with_room(Relation index, int table, Leaves *leaves, int i)
{
    Position lower;
    Buffer buffer = lock_place(index, leaves->place[i], leaves->buffer[i], table, leaves->position[i],
                               BUFFER_LOCK_EXCLUSIVE, &lower);
    while (!BufferIsValid(buffer) || !leaf_has_room(buffer_page(buffer))) {
        if (BufferIsValid(buffer))
            split_page(index, buffer);
        buffer = descend(index, table, leaves->position[i], BUFFER_LOCK_EXCLUSIVE);
    }
    leaves->buffer[i] = buffer;
}

// A change of a page in generic WAL's format: fragments of offset, length and bytes. Its redo routine, which
// has not changed since PostgreSQL 9.6, applies them in turn.
struct LeafDelta {
    std::uint16_t bounds_at, bounds_length;
    std::uint16_t lower, upper; // pd_lower and pd_upper
    std::uint16_t fingerprint_at, fingerprint_length;
    std::uint16_t fingerprint[4];
    std::uint16_t tid_at, tid_length;
    Tid tid;
};
static_assert(sizeof(LeafDelta) == 30 && sizeof(Fingerprint) == 8 &&
              offsetof(RawPageHeader, upper) == offsetof(RawPageHeader, lower) + 2);

LeafDelta delta_of_add(const char *page, Fingerprint fingerprint, Tid tid)
{
    const RawPageHeader *header = page_header(page);
    LeafDelta delta = {offsetof(RawPageHeader, lower), 4, header->lower, header->upper, 0, 8, {}, 0, 6, tid};
    delta.fingerprint_at = static_cast<std::uint16_t>(header->lower - sizeof(Fingerprint));
    delta.tid_at = header->upper;
    std::memcpy(delta.fingerprint, &fingerprint, sizeof(fingerprint));
    return delta;
}

void add_with_deltas(Relation index, const Buffer *leaf, int leaves, Fingerprint fingerprint, Tid tid)
{
    LeafDelta delta[MAX_GENERIC_XLOG_PAGES];
    bool logged = RelationNeedsWAL(index);
    if (logged)
        XLogBeginInsert();
    START_CRIT_SECTION();
    for (int i = 0; i < leaves; i++) {
        char *page = buffer_page(leaf[i]);
        leaf_add(page, fingerprint, tid);
        MarkBufferDirty(leaf[i]);
        if (logged) {
            delta[i] = delta_of_add(page, fingerprint, tid);
            XLogRegisterBuffer(static_cast<uint8>(i), leaf[i], REGBUF_STANDARD);
            XLogRegisterBufData(static_cast<uint8>(i), reinterpret_cast<char *>(&delta[i]),
                                sizeof(LeafDelta));
        }
    }
    if (logged) {
        XLogRecPtr lsn = XLogInsert(RM_GENERIC_ID, 0);
        for (int i = 0; i < leaves; i++)
            PageSetLSN(buffer_page(leaf[i]), lsn);
    }
    END_CRIT_SECTION();
}

void add_with_generic_xlog(Relation index, const Buffer *leaf, int leaves, Fingerprint fingerprint, Tid tid)
{
    GenericXLogState *state = GenericXLogStart(index);
    for (int i = 0; i < leaves; i++)
        leaf_add(GenericXLogRegisterBuffer(state, leaf[i], 0), fingerprint, tid);
    GenericXLogFinish(state);
}

// Adds the entry to leaves, which are locked exclusively and have room, and writes one WAL record.
//
// GenericXLog would copy each page twice and compare all of its bytes to find changes that we know already: the
// index's part of an insert would take seven times as long (bench/insert_wal, which sets SIMHASH_GENERIC_XLOG).
// So the record is written here, in generic WAL's own format. Only a new major version of PostgreSQL could change
// that format, so GenericXLog is used in versions that this was not tested with.
void add_to_leaves(Relation index, const Buffer *leaf, int leaves, Fingerprint fingerprint, Tid tid)
{
    // The core checks for conflicts before any leaf is locked. That would miss a serializable transaction
    // that starts to search afterwards and has read one of these leaves.
    CheckForSerializableConflictIn(index, nullptr, InvalidBlockNumber);
    if (kKnownGenericWal)
        add_with_deltas(index, leaf, leaves, fingerprint, tid);
    else
        add_with_generic_xlog(index, leaf, leaves, fingerprint, tid);
}

} // namespace

bool insert_row(Relation index, Datum *values, bool *isnull, ItemPointer pointer, IndexInfo *info)
{
    // Kept for the duration of the statement, because the relcache's copy may be freed at any time.
    if (info->ii_AmCache == nullptr)
        info->ii_AmCache = copy_index_meta(index, info->ii_Context);
    const IndexMeta &meta = *static_cast<const IndexMeta *>(info->ii_AmCache);

    Fingerprint fingerprint = isnull[0] ? 0 : datum_fingerprint(values[0]);
    Tid tid = tid_of(pointer);
    int table = isnull[0] ? meta.null_table() : 0;
    int end = isnull[0] ? meta.trees() : meta.tables();

    // Up to four leaves at a time are locked, in the order of the tables, and logged in one record.
    Leaves leaves;
    for (; table < end; table += leaves.count) {
        failpoint(Failpoint::insert_group);
        pin_leaves(index, meta, table, end, fingerprint, tid, &leaves);
        for (int i = 0; i < leaves.count; i++)
            lock_with_room(index, table + i, &leaves, i);
        failpoint(Failpoint::insert);
        add_to_leaves(index, leaves.buffer, leaves.count, fingerprint, tid);
        for (int i = 0; i < leaves.count; i++)
            UnlockReleaseBuffer(leaves.buffer[i]);
    }
    return false;
}

} // namespace simhash
