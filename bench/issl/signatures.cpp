// Makes files of 1024-bit signatures, and turns them into rows for COPY.
//
//   signatures text ROWS QUERIES STRIDE <TEXTS >FILE    windows of words; TEXTS: one text on each line
//   signatures clusters ROWS QUERIES >FILE              random clusters
//   signatures copy FIRST COUNT <FILE                   COPY's binary format, (id integer, sig bit(1024))
//
// text: a row is a window of 60 words. Windows start at every STRIDE-th word of a text; they are shuffled, the first ones
// become the queries and the others the rows. If there are too few, rows are added in which a part of a window, 20 % or
// more, is replaced by words from elsewhere. Words are sequences of letters and digits in lower case.
//
// The signature follows TopSig: a word has a random vector, here +1 or -1 for each bit from its hash; a window's vector
// is the sum over its words, weighted (1 + ln tf) * idf, and its signs are the bits. TopSig's vectors are sparse; these
// have no zeros.
//
// clusters: each has a random center and some 200 rows that flip each bit of it with a probability of 5 to 25 %.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/hash/feature_hash.hpp"
#include "signature.hpp"

namespace
{

constexpr std::size_t kWindow = 60;
constexpr int kWeightScale = 16; // weights are multiples of 1 / 16: the sums of a window fit into 16 bits
constexpr std::uint64_t kRowsPerCluster = 200;

void write(const void *from, std::size_t size)
{
    if (std::fwrite(from, 1, size, stdout) != size) {
        std::perror("standard output");
        std::exit(1);
    }
}

// -- text -------------------------------------------------------------------------------------------------------

struct Word {
    Signature vector;
    std::uint32_t texts = 0; // that contain it
    std::uint32_t last_text = 0;
    double idf = 0;
};

struct Texts {
    std::vector<Word> vocabulary;
    std::vector<std::uint32_t> words;       // of all texts, one after the other
    std::vector<std::uint32_t> start = {0}; // of each text in words, and the end
    std::unordered_map<std::uint64_t, std::uint32_t> number_of;

    std::uint32_t number(const std::string &word)
    {
        std::uint64_t hash = simhash::feature_hash(word.data(), word.size());
        auto [entry, fresh] = number_of.emplace(hash, vocabulary.size());
        if (fresh) {
            vocabulary.emplace_back();
            Random random(hash);
            for (std::uint64_t &part : vocabulary.back().vector)
                part = random.next();
        }
        return entry->second;
    }

    void add_word(const std::string &word)
    {
        std::uint32_t at = number(word);
        words.push_back(at);
        auto text = static_cast<std::uint32_t>(start.size());
        vocabulary[at].texts += vocabulary[at].last_text != text;
        vocabulary[at].last_text = text;
    }

    void add_text(const char *line, std::size_t length)
    {
        std::string word;
        for (std::size_t i = 0; i <= length; i++) {
            auto c = static_cast<unsigned char>(i < length ? line[i] : ' ');
            if (c >= 0x80 || std::isalnum(c) != 0)
                word.push_back(static_cast<char>(std::tolower(c)));
            else if (c == '\\' && i + 1 < length && std::strchr("nrtbfv", line[i + 1]) != nullptr)
                i++, c = ' '; // an escape of COPY
            if (c < 0x80 && std::isalnum(c) == 0 && !word.empty()) {
                add_word(word);
                word.clear();
            }
        }
        start.push_back(static_cast<std::uint32_t>(words.size()));
    }

    void read()
    {
        char *line = nullptr;
        std::size_t capacity = 0;
        for (ssize_t length; (length = getline(&line, &capacity, stdin)) > 0;)
            add_text(line, static_cast<std::size_t>(length));
        std::free(line);
        for (Word &word : vocabulary)
            word.idf = std::log(static_cast<double>(start.size() - 1) / word.texts);
    }
};

using Lanes [[gnu::vector_size(16)]] = std::int16_t;

// Eight bits of a vector at a time: mask[byte] is -1 where the bit is 0.
struct Masks {
    Lanes mask[256];

    Masks()
    {
        for (int byte = 0; byte < 256; byte++)
            for (int bit = 0; bit < 8; bit++)
                mask[byte][bit] = static_cast<std::int16_t>((byte >> bit & 1) - 1);
    }
};

Signature sign(const Texts &texts, std::vector<std::uint32_t> window)
{
    static const Masks masks;
    Lanes sum[kSignatureBits / 8] = {};
    std::sort(window.begin(), window.end());
    for (std::size_t i = 0, next; i < window.size(); i = next) {
        for (next = i; next < window.size() && window[next] == window[i];)
            next++;
        const Word &word = texts.vocabulary[window[i]];
        auto tf = static_cast<double>(next - i);
        auto weight = static_cast<std::int16_t>(std::lround((1 + std::log(tf)) * word.idf * kWeightScale));
        for (int b = 0; b < kSignatureBits / 8; b++) {
            Lanes mask = masks.mask[word.vector[b / 8] >> (b % 8 * 8) & 0xff];
            sum[b] += (weight ^ mask) - mask;
        }
    }
    Signature signature = {};
    for (int j = 0; j < kSignatureBits; j++)
        signature[j / 64] |= static_cast<std::uint64_t>(sum[j / 8][j % 8] >= 0) << j % 64;
    return signature;
}

// The first words of every window, in random order.
std::vector<std::uint32_t> window_starts(const Texts &texts, std::size_t stride)
{
    std::vector<std::uint32_t> starts;
    for (std::size_t t = 0; t + 1 < texts.start.size(); t++) {
        for (std::size_t at = texts.start[t]; at + kWindow <= texts.start[t + 1]; at += stride)
            starts.push_back(static_cast<std::uint32_t>(at));
    }
    Random random(1);
    for (std::size_t i = starts.size(); i > 1; i--)
        std::swap(starts[i - 1], starts[random.below(i)]);
    return starts;
}

void write_text(std::uint64_t rows, std::uint64_t queries, std::size_t stride)
{
    Texts texts;
    texts.read();
    std::vector<std::uint32_t> starts = window_starts(texts, stride);
    std::fprintf(stderr, "%zu texts, %zu words, %zu different, %zu windows\n", texts.start.size() - 1,
                 texts.words.size(), texts.vocabulary.size(), starts.size());
    if (starts.size() <= queries) {
        std::fprintf(stderr, "too few windows\n");
        std::exit(1);
    }
    Random random(2);
    std::vector<std::uint32_t> window(kWindow);
    for (std::uint64_t i = 0; i < queries + rows; i++) {
        bool mixed = i >= starts.size();
        // Mixtures are not made from the queries' windows.
        std::size_t from = mixed ? queries + random.below(starts.size() - queries) : i;
        std::copy_n(&texts.words[starts[from]], kWindow, window.begin());
        if (mixed) {
            auto kept = static_cast<std::size_t>(random.unit() * 0.8 * kWindow);
            std::uint32_t other = starts[queries + random.below(starts.size() - queries)];
            std::copy_n(&texts.words[other], kWindow - kept, window.begin());
        }
        Signature signature = sign(texts, window);
        write(&signature, sizeof(signature));
    }
}

// -- clusters ---------------------------------------------------------------------------------------------------

// A row depends on its number and the number of clusters alone.
Signature clustered(std::uint64_t row, std::uint64_t clusters)
{
    Random noise(row << 1 | 1);
    Random center(noise.below(clusters) << 1);
    auto flips = static_cast<std::uint64_t>((0.05 + 0.20 * noise.unit()) * 0x1p16);
    Signature signature;
    for (std::uint64_t &part : signature) {
        // A bit of `flip` is 1 with probability flips / 2^16: a comparison of binary digits, the lowest first.
        std::uint64_t flip = 0;
        for (int digit = 0; digit < 16; digit++) {
            std::uint64_t below = noise.next();
            flip = (flips >> digit & 1) != 0 ? flip | below : flip & below;
        }
        part = center.next() ^ flip;
    }
    return signature;
}

void write_clusters(std::uint64_t rows, std::uint64_t queries)
{
    for (std::uint64_t i = 0; i < queries + rows; i++) {
        Signature signature = clustered(i, rows / kRowsPerCluster + 1);
        write(&signature, sizeof(signature));
    }
}

// -- COPY -------------------------------------------------------------------------------------------------------

void put(std::uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        std::putchar(static_cast<int>(value >> (8 * i) & 0xff));
}

std::uint8_t reversed(std::uint8_t byte)
{
    return static_cast<std::uint8_t>((byte * 0x0202020202 & 0x010884422010) % 1023);
}

// PostgreSQL's bit j is in byte j / 8, with the value 0x80 >> j % 8.
void write_copy(std::uint64_t first, std::uint64_t count)
{
    const char header[] = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', '\xff', '\r', '\n', 0};
    write(header, sizeof(header));
    put(0, 8);
    Signature signature;
    for (std::uint64_t i = 0; i < first + count && std::fread(&signature, sizeof(signature), 1, stdin) == 1;
         i++) {
        if (i < first)
            continue;
        put(2, 2);
        put(4, 4);
        put(i, 4);
        put(4 + sizeof(signature), 4);
        put(kSignatureBits, 4);
        for (int b = 0; b < kSignatureBits / 8; b++)
            std::putchar(reversed(static_cast<std::uint8_t>(signature[b / 8] >> (b % 8 * 8))));
    }
    put(0xffff, 2);
}

std::uint64_t number(const char *argument) { return std::strtoull(argument, nullptr, 10); }

} // namespace

int main(int argc, char **argv)
{
    std::string what = argc > 1 ? argv[1] : "";
    if (what == "text" && argc == 5 && number(argv[4]) > 0)
        write_text(number(argv[2]), number(argv[3]), number(argv[4]));
    else if (what == "clusters" && argc == 4)
        write_clusters(number(argv[2]), number(argv[3]));
    else if (what == "copy" && argc == 4)
        write_copy(number(argv[2]), number(argv[3]));
    else
        return 2;
    return std::fflush(stdout) == 0 ? 0 : 1;
}
