// What should a sum of 0 give? Texts, one a line, and generated texts of a few words: the bits that are ones, unlike
// texts that are near each other, and copies with another word that are. See README.md.
//
//   ties TEXTS...
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/features/term_frequency.hpp"
#include "core/hash/split_mix.hpp"
#include "core/weights/weights.hpp"
#include "texts.hpp"

using namespace simhash;

namespace
{

__extension__ typedef __int128 Wide;

using Features = std::vector<std::uint64_t>;
using Counts = std::map<std::uint64_t, std::uint32_t>;

constexpr std::size_t kMostTexts = 20000;
constexpr int kBlockBits = 16;

std::uint64_t drawn = 0;
std::size_t draw(std::size_t below) { return split_mix_number(1, ++drawn) % below; }

Counts count(const Features &features)
{
    Counts counts;
    for (std::uint64_t feature : features)
        counts[feature]++;
    return counts;
}

// `more` gives what a feature weighs in addition, in units of 2^-32.
template <typename More> Weights sum_votes(const Counts &counts, More more)
{
    Weights sums = {};
    for (auto [hash, times] : counts)
        if (!add_feature(&sums, hash, (Weight{logarithmic_weight(times)} << 24) + more(hash)))
            std::abort();
    return sums;
}

// The fingerprint of sums, where `tie(j)` says what a sum of 0 gives.
template <typename Tie> Fingerprint decide(const Weights &sums, Tie tie)
{
    Fingerprint value = 0;
    for (int j = 0; j < kBits; j++)
        value |= static_cast<Fingerprint>(sums.sum[j] == 0 ? tie(j) : sums.sum[j] > 0) << j;
    return value;
}

Weights plain_sums(const Counts &counts)
{
    return sum_votes(counts, [](std::uint64_t) { return 0; });
}

Fingerprint one(const Counts &counts)
{
    return decide(plain_sums(counts), [](int) { return true; });
}

Fingerprint pattern(const Counts &counts)
{
    return decide(plain_sums(counts), [](int j) { return (split_mix(1) >> j & 1) != 0; });
}

// A fair bit of all features together.
Fingerprint fair_bit(const Counts &counts)
{
    std::uint64_t fair = 0;
    for (auto [hash, times] : counts)
        fair ^= split_mix_number(hash, times);
    return decide(plain_sums(counts), [&](int j) { return (fair >> j & 1) != 0; });
}

// A feature weighs a little more, by its hash.
Fingerprint unequal_weights(const Counts &counts)
{
    return decide(sum_votes(counts, [](std::uint64_t hash) { return Weight(split_mix(hash) >> 40); }),
                  [](int) { return true; });
}

// The same at each bit by another number.
Fingerprint unequal_votes(const Counts &counts)
{
    return decide(plain_sums(counts), [&](int j) {
        Wide sum = 0;
        for (auto [hash, times] : counts) {
            const Wide more = split_mix_number(hash, static_cast<std::uint64_t>(j) + 1);
            sum += (hash >> j & 1) != 0 ? more : -more;
        }
        return sum >= 0;
    });
}

// The sign of a random combination of the other sums.
Fingerprint combination(const Counts &counts)
{
    const Weights sums = plain_sums(counts);
    return decide(sums, [&](int j) {
        Wide sum = 0;
        for (int k = 1; k < kBits; k++)
            sum +=
                static_cast<Wide>(static_cast<std::int32_t>(split_mix_number(0, static_cast<unsigned>(k)))) *
                sums.sum[(j + k) % kBits];
        return sum >= 0;
    });
}

constexpr struct {
    const char *name;
    Fingerprint (*fingerprint)(const Counts &);
} kRules[] = {{"1", one},
              {"fixed pattern", pattern},
              {"fair bit", fair_bit},
              {"unequal weights", unequal_weights},
              {"unequal votes", unequal_votes},
              {"other sums", combination}};

// Whether texts have less than half of their words in common.
bool unlike(const Counts &a, const Counts &b)
{
    std::size_t common = 0;
    for (auto [hash, times] : a)
        common += b.contains(hash);
    return common * 2 < a.size() + b.size() - common;
}

using Distances = std::vector<double>; // how many at each distance, then up to it

void cumulate(Distances *distances)
{
    for (std::size_t h = 1; h < distances->size(); h++)
        (*distances)[h] += (*distances)[h - 1];
}

// The copies found where `most` unlike pairs are, between two radii in proportion.
double found_beside(const Distances &unlikes, const Distances &copies, double most)
{
    std::size_t h = 0;
    while (unlikes[h] <= most)
        h++;
    const double before = h == 0 ? 0 : unlikes[h - 1], found = h == 0 ? 0 : copies[h - 1];
    return found + (copies[h] - found) * (most - before) / (unlikes[h] - before);
}

void measure(const std::string &name, std::vector<Features> texts)
{
    for (std::size_t i = texts.size(); i > 1; i--)
        std::swap(texts[i - 1], texts[draw(i)]);
    texts.resize(std::min(texts.size(), kMostTexts));
    std::vector<Counts> originals, copies;
    for (const Features &text : texts) {
        Features copy = text;
        const Features &other = texts[draw(texts.size())];
        copy[draw(copy.size())] = other[draw(other.size())];
        originals.push_back(count(text));
        copies.push_back(count(copy));
    }
    const double size = static_cast<double>(texts.size()), pairs = size * (size - 1) / 2;
    for (const auto &rule : kRules) {
        std::vector<Fingerprint> values;
        Distances far(kBits + 1), near(kBits + 1);
        double ones = 0, sum = 0, blocks = 0, edited = 0;
        for (std::size_t i = 0; i < texts.size(); i++) {
            const Fingerprint value = rule.fingerprint(originals[i]);
            ones += std::popcount(value);
            for (std::size_t j = 0; j < i; j++) {
                const int distance = hamming_distance(value, values[j]);
                sum += distance;
                blocks += (value ^ values[j]) >> (kBits - kBlockBits) == 0;
                if (distance > kBits / 3 || unlike(originals[i], originals[j]))
                    far[static_cast<std::size_t>(distance)]++;
            }
            values.push_back(value);
            if (originals[i] == copies[i])
                continue;
            edited++;
            near[static_cast<std::size_t>(hamming_distance(value, rule.fingerprint(copies[i])))]++;
        }
        cumulate(&far);
        cumulate(&near);
        std::printf("| %s | %s | %.2f | %.1f | %.1f |", name.c_str(), rule.name, ones / size / kBits,
                    sum / pairs, blocks / pairs * (1 << kBlockBits));
        for (std::size_t h : {3, 5, 8})
            std::printf(" %.2g |", far[h] / pairs * 1e6);
        for (std::size_t h : {3, 5, 8})
            std::printf(" %.3f |", near[h] / edited);
        std::printf(" %.3f |\n", found_beside(far, near, pairs / 1e6) / edited);
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char **argv)
{
    std::printf("| texts | a sum of 0 gives | ones | mean distance | same %d bits, of 2^%d | unlike of a "
                "million at 3 "
                "| 5 | 8 | copies at 3 | 5 | 8 | where one of a million is unlike |\n"
                "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
                kBlockBits, kBlockBits);
    for (std::size_t words : {1, 2, 3, 4, 5, 6, 7, 8, 16, 64}) {
        std::vector<Features> texts(kMostTexts);
        for (Features &text : texts)
            for (std::size_t i = 0; i < words; i++)
                text.push_back(split_mix_number(0, ++drawn));
        measure(std::to_string(words) + " words", texts);
    }
    for (int i = 1; i < argc; i++) {
        std::vector<Features> texts;
        std::ifstream file(argv[i]);
        for (std::string line; std::getline(file, line);) {
            Features features = read_features(line, TextUnit::kWord, 1);
            if (!features.empty())
                texts.push_back(std::move(features));
        }
        measure(argv[i], std::move(texts));
    }
}
