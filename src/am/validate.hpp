// amvalidate: an operator class has to have the operators of the extension, each with its strategy number, and no
// others. For a scan reads the argument of an operator, and the planner a constant, as the type that the strategy number
// says.
#pragma once

#include "pg/server/compat.hpp"

extern "C" {
#include "utils/relcache.h"
}

namespace simhash
{

// Whether an operator class has just what the access method looks for; INFO says what it has not.
bool validate_opclass(Oid oid);
// Raises an error that says so of the operator class of an index, or if a column before the searched one is not compared for
// equality: `compared` has the strategies of an exclusion constraint, or is null. Such a constraint would read the whole
// index for each insert.
void require_valid_opclass(Relation index, const uint16 *compared);

} // namespace simhash
