// Draws fingerprints with given bit statistics: COPY's binary format, (id integer, h simhash), on standard output.
//
//   collection FIRST_ID LAST_ID <PROBABILITIES
//
// PROBABILITIES are 64 numbers: the probability that bit j (the one with the value 1 << j) is 1. Bits are drawn
// independently of each other. A row depends only on its id, so a small collection is part of every larger one.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace
{

constexpr int kDigits = 16; // of a probability, in binary

std::uint64_t mix(std::uint64_t x) // of splitmix64
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

void put(std::vector<unsigned char> *to, std::uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        to->push_back(static_cast<unsigned char>(value >> (8 * i)));
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    // digit[i] bit j: the i-th binary digit of bit j's probability, the least significant first.
    std::uint64_t digit[kDigits] = {};
    for (int j = 0; j < 64; j++) {
        double p;
        if (std::scanf("%lf", &p) != 1)
            return 2;
        auto fixed = static_cast<std::uint64_t>(p * (1 << kDigits));
        for (int i = 0; i < kDigits; i++)
            digit[i] |= (fixed >> i & 1) << j;
    }

    std::vector<unsigned char> out;
    const unsigned char signature[] = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', 0xff, '\r', '\n', 0};
    out.assign(signature, signature + sizeof(signature));
    put(&out, 0, 8);
    std::uint64_t last = std::strtoull(argv[2], nullptr, 10);
    for (std::uint64_t id = std::strtoull(argv[1], nullptr, 10); id <= last; id++) {
        // Compares 64 random numbers with the 64 probabilities, digit by digit.
        std::uint64_t h = 0, state = id * kDigits;
        for (std::uint64_t probability : digit) {
            std::uint64_t random = mix(++state * 0x9e3779b97f4a7c15);
            h = (h & ~random) | ((h | ~random) & probability);
        }
        put(&out, 2, 2);
        put(&out, 4, 4);
        put(&out, id, 4);
        put(&out, 8, 4);
        put(&out, h, 8);
        if (out.size() > 1 << 20) {
            if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size())
                return 1;
            out.clear();
        }
    }
    put(&out, 0xffff, 2);
    return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0 ? 0 : 1;
}
