// The texts and pairs of these measurements, their weights, and the fit of a model.
#pragma once

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unordered_map>
#include <vector>

#include "../features/texts.hpp"
#include "core/features/feature_counts.hpp"
#include "core/text/text_features.hpp"
#include "core/likely/volatility_fit.hpp"

namespace simhash
{

// Near-duplicates by cosine; revisions are so anyhow.
inline constexpr double kMinCosine = 0.9;

struct Pair {
    std::uint32_t query, partner;
};

struct Corpus {
    std::vector<std::string> texts;
    std::vector<std::uint32_t> half; // by text: 0 to fit, 1 to test
    std::vector<Pair> pairs[2];      // both directions, by half
};

inline Corpus read_corpus(const char *texts, const char *pairs)
{
    Corpus corpus;
    std::unordered_map<std::string, std::uint32_t> row;
    std::ifstream text_file(texts);
    for (std::string line; std::getline(text_file, line);) {
        std::vector<std::string> fields = split(line, 8);
        if (fields.size() != 8)
            continue;
        row[fields[0]] = static_cast<std::uint32_t>(corpus.texts.size());
        corpus.texts.push_back(unescape(fields[7]));
        // Families stay together, so that the fit has not seen the texts of the test.
        corpus.half.push_back(std::hash<std::string>()(fields[2]) & 1);
    }
    std::ifstream pair_file(pairs);
    for (std::string line; std::getline(pair_file, line);) {
        std::vector<std::string> fields = split(line, 9);
        if (fields.size() != 9 || !row.contains(fields[0]) || !row.contains(fields[1]))
            continue;
        bool related = fields[2] == "0" || fields[2] == "1";
        bool similar = false;
        for (int field : {3, 5, 7})
            similar = similar || std::atof(fields[static_cast<std::size_t>(field)].c_str()) >= kMinCosine;
        if (!related && !similar)
            continue;
        std::uint32_t a = row[fields[0]], b = row[fields[1]];
        if (corpus.half[a] != corpus.half[b])
            continue;
        corpus.pairs[corpus.half[a]].push_back({a, b});
        corpus.pairs[corpus.half[a]].push_back({b, a});
    }
    return corpus;
}

// The words of a text with their counts.
inline std::vector<FeatureCount> count_features(const std::string &text)
{
    static TextFeatures features;
    std::vector<FeatureCount> slots(std::bit_ceil(text.size() * 2 + 4));
    FeatureCounts counts;
    TableSalts salts(1);
    counts.init(slots.data(), slots.size(), &salts);
    std::uint64_t hashes[256];
    std::size_t count;
    features.init(TextUnit::kWord, 1);
    features.read_from(text.data(), text.size(), true);
    while ((count = features.next(hashes, std::size(hashes))) > 0)
        for (std::size_t i = 0; i < count; i++)
            counts.add(hashes[i], 1);
    std::vector<FeatureCount> found;
    for (const FeatureCount &slot : slots)
        if (slot.count > 0)
            found.push_back(slot);
    return found;
}

// As to_simhash_weights(text) does.
inline std::vector<Weights> weigh_texts(const std::vector<std::string> &texts)
{
    std::vector<Weights> all;
    for (const std::string &text : texts) {
        Weights weights = {};
        for (const FeatureCount &feature : count_features(text)) {
            Weight weight;
            if (!weight_from_double(1 + std::log(static_cast<double>(feature.count)), &weight) ||
                !add_feature(&weights, feature.hash, weight))
                std::abort();
        }
        all.push_back(weights);
    }
    return all;
}

// Fits a model to pairs with these likelihoods, kVolatilityLevels for each. counts[i] is the weight of pair i.
inline VolatilityModel fit_shares(const std::vector<double> &likelihoods, const std::vector<double> &counts)
{
    constexpr int kRounds = 200;
    VolatilityFit fitted;
    fitted.begin();
    for (int round = 0; round < kRounds; round++) {
        for (std::size_t i = 0; i < counts.size(); i++)
            fitted.add(likelihoods.data() + i * kVolatilityLevels, counts[i]);
        fitted.finish_round();
    }
    return fitted.model();
}

} // namespace simhash
