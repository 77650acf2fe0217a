// Hashes of features that other libraries take. They are not good ones; they are theirs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

// FNV-1 (not 1a), 64 bits.
std::uint64_t fnv1_hash(const void *bytes, std::size_t length);

// Jenkins' lookup3 as hashlittle2 with both seeds 0; its first result is the high half.
std::uint64_t lookup3_hash(const void *bytes, std::size_t length);

// CRC-64 of ECMA-182, reflected, which begins with 0 and is not inverted at the end.
std::uint64_t crc64_hash(const void *bytes, std::size_t length);

// The hash of strings in CPython before 3.4, unseeded.
std::uint64_t python_string_hash(const void *bytes, std::size_t length);

} // namespace simhash
