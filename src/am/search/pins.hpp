// What a search does before it leaves a leaf or a page whose rows it has copied: it checks their tids, and unlocks the
// leaf. A scan whose snapshot is not an MVCC one keeps the pin of the leaf, so that VACUUM cannot free these tids before
// the scan has read the rows.
#pragma once

#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"
#include "am/search/value_search.hpp"

extern "C" {
#include "storage/bufmgr.h"
}

namespace simhash
{

// Unlocks a leaf whose rows have been copied. Keeps its pin in *pin if `keep` is set, otherwise releases it.
inline void leave_leaf(Buffer buffer, bool keep, Buffer *pin)
{
    if (!keep) {
        UnlockReleaseBuffer(buffer);
        return;
    }
    LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
    *pin = buffer;
    failpoint(Failpoint::scan_pin);
}
inline void release_pin(Buffer *pin)
{
    if (BufferIsValid(*pin))
        ReleaseBuffer(*pin);
    *pin = InvalidBuffer;
}
// Raises an error if a row cannot be in the table.
inline void check_hits(Relation index, BlockNumber block, const Hit *hit, Size hits)
{
    TidCheck check;
    for (Size i = 0; i < hits; i++)
        check.add(hit[i].tid());
    check.finish(index, block);
}

} // namespace simhash
