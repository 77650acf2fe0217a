#include <string>

#include <gtest/gtest.h>

#include "profiles/compat_hashes.hpp"

namespace simhash
{
namespace
{

TEST(CompatHashes, Fnv1)
{
    EXPECT_EQ(fnv1_hash("", 0), 0xCBF29CE484222325u);
    EXPECT_EQ(fnv1_hash("a", 1), 0xAF63BD4C8601B7BEu);
    EXPECT_EQ(fnv1_hash("foobar", 6), 0x340D8765A4DDA9C2u);
    EXPECT_EQ(fnv1_hash("test string", 11), 8811532157352841348u);
}

TEST(CompatHashes, Fnv1a)
{
    EXPECT_EQ(fnv1a_hash("", 0), 0xCBF29CE484222325u);
    EXPECT_EQ(fnv1a_hash("a", 1), 0xAF63DC4C8601EC8Cu);
    EXPECT_EQ(fnv1a_hash("foobar", 6), 0x85944171F73967E8u);
}

// Values from the tests of murmurhash (Python), mmhash2 and others.
TEST(CompatHashes, Murmur64a)
{
    EXPECT_EQ(murmur64a_hash("", 0, 0), 0u);
    EXPECT_EQ(murmur64a_hash("aaaa", 4, 0x9747B28C), 0x41DA53FDABAF04C8u);
    EXPECT_EQ(murmur64a_hash("hash me", 7, 22), 15828218858260124487u);
    EXPECT_EQ(murmur64a_hash("zhenhao", 7, 0x1234), 0xE232ACA990972561u);
    EXPECT_EQ(murmur64a_hash("fransisco", 9, 1), 0x083FDAF4A6D0D3D9u);
}

// The author's published values, and every length of a last block.
TEST(CompatHashes, Lookup3)
{
    EXPECT_EQ(lookup3_hash("", 0), 0xDEADBEEFDEADBEEFu);
    EXPECT_EQ(lookup3_hash("Four score and seven years ago", 30), 0x17770551CE7226E6u);
    const std::string text = "The quick brown fox jumps";
    const std::uint64_t expected[] = {
        0xDEADBEEFDEADBEEF, 0x789C5F5CADB61076, 0x3BC5FA8DAE1C081B, 0x2C593E8422EA77AE, 0x5E4118A193865EE6,
        0x39C657DE005857E8, 0x4C2808D638FFA8EC, 0xB050946D7934A09A, 0xE580EE82A6AC4BD7, 0x3C702410DACEA1E7,
        0xB55EFE530D90AA27, 0xFF68CC5851962045, 0xCC85FA9A68D6C33D, 0xE287C4CDCE15C84C, 0x60ED05D434FDD7F6,
        0x1DA4DEFCD5A37DA5, 0xAB5C679F31F0E663, 0xBB37ECDDE1171E1B, 0x4906E5132C9E9B8F, 0x9B1D27523EDBD698,
        0x35821A2D0F8CC67E, 0x44828005E2B68CA1, 0xCEEB7636AE41F317, 0xDA07A9A48E846818, 0xE6AEAB3D8DB58A80,
        0x9D279883704A8A50};
    for (std::size_t length = 0; length <= text.size(); length++)
        EXPECT_EQ(lookup3_hash(text.data(), length), expected[length]) << length;
}

TEST(CompatHashes, Crc64)
{
    EXPECT_EQ(crc64_hash("", 0), 0u);
    EXPECT_EQ(crc64_hash("123456789", 9), 0x2B9C7EE4E2780C8Au);
}

TEST(CompatHashes, PythonString)
{
    EXPECT_EQ(python_string_hash("", 0), 0u);
    EXPECT_EQ(python_string_hash("Word", 4), 10958914953375318724u);
    EXPECT_EQ(python_string_hash("a", 1), 12416037344u);
    EXPECT_EQ(python_string_hash("\xFF", 1), (0xFFu << 7) * std::uint64_t{1000003} ^ 0xFF ^ 1)
        << "unsigned bytes";
}

// Lengths around those at which the last block has no room for the length. Python's hashlib computed the values.
TEST(CompatHashes, Sha1)
{
    EXPECT_EQ(sha1_hash("", 0), 0x0D4B6B5EEEA339DAu);
    EXPECT_EQ(sha1_hash("abc", 3), 0x6A810647363E99A9u);
    const std::string text(1000, 'a');
    EXPECT_EQ(sha1_hash(text.data(), 55), 0x286E7922DCBBC8C1u);
    EXPECT_EQ(sha1_hash(text.data(), 56), 0x4C8583600F33DBC2u);
    EXPECT_EQ(sha1_hash(text.data(), 63), 0x8C7A8A155B9FF003u);
    EXPECT_EQ(sha1_hash(text.data(), 64), 0x42165C4B82BA9800u);
    EXPECT_EQ(sha1_hash(text.data(), 1000), 0x494999666C9A1E29u);
}

TEST(CompatHashes, XxHash)
{
    std::string bytes;
    for (int i = 0; i < 256; i++)
        bytes += static_cast<char>(i);
    EXPECT_EQ(xxh32_hash("", 0), 0x02CC5D05u);
    EXPECT_EQ(xxh32_hash(bytes.data(), 256), 0x59441253u);
    EXPECT_EQ(xxh64_hash("", 0), 0xEF46DB3751D8E999u);
    EXPECT_EQ(xxh64_hash(bytes.data(), 256), 0x1FACBE8406CD904Bu);
    EXPECT_EQ(xxh3_hash("", 0, 42), 0xB029411FF43D84D2u);
    EXPECT_EQ(xxh3_hash(bytes.data(), 256, 42), 0xC1A55CA180B3FD0Au);
    EXPECT_EQ(xxh3_128_high_half("", 0), 0x99AA06D3014798D8u);
    EXPECT_EQ(xxh3_128_high_half(bytes.data(), 256), 0xF1F8A93F50849AC3u);
}

} // namespace
} // namespace simhash
