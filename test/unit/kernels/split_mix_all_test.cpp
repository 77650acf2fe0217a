#include <gtest/gtest.h>

#include "core/bits/split_mix.hpp"
#include "core/kernels/split_mix_all.hpp"
#include "levels.hpp"

namespace simhash
{
namespace
{

TEST(SplitMixAll, EqualsSplitMix)
{
    std::uint64_t numbers[40], mixed[41];
    for (std::uint64_t i = 0; i < 40; i++)
        numbers[i] = split_mix(i);
    for (const Level &level : levels())
        for (std::size_t count = 0; count <= 40; count++) {
            mixed[count] = 7;
            split_mix_all(level.level)(numbers, count, 3 * kSplitMixStep, mixed);
            for (std::size_t i = 0; i < count; i++)
                EXPECT_EQ(mixed[i], split_mix_number(numbers[i], 3)) << level.name << " of " << count;
            EXPECT_EQ(mixed[count], 7u) << level.name;
        }
}

} // namespace
} // namespace simhash
