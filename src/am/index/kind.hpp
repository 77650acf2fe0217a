// The door between an index and what it stores.
//
// There are two kinds of indexes: on fingerprints, of type simhash (src/am/fingerprints), and on signatures, of type
// bit(n) (src/am/signatures). Both have the same trees, scans, rings, joins and checks. These rooms reach what
// differs through the table of functions of the index's kind, and know neither of the two. A kind knows the rooms
// that it serves, and not the other kind. src/module.cpp alone knows both.
#pragma once

#include "am/index/meta.hpp"
#include "am/index/stored_value.hpp"

extern "C" {
#include "access/amapi.h"
#include "access/genam.h"
}

#include <span>

namespace simhash
{

// An operator of the operator classes for a type. It is in the schema of the extension, but for = in pg_catalog. The types
// of its operands are the extension's or PostgreSQL's; null is the type that the class is for.
struct ClassOperator {
    int strategy; // strategy.hpp
    const char *name;
    const char *right;
    const char *left;
};

// A type that operator classes can be for.
struct IndexedType {
    const char *name; // in the schema of the extension; null if the type is PostgreSQL's
    Oid type;         // PostgreSQL's
    std::span<const ClassOperator> operators;
    const char *extract; // the extension's function that makes what is stored; null: stored as it is
};

// All pairs within a radius, of the rows of one index or between those of two, as the planner knows it.
struct JoinTask {
    int sides;
    Relation index[2]; // one of the parts
    int parts[2];
    double rows[2], pages[2]; // of each side's indexes
    int radius;
    int processes;
};
struct JoinCost {
    double start, all; // microseconds of processor time: before the first pairs are found, and in all
    double pages[2];   // of each index that are read
    bool shared;       // whether several processes gain; otherwise each does all
    bool pages_shared;
};

struct IndexOptions;
struct IndexKind {
    const char *values; // the plural noun: for messages
    const char *typed;  // the same with the type
    const char *stored; // the type that extracting operator classes store
    const IndexedType *types;
    int type_count;

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
    bool (*insert)(Relation index, const StoredValue &stored, ItemPointer pointer, const InsertedInto &into,
                   IndexInfo *info);
    IndexBulkDeleteResult *(*bulk_delete)(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                          IndexBulkDeleteCallback callback, void *callback_state);

    // What the other rooms ask of a kind; each declares its table of functions.
    struct ValueSearch *(*prepare_search)(const OpenIndex &index, int nkeys,
                                          int norderbys); // search/value_search.hpp
    const struct SearchCosts *costs;                      // search/cost.hpp
    const struct CheckKind *check;                        // inspect/check.hpp
    const struct StatsKind *stats;                        // inspect/index_stats.hpp
    // Begins to add the pairs within a distance, of the rows of one index or between those of two, to the output
    // (pairs/pair_output.hpp).
    struct PairWork *(*join)(struct PairOutput *output, int radius);
    // The same in two steps, for processes that share a plan of so many bytes: the plan says how many rows each side has.
    // Null if they cannot.
    Size join_plan_bytes;
    void (*plan_join)(struct PairOutput *output, int radius, int processes, void *plan);
    struct PairWork *(*begin_join)(struct PairOutput *output, const void *plan);
    JoinCost (*join_cost)(const JoinTask &task);
};

// Makes a kind known. Called when the library is loaded.
void define_kind(const IndexKind *kind);
// The kind of the indexes that store a type.
const IndexKind &kind_for(Oid type);
inline const IndexKind &kind_of(Relation index) { return kind_for(stored_type(index)); }

// A superuser can make operator classes for any type, and add operators to ours. What they do not have from here is
// refused: by CREATE INDEX, by the planner and, if they were added later, by scans. `handler` is the access method's,
// whose schema is the extension's.

Oid access_method_handler(Oid method);
// The kind of the indexes on just this type, or null.
const IndexKind *kind_on(Oid handler, Oid type);
// The function that an operator class for this type must have to extract what is stored, or InvalidOid. If there are
// several, it is the one that the class has, and otherwise the first. `family` is the operator class's.
Oid class_extraction(Oid handler, Oid family, Oid type);
// The type that operator classes for this type, which extract, must store.
Oid class_storage(Oid handler, Oid type);
// The one operator that may have a strategy number in an operator class for this type, for the searched column or for those
// before it, or InvalidOid.
Oid class_operator(Oid handler, Oid family, Oid type, bool searched, int strategy);
// The function of that operator of an index's column, from 0. That of the searched one is kept in the relcache entry.
Oid class_function(Relation index, int column, int strategy);
// Whether the class of a column, from 1, has a distance: those of texts and of balls have none.
bool has_distance(Oid index, int column);
// Whether an index stores sketches of texts, which are near for some texts that are not.
bool indexes_texts(Relation index);
// Whether a type has operator classes for conditions of equality alone, on columns before the searched one.
bool is_equality_type(Oid type);

} // namespace simhash
