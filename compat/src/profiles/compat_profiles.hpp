// Profiles: how other libraries and servers make 64-bit fingerprints, one row of a table for each.
//
// A text is prepared (compat_text.hpp), cut into units, and the units are joined into shingles. Each shingle,
// or each feature that the caller supplies, is hashed and votes on every bit. A bit of the fingerprint is 1
// where the sum is above 0; the row says what it is where the sum is 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/features/weights.hpp"

namespace simhash
{

// How a text is prepared.
enum class Preparation : std::uint8_t {
    kNone,
    kGoLower,      // lower-cased, letter by letter
    kPythonJoined, // lower-cased; everything but letters, numbers and _ removed
    kPythonSpaced, // lower-cased; a space for each character but those
    kPythonWords,  // a space for each run of characters but letters, numbers and _
    kRubyTokens, // tokens between white space, one a line: letters lower-cased, a space for each run of others
    kLongWords,  // runs of 4 or more bytes of ASCII letters, digits and all non-ASCII, a space between
};

// What a text is cut into.
enum class ProfileUnit : std::uint8_t {
    kNothing, // the profile does not take texts
    kByte,
    kCharacter, // a code point
    kField,     // the text between separators
    kGoWord,    // [\w']+(://[\w./]+)? with the \w of ASCII
    kGoLetters, // letters, - _ and '
    kAsciiLetters,
};

// What a text with fewer units than a shingle yields.
enum class ShortText : std::uint8_t {
    kNothing,
    kOneShingle, // if it has a unit at all
    kAlways,     // one shingle, even an empty one
};

enum class ProfileHash : std::uint8_t {
    kMd5First, // the first 8 bytes, big-endian
    kMd5Last,  // the last 8 bytes, big-endian
    kXxh3,
    kLookup3,
    kFnv1,
    kFnv1a,
    kMurmur64a, // seed 0
    kPythonString,
    kCrc64,
    kCrc32c,            // initial value of 64 ones, no final inversion
    kCrc32cFolded,      // of every byte | 0x20
    kCrc32cWords,       // without the spaces
    kCrc32cWordsFolded, // both
};

enum class ProfileWeights : std::uint8_t {
    kNone,
    kSigned, // the weights of ones minus those of zeros
    kHalf,   // the weights of ones against half of all: differs only in rounding
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
    int least_units = 0;       // a text with fewer has no features
    ShortText short_text = ShortText::kNothing;
    bool skips_first = false; // shingle
    bool cyclic =
        false; // the bits of a cyclic hash of `size` units vote, in reverse; empty ones only if they count
    bool distinct = false; // equal features of a text count once
    ProfileHash hash;
    bool ties = false; // the bit where the sum is 0, and so every bit of a text without features
    bool none = false; // no features, no fingerprint: the library fails there
    ProfileWeights weights = ProfileWeights::kNone;
    const char *features_text = nullptr;
    const char *hash_text;
};

inline constexpr int kProfileSizeMax = 25;

extern const Profile kProfiles[];
extern const std::size_t kProfileCount;

// Finds a profile by its name, ignoring case. Returns null if there is none.
const Profile *find_profile(const char *name, std::size_t length);

// The fingerprint from sums of unweighted votes, each of which is 1.
Fingerprint profile_fingerprint(const Profile &profile, const Weights &sums);

// The weights from such sums. Their signs are the fingerprint: since weights_fingerprint() takes 0 for a 1, the
// weight of a tie that gives 0 is -2^-24. Requires: the sums are less than 2^39.
Weights profile_weights(const Profile &profile, const Weights &sums);

// Votes with weights in binary floating point, added in the order given, as the libraries do.
class WeightedVotes
{
public:
    void add(std::uint64_t hash, double weight);
    Fingerprint fingerprint(const Profile &profile) const;

    // The sums as weights whose signs are the fingerprint, rounded to multiples of 2^-24, to -2^-24 rather than to
    // 0 where the bit is 0. Returns false if one is out of range, leaving *out undefined.
    [[nodiscard]] bool weights(const Profile &profile, Weights *out) const;

private:
    double signed_[kBits] = {};
    double ones_[kBits] = {};
    double total_ = 0;
};

} // namespace simhash
