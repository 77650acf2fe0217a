// Compares ways to sketch sets: the time of a sketch, and the bias and variance of the Jaccard indices that are estimated
// from full minima and from one bit of each. See README.md.
//
//   families constructed           sets of random elements with known Jaccard indices
//   families real TEXTS PAIRS      three-word shingles of texts; pairs from a list
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/hash/feature_hash.hpp"
#include "core/minhash/minhash_sketch.hpp"
#include "core/text/text_features.hpp"

using namespace simhash;

namespace
{

using Set = std::vector<std::uint64_t>;
using Minima = std::vector<std::uint64_t>;

double processor_seconds()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// ---- the families; `seed` makes independent sketches of the same sets

// min over the elements of a x + b mod 2^61 - 1, one a and b for each minimum.
Minima linear(const Set &set, int size, std::uint64_t seed)
{
    constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
    Minima minima(static_cast<std::size_t>(size), UINT64_MAX);
    for (std::size_t place = 0; place < minima.size(); place++) {
        std::uint64_t a = split_mix_number(seed, 2 * place + 1) % (kPrime - 1) + 1;
        std::uint64_t b = split_mix_number(seed, 2 * place + 2) % kPrime;
        std::uint64_t least = UINT64_MAX;
        for (std::uint64_t x : set) {
            unsigned __int128 product = static_cast<unsigned __int128>(a) * (x & kPrime) + b;
            std::uint64_t folded =
                (static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61);
            least = std::min(least, folded >= kPrime ? folded - kPrime : folded);
        }
        minima[place] = least;
    }
    return minima;
}

// min over the elements of XXH3 with a seed for each minimum.
Minima seeded(const Set &set, int size, std::uint64_t seed)
{
    Minima minima(static_cast<std::size_t>(size), UINT64_MAX);
    for (std::size_t place = 0; place < minima.size(); place++) {
        std::uint64_t key = split_mix_number(seed, place);
        std::uint64_t least = UINT64_MAX;
        for (std::uint64_t x : set) {
            std::uint64_t bytes[2] = {x, key};
            least = std::min(least, feature_hash(bytes, sizeof(bytes)));
        }
        minima[place] = least;
    }
    return minima;
}

// min over the elements of a mixer of 64 bits: the same with a cheaper hash.
Minima mixed(const Set &set, int size, std::uint64_t seed)
{
    Minima minima(static_cast<std::size_t>(size), UINT64_MAX);
    for (std::size_t place = 0; place < minima.size(); place++) {
        std::uint64_t key = split_mix_number(seed, place);
        std::uint64_t least = UINT64_MAX;
        for (std::uint64_t x : set)
            least = std::min(least, split_mix(x ^ key));
        minima[place] = least;
    }
    return minima;
}

// min over the elements of simple tabulation: eight tables of 256 words for each minimum.
Minima tabulation(const Set &set, int size, std::uint64_t seed)
{
    Minima minima(static_cast<std::size_t>(size), UINT64_MAX);
    std::vector<std::uint64_t> table(8 * 256);
    for (std::size_t place = 0; place < minima.size(); place++) {
        for (std::size_t i = 0; i < table.size(); i++)
            table[i] = split_mix_number(seed + place * 0x123456789ABCDEF, i + 1);
        std::uint64_t least = UINT64_MAX;
        for (std::uint64_t x : set) {
            std::uint64_t hash = 0;
            for (std::size_t byte = 0; byte < 8; byte++)
                hash ^= table[byte * 256 + (x >> (8 * byte) & 255)];
            least = std::min(least, hash);
        }
        minima[place] = least;
    }
    return minima;
}

// One permutation hashing with optimal densification (Shrivastava, ICML 2017): an empty place takes the minimum of a place
// that a hash of its number and of the attempt chooses.
Minima one_permutation(const Set &set, int size, std::uint64_t seed)
{
    auto places = static_cast<std::uint64_t>(size);
    Minima sparse(places, UINT64_MAX);
    for (std::uint64_t x : set) {
        std::uint64_t hash = split_mix(x ^ split_mix(seed));
        std::uint64_t place = (hash >> 32) * places >> 32;
        sparse[place] = std::min(sparse[place], hash & (UINT64_MAX >> 16));
    }
    Minima minima = sparse;
    for (std::uint64_t place = 0; place < places; place++)
        for (std::uint64_t attempt = 1; minima[place] == UINT64_MAX; attempt++) {
            std::uint64_t other = split_mix(seed + place * 0x9E3779B97F4A7C15 + attempt * 0xD1B54A32D192ED03);
            minima[place] = sparse[(other >> 32) * places >> 32];
        }
    return minima;
}

// Fast similarity sketching: the extension's own.
Minima fast(const Set &set, int size, std::uint64_t seed)
{
    Minima minima(static_cast<std::size_t>(size));
    Set elements = set;
    for (std::uint64_t &x : elements)
        x ^= split_mix(seed);
    MinhashSketch sketch;
    sketch.init(minima.data(), size);
    sketch.add(elements.data(), elements.size());
    return minima;
}

struct Family {
    const char *name;
    Minima (*sketch)(const Set &, int, std::uint64_t);
};
constexpr Family kFamilies[] = {{"ax + b mod p", linear},
                                {"XXH3 with seeds", seeded},
                                {"SplitMix64 with seeds", mixed},
                                {"tabulation", tabulation},
                                {"one permutation, densified", one_permutation},
                                {"fast similarity sketching", fast}};

// ---- estimates

struct Errors {
    double sum = 0, squares = 0;
    double bit_sum = 0, bit_squares = 0;
    double expected = 0, bit_expected = 0; // of the squares, for independent minima
    int count = 0;

    void add(const Minima &a, const Minima &b, double truth)
    {
        std::size_t equal = 0, bits = 0;
        for (std::size_t i = 0; i < a.size(); i++) {
            equal += a[i] == b[i];
            bits += minhash_bit(a[i]) == minhash_bit(b[i]);
        }
        auto size = static_cast<double>(a.size());
        double error = static_cast<double>(equal) / size - truth;
        double bit_error = 2 * static_cast<double>(bits) / size - 1 - truth;
        sum += error;
        squares += error * error;
        bit_sum += bit_error;
        bit_squares += bit_error * bit_error;
        expected += truth * (1 - truth) / size;
        bit_expected += (1 - truth * truth) / size;
        count++;
    }
    // Bias in units of its standard error; variance relative to independent minima.
    void print() const
    {
        double n = count;
        std::printf("%+9.4f %7.1f %8.2f   %+9.4f %7.1f %8.2f", sum / n, sum / std::sqrt(squares),
                    squares / expected, bit_sum / n, bit_sum / std::sqrt(bit_squares),
                    bit_squares / bit_expected);
    }
};

void print_header()
{
    std::printf("%-28s %5s %7s %5s %9s   %9s %7s %8s   %9s %7s %8s\n", "", "size", "n", "J", "us a set",
                "bias", "in s.e.", "variance", "bias 1b", "in s.e.", "variance");
}

void run_constructed()
{
    print_header();
    for (int size : {128, 256, 1024}) {
        for (std::size_t n : {1ul, 3ul, 10ul, 30ul, 100ul, 300ul, 1000ul, 10000ul, 100000ul}) {
            for (double wanted : {0.5, 0.8, 0.95}) {
                // Both sets have n elements, of which c are common: J = c / (2 n - c).
                auto common =
                    static_cast<std::size_t>(std::lround(2 * wanted * static_cast<double>(n) / (1 + wanted)));
                double truth = static_cast<double>(common) / static_cast<double>(2 * n - common);
                for (const Family &family : kFamilies) {
                    bool slow = family.sketch != one_permutation && family.sketch != fast;
                    std::size_t work = n * static_cast<std::size_t>(slow ? size : 1);
                    int rounds = static_cast<int>(std::clamp<std::size_t>(20000000 / (work + 2000), 4, 400));
                    if (slow && work > 20000000)
                        continue;
                    Errors errors;
                    double seconds = 0;
                    std::mt19937_64 random(n * 1000 + static_cast<std::size_t>(size));
                    for (int round = 0; round < rounds; round++) {
                        Set a(n), b(n);
                        for (std::size_t i = 0; i < n; i++) {
                            a[i] = random();
                            b[i] = i < common ? a[i] : random();
                        }
                        std::uint64_t seed = random();
                        double before = processor_seconds();
                        Minima of_a = family.sketch(a, size, seed);
                        seconds += processor_seconds() - before;
                        errors.add(of_a, family.sketch(b, size, seed), truth);
                    }
                    std::printf("%-28s %5d %7zu %5.2f %9.2f   ", family.name, size, n, truth,
                                seconds / rounds * 1e6);
                    errors.print();
                    std::printf("\n");
                }
            }
        }
    }
}

Set shingles(const std::string &text)
{
    static TextFeatures features;
    Set all;
    std::uint64_t hashes[256];
    std::size_t count;
    features.init(TextUnit::kWord, 3);
    features.read_from(text.data(), text.size(), true);
    while ((count = features.next(hashes, std::size(hashes))) > 0)
        all.insert(all.end(), hashes, hashes + count);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

double jaccard(const Set &a, const Set &b)
{
    Set both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return static_cast<double>(both.size()) / static_cast<double>(a.size() + b.size() - both.size());
}

std::string field(const std::string &line, int number)
{
    std::size_t from = 0;
    for (int i = 0; i < number; i++)
        from = line.find('\t', from) + 1;
    return line.substr(from, line.find('\t', from) - from);
}

int run_real(const char *texts_name, const char *pairs_name)
{
    std::vector<Set> sets;
    std::unordered_map<std::string, std::size_t> row;
    std::ifstream texts(texts_name);
    for (std::string line; sets.size() < 4000 && std::getline(texts, line);) {
        row[field(line, 0)] = sets.size();
        sets.push_back(shingles(line.substr(line.rfind('\t') + 1)));
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    std::ifstream list(pairs_name);
    for (std::string line; std::getline(list, line);) {
        auto a = row.find(field(line, 0)), b = row.find(field(line, 1));
        if (a != row.end() && b != row.end())
            pairs.emplace_back(a->second, b->second);
    }
    std::size_t elements = 0;
    for (const Set &set : sets)
        elements += set.size();
    std::printf("%zu texts of %zu shingles on average, %zu pairs\n", sets.size(), elements / sets.size(),
                pairs.size());
    print_header();
    for (int size : {128, 256, 1024}) {
        for (const Family &family : kFamilies) {
            std::vector<Minima> minima;
            double before = processor_seconds();
            for (const Set &set : sets)
                minima.push_back(family.sketch(set, size, 1));
            double seconds = processor_seconds() - before;
            for (double least : {0.0, 0.5, 0.8}) {
                Errors errors;
                for (auto [a, b] : pairs) {
                    double truth = jaccard(sets[a], sets[b]);
                    if (truth >= least && truth < (least == 0 ? 0.5 : least == 0.5 ? 0.8 : 1.0))
                        errors.add(minima[a], minima[b], truth);
                }
                std::printf("%-28s %5d %7d >=%3.1f %9.2f   ", family.name, size, errors.count, least,
                            seconds / static_cast<double>(sets.size()) * 1e6);
                errors.print();
                std::printf("\n");
            }
        }
    }
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc == 2 && std::strcmp(argv[1], "constructed") == 0) {
        run_constructed();
        return 0;
    }
    if (argc == 4 && std::strcmp(argv[1], "real") == 0)
        return run_real(argv[2], argv[3]);
    std::fprintf(stderr, "usage: %s constructed | real TEXTS PAIRS\n", argv[0]);
    return 2;
}
