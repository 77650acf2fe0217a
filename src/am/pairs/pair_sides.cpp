// Opens the indexes and tables of a join. A partitioned index is read as one set of rows: of the sum of the blocks of
// all partitions each has a part, so that the number of a row consists of 48 bits, like a tid, and nothing that
// compares, sorts and spools rows needs to know of partitions.
#include "am/pairs/pair_sides.hpp"
#include "am/index/failpoint.hpp"
#include "am/index/kind.hpp"
#include "am/index/rights.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "storage/predicate.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

namespace
{

// Raises an error if the index or the table cannot be read now.
void check_contents(Relation index, Relation heap)
{
    if (!RelationIsScannable(heap))
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("materialized view \"%s\" has not been populated", RelationGetRelationName(heap)),
                errhint("Use the REFRESH MATERIALIZED VIEW command."));
    // An index built over broken HOT chains has only the fingerprint of the last version of each chain.
    if (index->rd_index->indcheckxmin &&
        !TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data), TransactionXmin))
        ereport(ERROR, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                errmsg("index \"%s\" cannot be used by this transaction", RelationGetRelationName(index)),
                errdetail("It was built while this transaction, or another one that is still running, could "
                          "see rows as they were before an update."),
                errhint("Try again in a new transaction when those have ended."));
}

BlockNumbers begin_numbers(int count)
{
    auto *first = allocate_zero<BlockNumber>(static_cast<Size>(count) + 1);
    return {count, first};
}

// Counts the blocks of relation number i, which is the partition's index or table.
void number_blocks(const BlockNumbers &numbers, int i, Relation relation, Relation index)
{
    uint64 end = uint64{numbers.first[i]} + RelationGetNumberOfBlocks(relation);
    if (end > MaxBlockNumber)
        ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                errmsg("the partitions of index \"%s\" have too many pages",
                       get_rel_name(whole_index(RelationGetRelid(index)))),
                errdetail("Together the tables, and the indexes, can have %u pages each.", MaxBlockNumber),
                errhint("Join the indexes of some partitions at a time."));
    numbers.first[i + 1] = static_cast<BlockNumber>(end);
}

} // namespace

void begin_side(int parts, PairSide *side)
{
    auto count = static_cast<Size>(parts);
    side->parts = parts;
    side->part = allocate_zero<PairPart>(count + 1);
    side->tids = begin_numbers(parts);
    side->positions = begin_numbers(parts);
}

// The lock comes before blocks are counted: a row that is inserted between the two would be beyond these, and no conflict
// with its transaction would be seen.
void use_part(Relation index, Relation heap, Snapshot snapshot, PairSide *side, int part)
{
    PredicateLockRelation(index, snapshot);
    side->part[part] = {use_index(index, CurrentMemoryContext), heap, nullptr, nullptr, nullptr};
    number_blocks(side->tids, part, heap, index);
    number_blocks(side->positions, part, index, index);
    failpoint(Failpoint::side_counted);
}

void open_side(Oid index, Snapshot snapshot, PairSide *side)
{
    IndexSet set = open_indexes(index, AccessShareLock, check_tid_reading_rights, nullptr);
    refuse_row_security(set);
    begin_side(set.count, side);
    for (int i = 0; i < set.count; i++) {
        Relation heap = table_open(set.index[i]->rd_index->indrelid, NoLock);
        check_contents(set.index[i], heap);
        use_part(set.index[i], heap, snapshot, side, i);
    }
}

void close_side(const PairSide &side)
{
    for (int i = 0; i < side.parts; i++) {
        table_close(side.part[i].heap, NoLock);
        relation_close(side.part[i].index, NoLock);
    }
}

} // namespace simhash
