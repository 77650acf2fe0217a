// Features of arbitrary bytes: the same whether the text comes whole or in pieces, and never too many for its
// length.
#include "targets.hpp"

#include "core/text/text_features.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace simhash
{

namespace
{

using Hashes = std::vector<std::uint64_t>;

void take_all(TextFeatures *features, std::size_t room, Hashes *hashes)
{
    std::uint64_t some[64];
    std::size_t count;
    while (features->next(some, room, &count)) {
        FUZZ_EXPECT(count <= room);
        hashes->insert(hashes->end(), some, some + count);
    }
}

} // namespace

void fuzz_features(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    auto how = bytes.take<std::uint8_t>();
    auto cut = bytes.take<std::uint16_t>();
    int shingle = 1 + how % kShingleSizeMax;
    TextUnit unit = cut & 1 ? TextUnit::kWord : TextUnit::kCharacter;
    std::size_t length = bytes.left();
    std::unique_ptr<char[]> text(new char[length]);
    if (length > 0)
        std::memcpy(text.get(), bytes.rest(), length);

    auto features = std::make_unique<TextFeatures>();
    Hashes whole, pieces;
    features->init(unit, shingle);
    features->read_from(text.get(), length, true);
    take_all(features.get(), 64, &whole);
    FUZZ_EXPECT(whole.size() <= 20 * length + 1); // a character may become eighteen

    // In two pieces, the second of which begins with an ASCII character; one hash at a time.
    std::size_t at = length == 0 ? 0 : (cut >> 1) % length;
    while (at < length && static_cast<unsigned char>(text[at]) >= 0x80)
        at++;
    std::unique_ptr<char[]> first(new char[at]), second(new char[length - at]);
    std::copy(text.get(), text.get() + at, first.get());
    std::copy(text.get() + at, text.get() + length, second.get());
    features->init(unit, shingle);
    features->read_from(first.get(), at, false);
    take_all(features.get(), 1 + how % 7, &pieces);
    features->read_from(second.get(), length - at, true);
    take_all(features.get(), 1 + how % 7, &pieces);
    FUZZ_EXPECT(whole == pieces);
}

} // namespace simhash
