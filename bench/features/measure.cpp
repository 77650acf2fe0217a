// Which features find near-duplicates best? Precision and recall of fingerprints of several kinds of
// features, at several distances, against exact similarities. See README.md.
//
//   measure TEXTS PAIRS
//
// TEXTS: lines "id doc fam rev repo path words text" as COPY writes them. PAIRS: lines "id1 id2 label cosU
// H_U cosL H_L cosS H_S", all pairs that any of the cosines finds similar.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/features/feature_counts.hpp"
#include "core/fingerprint/fingerprint.hpp"
#include "core/text/text_features.hpp"
#include "texts.hpp"

using namespace simhash;

namespace
{

constexpr int kRadii[] = {1, 3, 5, 7, 10};
constexpr int kMaxRadius = 10;
constexpr double kMinCosine = 0.9;

using Pair = std::pair<std::uint32_t, std::uint32_t>;

struct Truth {
    std::string name;
    std::vector<Pair> pairs;
};

Fingerprint fingerprint(const std::string &text, TextUnit unit, int size)
{
    std::vector<std::uint64_t> features = read_features(text, unit, size);
    std::vector<FeatureCount> slots(std::bit_ceil(features.size() * 2 + 4));
    FeatureCounts counts;
    counts.init(slots.data(), slots.size(), 1);
    for (std::uint64_t feature : features)
        counts.add(feature, 1);
    Weights weights = {};
    counts.add_logarithmic(0, counts.capacity(), {&weights, 1});
    return weights_fingerprint(weights);
}

std::vector<Pair> find_shingle_pairs(const std::vector<std::string> &texts)
{
    std::vector<FeatureSet> sets;
    for (const std::string &text : texts)
        sets.push_back(shingle_set(text, 3));
    std::vector<Pair> pairs;
    for (const JaccardPair &pair : find_jaccard_pairs(sets))
        pairs.emplace_back(pair.a, pair.b);
    return pairs;
}

// counts[h]: the pairs at most h bits apart.
using Counts = std::vector<std::uint64_t>;

Counts cumulate(Counts counts)
{
    for (std::size_t h = 1; h < counts.size(); h++)
        counts[h] += counts[h - 1];
    return counts;
}

Counts count_all(const std::vector<Fingerprint> &fingerprints)
{
    Counts counts(kBits + 1);
    for (std::size_t i = 0; i < fingerprints.size(); i++)
        for (std::size_t j = 0; j < i; j++)
            counts[static_cast<std::size_t>(hamming_distance(fingerprints[i], fingerprints[j]))]++;
    return cumulate(counts);
}

Counts count_pairs(const std::vector<Fingerprint> &fingerprints, const std::vector<Pair> &pairs)
{
    Counts counts(kBits + 1);
    for (auto [i, j] : pairs)
        counts[static_cast<std::size_t>(hamming_distance(fingerprints[i], fingerprints[j]))]++;
    return cumulate(counts);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s TEXTS PAIRS\n", argv[0]);
        return 2;
    }
    std::vector<std::string> texts;
    std::unordered_map<std::string, std::uint32_t> row;
    std::size_t bytes = 0;
    std::ifstream text_file(argv[1]);
    for (std::string line; std::getline(text_file, line);) {
        std::vector<std::string> fields = split(line, 8);
        if (fields.size() != 8)
            continue;
        row[fields[0]] = static_cast<std::uint32_t>(texts.size());
        texts.push_back(unescape(fields[7]));
        bytes += texts.back().size();
    }

    Truth u{"cosine U", {}}, l{"cosine L", {}}, s{"cosine S", {}}, related{"related", {}};
    std::ifstream pair_file(argv[2]);
    for (std::string line; std::getline(pair_file, line);) {
        std::vector<std::string> fields = split(line, 9);
        if (fields.size() != 9 || !row.contains(fields[0]) || !row.contains(fields[1]))
            continue;
        Pair pair{row[fields[0]], row[fields[1]]};
        related.pairs.push_back(pair);
        if (std::atof(fields[3].c_str()) >= kMinCosine)
            u.pairs.push_back(pair);
        if (std::atof(fields[5].c_str()) >= kMinCosine)
            l.pairs.push_back(pair);
        if (std::atof(fields[7].c_str()) >= kMinCosine)
            s.pairs.push_back(pair);
    }
    Truth jaccard{"Jaccard", find_shingle_pairs(texts)};
    const Truth truths[] = {u, l, s, jaccard};

    std::printf("%zu texts, %zu bytes;", texts.size(), bytes);
    for (const Truth &truth : truths)
        std::printf(" %s: %zu pairs;", truth.name.c_str(), truth.pairs.size());
    std::printf(" listed: %zu pairs\n\n", related.pairs.size());
    std::printf(
        "| features | h | pairs | listed | U | L | S | Jaccard |\n|---|---|---|---|---|---|---|---|\n");

    const struct {
        const char *name;
        TextUnit unit;
        int size;
    } kinds[] = {
        {"words", TextUnit::kWord, 1},
        {"2 words", TextUnit::kWord, 2},
        {"3 words", TextUnit::kWord, 3},
        {"3 characters", TextUnit::kCharacter, 3},
        {"4 characters", TextUnit::kCharacter, 4},
        {"5 characters", TextUnit::kCharacter, 5},
    };
    for (const auto &kind : kinds) {
        auto start = std::chrono::steady_clock::now();
        std::vector<Fingerprint> fingerprints;
        for (const std::string &text : texts)
            fingerprints.push_back(fingerprint(text, kind.unit, kind.size));
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        Counts found = count_all(fingerprints);
        Counts listed = count_pairs(fingerprints, related.pairs);
        for (int radius : kRadii) {
            std::size_t h = static_cast<std::size_t>(radius);
            double all = static_cast<double>(std::max<std::uint64_t>(found[h], 1));
            std::printf("| %s | %d | %llu | %.3f |", kind.name, radius,
                        static_cast<unsigned long long>(found[h]), static_cast<double>(listed[h]) / all);
            for (const Truth &truth : truths) {
                double hits = static_cast<double>(count_pairs(fingerprints, truth.pairs)[h]);
                std::printf(" %.3f/%.3f |", hits / all,
                            hits / static_cast<double>(std::max<std::size_t>(truth.pairs.size(), 1)));
            }
            std::printf("\n");
        }
        std::fprintf(stderr, "%s: %.0f MB/s\n", kind.name, static_cast<double>(bytes) / seconds / 1e6);
    }
}
