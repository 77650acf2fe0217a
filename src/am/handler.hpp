// What the entry point of the library and the handler call.
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "utils/relcache.h"
}

namespace simhash
{

// kinds.cpp: makes the kinds of indexes known (index/kind.hpp). Called when the library is loaded.
void define_kinds();

// validate.cpp, amvalidate: whether an operator class has just what the access method looks for; INFO says what it has
// not.
bool validate_opclass(Oid oid);
// Raises an error that says so of the operator class of an index.
void require_valid_opclass(Relation index);

} // namespace simhash
