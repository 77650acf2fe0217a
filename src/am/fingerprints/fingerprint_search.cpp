#include "am/fingerprints/fingerprint_search.hpp"

#include "am/index/failpoint.hpp"

#include "pg/server/settings.hpp"

namespace simhash
{

namespace
{

// Whether this leaf is the one that reports a row.
bool reported(const Search &search, Fingerprint fingerprint)
{
    const LocatedLeaf &leaf = search.reader.leaf;
    if (!search.exactly())
        return search.guided->reports(leaf, fingerprint);
    if (search.by_weights && search.guided->plan.seen(fingerprint, search.guided->plan.probes()))
        return false;
    const ExactSource &exact = search.exact;
    return exact.plan.steps == 1 ||
           reports(search.meta->order, exact.plan, exact.step_of(leaf), fingerprint ^ exact.center);
}

Size collect_nulls(const Search &search, const char *page)
{
    int count = leaf_count(page);
    for (int i = 0; i < count; i++)
        search.hit[i] = {0, leaf_tid(page, i).packed()};
    return static_cast<Size>(count);
}

Size collect_matches(const Search &search, const char *page)
{
    const Fingerprint *fingerprints = leaf_fingerprints(page);
    const ExactSource &exact = search.exact;
    int matches = match_leaf(fingerprints, leaf_count(page), exact.center, exact.radius, search.match);
    Size hits = 0;
    for (int i = 0; i < matches; i++) {
        Fingerprint fingerprint = fingerprints[search.match[i]];
        if (reported(search, fingerprint) && search.keys->accept(fingerprint))
            search.hit[hits++] = {fingerprint, leaf_tid(page, search.match[i]).packed()};
    }
    return hits;
}

// Copies the matching rows of a leaf to `results`.
void collect(const Search &search, Buffer buffer, Results *results)
{
    const char *page = buffer_page(buffer);
    Size hits = search.for_nulls() ? collect_nulls(search, page) : collect_matches(search, page);
    TidCheck check;
    for (Size i = 0; i < hits; i++)
        check.add(search.hit[i].tid);
    check.finish(search.reader.index, BufferGetBlockNumber(buffer));
    *results = {search.hit, hits, 0};
}

void trace_leaf(const Search &search, BlockNumber block, Size matches)
{
    const LocatedLeaf &leaf = search.reader.leaf;
    bool guided = search.by_weights && !search.exactly();
    search.trace->leaf({leaf.table, block, matches, guided ? &search.guided->probe_of(leaf) : nullptr},
                       search.trace->context);
}

// Returns the next leaf of the source, locked. A guided search that runs out of memory for probes is
// continued as an exact one.
Buffer next_buffer(Search *search)
{
    Buffer buffer = read_next_leaf(&search->reader);
    if (BufferIsValid(buffer) || search->exactly() || search->for_nulls() || search->guided->finished())
        return buffer;
    begin_reading(&search->reader, &search->exact);
    return read_next_leaf(&search->reader);
}

} // namespace

void prepare_search(Search *search, Relation index, const IndexMeta *meta, const ScanKeys *keys)
{
    Size capacity = static_cast<Size>(leaf_capacity(BLCKSZ));
    search->reader.index = index;
    search->meta = meta;
    search->keys = keys;
    search->context = CurrentMemoryContext;
    search->exact.plan.radius = -1;
    search->match = static_cast<std::uint16_t *>(palloc(sizeof(std::uint16_t) * capacity));
    search->hit = static_cast<Hit *>(palloc(sizeof(Hit) * capacity));
}

void free_search(Search *search)
{
    release_pin(search);
    pfree(search->match);
    pfree(search->hit);
}

void begin_search(Search *search, Fingerprint center, int radius)
{
    if (search->exact.plan.radius != radius)
        index_plan(search->reader.index, radius, &search->exact.plan);
    begin_exact_source(&search->exact, search->meta, center, radius);
    begin_reading(&search->reader, &search->exact);
    search->by_weights = false;
}

void begin_guided_search(Search *search, const GuidedBall &ball, int radius)
{
    begin_search(search, ball.center, radius); // the exact search that it falls back to
    search->guided = prepare_guided_source(search->guided, search->reader.index, search->meta,
                                           search->exact.plan.leaves, search->context);
    begin_guided_source(search->guided, ball, radius);
    begin_reading(&search->reader, search->guided);
    search->by_weights = true;
}

void begin_null_search(Search *search)
{
    begin_tree_walk(&search->nulls, search->meta->null_table());
    begin_reading(&search->reader, &search->nulls);
    search->by_weights = false;
}

void narrow_search(Search *search, int radius)
{
    search->exact.radius = Min(search->exact.radius, radius);
    if (search->by_weights)
        search->guided->radius = search->exact.radius;
}

bool next_leaf(Search *search, Results *results)
{
    release_pin(search);
    Buffer buffer;
    while ((buffer = next_buffer(search)) != InvalidBuffer) {
        collect(*search, buffer, results);
        if (search->trace != nullptr)
            trace_leaf(*search, BufferGetBlockNumber(buffer), results->hits);
        if (results->hits > 0 && search->keep_pin) {
            LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
            search->pin = buffer;
            failpoint(Failpoint::scan_pin);
        } else {
            UnlockReleaseBuffer(buffer);
        }
        if (results->hits > 0)
            return true;
    }
    *results = {search->hit, 0, 0};
    return false;
}

void release_pin(Search *search)
{
    if (BufferIsValid(search->pin))
        ReleaseBuffer(search->pin);
    search->pin = InvalidBuffer;
}

} // namespace simhash
