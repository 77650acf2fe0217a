// Times the kernels of core/kernels/signature_match.hpp: nanoseconds for each row. Processor time of this thread; the
// minimum of the rounds; kernels alternate.
#include "core/kernels/signature_match.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace
{

using namespace simhash;

constexpr int kPageBytes = 8192;
constexpr int kHeader = 24; // of a page: the rows begin behind it
constexpr int kMillion = 1000000;
constexpr int kSketches = 504;
constexpr int kRepetitions = 200; // of a page

struct Data {
    std::vector<std::uint64_t> words, query;
    std::vector<std::uint16_t> results;

    Data() : words(kMillion * 128 / 8 + 64), query(64), results(kMillion)
    {
        std::mt19937_64 random(1);
        for (std::uint64_t &word : words)
            word = random();
        for (std::uint64_t &word : query)
            word = random();
    }
    const std::uint8_t *rows() const { return reinterpret_cast<const std::uint8_t *>(words.data()) + kHeader; }
};

// The rows are those of one page, in the first-level cache, or a million.
double time_signatures(Data *data, SimdLevel level, int bytes, bool million)
{
    int count = million ? kMillion : (kPageBytes - kHeader) / bytes, repetitions = million ? 1 : kRepetitions;
    SignatureDistances distances = signature_distances(level);
    double start = processor_time();
    for (int i = 0; i < repetitions; i++)
        distances(reinterpret_cast<const std::uint8_t *>(data->query.data()), bytes, data->rows(),
                  static_cast<std::size_t>(bytes), count, data->results.data());
    return (processor_time() - start) / repetitions / count;
}

// Calls a kernel for items of two words.
template <typename Call> double time_sketches(Call call)
{
    long sum = 0;
    double start = processor_time();
    for (int i = 0; i < kRepetitions; i++)
        sum += call();
    double time = processor_time() - start;
    asm volatile("" : : "r"(sum));
    return time / kRepetitions / kSketches;
}

double time_match(Data *data, SimdLevel level, int radius)
{
    return time_sketches([&, match = plane_match(level)] {
        return match(data->words.data() + 3, kSketches, data->query.data(), radius, data->results.data());
    });
}

struct Case {
    const char *name;
    double (*time)(Data *data, SimdLevel level);
};

constexpr Case kCases[] = {
    {"32", [](Data *data, SimdLevel level) { return time_signatures(data, level, 32, false); }},
    {"72", [](Data *data, SimdLevel level) { return time_signatures(data, level, 72, false); }},
    {"128", [](Data *data, SimdLevel level) { return time_signatures(data, level, 128, false); }},
    {"512", [](Data *data, SimdLevel level) { return time_signatures(data, level, 512, false); }},
    {"32 M", [](Data *data, SimdLevel level) { return time_signatures(data, level, 32, true); }},
    {"128 M", [](Data *data, SimdLevel level) { return time_signatures(data, level, 128, true); }},
    {"r=20", [](Data *data, SimdLevel level) { return time_match(data, level, 20); }},
    {"r=53", [](Data *data, SimdLevel level) { return time_match(data, level, 53); }},
};

// Reads a word of each line of a million rows of 128 bytes and does nothing else: what the memory gives.
double time_reading(Data *data)
{
    constexpr std::size_t kWordsOfLine = 8;
    std::uint64_t sum = 0;
    double start = processor_time();
    for (std::size_t i = 0; i < kMillion * std::size_t{16}; i += kWordsOfLine)
        sum ^= data->words[i];
    double time = processor_time() - start;
    asm volatile("" : : "r"(sum));
    return time / kMillion;
}

} // namespace

int main(int, char **arguments)
{
    int rounds = std::atoi(arguments[1]);
    const std::vector<Level> levels = simd_levels();
    Data data;
    std::vector<std::vector<double>> least(levels.size(), std::vector<double>(std::size(kCases), 1e9));
    double reading = 1e9;
    for (int round = 0; round < rounds; round++) {
        reading = std::min(reading, time_reading(&data));
        for (std::size_t c = 0; c < std::size(kCases); c++) {
            for (std::size_t l = 0; l < levels.size(); l++)
                least[l][c] = std::min(least[l][c], kCases[c].time(&data, levels[l].level));
        }
    }
    std::printf("\nns a row: signatures of 32 to 512 bytes, of one page and of a million (M); sketches and keys of two "
                "words.\nOnly to read the million rows of 128 bytes takes %.1f ns a row.\n%-20s",
                reading, "");
    for (const Case &what : kCases)
        std::printf(" %9s", what.name);
    std::printf("\n");
    for (std::size_t l = 0; l < levels.size(); l++) {
        std::printf("%-20s", levels[l].name);
        for (double time : least[l])
            std::printf(" %9.2f", time);
        std::printf("\n");
    }
}
