#include "core/layout/block_values.hpp"

#include <algorithm>

namespace simhash
{

bool BlockValues::set(const TableDesign &design)
{
    if (design.tables <= design.distance)
        return false;
    std::uint8_t bits[kBits];
    identity_sources(bits);
    order_.set(design, bits);
    longest_header_ = 0;
    for (int table = 0; table < design.tables; table++)
        longest_header_ = std::max<int>(longest_header_, design.table[table].header_bits);
    return true;
}

} // namespace simhash
