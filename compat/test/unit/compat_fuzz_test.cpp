// The fuzz target with a few random inputs; test/fuzz/run.sh of simhash finds more and better ones.
#include "../../../test/unit/fuzz_inputs.hpp"

namespace simhash
{

void fuzz_compat(const std::uint8_t *data, std::size_t size);

namespace
{

TEST_F(FuzzTest, Compat)
{
    run(fuzz_compat, 10000, 600, nullptr);
    run(fuzz_compat, 10000, 600, "ab '1_-:/.,\n \xc3\xa4\xcc\x81\xce\xa3\xc8\xba\xe6\x9d\xb1");
}

} // namespace
} // namespace simhash
