// Measures how many lists a search for the nearest rows must read: list_recall.hpp says what it results in.
//
// Rows of the table are set aside as queries, and each is compared with all rows. Then searches for them are simulated. A
// query's list has a *rank*: 0 for that of the nearest center.
#pragma once

#include "core/likely/list_centers.hpp"
#include "core/likely/list_recall.hpp"

namespace simhash
{

inline constexpr int kMostCalibrated = 100; // neighbors of a query
inline constexpr int kSightings = 5;

struct NearRow {
    std::uint16_t distance;
    std::uint32_t list;
    double rank; // the logarithm of its list's rank and the query's chance, or -1 for rank 0
};

// A query and some of its nearest rows.
struct Sighting {
    std::uint16_t distance; // of the last of them
    std::uint16_t rows;
    std::uint32_t query;
};

// Every row of the table is passed to measure_row, with its list.
struct ListMeasure {
    const std::uint8_t *query; // signatures of rows, `bytes` apart
    int queries;
    int bytes;
    SignatureDistances distances;
    std::uint16_t *distance; // for `queries`
    std::uint16_t *limit;    // for `queries`, kNoLimit at first: only nearer rows matter
    bool *self;              // for `queries`, false at first: whether the row itself has been passed
    int *found;              // for `queries`, 0 at first
    NearRow *near;           // for kMostCalibrated of each
};
inline constexpr std::uint16_t kNoLimit = 0xFFFF;
void measure_row(ListMeasure *measure, const std::uint8_t *signature, std::uint32_t list);

struct CalibrationMemory {
    std::uint16_t *distance;    // as for nearest_lists
    std::uint32_t *list, *rank; // for all lists
    float *found;               // for kDistanceNodes times all lists
    Sighting *sighting;         // for kSightings of each query
    void (*pause)();            // called for each query; it need not return
};
ListRecall measured_recall(ListMeasure *measure, const CenterSet &set, const CalibrationMemory &memory);

} // namespace simhash
