// to_simhash_as, to_simhash_weights_as and simhash_profiles: fingerprints as other libraries compute them, and
// weights whose signs they are. The table of profiles is in src/profiles. This file has the hash functions that
// PostgreSQL provides, and reads the arguments.
#include "core/bits/feature_hash.hpp"
#include "core/text/unicode.hpp"
#include "functions/profile_argument.hpp"
#include "pg/features/array_elements.hpp"
#include "pg/features/counted_features.hpp"
#include "pg/features/document_arguments.hpp"
#include "pg/features/utf8_text.hpp"
#include "pg/server/compat.hpp"
#include "pg/server/result_rows.hpp"
#include "pg/types/weights_type.hpp"
#include "profiles/compat_hashes.hpp"
#include "profiles/compat_profiles.hpp"
#include "profiles/compat_text.hpp"
#include "profiles/cyclic_hash.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "common/unicode_norm.h"
#include "lib/stringinfo.h"
#include "port/pg_crc32c.h"
#include "utils/array.h"
}

#include <algorithm>

#pragma GCC visibility push(default)
extern "C" {
PG_MODULE_MAGIC;
}
#pragma GCC visibility pop

namespace simhash
{

namespace
{

const Profile &profile_argument(FunctionCallInfo fcinfo)
{
    return named_profile<Profile>(fcinfo, {"fingerprint", kProfiles, kProfileCount, find_profile});
}

std::uint64_t md5_part(const char *bytes, std::size_t length, int first)
{
    unsigned char digest[16];
    const char *error = nullptr;
    if (!md5_bytes(bytes, length, digest, &error))
        ereport(ERROR, errcode(ERRCODE_INTERNAL_ERROR),
                errmsg("could not compute an MD5 hash: %s", error == nullptr ? "it may be disabled" : error));
    std::uint64_t value = 0;
    for (int i = first; i < first + 8; i++)
        value = value << 8 | digest[i];
    return value;
}

// The hash of no bytes is 64 ones. Otherwise the upper 32 bits are 0.
std::uint64_t crc32c_hash(const char *bytes, std::size_t length, bool folded, bool without_spaces)
{
    pg_crc32c crc;
    INIT_CRC32C(crc);
    char some[256];
    std::size_t count = 0;
    bool any = false;
    for (std::size_t i = 0; i < length; i++) {
        if (without_spaces && bytes[i] == ' ')
            continue;
        some[count++] = folded ? static_cast<char>(bytes[i] | 0x20) : bytes[i];
        any = true;
        if (count == sizeof(some)) {
            COMP_CRC32C(crc, some, count);
            count = 0;
        }
    }
    COMP_CRC32C(crc, some, count);
    FIN_CRC32C(crc);
    return any ? crc ^ 0xFFFFFFFF : UINT64_MAX;
}

std::uint64_t profile_hash(const Profile &profile, const char *bytes, std::size_t length)
{
    switch (profile.hash) {
    case ProfileHash::kMd5First:
        return md5_part(bytes, length, 0);
    case ProfileHash::kMd5Last:
        return md5_part(bytes, length, 8);
    case ProfileHash::kXxh3:
        return feature_hash(bytes, length);
    case ProfileHash::kLookup3:
        return lookup3_hash(bytes, length);
    case ProfileHash::kFnv1:
        return fnv1_hash(bytes, length);
    case ProfileHash::kFnv1a:
        return fnv1a_hash(bytes, length);
    case ProfileHash::kMurmur64a:
        return murmur64a_hash(bytes, length, 0);
    case ProfileHash::kPythonString:
        return python_string_hash(bytes, length);
    case ProfileHash::kCrc64:
        return crc64_hash(bytes, length);
    case ProfileHash::kCrc32c:
        return crc32c_hash(bytes, length, false, false);
    case ProfileHash::kCrc32cFolded:
        return crc32c_hash(bytes, length, true, false);
    case ProfileHash::kCrc32cWords:
        return crc32c_hash(bytes, length, false, true);
    case ProfileHash::kCrc32cWordsFolded:
        return crc32c_hash(bytes, length, true, true);
    }
    pg_unreachable();
}

// What a function returns.
enum class Result : std::uint8_t {
    kFingerprint,
    kWeights,
};

// Unweighted votes.
class Votes
{
public:
    // `size` is that of a shingle.
    Votes(const Profile &profile, int size) : profile_(profile), cyclic_(size) {}

    void add(std::uint64_t hash)
    {
        if (!add_feature(&sums_, profile_.cyclic ? reversed_bits(cyclic_.push(hash)) : hash, 1))
            report_weights_overflow();
        any_ = true;
    }

    Datum finish(FunctionCallInfo fcinfo, Result result) const
    {
        if (!any_ && profile_.none)
            PG_RETURN_NULL();
        if (result == Result::kWeights)
            return weights_datum(profile_weights(profile_, sums_));
        PG_RETURN_FINGERPRINT(profile_fingerprint(profile_, sums_));
    }

private:
    const Profile &profile_;
    CyclicHash cyclic_;
    Weights sums_ = {};
    bool any_ = false;
};

// A text is normalised in pieces of this many characters, or up to kLongestPiece where it cannot be split
// earlier.
constexpr std::size_t kPiece = 8192;
constexpr std::size_t kLongestPiece = 65536;

// Characters that Unicode 13.0 does not assign are separators, even if this server's Unicode version assigns
// them: only servers that do would normalise them. So are other non-ASCII characters that are not letters and that
// normalization does not change.
bool separates(char32_t character)
{
    if (character == kInvalidCharacter || !is_assigned(character))
        return true;
    Character property = character_property(character);
    return character >= 0x80 && !property.mapped() &&
           property.character_class() == CharacterClass::kSeparator;
}

// Whether a text may be split before `character`: its Normalization Form KC is then that of the text before
// followed by that of the rest. U+0345 is the only character that combines although its mapping does not.
constexpr char32_t kYpogegrammeni = 0x345;
bool begins_piece(char32_t character)
{
    if (character < 0x80 || character == kYpogegrammeni)
        return character < 0x80;
    Character property = character_property(character);
    if (!property.mapped())
        return property.boundary();
    std::size_t length;
    const char32_t *mapping = property.mapping(&length);
    return length > 0 && character_property(mapping[0]).boundary();
}

// The canonical combining class of a character that does not decompose.
int combining_class(char32_t character)
{
    if (character == kYpogegrammeni)
        return 240;
    Character property = character_property(character);
    return property.mapped() ? 0 : property.combining_class();
}

// Appends a character, or what it decomposes to if that is marks, and returns the new count.
std::size_t append(UnicodeCharacter *characters, std::size_t count, char32_t character)
{
    Character property = character_property(character);
    std::size_t length = 1;
    const char32_t *mapping = &character;
    if (character >= 0x80 && character != kYpogegrammeni && property.mapped()) {
        mapping = property.mapping(&length);
        if (length == 0 || combining_class(mapping[0]) == 0) {
            length = 1;
            mapping = &character;
        }
    }
    for (std::size_t i = 0; i < length; i++)
        characters[count++] = mapping[i];
    return count;
}

// Puts runs of marks into canonical order, as normalization does: PostgreSQL takes quadratic time for it.
void order_marks(UnicodeCharacter *characters, std::size_t count, std::uint64_t *memory)
{
    for (std::size_t begin = 0, end; begin < count; begin = end + 1) {
        // Marks of one class keep their order.
        for (end = begin; end < count && combining_class(characters[end]) > 0; end++)
            memory[end - begin] = static_cast<std::uint64_t>(combining_class(characters[end])) << 56 |
                                  static_cast<std::uint64_t>(end - begin) << 32 | characters[end];
        std::sort(memory, memory + (end - begin));
        for (std::size_t i = begin; i < end; i++)
            characters[i] = static_cast<UnicodeCharacter>(memory[i - begin]);
    }
}

// Reads the next piece into `characters`, terminated by 0. Returns where it ends.
const char *read_piece(const char *at, const char *end, UnicodeCharacter *characters, std::uint64_t *memory)
{
    std::size_t count = 0;
    int size;
    for (; at < end; at += size) {
        char32_t character = decode_utf8(at, end, &size);
        if (separates(character))
            character = ' ';
        if (count >= kPiece && begins_piece(character))
            break;
        if (count >= kLongestPiece)
            ereport(ERROR, errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("too many combining characters in a row"),
                    errdetail("There are more than %zu.", kLongestPiece - kPiece));
        count = append(characters, count, character);
    }
    order_marks(characters, count, memory);
    characters[count] = 0;
    return at;
}

// Returns the text in Normalization Form KC, computed by PostgreSQL.
Utf8Text normalised(Utf8Text text)
{
    constexpr std::size_t kRoom = kLongestPiece + kMappingMax;
    auto *characters = static_cast<UnicodeCharacter *>(palloc((kRoom + 1) * sizeof(UnicodeCharacter)));
    auto *memory = static_cast<std::uint64_t *>(palloc(kRoom * sizeof(std::uint64_t)));
    std::size_t capacity = text.length + kPiece, length = 0;
    auto *bytes = static_cast<char *>(palloc_extended(capacity, MCXT_ALLOC_HUGE));
    const char *end = text.bytes + text.length;
    for (const char *at = text.bytes; at < end;) {
        CHECK_FOR_INTERRUPTS();
        at = read_piece(at, end, characters, memory);
        UnicodeCharacter *normal = unicode_normalize(UNICODE_NFKC, characters);
        for (const UnicodeCharacter *character = normal; *character != 0; character++) {
            if (capacity - length < 4) {
                capacity += capacity / 2;
                bytes = static_cast<char *>(repalloc_huge(bytes, capacity));
            }
            length += static_cast<std::size_t>(encode_utf8(*character, bytes + length));
        }
        pfree(normal);
    }
    pfree(memory);
    pfree(characters);
    return {bytes, length};
}

Utf8Text prepared(const Profile &profile, Utf8Text text)
{
    const char *given = text.bytes;
    if (profile.nfkc && !is_ascii(text.bytes, text.length))
        text = normalised(text);
    if (profile.preparation == Preparation::kNone)
        return text;
    auto *bytes = static_cast<char *>(palloc_extended(prepared_size(text.length), MCXT_ALLOC_HUGE));
    PreparedText preparation;
    preparation.init(profile, text.bytes, text.length, bytes);
    while (preparation.step())
        CHECK_FOR_INTERRUPTS();
    if (text.bytes != given)
        pfree(const_cast<char *>(text.bytes));
    return {bytes, preparation.size()};
}

Datum return_text(FunctionCallInfo fcinfo, Result result, const Profile &profile, int size)
{
    if (profile.unit == ProfileUnit::kNothing)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("profile \"%s\" does not take texts", profile.name),
                errdetail("How the library splits a text depends on its dictionaries or settings."),
                errhint("Give an array of features, or of features and weights."));
    text *value = document_argument(fcinfo, 1);
    Utf8Text text = prepared(profile, utf8_text(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)));
    ProfileShingles shingles;
    shingles.init(profile, profile.cyclic ? 1 : size, text.bytes, text.length);
    const char *bytes;
    std::size_t length;
    Votes votes(profile, size);
    if (profile.distinct) {
        CountedFeatures features;
        features.expect(std::min<std::size_t>(text.length / 8, 65536));
        while (shingles.next(&bytes, &length)) {
            CHECK_FOR_INTERRUPTS();
            features.add(profile_hash(profile, bytes, length), 1);
        }
        features.in_pieces([&](std::size_t from, std::size_t to) {
            for (std::size_t i = from; i < to; i++)
                if (features.counts().slots()[i].count != 0)
                    votes.add(features.counts().slots()[i].hash);
        });
        features.release();
    } else {
        while (shingles.next(&bytes, &length)) {
            CHECK_FOR_INTERRUPTS();
            votes.add(profile_hash(profile, bytes, length));
        }
    }
    return votes.finish(fcinfo, result);
}

using HashElement = std::uint64_t (*)(const Profile &, Datum);

std::uint64_t hash_of_feature(const Profile &profile, Datum element)
{
    text *feature = DatumGetTextPP(element);
    return hash_utf8(
        VARDATA_ANY(feature), VARSIZE_ANY_EXHDR(feature),
        [&](const char *bytes, std::size_t length) { return profile_hash(profile, bytes, length); });
}

std::uint64_t hash_given(const Profile &, Datum element)
{
    return static_cast<std::uint64_t>(DatumGetInt64(element));
}

bool is_empty(Datum element) { return VARSIZE_ANY_EXHDR(DatumGetTextPP(element)) == 0; }

Datum return_array(FunctionCallInfo fcinfo, Result result, Oid type, const char *which, HashElement hash)
{
    const Profile &profile = profile_argument(fcinfo);
    Elements features = list_argument(fcinfo, 1, type, which);
    Votes votes(profile, profile.size);
    for (int i = 0; i < features.count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (features.nulls[i] ||
            (profile.cyclic && !profile.empty_fields && type == TEXTOID && is_empty(features.values[i])))
            continue;
        votes.add(hash(profile, features.values[i]));
    }
    return votes.finish(fcinfo, result);
}

Datum return_weighted(FunctionCallInfo fcinfo, Result result, Oid type, const char *which, HashElement hash)
{
    const Profile &profile = profile_argument(fcinfo);
    if (profile.weights == ProfileWeights::kNone)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("profile \"%s\" does not take weights", profile.name),
                errhint("Repeat a feature to let it count more than once."));
    auto [features, weights] = weighted_lists(fcinfo, 1, type, which);
    WeightedVotes votes;
    bool any = false;
    for (int i = 0; i < features.count; i++) {
        CHECK_FOR_INTERRUPTS();
        if (features.nulls[i] || weights.nulls[i])
            continue;
        double weight = DatumGetFloat8(weights.values[i]);
        (void)checked_weight(weight); // raises the usual errors
        votes.add(hash(profile, features.values[i]), weight);
        any = true;
    }
    if (!any && profile.none)
        PG_RETURN_NULL();
    if (result == Result::kFingerprint)
        PG_RETURN_FINGERPRINT(votes.fingerprint(profile));
    Weights sums;
    if (!votes.weights(profile, &sums))
        report_weights_overflow();
    return weights_datum(sums);
}

// (profile, document text)
Datum return_default(FunctionCallInfo fcinfo, Result result)
{
    const Profile &profile = profile_argument(fcinfo);
    return return_text(fcinfo, result, profile, profile.size);
}

// (profile, document text, size integer)
Datum return_shingles(FunctionCallInfo fcinfo, Result result)
{
    const Profile &profile = profile_argument(fcinfo);
    int size = PG_GETARG_INT32(2);
    if (!profile.sized && size != profile.size)
        ereport(ERROR, errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                errmsg("profile \"%s\" has no shingles to size", profile.name),
                errhint("Omit the size, or give an array of features."));
    return return_text(fcinfo, result, profile, checked_shingle_size(size, kProfileSizeMax));
}

const char *weights_text(ProfileWeights weights)
{
    switch (weights) {
    case ProfileWeights::kNone:
        return nullptr;
    case ProfileWeights::kSigned:
        return "ones less zeros";
    case ProfileWeights::kHalf:
        return "ones against half of all";
    }
    pg_unreachable();
}

Datum text_or_null(const char *text, bool *null)
{
    *null = text == nullptr;
    return text == nullptr ? 0 : CStringGetTextDatum(text);
}

} // namespace

// For each kind of argument, one function returns the fingerprint and another the weights.
#define TO_SIMHASH_AS(kind, compute, ...)                                                                    \
    SIMHASH_FUNCTION(simhash_to_simhash_as_##kind)                                                           \
    {                                                                                                        \
        return compute(fcinfo, Result::kFingerprint __VA_OPT__(, ) __VA_ARGS__);                             \
    }                                                                                                        \
    SIMHASH_FUNCTION(simhash_to_simhash_weights_as_##kind)                                                   \
    {                                                                                                        \
        return compute(fcinfo, Result::kWeights __VA_OPT__(, ) __VA_ARGS__);                                 \
    }

TO_SIMHASH_AS(text, return_default)
TO_SIMHASH_AS(shingles, return_shingles)
TO_SIMHASH_AS(array, return_array, TEXTOID, "features", hash_of_feature)
TO_SIMHASH_AS(weighted_array, return_weighted, TEXTOID, "features", hash_of_feature)
TO_SIMHASH_AS(hashes, return_array, INT8OID, "hashes", hash_given)
TO_SIMHASH_AS(weighted_hashes, return_weighted, INT8OID, "hashes", hash_given)

SIMHASH_FUNCTION(simhash_profiles)
{
    const ResultRows rows = begin_rows(fcinfo);
    for (std::size_t i = 0; i < kProfileCount; i++) {
        const Profile &profile = kProfiles[i];
        Datum values[7];
        bool nulls[7] = {};
        values[0] = CStringGetTextDatum(profile.name);
        values[1] = text_or_null(profile.features_text, &nulls[1]);
        values[2] = Int32GetDatum(profile.size);
        nulls[2] = !profile.sized;
        values[3] = CStringGetTextDatum(profile.hash_text);
        values[4] = Int32GetDatum(profile.ties);
        values[5] = fingerprint_datum(profile_fingerprint(profile, Weights{}));
        nulls[5] = profile.none;
        values[6] = text_or_null(weights_text(profile.weights), &nulls[6]);
        rows.put(values, nulls);
    }
    PG_RETURN_NULL();
}

} // namespace simhash
