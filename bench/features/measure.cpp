// Which features, at which distance? Precision and recall of fingerprints and signatures of texts, for every pair of
// them, against exact similarities. See README.md.
//
//   measure TEXTS...
//
// TEXTS: lines "id doc fam rev repo path words text" as COPY writes them; repo, text and the file's name are used.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/features/feature_counts.hpp"
#include "core/features/feature_frequencies.hpp"
#include "core/features/term_frequency.hpp"
#include "core/bits/feature_hash.hpp"
#include "core/bits/signature.hpp"
#include "core/features/minhash_sketch.hpp"
#include "texts.hpp"
#include "vectors.hpp"

using namespace simhash;

namespace
{

constexpr double kMinCosine = 0.9;
constexpr std::uint32_t kKept = 16384; // as feature_frequencies_agg
constexpr int kWideBits = 256;
constexpr int kMostDistance = 10; // whose mean cosine is printed

struct Text {
    std::string text;
    std::string site;
    FeatureList words;
};
using Texts = std::vector<Text>;

Texts read_texts(const char *path)
{
    Texts texts;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::vector<std::string> fields = split(line, 8);
        if (fields.size() != 8)
            continue;
        std::string text = unescape(fields[7]);
        FeatureList words = read_features(text, TextUnit::kWord, 1);
        texts.push_back({std::move(text), fields[4], std::move(words)});
    }
    return texts;
}

std::vector<FeatureList> word_lists(const Texts &texts)
{
    std::vector<FeatureList> lists;
    for (const Text &text : texts)
        lists.push_back(text.words);
    return lists;
}

std::vector<Pair> find_shingle_pairs(const Texts &texts)
{
    std::vector<FeatureSet> sets;
    for (const Text &text : texts)
        sets.push_back(shingle_set(text.text, 3));
    std::vector<Pair> pairs;
    for (const JaccardPair &pair : find_jaccard_pairs(sets))
        pairs.push_back({pair.a, pair.b});
    return pairs;
}

// -- signatures

using FeaturesOf = std::function<FeatureList(const Text &)>;

struct Frequencies {
    std::vector<char> stored;
    FeatureFrequencies view;
};

// Those of every step-th text, as feature_frequencies_agg counts them.
Frequencies count_frequencies(const Texts &texts, std::size_t step)
{
    Texts sample;
    for (std::size_t i = 0; i < texts.size(); i += step)
        sample.push_back(texts[i]);
    std::vector<FeatureFrequency> list;
    for (auto [hash, documents] : count_documents(word_lists(sample)))
        list.push_back({hash, documents});
    FrequenciesHeader header = {};
    header.unit = FrequencyUnit::kWord;
    header.size = 1;
    header.documents = static_cast<std::uint32_t>(sample.size());
    const std::uint32_t kept = keep_frequent(list.data(), list.size(), kKept, &header.missed);
    Frequencies frequencies;
    frequencies.stored.resize(frequencies_size(kept));
    write_frequencies(header, list.data(), kept, frequencies.stored.data());
    if (!frequencies.view.open(frequencies.stored.data(), frequencies.stored.size()))
        std::fprintf(stderr, "frequencies are not valid\n");
    return frequencies;
}

// The words of the signatures of all texts, one after the other.
struct Signatures {
    std::size_t words;
    std::vector<std::uint64_t> word;
    std::vector<bool> none; // whether a text has no features: it is not found

    int distance(std::size_t i, std::size_t j) const
    {
        int distance = 0;
        for (std::size_t k = 0; k < words; k++)
            distance += std::popcount(word[i * words + k] ^ word[j * words + k]);
        return distance;
    }
};

Signatures sign(const Texts &texts, const FeaturesOf &features_of, const FeatureFrequencies *frequencies,
                int bits)
{
    Signatures signatures{static_cast<std::size_t>(signature_words(bits)), {}, {}};
    std::vector<Weights> memory(signatures.words);
    const SignatureSums sums = {memory.data(), memory.size()};
    for (const Text &text : texts) {
        const FeatureList features = features_of(text);
        std::vector<FeatureCount> slots(std::bit_ceil(features.size() * 2 + 4));
        FeatureCounts counts;
        TableSalts salts(1);
        counts.init(slots.data(), slots.size(), &salts);
        for (std::uint64_t feature : features)
            counts.add(feature, 1);
        clear_sums(sums);
        if (frequencies != nullptr) {
            for (const FeatureCount &slot : slots) {
                const Weight weight = Weight{logarithmic_weight(static_cast<std::uint32_t>(slot.count))};
                if (slot.count != 0 &&
                    !add_feature(sums, slot.hash, weight * frequencies->rarity_of(slot.hash) << kRareShift))
                    std::abort();
            }
        } else {
            counts.add_logarithmic(0, counts.capacity(), sums);
        }
        for (const Weights &weights : memory)
            signatures.word.push_back(weights_fingerprint(weights));
        signatures.none.push_back(features.empty());
    }
    return signatures;
}

Signatures sketch(const Texts &texts, int size, int bits)
{
    Signatures signatures{static_cast<std::size_t>(signature_words(bits)), {}, {}};
    std::vector<std::uint64_t> minima(static_cast<std::size_t>(bits));
    for (const Text &text : texts) {
        FeatureSet set = shingle_set(text.text, size);
        MinhashSketch sketch;
        sketch.init(minima.data(), bits);
        sketch.add(set.data(), set.size());
        for (std::size_t i = 0; i < minima.size(); i += 64) {
            std::uint64_t word = 0;
            for (std::size_t j = 0; j < 64; j++)
                word |= static_cast<std::uint64_t>(minhash_bit(minima[i + j])) << j;
            signatures.word.push_back(word);
        }
        signatures.none.push_back(set.empty());
    }
    return signatures;
}

// As to_anchored_features: each anchor with the next two words that are none.
FeatureList anchored(const Text &text)
{
    static const std::unordered_set<std::uint64_t> anchors = [] {
        std::unordered_set<std::uint64_t> set;
        for (const char *word :
             {"a",    "an", "are",  "be",   "been", "can",   "did",  "do",  "does", "had",  "has",
              "have", "is", "said", "that", "the",  "there", "this", "was", "were", "will", "would"})
            set.insert(feature_hash(word, std::strlen(word)));
        return set;
    }();
    FeatureList features;
    for (std::size_t i = 0; i < text.words.size(); i++) {
        if (!anchors.contains(text.words[i]))
            continue;
        std::uint64_t feature = text.words[i];
        int taken = 0;
        for (std::size_t j = i + 1; j < text.words.size() && taken < 2; j++) {
            if (anchors.contains(text.words[j]))
                continue;
            feature = split_mix(feature) + text.words[j];
            taken++;
        }
        if (taken == 2)
            features.push_back(split_mix(feature));
    }
    return features;
}

// The words that most texts of the same repository do not have.
FeaturesOf without_common(const Texts &texts)
{
    std::map<std::string, Texts> sites;
    for (const Text &text : texts)
        sites[text.site].push_back({"", "", text.words});
    std::map<std::string, std::unordered_set<std::uint64_t>> common;
    for (const auto &[site, members] : sites)
        for (auto [word, documents] : count_documents(word_lists(members)))
            if (documents * 2 > members.size())
                common[site].insert(word);
    return [common](const Text &text) {
        FeatureList features;
        const auto found = common.find(text.site);
        for (std::uint64_t word : text.words)
            if (found == common.end() || !found->second.contains(word))
                features.push_back(word);
        return features;
    };
}

FeaturesOf shingles(TextUnit unit, int size)
{
    return [=](const Text &text) { return read_features(text.text, unit, size); };
}

// -- results

std::vector<double> cumulate(const std::vector<double> &counts)
{
    std::vector<double> sums = counts;
    for (std::size_t i = 1; i < sums.size(); i++)
        sums[i] += sums[i - 1];
    return sums;
}

struct Truth {
    std::vector<Pair> cosine;
    std::vector<Pair> jaccard;
};

std::vector<double> distances(const Signatures &signatures, const std::vector<Pair> &pairs)
{
    std::vector<double> counts(64 * signatures.words + 2); // the last one: of pairs that are not found
    for (const Pair &pair : pairs) {
        const bool none = signatures.none[pair.a] || signatures.none[pair.b];
        counts[none ? counts.size() - 1 : static_cast<std::size_t>(signatures.distance(pair.a, pair.b))]++;
    }
    return cumulate(counts);
}

std::vector<double> all_distances(const Signatures &signatures, std::size_t texts)
{
    std::vector<double> counts(64 * signatures.words + 1);
    for (std::size_t i = 0; i < texts; i++)
        for (std::size_t j = 0; j < i && !signatures.none[i]; j++)
            counts[static_cast<std::size_t>(signatures.distance(i, j))] += signatures.none[j] ? 0 : 1;
    return cumulate(counts);
}

void print(const char *name, const Signatures &signatures, std::size_t texts, const Truth &truth,
           const std::vector<std::size_t> &radii)
{
    const std::vector<double> found = all_distances(signatures, texts);
    const std::vector<double> cosine = distances(signatures, truth.cosine);
    const std::vector<double> jaccard = distances(signatures, truth.jaccard);
    for (std::size_t h : radii) {
        std::printf("| %s | %zu | %.0f |", name, h, found[h]);
        for (const std::vector<double> &near : {cosine, jaccard})
            std::printf(" %.3f / %.3f |", near[h] / std::max(found[h], 1.0),
                        near[h] / std::max(near.back(), 1.0));
        std::printf("\n");
    }
    std::fflush(stdout);
}

// The mean cosine of the pairs at each distance: Figure 6(b) of Sood and Loguinov.
void print_means(const Signatures &signatures, const std::vector<Vector> &vectors)
{
    double sum[kMostDistance + 1] = {}, count[kMostDistance + 1] = {};
    for (std::size_t i = 0; i < vectors.size(); i++)
        for (std::size_t j = 0; j < i; j++) {
            const int distance = signatures.distance(i, j);
            if (distance > kMostDistance)
                continue;
            sum[distance] += cosine_of(vectors[i], vectors[j]);
            count[distance]++;
        }
    std::printf("\nmean cosine at each distance, with frequencies:");
    for (int d = 0; d <= kMostDistance; d++)
        std::printf(" %.3f", sum[d] / std::max(count[d], 1.0));
    std::printf("\n");
}

// The left and the right of Table 1 of Sood and Loguinov: pairs that are compared in a second of processor time.
void print_speeds(const Signatures &signatures, const std::vector<Vector> &vectors)
{
    double terms = 0, seconds[2] = {}, sum = 0;
    for (const Vector &vector : vectors)
        terms += static_cast<double>(vector.size()) / static_cast<double>(vectors.size());
    constexpr std::size_t kPairs = 1000000;
    for (const bool cosine : {true, false}) {
        const std::clock_t start = std::clock();
        for (std::size_t pair = 0; pair < kPairs; pair++) {
            const std::size_t i = pair % vectors.size(), j = split_mix(pair) % vectors.size();
            sum += cosine ? cosine_of(vectors[i], vectors[j]) : signatures.distance(i, j);
        }
        seconds[cosine] = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }
    std::printf("\nvectors of %.0f words on average: %.0f K cosines a second; %.0f M distances of "
                "fingerprints (%.0f)\n",
                terms, kPairs / seconds[1] / 1e3, kPairs / seconds[0] / 1e6, sum);
}

void measure(const char *path)
{
    const Texts texts = read_texts(path);
    const std::vector<Vector> vectors = find_vectors(word_lists(texts), true);
    const Truth truth{find_cosine_pairs(vectors, kMinCosine), find_shingle_pairs(texts)};
    std::vector<std::size_t> lengths;
    double bytes = 0;
    for (const Text &text : texts) {
        lengths.push_back(text.words.size());
        bytes += static_cast<double>(text.text.size());
    }
    std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2),
                     lengths.end());
    std::printf("\n%s: %zu texts, half of more than %zu words; %zu pairs with a cosine of 0.9, %zu with a "
                "Jaccard index of "
                "0.8\n\n",
                path, texts.size(), lengths[lengths.size() / 2], truth.cosine.size(), truth.jaccard.size());
    std::printf("| features | h | pairs | cosine: precision / recall | Jaccard |\n|---|---|---|---|---|\n");
    const Frequencies all = count_frequencies(texts, 1), tenth = count_frequencies(texts, 10);
    const FeaturesOf words = shingles(TextUnit::kWord, 1);
    const std::vector<std::size_t> radii = {3, 5, 7, 8, 10};
    const auto show = [&](const char *name, const FeaturesOf &features,
                          const FeatureFrequencies *frequencies) {
        const std::clock_t start = std::clock();
        const Signatures signatures = sign(texts, features, frequencies, kBits);
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        std::fprintf(stderr, "%s: %.0f MB/s of processor time\n", name, bytes / seconds / 1e6);
        print(name, signatures, texts.size(), truth, radii);
    };
    show("words", words, nullptr);
    show("2 words", shingles(TextUnit::kWord, 2), nullptr);
    show("3 words", shingles(TextUnit::kWord, 3), nullptr);
    show("3 characters", shingles(TextUnit::kCharacter, 3), nullptr);
    show("4 characters", shingles(TextUnit::kCharacter, 4), nullptr);
    show("anchored", anchored, nullptr);
    show("words, common ones dropped", without_common(texts), nullptr);
    show("words, frequencies", words, &all.view);
    show("frequencies of a tenth", words, &tenth.view);
    print("256 bits", sign(texts, words, nullptr, kWideBits), texts.size(), truth, {16, 22, 30, 36});
    print("256 bits, frequencies", sign(texts, words, &all.view, kWideBits), texts.size(), truth,
          {16, 22, 30, 36});
    print("min-hash, 64 bits", sketch(texts, 3, kBits), texts.size(), truth, {3, 4, 5, 6, 7});
    print("min-hash, 256 bits", sketch(texts, 3, kWideBits), texts.size(), truth, {19, 25, 34});
    const Signatures fingerprints = sign(texts, words, &all.view, kBits);
    print_means(fingerprints, vectors);
    print_speeds(fingerprints, vectors);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s TEXTS...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++)
        measure(argv[i]);
}
