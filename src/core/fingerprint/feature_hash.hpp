// What turns a feature into votes: XXH3, 64 bits, of its bytes, with seed 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

// The bytes are UTF-8 wherever they are text. The same on every processor.
std::uint64_t feature_hash(const void *bytes, std::size_t length);

} // namespace simhash
