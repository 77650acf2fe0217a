// What the wing of the fingerprints puts behind the door (index/kind.hpp). Only for the files of this folder.
#pragma once

#include "am/fingerprints/fingerprint_meta.hpp"
#include "am/index/kind.hpp"

namespace simhash
{

// fingerprint_meta.cpp

// The state in the relcache entry: search plans by radius, made when they are first needed; no steps before. They depend
// on the length of the index, so they are for one number of the entry (follow_growth).
inline constexpr int kKeptPlans = 32;
struct KeptPlans {
    std::uint32_t number;
    SearchPlan plan[kKeptPlans];
};
const char *read_fingerprint_meta(Relation index, const char *page, IndexMeta *meta);

// fingerprint_build.cpp
void build_fingerprints(Relation heap, Relation index, IndexInfo *info, IndexBuildResult *result);
void build_no_fingerprints(Relation index);
// Writes the metapage and empty roots.
void write_first_pages(Relation index, ForkNumber fork, const MetaData &data);

// parallel_build.cpp: builds an index with up to `workers` workers. Returns false, and has done nothing, if none could be
// started.
bool build_in_parallel(Relation heap, Relation index, IndexInfo *info, const IndexOptions &options,
                       int workers, IndexBuildResult *result);

// fingerprint_search.cpp
ValueSearch *prepare_fingerprint_search(const OpenIndex &index, int nkeys, int norderbys);

extern const SearchCosts kFingerprintCosts; // fingerprint_cost.cpp
extern const CheckKind kFingerprintCheck;   // check_fingerprints.cpp

// fingerprint_pairs.cpp
struct PairWork *join_fingerprints(PairOutput *output, int radius);
extern const Size kFingerprintPlanBytes;
void plan_fingerprint_join(PairOutput *output, int radius, int processes, void *plan);
struct PairWork *begin_fingerprint_join(PairOutput *output, const void *plan);
JoinCost fingerprint_join_cost(const JoinTask &task);

} // namespace simhash
