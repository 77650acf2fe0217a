// The fuzz targets of test/fuzz with a few random inputs each; test/fuzz/run.sh finds more and better
// inputs. FUZZ_SEED repeats a run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "../fuzz/targets.hpp"

namespace simhash
{
namespace
{

class FuzzTest : public ::testing::Test
{
protected:
    FuzzTest() : seed_(seed()), random_(seed_) { std::printf("FUZZ_SEED=%u\n", seed_); }

    static unsigned seed()
    {
        const char *given = std::getenv("FUZZ_SEED");
        return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                                : std::random_device{}();
    }

    // Inputs of up to this many bytes, of all values or of some characters.
    void run(void (*target)(const std::uint8_t *, std::size_t), int inputs, std::size_t longest,
             const char *characters)
    {
        std::size_t count = characters == nullptr ? 0 : std::char_traits<char>::length(characters);
        for (int i = 0; i < inputs; i++) {
            std::size_t most = i % 4 == 0 ? longest : longest / 16;
            std::vector<std::uint8_t> input(random_() % (most + 1));
            for (std::uint8_t &byte : input) {
                auto number = random_();
                byte = static_cast<std::uint8_t>(
                    count == 0 || number % 64 == 0 ? number >> 8 : characters[(number >> 8) % count]);
            }
            target(input.data(), input.size());
        }
    }

    unsigned seed_;
    std::mt19937 random_;
};

TEST_F(FuzzTest, Page) { run(fuzz_page, 6000, 200, nullptr); }
TEST_F(FuzzTest, Meta) { run(fuzz_meta, 20000, 60, nullptr); }
TEST_F(FuzzTest, Store) { run(fuzz_store, 20000, 200, nullptr); }
TEST_F(FuzzTest, Text) { run(fuzz_text, 20000, 600, "0123456789abcdefx+-.,eE[] \n"); }
TEST_F(FuzzTest, Weights)
{
    run(fuzz_weights, 20000, 600, nullptr);
    run(fuzz_weights, 20000, 600, "\1\2\4\10");
}
TEST_F(FuzzTest, Features)
{
    run(fuzz_features, 3000, 3000, "ab '1 \xc3\xa4\xcc\x81\xe6\x9d\xb1\xe4\xba\xac");
}

TEST_F(FuzzTest, Compat)
{
    run(fuzz_compat, 10000, 600, nullptr);
    run(fuzz_compat, 10000, 600, "ab '1_-:/.,\n \xc3\xa4\xcc\x81\xce\xa3\xc8\xba\xe6\x9d\xb1");
}
TEST_F(FuzzTest, Projection) { run(fuzz_projection, 500, 2000, nullptr); }
TEST_F(FuzzTest, SignatureSums) { run(fuzz_signature_sums, 500, 4000, nullptr); }
TEST_F(FuzzTest, Pairs) { run(fuzz_pairs, 1500, 800, nullptr); }
TEST_F(FuzzTest, Plan) { run(fuzz_plan, 3000, 400, nullptr); }
TEST_F(FuzzTest, Signatures) { run(fuzz_signatures, 20000, 400, nullptr); }

} // namespace
} // namespace simhash
