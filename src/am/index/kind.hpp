// The door between an index and what it stores.
//
// There are two kinds of indexes: on fingerprints, of type simhash (src/am/fingerprints), and on signatures, of type
// bit(n) (src/am/signatures). Both have the same trees, scans, rings, joins and checks. These rooms reach what
// differs through the table of functions of the index's kind, and know neither of the two. A kind knows the rooms
// that it serves, and not the other kind. src/am/kinds.cpp alone knows both.
#pragma once

#include "am/index/meta.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/genam.h"
}

namespace simhash
{

struct IndexOptions;
struct IndexKind {
    const char *values; // the plural noun: for messages
    const char *typed;  // the same with the type
    Oid type;           // of the indexed values; InvalidOid if it differs from database to database

    // The metapage (meta.hpp). read_meta returns what is wrong with the page, or null. It may read catalogs.
    Size meta_bytes;  // of the kind's struct
    Size state_bytes; // of its state in the relcache entry
    const char *(*read_meta)(Relation index, const char *page, IndexMeta *meta);

    // Pages, of the trees and others. check_page may call check_page_of_trees. visit_links calls visit(context,
    // block) for each block to which a page outside the trees leads, except by its right link; null if there are no
    // such pages.
    const char *(*check_page)(const IndexMeta &meta, const char *page);
    void (*visit_links)(const IndexMeta &meta, const char *page,
                        void (*visit)(void *context, BlockNumber block), void *context);

    // The routines of the access method.
    void (*build)(Relation heap, Relation index, IndexInfo *info, IndexBuildResult *result);
    void (*build_empty)(Relation index);
    bool (*insert)(Relation index, Datum *values, bool *isnull, ItemPointer pointer, const InsertedInto &into,
                   IndexInfo *info);
    IndexBulkDeleteResult *(*bulk_delete)(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                          IndexBulkDeleteCallback callback, void *callback_state);

    // What the other rooms ask of a kind; each declares its table of functions.
    struct ValueSearch *(*prepare_search)(Relation index, const IndexMeta *meta, int nkeys,
                                          int norderbys); // search/value_search.hpp
    const struct SearchCosts *costs;                      // search/cost.hpp
    const struct CheckKind *check;                        // inspect/check.hpp
    const struct StatsKind *stats;                        // inspect/index_stats.hpp
    // Adds the pairs within a distance, of the rows of one index or between those of two, to the output
    // (pairs/pairs.hpp).
    void (*join)(struct PairOutput *output, int radius);
};

// Makes a kind known. Called when the library is loaded.
void define_kind(const IndexKind *kind);
// The kind of the indexes on a type.
const IndexKind &kind_for(Oid type);
inline const IndexKind &kind_of(Relation index) { return kind_for(index->rd_opcintype[0]); }

} // namespace simhash
