#include <algorithm>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/kernels/pair_match.hpp"

#include "../seed.hpp"
#include "levels.hpp"

namespace simhash
{
namespace
{

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Fingerprints right before a page that must not be touched: AddressSanitizer does not see every vector
// instruction.
class GuardedRows
{
public:
    explicit GuardedRows(const std::vector<Fingerprint> &rows)
        : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
          room_((rows.size() * sizeof(Fingerprint) + page_) / page_ * page_)
    {
        void *memory = mmap(nullptr, room_ + page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(memory, MAP_FAILED);
        memory_ = static_cast<char *>(memory);
        EXPECT_EQ(mprotect(memory_, room_, PROT_READ | PROT_WRITE), 0);
        std::copy(rows.begin(), rows.end(), rows_of(rows.size()));
    }
    GuardedRows(const GuardedRows &) = delete;
    ~GuardedRows() { munmap(memory_, room_ + page_); }

    Fingerprint *rows_of(std::size_t count)
    {
        return reinterpret_cast<Fingerprint *>(memory_ + room_) - count;
    }

private:
    std::size_t page_, room_;
    char *memory_;
};

int naive_distance(Fingerprint a, Fingerprint b)
{
    int distance = 0;
    for (Fingerprint x = a ^ b; x != 0; x >>= 1)
        distance += x & 1;
    return distance;
}

class PairMatchTest : public SeededTest<513>
{
protected:
    std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random() % n); }

    // Rows at all distances from each other, some of them equal.
    std::vector<Fingerprint> make_rows(std::size_t count)
    {
        std::vector<Fingerprint> rows;
        Fingerprint center = random();
        for (std::size_t i = 0; i < count; i++) {
            Fingerprint row = below(8) == 0 ? random() : center;
            for (std::uint32_t flips = below(8); flips > 0; flips--)
                row ^= Fingerprint{1} << below(64);
            rows.push_back(row);
        }
        return rows;
    }

    // Runs of 0 to `longest` rows. They may overlap, which the kernels allow.
    RowRun make_run(std::size_t rows, std::size_t longest)
    {
        std::uint32_t begin = below(rows + 1);
        return {begin, std::min(begin + below(longest + 1), static_cast<std::uint32_t>(rows))};
    }
};

Pairs naive_within(const std::vector<Fingerprint> &rows, const std::vector<RowRun> &runs, int radius)
{
    Pairs pairs;
    for (RowRun run : runs) {
        for (std::uint32_t x = run.begin; x < run.end; x++) {
            for (std::uint32_t y = x + 1; y < run.end; y++) {
                if (naive_distance(rows[x], rows[y]) <= radius)
                    pairs.emplace_back(x, y);
            }
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

Pairs naive_between(const std::vector<Fingerprint> &xs, const std::vector<Fingerprint> &ys,
                    const std::vector<RunPair> &runs, int radius)
{
    Pairs pairs;
    for (const RunPair &run : runs) {
        for (std::uint32_t x = run.x.begin; x < run.x.end; x++) {
            for (std::uint32_t y = run.y.begin; y < run.y.end; y++) {
                if (naive_distance(xs[x], ys[y]) <= radius)
                    pairs.emplace_back(x, y);
            }
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// Calls a kernel until it is done, with exactly this much room, and checks that it does not exceed it.
template <typename Kernel> Pairs collect(std::size_t runs, std::size_t room, Kernel kernel)
{
    std::vector<RowPair> found(room + 1, {0xDEAD, 0xBEEF});
    Pairs pairs;
    MatchCursor cursor = {};
    do {
        std::size_t count = kernel(&cursor, found.data());
        EXPECT_LE(count, room);
        EXPECT_EQ(found[room].x, 0xDEADu);
        // It stops only for lack of room.
        if (cursor.run < runs) {
            EXPECT_GT(count + kLeastRoom, room);
        }
        for (std::size_t i = 0; i < count; i++)
            pairs.emplace_back(found[i].x, found[i].y);
    } while (cursor.run < runs && !testing::Test::HasFailure());
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

void expect_within(const std::vector<Fingerprint> &rows, const std::vector<RowRun> &runs, int radius)
{
    Pairs expected = naive_within(rows, runs, radius);
    GuardedRows memory(rows);
    for (const Level &level : levels()) {
        const PairMatch &match = pair_match(level.level);
        for (std::size_t room : {kLeastRoom, kLeastRoom + 5, std::size_t{10000}}) {
            Pairs found = collect(runs.size(), room, [&](MatchCursor *cursor, RowPair *pairs) {
                return match.within(memory.rows_of(rows.size()), runs.data(), runs.size(), radius, cursor,
                                    pairs, room);
            });
            ASSERT_EQ(found, expected) << level.name << ", " << rows.size() << " rows, " << runs.size()
                                       << " runs, radius " << radius << ", room " << room;
        }
    }
}

void expect_between(const std::vector<Fingerprint> &xs, const std::vector<Fingerprint> &ys,
                    const std::vector<RunPair> &runs, int radius)
{
    Pairs expected = naive_between(xs, ys, runs, radius);
    GuardedRows x_memory(xs), y_memory(ys);
    for (const Level &level : levels()) {
        const PairMatch &match = pair_match(level.level);
        for (std::size_t room : {kLeastRoom, kLeastRoom + 5, std::size_t{10000}}) {
            Pairs found = collect(runs.size(), room, [&](MatchCursor *cursor, RowPair *pairs) {
                return match.between(x_memory.rows_of(xs.size()), y_memory.rows_of(ys.size()), runs.data(),
                                     runs.size(), radius, cursor, pairs, room);
            });
            ASSERT_EQ(found, expected) << level.name << ", " << xs.size() << " and " << ys.size() << " rows, "
                                       << runs.size() << " runs, radius " << radius << ", room " << room;
        }
    }
}

TEST_F(PairMatchTest, LevelsOfThisCpu)
{
    for (std::size_t i = 1; i < levels().size(); i++) {
        EXPECT_NE(&pair_match(levels()[i].level), &pair_match(levels()[i - 1].level));
        EXPECT_NE(pair_match(levels()[i].level).within, pair_match(levels()[i - 1].level).within);
        EXPECT_NE(pair_match(levels()[i].level).between, pair_match(levels()[i - 1].level).between);
        EXPECT_GT(pair_match(levels()[i].level).nanoseconds, 0);
    }
}

TEST_F(PairMatchTest, Nothing)
{
    expect_within({}, {}, 3);
    expect_between({}, {}, {}, 3);
    expect_within(make_rows(3), {{0, 0}, {1, 1}, {2, 3}, {3, 3}}, 64);
    expect_between(make_rows(3), make_rows(3), {{{0, 0}, {0, 3}}, {{0, 3}, {2, 2}}, {{3, 3}, {3, 3}}}, 64);
}

// One run of each length, up to the last row of the memory.
TEST_F(PairMatchTest, EveryLength)
{
    for (std::uint32_t length = 0; length <= 70; length++) {
        std::vector<Fingerprint> rows = make_rows(length);
        int radius = static_cast<int>(below(65));
        expect_within(rows, {{0, length}}, 3);
        expect_within(rows, {{0, length}}, radius);
        std::uint32_t other = below(40);
        std::vector<Fingerprint> others = make_rows(other);
        expect_between(rows, others, {{{0, length}, {0, other}}}, 3);
        expect_between(others, rows, {{{0, other}, {0, length}}}, radius);
        if (HasFailure())
            return;
    }
}

TEST_F(PairMatchTest, EveryRadius)
{
    for (int radius = 0; radius <= 64; radius++) {
        std::vector<Fingerprint> rows, others;
        for (int i = 0; i < 12; i++) { // pairs just inside and just outside
            Fingerprint row = random(), errors = 0;
            int distance = std::clamp(radius + static_cast<int>(below(3)) - 1, 0, 64);
            while (std::popcount(errors) < distance)
                errors |= Fingerprint{1} << below(64);
            rows.push_back(row);
            rows.push_back(row ^ errors);
            others.push_back(row ^ errors);
        }
        expect_within(rows, {{0, 24}}, radius);
        expect_between(rows, others, {{{0, 24}, {0, 12}}}, radius);
        if (HasFailure())
            return;
    }
}

TEST_F(PairMatchTest, ListsOfRuns)
{
    for (int round = 0; round < 40; round++) {
        std::vector<Fingerprint> xs = make_rows(1 + below(300)), ys = make_rows(1 + below(300));
        std::vector<RowRun> runs;
        std::vector<RunPair> pairs;
        std::size_t longest = round % 4 == 0 ? 60 : 9;
        for (std::uint32_t i = below(30); i > 0; i--) {
            runs.push_back(make_run(xs.size(), longest));
            pairs.push_back({make_run(xs.size(), longest), make_run(ys.size(), longest)});
        }
        int radius = static_cast<int>(below(12));
        expect_within(xs, runs, radius);
        expect_between(xs, ys, pairs, radius);
        expect_between(xs, xs, pairs.empty() ? pairs : std::vector<RunPair>{{{0, 1}, {0, 1}}}, radius);
        if (HasFailure())
            return;
    }
}

// Rows that differ in the same bits of both halves: their XOR does not tell that they differ.
TEST_F(PairMatchTest, SameErrorsInBothHalves)
{
    for (int radius = 0; radius <= 8; radius++) {
        std::vector<Fingerprint> rows;
        Fingerprint center = random();
        for (int i = 0; i < 100; i++) {
            Fingerprint errors = 0;
            for (std::uint32_t flips = below(4); flips > 0; flips--)
                errors |= Fingerprint{1} << below(32);
            rows.push_back(center ^ errors ^ errors << 32 ^ Fingerprint{below(3) == 0} << below(64));
        }
        expect_within(rows, {{0, 100}, {3, 40}}, radius);
        expect_between(rows, rows, {{{0, 100}, {0, 100}}, {{50, 90}, {7, 38}}}, radius);
    }
}

// Runs on both sides of the length up to which rows are folded.
TEST_F(PairMatchTest, LongRuns)
{
    std::vector<Fingerprint> rows;
    for (int i = 0; i < 4200; i++)
        rows.push_back(random() & 0xF000'0000'0F0F'0000);
    for (std::uint32_t length : {4095u, 4096u, 4097u, 4200u}) {
        expect_between(rows, rows, {{{0, 3}, {4200 - length, 4200}}}, 3);
        expect_between(rows, rows, {{{0, 3}, {0, length}}, {{5, 6}, {0, 20}}}, 0);
    }
}

// The rows behind a run resemble those in it, and have equal halves, as the zeros that follow a folded run.
TEST_F(PairMatchTest, RowsBehindARun)
{
    const std::vector<Fingerprint> same(200, 0);
    for (std::uint32_t end = 90; end < 110; end++) {
        expect_within(same, {{0, end}}, 3);
        expect_between(same, same, {{{0, 3}, {0, end}}}, 0);
    }
}

// Everything matches: the longest answer, interrupted at every place where room can run out.
TEST_F(PairMatchTest, AllMatch)
{
    for (std::uint32_t length : {2u, 9u, 33u, 64u, 100u}) {
        std::vector<Fingerprint> same(length, 5);
        expect_within(same, {{0, length}, {0, length}}, 0);
        expect_between(same, same, {{{0, length}, {0, length}}, {{1, length}, {0, length - 1}}}, 0);
    }
}

} // namespace
} // namespace simhash
