// Exact cosines of texts' features weighted by rarity, for measurements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace simhash
{

using FeatureList = std::vector<std::uint64_t>; // of a text, with repetitions

struct Term {
    std::uint64_t hash;
    double weight;
    std::uint32_t documents; // that have it
};
using Vector = std::vector<Term>; // by ascending hash, of length 1

struct Pair {
    std::uint32_t a, b;
};

inline std::unordered_map<std::uint64_t, std::uint32_t> count_documents(const std::vector<FeatureList> &texts)
{
    std::unordered_map<std::uint64_t, std::uint32_t> documents;
    for (const FeatureList &text : texts)
        for (std::uint64_t feature : std::unordered_set<std::uint64_t>(text.begin(), text.end()))
            documents[feature]++;
    return documents;
}

// Features weighted tf * idf, or (1 + ln tf) * idf, where idf is ln (N + 1) - ln n.
inline std::vector<Vector> find_vectors(const std::vector<FeatureList> &texts, bool logarithmic)
{
    const auto documents = count_documents(texts);
    std::vector<Vector> vectors;
    for (const FeatureList &text : texts) {
        std::map<std::uint64_t, double> count;
        for (std::uint64_t feature : text)
            count[feature]++;
        Vector vector;
        double square = 0;
        for (auto [feature, times] : count) {
            const std::uint32_t n = documents.at(feature);
            const double idf = std::log((static_cast<double>(texts.size()) + 1) / n);
            const double weight = (logarithmic ? 1 + std::log(times) : times) * idf;
            vector.push_back({feature, weight, n});
            square += weight * weight;
        }
        for (Term &term : vector)
            term.weight /= std::sqrt(square);
        vectors.push_back(std::move(vector));
    }
    return vectors;
}

inline double cosine_of(const Vector &a, const Vector &b)
{
    double sum = 0;
    for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
        if (i->hash == j->hash)
            sum += i->weight * j->weight;
        const bool left = i->hash <= j->hash, right = j->hash <= i->hash;
        i += left;
        j += right;
    }
    return sum;
}

// All pairs with a cosine of at least `least`, exactly. What is left of a vector without its rarest features is too
// short for that, so such pairs share one of these features.
inline std::vector<Pair> find_cosine_pairs(const std::vector<Vector> &vectors, double least)
{
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> index;
    std::vector<std::uint32_t> seen(vectors.size(), UINT32_MAX);
    std::vector<Pair> pairs;
    for (std::uint32_t i = 0; i < vectors.size(); i++) {
        Vector rarest = vectors[i];
        std::sort(rarest.begin(), rarest.end(), [](const Term &x, const Term &y) {
            return x.documents != y.documents ? x.documents < y.documents : x.hash < y.hash;
        });
        double left = 1;
        for (const Term &term : rarest) {
            if (left < least * least - 1e-9)
                break;
            left -= term.weight * term.weight;
            std::vector<std::uint32_t> &list = index[term.hash];
            for (std::uint32_t j : list) {
                if (seen[j] == i)
                    continue;
                seen[j] = i;
                if (cosine_of(vectors[i], vectors[j]) >= least)
                    pairs.push_back({j, i});
            }
            list.push_back(i);
        }
    }
    return pairs;
}

} // namespace simhash
