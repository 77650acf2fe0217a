// What VACUUM knows of the rows of the index's table: whether the row at a tid is dead.
//
// Every tree has an entry of a row, and the entries of a leaf have tids from all over the table. To look one of these up
// among the dead tids, which are too many for the processor's caches, takes far longer than all else that VACUUM does
// with the entry. So each tid is looked up once, together with many others and in the order of the table, and the answer
// is kept in two bits. The answer depends on the tid alone as long as the callback is the same, whichever tree asks.
#pragma once

#include "core/bits/cache.hpp"
#include "core/page/page.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/genam.h"
}

namespace simhash
{

class TidMemo
{
public:
    enum State : unsigned { kUnknown, kWanted, kAlive, kDead };

    // Uses up to `limit` bytes, allocated as they are needed in the current memory context.
    void begin(IndexBulkDeleteCallback callback, void *callback_state, Size limit);

    void prefetch(Tid tid) const
    {
        const Chunk *chunk = chunk_of(tid);
        if (chunk != nullptr && tid.offset <= chunk->offsets)
            simhash::prefetch(&chunk->state[Place(*chunk, tid).word]);
    }
    State state(Tid tid) const
    {
        const Chunk *chunk = chunk_of(tid);
        if (chunk == nullptr || tid.offset > chunk->offsets)
            return kUnknown;
        Place place(*chunk, tid);
        return static_cast<State>(chunk->state[place.word] >> place.shift & 3);
    }
    // Prepares for the tids of a leaf.
    void expect(Tid tid) { offsets_ = Max(offsets_, Min(int{tid.offset}, int{MaxHeapTuplesPerPage})); }
    // Notes that answer_wanted is to look up a tid, whose state is unknown. Returns false if there is no memory for it.
    bool want(Tid tid);
    // Looks up the tids that are wanted, in their order. Returns whether one of them is dead.
    bool answer_wanted();
    // Looks up a single tid.
    bool ask(Tid tid);

    std::uint64_t asked() const { return asked_; }

private:
    // The states of the tids of some consecutive blocks of the table, 32 in a word.
    static constexpr int kBlocks = 64, kTidsOfWord = 32;
    struct Chunk {
        std::uint64_t *state;
        std::uint16_t offsets; // of each block, from 1; a multiple of kTidsOfWord
        bool wanted;           // whether any is

        Size words() const { return Size{kBlocks} * offsets / kTidsOfWord; }
    };
    struct Place {
        Size word;
        int shift;

        Place(const Chunk &chunk, Tid tid)
        {
            Size number = Size{tid.block_low} % kBlocks * chunk.offsets + tid.offset - 1;
            word = number / kTidsOfWord;
            shift = static_cast<int>(number % kTidsOfWord * 2);
        }
    };

    static Size chunk_number(Tid tid) { return static_cast<Size>(tid.packed() >> 16) / kBlocks; }
    const Chunk *chunk_of(Tid tid) const
    {
        Size number = chunk_number(tid);
        return number < chunks_ && chunk_[number].state != nullptr ? &chunk_[number] : nullptr;
    }
    bool add_chunk(Tid tid);
    bool look_up(Tid tid);
    bool answer_word(Chunk *chunk, Size number, Size word);

    IndexBulkDeleteCallback callback_;
    void *callback_state_;
    MemoryContext context_;
    Size left_; // of the limit
    Chunk *chunk_;
    Size chunks_;
    int offsets_; // the highest offset that was expected
    std::uint64_t asked_;
};

} // namespace simhash
