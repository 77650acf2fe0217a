#include "am/fingerprints/fingerprint_kind.hpp"

#include "am/index/strategy.hpp"

namespace simhash
{

namespace
{

constexpr ClassOperator kOperators[kStrategies + 1] = {
    {},
    {"<@|", "simhash_ball"},    // kInBall
    {"~=", nullptr},            // kNearDuplicate
    {"=", nullptr},             // kEqual
    {"<@>", nullptr},           // kDistanceOrder
    {"<@>", "simhash_weights"}, // kWeightsOrder
};

} // namespace

const IndexKind kFingerprints = {
    .values = "fingerprints",
    .typed = "fingerprints, of type simhash",
    .type = InvalidOid,
    .type_name = "simhash",
    .operators = kOperators,
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
    .stats = &kFingerprintStats,
    .join = join_fingerprints,
};

} // namespace simhash
