// How many documents of a collection have a feature: the stored form, from which features get their weights.
//
//   offset  size
//        0     1  version, 1
//        1     1  what the features are: 0 words, 1 characters, 2 given features
//        2     1  size of the shingles, 1 for given features
//        3     1  d, the bits of the directory
//        4     4  documents
//        8     4  missed: no feature that is not kept is in more documents, and no count is too low by more
//       12     4  n, the features kept
//       16     4  zero
//       20   8*n  their hashes, in ascending order
//            ...  the directory: 2^d + 1 numbers of 4 bytes, where the hashes that begin with each d bits begin
//            4*n  the documents of each feature
//            2*n  the rarity of each feature
//
// Integers are in the machine's byte order. PostgreSQL puts a length word of 4 bytes in front.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

inline constexpr std::uint8_t kFrequenciesVersion = 1;

enum class FrequencyUnit : std::uint8_t { kWord, kCharacter, kGiven };

struct FrequenciesHeader {
    std::uint8_t version;
    FrequencyUnit unit;
    std::uint8_t size;
    std::uint8_t directory_bits;
    std::uint32_t documents;
    std::uint32_t missed;
    std::uint32_t count;
    std::uint32_t zero;
};
static_assert(sizeof(FrequenciesHeader) == 20);

// The most features that a value keeps.
inline constexpr std::uint32_t kKeptMax = 65536;
inline constexpr std::uint32_t kDocumentsMax = 0xFFFFFFFE;

struct FeatureFrequency {
    std::uint64_t hash;
    std::uint32_t documents;
};

// ln (N + 1) - ln n in units of 2^-8, each logarithm rounded to nearest, and at least 1: a feature in n of N documents.
// An empty collection counts as one of one document.
std::uint32_t rarity(std::uint32_t documents, std::uint32_t with_feature);
inline constexpr std::uint32_t kRarityMax = 5678;

// A view of the stored form. It is valid as long as that.
class FeatureFrequencies
{
public:
    // Returns false if no version of the extension could have written this.
    [[nodiscard]] bool open(const void *stored, std::size_t bytes);

    const FrequenciesHeader &header() const { return header_; }
    FeatureFrequency at(std::uint32_t i) const;

    // The place of a feature among those kept, or -1.
    std::int64_t find(std::uint64_t hash) const;

    // The rarity of a feature. One that is not kept is as rare as any can be.
    std::uint32_t rarity_of(std::uint64_t hash) const;

private:
    FrequenciesHeader header_;
    const char *hashes_;
    const char *directory_;
    const char *documents_;
    const char *rarities_;
    std::uint32_t unknown_; // the rarity of features that are not kept
};

// The bytes of the stored form of so many features.
std::size_t frequencies_size(std::uint32_t count);

// Writes the stored form, frequencies_size(count) bytes. The hashes are in ascending order. Sets the header's version,
// count and directory.
void write_frequencies(FrequenciesHeader header, const FeatureFrequency *kept, std::uint32_t count, void *to);

// Keeps the most frequent features, at most `most`; of equal ones, those with the smaller hashes. Raises *missed by what
// the others can have, sorts the kept ones by hash and returns their number.
std::uint32_t keep_frequent(FeatureFrequency *features, std::size_t count, std::uint32_t most,
                            std::uint32_t *missed);

} // namespace simhash
