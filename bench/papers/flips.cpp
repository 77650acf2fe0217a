// The flips and header probes that find real near-duplicates, independently of the index: the paper's Figures 3, 5(a)
// and 8, for the flip sets in the order of VOSH under the extension's default model.
//
//   flips DIRECTORY <PAIRS
//
// PAIRS: lines of query number, weights as 64 numbers in brackets, fingerprint of a near-duplicate. Pairs more than
// three bits apart are left out. Writes to the directory, with a header line each:
//
//   flips.csv    distance,flips,vosh,random     the share of the pairs at a distance that this many flips find
//   probes.csv   header,probes,all,first        the share of the pairs, and of the queries with a partner, that this
//                                               many probes of a header find
//   headers.csv  header,pairs,recall,all,first  probes that reach a recall; pairs 0: including equal fingerprints, 1:
//                                               excluding them
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/likely/flip_coverage.hpp"
#include "core/likely/vosh.hpp"
#include "core/features/weights.hpp"

using namespace simhash;

namespace
{

constexpr int kRadius = 3;
constexpr double kRecalls[] = {0.90, 0.95, 0.99, 1.0};
const int kHeaders[] = {14, 16, 18, 20, 22, 24, 26};

struct Pair {
    int query;
    Weights weights;
    Fingerprint partner;
    int distance() const { return hamming_distance(weights_fingerprint(weights), partner); }
};

std::vector<VoshNode> nodes(400000);

// The position of a set in the order, from 1.
int rank_of(const FlipValue &value, std::uint64_t wanted)
{
    Vosh vosh;
    vosh.begin(&value, nodes.data(), nodes.size());
    std::uint64_t flips;
    double worth;
    for (int rank = 1; vosh.next(&flips, &worth); rank++)
        if (flips == wanted)
            return rank;
    std::fprintf(stderr, "a set of flips did not come\n");
    std::exit(1);
}

std::vector<Pair> read_pairs()
{
    std::vector<Pair> pairs;
    char *line = nullptr;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        Pair pair;
        char *at;
        pair.query = static_cast<int>(std::strtol(line, &at, 10));
        for (int j = 0; j < kBits; j++) {
            at += std::strcspn(at, "-0123456789");
            weight_from_double(std::strtod(at, &at), &pair.weights.sum[j]);
        }
        at += std::strcspn(at, "\t");
        pair.partner = std::strtoull(at, nullptr, 16);
        if (pair.distance() <= kRadius)
            pairs.push_back(pair);
    }
    std::free(line);
    return pairs;
}

FILE *open(const std::string &name, const char *header)
{
    FILE *file = std::fopen(name.c_str(), "w");
    if (file == nullptr) {
        std::perror(name.c_str());
        std::exit(1);
    }
    std::fprintf(file, "%s\n", header);
    return file;
}

double part(const std::vector<int> &sorted, int most)
{
    return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), most) - sorted.begin()) /
           static_cast<double>(sorted.size());
}

int quantile(const std::vector<int> &sorted, double recall)
{
    return sorted[static_cast<size_t>(std::ceil(recall * static_cast<double>(sorted.size()))) - 1];
}

// Sets of exactly `distance` of all 64 bits, in VOSH's order.
void write_flips(const std::vector<Pair> &pairs, const std::string &directory)
{
    FILE *file = open(directory + "/flips.csv", "distance,flips,vosh,random");
    for (int distance = 1; distance <= kRadius; distance++) {
        std::vector<int> ranks;
        for (const Pair &pair : pairs) {
            if (pair.distance() != distance)
                continue;
            Volatility volatility;
            set_volatility(kDefaultVolatility, pair.weights, distance, &volatility);
            std::uint64_t all = ~std::uint64_t{0};
            FlipCoverage coverage;
            coverage.begin(&volatility, &all, 1);
            FlipValue value;
            coverage.set_flip_weight(0, &value);
            coverage.set_flip_order(0, &value);
            std::fill(value.weight, value.weight + distance, levels_of(0));
            ranks.push_back(rank_of(value, weights_fingerprint(pair.weights) ^ pair.partner));
        }
        if (ranks.empty())
            continue;
        std::sort(ranks.begin(), ranks.end());
        int sets = distance == 1 ? 64 : distance == 2 ? 2016 : 41664;
        for (double point = 1; point <= sets * 1.05; point = std::max(point + 1, point * 1.05)) {
            int flips = std::min(sets, static_cast<int>(point));
            std::fprintf(file, "%d,%d,%.5f,%.5f\n", distance, flips, part(ranks, flips),
                         static_cast<double>(flips) / sets);
        }
        std::fprintf(stderr, "distance %d: %zu pairs; flips that find 50 / 95 / 99 / 100 %%: %d / %d / %d / %d of %d\n",
                     distance, ranks.size(), quantile(ranks, 0.5), quantile(ranks, 0.95), quantile(ranks, 0.99),
                     quantile(ranks, 1), sets);
    }
    std::fclose(file);
}

// Flips within the leading bits of the fingerprint.
void write_probes(const std::vector<Pair> &pairs, const std::string &directory)
{
    FILE *curve = open(directory + "/probes.csv", "header,probes,all,first");
    FILE *table = open(directory + "/headers.csv", "header,pairs,recall,all,first");
    for (int header : kHeaders) {
        std::uint64_t prefix = ~std::uint64_t{0} << (kBits - header);
        for (int nearest = 0; nearest <= 1; nearest++) {
            std::vector<int> all, first;
            std::map<int, int> best;
            for (const Pair &pair : pairs) {
                if (pair.distance() < nearest)
                    continue;
                Volatility volatility;
                set_volatility(kDefaultVolatility, pair.weights, kRadius, &volatility);
                FlipCoverage coverage;
                coverage.begin(&volatility, &prefix, 1);
                FlipValue value;
                coverage.set_flip_weight(0, &value);
                coverage.set_flip_order(0, &value);
                int rank = rank_of(value, (weights_fingerprint(pair.weights) ^ pair.partner) & prefix);
                all.push_back(rank);
                auto [entry, fresh] = best.emplace(pair.query, rank);
                if (!fresh)
                    entry->second = std::min(entry->second, rank);
            }
            if (all.empty())
                continue;
            for (auto [query, rank] : best)
                first.push_back(rank);
            std::sort(all.begin(), all.end());
            std::sort(first.begin(), first.end());
            for (double recall : kRecalls)
                std::fprintf(table, "%d,%d,%.2f,%d,%d\n", header, nearest, recall, quantile(all, recall),
                             quantile(first, recall));
            for (int probes = 1; nearest == 1 && probes <= 256; probes = std::max(probes + 1, probes * 17 / 16))
                std::fprintf(curve, "%d,%d,%.5f,%.5f\n", header, probes, part(all, probes), part(first, probes));
        }
    }
    std::fclose(curve);
    std::fclose(table);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    std::vector<Pair> pairs = read_pairs();
    write_flips(pairs, argv[1]);
    write_probes(pairs, argv[1]);
    return 0;
}
