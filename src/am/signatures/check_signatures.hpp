// Shared by the parts of simhash_index_check for signatures: check_store, check_signatures.
#pragma once

#include "am/inspect/check.hpp"
#include "am/signatures/store.hpp"

namespace simhash
{

// The kind's memory of a check.
struct StoreCheck {
    Segments segments;
    int64 rows;
    int64 listed_pages;     // that belong to lists
    uint64 sum[kMaxTables]; // of the entries that the trees should have
    bool trees_differ;      // they do not have exactly these, or this is not known
};

inline StoreCheck *store_of(const Check &check) { return static_cast<StoreCheck *>(check.own); }
inline const SignatureMeta &meta_of(const Check &check) { return signature_meta(*check.meta); }

// Compares the signatures of the store with those of the table's rows. Returns which NULLs there must be.
Expected check_signatures(Check *check, Relation heap, IndexInfo *info, Snapshot snapshot);

} // namespace simhash
