// Queries that are searched for together: the batch mode of Sood and Loguinov 2011, section 6.3.
//
// A query is planned alone, in the same way as by a scan, but its leaves are only noted. When the memory for
// notes is full, the leaves are read in the order of their keys, each once for all queries that need it, and the
// next queries are planned.
//
// If one match is enough for a query, only its first leaf is noted at first, where most have a match. Those that
// have none are planned again, in a second queue.
#pragma once

#include "am/fingerprints/fingerprint_search.hpp"
#include "am/pairs/pairs.hpp"

#include "pg/types/guided_ball.hpp"

namespace simhash
{

struct QueuedQuery {
    int64 key;      // the caller's
    uint64 ordinal; // among all queries of the caller
    Fingerprint center;
    int radius;
    bool matched; // and needs no more matches
    Size ranges;  // the number of the first of its ranges
};

// Keys of a table that a probe by weights reads.
struct QueuedRange {
    uint64 first_key;
    uint64 last_key;
    int table;
};

// A part of a leaf, or of the leaves that it has been split into, that a query needs: the entries from `lower`
// to before `upper`. One cache line, because leaves are sorted by reference.
struct QueuedLeaf {
    Position lower;
    Position upper; // kNoUpper for none
    Fingerprint center;
    uint64 first_cell; // by weights: the first key of the probed cell
    uint32 query;
    uint16 earlier; // the query's ranges that were read before
    uint8 table;
    uint8 step; // of the exact search; kByWeights if it is by weights
    int8 radius;
};
static_assert(sizeof(QueuedLeaf) == 64);
inline constexpr Position kNoUpper = {~uint64{0}, ~uint64{0}};
inline constexpr uint8 kByWeights = 255;

struct QueryQueue {
    MemoryContext context;
    PairOutput *output; // tag[0] is the row's, tag[1] the query's number
    int part;           // the partition that is searched
    bool first_only;    // one match is enough for a query
    QueryQueue *rest;   // the second queue, or null; then all leaves are noted
    bool reading;       // the output's numbers mean queries of this queue

    // The sources of the query that is being planned.
    FingerprintSource exact;
    GuidedSource *guided;
    SearchPlan *plan[kBits + 1]; // of exact searches, by radius; null until it is needed

    QueuedQuery *query;
    GuidedBall *ball; // of each query, if there is a second queue
    uint32 queries;
    QueuedLeaf *leaf;
    Size leaves;
    QueuedRange *range;
    Size ranges;
    Size capacity; // of queries and of leaves
    Size range_capacity;
    struct LeafOrder *order, *spare;
    uint64 below_cell; // the bits of a key below the cell
    uint16 *match;     // room for a leaf's matches
};

// Prepares a queue of searches in one part of the output's side, which uses about `bytes` bytes.
QueryQueue *begin_queue(PairOutput *output, int part, bool first_only, Size bytes);

// Adds a query. When the queue is full, the queries in it are matched and removed first.
void add_query(QueryQueue *queue, int64 key, uint64 ordinal, const GuidedBall &ball);

// Matches the queries that are still in the queue.
void finish_queue(QueryQueue *queue);

// The query that the output means by a number. Only while the output is being flushed.
QueuedQuery *found_query(QueryQueue *queue, uint64 number);

} // namespace simhash
