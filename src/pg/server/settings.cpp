#include "pg/server/compat.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "utils/guc.h"
}

namespace simhash
{

LeafMatch match_leaf = leaf_match(SimdLevel::kScalar);
const PairMatch *match_pairs = &pair_match(SimdLevel::kScalar);
double target_recall_setting = -1;
int max_probes_setting = 0;

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
    GUC_check_errdetail("This CPU does not have the instructions.");
    GUC_check_errhint("\"auto\" takes the best that the CPU has.");
    return false;
}

void assign_simd(int level, void *)
{
    SimdLevel chosen = level == kAuto ? best_simd_level() : static_cast<SimdLevel>(level);
    match_leaf = leaf_match(chosen);
    match_pairs = &pair_match(chosen);
}

bool check_target_recall(double *recall, void **, GucSource)
{
    if (*recall == -1 || *recall > 0)
        return true;
    GUC_check_errdetail("A recall is above 0 and at most 1, or -1 for that of the index.");
    return false;
}

} // namespace

void define_settings()
{
    DefineCustomRealVariable(
        "simhash.target_recall", "Recall that searches by weights aim at.",
        "1 is exact; -1 takes the index's option target_recall. Searches by fingerprint are "
        "always exact.",
        &target_recall_setting, -1, -1, 1, PGC_USERSET, 0, check_target_recall, nullptr, nullptr);
    DefineCustomIntVariable("simhash.max_probes", "Most probes that a search by weights makes.",
                            "0 sets no limit. Searches by fingerprint are not limited.", &max_probes_setting,
                            0, 0, INT_MAX, PGC_USERSET, 0, nullptr, nullptr, nullptr);
    DefineCustomEnumVariable("simhash.simd", "Instructions that compare fingerprints.",
                             "auto takes the best that the CPU has. The answers are the same.", &simd_setting,
                             kAuto, simd_levels, PGC_USERSET, 0, check_simd, assign_simd, nullptr);
    reserve_setting_prefix("simhash");
}

} // namespace simhash
