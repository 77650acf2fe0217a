// The feature hashes of other libraries. They are here for compatibility, not for quality.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simhash
{

// FNV-1 and FNV-1a, 64 bits.
std::uint64_t fnv1_hash(const void *bytes, std::size_t length);
std::uint64_t fnv1a_hash(const void *bytes, std::size_t length);

// MurmurHash64A: MurmurHash2 with 64 bits for 64-bit processors, on any processor.
std::uint64_t murmur64a_hash(const void *bytes, std::size_t length, std::uint64_t seed);

// Jenkins' lookup3 as hashlittle2 with both seeds 0; its first result is the high half.
std::uint64_t lookup3_hash(const void *bytes, std::size_t length);

// CRC-64 of ECMA-182, reflected, with initial value 0 and no final inversion.
std::uint64_t crc64_hash(const void *bytes, std::size_t length);

// The hash of strings in CPython before 3.4, unseeded.
std::uint64_t python_string_hash(const void *bytes, std::size_t length);

// SHA-1: the first 8 bytes, little-endian, so that the low 32 bits are the first 4 bytes.
//
// PostgreSQL has no SHA-1 before version 14. Since then its own fails where OpenSSL forbids SHA-1, and OpenSSL
// allocates a context for each feature. Nothing here relies on the hash being secure.
std::uint64_t sha1_hash(const void *bytes, std::size_t length);

// xxHash, with seed 0 unless there is an argument.
std::uint32_t xxh32_hash(const void *bytes, std::size_t length);
std::uint64_t xxh64_hash(const void *bytes, std::size_t length);
std::uint64_t xxh3_hash(const void *bytes, std::size_t length, std::uint64_t seed);
std::uint64_t xxh3_128_high_half(const void *bytes, std::size_t length);

} // namespace simhash
