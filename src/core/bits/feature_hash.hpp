// The hash that turns a feature into votes: 64-bit XXH3 of its bytes, with seed 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

// Text must be UTF-8. The hash is the same on every processor.
std::uint64_t feature_hash(const void *bytes, std::size_t length);

// A number is the feature that its decimal digits are, so that it means the same in an array of numbers, in one of
// texts and as a key of a JSON object.
std::uint64_t number_hash(std::int64_t number);

} // namespace simhash
