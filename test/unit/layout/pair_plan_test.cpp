#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/pair_plan.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

class PairPlanTest : public SeededTest<514>
{
protected:
    Fingerprint errors_in(Fingerprint usable, int count)
    {
        Fingerprint errors = 0;
        while (std::popcount(errors) < std::min(count, std::popcount(usable)))
            errors |= usable & Fingerprint{1} << below(64);
        return errors;
    }
};

PairTask uniform_task(double x_rows, double y_rows, int radius)
{
    PairTask task = {};
    task.x_rows = x_rows;
    task.y_rows = y_rows;
    task.radius = radius;
    task.usable = ~Fingerprint{0};
    std::fill(task.differ, task.differ + kBits, 0.5);
    task.most_bits = kMostCellBits;
    task.row_cost = 25;
    task.compare_cost = 0.2;
    task.part_rows = 100000;
    task.load_cost = 30;
    return task;
}

// The purpose of a plan: rows that differ in at most `radius` usable bits, and in no others, meet in the
// cells of some step, and exactly one such step reports them.
void expect_found(const PairTask &task, const PairPlan &plan, Fingerprint row, Fingerprint errors)
{
    int reporting = 0;
    for (int i = 0; i < plan.steps; i++) {
        const PairStep &step = plan.step[i];
        CellMap map;
        map.set(step.bit, step.bits);
        int apart = std::popcount(map(row) ^ map(row ^ errors));
        ASSERT_EQ(apart, std::popcount(errors & step.mask));
        if (returns_pair(plan, i, errors)) {
            reporting++;
            ASSERT_LE(apart, step.budget);
        }
    }
    ASSERT_EQ(reporting, 1) << "radius " << task.radius << ", " << std::popcount(errors) << " errors, "
                            << plan.steps << " steps";
}

void expect_well_formed(const PairTask &task, const PairPlan &plan)
{
    ASSERT_GE(plan.steps, 1);
    ASSERT_LE(plan.steps, kMostPairSteps);
    ASSERT_LE(plan.cost, cost_of_all(task) * (1 + 1e-9));
    int budgets = 0;
    Fingerprint all = 0;
    for (int i = 0; i < plan.steps; i++) {
        const PairStep &step = plan.step[i];
        ASSERT_LE(step.bits, std::min(task.most_bits, kMostCellBits));
        Fingerprint mask = 0;
        for (int j = 0; j < step.bits; j++)
            mask |= Fingerprint{1} << step.bit[j];
        ASSERT_EQ(mask, step.mask);
        ASSERT_EQ(std::popcount(mask), step.bits);
        ASSERT_EQ(mask & all, 0u) << "blocks overlap";
        ASSERT_EQ(mask & ~task.usable, 0u);
        all |= mask;
        budgets += step.budget + 1;
    }
    ASSERT_EQ(budgets, task.radius + 1) << "which is what the pigeonhole principle needs";
}

TEST_F(PairPlanTest, EveryPairIsFoundOnce)
{
    for (double rows : {1.0, 100.0, 1e4, 1e6, 1e8}) {
        for (int radius = 0; radius <= 64; radius += radius < 24 ? 1 : 8) {
            for (double y_rows : {0.0, 10.0, rows}) {
                PairTask task = uniform_task(rows, y_rows, radius);
                PairPlan plan;
                plan_pairs(task, &plan);
                expect_well_formed(task, plan);
                for (int i = 0; i < 20; i++)
                    expect_found(task, plan, random(), errors_in(task.usable, below(radius + 1)));
                expect_found(task, plan, random(), errors_in(task.usable, radius));
                if (HasFailure())
                    return;
            }
        }
    }
}

// Some bits are fixed, others are skewed or constant.
TEST_F(PairPlanTest, SkewedBits)
{
    for (int round = 0; round < 300; round++) {
        int radius = below(16);
        PairTask task = uniform_task(1e3 * (1 + below(1000)), below(2) == 0 ? 0 : 1e3 * below(1000), radius);
        if (task.y_rows < 1)
            task.y_rows = 0;
        task.usable = random() | random();
        task.most_bits = below(kMostCellBits + 1);
        Fingerprint dead = random() & random();
        for (int bit = 0; bit < kBits; bit++)
            task.differ[bit] = dead >> bit & 1 ? 0 : 0.5 * below(100) / 99;
        PairPlan plan;
        plan_pairs(task, &plan);
        expect_well_formed(task, plan);
        for (int i = 0; i < plan.steps; i++)
            EXPECT_EQ(plan.step[i].mask & dead, 0u) << "dead bits tell nothing";
        for (int i = 0; i < 20; i++)
            expect_found(task, plan, random(), errors_in(task.usable, below(radius + 1)));
        if (HasFailure())
            return;
    }
}

// The plans of the common cases are far cheaper than comparing all.
TEST_F(PairPlanTest, PlansPay)
{
    PairPlan plan;
    plan_pairs(uniform_task(1e6, 0, 3), &plan);
    EXPECT_LT(plan.cost, cost_of_all(uniform_task(1e6, 0, 3)) / 500);
    EXPECT_EQ(plan.steps, 4);
    plan_pairs(uniform_task(1e6, 0, 8), &plan);
    EXPECT_LT(plan.cost, cost_of_all(uniform_task(1e6, 0, 8)) / 50);
    plan_pairs(uniform_task(1e6, 0, 64), &plan);
    EXPECT_EQ(plan.steps, 1);
    EXPECT_EQ(plan.step[0].bits, 0);
    plan_pairs(uniform_task(20, 0, 3), &plan);
    EXPECT_EQ(plan.steps, 1) << "a few rows are compared as they are";
}

TEST_F(PairPlanTest, CutStep)
{
    PairTask task = uniform_task(1e6, 0, 3);
    std::uint8_t bit[kBits];
    for (int i = 0; i < kBits; i++)
        bit[i] = static_cast<std::uint8_t>(i * 37 % 64);
    PairStep step;
    double cost = cut_step(task, bit, 16, 0, &step);
    EXPECT_GE(step.bits, 10);
    EXPECT_LE(step.bits, 16);
    EXPECT_EQ(step.budget, 0);
    EXPECT_TRUE(std::equal(bit, bit + step.bits, step.bit)) << "in the order given";
    EXPECT_LT(cost, cost_of_all(task));
    EXPECT_GT(cut_step(task, bit, 4, 0, &step), cost);
    EXPECT_EQ(step.bits, 4);
}

TEST_F(PairPlanTest, CellMap)
{
    for (int round = 0; round < 200; round++) {
        std::vector<std::uint8_t> bits(64);
        for (std::size_t i = 0; i < 64; i++)
            bits[i] = static_cast<std::uint8_t>(i);
        std::shuffle(bits.begin(), bits.end(), random);
        int count = below(kMostCellBits + 1);
        CellMap map;
        map.set(bits.data(), count);
        for (int i = 0; i < 20; i++) {
            Fingerprint row = i == 0 ? ~Fingerprint{0} : random();
            std::uint32_t cell = 0;
            for (int j = 0; j < count; j++)
                cell = cell << 1 | (row >> bits[static_cast<std::size_t>(j)] & 1);
            ASSERT_EQ(map(row), cell);
        }
    }
}

TEST_F(PairPlanTest, Flips)
{
    for (int bits = 0; bits <= 12; bits++) {
        for (int most = 0; most <= bits + 2; most++) {
            std::set<std::uint32_t> seen;
            int last = 0;
            for (Flips flips(bits, most); !flips.done(); flips.next()) {
                ASSERT_EQ(std::popcount(flips.mask()), flips.count());
                ASSERT_GE(flips.count(), last);
                ASSERT_EQ(flips.mask() >> bits, 0u);
                ASSERT_TRUE(seen.insert(flips.mask()).second);
                last = flips.count();
            }
            std::size_t expected = 0;
            for (std::uint32_t mask = 0; mask < 1u << bits; mask++)
                expected += std::popcount(mask) <= most;
            ASSERT_EQ(seen.size(), expected) << bits << " bits, at most " << most;
        }
    }
}

TEST_F(PairPlanTest, MeasureBits)
{
    double differ[kBits];
    measure_bits(nullptr, 0, nullptr, 0, differ);
    for (double d : differ)
        EXPECT_DOUBLE_EQ(d, 0.5);

    for (std::size_t count : {1u, 255u, 256u, 1000u}) {
        std::vector<Fingerprint> x(count), y(count / 2 + 1);
        for (Fingerprint &row : x)
            row = random() & random();
        for (Fingerprint &row : y)
            row = random() | 1;
        measure_bits(x.data(), x.size(), y.data(), y.size(), differ);
        for (int bit = 0; bit < kBits; bit++) {
            double differing = 0;
            for (Fingerprint a : x) {
                for (Fingerprint b : y)
                    differing += (a ^ b) >> bit & 1;
            }
            ASSERT_NEAR(differ[bit], differing / static_cast<double>(x.size() * y.size()), 1e-9);
        }
    }
}

} // namespace
} // namespace simhash
