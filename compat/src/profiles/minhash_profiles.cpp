#include "profiles/minhash_profiles.hpp"

#include <algorithm>
#include <iterator>

#include "profiles/compat_hashes.hpp"
#include "profiles/names.hpp"
#include "profiles/numpy_random.hpp"

namespace simhash
{

namespace
{

constexpr std::uint64_t kPrime64 = (std::uint64_t{1} << 61) - 1;
constexpr std::uint32_t kPrime32 = UINT32_MAX - 4;
constexpr std::uint16_t kPrime16 = UINT16_MAX - 14;

constexpr const char *kSha1Text32 = "SHA-1, first 4 bytes, little-endian";
constexpr const char *kSha1Text64 = "SHA-1, first 8 bytes, little-endian";
constexpr const char *kSeededText = "XXH3 with the seed, low 32 bits";
constexpr const char *kTurnText = "((a h + b) mod 2^64 mod (2^61 - 1)) mod 2^32, a and b drawn in turn";
constexpr const char *kLow32Text = "((a h + b) mod 2^64 mod (2^61 - 1)) mod 2^32";
constexpr const char *kWholeText = "(a h + b) mod 2^64 mod (2^61 - 1)";
constexpr const char *kWord32Text = "(a h + b) mod 2^32 mod (2^32 - 5)";
constexpr const char *kWord16Text = "(a h + b) mod 2^16 mod (2^16 - 15)";

template <typename Word, Word kPrime> Word remainder(Word sum) { return sum % kPrime; }

// Faster than a division: 2^61 is 1 modulo the prime.
template <> std::uint64_t remainder<std::uint64_t, kPrime64>(std::uint64_t sum)
{
    sum = (sum & kPrime64) + (sum >> 61);
    return sum >= kPrime64 ? sum - kPrime64 : sum;
}

template <typename Word, Word kPrime>
void lower_minima(const MinhashPermutations &permutations, std::uint64_t hash, std::uint64_t mask,
                  std::uint64_t *minima)
{
    for (int i = 0; i < permutations.size; i++) {
        auto sum = static_cast<Word>(permutations.a[i] * hash + permutations.b[i]);
        minima[i] = std::min<std::uint64_t>(minima[i], remainder<Word, kPrime>(sum) & mask);
    }
}

std::uint64_t drawn_number(NumpyRandom &random, MinhashWord word, unsigned least)
{
    switch (word) {
    case MinhashWord::k64:
        return least + random.below64(kPrime64 - 1 - least);
    case MinhashWord::k32:
        return least + random.below32(kPrime32 - 1 - least);
    case MinhashWord::k16:
        return least + random.below16(static_cast<std::uint16_t>(kPrime16 - 1 - least));
    }
    __builtin_unreachable();
}

} // namespace

const MinhashProfile kMinhashProfiles[] = {
    {.name = "datasketch",
     .hash = MinhashHash::kSha1,
     .hash_bits = 32,
     .in_turn = true,
     .size = 128,
     .seed = 1,
     .hash_text = kSha1Text32,
     .permutation_text = kTurnText},
    {.name = "text-dedup",
     .hash = MinhashHash::kXxh3Seeded,
     .hash_bits = 32,
     .size = 240,
     .seed = 42,
     .hash_text = kSeededText,
     .permutation_text = kLow32Text},
    {.name = "text-dedup-32",
     .hash = MinhashHash::kXxh3Seeded,
     .hash_bits = 32,
     .word = MinhashWord::k32,
     .size = 240,
     .seed = 42,
     .hash_text = kSeededText,
     .permutation_text = kWord32Text},
    {.name = "text-dedup-16",
     .hash = MinhashHash::kXxh3Top16,
     .hash_bits = 16,
     .word = MinhashWord::k16,
     .size = 240,
     .seed = 42,
     .hash_text = "XXH3, 128 bits, first 2 bytes, big-endian",
     .permutation_text = kWord16Text},
    {.name = "text-dedup-sha1",
     .hash = MinhashHash::kSha1,
     .hash_bits = 32,
     .size = 240,
     .seed = 42,
     .hash_text = kSha1Text32,
     .permutation_text = kLow32Text},
    {.name = "text-dedup-sha1-32",
     .hash = MinhashHash::kSha1,
     .hash_bits = 32,
     .word = MinhashWord::k32,
     .size = 240,
     .seed = 42,
     .hash_text = kSha1Text32,
     .permutation_text = kWord32Text},
    {.name = "text-dedup-sha1-16",
     .hash = MinhashHash::kSha1,
     .hash_bits = 16,
     .word = MinhashWord::k16,
     .size = 240,
     .seed = 42,
     .hash_text = "SHA-1, first 2 bytes, little-endian",
     .permutation_text = kWord16Text},
    {.name = "datatrove",
     .hash = MinhashHash::kXxh64,
     .hash_bits = 64,
     .mask = UINT64_MAX,
     .size = 112,
     .seed = 1,
     .hash_text = "XXH64",
     .permutation_text = kWholeText},
    {.name = "datatrove-32",
     .hash = MinhashHash::kXxh32,
     .hash_bits = 32,
     .size = 112,
     .seed = 1,
     .hash_text = "XXH32",
     .permutation_text = kLow32Text},
    {.name = "datatrove-sha1",
     .hash = MinhashHash::kSha1,
     .hash_bits = 64,
     .mask = UINT64_MAX,
     .size = 112,
     .seed = 1,
     .hash_text = kSha1Text64,
     .permutation_text = kWholeText},
    {.name = "datatrove-sha1-32",
     .hash = MinhashHash::kSha1,
     .hash_bits = 32,
     .size = 112,
     .seed = 1,
     .hash_text = kSha1Text32,
     .permutation_text = kLow32Text},
};
const std::size_t kMinhashProfileCount = std::size(kMinhashProfiles);

const MinhashProfile *find_minhash_profile(const char *name, std::size_t length)
{
    for (const MinhashProfile &profile : kMinhashProfiles)
        if (is_name(profile.name, name, length))
            return &profile;
    return nullptr;
}

std::uint64_t minhash_feature_hash(const MinhashProfile &profile, std::uint32_t seed, const void *bytes,
                                   std::size_t length)
{
    std::uint64_t kept = UINT64_MAX >> (64 - profile.hash_bits);
    switch (profile.hash) {
    case MinhashHash::kSha1:
        return sha1_hash(bytes, length) & kept;
    case MinhashHash::kXxh3Seeded:
        return xxh3_hash(bytes, length, seed) & kept;
    case MinhashHash::kXxh3Top16:
        return xxh3_128_high_half(bytes, length) >> 48;
    case MinhashHash::kXxh64:
        return xxh64_hash(bytes, length);
    case MinhashHash::kXxh32:
        return xxh32_hash(bytes, length);
    }
    __builtin_unreachable();
}

void MinhashPermutations::draw(const MinhashProfile &profile, std::uint32_t seed)
{
    NumpyRandom random(seed);
    for (int i = 0; i < size; i++) {
        a[i] = drawn_number(random, profile.word, 1);
        if (profile.in_turn)
            b[i] = drawn_number(random, profile.word, 0);
    }
    random.start_array();
    for (int i = 0; i < size && !profile.in_turn; i++)
        b[i] = drawn_number(random, profile.word, 0);
}

void MinhashPermutations::lower(const MinhashProfile &profile, std::uint64_t hash,
                                std::uint64_t *minima) const
{
    switch (profile.word) {
    case MinhashWord::k64:
        return lower_minima<std::uint64_t, kPrime64>(*this, hash, profile.mask, minima);
    case MinhashWord::k32:
        return lower_minima<std::uint32_t, kPrime32>(*this, hash, profile.mask, minima);
    case MinhashWord::k16:
        return lower_minima<std::uint16_t, kPrime16>(*this, hash, profile.mask, minima);
    }
}

} // namespace simhash
