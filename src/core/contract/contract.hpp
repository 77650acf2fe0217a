// Assertions of what functions require of their callers.
//
// They are active where SIMHASH_ASSERTIONS is defined: in the unit tests, in the fuzz targets and in builds for servers
// with assertions. Elsewhere a condition is compiled, but not evaluated.
#pragma once

#ifdef SIMHASH_ASSERTIONS

#include <cstdio>
#include <cstdlib>

namespace simhash
{

[[noreturn]] inline void contract_broken(const char *condition, const char *file, int line)
{
    std::fprintf(stderr, "%s:%d: contract broken: %s\n", file, line, condition);
    std::abort();
}

} // namespace simhash

#define SIMHASH_ASSERT(...)                                                                                  \
    ((__VA_ARGS__) ? static_cast<void>(0) : simhash::contract_broken(#__VA_ARGS__, __FILE__, __LINE__))
#else
#define SIMHASH_ASSERT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif
