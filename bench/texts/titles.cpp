// Usage: titles KIND <KIND.tsv. Short texts with typing errors: which are found at a Jaccard index of their shingles of
// characters, how many other titles are, and within how many bits fingerprints find them.
#include "sets.hpp"

#include <cstdio>
#include <iostream>
#include <random>

using namespace simhash;

constexpr std::size_t kTitles = 6000, kQueries = 1500;
constexpr int kSizes = 4; // of shingles, 1 to 4
constexpr double kIndexes[] = {.9, .8, .7, .6, .5};
const char *const kErrors[] = {"another character", "left out", "inserted", "two exchanged", "two of these", "words exchanged"};
constexpr int kErrorCount = std::size(kErrors);
const char *const kSchemes[] = {"1 character", "2 characters", "3 characters", "1 and 2", "2 and 3", "1 to 3", "simhash of 2", "simhash of 3"};
constexpr int kSchemeCount = std::size(kSchemes), kChosen = 3;

struct Title {
    FeatureSet set[kSizes + 1];
    Fingerprint bits[kSchemeCount];
};
struct Pair {
    const Title *a, *b;
    double index;
};

Fingerprint simhash_of(const std::vector<std::uint64_t> &features)
{
    Fingerprint bits = 0;
    for (int bit = 0; bit < kBits; bit++) {
        int sum = 0;
        for (std::uint64_t feature : features)
            sum += (feature >> bit & 1) != 0 ? 1 : -1;
        bits |= static_cast<Fingerprint>(sum >= 0) << bit;
    }
    return bits;
}

Title title_of(const std::string &text)
{
    Title title;
    std::vector<std::uint64_t> all[kSizes + 1];
    for (int size = 1; size <= kSizes; size++) {
        all[size] = read_features(text, TextUnit::kCharacter, size);
        title.set[size] = distinct(all[size]);
    }
    const FeatureSet *set = title.set;
    int scheme = 0;
    for (Fingerprint bits : {minhash_of(set[1]), minhash_of(set[2]), minhash_of(set[3]), minhash_of(united(set[1], set[2])),
                             minhash_of(united(set[2], set[3])), minhash_of(united(set[1], united(set[2], set[3]))),
                             simhash_of(all[2]), simhash_of(all[3])})
        title.bits[scheme++] = bits;
    TextSketch sketch;
    sketch.init(TextUnit::kCharacter);
    sketch.read_from(text.data(), text.size(), true);
    while (sketch.add_some()) {
    }
    if (sketch.fingerprint() != title.bits[kChosen]) {
        std::fprintf(stderr, "the sketch of a title differs from the min-hash of its features\n");
        std::exit(1);
    }
    return title;
}

std::u32string decoded(const std::string &text)
{
    std::u32string characters;
    int size;
    for (const char *at = text.data(), *end = at + text.size(); at < end; at += size)
        characters += decode_utf8(at, end, &size);
    return characters;
}

std::string encoded(const std::u32string &characters)
{
    std::string text;
    char bytes[4];
    for (char32_t character : characters)
        text.append(bytes, static_cast<std::size_t>(encode_utf8(character, bytes)));
    return text;
}

struct Typist {
    std::mt19937_64 random{1};
    std::u32string alphabet; // the characters of all titles

    std::size_t below(std::size_t n) { return random() % n; }

    std::u32string character_error(std::u32string title, std::size_t kind)
    {
        const std::size_t at = below(title.size());
        if (kind == 0)
            title[at] = alphabet[below(alphabet.size())];
        else if (kind == 1)
            title.erase(at, 1);
        else if (kind == 2)
            title.insert(at, 1, alphabet[below(alphabet.size())]);
        else if (title.size() > 1)
            std::swap(title[at == 0 ? 1 : at - 1], title[at]);
        return title;
    }

    std::u32string error(const std::u32string &title, std::size_t kind)
    {
        if (kind < 4)
            return character_error(title, kind);
        if (kind == 4)
            return character_error(character_error(title, below(4)), below(4));
        std::vector<std::size_t> space;
        for (std::size_t i = 1; i + 1 < title.size(); i++)
            if (title[i] == ' ')
                space.push_back(i);
        if (space.empty())
            return title;
        const std::size_t chosen = below(space.size());
        const std::size_t from = chosen == 0 ? 0 : space[chosen - 1] + 1, middle = space[chosen];
        const std::size_t end = chosen + 1 < space.size() ? space[chosen + 1] : title.size();
        return title.substr(0, from) + title.substr(middle + 1, end - middle - 1) + U' ' + title.substr(from, middle - from) +
               title.substr(end);
    }
};

double share(std::size_t part, std::size_t all) { return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all); }

int main(int argc, char **argv)
{
    std::vector<Title> titles;
    std::vector<std::u32string> texts;
    Typist typist;
    std::size_t characters = 0;
    for (std::string line; std::getline(std::cin, line) && titles.size() < kTitles;) {
        const std::string text = unescape(line.substr(line.rfind('\t') + 1));
        if (read_features(text, TextUnit::kCharacter, 1).size() < 4)
            continue;
        titles.push_back(title_of(text));
        texts.push_back(decoded(text));
        characters += texts.back().size();
        for (char32_t character : texts.back())
            if (character != ' ')
                typist.alphabet += character;
    }
    const std::size_t queries = std::min(kQueries, titles.size());
    std::printf("%s: %zu titles, %.0f characters on average\n", argc > 1 ? argv[1] : "titles", titles.size(),
                share(characters, titles.size()));

    // What is found at an index, by the size of the shingles.
    std::vector<Title> altered[kErrorCount];
    std::vector<std::size_t> original[kErrorCount];
    for (std::size_t i = 0; i < queries; i++)
        for (std::size_t kind = 0; kind < kErrorCount; kind++) {
            const std::u32string text = typist.error(texts[i], kind);
            if (text == texts[i] || read_features(encoded(text), TextUnit::kCharacter, 1).empty())
                continue;
            altered[kind].push_back(title_of(encoded(text)));
            original[kind].push_back(i);
        }
    for (int size = 2; size <= kSizes; size++) {
        std::printf("shingles of %d, index >= .7 / .6 / .5 / .4:", size);
        for (std::size_t kind = 0; kind < kErrorCount; kind++) {
            std::printf("  %s", kErrors[kind]);
            for (double least : {.7, .6, .5, .4}) {
                std::size_t found = 0;
                for (std::size_t i = 0; i < altered[kind].size(); i++)
                    found += jaccard(altered[kind][i].set[size], titles[original[kind][i]].set[size]) >= least;
                std::printf(" %.3f", share(found, altered[kind].size()));
            }
        }
        std::printf("  other titles");
        for (double least : {.7, .6, .5, .4}) {
            std::size_t found = 0;
            for (std::size_t i = 0; i < queries; i++)
                for (const Title &other : titles)
                    found += &other != &titles[i] && jaccard(other.set[size], titles[i].set[size]) >= least;
            std::printf(" %.2f", share(found, queries));
        }
        std::printf("\n");
    }

    // What fingerprints find: altered titles, and other pairs.
    std::vector<Pair> pairs[2];
    for (std::size_t kind = 0; kind < kErrorCount; kind++)
        for (std::size_t i = 0; i < altered[kind].size(); i++) {
            const Title *a = &altered[kind][i], *b = &titles[original[kind][i]];
            pairs[0].push_back({a, b, jaccard(a->set[2], b->set[2])});
        }
    for (std::size_t i = 0; i < titles.size(); i++)
        for (std::size_t j = 0; j < i; j++) {
            const double index = jaccard(titles[i].set[2], titles[j].set[2]);
            if (index >= .5)
                pairs[1].push_back({&titles[i], &titles[j], index});
        }
    std::printf("1 and 2, share within the radius of text_ball of altered titles / pairs of others:");
    for (double least : kIndexes) {
        const int radius = text_radius(TextUnit::kCharacter, least);
        std::printf("  %.1f, %d bits:", least, radius);
        for (const std::vector<Pair> &some : pairs) {
            std::size_t all = 0, found = 0;
            for (const Pair &pair : some)
                if (pair.index >= least)
                    all++, found += hamming_distance(pair.a->bits[kChosen], pair.b->bits[kChosen]) <= radius;
            std::printf(" %.3f of %zu", share(found, all), all);
        }
    }
    std::printf("\nindex >= .6: bits within which .97 of the altered titles are, and how many others, for a search of 10,000:");
    for (int scheme = 0; scheme < kSchemeCount; scheme++) {
        std::size_t all = 0, found = 0, near = 0, at[kBits + 1] = {};
        for (const Pair &pair : pairs[0])
            if (pair.index >= .6)
                all++, at[hamming_distance(pair.a->bits[scheme], pair.b->bits[scheme])]++;
        int radius = 0;
        for (found = at[0]; radius < kBits && share(found, all) < .97; found += at[++radius]) {
        }
        for (std::size_t i = 0; i < queries; i++)
            for (const Title &other : titles)
                near += &other != &titles[i] && hamming_distance(other.bits[scheme], titles[i].bits[scheme]) <= radius;
        std::printf("  %s %d: %.1f", kSchemes[scheme], radius, 10000 * share(near, queries) / static_cast<double>(titles.size()));
    }
    std::printf("\n\n");
}
