// How well does the volatility model fit real near-duplicates, and how many leaves does a search by weights
// read? See README.md.
//
//   measure TEXTS PAIRS [leaves | quantised | KIND...]
//
// TEXTS: lines "id doc fam rev repo path words text" as COPY writes them. PAIRS: lines "id1 id2 label cosU
// H_U cosL H_L cosS H_S".
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/tables/search_plan.hpp"
#include "core/volatility/guided_plan.hpp"
#include "corpus.hpp"

using namespace simhash;

namespace
{

constexpr double kTargets[] = {0.90, 0.95, 0.99};
constexpr int kTargetCount = 3;
constexpr int kRadii[] = {3, 5, 8};
constexpr std::size_t kProbes = 8192;

// Equal fingerprints count half: some users will have removed copies already.
constexpr double kCopyWeight = 0.5;

VolatilityModel fit(const std::vector<Weights> &weights, const std::vector<Pair> &pairs)
{
    std::vector<double> likelihoods, counts;
    for (const Pair &pair : pairs) {
        double one[kVolatilityLevels];
        Fingerprint partner = weights_fingerprint(weights[pair.partner]);
        VolatilityFit::likelihood(weights[pair.query], partner, one);
        likelihoods.insert(likelihoods.end(), one, one + kVolatilityLevels);
        counts.push_back(partner == weights_fingerprint(weights[pair.query]) ? kCopyWeight : 1);
    }
    return fit_shares(likelihoods, counts);
}

std::vector<Pair> drop_copies(const std::vector<Weights> &weights, const std::vector<Pair> &pairs)
{
    std::vector<Pair> kept;
    for (const Pair &pair : pairs)
        if (weights_fingerprint(weights[pair.query]) != weights_fingerprint(weights[pair.partner]))
            kept.push_back(pair);
    return kept;
}

// The weights rounded to a smaller type, scaled so that the largest fits.
std::vector<Weights> round_weights(const std::vector<Weights> &weights, const char *type)
{
    std::vector<Weights> rounded;
    for (const Weights &exact : weights) {
        double largest = 0;
        for (Weight weight : exact.sum)
            largest = std::max(largest, std::fabs(static_cast<double>(weight)));
        Weights one = {};
        for (int j = 0; j < kBits && largest > 0; j++) {
            double number = static_cast<double>(exact.sum[j]) / largest; // -1 to 1
            if (std::strcmp(type, "int8") == 0)
                number = std::round(number * 127) / 127;
            else if (std::strcmp(type, "int4") == 0)
                number = std::round(number * 7) / 7;
            else if (std::strcmp(type, "int16") == 0)
                number = std::round(number * 32767) / 32767;
            else if (std::strcmp(type, "float16") == 0)
                number = static_cast<double>(static_cast<_Float16>(number));
            // The sign is the fingerprint's bit: it must survive a number that is rounded to 0.
            Weight weight = static_cast<Weight>(std::lround(number * 0x1p40));
            one.sum[j] = weight == 0 && exact.sum[j] < 0 ? -1 : weight;
        }
        rounded.push_back(one);
    }
    return rounded;
}

// The leaves of a table: `count` of equal ranges, or 2^bits of them, each one cell.
struct Leaves {
    double count;
    std::uint64_t of(std::uint64_t key) const
    {
        return static_cast<std::uint64_t>(
            static_cast<unsigned __int128>(key) * static_cast<std::uint64_t>(count) >> 64);
    }
    std::uint64_t first_key(std::uint64_t leaf) const
    {
        unsigned __int128 n = static_cast<std::uint64_t>(count);
        return static_cast<std::uint64_t>(((static_cast<unsigned __int128>(leaf) << 64) + n - 1) / n);
    }
    std::uint64_t last_key(std::uint64_t leaf) const { return first_key(leaf + 1) - 1; }
};

struct Result {
    double leaves[kTargetCount] = {};
    double found[kTargetCount] = {};
    double seconds[kTargetCount] = {};
    double pairs = 0, queries = 0;
};

struct Setting {
    int tables, radius, prefix_bits;
    double leaves;
};

Result measure(const std::vector<Weights> &weights, const std::vector<Pair> &pairs,
               const VolatilityModel &model, const Setting &setting,
               const std::vector<Weights> *guides = nullptr, bool even_out = true)
{
    TableDesign design;
    if (!make_design(3, setting.tables, &design))
        std::abort();
    std::uint8_t bit_order[kBits];
    for (int i = 0; i < kBits; i++)
        bit_order[i] = static_cast<std::uint8_t>(63 - i);
    auto order = std::make_unique<KeyOrder>();
    order->set(design, bit_order);
    auto plan = std::make_unique<GuidedPlan>();
    plan->set_tables(order.get(), setting.prefix_bits);
    std::vector<VoshNode> nodes(16 * kProbes);
    std::vector<GuidedRange> ranges(kProbes);
    Leaves leaves{setting.leaves};
    Result result;

    std::vector<Pair> sorted;
    for (const Pair &pair : pairs)
        if (hamming_distance(weights_fingerprint(weights[pair.query]),
                             weights_fingerprint(weights[pair.partner])) <= setting.radius)
            sorted.push_back(pair);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Pair &a, const Pair &b) { return a.query < b.query; });
    for (std::size_t from = 0, to; from < sorted.size(); from = to) {
        std::uint32_t query = sorted[from].query;
        for (to = from; to < sorted.size() && sorted[to].query == query; to++)
            ;
        std::vector<std::uint64_t> partner_leaf[kMaxTables]; // UINT64_MAX once found
        std::size_t partners = to - from;
        for (int t = 0; t < setting.tables; t++)
            for (std::size_t i = from; i < to; i++)
                partner_leaf[t].push_back(
                    leaves.of(order->key(t, weights_fingerprint(weights[sorted[i].partner]))));
        std::vector<bool> found(partners);
        std::vector<std::uint64_t> read;
        for (int target = 0; target < kTargetCount; target++) {
            std::fill(found.begin(), found.end(), false);
            read.clear();
            auto start = std::chrono::steady_clock::now();
            plan->begin(
                {&(guides ? *guides : weights)[query], &model, setting.radius, kTargets[target], even_out},
                nodes.data(), nodes.size(), ranges.data(), ranges.size());
            GuidedProbe probe;
            while (plan->next(&probe)) {
                std::uint64_t first = leaves.of(probe.first_key), last = leaves.of(probe.last_key);
                for (std::uint64_t leaf = first; leaf <= last; leaf++) {
                    std::uint64_t name = leaf << 8 | static_cast<std::uint64_t>(probe.table);
                    if (std::find(read.begin(), read.end(), name) != read.end())
                        continue;
                    read.push_back(name);
                    for (std::size_t i = 0; i < partners; i++)
                        if (partner_leaf[probe.table][i] == leaf)
                            found[i] = true;
                }
                plan->cover(leaves.first_key(first), leaves.last_key(last));
            }
            result.seconds[target] +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            result.leaves[target] += static_cast<double>(read.size());
            result.found[target] += static_cast<double>(std::count(found.begin(), found.end(), true));
        }
        result.pairs += static_cast<double>(partners);
        result.queries++;
    }
    return result;
}

void print_head()
{
    std::printf("| tables | leaves | prefix | r | pairs |");
    for (double target : kTargets)
        std::printf(" %.2f: leaves | recall |", target);
    std::printf(" µs |\n|---|---|---|---|---|");
    for (int i = 0; i < kTargetCount; i++)
        std::printf("---|---|");
    std::printf("---|\n");
}

void print_row(const Setting &setting, const Result &result)
{
    std::printf("| %d | %.0f | %d | %d | %.0f |", setting.tables, setting.leaves, setting.prefix_bits,
                setting.radius, result.pairs);
    for (int i = 0; i < kTargetCount; i++)
        std::printf(" %.2f | %.2f |", result.leaves[i] / result.queries,
                    100 * result.found[i] / result.pairs);
    std::printf(" %.0f |\n", 1e6 * result.seconds[1] / result.queries);
    std::fflush(stdout);
}

void print_model(const char *what, const VolatilityModel &model)
{
    std::printf("%s:", what);
    for (double share : model.share)
        std::printf(" %.4f", share);
    std::printf("\n");
}

void print_calibration(const char *title, const std::vector<Weights> &weights, const std::vector<Pair> &pairs,
                       const VolatilityModel &model, std::initializer_list<Setting> settings,
                       const std::vector<Weights> *guides = nullptr, bool even_out = true)
{
    std::printf("\n%s:\n\n", title);
    print_head();
    for (Setting setting : settings)
        for (int radius : kRadii) {
            setting.radius = radius;
            print_row(setting, measure(weights, pairs, model, setting, guides, even_out));
        }
}

// Equal leaves that are one cell each.
const std::initializer_list<Setting> kAligned = {
    {1, 0, 14, 0x1p14}, {4, 0, 14, 0x1p14}, {1, 0, 17, 0x1p17}, {4, 0, 17, 0x1p17}};

// Equal leaves of 510 rows with arbitrary bounds, and cells of several sizes.
constexpr double k10M = 19608, k60M = 117647;
const std::initializer_list<Setting> kUnaligned = {
    {1, 0, 15, k10M}, {1, 0, 16, k10M}, {1, 0, 17, k10M}, {1, 0, 18, k10M}, {1, 0, 19, k10M},
    {4, 0, 15, k10M}, {4, 0, 16, k10M}, {4, 0, 17, k10M}, {4, 0, 18, k10M}, {4, 0, 19, k10M},
    {1, 0, 17, k60M}, {1, 0, 18, k60M}, {1, 0, 19, k60M}, {1, 0, 20, k60M}, {4, 0, 17, k60M},
    {4, 0, 18, k60M}, {4, 0, 19, k60M}, {4, 0, 20, k60M}};

} // namespace

int main(int argc, char **argv)
{
    if (argc < 3) {
        std::fprintf(stderr, "usage: %s TEXTS PAIRS [leaves | quantised | KIND...]\n", argv[0]);
        return 2;
    }
    Corpus corpus = read_corpus(argv[1], argv[2]);
    std::printf("%zu texts; pairs in both directions: %zu to fit, %zu to test\n", corpus.texts.size(),
                corpus.pairs[0].size(), corpus.pairs[1].size());
    auto wanted = [argc, argv](const char *part) {
        bool any = argc == 3;
        for (int i = 3; i < argc; i++)
            any = any || std::strcmp(argv[i], part) == 0;
        return any;
    };
    print_model("the default model", kDefaultVolatility);

    for (const Kind &kind : kKinds) {
        if (!wanted(kind.name))
            continue;
        std::vector<Weights> weights = weigh_texts(corpus.texts, kind);
        const std::vector<Pair> &test = corpus.pairs[1];
        std::vector<Pair> changed = drop_copies(weights, test);
        std::printf("\n## %s\n\n", kind.name);
        VolatilityModel own = fit(weights, corpus.pairs[0]);
        print_model("fit to the first half", own);
        print_calibration("Default model, second half", weights, test, kDefaultVolatility, kAligned);
        print_calibration("Default model, without copies", weights, changed, kDefaultVolatility, kAligned);
        print_calibration("Own fit", weights, test, own, kAligned);
        print_calibration("Default model, each query up to its target", weights, test, kDefaultVolatility,
                          kAligned, nullptr, false);
    }
    if (!wanted("leaves") && !wanted("quantised"))
        return 0;
    std::vector<Weights> weights = weigh_texts(corpus.texts, kKinds[0]);
    if (wanted("leaves")) {
        std::printf("\n## Leaves that are not cells, %s\n", kKinds[0].name);
        print_calibration("Default model", weights, corpus.pairs[1], kDefaultVolatility, kUnaligned);
    }
    if (wanted("quantised")) {
        std::printf("\n## Quantised weights, %s\n", kKinds[0].name);
        for (const char *type : {"exact", "int16", "float16", "int8", "int4"}) {
            std::vector<Weights> guides = round_weights(weights, type);
            print_calibration(type, weights, corpus.pairs[1], kDefaultVolatility, kAligned, &guides);
        }
    }
}
