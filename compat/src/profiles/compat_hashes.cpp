#include "profiles/compat_hashes.hpp"

#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace simhash
{

namespace
{

const unsigned char *bytes_of(const void *bytes) { return static_cast<const unsigned char *>(bytes); }

constexpr std::uint64_t kFnvBasis = 0xCBF29CE484222325;
constexpr std::uint64_t kFnvPrime = 0x100000001B3;

// Up to 8 bytes.
std::uint64_t little_endian(const unsigned char *bytes, std::size_t count)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; i++)
        value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
    return value;
}

struct Crc64Table {
    std::uint64_t value[256];
};

constexpr Crc64Table make_crc64_table()
{
    Crc64Table table{};
    for (unsigned byte = 0; byte < 256; byte++) {
        std::uint64_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xC96C5795D7870F42 : 0);
        table.value[byte] = crc;
    }
    return table;
}

constexpr Crc64Table kCrc64Table = make_crc64_table();

// The state of lookup3: three words.
struct Lookup3 {
    std::uint32_t a, b, c;

    void mix()
    {
        constexpr int kTurn[6] = {4, 6, 8, 16, 19, 4};
        for (int i = 0; i < 6; i++) {
            std::uint32_t mixed = (a - c) ^ std::rotl(c, kTurn[i]);
            c += b;
            a = b;
            b = c;
            c = mixed;
            // Rotate the roles: (a, b, c) becomes (b, c, a).
        }
    }

    void finish()
    {
        c = (c ^ b) - std::rotl(b, 14);
        a = (a ^ c) - std::rotl(c, 11);
        b = (b ^ a) - std::rotl(a, 25);
        c = (c ^ b) - std::rotl(b, 16);
        a = (a ^ c) - std::rotl(c, 4);
        b = (b ^ a) - std::rotl(a, 14);
        c = (c ^ b) - std::rotl(b, 24);
    }

    void add(const unsigned char *bytes, std::size_t length)
    {
        std::uint32_t word[3] = {};
        for (std::size_t i = 0; i < length; i++)
            word[i / 4] |= static_cast<std::uint32_t>(bytes[i]) << (8 * (i % 4));
        a += word[0];
        b += word[1];
        c += word[2];
    }
};

constexpr std::size_t kSha1Block = 64;

// The state of SHA-1 (FIPS 180-4): five words.
struct Sha1 {
    std::uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};

    void add(const unsigned char *block)
    {
        std::uint32_t word[80];
        for (int t = 0; t < 16; t++)
            word[t] = static_cast<std::uint32_t>(block[4 * t]) << 24 | block[4 * t + 1] << 16 |
                      block[4 * t + 2] << 8 | block[4 * t + 3];
        for (int t = 16; t < 80; t++)
            word[t] = std::rotl(word[t - 3] ^ word[t - 8] ^ word[t - 14] ^ word[t - 16], 1);
        std::uint32_t turned[5] = {h[0], h[1], h[2], h[3], h[4]};
        rounds(turned, word, 0x5A827999, [](auto b, auto c, auto d) { return (b & c) | (~b & d); });
        rounds(turned, word + 20, 0x6ED9EBA1, [](auto b, auto c, auto d) { return b ^ c ^ d; });
        rounds(turned, word + 40, 0x8F1BBCDC,
               [](auto b, auto c, auto d) { return (b & c) | (b & d) | (c & d); });
        rounds(turned, word + 60, 0xCA62C1D6, [](auto b, auto c, auto d) { return b ^ c ^ d; });
        for (int i = 0; i < 5; i++)
            h[i] += turned[i];
    }

    // A group of 20 rounds, with its function and its constant.
    template <typename Function>
    static void rounds(std::uint32_t (&turned)[5], const std::uint32_t *word, std::uint32_t constant,
                       Function function)
    {
        auto [a, b, c, d, e] = turned;
        for (int t = 0; t < 20; t++) {
            std::uint32_t mixed = std::rotl(a, 5) + function(b, c, d) + e + constant + word[t];
            e = d;
            d = c;
            c = std::rotl(b, 30);
            b = a;
            a = mixed;
        }
        std::uint32_t end[5] = {a, b, c, d, e};
        std::memcpy(turned, end, sizeof(end));
    }

    // The end of the bytes, a bit 1, zeros, and the number of bits in the last 8 bytes of a block.
    void finish(const unsigned char *rest, std::size_t count, std::uint64_t length)
    {
        unsigned char block[kSha1Block] = {};
        std::memcpy(block, rest, count);
        block[count] = 0x80;
        if (count >= kSha1Block - 8) {
            add(block);
            std::memset(block, 0, kSha1Block);
        }
        for (unsigned i = 0; i < 8; i++)
            block[kSha1Block - 1 - i] = static_cast<unsigned char>(length * 8 >> (8 * i));
        add(block);
    }
};

std::uint32_t byte_swapped(std::uint32_t x)
{
    return x << 24 | (x & 0xFF00) << 8 | (x >> 8 & 0xFF00) | x >> 24;
}

} // namespace

std::uint64_t fnv1_hash(const void *bytes, std::size_t length)
{
    std::uint64_t hash = kFnvBasis;
    for (std::size_t i = 0; i < length; i++)
        hash = (hash * kFnvPrime) ^ bytes_of(bytes)[i];
    return hash;
}

std::uint64_t fnv1a_hash(const void *bytes, std::size_t length)
{
    std::uint64_t hash = kFnvBasis;
    for (std::size_t i = 0; i < length; i++)
        hash = (hash ^ bytes_of(bytes)[i]) * kFnvPrime;
    return hash;
}

std::uint64_t murmur64a_hash(const void *bytes, std::size_t length, std::uint64_t seed)
{
    constexpr std::uint64_t kFactor = 0xC6A4A7935BD1E995;
    constexpr int kShift = 47;
    std::uint64_t hash = seed ^ (length * kFactor);
    const unsigned char *at = bytes_of(bytes);
    for (std::size_t left = length; left > 0;) {
        std::size_t count = left < 8 ? left : 8;
        std::uint64_t word = little_endian(at, count);
        if (count == 8) {
            word *= kFactor;
            word = (word ^ word >> kShift) * kFactor;
        }
        hash = (hash ^ word) * kFactor;
        at += count;
        left -= count;
    }
    hash = (hash ^ hash >> kShift) * kFactor;
    return hash ^ hash >> kShift;
}

std::uint64_t lookup3_hash(const void *bytes, std::size_t length)
{
    constexpr std::size_t kBlock = 12;
    std::uint32_t start = 0xDEADBEEF + static_cast<std::uint32_t>(length);
    Lookup3 state = {start, start, start};
    const unsigned char *at = bytes_of(bytes);
    // The last block, full or not, is finished instead of mixed; an empty string has none.
    for (; length > kBlock; length -= kBlock, at += kBlock) {
        state.add(at, kBlock);
        state.mix();
    }
    if (length > 0) {
        state.add(at, length);
        state.finish();
    }
    return static_cast<std::uint64_t>(state.c) << 32 | state.b;
}

std::uint64_t crc64_hash(const void *bytes, std::size_t length)
{
    std::uint64_t crc = 0;
    for (std::size_t i = 0; i < length; i++)
        crc = (crc >> 8) ^ kCrc64Table.value[(crc ^ bytes_of(bytes)[i]) & 0xFF];
    return crc;
}

std::uint64_t python_string_hash(const void *bytes, std::size_t length)
{
    if (length == 0)
        return 0;
    std::uint64_t hash = static_cast<std::uint64_t>(bytes_of(bytes)[0]) << 7;
    for (std::size_t i = 0; i < length; i++)
        hash = (hash * 1000003) ^ bytes_of(bytes)[i];
    return hash ^ length;
}

std::uint64_t sha1_hash(const void *bytes, std::size_t length)
{
    Sha1 state;
    const unsigned char *at = bytes_of(bytes);
    std::size_t left = length;
    for (; left >= kSha1Block; left -= kSha1Block, at += kSha1Block)
        state.add(at);
    state.finish(at, left, length);
    return static_cast<std::uint64_t>(byte_swapped(state.h[1])) << 32 | byte_swapped(state.h[0]);
}

std::uint32_t xxh32_hash(const void *bytes, std::size_t length) { return XXH32(bytes, length, 0); }

std::uint64_t xxh64_hash(const void *bytes, std::size_t length) { return XXH64(bytes, length, 0); }

std::uint64_t xxh3_hash(const void *bytes, std::size_t length, std::uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, length, seed);
}

std::uint64_t xxh3_128_high_half(const void *bytes, std::size_t length)
{
    return XXH3_128bits(bytes, length).high64;
}

} // namespace simhash
