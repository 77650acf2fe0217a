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
        for (int trees : {1, 4, 6})
            std::printf(" T = %d, %.0fM |", trees, rows / 1e6);
    }
    for (int radius : {1, 3, 5, 7, 8, 10}) {
        std::printf("\n| %d |", radius);
        for (double rows : {10e6, 60e6}) {
            for (int trees : {1, 4, 6}) {
                TreeDesign design;
                SearchPlan plan;
                if (!make_design(3, trees, &design))
                    return;
                plan_search(design, radius, rows / kRowsPerLeaf, &plan);
                std::printf(plan.leaves > 0.99 * rows / kRowsPerLeaf ? " all |" : " %.0f |", plan.leaves);
            }
        }
    }
    std::printf("\n");
}

// Designs of one region that spares 3 blocks, also with more trees than an index can have.
void print_one_region()
{
    std::printf("\n| blocks | trees | header bits | 10M | 60M | 1G | 8G |");
    int trees = 4;
    for (int blocks = 4; blocks <= 9; blocks++) {
        int header = 64 * (blocks - 3) / blocks;
        std::printf("\n| %d | %d | %d |", blocks, trees, header);
        for (double rows : {10e6, 60e6, 1e9, 8e9})
            std::printf(" %.0f |", trees * estimate_leaves(header, 0, 3, rows / kRowsPerLeaf));
        trees = trees * (blocks + 1) / (blocks - 2);
    }
    std::printf("\n");
}

// The number of trees with which a search of the design's distance reads least.
void print_best()
{
    std::printf("\n| distance | 60M | 1G |");
    for (int distance = 2; distance <= 8; distance++) {
        std::printf("\n| %d |", distance);
        for (double rows : {60e6, 1e9}) {
            int best = 0;
            double fewest = 0;
            for (int trees = 1; trees <= kMaxTrees; trees++) {
                TreeDesign design;
                SearchPlan plan;
                if (!make_design(distance, trees, &design))
                    continue;
                plan_search(design, distance, rows / kRowsPerLeaf, &plan);
                if (best == 0 || plan.leaves < fewest) {
                    best = trees;
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
