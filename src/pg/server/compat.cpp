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

int convert_up_to_error(Oid conversion, int encoding, const char *from, int length, char *to,
                        [[maybe_unused]] int size)
{
    auto *source = reinterpret_cast<unsigned char *>(const_cast<char *>(from));
    auto *target = reinterpret_cast<unsigned char *>(to);
#if PG_VERSION_NUM >= 140000
    return pg_do_encoding_conversion_buf(conversion, encoding, PG_UTF8, source, length, target, size, true);
#else
    // All at once, or if that raises an error, character by character up to the one that does.
    Assert(size > length * MAX_CONVERSION_GROWTH);
    const auto convert = [&](int at, int count, unsigned char *into) {
        MemoryContext context = CurrentMemoryContext;
        volatile bool converted = false;
        PG_TRY();
        {
            OidFunctionCall5(conversion, Int32GetDatum(encoding), Int32GetDatum(PG_UTF8),
                             CStringGetDatum(source + at), CStringGetDatum(into), Int32GetDatum(count));
            converted = true;
        }
        PG_CATCH();
        {
            MemoryContextSwitchTo(context);
            if (geterrcode() != ERRCODE_UNTRANSLATABLE_CHARACTER &&
                geterrcode() != ERRCODE_CHARACTER_NOT_IN_REPERTOIRE)
                PG_RE_THROW();
            FlushErrorState();
        }
        PG_END_TRY();
        return converted;
    };
    if (convert(0, length, target))
        return length;
    int at = 0;
    while (at < length) {
        const int count = Min(pg_encoding_mblen(encoding, from + at), length - at);
        if (!convert(at, count, target))
            break;
        target += std::strlen(reinterpret_cast<char *>(target));
        at += count;
    }
    *target = '\0';
    return at;
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
