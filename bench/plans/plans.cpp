// Prints the estimated leaf pages of exact searches: the table in doc/search.md.
#include "core/tables/search_plan.hpp"

#include <cstdio>
#include <initializer_list>

using namespace simhash;

int main()
{
    constexpr double kRowsPerLeaf = 520;
    std::printf("| r |");
    for (double rows : {10e6, 60e6}) {
        for (int tables : {1, 4, 6})
            std::printf(" T = %d, %.0fM |", tables, rows / 1e6);
    }
    for (int radius : {1, 3, 5, 7, 8, 10}) {
        std::printf("\n| %d |", radius);
        for (double rows : {10e6, 60e6}) {
            for (int tables : {1, 4, 6}) {
                TableDesign design;
                SearchPlan plan;
                if (!make_design(3, tables, &design))
                    return 1;
                plan_search(design, radius, rows / kRowsPerLeaf, &plan);
                std::printf(plan.leaves > 0.99 * rows / kRowsPerLeaf ? " all |" : " %.0f |", plan.leaves);
            }
        }
    }
    std::printf("\n");
}
