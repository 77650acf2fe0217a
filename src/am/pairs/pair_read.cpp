// Groups rows by a plan of cells so that all pairs meet. Each step reads all rows once more.
//
// Rows stay in memory if they fit, otherwise they are divided by some bits of their cells' numbers into stores that
// fit one after the other. If all of the smaller side fits, the other one streams past it. A step with a budget
// compares different stores, too. Both kinds of indexes use this: signatures with the words of a window in place of
// fingerprints.
#include "am/pairs/pair_read.hpp"
#include "am/index/kind.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
}

#include <algorithm>
#include <cmath>

namespace simhash
{

namespace
{

// Nanoseconds for each row and step, measured.
constexpr double kLoadRow = 35;       // read from a partition and sorted
constexpr double kSpoolRow = 30;      // partitioned in memory
constexpr double kSpillRow = 60;      // partitioned by files
constexpr Size kWindow = 1 << 15;     // rows that can be sorted within the processor's cache
constexpr Size kWideWindow = 1 << 17; // the same where cells and partitions are compared with others
constexpr int kMostPartitionBits = 12;
constexpr double kManyUnseen = 1000;
constexpr double kLeastMemory = 256; // kilobytes, even if work_mem is less
// Bytes of the least memory, times the root of the number of rows. There is memory for as many partitions as a partition
// has rows, so with a little less memory the rows are read many times. PostgreSQL's hash joins take a buffer for each
// batch beyond work_mem, too.
constexpr double kLeastOfRoot = 4096;

// Whether two partitions, of one set of rows, are compared when the first one is at hand. So about half of those that
// lie in different shares are compared by each.
bool is_first(uint32 partition, uint32 other)
{
    return partition == other || (partition < other) == (std::popcount(partition & other) % 2 == 0);
}

// Reads rows of a store and sorts them by cells. Reads on while there is room: narrowing may leave few of the rows read.
// Returns the number of the next row.
uint64 load_rows(PairReader *reader, int store, uint64 from, int place, const CellMap &map, int low_bits)
{
    PairJoin *join = reader->join;
    uint64 end = spooled_rows(reader->spool, store);
    Rows *raw = &join->raw;
    raw->count = 0;
    while (from < end && raw->count <= join->capacity / 2) {
        Rows more = raw->part(raw->count, join->capacity);
        read_rows(reader->spool, store, from, join->capacity - raw->count, &more);
        from += more.count;
        raw->count += more.count;
        if (reader->output != nullptr)
            narrow_rows(*reader, place, raw);
    }
    sort_cells(join, *raw, map, low_bits, &join->cells[place]);
    return from;
}

// Calls visit(rows) with the rows of each page of a side.
template <typename Visit> void visit_rows(PairReader *reader, int place, Visit visit)
{
    auto call = [](void *context, const Rows &rows) { (*static_cast<Visit *>(context))(rows); };
    reader->output->source->read(reader, place, call, &visit);
}

// Adds the rows of those partitions that are wanted to the spool.
void spool_side(PairReader *reader, int place, const CellMap &map, int low_bits, int first_store,
                const bool *wanted)
{
    visit_rows(reader, place, [&](const Rows &rows) {
        for (Size i = 0; i < rows.count; i++) {
            uint32 partition = map(rows.word[i]) >> low_bits;
            if (wanted[partition])
                add_row(reader->spool, first_store + static_cast<int>(partition), rows.word[i], rows.tag[i]);
        }
    });
}

// Which partitions a share is compared with; with no budget, the share itself.
bool *reached_partitions(const PartitionShare &share, int budget)
{
    auto *reached = static_cast<bool *>(palloc0(sizeof(bool) << share.bits));
    for (uint32 partition = 0; partition < uint32{1} << share.bits; partition++) {
        for (Flips flips(share.bits, budget); share.has(partition) && !flips.done(); flips.next())
            reached[partition ^ flips.mask()] = true;
    }
    return reached;
}

// Joins when all of x, in one store, fits into memory: y's rows need not be kept.
void stream_side(PairReader *reader, const CellMap &map, const PairStep &step)
{
    PairJoin *join = reader->join;
    Rows *raw = &join->raw;
    read_rows(reader->spool, 0, 0, join->capacity, raw);
    narrow_rows(*reader, 0, raw);
    sort_cells(join, *raw, map, step.bits, &join->cells[0]);
    raw->count = 0;
    auto meet = [&]() {
        narrow_rows(*reader, 1, raw);
        sort_cells(join, *raw, map, step.bits, &join->cells[1]);
        join_cells(join, join->cells[0], join->cells[1], step.budget, step.mask, join->radius);
        raw->count = 0;
    };
    Size window = std::min(join->capacity, kWindow);
    visit_rows(reader, 1, [&](const Rows &rows) {
        if (raw->count + rows.count > window)
            meet();
        for (Size i = 0; i < rows.count; i++)
            raw->set(raw->count++, rows.word[i], rows.tag[i]);
    });
    meet();
}

// How many of a step's bits select the partition.
int partition_bits(const PairReader &reader, const PairStep &step)
{
    Size most = std::min(reader.join->capacity, step.budget == 0 ? kWindow : kWideWindow);
    int bits = std::max(0, step.bits - most_sort_bits(reader.join->capacity));
    // Each file has a buffer.
    Size stores = (reader.spool_bytes / 2 / kStoreBytes) >> !reader.within;
    while (bits < step.bits && bits < kMostPartitionBits &&
           (1 << bits < reader.processes || reader.rows > static_cast<double>(most << bits)) &&
           (Size{2} << bits) <= stores)
        bits++;
    return bits;
}

// The most bits of a cell number that partitioning and sorting can handle together.
int most_cell_bits(const PairReader &reader)
{
    Size stores = (reader.spool_bytes / 2 / kStoreBytes) >> !reader.within;
    return std::min(kMostCellBits, std::min(kMostPartitionBits, most_sort_bits(stores)) +
                                       most_sort_bits(reader.join->capacity));
}

// Reads the rows, to compare those of a share of the partitions with the others. If all of the smaller side fits, it does.
void begin_share(CellsWork *work, const PartitionShare &share)
{
    PairReader *reader = work->reader;
    const PairStep &step = work->plan->step[work->step];
    const CellMap &map = work->map;
    const int partitions = 1 << share.bits, low_bits = step.bits - share.bits;
    const double rows = all_rows(*reader) / (step.budget == 0 ? share.shares : 1);
    bool files = rows * 20 > static_cast<double>(reader->spool_bytes);
    auto stores = static_cast<Size>(reader->within ? partitions : 2 * partitions);
    // With little memory and many processes, two stores take more than there is.
    const Size buffers = files ? std::min(reader->spool_bytes / 2, stores * kStoreBytes) : 0;
    reader->spool = begin_pair_spool(reader->spool_bytes - buffers, static_cast<int>(stores), rows);
    bool *own = reached_partitions(share, 0), *reached = reached_partitions(share, step.budget);
    work->parts = {reader, share, 0, reader->within ? 0 : partitions, &work->map, low_bits, &step, 0, 0};
    spool_side(reader, 0, map, low_bits, 0, reader->within ? reached : own);
    if (!reader->within && share.bits == 0 && spooled_rows(reader->spool, 0) <= reader->join->capacity) {
        stream_side(reader, map, step);
        work->parts.partition = 1;
    } else if (!reader->within) {
        spool_side(reader, 1, map, low_bits, partitions, reached);
    }
    pfree(own);
    pfree(reached);
}

} // namespace

const PairSide &side_of(const PairReader &reader, int place)
{
    return reader.output->side[reader.join->side[place]];
}

void narrow_rows(const PairReader &reader, int place, Rows *rows)
{
    PairJoin *join = reader.join;
    if (reader.output->filter_early)
        filter_rows(reader.output, join->side[place], rows);
    if (reader.links)
        link_equal(join, place == 0 && join->under[0].step == 0, rows);
}

double all_rows(const PairReader &reader)
{
    return side_of(reader, 0).rows + (reader.within ? 0 : side_of(reader, 1).rows);
}

void log_plan(const char *source, const PairPlan &plan)
{
    StringInfoData steps;
    initStringInfo(&steps);
    for (int i = 0; i < plan.steps; i++)
        appendStringInfo(&steps, "%s%d bits, budget %d", i > 0 ? "; " : "", plan.step[i].bits,
                         plan.step[i].budget);
    elog(DEBUG1, "simhash join by %s: %s; estimated at %.3f s", source, steps.data, plan.cost * 1e-9);
    pfree(steps.data);
}

bool join_next_part(PartitionWork *work)
{
    PairReader *reader = work->reader;
    PairJoin *join = reader->join;
    const PartitionShare &share = work->share;
    const PairStep &step = *work->step;
    for (; work->partition >> share.bits == 0; work->partition++, work->at = 0) {
        const uint32 partition = work->partition;
        const int own = work->x_store + static_cast<int>(partition);
        if (share.has(partition) && work->at < spooled_rows(reader->spool, own))
            break;
    }
    const uint32 partition = work->partition;
    if (partition >> share.bits != 0)
        return false;
    Cells *x = &join->cells[0], *y = &join->cells[1];
    work->at = load_rows(reader, work->x_store + static_cast<int>(partition), work->at, 0, *work->map,
                         work->low_bits);
    if (reader->within)
        join_cells(join, *x, *x, step.budget, step.mask, join->radius);
    for (Flips flips(share.bits, step.budget); !flips.done(); flips.next()) {
        uint32 other = partition ^ flips.mask();
        if (reader->within && !is_first(partition, other))
            continue; // compared the other way round
        int store = work->y_store + static_cast<int>(other);
        uint64 y_at = reader->within && other == partition ? work->at : 0;
        while (y_at < spooled_rows(reader->spool, store)) {
            y_at = load_rows(reader, store, y_at, 1, *work->map, work->low_bits);
            join_cells(join, *x, *y, step.budget - flips.count(), step.mask, join->radius - flips.count());
        }
    }
    return true;
}

void begin_cells(CellsWork *work, PairReader *reader, const PairPlan &plan)
{
    *work = {};
    work->reader = reader;
    work->plan = &plan;
}

bool continue_cells(CellsWork *work)
{
    PairReader *reader = work->reader;
    PairJoin *join = reader->join;
    if (reader->spool != nullptr) {
        if (join_next_part(&work->parts))
            return true;
        end_pair_spool(reader->spool);
        reader->spool = nullptr;
        join->depth--;
    }
    for (; work->step < work->plan->steps; work->step++, work->share = 0) {
        const PairStep &step = work->plan->step[work->step];
        const int bits = partition_bits(*reader, step), shares = std::min(reader->processes, 1 << bits);
        while (work->share < shares) {
            const int share = work->share++;
            if (!takes_task(reader->output))
                continue;
            work->map.set(step.bit, step.bits);
            join->under[join->depth++] = {work->plan, work->step, nullptr};
            begin_share(work, {bits, share, shares});
            return true;
        }
    }
    return false;
}

BufferAccessStrategy join_strategy(Relation index)
{
    return index_leaves(index) > NBuffers / 4.0 ? GetAccessStrategy(BAS_BULKREAD) : nullptr;
}

Size pair_memory(double rows)
{
    return static_cast<Size>(std::max(std::max(work_mem * hash_mem_multiplier, kLeastMemory) * 1024,
                                      kLeastOfRoot * std::sqrt(rows)));
}

void plan_reader(PairOutput *output, Size join_bytes, Size spool_bytes, int processes, PairReader *reader,
                 PairJoin *join)
{
    reader->output = join->output = output;
    reader->join = join;
    reader->within = output->sides == 1;
    reader->processes = processes;
    reader->spool_bytes = spool_bytes;
    if (!reader->within) { // the smaller one first
        join->side[0] = output->side[1].rows < output->side[0].rows;
        join->side[1] = 1 - join->side[0];
    }
    double x_rows = side_of(*reader, 0).rows, y_rows = reader->within ? 0 : side_of(*reader, 1).rows;
    reader->rows = std::max(x_rows, y_rows);
    plan_memory(join, join_bytes, all_rows(*reader));
    output->many_unseen = kManyUnseen + 2 * (x_rows + y_rows);
}

PairReader *begin_reader(PairOutput *output, Size join_bytes, Size spool_bytes, int processes)
{
    auto *reader = allocate_zero<PairReader>();
    auto *join = allocate_zero<PairJoin>();
    plan_reader(output, join_bytes, spool_bytes, processes, reader, join);
    reader->page = allocate_rows(static_cast<Size>(leaf_capacity(BLCKSZ)));
    begin_join(join, join_bytes, all_rows(*reader));
    return reader;
}

void set_cell_task(const PairReader &reader, PairTask *task)
{
    task->x_rows = side_of(reader, 0).rows;
    task->y_rows = reader.within ? 0 : side_of(reader, 1).rows;
    task->radius = reader.join->radius;
    task->usable = ~Fingerprint{0};
    task->most_bits = most_cell_bits(reader);
    task->row_cost = all_rows(reader) * 20 < static_cast<double>(reader.spool_bytes) ? kSpoolRow : kSpillRow;
    task->compare_cost = reader.join->match->nanoseconds;
    task->part_rows = static_cast<double>(std::min(reader.join->capacity, kWideWindow));
    task->load_cost = kLoadRow;
}

} // namespace simhash
