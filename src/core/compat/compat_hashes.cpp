#include "core/compat/compat_hashes.hpp"

#include <bit>

namespace simhash
{

namespace
{

const unsigned char *bytes_of(const void *bytes) { return static_cast<const unsigned char *>(bytes); }

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

} // namespace

std::uint64_t fnv1_hash(const void *bytes, std::size_t length)
{
    std::uint64_t hash = 0xCBF29CE484222325;
    for (std::size_t i = 0; i < length; i++)
        hash = (hash * 0x100000001B3) ^ bytes_of(bytes)[i];
    return hash;
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

} // namespace simhash
