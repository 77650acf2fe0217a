// What the programs that measure peers in memory share: processor time, memory, and rounds of methods.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace memory_methods
{

[[noreturn]] inline void fail(const std::string &what)
{
    std::fprintf(stderr, "memory: %s\n", what.c_str());
    std::exit(1);
}

inline double processor_seconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline std::size_t allocated_bytes()
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

inline std::string
    data_kind; // printed behind the part, with a comma, if the program measures several kinds of data

inline void note(const char *part, const std::string &method, const std::string &variant, const char *measure,
                 double value)
{
    std::printf("%s,%s\"%s\",\"%s\",%s,%.6g\n", part, data_kind.c_str(), method.c_str(), variant.c_str(),
                measure, value);
}

// run(first query, count) returns the sum of expected(query), if all is found.
struct Method {
    const char *part;
    std::string name, variant;
    std::size_t queries;
    std::function<std::uint64_t(std::size_t, std::size_t)> run;
    std::function<std::uint64_t(std::size_t)> expected;
    std::size_t count = 0;
    std::vector<double> seconds = {};
};

// In rounds of so many seconds, one method after the other; prints the medians, and the recall if anything is expected.
inline void time_methods(std::vector<Method> *methods, int rounds, double round_seconds)
{
    for (Method &m : *methods) {
        double spent = 0;
        for (m.count = 2;; m.count = std::min(m.count * 2, m.queries)) {
            const double begun = processor_seconds();
            m.run(0, m.count);
            spent = processor_seconds() - begun;
            if (spent > round_seconds / 4 || m.count == m.queries)
                break;
        }
        const double fitting = static_cast<double>(m.count) * round_seconds / std::max(spent, 1e-9);
        m.count = std::clamp<std::size_t>(static_cast<std::size_t>(fitting), 2, m.queries);
    }
    for (int round = 0; round < rounds; round++) {
        for (Method &m : *methods) {
            const double begun = processor_seconds();
            const std::uint64_t found = m.run(0, m.count);
            m.seconds.push_back((processor_seconds() - begun) / static_cast<double>(m.count));
            if (round > 0)
                continue;
            std::uint64_t expected = 0;
            for (std::size_t q = 0; q < m.count; q++)
                expected += m.expected(q);
            note(m.part, m.name, m.variant, "recall",
                 expected == 0 ? 1 : static_cast<double>(found) / static_cast<double>(expected));
        }
    }
    for (Method &m : *methods) {
        std::sort(m.seconds.begin(), m.seconds.end());
        note(m.part, m.name, m.variant, "us", m.seconds[m.seconds.size() / 2] * 1e6);
        note(m.part, m.name, m.variant, "queries", static_cast<double>(m.count));
    }
}

} // namespace memory_methods
