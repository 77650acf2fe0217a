// Prints the estimated leaf pages of exact searches: the tables in doc/search.md and README.md.
#include "core/layout/search_plan.hpp"

#include <cstdio>
#include <initializer_list>

using namespace simhash;

namespace
{

constexpr double kRowsPerLeaf = 520;

void print_radii()
{
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
                    return;
                plan_search(design, radius, rows / kRowsPerLeaf, &plan);
                std::printf(plan.leaves > 0.99 * rows / kRowsPerLeaf ? " all |" : " %.0f |", plan.leaves);
            }
        }
    }
    std::printf("\n");
}

// Designs of one region that spares 3 blocks, also with more tables than an index can have.
void print_one_region()
{
    std::printf("\n| blocks | tables | header bits | 10M | 60M | 1G | 8G |");
    int tables = 4;
    for (int blocks = 4; blocks <= 9; blocks++) {
        int header = 64 * (blocks - 3) / blocks;
        std::printf("\n| %d | %d | %d |", blocks, tables, header);
        for (double rows : {10e6, 60e6, 1e9, 8e9})
            std::printf(" %.0f |", tables * estimate_leaves(header, 0, 3, rows / kRowsPerLeaf));
        tables = tables * (blocks + 1) / (blocks - 2);
    }
    std::printf("\n");
}

// The number of tables with which a search of the design's distance reads least.
void print_best()
{
    std::printf("\n| distance | 60M | 1G |");
    for (int distance = 2; distance <= 8; distance++) {
        std::printf("\n| %d |", distance);
        for (double rows : {60e6, 1e9}) {
            int best = 0;
            double fewest = 0;
            for (int tables = 1; tables <= kMaxTables; tables++) {
                TableDesign design;
                SearchPlan plan;
                if (!make_design(distance, tables, &design))
                    continue;
                plan_search(design, distance, rows / kRowsPerLeaf, &plan);
                if (best == 0 || plan.leaves < fewest) {
                    best = tables;
                    fewest = plan.leaves;
                }
            }
            std::printf(" T = %d, %.0f |", best, fewest);
        }
    }
    std::printf("\n");
}

} // namespace

int main()
{
    print_radii();
    print_one_region();
    print_best();
}
