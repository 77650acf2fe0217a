#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/bits/fingerprint.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

using FingerprintTest = SeededTest<16>;

// Reads from memory of exactly that length, so that AddressSanitizer sees an overrun by one byte.
bool parse(const std::string &text, Fingerprint *out)
{
    std::unique_ptr<char[]> exact(new char[text.size()]);
    std::memcpy(exact.get(), text.data(), text.size());
    return parse_fingerprint(exact.get(), text.size(), out);
}

std::string format(Fingerprint value)
{
    std::unique_ptr<char[]> exact(new char[kHexDigits]);
    format_fingerprint(value, exact.get());
    return std::string(exact.get(), kHexDigits);
}

void expect_value(const std::string &text, Fingerprint value)
{
    Fingerprint out = ~value;
    EXPECT_TRUE(parse(text, &out)) << '"' << text << '"';
    EXPECT_EQ(out, value) << '"' << text << '"';
}

void expect_refused(const std::string &text)
{
    Fingerprint out = 0x0102030405060708;
    EXPECT_FALSE(parse(text, &out)) << '"' << text << '"';
    EXPECT_EQ(out, 0x0102030405060708u) << '"' << text << '"';
}

TEST_F(FingerprintTest, DistanceCountsTheBitsThatDiffer)
{
    EXPECT_EQ(hamming_distance(0, 0), 0);
    EXPECT_EQ(hamming_distance(0, ~Fingerprint{0}), 64);
    for (int i = 0; i < 1000; i++) {
        Fingerprint a = random(), b = random() & random();
        int expected = 0;
        for (int bit = 0; bit < kBits; bit++)
            expected += (a >> bit & 1) != (b >> bit & 1);
        ASSERT_EQ(hamming_distance(a, b), expected);
        ASSERT_EQ(hamming_distance(b, a), expected);
    }
}

TEST_F(FingerprintTest, FormatsSixteenLowerCaseDigits)
{
    EXPECT_EQ(format(0), "0000000000000000");
    EXPECT_EQ(format(~Fingerprint{0}), "ffffffffffffffff");
    EXPECT_EQ(format(0x0123456789ABCDEF), "0123456789abcdef");
    EXPECT_EQ(format(1), "0000000000000001");
    for (int i = 0; i < 1000; i++) {
        Fingerprint value = random();
        char expected[32];
        std::snprintf(expected, sizeof(expected), "%016llx", static_cast<unsigned long long>(value));
        ASSERT_EQ(format(value), expected);
        expect_value(expected, value);
    }
}

TEST_F(FingerprintTest, ReadsEitherCaseAPrefixAndSpace)
{
    const Fingerprint value = 0xFEDCBA9876543210;
    for (const char *digits : {"fedcba9876543210", "FEDCBA9876543210", "FedCba9876543210"}) {
        for (const char *prefix : {"", "0x", "0X"}) {
            for (const char *space : {"", " ", "\t\n\v\f\r  "}) {
                expect_value(space + std::string(prefix) + digits, value);
                expect_value(std::string(prefix) + digits + space, value);
                expect_value(space + std::string(prefix) + digits + space, value);
            }
        }
    }
}

TEST_F(FingerprintTest, RefusesEverythingElse)
{
    for (const char *text :
         {"", " ", "0x", "0", "fedcba987654321", "fedcba98765432100", "0xfedcba987654321",
          "0xfedcba98765432100", "00fedcba9876543210", "x0fedcba9876543210", "0x 0123456789abcdef",
          "0x0x0123456789abcdef", "+0123456789abcdef", "-123456789abcdef0", "01234567 89abcdef",
          "0123456789abcdeg", "0x0123456789abcde", "\\x0123456789abcdef", "x123456789abcdef"})
        expect_refused(text);
    expect_refused(std::string("0123456789abcde\0", 16));
    expect_refused(std::string("0123456789abcdef\0", 17));
    expect_refused(std::string(1000, ' '));
}

TEST_F(FingerprintTest, EveryByteAtEveryPlace)
{
    const std::string digits = "0123456789abcdef";
    for (std::size_t at = 0; at < kHexDigits; at++) {
        for (int byte = 0; byte < 256; byte++) {
            std::string text = format(0x1111111111111111);
            text[at] = static_cast<char>(byte);
            std::size_t digit = digits.find(static_cast<char>(byte >= 'A' && byte <= 'F' ? byte + 32 : byte));
            if (digit == std::string::npos) {
                expect_refused(text);
            } else {
                std::size_t shift = 4 * (kHexDigits - 1 - at);
                Fingerprint rest = 0x1111111111111111 & ~(Fingerprint{15} << shift);
                expect_value(text, rest | Fingerprint{digit} << shift);
            }
        }
    }
}

// Strings over a small alphabet, compared with an independent implementation of the rule.
TEST_F(FingerprintTest, RandomStrings)
{
    int accepted = 0;
    for (int i = 0; i < 50000; i++) {
        std::string text;
        for (std::size_t n = random() % 3; n > 0; n--)
            text += " \t0x"[random() % 4];
        for (std::size_t n = 14 + random() % 5; n > 0; n--)
            text += "0123456789abcdefABCDEF"[random() % 22];
        if (random() % 8 == 0)
            text[random() % text.size()] = static_cast<char>(random());
        for (std::size_t n = random() % 3; n > 0; n--)
            text += " \n1"[random() % 3];

        std::size_t first = text.find_first_not_of(" \t\n\v\f\r"),
                    last = text.find_last_not_of(" \t\n\v\f\r");
        std::string core = first == std::string::npos ? "" : text.substr(first, last - first + 1);
        if (core.size() == 18 && (core.substr(0, 2) == "0x" || core.substr(0, 2) == "0X"))
            core = core.substr(2);
        if (core.size() == 16 && core.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos) {
            expect_value(text, std::stoull(core, nullptr, 16));
            accepted++;
        } else {
            expect_refused(text);
        }
        if (HasFailure())
            return;
    }
    EXPECT_GT(accepted, 5000);
}

} // namespace
} // namespace simhash
