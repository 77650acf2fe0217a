// CREATE INDEX with parallel workers.
#pragma once

#include "am/create/tree_writer.hpp"
#include "am/fingerprints/fingerprint_meta.hpp"

namespace simhash
{

// Builds an index with up to `workers` workers. Returns false, and has done nothing, if no worker could be
// started.
bool build_in_parallel(Relation heap, Relation index, IndexInfo *info, const IndexOptions &options,
                       int workers, IndexBuildResult *result);

// Writes the metapage and empty roots (fingerprint_build.cpp).
void write_first_pages(Relation index, ForkNumber fork, const MetaData &data);

} // namespace simhash
