#include "am/signatures/neighbor_search.hpp"

#include "am/signatures/candidate_rows.hpp"
#include "am/signatures/store_scan.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

// The planes that are sampled to estimate what a scan of all of them yields.
constexpr Size kPlaneSample = 8;

// The estimate of the recall is repeated when the search has cost this much more.
constexpr double kCheckAfter = 1.04;

bool neighbors_found(const SignatureSearch &search, Size wanted)
{
    const Probes &probes = *search.probes;
    return neighbors_recall(probes.neighbors, wanted, probes.model, search.meta->layout.bits) >=
           probes.recall;
}

// The number of rows by the distance of their sketches, from some planes.
void sample_planes(SignatureSearch *search)
{
    Probes *probes = search->probes;
    probes->sketches =
        static_cast<double *>(MemoryContextAllocZero(search->context, sizeof(double) * (kSketchBits + 1)));
    begin_scan_of_store(search);
    Size segments = search->segments.count, sample = Min(kPlaneSample, segments);
    for (Size i = 0; i < sample; i++) {
        Size count = plane_candidates(search, search->segments.plane[i * segments / sample], kSketchBits);
        for (Size j = 0; j < count; j++)
            probes->sketches[search->distance[j]] +=
                static_cast<double>(segments) / static_cast<double>(sample);
    }
    probes->spent += static_cast<double>(sample) * kStorePageCost;
}

double plane_cost(SignatureSearch *search, const ProbeProgress &progress)
{
    if (search->probes->sketches == nullptr)
        sample_planes(search);
    int distance = forecast_sketches(progress, Min(static_cast<int>(search->meta->layout.bits), kSketchBits));
    double rows = 0;
    for (int d = 0; d <= distance; d++)
        rows += search->probes->sketches[d];
    return search->size.segments * kStorePageCost + rows * kCandidateCost;
}

struct PlaneRow {
    int distance; // of the sketches
    uint64 position;
};

// The rows of a plane whose sketches are nearest to the query's, sorted.
struct PlaneRows {
    Size count;
    PlaneRow *row;
    int complete; // all rows up to this distance are there
};

PlaneRows nearest_sketches(SignatureSearch *search, Size most)
{
    Size capacity = 4 * most + static_cast<Size>(search->shape.rows());
    auto *row =
        static_cast<PlaneRow *>(MemoryContextAllocHuge(CurrentMemoryContext, sizeof(PlaneRow) * capacity));
    auto nearer = [](const PlaneRow &a, const PlaneRow &b) { return a.distance < b.distance; };
    int radius = Min(search->radius, kSketchBits);
    bool dropped = false; // some rows at the distance `radius`
    Size rows = 0;
    begin_scan_of_store(search);
    for (Size segment = 0; segment < search->segments.count; segment++) {
        CHECK_FOR_INTERRUPTS();
        Size count = plane_candidates(search, search->segments.plane[segment], radius);
        if (search->trace != nullptr)
            trace_read(*search, {SignatureRead::plane, 0, search->segments.plane[segment], count,
                                 estimated_recall(*search)});
        for (Size i = 0; i < count; i++)
            row[rows++] = {search->distance[i], search->position[i]};
        if (rows > 4 * most) {
            std::nth_element(row, row + most, row + rows, nearer);
            radius = row[most].distance;
            rows = most;
            dropped = true;
        }
    }
    std::sort(row, row + rows, nearer);
    return {rows, row, dropped ? radius - 1 : radius};
}

// Verifies rows in the order of their sketches until enough neighbors are found, or all those that are worth more
// than an exact search. Returns whether there are enough.
bool scan_plane(SignatureSearch *search, Size wanted)
{
    constexpr Size kTogether = 250;
    Probes *probes = search->probes;
    int bits = Min(static_cast<int>(search->meta->layout.bits), kSketchBits);
    double worth = store_cost(*search, search->meta->layout.bits) / 2 / kCandidateCost;
    PlaneRows rows = nearest_sketches(search, static_cast<Size>(worth) + 1);
    bool enough = false;
    for (Size i = 0; i < rows.count && !enough;) {
        Size count = 0;
        int distance = rows.row[i].distance;
        // All rows of a distance, so that the probability of being among them is known.
        while (i < rows.count && (count < kTogether || rows.row[i].distance == distance)) {
            if (count == static_cast<Size>(search->shape.rows()))
                break;
            distance = rows.row[i].distance;
            search->position[count++] = rows.row[i++].position;
        }
        bool whole = i == rows.count || rows.row[i].distance > distance;
        count = keep_new(search, 0, count);
        probes->spent += static_cast<double>(count) * kCandidateCost;
        add_neighbors(&probes->neighbors, search->hit, verify(search, count, -1));
        if (!whole)
            continue;
        FlipRates found;
        binomial_within(bits, Min(distance, rows.complete), &found);
        probes->model.read_plane(found);
        enough = neighbors_found(*search, wanted);
    }
    pfree(rows.row);
    return enough;
}

enum class Course { trees, plane, exact };

// What finds the rest of the neighbors at the lowest cost.
Course cheapest_course(SignatureSearch *search, Size wanted)
{
    const Probes &probes = *search->probes;
    if (probes.neighbors.rows < wanted)
        return Course::exact;
    const double bits = search->meta->layout.bits;
    ProbeProgress progress = progress_of(*search, mean_distance(probes.neighbors, wanted) / bits,
                                         neighbors_recall(probes.neighbors, wanted, probes.model, bits));
    double trees = leaves_cost(*search, progress), plane = plane_cost(search, progress);
    double exact = store_cost(*search, search->meta->layout.bits);
    if (Min(trees, plane) >= exact)
        return Course::exact;
    return trees <= plane ? Course::trees : Course::plane;
}

// Reads leaves until enough neighbors are found, or something else is cheaper.
bool probe_neighbors(SignatureSearch *search, Size wanted, Course *course)
{
    Probes *probes = search->probes;
    double check = 0;
    for (;;) {
        if (probes->spent >= check) {
            if (neighbors_found(*search, wanted))
                return true;
            check = probes->spent * kCheckAfter;
        }
        if (must_decide(search)) {
            *course = cheapest_course(search, wanted);
            if (*course != Course::trees)
                return false;
        }
        Size candidates;
        if (!read_probes(search, &candidates)) {
            *course = Course::exact;
            return false;
        }
        add_neighbors(&probes->neighbors, search->hit, verify(search, candidates, -1));
    }
}

// The search becomes exact. Rows nearer than the last one returned are not returned any more.
void become_exact(SignatureSearch *search, int *done)
{
    const Neighbors &neighbors = search->probes->neighbors;
    begin_set(&search->seen, search->context);
    search->seen_tids = true;
    for (Size i = 0; i < neighbors.returned; i++) {
        if (neighbors.row[i].distance() == neighbors.last)
            insert(&search->seen, neighbors.row[i].tid());
    }
    search->probing = false;
    search->skip_seen = true;
    *done = neighbors.last < 0 ? -1 : neighbors.last - 1;
}

} // namespace

bool next_neighbors(SignatureSearch *search, Results *results, int *done)
{
    Neighbors *neighbors = &search->probes->neighbors;
    Size wanted = neighbors->total();
    Course course = Course::trees;
    bool enough =
        probe_neighbors(search, wanted, &course) || (course == Course::plane && scan_plane(search, wanted));
    if (!enough) {
        become_exact(search, done);
        return false;
    }
    return_neighbors(neighbors, results);
    return true;
}

int known_distance(const SignatureSearch &search, int done)
{
    if (search.probes == nullptr || !search.seen_tids)
        return -1;
    const Neighbors &neighbors = search.probes->neighbors;
    if (done >= Max(neighbors.last, 0) || neighbors.rows < neighbors.total())
        return -1;
    int distance = largest_distance(neighbors, neighbors.total());
    return distance > done ? distance : -1;
}

} // namespace simhash
