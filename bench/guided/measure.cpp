// The time to plan a search by weights: GuidedPlan alone, without a server and without leaves.
//
//   measure [WEIGHTS]
//
// WEIGHTS: lines with 64 numbers in brackets, the text form of simhash_weights. Without it, weights are random.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "core/volatility/guided_plan.hpp"

using namespace simhash;

namespace
{

constexpr double kLeaves = 19608; // of 10 million rows
constexpr double kTarget = 0.95;
constexpr int kRounds = 9; // the median counts
constexpr std::size_t kQueries = 4000;
constexpr std::size_t kMostProbes = 4096;

std::vector<Weights> draw_weights()
{
    std::mt19937_64 random(1);
    std::normal_distribution<> normal;
    std::vector<Weights> all(kQueries);
    for (Weights &weights : all)
        for (Weight &weight : weights.sum)
            weight = static_cast<Weight>(normal(random) * 20 * kWeightOne);
    return all;
}

std::vector<Weights> read_weights(const char *name)
{
    FILE *file = std::fopen(name, "r");
    if (file == nullptr) {
        std::perror(name);
        std::exit(1);
    }
    std::vector<Weights> all;
    char *line = nullptr;
    std::size_t capacity = 0;
    while (all.size() < kQueries && getline(&line, &capacity, file) > 0) {
        Weights weights;
        char *at = line;
        for (Weight &weight : weights.sum) {
            at += std::strcspn(at, "-0123456789");
            weight_from_double(std::strtod(at, &at), &weight);
        }
        all.push_back(weights);
    }
    std::free(line);
    std::fclose(file);
    return all;
}

// A table's leaves: equal ranges of keys, with arbitrary bounds.
std::uint64_t leaf_of(std::uint64_t key)
{
    return static_cast<std::uint64_t>(
        static_cast<unsigned __int128>(key) * static_cast<std::uint64_t>(kLeaves) >> 64);
}

std::uint64_t first_key(std::uint64_t leaf)
{
    unsigned __int128 n = static_cast<std::uint64_t>(kLeaves);
    return static_cast<std::uint64_t>(((static_cast<unsigned __int128>(leaf) << 64) + n - 1) / n);
}

// Processor time, since others may be using the machine.
double seconds()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char **argv)
{
    std::vector<Weights> queries = argc > 1 ? read_weights(argv[1]) : draw_weights();
    std::printf("%zu queries, %s; target %.2f, %.0f leaves a table\n\n", queries.size(),
                argc > 1 ? "read" : "drawn", kTarget, kLeaves);
    std::printf("| tables | r | probes | first probe, µs | all, µs | recall |\n|---|---|---|---|---|---|\n");
    auto order = std::make_unique<KeyOrder>();
    auto plan = std::make_unique<GuidedPlan>();
    std::vector<VoshNode> nodes(8 * kMostProbes);
    std::vector<GuidedRange> ranges(kMostProbes);
    int prefix_bits = guided_prefix_bits(kLeaves);
    for (int tables : {1, 4}) {
        TableDesign design;
        if (!make_design(3, tables, &design))
            return 1;
        std::uint8_t bit_order[kBits];
        for (int i = 0; i < kBits; i++)
            bit_order[i] = static_cast<std::uint8_t>(63 - i);
        order->set(design, bit_order);
        plan->set_tables(order.get(), prefix_bits);
        for (int radius : {3, 5, 8}) {
            std::vector<double> first, whole;
            double probes = 0, recall = 0;
            GuidedProbe probe;
            for (int round = 0; round < kRounds; round++) {
                double start = seconds();
                for (const Weights &weights : queries) {
                    plan->begin({&weights, &kDefaultVolatility, radius, kTarget, true}, nodes.data(),
                                nodes.size(), ranges.data(), ranges.size());
                    plan->next(&probe);
                }
                first.push_back(seconds() - start);
                start = seconds();
                probes = recall = 0;
                for (const Weights &weights : queries) {
                    plan->begin({&weights, &kDefaultVolatility, radius, kTarget, true}, nodes.data(),
                                nodes.size(), ranges.data(), ranges.size());
                    while (plan->next(&probe))
                        plan->cover(first_key(leaf_of(probe.first_key)),
                                    first_key(leaf_of(probe.last_key) + 1) - 1);
                    probes += static_cast<double>(plan->probes());
                    recall += plan->recall();
                }
                whole.push_back(seconds() - start);
            }
            double count = static_cast<double>(queries.size());
            std::printf("| %d | %d | %.2f | %.2f | %.2f | %.4f |\n", tables, radius, probes / count,
                        1e6 * median(first) / count, 1e6 * median(whole) / count, recall / count);
        }
    }
    return 0;
}
