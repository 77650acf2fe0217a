// Joins of fingerprints: by the index's own tables where these make all pairs meet, otherwise by a plan of cells.
//
// Each step reads the leaves of one of the index's trees from left to right. Every row that the snapshot sees
// has an entry in each tree for as long as the join runs, so each step finds all of these rows. Other entries
// may come and go; their rows are not visible.
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/pairs/pair_read.hpp"
#include "am/pairs/pair_team.hpp"
#include "am/pairs/pair_warning.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
}

#include <algorithm>
#include <utility>

namespace simhash
{

namespace
{

constexpr double kTreeRow = 14;   // nanoseconds for a row read in the order of the cells, measured
constexpr Size kWindow = 1 << 15; // rows that can be sorted within the processor's cache
constexpr BlockNumber kSampleLeaves = 64;
constexpr Size kRowsPerLeaf = 128; // in the sample

struct SampledRows {
    Size count;
    Fingerprint fingerprint[kSampleLeaves * kRowsPerLeaf];
    SampledRow row[kSampleLeaves * kRowsPerLeaf];
};

constexpr int kMostShares = 64;

// A join as all of its processes follow it.
struct FingerprintJoin {
    int radius;
    int processes;
    Size bytes; // for each process
    PairPlan plan;
    bool by_trees;                                // the steps read the tables in the order of the cells:
    std::uint8_t table[kMostPairSteps];           // these,
    int shares;                                   // each in so many ranges of cells,
    uint32 cell[kMostPairSteps][kMostShares + 1]; // which begin here
};

// Calls visit(page) with a copy of each leaf of a tree, or of a range of positions, from left to right.
template <typename Visit>
void visit_leaves(const OpenIndex &index, Snapshot snapshot, int table, Position from, Position end,
                  Visit visit)
{
    LeafReader reader = {};
    TreeWalk walk;
    reader.index = index;
    reader.snapshot = snapshot;
    reader.strategy = join_strategy(index);
    begin_tree_walk(&walk, table, from, end);
    begin_reading(&reader, &walk);
    PGAlignedBlock copy;
    BlockNumber block;
    while ((block = copy_next_leaf(&reader, &copy)) != InvalidBlockNumber) {
        TidCheck check;
        visit_leaf(copy.data, [&](int, const LeafEntry &entry) { check.add(entry.tid); });
        check.finish(index, block);
        visit(copy.data);
    }
    if (reader.strategy != nullptr)
        FreeAccessStrategy(reader.strategy);
}

void read_entries(PairReader *reader, int place, void (*visit)(void *context, const Rows &rows),
                  void *context)
{
    const PairSide &side = side_of(*reader, place);
    Rows *rows = &reader->page;
    auto *to_fingerprint = static_cast<BytePermutation *>(palloc(sizeof(BytePermutation)));
    for (int part = 0; part < side.parts; part++) {
        set_table_permutation(*side.part[part].index.meta, 0, false, to_fingerprint);
        visit_leaves(side.part[part].index, reader->output->snapshot, 0, {0, 0}, kEndOfTree,
                     [&](const char *page) {
                         rows->count = 0;
                         visit_leaf(page, [&](int, const LeafEntry &entry) {
                             uint64 number = row_number(side, part, entry.tid);
                             if (number != kNoRow)
                                 rows->set(rows->count++, (*to_fingerprint)(entry.key.word[0]), number);
                         });
                         visit(context, *rows);
                     });
    }
    pfree(to_fingerprint);
}

// Adds rows of a block to the sample if it is a leaf. Returns how many rows it has.
Size sample_block(const PairPart &part, BlockNumber block, uint32 number, SampledRows *sample)
{
    Size count = 0;
    Buffer buffer = ReadBuffer(part.index, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    if (!PageIsNew(const_cast<Page>(page)) && check_page_of_trees(*part.index.meta, page) == nullptr &&
        is_leaf(page) && page_tail(page)->table != part.index.meta->null_table()) {
        count = static_cast<Size>(leaf_count(page));
        const Size taken = std::min(count, kRowsPerLeaf);
        const int table = page_tail(page)->table;
        Size i = 0, j = 0;
        visit_leaf(page, [&](int, const LeafEntry &entry) {
            if (j < taken && i++ == j * count / taken) {
                const Fingerprint word = part.index.meta->word(table, entry.key.word[0]);
                sample->row[sample->count] = {word, table, number,
                                              static_cast<double>(count) / static_cast<double>(taken)};
                sample->fingerprint[sample->count++] = word;
                j++;
            }
        });
    }
    UnlockReleaseBuffer(buffer);
    return count;
}

// Samples leaves, evenly spread over the blocks of all parts, and estimates the number of rows.
void sample_side(PairSide *side, SampledRows *sample)
{
    const BlockNumbers &numbers = side->positions;
    uint64 blocks = numbers.first[numbers.count], reads = std::min<uint64>(blocks, kSampleLeaves);
    double rows = 0;
    sample->count = 0;
    for (uint64 i = 0; i < reads; i++) {
        CHECK_FOR_INTERRUPTS();
        uint64 number = (2 * i + 1) * blocks / (2 * reads) << 16;
        int part = numbers.relation(number);
        auto block = static_cast<BlockNumber>(numbers.packed(part, number) >> 16);
        if (block != kMetaBlock)
            rows +=
                static_cast<double>(sample_block(side->part[part], block, static_cast<uint32>(i), sample)) /
                side->part[part].index.meta->tables;
    }
    side->rows = std::max(1.0, rows / static_cast<double>(reads) * static_cast<double>(blocks));
}

// A range of cells of a step that uses one of the index's own tables: its leaves are in the order of the cells, which
// are the first bits of the keys. Keys are compared as they are: their distance is that of the fingerprints.
struct TreeStep {
    PairReader *reader;
    PairStep step; // of the keys' bits
    CellMap map;
    BytePermutation to_fingerprint;
    int low_bits;
    Position from; // the range in the table
    Position end;
    uint32 open;   // the cell in which the next leaf begins
    Size open_row; // rows before this one belong to lower cells
    Size open_end; // rows from this one on belong to the open cell
    bool spooling; // cell `open` does not fit into memory: its rows go to the spool
    Rows stash;

    void set(const PairStep &of_fingerprints);
    uint32 cell(uint64 key) const
    {
        return step.bits == 0 ? 0 : static_cast<uint32>(key >> (64 - step.bits));
    }
};

void TreeStep::set(const PairStep &of_fingerprints)
{
    step = of_fingerprints;
    step.mask = step.bits == 0 ? 0 : ~Fingerprint{0} << (64 - step.bits);
    for (int i = 0; i < step.bits; i++)
        step.bit[i] = static_cast<std::uint8_t>(kBits - 1 - i);
    map.set(step.bit, step.bits);
}

void join_window(TreeStep *tree, Size count)
{
    PairJoin *join = tree->reader->join;
    Rows rows = join->raw.part(0, count);
    receive_pairs(tree->reader->output);
    narrow_rows(*tree->reader, 0, &rows);
    if (join_sorted_cells(join, rows, tree->step.mask, join->radius))
        return; // as leaves are before inserts
    sort_cells(join, rows, tree->map, tree->low_bits, &join->cells[0]);
    join_cells(join, join->cells[0], join->cells[0], 0, tree->step.mask, join->radius);
}

void copy_rows(const Rows &from, Rows *to)
{
    std::memcpy(to->word, from.word, from.count * sizeof(Fingerprint));
    std::memcpy(to->tag, from.tag, from.count * sizeof(uint64));
    to->count = from.count;
}

void join_spooled_cell(TreeStep *tree)
{
    Rows *raw = &tree->reader->join->raw;
    copy_rows(*raw, &tree->stash); // rows of the last leaf: the join needs the memory
    join_partitions(tree->reader, {0, 0, 1}, 0, 0, tree->map, 0, tree->step);
    clear_pair_spool(tree->reader->spool);
    copy_rows(tree->stash, raw);
    tree->spooling = false;
}

void visit_tree_leaf(TreeStep *tree, const char *page)
{
    PairJoin *join = tree->reader->join;
    Rows *raw = &join->raw;
    bool last = is_rightmost(page) || high_of(page) >= tree->end;
    bool begins_before = low_of(page) < tree->from; // as the root does
    uint32 next = last ? 0 : tree->cell(high_of(page).key);
    bool ends_cell = last || next != tree->open;
    if (ends_cell)
        tree->open_row = raw->count;
    visit_leaf(page, [&](int, const LeafEntry &entry) {
        const uint64 key = entry.key.word[0];
        if (begins_before && key < tree->from.key)
            return;
        if (tree->spooling && tree->cell(key) == tree->open)
            add_row(tree->reader->spool, 0, key, entry.tid);
        else
            raw->set(raw->count++, key, entry.tid);
    });
    if (tree->spooling && ends_cell)
        join_spooled_cell(tree);
    tree->open = next;
    if (ends_cell)
        tree->open_end = raw->count;
    if (tree->spooling)
        return;

    Size room = join->capacity - static_cast<Size>(leaf_capacity(BLCKSZ));
    if (!last && raw->count < std::min(room, kWindow))
        return;
    // Rows of the open cell wait for the next leaf.
    Size whole = last ? raw->count : tree->open_row;
    for (Size i = whole; i < tree->open_end; i++) {
        if (tree->cell(raw->word[i]) != next) {
            std::swap(raw->word[i], raw->word[whole]);
            std::swap(raw->tag[i], raw->tag[whole]);
            whole++;
        }
    }
    if (whole > 0) {
        join_window(tree, whole);
        Rows rest = raw->part(whole, raw->count);
        std::memmove(raw->word, rest.word, rest.count * sizeof(Fingerprint));
        std::memmove(raw->tag, rest.tag, rest.count * sizeof(uint64));
        raw->count = rest.count;
    }
    tree->open_row = tree->open_end = 0;
    if (raw->count < room)
        return;
    for (Size i = 0; i < raw->count; i++)
        add_row(tree->reader->spool, 0, raw->word[i], raw->tag[i]);
    raw->count = 0;
    tree->spooling = true;
}

// The position at which a cell begins.
Position cell_begin(const PairStep &step, uint32 cell)
{
    if (cell >> step.bits != 0)
        return kEndOfTree;
    return {cell == 0 ? 0 : uint64{cell} << (64 - step.bits), 0};
}

void follow_range(TreeStep *tree, int table, uint32 first, uint32 end)
{
    PairReader *reader = tree->reader;
    set_table_permutation(side_of(*reader, 0).meta(), table, false, &tree->to_fingerprint);
    tree->open = first;
    tree->from = cell_begin(tree->step, first);
    tree->end = cell_begin(tree->step, end);
    tree->open_row = tree->open_end = 0;
    reader->join->raw.count = 0;
    visit_leaves(side_of(*reader, 0).part[0].index, reader->output->snapshot, table, tree->from, tree->end,
                 [tree](const char *page) { visit_tree_leaf(tree, page); });
}

void follow_trees(PairReader *reader, const FingerprintJoin &plan)
{
    PairJoin *join = reader->join;
    auto *tree = static_cast<TreeStep *>(palloc0(sizeof(TreeStep)));
    tree->reader = reader;
    tree->stash = allocate_rows(static_cast<Size>(leaf_capacity(BLCKSZ)));
    reader->spool = begin_pair_spool(reader->spool_bytes, 1, all_rows(*reader));
    for (int number = 0; number < plan.plan.steps; number++) {
        const PairStep &step = plan.plan.step[number];
        const uint32 *cell = plan.cell[number];
        tree->set(step);
        // Cells of a window whose numbers end alike are compared as one.
        tree->low_bits = std::min(step.bits, most_sort_bits(std::min(join->capacity, kWindow)));
        join->under[join->depth++] = {&plan.plan, number, &tree->to_fingerprint};
        for (int share = 0; share < plan.shares; share++) {
            if (cell[share] < cell[share + 1] && takes_task(reader->output))
                follow_range(tree, plan.table[number], cell[share], cell[share + 1]);
        }
        join->depth--;
    }
    end_pair_spool(reader->spool);
}

// A plan by the index's own tables, if their headers find all pairs within the radius. Those of partitions differ.
bool plan_trees(const PairReader &reader, const PairTask &task, FingerprintJoin *join, PairPlan *plan)
{
    const PairSide &side = side_of(reader, 0);
    *plan = {};
    if (!reader.within || side.parts > 1)
        return false;
    SearchPlan search;
    index_plan(side.part[0].index, join->radius, &search);
    for (int i = 0; i < search.steps; i++) {
        const SearchStep &step = search.step[i];
        if (step.header_bits == 0 || step.budget > 0 || i == kMostPairSteps)
            return false;
        std::uint8_t source[kBits];
        side.meta().sources(step.table, source);
        plan->cost += cut_step(task, source, join->radius == 0 ? kBits : step.header_bits, 0, &plan->step[i]);
        join->table[i] = step.table;
        plan->steps++;
    }
    return true;
}

// Divides the cells of each step into ranges that are equal according to the sample.
void divide_cells(const SampledRows &sample, double rows, FingerprintJoin *join)
{
    const double most = std::clamp<double>(rows / kWindow, join->processes, kMostShares);
    join->shares = join->processes == 1 ? 1 : static_cast<int>(most);
    auto *sorted = static_cast<uint32 *>(palloc(sizeof(uint32) * (sample.count + 1)));
    CellMap map;
    for (int number = 0; number < join->plan.steps; number++) {
        const PairStep &step = join->plan.step[number];
        map.set(step.bit, step.bits);
        for (Size i = 0; i < sample.count; i++)
            sorted[i] = map(sample.fingerprint[i]);
        std::sort(sorted, sorted + sample.count);
        uint32 *cell = join->cell[number];
        cell[0] = 0;
        for (int i = 1; i < join->shares; i++)
            cell[i] = sample.count == 0
                          ? 0
                          : sorted[sample.count * static_cast<Size>(i) / static_cast<Size>(join->shares)];
        cell[join->shares] = uint32{1} << step.bits;
    }
    pfree(sorted);
}

// Plans a join of so many processes.
void plan_join(PairOutput *output, const SampledRows *sample, int processes, FingerprintJoin *join)
{
    join->processes = processes;
    join->bytes = pair_memory() / static_cast<Size>(processes);
    PairReader *reader = begin_reader(output, join->bytes / 8 * 3, join->bytes / 8 * 3, processes);
    reader->join->radius = join->radius;
    PairTask task;
    set_cell_task(*reader, &task);
    measure_bits(sample[0].fingerprint, sample[0].count, sample[1].fingerprint, sample[1].count, task.differ);
    auto *by_trees = static_cast<PairPlan *>(palloc(sizeof(PairPlan)));
    plan_pairs(task, &join->plan);
    task.most_bits = kMostCellBits;
    task.row_cost = kTreeRow;
    join->by_trees = plan_trees(*reader, task, join, by_trees) && by_trees->cost <= join->plan.cost;
    if (join->by_trees) {
        join->plan = *by_trees;
        divide_cells(sample[0], reader->rows, join);
    }
    pfree(by_trees);
    end_join(reader->join);
}

// Whether several processes gain. There must be cells to divide; and in a step with a budget each process needs nearly
// all rows, which must fit into its part of the memory.
bool gains_by_sharing(const FingerprintJoin &join, double rows)
{
    const Size room = join.bytes / 8 * 3;
    bool fits = rows * 20 < static_cast<double>(room), gains = join.plan.steps > 1;
    for (int i = 0; i < join.plan.steps; i++) {
        if (join.plan.step[i].budget > 0 && !fits)
            return false;
        gains |= join.plan.step[i].bits > 0;
    }
    return gains;
}

void run_join(PairOutput *output, const FingerprintJoin &join)
{
    PairSource source = {read_entries, nullptr, nullptr};
    output->source = &source;
    const Size part = join.bytes / 8;
    PairReader *reader = begin_reader(output, part * 3, part * 3, join.processes);
    reader->join->radius = join.radius;
    // By trees, only cells larger than memory are spooled. The more pairs wait, the more there are for each page.
    begin_output(output, part * (join.by_trees ? 4 : 2));
    if (join.by_trees) {
        reader->spool_bytes = part;
        follow_trees(reader, join);
    } else {
        follow_cells(reader, join.plan);
    }
    end_join(reader->join);
    end_output(output);
    output->source = nullptr;
}

} // namespace

void join_fingerprints(PairOutput *output, int radius)
{
    constexpr double kLeastRow = 30; // nanoseconds for each row and step
    auto *sample = static_cast<SampledRows *>(palloc(2 * sizeof(SampledRows)));
    double rows = 0;
    for (int i = 0; i < output->sides; i++) {
        sample_side(&output->side[i], &sample[i]);
        rows += output->side[i].rows;
    }
    if (output->sides == 1)
        sample[1] = sample[0];
    RowSample rows_of[2] = {{sample[0].row, sample[0].count}, {sample[1].row, sample[1].count}};
    warn_of_many_pairs(*output, radius, rows_of);
    auto *join = static_cast<FingerprintJoin *>(palloc0(sizeof(FingerprintJoin)));
    join->radius = radius;
    int workers = planned_pair_workers(*output, kLeastRow * rows * (radius + 1));
    if (workers > 0) {
        plan_join(output, sample, workers + 1, join);
        if (gains_by_sharing(*join, rows))
            begin_pair_team(output, "simhash_join_worker", workers, join, sizeof(FingerprintJoin));
    }
    if (output->team == nullptr)
        plan_join(output, sample, 1, join);
    pfree(sample);
    log_plan(join->by_trees ? "the index's trees" : "partitions", join->plan);
    run_join(output, *join);
    if (output->team != nullptr)
        end_pair_team(output);
}

} // namespace simhash

// Parallel workers find this function by its name.
extern "C" __attribute__((visibility("default"))) void simhash_join_worker(dsm_segment *segment,
                                                                           shm_toc *toc);

void simhash_join_worker(dsm_segment *segment, shm_toc *toc)
{
    using namespace simhash;
    void *plan;
    PairOutput *output = join_pair_team(segment, toc, &plan);
    run_join(output, *static_cast<const FingerprintJoin *>(plan));
    leave_pair_team(output, toc);
}
