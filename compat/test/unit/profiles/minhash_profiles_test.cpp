#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "profiles/minhash_profiles.hpp"

namespace simhash
{
namespace
{

using Numbers = std::vector<std::uint64_t>;

const MinhashProfile &profile(const std::string &name)
{
    const MinhashProfile *found = find_minhash_profile(name.data(), name.size());
    EXPECT_NE(found, nullptr) << name;
    return *found;
}

Numbers minima(const std::string &name, const std::vector<std::string> &features, std::size_t size)
{
    const MinhashProfile &its = profile(name);
    Numbers a(size), b(size), lowest(size, UINT64_MAX);
    MinhashPermutations permutations = {a.data(), b.data(), static_cast<int>(size)};
    permutations.draw(its, its.seed);
    for (const std::string &feature : features)
        permutations.lower(its, minhash_feature_hash(its, its.seed, feature.data(), feature.size()),
                           lowest.data());
    return lowest;
}

TEST(MinhashProfiles, Names)
{
    std::set<std::string> names;
    for (std::size_t i = 0; i < kMinhashProfileCount; i++) {
        EXPECT_TRUE(names.insert(kMinhashProfiles[i].name).second);
        EXPECT_EQ(&profile(kMinhashProfiles[i].name), &kMinhashProfiles[i]);
    }
    EXPECT_EQ(names.size(), 11u);
    EXPECT_EQ(&profile("DataSketch"), &profile("datasketch"));
    EXPECT_EQ(find_minhash_profile("", 0), nullptr);
    EXPECT_EQ(find_minhash_profile("datasketc", 9), nullptr);
}

// More vectors, of every profile, are in test/sql/minhash_profiles.sql.
TEST(MinhashProfiles, Minima)
{
    EXPECT_EQ(minima("datasketch", {"Hello"}, 4), (Numbers{734825475, 960773806, 359816889, 342714745}));
    EXPECT_EQ(minima("text-dedup", {"Hello"}, 5),
              (Numbers{3199034720, 2191819797, 2480483036, 3210055382, 1478629605}));
    EXPECT_EQ(minima("text-dedup-32", {"Hello"}, 5),
              (Numbers{3760992074, 1045897024, 1126898661, 889455793, 2715850640}));
    EXPECT_EQ(minima("text-dedup-16", {"Hello"}, 5), (Numbers{17369, 51023, 60238, 2978, 63024}));
    EXPECT_EQ(minima("datatrove", {"Hello"}, 5),
              (Numbers{1278023343274969905, 513366669564651182, 663149214263856292, 2192787670128592567,
                       2124734710286733661}));
    EXPECT_EQ(minima("datasketch", {"b", "a", "a"}, 5),
              (Numbers{297616339, 739114274, 2013617805, 1974455217, 943679155}));
}

} // namespace
} // namespace simhash
