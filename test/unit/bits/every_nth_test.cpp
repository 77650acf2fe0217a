#include "core/bits/every_nth.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace
{

TEST(EveryNth, KeepsAnEvenPart)
{
    for (std::size_t most : {2, 8, 64}) {
        for (int items = 0; items < 1000; items++) {
            std::vector<int> kept(most);
            simhash::EveryNth<int> every(kept.data(), most);
            for (int i = 0; i < items; i++) {
                if (int *place = every.next())
                    *place = i;
            }
            ASSERT_EQ(every.seen(), static_cast<std::uint64_t>(items));
            int n = 1;
            while ((items + n - 1) / n > static_cast<int>(most))
                n *= 2;
            ASSERT_EQ(every.count(), static_cast<std::size_t>((items + n - 1) / n)) << items;
            for (std::size_t i = 0; i < every.count(); i++)
                ASSERT_EQ(kept[i], static_cast<int>(i) * n);
        }
    }
}

TEST(EveryNth, ItemsOfSeveralElements)
{
    std::vector<int> kept(3 * 8);
    simhash::EveryNth<int> every(kept.data(), 8, 3);
    for (int i = 0; i < 1000; i++) {
        if (int *item = every.next(); item != nullptr)
            std::fill_n(item, 3, i);
    }
    ASSERT_GE(every.count(), 4);
    for (std::size_t i = 0; i < every.count(); i++) {
        for (std::size_t j = 0; j < 3; j++)
            EXPECT_EQ(kept[3 * i + j], static_cast<int>(i) * 128);
    }
}

} // namespace
