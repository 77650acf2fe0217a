#pragma once

namespace simhash
{

// Makes the kinds of indexes known (index/kind.hpp). Called when the library is loaded.
void define_kinds();

} // namespace simhash
