// Scans: the callbacks, which follow the keys by searches and return their rows one by one.
#include "am/search/scan.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "nodes/tidbitmap.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
}

namespace simhash
{

namespace
{

void set_distances(IndexScanDesc scan, const Hit &hit)
{
    const ScanState &state = *scan_state(scan);
    scan->xs_recheckorderby = false;
    for (int i = 0; i < scan->numberOfOrderBys; i++) {
        bool null = state.phase == ScanPhase::nulls || state.keys.order[i].null;
        scan->xs_orderbynulls[i] = null;
        scan->xs_orderbyvals[i] =
            Int32GetDatum(null ? 0 : hamming_distance(hit.fingerprint, state.keys.order[i].query));
    }
}

void begin_values(ScanState *state)
{
    const ScanKeys &keys = state->keys;
    const GuidedBall *guided = keys.guided;
    if (keys.orders > 0)
        begin_ordered(state);
    else if (guided != nullptr && state->target < 1 && guided->radius <= kFarthestGuided &&
             guided->center == keys.ball[0].center && guided->radius == keys.ball[0].radius)
        begin_guided_search(&state->search, *guided, guided->radius, state->target);
    else if (keys.balls > 0)
        begin_search(&state->search, keys.ball[0].center, keys.ball[0].radius);
    else
        begin_search(&state->search, 0, kBits);
}

// Begins what the keys of the last rescan ask for.
void start_scan(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    state->phase = ScanPhase::values;
    state->search.reader.snapshot = scan->xs_snapshot;
    state->results = {};
    count_index_search(scan);
    if (state->keys.values)
        begin_values(state);
}

// Sets the results to the next rows, however many; false at the end.
bool advance_scan(ScanState *state)
{
    if (state->phase == ScanPhase::values) {
        if (state->keys.values &&
            (state->keys.orders > 0 ? next_ring(state) : next_leaf(&state->search, &state->results)))
            return true;
        // NULLs come last, as ORDER BY has them.
        state->phase = ScanPhase::nulls;
        if (state->keys.nulls)
            begin_null_search(&state->search);
    }
    return state->keys.nulls && next_leaf(&state->search, &state->results);
}

} // namespace

IndexScanDesc begin_scan(Relation index, int nkeys, int norderbys)
{
    IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
    auto *state = static_cast<ScanState *>(palloc0(sizeof(ScanState)));
    state->meta = copy_index_meta(index, CurrentMemoryContext);
    prepare_scan_keys(&state->keys, nkeys, norderbys);
    prepare_search(&state->search, index, state->meta, &state->keys);
    state->rings.context = CurrentMemoryContext;
    if (norderbys > 0) {
        scan->xs_orderbyvals = static_cast<Datum *>(palloc0(sizeof(Datum) * static_cast<Size>(norderbys)));
        scan->xs_orderbynulls = static_cast<bool *>(palloc0(sizeof(bool) * static_cast<Size>(norderbys)));
    }
    scan->opaque = state;
    return scan;
}

void rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys)
{
    ScanState *state = scan_state(scan);
    if (keys != nullptr && nkeys > 0)
        std::memmove(scan->keyData, keys, sizeof(ScanKeyData) * static_cast<Size>(nkeys));
    if (orderbys != nullptr && norderbys > 0)
        std::memmove(scan->orderByData, orderbys, sizeof(ScanKeyData) * static_cast<Size>(norderbys));

    release_pin(&state->search);
    state->phase = ScanPhase::unstarted;
    state->target =
        target_recall_setting >= 0 ? target_recall_setting : index_options(scan->indexRelation).target_recall;
    read_scan_keys(scan, &state->keys);
}

bool get_tuple(IndexScanDesc scan, ScanDirection direction)
{
    ScanState *state = scan_state(scan);
    if (direction != ForwardScanDirection)
        elog(ERROR, "a simhash index can only be scanned forward");
    if (state->phase == ScanPhase::unstarted) {
        // Without a pin, VACUUM could free a tuple's place and an insert use it again before the heap is
        // read. An MVCC snapshot would not see the newcomer; others would.
        state->search.keep_pin = !IsMVCCSnapshot(scan->xs_snapshot);
        start_scan(scan);
    }
    Results *results = &state->results;
    while (results->returned >= results->hits) {
        if (!advance_scan(state))
            return false;
    }
    const Hit &hit = results->hit[results->returned++];
    scan->xs_heaptid = pointer_of(Tid::unpack(hit.tid));
    scan->xs_recheck = false;
    if (scan->numberOfOrderBys > 0)
        set_distances(scan, hit);
    return true;
}

int64 get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
    ScanState *state = scan_state(scan);
    int64 rows = 0;
    state->search.keep_pin = false;
    start_scan(scan);
    while (advance_scan(state)) {
        for (Size i = 0; i < state->results.hits; i++) {
            ItemPointerData pointer = pointer_of(Tid::unpack(state->results.hit[i].tid));
            tbm_add_tuples(bitmap, &pointer, 1, false);
        }
        rows += static_cast<int64>(state->results.hits);
    }
    return rows;
}

void end_scan(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    free_search(&state->search);
    if (state->rings.hit != nullptr)
        pfree(state->rings.hit);
    free_scan_keys(&state->keys);
    pfree(state->meta);
    pfree(state);
    scan->opaque = nullptr;
}

void run_search(IndexScanDesc scan, StrategyNumber strategy, Datum ball, double target)
{
    ScanKeyData key = {};
    key.sk_attno = 1;
    key.sk_strategy = strategy;
    key.sk_argument = ball;
    rescan(scan, &key, 1, nullptr, 0);
    if (target > 0)
        scan_state(scan)->target = target;
    start_scan(scan);
    while (advance_scan(scan_state(scan))) {
    }
}

} // namespace simhash
