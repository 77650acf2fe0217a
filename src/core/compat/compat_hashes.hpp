// The feature hashes of other libraries. They are here for compatibility, not for quality.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

// FNV-1 (not 1a), 64 bits.
std::uint64_t fnv1_hash(const void *bytes, std::size_t length);

// Jenkins' lookup3 as hashlittle2 with both seeds 0; its first result is the high half.
std::uint64_t lookup3_hash(const void *bytes, std::size_t length);

// CRC-64 of ECMA-182, reflected, with initial value 0 and no final inversion.
std::uint64_t crc64_hash(const void *bytes, std::size_t length);

// The hash of strings in CPython before 3.4, unseeded.
std::uint64_t python_string_hash(const void *bytes, std::size_t length);

} // namespace simhash
