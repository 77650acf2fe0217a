#pragma once

#include <vector>

#include "core/layout/tree_design.hpp"

namespace simhash
{

inline const std::vector<TableDesign> &every_design()
{
    static const std::vector<TableDesign> designs = [] {
        std::vector<TableDesign> found;
        for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
            for (int tables = 1; tables <= kMaxTables; tables++) {
                TableDesign design;
                if (make_design(distance, tables, &design))
                    found.push_back(design);
            }
        }
        return found;
    }();
    return designs;
}

} // namespace simhash
