// The kernels of wide signatures: each gives the distances and matches that plain loops give, for rows of any length
// and items of any number, at the end of their allocation.
#include "targets.hpp"

#include "core/kernels/signature_match.hpp"

#include <bit>
#include <vector>

namespace simhash
{

namespace
{

// Bytes of the input, repeated with changes.
std::unique_ptr<std::uint8_t[]> make_bytes(Bytes *bytes, std::size_t size)
{
    std::unique_ptr<std::uint8_t[]> made(new std::uint8_t[size]);
    auto pattern = bytes->take<std::uint64_t>();
    for (std::size_t i = 0; i < size; i++) {
        made[i] = static_cast<std::uint8_t>(pattern >> 8 * (i % 8));
        if (i % 16 == 0 && !bytes->empty())
            pattern ^= std::uint64_t{bytes->take<std::uint8_t>()} << i / 16 % 57;
    }
    return made;
}

std::unique_ptr<std::uint64_t[]> make_words(Bytes *bytes, int count)
{
    auto size = static_cast<std::size_t>(count);
    std::unique_ptr<std::uint8_t[]> made = make_bytes(bytes, 8 * size);
    std::unique_ptr<std::uint64_t[]> words(new std::uint64_t[size]);
    if (size > 0)
        std::memcpy(words.get(), made.get(), 8 * size);
    return words;
}

void compare_signatures(Bytes *bytes)
{
    int length = kLeastSignatureBytes +
                 bytes->take<std::uint16_t>() % (kMostSignatureBytes - kLeastSignatureBytes + 1);
    auto size = static_cast<std::size_t>(length), stride = size + bytes->take<std::uint8_t>() % 32;
    std::size_t count = bytes->take<std::uint8_t>() % 20;
    auto query = make_bytes(bytes, size),
         rows = make_bytes(bytes, count == 0 ? 0 : (count - 1) * stride + size);
    std::vector<std::uint16_t> expected;
    for (std::size_t row = 0; row < count; row++) {
        int distance = 0;
        for (std::size_t i = 0; i < size; i++)
            distance += std::popcount(static_cast<std::uint8_t>(query[i] ^ rows[row * stride + i]));
        expected.push_back(static_cast<std::uint16_t>(distance));
    }
    for (SimdLevel level : kSimdLevels) {
        if (!has_simd_level(level))
            continue;
        std::vector<std::uint16_t> distances(count);
        signature_distances(level)(query.get(), length, rows.get(), stride, static_cast<int>(count),
                                   distances.data());
        FUZZ_EXPECT(distances == expected);
    }
}

void compare_sketches(Bytes *bytes)
{
    int count = bytes->take<std::uint8_t>() % 101, radius = bytes->take<std::uint8_t>() % 129;
    auto query = make_words(bytes, 2), sketches = make_words(bytes, 2 * count);
    std::vector<std::uint16_t> near;
    for (int i = 0; i < count; i++) {
        if (std::popcount(sketches[2 * i] ^ query[0]) + std::popcount(sketches[2 * i + 1] ^ query[1]) <=
            radius)
            near.push_back(static_cast<std::uint16_t>(i));
    }
    for (SimdLevel level : kSimdLevels) {
        if (!has_simd_level(level))
            continue;
        std::vector<std::uint16_t> matches(static_cast<std::size_t>(count));
        int found = plane_match(level)(sketches.get(), count, query.get(), radius, matches.data());
        FUZZ_EXPECT(std::vector(matches.begin(), matches.begin() + found) == near);
    }
}

} // namespace

void fuzz_signatures(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    if (bytes.take<std::uint8_t>() & 1)
        compare_signatures(&bytes);
    else
        compare_sketches(&bytes);
}

} // namespace simhash
