// What the wing of the signatures puts behind the door (index/kind.hpp). Only for the files of this folder.
#pragma once

#include "am/index/kind.hpp"
#include "am/signatures/signature_meta.hpp"

#include "core/page/signature_plan.hpp"

namespace simhash
{

// signature_meta.cpp
const char *read_signature_meta(Relation index, const char *page, IndexMeta *meta);
const char *check_signature_page(const IndexMeta &meta, const char *page);
void visit_segments(const IndexMeta &meta, const char *page, void (*visit)(void *context, BlockNumber block),
                    void *context);

// signature_build.cpp
void build_signatures(Relation heap, Relation index, IndexInfo *info, IndexBuildResult *result);
void build_no_signatures(Relation index);

// store_insert.cpp, store_vacuum.cpp
bool insert_signature(Relation index, const StoredValue &stored, ItemPointer pointer,
                      const InsertedInto &into, IndexInfo *info);
IndexBulkDeleteResult *bulk_delete_signatures(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                              IndexBulkDeleteCallback callback, void *callback_state);

// signature_search.cpp
ValueSearch *prepare_signature_search(const OpenIndex &index, int nkeys, int norderbys);

// signature_cost.cpp
SignatureIndexSize signature_index_size(const SignatureLayout &layout, BlockNumber blocks); // an estimate
extern const SearchCosts kSignatureCosts;
extern const CheckKind kSignatureCheck; // check_store.cpp

// signature_pairs.cpp
struct PairWork *join_signatures(PairOutput *output, int radius);
JoinCost signature_join_cost(const JoinTask &task);

} // namespace simhash
