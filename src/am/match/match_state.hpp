// The state of a search for many balls: the batch mode of Sood and Loguinov 2011, section 6.3.
//
//   match_search    the queries: those that are merged with the leaves, and those that note theirs; the pulled matches
//   merged_queries  exact queries whose steps read the keys with one header
//   noted_queries   any others: plans each alone, as a scan does, but only notes its leaves; then reads these in the order of
//                   their keys, each once for all queries that need it
#pragma once

#include "am/fingerprints/fingerprint_search.hpp"
#include "am/match/match_search.hpp"
#include "am/pairs/pair_read.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "miscadmin.h"
}

namespace simhash
{

struct QueuedQuery {
    int64 number; // the caller's
    Fingerprint center;
    int radius;
    bool matched; // and needs no more matches
    Size ranges;  // the number of the first of its ranges
};

// Keys of a tree that a probe by weights reads.
struct QueuedRange {
    uint64 first_key;
    uint64 last_key;
    int tree;
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
    uint8 tree;
    uint8 step; // of the exact search; kByWeights if it is by weights
    int8 radius;
};
static_assert(sizeof(QueuedLeaf) == 64);
inline constexpr Position kNoUpper = {~uint64{0}, ~uint64{0}};
inline constexpr uint8 kByWeights = 255;

// Leaves are sorted by their trees and lower bounds: by `prefix` first, the tree and the leading bits of the bound.
struct LeafOrder {
    uint32 prefix;
    uint32 leaf;
};

// For a noted query, of one leaf.
inline constexpr Size kNotedBytes =
    sizeof(QueuedQuery) + sizeof(QueuedLeaf) + 2 * sizeof(LeafOrder) + sizeof(QueuedRange);

// Queries whose leaves are noted.
struct NotedQueries {
    QueuedQuery *query;
    uint32 queries;
    QueuedLeaf *leaf;
    Size leaves;
    QueuedRange *range;
    Size ranges;
    Size capacity; // of queries and of leaves
    Size range_capacity;
    LeafOrder *order, *spare;
    uint64 below_cell; // the bits of a key below the cell

    // The planning of the last query, until all of its leaves are noted.
    bool planning;
    bool by_weights; // its leaves come from its weights
    bool located;    // `next` is its next leaf
    LocatedLeaf next;
    Size probes; // by weights before an exact search

    bool reading; // the leaves are being read, or have been, and their matches wait
    struct NotedSource *source;
};

// A query among those that a tree's leaves are merged with: all that is needed until there is a match.
struct MergedQuery {
    uint64 key; // in the order of the tree
    uint32 radius : 7;
    uint32 query : 25;
};
static_assert(sizeof(MergedQuery) == 16);
inline constexpr uint32 kMostMerged = 1 << 22; // they are sorted without a check for interrupts

struct MergedQueries {
    QueuedQuery *query;
    uint32 queries;
    uint32 capacity; // 0 until there is such a query
    MergedQuery *order, *spare;
    int trees; // begun so far
    struct MergeSource *source;
};

struct MatchSearch {
    MemoryContext context;
    MemoryContext arrays; // for the queries
    Size bytes;           // for the arrays
    PairOutput *output;   // tag[0] is the row's, tag[1] the number of a query among those in `reading`
    bool finishes;        // some query needs no more matches

    // The sources of the query that is being planned.
    FingerprintSource exact;
    GuidedSource *guided;
    SearchPlan *plan[kBits + 1]; // of exact searches, by radius; null until it is needed

    MergedQueries merged;
    NotedQueries *noted; // null until there is such a query

    // The leaf that is being matched: queries `at` to before `end` of its source's remain.
    LeafReader reader;
    bool open;        // the reader has a source
    const char *page; // the leaf, locked, or its copy
    PGAlignedBlock copy;
    BlockNumber block;
    Size at, end;
    LeafEntry *found;     // room for a leaf's matches
    QueuedQuery *reading; // the queries that are being read
    Size wanted;          // matches to wait for, so that their rows are looked up together

    // What is pulled.
    RowProbes ready;   // matches in the order of their rows
    QueuedQuery *last; // the query of the last match
    uint64 row;        // that was fetched last, and is in the slot if it is `seen`
    bool seen;
    MatchCounts counts;
};

inline const PairPart &part_of(const MatchSearch &search) { return search.output->side[0].part[0]; }
inline const FingerprintMeta &meta_of(const MatchSearch &search)
{
    return fingerprint_meta(*part_of(search).index.meta);
}
inline const OpenIndex &index_of(const MatchSearch &search) { return part_of(search).index; }

// match_search.cpp

// The plan of exact searches.
const SearchPlan &exact_plan(MatchSearch *search, int radius);
// Opens and closes the reader.
void open_leaves(MatchSearch *search, LeafSource *source);
void close_leaves(MatchSearch *search);

// About how many queries that read so many leaves each are searched for together.
double queries_together(Size bytes, bool merged, double leaves_each);

// merged_queries.cpp

// Whether queries with this plan can be merged.
bool can_merge(const SearchPlan &plan);
// Continues to match the merged queries until enough matches wait. Returns false if none do, and no more come: then the
// queries have been removed.
bool read_merged(MatchSearch *search);

// noted_queries.cpp

// Whether there is room for one more query.
bool has_room(const NotedQueries &noted);
// Notes the leaves of a query, which is by weights if there is a ball. If not all find room, `planning` is set.
void note_query(MatchSearch *search, NotedQueries *noted, const QueuedQuery &query, const GuidedBall *ball);
// As read_merged.
bool read_noted(MatchSearch *search);
NotedQueries *allocate_noted(const MatchSearch &search, Size bytes);
inline void clear_noted(NotedQueries *noted)
{
    noted->leaves = noted->ranges = 0;
    noted->queries = 0;
    noted->planning = noted->reading = false;
}

// Whether a query of those that are being read needs no more matches.
inline bool is_matched(const MatchSearch &search, uint32 query)
{
    return search.finishes && search.reading[query].matched;
}

// A leaf of so many queries may stay locked for them, and for more than so many it is fetched whole.
inline constexpr Size kMatchedLocked = 64, kFetchedWhole = 4;

// Goes through the leaves of the open source and their queries until enough matches wait. Calls begin() for each leaf,
// which sets `at` and `end`, and match(i) for each query. A leaf of few queries stays locked for them, and is copied for
// many. Returns false, and has closed the source, at its end.
template <typename Begin, typename Match> bool match_leaves(MatchSearch *search, Begin begin, Match match)
{
    while (search->output->pairs < search->wanted) {
        CHECK_FOR_INTERRUPTS();
        if (search->at < search->end) {
            match(search->at++);
            continue;
        }
        const Buffer buffer = read_next_leaf(&search->reader);
        if (!BufferIsValid(buffer)) {
            close_leaves(search);
            return false;
        }
        search->counts.leaves++;
        search->block = BufferGetBlockNumber(buffer);
        search->page = search->reader.page;
        begin();
        for (Size at = 0; search->end - search->at > kFetchedWhole && at < BLCKSZ; at += 64)
            __builtin_prefetch(search->page + at);
        const Size few = Min(search->at + kMatchedLocked, search->end);
        while (few == search->end && search->at < few && search->output->pairs < search->wanted)
            match(search->at++);
        if (search->at < search->end)
            search->page = static_cast<char *>(std::memcpy(search->copy.data, search->page, BLCKSZ));
        UnlockReleaseBuffer(buffer);
    }
    return true;
}

// Adds the rows of the leaf that query number `query` wants to the output if returns(fingerprint).
template <typename Returns>
void add_matches(MatchSearch *search, int tree, const LeafQuery &wanted, uint32 query, Returns returns)
{
    int matches = find_in_leaf(search->page, wanted, search->found);
    if (matches == 0)
        return;
    TidCheck check;
    for (int i = 0; i < matches; i++)
        check.add(search->found[i].tid);
    check.finish(index_of(*search), search->block);
    const FingerprintMeta &meta = meta_of(*search);
    for (int i = 0; i < matches && !is_matched(*search, query); i++) {
        const LeafEntry &found = search->found[i];
        const uint64 row = row_number(search->output->side[0], 0, found.tid);
        if (row != kNoRow && returns(meta.word(tree, found.key.word[0])))
            add_pair(search->output, row, kVisible | query, 0);
    }
}

} // namespace simhash
