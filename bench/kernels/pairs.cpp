// Times the kernels of core/kernels/pair_match.hpp on runs of several lengths. Processor time of this thread; the
// lower quartile of the rounds; kernels take turns.
#include "core/kernels/pair_match.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

namespace
{

using namespace simhash;

constexpr std::uint32_t kRows = 1 << 14;
constexpr std::size_t kRoom = 1 << 12;

struct Kernel {
    const char *name;
    const PairMatch *match;
};

struct Case {
    const char *name;
    std::uint32_t length; // of a run
    bool between;         // each run and the next one, not pairs within a run
    int radius;
};

// Nanoseconds for each pair of rows that is compared.
double measure(const std::vector<Fingerprint> &row, const Case &what, const PairMatch &match)
{
    std::vector<RowRun> runs;
    std::vector<RunPair> pairs;
    double compared = 0;
    for (std::uint32_t at = 0; at + 2 * what.length <= kRows && compared < 2e6; at += what.length) {
        RowRun run = {at, at + what.length}, next = {at + what.length, at + 2 * what.length};
        runs.push_back(run);
        pairs.push_back({run, next});
        compared += what.between ? what.length * what.length : what.length * (what.length - 1) / 2;
    }
    std::vector<RowPair> found(kRoom);
    MatchCursor cursor = {};
    std::size_t sum = 0;
    double start = processor_time();
    while (cursor.run < runs.size()) {
        sum += what.between ? match.between(row.data(), row.data(), pairs.data(), pairs.size(), what.radius,
                                            &cursor, found.data(), kRoom)
                            : match.within(row.data(), runs.data(), runs.size(), what.radius, &cursor,
                                           found.data(), kRoom);
    }
    double time = processor_time() - start;
    asm volatile("" : : "r"(sum));
    return time / compared;
}

std::vector<Kernel> kernels()
{
    std::vector<Kernel> all;
    for (const Level &level : simd_levels())
        all.push_back({level.name, &pair_match(level.level)});
    return all;
}

} // namespace

int main(int, char **arguments)
{
    int rounds = std::atoi(arguments[1]);
    const Case cases[] = {
        {"in 3", 3, false, 3},      {"in 10", 10, false, 3},  {"in 60", 60, false, 3},
        {"in 2000", 2000, false, 3}, {"in r=24", 60, false, 24}, {"btw 3", 3, true, 3},
        {"btw 10", 10, true, 3},    {"btw 60", 60, true, 3},  {"btw 2000", 2000, true, 3},
        {"btw r=24", 60, true, 24},
    };
    std::mt19937_64 random(1);
    std::vector<Fingerprint> row(kRows);
    for (Fingerprint &x : row)
        x = random();
    std::vector<Kernel> all = kernels();
    std::printf("\nns a pair of rows compared, within runs and between two, by the rows of a run; radius 3 unless noted\n");
    time_in_rounds(rounds, all, cases, " %9.3f",
                   [&](const Kernel &kernel, const Case &what) { return measure(row, what, *kernel.match); });
}
