#include "pg/compat.hpp"

#include "pg/settings.hpp"

extern "C" {
#include "utils/guc.h"
}

namespace simhash
{

LeafMatch match_leaf = leaf_match(SimdLevel::scalar);

namespace
{

constexpr int kAuto = -1;
int simd_setting = kAuto;

const struct config_enum_entry simd_levels[] = {
    {"auto", kAuto, false},
    {"scalar", static_cast<int>(SimdLevel::scalar), false},
    {"popcnt", static_cast<int>(SimdLevel::popcnt), false},
    {"avx2", static_cast<int>(SimdLevel::avx2), false},
    {"avx512", static_cast<int>(SimdLevel::avx512), false},
    {NULL, 0, false},
};

bool check_simd(int *level, void **, GucSource)
{
    if (*level <= static_cast<int>(best_simd_level()))
        return true;
    GUC_check_errdetail("This CPU does not have the instructions.");
    return false;
}

void assign_simd(int level, void *)
{
    match_leaf = leaf_match(level == kAuto ? best_simd_level() : static_cast<SimdLevel>(level));
}

} // namespace

void define_settings()
{
    DefineCustomEnumVariable("simhash.simd", "Instructions that compare fingerprints.",
                             "auto takes the best that the CPU has. The answers are the same.", &simd_setting,
                             kAuto, simd_levels, PGC_USERSET, 0, check_simd, assign_simd, NULL);
    reserve_setting_prefix("simhash");
}

} // namespace simhash
