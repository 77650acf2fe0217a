// Features given as text.
#pragma once

#include "pg/server/postgres.hpp"

namespace simhash
{

// The hash of a feature in the database's encoding, which is that of its UTF-8 form. In SQL_ASCII, where no
// conversion is known, the bytes are hashed as they are.
std::uint64_t text_feature_hash(const char *text, std::size_t length);

} // namespace simhash
