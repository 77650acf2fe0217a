// Tables that another extension distributes over servers.
#pragma once

#include "pg/server/postgres.hpp"

namespace simhash
{

// Whether Citus distributes the table: then its rows are in other tables, the shards, and it is itself empty.
bool is_distributed(Oid table);

} // namespace simhash
