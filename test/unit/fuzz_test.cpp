// The fuzz targets of test/fuzz with a few random inputs each; test/fuzz/run.sh finds more and better
// inputs.
#include "../fuzz/targets.hpp"
#include "fuzz_inputs.hpp"

namespace simhash
{
namespace
{

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
TEST_F(FuzzTest, Projection) { run(fuzz_projection, 500, 2000, nullptr); }
TEST_F(FuzzTest, SignatureSums) { run(fuzz_signature_sums, 500, 4000, nullptr); }
TEST_F(FuzzTest, Pairs) { run(fuzz_pairs, 1500, 800, nullptr); }
TEST_F(FuzzTest, Plan) { run(fuzz_plan, 3000, 400, nullptr); }
TEST_F(FuzzTest, Signatures) { run(fuzz_signatures, 20000, 400, nullptr); }

} // namespace
} // namespace simhash
