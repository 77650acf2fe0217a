// The entry point of libFuzzer. FUZZ_TARGET is the function.
#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    simhash::FUZZ_TARGET(data, size);
    return 0;
}
