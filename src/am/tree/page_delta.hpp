// WAL records of changes that the caller knows, in generic WAL's own format.
//
// GenericXLog would copy each page twice and compare all of its bytes to find changes that we know already: the
// index's part of an insert would take seven times as long (bench/decisions.md).
// So the record is written here. Its redo routine, which has not changed since PostgreSQL 9.6, applies fragments
// of offset, length and bytes in turn, and zeroes the hole. Only a new major version of PostgreSQL could change
// that format, so GenericXLog is used in versions that this was not tested with.
//
// The changes are made in a critical section, so a change must neither fail nor allocate: whatever can be wrong with a
// page has been checked under the same lock.
#pragma once

#include "am/tree/tree_page.hpp"

extern "C" {
#include "access/xloginsert.h"
#include "miscadmin.h"
}

namespace simhash
{

// The changes of one page.
class PageDelta
{
public:
    // The most bytes of all changes, each with its head.
    static constexpr std::size_t kHead = 2 * sizeof(std::uint16_t);
    static constexpr std::size_t kMost = 552;

    // Takes the present bytes of a changed page.
    void add(const char *page, std::size_t offset, std::size_t length)
    {
        Assert(offset + length <= BLCKSZ && size_ + kHead + length <= kMost);
        std::uint16_t head[2] = {static_cast<std::uint16_t>(offset), static_cast<std::uint16_t>(length)};
        std::memcpy(data_ + size_, head, sizeof(head));
        std::memcpy(data_ + size_ + sizeof(head), page + offset, length);
        size_ += sizeof(head) + length;
    }
    // Takes pd_lower and pd_upper.
    void add_bounds(const char *page) { add(page, offsetof(RawPageHeader, lower), 4); }

    void register_with(int number)
    {
        XLogRegisterBufData(static_cast<uint8>(number), data_, static_cast<int>(size_));
    }

private:
    std::size_t size_ = 0;
    char data_[kMost];
};
static_assert(offsetof(RawPageHeader, upper) == offsetof(RawPageHeader, lower) + 2);

// Changes up to MAX_GENERIC_XLOG_PAGES pages, whose buffers are locked exclusively, and logs the changes in one
// record. `change` changes page i of `context` and, unless `delta` is null, notes the changes there.
using PageChange = void (*)(char *page, int i, const void *context, PageDelta *delta);

inline void change_with_deltas(Relation index, const Buffer *buffer, int count, PageChange change,
                               const void *context)
{
    PageDelta delta[MAX_GENERIC_XLOG_PAGES];
    bool logged = RelationNeedsWAL(index);
    if (logged)
        XLogBeginInsert();
    START_CRIT_SECTION();
    for (int i = 0; i < count; i++) {
        change(BufferGetPage(buffer[i]), i, context, logged ? &delta[i] : nullptr);
        MarkBufferDirty(buffer[i]);
        if (logged) {
            XLogRegisterBuffer(static_cast<uint8>(i), buffer[i], REGBUF_STANDARD);
            delta[i].register_with(i);
        }
    }
    if (logged) {
        XLogRecPtr lsn = XLogInsert(RM_GENERIC_ID, 0);
        for (int i = 0; i < count; i++)
            PageSetLSN(BufferGetPage(buffer[i]), lsn);
    }
    END_CRIT_SECTION();
}

inline void change_pages(Relation index, const Buffer *buffer, int count, PageChange change,
                         const void *context)
{
    if (kKnownGenericWal) {
        change_with_deltas(index, buffer, count, change, context);
        return;
    }
    GenericXLogState *state = GenericXLogStart(index);
    for (int i = 0; i < count; i++)
        change(GenericXLogRegisterBuffer(state, buffer[i], 0), i, context, nullptr);
    GenericXLogFinish(state);
}

} // namespace simhash
