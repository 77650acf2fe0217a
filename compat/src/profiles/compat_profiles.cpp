#include "profiles/compat_profiles.hpp"

#include <algorithm>
#include <iterator>

#include "profiles/names.hpp"

namespace simhash
{

namespace
{

constexpr const char *kPythonShingles =
    "shingles of characters of the lower-cased letters, numbers and _, joined without spaces";
constexpr const char *kGoWords = "lower-cased words of ASCII letters, digits, _ and '";
constexpr const char *kClickHouseBytes = "shingles of bytes";
constexpr const char *kClickHouseCharacters = "shingles of characters, without the first";
constexpr const char *kClickHouseWords = "shingles of words of 4 bytes and more, joined without spaces";
constexpr const char *kMd5FirstText = "MD5, first 8 bytes, big-endian";
constexpr const char *kFnv1Text = "FNV-1, 64 bits";
constexpr const char *kLookup3Text = "lookup3 (hashlittle2, seeds 0)";
constexpr const char *kCrc32cText = "CRC-32C";
constexpr const char *kCrc32cFoldedText = "CRC-32C of each byte | 0x20";
constexpr const char *kCrc32cWordsText = "CRC-32C, without spaces";
constexpr const char *kCrc32cWordsFoldedText = "CRC-32C of each byte | 0x20, without spaces";

// The weight nearest to `weight` whose sign gives bit j of the fingerprint.
Weight signed_weight(Weight weight, Fingerprint fingerprint, int j)
{
    return (fingerprint >> j & 1) != 0 ? std::max<Weight>(weight, 0) : std::min<Weight>(weight, -1);
}

} // namespace

const Profile kProfiles[] = {
    {.name = "1e0ng",
     .preparation = Preparation::kPythonJoined,
     .unit = ProfileUnit::kCharacter,
     .size = 4,
     .sized = true,
     .short_text = ShortText::kAlways,
     .hash = ProfileHash::kMd5Last,
     .weights = ProfileWeights::kHalf,
     .features_text = kPythonShingles,
     .hash_text = "MD5, last 8 bytes, big-endian"},
    {.name = "seomoz",
     .preparation = Preparation::kPythonJoined,
     .unit = ProfileUnit::kCharacter,
     .size = 4,
     .sized = true,
     .hash = ProfileHash::kMd5First,
     .features_text = kPythonShingles,
     .hash_text = kMd5FirstText},
    {.name = "seomoz-cyclic",
     .unit = ProfileUnit::kAsciiLetters,
     .size = 3,
     .sized = true,
     .cyclic = true,
     .hash = ProfileHash::kLookup3,
     .features_text = "cyclic hashes of runs of ASCII letters, bits reversed",
     .hash_text = kLookup3Text},
    {.name = "seomoz-cyclic-python",
     .preparation = Preparation::kPythonWords,
     .unit = ProfileUnit::kField,
     .empty_fields = true,
     .size = 3,
     .sized = true,
     .cyclic = true,
     .hash = ProfileHash::kLookup3,
     .features_text =
         "cyclic hashes of runs of letters, numbers and _, empty ones at the ends too, bits reversed",
     .hash_text = kLookup3Text},
    {.name = "text-dedup",
     .preparation = Preparation::kPythonSpaced,
     .unit = ProfileUnit::kField,
     .empty_fields = true,
     .size = 3,
     .sized = true,
     .least_units = 5,
     .short_text = ShortText::kOneShingle,
     .distinct = true,
     .hash = ProfileHash::kXxh3,
     .features_text = "distinct shingles of lower-cased words, empty ones too, joined by spaces",
     .hash_text = "XXH3, 64 bits"},
    {.name = "yanyiwu",
     .hash = ProfileHash::kLookup3,
     .weights = ProfileWeights::kSigned,
     .hash_text = kLookup3Text},
    {.name = "mfonda",
     .preparation = Preparation::kGoLower,
     .unit = ProfileUnit::kGoWord,
     .hash = ProfileHash::kFnv1,
     .ties = true,
     .weights = ProfileWeights::kSigned,
     .features_text = kGoWords,
     .hash_text = kFnv1Text},
    {.name = "go-dedup",
     .preparation = Preparation::kGoLower,
     .unit = ProfileUnit::kGoWord,
     .hash = ProfileHash::kFnv1,
     .ties = true,
     .weights = ProfileWeights::kSigned,
     .features_text = kGoWords,
     .hash_text = kFnv1Text},
    {.name = "go-dedup-utf",
     .preparation = Preparation::kGoLower,
     .nfkc = true,
     .unit = ProfileUnit::kGoLetters,
     .hash = ProfileHash::kFnv1,
     .ties = true,
     .weights = ProfileWeights::kSigned,
     .features_text = "lower-cased words, in NFKC, of letters, -, _ and '",
     .hash_text = kFnv1Text},
    {.name = "go-dedup-cjk",
     .preparation = Preparation::kGoLower,
     .unit = ProfileUnit::kCharacter,
     .hash = ProfileHash::kFnv1,
     .ties = true,
     .weights = ProfileWeights::kSigned,
     .features_text = "lower-cased characters",
     .hash_text = kFnv1Text},
    {.name = "bookmate",
     .preparation = Preparation::kRubyTokens,
     .unit = ProfileUnit::kField,
     .separator = '\n',
     .hash = ProfileHash::kPythonString,
     .ties = true,
     .features_text = "lower-cased words, with a space for what is no letter",
     .hash_text = "CPython's old hash of strings"},
    {.name = "tgalopin",
     .hash = ProfileHash::kCrc64,
     .ties = true,
     .weights = ProfileWeights::kSigned,
     .hash_text = "CRC-64 of ECMA-182, reflected, from 0, not inverted"},
    {.name = "fnv1a",
     .hash = ProfileHash::kFnv1a,
     .weights = ProfileWeights::kSigned,
     .hash_text = "FNV-1a, 64 bits"},
    {.name = "murmurhash64a",
     .hash = ProfileHash::kMurmur64a,
     .ties = true,
     .weights = ProfileWeights::kSigned,
     .hash_text = "MurmurHash64A, seed 0"},
    {.name = "floc",
     .unit = ProfileUnit::kField,
     .empty_fields = true,
     .hash = ProfileHash::kMd5First,
     .none = true,
     .features_text = "words between single spaces, empty ones too",
     .hash_text = kMd5FirstText},
    {.name = "ngramSimHash",
     .unit = ProfileUnit::kByte,
     .size = 3,
     .sized = true,
     .short_text = ShortText::kAlways,
     .hash = ProfileHash::kCrc32c,
     .features_text = kClickHouseBytes,
     .hash_text = kCrc32cText},
    {.name = "ngramSimHashCaseInsensitive",
     .unit = ProfileUnit::kByte,
     .size = 3,
     .sized = true,
     .short_text = ShortText::kAlways,
     .hash = ProfileHash::kCrc32cFolded,
     .features_text = kClickHouseBytes,
     .hash_text = kCrc32cFoldedText},
    {.name = "ngramSimHashUTF8",
     .unit = ProfileUnit::kCharacter,
     .size = 3,
     .sized = true,
     .short_text = ShortText::kAlways,
     .skips_first = true,
     .hash = ProfileHash::kCrc32c,
     .features_text = kClickHouseCharacters,
     .hash_text = kCrc32cText},
    {.name = "ngramSimHashCaseInsensitiveUTF8",
     .unit = ProfileUnit::kCharacter,
     .size = 3,
     .sized = true,
     .short_text = ShortText::kAlways,
     .skips_first = true,
     .hash = ProfileHash::kCrc32cFolded,
     .features_text = kClickHouseCharacters,
     .hash_text = kCrc32cFoldedText},
    {.name = "wordShingleSimHash",
     .preparation = Preparation::kLongWords,
     .unit = ProfileUnit::kField,
     .size = 3,
     .sized = true,
     .short_text = ShortText::kOneShingle,
     .hash = ProfileHash::kCrc32cWords,
     .features_text = kClickHouseWords,
     .hash_text = kCrc32cWordsText},
    {.name = "wordShingleSimHashCaseInsensitive",
     .preparation = Preparation::kLongWords,
     .unit = ProfileUnit::kField,
     .size = 3,
     .sized = true,
     .short_text = ShortText::kOneShingle,
     .hash = ProfileHash::kCrc32cWordsFolded,
     .features_text = kClickHouseWords,
     .hash_text = kCrc32cWordsFoldedText},
    {.name = "wordShingleSimHashUTF8",
     .preparation = Preparation::kLongWords,
     .unit = ProfileUnit::kField,
     .size = 3,
     .sized = true,
     .short_text = ShortText::kOneShingle,
     .hash = ProfileHash::kCrc32cWords,
     .features_text = kClickHouseWords,
     .hash_text = kCrc32cWordsText},
    {.name = "wordShingleSimHashCaseInsensitiveUTF8",
     .preparation = Preparation::kLongWords,
     .unit = ProfileUnit::kField,
     .size = 3,
     .sized = true,
     .short_text = ShortText::kOneShingle,
     .hash = ProfileHash::kCrc32cWordsFolded,
     .features_text = kClickHouseWords,
     .hash_text = kCrc32cWordsFoldedText},
};
const std::size_t kProfileCount = std::size(kProfiles);

const Profile *find_profile(const char *name, std::size_t length)
{
    for (const Profile &profile : kProfiles)
        if (is_name(profile.name, name, length))
            return &profile;
    return nullptr;
}

Fingerprint profile_fingerprint(const Profile &profile, const Weights &sums)
{
    Fingerprint value = 0;
    for (int j = 0; j < kBits; j++)
        value |= static_cast<Fingerprint>(sums.sum[j] > 0 || (profile.ties && sums.sum[j] == 0)) << j;
    return value;
}

Weights profile_weights(const Profile &profile, const Weights &sums)
{
    Fingerprint fingerprint = profile_fingerprint(profile, sums);
    Weights weights;
    for (int j = 0; j < kBits; j++)
        weights.sum[j] = signed_weight(sums.sum[j] * kWeightOne, fingerprint, j);
    return weights;
}

void WeightedVotes::add(std::uint64_t hash, double weight)
{
    for (int j = 0; j < kBits; j++) {
        bool one = (hash >> j & 1) != 0;
        signed_[j] += one ? weight : -weight;
        ones_[j] += one ? weight : 0;
    }
    total_ += weight;
}

Fingerprint WeightedVotes::fingerprint(const Profile &profile) const
{
    Fingerprint value = 0;
    for (int j = 0; j < kBits; j++) {
        double sum = profile.weights == ProfileWeights::kHalf ? ones_[j] : signed_[j];
        double middle = profile.weights == ProfileWeights::kHalf ? total_ / 2 : 0;
        value |= static_cast<Fingerprint>(sum > middle || (profile.ties && sum == middle)) << j;
    }
    return value;
}

bool WeightedVotes::weights(const Profile &profile, Weights *out) const
{
    Fingerprint value = fingerprint(profile);
    for (int j = 0; j < kBits; j++) {
        double sum = profile.weights == ProfileWeights::kHalf ? 2 * ones_[j] - total_ : signed_[j];
        if (!weight_from_double(sum, &out->sum[j]))
            return false;
        out->sum[j] = signed_weight(out->sum[j], value, j);
    }
    return true;
}

} // namespace simhash
