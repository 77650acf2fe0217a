#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/layout/tree_design.hpp"

#include "../seed.hpp"
#include "every_design.hpp"

namespace simhash
{
namespace
{

using TableDesignTest = SeededTest<2007>;

std::string name(const TableDesign &design)
{
    return "distance " + std::to_string(design.distance) + ", tables " + std::to_string(design.tables);
}

std::vector<int> sorted_headers(const TableDesign &design)
{
    std::vector<int> bits;
    for (int t = 0; t < design.tables; t++)
        bits.push_back(design.table[t].header_bits);
    std::sort(bits.begin(), bits.end());
    return bits;
}

int shortest_header(const TableDesign &design) { return sorted_headers(design)[0]; }

// The most errors that must miss a header.
int promise(const TableDesign &design) { return std::min<int>(design.distance, design.tables - 1); }

// The bits of each header, from orders and widths alone.
std::vector<std::uint64_t> header_masks(const TableDesign &design)
{
    std::vector<std::uint64_t> block;
    for (int i = 0, at = 0; i < design.blocks; i++) {
        std::uint64_t mask = 0;
        for (int j = 0; j < design.width[i]; j++)
            mask |= std::uint64_t{1} << (63 - at++);
        block.push_back(mask);
    }
    std::vector<std::uint64_t> masks;
    for (int t = 0; t < design.tables; t++) {
        std::uint64_t mask = 0;
        for (int i = 0; i < design.table[t].header_blocks; i++)
            mask |= block[design.table[t].order[i]];
        masks.push_back(mask);
    }
    return masks;
}

bool misses_one(const std::vector<std::uint64_t> &headers, std::uint64_t errors)
{
    return std::any_of(headers.begin(), headers.end(),
                       [errors](std::uint64_t header) { return (header & errors) == 0; });
}

// By brute force: no set of blocks of the promised size, and so no smaller one, meets all headers.
bool keeps_promise(const TableDesign &design)
{
    std::vector<std::uint32_t> headers;
    for (int t = 0; t < design.tables; t++) {
        std::uint32_t set = 0;
        for (int i = 0; i < design.table[t].header_blocks; i++)
            set |= 1u << design.table[t].order[i];
        headers.push_back(set);
    }
    int size = std::min<int>(promise(design), design.blocks);
    for (std::uint32_t errors = 0; errors < 1u << design.blocks; errors++) {
        if (std::popcount(errors) == size &&
            std::none_of(headers.begin(), headers.end(),
                         [errors](auto header) { return (header & errors) == 0; }))
            return false;
    }
    return true;
}

// The properties that users of a design rely on.
bool can_be_used(const TableDesign &design)
{
    int bits = 0;
    for (int i = 0; i < design.blocks; i++)
        bits += design.width[i];
    if (bits != 64 || std::count(design.width, design.width + design.blocks, 0) > 0)
        return false;
    for (int t = 0; t < design.tables; t++) {
        const DesignTable &table = design.table[t];
        std::vector<int> order(table.order, table.order + design.blocks);
        std::sort(order.begin(), order.end());
        for (int i = 0; i < design.blocks; i++) {
            if (order[static_cast<std::size_t>(i)] != i)
                return false;
        }
        int header = 0;
        for (int i = 0; i < table.header_blocks; i++)
            header += design.width[table.order[i]];
        if (table.header_blocks > design.blocks || header != table.header_bits)
            return false;
    }
    int block = 0, table = 0;
    for (int i = 0; i < design.regions; i++) {
        const DesignRegion &region = design.region[i];
        if (region.first_block != block || region.first_table != table)
            return false;
        block += region.blocks;
        table += region.tables;
    }
    return block == design.blocks && table == design.tables && keeps_promise(design);
}

long choose(int n, int k)
{
    long result = 1;
    for (int i = 0; i < k; i++)
        result = result * (n - i) / (i + 1);
    return result;
}

// A region of b blocks that spares c needs length * b / (b - c) bits if each header is to have `length` of
// them, all blocks being equally wide. least[units][tables] is the least sum of b / (b - c) over the regions,
// of any design with that many: 64 / least is the length of the best design's headers, up to rounding.
struct LeastSums {
    double least[kMaxDistance + 2][kMaxTables + 1];

    LeastSums()
    {
        static double best[kMaxDistance + 2][kMaxTables + 1][kMaxBlocks + 1];
        std::fill(&best[0][0][0], &best[0][0][0] + sizeof(best) / sizeof(double), HUGE_VAL);
        best[0][0][0] = 0;
        for (int b = 1; b <= kMaxBlocks; b++) {
            for (int c = 0; c < b; c++) {
                // Repeatedly: with none, one, two of these regions.
                for (int u = c + 1; u <= kMaxDistance + 1; u++) {
                    for (long t = choose(b, c); t <= kMaxTables; t++) {
                        for (int n = b; n <= kMaxBlocks; n++) {
                            double with = best[u - c - 1][t - choose(b, c)][n - b] + 1.0 * b / (b - c);
                            best[u][t][n] = std::min(best[u][t][n], with);
                        }
                    }
                }
            }
        }
        for (int u = 0; u <= kMaxDistance + 1; u++) {
            for (int t = 0; t <= kMaxTables; t++)
                least[u][t] = *std::min_element(best[u][t], best[u][t] + kMaxBlocks + 1);
        }
    }
};

double sum_of(const TableDesign &design)
{
    double sum = 0;
    for (int i = 0; i < design.regions; i++)
        sum += 1.0 * design.region[i].blocks / (design.region[i].blocks - design.region[i].spared);
    return sum;
}

// The greatest possible length of the shortest header in the regions of this design, in whole bits: the bits
// of each region are divided evenly.
int longest_possible(const TableDesign &design)
{
    for (int length = 64;; length--) {
        int used = 0;
        for (int i = 0; i < design.regions; i++) {
            int b = design.region[i].blocks, c = design.region[i].spared, bits = b;
            while ((b - c) * (bits / b) + std::max(0, bits % b - c) < length)
                bits++;
            used += bits;
        }
        if (used <= 64)
            return length;
    }
}

TEST_F(TableDesignTest, HeaderLengthsForDistanceThree)
{
    const struct {
        int tables, shortest;
    } cases[] = {{1, 64}, {2, 32}, {3, 21}, {4, 16}, {5, 18}, {6, 21}, {7, 22}, {8, 24}, {10, 25}, {20, 31}};
    for (const auto &c : cases) {
        TableDesign design;
        ASSERT_TRUE(make_design(3, c.tables, &design)) << c.tables;
        EXPECT_EQ(design.tables, c.tables);
        EXPECT_EQ(design.distance, 3);
        EXPECT_EQ(shortest_header(design), c.shortest) << c.tables << " tables";
    }
    TableDesign design;
    ASSERT_TRUE(make_design(3, 4, &design));
    EXPECT_EQ(design.blocks, 4);
    EXPECT_EQ(sorted_headers(design), std::vector<int>(4, 16));
    for (int i = 0; i < 4; i++)
        EXPECT_EQ(design.width[i], 16);
}

TEST_F(TableDesignTest, EveryDesignPassesItsCheck)
{
    EXPECT_GE(every_design().size(), 402u);
    for (const TableDesign &design : every_design()) {
        ASSERT_TRUE(check_design(design)) << name(design);
        ASSERT_TRUE(can_be_used(design)) << name(design);
    }
}

TEST_F(TableDesignTest, FindsTheBestRegions)
{
    const LeastSums best;
    for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
        for (int tables = 1; tables <= kMaxTables; tables++) {
            double least = best.least[tables <= distance ? tables : distance + 1][tables];
            TableDesign design;
            bool made = make_design(distance, tables, &design);
            EXPECT_EQ(made, std::isfinite(least)) << "distance " << distance << ", tables " << tables;
            if (made) {
                EXPECT_NEAR(sum_of(design), least, 1e-9) << name(design);
            }
        }
    }
}

TEST_F(TableDesignTest, RoundingLosesNoBits)
{
    for (const TableDesign &design : every_design())
        EXPECT_EQ(shortest_header(design), longest_possible(design)) << name(design);
}

// Every block should come first in some table if possible: the first bits of each table are looked up in
// full.
TEST_F(TableDesignTest, BlocksTakeTurnsToLead)
{
    for (int tables : {4, 5, 6, 7, 8, 10, 20}) {
        TableDesign design;
        ASSERT_TRUE(make_design(3, tables, &design));
        std::uint32_t lead = 0;
        for (int t = 0; t < design.tables; t++)
            lead |= 1u << design.table[t].order[0];
        EXPECT_EQ(std::popcount(lead), std::min<int>(design.blocks, tables)) << tables;
    }
}

TEST_F(TableDesignTest, EverySetOfFewBitsMissesAHeader)
{
    for (const TableDesign &design : every_design()) {
        std::vector<std::uint64_t> headers = header_masks(design);
        for (int t = 0; t < design.tables; t++)
            ASSERT_EQ(std::popcount(headers[static_cast<std::size_t>(t)]), design.table[t].header_bits);

        int most = promise(design);
        if (most <= 3) {
            // Fewer bits than `most` are the same bit twice.
            for (int a = 0; a < 64; a++) {
                for (int b = most < 2 ? a : 0; b <= a; b++) {
                    for (int c = most < 3 ? b : 0; c <= b; c++) {
                        std::uint64_t errors = most == 0 ? 0 : 1ull << a | 1ull << b | 1ull << c;
                        ASSERT_TRUE(misses_one(headers, errors)) << name(design) << std::hex << errors;
                    }
                }
            }
            continue;
        }
        for (int i = 0; i < 1000; i++) {
            std::uint64_t errors = 0;
            while (std::popcount(errors) < most) {
                // Half of the time anywhere, otherwise into a header that is still missed.
                std::uint64_t where = headers[static_cast<std::size_t>(below(design.tables))];
                if (i % 2 == 0 || (where & errors) != 0)
                    where = ~std::uint64_t{0};
                std::uint64_t bit = std::uint64_t{1} << below(64);
                if (where & bit)
                    errors |= bit;
            }
            ASSERT_TRUE(misses_one(headers, errors)) << name(design) << std::hex << errors;
        }
    }
}

TEST_F(TableDesignTest, MoreErrorsThanPromisedMeetEveryHeader)
{
    for (const TableDesign &design : every_design()) {
        TableDesign more = design;
        more.distance++;
        // With few enough tables for disjoint headers any distance is possible.
        bool disjoint = design.tables <= more.distance;
        EXPECT_EQ(check_design(more), disjoint && more.distance <= kMaxDistance) << name(design);
        EXPECT_TRUE(disjoint || !keeps_promise(more)) << name(design);
        TableDesign less = design;
        less.distance--;
        EXPECT_EQ(check_design(less), less.distance >= kMinDistance) << name(design);
    }
}

TEST_F(TableDesignTest, RefusesWhatDoesNotExist)
{
    TableDesign design;
    for (int distance : {INT_MIN, -1, 0, 16, 17, 255, 256, INT_MAX}) {
        for (int tables : {INT_MIN, -1, 0, 1, 4, 32, 33, INT_MAX})
            EXPECT_FALSE(make_design(distance, tables, &design)) << distance << ' ' << tables;
    }
    for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
        for (int tables : {INT_MIN, -1, 0, 33, 64, 256, 257, INT_MAX})
            EXPECT_FALSE(make_design(distance, tables, &design)) << distance << ' ' << tables;
        for (int tables = 1; tables <= default_tables(distance); tables++)
            EXPECT_TRUE(make_design(distance, tables, &design)) << distance << ' ' << tables;
    }
    for (int tables = 17; tables <= kMaxTables; tables++) { // one region of at most 16 blocks
        EXPECT_FALSE(make_design(1, tables, &design)) << tables;
        EXPECT_FALSE(make_design(15, tables, &design)) << tables;
    }
}

// The metapage holds a design as it is.
TEST_F(TableDesignTest, EveryByteIsSet)
{
    for (const TableDesign &design : every_design()) {
        TableDesign again;
        std::memset(&again, 0xAA, sizeof(again));
        ASSERT_TRUE(make_design(design.distance, design.tables, &again));
        ASSERT_EQ(std::memcmp(&design, &again, sizeof(design)), 0) << name(design);
    }
}

TEST_F(TableDesignTest, AlteredDesignsFail)
{
    for (const TableDesign &design : every_design()) {
        SCOPED_TRACE(name(design));
        auto expect_bad = [&design](const char *what, auto &&alter) {
            TableDesign bad = design;
            alter(&bad);
            EXPECT_FALSE(check_design(bad)) << what;
        };
        for (int i = 0; i < 8; i++) {
            int t = below(design.tables), b = below(design.blocks), r = below(design.regions);
            int header = design.table[t].header_blocks, other = (t + 1) % design.tables;
            expect_bad("a wider block", [b](TableDesign *d) { d->width[b]++; });
            expect_bad("a narrower block", [b](TableDesign *d) { d->width[b]--; });
            expect_bad("no width", [b](TableDesign *d) { d->width[b] = 0; });
            expect_bad("longer header", [t](TableDesign *d) { d->table[t].header_bits++; });
            expect_bad("shorter header", [t](TableDesign *d) { d->table[t].header_bits--; });
            expect_bad("more header", [t](TableDesign *d) { d->table[t].header_blocks++; });
            expect_bad("less header", [t](TableDesign *d) { d->table[t].header_blocks--; });
            expect_bad("no such block", [t, b](TableDesign *d) { d->table[t].order[b] = d->blocks; });
            expect_bad("block 255", [t, b](TableDesign *d) { d->table[t].order[b] = 255; });
            expect_bad("region", [r](TableDesign *d) { d->region[r].first_block++; });
            expect_bad("region", [r](TableDesign *d) { d->region[r].first_table++; });
            expect_bad("region", [r](TableDesign *d) { d->region[r].blocks++; });
            expect_bad("region", [r](TableDesign *d) { d->region[r].blocks--; });
            expect_bad("region", [r](TableDesign *d) { d->region[r].tables++; });
            expect_bad("region", [r](TableDesign *d) { d->region[r].tables--; });
            expect_bad("region", [r](TableDesign *d) { d->region[r].spared++; });
            expect_bad("region", [r](TableDesign *d) { d->region[r].spared--; });
            if (design.blocks > 1) {
                int c = (b + 1 + below(design.blocks - 1)) % design.blocks;
                expect_bad("a moved bit", [b, c](TableDesign *d) {
                    d->width[b]--;
                    d->width[c]++;
                });
                expect_bad("a block twice",
                           [=](TableDesign *d) { d->table[t].order[b] = d->table[t].order[c]; });
                int in = below(header), out = header + below(design.blocks - header);
                expect_bad("another header", [t, in, out](TableDesign *d) {
                    std::swap(d->table[t].order[in], d->table[t].order[out]);
                });
            }
            if (design.tables > 1) {
                expect_bad("a header twice", [t, other](TableDesign *d) { d->table[t] = d->table[other]; });
                expect_bad("a table dropped", [t](TableDesign *d) {
                    std::copy(d->table + t + 1, d->table + d->tables, d->table + t);
                    d->tables--;
                });
            }
        }
        expect_bad("no tables", [](TableDesign *d) { d->tables = 0; });
        expect_bad("a table less", [](TableDesign *d) { d->tables--; });
        expect_bad("a table more", [](TableDesign *d) { d->tables++; });
        expect_bad("many tables", [](TableDesign *d) { d->tables = 255; });
        expect_bad("no blocks", [](TableDesign *d) { d->blocks = 0; });
        expect_bad("a block less", [](TableDesign *d) { d->blocks--; });
        expect_bad("a block more", [](TableDesign *d) { d->blocks++; });
        expect_bad("many blocks", [](TableDesign *d) { d->blocks = 255; });
        expect_bad("no regions", [](TableDesign *d) { d->regions = 0; });
        expect_bad("a region less", [](TableDesign *d) { d->regions--; });
        expect_bad("a region more", [](TableDesign *d) { d->regions++; });
        expect_bad("many regions", [](TableDesign *d) { d->regions = 255; });
        expect_bad("no distance", [](TableDesign *d) { d->distance = 0; });
        expect_bad("a distance of 16", [](TableDesign *d) { d->distance = 16; });
        expect_bad("a distance of 255", [](TableDesign *d) { d->distance = 255; });
        if (HasFailure())
            return;
    }
    TableDesign zero = {};
    EXPECT_FALSE(check_design(zero));
}

// Altered in two places that agree with each other.
TEST_F(TableDesignTest, ConsistentlyAlteredDesignsFail)
{
    auto set_header_bits = [](TableDesign *design) {
        for (int t = 0; t < design->tables; t++) {
            design->table[t].header_bits = 0;
            for (int i = 0; i < design->table[t].header_blocks; i++)
                design->table[t].header_bits += design->width[design->table[t].order[i]];
        }
    };
    int incomplete = 0;
    for (const TableDesign &design : every_design()) {
        SCOPED_TRACE(name(design));
        int b = below(design.blocks);
        TableDesign bad = design;
        bad.width[b]++;
        set_header_bits(&bad);
        EXPECT_FALSE(check_design(bad)) << "65 bits";
        bad.width[b] -= 2;
        set_header_bits(&bad);
        EXPECT_FALSE(check_design(bad)) << "63 bits";
        if (design.blocks > 1) {
            bad.width[(b + 1) % design.blocks] += bad.width[b] + 1;
            bad.width[b] = 0;
            set_header_bits(&bad);
            EXPECT_FALSE(check_design(bad)) << "a block of no bits";
        }

        // The headers are all there, but not where their regions say.
        bad = design;
        if (design.regions > 1) {
            std::swap(bad.table[0], bad.table[design.tables - 1]);
            EXPECT_TRUE(keeps_promise(bad));
            EXPECT_FALSE(check_design(bad)) << "headers of two regions swapped";
        }

        // A table without a header finds everything, but no design has one.
        bad = design;
        DesignRegion *last = &bad.region[design.regions - 1];
        if (last->tables == 1) {
            last->spared = last->blocks;
            bad.table[design.tables - 1].header_blocks = bad.table[design.tables - 1].header_bits = 0;
            EXPECT_FALSE(check_design(bad)) << "no header";
        }

        // A region without one of its tables may handle one error, but not all that a search plan expects of
        // it.
        bad = design;
        if (last->tables > 1) {
            bad.distance = 1;
            ASSERT_TRUE(check_design(bad));
            bad.table[design.tables - 1] = bad.table[design.tables - 2];
            incomplete += keeps_promise(bad);
            EXPECT_FALSE(check_design(bad)) << "a header twice";
            last->tables--;
            bad.tables--;
            EXPECT_FALSE(check_design(bad)) << "a header is missing";
        }
        if (HasFailure())
            return;
    }
    EXPECT_GT(incomplete, 50);
}

// Other orders inside the header and after it are as good.
TEST_F(TableDesignTest, OrderInsideTheHeaderIsFree)
{
    for (TableDesign design : every_design()) {
        for (int t = 0; t < design.tables; t++) {
            std::uint8_t *order = design.table[t].order, *rest = order + design.table[t].header_blocks;
            std::uint32_t header = header_blocks(design.table[t]);
            std::shuffle(order, rest, random);
            std::shuffle(rest, order + design.blocks, random);
            ASSERT_EQ(header_blocks(design.table[t]), header);
        }
        ASSERT_TRUE(check_design(design)) << name(design);
    }
}

// Any bytes that pass the check are a usable and correct design.
TEST_F(TableDesignTest, RandomBytes)
{
    std::vector<TableDesign> designs;
    std::copy_if(every_design().begin(), every_design().end(), std::back_inserter(designs),
                 [](const TableDesign &design) { return design.blocks <= 8; });
    int accepted = 0, refused = 0;
    for (int i = 0; i < 100000; i++) {
        TableDesign design = designs[static_cast<std::size_t>(below(static_cast<int>(designs.size())))];
        auto *bytes = reinterpret_cast<unsigned char *>(&design);
        int used = static_cast<int>(offsetof(TableDesign, table) + design.tables * sizeof(DesignTable));
        for (int n = 1 + below(4); n > 0; n--) {
            unsigned char *byte =
                bytes + below(below(2) ? used : static_cast<int>(offsetof(TableDesign, table)));
            switch (below(4)) {
            case 0:
                *byte = static_cast<unsigned char>(random());
                break;
            case 1:
                *byte = static_cast<unsigned char>(*byte ^ 1 << below(8));
                break;
            case 2:
                *byte = static_cast<unsigned char>(below(20));
                break;
            case 3:
                std::swap(*byte, bytes[below(used)]);
                break;
            }
        }
        if (check_design(design)) {
            ASSERT_TRUE(can_be_used(design)) << name(design);
            accepted++;
        } else {
            refused++;
        }
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 1000);

    for (int i = 0; i < 20000; i++) {
        TableDesign design;
        std::generate_n(reinterpret_cast<unsigned char *>(&design), sizeof(design),
                        [this] { return static_cast<unsigned char>(random()); });
        ASSERT_FALSE(check_design(design));
    }
}

} // namespace
} // namespace simhash
