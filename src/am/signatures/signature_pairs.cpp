// Finds pairs of signatures: by passes over their words, or by comparing all with all.
//
// The plan of the windows (core/layout/pair_plan.hpp) chooses, from a sample of the stores. A pass finds pairs of
// rows whose words are near, and the signatures of these are compared. A join of all with all reads the smaller side
// in blocks that fit into memory, and the other one once for each block.
#include "am/signatures/pair_store.hpp"
#include "am/signatures/signature_kind.hpp"

#include "core/bits/signature.hpp"

#include "pg/server/settings.hpp"

extern "C" {
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"
}

#include <algorithm>

namespace simhash
{

namespace
{

constexpr Size kSamplePages = 64;
constexpr Size kRowsPerPage = 64; // in the sample
constexpr double kVerify = 400;   // nanoseconds to compare the signatures of a candidate
constexpr Size kMostBlockRows = Size{1} << 17;
constexpr Size kTileBytes = 24 * 1024;

struct SampledSignatures {
    Size count;
    uint8 *signature;
};

// Samples pages of the stores, evenly spread, and estimates the number of rows.
void sample_store(const StoreSide &store, PairSide *side, SampledSignatures *sample)
{
    const Size bytes = static_cast<Size>(store.shape.bytes), bodies = static_cast<Size>(store.shape.bodies);
    const Size pages = store.count * bodies, reads = std::min(pages, kSamplePages);
    sample->count = 0;
    sample->signature = allocate<uint8>(reads * kRowsPerPage * bytes);
    Size rows = 0;
    StoreWalk walk;
    begin_store_walk(&walk, store, nullptr);
    for (Size i = 0; i < reads; i++) {
        const Size at = i * pages / reads;
        walk.segment = at / bodies;
        walk.body = static_cast<int>(at % bodies);
        next_store_page(&walk);
        Size taken = 0;
        for (int slot = 0; slot < body_count(walk.page.data); slot++) {
            if (!walk.has_row(slot))
                continue;
            rows++;
            if (taken++ < kRowsPerPage)
                std::memcpy(sample->signature + sample->count++ * bytes,
                            body_signature(walk.page.data, store.shape.bytes, slot), bytes);
        }
    }
    end_store_walk(&walk);
    side->rows = reads == 0 ? 1
                            : std::max(1.0, static_cast<double>(rows) / static_cast<double>(reads) *
                                                static_cast<double>(pages));
}

Fingerprint *sampled_words(const SampledSignatures &sample, int bytes, int word)
{
    auto *words = allocate<Fingerprint>(sample.count);
    for (Size i = 0; i < sample.count; i++)
        words[i] = signature_word_at(sample.signature + i * static_cast<Size>(bytes), bytes, word);
    return words;
}

WordModel *measure_words(int bits, const SampledSignatures *sample, const SignaturePass &pass)
{
    auto *model = allocate<WordModel>(pass.words);
    for (int i = 0; i < pass.words; i++) {
        model[i].bits = std::min(kBits, bits - kBits * i);
        Fingerprint *x = sampled_words(sample[0], pass.bytes, i),
                    *y = sampled_words(sample[1], pass.bytes, i);
        measure_bits(x, sample[0].count, y, sample[1].count, model[i].differ);
        pfree(x);
        pfree(y);
    }
    return model;
}

WindowPlan *plan_passes(const PairReader &reader, const SignaturePass &pass)
{
    WindowTask task;
    set_cell_task(reader, &task.pairs);
    task.radius = pass.radius;
    task.words = pass.words;
    task.word = pass.model;
    task.verify_cost = kVerify;
    task.compare_cost = 0.6 + task.words * reader.join->match->nanoseconds;
    auto *plan = allocate<WindowPlan>();
    plan_windows(task, plan);
    return plan;
}

void log_windows(const WindowPlan &plan)
{
    StringInfoData windows;
    initStringInfo(&windows);
    for (int i = 0; i < plan.windows; i++)
        appendStringInfo(&windows, "%sword %d, budget %d", i > 0 ? "; " : "", plan.window[i].word,
                         plan.window[i].budget);
    elog(DEBUG1, "simhash join of signatures: %s; estimated at %.3f s",
         plan.windows > 0 ? windows.data : "all with all", plan.cost * 1e-9);
    pfree(windows.data);
}

// Signatures in memory.
struct Block {
    int bytes;
    Size count;
    Size capacity;
    uint8 *signature;
    uint64 *tag;
};

Block make_block(int bytes, Size capacity)
{
    Block block = {bytes, 0, capacity, nullptr, nullptr};
    block.signature = allocate_huge<uint8>(capacity * static_cast<Size>(bytes));
    block.tag = allocate_huge<uint64>(capacity);
    return block;
}

uint8 *row_of(const Block &block, Size at) { return block.signature + at * static_cast<Size>(block.bytes); }

// Appends the rows of the page that the walk has read.
void add_page(const StoreWalk &walk, Block *block)
{
    TidCheck check;
    for (int slot = 0; slot < body_count(walk.page.data); slot++) {
        if (!walk.has_row(slot))
            continue;
        uint64 tid = body_tid(walk.page.data, slot),
               number = marked_number(*walk.store->side, walk.part, tid);
        check.add(tid);
        if (number == kNoRow)
            continue;
        std::memcpy(row_of(*block, block->count), body_signature(walk.page.data, block->bytes, slot),
                    static_cast<Size>(block->bytes));
        block->tag[block->count++] = number;
    }
    if (!in_file(*walk.store->side))
        check.finish(walk.store->side->part[walk.part].index, walk.block);
}

// Drops the rows that the snapshot does not see.
void filter_block(PairOutput *output, int side, Block *block)
{
    Rows rows = allocate_rows(block->count);
    for (Size i = 0; i < block->count; i++)
        rows.set(rows.count++, i, block->tag[i]);
    filter_rows(output, side, &rows);
    for (Size i = 0; i < rows.count; i++) {
        std::memmove(row_of(*block, i), row_of(*block, rows.word[i]), static_cast<Size>(block->bytes));
        block->tag[i] = rows.tag[i];
    }
    block->count = rows.count;
    pfree(rows.word);
    pfree(rows.tag);
}

// Compares all signatures of the smaller side, or of the only one, with all of the other.
struct FullJoin {
    PairOutput *output;
    const SignaturePass *pass;
    int side[2];
    int radius;
    StoreWalk *walk; // of either side
    Block outer;     // a part of one side
    Block inner;     // a page of the other
    uint16 *distance;
};

// Compares rows of the outer block from number `from` to before `end` with a row.
void compare_row(FullJoin *join, const uint8 *signature, uint64 tag, Size from, Size end)
{
    int bytes = join->outer.bytes, count = static_cast<int>(end - from);
    find_distances(signature, bytes, row_of(join->outer, from), static_cast<Size>(bytes), count,
                   join->distance);
    for (int i = 0; i < count; i++) {
        if (join->distance[i] > join->radius)
            continue;
        uint64 pair[2];
        pair[join->side[0]] = join->outer.tag[from + static_cast<Size>(i)];
        pair[join->side[0] ^ 1] = tag;
        add_pair(join->output, pair[0], pair[1], join->distance[i]);
    }
}

// Calls visit(from, end) for each part of the outer block that fits into the first-level cache.
template <typename Visit> void visit_tiles(const FullJoin &join, Visit visit)
{
    Size tile = kTileBytes / static_cast<Size>(join.outer.bytes);
    for (Size from = 0; from < join.outer.count; from += tile)
        visit(from, std::min(from + tile, join.outer.count));
}

void compare_within(FullJoin *join)
{
    visit_tiles(*join, [join](Size from, Size end) {
        for (Size i = from + 1; i < join->outer.count; i++) {
            CHECK_FOR_INTERRUPTS();
            compare_row(join, row_of(join->outer, i), join->outer.tag[i], from, std::min(i, end));
        }
    });
}

void compare_page(FullJoin *join)
{
    visit_tiles(*join, [join](Size from, Size end) {
        CHECK_FOR_INTERRUPTS();
        for (Size i = 0; i < join->inner.count; i++)
            compare_row(join, row_of(join->inner, i), join->inner.tag[i], from, end);
    });
}

// Compares the outer block with the pages that the walk has not read.
void compare_rest(FullJoin *join, StoreWalk *walk)
{
    while (next_store_page(walk)) {
        join->output->pages++;
        join->inner.count = 0;
        add_page(*walk, &join->inner);
        compare_page(join);
    }
    end_store_walk(walk);
}

// Reads pages while the block has room. Returns false if there were none.
bool fill_block(FullJoin *join, StoreWalk *walk)
{
    Size page_rows = static_cast<Size>(walk->shape.body_rows);
    bool any = false;
    join->outer.count = 0;
    while (join->outer.count + page_rows <= join->outer.capacity && next_store_page(walk)) {
        any = true;
        join->output->pages++;
        add_page(*walk, &join->outer);
    }
    if (join->output->filter_early)
        filter_block(join->output, join->side[0], &join->outer);
    return any;
}

void begin_full_join(FullJoin *join, PairOutput *output, const SignaturePass &pass, Size bytes)
{
    join->output = output;
    join->pass = &pass;
    join->side[0] = output->sides == 2 && output->side[1].rows < output->side[0].rows;
    join->side[1] = output->sides - 1 - join->side[0];
    join->radius = pass.radius;
    const StoreSide &x = pass.store[join->side[0]];
    Size page_rows = static_cast<Size>(x.shape.body_rows);
    Size rows =
        std::min({bytes / (static_cast<Size>(pass.bytes) + sizeof(uint64)), kMostBlockRows, store_slots(x)});
    join->outer = make_block(pass.bytes, std::max(rows, page_rows));
    join->inner = make_block(pass.bytes, page_rows);
    join->distance = allocate<uint16>(kTileBytes / static_cast<Size>(pass.bytes));
    join->walk = allocate<StoreWalk>(2);
    begin_store_walk(&join->walk[0], x, pass.merged);
}

// Compares the next outer block with all that follows. Returns false at the end.
bool compare_block(FullJoin *join)
{
    StoreWalk *walk = join->walk;
    if (!fill_block(join, &walk[0])) {
        end_store_walk(&walk[0]);
        return false;
    }
    const bool within = join->output->sides == 1;
    if (within)
        compare_within(join);
    begin_store_walk(&walk[1], join->pass->store[join->side[1]], join->pass->merged);
    if (within) {
        walk[1].segment = walk[0].segment;
        walk[1].body = walk[0].body;
    }
    compare_rest(join, &walk[1]);
    return true;
}

void read_keys(PairReader *reader, int place, void (*visit)(void *context, const Rows &rows), void *context)
{
    const auto &pass = *static_cast<SignaturePass *>(reader->output->source);
    Rows *rows = &reader->page;
    StoreWalk walk;
    begin_store_walk(&walk, pass.store[reader->join->side[place]], pass.merged);
    while (next_store_page(&walk)) {
        reader->output->pages++;
        rows->count = 0;
        for (int slot = 0; slot < body_count(walk.page.data); slot++) {
            if (walk.has_row(slot))
                rows->set(rows->count++, pass_key(pass, body_signature(walk.page.data, pass.bytes, slot)),
                          walk.position(slot));
        }
        visit(context, *rows);
    }
    end_store_walk(&walk);
}

// A join as it goes on: passes, or all with all.
struct SignatureWork : PairWork {
    PairOutput *output;
    Size bytes;
    SignaturePass pass;
    PairReader *reader;
    MemoryContext context; // of a pass; null between two
    CellsWork cells;
    FullJoin full;
};

// Begins the next pass. Returns false if there is none.
bool next_pass(SignatureWork *work)
{
    SignaturePass *pass = &work->pass;
    if (++pass->number >= pass->plan->windows)
        return false;
    const bool equal = pass->number == kEqualPass;
    work->context = AllocSetContextCreate(CurrentMemoryContext, "simhash pass", ALLOCSET_DEFAULT_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(work->context);
    PairReader *reader = work->reader;
    reader->links = equal;
    reader->join->radius = equal ? 0 : pass->plan->window[pass->number].budget;
    PairTask task;
    set_cell_task(*reader, &task);
    for (double &differ : task.differ)
        differ = 0.5;
    if (!equal)
        std::memcpy(task.differ, pass->model[pass->plan->window[pass->number].word].differ,
                    sizeof(task.differ));
    auto *plan = allocate<PairPlan>();
    plan_pairs(task, plan);
    log_plan("partitions", *plan);
    begin_cells(&work->cells, reader, *plan);
    MemoryContextSwitchTo(caller);
    return true;
}

void end_pass(SignatureWork *work)
{
    if (work->reader->spool != nullptr)
        end_pair_spool(work->reader->spool);
    work->reader->spool = nullptr;
    MemoryContextDelete(work->context);
    work->context = nullptr;
}

bool continue_signatures(PairWork *base)
{
    auto *work = static_cast<SignatureWork *>(base);
    if (work->full.output != nullptr)
        return compare_block(&work->full);
    if (work->context == nullptr && !next_pass(work)) {
        if (work->pass.plan->windows > 0)
            return false;
        end_join(work->reader->join);
        work->reader = nullptr;
        work->output->source = nullptr;
        begin_full_join(&work->full, work->output, work->pass, work->bytes / 8 * 5);
        return true;
    }
    MemoryContext caller = MemoryContextSwitchTo(work->context);
    const bool more = continue_cells(&work->cells);
    MemoryContextSwitchTo(caller);
    if (!more) {
        flush_pairs(work->output);
        end_pass(work);
    }
    return true;
}

void end_signatures(PairWork *base)
{
    auto *work = static_cast<SignatureWork *>(base);
    end_output(work->output);
    if (work->context != nullptr)
        end_pass(work);
    if (work->reader != nullptr)
        end_join(work->reader->join);
    work->output->source = nullptr;
}

void begin_pass(PairOutput *output, int radius, SignaturePass *pass)
{
    const SignatureLayout &layout = signature_meta(output->side[0].meta()).layout;
    pass->read = read_keys;
    pass->row_of = stored_row;
    pass->resolve = resolve_pairs;
    pass->radius = radius;
    pass->bytes = layout.bytes();
    pass->words = signature_words(layout.bits);
    output->source = pass;
}

void allocate_members(const PairOutput &output, SignaturePass *pass)
{
    Size rows = 2 * output.capacity;
    pass->signature = allocate_huge<uint8>(rows * static_cast<Size>(pass->bytes));
    pass->position = allocate_huge<uint64>(rows);
    pass->row = allocate_huge<uint64>(rows);
    pass->page = allocate<char>(BLCKSZ);
}

} // namespace

// The bits are taken to be even.
JoinCost signature_join_cost(const JoinTask &task)
{
    PairOutput output = {};
    SignaturePass pass = {};
    output.sides = task.sides;
    for (int i = 0; i < task.sides; i++)
        output.side[i].rows = task.rows[i];
    const SignatureLayout &layout =
        signature_meta(*use_index(task.index[0], CurrentMemoryContext).meta).layout;
    pass.radius = Min(task.radius, layout.bits);
    pass.words = signature_words(layout.bits);
    const SampledSignatures none[2] = {};
    WordModel *model = measure_words(layout.bits, none, pass);
    pass.model = model;
    PairReader reader = {};
    PairJoin cells = {};
    const Size bytes = pair_memory();
    plan_reader(&output, bytes / 8 * 3, bytes / 8 * 2, 1, &reader, &cells);
    WindowPlan *plan = plan_passes(reader, pass);
    const double rows = Max(task.rows[0], task.rows[task.sides - 1]);
    const double parts = plan->windows > 0 ? plan->windows : Max(1.0, rows / kMostBlockRows);
    JoinCost cost = {plan->cost / parts / 1000, plan->cost / 1000, {}, false, false};
    for (int i = 0; i < task.sides; i++)
        cost.pages[i] = task.pages[i] * parts;
    pfree(model);
    pfree(plan);
    return cost;
}

PairWork *join_signatures(PairOutput *output, int radius)
{
    auto *work = allocate_zero<SignatureWork>();
    work->next = continue_signatures;
    work->end = end_signatures;
    work->output = output;
    SignaturePass *pass = &work->pass;
    SampledSignatures sample[2];
    for (int i = 0; i < output->sides; i++) {
        list_segments(*output, i, &pass->store[i]);
        sample_store(pass->store[i], &output->side[i], &sample[i]);
    }
    if (output->sides == 1)
        sample[1] = sample[0];
    begin_pass(output, radius, pass);

    const Size bytes = work->bytes = pair_memory();
    work->reader = begin_reader(output, bytes / 8 * 3, bytes / 8 * 2);
    begin_output(output, bytes / 8 * 3, 2 * (static_cast<Size>(pass->bytes) + 2 * sizeof(uint64)));
    allocate_members(*output, pass);
    pass->model = measure_words(output->side[0].meta().bits, sample, *pass);
    pass->plan = plan_passes(*work->reader, *pass);
    log_windows(*pass->plan);
    // Rows with equal signatures are merged first, if only the groups are wanted.
    pass->number = kEqualPass;
    if (output->links) {
        Size words = store_slots(pass->store[0]) / 64 + 1;
        pass->merged = allocate_huge<uint64>(words, CurrentMemoryContext, MCXT_ALLOC_ZERO);
        pass->number--;
    }
    return work;
}

} // namespace simhash
