#include "am/signatures/signature_kind.hpp"

#include "am/index/strategy.hpp"
#include "am/signatures/store.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

namespace simhash
{

namespace
{

constexpr ClassOperator kOperators[kStrategies + 1] = {
    {},
    {"<@|", "signature_ball", nullptr}, // kInBall
    {},
    {"=", nullptr, nullptr},            // kEqual
    {"<@>", nullptr, nullptr},          // kDistanceOrder
    {"<@>", "signature_ball", nullptr}, // kWeightsOrder
};

constexpr ClassOperator kBallOperators[kStrategies + 1] = {
    {}, {}, {}, {}, {}, {}, {}, {}, {"~=", nullptr, nullptr}, // kBallsMeet
};

constexpr IndexedType kTypes[] = {
    {nullptr, BITOID, kOperators, nullptr},
    {"signature_ball", InvalidOid, kBallOperators, "simhash_internal_signature_ball_center"},
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
    .stats = &kSignatureStats,
    .join = join_signatures,
    .join_plan_bytes = 0,
    .plan_join = nullptr,
    .begin_join = nullptr,
    .join_cost = signature_join_cost,
};

} // namespace simhash
