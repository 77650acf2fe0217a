// The rows of a build. They are collected once and then, for each table, divided by its keys into runs (see
// core/page/leaf_cut.hpp): in memory while they fit, by way of temporary files beyond.
#pragma once

#include "am/tree/index.hpp"

#include "core/page/leaf_cut.hpp"
#include "core/tables/byte_permutation.hpp"

extern "C" {
#include "storage/buffile.h"
}

namespace simhash
{

// Rows in memory are kept in chunks, so that they can be distributed to thousands of lists without counting
// them first and without a second array: a chunk that has been read is used again for the rows that follow.
inline constexpr Size kChunkRows = 63;
struct Chunk {
    Chunk *next;
    Size rows;
    Position row[kChunkRows];
};
static_assert(sizeof(Chunk) == 1024);

struct ChunkList {
    Position *at; // where the next row goes
    Position *end;
    Chunk *first;
    Chunk *last;
    Size full; // chunks in front of the last one that are full
};

struct ChunkPool {
    MemoryContext context;
    Chunk *unused;
    Chunk *fresh; // what is left of the last piece of memory
    Size fresh_chunks;
};

// What divides rows into runs.
struct Divider {
    ChunkPool pool;
    Size limit; // rows that may be in memory at a time
    Position *scratch[2];
    bool keep; // the rows, once they have been handed out
    ChunkList kept;
    RunSink sink;
    void *context;
};

// May use `kilobytes` of the current memory context.
void begin_divider(Divider *divider, int kilobytes);

// The bits in which rows are not all alike.
struct RowBits {
    Position any; // bits that some row has
    Position all; // bits that all rows have

    void add(Position row)
    {
        any = {any.key | row.key, any.tid | row.tid};
        all = {all.key & row.key, all.tid & row.tid};
    }
    void add(const RowBits &other)
    {
        any = {any.key | other.any.key, any.tid | other.any.tid};
        all = {all.key & other.all.key, all.tid & other.all.tid};
    }
    Position differing() const { return {any.key & ~all.key, any.tid & ~all.tid}; }
};
inline constexpr RowBits kNoRowBits = {{0, 0}, {~std::uint64_t{0}, ~std::uint64_t{0}}};

// Positions from low up to but not including high.
struct PositionRange {
    Position low;
    Position high;
    bool to_end; // there is no high
};

// Files of rows, each with its fingerprint as the key.
struct RowFiles {
    int files;
    BufFile **file;
    uint64 rows;
    RowBits bits;
};

// Hands the rows whose positions are within the range to the sink, in runs. `rows` is how many they are, or
// nearly.
void divide_files(Divider *divider, const RowFiles &files, uint64 rows, const BytePermutation &to_key,
                  const PositionRange &range, RunSink sink, void *context);

void write_rows(BufFile *file, Position *row, Size count);
void read_rows(BufFile *file, Position *row, Size count);

// Collects rows, then hands them out any number of times.
struct Spool {
    Divider divider;
    uint64 rows;
    RowBits bits;
    ChunkList list;                // rows in memory
    BitPermutation to_fingerprint; // from their keys, which are those of the last divide_spool
    BufFile *file;                 // all rows with their fingerprints, once they outgrow the memory
};

void begin_spool(Spool *spool, int kilobytes);
void add_to_spool(Spool *spool, Position row); // key: the fingerprint, 0 for NULL

// Hands all rows to the sink, in runs by (key, tid). Bit 63 - i of a row's key is bit source[i] of its
// fingerprint. No row may be added afterwards.
void divide_spool(Spool *spool, const std::uint8_t source[kBits], RunSink sink, void *context);

void end_spool(Spool *spool);

} // namespace simhash
