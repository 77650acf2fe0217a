// Parallel workers do not know the parameters of a query around theirs.
#pragma once

namespace simhash
{

// Adds a hook to the planner. Call once, when the library is loaded, before other hooks that use paths in an order.
void install_parallel_orders();

} // namespace simhash
