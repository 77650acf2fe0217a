#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/pair_plan.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

class WindowPlanTest : public SeededTest<2011>
{
protected:
    // Words of `bits` bits in all. Every third one is dead with dead words.
    WindowTask task_for(int bits, double x_rows, double y_rows, int radius, bool dead)
    {
        words.assign(static_cast<std::size_t>((bits + 63) / 64), {});
        for (std::size_t w = 0; w < words.size(); w++) {
            words[w].bits = std::min(kBits, bits - 64 * static_cast<int>(w));
            for (int i = 0; i < words[w].bits; i++)
                words[w].differ[i] = dead && w % 3 == 0 ? 0 : 0.5;
        }
        WindowTask task = {};
        task.pairs.x_rows = x_rows;
        task.pairs.y_rows = y_rows;
        task.pairs.most_bits = kMostCellBits;
        task.pairs.row_cost = 30;
        task.pairs.compare_cost = 0.2;
        task.pairs.part_rows = 100000;
        task.pairs.load_cost = 30;
        task.radius = radius;
        task.words = static_cast<int>(words.size());
        task.word = words.data();
        task.verify_cost = 400;
        task.compare_cost = 0.6 + 0.2 * task.words;
        return task;
    }

    // Deals the errors to the bits of all words and counts those in each.
    std::vector<int> random_errors(int bits, int errors)
    {
        std::vector<int> bit(static_cast<std::size_t>(bits)), count(words.size());
        std::iota(bit.begin(), bit.end(), 0);
        std::shuffle(bit.begin(), bit.end(), random);
        for (int i = 0; i < std::min(bits, errors); i++)
            count[static_cast<std::size_t>(bit[static_cast<std::size_t>(i)] / 64)]++;
        return count;
    }

    std::vector<WordModel> words;
};

TEST_F(WindowPlanTest, FindsAllPairsWithinTheRadius)
{
    for (int bits : {65, 100, 256, 1000, 4096}) {
        for (int radius : {0, 1, 3, 31, bits / 8, bits / 4}) {
            for (bool dead : {false, true}) {
                WindowPlan plan;
                plan_windows(task_for(bits, 1e6, radius % 2 == 0 ? 0 : 1e5, radius, dead), &plan);
                int sum = 0;
                std::set<int> used;
                for (int i = 0; i < plan.windows; i++) {
                    const Window &window = plan.window[i];
                    sum += window.budget + 1;
                    ASSERT_TRUE(used.insert(window.word).second);
                    ASSERT_GE(window.budget, 0);
                    ASSERT_LT(window.budget, words[static_cast<std::size_t>(window.word)].bits);
                }
                if (plan.windows == 0)
                    continue;
                ASSERT_EQ(sum, radius + 1) << bits << " bits";
                for (int i = 0; i < 100; i++) {
                    std::vector<int> errors = random_errors(bits, radius);
                    ASSERT_TRUE(std::any_of(plan.window, plan.window + plan.windows, [&](const Window &w) {
                        return errors[static_cast<std::size_t>(w.word)] <= w.budget;
                    }));
                }
            }
        }
    }
}

TEST_F(WindowPlanTest, ChoosesTheCheaperMethod)
{
    WindowPlan plan;
    plan_windows(task_for(256, 1e6, 0, 31, false), &plan);
    EXPECT_EQ(plan.windows, 4);
    plan_windows(task_for(256, 1e6, 0, 3, false), &plan);
    EXPECT_GT(plan.windows, 0);
    plan_windows(task_for(256, 1e6, 0, 128, false), &plan);
    EXPECT_EQ(plan.windows, 0);
    plan_windows(task_for(256, 1e6, 0, 256, false), &plan);
    EXPECT_EQ(plan.windows, 0);
    plan_windows(task_for(65, 1e6, 0, 65, false), &plan);
    EXPECT_EQ(plan.windows, 0);
}

TEST_F(WindowPlanTest, LeavesOutDeadWords)
{
    WindowPlan plan;
    plan_windows(task_for(1024, 1e6, 0, 31, true), &plan);
    ASSERT_GT(plan.windows, 0);
    for (int i = 0; i < plan.windows; i++)
        EXPECT_NE(plan.window[i].word % 3, 0);
}

} // namespace
} // namespace simhash
