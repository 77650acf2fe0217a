#include "am/tree/tid_memo.hpp"

#include "am/index/heap_tid.hpp"

#include <bit>

namespace simhash
{

void TidMemo::begin(IndexBulkDeleteCallback callback, void *callback_state, Size limit)
{
    *this = {};
    callback_ = callback;
    callback_state_ = callback_state;
    context_ = CurrentMemoryContext;
    left_ = limit;
}

// Adds the chunk of a tid. It has room for the offsets that have been seen so far, since rows of a table are often of
// like sizes. A tid with a higher offset is looked up whenever it is met.
bool TidMemo::add_chunk(Tid tid)
{
    Size number = chunk_number(tid);
    if (number >= chunks_) {
        Size chunks = Max(number + 1, 2 * chunks_), bytes = sizeof(Chunk) * chunks;
        if (bytes > left_)
            return false;
        auto *grown = allocate_huge<Chunk>(chunks, context_, MCXT_ALLOC_ZERO);
        if (chunk_ != nullptr) {
            std::memcpy(grown, chunk_, sizeof(Chunk) * chunks_);
            pfree(chunk_);
            left_ += sizeof(Chunk) * chunks_;
        }
        left_ -= bytes;
        chunk_ = grown;
        chunks_ = chunks;
    }
    Chunk chunk = {nullptr, static_cast<std::uint16_t>(TYPEALIGN(kTidsOfWord, offsets_)), false};
    Size bytes = sizeof(std::uint64_t) * chunk.words();
    if (bytes > left_)
        return false;
    chunk.state = allocate_huge<std::uint64_t>(chunk.words(), context_, MCXT_ALLOC_ZERO);
    left_ -= bytes;
    chunk_[number] = chunk;
    return true;
}

bool TidMemo::want(Tid tid)
{
    if (chunk_of(tid) == nullptr && !add_chunk(tid))
        return false;
    Chunk *chunk = &chunk_[chunk_number(tid)];
    if (tid.offset > chunk->offsets)
        return false;
    Place place(*chunk, tid);
    chunk->state[place.word] |= std::uint64_t{kWanted} << place.shift;
    chunk->wanted = true;
    return true;
}

bool TidMemo::look_up(Tid tid)
{
    ItemPointerData pointer = pointer_of(tid);
    asked_++;
    return callback_(&pointer, callback_state_);
}

bool TidMemo::ask(Tid tid)
{
    bool dead = look_up(tid);
    if (chunk_of(tid) == nullptr || tid.offset > chunk_of(tid)->offsets)
        return dead;
    Chunk *chunk = &chunk_[chunk_number(tid)];
    Place place(*chunk, tid);
    chunk->state[place.word] &= ~(std::uint64_t{kDead} << place.shift);
    chunk->state[place.word] |= std::uint64_t{dead ? kDead : kAlive} << place.shift;
    return dead;
}

bool TidMemo::answer_word(Chunk *chunk, Size number, Size word)
{
    constexpr std::uint64_t kLow = 0x5555555555555555; // of each state
    std::uint64_t *states = &chunk->state[word];
    Size words_of_block = Size{chunk->offsets} / kTidsOfWord;
    bool found = false;
    for (std::uint64_t wanted = *states & ~(*states >> 1) & kLow; wanted != 0; wanted &= wanted - 1) {
        int shift = std::countr_zero(wanted);
        std::uint64_t block = number * kBlocks + word / words_of_block;
        Size offset = word % words_of_block * kTidsOfWord + static_cast<Size>(shift) / 2 + 1;
        bool dead = look_up(Tid::unpack(block << 16 | offset));
        found = found || dead;
        *states ^= std::uint64_t{dead ? kDead ^ kWanted : kAlive ^ kWanted} << shift;
    }
    return found;
}

bool TidMemo::answer_wanted()
{
    bool found = false;
    for (Size number = 0; number < chunks_; number++) {
        Chunk *chunk = &chunk_[number];
        if (!chunk->wanted)
            continue;
        delay_vacuum();
        for (Size word = 0; word < chunk->words(); word++)
            found |= answer_word(chunk, number, word);
        chunk->wanted = false;
    }
    return found;
}

} // namespace simhash
