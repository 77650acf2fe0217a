// Reads rows from the index and groups them so that all pairs meet: by the index's own tables where these do,
// else by a plan of cells.
//
// Each step reads the leaves of one of the index's trees from left to right. Every row that the snapshot sees
// has an entry in each tree for as long as the join runs, so each step finds all of these rows. Other entries
// may come and go; their rows are not visible.
#include "am/pairs/pairs.hpp"
#include "am/tree/leaf_reader.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
}

namespace simhash
{

namespace
{

// Nanoseconds for each row and step, measured.
constexpr double kLoadRow = 35;       // read from a partition and sorted
constexpr double kTreeRow = 14;       // read in the order of the cells
constexpr double kSpoolRow = 30;      // partitioned in memory
constexpr double kSpillRow = 60;      // partitioned by files
constexpr Size kWindow = 1 << 15;     // rows that can be sorted within the processor's cache
constexpr Size kWideWindow = 1 << 17; // the same where cells and partitions are compared with others
constexpr BlockNumber kSampleLeaves = 64;
constexpr Size kRowsPerLeaf = 128; // in the sample
constexpr int kMostPartitionBits = 12;
constexpr double kManyUnseen = 1000;
constexpr double kLeastMemory = 256; // kilobytes, even if work_mem is less

struct Sample {
    Size count;
    Fingerprint fingerprint[kSampleLeaves * kRowsPerLeaf];
};

const PairSide &side_of(const PairReader &reader, int place)
{
    return reader.output->side[reader.join->side[place]];
}

// Calls visit(page) with a copy of each leaf of a tree, from left to right.
template <typename Visit> void visit_leaves(Relation index, Snapshot snapshot, int table, Visit visit)
{
    LeafReader reader = {};
    TreeWalk walk;
    reader.index = index;
    reader.snapshot = snapshot;
    reader.strategy = join_strategy(index);
    begin_tree_walk(&walk, table);
    begin_reading(&reader, &walk);
    PGAlignedBlock copy;
    BlockNumber block;
    while ((block = copy_next_leaf(&reader, &copy)) != InvalidBlockNumber) {
        TidCheck check;
        for (int i = 0; i < leaf_count(copy.data); i++)
            check.add(leaf_tid(copy.data, i).packed());
        check.finish(index, block);
        visit(copy.data);
    }
    if (reader.strategy != nullptr)
        FreeAccessStrategy(reader.strategy);
}

// Calls visit(rows) with the rows of each page of a side: the entries of a tree, or the rows of a store, of each part.
template <typename Visit> void visit_rows(PairReader *reader, int place, Visit visit)
{
    const PairSide &side = side_of(*reader, place);
    const SignaturePass *pass = reader->output->pass;
    Rows *rows = &reader->page;
    for (int part = 0; pass == nullptr && part < side.parts; part++) {
        visit_leaves(side.part[part].index, reader->output->snapshot, 0, [&](const char *page) {
            rows->count = 0;
            for (int i = 0; i < leaf_count(page); i++) {
                uint64 number = row_number(side, part, leaf_tid(page, i).packed());
                if (number != kNoRow)
                    rows->set(rows->count++, leaf_fingerprints(page)[i], number);
            }
            visit(*rows);
        });
    }
    if (pass == nullptr)
        return;
    StoreWalk walk;
    begin_store_walk(&walk, side, pass->merged);
    while (next_store_page(&walk)) {
        rows->count = 0;
        for (int slot = 0; slot < body_count(walk.page.data); slot++) {
            if (walk.has_row(slot))
                rows->set(rows->count++, pass_key(*pass, body_signature(walk.page.data, pass->bytes, slot)),
                          walk.position(slot));
        }
        visit(*rows);
    }
    end_store_walk(&walk);
}

// Adds rows of a block to the sample if it is a leaf. Returns how many rows it has.
Size sample_block(const PairPart &part, BlockNumber block, Sample *sample)
{
    Size count = 0;
    Buffer buffer = ReadBuffer(part.index, block);
    LockBuffer(buffer, BUFFER_LOCK_SHARE);
    const char *page = buffer_page(buffer);
    if (!PageIsNew(const_cast<Page>(page)) && page_header(page)->special == BLCKSZ - sizeof(PageTail) &&
        check_tree_page(page, BLCKSZ, page_tail(page)->table, -1) == nullptr && is_leaf(page) &&
        page_tail(page)->table != part.meta->null_table()) {
        count = static_cast<Size>(leaf_count(page));
        Size taken = std::min(count, kRowsPerLeaf);
        for (Size j = 0; j < taken; j++)
            sample->fingerprint[sample->count++] = leaf_fingerprints(page)[j * count / taken];
    }
    UnlockReleaseBuffer(buffer);
    return count;
}

// Samples leaves, evenly spread over the blocks of all parts, and estimates the number of rows.
void sample_side(PairSide *side, Sample *sample)
{
    const BlockNumbers &numbers = side->positions;
    uint64 blocks = numbers.first[numbers.count], reads = std::min<uint64>(blocks, kSampleLeaves);
    double rows = 0;
    sample->count = 0;
    for (uint64 i = 0; i < reads; i++) {
        CHECK_FOR_INTERRUPTS();
        uint64 number = store_position(static_cast<BlockNumber>((2 * i + 1) * blocks / (2 * reads)), 0);
        int part = numbers.relation(number);
        BlockNumber block = position_block(numbers.packed(part, number));
        if (block != kMetaBlock)
            rows += static_cast<double>(sample_block(side->part[part], block, sample)) /
                    side->part[part].meta->tables();
    }
    side->rows = std::max(1.0, rows / static_cast<double>(reads) * static_cast<double>(blocks));
}

// Drops rows that need not be compared.
void narrow_rows(const PairReader &reader, int place, Rows *rows)
{
    PairJoin *join = reader.join;
    if (reader.output->filter_early)
        filter_rows(reader.output, join->side[place], rows);
    if (reader.output->wanted == PairsWanted::links)
        link_equal(join, place == 0 && join->under[0].step == 0, rows);
}

// Compares the rows of the partitions with each other. Partition p of x is store p; that of y is store
// y_store + p. A cell number is the partition's number followed by `low_bits` bits.
void join_partitions(PairReader *reader, int partition_bits, int y_store, const CellMap &map, int low_bits,
                     const PairStep &step)
{
    PairJoin *join = reader->join;
    Cells *x = &join->cells[0], *y = &join->cells[1];
    // Reads on while there is room: narrowing may leave few of the rows read.
    auto load = [&](int store, uint64 from, int place, Cells *cells) {
        uint64 end = spooled_rows(reader->spool, store);
        Rows *raw = &join->raw;
        raw->count = 0;
        while (from < end && raw->count <= join->capacity / 2) {
            Rows more = raw->part(raw->count, join->capacity);
            read_rows(reader->spool, store, from, join->capacity - raw->count, &more);
            from += more.count;
            raw->count += more.count;
            narrow_rows(*reader, place, raw);
        }
        sort_cells(join, *raw, map, low_bits, cells);
        return from;
    };
    for (uint32 partition = 0; partition < uint32{1} << partition_bits; partition++) {
        int x_store = static_cast<int>(partition);
        for (uint64 at = 0; at < spooled_rows(reader->spool, x_store);) {
            at = load(x_store, at, 0, x);
            if (reader->within)
                join_cells(join, *x, *x, step.budget, step.mask, join->radius);
            for (Flips flips(partition_bits, step.budget); !flips.done(); flips.next()) {
                uint32 other = partition ^ flips.mask();
                if (reader->within && other < partition)
                    continue; // compared the other way round
                int store = y_store + static_cast<int>(other);
                uint64 y_at = reader->within && other == partition ? at : 0;
                while (y_at < spooled_rows(reader->spool, store)) {
                    y_at = load(store, y_at, 1, y);
                    join_cells(join, *x, *y, step.budget - flips.count(), step.mask,
                               join->radius - flips.count());
                }
            }
        }
    }
}

void spool_side(PairReader *reader, int place, const CellMap &map, int low_bits, int first_store)
{
    visit_rows(reader, place, [&](const Rows &rows) {
        for (Size i = 0; i < rows.count; i++)
            add_row(reader->spool, first_store + static_cast<int>(map(rows.fingerprint[i]) >> low_bits),
                    rows.fingerprint[i], rows.tag[i]);
    });
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
            raw->set(raw->count++, rows.fingerprint[i], rows.tag[i]);
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
    while (bits < step.bits && bits < kMostPartitionBits && reader.rows > static_cast<double>(most << bits) &&
           (Size{2} << bits) <= stores)
        bits++;
    return bits;
}

// An estimate of the rows on both sides.
double all_rows(const PairReader &reader)
{
    return side_of(reader, 0).rows + (reader.within ? 0 : side_of(reader, 1).rows);
}

// The most bits of a cell number that partitioning and sorting can handle together.
int most_cell_bits(const PairReader &reader)
{
    Size stores = (reader.spool_bytes / 2 / kStoreBytes) >> !reader.within;
    return std::min(kMostCellBits, std::min(kMostPartitionBits, most_sort_bits(stores)) +
                                       most_sort_bits(reader.join->capacity));
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

} // namespace

void follow_cells(PairReader *reader, const PairPlan &plan)
{
    log_plan("partitions", plan);
    PairJoin *join = reader->join;
    CellMap map;
    for (int number = 0; number < plan.steps; number++) {
        const PairStep &step = plan.step[number];
        map.set(step.bit, step.bits);
        int bits = partition_bits(*reader, step), partitions = 1 << bits;
        bool files = all_rows(*reader) * 20 > static_cast<double>(reader->spool_bytes);
        auto stores = static_cast<Size>(reader->within ? partitions : 2 * partitions);
        reader->spool = begin_pair_spool(reader->spool_bytes - (files ? stores * kStoreBytes : 0),
                                         static_cast<int>(stores), all_rows(*reader));
        join->under[join->depth++] = {&plan, number};
        spool_side(reader, 0, map, step.bits - bits, 0);
        if (!reader->within && bits == 0 && spooled_rows(reader->spool, 0) <= join->capacity) {
            stream_side(reader, map, step);
        } else {
            if (!reader->within)
                spool_side(reader, 1, map, step.bits - bits, partitions);
            join_partitions(reader, bits, reader->within ? 0 : partitions, map, step.bits - bits, step);
        }
        join->depth--;
        end_pair_spool(reader->spool);
    }
}

namespace
{

// A step that uses one of the index's own tables: its leaves are in the order of the cells.
struct TreeStep {
    PairReader *reader;
    const PairStep *step;
    CellMap map;
    int low_bits;
    uint32 open;   // the cell in which the next leaf begins
    Size open_row; // rows before this one belong to lower cells
    Size open_end; // rows from this one on belong to the open cell
    bool spooling; // cell `open` does not fit into memory: its rows go to the spool
    Rows stash;
};

void join_window(TreeStep *tree, Size count)
{
    PairJoin *join = tree->reader->join;
    Rows rows = join->raw.part(0, count);
    narrow_rows(*tree->reader, 0, &rows);
    sort_cells(join, rows, tree->map, tree->low_bits, &join->cells[0]);
    join_cells(join, join->cells[0], join->cells[0], 0, tree->step->mask, join->radius);
}

void copy_rows(const Rows &from, Rows *to)
{
    std::memcpy(to->fingerprint, from.fingerprint, from.count * sizeof(Fingerprint));
    std::memcpy(to->tag, from.tag, from.count * sizeof(uint64));
    to->count = from.count;
}

void join_spooled_cell(TreeStep *tree)
{
    Rows *raw = &tree->reader->join->raw;
    copy_rows(*raw, &tree->stash); // rows of the last leaf: the join needs the memory
    join_partitions(tree->reader, 0, 0, tree->map, 0, *tree->step);
    clear_pair_spool(tree->reader->spool);
    copy_rows(tree->stash, raw);
    tree->spooling = false;
}

void visit_tree_leaf(TreeStep *tree, const char *page)
{
    PairJoin *join = tree->reader->join;
    Rows *raw = &join->raw;
    bool last = is_rightmost(page);
    uint32 next =
        last || tree->step->bits == 0 ? 0 : static_cast<uint32>(high_of(page).key >> (64 - tree->step->bits));
    bool ends_cell = last || next != tree->open;
    if (ends_cell)
        tree->open_row = raw->count;
    for (int i = 0; i < leaf_count(page); i++) {
        Fingerprint fingerprint = leaf_fingerprints(page)[i];
        uint64 tag = leaf_tid(page, i).packed();
        if (tree->spooling && tree->map(fingerprint) == tree->open)
            add_row(tree->reader->spool, 0, fingerprint, tag);
        else
            raw->set(raw->count++, fingerprint, tag);
    }
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
        if (tree->map(raw->fingerprint[i]) != next) {
            std::swap(raw->fingerprint[i], raw->fingerprint[whole]);
            std::swap(raw->tag[i], raw->tag[whole]);
            whole++;
        }
    }
    if (whole > 0) {
        join_window(tree, whole);
        Rows rest = raw->part(whole, raw->count);
        std::memmove(raw->fingerprint, rest.fingerprint, rest.count * sizeof(Fingerprint));
        std::memmove(raw->tag, rest.tag, rest.count * sizeof(uint64));
        raw->count = rest.count;
    }
    tree->open_row = tree->open_end = 0;
    if (raw->count < room)
        return;
    for (Size i = 0; i < raw->count; i++)
        add_row(tree->reader->spool, 0, raw->fingerprint[i], raw->tag[i]);
    raw->count = 0;
    tree->spooling = true;
}

void follow_trees(PairReader *reader, const PairPlan &plan, const SearchPlan &search)
{
    log_plan("the index's tables", plan);
    PairJoin *join = reader->join;
    auto *tree = static_cast<TreeStep *>(palloc0(sizeof(TreeStep)));
    tree->reader = reader;
    tree->stash = allocate_rows(static_cast<Size>(leaf_capacity(BLCKSZ)));
    reader->spool = begin_pair_spool(reader->spool_bytes, 1, all_rows(*reader));
    for (int number = 0; number < plan.steps; number++) {
        const PairStep &step = plan.step[number];
        tree->step = &step;
        tree->map.set(step.bit, step.bits);
        // Cells of a window whose numbers end alike are compared as one.
        tree->low_bits = std::min(step.bits, most_sort_bits(std::min(join->capacity, kWindow)));
        tree->open = 0;
        tree->open_row = tree->open_end = 0;
        join->raw.count = 0;
        join->under[join->depth++] = {&plan, number};
        visit_leaves(side_of(*reader, 0).part[0].index, reader->output->snapshot, search.step[number].table,
                     [tree](const char *page) { visit_tree_leaf(tree, page); });
        join->depth--;
    }
    end_pair_spool(reader->spool);
}

// A plan by the index's own tables, if their headers find all pairs within the radius. Those of partitions differ.
bool plan_trees(const PairReader &reader, const PairTask &task, int radius, SearchPlan *search,
                PairPlan *plan)
{
    const PairSide &side = side_of(reader, 0);
    *plan = {};
    if (!reader.within || side.parts > 1)
        return false;
    index_plan(side.part[0].index, radius, search);
    for (int i = 0; i < search->steps; i++) {
        const SearchStep &step = search->step[i];
        if (step.header_bits == 0 || step.budget > 0 || i == kMostPairSteps)
            return false;
        std::uint8_t source[kBits];
        side.meta().order.sources(step.table, source);
        plan->cost += cut_step(task, source, radius == 0 ? kBits : step.header_bits, 0, &plan->step[i]);
        plan->steps++;
    }
    return true;
}

} // namespace

BufferAccessStrategy join_strategy(Relation index)
{
    return index_leaves(index) > NBuffers / 4.0 ? GetAccessStrategy(BAS_BULKREAD) : nullptr;
}

BlockNumber copy_next_leaf(LeafReader *reader, PGAlignedBlock *copy)
{
    Buffer buffer = read_next_leaf(reader);
    if (buffer == InvalidBuffer)
        return InvalidBlockNumber;
    std::memcpy(copy->data, buffer_page(buffer), BLCKSZ);
    BlockNumber block = BufferGetBlockNumber(buffer);
    UnlockReleaseBuffer(buffer);
    return block;
}

Size pair_memory()
{
    return static_cast<Size>(std::max(work_mem * hash_mem_multiplier, kLeastMemory) * 1024);
}

PairReader *begin_reader(PairOutput *output, Size join_bytes, Size spool_bytes)
{
    auto *reader = static_cast<PairReader *>(palloc0(sizeof(PairReader)));
    auto *join = static_cast<PairJoin *>(palloc0(sizeof(PairJoin)));
    reader->output = join->output = output;
    reader->join = join;
    reader->within = output->sides == 1;
    reader->spool_bytes = spool_bytes;
    reader->page = allocate_rows(static_cast<Size>(leaf_capacity(BLCKSZ)));
    if (!reader->within) { // the smaller one first
        join->side[0] = output->side[1].rows < output->side[0].rows;
        join->side[1] = 1 - join->side[0];
    }
    begin_join(join, join_bytes, all_rows(*reader));
    double x_rows = side_of(*reader, 0).rows, y_rows = reader->within ? 0 : side_of(*reader, 1).rows;
    reader->rows = std::max(x_rows, y_rows);
    output->many_unseen = kManyUnseen + 2 * (x_rows + y_rows);
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

void join_indexes(PairOutput *output, int radius)
{
    auto *sample = static_cast<Sample *>(palloc(2 * sizeof(Sample)));
    for (int i = 0; i < output->sides; i++)
        sample_side(&output->side[i], &sample[i]);
    if (output->sides == 1)
        sample[1] = sample[0];

    Size bytes = pair_memory();
    PairReader *reader = begin_reader(output, bytes / 8 * 3, bytes / 8 * 3);
    reader->join->radius = radius;
    PairTask task;
    set_cell_task(*reader, &task);
    measure_bits(sample[0].fingerprint, sample[0].count, sample[1].fingerprint, sample[1].count, task.differ);
    pfree(sample);

    auto *by_cells = static_cast<PairPlan *>(palloc(2 * sizeof(PairPlan)));
    PairPlan *by_trees = by_cells + 1;
    SearchPlan search;
    plan_pairs(task, by_cells);
    task.most_bits = kMostCellBits;
    task.row_cost = kTreeRow;
    if (plan_trees(*reader, task, radius, &search, by_trees) && by_trees->cost <= by_cells->cost) {
        // Only cells larger than memory are spooled. The more pairs wait, the more there are for each page.
        begin_output(output, bytes / 8 * 4);
        reader->spool_bytes = bytes / 8;
        follow_trees(reader, *by_trees, search);
    } else {
        begin_output(output, bytes / 8 * 2);
        follow_cells(reader, *by_cells);
    }
    end_join(reader->join);
    end_output(output);
}

} // namespace simhash
