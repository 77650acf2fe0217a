// Tids: in the form of PostgreSQL, in that of pages, and checked before a table is accessed. A damaged leaf may hold
// any bits, and the executor trusts an index.
#pragma once

#include "am/index/meta.hpp"

extern "C" {
#include "access/htup_details.h"
#include "storage/itemptr.h"
}

namespace simhash
{

inline Tid tid_of(ItemPointer pointer)
{
    Tid tid;
    std::memcpy(&tid, pointer, sizeof(tid));
    return tid;
}
inline ItemPointerData pointer_of(Tid tid)
{
    ItemPointerData pointer;
    std::memcpy(&pointer, &tid, sizeof(pointer));
    return pointer;
}
static_assert(sizeof(ItemPointerData) == sizeof(Tid));

inline bool is_tid(std::uint64_t packed, int most_offset)
{
    return static_cast<std::uint16_t>(static_cast<std::uint16_t>(packed) - 1) < most_offset &&
           packed >> 16 != InvalidBlockNumber;
}
// Whether a table can have a row at this tid. The executor does not check tids, and a bitmap raises an internal
// error for an offset above the most rows of a heap page.
inline bool is_heap_tid(std::uint64_t packed) { return is_tid(packed, MaxHeapTuplesPerPage); }
// Whether an entry of this tree can have this tid.
inline bool is_entry_tid(const IndexMeta &meta, int tree, std::uint64_t packed)
{
    return is_tid(packed, tree == meta.null_tree() ? MaxHeapTuplesPerPage : meta.most_offset);
}

// Checks the tids of a leaf before the table is accessed: the executor would fail on offsets that no row can
// have or on blocks beyond the end of the table.
class TidCheck
{
public:
    void add(std::uint64_t packed)
    {
        valid_ &= is_heap_tid(packed);
        last_ = Max(last_, packed);
    }
    // Raises an error if one of the tids is invalid.
    void finish(Relation index, BlockNumber leaf) const
    {
        if (!valid_ || (last_ > 0 && !heap_block_exists(index, static_cast<BlockNumber>(last_ >> 16))))
            report_corruption(index, leaf, "An entry has an invalid tid.");
    }

private:
    bool valid_ = true;
    std::uint64_t last_ = 0;
};

} // namespace simhash
