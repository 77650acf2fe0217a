// Prefetches several leaves into the processor's cache together.
//
// The leaves are in shared buffers. They are neither pinned nor locked for this. Reading a page that another
// process is changing or replacing is harmless: the memory of the buffers and of their descriptors stays mapped
// for as long as the process runs, and the values read are discarded. A leaf is used only after it has been
// pinned, locked and checked.
//
// Without this, searches and inserts take 1.2 times as long with 10 million rows (bench/decisions.md).
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
}

namespace simhash
{

// Prefetches what readers of the buffers need first: the descriptors, which they pin, and both ends of the pages
// with the beginning of their contents. Prefetching more takes longer than it saves. The buffers need not be
// pinned, and may hold other pages by now.
inline void prefetch_buffers(const Buffer *buffer, int count)
{
    constexpr int kLine = 64, kLines = 24, kVirtualPage = 4096;
    // Each virtual page is read once instead of prefetched, because a prefetch is dropped if the address is
    // not in the TLB. The reads do not depend on each other, so the processor does them in parallel.
    unsigned char sum = 0;
    for (int i = 0; i < count; i++) {
        const volatile char *page = BufferGetPage(buffer[i]);
        for (int at = 0; at < BLCKSZ; at += kVirtualPage)
            sum = static_cast<unsigned char>(sum + page[at]);
        if (!BufferIsLocal(buffer[i]))
            sum = static_cast<unsigned char>(
                sum + *reinterpret_cast<const volatile char *>(GetBufferDescriptor(buffer[i] - 1)));
    }
    asm volatile("" : : "r"(sum));
    for (int i = 0; i < count; i++) {
        const char *page = BufferGetPage(buffer[i]);
        __builtin_prefetch(page + BLCKSZ - kLine);
        for (int line = 1; line < kLines; line++)
            __builtin_prefetch(page + line * kLine);
    }
}

} // namespace simhash
