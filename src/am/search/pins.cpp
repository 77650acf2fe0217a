#include "am/search/pins.hpp"

#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"

namespace simhash
{

void leave_leaf(Buffer buffer, bool keep, Buffer *pin)
{
    if (!keep) {
        UnlockReleaseBuffer(buffer);
        return;
    }
    LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
    *pin = buffer;
    failpoint(Failpoint::scan_pin);
}

void check_hits(Relation index, BlockNumber block, const Hit *hit, Size hits)
{
    TidCheck check;
    for (Size i = 0; i < hits; i++)
        check.add(hit[i].tid());
    check.finish(index, block);
}

} // namespace simhash
