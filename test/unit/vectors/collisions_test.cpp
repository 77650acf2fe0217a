#include "core/vectors/collisions.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "../seed.hpp"

namespace simhash
{
namespace
{

constexpr Norm kNorms[] = {Norm::kL1, Norm::kL2};

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// The mean of (1 - t / r)+ over t = |X|, X of the stable distribution: two points whose projections are t apart lie
// in the same of the buckets of width r with that probability.
double integrated(Norm norm, double r)
{
    constexpr int kSteps = 100000;
    double sum = 0;
    for (int i = 0; i < kSteps; i++) {
        double t = (i + 0.5) / kSteps * r;
        double density = norm == Norm::kL1 ? 2 / 3.14159265358979 / (1 + t * t)
                                           : std::sqrt(2 / 3.14159265358979) * std::exp(-t * t / 2);
        sum += density * (1 - t / r) * r / kSteps;
    }
    return sum;
}

TEST(Collisions, Formulas)
{
    for (Norm norm : kNorms)
        for (double r : {1e-3, 0.1, 0.5, 0.999, 1.0, 2.0, 4.0, 20.0, 100.0})
            EXPECT_NEAR(collision_probability(norm, 3, 3 * r), integrated(norm, r), 1e-6) << r;
    // as printed in the paper
    double r = 1.7;
    EXPECT_NEAR(collision_probability(Norm::kL2, 1, r),
                1 - 2 * normal_cdf(-r) -
                    2 / (std::sqrt(2 * 3.14159265358979) * r) * (1 - std::exp(-r * r / 2)),
                1e-12);
    EXPECT_NEAR(collision_probability(Norm::kL1, 1, r),
                2 * std::atan(r) / 3.14159265358979 - std::log(1 + r * r) / (3.14159265358979 * r), 1e-12);
}

// A random line is a (w / 2, 2 w, 1/2, 1/3)-sensitive family.
TEST(Collisions, RandomLine)
{
    EXPECT_GE(collision_probability(Norm::kL2, 0.5, 1), 1 / 2.0);
    EXPECT_LE(collision_probability(Norm::kL2, 2, 1), 1 / 3.0);
}

TEST(Collisions, Limits)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (Norm norm : kNorms) {
        EXPECT_EQ(collision_probability(norm, 0, 1), 1);
        EXPECT_EQ(collision_probability(norm, kInfinity, 1), 0);
        EXPECT_EQ(collision_probability(norm, 1e-300, 1e300), 1);
        EXPECT_EQ(collision_probability(norm, 1e300, 1e-300), 0);
        EXPECT_NEAR(collision_probability(norm, 1, 1e300), 1, 1e-12);
        EXPECT_NEAR(collision_probability(norm, 1e12, 1) * 1e12, norm == Norm::kL1 ? 0.31831 : 0.39894, 1e-4);
        for (double distance = 0.01; distance < 100; distance *= 1.5)
            EXPECT_GT(collision_probability(norm, distance, 1),
                      collision_probability(norm, distance * 1.5, 1));
    }
}

class CollisionsTest : public SeededTest<17>
{
protected:
    static constexpr int kTables = 60000;

    double uniform() { return static_cast<double>(random() >> 11) * 0x1p-53; }

    // Two vectors at this distance, in widths.
    void random_pair(Norm norm, std::size_t dimensions, double distance, std::vector<Weight> *a,
                     std::vector<Weight> *b)
    {
        std::vector<double> difference(dimensions);
        double length = 0;
        for (double &x : difference) {
            x = uniform() - 0.5;
            length += norm == Norm::kL1 ? std::fabs(x) : x * x;
        }
        if (norm == Norm::kL2)
            length = std::sqrt(length);
        a->clear();
        b->clear();
        for (double x : difference) {
            Weight place = static_cast<Weight>(random() % 1000000000) - 500000000;
            a->push_back(place);
            b->push_back(place + std::llround(x / length * distance * kWeightOne));
        }
    }

    // The share of equal keys among the tables.
    double measured(Norm norm, const std::vector<Weight> &a, const std::vector<Weight> &b, int hashes)
    {
        int equal = 0;
        for (int table = 0; table < kTables; table++)
            equal += stable_key(norm, a.data(), a.size(), {3, table, hashes}) ==
                     stable_key(norm, b.data(), b.size(), {3, table, hashes});
        return static_cast<double>(equal) / kTables;
    }

    static double four_errors(double p) { return 4 * std::sqrt(p * (1 - p) / kTables); }
};

// Keys are shared as often as the formulas say.
TEST_F(CollisionsTest, Measured)
{
    for (Norm norm : kNorms)
        for (double distance : {0.05, 0.25, 0.5, 1.0, 2.0, 5.0, 20.0})
            for (std::size_t dimensions : {1, 3, 25}) {
                std::vector<Weight> a, b;
                random_pair(norm, dimensions, distance, &a, &b);
                double p = collision_probability(norm, distance, 1);
                EXPECT_NEAR(measured(norm, a, b, 1), p, four_errors(p)) << distance << ' ' << dimensions;
                if (dimensions == 3) {
                    double cube = p * p * p;
                    EXPECT_NEAR(measured(norm, a, b, 3), cube, four_errors(cube)) << distance;
                }
            }
}

// The heavy tails of many Cauchy numbers are not cut off.
TEST_F(CollisionsTest, ManyDimensions)
{
    for (Norm norm : kNorms) {
        std::vector<Weight> a, b;
        random_pair(norm, 20000, 1, &a, &b);
        int equal = 0;
        constexpr int kFew = 400;
        for (int table = 0; table < kFew; table++)
            equal += stable_key(norm, a.data(), a.size(), {4, table, 1}) ==
                     stable_key(norm, b.data(), b.size(), {4, table, 1});
        double p = collision_probability(norm, 1, 1);
        EXPECT_NEAR(equal / static_cast<double>(kFew), p, 4 * std::sqrt(p * (1 - p) / kFew));
    }
}

TEST_F(CollisionsTest, SampledBits)
{
    for (int bits : {64, 256, 1000})
        for (int distance : {1, 16, 48, 64}) {
            std::vector<std::uint8_t> a(static_cast<std::size_t>(signature_bytes(bits))), b;
            for (std::uint8_t &byte : a)
                byte = static_cast<std::uint8_t>(random());
            b = a;
            for (int j = 0; j < distance; j++) {
                int bit = (j * 7 + 3) * 5 % bits;
                b[static_cast<std::size_t>(bit / 8)] =
                    static_cast<std::uint8_t>(b[static_cast<std::size_t>(bit / 8)] ^ 0x80 >> bit % 8);
            }
            const SignatureView one = {bits, signature_bytes(bits), a.data()};
            const SignatureView other = {bits, signature_bytes(bits), b.data()};
            for (int hashes : {1, 10}) {
                int equal = 0;
                for (int table = 0; table < kTables; table++)
                    equal += sampled_bits_key(one, {5, table, hashes}) ==
                             sampled_bits_key(other, {5, table, hashes});
                double p = std::pow(1 - static_cast<double>(signature_distance(one, other)) / bits, hashes);
                EXPECT_NEAR(static_cast<double>(equal) / kTables, p, four_errors(p))
                    << bits << ' ' << distance;
            }
        }
}

// K = log n / log(1 / P2) and, for a recall of 1 - 1 / e, L = n^rho.
TEST(BucketPlan, Parameters)
{
    BucketPlan plan = plan_buckets(1e6, 0.5, 0.1, 1 - std::exp(-1.0));
    EXPECT_NEAR(plan.rho, std::log(2.0) / std::log(10.0), 1e-12);
    EXPECT_EQ(plan.hashes, 6);
    EXPECT_EQ(plan.keys, 64) << "n^rho = 2^6";
    EXPECT_NEAR(plan.recall, 1 - std::pow(1 - 1 / 64.0, 64), 1e-12);
    EXPECT_NEAR(plan.candidates, 64, 1e-9);

    for (int k = 1; k <= 15; k++)
        EXPECT_EQ(plan_buckets(std::pow(10.0, k), 0.5, 0.1, 0.9).hashes, k)
            << "a rounding error does not count";

    plan = plan_buckets(1e6, 0.8, 0.3, 0.95);
    EXPECT_EQ(plan.hashes, 12);
    EXPECT_EQ(plan.keys, 43);
    EXPECT_GE(plan.recall, 0.95);
    EXPECT_LT(1 - std::pow(1 - std::pow(0.8, 12), 42), 0.95);
    EXPECT_LE(plan.candidates, plan.keys);
}

TEST(BucketPlan, Limits)
{
    BucketPlan plan = plan_buckets(1, 1, 0, 0.9);
    EXPECT_EQ(plan.hashes, 1);
    EXPECT_EQ(plan.keys, 1);
    EXPECT_EQ(plan.recall, 1);
    EXPECT_EQ(plan.candidates, 0);
    EXPECT_FALSE(std::signbit(plan.rho));
    plan = plan_buckets(1e18, 1e-9, 1e-10, 0.99);
    EXPECT_EQ(plan.hashes, 2);
    EXPECT_GT(plan.keys, 1e18) << "more than there are rows, but a number";
    EXPECT_FALSE(plan_buckets(1e18, 0.01, std::nextafter(0.01, 0.0), 0.99).keys < 1e18);
}

} // namespace
} // namespace simhash
