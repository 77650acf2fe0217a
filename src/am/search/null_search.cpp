#include "am/search/null_search.hpp"

#include "am/search/pins.hpp"

namespace simhash
{

void prepare_null_search(NullSearch *search, const OpenIndex &index)
{
    search->reader.index = index;
    search->context = CurrentMemoryContext;
}

void begin_null_search(NullSearch *search, Snapshot snapshot, bool keep_pin)
{
    search->reader.snapshot = snapshot;
    search->keep_pin = keep_pin;
    if (search->hit == nullptr)
        search->hit = static_cast<Hit *>(
            MemoryContextAlloc(search->context, sizeof(Hit) * static_cast<Size>(leaf_capacity(BLCKSZ))));
    begin_tree_walk(&search->walk, search->reader.index.meta->null_tree());
    begin_reading(&search->reader, &search->walk);
}

bool next_nulls(NullSearch *search, Results *results)
{
    release_pin(&search->pin);
    Buffer buffer;
    while ((buffer = read_next_leaf(&search->reader)) != InvalidBuffer) {
        const char *page = search->reader.page;
        Size hits = 0;
        visit_leaf(page,
                   [&](int, const LeafEntry &entry) { search->hit[hits++] = Hit::make(0, entry.tid, 0); });
        check_hits(search->reader.index, BufferGetBlockNumber(buffer), search->hit, hits);
        leave_leaf(buffer, search->keep_pin && hits > 0, &search->pin);
        *results = {search->hit, hits, 0};
        if (hits > 0)
            return true;
    }
    *results = {search->hit, 0, 0};
    return false;
}

} // namespace simhash
