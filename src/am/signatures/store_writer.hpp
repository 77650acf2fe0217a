// Writes the store of a build, segment by segment. The map is written at the end, when all segments are known.
// Processes of a parallel build write segments of their own.
#pragma once

#include "am/signatures/store.hpp"

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
    Size segments;
    Size capacity;
    SegmentEntry *segment; // those written
    BlockNumber *head;   // of each list: the last page of the chain that has been written; null without lists
    std::uint32_t lists; // those that have been begun
    int list_pages;      // of the segment being filled
};

// Allocates memory in the current memory context. With `parallel`, other processes write segments, too.
StoreWriter *begin_store(Relation index, const SignatureMeta &meta, bool parallel);
void write_to_store(StoreWriter *writer, const std::uint8_t *signature, Tid tid);
// The same for the rows of an index with lists, which come list by list.
void begin_lists(StoreWriter *writer, std::uint32_t lists);
void write_to_list(StoreWriter *writer, std::uint32_t list, const std::uint8_t *signature, Tid tid);
// Begins the lists up to this one, each with a page.
void begin_lists_to(StoreWriter *writer, std::uint32_t list);
// Writes the last segment.
void end_store(StoreWriter *writer);
// Writes the map of all segments. Its first page exists already.
void write_map(Relation index, const SignatureMeta &meta, const SegmentEntry *segment, Size segments);

} // namespace simhash
