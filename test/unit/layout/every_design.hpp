#pragma once

#include <vector>

#include "core/layout/tree_design.hpp"

namespace simhash
{

inline const std::vector<TreeDesign> &every_design()
{
    static const std::vector<TreeDesign> designs = [] {
        std::vector<TreeDesign> found;
        for (int distance = kMinDistance; distance <= kMaxDistance; distance++) {
            for (int trees = 1; trees <= kMaxTrees; trees++) {
                TreeDesign design;
                if (make_design(distance, trees, &design))
                    found.push_back(design);
            }
        }
        return found;
    }();
    return designs;
}

} // namespace simhash
