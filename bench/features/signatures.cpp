// What wide signatures cost: the words of texts and vectors of 1,536 elements, for several numbers of bits.
//
//   signatures TEXTS
//
// README.md says what the file holds.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/bits/signature.hpp"
#include "core/features/feature_counts.hpp"
#include "core/features/term_frequency.hpp"
#include "core/text/text_features.hpp"
#include "core/features/random_projection.hpp"

using namespace simhash;

namespace
{

constexpr int kBitNumbers[] = {64, 128, 256, 512, 1024, 2048, 4096};

// The fewest microseconds of processor time per item in nine runs.
template <typename Run> double microseconds(std::size_t items, Run run)
{
    static volatile std::uint64_t keep; // depends on every result
    std::clock_t best = 0;
    for (int i = 0; i < 9; i++) {
        std::clock_t start = std::clock();
        keep = keep + run();
        std::clock_t spent = std::clock() - start;
        if (i == 0 || spent < best)
            best = spent;
    }
    return static_cast<double>(best) * 1e6 / CLOCKS_PER_SEC / static_cast<double>(items);
}

struct Counted {
    std::vector<FeatureCount> slots;
    FeatureCounts counts;
};

Counted count_words(const std::string &text)
{
    static TextFeatures features;
    Counted out;
    out.slots.resize(std::bit_ceil(text.size() / 2 + 4)); // more than there are words
    TableSalts salts(1);
    out.counts.init(out.slots.data(), out.slots.size(), &salts);
    std::uint64_t hashes[256];
    features.init(TextUnit::kWord, 1);
    features.read_from(text.data(), text.size(), true);
    for (std::size_t count; features.next(hashes, std::size(hashes), &count);)
        for (std::size_t i = 0; i < count; i++)
            out.counts.add(hashes[i], 1);
    // As large as the extension's tables.
    Counted small;
    small.slots.resize(std::bit_ceil(std::max<std::size_t>(out.counts.size() * 4 / 3, 256)));
    small.counts.init(small.slots.data(), small.slots.size(), &salts);
    for (const FeatureCount &slot : out.slots)
        if (slot.count != 0)
            small.counts.add(slot.hash, slot.count);
    return small;
}

std::uint64_t sum_combined(const FeatureCounts &counts, SignatureSums sums)
{
    clear_sums(sums);
    counts.add_logarithmic(0, counts.capacity(), sums);
    return weights_fingerprint(sums.word[sums.words - 1]);
}

std::uint64_t sum_one_by_one(const FeatureCounts &counts, SignatureSums sums)
{
    clear_sums(sums);
    for (std::size_t i = 0; i < counts.capacity(); i++) {
        const FeatureCount &slot = counts.slots()[i];
        Weight weight = Weight{logarithmic_weight(static_cast<std::uint32_t>(slot.count))}
                        << kLogarithmicShift;
        if (slot.count != 0 && !add_feature(sums, slot.hash, weight))
            return 0;
    }
    return weights_fingerprint(sums.word[sums.words - 1]);
}

std::uint64_t project(const std::vector<float> &vector, SignatureSums sums)
{
    for (std::size_t block = 0; block < sums.words; block++) {
        RandomProjection projection(0, block);
        projection.add(vector.data(), vector.size());
        if (!projection.finish(&sums.word[block]))
            return 0;
    }
    return weights_fingerprint(sums.word[sums.words - 1]);
}

std::vector<std::string> read_texts(const char *path)
{
    std::vector<std::string> texts;
    std::ifstream file(path);
    for (std::string line; texts.size() < 2000 && std::getline(file, line);)
        texts.push_back(line.substr(line.rfind('\t') + 1));
    return texts;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s TEXTS\n", argv[0]);
        return 2;
    }
    const std::vector<std::string> texts = read_texts(argv[1]);
    std::vector<Counted> documents;
    std::size_t features = 0;
    for (const std::string &text : texts)
        features += documents.emplace_back(count_words(text)).counts.size();
    double reading = microseconds(texts.size(), [&] {
        std::size_t words = 0;
        for (const std::string &text : texts)
            words += count_words(text).counts.size();
        return words;
    });
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> vector(1536);
    for (float &x : vector)
        x = normal(random);

    std::printf(
        "%zu texts with %.0f different words each, whose counting takes %.1f us; vectors of 1,536\n\n",
        texts.size(), static_cast<double>(features) / static_cast<double>(texts.size()), reading);
    std::printf("| bits | votes combined, us | one by one, us | vector, us |\n|---|---|---|---|\n");
    for (int bits : kBitNumbers) {
        std::vector<Weights> memory(static_cast<std::size_t>(signature_words(bits)));
        SignatureSums sums = {memory.data(), memory.size()};
        auto time_documents = [&](auto sum) {
            return microseconds(documents.size(), [&] {
                std::uint64_t all = 0;
                for (const Counted &document : documents)
                    all ^= sum(document.counts, sums);
                return all;
            });
        };
        double combined = time_documents(sum_combined);
        double one_by_one = time_documents(sum_one_by_one);
        double projected = microseconds(20, [&] {
            std::uint64_t all = 0;
            for (int i = 0; i < 20; i++)
                all += project(vector, sums);
            return all;
        });
        std::printf("| %d | %.1f | %.1f | %.0f |\n", bits, combined, one_by_one, projected);
    }
}
