// Random inputs for the fuzz targets, always the same ones unless SEED is given.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace simhash
{

class FuzzTest : public ::testing::Test
{
protected:
    FuzzTest() : seed_(seed()), random_(seed_) { std::printf("SEED=%u\n", seed_); }

    static unsigned seed()
    {
        const char *given = std::getenv("SEED");
        return given != nullptr && *given != '\0' ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                                                  : 1;
    }

    // Inputs of up to this many bytes, of all values or of some characters.
    void run(void (*target)(const std::uint8_t *, std::size_t), int inputs, std::size_t longest,
             const char *characters)
    {
        std::size_t count = characters == nullptr ? 0 : std::char_traits<char>::length(characters);
        for (int i = 0; i < inputs; i++) {
            std::size_t most = i % 4 == 0 ? longest : longest / 16;
            std::vector<std::uint8_t> input(random_() % (most + 1));
            for (std::uint8_t &byte : input) {
                auto number = random_();
                byte = static_cast<std::uint8_t>(
                    count == 0 || number % 64 == 0 ? number >> 8 : characters[(number >> 8) % count]);
            }
            target(input.data(), input.size());
        }
    }

    unsigned seed_;
    std::mt19937 random_;
};

} // namespace simhash
