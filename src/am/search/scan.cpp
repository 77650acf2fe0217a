// Scans: what the scan keys ask for, and the callbacks.
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

void add_ball(ScanState *state, Ball ball)
{
    state->nulls = false;
    if (ball.radius < 0) {
        state->nothing = true;
        return;
    }
    for (int i = 0; i < state->balls; i++) {
        if (hamming_distance(ball.center, state->ball[i].center) > ball.radius + state->ball[i].radius)
            state->nothing = true;
    }
    state->ball[state->balls++] = ball;
    if (ball.radius < state->ball[0].radius)
        std::swap(state->ball[0], state->ball[state->balls - 1]);
}

void read_key(ScanState *state, const ScanKeyData &key)
{
    if (key.sk_flags & SK_SEARCHNULL) {
        state->values = false;
    } else if (key.sk_flags & SK_SEARCHNOTNULL) {
        state->nulls = false;
    } else if (key.sk_flags & SK_ISNULL) {
        state->nothing = true; // the operators are strict
    } else {
        switch (key.sk_strategy) {
        case kInBall:
            add_ball(state, *reinterpret_cast<const Ball *>(DatumGetPointer(key.sk_argument)));
            break;
        case kNearDuplicate:
            add_ball(state, {datum_fingerprint(key.sk_argument), kNearRadius, 0});
            break;
        case kInGuidedBall: {
            const auto *ball = reinterpret_cast<const GuidedBall *>(PG_DETOAST_DATUM(key.sk_argument));
            add_ball(state, {ball->center, ball->radius, 0});
            state->guided = ball;
            break;
        }
        case kEqual:
            add_ball(state, {datum_fingerprint(key.sk_argument), 0, 0});
            break;
        default:
            elog(ERROR, "unknown strategy %d of a simhash index", key.sk_strategy);
        }
    }
}

void set_distances(IndexScanDesc scan, const Hit &hit)
{
    const ScanState &state = *scan_state(scan);
    scan->xs_recheckorderby = false;
    for (int i = 0; i < scan->numberOfOrderBys; i++) {
        bool null = state.search.nulls || state.order[i].null;
        scan->xs_orderbynulls[i] = null;
        scan->xs_orderbyvals[i] =
            Int32GetDatum(null ? 0 : hamming_distance(hit.fingerprint, state.order[i].query));
    }
}

} // namespace

void start_scan(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    state->started = true;
    count_index_search(scan);
    state->hits = state->returned = 0;
    if (state->nothing || !state->values)
        state->values = false;
    if (state->nothing)
        state->nulls = false;
    if (!state->values)
        return;
    const GuidedBall *guided = state->guided;
    if (state->orders > 0)
        begin_ordered(scan);
    else if (guided != nullptr && state->target < 1 && guided->radius <= kFarthestGuided &&
             guided->center == state->ball[0].center && guided->radius == state->ball[0].radius)
        begin_guided_search(scan, *guided, guided->radius);
    else if (state->balls > 0)
        begin_search(scan, state->ball[0].center, state->ball[0].radius);
    else
        begin_search(scan, 0, kBits);
}

bool advance_scan(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    if (state->values) {
        if (state->orders > 0 ? next_ring(scan) : next_leaf(scan))
            return true;
        state->values = false;
    }
    // NULLs come last, as ORDER BY has them.
    if (state->nulls && !state->search.nulls)
        begin_null_search(scan);
    return state->search.nulls && next_leaf(scan);
}

IndexScanDesc begin_scan(Relation index, int nkeys, int norderbys)
{
    IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
    auto *state = static_cast<ScanState *>(palloc0(sizeof(ScanState)));
    Size capacity = static_cast<Size>(leaf_capacity(BLCKSZ));
    state->context = CurrentMemoryContext;
    state->search.plan.radius = -1;
    state->meta = copy_index_meta(index, CurrentMemoryContext);
    state->match = static_cast<std::uint16_t *>(palloc(sizeof(std::uint16_t) * capacity));
    state->leaf_hit = static_cast<Hit *>(palloc(sizeof(Hit) * capacity));
    state->ball = static_cast<Ball *>(palloc(sizeof(Ball) * static_cast<Size>(nkeys + 1)));
    state->order = static_cast<OrderKey *>(palloc(sizeof(OrderKey) * static_cast<Size>(norderbys + 1)));
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

    release_pin(state);
    state->started = state->nothing = false;
    state->values = state->nulls = true;
    state->search.nulls = false;
    state->search.guide = nullptr;
    state->balls = 0;
    state->guided = nullptr;
    state->lead_guided = false;
    state->target =
        target_recall_setting >= 0 ? target_recall_setting : index_options(scan->indexRelation).target_recall;
    for (int i = 0; i < scan->numberOfKeys; i++)
        read_key(state, scan->keyData[i]);

    // ORDER BY h <@> NULL orders nothing: the first key that is not NULL leads.
    state->orders = 0;
    for (int i = 0; i < scan->numberOfOrderBys; i++) {
        const ScanKeyData &key = scan->orderByData[i];
        bool null = key.sk_flags & SK_ISNULL;
        GuidedBall guided;
        if (null) {
            state->order[i] = {true, 0};
        } else if (key.sk_strategy == kGuidedOrder) {
            set_guided_ball(&guided, key.sk_argument, kBits);
            state->order[i] = {false, guided.center};
        } else {
            state->order[i] = {false, datum_fingerprint(key.sk_argument)};
        }
        if (!null && state->orders == 0) {
            state->orders = scan->numberOfOrderBys;
            state->lead = state->order[i].query;
            state->lead_guided = key.sk_strategy == kGuidedOrder;
            if (state->lead_guided)
                state->lead_ball = guided;
        }
    }
}

bool get_tuple(IndexScanDesc scan, ScanDirection direction)
{
    ScanState *state = scan_state(scan);
    if (direction != ForwardScanDirection)
        elog(ERROR, "a simhash index can only be scanned forward");
    if (!state->started) {
        // Without a pin, VACUUM could free a tuple's place and an insert use it again before the heap is
        // read. An MVCC snapshot would not see the newcomer; others would.
        state->keep_pin = !IsMVCCSnapshot(scan->xs_snapshot);
        start_scan(scan);
    }
    while (state->returned >= state->hits) {
        if (!advance_scan(scan))
            return false;
    }
    const Hit &hit = state->hit[state->returned++];
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
    state->keep_pin = false;
    start_scan(scan);
    while (advance_scan(scan)) {
        for (Size i = 0; i < state->hits; i++) {
            ItemPointerData pointer = pointer_of(Tid::unpack(state->hit[i].tid));
            tbm_add_tuples(bitmap, &pointer, 1, false);
        }
        rows += static_cast<int64>(state->hits);
    }
    return rows;
}

void end_scan(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    release_pin(state);
    if (state->ring != nullptr)
        pfree(state->ring);
    pfree(state->meta);
    pfree(state->match);
    pfree(state->leaf_hit);
    pfree(state->ball);
    pfree(state->order);
    pfree(state);
    scan->opaque = nullptr;
}

} // namespace simhash
