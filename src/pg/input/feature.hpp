// A feature and its weight.
#pragma once

#include "core/weights/weights.hpp"

namespace simhash
{

struct Feature {
    std::uint64_t hash;
    Weight weight;
};

} // namespace simhash
