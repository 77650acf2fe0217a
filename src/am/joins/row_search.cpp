#include "am/joins/row_search.hpp"

#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/fingerprints/fingerprint_search.hpp"
#include "am/index/heap_tid.hpp"
#include "pg/server/compat.hpp"

extern "C" {
#include "access/tableam.h"
}

namespace simhash
{

struct RowSearch {
    FingerprintSearch *search;
    IndexFetchTableData *fetch;
    TupleTableSlot *slot;
    Results found;
    bool finished;
};

RowSearch *begin_row_search(Relation table, Relation index, Snapshot snapshot)
{
    auto *search = static_cast<RowSearch *>(palloc0(sizeof(RowSearch)));
    search->search = static_cast<FingerprintSearch *>(
        prepare_fingerprint_search(use_index(index, CurrentMemoryContext), 1, 0));
    search->search->snapshot = snapshot;
    search->fetch = begin_index_fetch(table);
    search->slot = table_slot_create(table, nullptr);
    return search;
}

void search_row(RowSearch *search, Fingerprint center, int radius)
{
    FingerprintKeys *keys = &search->search->asked;
    keys->values = keys->masked = true;
    keys->balls = 1;
    keys->ball[0] = {center, radius, true, nullptr};
    search->found = {};
    search->finished = false;
    search->search->start(search->search);
    search->search->begin(search->search);
}

TupleTableSlot *next_of_row(RowSearch *search)
{
    for (;;) {
        CHECK_FOR_INTERRUPTS();
        if (search->finished)
            return nullptr;
        if (search->found.returned == search->found.hits &&
            !search->search->next(search->search, &search->found))
            return nullptr;
        ItemPointerData tid = pointer_of(Tid::unpack(search->found.hit[search->found.returned++].tid()));
        bool again = false;
        if (table_index_fetch_tuple(search->fetch, &tid, search->search->snapshot, search->slot, &again,
                                    nullptr))
            return search->slot;
    }
}

void finish_row(RowSearch *search) { search->finished = true; }

void end_row_search(RowSearch *search)
{
    table_index_fetch_end(search->fetch);
    ExecDropSingleTupleTableSlot(search->slot);
}

} // namespace simhash
