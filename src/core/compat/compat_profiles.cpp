#include "core/compat/compat_profiles.hpp"

#include <cstring>
#include <iterator>

namespace simhash
{

namespace
{

constexpr const char *kMd5FirstText = "MD5, first 8 bytes, big-endian";
constexpr const char *kMd5LastText = "MD5, last 8 bytes, big-endian";
constexpr const char *kFnv1Text = "FNV-1, 64 bits";
constexpr const char *kPythonShingles =
    "shingles of characters of the lower-cased letters, numbers and _, joined without spaces";

// ClickHouse's eight differ in few columns.
constexpr Profile clickhouse_ngrams(const char *name, bool utf8, bool folded)
{
    return {.name = name,
            .preparation = Preparation::kNone,
            .nfkc = false,
            .unit = utf8 ? ProfileUnit::kCharacter : ProfileUnit::kByte,
            .separator = ' ',
            .empty_fields = false,
            .size = 3,
            .sized = true,
            .least_units = 0,
            .short_text = ShortText::kAlways,
            .skips_first = utf8,
            .distinct = false,
            .hash = folded ? ProfileHash::kCrc32cFolded : ProfileHash::kCrc32c,
            .ties = false,
            .none = false,
            .weights = ProfileWeights::kNone,
            .features_text = utf8 ? "shingles of characters, without the first" : "shingles of bytes",
            .hash_text = folded ? "CRC-32C of each byte | 0x20" : "CRC-32C"};
}

constexpr Profile clickhouse_words(const char *name, bool folded)
{
    return {.name = name,
            .preparation = Preparation::kLongWords,
            .nfkc = false,
            .unit = ProfileUnit::kField,
            .separator = ' ',
            .empty_fields = false,
            .size = 3,
            .sized = true,
            .least_units = 0,
            .short_text = ShortText::kOneShingle,
            .skips_first = false,
            .distinct = false,
            .hash = folded ? ProfileHash::kCrc32cWordsFolded : ProfileHash::kCrc32cWords,
            .ties = false,
            .none = false,
            .weights = ProfileWeights::kNone,
            .features_text = "shingles of words of 4 bytes and more, joined without spaces",
            .hash_text = folded ? "CRC-32C of each byte | 0x20, without spaces" : "CRC-32C, without spaces"};
}

constexpr Profile go_dedup(const char *name, Preparation preparation, bool nfkc, ProfileUnit unit,
                           const char *features_text)
{
    return {.name = name,
            .preparation = preparation,
            .nfkc = nfkc,
            .unit = unit,
            .separator = ' ',
            .empty_fields = false,
            .size = 1,
            .sized = false,
            .least_units = 0,
            .short_text = ShortText::kNothing,
            .skips_first = false,
            .distinct = false,
            .hash = ProfileHash::kFnv1,
            .ties = true,
            .none = false,
            .weights = ProfileWeights::kSigned,
            .features_text = features_text,
            .hash_text = kFnv1Text};
}

} // namespace

// clang-format off
const Profile kProfiles[] = {
    {.name = "1e0ng", .preparation = Preparation::kPythonJoined, .nfkc = false, .unit = ProfileUnit::kCharacter,
     .separator = ' ', .empty_fields = false, .size = 4, .sized = true, .least_units = 0,
     .short_text = ShortText::kAlways, .skips_first = false, .distinct = false, .hash = ProfileHash::kMd5Last,
     .ties = false, .none = false, .weights = ProfileWeights::kHalf,
     .features_text = kPythonShingles, .hash_text = kMd5LastText},
    {.name = "seomoz", .preparation = Preparation::kPythonJoined, .nfkc = false, .unit = ProfileUnit::kCharacter,
     .separator = ' ', .empty_fields = false, .size = 4, .sized = true, .least_units = 0,
     .short_text = ShortText::kNothing, .skips_first = false, .distinct = false, .hash = ProfileHash::kMd5First,
     .ties = false, .none = false, .weights = ProfileWeights::kNone,
     .features_text = kPythonShingles, .hash_text = kMd5FirstText},
    {.name = "text-dedup", .preparation = Preparation::kPythonSpaced, .nfkc = false, .unit = ProfileUnit::kField,
     .separator = ' ', .empty_fields = true, .size = 3, .sized = true, .least_units = 5,
     .short_text = ShortText::kOneShingle, .skips_first = false, .distinct = true, .hash = ProfileHash::kXxh3,
     .ties = false, .none = false, .weights = ProfileWeights::kNone,
     .features_text = "distinct shingles of lower-cased words, empty ones too, joined by spaces",
     .hash_text = "XXH3, 64 bits"},
    {.name = "yanyiwu", .preparation = Preparation::kNone, .nfkc = false, .unit = ProfileUnit::kNothing,
     .separator = ' ', .empty_fields = false, .size = 1, .sized = false, .least_units = 0,
     .short_text = ShortText::kNothing, .skips_first = false, .distinct = false, .hash = ProfileHash::kLookup3,
     .ties = false, .none = false, .weights = ProfileWeights::kSigned,
     .features_text = nullptr, .hash_text = "lookup3 (hashlittle2, seeds 0)"},
    go_dedup("mfonda", Preparation::kGoLower, false, ProfileUnit::kGoWord,
             "lower-cased words of ASCII letters, digits, _ and '"),
    go_dedup("go-dedup", Preparation::kGoLower, false, ProfileUnit::kGoWord,
             "lower-cased words of ASCII letters, digits, _ and '"),
    go_dedup("go-dedup-utf", Preparation::kGoLower, true, ProfileUnit::kGoLetters,
             "lower-cased words, in NFKC, of letters, -, _ and '"),
    go_dedup("go-dedup-cjk", Preparation::kGoLower, false, ProfileUnit::kCharacter, "lower-cased characters"),
    {.name = "bookmate", .preparation = Preparation::kRubyTokens, .nfkc = false, .unit = ProfileUnit::kField,
     .separator = '\n', .empty_fields = false, .size = 1, .sized = false, .least_units = 0,
     .short_text = ShortText::kNothing, .skips_first = false, .distinct = false,
     .hash = ProfileHash::kPythonString, .ties = true, .none = false, .weights = ProfileWeights::kNone,
     .features_text = "lower-cased words, with a space for what is no letter",
     .hash_text = "CPython's old hash of strings"},
    {.name = "tgalopin", .preparation = Preparation::kNone, .nfkc = false, .unit = ProfileUnit::kNothing,
     .separator = ' ', .empty_fields = false, .size = 1, .sized = false, .least_units = 0,
     .short_text = ShortText::kNothing, .skips_first = false, .distinct = false, .hash = ProfileHash::kCrc64,
     .ties = true, .none = false, .weights = ProfileWeights::kSigned,
     .features_text = nullptr, .hash_text = "CRC-64 of ECMA-182, reflected, from 0, not inverted"},
    {.name = "floc", .preparation = Preparation::kNone, .nfkc = false, .unit = ProfileUnit::kField,
     .separator = ' ', .empty_fields = true, .size = 1, .sized = false, .least_units = 0,
     .short_text = ShortText::kNothing, .skips_first = false, .distinct = false, .hash = ProfileHash::kMd5First,
     .ties = false, .none = true, .weights = ProfileWeights::kNone,
     .features_text = "words between single spaces, empty ones too", .hash_text = kMd5FirstText},
    clickhouse_ngrams("ngramSimHash", false, false),
    clickhouse_ngrams("ngramSimHashCaseInsensitive", false, true),
    clickhouse_ngrams("ngramSimHashUTF8", true, false),
    clickhouse_ngrams("ngramSimHashCaseInsensitiveUTF8", true, true),
    clickhouse_words("wordShingleSimHash", false),
    clickhouse_words("wordShingleSimHashCaseInsensitive", true),
    clickhouse_words("wordShingleSimHashUTF8", false),
    clickhouse_words("wordShingleSimHashCaseInsensitiveUTF8", true),
};
// clang-format on
const std::size_t kProfileCount = std::size(kProfiles);

const Profile *find_profile(const char *name, std::size_t length)
{
    auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
    for (const Profile &profile : kProfiles) {
        if (std::strlen(profile.name) != length)
            continue;
        std::size_t same = 0;
        while (same < length && lower(profile.name[same]) == lower(name[same]))
            same++;
        if (same == length)
            return &profile;
    }
    return nullptr;
}

Fingerprint profile_fingerprint(const Profile &profile, const Weights &sums)
{
    Fingerprint value = 0;
    for (int j = 0; j < kBits; j++)
        value |= static_cast<Fingerprint>(sums.sum[j] > 0 || (profile.ties && sums.sum[j] == 0)) << j;
    return value;
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

} // namespace simhash
