// How a wide index is searched exactly: by its trees, or by a scan of the store, with the sketches first.
//
// Trees: sum (e_t + 1) = r + 1 over disjoint windows, so a row within the radius r has at most e_t errors in the
// window of some tree t (the pigeonhole principle). A scan reads each segment's plane page, and the body pages of
// rows whose sketches are within the radius, since a sketch is a part of the signature; or all body pages, if
// most sketches are.
#pragma once

#include "core/layout/search_plan.hpp"
#include "core/page/store_page.hpp"

namespace simhash
{

// The size of an index.
struct SignatureIndexSize {
    double rows;
    double leaves;   // of each tree
    double segments; // of the store
};

// The size of an index on so many rows. Leaves of `page_size` bytes are about four fifths full.
double signature_leaf_rows(const SignatureLayout &layout, std::size_t page_size);
SignatureIndexSize signature_index_size(const SignatureLayout &layout, const StoreShape &shape,
                                        std::size_t page_size, double rows);

// Costs in microseconds, with all pages in memory. Measured with bench/wide.
inline constexpr double kLeafCost = 0.9;
inline constexpr double kCandidateCost = 0.35;
inline constexpr double kStorePageCost = 0.6;

// Plans the search of the trees. Returns its cost, infinite if the radius is too large for it.
double plan_trees(const SignatureLayout &layout, int radius, const SignatureIndexSize &size,
                  SearchPlan *plan);

// Plans to read leaves, those nearest to the query's keys first, until a row that differs in a part `flips` of the bits
// is found with probability `recall`. Sets only the plan's leaves. Returns the cost.
double plan_probes(const SignatureLayout &layout, double flips, double recall, const SignatureIndexSize &size,
                   SearchPlan *plan);

// The end of the next ring of ORDER BY, if rows up to distance `done` have been returned and a scan costs `scan`: as
// far as the trees cost little in comparison, or else all that is left.
int next_ring_end(const SignatureLayout &layout, int done, double scan, const SignatureIndexSize &size);

// The pages that a search of the trees reads: its leaves, and a page of the store for each candidate.
inline double tree_pages(const SearchPlan &plan, double cost)
{
    return plan.leaves + (cost - plan.leaves * kLeafCost) / kCandidateCost;
}

// Whether a scan with this radius should read the plane page of a segment first.
bool plane_helps(const SignatureLayout &layout, const StoreShape &shape, int radius);

// The cost of a scan.
double scan_cost(const SignatureLayout &layout, const StoreShape &shape, int radius,
                 const SignatureIndexSize &size);

} // namespace simhash
