// What the four searches of an index on signatures share: the query, and where they put the rows that they find. Each
// owns the rest of its state. Each of these files uses only those below it:
//
//   signature_search   the entry points, which begin one of the searches and continue the one that is under way
//   list_search        the nearest rows, by lists, with a recall
//   probe_search       the rows within a radius, from the likeliest leaves, with a recall
//   tree_search        the rows within a radius, from the leaves of a plan
//   store_scan         the same, from planes and body pages
//   candidate_rows     from positions to rows
//
// simhash_index_trace sets the trace.
#pragma once

#include "am/search/value_search.hpp"
#include "am/signatures/number_set.hpp"
#include "am/signatures/store.hpp"
#include "am/tree/leaf_reader.hpp"

#include "core/page/signature_plan.hpp"
#include "pg/server/settings.hpp"
#include "pg/types/signature_ball.hpp"

namespace simhash
{

// Passed to simhash_index_trace for every part of the index that a search reads.
struct SignatureRead {
    enum Part { tree, plane, store, list } part;
    int number;        // of the tree
    BlockNumber block; // the leaf, or the first page of a segment or of a list
    Size candidates;   // rows whose signatures are compared
    double recall;     // estimated so far; NaN in an exact search
};

struct SignatureTrace {
    void (*read)(const SignatureRead &read, void *context);
    void *context;
};

// Values are signatures of the index's length, detoasted in the current context if necessary.
struct SignatureTerms {
    using Value = const std::uint8_t *;
    using Guide = SignatureBall;
    int bits;
    const ScanKeys *keys; // whose mask is known

    BallKey<Value, Guide> ball(const ScanKeyData &key) const;
    BallKey<Value, Guide> unmasked_ball(const ScanKeyData &key) const;
    QueryKey<Value, Guide> query(const ScanKeyData &key) const;
    int distance(Value a, Value b) const;
};
using SignatureKeys = KeysOf<SignatureTerms>;

// The rows that a search finds have the distance to the query of ORDER BY if there is one, otherwise to the center of
// the search.
struct SignatureSearch : ValueSearch {
    OpenIndex index;
    const SignatureMeta *meta;
    StoreShape shape;
    MemoryContext context; // of the scan
    SignatureKeys asked;
    MemoryContext query_context; // of detoasted values and of searches; reset by each rescan
    SignatureIndexSize size;     // when the scan began
    SignatureTrace *trace;       // usually null

    const std::uint8_t *query; // the center of the search
    int radius;                // may shrink during the search
    double exact_cost;         // of an exact search for the query

    // Sets the results to more rows of the search under way, at least one. Returns false at its end, and if another one
    // has taken over.
    bool (*more)(SignatureSearch *search, Results *results);
    struct ListSearch *lists; // null until one is begun, as the next
    struct ProbeSearch *probes;
    struct TreeSearch *trees;
    struct StoreScan *scan;

    // The tids of rows that are not returned again, in `query_context`.
    NumberSet by_recall; // a search with a recall has returned them, and then become exact
    NumberSet by_trees;  // the trees have, before a scan

    // Of the searches that read leaves.
    LeafReader reader;
    std::uint64_t key[kMaxTrees];         // the query's: first words
    std::uint64_t second_word[kMaxTrees]; // and second ones
    LeafEntry *found;                     // memory for matches within a leaf

    std::uint64_t *position; // memory for the candidates of a leaf or a segment
    std::uint16_t *distance; // memory for the distances of a body page
    Hit *hit;
};

inline void trace_read(const SignatureSearch &search, const SignatureRead &read)
{
    if (search.trace != nullptr)
        search.trace->read(read, search.trace->context);
}

} // namespace simhash
