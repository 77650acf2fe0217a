// ORDER BY h <@> q LIMIT k beside other conditions: the near rows by an index, and only if they are too few a sort.
#pragma once

namespace simhash
{

// Adds a hook to the planner. Call once, when the library is loaded, after other hooks that add paths in an order.
void install_nearest_paths();

} // namespace simhash
