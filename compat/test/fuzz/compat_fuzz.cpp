// Features by the profiles of other libraries: whatever the bytes, nothing outside them is read, nothing is
// written beyond the callers' buffers, and shingles lie in the prepared text from left to right.
#include "../../../test/fuzz/targets.hpp"

#include "profiles/compat_profiles.hpp"
#include "profiles/compat_text.hpp"

#include <iterator>
#include <string>

namespace simhash
{

namespace
{

// Characters that the profiles treat differently; lower-casing makes some longer.
const char *const kPiece[] = {
    "a", "B", " ",   "\u023a", "\u0130", "\u03a3", "\u00e9", "\u6771", "\u0301", "7",
    "_", "'", "://", "\n",     ",",      "-",      "\u00bd", ".",      "bcde",   "\xff",
};

} // namespace

void fuzz_compat(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    const Profile &profile = kProfiles[bytes.take<std::uint8_t>() % kProfileCount];
    auto how = bytes.take<std::uint8_t>();
    int shingle = 1 + how / 2 % kProfileSizeMax;
    if (!profile.sized)
        shingle = profile.size;
    auto hash = bytes.take<std::uint64_t>();
    double weight = 1 + bytes.take<std::uint16_t>() / 64.0;
    std::string input;
    while (how % 2 == 1 && !bytes.empty())
        input += kPiece[bytes.take<std::uint8_t>() % std::size(kPiece)];
    input.append(reinterpret_cast<const char *>(bytes.rest()), bytes.left());
    Exact text(input.data(), input.size());
    FUZZ_EXPECT(find_profile(profile.name, std::strlen(profile.name)) == &profile);
    find_profile(text.bytes.get(), text.length);

    // One feature's votes are its hash.
    WeightedVotes votes;
    votes.add(hash, weight);
    FUZZ_EXPECT(profile.weights == ProfileWeights::kNone || votes.fingerprint(profile) == hash);

    if (profile.unit == ProfileUnit::kNothing)
        return;
    std::size_t room = prepared_size(text.length);
    std::unique_ptr<char[]> buffer(new char[room]);
    PreparedText preparation;
    preparation.init(profile, text.bytes.get(), text.length, buffer.get());
    while (preparation.step())
        FUZZ_EXPECT(preparation.size() <= room);
    FUZZ_EXPECT(preparation.size() <= room);

    Exact prepared(buffer.get(), preparation.size());
    ProfileShingles shingles;
    shingles.init(profile, shingle, prepared.bytes.get(), prepared.length);
    const char *at, *last = prepared.bytes.get();
    std::size_t length, count = 0;
    while (shingles.next(&at, &length)) {
        FUZZ_EXPECT(prepared.holds(at, length));
        FUZZ_EXPECT(at >= last);
        last = at;
        FUZZ_EXPECT(++count <= prepared.length + 1);
    }
    FUZZ_EXPECT(!shingles.next(&at, &length));
}

} // namespace simhash
