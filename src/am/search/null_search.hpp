// The search for the rows without a value, which scans return last: a walk over the tree of the NULLs. It is the same
// for all kinds of indexes.
#pragma once

#include "am/search/value_search.hpp"
#include "am/tree/leaf_reader.hpp"

namespace simhash
{

struct NullSearch {
    LeafReader reader;
    TreeWalk walk;
    bool keep_pin;
    Buffer pin;
    Hit *hit; // memory for a leaf's rows; null until it is needed, because few scans want the NULLs
    MemoryContext context;
};

// Memory is allocated in the current memory context, when it is needed.
void prepare_null_search(NullSearch *search, const OpenIndex &index);
void begin_null_search(NullSearch *search, Snapshot snapshot, bool keep_pin);
// Sets the results to the rows of the next leaf that has any. Returns false at the end.
bool next_nulls(NullSearch *search, Results *results);

} // namespace simhash
