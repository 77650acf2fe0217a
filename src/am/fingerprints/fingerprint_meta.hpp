// The metapage of an index on fingerprints.
//
// It has the design of the trees and the order of the bits, both chosen when the index was built, and the volatility
// model, which simhash_index_calibrate may replace. Everything that follows from them is computed when it is read.
#pragma once

#include "am/index/meta.hpp"
#include "am/index/options.hpp"

#include "core/layout/key_order.hpp"
#include "core/layout/search_plan.hpp"

namespace simhash
{

struct FingerprintMeta : IndexMeta {
    VolatilityModel model;
    bool fitted;    // the model was fitted by simhash_index_calibrate
    KeyOrder order; // the last member: its end may be unused
};

extern const IndexKind kFingerprints;

inline const FingerprintMeta &fingerprint_meta(const IndexMeta &meta)
{
    Assert(meta.kind == &kFingerprints);
    return static_cast<const FingerprintMeta &>(meta);
}

// The design of an index on this number of fingerprints. Raises an error with a hint if there is none for the options.
void design_for_rows(IndexOptions options, double rows, TreeDesign *design);

MetaData make_meta_data(const IndexOptions &options, const TreeDesign &design,
                        const std::uint8_t bit_order[kBits]);
void use_meta_data(const MetaData &data, FingerprintMeta *meta);

// Sets a permutation of many fingerprints to a tree's keys, or of its keys to fingerprints.
void set_tree_permutation(const IndexMeta &meta, int tree, bool to_keys, BytePermutation *permutation);

// Returns the plan for a radius of 0 to 64.
void index_plan(Relation index, int radius, SearchPlan *plan);

} // namespace simhash
