// Texts and exact truth for measurements of similarity. See README.md.
//
//   texts documents ROWS SEED   reads lines "id <tab> text" as COPY writes them; writes "id <tab> original <tab> body"
//   texts pairs                 reads lines "id <tab> text"; writes "id <tab> id <tab> Jaccard index" for every pair
//                               whose sets of three-word shingles have a Jaccard index of at least 0.8
//   texts distances             reads lines of bits; writes "distance <tab> count" of all pairs of lines
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "../features/texts.hpp"

using namespace simhash;

namespace
{

// -- documents

constexpr std::uint64_t kFewestWords = 100, kMostWords = 400;
constexpr std::uint64_t kShortestRun = 10, kLongestRun = 30;
constexpr std::uint64_t kOriginalsPercent = 70;
constexpr double kMostEdits = 0.06;

using Words = std::vector<std::string>;

class Author
{
public:
    Author(std::vector<Words> texts, std::uint64_t seed) : texts_(std::move(texts)), random_(seed) {}

    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    // Runs of consecutive words of random texts, one after the other.
    Words original()
    {
        std::uint64_t size = kFewestWords + below(kMostWords - kFewestWords + 1);
        Words words;
        while (words.size() < size) {
            const Words &text = texts_[below(texts_.size())];
            std::uint64_t run = kShortestRun + below(kLongestRun - kShortestRun + 1);
            std::uint64_t from = below(text.size());
            for (std::uint64_t i = from; i < text.size() && i < from + run && words.size() < size; i++)
                words.push_back(text[i]);
        }
        return words;
    }

    // A copy with a random share of its words replaced, removed or preceded by another word.
    Words copy(const Words &words)
    {
        double edits = kMostEdits * fraction();
        Words edited;
        for (const std::string &word : words) {
            std::uint64_t kind = fraction() < edits ? below(3) : 3;
            if (kind == 0 || kind == 2)
                edited.push_back(any_word());
            if (kind >= 2)
                edited.push_back(word);
        }
        return edited;
    }

private:
    double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
    const std::string &any_word()
    {
        const Words &text = texts_[below(texts_.size())];
        return text[below(text.size())];
    }

    std::vector<Words> texts_;
    std::mt19937_64 random_;
};

Words split_words(const std::string &text)
{
    Words words;
    std::string word;
    for (char c : text + ' ') {
        if (static_cast<unsigned char>(c) > ' ' && c != '\\') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(word);
            word.clear();
        }
    }
    return words;
}

int write_documents(std::uint64_t rows, std::uint64_t seed)
{
    std::vector<Words> texts;
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<std::string> fields = split(line, 2);
        texts.push_back(split_words(unescape(fields.back())));
        if (texts.back().empty())
            texts.pop_back();
    }
    Author author(std::move(texts), seed);
    std::vector<Words> documents;
    for (std::uint64_t id = 1; id <= rows; id++) {
        std::uint64_t original = id;
        if (id == 1 || author.below(100) < kOriginalsPercent) {
            documents.push_back(author.original());
        } else {
            original = 1 + author.below(id - 1);
            documents.push_back(author.copy(documents[original - 1]));
        }
        std::string body;
        for (const std::string &word : documents.back())
            body += (body.empty() ? "" : " ") + word;
        std::printf("%llu\t%llu\t%s\n", static_cast<unsigned long long>(id),
                    static_cast<unsigned long long>(original), body.c_str());
    }
    return 0;
}

// -- pairs

int write_pairs()
{
    std::vector<std::string> ids;
    std::vector<FeatureSet> sets;
    for (std::string line; std::getline(std::cin, line);) {
        std::vector<std::string> fields = split(line, 2);
        ids.push_back(fields.front());
        sets.push_back(shingle_set(unescape(fields.back()), 3));
    }
    for (const JaccardPair &pair : find_jaccard_pairs(sets))
        std::printf("%s\t%s\t%.17g\n", ids[pair.a].c_str(), ids[pair.b].c_str(),
                    static_cast<double>(pair.common) / static_cast<double>(pair.all));
    return 0;
}

// -- distances

using Signature = std::vector<std::uint64_t>;

Signature read_bits(const std::string &digits)
{
    Signature signature((digits.size() + 63) / 64);
    for (std::size_t i = 0; i < digits.size(); i++)
        signature[i / 64] |= static_cast<std::uint64_t>(digits[i] == '1') << (i % 64);
    return signature;
}

int write_distances()
{
    std::vector<Signature> signatures;
    std::size_t bits = 0;
    for (std::string line; std::getline(std::cin, line);) {
        bits = line.size();
        signatures.push_back(read_bits(line));
    }
    std::vector<std::uint64_t> counts(bits + 1);
    for (std::size_t i = 0; i < signatures.size(); i++)
        for (std::size_t j = 0; j < i; j++) {
            int distance = 0;
            for (std::size_t word = 0; word < signatures[i].size(); word++)
                distance += std::popcount(signatures[i][word] ^ signatures[j][word]);
            counts[static_cast<std::size_t>(distance)]++;
        }
    for (std::size_t distance = 0; distance <= bits; distance++)
        std::printf("%zu\t%llu\n", distance, static_cast<unsigned long long>(counts[distance]));
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc == 4 && std::strcmp(argv[1], "documents") == 0)
        return write_documents(std::strtoull(argv[2], nullptr, 10), std::strtoull(argv[3], nullptr, 10));
    if (argc == 2 && std::strcmp(argv[1], "pairs") == 0)
        return write_pairs();
    if (argc == 2 && std::strcmp(argv[1], "distances") == 0)
        return write_distances();
    std::fprintf(stderr, "usage: %s documents ROWS SEED | pairs | distances\n", argv[0]);
    return 2;
}
