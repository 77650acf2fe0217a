// Texts for measurements: reading them, and exact Jaccard pairs of their sets of shingles.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text/text_features.hpp"

namespace simhash
{

// The fields of a line as COPY writes it; the last one holds the rest.
inline std::vector<std::string> split(const std::string &line, std::size_t most)
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

inline std::string unescape(const std::string &field)
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

inline std::vector<std::uint64_t> read_features(const std::string &text, TextUnit unit, int size)
{
    static TextFeatures features;
    std::vector<std::uint64_t> all;
    std::uint64_t hashes[256];
    std::size_t count;
    features.init(unit, size);
    features.read_from(text.data(), text.size(), true);
    while (features.next(hashes, std::size(hashes), &count))
        all.insert(all.end(), hashes, hashes + count);
    return all;
}

using FeatureSet = std::vector<std::uint64_t>; // ascending

inline FeatureSet distinct(std::vector<std::uint64_t> features)
{
    std::sort(features.begin(), features.end());
    features.erase(std::unique(features.begin(), features.end()), features.end());
    return features;
}

inline FeatureSet shingle_set(const std::string &text, int size)
{
    FeatureSet set = distinct(read_features(text, TextUnit::kWord, size));
    set.shrink_to_fit();
    return set;
}

// Returns 0 instead of a number below `needed`.
inline std::size_t count_common(const FeatureSet &a, const FeatureSet &b, std::size_t needed)
{
    if (a.size() < needed || b.size() < needed)
        return 0;
    std::size_t most_in_a = a.size(), most_in_b = b.size();
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        bool left = *i <= *j;
        bool right = *j <= *i;
        most_in_a -= left && !right;
        most_in_b -= right && !left;
        if (most_in_a < needed || most_in_b < needed)
            return 0;
        i += left;
        j += right;
    }
    std::size_t common = 0;
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        bool left = *i <= *j;
        bool right = *j <= *i;
        common += left && right;
        i += left;
        j += right;
    }
    return common;
}

struct JaccardPair {
    std::uint32_t a, b; // a < b
    std::size_t common, all;
};

// All pairs of sets whose Jaccard index is at least 4/5, exactly: two such sets share one of each other's rarest
// elements, so an index of these suffices.
inline std::vector<JaccardPair> find_jaccard_pairs(const std::vector<FeatureSet> &sets)
{
    constexpr std::size_t kNumerator = 4, kDenominator = 5;
    std::size_t elements = 0;
    for (const FeatureSet &set : sets)
        elements += set.size();
    // Elements may share a counter, so a frequency may be too large. Any order of the elements will do.
    std::vector<std::uint32_t> frequency(std::bit_ceil(elements + 1));
    std::size_t mask = frequency.size() - 1;
    for (const FeatureSet &set : sets)
        for (std::uint64_t element : set)
            frequency[element & mask]++;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> index;
    std::vector<std::uint32_t> seen(sets.size(), UINT32_MAX);
    std::vector<JaccardPair> pairs;
    for (std::uint32_t i = 0; i < sets.size(); i++) {
        const FeatureSet &set = sets[i];
        std::vector<std::pair<std::uint32_t, std::uint64_t>> rarest;
        for (std::uint64_t element : set)
            rarest.emplace_back(frequency[element & mask], element);
        std::sort(rarest.begin(), rarest.end());
        std::size_t needed = (set.size() * kNumerator + kDenominator - 1) / kDenominator;
        rarest.resize(set.empty() ? 0 : set.size() - needed + 1);
        for (auto [count, element] : rarest) {
            if (count == 1)
                continue;
            std::vector<std::uint32_t> &list = index[element];
            for (std::uint32_t j : list) {
                if (std::exchange(seen[j], i) == i)
                    continue;
                // common / all >= 4/5 with all = both - common.
                std::size_t both = set.size() + sets[j].size();
                std::size_t least =
                    (both * kNumerator + kNumerator + kDenominator - 1) / (kNumerator + kDenominator);
                std::size_t common = count_common(set, sets[j], least);
                std::size_t all = both - common;
                if (common >= least)
                    pairs.push_back({j, i, common, all});
            }
            list.push_back(i);
        }
    }
    return pairs;
}

} // namespace simhash
