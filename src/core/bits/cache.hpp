// Asks the processor to bring memory into its cache.
#pragma once

namespace simhash
{

// A function that does nothing else still has an effect: without that the compiler removes the calls of, say, a lambda
// that prefetches.
inline void prefetch(const void *memory)
{
    __builtin_prefetch(memory);
    asm volatile("" : : "r"(memory));
}

} // namespace simhash
