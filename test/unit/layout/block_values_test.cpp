#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/bits/split_mix.hpp"
#include "core/layout/block_values.hpp"

#include "../seed.hpp"
#include "every_design.hpp"

namespace simhash
{
namespace
{

class BlockValuesTest : public SeededTest<2012>
{
protected:
    Fingerprint flipped(Fingerprint fingerprint, int flips)
    {
        for (int i = 0; i < flips; i++)
            fingerprint ^= Fingerprint{1} << below(kBits);
        return fingerprint;
    }
};

std::string name(const BlockValues &values)
{
    return "distance " + std::to_string(values.distance()) + ", trees " + std::to_string(values.trees());
}

const std::vector<BlockValues> &all_values()
{
    static const std::vector<BlockValues> designs = [] {
        std::vector<BlockValues> found;
        BlockValues values;
        for (const TreeDesign &design : every_design())
            if (values.set(design))
                found.push_back(values);
        return found;
    }();
    return designs;
}

TEST_F(BlockValuesTest, OnlyDesignsThatFlipNoBits)
{
    for (const TreeDesign &design : every_design()) {
        BlockValues values;
        EXPECT_EQ(values.set(design), design.trees > design.distance)
            << design.distance << ", " << design.trees;
    }
    EXPECT_GT(all_values().size(), 100u);
}

// Block values are keys of users' partitions and shards: they never change, for any distance and number of trees.
TEST_F(BlockValuesTest, NeverChange)
{
    std::uint64_t designs = 0, values = 0;
    for (const TreeDesign &design : every_design()) {
        designs = hash_next(designs, design.distance * 64u + design.trees);
        for (int i = 0; i < design.blocks; i++)
            designs = hash_next(designs, design.width[i]);
        for (int i = 0; i < design.trees; i++)
            designs = hash_next(designs, header_blocks(design.tree[i]));
    }
    for (const BlockValues &set : all_values())
        for (int tree = 0; tree < set.trees(); tree++)
            for (std::uint64_t n = 1; n <= 10; n++)
                values = hash_next(values, set.value(tree, split_mix_number(7, n)));
    EXPECT_EQ(every_design().size(), 405u);
    EXPECT_EQ(designs, 8113901841599685244u);
    EXPECT_EQ(values, 6292259013077179457u);
}

TEST_F(BlockValuesTest, FourTablesAreSixteenBitsEach)
{
    TreeDesign design;
    BlockValues values;
    ASSERT_TRUE(make_design(3, 4, &design) && values.set(design));
    const Fingerprint h = 0x0123456789abcdef;
    EXPECT_EQ(values.value(0, h), 0x00123u);
    EXPECT_EQ(values.value(1, h), 0x14567u);
    EXPECT_EQ(values.value(2, h), 0x289abu);
    EXPECT_EQ(values.value(3, h), 0x3cdefu);
}

// The longest headers, of 60 bits, leave just enough bits for the number of the tree.
TEST_F(BlockValuesTest, ValuesOfTablesDiffer)
{
    for (const BlockValues &values : all_values()) {
        std::set<std::uint64_t> seen;
        int expected = 0;
        for (const Fingerprint h : {Fingerprint{0}, ~Fingerprint{0}}) {
            for (int tree = 0; tree < values.trees(); tree++, expected++)
                seen.insert(values.value(tree, h));
        }
        EXPECT_EQ(static_cast<int>(seen.size()), expected) << name(values);
    }
}

TEST_F(BlockValuesTest, NearFingerprintsHaveAValueInCommon)
{
    for (const BlockValues &values : all_values()) {
        for (int i = 0; i < 1000; i++) {
            const Fingerprint a = random(), b = flipped(a, below(values.distance() + 1));
            int first = 0;
            while (first < values.trees() && values.value(first, a) != values.value(first, b))
                first++;
            ASSERT_LT(first, values.trees()) << name(values);
            ASSERT_EQ(values.first_common(a, b), first) << name(values);
        }
    }
}

TEST_F(BlockValuesTest, FarFingerprintsMayHaveNone)
{
    for (const BlockValues &values : all_values())
        EXPECT_EQ(values.first_common(0, ~Fingerprint{0}), values.trees()) << name(values);
}

} // namespace
} // namespace simhash
