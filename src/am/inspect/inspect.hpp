// Opening an index for the functions that look into it.
#pragma once

#include "am/tree/index.hpp"

namespace simhash
{

// An error unless the caller owns the index's table or, with pg_stat_scan_tables, may look at it.
void check_inspection_rights(Oid index, Oid heap);

// Opens a simhash index that the caller has the rights to, and locks it and its table; else an error.
Relation open_index(Oid oid, LOCKMODE lock,
                    void (*check_rights)(Oid index, Oid heap) = check_inspection_rights);

} // namespace simhash
