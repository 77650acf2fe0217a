// ORDER BY h <@> q, id by an index on h.
#pragma once

namespace simhash
{

// Adds a hook to the planner. Call once, when the library is loaded.
void install_index_orders();

} // namespace simhash
