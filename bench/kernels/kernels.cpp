// Times the kernels of core/kernels/leaf_match.hpp on leaves of 8 kB, in caches and in memory. Measures the processor
// time of this thread, so that other programs disturb little; reports the lower quartile of the rounds; kernels alternate.
#include "core/kernels/leaf_match.hpp"
#include "rounds.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

#include <sys/mman.h>

namespace
{

using simhash::Fingerprint;
using simhash::LeafMatch;
using simhash::SimdLevel;

constexpr std::size_t kPage = 8192;
constexpr std::size_t kVirtualPage = 4096;
constexpr std::size_t kLine = 64;
constexpr std::size_t kPages = std::size_t{3} << 16; // 1.5 GB
constexpr std::size_t kTrickyPage = 10000;           // not in the cached cases
constexpr int kAhead = 4;

struct Kernel {
    const char *name;
    LeafMatch match;
};

struct Case {
    const char *name;
    std::size_t pages; // leaves in turn, or all of them in random order
    bool fetched;      // as the index does: four leaves at once, their first lines, while others are located
    bool tricky;       // half of the fingerprints differ from the query in the upper halves of bytes only
    int radius;
    int calls;
};

// A page starts with a header that has the number of entries where PostgreSQL has pd_lower, and the
// fingerprints follow at byte 24.
struct Memory {
    char *at;

    Memory()
    {
        void *memory =
            mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            std::perror("mmap");
            std::exit(1);
        }
        // Like shared buffers without huge pages.
        madvise(memory, kPages * kPage, MADV_NOHUGEPAGE);
        at = static_cast<char *>(memory);
    }
    char *page(std::size_t i) const { return at + i * kPage; }
    const Fingerprint *fingerprints(std::size_t i) const
    {
        return reinterpret_cast<const Fingerprint *>(page(i) + 24);
    }
    std::uint16_t &count(std::size_t i) const { return *reinterpret_cast<std::uint16_t *>(page(i) + 12); }
};

// The fingerprints of a leaf and a query that reads it have the first bits in common.
Fingerprint first_bits(std::size_t page) { return page * 0x9E3779B97F4A7C15 & 0xFFFF000000000000; }

void fill(const Memory &memory)
{
    std::uint64_t state = 1;
    auto next = [&] {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state * 0x9E3779B97F4A7C15;
    };
    for (std::size_t p = 0; p < kPages; p++) {
        memory.count(p) = static_cast<std::uint16_t>(400 + next() % 181);
        auto *fingerprints = const_cast<Fingerprint *>(memory.fingerprints(p));
        for (int i = 0; i < memory.count(p); i++)
            fingerprints[i] = next() >> 16 | first_bits(p);
    }
}

// Every other fingerprint differs from the first in the upper halves of bytes only.
void make_tricky(const Memory &memory, std::size_t page)
{
    auto *fingerprints = const_cast<Fingerprint *>(memory.fingerprints(page));
    for (int i = 2; i < memory.count(page); i += 2)
        fingerprints[i] = (fingerprints[0] & 0x0F0F0F0F0F0F0F0F) | (fingerprints[i] & 0xF0F0F0F0F0F0F0F0);
}

// Waits for all loads: otherwise leaves would overlap that are separated by other work in a search.
void finish()
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#elif defined(__aarch64__)
    asm volatile("dsb ld\n\tisb" : : : "memory");
#endif
}

void read_byte(const char *at) { (void)*const_cast<const volatile char *>(at); }

// Some 250 ns of other work.
void work()
{
    volatile int x = 0;
    for (int i = 0; i < 150; i++)
        x = x + 1;
}

int nothing(const Fingerprint *, int, Fingerprint, int, std::uint16_t *) { return 0; }

double measure(const Memory &memory, const Case &what, LeafMatch match, std::mt19937_64 &random)
{
    std::vector<std::size_t> order(static_cast<std::size_t>(what.calls) + kAhead);
    for (std::size_t i = 0; i < order.size(); i++)
        order[i] = what.tricky ? kTrickyPage : what.pages < kPages ? i % what.pages : random() % kPages;
    Fingerprint query = random() >> 16;
    std::uint16_t matches[1024];
    long sum = 0;
    auto visit = [&](std::size_t page) {
        // The search has checked the page's header and tail.
        read_byte(memory.page(page) + kPage - 8);
        int count = memory.count(page);
        finish();
        Fingerprint q = query | first_bits(page);
        if (what.tricky)
            q = memory.fingerprints(page)[0] ^ 0x00F0F0F0F0F0F0F0;
        sum += match(memory.fingerprints(page), count, q, what.radius, matches);
        finish();
    };
    for (std::size_t i = 0; what.pages < kPages && i < what.pages; i++)
        visit(order[i]);
    double start = processor_time();
    for (int i = 0; i < what.calls; i++) {
        if (what.fetched && i % kAhead == 0) {
            for (int j = 0; j < kAhead; j++) {
                read_byte(memory.page(order[i + j]));
                read_byte(memory.page(order[i + j]) + kVirtualPage);
            }
            for (int j = 0; j < kAhead; j++) {
                __builtin_prefetch(memory.page(order[i + j]) + kPage - kLine);
                for (std::size_t line = 1; line < 8; line++)
                    __builtin_prefetch(memory.page(order[i + j]) + line * kLine);
            }
            work();
        }
        visit(order[i]);
    }
    double time = (processor_time() - start) / what.calls;
    asm volatile("" : : "r"(sum));
    return time;
}

std::vector<Kernel> kernels()
{
    std::vector<Kernel> all = {{"no kernel", nothing}};
    for (const Level &level : simd_levels())
        all.push_back({level.name, simhash::leaf_match(level.level)});
    return all;
}

} // namespace

int main(int, char **arguments)
{
    int rounds = std::atoi(arguments[1]);
    const Case cases[] = {
        {"L1", 1, false, false, 3, 2000},          {"1 MB", 128, false, false, 3, 2000},
        {"32 MB", 4096, false, false, 3, 5000},    {"fetched", kPages, true, false, 3, 4000},
        {"random", kPages, false, false, 3, 4000}, {"L1 tricky", 1, false, true, 3, 1000},
        {"L1 r=18", 1, false, false, 18, 1000},    {"L1 r=24", 1, false, false, 24, 1000},
        {"L1 r=64", 1, false, false, 64, 1000},    {"rand r=24", kPages, false, false, 24, 1000},
    };
    std::vector<Kernel> all = kernels();
    Memory memory;
    fill(memory);
    make_tricky(memory, kTrickyPage);

    std::mt19937_64 random(1);
    std::printf("ns a leaf of 400 to 580 fingerprints; the line \"no kernel\" is contained in the others\n");
    time_in_rounds(rounds, all, cases, " %9.0f", [&](const Kernel &kernel, const Case &what) {
        return measure(memory, what, kernel.match, random);
    });
}
