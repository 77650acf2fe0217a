// A search for the fingerprints within a radius, leaf by leaf, exactly or by weights.
//
// A search by weights (guided_source.hpp) may turn out to read more leaves than an exact one. Then the rest is
// searched exactly, without the keys that the guided source has read. So it costs at most about twice as much as an
// exact search, and always reaches its target. simhash_index_trace and simhash_index_calibrate look into a search
// that they have run.
#pragma once

#include "am/fingerprints/guided_source.hpp"
#include "am/search/eager_source.hpp"
#include "am/search/scan.hpp"

#include "pg/types/ball.hpp"

namespace simhash
{

// Beyond this radius, searches by weights are exact, unless they have a limit of probes. The model describes
// near-duplicates. At this distance most rows are unrelated, and all prefixes are equally likely to contain them.
inline constexpr int kFarthestGuided = 16;

inline bool is_guided(const GuidedBall &ball, int radius)
{
    return radius <= kFarthestGuided || ball.most_probes > 0;
}

// An exact source around a fingerprint, which may begin with the likeliest leaves.
struct FingerprintSource : EagerSource {
    const FingerprintMeta *meta;
    Fingerprint center;
    std::uint8_t flip_cost[kBits]; // by bit of the fingerprint, if costs are used
};
// Uses the costs of flips of weights.
void use_flip_costs(FingerprintSource *source, Relation index, const Weights &weights);
// Sets the query, before a search is begun with the plan and the costs in the source.
void set_center(FingerprintSource *source, const FingerprintMeta *meta, Fingerprint center);

struct FingerprintTerms {
    using Value = Fingerprint;
    using Guide = GuidedBall;
    static constexpr int bits = kBits;

    const ScanKeys *keys;     // whose mask is known
    const ScanKeyData *first; // of the conditions
    Guide *guides;            // memory for their balls with weights

    BallKey<Value, Guide> ball(const ScanKeyData &key) const;
    BallKey<Value, Guide> unmasked_ball(const ScanKeyData &key) const;
    QueryKey<Value, Guide> query(const ScanKeyData &key) const;
    int distance(Value a, Value b) const { return hamming_distance(a, b); }
};
using FingerprintKeys = KeysOf<FingerprintTerms>;

// Passed to simhash_index_trace and simhash_index_calibrate for every leaf that a search reads.
struct LeafRead {
    int tree;
    BlockNumber block;
    Size matches;
    const GuidedProbe *probe; // null in an exact search
};

struct LeafTrace {
    void (*leaf)(const LeafRead &read, void *context);
    void *context;
};

// Which leaves a search reads.
enum class SearchPhase {
    guided,    // those of a search by weights
    likeliest, // those with which an exact search begins
    exact      // all others
};

struct FingerprintSearch : ValueSearch {
    const FingerprintMeta *meta;
    GuidedBall *guides;    // memory for those of the conditions
    FingerprintKeys asked; // rows are checked against all of their balls
    Datum order_weights;   // the leading query of ORDER BY, if it is weights, otherwise 0
    MemoryContext context;

    SearchPhase phase;
    LeafReader reader;
    FingerprintSource exact;
    bool goes_on;    // another ring may leave out what this exact search reads
    KeyRange *range; // memory for exact.read
    Size ranges;
    GuidedSource *guided; // null until one is needed

    LeafTrace *trace; // usually null
    bool inspected;   // a search by weights is wanted even if it takes longer than an exact one
    LeafEntry *found; // memory for a leaf's matches
    Hit *hit;         // memory for a leaf's rows
};
inline FingerprintSearch *fingerprint_search(IndexScanDesc scan)
{
    return static_cast<FingerprintSearch *>(scan_state(scan)->search);
}

// Whether a search by weights costs less than an exact one that reads so many leaves, or has a limit of probes. To begin it
// takes as long as to read a few leaves in memory.
bool guided_pays(const GuidedBall &ball, double leaves);

} // namespace simhash
