// What the programs that time kernels share: their kernels in turn, in rounds, and the lower quartile of these.
#pragma once

#include "core/kernels/simd_level.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

inline double processor_time()
{
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

struct Level {
    const char *name;
    simhash::SimdLevel level;
};

// Those that this processor has.
inline std::vector<Level> simd_levels()
{
    using simhash::SimdLevel;
    std::vector<Level> levels = {{"scalar", SimdLevel::kScalar}, {"popcnt", SimdLevel::kPopcnt}, {"avx2", SimdLevel::kAvx2},
                                 {"avx512", SimdLevel::kAvx512}, {"neon", SimdLevel::kNeon}};
    std::erase_if(levels, [](const Level &level) { return !simhash::has_simd_level(level.level); });
    return levels;
}

// Prints a line for each kernel, and in it time(kernel, case) for each case.
template <typename Kernel, typename Cases, typename Time>
void time_in_rounds(int rounds, const std::vector<Kernel> &kernels, const Cases &cases, const char *format, Time time)
{
    std::vector<std::vector<double>> times(kernels.size() * std::size(cases));
    for (int round = 0; round < rounds; round++)
        for (std::size_t c = 0; c < std::size(cases); c++)
            for (std::size_t k = 0; k < kernels.size(); k++)
                times[k * std::size(cases) + c].push_back(time(kernels[k], cases[c]));
    std::printf("%-20s", "");
    for (const auto &what : cases)
        std::printf(" %9s", what.name);
    std::printf("\n");
    for (std::size_t k = 0; k < kernels.size(); k++) {
        std::printf("%-20s", kernels[k].name);
        for (std::size_t c = 0; c < std::size(cases); c++) {
            std::vector<double> &sample = times[k * std::size(cases) + c];
            std::nth_element(sample.begin(), sample.begin() + sample.size() / 4, sample.end());
            std::printf(format, sample[sample.size() / 4]);
        }
        std::printf("\n");
    }
}
