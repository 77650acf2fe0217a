// The rows of a side, as they are read, sorted, compared and spooled.
#pragma once

#include "core/bits/fingerprint.hpp"
#include "pg/server/postgres.hpp"

extern "C" {
#include "utils/memutils.h"
}

namespace simhash
{

// Rows of a side: the word by which they are compared, and a tag that names the row in its low 48 bits: usually its
// number (BlockNumbers), otherwise what the PairSource can find it by.
struct Rows {
    Fingerprint *word;
    uint64 *tag;
    Size count;

    Rows part(Size from, Size end) const { return {word + from, tag + from, end - from}; }
    void set(Size at, Fingerprint w, uint64 t) const
    {
        word[at] = w;
        tag[at] = t;
    }
};

inline void copy_rows(const Rows &from, Rows *to)
{
    std::memcpy(to->word, from.word, from.count * sizeof(Fingerprint));
    std::memcpy(to->tag, from.tag, from.count * sizeof(uint64));
    to->count = from.count;
}

inline Rows allocate_rows(Size capacity)
{
    return {allocate_huge<Fingerprint>(capacity), allocate_huge<uint64>(capacity), 0};
}

// Set in a tag if the snapshot sees the row. If tags are numbers, such a one has the tid of the tuple version that it
// sees, and others have the tid of the index entry.
inline constexpr uint64 kVisible = UINT64CONST(1) << 48;
inline constexpr uint64 kTidMask = kVisible - 1;
// The distance of a pair is in the bits above.
inline constexpr int kDistanceShift = 49;
inline constexpr int kMostPairDistance = (1 << (64 - kDistanceShift)) - 1;

// Rows in numbered stores. They stay in memory while there is room; beyond that, stores go to temporary files.
struct PairSpool;

// A spool for about `rows` rows that uses at most `bytes` bytes.
PairSpool *begin_pair_spool(Size bytes, int stores, double rows);
void end_pair_spool(PairSpool *spool);
void clear_pair_spool(PairSpool *spool); // all stores are empty again
void add_row(PairSpool *spool, int number, Fingerprint word, uint64 tag);
uint64 spooled_rows(const PairSpool *spool, int number);
// Reads up to `most` rows of a store, starting with row number `from`.
void read_rows(PairSpool *spool, int number, uint64 from, Size most, Rows *rows);
// The memory that a store takes besides its rows.
inline constexpr Size kStoreBytes = BLCKSZ + 1024;

} // namespace simhash
