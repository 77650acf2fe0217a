// Prefetches several leaves into the processor's cache together.
//
// The leaves are in shared buffers. They are neither pinned nor locked for this. Reading a page that another
// process is changing or replacing is harmless: the memory of the buffers and of their descriptors stays mapped
// for as long as the process runs, and the values read are discarded. A leaf is used only after it has been
// pinned, locked and checked.
//
// Without this, searches and inserts take 1.2 to 1.3 times as long with 10 million rows (bench/decisions.md).
#pragma once

#include "core/page/leaf.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
}

namespace simhash
{

struct FetchedLeaf {
    Buffer buffer; // need not be pinned, and may hold another page by now
    bool end;      // the end of the page is needed, too
};

inline constexpr std::size_t kCacheLine = 64;

// Prefetches what readers of leaves need first: the descriptors, which they pin, the beginnings of the pages, and their
// ends.
inline void prefetch_leaves(const FetchedLeaf *leaf, int count)
{
    constexpr std::size_t kEnds = 192;
    // Each virtual page is read once instead of prefetched, because a prefetch is dropped if the address is
    // not in the TLB. The reads do not depend on each other, so the processor does them in parallel.
    unsigned char sum = 0;
    for (int i = 0; i < count; i++) {
        const Buffer buffer = leaf[i].buffer;
        const volatile char *page = BufferGetPage(buffer);
        sum = static_cast<unsigned char>(sum + page[0]);
        if (leaf[i].end)
            sum = static_cast<unsigned char>(sum + page[BLCKSZ - 1]);
        if (!BufferIsLocal(buffer))
            sum = static_cast<unsigned char>(
                sum + *reinterpret_cast<const volatile char *>(GetBufferDescriptor(buffer - 1)));
    }
    asm volatile("" : : "r"(sum));
    for (int i = 0; i < count; i++) {
        const char *page = BufferGetPage(leaf[i].buffer);
        for (std::size_t at = kCacheLine; at < kEnds; at += kCacheLine)
            __builtin_prefetch(page + at);
    }
}

// Prefetches a part of a page.
inline void prefetch_span(const char *page, PageSpan span)
{
    constexpr std::size_t kMost = 1536;
    const std::size_t end = Min(span.end, span.begin + kMost);
    for (std::size_t at = span.begin / kCacheLine * kCacheLine; at < end; at += kCacheLine)
        __builtin_prefetch(page + at);
}

} // namespace simhash
