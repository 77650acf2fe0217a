// Reads and compares the signatures of a join. For the files of this folder.
//
// They are those of stores, or of rows in no index: then the pages of a file look like a store's body pages, each of
// which is a segment.
//
// The slot of a row that the snapshot sees does not change while the join runs, so every pass finds all of these rows.
// VACUUM may free the slot of another row, and an insert may reuse it before the signatures are compared. Then
// the new row takes the place of the old one in the candidate; the snapshot does not see it either.
#pragma once

#include "am/pairs/pair_read.hpp"
#include "am/signatures/store.hpp"

#include "core/layout/pair_plan.hpp"

extern "C" {
#include "storage/buffile.h"
}

namespace simhash
{

static_assert(kMostSignatureBits <= kMostPairDistance);

// The stores of a side.
struct StoreSide {
    const PairSide *side;
    Snapshot snapshot;
    StoreShape shape;
    Segments *segments; // of each part
    Size *first;        // the number of each part's first segment among those of all parts
    Size count;         // of the segments of all parts
};
void list_segments(const PairOutput &output, int number, StoreSide *store);
inline bool in_file(const PairSide &side) { return side.part[0].file != nullptr; }

// A pass over the signatures of one index or two: it finds candidates by a key of each signature, and then compares
// the signatures.
inline constexpr int kEqualPass = -1; // the key is a hash of the signature: it finds equal ones

struct SignaturePass : PairSource {
    StoreSide store[2]; // of the output's sides
    int radius;
    int bytes; // of a signature
    int words;
    int number; // in the plan, or kEqualPass
    const WordModel *model;
    const WindowPlan *plan;
    uint64 *merged; // the rows of one index that an equal one represents, a bit for each slot; or null

    // The rows of the waiting pairs.
    uint8 *signature;
    uint64 *position;
    uint64 *row; // its number
    char *page;  // of a file
};

// Reads the body pages of the stores of a side, in order, or from another `segment` and `body` on.
struct StoreWalk {
    const StoreSide *store;
    const uint64 *merged;
    StoreShape shape;
    BufferAccessStrategy strategy;
    Size segment;      // of the next page
    int body;          // the next one
    int part;          // of the page
    BlockNumber block; // of the page
    Size first_slot;   // of the page, among all of the stores
    PGAlignedBlock page;

    bool has_row(int slot) const
    {
        Size at = first_slot + static_cast<Size>(slot);
        return body_tid(page.data, slot) != kNoRow &&
               (merged == nullptr || !(merged[at / 64] >> at % 64 & 1));
    }
    uint64 position(int slot) const
    {
        return store->side->positions.number(part, store_position(block, slot)) |
               (in_file(*store->side) ? kVisible : 0);
    }
};
void begin_store_walk(StoreWalk *walk, const StoreSide &store, const uint64 *merged);
// Copies the next page, so that no lock is held over the work. Returns false at the end.
bool next_store_page(StoreWalk *walk);
// The number of a row with a tid in the store of a part, marked if it is known to be visible; kNoRow as row_number.
inline uint64 marked_number(const PairSide &side, int part, uint64 tid)
{
    return row_number(side, part, tid) | (in_file(side) ? kVisible : 0);
}
void end_store_walk(StoreWalk *walk);

// The key of a signature in a pass.
uint64 pass_key(const SignaturePass &pass, const uint8 *signature);

// Compares the signatures of the waiting pairs, and keeps the pairs within the radius that no earlier pass has found,
// with their tids and distances.
void resolve_pairs(PairOutput *output);

// The number of the row at a store position; kNoRow if VACUUM has removed it.
uint64 stored_row(const PairOutput &output, int side, uint64 position);

// The number of slots of the stores of a side.
Size store_slots(const StoreSide &store);

} // namespace simhash
