// The rows of a build. They are collected once, and then divided for each tree by its keys into runs (see
// core/page/leaf_cut.hpp): in memory if they fit, otherwise through temporary files.
// A tuplesort for each tree would take nine times as long in memory, and six times with temporary files
// (bench/decisions.md).
//
// A row is a Position, or a PairRow if keys have two words; build_rows.cpp instantiates the templates for both.
#pragma once

#include "am/index/row_chunks.hpp"
#include "am/tree/tree_page.hpp"

#include "core/layout/key_order.hpp"
#include "core/page/leaf_cut.hpp"

namespace simhash
{

static_assert(sizeof(Chunk<Position>) == 1024 && sizeof(Chunk<PairRow>) == 1024);

// Divides rows into runs.
template <typename Row> struct Divider {
    ChunkPool<Row> pool;
    Size limit; // the most rows in memory at a time
    Row *scratch[2];
    bool keep; // keep the rows after they have been passed to the sink
    ChunkList<Row> kept;
    RunSink<Row> sink;
    void *context;
};

// It may use `kilobytes` of memory in the current memory context.
template <typename Row> void begin_divider(Divider<Row> *divider, int kilobytes);

// The bits in which rows differ.
struct RowBits {
    Position any; // bits that are set in any row
    Position all; // bits that are set in all rows

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
    bool to_end; // the range has no upper bound
};

// Files of rows; the keys of the rows are their fingerprints.
struct RowFiles {
    int files;
    BufFile **file;
    uint64 rows;
    RowBits bits;
};

// Passes the rows whose positions are within `range` to the sink, in runs. `rows` is their exact or
// approximate number.
template <typename Row>
void divide_files(Divider<Row> *divider, const RowFiles &files, uint64 rows, const BytePermutation &to_key,
                  const PositionRange &range, RunSink<Row> sink, void *context);

template <typename Item> void write_row_file(BufFile *file, Item *item, Size count)
{
    BufFileWrite(file, item, count * sizeof(Item));
}
template <typename Item> void read_row_file(BufFile *file, Item *item, Size count)
{
    CHECK_FOR_INTERRUPTS();
    Size bytes = count * sizeof(Item);
    if (BufFileRead(file, item, bytes) != bytes)
        ereport(ERROR, errcode_for_file_access(),
                errmsg("could not read from the temporary file of an index build"));
}

// Collects rows, then passes them to sinks any number of times.
template <typename Row> struct BuildRows {
    uint64 count;

    void begin(int kilobytes); // in a memory context of its own, which end() deletes
    void add(Row row);         // key: the fingerprint, 0 for NULL
    // Passes all rows to the sink, in runs by (key, tid). Bit 63 - i of a row's key is bit source[i] of its
    // fingerprint. No row may be added afterwards.
    void divide(const std::uint8_t source[kBits], RunSink<Row> sink, void *context);
    void end();

private:
    void spill();
    void divide_memory(const BytePermutation &to_key, RunSink<Row> sink, void *context);

    Divider<Row> divider_;
    RowBits bits_;
    ChunkList<Row> list_;           // rows in memory
    BitPermutation to_fingerprint_; // converts the rows' keys, which are those of the last divide()
    BufFile *file_;                 // all rows with their fingerprints, once they do not fit into memory
};

} // namespace simhash
