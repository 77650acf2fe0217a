// The probability that an approximate search has found a row, from the leaves that it has read.
//
// A row at distance d of n bits differs in each bit with probability f = d / n; with weights, in bit j with
// probability p_j(f), which is smaller the larger the weight, and f on average. A leaf holds a range of keys, so it
// holds the row with probability P(low <= key < high). The search takes the row from the leaf as a candidate if its
// key is within some distance of the query's. Trees have disjoint windows, so
//
//     P(found | f) = 1 - prod over trees (1 - sum over the leaves read P(in leaf and candidate | f)).
#pragma once

#include "core/layout/signature_layout.hpp"

#include <cstddef>
#include <cstdint>

namespace simhash
{

// Probabilities are computed for these f, and interpolated between them.
inline constexpr int kFlipRates = 16;
inline constexpr float kFlipStep = 0.03F; // 0 to 0.45
struct FlipRates {
    float at[kFlipRates];
};
inline float flip_rate(int i) { return static_cast<float>(i) * kFlipStep; }

// The probability of each bit of a query to differ. Without weights all bits share one; with weights, those of about
// the same absolute value do.
class FlipModel
{
public:
    void set_uniform();
    // The larger a weight's absolute value, the less likely the bit differs: the value has noise, so
    // p_j = Phi(-|w_j| / s), where s is such that the mean is f.
    void set_weights(const float *weights, int bits);

    const FlipRates &of_bit(int bit) const { return rates_[uniform_ ? 0 : bucket_[bit]]; }
    bool uniform() const { return uniform_; }

private:
    static constexpr int kBuckets = 64; // by the absolute value relative to the mean

    bool uniform_ = true;
    std::uint8_t bucket_[kMostSignatureBits];
    FlipRates rates_[kBuckets];
};

class ProbeModel
{
public:
    // Keeps the pointers. `key` holds the query's keys.
    void begin(const SignatureLayout *layout, const FlipModel *flips, const std::uint64_t *key);

    // Notes that the leaf of the keys low to high (inclusive) of a tree has been read, with candidates up to
    // `radius` errors in the key.
    void read_leaf(int tree, std::uint64_t low, std::uint64_t high, int radius);

    // P(found | f).
    double found(double f) const;

private:
    const FlipRates &within(int bits, int radius);
    void add_side(int tree, std::uint64_t bound, bool upper, int from, FlipRates value, FlipRates *sum) const;
    void add_range(int tree, std::uint64_t low, std::uint64_t high, FlipRates *sum) const;

    const SignatureLayout *layout_;
    const FlipModel *flips_;
    const std::uint64_t *key_;
    FlipRates missed_[kMaxTrees]; // 1 - the sum over a tree's leaves
    struct {
        int bits, radius;
        FlipRates rates;
    } memo_[64]; // of binomial_within
};

// P(at most `radius` of n bits differ | f), for the rates of FlipRates.
void binomial_within(int n, int radius, FlipRates *result);

// The most errors in a leaf's keys with which about `rows` of its `count` entries that have nothing to do with the
// query are candidates. The leaf's keys agree in `depth` of `bits` bits, of which `errors` differ from the query's.
int candidate_radius(int bits, int depth, int errors, double rows, double count);

// Costs for ProbeBall of the bits of a tree's key: all 1 without weights.
void probe_costs(const SignatureLayout &layout, const FlipModel &flips, int tree,
                 std::uint8_t cost[kKeyBits]);

// What the rest of an approximate search will cost, in leaves.
//
// A row at distance f n differs from the query in i of the bits that lead to a leaf with the probability of a binomial
// distribution, and there are C(depth, i) such leaves. The candidates, and bits that depend on each other, change this
// by a factor, which the recall estimated so far determines.
//
// An approximate search so far, and what it is to find.
struct ProbeProgress {
    int trees;
    double leaves; // of each tree
    double read;   // leaves, of all trees
    double f;      // the distance of the rows to be found, as a part of the bits
    double found;  // the recall estimated so far
    double target;
};

// The number of leaves that the search has to read in addition. Infinite if it cannot reach its target.
double forecast_leaves(const ProbeProgress &progress);

} // namespace simhash
