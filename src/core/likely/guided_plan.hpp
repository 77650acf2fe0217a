// The probes of a volatility-guided search: the likeliest prefixes of several trees, until enough is covered.
//
// A probe names a tree and a prefix, a value of the first prefix_bits of its keys. The caller reads the
// leaves that hold the prefix's keys and tells how far they reach, because leaves don't end where prefixes do:
//
//   plan.set_trees(…);   // once for many searches
//   plan.begin(…);
//   while (plan.next(&probe)) {
//       read the leaves of tree probe.tree that overlap probe.first_key … probe.last_key;
//       emit their rows within the radius for which !plan.seen(row's fingerprint);
//       plan.cover(first key of those leaves, last key of those leaves);
//   }
//
// The leaves may also be read later, in order, once it is known how far they reach: then plan.seen() is told
// which probe found a row.
//
// Most searches end after a probe or two. So work is deferred until it is needed: a tree's sequence begins
// with the prefix without flips, and its other prefixes are sorted only after that one has been probed.
//
// Prefixes are about three bits finer than leaves, so most lie inside one leaf, and a leaf that was read covers
// its other prefixes too: they count as covered and are not probed again.
//
// - Of trees with overlapping prefixes only some are used. The most stable prefix, the one least likely to
//   be flipped, is taken first; then the next that shares at most kSharedBits bits with those taken.
// - The sequences of the trees are merged by what a probe adds to the recall, given all probes before it.
// - The search ends when the near-duplicates covered, as a fraction of all within the radius, reach the
//   target. The last probe overshoots the target, often by far, so the mean recall of many queries would be
//   several points above it. With even_out, a probe that would pass the target is therefore left out with a
//   chance that compensates, drawn from the fingerprint: the same query always gets the same answer, and a
//   higher target never means fewer probes.
//
// No row is emitted twice, and none has to be remembered: seen() tells from a row's keys whether an earlier
// probe of this search read its place. That holds for rows that were there when the place was read, that is
// all rows that the search's snapshot sees; with a dirty snapshot, a row inserted later may be emitted again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bits/fingerprint.hpp"
#include "core/layout/key_order.hpp"
#include "core/likely/flip_coverage.hpp"
#include "core/likely/vosh.hpp"

namespace simhash
{

inline constexpr int kSharedBits = 8;

struct GuidedQuery {
    const Weights *weights;
    const VolatilityModel *model;
    int radius;    // 0 to 64
    double target; // 0 to below 1, or infinity for none
    bool even_out; // whether the target is the mean over queries, or holds for each
};

struct GuidedProbe {
    int tree;
    Fingerprint flips; // the bits of the query's fingerprint that are flipped, among the prefix's
    std::uint64_t first_key;
    std::uint64_t last_key;
    double gain;   // recall that the prefix adds
    double recall; // with it
};

// A range of keys that the search has read.
struct GuidedRange {
    std::uint64_t first_key; // that was read
    std::uint64_t last_key;
    std::uint64_t first_counted; // that counts as covered: whole prefixes
    std::uint64_t last_counted;
    int stream; // which of the chosen trees
};

// Tens of kilobytes: do not put it on the stack.
class GuidedPlan
{
public:
    // Sets the order of keys, and how many of their leading bits a prefix fixes, 1 to 64. Keeps the pointer.
    void set_trees(const KeyOrder *order, int prefix_bits);

    // Keeps the pointers to nodes and ranges. Makes at most `range_count` probes; about 8 nodes for each are
    // plenty.
    void begin(const GuidedQuery &query, VoshNode *nodes, std::size_t node_count, GuidedRange *ranges,
               std::size_t range_count);

    // The next probe; there is at least one. Returns false when the target is reached, or when there is
    // nothing left to probe or no room.
    bool next(GuidedProbe *probe);

    // Notes which keys the last probe has read. Requires: they include those of its prefix.
    void cover(std::uint64_t first_key, std::uint64_t last_key);

    // Whether one of the first `probes` probes read the place of a row.
    bool seen(Fingerprint fingerprint, std::size_t probes) const;

    // Whether a probe that cover() was called for did.
    bool seen(Fingerprint fingerprint) const { return seen(fingerprint, covered_); }

    // The part of the near-duplicates within the radius that the probes so far are expected to find.
    double recall() const { return coverage_.covered(); }

    // Whether next() ended the search because of the target.
    bool reached() const { return reached_; }

    std::size_t probes() const { return range_count_; }

    // The chosen trees, the most stable first.
    int trees() const { return trees_; }
    int tree(int i) const { return stream_[i].tree; }

private:
    // A tree's prefixes in the order of probing.
    struct Stream {
        int tree;
        bool opened;             // the first prefix was probed, and the others are in order
        std::uint64_t query_key; // set by the first probe
        Fingerprint flips;       // of the next prefix
        double gain;             // -1 if there is none
        std::size_t
            as_of; // the number of probes before which this is the gain; with more it is at most so much
        FlipValue value;
        Vosh vosh;
    };

    void choose_trees();
    void advance(int number);
    int best_stream();
    bool counted(int stream, std::uint64_t key) const;
    unsigned uncounted(int stream, std::uint64_t first_prefix, std::uint64_t first, std::uint64_t last) const;

    const KeyOrder *order_;
    int prefix_bits_;
    Fingerprint prefix_of_[kMaxTrees]; // the bits of the fingerprint that lead a tree's keys
    std::uint8_t last_bit_[kMaxTrees][kCoveredTogether]; // of these, the last first
    int last_bits_;

    Fingerprint query_;
    double target_;
    double draw_; // from 0 to below 1
    bool reached_;
    int trees_;
    int last_stream_;
    std::size_t covered_; // for so many probes cover() was called
    VoshNode *nodes_;
    std::size_t nodes_each_; // for a stream
    GuidedRange *ranges_;
    std::size_t range_capacity_;
    std::size_t range_count_;
    Volatility volatility_;
    FlipCoverage coverage_;
    Stream stream_[kCoveragePrefixes];
    std::uint64_t prefix_[kCoveragePrefixes];
};

} // namespace simhash
