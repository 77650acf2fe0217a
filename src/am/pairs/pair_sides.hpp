// The indexes and tables of a join, and the numbers of their rows.
#pragma once

#include "am/index/heap_tid.hpp"
#include "am/index/meta.hpp"

extern "C" {
#include "access/tableam.h"
#include "executor/tuptable.h"
}

#include <algorithm>

namespace simhash
{

// Numbers the blocks of several relations consecutively, so that one tid or store position, of 48 bits, names a row of
// any of them. Of one relation alone the numbers are those of its blocks.
struct BlockNumbers {
    int count;
    BlockNumber *first; // the number of each relation's first block; at the end that after the last block

    // The relation of a row.
    int relation(uint64 number) const
    {
        auto block = static_cast<BlockNumber>(number >> 16);
        return static_cast<int>(std::upper_bound(first, first + count, block) - first) - 1;
    }
    // Whether the relation had the block when its blocks were counted. Rows of later blocks are not visible to the
    // snapshot, which is older.
    bool counted(int relation, uint64 packed) const
    {
        return packed >> 16 < first[relation + 1] - first[relation];
    }
    uint64 number(int relation, uint64 packed) const
    {
        return packed + (static_cast<uint64>(first[relation]) << 16);
    }
    uint64 packed(int relation, uint64 number) const
    {
        return number - (static_cast<uint64>(first[relation]) << 16);
    }
    ItemPointerData tid_of(uint64 number) const
    {
        return pointer_of(Tid::unpack(packed(relation(number), number)));
    }
};

// A table and its index, or a partition and its index. Rows that are in no index, all of which are visible, have a file
// and the metadata of an index; the relations are null.
struct PairPart {
    OpenIndex index;
    Relation heap;
    IndexFetchTableData *fetch;
    TupleTableSlot *slot;
    struct BufFile *file;
};

struct PairSide {
    int parts; // 0 if a partitioned table has no partitions
    PairPart *part;
    BlockNumbers tids;      // of the tables, in the order of their OIDs
    BlockNumbers positions; // of the indexes, for places in them
    double rows;            // an estimate

    // All parts are of one kind, with values of one length.
    const IndexMeta &meta() const { return *part[0].index.meta; }
};

// Opens an index, or those of all partitions, and the tables, with the same checks that the planner and the executor
// make.
void open_side(Oid index, Snapshot snapshot, PairSide *side);
void close_side(const PairSide &side);
// Allocates a side of so many parts, and makes an index and its table, which the caller has opened, the next part. Locks
// the whole index for serializable transactions, as scans do: every leaf may be read.
void begin_side(int parts, PairSide *side);
void use_part(Relation index, Relation heap, Snapshot snapshot, PairSide *side, int part);
// The number of the row at a tid that the index of a part has; kNoRow if the snapshot cannot see it.
inline uint64 row_number(const PairSide &side, int part, uint64 tid)
{
    return tid != kNoRow && side.tids.counted(part, tid) ? side.tids.number(part, tid) : kNoRow;
}

} // namespace simhash
