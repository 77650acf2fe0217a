// The longer functions of compat.hpp.
#include "pg/server/compat.hpp"

extern "C" {
#include "access/nbtxlog.h"
}

namespace simhash
{

void extend_relation_by(Relation relation, bool alone, int count, Buffer *buffers)
{
#if PG_VERSION_NUM >= 160000
    while (count > 0) {
        uint32 extended = 0;
        BufferManagerRelation target{}; // Clang 19 warns about BMR_REL in C++
        target.rel = relation;
        ExtendBufferedRelBy(target, MAIN_FORKNUM, nullptr, alone ? EB_SKIP_EXTENSION_LOCK : 0,
                            static_cast<uint32>(count), buffers, &extended);
        buffers += extended;
        count -= static_cast<int>(extended);
    }
#else
    if (count > 0 && !alone)
        LockRelationForExtension(relation, ExclusiveLock);
    for (int i = 0; i < count; i++)
        buffers[i] = ReadBufferExtended(relation, MAIN_FORKNUM, P_NEW, RBM_NORMAL, nullptr);
    if (count > 0 && !alone)
        UnlockRelationForExtension(relation, ExclusiveLock);
#endif
}

TransactionId find_dead_rows([[maybe_unused]] Relation heap, [[maybe_unused]] Relation index,
                             [[maybe_unused]] BlockNumber block, [[maybe_unused]] OldRow *row,
                             [[maybe_unused]] int rows, [[maybe_unused]] int bytes,
                             [[maybe_unused]] int wanted)
{
#if PG_VERSION_NUM >= 140000
    TM_IndexDeleteOp op = {};
#if PG_VERSION_NUM >= 150000
    op.irel = index; // for messages about an impossible tid
    op.iblknum = block;
#endif
    op.bottomup = true;
    op.bottomupfreespace = wanted;
    op.ndeltids = rows;
    op.deltids = allocate<TM_IndexDelete>(rows);
    op.status = allocate<TM_IndexStatus>(rows);
    for (int i = 0; i < rows; i++) {
        op.deltids[i] = {row[i].tid, static_cast<int16>(i)};
        op.status[i] = {static_cast<OffsetNumber>(i + 1), false, row[i].promising, static_cast<int16>(bytes)};
        row[i].dead = false;
    }
    TransactionId horizon = table_index_delete_tuples(heap, &op);
    for (int i = 0; i < op.ndeltids; i++)
        row[op.deltids[i].id].dead = op.status[op.deltids[i].id].knowndeletable;
    pfree(op.status);
    pfree(op.deltids);
    return horizon;
#else
    return InvalidTransactionId;
#endif
}

void log_conflict([[maybe_unused]] Relation heap, [[maybe_unused]] Relation index,
                  [[maybe_unused]] BlockNumber block, [[maybe_unused]] TransactionId horizon)
{
#if PG_VERSION_NUM >= 140000
    if (!TransactionIdIsNormal(horizon) || !XLogStandbyInfoActive() || !RelationNeedsWAL(index))
        return;
    FullTransactionId next = ReadNextFullTransactionId();
    uint32 epoch = EpochFromFullTransactionId(next) - (horizon > XidFromFullTransactionId(next));
    FullTransactionId full = FullTransactionIdFromEpochAndXid(epoch, horizon);
    xl_btree_reuse_page record = {};
    record.block = block;
#if PG_VERSION_NUM >= 160000
    record.locator = index->rd_locator;
    record.snapshotConflictHorizon = full;
    record.isCatalogRel = RelationIsAccessibleInLogicalDecoding(heap);
#else
    record.node = index->rd_node;
    record.latestRemovedFullXid = full;
#endif
    XLogBeginInsert();
    XLogRegisterData(reinterpret_cast<char *>(&record), SizeOfBtreeReusePage);
    XLogInsert(RM_BTREE_ID, XLOG_BTREE_REUSE_PAGE);
#endif
}

List *class_members(EquivalenceClass *members, Relids relids)
{
    List *found = NIL;
#if PG_VERSION_NUM >= 180000
    EquivalenceMemberIterator iterator;
    setup_eclass_member_iterator(&iterator, members, relids);
    while (EquivalenceMember *member = eclass_member_iterator_next(&iterator)) {
#else
    ListCell *cell;
    foreach (cell, members->ec_members) {
        auto *member = static_cast<EquivalenceMember *>(lfirst(cell));
#endif
        if (bms_equal(member->em_relids, relids))
            found = lappend(found, member);
    }
    return found;
}

} // namespace simhash
