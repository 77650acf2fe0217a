// The scan callbacks: they search as the scan keys require and return the rows one by one.
//
// A plain scan returns the first rows at once, for LIMIT 1 and EXISTS, and many rows in the order of the table. A
// scan of fingerprints with another snapshot than an MVCC one, that of an exclusion constraint, keeps the pin of the
// leaf whose rows it returns, so that VACUUM cannot free their tids. Rows without a value come last. run_search and
// run_order are for those who look at a search and not at its rows.
#include "am/search/scan.hpp"

#include "am/index/heap_tid.hpp"
#include "am/index/kind.hpp"

#include "core/bits/digit_sort.hpp"

extern "C" {
#include "miscadmin.h"
#include "nodes/tidbitmap.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/snapmgr.h"
}

#include <algorithm>
#include <utility>

namespace simhash
{

namespace
{

// The distance of a row to the query of ORDER BY number i, which is not NULL. Sets *unknown if PostgreSQL has to
// compute it: it must not be told more than the row has, so 0.
int order_distance(const ValueSearch &search, const Hit &hit, int i, bool *unknown)
{
    if (i == search.keys->lead)
        return hit.distance();
    const auto other_distance = search.nearest->other_distance;
    *unknown = *unknown || other_distance == nullptr;
    return other_distance == nullptr ? 0 : other_distance(&search, hit, i);
}

void set_distances(IndexScanDesc scan, const Hit &hit)
{
    const ScanState &state = *scan_state(scan);
    const ScanKeys &keys = *state.search->keys;
    scan->xs_recheckorderby = false;
    for (int i = 0; i < scan->numberOfOrderBys; i++) {
        if (!keys.masked) { // PostgreSQL computes the distances, and sorts
            scan->xs_recheckorderby = true;
            scan->xs_orderbynulls[i] = false;
            scan->xs_orderbyvals[i] = Int32GetDatum(0);
            continue;
        }
        bool null = state.phase == ScanPhase::nulls || keys.null_order[i];
        int distance = null ? 0 : order_distance(*state.search, hit, i, &scan->xs_recheckorderby);
        scan->xs_orderbynulls[i] = null;
        scan->xs_orderbyvals[i] = Int32GetDatum(distance);
    }
}

// Starts the scan with the keys of the last rescan.
void start_scan(IndexScanDesc scan, bool all_wanted, bool keep_pin)
{
    ScanState *state = scan_state(scan);
    ValueSearch *search = state->search;
    state->phase = ScanPhase::values;
    state->results = {};
    state->batch.returned = 0;
    state->batch.ended = false;
    count_index_search(scan);
    search->snapshot = scan->xs_snapshot;
    search->all_wanted = all_wanted;
    search->keep_pin = keep_pin;
    search->start(search);
    if (!search->keys->values)
        return;
    if (search->keys->orders > 0)
        begin_ordered(state);
    else
        search->begin(search);
}

void begin_nulls(ScanState *state)
{
    NullSearch *nulls = &state->nulls;
    nulls->reader.snapshot = state->search->snapshot;
    if (nulls->hit == nullptr)
        nulls->hit = allocate_huge<Hit>(static_cast<Size>(leaf_capacity(BLCKSZ)), state->context);
    begin_tree_walk(&nulls->walk, state->index.meta->null_tree());
    begin_reading(&nulls->reader, &nulls->walk);
}

// Sets the results to the rows of the next leaf of NULLs that has any. Returns false at the end.
bool next_nulls(ScanState *state)
{
    NullSearch *nulls = &state->nulls;
    Results *results = &state->results;
    *results = {nulls->hit, 0, 0};
    release_pin(&nulls->pin);
    Buffer buffer;
    while (results->hits == 0 && (buffer = read_next_leaf(&nulls->reader)) != InvalidBuffer) {
        visit_leaf(nulls->reader.page, [results](int, const LeafEntry &entry) {
            results->hit[results->hits++] = Hit::make(0, entry.tid, 0);
        });
        const BlockNumber block = BufferGetBlockNumber(buffer);
        leave_leaf(buffer, state->search->keep_pin && results->hits > 0, &nulls->pin);
        check_hits(state->index, block, results->hit, results->hits); // may open the table
    }
    return results->hits > 0;
}

// Sets the results to the next rows, as many as are convenient. Returns false at the end.
bool advance_scan(ScanState *state)
{
    ValueSearch *search = state->search;
    const ScanKeys &keys = *search->keys;
    if (state->phase == ScanPhase::values) {
        if (keys.values && (keys.orders > 0 ? next_ring(state) : search->next(search, &state->results)))
            return true;
        // NULLs come last, as in ORDER BY.
        release_pin(&search->pin);
        state->phase = ScanPhase::nulls;
        if (keys.nulls)
            begin_nulls(state);
    }
    return keys.nulls && next_nulls(state);
}

// The most rows that a batch should have: as many as fit into work_mem. The last leaf's rows may exceed it.
Size batch_limit() { return static_cast<Size>(work_mem) * 1024 / (2 * sizeof(Hit)); }

Hit *resized(const ScanState &state, Hit *hit, Size capacity)
{
    const Size size = capacity * sizeof(Hit);
    return static_cast<Hit *>(hit == nullptr ? MemoryContextAllocHuge(state.context, size)
                                             : repalloc_huge(hit, size));
}

// Adds the results to the `count` rows collected so far.
void add_to_batch(ScanState *state, Size count)
{
    constexpr Size kFirstCapacity = 1024;
    Batch *batch = &state->batch;
    const Results &rows = state->results;
    if (count + rows.hits > batch->capacity) {
        const Size capacity = Max(Max(kFirstCapacity, 2 * batch->capacity), count + rows.hits);
        batch->capacity = 0;
        batch->hit = resized(*state, batch->hit, capacity);
        batch->spare = resized(*state, batch->spare, capacity);
        batch->capacity = capacity;
    }
    std::copy(rows.hit, rows.hit + rows.hits, batch->hit + count);
}

// Sorts the collected rows by the table's blocks.
void sort_batch(Batch *batch, Size count)
{
    constexpr Size kFewRows = 256; // clearing the counters would take longer than comparing the rows
    // In a packed tid the block number is above the 16 bits of the offset. Rows are sorted by its digits.
    constexpr int kBlockShift = 16;
    if (count < kFewRows) {
        std::sort(batch->hit, batch->hit + count,
                  [](const Hit &a, const Hit &b) { return a.tid() < b.tid(); });
        return;
    }
    Hit *sorted = sort_by_digits(batch->hit, batch->spare, count, kBlockShift, Hit::kTidBits,
                                 [](const Hit &hit) { return hit.rank; });
    if (sorted != batch->hit)
        std::swap(batch->hit, batch->spare);
}

// Sets the results to the next rows in the order of the table: at least `wanted`, and at most one leaf's rows
// more, or all that are left. Returns false at the end.
bool next_batch(ScanState *state, Size wanted)
{
    Batch *batch = &state->batch;
    Size count = 0;
    while (count < wanted && !batch->ended) {
        batch->ended = !advance_scan(state);
        if (!batch->ended) {
            add_to_batch(state, count);
            count += state->results.hits;
        }
    }
    if (count == 0)
        return false;
    sort_batch(batch, count);
    state->results.hit = batch->hit;
    state->results.hits = count;
    state->results.returned = 0;
    return true;
}

// Sets the results to the next rows of a plain scan. The rows of the first leaf are returned at once, because
// often there are no others or none are needed. Each later batch has several times as many rows as have been
// returned before. So a scan that ends early has not read much too far, and a scan of very many rows is
// almost in the order of the table.
bool next_rows(ScanState *state)
{
    constexpr Size kGrowth = 4;
    Batch *batch = &state->batch;
    if (state->search->keys->orders > 0 || state->search->keep_pin ||
        (batch->returned == 0 && !batch->ended)) {
        if (!advance_scan(state)) {
            batch->ended = true;
            return false;
        }
    } else if (!next_batch(state, Min(kGrowth * batch->returned, batch_limit()))) {
        return false;
    }
    batch->returned += state->results.hits;
    return true;
}

// The state of the scan that ended last, for the next one of its index, unless it is large: to make one takes a tenth as
// long as a search within 3.
ScanState *kept;
constexpr Size kMostKept = Size{256} << 10;

// Returns null if there is none that suits the scan.
ScanState *take_kept(Relation index, int nkeys, int norderbys)
{
    follow_growth(index);
    ScanState *state = kept;
    if (state == nullptr || state->index.number != cache_number(index) || state->nkeys != nkeys ||
        state->norderbys != norderbys)
        return nullptr;
    kept = nullptr;
    MemoryContextSetParent(state->context, CurrentMemoryContext);
    return state;
}

void keep(ScanState *state)
{
    if (kept != nullptr)
        MemoryContextDelete(kept->context);
    kept = state;
    MemoryContextSetParent(state->context, CacheMemoryContext);
}

ScanState *make_state(Relation index, int nkeys, int norderbys)
{
    // An exclusion constraint begins a scan for each row of a statement, in one memory context.
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash scan", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    auto *state = allocate_zero<ScanState>();
    state->context = context;
    state->nkeys = nkeys;
    state->norderbys = norderbys;
    state->index = use_index(index, CurrentMemoryContext);
    state->search = state->index.meta->kind->prepare_search(state->index, nkeys, norderbys);
    state->nulls.reader.index = state->index;
    MemoryContextSwitchTo(caller);
    return state;
}

// The argument of another operator would be read as what it is not.
void check_operator(Relation index, const ScanKeyData &key)
{
    const Oid function = key.sk_func.fn_oid;
    if ((key.sk_flags & (SK_SEARCHNULL | SK_SEARCHNOTNULL)) ||
        function == class_function(index, key.sk_attno - 1, key.sk_strategy))
        return;
    ereport(
        ERROR, errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
        errmsg("index \"%s\" cannot be searched with function %s", RelationGetRelationName(index),
               format_procedure(function)),
        errdetail("An operator with this function has been added to the operator family of the index, with "
                  "strategy number %d.",
                  key.sk_strategy),
        errhint("Use ALTER OPERATOR FAMILY ... DROP to remove it."));
}

void set_keys(IndexScanDesc scan, const ScanKeyData *keys, int nkeys, const ScanKeyData *orderbys,
              int norderbys)
{
    ScanState *state = scan_state(scan);
    if (keys != nullptr && nkeys > 0)
        std::memmove(scan->keyData, keys, sizeof(ScanKeyData) * static_cast<Size>(nkeys));
    if (orderbys != nullptr && norderbys > 0)
        std::memmove(scan->orderByData, orderbys, sizeof(ScanKeyData) * static_cast<Size>(norderbys));

    release_pin(&state->nulls.pin);
    state->phase = ScanPhase::unstarted;
    state->search->read_keys(state->search, scan);
}

// The only key of a scan.
ScanKeyData alone(IndexScanDesc scan, StrategyNumber strategy, Datum ball)
{
    ScanKeyData key = {};
    key.sk_attno = static_cast<AttrNumber>(value_column(scan->indexRelation) + 1);
    key.sk_strategy = strategy;
    key.sk_argument = ball;
    return key;
}

} // namespace

IndexScanDesc begin_scan(Relation index, int nkeys, int norderbys)
{
    IndexScanDesc scan = RelationGetIndexScan(index, nkeys, norderbys);
    ScanState *state = take_kept(index, nkeys, norderbys);
    scan->opaque = state != nullptr ? state : make_state(index, nkeys, norderbys);
    if (norderbys > 0) {
        scan->xs_orderbyvals = allocate_zero<Datum>(norderbys);
        scan->xs_orderbynulls = allocate_zero<bool>(norderbys);
    }
    return scan;
}

void rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys)
{
    for (int i = 0; keys != nullptr && i < nkeys; i++)
        check_operator(scan->indexRelation, keys[i]);
    for (int i = 0; orderbys != nullptr && i < norderbys; i++)
        check_operator(scan->indexRelation, orderbys[i]);
    set_keys(scan, keys, nkeys, orderbys, norderbys);
}

bool get_tuple(IndexScanDesc scan, ScanDirection direction)
{
    ScanState *state = scan_state(scan);
    if (direction != ForwardScanDirection)
        elog(ERROR, "a simhash index can only be scanned forward");
    if (state->phase == ScanPhase::unstarted) {
        // Without a pin, VACUUM could remove a tuple and an insert could reuse its place before the heap is
        // read. An MVCC snapshot would not see the new row, but other snapshots would.
        start_scan(scan, false, !IsMVCCSnapshot(scan->xs_snapshot));
    }
    Results *results = &state->results;
    while (results->returned >= results->hits) {
        if (!next_rows(state))
            return false;
    }
    const Hit &hit = results->hit[results->returned++];
    scan->xs_heaptid = pointer_of(Tid::unpack(hit.tid()));
    scan->xs_recheck = state->search->keys->recheck || (state->search->keep_pin && !state->search->pins);
    if (scan->numberOfOrderBys > 0)
        set_distances(scan, hit);
    return true;
}

int64 get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
    constexpr int kTogether = 256; // a block is looked up once for adjacent tids added together
    ItemPointerData pointer[kTogether];
    ScanState *state = scan_state(scan);
    int64 rows = 0;
    start_scan(scan, true, false);
    while (next_batch(state, batch_limit())) {
        const Results &results = state->results;
        for (Size i = 0; i < results.hits;) {
            int count = 0;
            while (count < kTogether && i < results.hits)
                pointer[count++] = pointer_of(Tid::unpack(results.hit[i++].tid()));
            tbm_add_tuples(bitmap, pointer, count, state->search->keys->recheck);
        }
        rows += static_cast<int64>(results.hits);
    }
    return rows;
}

void end_scan(IndexScanDesc scan)
{
    ScanState *state = scan_state(scan);
    release_pin(&state->search->pin);
    release_pin(&state->nulls.pin);
    if (MemoryContextMemAllocated(state->context, true) <= kMostKept)
        keep(state);
    else
        MemoryContextDelete(state->context);
    scan->opaque = nullptr;
}

void discard_scan(IndexScanDesc scan)
{
    MemoryContextDelete(scan_state(scan)->context);
    IndexScanEnd(scan);
}

void run_search(IndexScanDesc scan, StrategyNumber strategy, Datum ball)
{
    const ScanKeyData key = alone(scan, strategy, ball);
    set_keys(scan, &key, 1, nullptr, 0);
    start_scan(scan, false, false);
    while (advance_scan(scan_state(scan))) {
    }
}

void run_order(IndexScanDesc scan, StrategyNumber strategy, Datum ball, Size rows)
{
    const ScanKeyData key = alone(scan, strategy, ball);
    set_keys(scan, nullptr, 0, &key, 1);
    start_scan(scan, false, false);
    ScanState *state = scan_state(scan);
    for (Size found = 0; found < rows && advance_scan(state);)
        found += state->results.hits;
}

} // namespace simhash
