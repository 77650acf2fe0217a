// Usage: recall KIND <KIND.tsv. Of all pairs of texts whose three-word shingles have a Jaccard index of at least .8, the
// share that fingerprints of 64 bits find within a number of bits, and how many pairs are that near for each of them.
// The pairs are found exactly, by inverted lists of the rarest shingles.
#include "core/features/feature_counts.hpp"
#include "core/features/weights.hpp"
#include "sets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

using namespace simhash;

constexpr double kLeast = .5; // the Jaccard index of the pairs
constexpr double kIndexes[] = {.9, .8, .7, .6, .5};
const char *const kSchemes[] = {"to_simhash", "to_simhash, 2 words", "3 words", "2 words", "1 word", "1 and 2 words", "1 to 3 words"};
constexpr int kCount = std::size(kSchemes), kChosen = 3;

struct Text {
    FeatureSet shingles;
    Fingerprint bits[kCount];
    std::size_t words;
};
struct Pair {
    std::size_t a, b;
    double index;
};

Fingerprint simhash_of(const std::vector<std::uint64_t> &features)
{
    static TableSalts salts(1);
    std::size_t capacity = 256;
    while (capacity * 3 / 4 <= features.size())
        capacity *= 2;
    std::vector<FeatureCount> slots(capacity);
    FeatureCounts counts;
    counts.init(slots.data(), capacity, &salts);
    for (std::uint64_t feature : features)
        counts.add(feature, 1);
    Weights weights;
    SignatureSums sums{&weights, 1};
    clear_sums(sums);
    counts.add_logarithmic(0, capacity, sums);
    return weights_fingerprint(weights);
}

// A pair with an index of T has one of the (1 - T) n + 1 rarest shingles of each in common.
std::vector<Pair> pairs_of(const std::vector<Text> &texts)
{
    std::unordered_map<std::uint64_t, std::size_t> frequency;
    for (const Text &text : texts)
        for (std::uint64_t shingle : text.shingles)
            frequency[shingle]++;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> lists;
    std::vector<std::size_t> order(texts.size()), met(texts.size(), SIZE_MAX);
    for (std::size_t i = 0; i < order.size(); i++)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return texts[a].shingles.size() < texts[b].shingles.size(); });
    std::vector<Pair> pairs;
    for (std::size_t text : order) {
        FeatureSet rare = texts[text].shingles;
        std::sort(rare.begin(), rare.end(), [&](std::uint64_t a, std::uint64_t b) {
            return std::pair(frequency[a], a) < std::pair(frequency[b], b);
        });
        rare.resize(rare.size() - static_cast<std::size_t>(std::ceil(kLeast * static_cast<double>(rare.size()) - 1e-9)) + 1);
        for (std::uint64_t shingle : rare)
            for (std::size_t other : lists[shingle]) {
                if (met[other] == text)
                    continue;
                met[other] = text;
                const double index = jaccard(texts[text].shingles, texts[other].shingles);
                if (index >= kLeast)
                    pairs.push_back({text, other, index});
            }
        for (std::uint64_t shingle : rare)
            if (frequency[shingle] > 1)
                lists[shingle].push_back(text);
    }
    return pairs;
}

int main(int argc, char **argv)
{
    std::vector<Text> texts;
    for (std::string line; std::getline(std::cin, line);) {
        const std::string text = line.substr(line.rfind('\t') + 1);
        Text next;
        const std::vector<std::uint64_t> words = read_features(text, TextUnit::kWord, 1),
                                         two = read_features(text, TextUnit::kWord, 2),
                                         three = read_features(text, TextUnit::kWord, 3);
        const FeatureSet both = united(words, two);
        if (words.empty())
            continue;
        next.words = words.size();
        next.shingles = distinct(three);
        int scheme = 0;
        for (Fingerprint bits : {simhash_of(words), simhash_of(two), minhash_of(next.shingles), minhash_of(distinct(two)),
                                 minhash_of(distinct(words)), minhash_of(both), minhash_of(united(both, three))})
            next.bits[scheme++] = bits;
        TextSketch sketch;
        sketch.init(TextUnit::kWord);
        sketch.read_from(text.data(), text.size(), true);
        while (sketch.add_some()) {
        }
        if (sketch.fingerprint() != next.bits[kChosen]) {
            std::fprintf(stderr, "the sketch of a text differs from the min-hash of its features\n");
            return 1;
        }
        texts.push_back(next);
    }
    const std::vector<Pair> pairs = pairs_of(texts);
    std::vector<std::vector<std::size_t>> candidates(kCount, std::vector<std::size_t>(kBits + 1));
    for (std::size_t i = 0; i < texts.size(); i++)
        for (std::size_t j = 0; j < i; j++)
            for (int scheme = 0; scheme < kCount; scheme++)
                candidates[scheme][hamming_distance(texts[i].bits[scheme], texts[j].bits[scheme])]++;
    std::printf("%s: %zu texts", argc > 1 ? argv[1] : "texts", texts.size());
    for (double least : kIndexes)
        std::printf(", J >= %.1f: %td", least, std::count_if(pairs.begin(), pairs.end(), [&](const Pair &p) { return p.index >= least; }));
    std::printf("\nshare of the pairs with J >= .8 / candidates for each\n");
    for (int scheme = 0; scheme < kCount; scheme++) {
        std::printf("%-20s", kSchemes[scheme]);
        std::size_t all = 0, found = 0, near = 0;
        std::vector<std::size_t> at(kBits + 1);
        for (const Pair &pair : pairs)
            if (pair.index >= kNearSimilarity)
                all++, at[hamming_distance(texts[pair.a].bits[scheme], texts[pair.b].bits[scheme])]++;
        for (int radius = 0; radius <= 12; radius++) {
            found += at[radius], near += candidates[scheme][radius];
            if (radius >= 3)
                std::printf("  %d: %.3f/%.1f", radius, static_cast<double>(found) / static_cast<double>(all),
                            static_cast<double>(near) / static_cast<double>(found));
        }
        std::printf("\n");
    }
    std::printf("2 words, share of the pairs with J >= T within the radius of text_ball:");
    for (double least : kIndexes) {
        std::size_t all = 0, found = 0;
        for (const Pair &pair : pairs)
            if (pair.index >= least)
                all++, found += hamming_distance(texts[pair.a].bits[kChosen], texts[pair.b].bits[kChosen]) <= text_radius(TextUnit::kWord, least);
        std::printf("  %.1f, %d bits: %.3f", least, text_radius(TextUnit::kWord, least), static_cast<double>(found) / static_cast<double>(all));
    }
    std::printf("\n2 words within 8, by the words of the shorter text:");
    const std::size_t limits[] = {10, 20, 50, 200, 1000, SIZE_MAX};
    std::size_t from = 0;
    for (std::size_t limit : limits) {
        std::size_t all = 0, found = 0;
        for (const Pair &pair : pairs) {
            const std::size_t words = std::min(texts[pair.a].words, texts[pair.b].words);
            if (pair.index < kNearSimilarity || words < from || words >= limit)
                continue;
            all++, found += hamming_distance(texts[pair.a].bits[kChosen], texts[pair.b].bits[kChosen]) <= kNearTextRadius;
        }
        std::printf("  from %zu: %.3f of %zu", from, all ? static_cast<double>(found) / static_cast<double>(all) : 0, all);
        from = limit;
    }
    std::printf("\n\n");
}
