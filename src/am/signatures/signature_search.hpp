// What all parts of a search of a wide index share: its state, its query, and the plan of an exact search for it.
// Each of these files uses only those below it:
//
//   signature_search   the entry points
//   list_search        a search for the nearest rows by lists
//   probe_search       an approximate search for the rows within a radius, leaf by leaf
//   tree_search        the leaves of a plan, or a scan of the store
//   store_scan         planes and body pages
//   candidate_rows     from positions to rows
//
// The planner's estimates use the size of an index from here, and simhash_index_trace sets the trace.
#pragma once

#include "am/search/eager_source.hpp"
#include "am/search/value_search.hpp"
#include "am/signatures/number_set.hpp"
#include "am/signatures/store.hpp"

#include "core/page/signature_plan.hpp"
#include "pg/server/settings.hpp"
#include "pg/types/signature_ball.hpp"

namespace simhash
{

// Passed to simhash_index_trace for every part of the index that a search reads.
struct SignatureRead {
    enum Part { tree, plane, store, list } part;
    int table;         // of a tree
    BlockNumber block; // the leaf, or the first page of a segment or of a list
    Size candidates;   // rows whose signatures are compared
    double recall;     // estimated so far; NaN in an exact search
};

struct SignatureTrace {
    void (*read)(const SignatureRead &read, void *context);
    void *context;
};

// Values are signatures of the index's length, detoasted in `context` if necessary.
struct SignatureTerms {
    using Value = const std::uint8_t *;
    using Guide = SignatureBall;
    int bits;

    BallKey<Value, Guide> ball(const ScanKeyData &key) const;
    QueryKey<Value, Guide> query(const ScanKeyData &key) const;
    int distance(Value a, Value b) const;
};
using SignatureKeys = KeysOf<SignatureTerms>;

// An exact source with the keys of a signature.
struct SignatureSource : EagerSource {
    const std::uint64_t *keys; // in each table
    const SignatureLayout *layout;
    const float *weights; // for the costs of flips
    float per_weight;     // by which z is computed (core/likely/step_order.hpp)
};

// The rows that a search finds have the distance to the query of ORDER BY if there is one, otherwise to the center of
// the search.
struct SignatureSearch : ValueSearch {
    OpenIndex index;
    const SignatureMeta *meta;
    StoreShape shape;
    SignatureKeys asked;
    MemoryContext key_context; // of detoasted values; reset by each rescan

    const std::uint8_t *query;   // the center of the search
    const std::uint8_t *nowhere; // a signature of zeros, the center of a search for all rows
    int radius;                  // may shrink during the search
    bool scanning;               // the store, instead of the trees
    bool likeliest;              // the search of the trees begins with the likeliest leaves
    bool scan_follows;           // and ends with them

    LeafReader reader;
    SignatureSource exact;
    KeyRange *range;                       // memory for exact.read, null before it is needed
    std::uint64_t key[kMaxTables];         // the query's: first words
    std::uint64_t second_word[kMaxTables]; // and second ones
    std::uint64_t sketch[2];

    struct Probes *probes;     // of a search by leaves; null until one is begun
    struct ListSearch *listed; // of a search by lists; null until one is begun
    bool probing;              // the search is approximate
    bool skip_seen;            // it has become exact, and leaves out the rows in `seen`
    // The positions of candidates that a search by leaves has verified, or the tids of the rows that a search by lists
    // has returned at the last distance.
    NumberSet seen;
    bool seen_tids;

    SignatureIndexSize size; // when the scan began
    double exact_cost;       // of an exact search for the query

    // An exact search of the trees changes to a scan of the store if what is left of it costs more: the estimates
    // assume that leaves are equally full, which those of skewed signatures are not.
    double spent;     // by the search of the trees
    double leaves;    // that it has read
    double scan_cost; // of a scan for the query; infinite if the search can't change to it
    struct {
        Size count;
        std::uint64_t *tid; // in `context`, sorted when the scan begins; null before the first
    } returned;             // by the trees

    Segments segments; // of a scan, in `context`
    MemoryContext context;
    Size segment;     // the next one
    int plane_radius; // for which `by_plane` was computed
    bool by_plane;
    BufferAccessStrategy strategy;

    SignatureTrace *trace; // usually null

    LeafEntry *found;        // memory for matches within a leaf
    std::uint16_t *match;    // and within a plane page
    std::uint16_t *distance; // memory for the distances of a body page
    std::uint64_t *position; // memory for the candidates of a leaf or a segment
    Hit *hit;
};

// Estimates the sizes of an index of this many blocks.
SignatureIndexSize signature_index_size(const SignatureLayout &layout, BlockNumber blocks);

// Sets the query's key in a table.
void set_query_key(SignatureSearch *search, int table);
// What is within a radius of the query's key in a table.
LeafQuery key_query(const SignatureSearch &search, int table, int radius);
inline void trace_read(const SignatureSearch &search, const SignatureRead &read)
{
    if (search.trace != nullptr)
        search.trace->read(read, search.trace->context);
}

// Sets the query, and plans an exact search for it.
void set_query(SignatureSearch *search, const std::uint8_t *query, int radius);
// The cost of a scan of the store.
double store_cost(const SignatureSearch &search, int radius);
// The end of the ring after the distance `done`, if nothing is known of the rows.
int planned_ring_end(const SignatureSearch &search, int done);

} // namespace simhash
