#include "pg/server/compat.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "utils/guc.h"
}

namespace simhash
{

LeafMatch match_leaf = leaf_match(SimdLevel::kScalar);
const PairMatch *match_pairs = &pair_match(SimdLevel::kScalar);
SignatureDistances find_distances = signature_distances(SimdLevel::kScalar);
PlaneMatch match_plane = plane_match(SimdLevel::kScalar);
LeafFind find_in_leaf(SimdLevel::kScalar);
bool enable_join = true;

namespace
{

constexpr int kAuto = -1;
int simd_setting = kAuto;

const struct config_enum_entry simd_levels[] = {
    {"auto", kAuto, false},
    {"scalar", static_cast<int>(SimdLevel::kScalar), false},
    {"popcnt", static_cast<int>(SimdLevel::kPopcnt), false},
    {"avx2", static_cast<int>(SimdLevel::kAvx2), false},
    {"avx512", static_cast<int>(SimdLevel::kAvx512), false},
    {"neon", static_cast<int>(SimdLevel::kNeon), false},
    {nullptr, 0, false},
};

bool check_simd(int *level, void **, GucSource)
{
    if (*level == kAuto || has_simd_level(static_cast<SimdLevel>(*level)))
        return true;
    GUC_check_errdetail("This CPU does not support these instructions.");
    GUC_check_errhint("\"auto\" selects the best that the CPU supports.");
    return false;
}

void assign_simd(int level, void *)
{
    SimdLevel chosen = level == kAuto ? best_simd_level() : static_cast<SimdLevel>(level);
    match_leaf = leaf_match(chosen);
    match_pairs = &pair_match(chosen);
    find_distances = signature_distances(chosen);
    match_plane = plane_match(chosen);
    find_in_leaf = LeafFind(chosen);
}

} // namespace

// No setting may change the result of a query: conditions in other users' policies, views and functions run
// with the settings of the caller.
void define_settings()
{
    DefineCustomEnumVariable("simhash.simd", "Instructions that compare fingerprints.",
                             "auto takes the best that the CPU has. The answers are the same.", &simd_setting,
                             kAuto, simd_levels, PGC_USERSET, 0, check_simd, assign_simd, nullptr);
    DefineCustomBoolVariable("simhash.enable_join", "Enables the planner's use of Simhash Join.",
                             "Rows of one side of a join are searched for together in an index of the other.",
                             &enable_join, true, PGC_USERSET, 0, nullptr, nullptr, nullptr);
    reserve_setting_prefix("simhash");
}

} // namespace simhash
