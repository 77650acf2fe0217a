// Exact queries of a queue that are merged with the leaves, if each step of their plans reads the keys with one header.
//
// For each table the queries are sorted by their headers, and the leaves that they need are read from left to right beside
// them. Nothing is noted for a leaf. Most headers are within one leaf, and all of its queries are matched with it. Where
// a header takes several leaves, each query is matched with those that its ball of keys reaches.
//
// Parallel workers have a copy of the queries. A task is a table and a range of headers: a process selects the queries in
// the range, sorts them, and reads their leaves.
#pragma once

#include "am/match/query_queue.hpp"

namespace simhash
{

// Whether queries with this plan can be merged.
bool can_merge(const SearchPlan &plan);

// Matches the merged queries of the queue and removes them.
void run_merged(QueryQueue *queue);

} // namespace simhash
