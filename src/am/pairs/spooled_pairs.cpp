#include "am/pairs/spooled_pairs.hpp"

#include "am/pairs/pair_read.hpp"

#include <algorithm>

namespace simhash
{

namespace
{

struct SpoolSource : PairSource {
    PairSpool *spool;
};

void read_spool(PairReader *reader, int, void (*visit)(void *context, const Rows &rows), void *context)
{
    PairSpool *spool = static_cast<SpoolSource *>(reader->output->source)->spool;
    const auto most = static_cast<Size>(leaf_capacity(BLCKSZ));
    for (uint64 at = 0; at < spooled_rows(spool, 0); at += reader->page.count) {
        CHECK_FOR_INTERRUPTS();
        read_rows(spool, 0, at, most, &reader->page);
        visit(context, reader->page);
    }
}

PairPlan *plan_spooled(const PairReader &reader, WordSample sample)
{
    PairTask task;
    set_cell_task(reader, &task);
    measure_bits(sample.word, sample.count, sample.word, sample.count, task.differ);
    auto *plan = static_cast<PairPlan *>(palloc(sizeof(PairPlan)));
    plan_pairs(task, plan);
    log_plan("partitions", *plan);
    return plan;
}

} // namespace

void link_spooled_rows(PairSpool *spool, WordSample sample, int radius, Size bytes, PairSink sink)
{
    SpoolSource source = {{read_spool, nullptr, nullptr}, spool};
    PairOutput output = {};
    output.sides = 1;
    output.side[0].rows = static_cast<double>(std::max<uint64>(1, spooled_rows(spool, 0)));
    output.wanted = PairsWanted::links;
    output.sink = sink;
    output.source = &source;
    PairReader *reader = begin_reader(&output, bytes / 2, bytes / 3);
    reader->join->radius = radius;
    reader->links = true;
    begin_output(&output, bytes / 6);
    CellsWork work;
    begin_cells(&work, reader, *plan_spooled(*reader, sample));
    while (continue_cells(&work)) {
    }
    end_output(&output);
    end_join(reader->join);
}

} // namespace simhash
