// Joins of fingerprints: by the index's own trees where these make all pairs meet, otherwise by a plan of cells.
//
// Each step reads the leaves of one of the index's trees from left to right. Every row that the snapshot sees
// has an entry in each tree for as long as the join runs, so each step finds all of these rows. Other entries
// may come and go; their rows are not visible.
#include "am/fingerprints/fingerprint_kind.hpp"
#include "am/pairs/pair_read.hpp"

extern "C" {
#include "miscadmin.h"
#include "storage/bufmgr.h"
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
};

constexpr int kMostShares = 64;

// A join as all of its processes follow it.
struct FingerprintJoin {
    int radius;
    int processes;
    double rows[2]; // of the sides
    Size bytes;     // for each process
    PairPlan plan;
    bool by_trees;                                // the steps read the trees in the order of the cells:
    std::uint8_t tree[kMostPairSteps];            // these,
    int shares;                                   // each in so many ranges of cells,
    uint32 cell[kMostPairSteps][kMostShares + 1]; // which begin here
};

// Copies of the leaves of a tree, or of a range of positions, from left to right.
struct LeafWalk {
    LeafReader reader;
    TreeWalk walk;
    PGAlignedBlock page;
};

void begin_leaf_walk(LeafWalk *leaves, const OpenIndex &index, Snapshot snapshot, int tree, Position from,
                     Position end)
{
    leaves->reader = {};
    leaves->reader.index = index;
    leaves->reader.snapshot = snapshot;
    leaves->reader.strategy = join_strategy(index);
    begin_tree_walk(&leaves->walk, tree, from, end);
    begin_reading(&leaves->reader, &leaves->walk);
}

// Copies the next leaf, so that no lock is held over the work, and adds its keys and tids to rows, which have room. Returns
// false at the end.
bool next_leaf(LeafWalk *leaves, Rows *rows)
{
    const Buffer buffer = read_next_leaf(&leaves->reader);
    if (!BufferIsValid(buffer)) {
        if (leaves->reader.strategy != nullptr)
            FreeAccessStrategy(leaves->reader.strategy);
        return false;
    }
    std::memcpy(leaves->page.data, leaves->reader.page, BLCKSZ);
    const BlockNumber block = BufferGetBlockNumber(buffer);
    UnlockReleaseBuffer(buffer);
    const auto count =
        static_cast<Size>(leaf_read(leaves->page.data, rows->word + rows->count, rows->tag + rows->count));
    // A join counts on the range: of keys outside it there may be more than it has room for.
    const char *page = leaves->page.data;
    const uint64 low = low_of(page).key, high = is_rightmost(page) ? ~uint64{0} : high_of(page).key;
    bool outside = false;
    TidCheck check;
    const Rows read = rows->part(rows->count, rows->count + count);
    for (Size i = 0; i < count; i++) {
        outside |= read.word[i] < low || read.word[i] > high;
        check.add(read.tag[i]);
    }
    if (outside)
        report_corruption(leaves->reader.index, block, "An entry lies outside the leaf's key range.");
    rows->count += count;
    check.finish(leaves->reader.index, block);
    return true;
}

void read_entries(PairReader *reader, int place, void (*visit)(void *context, const Rows &rows),
                  void *context)
{
    const PairSide &side = side_of(*reader, place);
    Rows *rows = &reader->page;
    auto *to_fingerprint = allocate<BytePermutation>();
    auto *leaves = allocate<LeafWalk>();
    for (int part = 0; part < side.parts; part++) {
        set_tree_permutation(*side.part[part].index.meta, 0, false, to_fingerprint);
        begin_leaf_walk(leaves, side.part[part].index, reader->output->snapshot, 0, {0, 0}, kEndOfTree);
        for (rows->count = 0; next_leaf(leaves, rows); rows->count = 0) {
            reader->output->pages++;
            Size counted = 0;
            for (Size i = 0; i < rows->count; i++) {
                const uint64 number = row_number(side, part, rows->tag[i]);
                if (number != kNoRow)
                    rows->set(counted++, (*to_fingerprint)(rows->word[i]), number);
            }
            rows->count = counted;
            visit(context, *rows);
        }
    }
    pfree(leaves);
    pfree(to_fingerprint);
}

// Adds rows of a block to the sample if it is a leaf. Returns how many rows it has.
Size sample_block(const PairPart &part, BlockNumber block, SampledRows *sample)
{
    Size count = 0;
    Buffer buffer = ReadBuffer(part.index, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    if (!PageIsNew(const_cast<Page>(page)) && check_page_of_trees(*part.index.meta, page) == nullptr &&
        is_leaf(page) && page_tail(page)->tree != part.index.meta->null_tree()) {
        count = static_cast<Size>(leaf_count(page));
        const Size taken = std::min(count, kRowsPerLeaf);
        const int tree = page_tail(page)->tree;
        Size i = 0, j = 0;
        visit_leaf(page, [&](int, const LeafEntry &entry) {
            if (j < taken && i++ == j * count / taken) {
                sample->fingerprint[sample->count++] = part.index.meta->word(tree, entry.key.word[0]);
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
            rows += static_cast<double>(sample_block(side->part[part], block, sample)) /
                    side->part[part].index.meta->trees;
    }
    side->rows = std::max(1.0, rows / static_cast<double>(reads) * static_cast<double>(blocks));
}

// A step that uses one of the index's own trees: its leaves are in the order of the cells, which are the first bits of
// the keys. Keys are compared as they are: their distance is that of the fingerprints.
struct KeyStep {
    PairStep step; // of the keys' bits
    CellMap map;
    int low_bits; // cells of a window whose numbers end alike are compared as one
    BytePermutation to_fingerprint;

    void set(const PairStep &of_fingerprints, Size window);
    uint32 cell(uint64 key) const
    {
        return step.bits == 0 ? 0 : static_cast<uint32>(key >> (64 - step.bits));
    }
};

void KeyStep::set(const PairStep &of_fingerprints, Size window)
{
    step = of_fingerprints;
    step.mask = step.bits == 0 ? 0 : ~Fingerprint{0} << (64 - step.bits);
    for (int i = 0; i < step.bits; i++)
        step.bit[i] = static_cast<std::uint8_t>(kBits - 1 - i);
    map.set(step.bit, step.bits);
    low_bits = std::min(step.bits, most_sort_bits(window));
}

// The rows of leaves until whole cells can be compared: the join's raw rows. Rows of the open cell, in which the next leaf
// begins, wait for it. If they fill the memory, they go to the spool until the cell ends.
class CellWindow
{
public:
    void begin(PairReader *reader)
    {
        reader_ = reader;
        raw_ = &reader->join->raw;
        stash_ = allocate_rows(static_cast<Size>(leaf_capacity(BLCKSZ)));
        room_ = reader->join->capacity - static_cast<Size>(leaf_capacity(BLCKSZ));
    }

    // Begins with a cell of a step.
    void open(const KeyStep *step, uint32 cell)
    {
        step_ = step;
        open_ = cell;
        open_row_ = open_end_ = 0;
        raw_->count = 0;
    }

    // Where the rows of a leaf are added: there is room.
    Rows *rows() { return raw_; }

    // The rows from number `begin` on are those of a leaf, whose end is in cell `next`, or the end of all.
    void add_leaf(Size begin, bool last, uint32 next)
    {
        const bool closes = last || next != open_;
        if (closes)
            open_row_ = begin;
        if (spooling_)
            spool_open(begin);
        if (spooling_ && closes)
            join_spooled();
        open_ = next;
        if (closes)
            open_end_ = raw_->count;
        if (spooling_ || (!last && raw_->count < std::min(room_, kWindow)))
            return;
        close_cells(last);
        if (raw_->count >= room_)
            overflow();
    }

private:
    void compare(Size count);
    void close_cells(bool last);
    void overflow();
    void spool_open(Size begin);
    void join_spooled();

    PairReader *reader_;
    const KeyStep *step_;
    Rows *raw_;
    Size room_; // for rows: a leaf more fits
    uint32 open_;
    Size open_row_; // rows before this one belong to lower cells
    Size open_end_; // rows from this one on belong to the open cell
    bool spooling_; // the open cell
    Rows stash_;
};

void CellWindow::compare(Size count)
{
    PairJoin *join = reader_->join;
    Rows rows = raw_->part(0, count);
    narrow_rows(*reader_, 0, &rows);
    if (join_sorted_cells(join, rows, step_->step.mask, join->radius))
        return; // as leaves are before inserts
    sort_cells(join, rows, step_->map, step_->low_bits, &join->cells[0]);
    join_cells(join, join->cells[0], join->cells[0], 0, step_->step.mask, join->radius);
}

// Compares the rows of all cells but the open one, and keeps the others.
void CellWindow::close_cells(bool last)
{
    Size whole = last ? raw_->count : open_row_;
    for (Size i = whole; i < open_end_; i++) {
        if (step_->cell(raw_->word[i]) != open_) {
            std::swap(raw_->word[i], raw_->word[whole]);
            std::swap(raw_->tag[i], raw_->tag[whole]);
            whole++;
        }
    }
    if (whole > 0) {
        compare(whole);
        Rows rest = raw_->part(whole, raw_->count);
        std::memmove(raw_->word, rest.word, rest.count * sizeof(Fingerprint));
        std::memmove(raw_->tag, rest.tag, rest.count * sizeof(uint64));
        raw_->count = rest.count;
    }
    open_row_ = open_end_ = 0;
}

void CellWindow::overflow()
{
    for (Size i = 0; i < raw_->count; i++)
        add_row(reader_->spool, 0, raw_->word[i], raw_->tag[i]);
    raw_->count = 0;
    spooling_ = true;
}

void CellWindow::spool_open(Size begin)
{
    Size kept = begin;
    for (Size i = begin; i < raw_->count; i++) {
        if (step_->cell(raw_->word[i]) == open_)
            add_row(reader_->spool, 0, raw_->word[i], raw_->tag[i]);
        else
            raw_->set(kept++, raw_->word[i], raw_->tag[i]);
    }
    raw_->count = kept;
}

void CellWindow::join_spooled()
{
    copy_rows(*raw_, &stash_); // rows of the last leaf: the join needs the memory
    join_partitions(reader_, {0, 0, 1}, 0, 0, step_->map, 0, step_->step);
    clear_pair_spool(reader_->spool);
    copy_rows(stash_, raw_);
    spooling_ = false;
}

// A join as it goes on.
struct FingerprintWork : PairWork {
    PairSource source;
    FingerprintJoin plan;
    PairReader *reader;
    CellsWork cells; // without trees

    KeyStep key_step;
    CellWindow window;
    LeafWalk leaves;
    int task;             // the next range of cells of a step
    Position from, upper; // the range of the tree that is being read
    bool reading;
};

Position cell_begin(const PairStep &step, uint32 cell)
{
    if (cell >> step.bits != 0)
        return kEndOfTree;
    return {cell == 0 ? 0 : uint64{cell} << (64 - step.bits), 0};
}

// Begins the next range that this process reads. Returns false if there is none.
bool begin_range(FingerprintWork *work)
{
    PairReader *reader = work->reader;
    PairJoin *join = reader->join;
    const FingerprintJoin &plan = work->plan;
    for (; work->task < plan.plan.steps * plan.shares; work->task++) {
        const int number = work->task / plan.shares, tree = plan.tree[number];
        const uint32 *cell = &plan.cell[number][work->task % plan.shares];
        if (cell[0] >= cell[1] || !takes_task(reader->output))
            continue;
        KeyStep *step = &work->key_step;
        step->set(plan.plan.step[number], std::min(join->capacity, kWindow));
        set_tree_permutation(side_of(*reader, 0).meta(), tree, false, &step->to_fingerprint);
        join->under[0] = {&plan.plan, number, &step->to_fingerprint};
        join->depth = 1;
        work->window.open(step, cell[0]);
        work->from = cell_begin(step->step, cell[0]);
        work->upper = cell_begin(step->step, cell[1]);
        begin_leaf_walk(&work->leaves, side_of(*reader, 0).part[0].index, reader->output->snapshot, tree,
                        work->from, work->upper);
        work->task++;
        return true;
    }
    return false;
}

// Drops rows from number `begin` on that come before a key.
void drop_before(uint64 key, Size begin, Rows *rows)
{
    Size kept = begin;
    for (Size i = begin; i < rows->count; i++) {
        if (rows->word[i] >= key)
            rows->set(kept++, rows->word[i], rows->tag[i]);
    }
    rows->count = kept;
}

// Reads a leaf of a tree, or begins to read one.
bool continue_trees(FingerprintWork *work)
{
    if (!work->reading)
        return work->reading = begin_range(work);
    Rows *rows = work->window.rows();
    const Size begin = rows->count;
    work->reading = next_leaf(&work->leaves, rows);
    if (!work->reading)
        return true;
    work->reader->output->pages++;
    const char *page = work->leaves.page.data;
    if (low_of(page) < work->from) // as the root's
        drop_before(work->from.key, begin, rows);
    const bool last = is_rightmost(page) || high_of(page) >= work->upper;
    work->window.add_leaf(begin, last, last ? 0 : work->key_step.cell(high_of(page).key));
    return true;
}

// A plan by the index's own trees, if their headers find all pairs within the radius. Those of partitions differ.
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
        side.meta().sources(step.tree, source);
        plan->cost += cut_step(task, source, join->radius == 0 ? kBits : step.header_bits, 0, &plan->step[i]);
        join->tree[i] = step.tree;
        plan->steps++;
    }
    return true;
}

// Divides the cells of each step into ranges that are equal according to the sample.
void divide_cells(const SampledRows &sample, double rows, FingerprintJoin *join)
{
    const double most = std::min<double>(kMostShares, std::max<double>(rows / kWindow, join->processes));
    join->shares = join->processes == 1 ? 1 : static_cast<int>(most);
    auto *sorted = allocate<uint32>(sample.count);
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

// Chooses between the index's trees and cells. The chance that two rows differ in each bit is known.
void choose_plan(const PairReader &reader, PairTask *task, FingerprintJoin *join)
{
    PairPlan by_trees;
    set_cell_task(reader, task);
    plan_pairs(*task, &join->plan);
    task->most_bits = kMostCellBits;
    task->row_cost = kTreeRow;
    join->by_trees = plan_trees(reader, *task, join, &by_trees) && by_trees.cost <= join->plan.cost;
    if (join->by_trees)
        join->plan = by_trees;
}

void plan_join(PairOutput *output, const SampledRows *sample, int processes, FingerprintJoin *join)
{
    join->processes = processes;
    join->bytes = pair_memory(output->side[0].rows + output->side[1].rows) / static_cast<Size>(processes);
    PairReader reader = {};
    PairJoin cells = {};
    plan_reader(output, join->bytes / 8 * 3, join->bytes / 8 * 3, processes, &reader, &cells);
    cells.radius = join->radius;
    PairTask task;
    measure_bits(sample[0].fingerprint, sample[0].count, sample[1].fingerprint, sample[1].count, task.differ);
    choose_plan(reader, &task, join);
    if (join->by_trees)
        divide_cells(sample[0], reader.rows, join);
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

bool continue_fingerprints(PairWork *base)
{
    auto *work = static_cast<FingerprintWork *>(base);
    return work->plan.by_trees ? continue_trees(work) : continue_cells(&work->cells);
}

void end_fingerprints(PairWork *base)
{
    auto *work = static_cast<FingerprintWork *>(base);
    PairOutput *output = work->reader->output;
    if (work->reader->spool != nullptr)
        end_pair_spool(work->reader->spool);
    end_join(work->reader->join);
    end_output(output);
    output->source = nullptr;
}

PairWork *begin_work(PairOutput *output, const FingerprintJoin &plan)
{
    auto *work = allocate_zero<FingerprintWork>();
    work->next = continue_fingerprints;
    work->end = end_fingerprints;
    work->source = {read_entries, nullptr, nullptr};
    work->plan = plan;
    output->source = &work->source;
    const Size part = plan.bytes / 8;
    PairReader *reader = begin_reader(output, part * 3, part * 3, plan.processes);
    work->reader = reader;
    reader->join->radius = plan.radius;
    reader->links = output->links;
    // By trees, only cells larger than memory are spooled. The more pairs wait, the more there are for each page.
    begin_output(output, part * (plan.by_trees ? 4 : 2));
    if (plan.by_trees) {
        work->window.begin(reader);
        reader->spool = begin_pair_spool(part, 1, all_rows(*reader));
    } else {
        begin_cells(&work->cells, reader, work->plan.plan);
    }
    return work;
}

// The rows of a tree that are read before cells are compared.
constexpr double kFirstRows = 2 * kWindow;

} // namespace

JoinCost fingerprint_join_cost(const JoinTask &task)
{
    PairOutput output = {};
    PairPart part[2] = {};
    output.sides = task.sides;
    for (int i = 0; i < task.sides; i++) {
        part[i].index = use_index(task.index[i], CurrentMemoryContext);
        output.side[i].parts = task.parts[i];
        output.side[i].part = &part[i];
        output.side[i].rows = task.rows[i];
    }
    auto *join = allocate_zero<FingerprintJoin>();
    join->radius = Min(task.radius, kBits);
    join->bytes = pair_memory(output.side[0].rows + output.side[1].rows) / static_cast<Size>(task.processes);
    PairReader reader = {};
    PairJoin cells = {};
    plan_reader(&output, join->bytes / 8 * 3, join->bytes / 8 * 3, task.processes, &reader, &cells);
    cells.radius = join->radius;
    PairTask pairs;
    measure_bits(nullptr, 0, nullptr, 0, pairs.differ);
    choose_plan(reader, &pairs, join);
    const int steps = join->plan.steps;
    // By cells, one step is about to end before its first pairs are found.
    const double first = join->by_trees ? kFirstRows / (steps * task.rows[0]) : 1.0 / steps;
    JoinCost cost = {join->plan.cost * Min(1.0, first) / 1000,
                     join->plan.cost / 1000,
                     {},
                     gains_by_sharing(*join, all_rows(reader)),
                     join->by_trees};
    for (int i = 0; i < task.sides; i++)
        cost.pages[i] =
            steps * estimated_leaves(static_cast<BlockNumber>(task.pages[i]), output.side[i].meta().trees);
    pfree(join);
    return cost;
}

const Size kFingerprintPlanBytes = sizeof(FingerprintJoin);

void plan_fingerprint_join(PairOutput *output, int radius, int processes, void *plan)
{
    auto *join = static_cast<FingerprintJoin *>(plan);
    *join = {};
    join->radius = radius;
    auto *sample = allocate<SampledRows>(2);
    for (int i = 0; i < output->sides; i++) {
        sample_side(&output->side[i], &sample[i]);
        join->rows[i] = output->side[i].rows;
    }
    if (output->sides == 1)
        sample[1] = sample[0];
    plan_join(output, sample, processes, join);
    pfree(sample);
    log_plan(join->by_trees ? "the index's trees" : "partitions", join->plan);
}

PairWork *begin_fingerprint_join(PairOutput *output, const void *plan)
{
    const auto *join = static_cast<const FingerprintJoin *>(plan);
    for (int i = 0; i < output->sides; i++)
        output->side[i].rows = join->rows[i];
    return begin_work(output, *join);
}

PairWork *join_fingerprints(PairOutput *output, int radius)
{
    auto *join = allocate_zero<FingerprintJoin>();
    plan_fingerprint_join(output, radius, 1, join);
    return begin_work(output, *join);
}

} // namespace simhash
