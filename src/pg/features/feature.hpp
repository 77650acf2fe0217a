// A feature as a hash, and its weight.
#pragma once

#include "pg/server/postgres.hpp"

#include "core/features/weights.hpp"

namespace simhash
{

struct Feature {
    std::uint64_t hash;
    Weight weight;
};

// Hashes a feature given in the database encoding. The hash is that of its UTF-8 form. In a SQL_ASCII
// database, where no conversion is possible, the bytes are hashed as they are.
std::uint64_t text_feature_hash(const char *text, std::size_t length);

} // namespace simhash
