// Queries that are searched for together: the batch mode of Sood and Loguinov 2011, section 6.3.
//
// Exact queries whose steps read the keys with one header are merged with the leaves (merged_queries.hpp).
//
// Any other query is planned alone, in the same way as by a scan, but its leaves are only noted. When the memory for
// notes is full, the leaves are read in the order of their keys, each once for all queries that need it, and the
// next queries are planned. If one match is enough for a query, only its likeliest leaf is noted at first, where most
// have a match. Those that have none are planned again, in a second queue with a few leaves each, and then in a third.
#pragma once

#include "am/fingerprints/fingerprint_search.hpp"
#include "am/pairs/pairs.hpp"

#include "pg/server/settings.hpp"
#include "pg/types/ball.hpp"

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

// A query among those that a table's leaves are merged with: all that is needed until there is a match.
struct MergedQuery {
    uint32 header; // of its key, at the top
    uint32 radius : 7;
    uint32 query : 25;
    Fingerprint center;
};
static_assert(sizeof(MergedQuery) == 16);
inline constexpr uint32 kMostMerged = 1 << 22; // they are sorted without a check for interrupts

// What parallel workers need of the merged queries.
struct SharedQuery {
    Fingerprint center;
    std::uint8_t radius;
    bool matched; // and needs no more matches
};
struct SharedQueries {
    int part;
    bool first_only;
    int shares; // of each table
    Size bytes; // for the pairs of each process
    uint32 count;
    SearchPlan plan[kBits + 1]; // by radius; without steps if there is no such query
    SharedQuery query[FLEXIBLE_ARRAY_MEMBER];
};

struct QueryQueue {
    MemoryContext context;
    MemoryContext arrays; // for the queries
    Size bytes;           // for the arrays
    PairOutput *output;   // tag[0] is the row's, tag[1] the query's number
    int part;             // the partition that is searched
    bool first_only;      // one match is enough for a query
    Size leaves_each;     // the most leaves of a query that are noted
    QueryQueue *rest;     // the queue of those for which they were not enough; null if all leaves are noted
    QueuedQuery *reading; // what the output's numbers mean; null while another queue is read
    LeafEntry *found;     // room for a leaf's matches

    struct {
        QueuedQuery *query;
        uint32 queries;
        uint32 capacity; // 0 until there is such a query
        MergedQuery *order, *spare;
        SharedQueries *shared; // null without parallel workers
    } merged;

    // The sources of the query that is being planned.
    FingerprintSource exact;
    GuidedSource *guided;
    SearchPlan *plan[kBits + 1]; // of exact searches, by radius; null until it is needed

    // Queries whose leaves are noted.
    QueuedQuery *query;
    GuidedBall *ball; // of each query, if there is a queue for the rest
    uint32 queries;
    QueuedLeaf *leaf;
    Size leaves;
    QueuedRange *range;
    Size ranges;
    Size capacity; // of queries and of leaves; 0 until there is such a query
    Size range_capacity;
    struct LeafOrder *order, *spare;
    uint64 below_cell; // the bits of a key below the cell
};

inline const PairPart &part_of(const QueryQueue &queue) { return queue.output->side[0].part[queue.part]; }
inline const FingerprintMeta &meta_of(const QueryQueue &queue)
{
    return fingerprint_meta(*part_of(queue).meta);
}
inline Relation index_of(const QueryQueue &queue) { return part_of(queue).index; }

// Prepares a queue of searches in one part of the output's side, which uses about `bytes` bytes.
QueryQueue *begin_queue(PairOutput *output, int part, bool first_only, Size bytes);

// Adds a query. When the queue is full, the queries in it are matched and removed first.
void add_query(QueryQueue *queue, int64 key, uint64 ordinal, const GuidedBall &ball);

// Matches the queries that are still in the queue.
void finish_queue(QueryQueue *queue);

// The query that the output means by a number, for which a match is found; null if it needs no more. Only while the
// output is being flushed.
QueuedQuery *match_query(QueryQueue *queue, uint64 number);

// Whether a query of those that are being read needs no more matches.
inline bool is_matched(const QueryQueue &queue, uint32 query)
{
    const SharedQueries *shared = queue.merged.shared;
    return queue.first_only &&
           (shared != nullptr ? shared->query[query].matched : queue.reading[query].matched);
}

// A reader of the leaves that a source wants, for a queue.
void begin_queue_reading(const QueryQueue &queue, LeafReader *reader, LeafSource *source);
// Frees what it holds, and passes on the matches.
void end_queue_reading(QueryQueue *queue, LeafReader *reader);

// Adds the rows of a leaf's copy that query number `query` wants to the output if returns(fingerprint).
template <typename Returns>
void add_matches(QueryQueue *queue, const char *page, BlockNumber block, int table, const LeafQuery &wanted,
                 uint32 query, Returns returns)
{
    int matches = find_in_leaf(page, wanted, queue->found);
    if (matches == 0)
        return;
    TidCheck check;
    for (int i = 0; i < matches; i++)
        check.add(queue->found[i].tid);
    check.finish(index_of(*queue), block);
    const BlockNumbers &blocks = queue->output->side[0].tids.blocks;
    const FingerprintMeta &meta = meta_of(*queue);
    for (int i = 0; i < matches && !is_matched(*queue, query); i++) {
        const LeafEntry &found = queue->found[i];
        const uint64 key = found.key.word[0], tid = found.tid;
        if (blocks.counted(queue->part, tid) && returns(meta.word(table, key)))
            add_pair(queue->output, blocks.number(queue->part, tid), kVisible | query,
                     hamming_distance(key, wanted.key.word[0]));
    }
}

} // namespace simhash
