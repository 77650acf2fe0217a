// Profiles of min-hash: the minima that other libraries compute for a set of features, one row of a table for each.
//
// All of them hash each feature to a number h, and compute (a h + b) mod p for every permutation in unsigned integers
// of 64, 32 or 16 bits, where a h + b overflows. The minima over the features are the sketch. The numbers a and b
// come from NumPy's RandomState.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

enum class MinhashHash : std::uint8_t {
    kSha1,
    kXxh3Seeded, // with the seed of the permutations
    kXxh3Top16,  // the first 2 bytes of XXH3's 128 bits
    kXxh64,
    kXxh32,
};

// The unsigned integers of the arithmetic, and the largest prime p below their limit or, for 64 bits, 2^61 - 1.
enum class MinhashWord : std::uint8_t { k64, k32, k16 };

struct MinhashProfile {
    const char *name;
    MinhashHash hash;
    int hash_bits; // the low ones count
    MinhashWord word = MinhashWord::k64;
    std::uint64_t mask = UINT32_MAX; // of (a h + b) mod p
    bool in_turn = false; // a and b are drawn in turn; otherwise every a is drawn before the first b
    int size;             // default number of minima
    std::uint32_t seed;   // default
    const char *hash_text;
    const char *permutation_text;
};

extern const MinhashProfile kMinhashProfiles[];
extern const std::size_t kMinhashProfileCount;

// Finds a profile by its name, ignoring case. Returns null if there is none.
const MinhashProfile *find_minhash_profile(const char *name, std::size_t length);

std::uint64_t minhash_feature_hash(const MinhashProfile &profile, std::uint32_t seed, const void *bytes,
                                   std::size_t length);

// The permutations, in memory that the caller supplies.
struct MinhashPermutations {
    std::uint64_t *a, *b;
    int size;

    void draw(const MinhashProfile &profile, std::uint32_t seed);

    // Lowers the minima to the values of one more feature's hash.
    void lower(const MinhashProfile &profile, std::uint64_t hash, std::uint64_t *minima) const;
};

} // namespace simhash
