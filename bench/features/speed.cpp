// How many megabytes of texts a second of processor time are read, shingled, sketched and summed, on one core.
//
//   speed TEXTS...
//
// TEXTS: files of texts, as prepare.pl writes them (../texts/README.md). For each, and for its texts cut to ten words, and
// joined to some of 1 MB: the best of five rounds.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "../texts/sets.hpp"
#include "core/features/feature_counts.hpp"
#include "core/features/text_sketch.hpp"
#include "core/text/normal_text.hpp"

using namespace simhash;

namespace
{

using Strings = std::vector<std::string>;

std::uint64_t result; // so that nothing is left out

template <typename Read> double speed(const Strings &texts, Read read)
{
    double bytes = 0, best = 0;
    for (const std::string &text : texts)
        bytes += static_cast<double>(text.size());
    for (int round = 0; round < 5; round++) {
        const std::clock_t start = std::clock();
        for (const std::string &text : texts)
            read(text);
        best = std::max(best, bytes / 1e6 * CLOCKS_PER_SEC / static_cast<double>(std::clock() - start));
    }
    return best;
}

void normalise(const std::string &text)
{
    static char buffer[16384];
    NormalText normal;
    normal.init();
    normal.read_from(text.data(), text.size());
    while (!normal.exhausted())
        result += normal.append(buffer, 0, sizeof(buffer));
}

template <int size> void shingle(const std::string &text)
{
    static TextFeatures features;
    std::uint64_t hashes[256];
    features.init(TextUnit::kWord, size);
    features.read_from(text.data(), text.size(), true);
    for (std::size_t count; features.next(hashes, std::size(hashes), &count);)
        if (count > 0)
            result += hashes[count - 1];
}

template <TextUnit unit> void sketch(const std::string &text)
{
    static TextSketch sketch;
    sketch.init(unit);
    sketch.read_from(text.data(), text.size(), true);
    while (sketch.add_some()) {
    }
    result += sketch.empty() ? 0 : sketch.fingerprint();
}

// to_simhash(text), without its memory management.
void sum(const std::string &text)
{
    static TextFeatures features;
    static std::vector<FeatureCount> slots;
    TableSalts salts(1);
    FeatureCounts counts;
    std::size_t capacity = 256;
    while (capacity < std::min<std::size_t>(text.size() / 8, 65536))
        capacity *= 2;
    slots.resize(std::max(slots.size(), capacity));
    counts.init(slots.data(), capacity, &salts);
    std::uint64_t hashes[256];
    features.init(TextUnit::kWord, 1);
    features.read_from(text.data(), text.size(), true);
    for (std::size_t count; features.next(hashes, std::size(hashes), &count);)
        for (std::size_t i = 0; i < count; i++) {
            if (counts.full()) {
                slots.resize(std::max(slots.size(), 2 * capacity));
                const std::size_t first = counts.begin_growth(slots.data());
                counts.grow(first, first + capacity);
                capacity *= 2;
            }
            counts.add(hashes[i], 1);
        }
    Weights sums;
    clear_sums({&sums, 1});
    counts.add_logarithmic(0, counts.capacity(), {&sums, 1});
    result += weights_fingerprint(sums);
}

void print(const char *path, const char *what, const Strings &texts)
{
    std::printf("| %s%s | %zu | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", path, what, texts.size(),
                speed(texts, normalise), speed(texts, shingle<1>), speed(texts, shingle<3>),
                speed(texts, sketch<TextUnit::kWord>), speed(texts, sketch<TextUnit::kCharacter>),
                speed(texts, sum));
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    std::printf("| | texts | normal text | words | three words | text sketch | title sketch | to_simhash |\n"
                "|---|---|---|---|---|---|---|---|\n");
    for (int i = 1; i < argc; i++) {
        Strings texts, shorts, longs(1);
        std::ifstream file(argv[i]);
        double bytes = 0;
        for (std::string line; bytes < 16e6 && std::getline(file, line);) {
            texts.push_back(unescape(split(line, 8).back()));
            const std::string &text = texts.back();
            bytes += static_cast<double>(text.size());
            std::size_t end = 0;
            for (int words = 0; words < 10 && end < text.size(); words++)
                end = std::min(text.find(' ', end + 1), text.size());
            shorts.push_back(text.substr(0, std::min<std::size_t>(end, 100)));
            if (longs.back().size() > 1000000)
                longs.emplace_back();
            longs.back() += text + ' ';
        }
        print(argv[i], "", texts);
        print(argv[i], ", ten words", shorts);
        print(argv[i], ", 1 MB", longs);
    }
    return result == 1;
}
