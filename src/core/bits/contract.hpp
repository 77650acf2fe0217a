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

// PostgreSQL's headers make a macro of fprintf, but not of fputs.
[[noreturn]] inline void contract_broken(const char *message)
{
    std::fputs(message, stderr);
    std::abort();
}

} // namespace simhash

#define SIMHASH_QUOTE(x) #x
#define SIMHASH_CONTRACT(line, condition)                                                                    \
    __FILE__ ":" SIMHASH_QUOTE(line) ": contract broken: " condition "\n"
#define SIMHASH_ASSERT(...)                                                                                  \
    ((__VA_ARGS__) ? static_cast<void>(0)                                                                    \
                   : simhash::contract_broken(SIMHASH_CONTRACT(__LINE__, #__VA_ARGS__)))
#else
#define SIMHASH_ASSERT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif
