#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/key_ranges.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

constexpr std::uint64_t kLast = ~std::uint64_t{0};

// A few keys at both ends of all keys and in the middle, so that ranges touch and wrap.
std::uint64_t key_number(std::uint64_t n) { return n < 16 ? n : n < 32 ? (kLast / 2) + n : kLast - 47 + n; }

class KeyRangesTest : public SeededTest<7>
{
protected:
    static constexpr int kKeys = 48, kTables = 3;
    KeyRange memory[kKeys * kTables];
    KeyRanges ranges;
    std::map<std::pair<int, std::uint64_t>, std::uint32_t> model; // the turn of each key

    void SetUp() override { ranges.begin(memory, std::size(memory)); }

    void compare()
    {
        for (int t = 0; t < kTables; t++) {
            for (int n = 0; n < kKeys; n++) {
                const std::uint64_t key = key_number(n);
                const auto at = model.find({t, key});
                const KeyRange *range = ranges.find(t, key);
                ASSERT_EQ(range != nullptr, at != model.end()) << t << " " << key;
                if (range != nullptr) {
                    EXPECT_EQ(range->turn, at->second);
                }
                int next = n;
                while (next < kKeys && model.count({t, key_number(next)}) > 0)
                    next++;
                std::uint64_t unread = key;
                const bool found = ranges.skip(t, &unread);
                if (next < kKeys &&
                    (next - n == 0 || key_number(next) - key == static_cast<std::uint64_t>(next - n))) {
                    EXPECT_TRUE(found);
                    EXPECT_EQ(unread, key_number(next));
                }
                if (range == nullptr) {
                    int read = n;
                    while (read < kKeys && model.count({t, key_number(read)}) == 0)
                        read++;
                    EXPECT_EQ(ranges.next_read(t, key), read < kKeys ? key_number(read) : kLast);
                }
            }
        }
    }
};

TEST_F(KeyRangesTest, HasWhatWasAdded)
{
    for (int round = 0; round < 300; round++) {
        ranges.begin(memory, std::size(memory));
        model.clear();
        std::uint32_t turn = 1;
        for (int i = 0; i < 20; i++) {
            const int tree = static_cast<int>(below(kTables));
            // Ranges within one of the three parts.
            const std::uint64_t part = below(3) * 16, a = part + below(16), b = part + below(16);
            const std::uint64_t first = std::min(a, b), last = std::max(a, b),
                                at = first + below(last - first + 1);
            turn += static_cast<std::uint32_t>(below(2));
            if (model.count({tree, key_number(at)}) > 0)
                continue;
            ranges.add(tree, turn, key_number(first), key_number(last), key_number(at));
            for (std::uint64_t n = at; n <= last && model.count({tree, key_number(n)}) == 0; n++)
                model[{tree, key_number(n)}] = turn;
            for (std::uint64_t n = at; n-- > first && model.count({tree, key_number(n)}) == 0;)
                model[{tree, key_number(n)}] = turn;
        }
        compare();
        if (HasFatalFailure())
            return;
    }
}

TEST_F(KeyRangesTest, UnitesWhatIsAppended)
{
    for (int round = 0; round < 300; round++) {
        ranges.begin(memory, std::size(memory));
        model.clear();
        for (int i = 0; i < 20; i++) {
            const std::uint32_t tree = static_cast<std::uint32_t>(below(kTables));
            const std::uint64_t part = below(3) * 16, first = part + below(16), last = part + below(16);
            ranges.append({key_number(first), key_number(last), tree, 0});
            for (std::uint64_t n = first; n <= last; n++)
                model[{static_cast<int>(tree), key_number(n)}] = 0;
        }
        ranges.arrange();
        compare();
        if (HasFatalFailure())
            return;
    }
}

TEST_F(KeyRangesTest, EndsAtTheLastKey)
{
    EXPECT_TRUE(ranges.empty());
    ranges.add(1, 1, kLast - 3, kLast, kLast - 1);
    std::uint64_t key = kLast - 2;
    EXPECT_FALSE(ranges.skip(1, &key));
    key = kLast - 4;
    EXPECT_TRUE(ranges.skip(1, &key));
    EXPECT_EQ(key, kLast - 4);
    key = kLast;
    EXPECT_TRUE(ranges.skip(0, &key));
    EXPECT_EQ(ranges.trees(), 2U);
}

TEST_F(KeyRangesTest, TellsWhenItIsFull)
{
    ranges.begin(memory, 2);
    ranges.add(0, 1, 10, 20, 15);
    ranges.add(0, 1, 21, 30, 25); // continues the first
    EXPECT_FALSE(ranges.full());
    ranges.add(0, 2, 31, 40, 35);
    EXPECT_TRUE(ranges.full());
}

TEST_F(KeyRangesTest, LengthensARangeWithoutRoomForAnother)
{
    ranges.begin(memory, 2);
    ranges.add(0, 1, 10, 20, 15);
    ranges.add(0, 2, 31, 40, 35);
    ranges.add(0, 3, 50, 60, 55);
    ranges.add(1, 3, 50, 60, 55);
    EXPECT_TRUE(ranges.full());
    EXPECT_EQ(ranges.find(0, 55), nullptr);
    EXPECT_EQ(ranges.trees(), 1U);
    ranges.add(0, 2, 41, 45, 43);
    EXPECT_NE(ranges.find(0, 45), nullptr);
}

} // namespace
} // namespace simhash
