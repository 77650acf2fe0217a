#include "core/layout/signature_layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/bits/contract.hpp"

namespace simhash
{

namespace
{

// Fewer rows say little about entropy and nothing about dependence.
constexpr int kFewestSampleRows = 64;

// Bits of a window beyond this depth do not lead to other leaves, even with a billion rows.
constexpr int kChosenDepth = 24;

// How many of the next bits by entropy are compared for a place, if they are about as balanced as the first.
constexpr int kCandidates = 16;
constexpr double kAboutAsBalanced = 0.1;

struct RankedBits {
    int count;
    std::uint16_t bit[kMostSignatureBits];

    std::uint16_t take(int at)
    {
        std::uint16_t taken = bit[at];
        std::move(bit + at + 1, bit + count, bit + at);
        count--;
        return taken;
    }
};

// The bits of the sample as columns: bit i of column j is bit j of row i.
void transpose(const std::uint8_t *sample, std::size_t stride, int rows, int bits, std::uint64_t *columns,
               void (*pause)())
{
    std::memset(columns, 0, sizeof(std::uint64_t) * kColumnWords * static_cast<std::size_t>(bits));
    for (int i = 0; i < rows; i++) {
        const std::uint8_t *row = sample + stride * static_cast<std::size_t>(i);
        for (int j = 0; j < bits; j++)
            columns[kColumnWords * static_cast<std::size_t>(j) + static_cast<std::size_t>(i / 64)] |=
                std::uint64_t{signature_bit(row, j)} << i % 64;
        pause();
    }
}

struct SampleColumns {
    const std::uint64_t *word;
    int rows;

    const std::uint64_t *column(int bit) const { return word + kColumnWords * static_cast<std::size_t>(bit); }
    int ones(int bit) const
    {
        int sum = 0;
        for (std::size_t i = 0; i < kColumnWords; i++)
            sum += std::popcount(column(bit)[i]);
        return sum;
    }
    // How far a bit is from being set in half of the rows, 0 to 1.
    double imbalance(int bit) const { return std::abs(2.0 * ones(bit) / rows - 1); }
    // The squared correlation of two bits, 0 if one is constant.
    double dependence(int a, int b) const
    {
        int both = 0;
        for (std::size_t i = 0; i < kColumnWords; i++)
            both += std::popcount(column(a)[i] & column(b)[i]);
        double n = rows, x = ones(a) / n, y = ones(b) / n, covariance = both / n - x * y;
        double variances = x * (1 - x) * y * (1 - y);
        return variances == 0 ? 0 : covariance * covariance / variances;
    }
};

// The bits by descending entropy, so by how close they come to being set in half of the rows.
void rank_bits(const SampleColumns *columns, int bits, RankedBits *ranked)
{
    int imbalance[kMostSignatureBits];
    ranked->count = bits;
    for (int j = 0; j < bits; j++) {
        ranked->bit[j] = static_cast<std::uint16_t>(j);
        // Differences that chance explains do not count.
        int off = columns == nullptr ? 0 : std::abs(2 * columns->ones(j) - columns->rows);
        int noise = columns == nullptr ? 1 : 1 + static_cast<int>(2 * std::sqrt(columns->rows));
        imbalance[j] = off / noise;
    }
    std::sort(ranked->bit, ranked->bit + bits, [&imbalance](int a, int b) {
        return imbalance[a] != imbalance[b] ? imbalance[a] < imbalance[b] : a < b;
    });
}

// The best of the next bits for a window that has `depth` bits already.
int choose_bit(const SampleColumns *columns, const RankedBits &ranked, const std::uint16_t *window, int depth)
{
    if (columns == nullptr || depth >= kChosenDepth)
        return 0;
    int best = 0;
    double least = 1e300;
    for (int c = 0; c < kCandidates && c < ranked.count; c++) {
        if (columns->imbalance(ranked.bit[c]) > columns->imbalance(ranked.bit[0]) + kAboutAsBalanced)
            break;
        double sum = 0;
        for (int i = 0; i < depth; i++)
            sum += columns->dependence(ranked.bit[c], window[i]);
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

// The windows, one after the other in `order`; window t begins at first[t].
void deal_bits(const SampleColumns *columns, RankedBits *ranked, const SignatureLayout &layout,
               const int *first, std::uint16_t *order, void (*pause)())
{
    for (int depth = 0; ranked->count > 0; depth++) {
        for (int i = 0; i < layout.trees; i++) {
            int tree = depth % 2 == 0 ? i : layout.trees - 1 - i; // back and forth, so that windows are alike
            if (depth >= layout.window(tree))
                continue;
            std::uint16_t *window = order + first[tree];
            window[depth] = ranked->take(choose_bit(columns, *ranked, window, depth));
            pause();
        }
    }
}

// A tree's own window, then bits borrowed from the following windows, the first ones of each in turn.
void fill_key(const SignatureLayout &layout, const int *first, const std::uint16_t *order, int tree,
              std::uint16_t *key)
{
    int length = layout.key_length(), filled = 0;
    for (; filled < std::min(layout.window(tree), length); filled++)
        key[filled] = order[first[tree] + filled];
    for (int depth = 0; filled < length; depth++) {
        for (int next = 1; next < layout.trees && filled < length; next++) {
            int other = (tree + next) % layout.trees;
            if (depth < layout.window(other))
                key[filled++] = order[first[other] + depth];
        }
    }
}

// 64 bits of a signature, the highest first.
std::uint64_t gather_word(const std::uint8_t *signature, const std::uint16_t *bits)
{
    std::uint64_t word = 0;
    for (int i = 0; i < kKeyBits; i++)
        word = word << 1 | static_cast<std::uint64_t>(signature_bit(signature, bits[i]));
    return word;
}

void fill_sketch(const int *first, const std::uint16_t *order, SignatureLayout *layout)
{
    int filled = 0;
    std::fill(layout->sketch, layout->sketch + kSketchBits, kNoBit);
    for (int depth = 0; filled < kSketchBits && filled < layout->bits; depth++) {
        for (int tree = 0; tree < layout->trees && filled < kSketchBits; tree++) {
            if (depth < layout->window(tree))
                layout->sketch[filled++] = order[first[tree] + depth];
        }
    }
}

struct BitSet {
    std::uint64_t word[kMostSignatureBits / 64] = {};

    // Returns false if the bit is in the set already.
    bool add(int bit)
    {
        std::uint64_t mask = std::uint64_t{1} << bit % 64, before = word[bit / 64];
        word[bit / 64] |= mask;
        return (before & mask) == 0;
    }
};

bool has_valid_sizes(const SignatureLayout &layout)
{
    return layout.bits >= kFewestSignatureBits && layout.bits <= kMostSignatureBits &&
           layout.trees <= kMaxTrees && layout.words >= 1 && layout.words <= kMostKeyWords &&
           layout.key_length() <= std::max<int>(layout.bits, kKeyBits);
}

} // namespace

std::uint64_t signature_key(const SignatureLayout &layout, int tree, const std::uint8_t *signature)
{
    return gather_word(signature, layout.key_bits(tree));
}

void signature_key(const SignatureLayout &layout, int tree, const std::uint8_t *signature,
                   std::uint64_t key[kMostKeyWords])
{
    const std::uint16_t *bits = layout.key_bits(tree);
    key[0] = gather_word(signature, bits);
    key[1] = layout.words == 2 ? gather_word(signature, bits + kKeyBits) : 0;
}

void signature_sketch(const SignatureLayout &layout, const std::uint8_t *signature, std::uint64_t sketch[2])
{
    for (int word = 0; word < 2; word++) {
        sketch[word] = 0;
        for (int i = 0; i < 64; i++) {
            int bit = layout.sketch[64 * word + i];
            sketch[word] = sketch[word] << 1 |
                           static_cast<std::uint64_t>(bit != kNoBit && signature_bit(signature, bit));
        }
    }
}

void choose_layout(int bits, int trees, int words, const std::uint8_t *sample, std::size_t stride, int rows,
                   std::uint64_t *columns, SignatureLayout *layout, void (*pause)())
{
    SIMHASH_ASSERT(kFewestSignatureBits <= bits && bits <= kMostSignatureBits);
    SIMHASH_ASSERT(0 <= trees && trees <= kMaxTrees);
    SIMHASH_ASSERT(words == 1 || (words == 2 && bits >= 128));
    SIMHASH_ASSERT(0 <= rows && rows <= kLayoutSample);
    std::memset(static_cast<void *>(layout), 0, sizeof(*layout));
    layout->bits = static_cast<std::uint16_t>(bits);
    layout->trees = static_cast<std::uint8_t>(std::max(1, trees)); // without trees, a window for the sketch
    layout->words = static_cast<std::uint8_t>(words);

    bool known = rows >= kFewestSampleRows;
    SampleColumns of_sample = {columns, rows};
    if (known)
        transpose(sample, stride, rows, bits, columns, pause);
    RankedBits ranked;
    rank_bits(known ? &of_sample : nullptr, bits, &ranked);

    int first[kMaxTrees];
    for (int t = 0, at = 0; t < layout->trees; t++) {
        first[t] = at;
        at += layout->window(t);
    }
    std::uint16_t order[kMostSignatureBits];
    deal_bits(known ? &of_sample : nullptr, &ranked, *layout, first, order, pause);
    fill_sketch(first, order, layout);
    layout->trees = static_cast<std::uint8_t>(trees);
    for (int t = 0; t < trees; t++)
        fill_key(*layout, first, order, t, layout->key + t * layout->key_length());
}

bool is_signature_layout(const SignatureLayout &layout, std::size_t size)
{
    if (size < offsetof(SignatureLayout, key) || !has_valid_sizes(layout) || layout.size() != size)
        return false;
    for (int i = 0; i < kSketchBits; i++) {
        if (i < layout.bits ? layout.sketch[i] >= layout.bits : layout.sketch[i] != kNoBit)
            return false;
    }
    BitSet of_headers;
    for (int t = 0; t < layout.trees; t++) {
        BitSet of_key;
        for (int i = 0; i < layout.key_length(); i++) {
            int bit = layout.key_bits(t)[i];
            if (bit >= layout.bits || !of_key.add(bit) || (i < layout.header_bits(t) && !of_headers.add(bit)))
                return false;
        }
    }
    return true;
}

} // namespace simhash
