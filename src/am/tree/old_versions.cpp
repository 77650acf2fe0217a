// Removing old versions of rows before a leaf is split for a new one. An update that changes other columns, and cannot be
// HOT, adds an entry to every tree, equal to that of the old version but for the tid. So does a row that is deleted and
// inserted again, of which the insert only sees that the leaf has many equal entries. Without this, thousands of them would
// come together until the next VACUUM, and every search for them would look up all their rows.
//
// The table says which rows no snapshot sees any more (find_dead_rows). Their tids are not reused before VACUUM has been
// to every leaf. So a scan may hold the leaf's pin, and an entry may be gone from one tree and remain in others. On a
// standby older snapshots may see the rows: the record of the removal follows one that resolves these conflicts.
//
// Blocks of the table, and of a store, are locked while the leaf is: nobody who locks these waits for a leaf.
#include "am/index/failpoint.hpp"
#include "am/index/heap_tid.hpp"
#include "am/tree/insert.hpp"
#include "am/tree/tree_page.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

struct Candidate {
    LeafKey key;
    std::uint64_t row; // the tid or the position
    int place;
    bool promising; // another entry has the same key
};

// Collects the entries of a leaf, those with equal keys next to each other.
Candidate *read_candidates(const LeafEntry *entry, const int *place, int count)
{
    auto *candidate = allocate<Candidate>(count);
    for (int i = 0; i < count; i++)
        candidate[i] = {entry[i].key, entry[i].tid, place[i], false};
    std::sort(candidate, candidate + count, [](const Candidate &a, const Candidate &b) {
        return a.key.word[0] != b.key.word[0] ? a.key.word[0] < b.key.word[0] : a.key.word[1] < b.key.word[1];
    });
    for (int i = 1; i < count; i++) {
        if (candidate[i].key == candidate[i - 1].key)
            candidate[i].promising = candidate[i - 1].promising = true;
    }
    return candidate;
}

int equal_entries(Buffer leaf, const LeafKey &key)
{
    int count = 0;
    visit_leaf(buffer_page(leaf), [&](int, const LeafEntry &one) { count += one.key == key; });
    return count;
}

// Replaces the positions by tids. Only equal entries are looked up: the others are all over the store.
int look_up_rows(const OpenIndex &index, Candidate *candidate, int count, const OldVersions &old)
{
    count = static_cast<int>(
        std::remove_if(candidate, candidate + count, [](const Candidate &one) { return !one.promising; }) -
        candidate);
    std::sort(candidate, candidate + count,
              [](const Candidate &a, const Candidate &b) { return a.row < b.row; });
    auto *row = allocate<std::uint64_t>(count);
    for (int i = 0; i < count; i++)
        row[i] = candidate[i].row;
    old.rows_at(index, row, count);
    for (int i = 0; i < count; i++)
        candidate[i].row = row[i];
    pfree(row);
    return static_cast<int>(
        std::remove_if(candidate, candidate + count, [](const Candidate &one) { return one.row == kNoRow; }) -
        candidate);
}

// Finds the entries of dead rows. Returns how many, and the horizon of the conflict with a standby.
int find_dead(Relation index, Buffer leaf, const OldVersions &old, const Candidate *candidate, int count,
              PlaceSet *dead, TransactionId *horizon)
{
    constexpr int kWanted = BLCKSZ / 16;
    BlockNumber block = BufferGetBlockNumber(leaf);
    auto *row = allocate<OldRow>(count);
    TidCheck check;
    for (int i = 0; i < count; i++) {
        check.add(candidate[i].row);
        row[i] = {pointer_of(Tid::unpack(candidate[i].row)), candidate[i].promising, false};
    }
    check.finish(index, block);
    *horizon = find_dead_rows(old.into.heap, index, block, row, count,
                              BLCKSZ / Max(leaf_count(buffer_page(leaf)), 1), kWanted);
    int found = 0;
    for (int i = 0; i < count; i++) {
        if (row[i].dead) {
            dead->add(candidate[i].place);
            found++;
        }
    }
    pfree(row);
    return found;
}

// For fewer entries, it does not pay to come here for each insert, or to write the leaf anew.
constexpr int kLeast = 4, kLeastAnew = 32;

// Removes the dead entries, and leaves `kept` others. Returns whether they were enough.
bool remove_dead(const OpenIndex &index, Buffer leaf, const OldVersions &old, const PlaceSet &dead, int found,
                 const LeafEntry *entry, int kept, TransactionId horizon)
{
    if (found < kLeast)
        return false;
    GenericXLogState *state = GenericXLogStart(index);
    Page changed = GenericXLogRegisterBuffer(state, leaf, 0);
    // The latest versions are in the bag, where a removal changes few bytes.
    const bool enough = leaf_remove_from_bag(changed, dead) >= kLeast ||
                        (found >= kLeastAnew && leaf_write(changed, entry, kept));
    if (!enough) {
        GenericXLogAbort(state);
        return false;
    }
    log_conflict(old.into.heap, index, BufferGetBlockNumber(leaf), horizon);
    failpoint(Failpoint::old_versions);
    GenericXLogFinish(state);
    return true;
}

} // namespace

bool remove_old_versions(const OpenIndex &index, Buffer leaf, const LeafKey &key, const OldVersions &old)
{
    if (old.into.heap == nullptr || (!old.into.unchanged && equal_entries(leaf, key) < kLeastAnew))
        return false;
    const char *page = buffer_page(leaf);
    const auto room = static_cast<Size>(leaf_places(page)) + 1;
    auto *entry = allocate<LeafEntry>(room);
    auto *place = allocate<int>(room);
    int entries = 0;
    visit_leaf(page, [&](int at, const LeafEntry &one) {
        place[entries] = at;
        entry[entries++] = one;
    });
    int count = entries, found = 0, kept = 0;
    Candidate *candidate = read_candidates(entry, place, count);
    if (old.rows_at != nullptr)
        count = look_up_rows(index, candidate, count, old);
    PlaceSet dead = {};
    TransactionId horizon = InvalidTransactionId;
    if (count > 0)
        found = find_dead(index, leaf, old, candidate, count, &dead, &horizon);
    pfree(candidate);
    for (int i = 0; i < entries; i++) {
        if (!dead.has(place[i]))
            entry[kept++] = entry[i];
    }
    const bool enough = remove_dead(index, leaf, old, dead, found, entry, kept, horizon);
    pfree(entry);
    pfree(place);
    return enough;
}

} // namespace simhash
