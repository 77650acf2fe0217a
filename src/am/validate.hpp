#pragma once

#include "pg/server/compat.hpp"

namespace simhash
{

// amvalidate: whether an operator class has just what the access method looks for; INFO says what it has not.
bool validate_opclass(Oid oid);

} // namespace simhash
