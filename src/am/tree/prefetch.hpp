// Has the processor fetch several leaves together.
//
// The leaves are in shared buffers, and nothing is pinned or locked for this. It is harmless to read a page
// that another process changes or replaces meanwhile: the memory of the buffers and of their descriptors is
// mapped for as long as the process runs, and what is read is thrown away. A leaf's contents count from when
// it has been pinned, locked and checked.
//
// Without this, searches and inserts take 1.2 times as long with 10 million rows (bench/prefetch).
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
}

namespace simhash
{

// Starts to bring what readers of the buffers' pages need first into the processor's cache: the descriptors
// to pin, both ends of the pages, and the beginning of their contents. To ask for more than that takes
// longer. A buffer must have held a page of the index; it need not be pinned, nor hold that page any more.
inline void prefetch_buffers([[maybe_unused]] const Buffer *buffer, [[maybe_unused]] int count)
{
#ifndef SIMHASH_NO_PREFETCH // which bench/prefetch sets
    constexpr int kLine = 64, kLines = 24, kVirtualPage = 4096;
    // Each virtual page is read once, and not just prefetched: a prefetch is dropped where the address is not
    // in the TLB. No read of this loop waits for another's result, so the processor does them all at once.
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
#endif
}

} // namespace simhash
