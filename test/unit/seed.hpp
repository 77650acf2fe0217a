// Random numbers for tests: the same in every run, with the seed in the output.
#pragma once

#include <cstdio>
#include <random>

#include <gtest/gtest.h>

namespace simhash
{

template <unsigned kSeed> class SeededTest : public testing::Test
{
protected:
    SeededTest() { std::printf("seed %u\n", kSeed); }

    // From 0 to below n. Requires: n > 0.
    int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

    std::mt19937_64 random{kSeed};
};

} // namespace simhash
