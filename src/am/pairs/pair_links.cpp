// Merges rows with equal words when only the groups are wanted: a million copies of a page make half a
// trillion pairs, but only a million links.
#include "am/pairs/pair_cells.hpp"

extern "C" {
#include "miscadmin.h"
}

#include <algorithm>
#include <utility>

namespace simhash
{

namespace
{

struct Row {
    Fingerprint word;
    uint64 tag;

    bool operator<(const Row &other) const
    {
        return word != other.word ? word < other.word : tag < other.tag;
    }
};

constexpr Size kFilterBits = 16; // for each row

int hash_bits(Size rows) { return bit_width(rows * kFilterBits); }

// Two bits for each hash value: whether a word has it, and whether another one does.
Size filter_bytes(Size rows) { return (Size{2} << hash_bits(rows)) / 8 + 16; }

// Moves the rows whose words may be repeated to the end. Returns how many rows precede them. Uses filter_bytes of memory.
Size part_repeated(void *memory, const Rows &rows)
{
    const int bits = hash_bits(rows.count);
    auto *seen = static_cast<uint64 *>(memory), *again = seen + ((Size{1} << bits) + 63) / 64;
    const auto hash = [bits](Fingerprint x) -> Size {
        return x * UINT64CONST(0x9E3779B97F4A7C15) >> (64 - bits);
    };
    std::memset(memory, 0, filter_bytes(rows.count));
    for (Size i = 0; i < rows.count; i++) {
        const Size at = hash(rows.word[i]);
        const uint64 bit = uint64{1} << at % 64;
        again[at / 64] |= seen[at / 64] & bit;
        seen[at / 64] |= bit;
    }
    Size front = 0;
    for (Size i = 0; i < rows.count; i++) {
        const Size at = hash(rows.word[i]);
        if (again[at / 64] >> at % 64 & 1)
            continue;
        std::swap(rows.word[front], rows.word[i]);
        std::swap(rows.tag[front], rows.tag[i]);
        front++;
    }
    return front;
}

} // namespace

void link_equal(PairJoin *join, bool add, Rows *rows)
{
    // Nothing else uses the arena between two windows.
    Assert(join->arena_used == 0);
    Assert(filter_bytes(rows->count) <= join->arena_size && rows->count * sizeof(Row) <= join->arena_size);
    Size kept = part_repeated(join->arena, *rows);
    Rows repeated = rows->part(kept, rows->count);
    if (repeated.count == 0)
        return;
    if (!join->output->filter_early)
        filter_rows(join->output, join->side[0], &repeated);

    auto *row = reinterpret_cast<Row *>(join->arena);
    for (Size i = 0; i < repeated.count; i++)
        row[i] = {repeated.word[i], repeated.tag[i]};
    std::sort(row, row + repeated.count);
    Size first = 0;
    for (Size i = 0; i < repeated.count; i++) {
        if (i == 0 || row[i].word != row[first].word) {
            first = i;
            rows->set(kept++, row[i].word, row[i].tag);
        } else if (add) {
            CHECK_FOR_INTERRUPTS();
            add_pair(join->output, row[first].tag, row[i].tag, 0);
        }
    }
    rows->count = kept;
}

} // namespace simhash
