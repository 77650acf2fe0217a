#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/text/unicode.hpp"
#include "profiles/compat_profiles.hpp"
#include "profiles/compat_text.hpp"
#include "profiles/cyclic_hash.hpp"

namespace simhash
{
namespace
{

using Strings = std::vector<std::string>;

const Profile &profile(const std::string &name)
{
    const Profile *found = find_profile(name.data(), name.size());
    EXPECT_NE(found, nullptr) << name;
    return *found;
}

// The shingles. Every buffer has exactly the size it needs, so that the sanitizer sees overruns.
Strings shingles(const std::string &name, const std::string &text, int size = 0)
{
    const Profile &its = profile(name);
    std::vector<char> in(text.begin(), text.end());
    std::vector<char> out(prepared_size(text.size()));
    PreparedText prepared;
    prepared.init(its, in.data(), in.size(), out.data());
    while (prepared.step()) {
    }
    std::vector<char> exact(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(prepared.size()));
    ProfileShingles features;
    features.init(its, size == 0 ? its.size : size, exact.data(), exact.size());
    Strings all;
    const char *bytes;
    std::size_t length;
    while (features.next(&bytes, &length))
        all.emplace_back(bytes, length);
    EXPECT_FALSE(features.next(&bytes, &length)) << "the end is the end";
    return all;
}

TEST(CompatProfiles, Names)
{
    std::set<std::string> names;
    for (std::size_t i = 0; i < kProfileCount; i++) {
        EXPECT_TRUE(names.insert(kProfiles[i].name).second);
        EXPECT_EQ(&profile(kProfiles[i].name), &kProfiles[i]);
        EXPECT_GE(kProfiles[i].size, 1);
        EXPECT_LE(kProfiles[i].size, kProfileSizeMax);
    }
    EXPECT_EQ(names.size(), 23u);
    EXPECT_EQ(&profile("NGRAMSIMHASH"), &profile("ngramSimHash"));
    EXPECT_EQ(find_profile("", 0), nullptr);
    EXPECT_EQ(find_profile("floc ", 5), nullptr);
    EXPECT_EQ(find_profile("flo", 3), nullptr);
}

TEST(CompatProfiles, JoinedCharacters)
{
    EXPECT_EQ(shingles("1e0ng", "Ab, c_1 D"), (Strings{"abc_", "bc_1", "c_1d"}));
    EXPECT_EQ(shingles("1e0ng", "a!"), Strings{"a"});
    EXPECT_EQ(shingles("1e0ng", "!"), Strings{""});
    EXPECT_EQ(shingles("seomoz", "a b c"), Strings());
    EXPECT_EQ(shingles("seomoz", "É é", 2), Strings{"éé"});
    EXPECT_EQ(shingles("1e0ng", "½ e\u0301 İ Ⱥ", 25), Strings{"½eiⱥ"}) << "marks are no letters";
}

TEST(CompatProfiles, FinalSigma)
{
    auto lower = [](const std::string &text) { return shingles("1e0ng", text, 25)[0]; };
    EXPECT_EQ(lower("ΟΔΟΣ"), "οδος");
    EXPECT_EQ(lower("Σ"), "σ");
    EXPECT_EQ(lower("ΑΣ."), "ας");
    EXPECT_EQ(lower("ΑΣ.Α"), "ασα") << "a full stop is ignored";
    EXPECT_EQ(lower("Α.Σ Α"), "αςα");
    EXPECT_EQ(lower("1Σ"), "1σ") << "no cased letter before";
    EXPECT_EQ(lower("ΑΣ1"), "ας1");
}

TEST(CompatProfiles, Fields)
{
    EXPECT_EQ(shingles("floc", ""), Strings{""});
    EXPECT_EQ(shingles("floc", " a"), (Strings{"", "a"}));
    EXPECT_EQ(shingles("text-dedup", "a b c d"), Strings()) << "fewer than five words";
    EXPECT_EQ(shingles("text-dedup", "A-b, c d"), (Strings{"a b ", "b  c", " c d"}));
    EXPECT_EQ(shingles("text-dedup", "a b c d e", 6), Strings{"a b c d e"});
    EXPECT_EQ(shingles("wordShingleSimHash", "What, is this-tésté? fine", 2),
              (Strings{"What this", "this tésté", "tésté fine"}));
    EXPECT_EQ(shingles("wordShingleSimHash", "cat sat"), Strings());
    EXPECT_EQ(shingles("wordShingleSimHash", "cats sat"), Strings{"cats"});
    EXPECT_EQ(shingles("bookmate", " It's  --  2nd 'tÉst' \n"), (Strings{"it s", "nd", "tést"}));
    EXPECT_EQ(shingles("bookmate", "word !"), Strings{"word"});
    EXPECT_EQ(shingles("bookmate", ""), Strings());
}

TEST(CompatProfiles, ClickHouseShingles)
{
    EXPECT_EQ(shingles("ngramSimHash", "éa"), (Strings{"éa"}));
    EXPECT_EQ(shingles("ngramSimHash", "abcd", 3), (Strings{"abc", "bcd"}));
    EXPECT_EQ(shingles("ngramSimHash", ""), Strings{""});
    EXPECT_EQ(shingles("ngramSimHashUTF8", "abéd", 3), Strings{"béd"}) << "without the first";
    EXPECT_EQ(shingles("ngramSimHashUTF8", "abé", 3), Strings());
    EXPECT_EQ(shingles("ngramSimHashUTF8", "ab", 3), Strings{"ab"});
}

TEST(CompatProfiles, GoWords)
{
    EXPECT_EQ(shingles("mfonda", "It's HTTP://a.b/C?d x:// y"),
              (Strings{"it's", "http://a.b/c", "d", "x", "y"}));
    EXPECT_EQ(shingles("mfonda", "a://b'c"), (Strings{"a://b", "'c"}));
    EXPECT_EQ(shingles("mfonda", "a://"), Strings{"a"});
    EXPECT_EQ(shingles("mfonda", "né\u212A"), (Strings{"n", "k"}));
    EXPECT_EQ(shingles("go-dedup-utf", " d'été 1 À-b_ "), (Strings{"d'été", "à-b_"}));
    EXPECT_EQ(shingles("go-dedup-cjk", "Aé "), (Strings{"a", "é", " "}));
    EXPECT_EQ(shingles("yanyiwu", "a b"), Strings());
}

TEST(CompatProfiles, AsciiLetters)
{
    EXPECT_EQ(shingles("seomoz-cyclic", " It's 2x~Zé@[`{ ", 1), (Strings{"It", "s", "x", "Z"}));
    EXPECT_EQ(shingles("seomoz-cyclic", "", 1), Strings());
    EXPECT_EQ(shingles("seomoz-cyclic-python", " It's 2x_~Zé@ ", 1),
              (Strings{"", "It", "s", "2x_", "Zé", ""}));
    EXPECT_EQ(shingles("seomoz-cyclic-python", "", 1), Strings{""});
    EXPECT_EQ(shingles("seomoz-cyclic-python", "...", 1), (Strings{"", ""}));
}

// The value of simhash-cpp's own test of its moving window, for windows of 2 and 3.
TEST(CompatProfiles, CyclicHash)
{
    CyclicHash two(2);
    CyclicHash three(3);
    const std::uint64_t hash[] = {0x0001, 0x0010, 0x0100};
    const std::uint64_t of_two[] = {0x0001, 0x0012, 0x0120};
    const std::uint64_t of_three[] = {0x0001, 0x0012, 0x0124};
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(two.push(hash[i]), of_two[i]);
        EXPECT_EQ(three.push(hash[i]), of_three[i]);
    }
    EXPECT_EQ(reversed_bits(0x041379A587C66880), 0x011663E1A59EC820u);
}

// Arbitrary bytes, for the sanitizers. No profile finds more shingles than there are bytes plus one.
TEST(CompatProfiles, AnyBytes)
{
    std::mt19937_64 random(11);
    const std::u32string alphabet = U"ab Σςİ.:/'_-ⱥȺ\u0301漢1½";
    for (int i = 0; i < 3000; i++) {
        std::string text;
        std::size_t length = random() % 60;
        for (std::size_t k = 0; k < length; k++) {
            char bytes[4];
            if (random() % 10 == 0)
                text += static_cast<char>(random());
            else
                text.append(bytes, static_cast<std::size_t>(
                                       encode_utf8(alphabet[random() % alphabet.size()], bytes)));
        }
        const char *name = kProfiles[random() % kProfileCount].name;
        EXPECT_LE(shingles(name, text, 1 + static_cast<int>(random() % 25)).size(), text.size() * 3 / 2 + 1);
    }
}

TEST(CompatProfiles, Votes)
{
    Weights sums = {};
    EXPECT_EQ(profile_fingerprint(profile("mfonda"), sums), ~Fingerprint{0});
    EXPECT_EQ(profile_fingerprint(profile("seomoz"), sums), 0u);
    ASSERT_TRUE(add_feature(&sums, 0xDEADBEEF, 1));
    EXPECT_EQ(profile_fingerprint(profile("mfonda"), sums), 0xDEADBEEFu);
    EXPECT_EQ(profile_fingerprint(profile("seomoz"), sums), 0xDEADBEEFu);
    ASSERT_TRUE(add_feature(&sums, 0, 1));
    EXPECT_EQ(profile_fingerprint(profile("mfonda"), sums), 0xDEADBEEFu);
    EXPECT_EQ(profile_fingerprint(profile("seomoz"), sums), 0u);

    WeightedVotes votes;
    EXPECT_EQ(votes.fingerprint(profile("mfonda")), ~Fingerprint{0});
    EXPECT_EQ(votes.fingerprint(profile("1e0ng")), 0u);
    votes.add(3, 1.5);
    votes.add(5, 0.5);
    votes.add(6, 1.0);
    EXPECT_EQ(votes.fingerprint(profile("1e0ng")), 3u);
    EXPECT_EQ(votes.fingerprint(profile("yanyiwu")), 3u);
    EXPECT_EQ(votes.fingerprint(profile("go-dedup")), 7u) << "bit 2 is a tie";
}

// The signs of the weights are the fingerprint, with ties either way and where rounding to 2^-24 changes a sign.
TEST(CompatProfiles, WeightsHaveTheSignsOfTheFingerprint)
{
    std::mt19937_64 random(5);
    for (std::size_t i = 0; i < kProfileCount; i++) {
        Weights sums = {};
        EXPECT_EQ(weights_fingerprint(profile_weights(kProfiles[i], sums)),
                  profile_fingerprint(kProfiles[i], sums));
        for (int features = 0; features < 6; features++) {
            ASSERT_TRUE(add_feature(&sums, random(), 1));
            EXPECT_EQ(weights_fingerprint(profile_weights(kProfiles[i], sums)),
                      profile_fingerprint(kProfiles[i], sums));
        }
        WeightedVotes votes;
        Weights weights;
        for (int features = 0; features < 40; features++) {
            ASSERT_TRUE(votes.weights(kProfiles[i], &weights));
            EXPECT_EQ(weights_fingerprint(weights), votes.fingerprint(kProfiles[i]));
            votes.add(random() & random(), std::ldexp(1.0, -static_cast<int>(random() % 60)));
        }
    }
}

TEST(CompatProfiles, WeightsAreTheSums)
{
    Weights sums = {};
    ASSERT_TRUE(add_feature(&sums, 3, 1));
    ASSERT_TRUE(add_feature(&sums, 5, 1));
    for (const char *name : {"seomoz", "mfonda"}) {
        Weights weights = profile_weights(profile(name), sums);
        EXPECT_EQ(weights.sum[0], 2 * kWeightOne);
        EXPECT_EQ(weights.sum[1], profile(name).ties ? 0 : -1);
        EXPECT_EQ(weights.sum[3], -2 * kWeightOne);
    }
    for (const char *name : {"1e0ng", "yanyiwu"}) {
        WeightedVotes votes;
        votes.add(3, 1.5);
        votes.add(5, 0.25);
        Weights weights;
        ASSERT_TRUE(votes.weights(profile(name), &weights));
        EXPECT_EQ(weights.sum[0], 7 * kWeightOne / 4);
        EXPECT_EQ(weights.sum[1], 5 * kWeightOne / 4);
        EXPECT_EQ(weights.sum[2], -5 * kWeightOne / 4);
        votes.add(1, 0x1p39);
        EXPECT_FALSE(votes.weights(profile(name), &weights));
    }
}

} // namespace
} // namespace simhash
