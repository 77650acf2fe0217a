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

#include "core/fingerprint/feature_counts.hpp"
#include "core/fingerprint/fingerprint.hpp"
#include "core/text/text_features.hpp"

using namespace simhash;

namespace
{

constexpr int kRadii[] = {1, 3, 5, 7, 10};
constexpr int kMaxRadius = 10;
constexpr double kMinCosine = 0.9;

// Similar means a Jaccard index of at least 4/5.
constexpr std::size_t kJaccardNumerator = 4, kJaccardDenominator = 5;

using Pair = std::pair<std::uint32_t, std::uint32_t>;

struct Truth {
    std::string name;
    std::vector<Pair> pairs;
};

std::vector<std::string> split(const std::string &line, std::size_t most)
{
    std::vector<std::string> fields;
    std::size_t from = 0;
    for (;;) {
        std::size_t tab = fields.size() + 1 == most ? std::string::npos : line.find('\t', from);
        fields.push_back(line.substr(from, tab == std::string::npos ? tab : tab - from));
        if (tab == std::string::npos)
            return fields;
        from = tab + 1;
    }
}

std::string unescape(const std::string &field)
{
    std::string text;
    for (std::size_t i = 0; i < field.size(); i++) {
        if (field[i] != '\\' || i + 1 == field.size()) {
            text += field[i];
            continue;
        }
        char c = field[++i];
        text += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    return text;
}

std::vector<std::uint64_t> read_features(const std::string &text, TextUnit unit, int size)
{
    static TextFeatures features;
    std::vector<std::uint64_t> all;
    std::uint64_t hashes[256];
    std::size_t count;
    features.init(unit, size);
    features.read_from(text.data(), text.size(), true);
    while ((count = features.next(hashes, std::size(hashes))) > 0)
        all.insert(all.end(), hashes, hashes + count);
    return all;
}

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

// All pairs whose sets of three-word shingles are similar, exactly: two such sets share one of each other's
// rarest elements, so an index of these suffices.
std::vector<Pair> find_jaccard_pairs(const std::vector<std::string> &texts)
{
    std::vector<std::vector<std::uint64_t>> sets;
    std::unordered_map<std::uint64_t, std::uint32_t> frequency;
    for (const std::string &text : texts) {
        std::vector<std::uint64_t> set = read_features(text, TextUnit::kWord, 3);
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        for (std::uint64_t shingle : set)
            frequency[shingle]++;
        sets.push_back(std::move(set));
    }
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> index;
    std::vector<std::uint32_t> seen(sets.size(), UINT32_MAX);
    std::vector<Pair> pairs;
    for (std::uint32_t i = 0; i < sets.size(); i++) {
        const std::vector<std::uint64_t> &set = sets[i];
        std::vector<std::pair<std::uint32_t, std::uint64_t>> rarest;
        for (std::uint64_t shingle : set)
            rarest.emplace_back(frequency[shingle], shingle);
        std::sort(rarest.begin(), rarest.end());
        std::size_t needed = (set.size() * kJaccardNumerator + kJaccardDenominator - 1) / kJaccardDenominator;
        rarest.resize(set.empty() ? 0 : set.size() - needed + 1);
        for (auto [count, shingle] : rarest) {
            if (count == 1)
                continue;
            std::vector<std::uint32_t> &list = index[shingle];
            for (std::uint32_t j : list) {
                if (std::exchange(seen[j], i) == i)
                    continue;
                const std::vector<std::uint64_t> &other = sets[j];
                std::size_t common = 0;
                for (auto a = set.begin(), b = other.begin(); a != set.end() && b != other.end();) {
                    common += *a == *b;
                    bool left = *a <= *b;
                    bool right = *b <= *a;
                    a += left;
                    b += right;
                }
                std::size_t all = set.size() + other.size() - common;
                if (common * kJaccardDenominator >= all * kJaccardNumerator)
                    pairs.emplace_back(j, i);
            }
            list.push_back(i);
        }
    }
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
    Truth jaccard{"Jaccard", find_jaccard_pairs(texts)};
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
