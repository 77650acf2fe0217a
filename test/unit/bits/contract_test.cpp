#include <gtest/gtest.h>

#include "core/bits/contract.hpp"
#include "core/bits/signature.hpp"
#include "core/page/leaf.hpp"

namespace simhash
{
namespace
{

TEST(ContractDeathTest, BrokenContractEndsTheProgram)
{
    EXPECT_DEATH(SIMHASH_ASSERT(1 + 1 == 3), "contract broken: 1 \\+ 1 == 3");
    SIMHASH_ASSERT(1 + 1 == 2);
}

TEST(ContractDeathTest, LeafTakesEntry)
{
    constexpr std::size_t kPageSize = 8192;
    alignas(8) char page[kPageSize];
    init_page(page, kPageSize, 0, 0);
    const LeafEntry entry = {{{5, 0}}, 1};
    while (leaf_takes(page, entry))
        leaf_add(page, entry);
    EXPECT_DEATH(leaf_add(page, entry), "contract broken: leaf_takes");
}

TEST(ContractDeathTest, SignaturesHaveOneLength)
{
    const std::uint8_t bytes[16] = {};
    const SignatureView a = {100, signature_bytes(100), bytes}, b = {101, signature_bytes(101), bytes};
    EXPECT_DEATH(signature_distance(a, b), "contract broken: a.bits == b.bits");
}

} // namespace
} // namespace simhash
