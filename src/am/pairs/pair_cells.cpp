// Compares rows cell by cell. Large cells are split again by a plan of their own.
//
// Comparing all rows of a cell takes quadratic time, which a cell of equal fingerprints, or of skewed ones, would
// spend in vain. So a cell that is worth it is sampled, and if a plan for the bits that are left costs clearly less,
// it is followed. A pair is returned where each plan above it says that this step is the one.
#include "am/pairs/pair_cells.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr Size kFoundRoom = 8192;
constexpr Size kRuns = 512;
constexpr double kMostWork = 1 << 23; // comparisons between two checks for interrupts
constexpr Size kTile = 2048;          // rows that fit into the first-level cache
constexpr double kLarge = 100000;     // nanoseconds of comparing that are worth a plan of their own
constexpr double kGain = 0.7;         // a plan must cost less than this share of comparing everything
constexpr Size kPlanSample = 512;
constexpr Size kDenseSample = 64;
constexpr double kDense = 4; // pairs a row

// Two sets of rows to compare. For the pairs within one set, y is x.
struct Group {
    Rows x;
    Rows y;
    bool within;

    double area() const
    {
        double x_count = static_cast<double>(x.count), y_count = static_cast<double>(y.count);
        return within ? x_count * (x_count - 1) / 2 : x_count * y_count;
    }
    Size rows() const { return within ? x.count : x.count + y.count; }
    double pairs_per_row(double share) const { return share * area() / static_cast<double>(rows()); }
};

void *take(PairJoin *join, Size bytes)
{
    char *memory = join->arena + join->arena_used;
    join->arena_used += MAXALIGN(bytes);
    Assert(join->arena_used <= join->arena_size);
    return memory;
}

Rows take_rows(PairJoin *join, Size count)
{
    Rows rows;
    rows.word = static_cast<Fingerprint *>(take(join, count * sizeof(Fingerprint)));
    rows.tag = static_cast<uint64 *>(take(join, count * sizeof(uint64)));
    rows.count = count;
    return rows;
}

Cells take_cells(PairJoin *join, Size count, int most_bits)
{
    Cells cells;
    cells.bits = 0;
    cells.rows = take_rows(join, count);
    cells.begin = static_cast<uint32 *>(take(join, sizeof(uint32) * ((Size{1} << most_bits) + 1)));
    return cells;
}

// The most memory that a group takes: copies of its rows, the same rows sorted, and on each side at most as
// many cells as the larger side has rows.
constexpr Size kArenaRowBytes = 2 * (sizeof(Fingerprint) + sizeof(uint64)) + 2 * sizeof(uint32);
constexpr Size kArenaGroupBytes = 256;

void report_found(PairJoin *join, const Rows &x, const Rows &y, Size count)
{
    for (Size i = 0; i < count; i++) {
        RowPair pair = join->found[i];
        Fingerprint errors = x.word[pair.x] ^ y.word[pair.y];
        bool here = true;
        for (int level = 0; level < join->depth && here; level++) {
            const PlanStep &under = join->under[level];
            here = returns_pair(*under.plan, under.step,
                                under.to_fingerprint == nullptr ? errors : (*under.to_fingerprint)(errors));
        }
        if (!here)
            continue;
        if (join->output == nullptr) {
            join->sink.put(join->sink.context, x.tag[pair.x], y.tag[pair.y], errors);
            continue;
        }
        uint64 tag[2];
        tag[join->side[0]] = x.tag[pair.x];
        tag[join->side[0] ^ 1] = y.tag[pair.y];
        add_pair(join->output, tag[0], tag[1], std::popcount(errors));
    }
}

// Compares the waiting runs, within x or between x and y.
void compare_runs(PairJoin *join, const Rows &x, const Rows &y, bool within)
{
    MatchCursor cursor = {};
    while (cursor.run < join->runs) {
        CHECK_FOR_INTERRUPTS();
        Size count = within ? join->match->within(x.word, join->run, join->runs, join->radius, &cursor,
                                                  join->found, kFoundRoom)
                            : join->match->between(x.word, y.word, join->run_pair, join->runs, join->radius,
                                                   &cursor, join->found, kFoundRoom);
        report_found(join, x, y, count);
    }
    join->runs = 0;
    join->work = 0;
}

void add_run(PairJoin *join, const Rows &x, const Rows &y, bool within, RunPair run)
{
    double length = run.x.end - run.x.begin;
    if (within)
        join->run[join->runs++] = run.x;
    else
        join->run_pair[join->runs++] = run;
    join->work += within ? length * length / 2 : length * (run.y.end - run.y.begin);
    if (join->runs == kRuns || join->work > kMostWork)
        compare_runs(join, x, y, within);
}

RowRun tile_at(Size from, Size count)
{
    return {static_cast<uint32>(from), static_cast<uint32>(std::min(from + kTile, count))};
}

// All against all, in tiles.
void compare_all(PairJoin *join, const Group &group)
{
    if (group.within) {
        for (Size x = 0; x < group.x.count; x += kTile)
            add_run(join, group.x, group.x, true, {tile_at(x, group.x.count), {}});
        compare_runs(join, group.x, group.x, true);
    }
    for (Size x = 0; x < group.x.count; x += kTile) {
        for (Size y = group.within ? x + kTile : 0; y < group.y.count; y += kTile)
            add_run(join, group.x, group.y, false, {tile_at(x, group.x.count), tile_at(y, group.y.count)});
    }
    compare_runs(join, group.x, group.y, false);
}

Size take_sample(const Rows &rows, Size most, Fingerprint *sample)
{
    Size count = std::min(rows.count, most);
    for (Size i = 0; i < count; i++)
        sample[i] = rows.word[i * rows.count / count];
    return count;
}

// Whether the rows have so many pairs that it is cheaper to check first which rows are visible.
bool is_dense(PairJoin *join, const Group &group)
{
    Fingerprint sample[2][kDenseSample];
    RunPair run = {{0, static_cast<uint32>(take_sample(group.x, kDenseSample, sample[0]))},
                   {0, static_cast<uint32>(take_sample(group.y, kDenseSample, sample[1]))}};
    MatchCursor cursor = {};
    Size found = group.within ? join->match->within(sample[0], &run.x, 1, join->radius, &cursor, join->found,
                                                    kFoundRoom)
                              : join->match->between(sample[0], sample[1], &run, 1, join->radius, &cursor,
                                                     join->found, kFoundRoom);
    double x_rows = run.x.end, y_rows = run.y.end;
    double compared = group.within ? x_rows * (x_rows - 1) / 2 : x_rows * y_rows;
    return group.pairs_per_row(static_cast<double>(found) / compared) > kDense;
}

Rows visible_rows(PairJoin *join, const Rows &rows, int side)
{
    Rows copy = take_rows(join, rows.count);
    copy_rows(rows, &copy);
    filter_rows(join->output, side, &copy);
    return copy;
}

int most_group_bits(const Group &group) { return most_sort_bits(std::max(group.x.count, group.y.count)); }

void plan_group(PairJoin *join, const Group &group, Fingerprint usable, int radius, PairPlan *plan)
{
    Fingerprint sample[2][kPlanSample];
    Size x_count = take_sample(group.x, kPlanSample, sample[0]);
    Size y_count = take_sample(group.y, kPlanSample, sample[1]);
    PairTask task;
    task.x_rows = static_cast<double>(group.x.count);
    task.y_rows = group.within ? 0 : static_cast<double>(group.y.count);
    task.radius = radius;
    task.usable = usable;
    measure_bits(sample[0], x_count, sample[1], y_count, task.differ);
    task.most_bits = most_group_bits(group);
    task.row_cost = 10;
    task.part_rows = static_cast<double>(group.rows());
    task.load_cost = 0;
    task.compare_cost = join->match->nanoseconds;
    plan_pairs(task, plan);
}

void join_group(PairJoin *join, Group group, Fingerprint used, int radius);

void halve_group(PairJoin *join, const Group &group, Fingerprint used, int radius)
{
    if (group.within) {
        Rows first = group.x.part(0, group.x.count / 2), second = group.x.part(first.count, group.x.count);
        join_group(join, {first, first, true}, used, radius);
        join_group(join, {second, second, true}, used, radius);
        join_group(join, {first, second, false}, used, radius);
    } else if (group.x.count > group.y.count) {
        join_group(join, {group.x.part(0, group.x.count / 2), group.y, false}, used, radius);
        join_group(join, {group.x.part(group.x.count / 2, group.x.count), group.y, false}, used, radius);
    } else {
        join_group(join, {group.x, group.y.part(0, group.y.count / 2), false}, used, radius);
        join_group(join, {group.x, group.y.part(group.y.count / 2, group.y.count), false}, used, radius);
    }
}

void follow_plan(PairJoin *join, const Group &group, const PairPlan &plan, Fingerprint used, int radius)
{
    Cells x = take_cells(join, group.x.count, most_group_bits(group)), y = x;
    if (!group.within)
        y = take_cells(join, group.y.count, most_group_bits(group));
    CellMap map;
    for (int step = 0; step < plan.steps; step++) {
        const PairStep &s = plan.step[step];
        map.set(s.bit, s.bits);
        sort_cells(join, group.x, map, s.bits, &x);
        if (!group.within)
            sort_cells(join, group.y, map, s.bits, &y);
        join->under[join->depth++] = {&plan, step, nullptr};
        join_cells(join, x, group.within ? x : y, s.budget, used | s.mask, radius);
        join->depth--;
    }
}

// Joins rows that differ in at most join->radius - radius of the used bits.
void join_group(PairJoin *join, Group group, Fingerprint used, int radius)
{
    double cost = group.area() * join->match->nanoseconds;
    if (cost < kLarge || join->depth == kMostDepth) {
        compare_all(join, group);
        return;
    }
    // Only half of the remaining memory, so that the next level has some too.
    if (group.rows() * kArenaRowBytes + kArenaGroupBytes > (join->arena_size - join->arena_used) / 2) {
        halve_group(join, group, used, radius);
        return;
    }
    CHECK_FOR_INTERRUPTS();
    Size used_before = join->arena_used;
    if (join->output != nullptr && !(group.x.tag[0] & group.y.tag[0] & kVisible) && is_dense(join, group)) {
        group.x = visible_rows(join, group.x, join->side[0]);
        group.y = group.within ? group.x : visible_rows(join, group.y, join->side[1]);
        cost = group.area() * join->match->nanoseconds;
    }
    PairPlan plan = {};
    if (cost > kLarge)
        plan_group(join, group, ~used, radius, &plan);
    if (plan.steps > 0 && plan.cost < kGain * cost)
        follow_plan(join, group, plan, used, radius);
    else
        compare_all(join, group);
    join->arena_used = used_before;
}

// Compares two cells, or one within itself: at once if they are large, otherwise with those that wait.
void join_cell(PairJoin *join, const Rows &x, const Rows &y, bool within, RunPair run, Fingerprint used,
               int radius)
{
    uint32 x_rows = run.x.end - run.x.begin, y_rows = run.y.end - run.y.begin;
    if (x_rows == 0 || y_rows == 0 || (within && x_rows == 1))
        return;
    if (static_cast<double>(x_rows) * y_rows * join->match->nanoseconds < 2 * kLarge) {
        add_run(join, x, y, within, run);
        return;
    }
    compare_runs(join, x, y, within); // join_group uses the same list
    join_group(join, {x.part(run.x.begin, run.x.end), y.part(run.y.begin, run.y.end), within}, used, radius);
}

} // namespace

void plan_memory(PairJoin *join, Size bytes, double rows)
{
    join->match = match_pairs;
    Size least = 2 * static_cast<Size>(leaf_capacity(BLCKSZ)); // see visit_tree_leaf
    Size most = Size{1} << 22;
    if (rows * 1.25 < static_cast<double>(most))
        most = std::max(least, static_cast<Size>(rows * 1.25));
    join->capacity = std::clamp<Size>(bytes / kJoinRowBytes, least, most);
}

void begin_join(PairJoin *join, Size bytes, double rows)
{
    plan_memory(join, bytes, rows);
    join->context = AllocSetContextCreate(CurrentMemoryContext, "simhash cells", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(join->context);
    join->raw = allocate_rows(join->capacity);
    for (Cells &cells : join->cells) {
        cells.rows = allocate_rows(join->capacity);
        cells.begin = allocate_huge<uint32>((Size{1} << most_sort_bits(join->capacity)) + 1);
    }
    join->cell = allocate_huge<uint32>(join->capacity);
    join->arena_size = join->capacity * kArenaRowBytes + 4 * kArenaGroupBytes;
    join->arena = allocate_huge<char>(join->arena_size);
    join->found = allocate<RowPair>(kFoundRoom);
    join->run = allocate<RowRun>(kRuns);
    join->run_pair = allocate<RunPair>(kRuns);
    MemoryContextSwitchTo(caller);
}

void end_join(PairJoin *join) { MemoryContextDelete(join->context); }

int most_sort_bits(Size rows)
{
    int bits = 0;
    while (bits < kMostCellBits && (Size{2} << bits) <= rows)
        bits++;
    return bits;
}

void sort_cells(PairJoin *join, const Rows &rows, const CellMap &map, int bits, Cells *cells)
{
    Size count = Size{1} << bits;
    auto mask = static_cast<uint32>(count - 1);
    uint32 *begin = cells->begin;
    std::memset(begin, 0, sizeof(uint32) * (count + 1));
    for (Size i = 0; i < rows.count; i++) {
        join->cell[i] = map(rows.word[i]) & mask;
        begin[join->cell[i]]++;
    }
    uint32 end = 0;
    for (Size i = 0; i <= count; i++)
        begin[i] = end += begin[i];
    for (Size i = rows.count; i-- > 0;)
        cells->rows.set(--begin[join->cell[i]], rows.word[i], rows.tag[i]);
    cells->bits = bits;
    cells->rows.count = rows.count;
}

bool join_sorted_cells(PairJoin *join, const Rows &rows, Fingerprint used, int radius)
{
    bool sorted = true;
    for (Size i = 1; i < rows.count; i++)
        sorted &= (rows.word[i - 1] & used) <= (rows.word[i] & used);
    if (!sorted)
        return false;
    CHECK_FOR_INTERRUPTS();
    for (Size begin = 0, end; begin < rows.count; begin = end) {
        const Fingerprint word = rows.word[begin];
        for (end = begin + 1; end < rows.count && ((rows.word[end] ^ word) & used) == 0;)
            end++;
        RowRun run = {static_cast<uint32>(begin), static_cast<uint32>(end)};
        join_cell(join, rows, rows, true, {run, run}, used, radius);
    }
    compare_runs(join, rows, rows, true);
    return true;
}

void join_cells(PairJoin *join, const Cells &x, const Cells &y, int budget, Fingerprint used, int radius)
{
    bool same = &x == &y;
    uint32 count = uint32{1} << x.bits;
    for (Flips flips(x.bits, budget); !flips.done(); flips.next()) {
        CHECK_FOR_INTERRUPTS();
        bool within = same && flips.mask() == 0;
        for (uint32 cell = 0; cell < count; cell++) {
            uint32 other = cell ^ flips.mask();
            if (same && other < cell)
                continue; // this pair of cells is compared the other way round
            RunPair run = {{x.begin[cell], x.begin[cell + 1]}, {y.begin[other], y.begin[other + 1]}};
            join_cell(join, x.rows, y.rows, within, run, used, radius - flips.count());
        }
        compare_runs(join, x.rows, y.rows, within);
    }
}

} // namespace simhash
