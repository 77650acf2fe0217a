#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/key_order.hpp"
#include "core/page/leaf_cut.hpp"

#include "../seed.hpp"

namespace simhash
{
namespace
{

template <typename Row> using Rows = std::vector<Row>;

// A row's second word follows from its first and its tid.
std::uint64_t second_word(const Position &position)
{
    return (position.key ^ position.tid << 20) * 0x9E3779B97F4A7C15;
}
void set_second(Position *) {}
void set_second(PairRow *row) { row->second = second_word(*row); }
bool has_second(const Position &) { return true; }
bool has_second(const PairRow &row) { return row.second == second_word(row); }

template <typename Row> struct Runs {
    Rows<Row> row;
    std::vector<int> start;
};

template <typename Row> void take_run(const Row *run, int count, void *context)
{
    auto *runs = static_cast<Runs<Row> *>(context);
    runs->start.push_back(static_cast<int>(runs->row.size()));
    runs->row.insert(runs->row.end(), run, run + count);
}

template <typename Row> Runs<Row> divide(Rows<Row> rows)
{
    Runs<Row> runs;
    Rows<Row> other(rows.size());
    divide_into_runs(rows.data(), other.data(), rows.size(), take_run<Row>, &runs);
    return runs;
}

class LeafCutTest : public SeededTest<17>
{
protected:
    // Calls what(rows) for rows of all kinds, in random order.
    template <typename Row> void for_every_kind(std::function<void(Rows<Row>)> what)
    {
        std::uint64_t clusters[5];
        for (std::uint64_t &cluster : clusters)
            cluster = random();
        const std::pair<const char *, std::function<std::uint64_t(std::uint64_t)>> kinds[] = {
            {"even", [this](std::uint64_t) { return random(); }},
            {"high bits dead", [this](std::uint64_t) { return random() >> 30; }},
            {"low bits dead", [this](std::uint64_t) { return random() << 54; }},
            {"mostly zeros", [this](std::uint64_t) { return random() & random() & random() & random(); }},
            {"clusters", [&](std::uint64_t i) { return clusters[i % 5] ^ (random() & 0x8000000100000007); }},
            {"one with outliers", [this](std::uint64_t i) { return i % 97 == 0 ? random() : 42; }},
            {"all equal", [](std::uint64_t) { return ~std::uint64_t{0}; }},
            {"consecutive", [](std::uint64_t i) { return i / 3; }},
        };
        for (const auto &[name, key] : kinds) {
            for (std::size_t count : {0u, 1u, 128u, 129u, 1000u, 20000u}) {
                SCOPED_TRACE(std::string(name) + ", " + std::to_string(count) + " rows");
                Rows<Row> rows(count);
                for (std::uint64_t i = 0; i < count; i++) {
                    rows[i].key = key(i);
                    rows[i].tid = i / 200 << 16 | (i % 200 + 1);
                    set_second(&rows[i]);
                }
                std::shuffle(rows.begin(), rows.end(), random);
                what(rows);
                if (HasFailure())
                    return;
            }
        }
    }
};

template <typename Row> class RowsTest : public LeafCutTest
{
};
struct RowNames {
    template <typename Row> static std::string GetName(int)
    {
        return kRowWords<Row> == 2 ? "Pairs" : "Positions";
    }
};
using RowTypes = testing::Types<Position, PairRow>;
TYPED_TEST_SUITE(RowsTest, RowTypes, RowNames);

TEST_F(LeafCutTest, BytePermutationIsTheBitPermutation)
{
    std::uint8_t source[kBits];
    std::iota(source, source + kBits, std::uint8_t{0});
    std::shuffle(source, source + kBits, random);
    BitPermutation bits;
    bits.set(source);
    static BytePermutation bytes;
    bytes.set(bits);
    for (int i = 0; i < 1000; i++) {
        std::uint64_t x = random();
        ASSERT_EQ(bytes(x), bits(x));
    }
}

TEST_F(LeafCutTest, DigitsAreBitsOfThePosition)
{
    EXPECT_EQ(first_bit({0, 0}), kPositionBits);
    EXPECT_EQ(first_bit({std::uint64_t{1} << 63, 0}), 0);
    EXPECT_EQ(first_bit({1, ~std::uint64_t{0}}), 63);
    EXPECT_EQ(first_bit({0, std::uint64_t{1} << 47}), 64);
    EXPECT_EQ(first_bit({0, 1}), kPositionBits - 1);
    for (int first = 0; first < kPositionBits; first++) {
        for (int width = 0; width <= 11; width++) {
            Digit digit = make_digit(first, width);
            ASSERT_EQ(digit.width, std::min(width, (first < 64 ? 64 : kPositionBits) - first));
            Position position = {random(), random() >> 16};
            std::string bits;
            for (int i = 63; i >= 0; i--)
                bits += position.key >> i & 1 ? '1' : '0';
            for (int i = 47; i >= 0; i--)
                bits += position.tid >> i & 1 ? '1' : '0';
            std::string expected =
                "0" + bits.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(digit.width));
            ASSERT_EQ(digit(position), std::stoul(expected, nullptr, 2)) << first << " " << width;
        }
    }
}

TYPED_TEST(RowsTest, RunsAreInOrder)
{
    this->template for_every_kind<TypeParam>([](Rows<TypeParam> rows) {
        Runs<TypeParam> runs = divide(rows);
        ASSERT_EQ(runs.row.size(), rows.size());
        Position before = {0, 0};
        for (std::size_t i = 0; i < runs.start.size(); i++) {
            auto begin = runs.row.begin() + runs.start[i],
                 end = i + 1 < runs.start.size() ? runs.row.begin() + runs.start[i + 1] : runs.row.end();
            ASSERT_GT(end - begin, 0);
            ASSERT_LE(end - begin, static_cast<std::ptrdiff_t>(kRunRows));
            ASSERT_LT(before, *std::min_element(begin, end));
            before = *std::max_element(begin, end);
        }
        std::sort(rows.begin(), rows.end());
        std::sort(runs.row.begin(), runs.row.end());
        ASSERT_TRUE(rows == runs.row);
        for (const TypeParam &row : runs.row)
            ASSERT_TRUE(has_second(row));
    });
}

TYPED_TEST(RowsTest, RepeatedRowsComeToAnEnd)
{
    TypeParam row = {};
    row.key = 5;
    row.tid = 7;
    Runs<TypeParam> runs = divide(Rows<TypeParam>(1000, row));
    EXPECT_EQ(runs.row.size(), 1000u);
}

// Leaf after leaf, as in a build.
TYPED_TEST(RowsTest, CutsAreThoseOfSortedRows)
{
    this->template for_every_kind<TypeParam>([](Rows<TypeParam> rows) {
        for (int fill : {290, 522, 580}) {
            Runs<TypeParam> runs = divide(rows);
            Rows<TypeParam> sorted = rows;
            std::sort(sorted.begin(), sorted.end());
            int low = fill * 85 / 100;
            std::size_t from = 0, next_run = 0;
            Rows<TypeParam> wait;
            std::vector<int> start;
            while (sorted.size() - from > static_cast<std::size_t>(fill)) {
                // As many runs as necessary, in their order.
                while (wait.size() <= static_cast<std::size_t>(fill)) {
                    start.push_back(static_cast<int>(wait.size()));
                    auto begin = runs.row.begin() + runs.start[next_run++];
                    auto end = next_run < runs.start.size() ? runs.row.begin() + runs.start[next_run]
                                                            : runs.row.end();
                    wait.insert(wait.end(), begin, end);
                }
                Position bound, expected_bound;
                int cut = choose_cut(wait.data(), static_cast<int>(wait.size()), start.data(),
                                     static_cast<int>(start.size()), low, fill, &bound);
                int expected = choose_cut(sorted.data() + from, low, fill, &expected_bound);
                ASSERT_EQ(cut, expected);
                ASSERT_EQ(bound, expected_bound);
                auto right = sorted.begin() + static_cast<std::ptrdiff_t>(from) + cut;
                ASSERT_LT(*(right - 1), bound);
                ASSERT_LE(bound, *right);
                std::sort(wait.begin(), wait.begin() + cut);
                ASSERT_TRUE(std::equal(wait.begin(), wait.begin() + cut,
                                       sorted.begin() + static_cast<std::ptrdiff_t>(from)));
                ASSERT_TRUE(std::all_of(wait.begin(), wait.begin() + cut,
                                        [](const TypeParam &row) { return has_second(row); }));
                from += static_cast<std::size_t>(cut);
                int end = static_cast<int>(wait.size());
                wait.erase(wait.begin(), wait.begin() + cut);
                std::vector<int> rest;
                for (std::size_t i = 0; i < start.size(); i++) {
                    if ((i + 1 < start.size() ? start[i + 1] : end) > cut)
                        rest.push_back(std::max(start[i] - cut, 0));
                }
                start = rest;
            }
        }
    });
}

} // namespace
} // namespace simhash
