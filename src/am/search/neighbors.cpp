// How many neighbors rows have (core/page/neighbor_figures.hpp): searches for some of the rows of an index, when it has been
// built, and by ANALYZE and VACUUM.
#include "am/index/kind.hpp"
#include "am/index/stored_value.hpp"
#include "am/search/cost.hpp"
#include "am/search/search.hpp"
#include "am/search/value_search.hpp"
#include "am/tree/tree_page.hpp"

#include "core/bits/split_mix.hpp"
#include "pg/planner/near_rows.hpp"
#include "pg/types/ball.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "utils/memutils.h"
#include "utils/varbit.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr int kRows = 256, kFewestRows = 8;
constexpr int kMostDraws = 8 * kRows; // some pages have no rows
constexpr double kFillOfLeaf = 0.7;

// Searches within each of these distances, in steps. A wider search takes longer, so it is done for fewer rows, and not at
// all if it takes too long even for the fewest. Rows found beyond the limits are not counted: so many neighbors are many.
constexpr int kLevels[] = {3, 5, 8, 12, 16};
constexpr double kLevelMicroseconds = 2000;
constexpr Size kMostFound = 100000, kMostOfLevel = 4 * kMostFound;

struct DrawnRow {
    Datum stored;
    std::uint64_t tid;
};

struct Measurement {
    OpenIndex index;
    ValueSearch *search;
    IndexOptInfo info; // the size of the index, for the estimate of a search
    int count;
    DrawnRow row[kRows];
};

ValueSearch *begin_measuring(const OpenIndex &index)
{
    ValueSearch *search = index.meta->kind->prepare_search(index, 0, 0);
    search->all_wanted = true;
    search->start(search);
    return search;
}

void draw_rows(Measurement *measurement)
{
    for (std::uint64_t draw = 1; draw <= kMostDraws && measurement->count < kRows; draw++) {
        delay_vacuum();
        DrawnRow &row = measurement->row[measurement->count];
        // The same rows are drawn if the index has not changed.
        if (measurement->search->draw_row(measurement->search, split_mix_number(kRows, draw), &row.stored,
                                          &row.tid))
            measurement->count++;
    }
}

double search_microseconds(const IndexOptInfo *info, const OpenIndex &index, int radius)
{
    return index.meta->kind->costs->search({info, index}, {{radius, true, kExactRecall}, false, 0})
        .microseconds;
}

// Adds up the neighbors of a row within each step. Returns the number of rows found.
Size count_neighbors(Measurement *measurement, const DrawnRow &row, int last, double within[kNeighborSteps])
{
    const int bits = measurement->index.meta->bits;
    ValueSearch *search = measurement->search;
    std::fill(within, within + last + 1, 0);
    search->begin_around(search, row.stored, neighbor_distance(bits, last));
    Size found = 0;
    for (Results rows; found < kMostFound && search->next(search, &rows); found += rows.hits) {
        delay_vacuum();
        for (Size i = 0; i < rows.hits; i++) {
            int step = 0;
            while (step < last && neighbor_distance(bits, step) < rows.hit[i].distance())
                step++;
            if (rows.hit[i].tid() != row.tid)
                within[step]++;
        }
    }
    for (int step = 1; step <= last; step++)
        within[step] += within[step - 1];
    return found;
}

// Measures the steps after those that are known, up to the last one of a level, on as many rows as there is time for.
void measure_level(Measurement *measurement, int last, int rows, NeighborFigures *figures)
{
    double mean[kNeighborSteps] = {}, share[kNeighborSteps] = {}, typical[kNeighborSteps] = {};
    double values = 0;
    Size found = 0;
    int count = 0;
    while (count < rows && found < kMostOfLevel) {
        double within[kNeighborSteps];
        found += count_neighbors(measurement, measurement->row[count++], last, within);
        const double value = 1 / (1 + within[0]);
        values += value;
        for (int step = 0; step <= last; step++) {
            mean[step] += within[step];
            share[step] += within[step] > 0;
            typical[step] += within[step] * value;
        }
    }
    for (int step = static_cast<int>(figures->steps); step <= last; step++) {
        figures->mean[step] = static_cast<float>(mean[step] / count);
        figures->share[step] = static_cast<float>(share[step] / count);
        figures->typical[step] = static_cast<float>(typical[step] / values);
        // The steps of a level may have been measured on other rows.
        if (step > 0) {
            figures->mean[step] = Max(figures->mean[step], figures->mean[step - 1]);
            figures->share[step] = Max(figures->share[step], figures->share[step - 1]);
            figures->typical[step] = Max(figures->typical[step], figures->typical[step - 1]);
        }
    }
    figures->steps = static_cast<std::uint32_t>(last + 1);
}

NeighborFigures measure(Measurement *measurement)
{
    NeighborFigures figures = {};
    draw_rows(measurement);
    figures.rows = static_cast<std::uint32_t>(measurement->count);
    for (int last : kLevels) {
        const int radius = neighbor_distance(measurement->index.meta->bits, last);
        const double rows =
            kLevelMicroseconds / search_microseconds(&measurement->info, measurement->index, radius);
        if (measurement->count == 0 || rows < kFewestRows)
            break;
        measure_level(measurement, last, static_cast<int>(Min(rows, measurement->count)), &figures);
    }
    if (figures.steps == 0)
        figures.rows = 0;
    return figures;
}

void store_figures(Relation index, const NeighborFigures &figures)
{
    Buffer buffer = lock_meta_page(index, BUFFER_LOCK_EXCLUSIVE);
    const bool changed = std::memcmp(reinterpret_cast<const char *>(page_neighbors(buffer_page(buffer))),
                                     reinterpret_cast<const char *>(&figures), sizeof(figures)) != 0;
    if (changed) {
        GenericXLogState *state = GenericXLogStart(index);
        *page_neighbors(GenericXLogRegisterBuffer(state, buffer, 0)) = figures;
        GenericXLogFinish(state);
    }
    UnlockReleaseBuffer(buffer);
    if (changed)
        reread_meta(index);
}

// Whether an index is one of texts by this unit, or of other values.
bool is_by_unit(Relation index, TextUnit unit)
{
    const TextUnit other = unit == TextUnit::kWord ? TextUnit::kCharacter : TextUnit::kWord;
    return !OidIsValid(class_function(index, value_column(index), text_ball_strategy(other)));
}

// The figures of an index whose searched column is the value, rather of one that has no other columns.
bool index_near_rows(const RelOptInfo *rel, Node *value, TextUnit unit, NearRows *found)
{
    found->figures.rows = 0;
    ListCell *cell;
    foreach (cell, rel->indexlist) {
        auto *info = static_cast<IndexOptInfo *>(lfirst(cell));
        if (!can_search(info) || !match_index_to_operand(value, info->nkeycolumns - 1, info) ||
            (found->figures.rows > 0 && info->nkeycolumns >= found->index->nkeycolumns))
            continue;
        Relation index = index_open(info->indexoid, NoLock);
        const bool by_unit =
            is_by_unit(index, unit); // a look-up, after which the metapage may have to be read again
        const IndexMeta *meta = index_meta(index);
        if (meta->neighbors.rows > 0 && by_unit)
            *found = {info, meta->bits, meta->neighbors};
        index_close(index, NoLock);
    }
    return found->figures.rows > 0;
}

int search_values(const IndexOptInfo *info, const Datum *value, int count, int radius, double microseconds,
                  double *found)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash neighbors", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    Relation relation = index_open(info->indexoid, NoLock);
    const OpenIndex index = use_index(relation, context);
    count = Min(count, static_cast<int>(microseconds / search_microseconds(info, index, radius)));
    ValueSearch *search = begin_measuring(index);
    Size all = 0;
    int done = 0;
    for (; done < count && all < kMostFound; done++) {
        CHECK_FOR_INTERRUPTS();
        const StoredValue stored = extract_value(relation, value[done]);
        Size rows = 0;
        // The other column may have bit strings of another length. The join raises an error, and only if it has rows.
        const bool searchable =
            !stored.null &&
            (stored_type(relation) != BITOID || VARBITLEN(DatumGetVarBitP(stored.value)) == index.meta->bits);
        if (searchable) {
            search->begin_around(search, stored.value, radius);
            for (Results results; rows < kMostFound && search->next(search, &results);)
                rows += results.hits;
        }
        found[done] = static_cast<double>(rows);
        all += rows;
    }
    index_close(relation, NoLock);
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    return done;
}

std::uint32_t index_number(const IndexOptInfo *info)
{
    Relation index = index_open(info->indexoid, NoLock);
    index_meta(index);
    const std::uint32_t number = cache_number(index);
    index_close(index, NoLock);
    return number;
}

constexpr NearRowsSource kSource = {index_near_rows, search_values, index_number};

} // namespace

Buffer draw_page(const OpenIndex &index, std::uint64_t random)
{
    const BlockNumber blocks = RelationGetNumberOfBlocks(index.relation);
    const BlockNumber first = root_block(0);
    if (blocks <= first)
        return InvalidBuffer;
    const auto block = static_cast<BlockNumber>(first + random % (blocks - first));
    Buffer buffer = ReadBuffer(index, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    Page page = buffer_page(buffer);
    if (PageIsNew(page)) {
        UnlockReleaseBuffer(buffer);
        return InvalidBuffer;
    }
    const char *fault = check_any_page(*index.meta, page, block);
    if (fault != nullptr)
        report_corruption(index, block, fault);
    return buffer;
}

void measure_neighbors(Relation index)
{
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "simhash neighbors", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    auto *measurement = allocate_zero<Measurement>();
    measurement->index = use_index(index, context);
    measurement->info.pages = RelationGetNumberOfBlocks(index);
    measurement->info.tuples = index_leaves(index) * kFillOfLeaf * leaf_capacity(BLCKSZ);
    measurement->search = begin_measuring(measurement->index);
    store_figures(index, measure(measurement));
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
}

void install_neighbors() { set_near_rows_source(&kSource); }

} // namespace simhash
