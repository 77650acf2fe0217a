// Inserting a row's entries into the trees.
//
// The entries of a few consecutive trees are one WAL record, so a crash or an error can leave a row in some trees
// only. That does no harm, because no snapshot sees such a row, and VACUUM removes its entries. The other way round,
// joins and the check rely on it that a row which a snapshot sees has an entry in every tree.
//
// The leaves of a group are located and pinned before the first is locked, so that the disk is seldom waited for under a
// lock: only where a leaf has split or been deleted meanwhile, or has no room. They are locked by ascending tree and
// changed when all are. Whether a leaf still covers its position is known only under its lock. No lock is held between two
// groups.
#pragma once

#include "am/index/meta.hpp"

namespace simhash
{

// How an insert finds entries of dead rows in a leaf that has no room.
struct OldVersions {
    InsertedInto into;
    // For entries with positions: replaces some positions, which ascend, by the tids of their rows, or by kNoRow.
    void (*rows_at)(const OpenIndex &index, std::uint64_t *position, int count);
};

// Inserts a row's entries into the trees from `tree` to before `end`; key[i] is the key in tree i.
void insert_entries(const OpenIndex &index, int tree, int end, const LeafKey *key, Tid tid,
                    const OldVersions &old);

// Removes entries of dead rows from a leaf, which is locked exclusively and has no room for an entry with this key. Returns
// whether they were enough to go on with it (old_versions.cpp).
bool remove_old_versions(const OpenIndex &index, Buffer leaf, const LeafKey &key, const OldVersions &old);

} // namespace simhash
