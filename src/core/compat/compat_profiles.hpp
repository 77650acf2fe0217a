// Profiles: how other libraries and servers make 64-bit fingerprints, one row of a table for each.
//
// From a text: it is prepared (compat_text.hpp), cut into units, and units into shingles. From then on, or
// from features that the caller brings, each is hashed and votes on every bit: the fingerprint's bit is 1
// where the sum is above 0, and where it is 0 the row says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/fingerprint/weights.hpp"

namespace simhash
{

// What is done to a text first.
enum class Preparation : std::uint8_t {
    kNone,
    kGoLower,      // lower-cased, letter by letter
    kPythonJoined, // lower-cased, without all that is no letter, number or _
    kPythonSpaced, // lower-cased, with a space for each of these
    kRubyTokens, // cut at white space; in each token letters alone, lower-cased, the rest one space; by lines
    kLongWords,  // ASCII letters, digits and all non-ASCII, in runs of 4 bytes and more; one space between
};

// What a text is cut into.
enum class ProfileUnit : std::uint8_t {
    kNothing, // there is no form for texts
    kByte,
    kCharacter, // a code point
    kField,     // what stands between separators
    kGoWord,    // [\w']+(://[\w./]+)? with the \w of ASCII
    kGoLetters, // letters, - _ and '
};

// What becomes of a text of fewer units than a shingle has.
enum class ShortText : std::uint8_t {
    kNothing,
    kOneShingle, // if it has a unit at all
    kAlways,     // one shingle, be it empty
};

enum class ProfileHash : std::uint8_t {
    kMd5First, // the first 8 bytes, big-endian
    kMd5Last,  // the last 8 bytes, big-endian
    kXxh3,
    kLookup3,
    kFnv1,
    kPythonString,
    kCrc64,
    kCrc32c,            // begins with all ones in 64 bits, not inverted at the end
    kCrc32cFolded,      // of every byte | 0x20
    kCrc32cWords,       // without the spaces
    kCrc32cWordsFolded, // both
};

enum class ProfileWeights : std::uint8_t {
    kNone,
    kSigned, // weights of ones less weights of zeros
    kHalf,   // weights of ones against half of all: the same but for rounding
};

struct Profile {
    const char *name;
    Preparation preparation = Preparation::kNone;
    bool nfkc = false; // the text is put into Normalization Form KC before it is prepared
    ProfileUnit unit = ProfileUnit::kNothing;
    char separator = ' ';      // of fields
    bool empty_fields = false; // whether they count
    int size = 1;              // of a shingle
    bool sized = false;        // whether the caller may choose it
    int least_units = 0;       // a text of fewer has no features
    ShortText short_text = ShortText::kNothing;
    bool skips_first = false; // shingle
    bool distinct = false;    // equal features of a text count once
    ProfileHash hash;
    bool ties = false; // the bit where the sum is 0, and so every bit of a text without features
    bool none = false; // but where the library fails without features, there is no fingerprint
    ProfileWeights weights = ProfileWeights::kNone;
    const char *features_text = nullptr;
    const char *hash_text;
};

inline constexpr int kProfileSizeMax = 25;

extern const Profile kProfiles[];
extern const std::size_t kProfileCount;

// By its name, in any case of letters; null if there is none.
const Profile *find_profile(const char *name, std::size_t length);

// The bits from sums of votes that all weigh the same.
Fingerprint profile_fingerprint(const Profile &profile, const Weights &sums);

// Votes with weights in binary floating point, added in the order given, as the libraries do.
class WeightedVotes
{
public:
    void add(std::uint64_t hash, double weight);
    Fingerprint fingerprint(const Profile &profile) const;

private:
    double signed_[kBits] = {};
    double ones_[kBits] = {};
    double total_ = 0;
};

} // namespace simhash
