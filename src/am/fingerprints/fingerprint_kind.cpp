// What an index on fingerprints stores. Each of the trees has an entry with a row's key and its tid; a NULL has one in
// the tree of the NULLs. So a row that VACUUM finds dead is known by its tid in every tree.
#include "am/fingerprints/fingerprint_kind.hpp"

#include "am/index/heap_tid.hpp"
#include "am/index/strategy.hpp"
#include "am/inspect/index_stats.hpp"
#include "am/tree/insert.hpp"
#include "am/tree/vacuum.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace simhash
{

namespace
{

constexpr ClassOperator kOperators[] = {
    {kInBall, "<@|", "simhash_ball", nullptr},
    {kNearDuplicate, "~=", nullptr, nullptr},
    {kEqual, "=", nullptr, nullptr},
    {kDistanceOrder, "<@>", nullptr, nullptr},
    {kWeightsOrder, "<@>", "simhash_weights", nullptr},
};

// The planner casts a bigint to simhash for a condition on a ball, which costs nothing.
constexpr ClassOperator kBigintOperators[] = {
    {kInBall, "<@|", "simhash_ball", "simhash"},
    {kNearDuplicate, "~=", nullptr, nullptr},
    {kEqual, "=", nullptr, nullptr},
    {kDistanceOrder, "<@>", nullptr, nullptr},
    {kEqualInteger, "=", "int4", nullptr},
    {kEqualSmallint, "=", "int2", nullptr},
};

constexpr ClassOperator kBallOperators[] = {{kBallsMeet, "~=", nullptr, nullptr}};

constexpr ClassOperator kTextOperators[] = {
    {kNearText, "~=", nullptr, nullptr},
    {kInTextBall, "<@|", "text_ball", nullptr},
};

constexpr ClassOperator kTitleOperators[] = {{kInTitleBall, "<@|", "text_ball", nullptr}};

constexpr ClassOperator kTextBallOperators[] = {{kTextBallsMeet, "~=", nullptr, nullptr}};

constexpr IndexedType kTypes[] = {
    {"simhash", InvalidOid, kOperators, nullptr},
    {nullptr, INT8OID, kBigintOperators, nullptr},
    {"simhash_ball", InvalidOid, kBallOperators, "simhash_internal_ball_center"},
    {nullptr, TEXTOID, kTextOperators, "simhash_internal_text_sketch"},
    {nullptr, TEXTOID, kTitleOperators, "simhash_internal_title_sketch"},
    {"text_ball", InvalidOid, kTextBallOperators, "simhash_internal_text_ball_center"},
};

void describe(const IndexMeta &base, Traits *traits)
{
    const FingerprintMeta &meta = fingerprint_meta(base);
    const TreeDesign &design = meta.order.design;
    for (int i = 0; i < meta.trees; i++)
        traits->value[Traits::header_bits + i] = design.tree[i].header_bits;
    traits->value[Traits::distance] = design.distance;
    traits->value[Traits::fitted] = meta.fitted;
}

bool options_changed(const IndexOptions &options, const IndexMeta &meta, double rows)
{
    TreeDesign design;
    design_for_rows(options, rows, &design);
    return std::memcmp(&design, &fingerprint_meta(meta).order.design, sizeof(design)) != 0;
}

bool insert_fingerprint(Relation index, const StoredValue &stored, ItemPointer pointer,
                        const InsertedInto &into, IndexInfo *info)
{
    const OpenIndex &open = use_in_statement(index, info);
    const IndexMeta &meta = *open.meta;
    LeafKey key[kMaxTrees + 1] = {};
    if (stored.null) {
        insert_entries(open, meta.null_tree(), meta.all_trees(), key, tid_of(pointer), {into, nullptr});
    } else {
        for (int tree = 0; tree < meta.trees; tree++)
            key[tree].word[0] = meta.key(tree, datum_fingerprint(stored.value));
        insert_entries(open, 0, meta.trees, key, tid_of(pointer), {into, nullptr});
    }
    return false;
}

IndexBulkDeleteResult *bulk_delete_fingerprints(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
                                                IndexBulkDeleteCallback callback, void *callback_state)
{
    if (stats == nullptr)
        stats = allocate_zero<IndexBulkDeleteResult>();
    DeadEntries entries = {callback, callback_state, nullptr};
    vacuum_trees(info, stats, &entries);
    return stats;
}

constexpr StatsKind kStats = {
    .count_page = nullptr,
    .describe = describe,
    .options_changed = options_changed,
};

} // namespace

const IndexKind kFingerprints = {
    .values = "fingerprints",
    .typed = "fingerprints, of type simhash",
    .stored = "simhash",
    .types = kTypes,
    .type_count = lengthof(kTypes),
    .meta_bytes = sizeof(FingerprintMeta),
    .state_bytes = sizeof(KeptPlans),
    .read_meta = read_fingerprint_meta,
    .check_page = check_page_of_trees,
    .visit_links = nullptr,
    .build = build_fingerprints,
    .build_empty = build_no_fingerprints,
    .insert = insert_fingerprint,
    .bulk_delete = bulk_delete_fingerprints,
    .prepare_search = prepare_fingerprint_search,
    .costs = &kFingerprintCosts,
    .check = &kFingerprintCheck,
    .stats = &kStats,
    .join = join_fingerprints,
    .join_plan_bytes = kFingerprintPlanBytes,
    .plan_join = plan_fingerprint_join,
    .begin_join = begin_fingerprint_join,
    .join_cost = fingerprint_join_cost,
};

} // namespace simhash
