#include "am/fingerprints/fingerprint_meta.hpp"

#include "am/fingerprints/fingerprint_kind.hpp"

#include "core/layout/tree_design.hpp"

#include <algorithm>

namespace simhash
{

void design_for_rows(IndexOptions options, double rows, TreeDesign *design)
{
    if (options.trees == kDefaultTrees)
        options.trees = default_trees(std::clamp(options.design_radius, kMinDistance, kMaxDistance), rows);
    design_from_options(options, design);
}

MetaData make_meta_data(const IndexOptions &options, const TreeDesign &design,
                        const std::uint8_t bit_order[kBits])
{
    MetaData data = {};
    data.magic = kMagic;
    data.version = kFormatVersion;
    data.design = design;
    std::memcpy(data.bit_order, bit_order, kBits);
    data.fillfactor = static_cast<std::uint8_t>(options.fillfactor);
    return data;
}

namespace
{

std::uint64_t tree_key(const IndexMeta &meta, int tree, std::uint64_t word)
{
    return fingerprint_meta(meta).order.key(tree, word);
}

std::uint64_t tree_word(const IndexMeta &meta, int tree, std::uint64_t key)
{
    return fingerprint_meta(meta).order.fingerprint(tree, key);
}

void tree_sources(const IndexMeta &meta, int tree, std::uint8_t source[kBits])
{
    fingerprint_meta(meta).order.sources(tree, source);
}

} // namespace

void use_meta_data(const MetaData &data, FingerprintMeta *meta)
{
    meta->kind = &kFingerprints;
    meta->bits = kBits;
    meta->fillfactor = data.fillfactor;
    meta->trees = data.design.trees;
    meta->words = 1;
    meta->most_offset = MaxHeapTuplesPerPage;
    meta->key_of = tree_key;
    meta->word_of = tree_word;
    meta->sources_of = tree_sources;
    meta->model = kDefaultVolatility;
    meta->fitted = data.model != 0;
    if (meta->fitted)
        std::memcpy(meta->model.share, data.model_share, sizeof(meta->model.share));
    meta->order.set(data.design, data.bit_order);
    meta->bytes = static_cast<Size>(reinterpret_cast<char *>(&meta->order) - reinterpret_cast<char *>(meta)) +
                  meta->order.size();
}

const char *read_fingerprint_meta(Relation, const char *page, IndexMeta *meta)
{
    const char *fault = check_meta_page(page, BLCKSZ);
    if (fault != nullptr)
        return fault;
    MetaData data;
    std::memcpy(&data, page_meta(page), sizeof(data));
    use_meta_data(data, static_cast<FingerprintMeta *>(meta));
    return nullptr;
}

void set_tree_permutation(const IndexMeta &meta, int tree, bool to_keys, BytePermutation *permutation)
{
    std::uint8_t source[kBits];
    meta.sources(tree, source);
    BitPermutation bits;
    if (to_keys)
        bits.set(source);
    else
        bits.set_inverse(source);
    permutation->set(bits);
}

void index_plan(Relation index, int radius, SearchPlan *plan)
{
    Assert(radius >= 0 && radius <= kBits);
    follow_growth(index);
    const TreeDesign &design = fingerprint_meta(*index_meta(index)).order.design;
    if (radius >= kKeptPlans) {
        plan_search(design, radius, index_leaves(index), plan);
        return;
    }
    auto *kept = static_cast<KeptPlans *>(kind_state(index));
    if (kept->number != cache_number(index)) {
        for (SearchPlan &each : kept->plan)
            each.steps = 0;
        kept->number = cache_number(index);
    }
    if (kept->plan[radius].steps == 0)
        plan_search(design, radius, index_leaves(index), &kept->plan[radius]);
    *plan = kept->plan[radius];
}

} // namespace simhash
