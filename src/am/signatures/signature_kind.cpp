#include "am/signatures/signature_kind.hpp"

#include "am/index/strategy.hpp"
#include "am/inspect/index_stats.hpp"
#include "am/signatures/list_build.hpp"
#include "am/signatures/store.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace simhash
{

namespace
{

constexpr ClassOperator kOperators[] = {
    {kInBall, "<@|", "signature_ball", nullptr},
    {kEqual, "=", nullptr, nullptr},
    {kDistanceOrder, "<@>", nullptr, nullptr},
    {kWeightsOrder, "<@>", "signature_ball", nullptr},
};

constexpr ClassOperator kBallOperators[] = {{kBallsMeet, "~=", nullptr, nullptr}};

constexpr IndexedType kTypes[] = {
    {nullptr, BITOID, kOperators, nullptr},
    {"signature_ball", InvalidOid, kBallOperators, "simhash_internal_signature_ball_center"},
};

void count_store_page(const IndexMeta &meta, const char *page, Counts *counts)
{
    counts->store++;
    if (!(page_tail(page)->flags & kPlanePage))
        return;
    int slots = signature_meta(meta).shape().rows(), used = 0;
    for (int slot = 0; slot < slots; slot++)
        used += plane_uses(page, slot);
    counts->segments++;
    counts->free_slots += slots - used;
    if (meta.trees == 0)
        counts->rows += used;
}

void describe(const IndexMeta &meta, Traits *traits)
{
    for (int i = 0; i < meta.trees; i++)
        traits->value[Traits::header_bits + i] = signature_meta(meta).layout.header_bits(i);
}

// Lists suit about twice or half as many rows as they were made for.
bool other_lists(std::uint32_t wanted, std::uint32_t made) { return wanted > 2 * made || made > 2 * wanted; }

bool options_changed(const IndexOptions &options, const IndexMeta &meta, double rows)
{
    return signature_trees(options, meta.bits) != meta.trees ||
           (rows > 0 && other_lists(wanted_lists(options, rows), signature_meta(meta).lists.wanted));
}

constexpr StatsKind kStats = {
    .count_page = count_store_page,
    .describe = describe,
    .options_changed = options_changed,
};

} // namespace

const IndexKind kSignatures = {
    .values = "signatures",
    .typed = "signatures, of type bit",
    .stored = "bit",
    .types = kTypes,
    .type_count = lengthof(kTypes),
    .meta_bytes = sizeof(SignatureMeta),
    .state_bytes = sizeof(StorePlace),
    .read_meta = read_signature_meta,
    .check_page = check_signature_page,
    .visit_links = visit_segments,
    .build = build_signatures,
    .build_empty = build_no_signatures,
    .insert = insert_signature,
    .bulk_delete = bulk_delete_signatures,
    .prepare_search = prepare_signature_search,
    .costs = &kSignatureCosts,
    .check = &kSignatureCheck,
    .stats = &kStats,
    .join = join_signatures,
    .join_plan_bytes = 0,
    .plan_join = nullptr,
    .begin_join = nullptr,
    .join_cost = signature_join_cost,
};

} // namespace simhash
