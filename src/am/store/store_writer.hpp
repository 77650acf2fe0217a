// Writes the store of a build, segment by segment.
#pragma once

#include "am/store/store.hpp"

namespace simhash
{

struct StoreWriter {
    Relation index;
    const SignatureLayout *layout;
    StoreShape shape;
    bool alone;  // no other process extends the relation
    char *image; // the segment being filled: plane and body pages
    int slot;    // the next one
    uint64 rows;
    Segments segments; // in the order in which they were written
    Size capacity;
};

// Allocates memory in the current memory context.
StoreWriter *begin_store(Relation index, const IndexMeta &meta);
void write_to_store(StoreWriter *writer, const std::uint8_t *signature, Tid tid);
// Writes the last segment and the map. The first map page exists already.
void end_store(StoreWriter *writer, const IndexMeta &meta);

// Passes every row of the store to `row`, in the order of the segments.
using StoreRow = void (*)(const std::uint8_t *signature, std::uint64_t position, void *context);
void scan_store(Relation index, const IndexMeta &meta, const Segments &segments, StoreRow row, void *context);

} // namespace simhash
