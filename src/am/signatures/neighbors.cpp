#include "am/signatures/neighbors.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

constexpr int kDefaultNeighbors = 10;
constexpr Size kGrowth = 4; // of the number of neighbors wanted, each time that more are requested

} // namespace

void begin_neighbors(Neighbors *neighbors, int bits, int wanted)
{
    neighbors->capacity = 1024;
    neighbors->row = static_cast<Hit *>(palloc(sizeof(Hit) * neighbors->capacity));
    neighbors->count = static_cast<Size *>(palloc0(sizeof(Size) * (static_cast<Size>(bits) + 1)));
    neighbors->wanted = static_cast<Size>(wanted > 0 ? wanted : kDefaultNeighbors);
    neighbors->last = -1;
}

void free_neighbors(Neighbors *neighbors)
{
    pfree(neighbors->row);
    pfree(neighbors->count);
}

void add_neighbors(Neighbors *neighbors, const Hit *hit, Size hits)
{
    if (neighbors->rows + hits > neighbors->capacity) {
        neighbors->capacity = 2 * (neighbors->rows + hits);
        neighbors->row = static_cast<Hit *>(repalloc_huge(neighbors->row, sizeof(Hit) * neighbors->capacity));
    }
    for (Size i = 0; i < hits; i++) {
        neighbors->row[neighbors->rows++] = hit[i];
        neighbors->count[hit[i].distance()]++;
    }
}

void return_neighbors(Neighbors *neighbors, Results *results)
{
    auto nearer = [](const Hit &a, const Hit &b) { return a.rank < b.rank; };
    Hit *from = neighbors->row + neighbors->returned, *end = neighbors->row + neighbors->rows;
    // Rows nearer than those returned were found too late.
    Hit *late =
        std::partition(from, end, [neighbors](const Hit &hit) { return hit.distance() < neighbors->last; });
    Size count = Min(static_cast<Size>(end - late), neighbors->wanted);
    std::partial_sort(late, late + count, end, nearer);
    *results = {late, count, 0};
    neighbors->returned += static_cast<Size>(late - from) + count;
    neighbors->last = late[count - 1].distance();
    neighbors->wanted *= kGrowth;
}

double neighbors_recall(const Neighbors &neighbors, Size wanted, const ProbeModel &model, double bits)
{
    if (neighbors.rows < wanted)
        return 0;
    double estimate = 0;
    Size found = 0;
    for (int d = 0; found < wanted; d++) {
        if (neighbors.count[d] == 0)
            continue;
        Size rows = Min(neighbors.count[d], wanted - found);
        estimate += static_cast<double>(rows) / Max(1e-9, model.found(d / bits));
        found += rows;
    }
    return static_cast<double>(wanted) / estimate;
}

double mean_distance(const Neighbors &neighbors, Size wanted)
{
    Assert(neighbors.rows >= wanted);
    double sum = 0;
    Size found = 0;
    for (int d = 0; found < wanted; d++) {
        Size rows = Min(neighbors.count[d], wanted - found);
        sum += static_cast<double>(rows) * d;
        found += rows;
    }
    return sum / static_cast<double>(wanted);
}

int largest_distance(const Neighbors &neighbors, Size wanted)
{
    Assert(neighbors.rows >= wanted);
    Size found = 0;
    int distance = -1;
    while (found < wanted)
        found += neighbors.count[++distance];
    return distance;
}

} // namespace simhash
