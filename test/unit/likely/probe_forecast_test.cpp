#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/likely/probe_model.hpp"

namespace simhash
{
namespace
{

// Reads the leaves of trees of 2^8 leaves in the order of their probability, until the recall is reached.
double leaves_to(double f, double target, int trees, double *found_first)
{
    constexpr int kDepth = 8;
    double missed = 1, in_tree = 0, each = std::pow(1 - f, kDepth), left = 1;
    int errors = 0;
    for (int leaves = 1;; leaves++) {
        in_tree += each;
        missed = std::pow(1 - in_tree, trees);
        if (leaves == 1)
            *found_first = 1 - missed;
        if (1 - missed >= target)
            return leaves * trees;
        if (--left == 0) {
            errors++;
            left = std::round(std::tgamma(kDepth + 1) / std::tgamma(errors + 1) /
                              std::tgamma(kDepth - errors + 1));
            each *= f / (1 - f);
        }
    }
}

TEST(ProbeForecastTest, LeavesOfRowsAsTheModelAssumes)
{
    for (double f : {0.05, 0.15, 0.3}) {
        for (double target : {0.5, 0.8, 0.95}) {
            double found;
            double all = leaves_to(f, target, 8, &found);
            double rest = forecast_leaves({8, 256, 8, f, found, target});
            EXPECT_NEAR(rest, found >= target ? 0 : all - 8, 8.001) << f << ' ' << target;
        }
    }
}

TEST(ProbeForecastTest, RowsThatAreHarderToFindCostMore)
{
    ProbeProgress easy = {8, 256, 40, 0.2, 0.7, 0.9}, hard = easy, nothing = easy;
    hard.found = 0.4;
    nothing.found = 0;
    EXPECT_LT(forecast_leaves(easy), forecast_leaves(hard));
    EXPECT_EQ(forecast_leaves(nothing), std::numeric_limits<double>::infinity());
}

} // namespace
} // namespace simhash
