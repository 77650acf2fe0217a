// The entry point of libFuzzer. FUZZ_TARGET is the function.
#include <cstddef>
#include <cstdint>

namespace simhash
{
void FUZZ_TARGET(const std::uint8_t *data, std::size_t size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    simhash::FUZZ_TARGET(data, size);
    return 0;
}
