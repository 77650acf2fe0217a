// Sorting the rows of a build, once for each table: in memory while they fit, by files beyond.
#pragma once

#include "am/index.hpp"

extern "C" {
#include "storage/buffile.h"
}

namespace simhash
{

// Collects rows, then hands them out any number of times in a chosen order.
struct Spool {
    Size limit; // rows that may be in memory at a time
    Size capacity;
    Size in_memory;
    uint64 rows;
    Position *row; // key: the fingerprint, or in memory after sort_spool the key of the last sort
    BufFile *file; // all rows, once they outgrow the memory
};

using SortedRow = void (*)(Position position, void *context);

// May use `kilobytes` of memory.
void begin_spool(Spool *spool, int kilobytes);
void add_to_spool(Spool *spool, Fingerprint fingerprint, Tid tid);

// Calls sink for each row in the order of (key, tid). The key of a row is to_key(x), where x is its
// fingerprint in the first call, and in_memory_key says what it is later: a spool that fits in memory is
// sorted in place, so x is then the key that the call before gave it. to_key must be bijective.
void sort_spool(Spool *spool, const BitPermutation &to_key, SortedRow sink, void *context);

// Whether sort_spool's to_key is applied to the previous keys (true) or to the fingerprints.
inline bool in_memory_key(const Spool &spool) { return spool.file == NULL; }

void end_spool(Spool *spool);

} // namespace simhash
