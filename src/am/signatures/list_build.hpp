// The lists of a build: choosing their centers from a sample, sorting the rows by list, and measuring the recall.
#pragma once

#include "am/create/parallel_work.hpp"
#include "am/signatures/lists.hpp"
#include "am/signatures/store_writer.hpp"

#include "core/likely/list_calibration.hpp"

extern "C" {
#include "utils/tuplesort.h"
}

namespace simhash
{

struct ListBuild {
    CenterSet set;
    std::uint32_t wanted;    // lists
    std::uint16_t *distance; // memory for nearest_list and nearest_lists
    Size item_bytes;         // of a row in the sort
    bytea *item;             // one row
    Tuplesortstate *sort;    // null in a worker
    BufFile *file;           // of a worker, which passes its rows to the leader
    ListMeasure measure;
    std::uint8_t *query; // of the measure
    std::uint64_t *query_hash;
    int last_query; // the one with the largest hash, once there are enough
};

// How many lists an index has that is built with these options on so many rows.
std::uint32_t wanted_lists(const IndexOptions &options, double rows);
// The number of sampled rows to choose so many lists from, as many as `kilobytes` of memory permit.
int list_sample_rows(const SignatureMeta &meta, std::uint32_t lists, int kilobytes);

// Chooses centers from a sample of signatures. Returns null if there are too few. Allocates memory in the current memory context.
ListBuild *begin_list_build(const SignatureMeta &meta, std::uint32_t lists, const std::uint8_t *sample,
                            int rows);
// The sort, in the process that writes the store.
void begin_list_sort(ListBuild *build, int kilobytes);
// Passes a row to the sort or to the worker's file.
void add_list_row(ListBuild *build, const std::uint8_t *signature, Tid tid);
// Passes the rows of a worker's file to the sort.
void sort_list_file(ListBuild *build, BufFile *file, uint64 rows);
// Writes the rows to the store, which is ended afterwards, and the list pages.
ListMeta write_lists(ListBuild *build, StoreWriter *writer);

// The centers, as they are passed to workers.
Size shared_lists_size(const ListBuild &build);
void share_lists(const ListBuild &build, void *memory);
ListBuild *shared_lists(const SignatureMeta &meta, const void *memory);

} // namespace simhash
