#include "core/hash/feature_hash.hpp"

// Compiled in: no library is needed at run time, so none can change the hash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace simhash
{

std::uint64_t feature_hash(const void *bytes, std::size_t length) { return XXH3_64bits(bytes, length); }

} // namespace simhash
