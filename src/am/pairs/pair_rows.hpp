// Looks up rows in the order of their pages.
#pragma once

#include "am/pairs/pair_spool.hpp"

extern "C" {
#include "access/htup_details.h"
#include "access/sysattr.h"
}

#include <bit>

namespace simhash
{

// A row to look up, and its place in a list. Words in ascending order are in the order of the rows.
struct Probe {
    uint64 word;

    // Items of a page: rows of a heap, or of a store of signatures of at least 65 bits.
    static constexpr int kOffsetBits = std::bit_width(unsigned{BLCKSZ / 15});
    static constexpr int kPlaceBits = 64 - 1 - 32 - kOffsetBits;
    static_assert(MaxHeapTuplesPerPage < 1 << kOffsetBits);

    static Probe of(int side, uint64 tag, Size place)
    {
        uint64 row = static_cast<uint64>(side) << 48 | (tag & kTidMask);
        Assert((row & 0xFFFF) >> kOffsetBits == 0 && place >> kPlaceBits == 0);
        return {((row >> 16 << kOffsetBits) | (row & 0xFFFF)) << kPlaceBits | place};
    }
    // The side, and the number of the block.
    uint64 page() const { return word >> (kPlaceBits + kOffsetBits); }
    int side() const { return static_cast<int>(page() >> 32); }
    uint64 offset() const { return word >> kPlaceBits & ((1 << kOffsetBits) - 1); }
    uint64 row() const { return (page() & 0xFFFFFFFF) << 16 | offset(); }
    Size place() const { return word & ((Size{1} << kPlaceBits) - 1); }
};
inline constexpr Size kMostPairs = Size{1} << (Probe::kPlaceBits - 1); // that wait: each has two members

struct RowProbes {
    const Probe *begin, *end;

    // The probes of the first page, of which there must be one.
    RowProbes page() const
    {
        const Probe *at = begin;
        while (at < end && at->page() == begin->page())
            at++;
        return {begin, at};
    }

    // Calls visit(offset) for each row of probes of one page.
    template <typename Visit> void each_row(Visit visit) const
    {
        for (const Probe *at = begin; at < end; at++) {
            if (at == begin || at->offset() != at[-1].offset())
                visit(at->offset());
        }
    }
};

// Columns that are read when a row is looked up, so that it need not be fetched again. A row keeps so many words: a bit for
// each column that is NULL, and then the values. Those of varying length have room for twice the usual length. A row with a
// longer one keeps its number instead, and is fetched.
inline constexpr int kMostKeptColumns = 16;
inline constexpr uint64 kNotKept = uint64{1} << kMostKeptColumns;
struct KeptColumns {
    struct Column {
        AttrNumber number;
        int16 length; // -1 if it varies
        bool by_value;
        int word;
        int words;
    } column[kMostKeptColumns];
    int count;
    int words;
    const AttrNumber *
        *numbers; // of the columns of each part, by those of the table; null if they are the same

    // Returns the column's place, or -1 if it cannot be kept. `width` is the mean length of its values, 0 if it is not known.
    int add(TupleDesc row, AttrNumber number, int width);
    Datum value(const uint64 *row, int place, bool *null) const
    {
        *null = row[0] >> place & 1;
        return column[place].by_value ? static_cast<Datum>(row[column[place].word])
                                      : PointerGetDatum(row + column[place].word);
    }
};

struct PairPart;
struct PairOutput;

// Counts a row that is looked up, for the statistics.
void count_row(const PairPart &part, bool seen);

// The members of the waiting pairs that are not marked kVisible, or all of them, in the order of the rows. The place of a
// member is 2 * pair + place.
RowProbes probe_members(PairOutput *output, bool visible_too);
// Gives the members of the waiting pairs the tags of the versions that the snapshot sees, or 0, and keeps their columns.
void look_up_members(PairOutput *output);
// Removes the rows that the snapshot does not see and marks the others kVisible.
void filter_rows(PairOutput *output, int side, Rows *rows);

} // namespace simhash
